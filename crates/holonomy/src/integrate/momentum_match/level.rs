//! Motions along the ground: of the six ways to move, three are left.

use nalgebra::{Matrix3, Matrix6, Vector3};

use crate::lie::{Momentum, Pose};

/// Motions that keep level: turns about the vertical and shifts across it. The ground bears the rest: force along the vertical, and the torques that
/// would tip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The vertical, unit, in the frame of the old shape.
    pub up: Vector3<f64>,
}

impl Level {
    /// That of a shape which stands at `pose` in a world with +Y up.
    pub fn of(pose: &Pose) -> Level {
        Level { up: pose.rotation.inverse() * Vector3::y() }
    }

    /// The part of a momentum or wrench that is left to the motion. The split is the same about any point.
    pub fn free(&self, whole: &Momentum) -> Momentum {
        let along = |v: &Vector3<f64>| self.up * self.up.dot(v);
        Momentum { angular: along(&whole.angular), linear: whole.linear - along(&whole.linear) }
    }

    /// Three of six equations, ordered (angular, linear), in three unknowns; the other three are `rest` ξ = 0, so that nothing moves there.
    pub fn restrict(&self, equations: &Matrix6<f64>, rest: f64) -> Matrix6<f64> {
        let upright = self.up * self.up.transpose();
        let mut free = Matrix6::zeros();
        free.fixed_view_mut::<3, 3>(0, 0).copy_from(&upright);
        free.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() - upright));
        free * equations * free + (Matrix6::identity() - free) * rest
    }
}
