//! One shape at a time: the interactive form, which `run` loops over.

use std::sync::Arc;

use nalgebra::Vector3;

use super::placing::{Edges, Placed};
use super::pull::Weighed;
use super::setup::Physics;
use super::{Law, Pull, ShapeChange};
use crate::Error;
use crate::lie::{Momentum, Pose};
use crate::medium::MetricFrame;
use crate::motion::Outcome;
use crate::shape::{Shape, Topology, diagonal};

/// A body on its way: where it is, and what it needs to take the next shape. Made by [`ShapeChange::begin`].
#[derive(Debug, Clone)]
pub struct ShapeChangeState {
    topology: Arc<Topology>,
    vertices: usize,
    pub(super) physics: Physics,
    /// Whether each shape is weighed: where nothing pulls and friction rules, nobody asks.
    weighs: bool,
    /// The last shape and the one to come; memory is re-used.
    pub(super) old: Sampled,
    pub(super) new: Sampled,
    /// Placement of the last shape, without free fall.
    pub(super) pose: Pose,
    /// J: physical momentum, world frame about the world origin, without free fall. Zero where friction rules.
    pub(super) momentum: Momentum,
    /// Acceleration of free fall that is added to the motion of least action, m/s².
    free_fall: Vector3<f64>,
    /// Seconds since the start.
    time: f64,
    /// Seconds that the last step took; zero before the first.
    pub(super) last_dt: f64,
}

/// One shape and its metrics, in its own frame.
#[derive(Debug, Clone, Default)]
pub(super) struct Sampled {
    pub body: Weighed,
    /// K, where there is inertia.
    pub inertia: MetricFrame,
    /// D, where there is drag.
    pub drag: MetricFrame,
    /// K + κ D, where there are both.
    pub both: MetricFrame,
}

/// A shape smaller than this share of its distance from its origin is a point with round-off.
const ONE_PLACE: f64 = 1e-13;

/// What came of a step.
#[must_use = "it tells whether the step was taken"]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Where the shape now stands.
    pub pose: Pose,
    /// World position of its centre, metres: of mass or, where drag rules, of drag.
    pub center: Vector3<f64>,
    /// Physical momentum in the world frame about the world origin: kg m²/s, kg m/s. Where friction rules, what the body exerts on the medium: N m, N.
    pub momentum: Momentum,
    /// Power lost to drag, W; zero without drag.
    pub dissipation: f64,
    /// Kinetic energy of body and fluid, J; zero without inertia.
    pub kinetic_energy: f64,
    /// What the step would have cost if the shape had stayed in the frame of the one before: W where friction rules, else J.
    pub in_place: f64,
    /// Force of the floor, N, straight up; of the ground, for what keeps level: that may also hold it down.
    pub floor_force: f64,
    /// Angle by which the body's frame turned, radians.
    pub turn: f64,
    /// How far the parts moved against the centre, as a share of the body's radius, root mean square.
    pub stir: f64,
    /// Scaled residual of the momentum equation.
    pub residual: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Whether the shape was placed; if not, the state is as before the step.
    pub converged: bool,
}

/// Corrections of where the pull acts, at most. Each shrinks the error by about the square of the step's share of the body's size.
const MOST_HALFWAYS: usize = 30;

/// A change of the pull, as a share of it, that is not worth another correction.
const NEGLIGIBLE: f64 = 1e-12;

impl ShapeChange {
    /// A body that stands at [`ShapeChange::start`] with its first shape.
    ///
    /// # Errors
    /// A parameter is out of range, the shape is not sound, has no mass, or reaches below the floor.
    pub fn begin(&self, shape: &Shape) -> Result<ShapeChangeState, Error> {
        if shape.points.is_empty() {
            return Err(Error::Empty { what: "the shape", fix: "give it at least one vertex" });
        }
        shape.validate()?;
        self.begin_sound(shape, true)
    }

    /// As [`ShapeChange::begin`], for a shape that is known to be sound; `pulled` says whether a wrench may come, beside the job's pull.
    pub(super) fn begin_sound(&self, shape: &Shape, pulled: bool) -> Result<ShapeChangeState, Error> {
        let free_fall = if let Law::LeastAction { gravity, .. } = self.law { gravity } else { Vector3::zeros() };
        let mut state = ShapeChangeState {
            topology: Arc::clone(shape.topology),
            vertices: shape.points.len(),
            physics: self.physics(shape)?,
            weighs: pulled || !matches!(self.law, Law::LeastDissipation { .. }) || self.pull != Pull::none(),
            old: Sampled::default(),
            new: Sampled::default(),
            pose: self.start,
            momentum: self.law.momentum(),
            free_fall,
            time: 0.0,
            last_dt: 0.0,
        };
        Error::unless(self.start.is_finite(), "start", f64::NAN, "a finite pose")?;
        state.sample(shape, &self.pull)?;
        std::mem::swap(&mut state.old, &mut state.new);
        state.sample(shape, &self.pull)?; // so that the first step finds its memory
        if diagonal(shape.points) <= ONE_PLACE * shape.points.first().map_or(0.0, |p| p.norm()) {
            return Err(in_one_place());
        }
        self.above_floor(shape.points)?;
        Ok(state)
    }

