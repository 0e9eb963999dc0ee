//! The systems, one per kind of physics. Each is thin: its `run` reads like its paper's algorithm.

pub mod comparison;
pub mod creature;
pub mod flow;
pub mod loops;
pub mod plan;
pub mod shape_change;
pub mod vehicle;

pub use flow::Flow;
pub use shape_change::ShapeChange;
