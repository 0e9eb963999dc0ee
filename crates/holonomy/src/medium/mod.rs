//! What the surroundings do to a body.

pub mod frame;
pub mod metric;
pub mod preset;

pub use frame::{MetricFrame, Sample};
pub use metric::Metric;
pub use preset::Medium;
