//! Masses for the bones of a rig: a published table for human bodies, the bone lengths for any other, or a file.
//!
//! Human: P. de Leva 1996, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29(9), Table 4: the share
//! of the body's mass, the centre of mass and the radii of gyration of each segment between joint centres, for young women and men. The
//! mean of both sexes is used unless one is asked for, scaled to sum to one (the printed women's shares sum to 0.9999), on a body of 70 kg.
//!
//! A rig is human if its joint names give both knees, ankles, elbows, wrists and a head (the names of CMU, Mixamo, Unreal, Poser, SMPL and
//! their like are known). Then each bone belongs to the segment that its proximal joint starts, and
//! * a segment of one bone (thigh, shank, upper arm, forearm as a rule) takes the table's centre and gyration;
//! * one of several bones (neck and head, hand with fingers, foot with toes) spreads its mass along them with a density linear in the
//!   distance from its start, whose centre of mass is the table's;
//! * the trunk has three parts, as in the table, each spread evenly by length: the lower on the bones from the pelvis to the hips and the lowest
//!   of the spine, the middle on the rest of the spine up to the chest (where the arms meet), the upper on the bones from the chest to neck
//!   and shoulders. A part without bones leaves its mass to the other parts. In the CMU conversions the bone from chest to neck has no
//!   length: there the first neck bone stands for it and carries upper and middle trunk;
//! * a segment without bones (a hand that ends at the wrist) puts its mass at its start, on the bone that ends there.
//!
//! The table does not say how to lay the trunk on a rig. This way was chosen among several by the free fall of six CMU clips in the air: their
//! centres of mass fall with 9.1 to 10.5 m/s², so read those fits as a check of sense, not as an independent validation.

mod file;
mod landmarks;

use holonomy::shape::{Bone, Joint};

use self::landmarks::{Landmarks, Part, Side};
use super::RigMasses;
use crate::Error;

/// Mass of a human body when nothing else is said, kg.
pub const HUMAN_MASS: f64 = 70.0;
/// Mass of any other rig when nothing else is said, kg. Shares follow bone length.
pub const OTHER_MASS: f64 = 1.0;
/// Radius of gyration of a uniform rod about its centre, as a fraction of its length.
const ROD: f64 = 0.288_675_134_594_812_9;

/// Bones of a rig with their masses, one for each joint whose `lengths` entry (metres, from its parent) is above zero, and notes for the user.
///
/// # Errors
/// [`RigMasses::Human`] on joints that do not look human; a mass file that cannot be read or does not fit the rig.
pub fn bones(joints: &[Joint], lengths: &[f64], masses: &RigMasses) -> Result<(Vec<Bone>, Vec<String>), Error> {
    let human = || human_bones(joints, lengths, Table::Mean, HUMAN_MASS);
    let by_length = || length_bones(joints, lengths, OTHER_MASS);
    match masses {
        RigMasses::Auto => Ok(match human() {
            Some(bones) => (bones, vec![format!("masses: de Leva 1996, mean of women and men, a body of {HUMAN_MASS} kg")]),
            None => (by_length(), vec![format!("masses: by bone length, {OTHER_MASS} kg in all")]),
        }),
        RigMasses::Human => human().map(|bones| (bones, Vec::new())).ok_or_else(|| {
            let names: Vec<&str> = joints.iter().take(12).map(|j| j.name.as_str()).collect();
            let names = names.join(", ");
            Error::Choice(format!(
                "the joints do not look human: knees, ankles, elbows, wrists on both sides and a head are needed, but the joints are {names}, …; \
                 take masses by length, or from a file of `joint mass_kg` lines"
            ))
        }),
        RigMasses::Length => Ok((by_length(), Vec::new())),
        RigMasses::File(path) => file::read(path, joints, human().unwrap_or_else(by_length)),
    }
}

/// Whether the joint names are those of a human body.
pub fn looks_human(joints: &[Joint]) -> bool {
    Landmarks::find(joints).is_some()
}

/// Mass in proportion to length, each bone a uniform rod. `total` in kg.
pub fn length_bones(joints: &[Joint], lengths: &[f64], total: f64) -> Vec<Bone> {
    let sum: f64 = lengths.iter().sum();
    real_bones(joints, lengths).map(|(from, to)| Bone { from, to, mass: total * lengths[to] / sum, center: 0.5, gyration: ROD }).collect()
}

/// Joint pairs with a bone of some length between them.
fn real_bones<'a>(joints: &'a [Joint], lengths: &'a [f64]) -> impl Iterator<Item = (usize, usize)> + 'a {
    joints.iter().zip(lengths).enumerate().filter(|(_, (_, length))| **length > 0.0).filter_map(|(i, (joint, _))| Some((joint.parent?, i)))
}

