//! Sweeps over the strokes of a swimmer: the line of least power, and what to write into a scene to swim by it.

use holonomy::systems::creature::economy::{Economy, Sample};
use holonomy::systems::creature::steady::{STEADY_POWER, STEADY_SPEED, UNSTEADINESS};

use super::table::{Row, Table};
use crate::export::csv::column;
use crate::scene::units::{self, Dimension};

/// Strokes whose speed changes by more than this share are not steady, and left out.
const STEADY: f64 = 0.05;

impl Table {
    /// The strokes of least power, if frequencies and phase shifts of one swimmer were varied, and nothing else.
    pub fn economy(&self) -> Option<Economy> {
        let place = |name: &str| self.axes.iter().position(|axis| axis.path.ends_with(name));
        let (frequency, shift) = (place("stroke.frequency")?, place("stroke.phase-shift")?);
        if self.axes.len() != 2 {
            return None;
        }
        let radians = |value: &str| match &self.axes[shift].unit {
            Some(unit) => units::parse(&format!("{value} {unit}"), Dimension::Angle).ok(),
            None => value.parse().ok().or_else(|| units::parse(value, Dimension::Angle).ok()),
        };
        let sample = |(index, row): &(usize, Row)| {
            let values = self.values(*index);
            let figure = |quantity| row.figures.get(&column(quantity)).copied();
            figure(&UNSTEADINESS).filter(|change| *change < STEADY)?;
            Some(Sample {
                frequency: values[frequency].1.parse().ok()?,
                phase_shift: radians(values[shift].1)?,
                speed: figure(&STEADY_SPEED)?,
                power: figure(&STEADY_POWER)?,
            })
        };
        Economy::of(&self.rows.iter().filter_map(sample).collect::<Vec<_>>()).ok()
    }
}

/// What to write into the stroke of a scene, to swim at a speed by a line of least power.
pub fn economy_as_toml(economy: &Economy) -> String {
    let list = |numbers: &[f64]| numbers.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(", ");
    let line = &economy.line;
    format!(
        "economy = {{ speeds = [{}], frequency = [{}], phase-shift = [{}] }}",
        list(&line.speeds),
        list(&line.frequency),
        list(&line.phase_shift)
    )
}
