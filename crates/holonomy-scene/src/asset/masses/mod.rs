//! Masses for the bones of a rig: a published table for human bodies, the bone lengths for any other, or a file.
//!
//! Human: P. de Leva 1996, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29(9), Table 4: the share
//! of the body's mass, the centre of mass and the radii of gyration of each segment between joint centres, for young women and men. The
//! mean of both sexes is used unless one is asked for, scaled to sum to one (the printed women's shares sum to 0.9999), on a body of 70 kg.
//! The table's three radii become two, as bones are bodies of revolution here: one across the segment and one about its length.
//!
//! A rig is human if its joint names give both knees, ankles, elbows, wrists and a head (the names of CMU, Mixamo, Unreal, Poser, SMPL and
//! their like are known). Then each bone belongs to the segment that its proximal joint starts, and
//! * a segment of one bone (thigh, shank, upper arm, forearm as a rule) takes the table's centre and gyration;
//! * one of several bones (neck and head, hand with fingers, foot with toes) spreads its mass along them with a density linear in the
//!   distance from its start, whose centre of mass is the table's; each of them is as thick as the segment;
//! * the trunk has three parts, as in the table, each spread evenly by length: the lower on the bones from the pelvis to the hips and the lowest
//!   of the spine, the middle on the rest of the spine up to the chest (where the arms meet), the upper on the bones from the chest to neck
//!   and shoulders. A part without bones leaves its mass to the other parts. In the CMU conversions the bone from chest to neck has no
//!   length: there the first neck bone stands for it and carries upper and middle trunk. Each bone is as thick as its part: the printed
//!   longitudinal radius, in metres on the table's body, scaled by the length of the legs (a rig has no joints at xiphion and omphalion);
//! * a segment without bones (a hand that ends at the wrist) puts its mass at its start, on the bone that ends there.
//!
//! The table does not say how to lay the trunk on a rig. Which bones carry which part was chosen among several ways by the free fall of six CMU
//! clips in the air (their centres of mass fall with 9.1 to 10.5 m/s²), so that fit is a check of sense, not an independent validation. The
//! radii come from the table alone. What comes of it can be held against the table's whole trunk, which is not used: on the CMU rigs its
//! centre lies 0.32 to 0.37 of the way from shoulders to hips (printed 0.405), its radii of gyration are 0.36 to 0.39 across (0.371) and 0.23 to
//! 0.27 about its length (0.190), all over the length from shoulders to hips, which these rigs make short.
//!
//! Any other rig: mass by bone length, each bone a cylinder four times as long as thick, which is what limbs are like (longitudinal radius of
//! gyration 0.088 of its length; the table has 0.09 to 0.16 for human limbs).

mod de_leva;
mod file;
mod landmarks;

use holonomy::shape::{Bone, Joint};

pub use self::de_leva::{Segment, SegmentValues, Table};
use self::landmarks::{Landmarks, Part, Side};
use super::RigMasses;
use crate::Error;

/// Mass of a human body when nothing else is said, kg.
pub const HUMAN_MASS: f64 = 70.0;
/// Mass of any other rig when nothing else is said, kg. Shares follow bone length.
pub const OTHER_MASS: f64 = 1.0;
/// Longitudinal radius of gyration of a bone of any other rig, as a fraction of its length: a uniform cylinder of radius r has r/√2, and r is an
/// eighth of the length.
const CYLINDER: f64 = 0.125 * std::f64::consts::FRAC_1_SQRT_2;

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
    real_bones(joints, lengths).map(|ends| uniform_bone(ends, total * lengths[ends.1] / sum, CYLINDER)).collect()
}

/// A bone with its mass spread evenly along it, and of a given longitudinal radius of gyration as a fraction of its length.
fn uniform_bone((from, to): (usize, usize), mass: f64, longitudinal_gyration: f64) -> Bone {
    Bone { from, to, mass, center: 0.5, gyration: transverse(1.0 / 12.0, longitudinal_gyration), longitudinal_gyration }
}

