//! The variational step on SO(3) × R³ whose map is a quaternion's vector part: the discrete Moser–Veselov step (Moser and Veselov 1991),
//! with moments of inertia modified such that it is of high order (Hairer and Vilmart 2006).
//!
//! τ(ω) is the rotation by the unit quaternion with vector part ω/2, so C(ω)ᵀ μ = ρ₀ μ + ½ω×μ with ρ₀ = √(1 − |ω|²/4). With c = ω/(2ρ₀),
//! n = Ĩ c and g = ½h y, y the angular momentum in the body frame, the equations of Kobilarov 2009, Sec. 3.1, have neither roots nor
//! quotients:
//!
//! ```text
//! solve   n + c×n = s g,   c = n/Ĩ,   s = 1 + |c|²
//! then    R⁺ = R · (1, c)/|(1, c)|,   g⁺ = g − 2 c×n/s,   x⁺ = x + (h/m) p
//! ```
//!
//! Travel does not feel the turning: the linear momentum p of the world frame is constant.

use nalgebra::{Matrix3, Vector3};

use super::equations::{MAX_ITERATIONS, NEARLY, Turned, solve};
use super::modified::ModifiedMoments;
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose};

/// A free body that goes by the discrete Moser–Veselov step. A step turns it by a quarter turn at most.
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
    forecast: Forecast,
}

/// The three equations of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoserVeselovEquations {
    /// g: half of the step times the angular momentum, body frame, kg m².
    half_impulse: Vector3<f64>,
    /// e = 1/Ĩ, 1/(kg m²).
    inverse: Vector3<f64>,
    /// e ∘ e.
    squared: Vector3<f64>,
    /// (e₂ − e₃, e₃ − e₁, e₁ − e₂), so that c×n is this ∘ (n₂n₃, n₃n₁, n₁n₂).
    gaps: Vector3<f64>,
    /// Square of the residual from which one more Newton step reaches round-off.
    enough: f64,
    /// Square of how far g⁺ may be from what was foretold, to be taken as it comes out.
    close: f64,
}

impl MoserVeselovEquations {
    /// With 1/Ĩ, and g, half of the step times the angular momentum.
    pub fn new(inverse: Vector3<f64>, half_impulse: Vector3<f64>) -> MoserVeselovEquations {
        let e = &inverse;
        let gaps = Vector3::new(e.y - e.z, e.z - e.x, e.x - e.y);
        // Newton leaves c times the square of the relative residual.
        let turn = e.component_mul(&half_impulse).norm().clamp(0.01, 1.0);
        let enough = NEARLY * NEARLY * half_impulse.norm_squared() / turn;
        let close = CLOSE * CLOSE * half_impulse.norm_squared();
        MoserVeselovEquations { half_impulse, inverse, squared: e.component_mul(e), gaps, enough, close }
    }

    /// Left side minus right side at n, kg m².
    #[inline]
    pub fn residual(&self, n: &Vector3<f64>) -> Vector3<f64> {
        n + self.across(n) - self.half_impulse * self.stretch(n)
    }

    /// Its derivative by n.
    #[inline]
    pub fn jacobian(&self, n: &Vector3<f64>) -> Matrix3<f64> {
        let (d, g) = (&self.gaps, &self.half_impulse);
        let slope = self.squared.component_mul(n) * -2.0;
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
        let d = &self.gaps;
        Vector3::new(d.x * (n.y * n.z), d.y * (n.z * n.x), d.z * (n.x * n.y))
    }

    /// s.
    #[inline]
    fn stretch(&self, n: &Vector3<f64>) -> f64 {
        1.0 + self.squared.component_mul(n).dot(n)
    }

    /// n, by Newton; `None` where it is not found.
    #[inline]
    fn solve(&self, guess: Vector3<f64>, most: usize) -> Option<Vector3<f64>> {
        let mut n = guess;
        for _ in 0..most {
            let residual = self.residual(&n);
            n -= solve(&self.jacobian(&n), &residual);
            if residual.norm_squared() <= self.enough {
                return Some(n);
            }
        }
        None
    }

    /// Without a good guess; not finite where it is not found.
    #[cold]
    fn solve_anew(&self) -> Vector3<f64> {
        self.solve(self.half_impulse, MAX_ITERATIONS).unwrap_or(Vector3::repeat(f64::NAN))
    }

    /// n and g⁺, from a guess of n.
    #[inline]
    fn step_from(&self, guess: Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let n = self.solve(guess, FEW).unwrap_or_else(|| self.solve_anew());
        (n, self.half_impulse + self.change(&n))
    }

    /// g⁺ − g; not finite if that is more than a quarter turn away, where the equations have a second solution.
    #[inline]
    fn change(&self, n: &Vector3<f64>) -> Vector3<f64> {
        let stretch = self.stretch(n);
        if stretch > 2.0 { Vector3::repeat(f64::NAN) } else { self.across(n) * (-2.0 / stretch) }
    }
}

/// What the next step is likely to be.
#[derive(Debug, Clone, Copy)]
enum Forecast {
    /// By the theorem of addition, from the last g: right to round-off for steps of any size.
    Addition { addition: Addition, before: Vector3<f64> },
    /// n by the cubic through the last four, the latest first; Newton then takes one or two steps.
    Cubic([Vector3<f64>; 4]),
}

