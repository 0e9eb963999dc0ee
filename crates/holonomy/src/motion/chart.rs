//! Results that are not over time, such as accuracy against cost.

/// A chart: lines through points, on two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The axis to the right.
    pub x: ChartAxis,
    /// The axis up.
    pub y: ChartAxis,
    /// The lines, in the order in which they should be named.
    pub lines: Vec<ChartLine>,
}

/// An axis of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartAxis {
    /// What is measured along it.
    pub name: String,
    /// Its unit; `""` if it has none.
    pub unit: String,
    /// How values are spaced.
    pub scale: ChartScale,
}

/// How values are spaced on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChartScale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; values that are not positive are left out.
    Log,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine {
    /// Its name; `""` if the title says it all.
    pub name: String,
    /// The points (x, y) it goes through, in this order.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// How a line of a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// Unbroken, with a dot at each point: what was measured.
    #[default]
    Solid,
    /// Dashed, without dots: what it is compared with, such as a slope or a bound.
    Dashed,
    /// Each pair of points is one thick level bar, from the x of the first to that of the second, at the y of the first: what lasted how long, in rows.
    Bars,
}

impl Chart {
    /// A chart without lines.
    pub fn new(title: &str, x: ChartAxis, y: ChartAxis) -> Chart {
        Chart { title: title.into(), x, y, lines: Vec::new() }
    }

    /// The chart with one more line.
    #[must_use]
    pub fn with(mut self, name: &str, points: Vec<[f64; 2]>, stroke: Stroke) -> Chart {
        self.lines.push(ChartLine { name: name.into(), points, stroke });
        self
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.lines.iter().flat_map(|line| line.points.as_flattened()).all(|x| x.is_finite())
    }
}

impl ChartAxis {
    /// An axis with evenly spaced values.
    pub fn linear(name: &str, unit: &str) -> ChartAxis {
        ChartAxis { name: name.into(), unit: unit.into(), scale: ChartScale::Linear }
    }

    /// A logarithmic axis.
    pub fn log(name: &str, unit: &str) -> ChartAxis {
        ChartAxis { scale: ChartScale::Log, ..ChartAxis::linear(name, unit) }
    }
}
