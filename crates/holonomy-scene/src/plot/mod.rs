//! Plots of what happened in a motion, and its charts, as SVG: axes with units, lines told apart by dashes and names rather than colour alone, and
//! colours that follow the reader's light or dark setting. Every coordinate written is finite.

pub mod axis;
mod chart;
pub mod line;
pub mod motion;
pub mod svg;

pub use axis::Scale;
pub use motion::motion_plots;
pub use svg::{of_motion, stack, svg};

/// One plot: several lines over a common x.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// What is plotted; with its unit it stands above the plot.
    pub title: String,
    /// Unit of the values; empty if they have none.
    pub unit: String,
    /// What x is.
    pub x_label: String,
    /// Unit of x; empty if it has none.
    pub x_unit: String,
    /// The x of each value.
    pub x: Vec<f64>,
    /// How the values are spaced on their axis.
    pub scale: Scale,
    /// The lines.
    pub series: Vec<PlotSeries>,
}

/// One line of a plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlotSeries {
    /// Its name, written at its end; empty if the title says it all.
    pub name: String,
    /// One value per x; a value that is not finite (or not positive, on a logarithmic axis) leaves a gap.
    pub values: Vec<f64>,
    /// How it is drawn.
    pub style: LineStyle,
}

/// How a line is drawn: dashes tell lines apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineStyle {
    /// Unbroken.
    #[default]
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dashes and dots in turn.
    DashDot,
    /// Unbroken, level from each value to the next: for counts.
    Steps,
}

impl LineStyle {
    /// The style of the `i`-th line of a plot.
    pub fn nth(i: usize) -> LineStyle {
        [LineStyle::Solid, LineStyle::Dashed, LineStyle::Dotted, LineStyle::DashDot][i % 4]
    }

    /// Lengths of dashes and gaps, pixels; `None` if unbroken.
    pub(crate) fn dashes(self) -> Option<&'static str> {
        match self {
            LineStyle::Solid | LineStyle::Steps => None,
            LineStyle::Dashed => Some("7 4"),
            LineStyle::Dotted => Some("0.1 4"),
            LineStyle::DashDot => Some("8 4 0.1 4"),
        }
    }
}
