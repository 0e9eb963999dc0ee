//! What is around a craft, with derivatives: its weight, drag, and a steady stream of air or water that carries it.
//!
//! A vector that is fixed in the world is seen from the body as `a = Rᵀ a_world`; when the body turns by a small θ (body frame), it changes by `a × θ`.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use crate::Error;
use crate::integrate::craft::{Bend, Push};
use crate::lie::{Momentum, Pose, Twist, Wrench};
pub(super) use crate::medium::load::add_block;
use crate::medium::{FluidInertia, load};

/// Drag along and about each axis of the body, against the flow past its origin. It takes energy, whatever the direction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drag {
    /// Force per speed along X, Y and Z, N s/m.
    pub linear: Vector3<f64>,
    /// Force per squared speed along X, Y and Z, N s²/m².
    pub quadratic: Vector3<f64>,
    /// Torque per rate about X, Y and Z, N m s.
    pub turning: Vector3<f64>,
    /// Torque per squared rate about X, Y and Z, N m s².
    pub turning_quadratic: Vector3<f64>,
}

impl Drag {
    /// Refuses coefficients that are negative or not finite.
    pub(super) fn validate(&self) -> Result<(), Error> {
        let all = [self.linear, self.quadratic, self.turning, self.turning_quadratic];
        all.iter().flat_map(|v| v.iter()).try_for_each(|&value| Error::unless_zero_or_more("drag coefficient", value))
    }

    /// Adds the drag of a body in a `stream` (m/s, world frame).
    pub(super) fn add_to<const M: usize>(&self, push: &mut Push<M>, pose: &Pose, twist: &Twist, stream: &Vector3<f64>) {
        let stream = pose.rotation.inverse() * stream;
        let (force, by_speed) = along_axes(&self.linear, &self.quadratic, &(twist.linear - stream));
        let (torque, by_rate) = along_axes(&self.turning, &self.turning_quadratic, &twist.angular);
        push.wrench += Wrench::new(torque, force);
        add_block(&mut push.by_twist, [0, 0], &by_rate);
        add_block(&mut push.by_twist, [3, 3], &by_speed);
        add_block(&mut push.by_pose, [3, 0], &(-by_speed * stream.cross_matrix()));
    }
}

impl Drag {
    /// Adds the second derivatives of the drag in air or water at rest.
    pub(super) fn add_bend_to<const M: usize>(&self, bend: &mut Bend<M>, twist: &Twist, weights: &Twist) {
        let along = |quadratic: &Vector3<f64>, speed: &Vector3<f64>, weights: &Vector3<f64>| {
            Matrix3::from_diagonal(&quadratic.component_mul(&speed.map(f64::signum)).component_mul(weights)) * -2.0
        };
        add_block(&mut bend.twist_twist, [0, 0], &along(&self.turning_quadratic, &twist.angular, &weights.angular));
        add_block(&mut bend.twist_twist, [3, 3], &along(&self.quadratic, &twist.linear, &weights.linear));
    }
}

/// −(linear + quadratic |s|) s for each component, and its derivative.
pub(super) fn along_axes(linear: &Vector3<f64>, quadratic: &Vector3<f64>, speed: &Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let grown = quadratic.component_mul(&speed.abs());
    (-(linear + grown).component_mul(speed), Matrix3::from_diagonal(&-(linear + grown * 2.0)))
}

/// No push.
pub(super) fn nothing<const M: usize>() -> Push<M> {
    Push { wrench: Wrench::zero(), by_pose: Matrix6::zeros(), by_twist: Matrix6::zeros(), by_controls: nalgebra::SMatrix::zeros() }
}

/// Adds a force that is fixed in the world (N) at a point of the body.
pub(super) fn add_world_force<const M: usize>(push: &mut Push<M>, pose: &Pose, force: &Vector3<f64>, place: &Vector3<f64>) {
    let force = pose.rotation.inverse() * force;
    let by_turn = force.cross_matrix();
    push.wrench += Wrench::of_force_at(force, place);
    add_block(&mut push.by_pose, [0, 0], &(place.cross_matrix() * by_turn));
    add_block(&mut push.by_pose, [3, 0], &by_turn);
}

/// Adds the second derivatives of such a force: a turn by θ changes it by ½ θ × (θ × f) to second order.
pub(super) fn add_world_force_bend<const M: usize>(
    bend: &mut Bend<M>,
    pose: &Pose,
    force: &Vector3<f64>,
    place: &Vector3<f64>,
    weights: &Twist,
) {
    let force = pose.rotation.inverse() * force;
    let weight = weights.velocity_at(place);
    let outer = weight * force.transpose();
    add_block(&mut bend.pose_pose, [0, 0], &((outer + outer.transpose()) * 0.5 - Matrix3::identity() * weight.dot(&force)));
}

