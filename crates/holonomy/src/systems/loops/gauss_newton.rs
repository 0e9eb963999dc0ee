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

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::curve::{Curve, Objective};
use super::derivatives::Derivatives;
use super::secants::{Both, Secants};
use super::watch::Watch;
use super::{Outcome, Phase, Progress, Settings};
use crate::Error;
use crate::integrate::force_law::Stiffness;
use crate::solve::periodic::{Kind, Solver, Stage};

/// Share of the expected gain that a step must bring (Armijo).
const GAIN: f64 = 1e-4;
/// Halvings of a step before the matrix is made rounder instead.
const HALVINGS: usize = 12;
/// Damping to begin with where it is needed, of the inertia at the loop's own frequency.
const FIRST_DAMPING: f64 = 1e-6;
/// Damping to begin with where a mesh is large: far from a loop its steps are good as long as they do not turn its elements far.
const LARGE_DAMPING: f64 = 1e3;
/// Damping that makes steps shorter.
const STRONG: f64 = 1e-3;
/// Share of a step that need not be made shorter the next time.
const LONG: f64 = 0.4;
/// What conjugate gradients may leave of a step, and their iterations: what they have not found by then is for the next step.
const INEXACT: (f64, usize) = (3e-2, 40);
/// The same where a border needs solves that agree.
const BORDERED: (f64, usize) = (1e-8, 2000);
/// Damping that is left where nothing else holds the loop as a whole.
const LEAST_DAMPING: f64 = 1e-12;
/// Expected gain, as a share of the loss, that cannot be told from none.
const NOTHING: f64 = 1e-14;
/// Gain, as a share of what is left, below which the descent is slow.
const SLOW: f64 = 0.1;
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
    /// Which way the linear systems were solved, and why.
    pub method: String,
}

/// Goes down from `curve` as far as it gets.
pub(super) fn descend(objective: &Objective, mut curve: Curve, settings: &Settings, watch: &Watch) -> Result<Ended, Error> {
    objective.settle(&mut curve);
    let mut residuals = vec![Vector3::zeros(); curve.positions.len()];
    let mut loss = objective.loss(&curve, &mut residuals);
    if !loss.is_finite() {
        let reason =
            "the first guess has no finite loss: in some frame two vertices are in one place, or it leaves all bounds; give another";
        return Err(Error::BrokeDown { what: "frame", index: 0, reason });
    }
    let mut history = vec![loss];
    if settings.max_iterations == 0 {
        return Ok(Ended { curve, residuals, outcome: Outcome::OutOfIterations, history, method: String::new() });
    }
    let left = room_beside(objective, settings)?;
    let mut derivatives = objective.workspace();
    let mut tried = (curve.clone(), residuals.clone());
    let (mut damping, least) = if held(objective) { (0.0, 0.0) } else { (FIRST_DAMPING, LEAST_DAMPING) };
    let (mut matrix, mut secants): (Option<Solver>, _) = (None, Secants::default());
    let mut positive = Vec::new();
    let mut learnt: Option<(Both, Both)> = None;
    let mut outcome = Outcome::OutOfIterations;
    for iteration in 0..settings.max_iterations {
        if watch.tell(&Progress { phase: Phase::Descending, iteration, value: loss }).is_break() {
            outcome = Outcome::Interrupted;
            break;
        }
        objective.derivatives(&curve, &residuals, &mut derivatives);
        let gradient = Both { p: derivatives.gradient.clone(), z: derivatives.corner_gradient.clone() };
        match learnt.take() {
            Some((step, before)) => secants.learn(step, &before, &gradient),
            None => secants.clear(),
        }
        if matrix.is_none() || objective.globals() > 0 {
            let mut solver = Solver::choose(&objective.cycle(&curve), left)?;
            let (tolerance, limit) = if derivatives.columns.is_empty() && derivatives.row.is_none() { INEXACT } else { BORDERED };
            solver.set_tolerance(tolerance, limit);
            if matrix.is_none() && solver.kind() == Kind::Iterative {
                positive.resize(derivatives.stiffness.len(), Matrix3::zeros());
                damping = LARGE_DAMPING;
            }
            matrix = Some(solver);
        }
        let Some(solver) = &mut matrix else { break };
        if !positive.is_empty() {
            objective.stiffness(&curve, Stiffness::Projected, &mut positive);
        }
        let taken = loop {
            let step = newton_step(solver, &derivatives, &positive, damping, &gradient, &secants, watch)?;
            if watch.is_stopped() {
                break None;
            }
            let taken = step.and_then(|step| search(objective, &curve, loss, step, &gradient, &mut tried));
            // With little damping, a step that promises nothing is the end; with much, it promises nothing because of that.
            let end = damping <= STRONG && taken.as_ref().is_some_and(|taken| taken.factor == 0.0);
            if end || taken.as_ref().is_some_and(|taken| taken.factor > 0.0) || damping >= MOST_DAMPING {
                break taken;
            }
            secants.clear();
            damping = (damping * 100.0).max(FIRST_DAMPING);
        };
        if watch.is_stopped() {
            outcome = Outcome::Interrupted;
            break;
        }
        let firm = damping <= STRONG;
        let Some(Taken { step, factor, reached, promised }) = taken.filter(|taken| firm || taken.factor > 0.0) else {
            outcome = Outcome::Stalled;
            break;
        };
        if factor > 0.0 {
            std::mem::swap(&mut curve, &mut tried.0);
            std::mem::swap(&mut residuals, &mut tried.1);
        }
        let gained = loss - reached;
        loss = reached;
        history.push(loss);
        let still = factor > 0.2 && is_still(objective, &curve, &step, settings.tolerance);
        let nothing = gained == 0.0 || promised <= NOTHING * loss;
        if firm && (nothing || still) || loss <= round_off(objective, &curve) {
            outcome = Outcome::Converged;
            break;
        }
        // What was learnt elsewhere misleads where steps come out short, or are made short.
        let learn = gained < SLOW * loss && (damping <= STRONG || positive.is_empty()) && (factor > 0.2 || secants.is_empty());
        damping = match factor {
            1.0.. if damping * 0.1 < LEAST_DAMPING => least,
            1.0.. => damping * 0.1,
            LONG.. => damping,
            _ if !secants.is_empty() => damping,
            _ => (damping * 10.0).max(STRONG),
        };
        learnt = learn.then_some((step, gradient));
    }
    let method = matrix.as_ref().map_or_else(String::new, Solver::describe);
    Ok(Ended { curve, residuals, outcome, history, method })
}

