//! Which joints of a rig are the landmarks of a human body, found by their names and by who hangs on whom.
//!
//! Knees, ankles, elbows, wrists and the head must be named; names differ between tools in what they call them (`LeftLeg` is the knee to
//! Mixamo, `calf_l` to Unreal, `lShin` to Poser, `L_Knee` to SMPL). Hips and shoulders are the named ancestors of knee and elbow, else
//! their parents: `LeftShoulder` is the collar bone to some and the shoulder to others. Pelvis and chest are where the limbs meet.

use holonomy::shape::{Bone, Joint};

use super::Segment;

/// Which side of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Middle,
}

/// One segment of one side.
pub(super) type Part = (Segment, Side);

/// The joints that segments start at.
pub(super) struct Landmarks {
    /// First joint of each segment but the trunk's, proximal ones before distal ones.
    pub starts: Vec<(usize, Part)>,
    pub head: usize,
    /// Where the legs meet.
    pelvis: usize,
    /// Where the arms meet.
    chest: usize,
    hips: [usize; 2],
}

/// Where a joint of the trunk hangs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TrunkPlace {
    Pelvis,
    Spine,
    AboveChest,
    Elsewhere,
}

const KNEE: &[&[&str]] = &[&["knee", "shin", "calf", "shank", "lowerleg", "lowleg", "loleg", "tibia"], &["leg"]];
const ANKLE: &[&[&str]] = &[&["ankle"], &["foot"]];
const ELBOW: &[&[&str]] = &[&["elbow", "forearm", "lowerarm", "lowarm", "loarm", "radius"]];
const WRIST: &[&[&str]] = &[&["wrist"], &["hand"]];
const HIP: &[&[&str]] = &[&["upleg", "upperleg", "thigh", "femur"], &["hip"]];
const SHOULDER: &[&[&str]] = &[&["arm", "upperarm", "uparm", "humerus"], &["shoulder", "shldr"]];
/// Words that say nothing about the body part.
const FILLERS: &[&str] = &["mixamorig", "bip", "bip01", "bip001", "def", "joint", "jnt", "jt", "bone", "bn", "b", "j", "c"];

impl Landmarks {
    /// The landmarks, or `None` if the rig does not look human.
    pub fn find(joints: &[Joint]) -> Option<Self> {
        let names: Vec<(String, Side)> = joints.iter().map(|j| body_part(&j.name)).collect();
        let named = |lists: &[&[&str]], side: Side, below: Option<usize>| {
            let fits = |i: &usize, list: &[&str]| {
                let (part, s) = &names[*i];
                *s == side && list.contains(&part.as_str()) && below.is_none_or(|b| ancestors(joints, *i).any(|a| a == b))
            };
            lists.iter().find_map(|list| (0..joints.len()).find(|i| fits(i, list)))
        };
        // The highest named ancestor, else the parent.
        let above = |lists: &[&[&str]], joint: usize| {
            let fits = |i: &usize, list: &[&str]| names[*i].1 != Side::Middle && list.contains(&names[*i].0.as_str());
            lists.iter().find_map(|list| ancestors(joints, joint).filter(|i| fits(i, list)).last()).or(joints[joint].parent)
        };
        let head = named(&[&["head"]], Side::Middle, None)?;
        let neck = ancestors(joints, head).filter(|&i| names[i].0.contains("neck")).last().unwrap_or(head);
        let mut starts = vec![(neck, (Segment::Head, Side::Middle))];
        let (mut hips, mut shoulders) = (Vec::new(), Vec::new());
        for side in [Side::Left, Side::Right] {
            let knee = named(KNEE, side, None)?;
            let ankle = named(ANKLE, side, Some(knee))?;
            let elbow = named(ELBOW, side, None)?;
            let wrist = named(WRIST, side, Some(elbow))?;
            let (hip, shoulder) = (above(HIP, knee)?, above(SHOULDER, elbow)?);
            starts.extend([(hip, (Segment::Thigh, side)), (knee, (Segment::Shank, side)), (ankle, (Segment::Foot, side))]);
            starts.extend([(shoulder, (Segment::UpperArm, side)), (elbow, (Segment::Forearm, side)), (wrist, (Segment::Hand, side))]);
            hips.push(hip);
            shoulders.push(shoulder);
        }
        let (pelvis, chest) = (meet(joints, &hips)?, meet(joints, &shoulders)?);
        let distinct = |pair: &[usize], root: usize| pair.iter().all(|&i| i != root);
        let apart =
            distinct(&hips, pelvis) && distinct(&shoulders, chest) && !starts.iter().any(|&(start, _)| start == pelvis || start == chest);
        apart.then(|| Landmarks { starts, head, pelvis, chest, hips: [hips[0], hips[1]] })
    }

