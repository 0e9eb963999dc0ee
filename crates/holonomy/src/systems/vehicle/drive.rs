//! Driving: a vehicle whose controls follow what was recorded, or come from a hand at each step.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use nalgebra::SVector;

use crate::Error;
use crate::integrate::controlled::{Control, Controlled};
use crate::integrate::driven::{self, Figure};
use crate::lie::Pose;
use crate::motion::{Motion, Outcome};
use crate::shape::Channel;

/// Part of the way, or of a whole turn, by which frames half as long may lead elsewhere.
const COARSE: f64 = 0.01;
/// Metres that are rounding.
const LEAST: f64 = 1e-6;

/// A drive by recorded controls, or by hand:
///
/// ```
/// use holonomy::integrate::controlled::Controlled;
/// use holonomy::lie::{Pose, Twist};
/// use holonomy::nalgebra::SVector;
/// use holonomy::systems::vehicle::{Car, Drive};
///
/// let car = Car::default();
/// let drive = Drive::by_hand(car, car.at(&Pose::identity(), &Twist::zero())); // 60 frames a second
/// let mut state = drive.begin();
/// for _ in 0..60 {
///     assert!(drive.step(&mut state, &SVector::from([0.1, 0.2]))); // torque, rate of steering; kept within their ranges
/// }
/// assert!(car.pose(&state.state).translation.x > 0.0); // wheels look along +X
/// # Ok::<(), holonomy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Drive<V: Controlled<N, M>, const N: usize, const M: usize> {
    /// What is driven.
    pub vehicle: V,
    /// Where it is and how it moves at first.
    pub start: V::State,
    /// Each control over time; at rest where missing.
    pub controls: Vec<Option<Channel>>,
    /// Seconds from frame to frame.
    pub dt: f64,
    /// Frames but the first.
    pub steps: usize,
    /// Steps of the integrator per frame.
    pub substeps: usize,
}

/// A vehicle on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriveState<S> {
    /// Where it is and how it moves.
    pub state: S,
    /// Seconds.
    pub time: f64,
}

impl<V: Controlled<N, M>, const N: usize, const M: usize> Drive<V, N, M> {
    /// A vehicle that is driven by hand, 60 times a second.
    pub fn by_hand(vehicle: V, start: V::State) -> Self {
        Drive { vehicle, start, controls: Vec::new(), dt: 1.0 / 60.0, steps: 0, substeps: 1 }
    }

    /// Where it begins.
    pub fn begin(&self) -> DriveState<V::State> {
        DriveState { state: self.start, time: 0.0 }
    }

    /// Goes on for one frame with these controls, which are kept within their ranges. Where its equations have no solution it is left as it was, and
    /// the answer is false: a shorter frame may do.
    #[must_use = "false: the vehicle has not moved"]
    pub fn step(&self, state: &mut DriveState<V::State>, controls: &SVector<f64, M>) -> bool {
        let h = self.dt / self.substeps.max(1) as f64;
        let controls = self.kept(controls);
        let mut now = *state;
        for _ in 0..self.substeps.max(1) {
            let Some(next) = self.vehicle.step(&now.state, &controls, now.time, h) else { return false };
            now = DriveState { state: next, time: now.time + h };
        }
        *state = now;
        true
    }

    /// Controls within their ranges; at rest where they are not numbers.
    fn kept(&self, controls: &SVector<f64, M>) -> SVector<f64, M> {
        let own = self.vehicle.controls();
        SVector::from_fn(|i, _| if controls[i].is_nan() { own[i].rest } else { controls[i].max(own[i].range[0]).min(own[i].range[1]) })
    }

    /// The controls in the middle of a frame that begins at `time`.
    fn recorded(&self, time: f64) -> SVector<f64, M> {
        let own = self.vehicle.controls();
        let middle = time + 0.5 * self.dt;
        SVector::from_fn(|i, _| self.controls.get(i).and_then(Option::as_ref).map_or(own[i].rest, |channel| channel.angle(middle)))
    }

