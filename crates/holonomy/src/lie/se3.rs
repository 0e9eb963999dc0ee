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
    /// TEMP
    pub fn exp(xi: &Twist) -> Self {
        let w = xi.angular;
        let t = w.norm();
        let (a, b) = if t < 1e-4 { (0.5, 1.0 / 6.0) } else { ((1.0 - t.cos()) / (t * t), (t - t.sin()) / (t * t * t)) };
        let v = xi.linear + w.cross(&xi.linear) * a + w.cross(&w.cross(&xi.linear)) * b;
        Pose { rotation: UnitQuaternion::from_scaled_axis(w), translation: v }
    }
    /// TEMP
    pub fn log(&self) -> Twist {
        let w = self.rotation.scaled_axis();
        let t = w.norm();
        let c = if t < 1e-3 { 1.0 / 12.0 } else { (1.0 - 0.5 * t / (0.5 * t).tan()) / (t * t) };
        let x = self.translation;
        Twist { angular: w, linear: x - w.cross(&x) * 0.5 + w.cross(&w.cross(&x)) * c }
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
macro_rules! temp {
    ($T:ident) => {
        #[allow(missing_docs)]
        impl $T {
            pub fn zero() -> Self {
                $T { angular: Vector3::zeros(), linear: Vector3::zeros() }
            }
            pub fn to_vector(&self) -> nalgebra::Vector6<f64> {
                nalgebra::Vector6::new(self.angular.x, self.angular.y, self.angular.z, self.linear.x, self.linear.y, self.linear.z)
            }
        }
        impl std::ops::Mul<f64> for $T {
            type Output = $T;
            fn mul(self, s: f64) -> $T {
                $T { angular: self.angular * s, linear: self.linear * s }
            }
        }
    };
}
temp!(Twist);
temp!(Momentum);
#[allow(missing_docs)]
impl Pose {
    pub fn momentum_to_world(&self, m: &Momentum) -> Momentum {
        let p = self.rotation * m.linear;
        Momentum { angular: self.rotation * m.angular + self.translation.cross(&p), linear: p }
    }
    pub fn is_finite(&self) -> bool {
        self.rotation.coords.iter().chain(self.translation.iter()).all(|x| x.is_finite())
    }
}