/// Whose numbers of de Leva's table to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Table {
    /// The mean of women and men.
    #[default]
    Mean,
    /// Young women (mean 61.9 kg, 1.735 m).
    Women,
    /// Young men (mean 73.0 kg, 1.741 m).
    Men,
}

/// A part of the body that de Leva's table has numbers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Segment {
    /// Head and neck: cervicale (7th neck vertebra) to vertex. Table: "Head 2", turned round.
    Head,
    /// Suprasternale to xiphion.
    UpperTrunk,
    /// Xiphion to omphalion.
    MiddleTrunk,
    /// Omphalion to the middle of the hip joints.
    LowerTrunk,
    /// Shoulder to elbow joint centre.
    UpperArm,
    /// Elbow to wrist joint centre.
    Forearm,
    /// Wrist joint centre to tip of the third finger. Table: "Hand 2".
    Hand,
    /// Hip to knee joint centre.
    Thigh,
    /// Knee to ankle joint centre.
    Shank,
    /// Heel to toe tip; on a rig, ankle to toe tip.
    Foot,
}

impl Segment {
    /// All ten; the limbs' six occur twice in a body.
    pub const ALL: [Segment; 10] = {
        use Segment::*;
        [Head, UpperTrunk, MiddleTrunk, LowerTrunk, UpperArm, Forearm, Hand, Thigh, Shank, Foot]
    };
    /// How many of it a body has.
    pub fn count(self) -> usize {
        if (self as usize) < Segment::UpperArm as usize { 1 } else { 2 }
    }
    /// Its numbers in the table, masses scaled so that the whole body is one.
    pub fn values(self, table: Table) -> SegmentValues {
        let whole: f64 = Segment::ALL.iter().map(|s| s.count() as f64 * s.printed(table).mass).sum();
        let printed = self.printed(table);
        SegmentValues { mass: printed.mass / whole, ..printed }
    }
    fn printed(self, table: Table) -> SegmentValues {
        let [women, men] = DE_LEVA[self as usize].map(|[mass, center, sagittal, transverse]: [f64; 4]| {
            // One radius across the segment: the mean of the two moments.
            SegmentValues { mass, center, gyration: f64::midpoint(sagittal * sagittal, transverse * transverse).sqrt() }
        });
        let mean = |a, b| f64::midpoint(a, b);
        match table {
            Table::Women => women,
            Table::Men => men,
            Table::Mean => SegmentValues {
                mass: mean(women.mass, men.mass),
                center: mean(women.center, men.center),
                gyration: mean(women.gyration, men.gyration),
            },
        }
    }
}

/// The parts of the trunk, from below.
const TRUNK: [Segment; 3] = [Segment::LowerTrunk, Segment::MiddleTrunk, Segment::UpperTrunk];

/// Numbers of one segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentValues {
    /// Share of the body's mass.
    pub mass: f64,
    /// Centre of mass from the proximal end, as a fraction of the segment's length.
    pub center: f64,
    /// Radius of gyration across the segment about its centre of mass, as a fraction of its length.
    pub gyration: f64,
}

/// De Leva 1996, Table 4: women, men; each: mass share, centre from the proximal end, sagittal and transverse radius of gyration.
/// In the order of [`Segment::ALL`]. The head is printed from vertex to cervicale (0.4841, 0.5002) and is turned round here.
const DE_LEVA: [[[f64; 4]; 2]; 10] = [
    [[0.0668, 0.5159, 0.271, 0.295], [0.0694, 0.4998, 0.303, 0.315]],
    [[0.1545, 0.2077, 0.746, 0.502], [0.1596, 0.2999, 0.716, 0.454]],
    [[0.1465, 0.4512, 0.433, 0.354], [0.1633, 0.4502, 0.482, 0.383]],
    [[0.1247, 0.4920, 0.433, 0.402], [0.1117, 0.6115, 0.615, 0.551]],
    [[0.0255, 0.5754, 0.278, 0.260], [0.0271, 0.5772, 0.285, 0.269]],
    [[0.0138, 0.4559, 0.261, 0.257], [0.0162, 0.4574, 0.276, 0.265]],
    [[0.0056, 0.3427, 0.244, 0.208], [0.0061, 0.3624, 0.288, 0.235]],
    [[0.1478, 0.3612, 0.369, 0.364], [0.1416, 0.4095, 0.329, 0.329]],
    [[0.0481, 0.4352, 0.267, 0.263], [0.0433, 0.4395, 0.251, 0.246]],
    [[0.0129, 0.4014, 0.299, 0.279], [0.0137, 0.4415, 0.257, 0.245]],
];

