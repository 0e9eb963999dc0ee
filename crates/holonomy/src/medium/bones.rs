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
//!
//! Drag does not ask how heavy a bone is: it is on the line between the joints, by length.

use nalgebra::{UnitQuaternion, Vector3};

use crate::shape::{Bone, JointTurns, Shape};

/// Samples of the `bones` of `shape`: place (metres), direction of the bone (unit, or zero) and mass (kg), four per bone.
pub(super) fn samples(bones: &[Bone], shape: &Shape) -> impl Iterator<Item = (Vector3<f64>, Vector3<f64>, f64)> {
    let (joints, turned) = (shape.points, shape.joints);
    bones.iter().flat_map(move |bone| {
        let (from, along) = (joints[bone.from], joints[bone.to] - joints[bone.from]);
        let axis = along.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let sides = turned.and_then(|JointTurns { first_points, first, now }| {
            let turn = now[bone.from] * first[bone.from].inverse();
            across(first_points[bone.to] - first_points[bone.from], &turn, &axis)
        });
        let (lengthwise, wide) = match &sides {
            Some(_) => (bone.half_span(), bone.longitudinal_gyration * along.norm()),
            None => (bone.gyration, 0.0),
        };
        let [e, f] = sides.unwrap_or_else(|| [Vector3::zeros(); 2]);
        [(1.0, e), (1.0, -e), (-1.0, f), (-1.0, -f)]
            .map(|(end, side)| (from + along * (bone.center + end * lengthwise) + side * wide, axis, 0.25 * bone.mass))
    })
}

/// Samples of the `bones` of `shape` as lines: place (metres), direction of the bone (unit, or
/// zero) and weight, two per bone. `weigh` gives the weight of a bone from its number and its
/// length now.
///
/// Gauss's two points: they have the middle and the moments of a weight spread evenly along the
/// bone.
pub(super) fn line_samples(
    bones: &[Bone],
    shape: &Shape,
    weigh: impl Fn(usize, f64) -> f64,
) -> impl Iterator<Item = (Vector3<f64>, Vector3<f64>, f64)> {
    let joints = shape.points;
    bones.iter().enumerate().flat_map(move |(i, bone)| {
        let (from, along) = (joints[bone.from], joints[bone.to] - joints[bone.from]);
        let axis = along.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let half = 0.5 * weigh(i, along.norm());
        let off = 0.5 / 3.0_f64.sqrt();
        [0.5 - off, 0.5 + off].map(|share| (from + along * share, axis, half))
    })
}

/// Two unit vectors across `axis` and each other: chosen in the first frame, where the bone ran along `first`, and turned from there by
/// `turn`. `None` where the bone has no direction, or now runs where it was not.
fn across(first: Vector3<f64>, turn: &UnitQuaternion<f64>, axis: &Vector3<f64>) -> Option<[Vector3<f64>; 2]> {
    let chosen = first.cross(&Vector3::ith(first.iamin(), 1.0));
    let carried = turn * chosen;
    let e = (carried - axis * axis.dot(&carried)).try_normalize(1e-6 * chosen.norm())?;
    Some([e, axis.cross(&e)])
}