/// Transverse radius of gyration of a bone from the mean square distance of its mass from the centre along it (for an even spread 1/12) and
/// its longitudinal radius of gyration, all as fractions of its length.
fn transverse(along_squared: f64, longitudinal: f64) -> f64 {
    (along_squared + 0.5 * longitudinal * longitudinal).sqrt()
}

/// Joint pairs with a bone of some length between them.
fn real_bones<'a>(joints: &'a [Joint], lengths: &'a [f64]) -> impl Iterator<Item = (usize, usize)> + 'a {
    joints.iter().zip(lengths).enumerate().filter(|(_, (_, length))| **length > 0.0).filter_map(|(i, (joint, _))| Some((joint.parent?, i)))
}

/// The parts of the trunk, from below.
const TRUNK: [Segment; 3] = [Segment::LowerTrunk, Segment::MiddleTrunk, Segment::UpperTrunk];

/// Bones of a human rig of `total` kg; `None` if the joint names do not look human or too many bones have no length.
pub fn human_bones(joints: &[Joint], lengths: &[f64], table: Table, total: f64) -> Option<Vec<Bone>> {
    let mut landmarks = Landmarks::find(joints)?;
    let bridge = landmarks.raise_neck(joints, lengths);
    let mut bones: Vec<Bone> = real_bones(joints, lengths).map(|ends| uniform_bone(ends, 0.0, 0.0)).collect();
    let part_of: Vec<Part> = landmarks.parts_of_bones(joints, &bones);
    let members = |part: Part| -> Vec<usize> { (0..part_of.len()).filter(|&b| part_of[b] == part).collect() };
    let mut trunk = TRUNK.map(|segment| members((segment, Side::Middle)));
    trunk[1].extend(bones.iter().position(|b| Some(b.to) == bridge));
    let reach = landmarks.reach(joints, lengths);
    spread_trunk(&mut bones, lengths, table, total, &trunk)?;
    let leg = landmarks.leg(&reach);
    thicken_trunk(&mut bones, lengths, &trunk, TRUNK.map(|part| leg * de_leva::trunk_thickness(part, table)));
    // A rig whose head ends at the head joint has only neck bones: the mass goes where the head starts.
    let has_skull = bones.iter().zip(&part_of).any(|(b, part)| part.0 == Segment::Head && b.to > landmarks.head);
    // Proximal segments stand before distal ones, so that a mass put at an end is not overwritten.
    for &(start, part) in &landmarks.starts {
        let values = part.0.values(table);
        let mass = total * values.mass;
        match members(part).as_slice() {
            [_, ..] if part.0 == Segment::Head && !has_skull => put_at_end(&mut bones, landmarks.head, mass)?,
            [] => put_at_end(&mut bones, start, mass)?,
            [only] => {
                let (gyration, longitudinal_gyration) = (values.gyration, values.longitudinal_gyration);
                bones[*only] = Bone { mass, center: values.center, gyration, longitudinal_gyration, ..bones[*only] };
            }
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

/// Gives the bones of the trunk the longitudinal radius of gyration of their part (`radii`, in the unit of `lengths`); a bone that carries two
/// parts takes the mean of their squares.
fn thicken_trunk(bones: &mut [Bone], lengths: &[f64], members: &[Vec<usize>; 3], radii: [f64; 3]) {
    for (b, bone) in bones.iter_mut().enumerate() {
        let squares: Vec<f64> = members.iter().zip(radii).filter(|(list, _)| list.contains(&b)).map(|(_, r)| r * r).collect();
        if !squares.is_empty() {
            let mean = squares.iter().sum::<f64>() / squares.len() as f64;
            *bone = uniform_bone((bone.from, bone.to), bone.mass, mean.sqrt() / lengths[bone.to]);
        }
    }
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
        bone.longitudinal_gyration = values.longitudinal_gyration / length;
        bone.gyration = transverse(1.0 / 12.0 - shift * shift, bone.longitudinal_gyration);
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
    bone.longitudinal_gyration *= ((all - mass) / all).sqrt();
    Some(())
}
