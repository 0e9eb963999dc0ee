//! A falling cat: it bends in the middle, lets the bend run around its body, and so turns over with nothing to push against.
//!
//! Kane and Scher 1969: two half bodies, joined so that they bend but do not twist against each other. When the direction of the bend
//! goes once around, each half has rolled once about its own axis; with the angular momentum zero, the whole turns the other way, but
//! less far. The spine bends further forward than backward, as a cat's does; here it bends in an arc, at six places alike.

use std::f64::consts::{PI, TAU};

use nalgebra::{UnitQuaternion, Vector3};

use super::gait;
use super::skeleton::{JointAt, Skeleton, about_x};
use crate::Error;
use crate::shape::{Bone, Clip, Playback};

/// Which way a cat rolls over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roll {
    /// Its left side goes down: about −Z.
    Left,
    /// Its right side goes down: about +Z.
    #[default]
    Right,
}

/// A cat, in place, over one turn of the bend; it starts and ends straight, in the same shape, and the clip ends. It looks along +Z with
/// its paws down.
#[derive(Debug, Clone, PartialEq)]
pub struct Cat {
    /// Length of head and trunk, metres.
    pub length: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Angle between the halves when bent forward, towards the belly, radians.
    pub forward_bend: f64,
    /// Angle between the halves when bent backward, radians.
    pub backward_bend: f64,
    /// Which way it rolls.
    pub roll: Roll,
    /// Seconds for all of it.
    pub duration: f64,
}

impl Default for Cat {
    fn default() -> Self {
        Cat { length: 0.5, mass: 4.0, forward_bend: 125.0 * PI / 180.0, backward_bend: 50.0 * PI / 180.0, roll: Roll::Right, duration: 0.5 }
    }
}

impl Cat {
    /// The turn, sampled at about `fps` frames per second.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let skeleton = Skeleton::new(&JOINTS, &bones(), self.length, self.mass);
        let steps = gait::sequence_steps(self.duration, fps, skeleton.joints())?;
        skeleton.clip(Playback::Once, self.duration / steps as f64, steps + 1, |k| self.turns(k as f64 / steps as f64))
    }

    /// Rotation of each joint against its parent at the fraction `x` of the duration: it bends, the bend goes around, it stretches.
    fn turns(&self, x: f64) -> Vec<UnitQuaternion<f64>> {
        let bent = gait::smooth(x / 0.25) * gait::smooth((1.0 - x) / 0.25);
        let around = TAU * gait::smooth((x - 0.08) / 0.84);
        let (mean, change) = (0.5 * (self.forward_bend + self.backward_bend), 0.5 * (self.forward_bend - self.backward_bend));
        let half = 0.5 * bent * (mean + change * around.cos());
        let sense = match self.roll {
            Roll::Left => 1.0,
            Roll::Right => -1.0,
        };
        let bend = Vector3::new(around.cos(), sense * around.sin(), 0.0) * (half / SPINE.len() as f64);
        let mut turns = vec![UnitQuaternion::identity(); JOINTS.len()];
        turns[0] = about_x(LEVEL);
        for [front, rear] in SPINE {
            turns[front] = UnitQuaternion::from_scaled_axis(bend);
            turns[rear] = UnitQuaternion::from_scaled_axis(-bend);
        }
        turns
    }

    fn validate(&self) -> Result<(), Error> {
        let range = "between 0 and 180 degrees, in radians";
        gait::positive("length", self.length)?;
        gait::positive("mass", self.mass)?;
        Error::unless((0.0..0.5 * TAU).contains(&self.forward_bend), "forward_bend", self.forward_bend, range)?;
        Error::unless((0.0..0.5 * TAU).contains(&self.backward_bend), "backward_bend", self.backward_bend, range)
    }
}

/// Pitch of the whole cat, radians: chosen so that the axis about which it turns over is level.
const LEVEL: f64 = 0.085;

