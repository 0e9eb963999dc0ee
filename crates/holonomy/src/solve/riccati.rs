//! Newton's equations of an optimal control problem, stage by stage (a Riccati recursion).
//!
//! Stage k has a state with N and controls with M degrees of freedom. With steps x, u of these, t of the one quantity that all stages share (the size of the
//! time step, where it is free) and weights by the names of [`Stage`]:
//!
//! ```text
//! least      Σ ½xᵀXx + uᵀUx + ½uᵀRu + xᵀ(q + a t) + uᵀ(r + b t)  +  ½w t² + ω t
//! such that  x⁺ = A x + B u + c t + d,   x₀ = 0,   E x_N = e
//! ```
//!
//! The cost still to come is a quadratic function of x, of t and of the multipliers ν of the end, V = ½xᵀPx + xᵀ(p + Ψν + πt) + …, so one pass from the last
//! stage to the first and one back find all. The work is linear in the number of stages, where a general sparse solver would have to find that out.

use nalgebra::{SMatrix, SVector};
use pulp::Arch;

use super::dense::{product, transposed_product};

/// One stage of the problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage<const N: usize, const M: usize> {
    /// A.
    pub a: SMatrix<f64, N, N>,
    /// B.
    pub b: SMatrix<f64, N, M>,
    /// c.
    pub by_time: SVector<f64, N>,
    /// d.
    pub gap: SVector<f64, N>,
    /// X.
    pub xx: SMatrix<f64, N, N>,
    /// U.
    pub ux: SMatrix<f64, M, N>,
    /// R.
    pub uu: SMatrix<f64, M, M>,
    /// q.
    pub x: SVector<f64, N>,
    /// r.
    pub u: SVector<f64, M>,
    /// a.
    pub xt: SVector<f64, N>,
    /// b.
    pub ut: SVector<f64, M>,
}

/// The end of the problem, and what is said about t.
#[derive(Debug, Clone, PartialEq)]
pub struct End<const N: usize> {
    /// X of the last state.
    pub xx: SMatrix<f64, N, N>,
    /// q of the last state.
    pub x: SVector<f64, N>,
    /// E. Rows that ask for nothing are those with `fixed` false.
    pub constraint: SMatrix<f64, N, N>,
    /// e.
    pub miss: SVector<f64, N>,
    /// Which rows of E count.
    pub fixed: [bool; N],
    /// w and ω, if t is free.
    pub time: Option<[f64; 2]>,
}

/// The solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps<const N: usize, const M: usize> {
    /// x of each node, one more than there are stages.
    pub x: Vec<SVector<f64, N>>,
    /// u of each stage.
    pub u: Vec<SVector<f64, M>>,
    /// t.
    pub t: f64,
    /// Multipliers of the stages' equations: entry k belongs to node k; entry 0 to x₀ = 0.
    pub multipliers: Vec<SVector<f64, N>>,
    /// ν: those of the end.
    pub end: SVector<f64, N>,
}

/// What the way back leaves for the way forth.
#[derive(Debug, Clone, Copy)]
struct Policy<const N: usize, const M: usize> {
    constant: SVector<f64, M>,
    by_x: SMatrix<f64, M, N>,
    by_end: SMatrix<f64, M, N>,
    by_t: SVector<f64, M>,
}

/// Why there is no solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// More of some control is ever better, to second order, at this stage: the weights must be made rounder.
    Unbounded(usize),
    /// The end cannot be reached from the start, to first order.
    Unreachable,
    /// A number was not finite.
    NotFinite,
}

/// A workspace that is used again from solve to solve.
#[derive(Debug, Clone)]
pub struct Riccati<const N: usize, const M: usize> {
    policies: Vec<Policy<N, M>>,
    /// The solution of the last solve.
    pub steps: Steps<N, M>,
}

