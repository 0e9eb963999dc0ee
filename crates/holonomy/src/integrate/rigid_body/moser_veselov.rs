//! The variational step on SO(3) × R³ whose map is a quaternion's vector part: the discrete Moser–Veselov step (Moser and Veselov 1991), with moments of
//! inertia modified such that it is of high order (Hairer and Vilmart 2006).
//!
//! τ(ω) is the rotation by the unit quaternion with vector part ω/2, so C(ω)ᵀ μ = ρ₀ μ + ½ω×μ with ρ₀ = √(1 − |ω|²/4). With c = ω/(2ρ₀), n = Ĩ c and
//! g = ½h y, y the angular momentum in the body frame, the equations of Kobilarov 2009, Sec. 3.1, have neither roots nor quotients:
//!
//! ```text
//! solve   n + c×n = (1 + |c|²) g,   c = n/Ĩ        then   R⁺ = R · (1, c)/|(1, c)|,   g⁺ = g − 2 c×n/(1 + |c|²),   x⁺ = x + (h/m) p
//! ```
//!
//! Travel does not feel the turning: the linear momentum p of the world frame is constant.

use nalgebra::{Matrix3, Vector3};

use super::equations::{MAX_ITERATIONS, NEARLY, Turned, solve};
use super::modified::ModifiedMoments;
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose};

/// A free body that goes by the discrete Moser–Veselov step.
#[derive(Debug, Clone, Copy)]
pub struct MoserVeselov {
    equations: MoserVeselovEquations,
    time_step: f64,
    turned: Turned,
    start: Vector3<f64>,
    /// Steps taken.
    steps: f64,
    /// Linear momentum, world frame.
    linear: Vector3<f64>,
    /// (h/m) p, metres.
    stride: Vector3<f64>,
    /// n of the last steps, the latest first, by which the next is foretold.
    past: [Vector3<f64>; 4],
}

/// The three equations of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoserVeselovEquations {
    /// 1/Ĩ, 1/(kg m²).
    pub inverse: Vector3<f64>,
    /// g: half of the step times the angular momentum, body frame, kg m².
    pub half_impulse: Vector3<f64>,
}

impl MoserVeselovEquations {
    /// Left side minus right side at n, kg m².
    #[inline]
    pub fn residual(&self, n: &Vector3<f64>) -> Vector3<f64> {
        let c = self.inverse.component_mul(n);
        n + self.across(n) - self.half_impulse * (1.0 + c.norm_squared())
    }

    /// Its derivative by n.
    #[inline]
    pub fn jacobian(&self, n: &Vector3<f64>) -> Matrix3<f64> {
        let (e, d, g) = (&self.inverse, self.gaps(), &self.half_impulse);
        let slope = e.component_mul(e).component_mul(n) * -2.0;
        Matrix3::new(
            1.0 + g.x * slope.x,
            d.x * n.z + g.x * slope.y,
            d.x * n.y + g.x * slope.z,
            d.y * n.z + g.y * slope.x,
            1.0 + g.y * slope.y,
            d.y * n.x + g.y * slope.z,
            d.z * n.y + g.z * slope.x,
            d.z * n.x + g.z * slope.y,
            1.0 + g.z * slope.z,
        )
    }

    /// c×n.
    #[inline]
    fn across(&self, n: &Vector3<f64>) -> Vector3<f64> {
        let d = self.gaps();
        Vector3::new(d.x * n.y * n.z, d.y * n.z * n.x, d.z * n.x * n.y)
    }

    #[inline]
    fn gaps(&self) -> Vector3<f64> {
        let e = &self.inverse;
        Vector3::new(e.y - e.z, e.z - e.x, e.x - e.y)
    }

    /// n, by Newton; `None` where it is not found.
    #[inline]
    fn solve(&self, guess: Vector3<f64>, most: usize) -> Option<Vector3<f64>> {
        let enough = NEARLY * NEARLY * self.half_impulse.norm_squared();
        let mut n = guess;
        for _ in 0..most {
            let residual = self.residual(&n);
            n -= solve(&self.jacobian(&n), &residual);
            if residual.norm_squared() <= enough {
                return Some(n);
            }
        }
        None
    }
}

/// Newton takes one or two steps from a good guess.
const FEW: usize = 5;

impl MoserVeselov {
    /// A body at a node of time. Its steps must all be of one size.
    pub fn new(body: &RigidBody, start: &State, time_step: f64, modified: ModifiedMoments) -> MoserVeselov {
        let State { pose, momentum } = start;
        let linear = pose.rotation * momentum.linear;
        let inverse = modified.inverse(&body.moments, &momentum.angular, time_step);
        MoserVeselov {
            equations: MoserVeselovEquations { inverse, half_impulse: momentum.angular * (0.5 * time_step) },
            time_step,
            turned: Turned::of(&pose.rotation),
            start: pose.translation,
            steps: 0.0,
            linear,
            stride: linear * (time_step / body.mass),
            past: [momentum.angular * (0.5 * time_step); 4],
        }
    }

    /// The cubic through the last four.
    #[inline]
    fn foretold(&self) -> Vector3<f64> {
        let [a, b, c, d] = &self.past;
        (a + c) * 4.0 - b * 6.0 - d
    }

    /// Without the past.
    #[cold]
    fn solve_anew(&self) -> Vector3<f64> {
        let guess = self.equations.half_impulse;
        self.equations.solve(guess, MAX_ITERATIONS).unwrap_or(Vector3::repeat(f64::NAN))
    }
}

impl Stepper for MoserVeselov {
    #[inline]
    fn step(&mut self) {
        let n = self.equations.solve(self.foretold(), FEW).unwrap_or_else(|| self.solve_anew());
        let c = self.equations.inverse.component_mul(&n);
        self.equations.half_impulse -= self.equations.across(&n) * (2.0 / (1.0 + c.norm_squared()));
        self.turned = self.turned.after(&c);
        self.steps += 1.0;
        self.past = [n, self.past[0], self.past[1], self.past[2]];
    }

    fn state(&self) -> State {
        let rotation = self.turned.rotation();
        let angular = self.equations.half_impulse * (2.0 / self.time_step);
        let momentum = Momentum::new(angular, rotation.inverse() * self.linear);
        State { pose: Pose::from_rotation_translation(rotation, self.start + self.stride * self.steps), momentum }
    }
}
