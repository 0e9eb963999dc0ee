//! **Holonomy turns changing shapes into physically right motion.**
//!
//! This crate is pure computation in `f64`: no files, clocks, globals or prints. Data flows one way:
//! a model or asset gives a [`shape::Clip`]; a [`medium`] says what the surroundings do; an integrator places the
//! shapes in the world; every system returns a [`motion::Motion`].
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
