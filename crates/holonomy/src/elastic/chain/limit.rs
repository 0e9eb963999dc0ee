//! The largest stable time step.
//!
//! Symplectic Euler with explicit damping is stable while 4M − 2Δt D − Δt² K is positive definite: with ω² the largest eigenvalue of M⁻¹K and c that of M⁻¹D,
//! Δt < (√(c² + 4ω²) − c)/ω². Here ω is found by Lanczos's method from the initial stiffness of each kind of block with all of its nodes free, which
//! is an upper bound for the chain: gluing nodes to segments only takes motions away and adds mass. c = 4γ/ρ, that of one element, bounds
//! any mesh of them.
//!
//! ```text
//! dP = μ (dF + dFᵀ) + Λ tr(dF) I         of an initial shape
//! ```

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::ChainState;
use super::grid::Grid;
use super::kernel::LANES;
use super::{Chain, ChainSettings};
use crate::random::Random;

/// Steps of Lanczos's method, at most. Its largest value comes from below, but fast; long bars are stable at the limit it gives (`long_bars_are_stable_at_their_limit`).
const STEPS: usize = 80;

/// What is given away for that.
const SAFETY: f64 = 0.98;

/// How many tetrahedra each node belongs to.
pub(super) fn counts(grid: &Grid) -> Vec<f64> {
    let mut counts = vec![0.0; grid.nodes()];
    for t in grid.tetrahedra.iter().flatten() {
        // The path's ends are in one edge each, the nodes between in two.
        let mut corners = [t.edges[0][0], t.edges[0][1], t.edges[1][0], t.edges[1][1], t.edges[2][0], t.edges[2][1]];
        corners.sort_unstable();
        let mut last = None;
        for n in corners {
            if last != Some(n) {
                counts[n as usize] += 1.0;
                last = Some(n);
            }
        }
    }
    counts
}

/// Seconds; infinite where nothing is elastic.
pub(super) fn largest_step(grid: &Grid, settings: &ChainSettings) -> f64 {
    let damping = 4.0 * settings.damping.rate();
    let counts = counts(grid);
    let mut known: Vec<(Vector3<f64>, f64)> = Vec::new();
    for size in &settings.blocks {
        if !known.iter().any(|(other, _)| other == size) {
            known.push((*size, highest(grid, settings, size, &counts)));
        }
    }
    known.iter().map(|(_, square)| SAFETY * ((damping * damping + 4.0 * square).sqrt() - damping) / square).fold(f64::INFINITY, f64::min)
}

/// ω² of a block, 1/s², by Lanczos's method in the metric of the masses: the largest eigenvalue of its tridiagonal matrix.
fn highest(grid: &Grid, settings: &ChainSettings, size: &Vector3<f64>, counts: &[f64]) -> f64 {
    let [cx, cy, cz] = grid.cells.map(|count| count as f64);
    // Layers go back.
    let step = size.component_div(&Vector3::new(-cx, cy, cz));
    let volume = step.product().abs() / 6.0;
    let masses: Vec<f64> = counts.iter().map(|count| count * settings.material.density * volume / 4.0).collect();
    let product = |a: &[Vector3<f64>], b: &[Vector3<f64>]| a.iter().zip(b).zip(&masses).map(|((a, b), m)| a.dot(b) * m).sum::<f64>();
    let mut random = Random(1);
    let mut now: Vec<Vector3<f64>> = counts.iter().map(|_| Vector3::from_fn(|_, _| random.signed())).collect();
    let norm = product(&now, &now).sqrt();
    now.iter_mut().for_each(|x| *x /= norm);
    let mut before = vec![Vector3::zeros(); now.len()];
    let (mut diagonal, mut beside) = (Vec::new(), vec![0.0]);
    for _ in 0..STEPS.min(3 * now.len()) {
        let mut next = stiffness(grid, settings, &step, &now);
        next.iter_mut().zip(&masses).for_each(|(f, m)| *f /= *m);
        let (along, back) = (product(&now, &next), beside[diagonal.len()]);
        next.iter_mut().zip(&now).zip(&before).for_each(|((x, now), before)| *x -= now * along + before * back);
        let size = product(&next, &next).sqrt();
        diagonal.push(along);
        beside.push(size);
        // All that the start has parts of is found.
        if size <= 1e-9 * along.abs() {
            break;
        }
        next.iter_mut().for_each(|x| *x /= size);
        before = std::mem::replace(&mut now, next);
    }
    let tridiagonal = DMatrix::from_fn(diagonal.len(), diagonal.len(), |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.max(j)],
        _ => 0.0,
    });
    tridiagonal.symmetric_eigenvalues().max()
}

/// K of an initial shape, times small displacements.
fn stiffness(grid: &Grid, settings: &ChainSettings, step: &Vector3<f64>, shape: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let ((mu, lambda), volume) = (settings.material.lame(), step.product().abs() / 6.0);
    let mut force = vec![Vector3::zeros(); shape.len()];
    for t in grid.tetrahedra.iter().flatten() {
        let columns = [0, 1, 2].map(|axis| (shape[t.edges[axis][1] as usize] - shape[t.edges[axis][0] as usize]) / step[axis]);
        let change = Matrix3::from_columns(&columns);
        let stress = (change + change.transpose()) * mu + Matrix3::from_diagonal_element(lambda * change.trace());
        for axis in 0..3 {
            let pull = stress.column(axis) * (volume / step[axis]);
            force[t.edges[axis][1] as usize] += pull;
            force[t.edges[axis][0] as usize] -= pull;
        }
    }
    force
}

impl Chain {
    /// The largest time step that is stable at the initial shape, s: two per cent less than what Lanczos's method finds. Infinite without soft blocks.
    /// Muscles far from their initial lengths and strong compression make it less.
    pub fn largest_step(&self) -> f64 {
        self.largest_step
    }

    /// The longest step that is stable as the chain is now, seconds. The law stiffens where elements are stretched: with their mean stretch s, its second derivative by
    /// about s⁴, and so the limit falls by s².
    pub fn stable_step(&self, state: &ChainState) -> f64 {
        let mut sums = [3.0; LANES];
        for [now, _] in &state.stretch {
            for (most, sum) in sums.iter_mut().zip(now) {
                *most = if *sum > *most { *sum } else { *most };
            }
        }
        let most = sums.iter().copied().fold(3.0, f64::max) / 3.0;
        self.largest_step * state.muscle_factors.iter().copied().fold(1.0, f64::min) / (most * most)
    }
}