/// The cost still to come.
struct ToCome<const N: usize> {
    xx: SMatrix<f64, N, N>,
    x: SVector<f64, N>,
    /// Ψ and π.
    by_end: SMatrix<f64, N, N>,
    by_t: SVector<f64, N>,
    /// Of ν and ν; of ν; of ν and t; of t and t; of t.
    end_end: SMatrix<f64, N, N>,
    end: SVector<f64, N>,
    end_t: SVector<f64, N>,
    t_t: f64,
    t: f64,
}

impl<const N: usize, const M: usize> Riccati<N, M> {
    /// For a problem of that many stages.
    pub fn new(stages: usize) -> Self {
        let policy = Policy { constant: SVector::zeros(), by_x: SMatrix::zeros(), by_end: SMatrix::zeros(), by_t: SVector::zeros() };
        let steps = Steps {
            x: vec![SVector::zeros(); stages + 1],
            u: vec![SVector::zeros(); stages],
            t: 0.0,
            multipliers: vec![SVector::zeros(); stages + 1],
            end: SVector::zeros(),
        };
        Riccati { policies: vec![policy; stages], steps }
    }

    /// Solves the problem into `steps`. `rounder` is added to the diagonal of X and R.
    ///
    /// # Errors
    /// The problem has no least cost, or its end is out of reach.
    pub fn solve(&mut self, stages: &[Stage<N, M>], end: &End<N>, rounder: f64) -> Result<(), Failure> {
        // The same sums with the widest registers that the machine has.
        Arch::new().dispatch(|| self.solved(stages, end, rounder))
    }

    #[inline(always)]
    fn solved(&mut self, stages: &[Stage<N, M>], end: &End<N>, rounder: f64) -> Result<(), Failure> {
        let free = end.time.is_some();
        let mut to_come = ToCome::at_end(end, rounder);
        for (k, (stage, policy)) in stages.iter().zip(&mut self.policies).enumerate().rev() {
            *policy = to_come.back(stage, rounder, free).ok_or(Failure::Unbounded(k))?;
        }
        let (ends, t) = to_come.parameters(end)?;
        (self.steps.end, self.steps.t) = (ends, t);
        self.steps.x[0] = SVector::zeros();
        for (k, (stage, policy)) in stages.iter().zip(&self.policies).enumerate() {
            let x = self.steps.x[k];
            let u = -(policy.constant + product(&policy.by_x, &x) + product(&policy.by_end, &ends) + policy.by_t * t);
            self.steps.u[k] = u;
            self.steps.x[k + 1] = product(&stage.a, &x) + product(&stage.b, &u) + stage.by_time * t + stage.gap;
        }
        let last = stages.len();
        let mut multiplier = end.xx * self.steps.x[last] + self.steps.x[last] * rounder + end.x + end.masked().tr_mul(&ends);
        self.steps.multipliers[last] = multiplier;
        for (k, stage) in stages.iter().enumerate().rev() {
            let (x, u) = (&self.steps.x[k], &self.steps.u[k]);
            let own = product(&stage.xx, x) + x * rounder + transposed_product(&stage.ux, u) + stage.x + stage.xt * t;
            multiplier = own + transposed_product(&stage.a, &multiplier);
            self.steps.multipliers[k] = multiplier;
        }
        let finite = multiplier.iter().chain(self.steps.x[last].iter()).all(|value| value.is_finite());
        if finite { Ok(()) } else { Err(Failure::NotFinite) }
    }
}

impl<const N: usize> End<N> {
    /// E without the rows that ask for nothing.
    fn masked(&self) -> SMatrix<f64, N, N> {
        let mut constraint = self.constraint;
        for (i, _) in self.fixed.iter().enumerate().filter(|(_, fixed)| !**fixed) {
            constraint.row_mut(i).fill(0.0);
        }
        constraint
    }
}

