//! What pushes a body: a wrench, and how it changes with the body's velocity.

use std::ops::Add;

use nalgebra::Matrix6;

use crate::lie::{Pose, Twist, Wrench};

/// A wrench on the body and how it changes with the body's twist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Torque about the body's origin and force, body frame, N m and N.
    pub wrench: Wrench,
    /// ∂wrench/∂twist. It only steers Newton: an approximation costs iterations, not accuracy.
    pub by_twist: Matrix6<f64>,
}

impl Load {
    /// No force, whatever the pose and the twist.
    pub fn none(_pose: &Pose, _twist: &Twist) -> Load {
        Load::from(Wrench::zero())
    }
}

impl From<Wrench> for Load {
    /// A wrench that does not depend on the twist.
    fn from(wrench: Wrench) -> Load {
        Load { wrench, by_twist: Matrix6::zeros() }
    }
}

impl Add for Load {
    type Output = Load;
    fn add(self, other: Load) -> Load {
        Load { wrench: self.wrench + other.wrench, by_twist: self.by_twist + other.by_twist }
    }
}
