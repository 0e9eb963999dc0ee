//! Integrators: from shapes and momenta to poses.

pub mod momentum_match;
pub mod variational;
