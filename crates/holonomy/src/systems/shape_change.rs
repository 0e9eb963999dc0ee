//! Motion from shape change: in-place shapes in, world motion out (Gross et al. 2023).
//!
//! Physics enters twice: as a metric (what it costs to move each part) and as a momentum that stays constant. In a
//! medium where friction rules, that momentum is zero (least dissipation); in free space it is what it was (least action).

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::Error;
use crate::integrate::momentum_match;
use crate::lie::{Momentum, Pose};
use crate::medium::{Metric, MetricFrame};
use crate::motion::{Check, MomentumKind, Motion, Outcome, Series, Track};
use crate::shape::{Clip, MassRule, Playback};
use crate::solve::newton;

/// The physics that places the shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Friction rules: the shapes move so that least is dissipated (Gross 2023, Sec. 2.1).
    LeastDissipation {
        /// ε: drag along the body over drag across it, 0 to 1.
        anisotropy: f64,
    },
    /// Inertia rules, from rest: the momentum stays zero (Gross 2023, Sec. 2.2).
    LeastAction,
}

/// A batch job: place every shape of a clip in the world.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeChange {
    /// The physics.
    pub law: Law,
    /// How drag or mass is spread over the body.
    pub masses: MassRule,
    /// Where the first shape stands.
    pub start: Pose,
    /// How many times a looping clip is played.
    pub cycles: usize,
}

/// Scaled residual at which a step counts as solved.
const SOLVER: newton::Settings = newton::Settings { tolerance: 1e-13, max_iterations: 60 };

/// A cycle that nets less than this share of the way it goes (or of the body's length) gets nowhere worth speaking of.
const UNDONE: f64 = 0.02;

const SCALLOP: &str = "almost all of the way is undone within the cycle: the stroke goes out and back along nearly the same shapes, \
                       and without inertia that leads nowhere (the scallop theorem)";

/// A step whose residual stays above this has failed.
const ACCEPTABLE: f64 = 1e-10;

impl ShapeChange {
    /// Gross 2023, Alg. 2: for t = 1 … T, find g_t such that DiscreteMomenta(γ_{t−1}, g_t(γ̂_t)) is the target.
    ///
    /// `progress` is told (step, steps) before each step and may ask to stop.
    ///
    /// # Errors
    /// Fewer than two frames, parameters out of range, a shape without mass. Not converging is an [`Outcome`].
    pub fn run(&self, clip: &Clip, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        self.validate(clip)?;
        let metric = self.metric();
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        let steps = match clip.playback() {
            Playback::Once => clip.frames() - 1,
            Playback::Loop => clip.frames(),
        };
        let mut outcome = Outcome::Done;
        metric.evaluate(clip, 0, &mut old)?;
        let mut record = Record::new(self.start, &old);
        for t in 1..=steps {
            if progress(t, steps) == ControlFlow::Break(()) {
                outcome = Outcome::Interrupted { frame: t };
                break;
            }
            metric.evaluate(clip, t, &mut new)?;
            let step = momentum_match::step(&old, &new, &Momentum::zero(), SOLVER);
            if step.residual > ACCEPTABLE || step.residual.is_nan() {
                outcome = not_converged(t, step.residual);
                break;
            }
            record.push(&old, &new, &step, clip.dt());
            std::mem::swap(&mut old, &mut new);
        }
        // The laws do not depend on where the body is, so each further cycle is the first one carried along.
        Ok(record.finish(self.law, clip, outcome).repeated(self.cycles))
    }

    fn validate(&self, clip: &Clip) -> Result<(), Error> {
        if clip.frames() < 2 {
            return Err(Error::Parameter {
                name: "number of frames",
                value: clip.frames() as f64,
                expected: "at least 2: with one shape, nothing changes",
            });
        }
        if self.cycles == 0 {
            return Err(Error::Parameter { name: "cycles", value: 0.0, expected: "at least 1" });
        }
        self.metric().validate()
    }

    fn metric(&self) -> Metric {
        let anisotropy = match self.law {
            Law::LeastDissipation { anisotropy } => anisotropy,
            Law::LeastAction => 1.0,
        };
        Metric { anisotropy, masses: self.masses.clone() }
    }
}

