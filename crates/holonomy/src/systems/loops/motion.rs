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
/// The acceleration itself, root mean square by mass over the whole loop.
const MISSING_ACCELERATION_RMS: Quantity = Quantity::new("missing_acceleration_rms", "m/s^2");
/// The same at the worst frame.
const MISSING_ACCELERATION_MOST: Quantity = Quantity::new("missing_acceleration_max", "m/s^2");

/// How much of it passes for a motion by itself: what loses much energy in a period needs much help, and keyframes need what muscles would give.
const MISSING: f64 = 0.5;
/// How much of it is not to be seen; above, a run warns.
const HIDDEN: f64 = 0.1;
/// Gain of an iteration, as a share of the loss, below which the descent is at rest.
const STILL: f64 = 1e-6;
/// How many of the last iterations that gain is the mean of.
const RECENT: usize = 5;
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
        let hidden = Hidden::of(self, law.masses());
        let missing: Vec<f64> = hidden.missing.iter().map(|value| value / hidden.whole).collect();
        let share = hidden.share();
        first.figures.push(MISSING_FORCE_RMS.figure(share));
        first.figures.push(MISSING_ACCELERATION_RMS.figure(root_mean_square(&hidden.missing)));
        first.figures.push(MISSING_ACCELERATION_MOST.figure(hidden.most().1));
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
        motion.warnings.push(hidden.in_words(self.keyframes > 0, motion.dt));
        match self.outcome {
            Outcome::Interrupted => motion.outcome = motion::Outcome::Interrupted { frame: self.frames + 1 },
            Outcome::OutOfIterations => motion.warnings.push(self.out_of_iterations()),
            Outcome::Stalled => motion.warnings.push(format!(
                "the descent stalled after {} iterations: no step brings the loss down, though its slope \
                 is not zero, so {STALLED}",
                motion.newton_iterations
            )),
            Outcome::Converged => {}
        }
        Ok(motion)
    }

    /// Says whether a descent that used up its iterations would have gone on.
    fn out_of_iterations(&self) -> String {
        let (count, last) = (self.history.len() - 1, self.history[self.history.len() - 1]);
        let recent = count.min(RECENT);
        let gain = (self.history[count - recent] / last - 1.0) / recent.max(1) as f64;
        if recent == RECENT && gain < STILL {
            format!(
                "the loss no longer falls ({gain:.0e} of it an iteration over the last {RECENT} of {count}), \
                 as at a local minimum, so {STALLED}"
            )
        } else {
            let gain = 100.0 * gain;
            format!(
                "the loss still fell by {gain:.2} % an iteration at the last of {count} iterations, \
                 so this is not the least: allow more"
            )
        }
    }

    fn chart(&self) -> Chart {
        let axis = |name: &str, scale| ChartAxis { name: name.into(), unit: String::new(), scale };
        let points = self.history.iter().enumerate().map(|(i, &loss)| [i as f64, loss]).collect();
        let line = ChartLine { name: String::new(), points, stroke: Stroke::Solid };
        Chart { lines: vec![line], ..Chart::new("Loss", axis("iteration", ChartScale::Linear), axis("loss", ChartScale::Log)) }
    }
}

/// What to do where more iterations do not help.
const STALLED: &str = "more iterations do not help; change the period, the start or the guess";

/// Acceleration that no force accounts for: what a hidden hand does.
struct Hidden {
    /// At each frame, root mean square by mass, m/s².
    missing: Vec<f64>,
    /// All acceleration in the loop, root mean square by mass and time, m/s²; where more is missing
    /// than there is (a body at rest in the air), what is missing.
    whole: f64,
}

impl Hidden {
    fn of(looped: &Looped, masses: &[f64]) -> Hidden {
        let (n, whole) = (masses.len(), masses.iter().sum::<f64>());
        let rate = looped.frames as f64 / looped.curve.period;
        let carry = Pose::exp(&looped.curve.twist);
        let at = |k: usize, v: usize| {
            let place = &looped.positions[k % looped.frames * n + v];
            if k < looped.frames { *place } else { carry.act(place) }
        };
        let by_mass = |square: &dyn Fn(usize) -> f64| ((0..n).map(|v| masses[v] * square(v)).sum::<f64>() / whole).sqrt();
        let turn = |k: usize| by_mass(&|v| (at(k + 2, v) - at(k + 1, v) * 2.0 + at(k, v)).norm_squared()) * rate * rate;
        let all = root_mean_square(&(0..looped.frames).map(turn).collect::<Vec<_>>());
        let missing = |k: usize| by_mass(&|v| (looped.residuals[k * n + v] / masses[v]).norm_squared());
        let missing: Vec<_> = (0..looped.frames).map(missing).collect();
        let whole = all.max(root_mean_square(&missing)).max(f64::MIN_POSITIVE);
        Hidden { missing, whole }
    }

    /// In parts of all acceleration.
    fn share(&self) -> f64 {
        root_mean_square(&self.missing) / self.whole
    }

    /// The worst frame, and what is missing there, m/s².
    fn most(&self) -> (usize, f64) {
        let worst = self.missing.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        worst.unwrap_or((0, 0.0))
    }

    /// In words, for frames so many seconds apart.
    fn in_words(&self, by_keyframes: bool, dt: f64) -> String {
        let (share, rms, (frame, most)) = (self.share(), root_mean_square(&self.missing), self.most());
        let figures = format!(
            "hidden force: {share:.2} of all acceleration, {rms:.2} m/s^2 rms, \
             at most {most:.2} m/s^2 (at {:.2} s)",
            frame as f64 * dt
        );
        let meaning = match share {
            _ if by_keyframes => "; it holds the body to its keyframes, as muscles would",
            MISSING.. => {
                "; a hand that is not in the physics makes this loop: give it another period, start or \
                 guess, or more frames"
            }
            HIDDEN.. => "; a hand that is not in the physics carries this loop",
            _ => "",
        };
        format!("{figures}{meaning}")
    }
}

fn root_mean_square(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len().max(1) as f64).sqrt()
}
