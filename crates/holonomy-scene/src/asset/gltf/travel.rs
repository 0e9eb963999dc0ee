//! Travel that a clip has of its own, moved onto the new root bone: a game engine takes root motion from that bone alone.
//!
//! The clip shows the body at R S, with the recorded motion R and the shape S; in the world it shall be at W S. A bone B under an armature
//! with global transform G, and what hangs on it, C, become
//!
//! ```text
//! B = G⁻¹ W G,   C' = G⁻¹ R⁻¹ G C,   so that   G B C' = W R⁻¹ G C.
//! ```

use super::animation::Tracks;
use super::fault::Fault;
use super::nodes::Local;
use super::surface::Stage;
use super::target::{Placement, under};
use super::track::Property;
use holonomy::lie::Pose;

/// An armature that moves by more than this, beside its own numbers, is no place to stand still on.
const STILL: f64 = 1e-9;

/// Motions in each frame, in the file's units and axes, as seen from what they hang on.
#[derive(Debug)]
pub(super) struct Rerooted {
    /// The new bone's.
    pub bone: Vec<Pose>,
    /// Of each node that hangs on it.
    pub children: Vec<(usize, Vec<Pose>)>,
}

impl Rerooted {
    /// `None` if the armature moves by itself, or a node on the bone is given as a matrix: then the travel must stay where it is.
    ///
    /// For each frame to show: its time in the source, W and R.
    pub fn new(
        (stage, tracks, rest): (&Stage, &Tracks, &[Local]),
        place: &Placement,
        frames: &[(f64, Pose, Pose)],
    ) -> Result<Option<Self>, Fault> {
        if place.children.iter().any(|&child| rest[child].matrix.is_some()) {
            return Ok(None);
        }
        let Some((first, ..)) = frames.first() else { return Ok(None) };
        let fixed = place.armature(stage, tracks, *first);
        let mut out = Rerooted { bone: Vec::new(), children: place.children.iter().map(|&child| (child, Vec::new())).collect() };
        for (t, world, recorded) in frames {
            if (place.armature(stage, tracks, *t) - fixed).amax() > STILL * fixed.amax() {
                return Ok(None);
            }
            out.bone.push(under(&fixed, world)?);
            let undo = under(&fixed, &recorded.inverse())?;
            let (locals, _) = tracks.pose(rest, &[], *t);
            for (child, poses) in &mut out.children {
                let Local { translation, rotation, .. } = locals[*child];
                poses.push(undo * Pose { rotation, translation });
            }
        }
        Ok(Some(out))
    }

    /// Whether it says itself what this channel says.
    pub fn replaces(&self, node: usize, property: Property) -> bool {
        matches!(property, Property::Translation | Property::Rotation) && self.children.iter().any(|(child, _)| *child == node)
    }
}
