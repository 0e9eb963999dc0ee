//! The integration tests of the engine, one binary.

mod bones;
mod degenerate;
mod lie;
mod models;
mod random;
mod resistive_force;
mod shape;
mod shape_change;
