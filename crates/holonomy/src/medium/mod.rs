//! What the surroundings do to a body.

pub mod contact;
pub mod metric;
pub mod preset;

pub use contact::Floor;
pub use metric::{Metric, MetricFrame};
pub use preset::Medium;
