//! The loop of least loss by Gauss and Newton (Jia et al. 2023, Alg. 1).
//!
//! Iterates *while* the step is long (printed inverted, docs/ERRATA.md). Few numbers z that all frames depend on border the periodic matrix A, and so does what
//! is asked of the kinetic energy, a square of one row (a, α):
//!
//! ```text
//! ⎡ A   B   a ⎤ ⎡ d ⎤     ⎡ ∂L/∂p ⎤
//! ⎢ Bᵀ  C   α ⎥ ⎢ e ⎥ = − ⎢ ∂L/∂z ⎥
//! ⎣ aᵀ  αᵀ −1 ⎦ ⎣ y ⎦     ⎣   0   ⎦
//! ```
//!
//! solved by its Schur complement: one factorisation of A, and one more solve for each column of the border.

use std::ops::ControlFlow;

use nalgebra::{DMatrix, DVector, Vector3};

use super::curve::{Curve, Derivatives, Objective};
use super::linear::{Cycle, Solver, Stage};
use super::{Outcome, Phase, Progress, Settings};
use crate::Error;

/// Share of the expected gain that a step must bring (Armijo).
const GAIN: f64 = 1e-4;
/// Halvings of a step before the matrix is made rounder instead.
const HALVINGS: usize = 12;
/// Damping to begin with where it is needed, of the inertia at the loop's own frequency.
const LEAST_DAMPING: f64 = 1e-6;
/// Damping at which a step is one down the gradient.
const MOST_DAMPING: f64 = 1e12;
/// Greatest change of the period in one step, as a share of it.
const LONGEST: f64 = 0.2;
/// Greatest change of the turn in one period in one step, radians.
const WIDEST: f64 = 1.0;

/// Where the iteration ended.
pub(super) struct Ended {
    pub curve: Curve,
    pub residuals: Vec<Vector3<f64>>,
    pub outcome: Outcome,
    /// Loss before the first iteration and after each.
    pub history: Vec<f64>,
}

/// A step of p and of z, and the loss's slope along it.
struct Step {
    p: Vec<Vector3<f64>>,
    z: DVector<f64>,
    slope: f64,
}

/// Goes down from `curve` as far as it gets.
pub(super) fn descend(
    objective: &Objective,
    mut curve: Curve,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Ended, Error> {
    let fixed = objective.fixed();
    objective.settle(&mut curve);
    let mut residuals = vec![Vector3::zeros(); curve.positions.len()];
    let mut loss = objective.loss(&curve, &mut residuals);
    let mut history = vec![loss];
    let mut derivatives = objective.workspace();
    let (mut tried, mut tried_residuals) = (curve.clone(), residuals.clone());
    let least = if held(objective) { 0.0 } else { LEAST_DAMPING };
    let mut damping = least;
    let mut outcome = Outcome::OutOfIterations;
    for iteration in 0..settings.max_iterations {
        if progress(&Progress { phase: Phase::Descending, iteration, value: loss }).is_break() {
            outcome = Outcome::Interrupted;
            break;
        }
        objective.derivatives(&curve, &residuals, &mut derivatives);
        let mut matrix = Matrix::new(objective, &curve, &fixed, settings.memory_limit)?;
        let size = size(&curve, objective.vertices());
        let taken = loop {
            let step = matrix.solve(&derivatives, damping);
            let taken = step.filter(|step| step.slope <= 0.0).and_then(|step| {
                let mut factor = longest(objective, &curve, &step);
                for _ in 0..HALVINGS {
                    objective.moved(&curve, factor, &step.p, &step.z, &mut tried);
                    let reached = objective.loss(&tried, &mut tried_residuals);
                    if reached <= loss + GAIN * factor * step.slope {
                        return Some((reached, factor, step));
                    }
                    factor *= 0.5;
                }
                // At the end of what can be told apart: no step that matters was left out.
                (-step.slope <= 1e-13 * loss).then_some((loss, 0.0, step))
            });
            if taken.is_some() || damping >= MOST_DAMPING {
                break taken;
            }
            damping = (damping * 100.0).max(LEAST_DAMPING);
        };
        let Some((reached, factor, step)) = taken else {
            outcome = Outcome::Stalled;
            break;
        };
        if factor > 0.0 {
            std::mem::swap(&mut curve, &mut tried);
            std::mem::swap(&mut residuals, &mut tried_residuals);
        }
        let gained = loss - reached;
        loss = reached;
        history.push(loss);
        let length = step.p.iter().fold(0.0_f64, |most, d| most.max(d.amax())) * factor / size;
        let still = length <= settings.tolerance && globals_still(objective, &curve, &step, factor, settings.tolerance);
        if factor == 0.0 || still || loss == 0.0 || gained == 0.0 {
            outcome = Outcome::Converged;
            break;
        }
        damping = match factor {
            1.0.. => {
                if damping * 0.1 < LEAST_DAMPING {
                    least
                } else {
                    damping * 0.1
                }
            }
            0.2.. => damping,
            _ => (damping * 10.0).max(LEAST_DAMPING),
        };
    }
    Ok(Ended { curve, residuals, outcome, history })
}

/// Whether ties leave no motion of the whole loop free: every vertex is tied at two frames.
fn held(objective: &Objective) -> bool {
    let mut ties = vec![0; objective.vertices()];
    for tie in &objective.ties {
        ties[tie.vertex] += 1;
    }
    objective.globals() == 0 && ties.iter().all(|&ties| ties >= 2)
}

/// The greatest distance of any vertex from the first frame's centre.
fn size(curve: &Curve, vertices: usize) -> f64 {
    let centre = curve.positions[..vertices].iter().sum::<Vector3<f64>>() / vertices as f64;
    curve.positions.iter().fold(f64::MIN_POSITIVE, |most, p| most.max((p - centre).norm()))
}

/// How much of a step can be tried at first.
fn longest(objective: &Objective, curve: &Curve, step: &Step) -> f64 {
    let mut factor: f64 = 1.0;
    let turns = usize::from(objective.free_period);
    if objective.free_period {
        factor = factor.min(LONGEST * curve.period / step.z[0].abs().max(f64::MIN_POSITIVE));
    }
    let angular = objective.free_twist[..3].iter().filter(|&&free| free).count();
    for k in turns..turns + angular {
        factor = factor.min(WIDEST / step.z[k].abs().max(f64::MIN_POSITIVE));
    }
    factor
}

/// Whether T, too, has come to rest.
fn globals_still(objective: &Objective, curve: &Curve, step: &Step, factor: f64, tolerance: f64) -> bool {
    !objective.free_period || (step.z[0] * factor).abs() <= tolerance * curve.period
}

/// The bordered matrix at a curve.
struct Matrix<'a> {
    solver: Solver,
    fixed: &'a [bool],
    masses: &'a [f64],
    /// What damping is measured by, per mass: h (2π/T)⁴, the loop's own frequency seen by A.
    unit: f64,
}

