//! The outside world of Holonomy: scene files and assets in, results out. Only this crate knows file formats.
//!
//! [`asset`] reads glTF, OBJ and BVH into a [`holonomy::shape::Clip`]; [`scene`] is the TOML model; [`job`] runs a
//! scene, [`sweep`] many variations of one; [`export`] makes its files.

pub mod asset;
pub mod error;
pub mod examples;
pub mod export;
mod inner;
mod input;
pub mod job;
mod loaded;
pub mod looks;
mod memory;
mod physics;
pub mod picture;
pub mod plot;
pub mod result;
pub mod scene;
pub mod suggest;
pub mod sweep;

pub use error::Error;
