//! A mechanical system of vertices, M q̈ = F(t, q): what simulation forward in time and loops (Jia et al. 2023, Eq. 1) ask of it.
//!
//! Only vertices that are free to move are unknowns; those that are held or led by hand are part of the law, which may depend on time for their sake.

use nalgebra::{Matrix3, Vector3};

use crate::solve::blocks::BlockPattern;

/// Which derivative of a force is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stiffness {
    /// The derivative itself.
    Exact,
    /// With what is not positive semidefinite taken out, element by element: for Newton's method far from a solution.
    Projected,
}

/// A mechanical system of free vertices with lumped masses.
pub trait ForceLaw: Sync {
    /// Mass of each vertex, kg; all positive.
    fn masses(&self) -> &[f64];

    /// Which vertices act on which.
    fn pattern(&self) -> &BlockPattern;

    /// F(t, q), written to `force`; newtons.
    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]);

    /// H = −∂F/∂q, written to `values` in the order of [`ForceLaw::pattern`]. Not symmetric where a force has no potential (wind).
    fn stiffness(&self, time: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]);

    /// The potential of the forces that have one, J.
    fn energy(&self, time: f64, q: &[Vector3<f64>]) -> f64;

    /// Whether F has the potential [`ForceLaw::energy`], at each fixed time.
    fn is_conservative(&self) -> bool {
        true
    }
}
