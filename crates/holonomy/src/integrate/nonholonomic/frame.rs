//! SE(2) for any [`Scalar`]: placements in the plane, and the maps τ from a displacement (angular, linear) to a placement.

use nalgebra::{Complex, UnitComplex, Vector2};

use super::dual::Scalar;
use crate::lie::{Pose2, coefficients};

/// The map τ, and the inverse C of its tangent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Map {
    /// exp, with its exact C: a constant twist drives its arc.
    #[default]
    Exponential,
    /// cay: rational.
    Cayley,
    /// exp, with C cut off after its first term, `I − ½ ad` (Kobilarov 2009, Sec. 4.2): the explicit updates of car and snakeboard are this one.
    /// Not the map of [`Retraction::Truncated`](crate::integrate::variational::Retraction::Truncated),
    /// which is cay with the same C.
    ExponentialTruncated,
}

/// A placement in the plane: cosine and sine of the heading, then the position, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame<S> {
    /// Cosine and sine of the heading.
    pub heading: [S; 2],
    /// Position, metres.
    pub position: [S; 2],
}

impl<S: Scalar> Frame<S> {
    /// The same placement.
    #[inline]
    pub fn of(pose: &Pose2) -> Self {
        let heading = [S::from(pose.rotation.re), S::from(pose.rotation.im)];
        Frame { heading, position: [S::from(pose.translation.x), S::from(pose.translation.y)] }
    }

    /// First `other`, then `self`.
    #[inline]
    pub fn then(&self, other: &Self) -> Self {
        let ([c, s], [x, y]) = (self.heading, other.position);
        let [d, t] = other.heading;
        let position = [self.position[0] + c * x - s * y, self.position[1] + s * x + c * y];
        Frame { heading: [c * d - s * t, s * d + c * t], position }
    }

    /// The motion that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let ([c, s], [x, y]) = (self.heading, self.position);
        Frame { heading: [c, -s], position: [-(c * x) - s * y, s * x - c * y] }
    }

    /// The exponential of (angular, linear).
    #[inline]
    pub fn exp(&[turn, x, y]: &[S; 3]) -> Self {
        let (along, across) = arc(turn);
        Frame { heading: [-(across * turn) + 1.0, along * turn], position: [along * x - across * y, across * x + along * y] }
    }

    /// Its logarithm where it is next to the identity: exact up to the second derivatives.
    #[inline]
    pub(super) fn log_near_identity(&self) -> [S; 3] {
        let ([_, s], [x, y]) = (self.heading, self.position);
        let turn = s + s * s * s / 6.0;
        let along = -(turn * turn) / 12.0 + 1.0;
        [turn, x * along + turn * y * 0.5, y * along - turn * x * 0.5]
    }
}

impl Frame<f64> {
    /// The same placement.
    #[inline]
    pub fn pose(&self) -> Pose2 {
        let [c, s] = self.heading;
        // One step of Newton towards unit length.
        let scale = 0.5 * (3.0 - (c * c + s * s));
        let rotation = UnitComplex::new_unchecked(Complex::new(c * scale, s * scale));
        Pose2 { rotation, translation: Vector2::from(self.position) }
    }

    /// The same numbers, without derivatives.
    #[inline]
    pub fn lift<S: Scalar>(&self) -> Frame<S> {
        Frame { heading: self.heading.map(S::from), position: self.position.map(S::from) }
    }
}

impl Map {
    /// The name of [`Map::ExponentialTruncated`] up to version 0.1.0.
    #[deprecated(note = "named `Map::ExponentialTruncated`, since `Retraction::Truncated` is another map")]
    #[allow(non_upper_case_globals)]
    pub const Truncated: Map = Map::ExponentialTruncated;

    /// τ(ξ).
    #[inline]
    pub(super) fn frame<S: Scalar>(self, displacement: &[S; 3]) -> Frame<S> {
        let [turn, x, y] = *displacement;
        if self != Map::Cayley {
            return Frame::exp(displacement);
        }
        let scale = S::from(1.0) / (turn * turn + 4.0);
        let heading = [(-(turn * turn) + 4.0) * scale, turn * 4.0 * scale];
        Frame { heading, position: [(x * 4.0 - turn * y * 2.0) * scale, (y * 4.0 + turn * x * 2.0) * scale] }
    }

    /// C(ξ)ᵀ μ.
    #[inline]
    pub(super) fn tangent_inv_dual<S: Scalar>(self, displacement: &[S; 3], momentum: &[S; 3]) -> [S; 3] {
        let ([w, x, y], [l, p, q]) = (*displacement, *momentum);
        let truncated = [l + (x * q - y * p) * 0.5, p - w * q * 0.5, q + w * p * 0.5];
        match self {
            Map::ExponentialTruncated => truncated,
            Map::Cayley => [truncated[0] + w * (w * l + x * p + y * q) * 0.25, truncated[1], truncated[2]],
            Map::Exponential => {
                let k = w * inverse_quadratic(w * w);
                [truncated[0] + k * (x * p + y * q), truncated[1] - k * w * p, truncated[2] - k * w * q]
            }
        }
    }
}

/// sin t/t and (1 − cos t)/t, from their coefficients a and b: sin t/t = 1 − b t², (1 − cos t)/t = a t.
#[inline]
fn arc<S: Scalar>(turn: S) -> (S, S) {
    let t = turn.value();
    let c = coefficients::dexp(t * t);
    let (a, b) = (c.linear, c.quadratic);
    let (along, across) = (1.0 - b * t * t, a * t);
    let (along_slope, across_slope) = ((b - a) * t, along - a);
    let along_bend = b + 2.0 * t * t * c.quadratic_slope - across_slope;
    let across_bend = along_slope - 2.0 * t * c.linear_slope;
    (turn.taylor([along, along_slope, along_bend]), turn.taylor([across, across_slope, across_bend]))
}

/// k = (1 − (t/2) cot(t/2))/t² of q = t².
#[inline]
fn inverse_quadratic<S: Scalar>(squared: S) -> S {
    let q = squared.value();
    let c = coefficients::dexp_inverse(q);
    squared.taylor([c.quadratic, c.quadratic_slope, coefficients::inverse_quadratic_bend(q, c.quadratic, c.quadratic_slope)])
}
