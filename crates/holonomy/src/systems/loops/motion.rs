//! A loop as a motion: what is to be seen of it, and what was checked.

use super::{Looped, Outcome};
use crate::Error;
use crate::integrate::force_law::ForceLaw;
use crate::lie::Pose;
use crate::motion::{self, Chart, ChartAxis, ChartLine, ChartScale, Check, KINETIC_ENERGY, Motion, Quantity, Stroke, Track};

/// Energy of place and shape.
const POTENTIAL_ENERGY: Quantity = Quantity::new("potential_energy", "J").among("energy", "potential");
/// Acceleration that no force accounts for, root mean square by mass, in parts of all acceleration in the loop.
const MISSING_FORCE: Quantity = Quantity::new("missing_force", "");

/// The same over the whole loop.
const MISSING_FORCE_RMS: Quantity = Quantity::new("missing_force_rms", "");

/// How much of it passes for a motion by itself: what loses much energy in a period needs much help, and keyframes need what muscles would give.
const MISSING: f64 = 0.5;
/// The part of its loss that may be left of the motion that is left to itself.
const LEFT: f64 = 0.01;

impl Looped {
    /// The loop played once, with these `tracks` (one pose more than there are frames), of whose first energies and missing forces are told. `forward` is the loss of the
    /// motion that is left to itself, with its seam.
    ///
    /// # Errors
    /// There is no track.
    pub fn motion(&self, law: &dyn ForceLaw, forward: f64, mut tracks: Vec<Track>) -> Result<Motion, Error> {
        let Some(first) = tracks.first_mut() else {
            return Err(Error::Empty { what: "the list of tracks", fix: "show at least one body" });
        };
        let around = |values: &[f64]| -> Vec<f64> { values.iter().chain(values.first()).copied().collect() };
        let missing = self.missing(law.masses());
        let share = root_mean_square(&missing);
        first.figures.push(MISSING_FORCE_RMS.figure(share));
        first.series.push(KINETIC_ENERGY.per_frame(around(&self.report.kinetic_energy)));
        first.series.push(POTENTIAL_ENERGY.per_frame(around(&self.report.potential_energy)));
        first.series.push(MISSING_FORCE.per_frame(around(&missing)));
        let (seam, last) = (&self.report.seam, self.history.last().copied().unwrap_or(f64::NAN));
        let ratio = |a: f64, b: f64| a / b.max(f64::MIN_POSITIVE);
        let check = |name, value, tolerance| Check { name, value, tolerance };
        let mut motion = Motion::new(self.curve.period / self.frames as f64, tracks);
        motion.checks = vec![
            check("jump of the velocity at the seam, beside the greatest elsewhere", ratio(seam.velocity, seam.velocity_elsewhere), 1.0),
            check("loss, in parts of that of the motion left to itself", ratio(last, forward), LEFT),
        ];
        if self.keyframes == 0 {
            motion.checks.push(check("acceleration that no force accounts for, in parts of all", share, MISSING));
        }
        motion.cycle_transform = Some(Pose::exp(&self.curve.twist));
        motion.steps = self.frames;
        motion.newton_iterations = self.history.len().saturating_sub(1);
        motion.charts = vec![self.chart()];
        motion.method = Some(self.method.clone()).filter(|method| !method.is_empty());
        if self.keyframes > 0 {
            motion.warnings.push(format!("{:.0} % of the forces that act in it are those that hold it to its keyframes", 100.0 * share));
        } else if share > MISSING {
            let help = "the loop is far from a motion by itself; give it more iterations, frames, or a calmer or softer start";
            motion.warnings.push(format!("{:.0} % of the forces that act in it are missing: {help}", 100.0 * share));
        }
        match self.outcome {
            Outcome::Interrupted => motion.outcome = motion::Outcome::Interrupted { frame: self.frames + 1 },
            Outcome::OutOfIterations => {
                motion
                    .warnings
                    .push(format!("the loss could still be brought down after {} iterations: allow more", motion.newton_iterations));
            }
            Outcome::Stalled => motion.warnings.push("no step from here brings the loss down, though it is not shown to be least".into()),
            Outcome::Converged => {}
        }
        Ok(motion)
    }

    /// Acceleration that no force accounts for at each frame, in parts of the root mean square of all; where more is missing than there is (a body
    /// at rest in the air), in parts of what is missing.
    fn missing(&self, masses: &[f64]) -> Vec<f64> {
        let (n, whole) = (masses.len(), masses.iter().sum::<f64>());
        let rate = self.frames as f64 / self.curve.period;
        let carry = Pose::exp(&self.curve.twist);
        let at = |k: usize, v: usize| {
            let place = &self.positions[k % self.frames * n + v];
            if k < self.frames { *place } else { carry.act(place) }
        };
        let by_mass = |square: &dyn Fn(usize) -> f64| ((0..n).map(|v| masses[v] * square(v)).sum::<f64>() / whole).sqrt();
        let turn = |k: usize| by_mass(&|v| (at(k + 2, v) - at(k + 1, v) * 2.0 + at(k, v)).norm_squared()) * rate * rate;
        let all = root_mean_square(&(0..self.frames).map(turn).collect::<Vec<_>>());
        let missing = |k: usize| by_mass(&|v| (self.residuals[k * n + v] / masses[v]).norm_squared());
        let missing: Vec<_> = (0..self.frames).map(missing).collect();
        let most = all.max(root_mean_square(&missing)).max(f64::MIN_POSITIVE);
        missing.into_iter().map(|value| value / most).collect()
    }

    fn chart(&self) -> Chart {
        let axis = |name: &str, scale| ChartAxis { name: name.into(), unit: String::new(), scale };
        let points = self.history.iter().enumerate().map(|(i, &loss)| [i as f64, loss]).collect();
        let line = ChartLine { name: String::new(), points, stroke: Stroke::Solid };
        Chart { lines: vec![line], ..Chart::new("Loss", axis("iteration", ChartScale::Linear), axis("loss", ChartScale::Log)) }
    }
}

fn root_mean_square(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len().max(1) as f64).sqrt()
}