fn not_converged(frame: usize, residual: f64) -> Outcome {
    let advice =
        "the shape changes too much from the frame before; sample the clip at a higher rate, or leave out the frame that jumps".into();
    Outcome::NotConverged { frame, residual, advice }
}

/// What is written down while stepping. Each list has an entry per step; poses and centres have one more.
struct Record {
    poses: Vec<Pose>,
    centers: Vec<Vector3<f64>>,
    momenta: Vec<Momentum>,
    power: Vec<f64>,
    residual: Vec<f64>,
    iterations: Vec<f64>,
    /// Largest cost of a step over that of leaving the shape where the animator put it.
    worst_saving: f64,
    /// Largest turn in one step, radians.
    largest_turn: f64,
}

impl Record {
    fn new(start: Pose, first: &MetricFrame) -> Self {
        let (momenta, power, residual, iterations) = Default::default();
        let centers = vec![start.act(&first.center())];
        Record { poses: vec![start], centers, momenta, power, residual, iterations, worst_saving: 0.0, largest_turn: 0.0 }
    }

    fn push(&mut self, old: &MetricFrame, new: &MetricFrame, step: &newton::Solution<Pose>, dt: f64) {
        let last = self.poses[self.poses.len() - 1];
        let cost = momentum_match::energy(old, new, &step.state);
        let in_place = momentum_match::energy(old, new, &Pose::identity());
        if in_place > 0.0 {
            self.worst_saving = self.worst_saving.max(cost / in_place);
        }
        self.largest_turn = self.largest_turn.max(step.state.rotation.angle());
        let mu = momentum_match::discrete_momenta(old, new, &step.state);
        self.momenta.push(last.momentum_to_world(&(mu * (-0.5 / dt))));
        self.power.push(cost / (dt * dt));
        self.residual.push(step.residual);
        self.iterations.push(step.iterations as f64);
        let pose = last * step.state;
        self.centers.push(pose.act(&new.center()));
        self.poses.push(pose);
    }

    fn finish(mut self, law: Law, clip: &Clip, outcome: Outcome) -> Motion {
        let dt = clip.dt();
        let closes = clip.playback() == Playback::Loop && outcome == Outcome::Done;
        let last = self.poses.len() - 1;
        let cycle_transform = closes.then(|| self.poses[last] * self.poses[0].inverse());
        if let Some(carry) = cycle_transform {
            self.poses[last] = carry * self.poses[0]; // the same to round-off; now the cycle closes exactly
        }
        let checks = vec![
            Check { name: "momentum residual, scaled", value: largest(&self.residual), tolerance: ACCEPTABLE },
            Check { name: "cost of the motion over cost in place", value: self.worst_saving, tolerance: 1.0 + 1e-9 },
            Check { name: "largest turn in one step, rad", value: self.largest_turn, tolerance: std::f64::consts::FRAC_PI_2 },
        ];
        let centers = &self.centers;
        let speed: Vec<f64> = centers.windows(2).map(|w| (w[1] - w[0]).norm() / dt).collect();
        let (travelled, net) = (speed.iter().sum::<f64>() * dt, (centers[last] - centers[0]).norm());
        let undone = closes && net < UNDONE * travelled && travelled > UNDONE * clip.body_length();
        let warnings = if undone { vec![SCALLOP.into()] } else { Vec::new() };
        let (momentum_kind, energy) = match law {
            Law::LeastDissipation { .. } => (MomentumKind::Drag, Series::per_step("dissipation", "W", self.power)),
            Law::LeastAction => {
                let kinetic = self.power.iter().map(|p| 0.5 * p).collect();
                (MomentumKind::Momentum, Series::per_step("kinetic_energy", "J", kinetic))
            }
        };
        let newton_iterations = self.iterations.iter().sum::<f64>() as usize;
        let series = vec![
            Series::per_step("speed", "m/s", speed),
            energy,
            Series::per_step("residual", "", self.residual),
            Series::per_step("iterations", "", self.iterations),
        ];
        let tracks = vec![Track::new("body", dt, self.poses, self.centers, self.momenta)];
        Motion { dt, tracks, momentum_kind, series, outcome, checks, steps: last, newton_iterations, cycle_transform, warnings }
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
