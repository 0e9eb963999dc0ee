//! A body on its way, and what it says of itself after each frame.

use nalgebra::{Matrix6, Vector3};

use super::body::Body;
use super::trouble::Trouble;
use crate::integrate::variational::{Forecast, Inertia, State};
use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::medium::contact::Contact;
use crate::medium::{FlowField, Secant};
use crate::shape::Note;

/// A body on its way: where it is, how it moves, and the memory for its next step. Made by [`Flow::begin`](super::Flow::begin).
#[derive(Debug, Clone)]
pub struct FlowState {
    pub(super) body: Body,
    pub(super) contact: Contact,
    /// What the last steps teach about the next.
    pub(super) secant: Secant,
    pub(super) forecast: Forecast,
    /// How long the last step was, seconds; and pose and momentum as it began, after the push of the ground.
    pub(super) last_step: f64,
    pub(super) before: State,
    /// U: the steady part of the flow, m/s. The body is followed by one who is carried along by it, to whom the fluid is at rest: its added mass is
    /// then right (Galileo), and nothing else changes.
    pub(super) stream: Vector3<f64>,
    /// The rest of the flow.
    pub(super) gusts: FlowField,
    /// Pose and momentum, as seen from there.
    pub(super) node: State,
    /// The momentum there as the last step tells it whose forces act half before and half after its middle, at the middle: what the ground's work is measured by.
    /// The node's own differs by the lever of those forces about the node, to second order, of which a body that lies on the ground would make work that nobody does.
    pub(super) arrived: Momentum,
    /// Velocity during the last step, body frame, as seen from there.
    pub(super) twist: Twist,
    /// How drag changed with the twist in the last step.
    pub(super) drag_by_twist: Matrix6<f64>,
    pub(super) inertia: Inertia,
    pub(super) time: f64,
    /// Work of all but weight and buoyancy, which is what their energy has lost.
    pub(super) work: Work,
    /// Impulses since the last frame, N m s and N s.
    pub(super) impulses: Forces,
    /// At the start: kinetic energy, and that of weight and of buoyancy, J.
    pub(super) first_energies: [f64; 3],
    /// The largest [`FlowState::kinetic_scale`] so far, J.
    pub(super) most_kinetic: f64,
}

/// Work done on the body since the start, J. A body that changes its shape moves every part of its surface its own way, and each force is
/// counted where it acts; only [`Flow::thrust`](super::Flow::thrust), which is fixed to the body's frame, goes with that.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// By lift and drag, and by the pressure of a flow that speeds up.
    pub drag: f64,
    /// By weight.
    pub weight: f64,
    /// By buoyancy.
    pub buoyancy: f64,
    /// By thrust and the user's wrench.
    pub thrust: f64,
    /// By the ground: what impacts and friction took.
    pub ground: f64,
    /// By the surface between two fluids, of a rigid body: less than zero by what stays in fluid that it sets in motion, or leaves behind.
    pub surface: f64,
}

impl Work {
    /// By all that has no potential energy.
    pub(super) fn done(&self) -> f64 {
        self.drag + self.thrust + self.ground + self.surface
    }

    /// How much went in and out that way.
    pub(super) fn exchanged(&self) -> f64 {
        [self.drag, self.thrust, self.ground, self.surface].iter().map(|work| work.abs()).sum()
    }
}

/// What pushed the body, mean over a frame: torque about the world's origin and force, world frame, N m and N.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Forces {
    /// Lift and drag, and the pressure of a flow that speeds up.
    pub drag: Wrench,
    /// Buoyancy.
    pub buoyancy: Wrench,
    /// Weight.
    pub weight: Wrench,
    /// Thrust and the user's wrench.
    pub thrust: Wrench,
    /// The ground.
    pub ground: Wrench,
}

impl Forces {
    /// All of them.
    pub fn total(&self) -> Wrench {
        self.drag + self.buoyancy + self.weight + self.thrust + self.ground
    }

    pub(super) fn add(&mut self, other: &Forces, factor: f64) {
        self.drag += other.drag * factor;
        self.buoyancy += other.buoyancy * factor;
        self.weight += other.weight * factor;
        self.thrust += other.thrust * factor;
        self.ground += other.ground * factor;
    }
}

