//! A strictly convex quadratic program in a few variables, with as many inequalities as one likes.
//!
//! ```text
//! min ½ (x − x₀)ᵀ A (x − x₀)    such that    a_j · x ≥ b_j
//! ```
//!
//! By the dual active-set method of Goldfarb and Idnani (1983): begin at the free minimum x₀; while some inequality is violated, bring the
//! worst one in, and let go of those that block the way. At most N are active at a time, and the minimum grows with each exchange, so it
//! ends. Nothing is allocated.
//!
//! The root of the compliance, A⁻¹ = W Wᵀ, does away with units: with x = x₀ + W y and c_j = Wᵀ a_j it is the point y of least norm with
//! c_j · y ≥ b_j − a_j · x₀, and each c_j is brought to length 1.
//!
//! | here | Goldfarb and Idnani | meaning |
//! |---|---|---|
//! | c, C = Q R | n⁺, N | normal of the inequality that comes in; those of the active ones, factorised |
//! | u | u | multipliers |
//! | `across` | z | what of c the active ones leave free: the way of y |
//! | `exchange` | r | share of each active multiplier that c takes over |

use nalgebra::{SMatrix, SVector};

/// The inequality `normal · x ≥ bound`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inequality<const N: usize> {
    /// a.
    pub normal: SVector<f64, N>,
    /// b.
    pub bound: f64,
}

/// W, a root of the compliance A⁻¹ = W Wᵀ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compliance<const N: usize>(SMatrix<f64, N, N>);

/// An inequality that holds with equality, and its multiplier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Active<const N: usize> {
    /// Which one, as named by the caller.
    pub index: usize,
    /// The inequality.
    pub inequality: Inequality<N>,
    /// λ ≥ 0, with A (x − x₀) = Σ λ a.
    pub multiplier: f64,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No inequality is violated.
    Solved,
    /// No x satisfies them all, or one is not finite.
    Infeasible,
    /// Too many exchanges: inequalities that differ by round-off take each other's place.
    GaveUp,
}

/// The minimum; if it was not found, the last point on the way: that of the inequalities active then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimum<const N: usize> {
    /// x.
    pub place: SVector<f64, N>,
    /// How it ended.
    pub outcome: Outcome,
    active: [Option<Active<N>>; N],
}

impl<const N: usize> Minimum<N> {
    /// The active inequalities, at most N.
    pub fn active(&self) -> impl Iterator<Item = &Active<N>> {
        self.active.iter().flatten()
    }

    /// Σ λ a: what the inequalities push with.
    pub fn push(&self) -> SVector<f64, N> {
        self.active().map(|active| active.inequality.normal * active.multiplier).sum()
    }
}

impl<const N: usize> Compliance<N> {
    /// Of A, by its symmetric part; `None` unless that is positive definite.
    pub fn of_stiffness(stiffness: &SMatrix<f64, N, N>) -> Option<Compliance<N>> {
        let (scale, lower) = lower_root(stiffness)?;
        if (0..N).any(|i| lower[(i, i)] == 0.0) {
            return None;
        }
        // A = S L Lᵀ S, so A⁻¹ = S⁻¹ L⁻ᵀ L⁻¹ S⁻¹: solve Lᵀ X = 1 from the last row up, W = S⁻¹ X.
        let mut root = SMatrix::<f64, N, N>::identity();
        for column in 0..N {
            for i in (0..N).rev() {
                let rest: f64 = (i + 1..N).map(|k| lower[(k, i)] * root[(k, column)]).sum();
                root[(i, column)] = (root[(i, column)] - rest) / lower[(i, i)];
            }
        }
        Some(Compliance(SMatrix::from_fn(|i, k| root[(i, k)] / scale[i])))
    }

    /// Of A⁻¹ itself, by its symmetric part, which may be singular: nothing moves x where it is zero. `None` if it is not finite or has a
    /// negative diagonal.
    pub fn of_inverse(inverse: &SMatrix<f64, N, N>) -> Option<Compliance<N>> {
        let (scale, lower) = lower_root(inverse)?;
        Some(Compliance(SMatrix::from_fn(|i, k| lower[(i, k)] * scale[i])))
    }

    /// A⁻¹ p.
    pub fn apply(&self, push: &SVector<f64, N>) -> SVector<f64, N> {
        self.0 * self.0.tr_mul(push)
    }

