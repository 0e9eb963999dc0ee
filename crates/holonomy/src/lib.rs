//! **Holonomy turns changing shapes into physically right motion.**
//!
//! This crate is pure computation in `f64`: no files, clocks, globals or prints. Data flows one way:
//! a model or asset gives a [`shape::Clip`]; a [`medium`] says what the surroundings do; an integrator places the
//! shapes in the world; every system returns a [`motion::Motion`].
//!
//! | to | see |
//! |---|---|
//! | give changing shapes their motion, by friction or inertia | [`systems::ShapeChange`] |
//! | let bodies move in air and water | [`systems::Flow`] |
//! | drive a vehicle | [`systems::vehicle`], one of yours: [`integrate::craft`], [`integrate::nonholonomic`] |
//! | plan its way | [`systems::plan`] |
//! | make motion repeat | [`systems::loops`] |
//! | let creatures walk and swim | [`systems::creature`] |
//!
//! A system is a plain struct: its `run` does it all, and where one steps by hand, a state of its own changes in each `step`. `progress` is told how far it is, and may stop it. Bad input is an
//! [`Error`]; not converging is an [`Outcome`](motion::Outcome) of the motion.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use holonomy::models::Snake;
//! use holonomy::systems::shape_change::{Law, ShapeChange};
//!
//! let clip = Snake::default().clip(60.0)?; // shapes in place, 60 a second
//! let motion = ShapeChange::new(Law::anisotropic(0.05)).run(&clip, &mut |_, _| ControlFlow::Continue(()))?;
//! assert!(motion.checks.iter().all(|check| check.pass()));
//! assert!(motion.tracks[0].poses.last().is_some_and(|pose| pose.translation.z > 0.2)); // metres, ahead
//! # Ok::<(), holonomy::Error>(())
//! ```
//!
//! Conventions: right-handed, +Y up, metres, seconds, kilograms, radians. Twists and momenta are ordered (angular, linear).

pub mod elastic;
pub mod error;
pub mod integrate;
pub mod lie;
pub mod medium;
pub mod models;
pub mod motion;
pub mod random;
pub mod shape;
pub mod solve;
pub mod systems;
pub mod water;

pub use error::Error;
pub use nalgebra;

/// The README's snippet, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The vehicle of its page, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../docs/adding-a-vehicle.md")]
struct AddingAVehicle;
