//! First guesses of loops (Jia et al. 2023, Sec. 4.3): the system left to itself, and the same with forces of control that lead it back to where it began.
//!
//! With c = (q_N − g r₀, q_{N+1} − g r₁) and G = ½|c|², both made zero step by step:
//!
//! ```text
//! fast projection (Alg. 2, with the sign of the text; docs/ERRATA.md):  δu = −(G/|∇G|²) ∇G
//! closing:                                                             δu = −W Aᵀ (A W Aᵀ)⁻¹ c,   A = ∂c/∂u,  W = M
//! ```
//!
//! G is a square, so near its zero ∇G vanishes with it: the first halves |c| at best, then stalls. The second is Newton's method with the shortest step in
//! the norm of the loss, and converges as such.

use nalgebra::{DMatrix, DVector, Vector3};

use super::forward::{Keep, Path, Run};
use super::watch::Watch;
use super::{Phase, Progress};
use crate::lie::Pose;

/// Up to so many vertices A W Aᵀ is formed; beyond, conjugate gradients multiply by it.
const FORMED: usize = 40;
/// Rounds of conjugate gradients per step.
const ROUNDS: usize = 200;
/// What conjugate gradients leave, as a share.
const LEFT: f64 = 1e-6;
/// Closure that counts as none: G as a share of the squared size.
const CLOSED: f64 = 1e-24;

/// A guess, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Guessed {
    /// Frames × vertices, metres, in the world.
    pub positions: Vec<Vector3<f64>>,
    /// Forces of control of frames 1 … N, newtons.
    pub control: Vec<Vector3<f64>>,
    /// G of each iterate, metres².
    pub closure: Vec<f64>,
    /// Whether the work was stopped.
    pub interrupted: bool,
}

/// How a step of control is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Down the slope of G.
    Scalar,
    /// By all of c at once.
    Vector,
}

/// What is missing at the end of a run.
pub(super) fn gap(run: &Run, path: &Path, pose: &Pose) -> [Vec<Vector3<f64>>; 2] {
    let n = run.start[0].len();
    let one = |k: usize| {
        let reached = &path.positions[(run.frames + k) * n..(run.frames + k + 1) * n];
        reached.iter().zip(&run.start[k]).map(|(q, r)| q - pose.act(r)).collect()
    };
    [one(0), one(1)]
}

/// ½|c|².
pub(super) fn half_square(gap: &[Vec<Vector3<f64>>; 2]) -> f64 {
    0.5 * gap.iter().flatten().map(|c| c.norm_squared()).sum::<f64>()
}

/// Forces of control that lead back; the best of `iterations`. None if not even the run without forces is finite.
pub(super) fn close(run: &Run, pose: &Pose, method: Method, iterations: usize, watch: &Watch) -> Option<Guessed> {
    let n = run.start[0].len();
    let mut control = vec![Vector3::zeros(); run.frames * n];
    let mut path = run.run(&control, Keep::Derivatives)?;
    let mut c = gap(run, &path, pose);
    let mut closure = vec![half_square(&c)];
    let size = path.positions.iter().map(|q| q.norm_squared()).sum::<f64>() / run.frames as f64;
    let mut best = (closure[0], control.clone(), path.positions[..run.frames * n].to_vec());
    let mut interrupted = false;
    for iteration in 0..iterations {
        let g = closure[closure.len() - 1];
        if g <= CLOSED * size {
            break;
        }
        if watch.tell(&Progress { phase: Phase::Closing, iteration, value: g }).is_break() {
            interrupted = true;
            break;
        }
        let Some(step) = (match method {
            Method::Scalar => down(run, &path, &c, g),
            Method::Vector => newton(run, &path, &c),
        }) else {
            break;
        };
        let Some((next, reached)) = advance(run, pose, method, &control, &step, g) else { break };
        control = next;
        path = reached;
        c = gap(run, &path, pose);
        closure.push(half_square(&c));
        if closure[closure.len() - 1] < best.0 {
            best = (closure[closure.len() - 1], control.clone(), path.positions[..run.frames * n].to_vec());
        }
    }
    Some(Guessed { positions: best.2, control: best.1, closure, interrupted: interrupted || watch.is_stopped() })
}

