//! SE(3): rigid motions of space.

use nalgebra::{UnitQuaternion, Vector3};

/// A rigid motion x ↦ R x + b; also the placement of a body in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// R, unit quaternion.
    pub rotation: UnitQuaternion<f64>,
    /// b, metres.
    pub translation: Vector3<f64>,
}

/// A velocity (or displacement) of a rigid motion, in the frame its name says: angular, linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
    /// Linear velocity, m/s.
    pub linear: Vector3<f64>,
}

/// The dual of a twist: angular momentum or torque, then linear momentum or force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momentum {
    /// Angular momentum, kg m²/s (or torque, N m).
    pub angular: Vector3<f64>,
    /// Linear momentum, kg m/s (or force, N).
    pub linear: Vector3<f64>,
}

/// Torque and force live in the same dual space as momentum.
pub type Wrench = Momentum;

impl Pose {
    /// The pose that moves nothing.
    pub fn identity() -> Self {
        Pose { rotation: UnitQuaternion::identity(), translation: Vector3::zeros() }
    }
    /// The motion that undoes this one.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Pose { rotation, translation: -(rotation * self.translation) }
    }
    /// Where the point `x` goes.
    pub fn act(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * x + self.translation
    }
}

impl std::ops::Mul for Pose {
    type Output = Pose;
    fn mul(self, other: Pose) -> Pose {
        Pose { rotation: self.rotation * other.rotation, translation: self.act(&other.translation) }
    }
}
