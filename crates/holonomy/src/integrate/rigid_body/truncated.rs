//! The variational step on SE(3) as Kobilarov 2009 recommends it (Sec. 4.2, App. A): the Cayley map
//! with C_TLN = I − ½ ad, for a free body in principal axes.
//!
//! The same step as [`Variational`](crate::integrate::variational::Variational) with
//! `Retraction::Truncated`. About the centre of mass v × p = 0, so the spin does not depend on the
//! travel; with ω = hΩ, and l and p of the start in the body's frame:
//!
//! ```text
//! Jω + ½ω×Jω = h l
//! then   R⁺ = R cay(ω),   x⁺ = x + R Δ,   Δ = (h/m) (4p + ω(ω·p))/(4 + |ω|²),   R⁺l⁺ = R l,   R⁺p⁺ = R p
//! ```
//!
//! That is the implicit midpoint rule for Euler's equations. It keeps the linear momentum, the
//! angular momentum about the centre of mass and the kinetic energy exactly. It does not keep the
//! angular momentum about a fixed point: Δ is short across ω by a share |ω|²/4, so the way of the
//! centre of mass is not quite straight.

use nalgebra::{Matrix3, Vector3};

use super::equations::{MAX_ITERATIONS, NEARLY, Turned, solve};
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose};

/// A free body that moves by the truncated variational step.
#[derive(Debug, Clone, Copy)]
pub struct TruncatedCayley {
    body: RigidBody,
    time_step: f64,
    turned: Turned,
    position: Vector3<f64>,
    /// Both in the directions of the world, the angular one about the centre of mass: constant.
    momentum: Momentum,
}

/// The three equations of a truncated step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruncatedEquations {
    /// Principal moments of inertia, kg m².
    pub moments: Vector3<f64>,
    /// h l, body frame, kg m².
    pub impulse: Vector3<f64>,
}

impl TruncatedEquations {
    /// Left side minus right side at the turn ω, radians.
    #[inline]
    pub fn residual(&self, turn: &Vector3<f64>) -> Vector3<f64> {
        let jw = self.moments.component_mul(turn);
        jw + turn.cross(&jw) * 0.5 - self.impulse
    }

    /// Its derivative by the turn.
    #[inline]
    pub fn jacobian(&self, turn: &Vector3<f64>) -> Matrix3<f64> {
        let j = Matrix3::from_diagonal(&self.moments);
        let jw = self.moments.component_mul(turn);
        j + (turn.cross_matrix() * j - jw.cross_matrix()) * 0.5
    }

    /// ω, by Newton from where the body would turn if its velocity changed evenly; not finite where
    /// it is not found.
    #[inline]
    fn solve(&self) -> Vector3<f64> {
        let still = self.impulse.component_div(&self.moments);
        let mut turn = (self.impulse + self.impulse.cross(&still) * 0.5).component_div(&self.moments);
        let enough = NEARLY * NEARLY * self.impulse.norm_squared();
        for _ in 0..MAX_ITERATIONS {
            let residual = self.residual(&turn);
            turn -= solve(&self.jacobian(&turn), &residual);
            if residual.norm_squared() <= enough {
                return turn;
            }
        }
        Vector3::repeat(f64::NAN)
    }
}

impl TruncatedCayley {
    /// A body at a node of time.
    pub fn new(body: &RigidBody, start: &State, time_step: f64) -> TruncatedCayley {
        let (turned, position) = (Turned::of(&start.pose.rotation), start.pose.translation);
        let momentum = Momentum::new(turned.act(&start.momentum.angular), turned.act(&start.momentum.linear));
        TruncatedCayley { body: *body, time_step, turned, position, momentum }
    }
}

impl Stepper for TruncatedCayley {
    #[inline]
    fn step(&mut self) {
        let h = self.time_step;
        let Momentum { angular: l, linear: p } = self.momentum();
        let half = TruncatedEquations { moments: self.body.moments, impulse: l * h }.solve() * 0.5;
        let moved = (p + half * half.dot(&p)) * (h / (self.body.mass * (1.0 + half.norm_squared())));
        self.position += self.turned.act(&moved);
        self.turned = self.turned.after(&half);
    }

    fn pose(&self) -> Pose {
        Pose::from_rotation_translation(self.turned.rotation(), self.position)
    }

    #[inline]
    fn momentum(&self) -> Momentum {
        Momentum::new(self.turned.act_back(&self.momentum.angular), self.turned.act_back(&self.momentum.linear))
    }
}
