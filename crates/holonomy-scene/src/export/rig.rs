//! A rig as glTF joints, with a skinned mesh so that it can be seen ([`flesh`](super::flesh)).
//!
//! Each joint's keys are its pose relative to its parent: parent⁻¹ · child. The positions come from the clip. Where the clip knows no
//! orientations they are made up so that the bones keep their twist: frame 0 is the identity, and in frame k joint j turns its offsets to
//! its children from frame 0 onto those of frame k as well as a rotation can, while turning as little as possible against its parent:
//! the rotation R that maximises Σ (offset k)·R(offset 0) + λ tr(Rᵀ R_parent) (Wahba 1965; Markley 1988 solves it by SVD), with λ small.

use holonomy::lie::Pose;
use holonomy::nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Rig};

use super::Looks;
use super::flesh::Flesh;
use super::morph::single;

/// A rig ready for the file.
pub(super) struct RigParts {
    /// Per stored frame shown: each joint's pose relative to its parent (roots: relative to the body).
    pub locals: Vec<Vec<Pose>>,
    /// Per joint: whether its relative translation, and its relative rotation, change at all.
    pub moves: Vec<(bool, bool)>,
    /// Per joint: from the body's frame to the joint's frame in frame 0, column-major.
    pub inverse_binds: Vec<[f32; 16]>,
    /// What is seen.
    pub flesh: Flesh,
    /// Greatest distance of a joint from its place in the clip, as stored in single precision, metres.
    pub error: f64,
}

/// Builds joints and mesh for the first `shown` frames; `size` is the body's size, metres.
pub(super) fn rig_parts(clip: &Clip, rig: &Rig, shown: usize, size: f64, looks: &Looks) -> RigParts {
    let frames = shown.clamp(1, clip.frames());
    let placed: Vec<Vec<Pose>> = (0..frames).map(|k| joint_poses(clip, rig, k)).collect();
    let locals: Vec<Vec<Pose>> = placed.iter().map(|poses| relative(rig, poses)).collect();
    let moves: Vec<_> = (0..rig.joints.len()).map(|j| joint_moves(&locals, j, size)).collect();
    let inverse_binds = placed[0].iter().map(|pose| matrix(&pose.inverse())).collect();
    let flesh = Flesh::new(clip, rig, size, looks.figure, looks.thickness);
    let error = greatest_error(clip, rig, &locals, &moves);
    RigParts { locals, moves, inverse_binds, flesh, error }
}

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

fn relative(rig: &Rig, placed: &[Pose]) -> Vec<Pose> {
    rig.joints.iter().zip(placed).map(|(joint, &pose)| joint.parent.map_or(pose, |p| placed[p].inverse() * pose)).collect()
}

/// Whether a joint's translation and rotation change by more than single precision can tell.
fn joint_moves(locals: &[Vec<Pose>], j: usize, size: f64) -> (bool, bool) {
    let first = locals[0][j];
    let slides = locals.iter().any(|l| (l[j].translation - first.translation).norm() > 1e-7 * size);
    let turns = locals.iter().any(|l| l[j].rotation.angle_to(&first.rotation) > 1e-7);
    (slides, turns)
}

fn matrix(pose: &Pose) -> [f32; 16] {
    let (r, t) = (pose.rotation.to_rotation_matrix(), pose.translation);
    let column = |c: usize| [r[(0, c)] as f32, r[(1, c)] as f32, r[(2, c)] as f32, 0.0];
    let mut out = [0.0; 16];
    let columns = [column(0), column(1), column(2), [t.x as f32, t.y as f32, t.z as f32, 1.0]];
    out.iter_mut().zip(columns.as_flattened()).for_each(|(o, x)| *o = *x);
    out
}

/// Puts the joints together again from what is stored, and compares with the clip.
fn greatest_error(clip: &Clip, rig: &Rig, locals: &[Vec<Pose>], moves: &[(bool, bool)]) -> f64 {
    let mut greatest = 0.0f64;
    for (k, now) in locals.iter().enumerate() {
        let mut placed: Vec<Pose> = Vec::with_capacity(now.len());
        for (j, joint) in rig.joints.iter().enumerate() {
            let (slides, turns) = moves[j];
            let translation = single(if slides { &now[j].translation } else { &locals[0][j].translation });
            let rotation = if turns { now[j].rotation } else { locals[0][j].rotation };
            let local = Pose { rotation: rotation.cast::<f32>().cast(), translation: Vector3::from(translation.map(f64::from)) };
            let pose = joint.parent.map_or(local, |p| placed[p] * local);
            greatest = greatest.max((pose.translation - clip.frame(k)[j]).norm());
            placed.push(pose);
        }
    }
    greatest
}