/// The theorem of addition: g goes along Jacobi's elliptic functions in even strides v, for which cn(u + v) + cn(u − v) = 2 cn v cn u/D
/// with D = 1 − k² sn² v sn² u, and so for sn and dn with the same D. Hence g⁺ + g⁻ = (2 + lag) ∘ g/D, D = 1 − bend·(g ∘ g); all of it
/// small for short steps.
#[derive(Debug, Clone, Copy)]
struct Addition {
    lag: Vector3<f64>,
    bend: Vector3<f64>,
}

impl Addition {
    /// Read off the step where sn = 0; `None` where the body spins steadily or two moments are alike.
    fn of(equations: &MoserVeselovEquations) -> Option<Addition> {
        let (e, g) = (&equations.inverse, &equations.half_impulse);
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| e[a].total_cmp(&e[b]));
        let [low, middle, high] = axes;
        // Both are kept, so they say where the orbit passes through the plane of two axes.
        let (size, energy) = (g.norm_squared(), e.component_mul(g).dot(g));
        let mut there = Vector3::zeros();
        there[low] = ((e[high] * size - energy) / (e[high] - e[low])).sqrt();
        there[high] = ((energy - e[low] * size) / (e[high] - e[low])).sqrt();
        let there = MoserVeselovEquations { half_impulse: there, ..*equations };
        // cn v − 1 and dn v − 1.
        let less = there.change(&there.solve_anew()).component_div(&there.half_impulse);
        let mut lag = less * 2.0;
        lag[middle] = lag[low] + lag[high] + 0.5 * lag[low] * lag[high];
        let mut bend = Vector3::zeros();
        bend[middle] = -less[low] * (2.0 + less[low]) * (e[middle] - e[low]) / (energy - e[low] * size);
        let sound = lag.iter().chain(bend.iter()).all(|x| x.is_finite());
        sound.then_some(Addition { lag, bend })
    }

    /// g⁺ and n, from the last g. Since ½(g + g⁺) = n/s =: a, s is a root of s = 1 + s² |e ∘ a|²; and g⁺ = g − 2s (e ∘ a)×a is a step of
    /// fixed-point iteration, which keeps round-off from piling up. `None` if that differs from what was foretold.
    #[inline]
    fn step(&self, equations: &MoserVeselovEquations, before: &Vector3<f64>) -> (Vector3<f64>, Option<Vector3<f64>>) {
        let g = &equations.half_impulse;
        let bent = self.bend.component_mul(g).dot(g);
        let scale = 1.0 / (1.0 - bent);
        let foretold = g + ((g - before) + (self.lag.add_scalar(2.0 * bent) * scale).component_mul(g));
        let mean = (foretold + g) * 0.5;
        let turn = equations.squared.component_mul(&mean).dot(&mean);
        let stretch = 2.0 / (1.0 + (1.0 - 4.0 * turn).max(0.0).sqrt());
        let next = g - equations.across(&mean) * (2.0 * stretch);
        let close = (next - foretold).norm_squared() <= equations.close;
        (mean * stretch, close.then_some(next))
    }
}

impl Forecast {
    fn of(equations: &MoserVeselovEquations) -> Forecast {
        match Addition::of(equations) {
            Some(addition) => {
                let back = MoserVeselovEquations { gaps: -equations.gaps, ..*equations };
                Forecast::Addition { addition, before: equations.half_impulse + back.change(&back.solve_anew()) }
            }
            None => Forecast::Cubic([equations.solve_anew(); 4]),
        }
    }

    /// n and g⁺.
    #[inline]
    fn step(&mut self, equations: &MoserVeselovEquations) -> (Vector3<f64>, Vector3<f64>) {
        match self {
            Forecast::Addition { addition, before } => {
                let (guess, next) = addition.step(equations, before);
                *before = equations.half_impulse;
                next.map_or_else(|| equations.step_from(guess), |next| (guess, next))
            }
            Forecast::Cubic(past) => {
                let [a, b, c, d] = *past;
                let (n, next) = equations.step_from((a + c) * 4.0 - b * 6.0 - d);
                *past = [n, a, b, c];
                (n, next)
            }
        }
    }
}

/// Newton steps after which a guess was no good.
const FEW: usize = 5;

/// Relative distance of two ways to the same g⁺ that is round-off.
const CLOSE: f64 = 1e-14;

impl MoserVeselov {
    /// A body at a node of time. Its steps are all of one size.
    pub fn new(body: &RigidBody, start: &State, time_step: f64, modified: ModifiedMoments) -> MoserVeselov {
        let State { pose, momentum } = start;
        let linear = pose.rotation * momentum.linear;
        let inverse = modified.inverse(&body.moments, &momentum.angular, time_step);
        let equations = MoserVeselovEquations::new(inverse, momentum.angular * (0.5 * time_step));
        MoserVeselov {
            equations,
            time_step,
            turned: Turned::of(&pose.rotation),
            start: pose.translation,
            steps: 0.0,
            linear,
            stride: linear * (time_step / body.mass),
            forecast: Forecast::of(&equations),
        }
    }
}

impl Stepper for MoserVeselov {
    #[inline]
    fn step(&mut self) {
        let (n, next) = self.forecast.step(&self.equations);
        self.equations.half_impulse = next;
        self.turned = self.turned.after(&self.equations.inverse.component_mul(&n));
        self.steps += 1.0;
    }

    fn pose(&self) -> Pose {
        Pose::from_rotation_translation(self.turned.rotation(), self.start + self.stride * self.steps)
    }

    fn momentum(&self) -> Momentum {
        Momentum::new(self.equations.half_impulse * (2.0 / self.time_step), self.turned.act_back(&self.linear))
    }
}
