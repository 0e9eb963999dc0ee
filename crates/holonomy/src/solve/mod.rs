//! Solvers.

pub mod newton;
