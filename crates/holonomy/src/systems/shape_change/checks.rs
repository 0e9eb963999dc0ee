//! What must hold of a finished motion, measured on its poses and shapes: by another path than the one that found them.

use nalgebra::Vector3;

use super::{Freedom, ShapeChange};
use crate::motion::{Check, Motion};

impl ShapeChange {
    /// Measures `motion`, which is what this job made of its shapes.
    pub(super) fn checks(&self, motion: &Motion) -> Vec<Check> {
        let mut checks = Vec::new();
        if self.freedom == Freedom::Level {
            checks.push(Check { name: "rise or tilt of what keeps level, relative", value: unevenness(motion), tolerance: 1e-11 });
        }
        checks
    }
}

/// The largest of: how far the origin of the shape rose or sank, in body lengths; by how much the shape tilted, radians. It shows poses that were
/// composed or carried on wrongly.
fn unevenness(motion: &Motion) -> f64 {
    let Some(track) = motion.tracks.first() else { return 0.0 };
    let Some(first) = track.poses.first() else { return 0.0 };
    let (length, up) = (track.shape.body_length(), first.rotation.inverse() * Vector3::y());
    let uneven = |rise: f64, tilt: Vector3<f64>| (rise.abs() / length).max(tilt.norm());
    track.poses.iter().map(|pose| uneven(pose.translation.y - first.translation.y, pose.rotation * up - Vector3::y())).fold(0.0, f64::max)
}
