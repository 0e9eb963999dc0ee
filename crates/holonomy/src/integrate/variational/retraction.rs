//! The maps from twists to poses, with their tangents, as one choice.
//!
//! The derivative of `dexp⁻¹(ξ)ᵀ (l, p)`, with q = |ω|², k of [`coefficients`] and Q(x) = ω×(ω×x):
//!
//! ```text
//! dexp⁻¹(ω)ᵀ x =: g(x) = x + ½ω×x + k Q(x)        dexp⁻¹(ξ)ᵀ (l, p) = (g(l) + ∂g(p)/∂ω · v,  g(p))
//! ∂g(x)/∂ω         = −½x^ + k ((ω·x) I + ω xᵀ − 2 x ωᵀ) + 2k' Q(x) ωᵀ
//! ∂(∂g(p)/∂ω·v)/∂ω = k ((v·p) I + v pᵀ − 2 p vᵀ) + 2k' (Q'(v) ωᵀ + Q(p) vᵀ + (ω·v) Q') + 4k'' (ω·v) Q(p) ωᵀ
//! ```
//!
//! with Q' = (ω·p) I + ω pᵀ − 2 p ωᵀ. The function y = (t/2) cot(t/2) = 1 − q k obeys 2q y' = y − y² − q/4, so that
//! 2q k'' = k² − 5k' + 2q k k'.

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::inertia::pairing_matrix;
use crate::lie::{Momentum, Pose, Twist, Wrench, coefficients};

/// The map τ from a displacement to a pose, and C, the inverse of its tangent. All are symmetric in time; the first two keep momentum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retraction {
    /// cay: rational, cheapest. Turns by 2 atan(h|ω|/2) instead of h|ω|.
    Cayley,
    /// exp: exact for a constant twist.
    Exponential,
    /// cay with C = I − ½ad, the truncation that Kobilarov 2009, Sec. 4.2, names C_TLN. Of second order too, but momentum is not kept
    /// (docs/ERRATA.md, K5), but for a free rigid body about its centre of mass. Within a step wrenches are turned along and not shifted (K24).
    /// On SE(2) the truncated map is another one, exp with this C:
    /// [`Map::ExponentialTruncated`](crate::integrate::nonholonomic::Map::ExponentialTruncated).
    Truncated,
}

impl Retraction {
    /// The map that places the body, whose tangents are exact.
    pub(in crate::integrate) fn of_pose(self) -> Retraction {
        if self == Retraction::Truncated { Retraction::Cayley } else { self }
    }

    /// The motion by which a step carries its wrench from where it acts: for the truncated tangent, the turn of it alone (docs/ERRATA.md, K24).
    pub(in crate::integrate) fn carrier(self, motion: &Pose) -> Pose {
        match self {
            Retraction::Cayley | Retraction::Exponential => *motion,
            Retraction::Truncated => Pose { translation: Vector3::zeros(), ..*motion },
        }
    }

    /// η ↦ ad(η)ᵀ (l, p) for what the carrier makes of the motion exp(η).
    pub(in crate::integrate) fn carried_pairing(self, wrench: &Wrench) -> Matrix6<f64> {
        let mut matrix = pairing_matrix(wrench);
        if self == Retraction::Truncated {
            matrix.fixed_view_mut::<3, 3>(0, 3).fill(0.0);
        }
        matrix
    }

    /// τ(ξ).
    pub fn pose(self, displacement: &Twist) -> Pose {
        match self {
            Retraction::Cayley | Retraction::Truncated => Pose::cay(displacement),
            Retraction::Exponential => Pose::exp(displacement),
        }
    }

    /// dτ(ξ).
    pub fn tangent(self, displacement: &Twist) -> Matrix6<f64> {
        match self {
            Retraction::Cayley | Retraction::Truncated => displacement.dcay(),
            Retraction::Exponential => displacement.dexp(),
        }
    }

    /// C(ξ): dτ(ξ)⁻¹, but for the truncated one.
    pub fn tangent_inv(self, displacement: &Twist) -> Matrix6<f64> {
        match self {
            Retraction::Cayley => displacement.dcay_inv(),
            Retraction::Exponential => displacement.dexp_inv(),
            Retraction::Truncated => Matrix6::identity() - displacement.ad() * 0.5,
        }
    }

    /// C(ξ)ᵀ μ.
    pub fn tangent_inv_dual(self, displacement: &Twist, momentum: &Momentum) -> Momentum {
        match self {
            Retraction::Cayley => displacement.dcay_inv_dual(momentum),
            Retraction::Exponential => displacement.dexp_inv_dual(momentum),
            Retraction::Truncated => *momentum - displacement.ad_dual(momentum) * 0.5,
        }
    }

    /// ∂(C(ξ)ᵀ μ)/∂ξ.
    pub fn tangent_inv_dual_jacobian(self, displacement: &Twist, momentum: &Momentum) -> Matrix6<f64> {
        match self {
            Retraction::Cayley => displacement.dcay_inv_dual_jacobian(momentum),
            Retraction::Exponential => dexp_inv_dual_jacobian(displacement, momentum),
            Retraction::Truncated => pairing_matrix(momentum) * -0.5,
        }
    }
}

fn dexp_inv_dual_jacobian(displacement: &Twist, momentum: &Momentum) -> Matrix6<f64> {
    let (w, v, l, p) = (&displacement.angular, &displacement.linear, &momentum.angular, &momentum.linear);
    let q = w.norm_squared();
    let c = coefficients::dexp_inverse(q);
    let (k, slope) = (c.quadratic, c.quadratic_slope);
    let twice = |x: &Vector3<f64>| w.cross(&w.cross(x));
    let bilinear =
        |a: &Vector3<f64>, x: &Vector3<f64>| Matrix3::from_diagonal_element(a.dot(x)) + a * x.transpose() - x * a.transpose() * 2.0;
    let along_omega = |x: &Vector3<f64>| x.cross_matrix() * -0.5 + bilinear(w, x) * k + twice(x) * w.transpose() * (2.0 * slope);
    let (bent, wv) = (bilinear(w, p), w.dot(v));
    let second = bilinear(v, p) * k
        + (bent * v * w.transpose() + twice(p) * v.transpose() + bent * wv) * (2.0 * slope)
        + twice(p) * w.transpose() * (4.0 * coefficients::inverse_quadratic_bend(q, k, slope) * wv);
    let by_force = along_omega(p);
    let mut jacobian = Matrix6::zeros();
    jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&(along_omega(l) + second));
    jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&by_force);
    jacobian.fixed_view_mut::<3, 3>(3, 0).copy_from(&by_force);
    jacobian
}
