//! Shapes and how they change: points, curves, surfaces, rigs, and the [`Clip`] that is one of them over time.

mod bounds;
pub mod clip;
pub mod curve;
pub mod inertia;
pub(crate) mod lanes;
pub mod mass;
pub mod mass_points;
mod note;
pub mod pieces;
mod point_sums;
pub mod rig;
pub mod skin;
pub mod surface;
pub mod turning;

pub use bounds::{bounds, diagonal};
pub use clip::{Clip, JointTurns, Playback, Shape, Topology};
pub use inertia::{Inertia, Material, PrincipalAxes};
pub use mass::MassRule;
pub use mass_points::{MassPoints, MovingMass};
pub use note::Note;
pub(crate) use note::keep;
pub use pieces::Pieces;
pub use rig::{Bone, Joint, Rig};
pub use skin::{Influence, Skin};
pub use turning::{Between, Channel, TurningPart};
