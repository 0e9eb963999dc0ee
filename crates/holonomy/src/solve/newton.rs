//! Damped Newton for six equations in a rigid motion or velocity.
//!
//! Each step is the minimum-norm solution of the linearised equations, so that directions which the equations leave
//! free (a straight curve may spin about itself) are left alone; it is shortened until the residual falls.

use nalgebra::{Matrix6, Vector6};

/// Residual and its derivative at a state, both scaled so that 1 is a large error.
pub struct Linearised {
    /// f(x).
    pub residual: Vector6<f64>,
    /// ∂f/∂ξ for the update `retract(x, ξ)`.
    pub jacobian: Matrix6<f64>,
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
pub fn solve<S: Copy>(
    guess: S,
    settings: Settings,
    mut evaluate: impl FnMut(&S) -> Linearised,
    retract: impl Fn(&S, &Vector6<f64>) -> S,
    largest: impl Fn(&Vector6<f64>) -> f64,
) -> Solution<S> {
    let mut state = guess;
    let mut here = evaluate(&state);
    let mut residual = here.residual.norm();
    let mut iterations = 0;
    while residual > settings.tolerance && iterations < settings.max_iterations {
        let step = minimum_norm_step(&here.jacobian, &here.residual);
        let mut fraction = largest(&step).min(1.0);
        let next = loop {
            let candidate = retract(&state, &(step * fraction));
            let there = evaluate(&candidate);
            let norm = there.residual.norm();
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
    let lu = jacobian.full_piv_lu();
    let pivots = lu.u().diagonal().abs();
    if pivots.min() > CLEARLY_REGULAR * pivots.max()
        && let Some(step) = lu.solve(&-residual)
    {
        return step;
    }
    // Bounded: without a limit the decomposition of a matrix that is not finite never ends.
    let Some(svd) = jacobian.try_svd(true, true, 5.0 * f64::EPSILON, MOST_SVD_ITERATIONS) else { return Vector6::zeros() };
    let cut = FREE * svd.singular_values.max();
    svd.solve(&-residual, cut).unwrap_or_else(|_| Vector6::zeros())
}
