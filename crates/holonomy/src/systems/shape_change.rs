//! Motion from shape change: in-place shapes in, world motion out (Gross et al. 2023).
//!
//! Physics enters twice: as a metric (what it costs to move each part) and as a momentum that stays constant. In a
//! medium where friction rules, that momentum is zero (least dissipation); in free space it is what it was (least action).

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::Error;
use crate::integrate::momentum_match::{TimeEdge, discrete_momenta};
use crate::lie::{Momentum, Pose, Twist};
use crate::medium::{Metric, MetricFrame};
use crate::motion::{Check, MomentumKind, Motion, Outcome, Series, Track};
use crate::shape::mass::lumped_masses;
use crate::shape::{Clip, MassRule, Playback, Topology};
use crate::solve::newton;

/// The physics that places the shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Friction rules: the shapes move so that least is dissipated (Gross 2023, Sec. 2.1).
    LeastDissipation {
        /// ε: drag along the body over drag across it, 0 to 1.
        anisotropy: f64,
    },
    /// Inertia rules: the momentum stays what it was (Gross 2023, Sec. 2.2).
    LeastAction {
        /// The momentum that stays, physical, in the world frame about the world origin; zero for a body that starts at rest.
        /// [`ShapeChange::rigid_momentum`] and [`ShapeChange::recorded_momentum`] find it.
        momentum: Momentum,
        /// Acceleration of free fall, m/s², which bends the way of the centre of mass to a parabola.
        gravity: Vector3<f64>,
    },
}

impl Law {
    /// Inertia rules, and the body starts at rest where nothing falls.
    pub fn from_rest() -> Law {
        Law::LeastAction { momentum: Momentum::zero(), gravity: Vector3::zeros() }
    }

