//! A loop as a motion: what is to be seen of it, and what was checked.

use nalgebra::Vector3;

use super::{Looped, Outcome};
use crate::Error;
use crate::integrate::force_law::ForceLaw;
use crate::lie::Pose;
use crate::motion::{Chart, ChartAxis, ChartLine, ChartScale, Check, KINETIC_ENERGY, Motion, Quantity, Stroke, Track};

/// Energy of place and shape.
const POTENTIAL_ENERGY: Quantity = Quantity::new("potential_energy", "J").among("energy", "potential");
/// The force that is missing at a frame, in parts of what accelerates the body on average.
const MISSING_FORCE: Quantity = Quantity::new("missing_force", "");

/// The part of the forces that may be missing, root mean square over the loop.
const MISSING: f64 = 0.1;
/// The part of the first guess's loss that may be left.
const LEFT: f64 = 0.01;

impl Looped {
    /// The loop played once, with these `tracks` (one pose more than there are frames). Energies and missing forces are told of the first of them.
    ///
    /// # Errors
    /// There is no track.
    pub fn motion(&self, law: &dyn ForceLaw, mut tracks: Vec<Track>) -> Result<Motion, Error> {
        let dt = self.curve.period / self.frames as f64;
        let Some(first) = tracks.first_mut() else {
            return Err(Error::Empty { what: "the list of tracks", fix: "show at least one body" });
        };
        let (velocities, n) = (self.velocities(law.masses().len()), law.masses().len());
        let around = |values: Vec<f64>| -> Vec<f64> { values.iter().chain(values.first()).copied().collect() };
        let kinetic = velocities.chunks(n).map(|v| 0.5 * law.masses().iter().zip(v).map(|(m, v)| m * v.norm_squared()).sum::<f64>());
        first.series.push(KINETIC_ENERGY.per_frame(around(kinetic.collect())));
        let potential = self.positions.chunks(n).enumerate().map(|(k, q)| law.energy(k as f64 * dt, q));
        first.series.push(POTENTIAL_ENERGY.per_frame(around(potential.collect())));
        let (jumps, missing) = (self.jumps(law.masses(), &velocities), self.missing(law.masses()));
        let typical = mean_square(&jumps).sqrt() / dt;
        let relative: Vec<f64> = missing.iter().map(|missing| missing / typical.max(f64::MIN_POSITIVE)).collect();
        first.series.push(MISSING_FORCE.per_frame(around(relative.clone())));
        let others = jumps[1..].iter().fold(0.0, |a: f64, &b| a.max(b));
        let mut motion = Motion::new(dt, tracks);
        motion.checks = vec![
            Check { name: "jump of the velocity at the seam, beside the largest elsewhere", value: jumps[0] / others.max(f64::MIN_POSITIVE), tolerance: 1.0 },
            Check { name: "force that is missing, in parts of those that act", value: mean_square(&relative).sqrt(), tolerance: MISSING },
            Check { name: "loss, in parts of that of the motion left to itself", value: self.left(), tolerance: LEFT },
        ];
        motion.cycle_transform = Some(Pose::exp(&self.curve.twist));
        motion.steps = self.frames;
        motion.newton_iterations = self.history.len().saturating_sub(1);
        motion.charts = vec![self.chart()];
        motion.outcome = match self.outcome {
            Outcome::Interrupted => crate::motion::Outcome::Interrupted { frame: self.frames + 1 },
            Outcome::Converged | Outcome::Stalled | Outcome::OutOfIterations => crate::motion::Outcome::Done,
        };
        if self.outcome == Outcome::OutOfIterations {
            motion.warnings.push(format!("the loss could still be brought down after {} iterations; allow more", motion.newton_iterations));
        }
        Ok(motion)
    }

    /// What is left of the loss.
    fn left(&self) -> f64 {
        let (first, last) = (self.history.first().copied().unwrap_or(0.0), self.history.last().copied().unwrap_or(0.0));
        last / first.max(f64::MIN_POSITIVE)
    }

    /// From each frame to the next, frames × vertices, in the world; that of the last leads around the seam.
    fn velocities(&self, vertices: usize) -> Vec<Vector3<f64>> {
        let (rate, carry) = (self.frames as f64 / self.curve.period, Pose::exp(&self.curve.twist));
        let ahead = |i: usize| self.positions.get(i + vertices).copied().unwrap_or_else(|| carry.act(&self.positions[i + vertices - self.positions.len()]));
        (0..self.positions.len()).map(|i| (ahead(i) - self.positions[i]) * rate).collect()
    }

    /// Change of the velocity at each frame, root mean square by mass, m/s; that at the seam is the first.
    fn jumps(&self, masses: &[f64], velocities: &[Vector3<f64>]) -> Vec<f64> {
        let (n, back) = (masses.len(), Pose::exp(&self.curve.twist).rotation.inverse());
        let before = |i: usize| if i < n { back * velocities[velocities.len() - n + i] } else { velocities[i - n] };
        let jump = |k: usize| by_mass(masses, |v| (velocities[k * n + v] - before(k * n + v)).norm_squared());
        (0..self.frames).map(jump).collect()
    }

    /// Acceleration that no force accounts for, at each frame, root mean square by mass, m/s².
    fn missing(&self, masses: &[f64]) -> Vec<f64> {
        let n = masses.len();
        let at = |k: usize| by_mass(masses, |v| (self.residuals[k * n + v] / masses[v]).norm_squared());
        (0..self.frames).map(at).collect()
    }

    fn chart(&self) -> Chart {
        let axis = |name: &str, scale| ChartAxis { name: name.into(), unit: String::new(), scale };
        let points = self.history.iter().enumerate().map(|(i, &loss)| [i as f64, loss]).collect();
        let line = ChartLine { name: String::new(), points, stroke: Stroke::Solid };
        Chart { lines: vec![line], ..Chart::new("Loss", axis("iteration", ChartScale::Linear), axis("loss", ChartScale::Log)) }
    }
}

/// Root mean square over vertices, by mass.
fn by_mass(masses: &[f64], square: impl Fn(usize) -> f64) -> f64 {
    let sum: f64 = masses.iter().enumerate().map(|(v, mass)| mass * square(v)).sum();
    (sum / masses.iter().sum::<f64>()).sqrt()
}

fn mean_square(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>() / values.len().max(1) as f64
}
