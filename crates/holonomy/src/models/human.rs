//! A human body as a rig: proportions and masses, and a few angles that pose it.
//!
//! Masses, centres and radii of gyration after de Leva 1996 (mean of women and men), lengths after Drillis and Contini 1966, as shares of
//! mass and height. At rest the body stands with its arms out to the sides and looks along +Z. The trunk's mass lies on its spine, from
//! hip to hip and from shoulder to shoulder, so that it resists turning about its long axis (radius
//! of gyration 0.054 of the height, 0.055 by de Leva). Head and limbs are rods without thickness:
//! with de Leva's the diver turns by 522 and 307 degrees instead of 536 and 356.

use nalgebra::{UnitQuaternion, Vector3};

use super::skeleton::{JointAt, Skeleton, about_x};
use crate::shape::Bone;

/// Angles that pose the body, radians.
#[derive(Clone, Copy)]
pub(super) struct Posture {
    /// Of the left and the right arm: up from level (−π/2 hangs down), and forward from straight aside.
    pub arms: [[f64; 2]; 2],
    /// Bend of both elbows.
    pub elbows: f64,
    /// Thighs forward of the trunk.
    pub hips: f64,
    /// Bend of both knees.
    pub knees: f64,
    /// Forward bend of the spine.
    pub spine: f64,
}

impl Posture {
    /// The posture the fraction `x` of the way to `other`.
    pub(super) fn towards(&self, other: &Posture, x: f64) -> Posture {
        let mix = |a: f64, b: f64| a + (b - a) * x;
        Posture {
            arms: std::array::from_fn(|i| std::array::from_fn(|j| mix(self.arms[i][j], other.arms[i][j]))),
            elbows: mix(self.elbows, other.elbows),
            hips: mix(self.hips, other.hips),
            knees: mix(self.knees, other.knees),
            spine: mix(self.spine, other.spine),
        }
    }

    /// Rotation of each joint against its parent.
    pub(super) fn turns(&self) -> Vec<UnitQuaternion<f64>> {
        let mut turns = vec![UnitQuaternion::identity(); JOINTS.len()];
        turns[CHEST] = about_x(0.7 * self.spine);
        turns[NECK] = about_x(0.3 * self.spine);
        for (side, i) in [(1.0, 0), (-1.0, 1)] {
            turns[SHOULDER[i]] = arm(side, self.arms[i]);
            // The forearm folds forward: about +Y for the right arm, −Y for the left.
            turns[SHOULDER[i] + 1] = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -side * self.elbows);
            turns[HIP[i]] = about_x(-self.hips);
            turns[HIP[i] + 1] = about_x(self.knees);
        }
        turns
    }
}

/// The rotation that takes an arm from straight aside to `raised` and `forward`: first up, then about the vertical.
fn arm(side: f64, [raised, forward]: [f64; 2]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -side * forward)
        * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), side * raised)
}

/// A body of this height (metres) and mass (kg).
pub(super) fn skeleton(height: f64, mass: f64) -> Skeleton {
    let mut bones = vec![
        Bone { from: 0, to: CHEST, mass: 0.1549, center: 0.55, gyration: 0.45, longitudinal_gyration: 0.0 },
        Bone { from: CHEST, to: NECK, mass: 0.0370, center: 0.5, gyration: 0.289, longitudinal_gyration: 0.0 },
        Bone { from: NECK, to: NECK + 1, mass: 0.0681, center: 0.5, gyration: 0.3, longitudinal_gyration: 0.0 },
    ];
    for i in 0..2 {
        let (hip, shoulder) = (HIP[i], SHOULDER[i]);
        bones.extend([
            Bone { from: 0, to: hip, mass: 0.05915, center: 0.6, gyration: 0.9, longitudinal_gyration: 0.0 },
            Bone { from: CHEST, to: shoulder, mass: 0.0600, center: 0.6, gyration: 0.5, longitudinal_gyration: 0.0 },
            Bone { from: shoulder, to: shoulder + 1, mass: 0.0263, center: 0.576, gyration: 0.272, longitudinal_gyration: 0.0 },
            Bone { from: shoulder + 1, to: shoulder + 2, mass: 0.0150, center: 0.457, gyration: 0.269, longitudinal_gyration: 0.0 },
            Bone { from: shoulder + 2, to: shoulder + 3, mass: 0.0059, center: 0.36, gyration: 0.22, longitudinal_gyration: 0.0 },
            Bone { from: hip, to: hip + 1, mass: 0.1447, center: 0.386, gyration: 0.347, longitudinal_gyration: 0.0 },
            Bone { from: hip + 1, to: hip + 2, mass: 0.0457, center: 0.442, gyration: 0.26, longitudinal_gyration: 0.0 },
            Bone { from: hip + 2, to: hip + 3, mass: 0.0133, center: 0.42, gyration: 0.268, longitudinal_gyration: 0.0 },
        ]);
    }
    Skeleton::new(&JOINTS, &bones, height, mass)
}

const CHEST: usize = 1;
const NECK: usize = 2;
/// Left and right; elbow, wrist and fingertip follow.
const SHOULDER: [usize; 2] = [4, 8];
/// Left and right; knee, ankle and toe follow.
const HIP: [usize; 2] = [12, 16];

const JOINTS: [JointAt; 20] = [
    ("Hips", None, [0.0, 0.0, 0.0]),
    ("Chest", Some(0), [0.0, 0.19, 0.0]),
    ("Neck", Some(1), [0.0, 0.1, 0.0]),
    ("Head", Some(2), [0.0, 0.15, 0.0]),
    ("LeftShoulder", Some(1), [0.11, 0.07, 0.0]),
    ("LeftElbow", Some(4), [0.172, 0.0, 0.0]),
    ("LeftWrist", Some(5), [0.157, 0.0, 0.0]),
    ("LeftHand", Some(6), [0.1, 0.0, 0.0]),
    ("RightShoulder", Some(1), [-0.11, 0.07, 0.0]),
    ("RightElbow", Some(8), [-0.172, 0.0, 0.0]),
    ("RightWrist", Some(9), [-0.157, 0.0, 0.0]),
    ("RightHand", Some(10), [-0.1, 0.0, 0.0]),
    ("LeftHip", Some(0), [0.052, -0.03, 0.0]),
    ("LeftKnee", Some(12), [0.0, -0.245, 0.0]),
    ("LeftAnkle", Some(13), [0.0, -0.246, 0.0]),
    ("LeftToe", Some(14), [0.0, -0.03, 0.11]),
    ("RightHip", Some(0), [-0.052, -0.03, 0.0]),
    ("RightKnee", Some(16), [0.0, -0.245, 0.0]),
    ("RightAnkle", Some(17), [0.0, -0.246, 0.0]),
    ("RightToe", Some(18), [0.0, -0.03, 0.11]),
];
