//! Lie groups of rigid motion.
pub mod se3;
pub use se3::{Momentum, Pose, Twist, Wrench};
