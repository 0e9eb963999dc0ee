//! Procedural bodies and gaits.

pub mod snake;

pub use snake::Snake;
