//! Solvers.

pub mod blocks;
pub(crate) mod dense;
pub mod newton;
pub mod periodic;
pub mod quadratic;
pub mod riccati;
