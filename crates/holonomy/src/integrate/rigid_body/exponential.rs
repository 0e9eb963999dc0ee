//! The variational step on SE(3) with the exponential map, for a free body in principal axes.
//!
//! The same step as [`Variational`](crate::integrate::variational::Variational) with
//! `Retraction::Exponential`. The equation for the linear velocity v = dexp(ω)ᵀ p/m is linear, so
//! three equations are left, for ω = hΩ; with q = |ω|², a = ω·p and Q(x) = ω×(ω×x):
//!
//! ```text
//! Jω + ½ω×Jω + k Q(Jω) + (h²/m) ( (s |p|² + b a²) ω − a c p + ½ a g ω×p ) = h l
//! then   R⁺ = R exp(ω),   x⁺ = x + R Δ,   Δ = (h/m) (S p + g a ω),   R⁺p⁺ = R p,   R⁺l⁺ = R (l − Δ×p)
//!
//! S = 2(1 − cos|ω|)/q = 1 − q g,   s = −S' = g + q g',   k = s/S,   b = −g' − k g,   c = g (1 − q k)
//! ```
//!
//! with primes for derivatives by q, and k that of dexp⁻¹ = I − ½ω^ + k ω^².

use nalgebra::{Matrix3, Vector3};

use super::equations::{MAX_ITERATIONS, NEARLY, Turned, solve};
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose, coefficients};

/// A free body that moves by the variational step on SE(3) with the exponential map.
#[derive(Debug, Clone, Copy)]
pub struct Exponential {
    body: RigidBody,
    time_step: f64,
    turned: Turned,
    position: Vector3<f64>,
    /// Both in the directions of the world, the angular one about the centre of mass: so the
    /// round-off of many turns does not come into them.
    momentum: Momentum,
}

/// The three equations of a step with the exponential map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExponentialEquations {
    /// The body.
    pub body: RigidBody,
    /// l and p at the start of the step, body frame.
    pub momentum: Momentum,
    /// h, seconds.
    pub time_step: f64,
}

/// Terms of the series: with the largest turn, half a turn, the first left out is 1e-18.
const TERMS: usize = 14;

/// The same for turns of less than a radian.
const FEW: usize = 8;

/// Half a turn, squared, beyond which no solution is the motion.
const LARGEST: f64 = std::f64::consts::PI * std::f64::consts::PI;

/// g = Σ 2 (−q)ⁿ/(2n + 4)! and its first two derivatives.
const G: [[f64; TERMS]; 3] = [series(0), series(1), series(2)];
const G_SMALL: [[f64; FEW]; 3] = [series(0), series(1), series(2)];

const fn series<const COUNT: usize>(derivative: usize) -> [f64; COUNT] {
    let mut out = [0.0; COUNT];
    let mut term = 1.0 / 12.0;
    let mut n = 0;
    while n < COUNT + derivative {
        if n >= derivative {
            let mut falling = 1.0;
            let mut i = 0;
            while i < derivative {
                falling *= (n - i) as f64;
                i += 1;
            }
            out[n - derivative] = term * falling;
        }
        term *= -1.0 / ((2 * n + 5) as f64 * (2 * n + 6) as f64);
        n += 1;
    }
    out
}

/// g or one of its derivatives at q.
#[inline]
fn g(derivative: usize, q: f64) -> f64 {
    if q < 1.0 { horner(&G_SMALL[derivative], q) } else { horner(&G[derivative], q) }
}

#[inline]
fn horner<const COUNT: usize>(coefficients: &[f64; COUNT], q: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * q + c)
}

/// The functions of q, and their derivatives.
struct Scalars {
    k: [f64; 2],
    s: [f64; 2],
    b: [f64; 2],
    c: [f64; 2],
    g: [f64; 2],
}

impl Scalars {
    #[inline]
    fn at(q: f64) -> Scalars {
        let [g, slope, bend] = [0, 1, 2].map(|i| g(i, q));
        let (shrunk, s, s_slope) = (1.0 - q * g, g + q * slope, 2.0 * slope + q * bend);
        let k = s / shrunk;
        let k_slope = s_slope / shrunk + k * k;
        Scalars {
            k: [k, k_slope],
            s: [s, s_slope],
            b: [-slope - k * g, -bend - k_slope * g - k * slope],
            c: [g * (1.0 - q * k), slope * (1.0 - q * k) - g * (k + q * k_slope)],
            g: [g, slope],
        }
    }
}

