//! One free body, tumbling, by several integrators with the same long step (Kobilarov 2009, Fig. 3).

use std::ops::ControlFlow;

use nalgebra::{UnitQuaternion, Vector3};

use crate::Error;
use crate::integrate::rigid_body::{Integrator, RigidBody};
use crate::integrate::variational::State;
use crate::lie::Pose;
use crate::motion::{Check, Line, Motion, Outcome, Quantity, Track};
use crate::shape::Clip;

/// Kinetic energy over that at the start.
const ENERGY: Quantity = Quantity::new("relative_energy", "");
/// How far the angular momentum about the world's origin is from that at the start, as a share of it.
const MOMENTUM: Quantity = Quantity::new("angular_momentum_error", "").line(Line::Logarithmic);
/// The same about the centre of mass.
const SPIN: Quantity = Quantity::new("spin_momentum_error", "").line(Line::Logarithmic);
/// Angle between the rotation and the true one.
const ROTATION: Quantity = Quantity::new("rotation_error", "rad");
/// Distance between the centre of mass and the true one.
const POSITION: Quantity = Quantity::new("position_error", "m");

/// One free body in a row of its own copies: the truth first, then each integrator.
#[derive(Debug, Clone)]
pub struct Tumbling {
    /// The body.
    pub body: RigidBody,
    /// How it starts: the frame of its principal axes, and its momentum in it.
    pub start: State,
    /// What it looks like.
    pub shape: Clip,
    /// The frame of the principal axes in that of the shape.
    pub axes: Pose,
    /// Whom to compare.
    pub integrators: Vec<Integrator>,
    /// From each copy to the next, metres.
    pub apart: Vector3<f64>,
    /// Seconds from frame to frame.
    pub dt: f64,
    /// Frames that one step of an integrator lasts.
    pub stride: usize,
    /// Frames but the first.
    pub steps: usize,
}

/// A body whose energy has grown so many times is lost: what follows has nothing to do with the truth, and soon overflows.
const LOST: f64 = 2.0;

/// The truth turns by no more than this in a step, radians; its error is then that of round-off.
const TRUE_TURN: f64 = 1e-3;

