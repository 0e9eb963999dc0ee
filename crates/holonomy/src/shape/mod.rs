//! Shapes and how they change: points, curves, surfaces, rigs, and the [`Clip`] that is one of them over time.

pub mod clip;
pub mod curve;
pub mod inertia;
pub(crate) mod lanes;
pub mod mass;
mod moving_points;
mod note;
pub mod pieces;
pub mod rig;
pub mod surface;

pub use clip::{Clip, JointTurns, Playback, Shape, Topology};
pub use inertia::{Inertia, Material, PrincipalAxes};
pub use mass::MassRule;
pub use moving_points::MovingPoints;
pub use note::Note;
pub(crate) use note::keep;
pub use pieces::Pieces;
pub use rig::{Bone, Joint, Rig};