    /// The minimum. `worst` names the most violated inequality at a place, and its normal and bound; `None` where none is violated by more than
    /// the caller minds. It must answer the same for the same place.
    pub fn minimise(
        &self,
        free: &SVector<f64, N>,
        mut worst: impl FnMut(&SVector<f64, N>) -> Option<(usize, Inequality<N>)>,
    ) -> Minimum<N> {
        let mut basis = Basis::new();
        let outcome = loop {
            let Some((index, inequality)) = worst(&(free + self.0 * basis.place)) else { break Outcome::Solved };
            let normal = self.0.tr_mul(&inequality.normal);
            let length = normal.norm();
            let bound = (inequality.bound - inequality.normal.dot(free)) / length;
            // What round-off leaves where nothing gives, in whatever units.
            let terms = self.0.abs().tr_mul(&inequality.normal.abs()).norm();
            if !(length > ROUND_OFF * terms && bound.is_finite()) {
                break Outcome::Infeasible;
            }
            let newcomer = Side { index, inequality, length, normal: normal / length, bound, multiplier: 0.0 };
            if let Err(outcome) = basis.bring_in(newcomer) {
                break outcome;
            }
        };
        if outcome != Outcome::Solved {
            basis.settle();
        }
        let mut active = [None; N];
        for (slot, side) in active.iter_mut().zip(basis.sides.iter().flatten()) {
            *slot = Some(Active { index: side.index, inequality: side.inequality, multiplier: side.multiplier / side.length });
        }
        Minimum { place: free + self.0 * basis.place, outcome, active }
    }
}

/// S and L with S L Lᵀ S = `matrix`, S diagonal, L lower triangular with rows of length 1: so what counts as singular does not hang on units.
/// Where it is singular, a column of L is zero.
fn lower_root<const N: usize>(matrix: &SMatrix<f64, N, N>) -> Option<(SVector<f64, N>, SMatrix<f64, N, N>)> {
    if !(0..N).all(|i| matrix[(i, i)] >= 0.0) || !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let scale = SVector::<f64, N>::from_fn(|i, _| if matrix[(i, i)] > 0.0 { matrix[(i, i)].sqrt() } else { 1.0 });
    let mut lower = SMatrix::<f64, N, N>::zeros();
    for k in 0..N {
        for i in k..N {
            let entry = 0.5 * (matrix[(i, k)] + matrix[(k, i)]) / (scale[i] * scale[k]);
            let rest = entry - (0..k).map(|m| lower[(i, m)] * lower[(k, m)]).sum::<f64>();
            if i > k {
                lower[(i, k)] = rest / lower[(k, k)];
            } else if rest > SINGULAR {
                lower[(k, k)] = rest.sqrt();
            } else {
                break;
            }
        }
    }
    Some((scale, lower))
}

/// Pivot of a matrix with unit diagonal below which it is singular: round-off alone leaves some 1e-15.
const SINGULAR: f64 = 1e-14;

/// More exchanges than this happen only by round-off among inequalities that are level.
const MOST_EXCHANGES: usize = 200;

/// What a unit normal leaves free of the active ones, below which it hangs on them.
const DEPENDENT: f64 = 1e-9;

/// Share of a sum that is round-off.
const ROUND_OFF: f64 = 1e-13;

/// An inequality in the variables y, its normal of length 1.
#[derive(Clone, Copy)]
struct Side<const N: usize> {
    index: usize,
    inequality: Inequality<N>,
    /// |Wᵀ a|, by which it was divided.
    length: f64,
    /// c.
    normal: SVector<f64, N>,
    bound: f64,
    /// u.
    multiplier: f64,
}

/// The active inequalities, the first `count` of `sides`; their normals as Q R; and y, the point of least norm on all of them.
struct Basis<const N: usize> {
    sides: [Option<Side<N>>; N],
    count: usize,
    orthogonal: SMatrix<f64, N, N>,
    upper: SMatrix<f64, N, N>,
    place: SVector<f64, N>,
    exchanges: usize,
}

impl<const N: usize> Basis<N> {
    fn new() -> Self {
        let (orthogonal, upper) = (SMatrix::zeros(), SMatrix::zeros());
        Basis { sides: [None; N], count: 0, orthogonal, upper, place: SVector::zeros(), exchanges: 0 }
    }

