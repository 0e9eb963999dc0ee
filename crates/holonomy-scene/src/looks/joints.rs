//! Where the joints of a rig stand and how they are turned.
//!
//! The positions come from the clip. Where the clip knows no orientations they are made up so that the bones keep their twist: frame 0 is
//! the identity, and in frame k joint j turns its offsets to its children from frame 0 onto those of frame k as well as a rotation can,
//! while turning as little as possible against its parent: the rotation R that maximises Σ (offset k)·R(offset 0) + λ tr(Rᵀ R_parent)
//! (Wahba 1965; Markley 1988 solves it by SVD), with λ small.

use holonomy::lie::Pose;
use holonomy::nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Rig};

/// Each joint's pose in the body's frame.
pub(crate) fn joint_poses(clip: &Clip, rig: &Rig, k: usize) -> Vec<Pose> {
    let positions = clip.frame(k);
    let rotations = clip.frame_orientations(k).map_or_else(|| made_up_rotations(clip.frame(0), positions, rig), <[_]>::to_vec);
    positions.iter().zip(rotations).map(|(&translation, rotation)| Pose { rotation, translation }).collect()
}

fn made_up_rotations(first: &[Vector3<f64>], now: &[Vector3<f64>], rig: &Rig) -> Vec<UnitQuaternion<f64>> {
    let mut turned: Vec<(Matrix3<f64>, f64)> = vec![(Matrix3::zeros(), 0.0); now.len()];
    for (child, joint) in rig.joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            let (before, after) = (first[child] - first[parent], now[child] - now[parent]);
            turned[parent].0 += after * before.transpose();
            turned[parent].1 += after.norm() * before.norm();
        }
    }
    let mut rotations: Vec<UnitQuaternion<f64>> = Vec::with_capacity(now.len());
    for (joint, (fit, weight)) in rig.joints.iter().zip(turned) {
        let parent = joint.parent.map_or_else(UnitQuaternion::identity, |p| rotations[p]);
        let fit = if weight > 0.0 { fit / weight } else { fit };
        rotations.push(nearest_rotation(&(fit + parent.to_rotation_matrix().matrix() * 1e-6)));
    }
    rotations
}

/// The rotation R that maximises tr(Rᵀ M): U diag(1, 1, det U det V) Vᵀ of the singular value decomposition (Markley 1988).
fn nearest_rotation(m: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let svd = m.svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { return UnitQuaternion::identity() };
    let mut u = u;
    if (u.determinant() * v_t.determinant()) < 0.0 {
        let least = svd.singular_values.imin();
        u.column_mut(least).neg_mut();
    }
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(u * v_t))
}
