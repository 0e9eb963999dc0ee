//! The integration tests of the engine, one binary.

mod forces;
mod interactive;
mod lie;
mod models;
mod random;
mod shape;
mod shape_change;
