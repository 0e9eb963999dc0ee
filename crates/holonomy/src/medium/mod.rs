//! What the surroundings do to a body.

pub mod buoyancy;
pub mod flow_field;
pub mod load;
pub mod metric;
pub mod preset;
pub mod surface_force;

pub use flow_field::FlowField;
pub use load::Load;
pub use metric::{Metric, MetricFrame};
pub use preset::Medium;
pub use surface_force::{Fluid, Fluids, Sides, SurfaceForce};