/// Bones of a human rig of `total` kg; `None` if the joint names do not look human or too many bones have no length.
pub fn human_bones(joints: &[Joint], lengths: &[f64], table: Table, total: f64) -> Option<Vec<Bone>> {
    let mut landmarks = Landmarks::find(joints)?;
    let bridge = landmarks.raise_neck(joints, lengths);
    let mut bones: Vec<Bone> =
        real_bones(joints, lengths).map(|(from, to)| Bone { from, to, mass: 0.0, center: 0.5, gyration: ROD }).collect();
    let part_of: Vec<Part> = landmarks.parts_of_bones(joints, &bones);
    let members = |part: Part| -> Vec<usize> { (0..part_of.len()).filter(|&b| part_of[b] == part).collect() };
    let mut trunk = TRUNK.map(|segment| members((segment, Side::Middle)));
    trunk[1].extend(bones.iter().position(|b| Some(b.to) == bridge));
    spread_trunk(&mut bones, lengths, table, total, &trunk)?;
    let reach = landmarks.reach(joints, lengths);
    // A rig whose head ends at the head joint has only neck bones: the mass goes where the head starts.
    let has_skull = bones.iter().zip(&part_of).any(|(b, part)| part.0 == Segment::Head && b.to > landmarks.head);
    // Proximal segments stand before distal ones, so that a mass put at an end is not overwritten.
    for &(start, part) in &landmarks.starts {
        let values = part.0.values(table);
        let mass = total * values.mass;
        match members(part).as_slice() {
            [_, ..] if part.0 == Segment::Head && !has_skull => put_at_end(&mut bones, landmarks.head, mass)?,
            [] => put_at_end(&mut bones, start, mass)?,
            [only] => bones[*only] = Bone { mass, center: values.center, gyration: values.gyration, ..bones[*only] },
            several => spread_along(&mut bones, several, lengths, &reach, values, total),
        }
    }
    Some(bones)
}

/// Lower, middle and upper trunk on their bones, evenly by length.
fn spread_trunk(bones: &mut [Bone], lengths: &[f64], table: Table, total: f64, members: &[Vec<usize>; 3]) -> Option<()> {
    let shares = TRUNK.map(|s| s.values(table).mass);
    let trunk: f64 = shares.iter().sum();
    let there: f64 = shares.iter().zip(members).filter(|(_, list)| !list.is_empty()).map(|(share, _)| share).sum();
    if there == 0.0 {
        return None;
    }
    for (share, list) in shares.iter().zip(members) {
        let sum: f64 = list.iter().map(|&b| lengths[bones[b].to]).sum();
        for &b in list {
            bones[b].mass += total * share * (trunk / there) * lengths[bones[b].to] / sum;
        }
    }
    Some(())
}

/// A segment's mass over several bones: density 1 + a (s - 1/2) in the distance s from its start (0 to 1 at its far end), a = 12 (center - 1/2).
fn spread_along(bones: &mut [Bone], list: &[usize], lengths: &[f64], reach: &[f64], values: SegmentValues, total: f64) {
    let far = list.iter().map(|&b| reach[bones[b].to]).fold(0.0, f64::max);
    let slope = (12.0 * (values.center - 0.5)).clamp(-1.9, 1.9);
    let mut sum = 0.0;
    for &b in list {
        let bone = &mut bones[b];
        let (length, end) = (lengths[bone.to] / far, reach[bone.to] / far);
        // Over the bone, u from 0 to 1, the density is middle + tilt (u - 1/2); its moments are exact.
        let (middle, tilt) = (1.0 + slope * (end - 0.5 * length - 0.5), slope * length);
        let shift = tilt / (12.0 * middle);
        bone.mass = middle * length;
        bone.center = 0.5 + shift;
        bone.gyration = (1.0 / 12.0 - shift * shift).sqrt();
        sum += bone.mass;
    }
    for &b in list {
        bones[b].mass *= total * values.mass / sum;
    }
}

/// A point mass at the far end of the bone that ends at `joint` (or, over zero-length bones, is not found: `None`).
fn put_at_end(bones: &mut [Bone], joint: usize, mass: f64) -> Option<()> {
    let bone = bones.iter_mut().find(|b| b.to == joint)?;
    let (all, center) = (bone.mass + mass, (bone.mass * bone.center + mass) / (bone.mass + mass));
    let inertia = bone.mass * (bone.gyration.powi(2) + (bone.center - center).powi(2)) + mass * (1.0 - center).powi(2);
    (bone.mass, bone.center, bone.gyration) = (all, center, (inertia / all).sqrt());
    Some(())
}