    fn momentum(&self) -> Momentum {
        match self {
            Law::LeastDissipation { .. } => Momentum::zero(),
            Law::LeastAction { momentum, .. } => *momentum,
        }
    }
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

/// A cycle that nets less than this share of the body's length gets nowhere worth speaking of.
const NOWHERE: f64 = 0.02;

const SCALLOP: &str = "a cycle gains next to nothing: where drag rules, a stroke that goes out and back along nearly the same shapes leads \
                       nowhere (the scallop theorem); a wave that travels along the body does";

/// Sizes that a clip may have, metres.
const LENGTHS: std::ops::Range<f64> = 1e-60..1e60;

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
        let metric = self.metric(clip)?;
        metric.validate()?;
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        let momentum = self.law.momentum();
        let (steps, carried) = match clip.playback() {
            Playback::Once => (clip.frames() - 1, 1),
            // Without momentum the law does not depend on where the body is: each further cycle is the first one carried along.
            Playback::Loop if momentum == Momentum::zero() => (clip.frames(), self.cycles),
            Playback::Loop => (clip.frames() * self.cycles, 1),
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
            let target = record.pose().momentum_to_body(&momentum) * (-2.0 * clip.dt()); // docs/ERRATA.md, G2
            let edge = TimeEdge::new(&old, &new);
            let step = edge.step(&target, SOLVER);
            if step.residual > ACCEPTABLE || step.residual.is_nan() {
                outcome = not_converged(t, step.residual);
                break;
            }
            record.push(&edge, &new, &step, clip.dt());
            std::mem::swap(&mut old, &mut new);
        }
        let mut motion = record.finish(self.law, clip, outcome).repeated(carried);
        if let Law::LeastAction { gravity, .. } = self.law {
            fall(&mut motion, gravity, mass(&old));
        }
        Ok(motion)
    }

    /// The momentum of the first shape, standing at `start`, if it moved rigidly: `velocity` is in the world frame, angular velocity,
    /// then the velocity of the centre of mass.
    ///
    /// # Errors
    /// The mass rule does not fit the clip, or the shape has no mass.
    pub fn rigid_momentum(&self, clip: &Clip, velocity: &Twist) -> Result<Momentum, Error> {
        let mut shape = MetricFrame::default();
        self.metric(clip)?.evaluate(clip, 0, &mut shape)?;
        let center = self.start.act(&shape.center());
        let parts = shape.points.iter().zip(&shape.round).map(|(point, &mass)| {
            let place = self.start.act(point);
            let momentum = (velocity.angular.cross(&(place - center)) + velocity.linear) * mass;
            Momentum::of_force_at(momentum, &place)
        });
        Ok(parts.sum())
    }

    /// The momentum of a recorded motion, where `poses[k]` placed frame k: spin about the centre of mass, on average over all
    /// frames; linear momentum at the start, as the centre of mass then moves under `gravity`.
    ///
    /// # Errors
    /// Fewer than two poses, the mass rule does not fit the clip, or a shape has no mass.
    pub fn recorded_momentum(&self, clip: &Clip, poses: &[Pose], gravity: &Vector3<f64>) -> Result<Momentum, Error> {
        if poses.len() < 2 {
            return Err(Error::Length { what: "recorded poses", expected: 2, found: poses.len() });
        }
        let metric = self.metric(clip)?;
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        metric.evaluate(clip, 0, &mut old)?;
        let first = poses[0].act(&old.center());
        let (mut spin, mut push) = (Vector3::zeros(), Vector3::zeros());
        for k in 1..poses.len() {
            metric.evaluate(clip, k, &mut new)?;
            let mu = discrete_momenta(&old, &new, &(poses[k - 1].inverse() * poses[k]));
            let physical = poses[k - 1].momentum_to_world(&(mu * (-0.5 / clip.dt())));
            spin += physical.angular - poses[k - 1].act(&old.center()).cross(&physical.linear);
            // Half a step late, and slower or faster by what gravity did since the start.
            push += physical.linear - gravity * (mass(&old) * (k as f64 - 0.5) * clip.dt());
            std::mem::swap(&mut old, &mut new);
        }
        let steps = (poses.len() - 1) as f64;
        let linear = push / steps;
        Ok(Momentum { angular: spin / steps + first.cross(&linear), linear })
    }

    fn validate(&self, clip: &Clip) -> Result<(), Error> {
        if clip.frames() < 2 {
            return Err(Error::Parameter {
                name: "number of frames",
                value: clip.frames() as f64,
                expected: "at least 2: with one shape, nothing changes",
            });
        }
        let largest = (0..clip.frames()).flat_map(|k| clip.frame(k)).map(|p| p.amax()).fold(0.0, f64::max);
        if largest > 0.0 && !LENGTHS.contains(&largest) {
            let expected = "between 1e-60 and 1e60 metres, so that areas and moments can be computed; check the unit";
            return Err(Error::Parameter { name: "largest coordinate", value: largest, expected });
        }
        if self.cycles == 0 {
            return Err(Error::Parameter { name: "cycles", value: 0.0, expected: "at least 1" });
        }
        if let Law::LeastDissipation { anisotropy: value } = self.law
            && !(0.0..=1.0).contains(&value)
        {
            let expected = "between 0 (slips freely along itself) and 1 (isotropic)";
            return Err(Error::Parameter { name: "anisotropy", value, expected });
        }
        if let Law::LeastAction { momentum, gravity } = &self.law
            && let Some(&value) = [momentum.angular, momentum.linear, *gravity].iter().flatten().find(|x| !x.is_finite())
        {
            return Err(Error::Parameter { name: "momentum or gravity", value, expected: "finite numbers" });
        }
        Ok(())
    }

    /// The metric of the law. Drag follows the shape from frame to frame; mass stays where it was in frame 0.
    fn metric(&self, clip: &Clip) -> Result<Metric, Error> {
        Ok(match (self.law, clip.topology()) {
            (Law::LeastDissipation { anisotropy }, _) => Metric::anisotropic(anisotropy, self.masses.clone()),
            (Law::LeastAction { .. }, Topology::Rig(_)) => Metric::isotropic(self.masses.clone()),
            (Law::LeastAction { .. }, topology) => {
                Metric::isotropic(MassRule::Given(lumped_masses(&self.masses, topology, clip.frame(0))?))
            }
        })
    }
}