    /// One step of Gross 2023, Alg. 2: weighs, pulls and places the next `shape`, `dt` seconds after the last, and carries the momentum on.
    /// `wrench` (world axes, torque about the centre of mass) acts meanwhile, beside the job's own pull. Nothing is allocated, but for masses by volume.
    ///
    /// # Errors
    /// The shape is not sound or not one of the same body, or has no mass; `dt` is not positive; the wrench is not finite.
    pub fn step(&self, state: &mut ShapeChangeState, shape: &Shape, dt: f64, wrench: &Momentum) -> Result<StepReport, Error> {
        shape.validate_like(&state.topology, state.vertices)?;
        Error::unless(wrench.is_finite(), "wrench", f64::NAN, "finite numbers")?;
        Error::unless(dt > 0.0 && dt.is_finite(), "dt", dt, "a positive number of seconds")?;
        self.advance(state, shape, dt, wrench)
    }

    /// As [`ShapeChange::step`], for what is known to be sound, as the frames of a clip are.
    pub(super) fn advance(&self, state: &mut ShapeChangeState, shape: &Shape, dt: f64, wrench: &Momentum) -> Result<StepReport, Error> {
        state.sample(shape, &self.pull)?;
        // κ: the pull and the drag act from the middle of the last step to the middle of this one, which is where momenta live.
        let kick = 0.5 * (state.last_dt + dt);
        state.mix(kick);
        let edges = Edges::new(state, shape.points);
        if edges.size() <= ONE_PLACE * state.new.center().norm() {
            return Err(in_one_place());
        }
        let (placed, physical) = self.place(&edges, state, dt, wrench);
        let mut report = edges.report(&placed, &state.pose, physical, dt, kick);
        if report.converged {
            state.pose = report.pose;
            state.time += dt;
            state.last_dt = dt;
            std::mem::swap(&mut state.old, &mut state.new);
            (report.pose, report.center) = (state.pose(), state.center());
            if state.physics.inertia.is_some() {
                state.momentum = report.momentum;
                report.momentum = state.momentum();
            }
        }
        Ok(report)
    }

    /// Finds where the new shape goes; and P, the physical momentum that it was placed with, in the frame of the old shape: docs/ERRATA.md, G2 to G5.
    fn place(&self, edges: &Edges, state: &ShapeChangeState, dt: f64, wrench: &Momentum) -> (Placed, Momentum) {
        let pull = self.pull.wrench_body(&state.old.body, &state.pose, wrench);
        let place = |physical: Momentum| edges.place(self, &state.pose, &(physical * (-2.0 * dt)));
        if edges.inertial() {
            // The momentum that K + κ D is to have.
            let physical = state.pose.momentum_to_body(&state.momentum) + pull * (0.5 * (state.last_dt + dt));
            return (place(physical), physical);
        }
        // The drag of a step acts halfway (Eq. 5), so the pull must too: at the old place alone it would tip what glides sideways.
        let (mut placed, mut physical, mut last_change) = (place(pull), pull, f64::INFINITY);
        for _ in 0..MOST_HALFWAYS {
            let there = self.pull.wrench_body(&state.new.body, &placed.there, wrench);
            let halfway = (pull + placed.motion().momentum_to_world(&there)) * 0.5;
            let change = halfway - physical;
            physical = halfway;
            let change = change.linear.norm() + change.angular.norm() / edges.size();
            // Rounding, or what a body at rest stirs: it gets no better.
            if change <= NEGLIGIBLE * pull.linear.norm() || change > 0.5 * last_change {
                break;
            }
            last_change = change;
            placed = place(physical);
        }
        (placed, physical)
    }

    fn above_floor(&self, points: &[Vector3<f64>]) -> Result<(), Error> {
        let Some(floor) = self.floor else { return Ok(()) };
        let lowest = points.iter().map(|p| self.start.act(p).y - floor.height).fold(f64::INFINITY, f64::min);
        let expected = "zero or more: start the body higher, or put the floor lower";
        Error::unless(lowest >= -1e-9 * diagonal(points), "height of the body's lowest point over the floor", lowest, expected)
    }
}