/// Takes a step: as it is, or, for Newton's, as much of it as brings G down.
fn advance(
    run: &Run,
    pose: &Pose,
    method: Method,
    control: &[Vector3<f64>],
    step: &[Vector3<f64>],
    from: f64,
) -> Option<(Vec<Vector3<f64>>, Path)> {
    let mut part = 1.0;
    while part > 1e-3 && !(run.stop)() {
        let next: Vec<Vector3<f64>> = control.iter().zip(step).map(|(u, d)| u + d * part).collect();
        if let Some(path) = run.run(&next, Keep::Derivatives)
            && (method == Method::Scalar || half_square(&gap(run, &path, pose)) < from)
        {
            return Some((next, path));
        }
        part *= 0.5;
    }
    None
}

/// −(G/|∇G|²) ∇G.
fn down(run: &Run, path: &Path, c: &[Vec<Vector3<f64>>; 2], g: f64) -> Option<Vec<Vector3<f64>>> {
    let gradient = run.adjoint(path, [&c[0], &c[1]]);
    let squared: f64 = gradient.iter().map(|x| x.norm_squared()).sum();
    (squared > 0.0 && squared.is_finite()).then(|| gradient.iter().map(|x| x * (-g / squared)).collect())
}

/// −W Aᵀ (A W Aᵀ)⁻¹ c.
fn newton(run: &Run, path: &Path, c: &[Vec<Vector3<f64>>; 2]) -> Option<Vec<Vector3<f64>>> {
    let n = run.start[0].len();
    let right = DVector::from_fn(6 * n, |k, _| -c[k / (3 * n)][k % (3 * n) / 3][k % 3]);
    let multipliers = if n <= FORMED { formed(run, path, &right)? } else { conjugate_gradients(run, path, &right)? };
    let step = weighed(run, path, &multipliers);
    step.iter().all(|x| x.iter().all(|x| x.is_finite())).then_some(step)
}

/// W Aᵀ y.
fn weighed(run: &Run, path: &Path, y: &DVector<f64>) -> Vec<Vector3<f64>> {
    let masses = run.law.masses();
    let n = masses.len();
    let part = |k: usize| -> Vec<Vector3<f64>> { (0..n).map(|i| Vector3::from_fn(|axis, _| y[k * 3 * n + 3 * i + axis])).collect() };
    let mut step = run.adjoint(path, [&part(0), &part(1)]);
    step.iter_mut().enumerate().for_each(|(place, u)| *u *= masses[place % n]);
    step
}

/// (A W Aᵀ)⁻¹ y, by 2m adjoints.
fn formed(run: &Run, path: &Path, right: &DVector<f64>) -> Option<DVector<f64>> {
    let masses = run.law.masses();
    let size = right.len();
    let rows: Vec<Vec<Vector3<f64>>> =
        (0..size).map(|k| weighed(run, path, &DVector::from_fn(size, |i, _| f64::from(u8::from(i == k))))).collect();
    let gram = DMatrix::from_fn(size, size, |k, l| {
        let pairs = rows[k].iter().zip(&rows[l]).enumerate();
        pairs.map(|(place, (a, b))| a.dot(b) / masses[place % masses.len()]).sum::<f64>()
    });
    let trace = gram.trace();
    // What no force can reach is left alone.
    let floor = f64::EPSILON * trace;
    gram.clone().cholesky().or_else(|| (gram + DMatrix::identity(size, size) * floor).cholesky()).map(|factor| factor.solve(right))
}

/// The same, by products.
fn conjugate_gradients(run: &Run, path: &Path, right: &DVector<f64>) -> Option<DVector<f64>> {
    let n = run.law.masses().len();
    let product = |y: &DVector<f64>| {
        let ends = run.tangent(path, &weighed(run, path, y));
        DVector::from_fn(6 * n, |k, _| ends[k / (3 * n)][k % (3 * n) / 3][k % 3])
    };
    let mut x = DVector::zeros(right.len());
    let (mut r, mut direction) = (right.clone(), right.clone());
    let mut rest = r.norm_squared();
    let enough = LEFT * LEFT * rest;
    for _ in 0..ROUNDS {
        if rest <= enough || (run.stop)() {
            break;
        }
        let image = product(&direction);
        let curvature = direction.dot(&image);
        if !(curvature > 0.0 && curvature.is_finite()) {
            break;
        }
        let along = rest / curvature;
        x.axpy(along, &direction, 1.0);
        r.axpy(-along, &image, 1.0);
        let left = r.norm_squared();
        direction = &r + direction * (left / rest);
        rest = left;
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}
