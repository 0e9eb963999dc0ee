//! Joints, bones and forward kinematics, for the models that are rigs.

use nalgebra::{UnitQuaternion, Vector3};

use crate::Error;
use crate::shape::{Bone, Clip, Joint, Playback, Rig, Topology};

/// A skeleton at rest: where each joint is from its parent, and what the bones weigh.
pub(super) struct Skeleton {
    rig: Rig,
    /// Per joint: its place in its parent's frame, metres.
    offsets: Vec<Vector3<f64>>,
}

/// A joint of a skeleton: name, parent, place in the parent's frame (metres).
pub(super) type JointAt = (&'static str, Option<usize>, [f64; 3]);

impl Skeleton {
    /// A skeleton whose every coordinate is scaled by `size` and every mass by `mass`.
    pub(super) fn new(joints: &[JointAt], bones: &[Bone], size: f64, mass: f64) -> Skeleton {
        let offsets = joints.iter().map(|(_, _, at)| Vector3::from(*at) * size).collect();
        let joints = joints.iter().map(|(name, parent, _)| Joint { name: (*name).into(), parent: *parent }).collect();
        let bones = bones.iter().map(|bone| Bone { mass: bone.mass * mass, ..*bone }).collect();
        Skeleton { rig: Rig { joints, bones, skin: None }, offsets }
    }

    /// Number of joints.
    pub(super) fn joints(&self) -> usize {
        self.offsets.len()
    }

    /// A clip of `frames` frames, `dt` seconds apart; `turns(k)` gives each joint's rotation against its parent in frame k.
    /// Each frame is centred on its centre of mass.
    pub(super) fn clip(
        &self,
        playback: Playback,
        dt: f64,
        frames: usize,
        turns: impl Fn(usize) -> Vec<UnitQuaternion<f64>>,
    ) -> Result<Clip, Error> {
        let (mut positions, mut orientations) = (Vec::new(), Vec::new());
        for k in 0..frames {
            let (points, rotations) = self.placed(&turns(k));
            positions.extend(points);
            orientations.extend(rotations);
        }
        Clip::new(Topology::Rig(self.rig.clone()), playback, dt, self.joints(), positions)?.with_orientations(orientations)
    }

    fn placed(&self, turns: &[UnitQuaternion<f64>]) -> (Vec<Vector3<f64>>, Vec<UnitQuaternion<f64>>) {
        let (mut points, mut rotations) = (Vec::with_capacity(self.joints()), Vec::with_capacity(self.joints()));
        for ((joint, offset), turn) in self.rig.joints.iter().zip(&self.offsets).zip(turns) {
            let (at, rotation) = joint.parent.map_or((Vector3::zeros(), UnitQuaternion::identity()), |p| (points[p], rotations[p]));
            points.push(at + rotation * offset);
            rotations.push(rotation * turn);
        }
        let centre = self.centre_of_mass(&points);
        points.iter_mut().for_each(|p| *p -= centre);
        (points, rotations)
    }

    fn centre_of_mass(&self, points: &[Vector3<f64>]) -> Vector3<f64> {
        let bones = &self.rig.bones;
        let total: f64 = bones.iter().map(|bone| bone.mass).sum();
        bones.iter().map(|b| points[b.from].lerp(&points[b.to], b.center) * b.mass).sum::<Vector3<f64>>() / total
    }
}

/// A rotation by `angle` radians about X.
pub(super) fn about_x(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle)
}
