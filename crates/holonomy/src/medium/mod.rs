//! What the surroundings do to a body.

pub mod added_mass;
mod bones;
pub mod buoyancy;
pub mod contact;
pub mod flow_field;
pub mod frame;
pub mod ground;
pub mod laying;
pub mod load;
pub mod metric;
mod noise;
pub mod obstacle;
pub mod preset;
mod solid_mesh;
pub mod surface_force;
pub mod terrain;

/// Acceleration of free fall where nothing else is said, m/s².
pub const GRAVITY: f64 = 9.81;

pub use added_mass::{AddedMass, AddedMassState, FluidDensity, FluidInertia};
pub use contact::{Bearing, Contact, Held, Moving};
pub use flow_field::FlowField;
pub use frame::{MetricFrame, Sample};
pub use ground::{Floor, Ground, HeightField, Hills, Relief};
pub use laying::{Laid, Stance};
pub use load::{Load, carried, surge};
pub use metric::Metric;
pub use noise::Noise;
pub use preset::Medium;
pub use solid_mesh::SolidMesh;
pub use surface_force::{Fluid, Fluids, Secant, SecantStep, Sides, SurfaceForce};
pub use terrain::Terrain;