impl<const N: usize> ToCome<N> {
    fn at_end(end: &End<N>, rounder: f64) -> Self {
        let [t_t, t] = end.time.unwrap_or_default();
        let miss = SVector::from_fn(|i, _| if end.fixed[i] { -end.miss[i] } else { 0.0 });
        ToCome {
            xx: end.xx + SMatrix::identity() * rounder,
            x: end.x,
            by_end: end.masked().transpose(),
            by_t: SVector::zeros(),
            end_end: SMatrix::zeros(),
            end: miss,
            end_t: SVector::zeros(),
            t_t,
            t,
        }
    }

    /// Takes one stage more into account; what its controls will be.
    #[inline(always)]
    fn back<const M: usize>(&mut self, stage: &Stage<N, M>, rounder: f64, free: bool) -> Option<Policy<N, M>> {
        let (a, b) = (&stage.a, &stage.b);
        let (pa, pb) = (product(&self.xx, a), product(&self.xx, b));
        let behind = product(&self.xx, &stage.gap) + self.x;
        let uu = stage.uu + SMatrix::identity() * rounder + transposed_product(b, &pb);
        let factor = uu.cholesky()?;
        let ux = stage.ux + transposed_product(b, &pa);
        let u = stage.u + transposed_product(b, &behind);
        let u_end = transposed_product(b, &self.by_end);
        let inverse = factor.inverse();
        let mut policy = Policy {
            constant: product(&inverse, &u),
            by_x: product(&inverse, &ux),
            by_end: product(&inverse, &u_end),
            by_t: SVector::zeros(),
        };
        if free {
            let along = product(&self.xx, &stage.by_time) + self.by_t;
            let u_t = stage.ut + transposed_product(b, &along);
            policy.by_t = product(&inverse, &u_t);
            self.t += self.by_t.dot(&stage.gap) + stage.by_time.dot(&behind) - u_t.dot(&policy.constant);
            self.t_t += stage.by_time.dot(&along) + stage.by_time.dot(&self.by_t) - u_t.dot(&policy.by_t);
            self.end_t += transposed_product(&self.by_end, &stage.by_time) - transposed_product(&policy.by_end, &u_t);
            self.by_t = stage.xt + transposed_product(a, &along) - transposed_product(&ux, &policy.by_t);
        }
        let (by_x, by_end) = (policy.by_x.transpose(), policy.by_end.transpose());
        self.end += transposed_product(&self.by_end, &stage.gap) - product(&by_end, &u);
        self.end_end -= product(&by_end, &u_end);
        self.by_end = transposed_product(a, &self.by_end) - product(&by_x, &u_end);
        self.x = stage.x + transposed_product(a, &behind) - product(&by_x, &u);
        let xx = stage.xx + transposed_product(a, &pa) - product(&by_x, &ux);
        self.xx = (xx + xx.transpose()) * 0.5;
        for i in 0..N {
            self.xx[(i, i)] += rounder;
        }
        Some(policy)
    }

    /// ν and t, where the cost to come from x₀ = 0 is stationary.
    fn parameters(&self, end: &End<N>) -> Result<(SVector<f64, N>, f64), Failure> {
        let mut reach = -self.end_end;
        let size = reach.diagonal().amax();
        for i in 0..N {
            if end.fixed[i] {
                reach[(i, i)] += size * REACH;
            } else {
                reach[(i, i)] = 1.0;
            }
        }
        let factor = reach.cholesky().ok_or(Failure::Unreachable)?;
        let without_t = factor.solve(&self.end);
        let Some([_, _]) = end.time else { return Ok((without_t, 0.0)) };
        let per_t = factor.solve(&self.end_t);
        let curvature = self.t_t + self.end_t.dot(&per_t);
        if curvature <= 0.0 {
            return Err(Failure::Unbounded(0));
        }
        let t = -(self.t + self.end_t.dot(&without_t)) / curvature;
        Ok((without_t + per_t * t, t))
    }
}

/// Directions that controls reach less than this part as well as the best are taken as out of their reach.
const REACH: f64 = 1e-14;
