//! Solvers.

pub mod newton;
pub mod quadratic;
pub mod riccati;