    /// Drives from start to end; `figure` says what it looks like. `progress` is told (frame, frames), and may stop it.
    ///
    /// # Errors
    /// A parameter is out of range, or a number is not finite.
    pub fn run(&self, figure: &dyn Figure, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        self.vehicle.validate()?;
        Error::unless(self.dt > 0.0 && self.dt.is_finite(), "dt", self.dt, "a positive number of seconds")?;
        let finite = self.vehicle.pose(&self.start).is_finite() && self.vehicle.twist(&self.start).is_finite();
        Error::unless(finite, "start of a drive", f64::NAN, "finite numbers")?;
        let mut state = self.begin();
        let (mut states, mut controls) = (vec![state.state], Vec::with_capacity(self.steps.min(1 << 16)));
        let mut cut = SVector::<f64, M>::zeros();
        let outcome = Outcome::of_steps(self.steps, progress, |frame| {
            let recorded = self.recorded(state.time);
            let asked = self.kept(&recorded);
            for i in 0..M {
                if (recorded[i] - asked[i]).abs() > cut[i].abs() {
                    cut[i] = recorded[i] - asked[i];
                }
            }
            if !self.step(&mut state, &asked) {
                let advice = format!("its equations have no solution over {} s; take more substeps", self.dt / self.substeps.max(1) as f64);
                return Ok(Some(Outcome::NotConverged { frame, residual: 1.0, advice }));
            }
            controls.push(asked);
            states.push(state.state);
            Ok(None)
        })?;
        let track = driven::track(&self.vehicle, &states, &controls, self.dt, figure)?;
        let checks = driven::energy_check(&self.vehicle, &states, &controls, self.dt).into_iter().collect();
        let mut warnings = self.told_cuts(&cut);
        if outcome == Outcome::Done {
            warnings.extend(self.told_coarse(&states, progress));
        }
        Ok(Motion { outcome, checks, warnings, steps: controls.len() * self.substeps.max(1), ..Motion::new(self.dt, vec![track]) })
    }

    /// Whether frames half as long lead elsewhere, by more than a hundredth of the way: energy balances in long ones too.
    fn told_coarse(&self, states: &[V::State], progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Option<String> {
        let finer = Drive { dt: 0.5 * self.dt, steps: 2 * self.steps, ..self.clone() };
        let mut state = finer.begin();
        for _ in 0..finer.steps {
            let controls = finer.recorded(state.time);
            if progress(self.steps, self.steps).is_break() || !finer.step(&mut state, &controls) {
                return None;
            }
        }
        let poses: Vec<Pose> = states.iter().map(|state| self.vehicle.pose(state)).collect();
        let way: f64 = poses.windows(2).map(|pair| (pair[1].translation - pair[0].translation).norm()).sum();
        let (end, last) = (self.vehicle.pose(&state.state), poses.last()?);
        let (off, turned) = ((end.translation - last.translation).norm(), end.rotation.angle_to(&last.rotation));
        let coarse = (off > COARSE * way && off > LEAST) || turned > COARSE * TAU;
        coarse.then(|| format!("in frames half as long it ends {off:.3} m and {turned:.3} rad elsewhere: take more substeps, or ask for more frames per second"))
    }

    /// What was asked of controls beyond their ranges; `cut` is how far, at most.
    fn told_cuts(&self, cut: &SVector<f64, M>) -> Vec<String> {
        let told = |(control, &cut): (Control, &f64)| {
            let (limit, Control { name, unit, .. }) = (control.range[usize::from(cut > 0.0)], control);
            (cut != 0.0).then(|| format!("{name} is asked for {:.4} {unit} and kept at its limit, {limit:.4} {unit}", limit + cut))
        };
        self.vehicle.controls().into_iter().zip(cut.iter()).filter_map(told).collect()
    }
}
