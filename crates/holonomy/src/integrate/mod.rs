//! Integrators: from shapes and momenta to poses.

pub mod controlled;
pub mod craft;
pub mod driven;
pub mod force_law;
pub mod implicit;
pub mod momentum_match;
pub mod nonholonomic;
pub mod piloted;
pub mod rigid_body;
pub mod variational;
