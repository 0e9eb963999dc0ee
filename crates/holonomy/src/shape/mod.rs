//! Shapes and how they change: points, curves, surfaces, rigs, and the [`Clip`] that is one of them over time.

pub mod clip;
pub mod rig;

pub use clip::{Clip, Playback, Topology};
pub use rig::{Bone, Joint, Rig};
