//! The largest stable time step.
//!
//! Symplectic Euler with explicit damping is stable while 4M − 2Δt D − Δt² K is positive definite: with ω² the largest eigenvalue of M⁻¹K and c that of M⁻¹D,
//! Δt < (√(c² + 4ω²) − c)/ω². Here ω is found by the power iteration on the initial stiffness of each kind of block with all of its nodes free, which
//! is an upper bound for the chain: gluing nodes to segments only takes motions away and adds mass. c = 4γ/ρ, that of one element, bounds
//! any mesh of them.
//!
//! ```text
//! dP = μ (dF + dFᵀ) + Λ tr(dF) I         of an initial shape
//! ```

use nalgebra::{Matrix3, Vector3};

use super::ChainState;
use super::grid::Grid;
use super::{Chain, ChainSettings};
use crate::random::Random;

/// The power iteration comes from below: it ends where ω² grows by less than this part of it.
const ENDS: f64 = 1e-5;

/// And at the latest after so many.
const MOST: usize = 2000;

/// What is given away for its not having ended.
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

/// ω² of a block, 1/s².
fn highest(grid: &Grid, settings: &ChainSettings, size: &Vector3<f64>, counts: &[f64]) -> f64 {
    let [cx, cy, cz] = grid.cells.map(|count| count as f64);
    let step = size.component_div(&Vector3::new(-cx, cy, cz));
    let volume = step.product().abs() / 6.0;
    let mut random = Random(1);
    let mut shape: Vec<Vector3<f64>> = counts.iter().map(|_| Vector3::from_fn(|_, _| random.signed())).collect();
    let mut force = vec![Vector3::zeros(); shape.len()];
    let (mu, lambda) = settings.material.lame();
    let mut square = 0.0;
    for _ in 0..MOST {
        force.fill(Vector3::zeros());
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
        // M⁻¹K of the shape, and the Rayleigh quotient.
        let mass = settings.material.density * volume / 4.0;
        let above: f64 = shape.iter().zip(&force).map(|(x, f)| x.dot(f)).sum();
        let below: f64 = shape.iter().zip(counts).map(|(x, count)| x.norm_squared() * count * mass).sum();
        let found = above / below;
        for ((x, f), count) in shape.iter_mut().zip(&force).zip(counts) {
            *x = f / (count * mass * found);
        }
        let settled = (found - square).abs() < ENDS * found;
        square = found;
        if settled {
            break;
        }
    }
    square
}

impl Chain {
    /// The largest time step that is stable at the initial shape, s: an estimate by the power iteration, less two per cent. Infinite without soft blocks.
    /// Muscles far from their initial lengths and strong compression make it less.
    pub fn largest_step(&self) -> f64 {
        self.largest_step
    }

    /// The longest step that is stable as the chain is now, seconds. The law stiffens where elements are stretched: with their mean stretch s, its second derivative by
    /// about s⁴, and so the limit falls by s².
    pub fn stable_step(&self, state: &ChainState) -> f64 {
        let most = state.stretch.iter().flatten().copied().fold(3.0, f64::max) / 3.0;
        self.largest_step * state.muscle_factor / (most * most)
    }
}