impl<'a> Matrix<'a> {
    fn new(objective: &'a Objective, curve: &Curve, fixed: &'a [bool], memory_limit: usize) -> Result<Self, Error> {
        let h = curve.period / objective.frames as f64;
        let cycle = Cycle {
            pattern: objective.law.pattern().clone(),
            masses: objective.law.masses().to_vec(),
            frames: objective.frames,
            time_step: h,
            rule: objective.rule,
            turn: curve.frame(1, objective.frames).rotation_matrix(),
        };
        let unit = h * (std::f64::consts::TAU / curve.period).powi(4);
        Ok(Matrix { solver: Solver::choose(cycle, fixed, memory_limit)?, fixed, masses: objective.law.masses(), unit })
    }

    /// The step, with inertia times `damping` added to A; none if the matrix has no positive inverse.
    fn solve(&mut self, at: &Derivatives, damping: f64) -> Option<Step> {
        let mut weights = at.weights.clone();
        for (place, weight) in weights.iter_mut().enumerate() {
            *weight += damping * self.unit * self.masses[place % self.masses.len()];
        }
        let stage = Stage { stiffness: &at.stiffness, weights: &weights, fixed: self.fixed, damping: 0.0 };
        if !self.solver.factor(&stage) {
            return None;
        }
        let mut p: Vec<Vector3<f64>> = at.gradient.iter().map(|g| -g).collect();
        self.solver.solve(&mut p);
        let z = self.border(at, damping, &mut p)?;
        let slope = dot(&at.gradient, &p) + at.corner_gradient.dot(&z);
        (slope.is_finite() && p.iter().all(|p| p.iter().all(|x| x.is_finite()))).then_some(Step { p, z, slope })
    }

    /// Corrects p = −A⁻¹ ∂L/∂p by the border, and finds e.
    fn border(&self, at: &Derivatives, damping: f64, p: &mut [Vector3<f64>]) -> Option<DVector<f64>> {
        let globals = at.columns.len();
        let columns: Vec<&Vec<Vector3<f64>>> = at.columns.iter().chain(at.row.as_ref().map(|(row, _)| row)).collect();
        if columns.is_empty() {
            return Some(DVector::zeros(0));
        }
        let solved: Vec<Vec<Vector3<f64>>> = columns
            .iter()
            .map(|&column| {
                let mut x = column.clone();
                self.solver.solve(&mut x);
                x
            })
            .collect();
        let corner = DMatrix::from_fn(columns.len(), columns.len(), |k, l| {
            let own = match (k < globals, l < globals) {
                // Marquardt's scaling: z is damped by its own measure. A trace of it keeps what nothing depends on at rest.
                (true, true) if k == l => at.corner[(k, k)] * (1.0 + 1e-3 * damping.min(1e3) + 1e-14) + f64::MIN_POSITIVE,
                (true, true) => at.corner[(k, l)],
                (false, false) => -1.0,
                _ => at.row.as_ref().map_or(0.0, |(_, by_z)| by_z[k.min(l)]),
            };
            own - dot(columns[k], &solved[l])
        });
        let right = DVector::from_fn(columns.len(), |k, _| {
            let own = if k < globals { -at.corner_gradient[k] } else { 0.0 };
            own - dot(columns[k], p)
        });
        let border = corner.lu().solve(&right)?;
        for (k, x) in solved.iter().enumerate() {
            for (p, x) in p.iter_mut().zip(x) {
                *p -= x * border[k];
            }
        }
        Some(border.rows(0, globals).into_owned())
    }
}

fn dot(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
