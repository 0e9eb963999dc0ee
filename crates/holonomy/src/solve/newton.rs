//! Damped Newton for six equations in a rigid motion or velocity.
//!
//! Each step is the minimum-norm solution of the linearised equations, so that directions which the equations leave
//! free (a straight curve may spin about itself) are left alone; it is shortened until the residual falls.

use nalgebra::{Matrix6, Vector6};

/// The equations at a state, scaled so that 1 is a large error.
pub trait Linearise {
    /// f(x).
    fn residual(&self) -> Vector6<f64>;
    /// ∂f/∂ξ for the update `retract(x, ξ)`; asked for only where a step is taken from.
    fn jacobian(&self) -> Matrix6<f64>;
}

/// Both at once, where they come from one sum.
pub struct Linearised {
    /// f(x).
    pub residual: Vector6<f64>,
    /// ∂f/∂ξ.
    pub jacobian: Matrix6<f64>,
}

impl Linearise for Linearised {
    fn residual(&self) -> Vector6<f64> {
        self.residual
    }
    fn jacobian(&self) -> Matrix6<f64> {
        self.jacobian
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Largest norm of the residual that counts as solved.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
}

/// Where Newton ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution<S> {
    /// The best state found.
    pub state: S,
    /// Norm of its residual.
    pub residual: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Whether the residual is within tolerance.
    pub converged: bool,
}

/// Solves f(x) = 0 from `guess`. `retract` applies a step ξ to a state; `largest` is the fraction of ξ that may be taken at most.
pub fn solve<S: Copy, L: Linearise>(
    guess: S,
    settings: Settings,
    mut evaluate: impl FnMut(&S) -> L,
    retract: impl Fn(&S, &Vector6<f64>) -> S,
    largest: impl Fn(&Vector6<f64>) -> f64,
) -> Solution<S> {
    let mut state = guess;
    let mut here = evaluate(&state);
    let mut residual = here.residual().norm();
    let mut iterations = 0;
    while residual > settings.tolerance && iterations < settings.max_iterations {
        let step = minimum_norm_step(&here.jacobian(), &here.residual());
        let mut fraction = largest(&step).min(1.0);
        let next = loop {
            let candidate = retract(&state, &(step * fraction));
            let there = evaluate(&candidate);
            let norm = there.residual().norm();
            if norm < (1.0 - 1e-4 * fraction) * residual {
                break Some((candidate, there, norm));
            }
            fraction *= 0.5;
            if fraction < 1e-6 {
                break None;
            }
        };
        let Some((candidate, there, norm)) = next else { break };
        (state, here, residual) = (candidate, there, norm);
        iterations += 1;
    }
    Solution { state, residual, iterations, converged: residual <= settings.tolerance }
}

/// Singular values below this share of the largest are directions the equations leave free.
const FREE: f64 = 1e-10;

/// Pivots above this share of the largest are far enough from [`FREE`] that elimination decides alone.
const CLEARLY_REGULAR: f64 = 1e-7;

/// Six by six takes some ten; far more than that, and it does not converge.
const MOST_SVD_ITERATIONS: usize = 500;

/// The shortest ξ with J ξ = −f, in the least-squares sense.
fn minimum_norm_step(jacobian: &Matrix6<f64>, residual: &Vector6<f64>) -> Vector6<f64> {
    eliminate(jacobian, residual).unwrap_or_else(|| {
        // Bounded: without a limit the decomposition of a matrix that is not finite never ends.
        let Some(svd) = jacobian.try_svd(true, true, 5.0 * f64::EPSILON, MOST_SVD_ITERATIONS) else { return Vector6::zeros() };
        let cut = FREE * svd.singular_values.max();
        svd.solve(&-residual, cut).unwrap_or_else(|_| Vector6::zeros())
    })
}

/// ξ with J ξ = −f by elimination; `None` unless J is clearly regular.
///
/// Without row exchanges: near a solution J is close to a symmetric definite matrix, an inertia, whose pivots are safe in any order. Where
/// they are not, they show it.
#[inline(always)]
fn eliminate(jacobian: &Matrix6<f64>, residual: &Vector6<f64>) -> Option<Vector6<f64>> {
    // Rows of (J | −f).
    let mut rows = [[0.0; 7]; 6];
    for i in 0..6 {
        for k in 0..6 {
            rows[i][k] = jacobian[(i, k)];
        }
        rows[i][6] = -residual[i];
    }
    let (mut smallest, mut largest, mut inverses) = (f64::INFINITY, 0.0_f64, [0.0; 6]);
    for k in 0..6 {
        let pivot = rows[k];
        (smallest, largest) = (smallest.min(pivot[k].abs()), largest.max(pivot[k].abs()));
        inverses[k] = 1.0 / pivot[k];
        for i in k + 1..6 {
            let share = rows[i][k] * inverses[k];
            for c in k + 1..7 {
                rows[i][c] -= share * pivot[c];
            }
        }
    }
    let mut step = Vector6::zeros();
    for k in (0..6).rev() {
        let mut rest = rows[k][6];
        for c in k + 1..6 {
            rest -= rows[k][c] * step[c];
        }
        step[k] = rest * inverses[k];
    }
    (smallest > CLEARLY_REGULAR * largest && step.iter().all(|x| x.is_finite())).then_some(step)
}