impl ExponentialEquations {
    /// Left side minus right side at the turn ω, radians.
    #[inline]
    pub fn residual(&self, turn: &Vector3<f64>) -> Vector3<f64> {
        self.linearised(turn).0
    }

    /// Its derivative by the turn.
    #[inline]
    pub fn jacobian(&self, turn: &Vector3<f64>) -> Matrix3<f64> {
        self.linearised(turn).1
    }

    #[inline]
    fn linearised(&self, turn: &Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
        let (w, h, Momentum { angular: l, linear: p }) = (turn, self.time_step, &self.momentum);
        let (q, a, pp, across) = (w.norm_squared(), w.dot(p), p.norm_squared(), w.cross(p));
        let Scalars { k, s, b, c, g } = Scalars::at(q);
        let j = Matrix3::from_diagonal(&self.body.moments);
        let jw = self.body.moments.component_mul(w);
        let (wj, share) = (w.dot(&jw), h * h / self.body.mass);
        let twice = w * wj - jw * q;
        let along = s[0] * pp + b[0] * a * a;
        let coupling = w * along - p * (a * c[0]) + across * (0.5 * a * g[0]);
        let residual = jw + w.cross(&jw) * 0.5 + twice * k[0] + coupling * share - l * h;
        let spin = j
            + (w.cross_matrix() * j - jw.cross_matrix()) * 0.5
            + (Matrix3::from_diagonal_element(wj) + (w * jw.transpose() - jw * w.transpose()) * 2.0 - j * q) * k[0]
            + twice * w.transpose() * (2.0 * k[1]);
        let by_turn = w * (s[1] * pp + b[1] * a * a) - p * (a * c[1]) + across * (0.5 * a * g[1]);
        let by_a = w * (2.0 * b[0] * a) - p * c[0] + across * (0.5 * g[0]);
        let slope = Matrix3::from_diagonal_element(along) - p.cross_matrix() * (0.5 * a * g[0])
            + by_turn * w.transpose() * 2.0
            + by_a * p.transpose();
        (residual, spin + slope * share)
    }

    /// ω, by Newton from where the body would turn if its velocity changed evenly; not finite where
    /// it is not found, or beyond half a turn.
    #[inline]
    fn solve(&self) -> Vector3<f64> {
        let (h, l) = (self.time_step, &self.momentum.angular);
        let spin = l.component_div(&self.body.moments);
        let mut turn = (l + l.cross(&spin) * (0.5 * h)).component_div(&self.body.moments) * h;
        let enough = (NEARLY * h).powi(2) * l.norm_squared();
        for _ in 0..MAX_ITERATIONS {
            let (residual, jacobian) = self.linearised(&turn);
            turn -= solve(&jacobian, &residual);
            if residual.norm_squared() <= enough && turn.norm_squared() < LARGEST {
                return turn;
            }
        }
        Vector3::repeat(f64::NAN)
    }
}

impl Exponential {
    /// A body at a node of time.
    pub fn new(body: &RigidBody, start: &State, time_step: f64) -> Exponential {
        let (turned, position) = (Turned::of(&start.pose.rotation), start.pose.translation);
        let momentum = Momentum::new(turned.act(&start.momentum.angular), turned.act(&start.momentum.linear));
        Exponential { body: *body, time_step, turned, position, momentum }
    }
}

impl Stepper for Exponential {
    #[inline]
    fn step(&mut self) {
        let (h, momentum) = (self.time_step, self.momentum());
        let (w, p) = (ExponentialEquations { body: self.body, momentum, time_step: h }.solve(), momentum.linear);
        let (cos_half, sinc_half) = coefficients::half_angle(w.norm_squared());
        let (q, g) = (w.norm_squared(), g(0, w.norm_squared()));
        let moved = (p * (1.0 - q * g) + w * (g * w.dot(&p))) * (h / self.body.mass);
        let moved = self.turned.act(&moved);
        self.position += moved;
        self.momentum.angular -= moved.cross(&self.momentum.linear);
        self.turned = self.turned.times(cos_half, &(w * sinc_half)).unit();
    }

    fn pose(&self) -> Pose {
        Pose::from_rotation_translation(self.turned.rotation(), self.position)
    }

    #[inline]
    fn momentum(&self) -> Momentum {
        Momentum::new(self.turned.act_back(&self.momentum.angular), self.turned.act_back(&self.momentum.linear))
    }
}