/// Memory that is left for the solver beside the derivatives, bytes: the stiffness of all frames, twice where steps are taken with a positive one.
fn room_beside(objective: &Objective, settings: &Settings) -> Result<usize, Error> {
    let stiffness = (objective.frames * objective.law.pattern().blocks()).saturating_mul(2 * size_of::<Matrix3<f64>>());
    let vectors = (objective.frames * objective.vertices()).saturating_mul((objective.globals() + 8) * size_of::<Vector3<f64>>());
    let (needed, allowed) = (stiffness.saturating_add(vectors), settings.memory_limit);
    let fix = "allow more, or take fewer frames or vertices";
    let too_much = Error::Memory { what: "the stiffness of all frames of the loop", needed, allowed, fix };
    allowed.checked_sub(needed).ok_or(too_much)
}

/// A step that was taken.
struct Taken {
    /// As long as it was taken.
    step: Both,
    /// Share of what was proposed; zero if no step can be told from none.
    factor: f64,
    reached: f64,
    /// The loss's fall along the proposed step, to first order.
    promised: f64,
}

/// The longest of ever shorter steps that brings the loss down as it should (Armijo): Alg. 1, line 6. None if there is none.
fn search(
    objective: &Objective,
    curve: &Curve,
    loss: f64,
    mut step: Both,
    gradient: &Both,
    (tried, residuals): &mut (Curve, Vec<Vector3<f64>>),
) -> Option<Taken> {
    let promised = -gradient.dot(&step);
    let mut factor = longest(objective, curve, &step);
    for _ in 0..HALVINGS {
        objective.moved(curve, factor, &step.p, &step.z, tried);
        let reached = objective.loss(tried, residuals);
        if promised >= 0.0 && reached <= loss - GAIN * factor * promised {
            step.scale(factor);
            return Some(Taken { step, factor, reached, promised });
        }
        factor *= 0.5;
    }
    // Where round-off moves the loss more than steps do, none that matters was left out.
    let noise = 10.0 * NOTHING * loss + 2.0 * (loss * round_off(objective, curve)).sqrt();
    step.scale(0.0);
    (promised.abs() <= noise).then_some(Taken { step, factor: 0.0, reached: loss, promised })
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

/// The loss that round-off of positions alone makes: residual forces that are zero but for the last digit of 4 m p/h².
fn round_off(objective: &Objective, curve: &Curve) -> f64 {
    let (h, masses) = (curve.period / objective.frames as f64, objective.law.masses());
    let squares: f64 = curve.positions.iter().enumerate().map(|(place, p)| masses[place % masses.len()] * p.norm_squared()).sum();
    0.5 * h * squares * (4.0 * f64::EPSILON / (h * h)).powi(2)
}

/// How much of a step can be tried at first.
fn longest(objective: &Objective, curve: &Curve, step: &Both) -> f64 {
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

/// Whether a step is none: of p beside the loop's size, of T beside itself.
fn is_still(objective: &Objective, curve: &Curve, step: &Both, tolerance: f64) -> bool {
    let length = step.p.iter().fold(0.0_f64, |most, d| most.max(d.amax()));
    let still = !objective.free_period || step.z[0].abs() <= tolerance * curve.period;
    still && length <= tolerance * size(curve, objective.vertices())
}

/// The step, with inertia times `damping` added to A; none if the matrix has no positive inverse.
fn newton_step(
    solver: &mut Solver,
    at: &Derivatives,
    positive: &[Matrix3<f64>],
    damping: f64,
    gradient: &Both,
    secants: &Secants,
    watch: &Watch,
) -> Result<Option<Both>, Error> {
    // Damping is measured by the loop's own frequency, as A sees it: h (2π/T)⁴ M.
    let measure = (std::f64::consts::TAU / solver.cycle().frames as f64).powi(4);
    let positive = if positive.is_empty() { &at.stiffness } else { positive };
    let stage = Stage { stiffness: &at.stiffness, positive, weights: &at.weights, damping: damping * measure };
    if !solver.factor(&stage)? {
        return Ok(None);
    }
    let step = secants.step(gradient, |right| {
        let Both { mut p, z } = right;
        solver.solve_until(&stage, &mut p, &|| watch.asks_to_stop())?;
        Ok::<_, Error>(border(solver, &stage, at, &mut p, &z, watch)?.map(|z| Both { p, z }))
    })?;
    Ok(step.filter(|step| step.p.iter().all(|p| p.iter().all(|x| x.is_finite())) && step.z.iter().all(|x| x.is_finite())))
}

/// Corrects p = A⁻¹ r by the border, and finds e, where `right` is below r.
fn border(
    solver: &mut Solver,
    stage: &Stage,
    at: &Derivatives,
    p: &mut [Vector3<f64>],
    right: &DVector<f64>,
    watch: &Watch,
) -> Result<Option<DVector<f64>>, Error> {
    let globals = at.columns.len();
    let columns: Vec<&Vec<Vector3<f64>>> = at.columns.iter().chain(at.row.as_ref().map(|(row, _)| row)).collect();
    if columns.is_empty() {
        return Ok(Some(DVector::zeros(0)));
    }
    let mut solved: Vec<Vec<Vector3<f64>>> = columns.iter().map(|&column| column.clone()).collect();
    for x in &mut solved {
        solver.solve_until(stage, x, &|| watch.asks_to_stop())?;
    }
    let corner = DMatrix::from_fn(columns.len(), columns.len(), |k, l| {
        let own = match (k < globals, l < globals) {
            (true, true) if k == l => at.corner[(k, k)] + stage.damping * at.measure[k],
            (true, true) => at.corner[(k, l)],
            (false, false) => -1.0,
            _ => at.row.as_ref().map_or(0.0, |(_, by_z)| by_z[k.min(l)]),
        };
        own - dot(columns[k], &solved[l])
    });
    let rest = DVector::from_fn(columns.len(), |k, _| {
        let own = if k < globals { right[k] } else { 0.0 };
        own - dot(columns[k], p)
    });
    let Some(border) = corner.lu().solve(&rest) else { return Ok(None) };
    for (k, x) in solved.iter().enumerate() {
        for (p, x) in p.iter_mut().zip(x) {
            *p -= x * border[k];
        }
    }
    Ok(Some(border.rows(0, globals).into_owned()))
}

fn dot(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
