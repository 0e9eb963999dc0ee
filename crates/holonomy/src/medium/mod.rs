//! What the surroundings do to a body.

pub mod added_mass;
mod bones;
pub mod frame;
pub mod metric;
pub mod preset;

pub use added_mass::{AddedMass, AddedMassState, FluidDensity, FluidInertia};
pub use frame::{MetricFrame, Sample};
pub use metric::Metric;
pub use preset::Medium;
