//! Inertia of a body whose shape changes, and the scales that make the equations of a step dimensionless.

use nalgebra::{Matrix6, Vector6};

use crate::lie::{Momentum, Twist, Wrench};
use crate::solve::newton::Linearised;

/// K and μ⁰: a body with twist Y has the momentum K Y + μ⁰, its own and that of the fluid it carries along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// K, body frame, order (angular, linear); symmetric, positive definite. kg m², kg m and kg.
    pub tensor: Matrix6<f64>,
    /// μ⁰, body frame: the momentum of the changing shape if its frame stood still. Zero for a rigid body.
    pub shape_momentum: Momentum,
}

impl Inertia {
    /// A rigid body.
    pub fn rigid(tensor: Matrix6<f64>) -> Inertia {
        Inertia { tensor, shape_momentum: Momentum::zero() }
    }

    /// K Y + μ⁰.
    pub fn momentum(&self, twist: &Twist) -> Momentum {
        Momentum::from(self.tensor * Vector6::from(*twist)) + self.shape_momentum
    }

    /// The twist that has this momentum; `None` if K is not positive definite.
    pub fn twist(&self, momentum: &Momentum) -> Option<Twist> {
        let solved = self.tensor.cholesky()?.solve(&Vector6::from(*momentum - self.shape_momentum));
        Some(solved.into())
    }

    /// Kinetic energy with this momentum, J, but for that of the changing shape if its frame stood still: ½ (M + μ⁰)·Y.
    pub fn energy(&self, momentum: &Momentum) -> f64 {
        let twist = self.twist(momentum).unwrap_or_default();
        0.5 * (*momentum + self.shape_momentum).pair(&twist)
    }

    /// The scales of this body; 1 where it has no mass or no size.
    pub(super) fn scales(&self) -> Scales {
        let sized = |x: f64| if x.is_finite() && x > 0.0 { x } else { 1.0 };
        let third = |first: usize| (first..first + 3).map(|i| self.tensor[(i, i)]).sum::<f64>() / 3.0;
        let mass = sized(third(3));
        Scales { mass, radius: sized((third(0) / mass).sqrt()) }
    }
}

/// What counts as 1.
#[derive(Clone, Copy)]
pub(super) struct Scales {
    /// Mean of the linear inertia over all directions, kg.
    mass: f64,
    /// Radius of gyration about the origin, metres.
    radius: f64,
}

impl Scales {
    /// A momentum as the velocity it gives, rad/s and radii/s.
    pub(super) fn momentum(&self, momentum: &Momentum) -> Vector6<f64> {
        self.per_momentum().component_mul(&Vector6::from(*momentum))
    }

    /// From a scaled displacement (radians, radii) to a displacement.
    pub(super) fn twist(&self, scaled: &Vector6<f64>) -> Twist {
        Twist::from(self.per_displacement().component_mul(scaled))
    }

    /// Residual in radians and radii per step of size `h`, and its derivative by the scaled displacement.
    pub(super) fn linearised(&self, h: f64, at: Linearised) -> Linearised {
        let rows = self.per_momentum() * h;
        let columns = self.per_displacement() / h;
        let jacobian = Matrix6::from_fn(|i, j| rows[i] * at.jacobian[(i, j)] * columns[j]);
        Linearised { residual: rows.component_mul(&at.residual), jacobian }
    }

    fn per_momentum(&self) -> Vector6<f64> {
        let (l, p) = (1.0 / (self.mass * self.radius * self.radius), 1.0 / (self.mass * self.radius));
        Vector6::new(l, l, l, p, p, p)
    }

    fn per_displacement(&self) -> Vector6<f64> {
        Vector6::new(1.0, 1.0, 1.0, self.radius, self.radius, self.radius)
    }
}

/// `[[l^, p^], [p^, 0]]`: η ↦ ad(η)ᵀ (l, p).
pub(in crate::integrate) fn pairing_matrix(wrench: &Wrench) -> Matrix6<f64> {
    let (torque, force) = (wrench.angular.cross_matrix(), wrench.linear.cross_matrix());
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&torque);
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&force);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&force);
    matrix
}
