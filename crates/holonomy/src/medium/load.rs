//! What pushes a body: a wrench, and how it changes with the body's velocity.

use std::ops::Add;

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::buoyancy::Displaced;
use super::{FlowField, FluidInertia};
use crate::lie::{Momentum, Pose, Twist, Wrench};

/// A wrench on the body and how it changes with the body's twist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Torque about the body's origin and force, body frame, N m and N.
    pub wrench: Wrench,
    /// ∂wrench/∂twist. It only steers Newton: an approximation costs iterations, not accuracy.
    pub by_twist: Matrix6<f64>,
}

impl Load {
    /// No force.
    pub fn none() -> Load {
        Load::from(Wrench::zero())
    }
}

impl From<Wrench> for Load {
    /// A wrench that does not depend on the twist.
    fn from(wrench: Wrench) -> Load {
        Load { wrench, by_twist: Matrix6::zeros() }
    }
}

impl Add for Load {
    type Output = Load;
    fn add(self, other: Load) -> Load {
        Load { wrench: self.wrench + other.wrench, by_twist: self.by_twist + other.by_twist }
    }
}

/// The push of a fluid that speeds up by itself, body frame: the pressure that speeds it up acts on the body in it, ρ V Du/Dt at the centre of what it
/// displaces (Froude and Krylov), and the fluid that the body would have to move need not be moved as far, K_f Du/Dt (Auton, Hunt and Prud'homme 1988).
///
/// `displaced` is what the body displaces of each fluid, with its density, the denser first; `fluid` is K_f; `center` stands in for the centre of what is
/// displaced where that is nothing. Right for bodies small against the eddies.
pub fn surge(
    flow: &FlowField,
    displaced: &[(f64, Displaced); 2],
    fluid: &Matrix6<f64>,
    center: &Vector3<f64>,
    pose: &Pose,
    time: f64,
) -> Wrench {
    if flow.uniform().is_some() {
        return Wrench::zero();
    }
    let middle = |part: &Displaced| if part.volume > 0.0 { part.moment / part.volume } else { *center };
    let acceleration = |place: &Vector3<f64>| pose.rotation.inverse() * flow.acceleration(&pose.act(place), time);
    let mut push = Wrench::zero();
    for (density, part) in displaced.iter().filter(|(density, part)| *density > 0.0 && part.volume > 0.0) {
        let place = middle(part);
        push += Wrench::of_force_at(acceleration(&place) * (density * part.volume), &place);
    }
    let place = middle(&displaced[0].1);
    let along = Twist::new(Vector3::zeros(), acceleration(&place));
    push + Wrench::from(fluid * Vector6::from(along))
}

/// What a `stream` (m/s, body frame) changes about a body with added mass, beside [`surge`]. For one who is carried along nothing is different from fluid at
/// rest: with s the stream and Y_r = Y − (0, s), `K_f Y_r' = ad(Y_r)ᵀ (K_f Y_r + μ_f) + …`. The integrator has `ad(Y)ᵀ (K_f Y + μ_f)`, and s turns against the
/// body; so the push is `ad(Y_r)ᵀ (K_f Y_r + μ_f) − ad(Y)ᵀ (K_f Y + μ_f) − K_f (0, ω × s)`. A ball feels none of it.
pub fn carried(fluid: &FluidInertia, stream: &Vector3<f64>, twist: &Twist) -> Load {
    let relative = Twist::new(twist.angular, twist.linear - stream);
    let turned = Twist::new(Vector3::zeros(), twist.angular.cross(stream));
    let (carried, by_carried) = gyroscopic(&fluid.tensor, &fluid.momentum, &relative);
    let (plain, by_plain) = gyroscopic(&fluid.tensor, &fluid.momentum, twist);
    let mut by_twist = by_carried - by_plain;
    let mut angular = by_twist.fixed_view_mut::<6, 3>(0, 0);
    angular += fluid.tensor.fixed_view::<6, 3>(0, 3) * stream.cross_matrix();
    Load { wrench: carried - plain - Wrench::from(fluid.tensor * Vector6::from(turned)), by_twist }
}

/// ad(Y)ᵀ (K Y + μ), and its derivative by Y.
pub(crate) fn gyroscopic(tensor: &Matrix6<f64>, rest: &Momentum, twist: &Twist) -> (Wrench, Matrix6<f64>) {
    let momentum = Wrench::from(tensor * Vector6::from(*twist)) + *rest;
    let (l, p) = (momentum.angular.cross_matrix(), momentum.linear.cross_matrix());
    let mut by_twist = twist.ad().tr_mul(tensor);
    add_block(&mut by_twist, [0, 0], &l);
    add_block(&mut by_twist, [0, 3], &p);
    add_block(&mut by_twist, [3, 0], &p);
    (twist.ad_dual(&momentum), by_twist)
}

/// Adds to a block of a 6×6 matrix.
pub(crate) fn add_block(matrix: &mut Matrix6<f64>, [row, column]: [usize; 2], block: &Matrix3<f64>) {
    let mut view = matrix.fixed_view_mut::<3, 3>(row, column);
    view += block;
}