impl ShapeChangeState {
    /// Where the last shape stands in the world.
    pub fn pose(&self) -> Pose {
        Pose { translation: self.pose.translation + self.drop(), ..self.pose }
    }

    /// Physical momentum, world frame about the world origin, kg m²/s and kg m/s: of the last step, at its middle. Zero where friction rules.
    pub fn momentum(&self) -> Momentum {
        if self.free_fall == Vector3::zeros() {
            return self.momentum;
        }
        let (risen, center) = (self.pose.act(&self.old.body.center), self.center());
        let linear = self.momentum.linear + self.free_fall * (self.mass() * (self.time - 0.5 * self.last_dt));
        Momentum { angular: self.momentum.angular - risen.cross(&self.momentum.linear) + center.cross(&linear), linear }
    }

    /// Mass of the body, kg.
    pub fn mass(&self) -> f64 {
        self.physics.mass
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// World position of the body's centre (of mass or, where drag rules, of drag), metres.
    pub fn center(&self) -> Vector3<f64> {
        self.pose().act(&self.old.center())
    }

    /// What free fall has added to the way (Gross 2023, Sec. 2.2): it looks the same to all parts of the body.
    fn drop(&self) -> Vector3<f64> {
        self.free_fall * (0.5 * self.time * self.time)
    }

    /// Evaluates the metrics of the new shape.
    fn sample(&mut self, shape: &Shape, pull: &Pull) -> Result<(), Error> {
        let (new, physics) = (&mut self.new, &self.physics);
        if self.weighs {
            new.body = Weighed::new(shape.topology, shape.points, &physics.masses, physics.bone_scale, pull.buoyancy);
        }
        if let Some(inertia) = &physics.inertia {
            // Constant masses are the metric's own; only what follows the shape is given anew.
            let weights = if inertia.masses.is_empty() { None } else { shape.weights };
            inertia.evaluate_shape(&Shape { weights, ..*shape }, &mut new.inertia)?;
        }
        if let Some(drag) = &physics.drag {
            drag.evaluate_shape(shape, &mut new.drag)?;
        }
        Ok(())
    }

    /// K + κ D of both shapes.
    fn mix(&mut self, kick: f64) {
        if self.physics.inertia.is_some() && self.physics.drag.is_some() {
            self.old.mix(kick);
            self.new.mix(kick);
        }
    }

    /// Why a step failed, in words.
    pub(super) fn not_converged(&self, frame: usize, report: &StepReport, dt: f64) -> Outcome {
        let twist = self.old.twist_of(&self.pose.momentum_to_body(&self.momentum));
        let turn = twist.angular.norm() * dt;
        let advice = if turn > 0.5 {
            let limit = 0.5 / twist.angular.norm();
            format!(
                "the momentum turns the body by {turn:.2} rad per step, and a step cannot turn it by more than about 1; use a time step below \
                 {limit:.2e} s"
            )
        } else if self.old.has_free_motions(None) {
            "some motions of the shape meet no resistance here, as of a flat body along itself \
             without drag there (`anisotropy` 0), and a force asks for one of them; \
             use an `anisotropy` above 0, or no weight and buoyancy"
                .into()
        } else {
            format!(
                "the shape changes or turns too much from the frame before; sample the clip at a higher rate (a time step below {:.2e} s), \
                 or leave out the frame that jumps",
                0.5 * dt
            )
        };
        Outcome::NotConverged { frame, residual: report.residual, advice }
    }
}

impl Sampled {
    /// Whether there are both inertia and drag.
    pub(super) fn has_both(&self) -> bool {
        !(self.inertia.is_empty() || self.drag.is_empty())
    }

    /// The metric that a step is solved with.
    pub(super) fn metric(&self) -> &MetricFrame {
        match (self.inertia.is_empty(), self.drag.is_empty()) {
            (true, _) => &self.drag,
            (false, true) => &self.inertia,
            (false, false) if self.both.is_empty() => &self.inertia,
            (false, false) => &self.both,
        }
    }

    /// The centre of mass or, where drag rules, of drag, metres.
    pub(super) fn center(&self) -> Vector3<f64> {
        if self.inertia.is_empty() { self.drag.center() } else { self.body.center }
    }

    fn mix(&mut self, kick: f64) {
        self.both.set_sum(&self.inertia, &self.drag, kick);
    }
}

fn in_one_place() -> Error {
    Error::Degenerate { frame: 0, reason: "all vertices are in one place, so nothing can turn; check the units, or give the body a size" }
}
