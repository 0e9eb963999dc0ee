//! Results in: a `.glb` that a run wrote, read back as the shape and the motion it shows, with its scenery.

use std::path::Path;

use holonomy::lie::{Momentum, Pose};
use holonomy::motion::{Motion, Track};

use crate::Error;
use crate::asset::ClipOptions;
use crate::asset::gltf::{GltfAsset, ResultClip};
use crate::looks::Color;
use crate::picture::Backdrop;
use crate::scene::Scene;

/// A result read back from its `.glb`.
#[derive(Debug)]
pub struct SavedResult {
    /// Name of the clip that moves through the world.
    pub name: String,
    /// What is seen, as one surface over time, and where it is; and the scenery.
    pub motion: Motion,
    /// A colour for each vertex.
    pub colors: Option<Vec<Color>>,
    /// What the motion happens on, as the run's own still shows it; the default if the file does not say.
    pub backdrop: Backdrop,
}

impl SavedResult {
    /// Reads a result.
    ///
    /// # Errors
    /// The file cannot be read, is not glTF, or is not a result of ours.
    pub fn open(path: &Path) -> Result<SavedResult, Error> {
        let asset = GltfAsset::open(path)?;
        let Some(ResultClip { name, frame_time, unit, scene }) = asset.result_clip() else {
            let problem = "no clip in it was made by Holonomy";
            let fix = format!(
                "give a .glb that `holonomy run` or `holonomy move` wrote; this one can be moved: holonomy move {}",
                path.display()
            );
            return Err(Error::malformed(path, "animations", problem, fix));
        };
        let sampled = asset.sample(&ClipOptions {
            clip: Some(name.clone()),
            fps: Some(1.0 / frame_time),
            unit: Some(unit),
            still: true,
            ..ClipOptions::default()
        })?;
        let clip = sampled.clip;
        let dt = clip.dt();
        let poses = sampled.recorded.unwrap_or_else(|| vec![Pose::identity(); clip.frames()]);
        let centers = poses.iter().enumerate().map(|(k, pose)| pose.act(&clip.centroid(k))).collect();
        let steps = poses.len().saturating_sub(1);
        let track = Track::new("body", clip, poses, centers, vec![Momentum::zero(); steps]);
        let scenery = asset.scenery(unit)?;
        let motion = Motion { steps, warnings: sampled.notes, scenery, ..Motion::new(dt, vec![track]) };
        let scene = serde_json::from_value::<Scene>(scene);
        let backdrop = scene.map_or_else(|_| Backdrop::default(), |scene| scene.picture.options(&scene.system).backdrop);
        Ok(SavedResult { name, motion, colors: sampled.colors, backdrop })
    }
}