/// What came of a frame.
#[must_use = "it tells whether the step was taken"]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Where the shape now stands.
    pub pose: Pose,
    /// World position of its centre of mass, metres.
    pub center: Vector3<f64>,
    /// Velocity during the last step, body frame, about the body's origin.
    pub twist: Twist,
    /// Momentum of body and fluid, world frame about the world origin.
    pub momentum: Momentum,
    /// Kinetic energy of body and fluid, J: of that momentum; in a steady stream, as seen from the bank.
    pub kinetic_energy: f64,
    /// Potential energy of weight and buoyancy, J.
    pub potential_energy: f64,
    /// Work since the start.
    pub work: Work,
    /// Energy that no force on the body accounts for, J: what kinetic and potential energy have gained since the start, less the work of all else. Of a
    /// rigid body it is the error of the steps. A body that changes its shape does that work itself, with its muscles; it is known to first order in
    /// the step, for that is how well one knows at which moment the shape changes how fast.
    pub own_work: f64,
    /// What pushed it since the last frame.
    pub forces: Forces,
    /// Reynolds number; infinite without viscosity.
    pub reynolds: f64,
    /// How far the lowest point is above the ground, metres; infinite without one.
    pub gap: f64,
    /// Steps taken.
    pub substeps: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest scaled residual of a step.
    pub residual: f64,
    /// Largest angle by which the body turned in one step, radians.
    pub turn: f64,
    /// How far friction on the ground was from Coulomb's law in the worst step, shares of the body's size ([`Contact::violation`]).
    pub violation: f64,
    /// Why it went wrong, if it did; the state is then of no further use.
    pub trouble: Option<Trouble>,
}

impl FlowState {
    /// Where the body is.
    pub fn pose(&self) -> Pose {
        Pose { translation: self.node.pose.translation + self.stream * self.time, ..self.node.pose }
    }

    /// Its velocity during the last step, body frame.
    pub fn twist(&self) -> Twist {
        self.twist + Twist::new(Vector3::zeros(), self.node.pose.rotation.inverse() * self.stream)
    }

    /// Momentum of body and fluid, world frame about the world origin. Forces change it, and fluid that is left behind at a surface; nothing else.
    pub fn momentum(&self) -> Momentum {
        self.momentum_with(&self.pose().act(&self.body.center()))
    }

    /// The same, where the centre of mass is known, world frame.
    pub(super) fn momentum_with(&self, center: &Vector3<f64>) -> Momentum {
        let carried = Momentum::of_force_at(self.stream * self.mass(), center);
        self.pose().momentum_to_world(&self.settled()) + carried
    }

    /// The momentum now, body frame, as seen by one who is carried along. Where the ground bears the body it is that of the last step: at a node of
    /// time the momentum has half a step's weight in it, which the ground takes as the next step begins.
    pub(super) fn settled(&self) -> Momentum {
        if self.contact.bearings().is_empty() { self.node.momentum } else { self.inertia.momentum(&self.twist) }
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Mass of the body, kg.
    pub fn mass(&self) -> f64 {
        self.body.moving.inertia.mass
    }

    /// K_f, the added mass in the present shape, body frame, order (angular, linear).
    pub fn added_mass(&self) -> Matrix6<f64> {
        self.body.fluid.tensor
    }

    /// The force of the fluid on each face, N, body frame, in the order of the faces; were there lift and drag.
    pub fn face_forces(&self, out: &mut Vec<Vector3<f64>>) {
        self.body.drag.face_forces(&self.twist, out);
    }

    /// What was decided or mended about the surface, for the user to know.
    pub fn notes(&self) -> Vec<Note> {
        self.body.notes()
    }

    /// Radius of gyration of the body, metres: root mean square distance from its centre of mass.
    pub(super) fn radius(&self) -> f64 {
        let moments = self.body.moving.inertia;
        let center = moments.first_moment / moments.mass;
        (moments.second_moment.trace() / moments.mass - center.norm_squared()).max(0.0).sqrt()
    }
}