/// Adds the force at a point of the body that a law finds from the velocity of that point through a `stream` (m/s, world frame): force and derivative, body frame.
pub(super) fn add_flow_force<const M: usize>(
    push: &mut Push<M>,
    pose: &Pose,
    twist: &Twist,
    place: &Vector3<f64>,
    stream: &Vector3<f64>,
    law: impl Fn(&Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>),
) {
    let stream = pose.rotation.inverse() * stream;
    let (force, by_flow) = law(&(twist.velocity_at(place) - stream));
    // Of a force at the place: rows (place × f, f). Of the flow: columns (−place^, I).
    let lever = place.cross_matrix();
    push.wrench += Wrench::of_force_at(force, place);
    add_block(&mut push.by_twist, [0, 0], &(-lever * by_flow * lever));
    add_block(&mut push.by_twist, [0, 3], &(lever * by_flow));
    add_block(&mut push.by_twist, [3, 0], &(-by_flow * lever));
    add_block(&mut push.by_twist, [3, 3], &by_flow);
    let by_turn = -by_flow * stream.cross_matrix();
    add_block(&mut push.by_pose, [0, 0], &(lever * by_turn));
    add_block(&mut push.by_pose, [3, 0], &by_turn);
}

/// Adds what a steady `stream` (m/s, world frame) changes about a body with added mass; see [`load::carried`].
pub(super) fn add_stream<const M: usize>(push: &mut Push<M>, added: &Matrix6<f64>, pose: &Pose, twist: &Twist, stream: &Vector3<f64>) {
    if *stream == Vector3::zeros() {
        return;
    }
    let stream = pose.rotation.inverse() * stream;
    let fluid = FluidInertia { tensor: *added, momentum: Momentum::zero(), energy: 0.0 };
    let load = load::carried(&fluid, &stream, twist);
    push.wrench += load.wrench;
    push.by_twist += load.by_twist;
    let (_, by_carried) = load::gyroscopic(added, &fluid.momentum, &Twist::new(twist.angular, twist.linear - stream));
    let by_stream = -by_carried.fixed_view::<6, 3>(0, 3) - added.fixed_view::<6, 3>(0, 3) * twist.angular.cross_matrix();
    let mut by_turn = push.by_pose.fixed_view_mut::<6, 3>(0, 0);
    by_turn += by_stream * stream.cross_matrix();
}

/// The inertia of a body whose centre of mass is its origin and whose principal axes are its axes.
pub(super) fn plain_inertia(mass: f64, moments: &Vector3<f64>) -> Matrix6<f64> {
    Matrix6::from_diagonal(&Vector6::new(moments.x, moments.y, moments.z, mass, mass, mass))
}

/// The inertia about the origin of a body whose centre of mass is at `center`, with principal axes along its own.
pub(super) fn inertia(mass: f64, moments: &Vector3<f64>, center: &Vector3<f64>) -> Matrix6<f64> {
    let lever = center.cross_matrix();
    let mut inertia = plain_inertia(mass, moments);
    add_block(&mut inertia, [0, 0], &(lever * lever * -mass));
    add_block(&mut inertia, [0, 3], &(lever * mass));
    add_block(&mut inertia, [3, 0], &(lever * -mass));
    inertia
}

/// Refuses added mass that no fluid has.
pub(super) fn added_mass(added: &Matrix6<f64>) -> Result<(), Error> {
    let finite = added.iter().all(|x| x.is_finite());
    Error::unless(finite, "largest added mass", added.amax(), "a finite number")?;
    let lopsided = (added - added.transpose()).amax();
    Error::unless(lopsided <= 1e-9 * added.amax(), "asymmetry of the added mass", lopsided, "0")?;
    let least = added.symmetric_eigenvalues().min();
    Error::unless(least >= -1e-9 * added.amax(), "least eigenvalue of the added mass", least, "zero or more")
}

/// Refuses what is not above zero.
pub(super) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    Error::unless(value > 0.0 && value.is_finite(), name, value, "a positive number")
}

/// Refuses vectors with components that are not finite.
pub(super) fn finite(name: &'static str, vector: &Vector3<f64>) -> Result<(), Error> {
    vector.iter().try_for_each(|&value| Error::unless(value.is_finite(), name, value, "a finite number"))
}

/// Refuses moments of inertia that no body has: each is positive and at most the sum of the other two.
pub(super) fn moments(moments: &Vector3<f64>) -> Result<(), Error> {
    moments.iter().try_for_each(|&value| positive("moment of inertia", value))?;
    let sum = moments.sum();
    let possible = |value: f64| value <= (sum - value) * (1.0 + 1e-9);
    let expected = "at most the sum of the other two moments";
    moments.iter().try_for_each(|&value| Error::unless(possible(value), "moment of inertia", value, expected))
}
