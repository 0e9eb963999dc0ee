//! What vehicles of the plane share: how they lie on level ground, forward +x, left −z, up +Y.

use nalgebra::{SMatrix, Vector2, Vector3};

use crate::integrate::controlled::Place;
use crate::lie::{Momentum, Momentum2, Pose, Pose2, Twist, Twist2};

/// The placement on the ground that points where that one does.
pub(crate) fn pose_of(pose: &Pose) -> Pose2 {
    let forward = pose.rotation * Vector3::x();
    Pose2::from_angle_translation((-forward.z).atan2(forward.x), Vector2::new(pose.translation.x, -pose.translation.z))
}

/// The part of a body twist that stays on the ground.
pub(crate) fn twist_of(twist: &Twist) -> Twist2 {
    Twist2::new(twist.angular.y, Vector2::new(twist.linear.x, -twist.linear.z))
}

/// The same twist in space, body frame.
pub(crate) fn twist(twist: &Twist2) -> Twist {
    Twist::new(Vector3::y() * twist.angular, Vector3::new(twist.linear.x, 0.0, -twist.linear.y))
}

/// A momentum of the body's frame in the world, about its origin.
pub(crate) fn momentum(pose: &Pose2, body: &Momentum2) -> Momentum {
    let world = pose.momentum_to_world(body);
    Momentum { angular: Vector3::y() * world.angular, linear: Vector3::new(world.linear.x, 0.0, -world.linear.y) }
}

/// Where a point of the body is, and how that changes with the first three components of a tangent.
pub(crate) fn place<const N: usize>(pose: &Pose2, point: &Vector3<f64>) -> Place<N> {
    let flat = Vector2::new(point.x, -point.z);
    let at = pose.act(&flat);
    let columns = [Vector2::new(-flat.y, flat.x), Vector2::x(), Vector2::y()].map(|column| pose.rotation * column);
    let mut by_state = SMatrix::zeros();
    for (i, column) in columns.iter().enumerate() {
        by_state[(0, i)] = column.x;
        by_state[(2, i)] = -column.y;
    }
    Place { position: Vector3::new(at.x, point.y, -at.y), by_state }
}
