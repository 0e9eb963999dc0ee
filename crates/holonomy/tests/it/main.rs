//! One binary for all integration tests.

mod random;
mod shape;
mod shape_change;
