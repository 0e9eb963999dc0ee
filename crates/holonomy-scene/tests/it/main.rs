//! One binary for all integration tests.

mod picture;
mod plot;
