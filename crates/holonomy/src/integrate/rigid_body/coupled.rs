//! The variational step on SE(3) with the Cayley map, for a free body in principal axes.
//!
//! The same step as [`Variational`](crate::integrate::variational::Variational) with `Retraction::Cayley`. The equation for the linear
//! velocity v = Bᵀ p/m is linear, so three equations are left, for ω = hΩ; with s = 4 + |ω|²:
//!
//! ```text
//! Jω + ½ω×Jω + ¼ω(ω·Jω) + (h²/2m) (2|p|² ω − 2(ω·p) p + (ω·p) ω×p)/s = h l
//! then   R⁺ = R cay(ω),   x⁺ = x + R Δ,   Δ = (h/m) (4p + ω(ω·p))/s,   R⁺p⁺ = R p,   R⁺l⁺ = R (l − Δ×p)
//! ```

use nalgebra::{Matrix3, Vector3};

use super::equations::{MAX_ITERATIONS, NEARLY, Turned, solve};
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose};

/// A free body that goes by the variational step on SE(3).
#[derive(Debug, Clone, Copy)]
pub struct Coupled {
    body: RigidBody,
    time_step: f64,
    turned: Turned,
    position: Vector3<f64>,
    /// Angular momentum about the centre of mass, and linear momentum, in the directions of the world: so the round-off of many turns
    /// does not come into them.
    momentum: Momentum,
}

/// The three equations of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoupledEquations {
    /// The body.
    pub body: RigidBody,
    /// l and p at the start of the step, body frame.
    pub momentum: Momentum,
    /// h, seconds.
    pub time_step: f64,
}

impl CoupledEquations {
    /// Left side minus right side at the turn ω, radians.
    #[inline]
    pub fn residual(&self, turn: &Vector3<f64>) -> Vector3<f64> {
        let (w, h, l, p) = (turn, self.time_step, &self.momentum.angular, &self.momentum.linear);
        let jw = self.body.moments.component_mul(w);
        let wp = w.dot(p);
        let coupling = w * (2.0 * p.norm_squared()) - p * (2.0 * wp) + w.cross(p) * wp;
        let share = 0.5 * h * h / (self.body.mass * (4.0 + w.norm_squared()));
        jw + w.cross(&jw) * 0.5 + w * (0.25 * w.dot(&jw)) + coupling * share - l * h
    }

    /// Its derivative by the turn.
    #[inline]
    pub fn jacobian(&self, turn: &Vector3<f64>) -> Matrix3<f64> {
        let (w, h, p) = (turn, self.time_step, &self.momentum.linear);
        let j = Matrix3::from_diagonal(&self.body.moments);
        let jw = self.body.moments.component_mul(w);
        let spin = j
            + (w.cross_matrix() * j - jw.cross_matrix()) * 0.5
            + (Matrix3::from_diagonal_element(w.dot(&jw)) + w * jw.transpose() * 2.0) * 0.25;
        let (wp, pp, across, s) = (w.dot(p), p.norm_squared(), w.cross(p), 4.0 + w.norm_squared());
        let coupling = w * (2.0 * pp) - p * (2.0 * wp) + across * wp;
        let slope = Matrix3::from_diagonal_element(2.0 * pp) + (across - p * 2.0) * p.transpose()
            - p.cross_matrix() * wp
            - coupling * w.transpose() * (2.0 / s);
        spin + slope * (0.5 * h * h / (self.body.mass * s))
    }

    /// ω, by Newton from where the body would turn if its velocity changed evenly; not finite where it is not found.
    #[inline]
    fn solve(&self) -> Vector3<f64> {
        let (h, l) = (self.time_step, &self.momentum.angular);
        let spin = l.component_div(&self.body.moments);
        let mut turn = (l + l.cross(&spin) * (0.5 * h)).component_div(&self.body.moments) * h;
        let enough = (NEARLY * h).powi(2) * l.norm_squared();
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

impl Coupled {
    /// A body at a node of time.
    pub fn new(body: &RigidBody, start: &State, time_step: f64) -> Coupled {
        let (turned, position) = (Turned::of(&start.pose.rotation), start.pose.translation);
        let momentum = Momentum::new(turned.act(&start.momentum.angular), turned.act(&start.momentum.linear));
        Coupled { body: *body, time_step, turned, position, momentum }
    }

    /// One step of `h` seconds.
    #[inline]
    pub(super) fn step_by(&mut self, h: f64) {
        let momentum = self.momentum_body();
        let (w, p) = (CoupledEquations { body: self.body, momentum, time_step: h }.solve(), momentum.linear);
        let half = w * 0.5;
        let moved = (p + half * half.dot(&p)) * (h / (self.body.mass * (1.0 + half.norm_squared())));
        let moved = self.turned.act(&moved);
        self.position += moved;
        self.momentum.angular -= moved.cross(&self.momentum.linear);
        self.turned = self.turned.after(&half);
    }

    #[inline]
    fn momentum_body(&self) -> Momentum {
        Momentum::new(self.turned.act_back(&self.momentum.angular), self.turned.act_back(&self.momentum.linear))
    }
}

impl Stepper for Coupled {
    #[inline]
    fn step(&mut self) {
        self.step_by(self.time_step);
    }

    fn pose(&self) -> Pose {
        Pose::from_rotation_translation(self.turned.rotation(), self.position)
    }

    fn momentum(&self) -> Momentum {
        self.momentum_body()
    }
}
