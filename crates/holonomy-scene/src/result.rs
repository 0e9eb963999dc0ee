//! Results in: a `.glb` that a run wrote, read back as the shape and the motion it shows, with its scenery, water and food.

use std::io::Read;
use std::path::Path;

use holonomy::lie::{Momentum, Pose};
use holonomy::motion::{Matter, Motion, Track};
use holonomy::shape::{Clip, Topology};

use indexmap::IndexMap;
use serde::Deserialize;

use crate::asset::gltf::{GltfAsset, ResultClip};
use crate::asset::{ClipOptions, SampledClip};
use crate::export::page;
use crate::looks::Color;
use crate::picture::{Backdrop, Drawn};
use crate::scene::Scene;
use crate::{Error, digest, input, words};

/// A result read back from its `.glb`.
#[derive(Debug)]
pub struct SavedResult {
    /// Name of the clip that moves through the world.
    pub name: String,
    /// What is seen of the bodies, as one surface over time, and where it is; the same of water and food, if there are any; and the scenery.
    pub motion: Motion,
    /// For each track a colour for each vertex.
    pub colors: Vec<Option<Vec<Color>>>,
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
        asset.ensure_values()?;
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
        let dt = sampled.clip.dt();
        let poses = sampled.recorded.clone().unwrap_or_else(|| vec![Pose::identity(); sampled.clip.frames()]);
        let steps = poses.len().saturating_sub(1);
        let (mut tracks, mut colors) = (Vec::new(), Vec::new());
        for (matter, clip, own) in by_matter(&sampled).map_err(|source| Error::Engine { path: path.into(), source })? {
            let centers = poses.iter().enumerate().map(|(k, pose)| pose.act(&clip.centroid(k))).collect();
            let track = Track::new(matter.name(), clip, poses.clone(), centers, vec![Momentum::zero(); steps]);
            tracks.push(Track { matter, ..track });
            colors.push(own);
        }
        let scenery = asset.scenery(unit)?;
        let motion = Motion { steps, warnings: sampled.notes, scenery, ..Motion::new(dt, tracks) };
        let scene = serde_json::from_value::<Scene>(scene);
        let backdrop = scene.map_or_else(|_| Backdrop::default(), |scene| scene.picture.options(&scene.system).backdrop);
        Ok(SavedResult { name, motion, colors, backdrop })
    }

    /// How each track is drawn.
    pub fn drawn(&self) -> Vec<Drawn<'_>> {
        self.colors.iter().map(|colors| Drawn { vertex_colors: colors.as_deref(), ..Drawn::default() }).collect()
    }
}

/// Compares a result with what stands beside it under its name: the `.glb`, the page and the
/// summary of a run belong together. A run that is killed while it puts its files in place one
/// after another leaves some of them from the run before.
///
/// Returns a note for each pair that does not belong together. There is none where a file is
/// missing, or is of a version that did not say.
pub fn mixed_up(result: &Path) -> Vec<String> {
    let model = result.with_extension("glb");
    let Some(found) = input::open(&model).ok().and_then(|file| digest::of_reader(file).ok()) else { return Vec::new() };
    let (summary, page) = (result.with_extension("json"), result.with_extension("html"));
    let said = |path: &Path| {
        let mut bytes = Vec::new();
        input::open(path).ok()?.read_to_end(&mut bytes).ok()?;
        let hashes = if path == page { of_page(&bytes)?.summary } else { serde_json::from_slice(&bytes).ok()? };
        hashes.sha256.into_iter().find_map(|(name, hash)| name.ends_with(".glb").then_some(hash))
    };
    let note = |path: &Path| {
        let told = said(path).filter(|told| *told != found)?;
        let [model, other] =
            [&model, path].map(|path| words::one_line(&path.file_name().unwrap_or_default().to_string_lossy()).into_owned());
        let short = |hash: &str| hash.chars().take(12).collect::<String>();
        Some(format!(
            "{other} is of another run than {model}: it tells of a model with the SHA-256 {}…, and this one has {}…; \
             a run may have been killed while it wrote. Run the scene again to have both of one run",
            short(&told),
            short(&found)
        ))
    };
    [summary.as_path(), page.as_path()].into_iter().filter_map(note).collect()
}

/// What a summary tells of the files of its run.
#[derive(Deserialize)]
struct Hashes {
    #[serde(default)]
    sha256: IndexMap<String, String>,
}

/// What is read of the data of a page.
#[derive(Deserialize)]
struct PageData {
    summary: Hashes,
}

fn of_page(page: &[u8]) -> Option<PageData> {
    let opening = page::DATA.trim_end_matches("</script>");
    let (_, data) = std::str::from_utf8(page).ok()?.split_once(opening)?;
    serde_json::from_str(data.split_once("</script>")?.0).ok()
}

/// A surface over time with its colours.
type Part = (Matter, Clip, Option<Vec<Color>>);

/// The bodies, the water and the food of a surface, each for itself.
fn by_matter(sampled: &SampledClip) -> Result<Vec<Part>, holonomy::Error> {
    let (clip, colors) = (&sampled.clip, &sampled.colors);
    let (Some(matters), Topology::Surface { faces }) = (&sampled.matters, clip.topology()) else {
        return Ok(vec![(Matter::Body, clip.clone(), colors.clone())]);
    };
    let part = |matter: Matter| {
        let kept: Vec<usize> = (0..clip.vertices()).filter(|&v| matters[v] == matter).collect();
        let mut number = vec![u32::MAX; clip.vertices()];
        kept.iter().enumerate().for_each(|(i, &v)| number[v] = i as u32);
        let faces: Vec<[u32; 3]> =
            faces.iter().map(|face| face.map(|v| number[v as usize])).filter(|face| !face.contains(&u32::MAX)).collect();
        if faces.is_empty() {
            return Ok(None);
        }
        let positions = (0..clip.frames()).flat_map(|k| kept.iter().map(move |&v| clip.frame(k)[v])).collect();
        let own = Clip::new(Topology::Surface { faces }, clip.playback(), clip.dt(), kept.len(), positions)?;
        Ok(Some((matter, own, colors.as_ref().map(|all| kept.iter().map(|&v| all[v]).collect()))))
    };
    Matter::ALL.into_iter().filter_map(|matter| part(matter).transpose()).collect()
}