/// Bends the way of the centre of mass to a parabola (Gross 2023, Sec. 2.2): free fall looks the same to all parts of the body.
fn fall(motion: &mut Motion, gravity: Vector3<f64>, mass: f64) {
    if gravity == Vector3::zeros() {
        return;
    }
    motion.cycle_transform = None; // no two cycles are alike any more
    let dt = motion.dt;
    for track in &mut motion.tracks {
        for k in 0..track.poses.len() {
            let t = k as f64 * dt;
            let drop = gravity * (0.5 * t * t);
            let spin = track.momenta[k].angular - track.centers[k].cross(&track.momenta[k].linear);
            track.poses[k].translation += drop;
            track.centers[k] += drop;
            track.momenta[k].linear += gravity * (mass * t);
            track.momenta[k].angular = spin + track.centers[k].cross(&track.momenta[k].linear);
        }
        *track =
            Track::new(&track.name, dt, std::mem::take(&mut track.poses), std::mem::take(&mut track.centers), track.momenta.split_off(1));
        let speed = track.centers.windows(2).map(|w| (w[1] - w[0]).norm() / dt).collect();
        motion
            .series
            .iter_mut()
            .filter(|series| series.name == "speed")
            .for_each(|series| *series = Series::per_step("speed", "m/s", Vec::clone(&speed)));
    }
}

/// Mass of a body with an inertia metric, kg.
fn mass(frame: &MetricFrame) -> f64 {
    frame.trace() / 3.0
}

fn not_converged(frame: usize, residual: f64) -> Outcome {
    let advice =
        "the shape changes or turns too much from the frame before; sample the clip at a higher rate, or leave out the frame that jumps"
            .into();
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

    /// Where the last shape stands.
    fn pose(&self) -> Pose {
        self.poses[self.poses.len() - 1]
    }

    fn push(&mut self, edge: &TimeEdge, new: &MetricFrame, step: &newton::Solution<Pose>, dt: f64) {
        let last = self.pose();
        let cost = edge.energy(&step.state);
        let in_place = edge.energy(&Pose::identity());
        if in_place > 0.0 {
            self.worst_saving = self.worst_saving.max(cost / in_place);
        }
        self.largest_turn = self.largest_turn.max(step.state.rotation.angle());
        let mu = edge.discrete_momenta(&step.state);
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
        let free = law.momentum() == Momentum::zero();
        let closes = clip.playback() == Playback::Loop && outcome == Outcome::Done && free;
        let last = self.poses.len() - 1;
        let cycle_transform = closes.then(|| self.poses[last] * self.poses[0].inverse());
        if let Some(carry) = cycle_transform {
            self.poses[last] = carry * self.poses[0]; // the same to round-off; now the cycle closes exactly
        }
        let mut checks = vec![
            Check { name: "momentum residual, scaled", value: largest(&self.residual), tolerance: ACCEPTABLE },
            Check { name: "largest turn in one step, rad", value: self.largest_turn, tolerance: std::f64::consts::FRAC_PI_2 },
        ];
        if free {
            checks.push(Check { name: "cost of the motion over cost in place", value: self.worst_saving, tolerance: 1.0 + 1e-9 });
        }
        let centers = &self.centers;
        let speed: Vec<f64> = centers.windows(2).map(|w| (w[1] - w[0]).norm() / dt).collect();
        let nowhere = closes && (centers[last] - centers[0]).norm() < NOWHERE * clip.body_length();
        let warnings = if nowhere && matches!(law, Law::LeastDissipation { .. }) { vec![SCALLOP.into()] } else { Vec::new() };
        let (momentum_kind, energy) = match law {
            Law::LeastDissipation { .. } => (MomentumKind::Drag, Series::per_step("dissipation", "W", self.power)),
            Law::LeastAction { .. } => {
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
