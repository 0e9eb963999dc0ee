//! The system left to itself but for forces of control: positions from forces, and how they depend on them (Jia et al. 2023, Eq. 24).
//!
//! With O = M/h², E_j = O + H_j, and the same rules as on loops, j = 1 … N (printed n):
//!
//! ```text
//! symplectic: q_{j+1} = 2 q_j − q_{j−1} + O⁻¹ (F(q_j) + u_j)
//! backward:   O (q_{j+1} − 2 q_j + q_{j−1}) − F(q_{j+1}) = u_j           by Newton
//! ```

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use nalgebra::{Matrix3, Vector3};

use super::Rule;
use crate::integrate::force_law::{ForceLaw, Stiffness};
use crate::integrate::implicit::{self, Scheme, Simulation, State};
use crate::solve::blocks::BlockPattern;

/// Newton steps for one step of backward Euler.
const MOST_STEPS: usize = 60;
/// Residual force that counts as none, as a share of what goes in.
const SMALL: f64 = 1e-12;

/// A law with constant forces beside its own.
struct Pushed<'a> {
    law: &'a dyn ForceLaw,
    control: &'a [Vector3<f64>],
}

impl ForceLaw for Pushed<'_> {
    fn masses(&self) -> &[f64] {
        self.law.masses()
    }

    fn pattern(&self) -> &BlockPattern {
        self.law.pattern()
    }

    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        self.law.force(time, q, force);
        force.iter_mut().zip(self.control).for_each(|(force, push)| *force += push);
    }

    fn stiffness(&self, time: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]) {
        self.law.stiffness(time, q, which, values);
    }

    fn energy(&self, time: f64, q: &[Vector3<f64>]) -> f64 {
        self.law.energy(time, q) - q.iter().zip(self.control).map(|(q, push)| q.dot(push)).sum::<f64>()
    }

    fn is_conservative(&self) -> bool {
        self.law.is_conservative()
    }
}

/// A run from two frames: all that does not change from try to try.
pub(super) struct Run<'a> {
    pub law: &'a dyn ForceLaw,
    /// Frames of a period; the run has two more.
    pub frames: usize,
    /// h, seconds.
    pub time_step: f64,
    /// Time of frame 0, seconds.
    pub begin: f64,
    pub rule: Rule,
    /// r₀ and r₁.
    pub start: [Vec<Vector3<f64>>; 2],
}

/// What came of it.
pub(super) struct Path {
    /// Frames 0 … N + 1.
    pub positions: Vec<Vector3<f64>>,
    /// Symplectic: H of each frame, for derivatives.
    stiffness: Vec<Matrix3<f64>>,
    /// Backward: E of frames 2 … N + 1, factored.
    factors: Vec<Lu<usize, f64>>,
}

/// Where a step of backward Euler leads, and E there, if it is kept.
type Reached = (Vec<Vector3<f64>>, Option<Lu<usize, f64>>);

/// Whether derivatives are wanted, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Positions,
    Derivatives,
}

