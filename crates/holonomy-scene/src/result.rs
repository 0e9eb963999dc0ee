//! Results in: a `.glb` that a run wrote, read back as the shape and the motion it shows.

use std::path::Path;

use holonomy::lie::{Momentum, Pose};
use holonomy::motion::{MomentumKind, Motion, Outcome, Track};
use holonomy::shape::Clip;

use crate::Error;
use crate::asset::ClipOptions;
use crate::asset::gltf::GltfAsset;

/// A result read back from its `.glb`.
#[derive(Debug)]
pub struct SavedResult {
    /// Name of the clip that moves through the world.
    pub name: String,
    /// What is seen, as one surface over time.
    pub clip: Clip,
    /// Where it is.
    pub motion: Motion,
}

impl SavedResult {
    /// Reads a result.
    ///
    /// # Errors
    /// The file cannot be read, is not glTF, or is not a result of ours.
    pub fn open(path: &Path) -> Result<SavedResult, Error> {
        let asset = GltfAsset::open(path)?;
        let Some((name, dt, unit)) = asset.result_clip() else {
            let problem = "no clip in it was made by Holonomy";
            let fix = format!(
                "give a .glb that `holonomy run` or `holonomy move` wrote; this one can be moved: holonomy move {}",
                path.display()
            );
            return Err(Error::malformed(path, "animations", problem, fix));
        };
        let sampled =
            asset.sample(&ClipOptions { clip: Some(name.clone()), fps: Some(1.0 / dt), unit: Some(unit), ..ClipOptions::default() })?;
        let clip = sampled.clip;
        let poses = sampled.recorded.unwrap_or_else(|| vec![Pose::identity(); clip.frames()]);
        let centers = poses.iter().enumerate().map(|(k, pose)| pose.act(&clip.centroid(k))).collect();
        let steps = poses.len().saturating_sub(1);
        let track = Track::new("body", clip.dt(), poses, centers, vec![Momentum::zero(); steps]);
        let motion = Motion {
            dt: clip.dt(),
            tracks: vec![track],
            momentum_kind: MomentumKind::Momentum,
            series: Vec::new(),
            outcome: Outcome::Done,
            checks: Vec::new(),
            steps,
            newton_iterations: 0,
            cycle_transform: None,
            warnings: sampled.notes,
        };
        Ok(SavedResult { name, clip, motion })
    }
}
