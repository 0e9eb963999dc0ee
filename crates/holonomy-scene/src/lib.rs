//! The outside world of Holonomy: scene files and assets in, results out. Only this crate knows file formats.
//!
//! [`asset`] reads glTF, OBJ and BVH into a [`holonomy::shape::Clip`]; [`scene`] is the TOML model; [`job`] runs a
//! scene, [`sweep`] many variations of one; [`export`] makes its files.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! use holonomy_scene::job::Job;
//! use holonomy_scene::scene::Scene;
//!
//! let scene = Scene::from_toml("title = \"A snake\"\n[body.snake]\n[system.shape-change]\nanisotropy = 0.05\n", "snake.toml")?;
//! let job = Job::prepare("snake", scene.with_override("cycles", "2")?, Path::new("."))?; // files are looked for from there
//! let (motion, _wall) = job.solve(&mut |_, _| ControlFlow::Continue(()))?; // `Job::run` also makes glTF, picture, page and table
//! assert!(motion.tracks[0].poses.last().is_some_and(|pose| pose.translation.norm() > 0.3)); // metres
//! # Ok::<(), holonomy_scene::Error>(())
//! ```

pub mod asset;
mod digest;
pub mod error;
pub mod examples;
pub mod export;
mod gait;
mod inner;
mod input;
pub mod job;
mod loaded;
pub mod looks;
pub mod memory;
mod notes;
mod physics;
pub mod picture;
pub mod plot;
pub mod result;
pub mod scene;
pub mod suggest;
pub mod sweep;
pub mod words;

pub use error::{Error, IoAction};
