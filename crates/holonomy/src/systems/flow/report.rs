//! What a body says of itself after a frame.

use nalgebra::{Vector3, Vector6};

use super::Flow;
use super::state::{FlowState, Forces, StepReport, Work};
use crate::lie::{Momentum, Pose, Twist};
use crate::medium::Fluids;
use crate::medium::buoyancy::Displaced;

impl Flow {
    /// Where the body is now.
    pub(super) fn report(&self, state: &FlowState) -> StepReport {
        let (pose, body) = (state.pose(), &state.body);
        let center_in_body = body.center();
        let center = pose.act(&center_in_body);
        let [kinetic, weight, buoyancy] = self.energies(state, &center);
        let first = state.first_energies;
        let work = Work { weight: first[1] - weight, buoyancy: first[2] - buoyancy, ..state.work };
        let velocity = state.twist.velocity_at(&center_in_body) + body.moving.momentum.linear / state.mass();
        StepReport {
            pose,
            center,
            twist: state.twist(),
            momentum: state.momentum_with(&center),
            kinetic_energy: state.kinetic_energy(&state.settled()),
            potential_energy: weight + buoyancy,
            work,
            own_work: kinetic - first[0] - work.weight - work.buoyancy - work.done(),
            forces: Forces::default(),
            reynolds: body.drag.reynolds(&Twist::new(Vector3::zeros(), velocity), &self.fluids.at(&center)),
            gap: self
                .ground
                .as_ref()
                .map_or(f64::INFINITY, |ground| body.ends().1.iter().map(|p| ground.gap(&pose.act(p)).0).fold(f64::INFINITY, f64::min)),
            substeps: 0,
            iterations: 0,
            residual: 0.0,
            turn: 0.0,
            violation: 0.0,
            trouble: None,
        }
    }

    /// Kinetic energy at the node of time, where steps and their work meet; potential energy of weight, and of buoyancy; J. `center` is that of mass,
    /// world frame.
    pub(super) fn energies(&self, state: &FlowState, center: &Vector3<f64>) -> [f64; 3] {
        let (pose, body) = (state.pose(), &state.body);
        let level = if let Fluids::Layered { level, .. } = self.fluids { level } else { 0.0 };
        let surface = Vector3::y() * level;
        let lifted = |(density, displaced): &(f64, Displaced)| {
            density * self.gravity.dot(&(pose.rotation * displaced.moment + (pose.translation - surface) * displaced.volume))
        };
        let buoyancy = body.displaced(body.ends().1, &self.fluids, &self.gravity, &pose).iter().map(lifted).sum();
        [state.kinetic_energy(&state.node.momentum), -state.mass() * self.gravity.dot(center), buoyancy]
    }
}

impl FlowState {
    /// Kinetic energy of body and fluid with this momentum (body frame, as seen by one who is carried along), as seen from the bank, J.
    pub(super) fn kinetic_energy(&self, momentum: &Momentum) -> f64 {
        let along = self.node.pose.rotation.inverse() * self.stream;
        self.carried_energy(momentum) + momentum.linear.dot(&along) + 0.5 * self.mass() * along.norm_squared()
    }

    /// The same as seen by one who is carried along.
    fn carried_energy(&self, momentum: &Momentum) -> f64 {
        self.inertia.energy(momentum) + self.body.moving.energy + self.body.fluid.energy
    }

    /// What kinetic energy is measured against, J: that as seen by one who is carried along, and that of being carried, neither of which can cancel.
    pub(super) fn kinetic_scale(&self) -> f64 {
        self.carried_energy(&self.node.momentum) + 0.5 * self.mass() * self.stream.norm_squared()
    }

    /// How far the momentum of where the masses went in the last step is from the mean of what was told at its ends; and how large it could be if the parts did not cancel; kg m/s,
    /// with angular momentum about the centre over the radius of gyration. Of the fluid, which shows nowhere, what the step says is taken.
    ///
    /// Both are of second order, so they meet as steps get shorter; an inertia, a velocity or a momentum that is wrong keeps them apart.
    pub(super) fn momentum_off(&self, memory: &mut [Vec<Vector3<f64>>; 2]) -> (f64, f64) {
        let (body, h, radius) = (&self.body, self.last_step, self.radius());
        if !(h > 0.0 && radius > 0.0) {
            return (0.0, 0.0);
        }
        let (went, center) = body.went([&self.before.pose, &self.node.pose], h, memory);
        let halfway = self.before.pose * Pose::exp(&(self.twist * (0.5 * h)));
        let fluid = halfway.momentum_to_world(&(Momentum::from(body.fluid.tensor * Vector6::from(self.twist)) + body.fluid.momentum));
        let told = (self.before.momentum_world() + self.node.momentum_world()) * 0.5;
        let size = |momentum: Momentum| momentum.linear.norm() + (momentum.angular - center.cross(&momentum.linear)).norm() / radius;
        let of_shape = (2.0 * self.mass() * body.moving.energy.max(0.0)).sqrt();
        (size(went + fluid - told), size(went) + of_shape)
    }
}
