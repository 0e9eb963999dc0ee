//! Principal components of a shape change, in time proportional to the clip's length (never a frames × frames matrix).
//!
//! 1. Greedy basis: take the frame whose worst vertex is farthest off, make its remainder a new direction, take that direction out of all
//!    frames; repeat until no vertex is off by more than half the tolerance (the strong greedy method of reduced bases: Binev et al.
//!    2011, "Convergence rates for greedy algorithms in reduced basis methods"). The bound holds for every vertex of every frame.
//! 2. Within that basis, rotate to the principal axes: eigenvectors of the small matrix of the coefficients.
//! 3. Drop the least axes while every vertex stays within the tolerance.
//!
//! Symbols: D the frames' offsets from the base shape (frames × 3·vertices; normals may stand beside the positions as more vertices), B the basis (orthonormal rows), C = D Bᵀ.

use holonomy::nalgebra::{DMatrix, SymmetricEigen};
use rayon::prelude::*;

/// A basis of a shape change: frame k is the base shape plus Σⱼ weight(k, j) · direction j, up to the tolerance.
pub(super) struct Components {
    /// Orthonormal, most important first, each as long as a frame.
    pub directions: Vec<Vec<f32>>,
    /// Per frame, one weight per direction, metres.
    pub weights: Vec<Vec<f64>>,
}

/// The fewest principal components that keep every vertex of every frame within `tolerance` (metres) of `offsets` (frames × `width`).
pub(super) fn principal(offsets: Vec<f32>, width: usize, tolerance: f64) -> Components {
    let mut rest = offsets;
    let (basis, coefficients) = greedy_basis(&mut rest, width, 0.5 * tolerance);
    let (mut axes, mut scores) = principal_axes(&basis, &coefficients, rest.len() / width);
    while let Some(axis) = axes.last() {
        let column: Vec<f64> = scores.iter().map(|row| row[axes.len() - 1]).collect();
        if add(&mut rest, axis, &column).1 > 0.8 * tolerance {
            break;
        }
        axes.pop();
    }
    scores.iter_mut().for_each(|row| row.truncate(axes.len()));
    Components { directions: axes, weights: scores }
}

/// Orthonormal directions, and for each its coefficient in every frame; leaves in `rest` what they do not explain.
fn greedy_basis(rest: &mut [f32], width: usize, tolerance: f64) -> (Vec<Vec<f32>>, Vec<Vec<f64>>) {
    let frames = rest.len() / width;
    let (mut basis, mut coefficients): (Vec<Vec<f32>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut worst, mut error) = worst_of(rest.par_chunks_exact(width).map(greatest_square).collect());
    while basis.len() < frames && error > tolerance {
        let mut direction = rest[worst * width..(worst + 1) * width].to_vec();
        for earlier in &basis {
            let overlap = dot(&direction, earlier);
            direction.iter_mut().zip(earlier).for_each(|(x, e)| *x -= overlap as f32 * e);
        }
        let length = dot(&direction, &direction).sqrt();
        if length == 0.0 {
            break;
        }
        direction.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        let column: Vec<f64> = rest.par_chunks_exact(width).map(|row| dot(row, &direction)).collect();
        let negated: Vec<f64> = column.iter().map(|c| -c).collect();
        (worst, error) = add(rest, &direction, &negated);
        basis.push(direction);
        coefficients.push(column);
    }
    (basis, coefficients)
}

/// The basis turned to its principal axes, most important first, and per frame the scores along them.
fn principal_axes(basis: &[Vec<f32>], coefficients: &[Vec<f64>], frames: usize) -> (Vec<Vec<f32>>, Vec<Vec<f64>>) {
    let (count, width) = (basis.len(), basis.first().map_or(0, Vec::len));
    if count == 0 {
        return (Vec::new(), vec![Vec::new(); frames]);
    }
    let c = DMatrix::from_fn(frames, count, |k, j| coefficients[j][k]);
    let eigen = SymmetricEigen::new(c.tr_mul(&c));
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let turn = DMatrix::from_fn(count, count, |i, j| eigen.eigenvectors[(i, order[j])]);
    let scores = &c * &turn;
    let axes = (0..count)
        .map(|j| {
            let mut axis = vec![0.0f64; width];
            for (i, direction) in basis.iter().enumerate() {
                let weight = turn[(i, j)];
                axis.iter_mut().zip(direction).for_each(|(x, b)| *x += weight * f64::from(*b));
            }
            axis.iter().map(|&x| x as f32).collect()
        })
        .collect();
    (axes, scores.row_iter().map(|row| row.iter().copied().collect()).collect())
}

/// Adds `column[k]` times `direction` to frame k. Gives the frame whose worst vertex is then farthest off, and how far.
fn add(rest: &mut [f32], direction: &[f32], column: &[f64]) -> (usize, f64) {
    let frames = rest.par_chunks_exact_mut(direction.len().max(1)).zip(column);
    let squares = frames.map(|(row, &c)| {
        let c = c as f32;
        row.iter_mut().zip(direction).for_each(|(x, d)| *x += c * d);
        greatest_square(row)
    });
    worst_of(squares.collect())
}

fn greatest_square(row: &[f32]) -> f32 {
    row.chunks_exact(3).map(|v| v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).fold(0.0, f32::max)
}

/// The first frame with the greatest square, and its root.
fn worst_of(squares: Vec<f32>) -> (usize, f64) {
    let worst = squares.iter().enumerate().fold((0, 0.0f32), |worst, (k, &square)| if square > worst.1 { (k, square) } else { worst });
    (worst.0, f64::from(worst.1).sqrt())
}

/// Inner product, in eight running sums so that it vectorises.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0f64; 8];
    let (a, b) = (a.chunks(8), b.chunks(8));
    for (a, b) in a.zip(b) {
        for (sum, (x, y)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += f64::from(*x) * f64::from(*y);
        }
    }
    sums.iter().sum()
}
