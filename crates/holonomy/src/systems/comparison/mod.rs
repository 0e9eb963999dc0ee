//! Integrators side by side: what their motion looks like, how far off it is, and what it costs (Kobilarov 2009, Sec. 3.3, Figs. 3 to 5).
//!
//! Time is measured by whoever runs them: here are no clocks.

mod car;
mod rigid_body;

use crate::motion::{Chart, ChartAxis, Check, Stroke};

pub use car::{CarEquations, CarErrors, CarInputs, CarMethod, CarStudy, Sinusoids};
pub use rigid_body::Tumbling;

/// One integrator with steps of several sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// From long steps to short ones.
    pub points: Vec<Sample>,
}

/// One integrator with steps of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How many steps one run takes.
    pub steps: usize,
    /// How far it is from the truth.
    pub error: f64,
    /// How long one run took, seconds.
    pub seconds: f64,
}

impl Curve {
    /// Halving the step divided the error by 2 to this power, between the two shortest steps.
    pub fn order(&self) -> Option<f64> {
        let [.., long, short] = self.points.as_slice() else { return None };
        let order = (long.error / short.error).ln() / (short.steps as f64 / long.steps as f64).ln();
        order.is_finite().then_some(order)
    }

    /// That this order is near the `expected` one; it fails where there is none.
    pub fn order_check(&self, name: &'static str, expected: f64) -> Check {
        Check { name, value: self.order().map_or(f64::NAN, |order| (order - expected).abs()), tolerance: 0.2 }
    }
}

/// Error against the number of steps.
pub fn error_by_steps(title: &str, error: ChartAxis, curves: &[Curve]) -> Chart {
    of(Chart::new(title, ChartAxis::log("steps", ""), error), curves, |sample| [sample.steps as f64, sample.error])
}

/// Error against the time that it takes.
pub fn error_by_cost(title: &str, error: ChartAxis, curves: &[Curve]) -> Chart {
    of(Chart::new(title, ChartAxis::log("processor time of one run", "ms"), error), curves, |sample| [1e3 * sample.seconds, sample.error])
}

/// Points that are not finite have no place.
fn of(chart: Chart, curves: &[Curve], place: impl Fn(&Sample) -> [f64; 2]) -> Chart {
    let seen = |point: &[f64; 2]| point.iter().all(|x| x.is_finite());
    curves.iter().fold(chart, |chart, curve| chart.with(&curve.name, curve.points.iter().map(&place).filter(seen).collect(), Stroke::Solid))
}
