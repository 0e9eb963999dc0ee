//! The outside world of Holonomy: scene files and assets in, results out. Only this crate knows file formats.
//!
//! [`asset`] reads glTF, OBJ and BVH into a [`holonomy::shape::Clip`]; [`scene`] is the TOML model; [`export`] writes results.

pub mod asset;
pub mod error;
pub mod export;
pub mod picture;
pub mod plot;
pub mod scene;

pub use error::Error;