/// Where the spine bends: joints before and behind the waist, from the waist outwards.
const SPINE: [[usize; 2]; 3] = [[1, 5], [2, 6], [3, 7]];

/// Lengths as shares of head and trunk.
const JOINTS: [JointAt; 28] = [
    ("Waist", None, [0.0, 0.0, 0.0]),
    ("Loin", Some(0), [0.0, 0.0, 0.04]),
    ("Back", Some(1), [0.0, 0.0, 0.08]),
    ("Withers", Some(2), [0.0, 0.0, 0.08]),
    ("Chest", Some(3), [0.0, 0.0, 0.1]),
    ("Belly", Some(0), [0.0, 0.0, -0.04]),
    ("Flank", Some(5), [0.0, 0.0, -0.08]),
    ("Croup", Some(6), [0.0, 0.0, -0.08]),
    ("Pelvis", Some(7), [0.0, 0.0, -0.12]),
    ("Neck", Some(4), [0.0, 0.05, 0.08]),
    ("Head", Some(9), [0.0, 0.04, 0.15]),
    ("LeftShoulder", Some(4), [0.09, -0.03, 0.0]),
    ("LeftElbow", Some(11), [-0.02, -0.15, -0.05]),
    ("LeftForepaw", Some(12), [0.0, -0.15, 0.07]),
    ("RightShoulder", Some(4), [-0.09, -0.03, 0.0]),
    ("RightElbow", Some(14), [0.02, -0.15, -0.05]),
    ("RightForepaw", Some(15), [0.0, -0.15, 0.07]),
    ("LeftHip", Some(8), [0.09, -0.02, 0.0]),
    ("LeftKnee", Some(17), [-0.02, -0.16, 0.08]),
    ("LeftHock", Some(18), [0.0, -0.12, -0.12]),
    ("LeftHindpaw", Some(19), [0.0, -0.09, 0.05]),
    ("RightHip", Some(8), [-0.09, -0.02, 0.0]),
    ("RightKnee", Some(21), [0.02, -0.16, 0.08]),
    ("RightHock", Some(22), [0.0, -0.12, -0.12]),
    ("RightHindpaw", Some(23), [0.0, -0.09, 0.05]),
    ("Tail", Some(8), [0.0, 0.02, -0.08]),
    ("MidTail", Some(25), [0.0, 0.05, -0.22]),
    ("TailTip", Some(26), [0.0, 0.1, -0.2]),
];

/// Bones with their shares of the mass: the trunk's lies along its spine and across shoulders and hips, so that it resists rolling; limbs
/// and tail are light. All are estimates: no bone has a thickness, for want of a table of cats.
fn bones() -> Vec<Bone> {
    let rod = |from: usize, to: usize, mass: f64| Bone { from, to, mass, center: 0.5, gyration: 0.288_675, longitudinal_gyration: 0.0 };
    let across = |from: usize, to: usize, mass: f64| Bone { from, to, mass, center: 0.5, gyration: 0.5, longitudinal_gyration: 0.0 };
    let mut bones = vec![
        rod(0, 1, 0.035),
        rod(1, 2, 0.07),
        rod(2, 3, 0.07),
        rod(3, 4, 0.085),
        rod(0, 5, 0.03),
        rod(5, 6, 0.06),
        rod(6, 7, 0.06),
        rod(7, 8, 0.09),
        rod(4, 9, 0.04),
        rod(9, 10, 0.09),
        rod(8, 25, 0.008),
        rod(25, 26, 0.007),
        rod(26, 27, 0.005),
    ];
    for shoulder in [11, 14] {
        bones.extend([across(4, shoulder, 0.05), rod(shoulder, shoulder + 1, 0.02), rod(shoulder + 1, shoulder + 2, 0.012)]);
    }
    for hip in [17, 21] {
        bones.extend([across(8, hip, 0.045), rod(hip, hip + 1, 0.03), rod(hip + 1, hip + 2, 0.012), rod(hip + 2, hip + 3, 0.006)]);
    }
    bones
}
