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
    /// How far its position is from the truth, metres: mean of the runs that did not blow up.
    pub position: Option<f64>,
    /// How far its rotation is from the truth, radians: mean of the runs that did not blow up.
    pub rotation: Option<f64>,
    /// How many runs blew up.
    pub blown_up: usize,
    /// How long one run took, seconds.
    pub seconds: f64,
}

/// Which error of the pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseError {
    /// Distance, metres.
    Position,
    /// Angle, radians.
    Rotation,
}

impl PoseError {
    fn axis(self) -> ChartAxis {
        match self {
            PoseError::Position => ChartAxis::log("mean position error", "m"),
            PoseError::Rotation => ChartAxis::log("mean rotation error", "rad"),
        }
    }

    /// The error of a sample; `None` if a run blew up, since a mean of the others would flatter.
    fn of(self, sample: &Sample) -> Option<f64> {
        let error = match self {
            PoseError::Position => sample.position,
            PoseError::Rotation => sample.rotation,
        };
        error.filter(|error| sample.blown_up == 0 && error.is_finite())
    }
}

impl Curve {
    /// Halving the step divided the error by 2 to this power, between the two shortest steps; `None`
    /// where runs blew up.
    pub fn order(&self, error: PoseError) -> Option<f64> {
        let [.., long, short] = self.points.as_slice() else { return None };
        let order = (error.of(long)? / error.of(short)?).ln() / (short.steps as f64 / long.steps as f64).ln();
        order.is_finite().then_some(order)
    }

    /// That this order is near the `expected` one; it fails where there is none.
    pub fn order_check(&self, error: PoseError, name: &'static str, expected: f64) -> Check {
        Check { name, value: self.order(error).map_or(f64::INFINITY, |order| (order - expected).abs()), tolerance: 0.2 }
    }
}

/// Error against the number of steps, where no run blew up.
pub fn error_by_steps(title: &str, error: PoseError, curves: &[Curve]) -> Chart {
    of(Chart::new(title, ChartAxis::log("steps", ""), error.axis()), curves, |sample| Some([sample.steps as f64, error.of(sample)?]))
}

/// Error against the time that it takes, where no run blew up.
pub fn error_by_cost(title: &str, error: PoseError, curves: &[Curve]) -> Chart {
    let time = ChartAxis::log("processor time of one run", "ms");
    of(Chart::new(title, time, error.axis()), curves, |sample| Some([1e3 * sample.seconds, error.of(sample)?]))
}

/// How many runs blew up, against the number of steps. An integrator that lost none has no line.
pub fn blown_up_by_steps(title: &str, curves: &[Curve]) -> Chart {
    let some: Vec<Curve> = curves.iter().filter(|curve| curve.points.iter().any(|sample| sample.blown_up > 0)).cloned().collect();
    let (x, y) = (ChartAxis::log("steps", ""), ChartAxis::linear("runs that blew up", ""));
    of(Chart::new(title, x, y), &some, |sample| Some([sample.steps as f64, sample.blown_up as f64]))
}

/// Points that are not finite have no place.
fn of(chart: Chart, curves: &[Curve], place: impl Fn(&Sample) -> Option<[f64; 2]>) -> Chart {
    let points = |curve: &Curve| curve.points.iter().filter_map(&place).filter(|point| point.iter().all(|x| x.is_finite())).collect();
    curves.iter().fold(chart, |chart, curve| chart.with(&curve.name, points(curve), Stroke::Solid))
}