    /// Goldfarb and Idnani 1983, Sec. 3, step 2: goes to the point of least norm on `new` and what stays of the active ones.
    fn bring_in(&mut self, mut new: Side<N>) -> Result<(), Outcome> {
        loop {
            self.exchanges += 1;
            if self.exchanges > MOST_EXCHANGES {
                return Err(Outcome::GaveUp);
            }
            let (along, across) = self.split(&new.normal);
            let exchange = self.solve_upper(&along);
            let free = across.norm_squared();
            let independent = self.count < N && free > DEPENDENT * DEPENDENT;
            // How far `new` is pushed until it holds, and until an active one lets go.
            let holds = if independent { (new.bound - new.normal.dot(&self.place)) / free } else { f64::INFINITY };
            let mut leaves = (f64::INFINITY, 0);
            for (i, side) in self.sides.iter().flatten().enumerate() {
                let share = side.multiplier / exchange[i];
                if exchange[i] > ROUND_OFF && share < leaves.0 {
                    leaves = (share, i);
                }
            }
            let step = holds.min(leaves.0);
            if !step.is_finite() {
                return Err(Outcome::Infeasible);
            }
            // Already held, but for round-off.
            let step = step.max(0.0);
            new.multiplier += step;
            for (i, side) in self.sides.iter_mut().flatten().enumerate() {
                side.multiplier = (side.multiplier - step * exchange[i]).max(0.0);
            }
            if holds <= leaves.0 {
                self.push(new, &along, &across);
                return Ok(());
            }
            if independent {
                self.place += across * step;
            }
            self.remove(leaves.1);
        }
    }

    /// What of a vector lies along the active normals, in the columns of Q, and what lies across. Twice, so that the rest is across to round-off.
    fn split(&self, vector: &SVector<f64, N>) -> (SVector<f64, N>, SVector<f64, N>) {
        let (mut along, mut across) = (SVector::zeros(), *vector);
        for _ in 0..2 {
            for i in 0..self.count {
                let column = self.orthogonal.column(i);
                let part = column.dot(&across);
                across -= column * part;
                along[i] += part;
            }
        }
        (along, across)
    }

    /// R⁻¹ b.
    fn solve_upper(&self, b: &SVector<f64, N>) -> SVector<f64, N> {
        let mut x = SVector::zeros();
        for i in (0..self.count).rev() {
            let rest: f64 = (i + 1..self.count).map(|k| self.upper[(i, k)] * x[k]).sum();
            x[i] = (b[i] - rest) / self.upper[(i, i)];
        }
        x
    }

    fn push(&mut self, side: Side<N>, along: &SVector<f64, N>, across: &SVector<f64, N>) {
        let rest = across.norm();
        self.append(side, along, across, rest);
        self.settle();
    }

    fn append(&mut self, side: Side<N>, along: &SVector<f64, N>, across: &SVector<f64, N>, rest: f64) {
        let k = self.count;
        self.upper.set_column(k, along);
        self.upper[(k, k)] = rest;
        self.orthogonal.set_column(k, &(across / rest));
        self.sides[k] = Some(side);
        self.count += 1;
    }

    /// Lets go of one, and factorises the others again: N is small.
    fn remove(&mut self, which: usize) {
        let sides = self.sides;
        (self.sides, self.count) = ([None; N], 0);
        for (_, side) in sides.into_iter().flatten().enumerate().filter(|&(i, _)| i != which) {
            let (along, across) = self.split(&side.normal);
            let rest = across.norm();
            self.append(side, &along, &across, rest);
        }
    }

    /// y and u afresh from the active inequalities, so that round-off of the exchanges does not add up: y = Q R⁻ᵀ d, R u = R⁻ᵀ d.
    fn settle(&mut self) {
        let mut share = SVector::<f64, N>::zeros();
        for i in 0..self.count {
            let rest: f64 = (0..i).map(|k| self.upper[(k, i)] * share[k]).sum();
            share[i] = (self.sides[i].map_or(0.0, |side| side.bound) - rest) / self.upper[(i, i)];
        }
        self.place = self.orthogonal.columns(0, self.count) * share.rows(0, self.count);
        let multipliers = self.solve_upper(&share);
        for (i, side) in self.sides.iter_mut().flatten().enumerate() {
            side.multiplier = multipliers[i].max(0.0);
        }
    }
}
