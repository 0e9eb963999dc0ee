//! Centipedes and millipedes to look at: a skin over rigid segments with soft matter between them, legs of three links, antennae and a tail.
//!
//! A [`Myriapod`] is made from an [`Anatomy`], plain numbers that a simulation has anyway. It then turns a [`Posture`] (where the segments
//! and the ends of all links are at one time) into the joints of its rig: places and orientations, as a [`Clip`] takes them.
//!
//! Frames: of a segment, x forward (towards the head), y up, z to the animal's right; metres throughout. All places of a posture are in one
//! frame, of the caller's choice: that of the shape. Order: segments from the head to the rear; left before right.
//!
//! | joints of the rig | hang on |
//! |---|---|
//! | `head`, `segment-1`, … | the segment in front |
//! | `leg-1-left-root`, `-knee`, `-ankle`, `-tip`, … | the segment; then each other |
//! | `antenna-0-0`, … | the head; then each other |
//! | `tail-0-0`, … | the last segment; then each other |
//!
//! A limb's joint is turned as its link is: by the least turn that brings the link, carried along by what it hangs on, to where it is.

mod coat;
mod hide;
mod parts;

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

pub use coat::Coat;

use crate::Error;
use crate::lie::Pose;
use crate::shape::{Clip, Joint, Playback, Rig, Topology};

/// The size of a myriapod's parts, and where they are at rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Anatomy {
    /// From the head (number 0) to the rear, two or more.
    pub segments: Vec<Segment>,
    /// Radius of a leg at its root, metres; it tapers to a point.
    pub leg_radius: f64,
    /// Radius of an antenna at its root, metres.
    pub antenna_radius: f64,
    /// Radius of a tail appendage at its root, metres.
    pub tail_radius: f64,
    /// Where everything is at rest.
    pub rest: Posture,
}

/// A rigid segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Half its length, height and width (x, y, z), metres.
    pub half_size: Vector3<f64>,
    /// Whether it has a pair of legs.
    pub has_legs: bool,
}

/// Root, knee, ankle and tip of a leg, metres.
pub type LegPlaces = [Vector3<f64>; 4];

/// Where the parts of a myriapod are at one time, all in one frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Posture {
    /// Middle and orientation of each segment.
    pub segments: Vec<Pose>,
    /// The left and the right leg of each segment that has legs, from front to rear.
    pub legs: Vec<[LegPlaces; 2]>,
    /// Ends of the links of each antenna, from its root to its tip, metres; two places or more each.
    pub antennae: Vec<Vec<Vector3<f64>>>,
    /// The same of each appendage of the last segment.
    pub tails: Vec<Vec<Vector3<f64>>>,
}

/// A myriapod's rig with its skin.
#[derive(Debug, Clone, PartialEq)]
pub struct Myriapod {
    anatomy: Anatomy,
    rig: Rig,
    limbs: Vec<Limb>,
}

/// A chain of joints that hangs on a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limb {
    kind: LimbKind,
    /// The segment it hangs on, which is also that segment's joint.
    segment: usize,
    /// Its first joint.
    first: usize,
    /// How many it has: one more than links.
    count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimbKind {
    Leg,
    Antenna,
    Tail,
}

impl Myriapod {
    /// Makes the rig and its skin.
    ///
    /// # Errors
    /// Fewer than two segments, a size that is not positive, a limb of less than one link, more or fewer places than the segments ask for, or a
    /// number that is not finite.
    pub fn new(anatomy: Anatomy, coat: Coat) -> Result<Myriapod, Error> {
        anatomy.validate()?;
        let (joints, limbs) = anatomy.joints();
        let mut animal = Myriapod { anatomy, rig: Rig { joints, ..Rig::default() }, limbs };
        let rest = animal.joint_poses(&animal.anatomy.rest)?;
        animal.rig.skin = Some(parts::skin(&animal, coat, rest));
        Ok(animal)
    }

    /// The rig, with its skin and without masses.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// What it was made from.
    pub fn anatomy(&self) -> &Anatomy {
        &self.anatomy
    }

    /// Each joint's place and orientation in a posture, in the order of the rig.
    ///
    /// # Errors
    /// The posture has more or fewer parts than the anatomy, or a number that is not finite.
    pub fn joint_poses(&self, posture: &Posture) -> Result<Vec<Pose>, Error> {
        self.anatomy.check(posture)?;
        let rest = &self.anatomy.rest;
        let mut poses: Vec<Pose> = posture.segments.clone();
        for ((limb, now), before) in self.limbs.iter().zip(chains(posture)).zip(chains(rest)) {
            let home = rest.segments[limb.segment].rotation;
            let mut turn = posture.segments[limb.segment].rotation * home.inverse();
            for (k, &translation) in now.iter().enumerate() {
                if let (Some(next), Some(then)) = (now.get(k + 1), before.get(k + 1)) {
                    turn = least_turn(&(turn * (then - before[k])), &(next - translation)) * turn;
                }
                poses.push(Pose { rotation: turn * home, translation });
            }
        }
        Ok(poses)
    }

