//! Where the mass of a rig's bones sits: four points per bone, which have exactly the bone's mass, centre and inertia.
//!
//! A bone of mass m is as a body of revolution: moment m t² about any line across it through its centre, m l² about its own length. Four points
//! of mass m/4 on the edges of a box around the centre have the same moments. With u along the bone and e, f across it,
//!
//! ```text
//! +s u ± l e,   −s u ± l f        Σ x xᵀ / 4 = s² u uᵀ + (l²/2) (e eᵀ + f fᵀ)
//! about the length: l²            across it: s² + l²/2 = t²,  so s² = t² − l²/2
//! ```
//!
//! s² is what the mass along the bone alone would have, so l² ≤ 2 t² for every body there is; [`crate::shape::Rig`] refuses others.
//! e and f turn with the bone's proximal joint. Where a clip does not know how its joints are turned, nobody knows how a bone twists: there the
//! points stay on the bone, at ± t u, and it has no inertia about its own length.

use nalgebra::{UnitQuaternion, Vector3};

use crate::shape::{Bone, Clip};

/// Sample points per bone.
pub(super) const POINTS_PER_BONE: usize = 4;

/// Samples `bones` in frame `k` of `clip`: per sample its place (metres), the bone's direction (unit, or zero) and its mass (kg).
/// Each output holds [`POINTS_PER_BONE`] entries per bone.
pub(super) fn sample(bones: &[Bone], clip: &Clip, k: usize, points: &mut [Vector3<f64>], axes: &mut [Vector3<f64>], masses: &mut [f64]) {
    let (first, joints) = (clip.frame(0), clip.frame(k));
    let turned = clip.frame_orientations(0).zip(clip.frame_orientations(k));
    for (bone, j) in bones.iter().zip((0..).step_by(POINTS_PER_BONE)) {
        let (from, to) = (joints[bone.from], joints[bone.to]);
        let along = to - from;
        let length = along.norm();
        let axis = along.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let turns = turned.map(|(before, now)| now[bone.from] * before[bone.from].inverse());
        let sides = turns.and_then(|turn| across(first[bone.to] - first[bone.from], &turn, &axis));
        let (lengthwise, wide) = match &sides {
            Some(_) => (bone.half_span(), bone.longitudinal_gyration * length),
            None => (bone.gyration, 0.0),
        };
        let [e, f] = sides.unwrap_or_else(|| [Vector3::zeros(); 2]);
        for (i, (end, side)) in [(1.0, e), (1.0, -e), (-1.0, f), (-1.0, -f)].into_iter().enumerate() {
            points[j + i] = from + along * (bone.center + end * lengthwise) + side * wide;
            axes[j + i] = axis;
            masses[j + i] = 0.25 * bone.mass;
        }
    }
}

/// Two unit vectors across `axis` and each other: chosen in the first frame, where the bone ran along `first`, and turned from there by
/// `turn`. `None` where the bone has no direction, or now runs where it was not.
fn across(first: Vector3<f64>, turn: &UnitQuaternion<f64>, axis: &Vector3<f64>) -> Option<[Vector3<f64>; 2]> {
    let chosen = first.cross(&Vector3::ith(first.iamin(), 1.0));
    let carried = turn * chosen;
    let e = (carried - axis * axis.dot(&carried)).try_normalize(1e-6 * chosen.norm())?;
    Some([e, axis.cross(&e)])
}
