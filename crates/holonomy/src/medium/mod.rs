//! What the surroundings do to a body.

pub mod metric;
pub mod preset;

pub use metric::{Metric, MetricFrame};
pub use preset::Medium;
