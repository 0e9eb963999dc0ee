//! The integration tests of the engine, one binary.

mod lie;