impl Tumbling {
    /// The motion of all copies. Between its steps a body moves with constant velocity, as seen from itself; what was measured holds until
    /// the next step. Who blows up stays where it was last.
    ///
    /// # Errors
    /// A number is not finite or out of range; the body does not turn.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        self.validate()?;
        let truth = self.truth();
        let ways: Vec<Way> = self.integrators.iter().map(|&integrator| self.way(integrator)).collect();
        let mut frames = 1;
        let outcome = Outcome::of_steps(self.steps, progress, |_| {
            frames += 1;
            Ok(None)
        })?;
        let all = std::iter::once(&truth).chain(&ways).enumerate();
        let tracks = all.map(|(place, way)| self.track(place, way, &truth, frames)).collect();
        let warnings = ways.iter().filter_map(|way| self.warning(way)).collect();
        let steps = ways.iter().map(|way| way.states.len() - 1).sum();
        Ok(Motion { outcome, checks: self.checks(&truth, &ways), warnings, steps, ..Motion::new(self.dt, tracks) })
    }

    fn validate(&self) -> Result<(), Error> {
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "finite and above zero");
        positive("dt", self.dt)?;
        positive("mass", self.body.mass)?;
        positive("least moment of inertia", self.body.moments.min())?;
        Error::unless(self.stride > 0, "frames of a step", self.stride as f64, "at least 1")?;
        Error::unless(self.apart.norm().is_finite(), "distance between copies", self.apart.norm(), "finite")?;
        let turning = self.start.momentum.angular.norm();
        Error::unless(self.start.pose.is_finite() && self.start.momentum.is_finite(), "start", f64::NAN, "finite")?;
        Error::unless(turning > 0.0, "angular momentum", turning, "above zero; give the body an angular velocity")
    }

    /// By the classical Runge–Kutta method with very short steps, at each frame.
    fn truth(&self) -> Way {
        // The spin is at most that of the same momentum about the axis of least moment.
        let turn = self.dt * self.start.momentum.angular.norm() / self.body.moments.min();
        let finer = (turn / TRUE_TURN).ceil().clamp(1.0, 1e4) as usize;
        let (h, steps) = (self.dt / finer as f64, self.steps * finer);
        self.cut("truth", 1, Integrator::RungeKutta4.run(&self.body, &self.start, h, steps, finer))
    }

    fn way(&self, integrator: Integrator) -> Way {
        let h = self.dt * self.stride as f64;
        self.cut(label(integrator), self.stride, integrator.run(&self.body, &self.start, h, self.steps.div_ceil(self.stride), 1))
    }

    /// The start and the states after it, as far as they mean anything.
    fn cut(&self, name: &'static str, stride: usize, states: Vec<State>) -> Way {
        let asked = states.len();
        let most = LOST * self.body.energy(&self.start.momentum);
        let sane = |state: &State| state.pose.is_finite() && self.body.energy(&state.momentum) < most;
        let states: Vec<State> = std::iter::once(self.start).chain(states.into_iter().take_while(sane)).collect();
        Way { name, stride, lost: states.len() <= asked, states }
    }

    fn track(&self, place: usize, way: &Way, truth: &Way, frames: usize) -> Track {
        let shift = Pose::from_rotation_translation(UnitQuaternion::identity(), self.apart * place as f64);
        let shown: Vec<Pose> = (0..frames).map(|frame| shift * way.pose(frame)).collect();
        let centers = shown.iter().map(|pose| pose.translation).collect();
        let poses = shown.iter().map(|pose| *pose * self.axes.inverse()).collect();
        let momenta = (1..frames).map(|frame| shift.momentum_to_world(&way.node(frame).momentum_world())).collect();
        let mut track = Track::new(way.name, self.shape.clone(), poses, centers, momenta);
        track.series.retain(|_| self.start.momentum.linear.norm() > 0.0);
        let per_frame = |quantity: Quantity, value: &dyn Fn(usize) -> f64| quantity.per_frame((0..frames).map(value).collect());
        track.series.push(per_frame(ENERGY, &|frame| self.relative_energy(way.node(frame))));
        let then = |frame: usize| &truth.node(frame - frame % way.stride).pose;
        track.series.push(per_frame(ROTATION, &|frame| way.node(frame).pose.rotation.angle_to(&then(frame).rotation)));
        track.series.push(per_frame(POSITION, &|frame| (way.node(frame).pose.translation - then(frame).translation).norm()));
        track.series.push(per_frame(MOMENTUM, &|frame| self.momentum_error(way.node(frame))));
        track.series.push(per_frame(SPIN, &|frame| self.spin_error(way.node(frame))));
        track
    }

    fn relative_energy(&self, state: &State) -> f64 {
        self.body.energy(&state.momentum) / self.body.energy(&self.start.momentum)
    }

    fn momentum_error(&self, state: &State) -> f64 {
        let (now, first) = (state.momentum_world().angular, self.start.momentum_world().angular);
        (now - first).norm() / first.norm()
    }

    fn spin_error(&self, state: &State) -> f64 {
        let world = |state: &State| state.pose.rotation * state.momentum.angular;
        (world(state) - world(&self.start)).norm() / self.start.momentum.angular.norm()
    }

    /// How far the linear momentum is from that at the start, as a share of it; of a body that does
    /// not travel, zero.
    fn linear_error(&self, state: &State) -> f64 {
        let world = |state: &State| state.pose.rotation * state.momentum.linear;
        let first = self.start.momentum.linear.norm();
        if first > 0.0 { (world(state) - world(&self.start)).norm() / first } else { 0.0 }
    }

    fn warning(&self, way: &Way) -> Option<String> {
        let time = (way.states.len() - 1) as f64 * self.dt * self.stride as f64;
        let (name, step) = (way.name, self.dt * self.stride as f64);
        let why = "its energy doubled, or a step had no solution; it stays where it was";
        way.lost.then(|| format!("{name} blew up after {time:.1} s with steps of {step} s: {why}"))
    }

    /// What must hold of the truth and of the variational steps; others are not held to anything.
    fn checks(&self, truth: &Way, ways: &[Way]) -> Vec<Check> {
        let worst = |way: &Way, of: &dyn Fn(&State) -> f64| {
            if way.lost { f64::INFINITY } else { way.states.iter().map(of).fold(0.0, f64::max) }
        };
        let of = |integrator: Integrator| ways.iter().find(|way| way.name == label(integrator));
        let off = |state: &State| (self.relative_energy(state) - 1.0).abs();
        let mut checks = vec![Check { name: "energy of the truth", value: worst(truth, &off), tolerance: 1e-9 }];
        if let Some(ours) = of(Integrator::Variational) {
            let kept = worst(ours, &|state| self.spin_error(state).max(self.linear_error(state)));
            checks.push(Check { name: "momenta of the variational step about its centre of mass", value: kept, tolerance: 1e-12 });
            checks.push(Check { name: "energy of the variational step", value: worst(ours, &off), tolerance: 1e-12 });
        }
        for (integrator, momentum, energy) in [
            (Integrator::VariationalExponential, "momentum of the exponential step", "energy drift of the exponential step"),
            (Integrator::VariationalCayley, "momentum of the whole Cayley step", "energy drift of the whole Cayley step"),
        ] {
            if let Some(way) = of(integrator) {
                let kept = worst(way, &|state| self.momentum_error(state).max(self.linear_error(state)));
                checks.push(Check { name: momentum, value: kept, tolerance: 1e-12 });
                checks.push(Check { name: energy, value: self.drift(way), tolerance: 0.01 });
            }
        }
        checks
    }

    /// How far the mean energy of the later half is from that of the earlier.
    fn drift(&self, way: &Way) -> f64 {
        let mean = |states: &[State]| states.iter().map(|state| self.relative_energy(state)).sum::<f64>() / states.len() as f64;
        let (early, late) = way.states.split_at(way.states.len() / 2);
        if way.lost { f64::INFINITY } else { (mean(late) - mean(early)).abs() }
    }
}

/// A name short enough to stand beside a plot.
fn label(integrator: Integrator) -> &'static str {
    match integrator {
        Integrator::VariationalExponential => "exponential",
        Integrator::VariationalCayley => "cayley",
        Integrator::Variational4 => "order-4",
        Integrator::Variational6 => "order-6",
        Integrator::Variational10 => "order-10",
        Integrator::RungeKutta2Implicit => "rk2i",
        other => other.name(),
    }
}

/// A body by one integrator.
struct Way {
    name: &'static str,
    /// Frames that a step lasts.
    stride: usize,
    /// After each step, from the start to the last that means anything.
    states: Vec<State>,
    /// Whether it ends before its time.
    lost: bool,
}

impl Way {
    /// After the last whole step before a frame.
    fn node(&self, frame: usize) -> &State {
        &self.states[(frame / self.stride).min(self.states.len() - 1)]
    }

    fn pose(&self, frame: usize) -> Pose {
        let (from, part) = (self.node(frame).pose, (frame % self.stride) as f64 / self.stride as f64);
        match self.states.get(frame / self.stride + 1) {
            Some(next) if part > 0.0 => from * Pose::exp(&((from.inverse() * next.pose).log() * part)),
            _ => from,
        }
    }
}
