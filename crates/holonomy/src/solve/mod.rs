//! Solvers.

pub mod newton;
pub mod quadratic;