    /// The rig over time: a frame every `dt` seconds for each posture.
    ///
    /// # Errors
    /// As [`Myriapod::joint_poses`] and [`Clip::new`].
    pub fn clip(&self, playback: Playback, dt: f64, postures: &[Posture]) -> Result<Clip, Error> {
        let (mut positions, mut orientations) = (Vec::new(), Vec::new());
        for (frame, posture) in postures.iter().enumerate() {
            for pose in self.joint_poses(posture).map_err(|error| error.in_frame(frame))? {
                positions.push(pose.translation);
                orientations.push(pose.rotation);
            }
        }
        Clip::new(Topology::Rig(self.rig.clone()), playback, dt, self.rig.joints.len(), positions)?.with_orientations(orientations)
    }
}

/// The places of all limbs, in the order of the joints.
fn chains(posture: &Posture) -> impl Iterator<Item = &[Vector3<f64>]> {
    let legs = posture.legs.iter().flatten().map(<[_; 4]>::as_slice);
    legs.chain(posture.antennae.iter().map(Vec::as_slice)).chain(posture.tails.iter().map(Vec::as_slice))
}

/// The smallest rotation from one direction to another; none if either has no length. By half angles, which is exact for small ones too.
fn least_turn(from: &Vector3<f64>, to: &Vector3<f64>) -> UnitQuaternion<f64> {
    let (Some(a), Some(b)) = (from.try_normalize(f64::MIN_POSITIVE), to.try_normalize(f64::MIN_POSITIVE)) else {
        return UnitQuaternion::identity();
    };
    let (cos, across) = (a.dot(&b), a.cross(&b));
    if 1.0 + cos > 1e-12 {
        return UnitQuaternion::new_normalize(Quaternion::from_parts(1.0 + cos, across));
    }
    // Opposite: half a turn about anything across.
    let helper = if a.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    UnitQuaternion::from_axis_angle(&Unit::new_normalize(a.cross(&helper)), std::f64::consts::PI)
}

impl Anatomy {
    /// The joints of the rig, and which of them are limbs.
    fn joints(&self) -> (Vec<Joint>, Vec<Limb>) {
        let name = |i: usize| if i == 0 { "head".into() } else { format!("segment-{i}") };
        let mut joints: Vec<Joint> = (0..self.segments.len()).map(|i| Joint { name: name(i), parent: i.checked_sub(1) }).collect();
        let mut limbs = Vec::new();
        let mut add = |kind: LimbKind, segment: usize, names: Vec<String>| {
            let (first, count) = (joints.len(), names.len());
            limbs.push(Limb { kind, segment, first, count });
            for (k, name) in names.into_iter().enumerate() {
                joints.push(Joint { name, parent: Some(if k == 0 { segment } else { first + k - 1 }) });
            }
        };
        for segment in (0..self.segments.len()).filter(|&i| self.segments[i].has_legs) {
            for side in ["left", "right"] {
                add(LimbKind::Leg, segment, ["root", "knee", "ankle", "tip"].map(|part| format!("leg-{segment}-{side}-{part}")).into());
            }
        }
        let chain = |name: &str, i: usize, count: usize| (0..count).map(|k| format!("{name}-{i}-{k}")).collect();
        for (i, antenna) in self.rest.antennae.iter().enumerate() {
            add(LimbKind::Antenna, 0, chain("antenna", i, antenna.len()));
        }
        for (i, tail) in self.rest.tails.iter().enumerate() {
            add(LimbKind::Tail, self.segments.len() - 1, chain("tail", i, tail.len()));
        }
        (joints, limbs)
    }

    fn validate(&self) -> Result<(), Error> {
        let count = self.segments.len();
        Error::unless(count >= 2, "segments of the myriapod", count as f64, "two or more")?;
        let sizes = self.segments.iter().flat_map(|segment| segment.half_size.iter().copied()).map(|size| ("half size of a segment", size));
        let radii = [("leg radius", self.leg_radius), ("antenna radius", self.antenna_radius), ("tail radius", self.tail_radius)];
        for (name, value) in sizes.chain(radii) {
            Error::unless(value > 0.0 && value.is_finite(), name, value, "a positive number of metres")?;
        }
        for chain in self.rest.antennae.iter().chain(&self.rest.tails) {
            Error::unless(chain.len() >= 2, "places of an antenna or tail", chain.len() as f64, "two or more: root and tip")?;
        }
        self.check(&self.rest)
    }

    /// Whether a posture fits.
    fn check(&self, posture: &Posture) -> Result<(), Error> {
        let fits = |what, expected, found| if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) };
        fits("segments of the posture", self.segments.len(), posture.segments.len())?;
        fits("pairs of legs of the posture", self.segments.iter().filter(|segment| segment.has_legs).count(), posture.legs.len())?;
        fits("antennae of the posture", self.rest.antennae.len(), posture.antennae.len())?;
        fits("tail appendages of the posture", self.rest.tails.len(), posture.tails.len())?;
        for (chain, rest) in chains(posture).zip(chains(&self.rest)) {
            fits("places of a limb of the posture", rest.len(), chain.len())?;
        }
        let places = chains(posture).flatten().flat_map(|place| place.iter().copied());
        let of_segments = posture.segments.iter().flat_map(|pose| pose.translation.iter().chain(pose.rotation.coords.iter()).copied());
        for x in places.chain(of_segments) {
            Error::unless(x.is_finite(), "number of a posture", x, "finite")?;
        }
        Ok(())
    }
}
