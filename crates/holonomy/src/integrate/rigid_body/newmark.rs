//! Newmark's method on a Lie group: β = 0, γ = ½, with the exponential map (Krysl and Endres 2005), on SE(3) as Kobilarov 2009, Sec. 3.3,
//! extends it.
//!
//! ```text
//! g⁺ = g exp(hξ + ½h² ξ'),   ξ⁺ = ξ + ½h (ξ' + ξ'⁺),   ξ' = K⁻¹ ad(ξ)ᵀ K ξ
//! ```

use super::equations::{Euler, Turned};
use super::runge_kutta::{Flight, unturned};
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose, Twist, coefficients};

/// A free body that goes by Newmark's method.
pub(super) struct Newmark {
    body: RigidBody,
    euler: Euler,
    time_step: f64,
    now: Flight,
}

impl Newmark {
    pub(super) fn new(body: &RigidBody, start: &State, time_step: f64) -> Self {
        Newmark { body: *body, euler: Euler::new(body), time_step, now: Flight::of(body, start) }
    }
}

impl Stepper for Newmark {
    #[inline]
    fn step(&mut self) {
        let (h, now) = (self.time_step, &mut self.now);
        let twist = now.twist;
        let rate = Twist::new(self.euler.rate(&twist.angular), twist.linear.cross(&twist.angular));
        let halfway = twist + rate * (0.5 * h);
        let Twist { angular: w, linear: v } = halfway * h;
        // exp on SE(3), by quaternion.
        let squared_angle = w.norm_squared();
        let (cos_half, sinc_half) = coefficients::half_angle(squared_angle);
        let across = w.cross(&v);
        let quadratic = coefficients::dexp_quadratic(squared_angle, cos_half, sinc_half);
        let moved = v + across * (2.0 * sinc_half * sinc_half) + w.cross(&across) * quadratic;
        now.position += now.turned.act(&moved);
        let Turned { scalar, vector } = now.turned.times(cos_half, &(w * sinc_half));
        now.turned = Turned { scalar, vector }.unit();
        let spin = self.euler.solve(&halfway.angular, 0.5 * h);
        now.twist = Twist::new(spin, unturned(&halfway.linear, &(spin * h)));
    }

    fn pose(&self) -> Pose {
        self.now.pose()
    }

    fn momentum(&self) -> Momentum {
        self.now.momentum(&self.body)
    }
}
