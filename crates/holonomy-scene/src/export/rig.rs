//! A rig as glTF joints, with a skinned mesh so that it can be seen ([`Flesh`]).
//!
//! Each joint's keys are its pose relative to its parent: parent⁻¹ · child.

use holonomy::lie::Pose;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Influence, Rig};

use super::morph::single;
use crate::looks::Looks;
use crate::looks::flesh::Flesh;
use crate::looks::joints::joint_poses;

/// More joints than this in a skin are worth a warning: Bevy takes no more.
pub(super) const MANY_JOINTS: usize = 256;

/// A rig ready for the file.
pub(super) struct RigParts {
    /// Per stored frame shown: each joint's pose relative to its parent (roots: relative to the body).
    pub locals: Vec<Vec<Pose>>,
    /// Per joint: whether its relative translation, and its relative rotation, change at all.
    pub moves: Vec<(bool, bool)>,
    /// Per joint: from the body's frame to the joint's own at rest, column-major.
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
    let flesh = Flesh::new(clip, rig, size, looks);
    let inverse_binds = flesh.unbind.iter().map(matrix).collect();
    let error = greatest_error(clip, rig, &locals, &moves);
    RigParts { locals, moves, inverse_binds, flesh, error }
}

/// Joints and weights of a corner as glTF has them: no joint twice, unused places zero, and weights that add up to 1 in single precision.
pub(super) fn influence(influence: &Influence) -> ([u16; 4], [f32; 4]) {
    let ([a, b], [_, share]) = (influence.joints.map(|j| j as u16), influence.weights.map(|weight| weight as f32));
    if a == b || share <= 0.0 {
        ([a, 0, 0, 0], [1.0, 0.0, 0.0, 0.0])
    } else if share >= 1.0 {
        ([b, 0, 0, 0], [1.0, 0.0, 0.0, 0.0])
    } else {
        ([a, b, 0, 0], [1.0 - share, share, 0.0, 0.0])
    }
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

/// Column-major.
pub(super) fn matrix(pose: &Pose) -> [f32; 16] {
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
