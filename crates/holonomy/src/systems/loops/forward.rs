//! The system left to itself but for forces of control: positions from forces, and how they depend on them (Jia et al. 2023, Eq. 24).
//!
//! With O = M/h², E_j = O + H_j, and the same rules as on loops, j = 1 … N (printed n):
//!
//! ```text
//! symplectic: q_{j+1} = 2 q_j − q_{j−1} + O⁻¹ (F(q_j) + u_j)
//! backward:   O (q_{j+1} − 2 q_j + q_{j−1}) − F(q_{j+1}) = u_j           by Newton, as if it had been faster by h M⁻¹ u_j
//! ```

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use nalgebra::{Matrix3, Vector3};

use super::Rule;
use crate::integrate::force_law::{ForceLaw, Stiffness};
use crate::integrate::implicit::{self, Scheme, Simulation, State};

/// Correction of a velocity that ends Newton's method, m/s.
const SMALL: f64 = 1e-7;

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
    /// Memory that an implicit step may take, bytes.
    pub memory_limit: usize,
    /// Whether to stop; asked before each step.
    pub stop: &'a dyn Fn() -> bool,
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

    /// Runs under forces of control of frames 1 … N, frames × vertices; none if positions leave all bounds, or if it is stopped.
    pub fn run(&self, control: &[Vector3<f64>], keep: Keep) -> Option<Path> {
        let (n, blocks) = (self.vertices(), self.law.pattern().blocks());
        let mut path = Path { positions: Vec::with_capacity((self.frames + 2) * n), stiffness: Vec::new(), factors: Vec::new() };
        path.positions.extend_from_slice(&self.start[0]);
        path.positions.extend_from_slice(&self.start[1]);
        let mut stepper = self.stepper()?;
        let mut stiffness = vec![Matrix3::zeros(); blocks];
        let mut sparse = Sparse::default();
        for j in 1..=self.frames {
            if (self.stop)() {
                return None;
            }
            let u = &control[(j - 1) * n..j * n];
            if keep == Keep::Derivatives && self.rule == Rule::Symplectic {
                self.law.stiffness(stepper.state.time, &stepper.state.q, Stiffness::Exact, &mut stiffness);
                path.stiffness.extend_from_slice(&stiffness);
            }
            for (i, velocity) in stepper.state.velocity.iter_mut().enumerate() {
                *velocity += u[i] * (self.time_step / self.law.masses()[i]);
            }
            path.positions.extend_from_slice(stepper.step()?);
            if keep == Keep::Derivatives && self.rule == Rule::Backward {
                self.law.stiffness(stepper.state.time, &stepper.state.q, Stiffness::Exact, &mut stiffness);
                path.factors.push(self.factor(&stiffness, &mut sparse)?);
            }
        }
        Some(path)
    }

    /// Steps from frame 1 on.
    pub fn stepper(&self) -> Option<Stepper<'_>> {
        let velocity = self.start[1].iter().zip(&self.start[0]).map(|(now, before)| (now - before) / self.time_step).collect();
        let state = State { time: self.begin + self.time_step, q: self.start[1].clone(), velocity };
        let settings = implicit::Settings { tolerance: SMALL, memory_limit: self.memory_limit, ..implicit::Settings::default() };
        let scheme = if self.rule == Rule::Symplectic { Scheme::SymplecticEuler } else { Scheme::BackwardEuler };
        Some(Stepper { simulation: Simulation::new(self.law, settings).ok()?, state, scheme, time_step: self.time_step })
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

/// A simulation under way.
pub(super) struct Stepper<'a> {
    simulation: Simulation<'a, dyn ForceLaw + 'a>,
    pub state: State,
    scheme: Scheme,
    time_step: f64,
}

impl Stepper<'_> {
    /// One step further, as near as it gets; none if positions leave all bounds.
    pub fn step(&mut self) -> Option<&[Vector3<f64>]> {
        let before = self.state.time;
        self.simulation.step(&mut self.state, self.time_step, self.scheme).ok()?;
        let bounded = self.state.q.iter().all(|q| q.iter().all(|x| x.is_finite() && x.abs() < 1e100));
        (bounded && self.state.time > before).then_some(&self.state.q)
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
