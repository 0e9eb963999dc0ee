//! From a scene to its results: load the body, run the system, make the files. Nothing is written here.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Outcome};
use holonomy::shape::{Clip, MassRule};
use holonomy::systems::shape_change;

use crate::Error;
use crate::asset::{Asset, SampledClip};
use crate::export::summary::Summary;
use crate::export::{BodyExport, ExportMeta, Looks, csv, gltf};
use crate::scene::{self, Scene};

/// A scene with its body loaded, ready to run.
#[derive(Debug)]
pub struct Job {
    /// Name of the results.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// The body's shape over time, and where the asset had it.
    pub body: SampledClip,
    /// The glTF file the body came from, if it did: its motion goes back into it.
    source: Option<Asset>,
    looks: Looks,
}

/// A finished (or interrupted) run.
#[derive(Debug)]
pub struct Finished {
    /// The result.
    pub motion: Motion,
    /// What `--json` prints.
    pub summary: Summary,
    /// File names and contents, to be written together.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Job {
    /// Loads the body of `scene`. Files are looked for from `folder`.
    ///
    /// # Errors
    /// The asset cannot be read, or does not hold what the scene asks for.
    pub fn prepare(name: &str, scene: Scene, folder: &Path) -> Result<Job, Error> {
        let (body, source, looks) = match &scene.body {
            scene::Body::Snake(snake) => {
                let clip = snake.clip(scene.time.fps.si()).map_err(|source| Error::Engine { path: name.into(), source })?;
                let looks = Looks { thickness: Some(2.0 * snake.radius.si()), ..Looks::default() };
                (SampledClip { name: name.into(), clip, recorded: None, notes: Vec::new() }, None, looks)
            }
            scene::Body::Asset(asset) => {
                let path = asset.path(folder);
                let opened = Asset::open(&path)?;
                let body = opened.sample(&asset.clip_options(folder))?;
                (body, Some(opened), Looks::default())
            }
        };
        Ok(Job { name: name.into(), scene, body, source, looks })
    }

    /// Runs the system and makes the files. `progress` is told (step, steps) and may ask to stop.
    ///
    /// # Errors
    /// The engine refused the input, or the result cannot be written as glTF.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Finished, Error> {
        let begun = Instant::now();
        let mut motion = self.compute(progress).map_err(|source| Error::Engine { path: self.name.clone().into(), source })?;
        let wall = begun.elapsed().as_secs_f64();
        motion.warnings.extend(self.body.notes.iter().cloned());
        let glb = self.moving_gltf(&mut motion)?;
        let table = csv::table(&motion, self.body.recorded.as_deref())?;
        let mut summary = Summary::new(&self.name, self.system_name(), &motion, &self.body.clip, wall)?;
        summary.files = ["glb", "csv", "json"].map(|ending| format!("{}.{ending}", self.name)).to_vec();
        let json = summary.to_json();
        let contents = [glb, table.into_bytes(), json.into_bytes()];
        let files = summary.files.iter().cloned().zip(contents).collect();
        Ok(Finished { motion, summary, files })
    }

    fn compute(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let start = self.body.recorded.as_ref().and_then(|poses| poses.first()).copied().unwrap_or_else(Pose::identity);
        match &self.scene.system {
            scene::System::ShapeChange(settings) => settings.job(start, self.scene.time.cycles.get()).run(&self.body.clip, progress),
        }
    }

    /// The result as glTF: back into its source if it has one, else built anew.
    fn moving_gltf(&self, motion: &mut Motion) -> Result<Vec<u8>, Error> {
        todo!()
    }
}
