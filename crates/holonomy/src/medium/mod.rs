//! What the surroundings do to a body.

mod bones;
pub mod metric;
pub mod preset;

pub use metric::{Metric, MetricFrame};
pub use preset::Medium;
