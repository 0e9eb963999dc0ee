//! Newton's method for the velocities of a step: at most [`MOST`] equations, whose derivatives dual numbers give.

use super::dual::{Dual, Scalar};
use super::{Balance, Momenta, Nonholonomic};

/// Joints and symmetry directions together.
pub(super) const MOST: usize = 8;

/// Iterations: about six are usual, all but the first without a new Jacobian.
const ITERATIONS: usize = 40;

/// A step of this size, relative to velocities and 1, is the last if its Jacobian was new: convergence is quadratic then.
const SMALL: f64 = 1e-9;

/// And one of this size is the last in any case.
const LEAST: f64 = 1e-14;

/// A Jacobian is taken anew if a step is not this much smaller than the one before.
const SHRINK: f64 = 0.05;

/// Which equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Those of an interval.
    Interval,
    /// Those of the node at its end.
    Node,
}

type Square = [[f64; MOST]; MOST];

/// The velocities at which nothing is left of the equations, near a guess; with all derivatives that the scalar carries.
pub(super) fn solve<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
    balance: &Balance<'_, V, S, R, B>,
    stage: Stage,
    rates: &[S; R],
    along: &[S; B],
) -> Option<([S; R], [S; B])> {
    const { assert!(R + B <= MOST, "a vehicle may have 8 joints and symmetry directions together") };
    let plain = balance.map(Scalar::value);
    let (mut u, mut c) = (rates.map(Scalar::value), along.map(Scalar::value));
    let mut inverse = inverse_at(&plain, stage, &u, &c)?;
    let (mut new, mut before) = (true, f64::INFINITY);
    for _ in 0..ITERATIONS {
        let (du, dc) = times(&inverse, &residual(&plain, stage, &u, &c));
        u = std::array::from_fn(|i| u[i] - du[i]);
        c = std::array::from_fn(|b| c[b] - dc[b]);
        let scale = u.iter().chain(&c).fold(1.0, |most: f64, x| most.max(x.abs()));
        let size = du.iter().chain(&dc).fold(0.0, |most: f64, x| most.max(x.abs())) / scale;
        if u.iter().chain(&c).any(|x| !x.is_finite()) {
            return None;
        }
        if size <= LEAST || (new && size <= SMALL) {
            return with_derivatives(balance, &plain, stage, u, c);
        }
        new = size > SHRINK * before;
        if new {
            inverse = inverse_at(&plain, stage, &u, &c)?;
        }
        before = size;
    }
    None
}

/// With the Jacobian of the solution, each pass makes one more order of derivatives right.
fn with_derivatives<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
    balance: &Balance<'_, V, S, R, B>,
    plain: &Balance<'_, V, f64, R, B>,
    stage: Stage,
    u: [f64; R],
    c: [f64; B],
) -> Option<([S; R], [S; B])> {
    let (mut velocity, mut speed) = (u.map(S::from), c.map(S::from));
    if S::ORDER == 0 {
        return Some((velocity, speed));
    }
    let inverse = inverse_at(plain, stage, &u, &c)?;
    for _ in 0..S::ORDER {
        let (du, dc) = times(&inverse, &residual(balance, stage, &velocity, &speed));
        velocity = std::array::from_fn(|i| velocity[i] - du[i]);
        speed = std::array::from_fn(|b| speed[b] - dc[b]);
    }
    Some((velocity, speed))
}

fn residual<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
    balance: &Balance<'_, V, S, R, B>,
    stage: Stage,
    u: &[S; R],
    c: &[S; B],
) -> Momenta<S, R, B> {
    match stage {
        Stage::Interval => balance.interval(u, c),
        Stage::Node => balance.node(u, c),
    }
}

/// The inverse of the residual's Jacobian: equations by rows, joints before symmetry directions in both.
fn inverse_at<V: Nonholonomic<R, B>, const R: usize, const B: usize>(
    balance: &Balance<'_, V, f64, R, B>,
    stage: Stage,
    u: &[f64; R],
    c: &[f64; B],
) -> Option<Square> {
    let mut jacobian = [[0.0; MOST]; MOST];
    let by_rates = residual(&balance.map(Dual::<f64, R>::constant), stage, &Dual::directions(u), &Dual::constants(c));
    for (row, entry) in by_rates.joints.iter().map(|e| e.slopes).chain(by_rates.along.iter().map(|e| e.slopes)).enumerate() {
        jacobian[row][..R].copy_from_slice(&entry);
    }
    if B > 0 {
        let by_along = residual(&balance.map(Dual::<f64, B>::constant), stage, &Dual::constants(u), &Dual::directions(c));
        for (row, entry) in by_along.joints.iter().map(|e| e.slopes).chain(by_along.along.iter().map(|e| e.slopes)).enumerate() {
            jacobian[row][R..R + B].copy_from_slice(&entry);
        }
    }
    inverse(jacobian, R + B)
}

fn times<S: Scalar, const R: usize, const B: usize>(inverse: &Square, rest: &Momenta<S, R, B>) -> ([S; R], [S; B]) {
    let entry = |row: usize| {
        let by_joints = (0..R).fold(S::from(0.0), |sum, i| sum + rest.joints[i] * inverse[row][i]);
        (0..B).fold(by_joints, |sum, b| sum + rest.along[b] * inverse[row][R + b])
    };
    (std::array::from_fn(entry), std::array::from_fn(|b| entry(R + b)))
}

/// Gauss and Jordan, the greatest entry of each column as its pivot; `None` if there is no inverse.
fn inverse(mut a: Square, n: usize) -> Option<Square> {
    let mut inverse = [[0.0; MOST]; MOST];
    for i in 0..n {
        inverse[i][i] = 1.0;
    }
    for k in 0..n {
        let pivot = (k..n).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        a.swap(k, pivot);
        inverse.swap(k, pivot);
        let scale = 1.0 / a[k][k];
        if !scale.is_finite() {
            return None;
        }
        for j in 0..n {
            a[k][j] *= scale;
            inverse[k][j] *= scale;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i][k];
            for j in 0..n {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    Some(inverse)
}
