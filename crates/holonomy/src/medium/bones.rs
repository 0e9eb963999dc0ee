//! Where the mass of a rig's bones sits: two points per bone, which have the bone's mass, centre and inertia across its length.

use nalgebra::Vector3;

use crate::shape::Bone;

/// Sample points per bone.
pub(super) const POINTS_PER_BONE: usize = 2;

/// Samples `bones` between the joints at `joints`: per sample its place (metres), the bone's direction (unit, or zero) and its mass (kg).
/// Each output holds [`POINTS_PER_BONE`] entries per bone.
pub(super) fn sample(bones: &[Bone], joints: &[Vector3<f64>], points: &mut [Vector3<f64>], axes: &mut [Vector3<f64>], masses: &mut [f64]) {
    for (bone, j) in bones.iter().zip((0..).step_by(POINTS_PER_BONE)) {
        let (from, to) = (joints[bone.from], joints[bone.to]);
        let along = to - from;
        let axis = along.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        for (j, side) in [(j, -1.0), (j + 1, 1.0)] {
            points[j] = from + along * (bone.center + side * bone.gyration);
            axes[j] = axis;
            masses[j] = 0.5 * bone.mass;
        }
    }
}
