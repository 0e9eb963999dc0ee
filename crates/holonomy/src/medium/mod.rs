//! What the surroundings do to a body.

pub mod added_mass;
mod bones;
pub mod metric;
pub mod preset;

pub use added_mass::{AddedMass, AddedMassState, FluidDensity, FluidInertia};
pub use metric::{Metric, MetricFrame};
pub use preset::Medium;