impl Run<'_> {
    fn vertices(&self) -> usize {
        self.law.masses().len()
    }

    /// O of a vertex.
    fn inertia(&self, i: usize) -> f64 {
        self.law.masses()[i] / (self.time_step * self.time_step)
    }

    /// Runs under forces of control of frames 1 … N, frames × vertices; none if positions leave all bounds, or a step cannot be solved.
    pub fn run(&self, control: &[Vector3<f64>], keep: Keep) -> Option<Path> {
        let (n, blocks) = (self.vertices(), self.law.pattern().blocks());
        let mut path = Path { positions: Vec::with_capacity((self.frames + 2) * n), stiffness: Vec::new(), factors: Vec::new() };
        path.positions.extend_from_slice(&self.start[0]);
        path.positions.extend_from_slice(&self.start[1]);
        let mut sparse = Sparse::default();
        let mut force = vec![Vector3::zeros(); n];
        for j in 1..=self.frames {
            let (before, now) = path.positions[(j - 1) * n..].split_at(n);
            let u = &control[(j - 1) * n..j * n];
            let time = self.begin + j as f64 * self.time_step;
            let next = match self.rule {
                Rule::Symplectic => {
                    self.law.force(time, now, &mut force);
                    if keep == Keep::Derivatives {
                        let from = path.stiffness.len();
                        path.stiffness.resize(from + blocks, Matrix3::zeros());
                        self.law.stiffness(time, now, Stiffness::Exact, &mut path.stiffness[from..]);
                    }
                    (0..n).map(|i| now[i] * 2.0 - before[i] + (force[i] + u[i]) / self.inertia(i)).collect()
                }
                Rule::Backward => {
                    let end = time + self.time_step;
                    let (next, factor) = match self.implicit(before, now, u, end, None, keep, &mut sparse) {
                        Some(reached) => reached,
                        None => self.implicit(before, now, u, end, Some(self.simulated(before, now, u, end)?), keep, &mut sparse)?,
                    };
                    path.factors.extend(factor);
                    next
                }
            };
            if !next.iter().all(|q: &Vector3<f64>| q.iter().all(|x| x.is_finite() && x.abs() < 1e100)) {
                return None;
            }
            path.positions.extend_from_slice(&next);
        }
        Some(path)
    }

    /// Where a simulation that minds energies leads, for steps that are too far for Newton's method alone. None if not even that ends.
    fn simulated(&self, before: &[Vector3<f64>], now: &[Vector3<f64>], control: &[Vector3<f64>], end: f64) -> Option<Vec<Vector3<f64>>> {
        let pushed = Pushed { law: self.law, control };
        let velocity = now.iter().zip(before).map(|(now, before)| (now - before) / self.time_step).collect();
        let mut state = State { time: end - self.time_step, q: now.to_vec(), velocity };
        let settings = implicit::Settings { tolerance: 1e-9, ..implicit::Settings::default() };
        let report = Simulation::new(&pushed, settings).ok()?.step(&mut state, self.time_step, Scheme::BackwardEuler).ok()?;
        report.converged.then_some(state.q)
    }

    /// One step of backward Euler, by Newton with shorter steps where they do not bring the residual down; from `near` or from where it coasts to.
    #[allow(clippy::too_many_arguments)]
    fn implicit(
        &self,
        before: &[Vector3<f64>],
        now: &[Vector3<f64>],
        control: &[Vector3<f64>],
        time: f64,
        near: Option<Vec<Vector3<f64>>>,
        keep: Keep,
        sparse: &mut Sparse,
    ) -> Option<Reached> {
        let n = self.vertices();
        let mut stiffness = vec![Matrix3::zeros(); self.law.pattern().blocks()];
        let residual = |q: &[Vector3<f64>], out: &mut Vec<Vector3<f64>>| {
            self.law.force(time, q, out);
            for i in 0..n {
                out[i] = (q[i] - now[i] * 2.0 + before[i]) * self.inertia(i) - out[i] - control[i];
            }
            (0..n).map(|i| out[i].norm_squared() / self.inertia(i)).sum::<f64>().sqrt()
        };
        let scale = (0..n).map(|i| self.inertia(i) * (now[i] - before[i]).norm_squared() + control[i].norm_squared() / self.inertia(i));
        let size = (0..n).map(|i| self.inertia(i) * now[i].norm_squared()).sum::<f64>().sqrt();
        let enough = SMALL * scale.sum::<f64>().sqrt() + 1e-14 * size;
        let simulated = near.is_some();
        let mut q = near.unwrap_or_else(|| (0..n).map(|i| now[i] * 2.0 - before[i]).collect());
        let (mut r, mut tried) = (vec![Vector3::zeros(); n], vec![Vector3::zeros(); n]);
        let mut rest = residual(&q, &mut r);
        let mut round = 0;
        while rest > enough {
            round += 1;
            if round > MOST_STEPS || !rest.is_finite() {
                if simulated && rest.is_finite() {
                    break;
                }
                return None;
            }
            let mut moved = None;
            for which in [Stiffness::Exact, Stiffness::Projected] {
                self.law.stiffness(time, &q, which, &mut stiffness);
                let Some(factor) = self.factor(&stiffness, sparse) else { continue };
                let step = solve(&factor, &r, false);
                let mut part = 1.0;
                while part > 1e-3 && moved.is_none() {
                    let next: Vec<Vector3<f64>> = q.iter().zip(&step).map(|(q, d)| q - d * part).collect();
                    let left = residual(&next, &mut tried);
                    if left < rest * (1.0 - 1e-4 * part) {
                        moved = Some((next, left));
                    }
                    part *= 0.5;
                }
                if moved.is_some() {
                    break;
                }
            }
            match moved {
                Some((next, left)) => (q, rest) = (next, left),
                // Round-off: no step helps, and little is left.
                None if simulated || rest <= 1e4 * enough => break,
                None => return None,
            }
            std::mem::swap(&mut r, &mut tried);
        }
        let factor = if keep == Keep::Derivatives {
            self.law.stiffness(time, &q, Stiffness::Exact, &mut stiffness);
            Some(self.factor(&stiffness, sparse)?)
        } else {
            None
        };
        Some((q, factor))
    }

    /// O + H, factored.
    fn factor(&self, stiffness: &[Matrix3<f64>], sparse: &mut Sparse) -> Option<Lu<usize, f64>> {
        let (pattern, n) = (self.law.pattern(), self.vertices());
        let mut triplets = Vec::with_capacity(9 * pattern.blocks());
        for i in 0..n {
            for place in pattern.row(i) {
                let j = pattern.columns()[place] as usize;
                let block = if i == j { stiffness[place] + Matrix3::identity() * self.inertia(i) } else { stiffness[place] };
                for c in 0..3 {
                    triplets.extend((0..3).map(|r| Triplet::new(3 * i + r, 3 * j + c, block[(r, c)])));
                }
            }
        }
        if triplets.iter().any(|t| !t.val.is_finite()) {
            return None;
        }
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(3 * n, 3 * n, &triplets).ok()?;
        if sparse.symbolic.is_none() {
            sparse.symbolic = Some(SymbolicLu::try_new(matrix.symbolic()).ok()?);
        }
        Lu::try_new_with_symbolic(sparse.symbolic.clone()?, matrix.as_ref()).ok()
    }

    /// How the last two frames (N, N + 1) move when the forces of control change by `change`.
    pub fn tangent(&self, path: &Path, change: &[Vector3<f64>]) -> [Vec<Vector3<f64>>; 2] {
        let (n, blocks) = (self.vertices(), self.law.pattern().blocks());
        let mut before = vec![Vector3::zeros(); n];
        let mut now = before.clone();
        for j in 1..=self.frames {
            let du = &change[(j - 1) * n..j * n];
            let next = match self.rule {
                Rule::Symplectic => {
                    let mut pull = vec![Vector3::zeros(); n];
                    self.law.pattern().multiply(&path.stiffness[(j - 1) * blocks..j * blocks], &now, &mut pull);
                    (0..n).map(|i| now[i] * 2.0 - before[i] + (du[i] - pull[i]) / self.inertia(i)).collect()
                }
                Rule::Backward => {
                    let right: Vec<_> = (0..n).map(|i| (now[i] * 2.0 - before[i]) * self.inertia(i) + du[i]).collect();
                    solve(&path.factors[j - 1], &right, false)
                }
            };
            before = std::mem::replace(&mut now, next);
        }
        [before, now]
    }

    /// The transpose of [`Run::tangent`]: what forces of control have to do with weights on the last two frames.
    pub fn adjoint(&self, path: &Path, weights: [&[Vector3<f64>]; 2]) -> Vec<Vector3<f64>> {
        let (n, blocks, pattern) = (self.vertices(), self.law.pattern().blocks(), self.law.pattern());
        let mut out = vec![Vector3::zeros(); self.frames * n];
        // Of frames j + 1 and j + 2: λ, or for the backward rule w = E⁻ᵀ λ.
        let mut next = vec![Vector3::zeros(); n];
        let mut after = next.clone();
        for frame in (2..=self.frames + 1).rev() {
            let mut lambda: Vec<Vector3<f64>> = match frame {
                f if f == self.frames + 1 => weights[1].to_vec(),
                f if f == self.frames => weights[0].to_vec(),
                _ => vec![Vector3::zeros(); n],
            };
            match self.rule {
                Rule::Symplectic => {
                    if frame <= self.frames {
                        let values = &path.stiffness[(frame - 1) * blocks..frame * blocks];
                        for i in 0..n {
                            let by_force = next[i] / self.inertia(i);
                            for place in pattern.row(i) {
                                lambda[pattern.columns()[place] as usize] -= values[place].tr_mul(&by_force);
                            }
                        }
                    }
                    for i in 0..n {
                        lambda[i] += next[i] * 2.0 - after[i];
                        out[(frame - 2) * n + i] = lambda[i] / self.inertia(i);
                    }
                }
                Rule::Backward => {
                    for i in 0..n {
                        lambda[i] += (next[i] * 2.0 - after[i]) * self.inertia(i);
                    }
                    lambda = solve(&path.factors[frame - 2], &lambda, true);
                    out[(frame - 2) * n..(frame - 1) * n].copy_from_slice(&lambda);
                }
            }
            after = std::mem::replace(&mut next, lambda);
        }
        out
    }
}

/// The order of elimination, found once.
#[derive(Default)]
struct Sparse {
    symbolic: Option<SymbolicLu<usize>>,
}

fn solve(factor: &Lu<usize, f64>, right: &[Vector3<f64>], transposed: bool) -> Vec<Vector3<f64>> {
    let mut x = faer::Col::<f64>::from_fn(3 * right.len(), |k| right[k / 3][k % 3]);
    if transposed {
        factor.solve_transpose_in_place(&mut x);
    } else {
        factor.solve_in_place(&mut x);
    }
    (0..right.len()).map(|i| Vector3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2])).collect()
}
