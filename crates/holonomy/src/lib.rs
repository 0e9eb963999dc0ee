//! **Holonomy turns changing shapes into physically right motion.**
//!
//! This crate is pure computation in `f64`: no files, clocks, globals or prints. Data flows one way:
//! a model or asset gives a [`shape::Clip`]; a [`medium`] says what the surroundings do; an integrator places the
//! shapes in the world; every system returns a [`motion::Motion`].
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use holonomy::lie::Pose;
//! use holonomy::models::Snake;
//! use holonomy::shape::MassRule;
//! use holonomy::systems::shape_change::{Law, ShapeChange};
//!
//! // One cycle of a snake's wave, in place; any `Clip` of yours will do.
//! let clip = Snake::default().clip(60.0)?;
//! let job = ShapeChange {
//!     law: Law::LeastDissipation { anisotropy: 0.05 },
//!     masses: MassRule::Natural,
//!     start: Pose::identity(),
//!     cycles: 4,
//! };
//! let motion = job.run(&clip, &mut |_step, _steps| ControlFlow::Continue(()))?;
//!
//! let travel = motion.tracks[0].poses[motion.frames() - 1].translation;
//! assert!(travel.z > 1.0, "the snake looks along +Z and goes there: {travel}");
//! assert!(motion.checks.iter().all(|check| check.pass()));
//! # Ok::<(), holonomy::Error>(())
//! ```
//!
//! Conventions: right-handed, +Y up, metres, seconds, kilograms, radians. Twists and momenta are ordered (angular, linear).

pub mod error;
pub mod integrate;
pub mod lie;
pub mod medium;
pub mod models;
pub mod motion;
pub mod shape;
pub mod solve;
pub mod systems;

pub use error::Error;
pub use nalgebra;