    /// Where a neck starts at the chest itself, the bone between them has no length (as in the CMU conversions), and the first neck bone
    /// stands for it: the head's segment starts above that bone, whose far joint is given.
    pub fn raise_neck(&mut self, joints: &[Joint], lengths: &[f64]) -> Option<usize> {
        let (start, _) = self.starts.first_mut()?;
        let up_from_chest = |joint: usize| {
            let mut path: Vec<usize> = ancestors(joints, joint).take_while(|&i| i != self.chest).collect();
            path.reverse();
            path.push(joint);
            path
        };
        if *start == self.head || up_from_chest(*start).iter().any(|&i| lengths[i] > 0.0) {
            return None;
        }
        let next = up_from_chest(self.head).into_iter().find(|&i| lengths[i] > 0.0)?;
        *start = next;
        Some(next)
    }

    /// The part each bone belongs to: that of its proximal joint; for trunk bones, whether they lead to the hips or are the
    /// lowest of the spine, lie above the chest, or neither.
    pub fn parts_of_bones(&self, joints: &[Joint], bones: &[Bone]) -> Vec<Part> {
        let (mut parts, mut place) = (vec![None; joints.len()], vec![TrunkPlace::Elsewhere; joints.len()]);
        for (i, joint) in joints.iter().enumerate() {
            let start = self.starts.iter().find(|s| s.0 == i).map(|s| s.1);
            parts[i] = start.or_else(|| joint.parent.and_then(|p| parts[p]));
            if joint.parent.is_some_and(|p| p == self.chest || place[p] == TrunkPlace::AboveChest) {
                place[i] = TrunkPlace::AboveChest;
            }
        }
        for end in [self.chest, self.hips[0], self.hips[1]] {
            let path = std::iter::once(end).chain(ancestors(joints, end)).take_while(|&i| i != self.pelvis);
            path.for_each(|i| place[i] = if end == self.chest { TrunkPlace::Spine } else { TrunkPlace::Pelvis });
        }
        let lowest = bones.iter().find(|b| place[b.to] == TrunkPlace::Spine).map(|b| b.to);
        let trunk = |bone: &Bone| match place[bone.to] {
            TrunkPlace::Pelvis => Segment::LowerTrunk,
            TrunkPlace::AboveChest => Segment::UpperTrunk,
            _ if Some(bone.to) == lowest => Segment::LowerTrunk,
            _ => Segment::MiddleTrunk,
        };
        bones.iter().map(|bone| parts[bone.from].unwrap_or_else(|| (trunk(bone), Side::Middle))).collect()
    }

    /// Distance of each joint along the bones from the start of the segment of the bone that ends there, in the unit of `lengths`.
    pub fn reach(&self, joints: &[Joint], lengths: &[f64]) -> Vec<f64> {
        let mut reach = vec![0.0; joints.len()];
        for (i, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                let starts_here = self.starts.iter().any(|s| s.0 == parent);
                reach[i] = lengths[i] + if starts_here { 0.0 } else { reach[parent] };
            }
        }
        reach
    }

    /// Length of a leg from hip to ankle, mean of both, from what [`Landmarks::reach`] found.
    pub fn leg(&self, reach: &[f64]) -> f64 {
        let ends = self.starts.iter().filter(|(_, part)| matches!(part.0, Segment::Shank | Segment::Foot));
        0.5 * ends.map(|&(joint, _)| reach[joint]).sum::<f64>()
    }
}

/// Parent, grandparent and so on.
fn ancestors(joints: &[Joint], joint: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(joints.get(joint).and_then(|j| j.parent), |&i| joints.get(i).and_then(|j| j.parent))
}

/// The lowest joint that both hang on.
fn meet(joints: &[Joint], pair: &[usize]) -> Option<usize> {
    let over: Vec<usize> = std::iter::once(pair[0]).chain(ancestors(joints, pair[0])).collect();
    std::iter::once(pair[1]).chain(ancestors(joints, pair[1])).find(|i| over.contains(i))
}

/// A joint's name as a body part and a side: `mixamorig:LeftUpLeg`, `upleg.L` and `lUpLeg` are all (`upleg`, left).
fn body_part(name: &str) -> (String, Side) {
    let base = name.rsplit([':', '|']).next().unwrap_or(name);
    let (mut part, mut side) = (String::new(), Side::Middle);
    for word in words(base) {
        match word.as_str() {
            "left" | "l" => side = Side::Left,
            "right" | "r" => side = Side::Right,
            w if FILLERS.contains(&w) => {}
            w => part.push_str(w),
        }
    }
    if side == Side::Middle {
        for (prefix, s) in [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)] {
            if let Some(rest) = part.strip_prefix(prefix)
                && [KNEE, ANKLE, ELBOW, WRIST, HIP, SHOULDER].iter().any(|lists| lists.iter().any(|list| list.contains(&rest)))
            {
                return (rest.to_string(), s);
            }
        }
    }
    (part, side)
}

/// Lower-case words of a name: split at anything but letters and digits, and where a capital starts a word.
fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let (mut words, mut word) = (Vec::new(), String::new());
    for (i, &c) in chars.iter().enumerate() {
        let previous = i.checked_sub(1).map(|p| chars[p]);
        let next_is_small = chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        let starts = c.is_uppercase() && (previous.is_some_and(|p| !p.is_uppercase()) || next_is_small);
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
