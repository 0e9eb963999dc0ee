//! From a scene to its results: load the body, run the system, make the files. Nothing is written here.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use holonomy::lie::Pose;
use holonomy::motion::Motion;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{MassRule, Playback, Topology};
use holonomy::systems::ShapeChange;

use crate::asset::gltf::WorldClip;
use crate::asset::{Asset, ClipOptions, RigMasses, SampledClip};
use crate::export::page::{self, PageContents};
use crate::export::summary::Summary;
use crate::export::{BodyExport, ExportMeta, Looks, Taper, csv, gltf};
use crate::picture::{self, PictureBody, Profile};
use crate::scene::{self, Scene};
use crate::{Error, memory, plot};

/// A scene with its body loaded, ready to run.
#[derive(Debug)]
pub struct Job {
    /// Name of the results.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// The body's shape over time, and where the asset had it.
    pub body: SampledClip,
    /// The asset the body came from, if it did, and what was taken of it: glTF gets its motion back into the file.
    source: Option<(Asset, ClipOptions)>,
    looks: Looks,
    /// How drag or mass is spread, where the scene leaves it to the body.
    masses: MassRule,
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
    /// The asset cannot be read or does not hold what the scene asks for, or the body would not fit in memory.
    pub fn prepare(name: &str, scene: Scene, folder: &Path) -> Result<Job, Error> {
        let (body, source, looks, masses) = match &scene.body {
            scene::Body::Asset(asset) => {
                let opened = Asset::open(&asset.path(folder))?;
                let options = asset.clip_options(folder);
                (opened.sample(&options)?, Some((opened, options)), Looks::default(), MassRule::Natural)
            }
            recipe => {
                let made = make(name, recipe, scene.time.fps.si())?;
                let body = SampledClip { name: name.into(), clip: made.clip, recorded: None, notes: Vec::new() };
                (body, None, made.looks, made.masses)
            }
        };
        let scene::System::ShapeChange(settings) = &scene.system;
        if settings.momentum == scene::InitialMomentum::Clip && body.recorded.is_none() {
            let what = "the clip stays in its place, so there is no momentum to take from it";
            return Err(Error::Choice(format!("{name}: {what}; use momentum `zero`, or a clip that was recorded with its motion")));
        }
        if let scene::Body::Asset(asset) = &scene.body
            && asset.masses != RigMasses::Auto
            && !matches!(body.clip.topology(), Topology::Rig(_))
        {
            return Err(Error::Choice(format!("{name}: masses of bones were given, but the body has no bones; use area, volume or unit")));
        }
        let frames = (body.clip.frames() as u64).saturating_mul(scene.time.cycles.get() as u64);
        memory::ensure(frames.saturating_mul(8000), || format!("a motion of {frames} frames"), "ask for fewer cycles or a lower rate")?;
        Ok(Job { name: name.into(), scene, body, source, looks, masses })
    }

    /// The file the body came from, if it came from one; `folder` as in [`Job::prepare`].
    pub fn source_path(&self, folder: &Path) -> Option<PathBuf> {
        match &self.scene.body {
            scene::Body::Asset(asset) => Some(asset.path(folder)),
            _ => None,
        }
    }

    /// The job of another scene from the same `folder`. The body is loaded again only if the scenes differ in more than their system.
    ///
    /// # Errors
    /// As [`Job::prepare`].
    pub fn with_scene(self, scene: Scene, folder: &Path) -> Result<Job, Error> {
        if (Scene { system: self.scene.system.clone(), ..scene.clone() }) == self.scene {
            return Ok(Job { scene, ..self });
        }
        Job::prepare(&self.name, scene, folder)
    }

    /// Runs the system and makes the files; `template` is the page to fill. `progress` is told (step, steps) and may ask to stop.
    ///
    /// # Errors
    /// The engine refused the input, or the result cannot be written.
    pub fn run(&self, template: &str, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Finished, Error> {
        let (mut motion, wall) = self.solve(progress)?;
        let model = self.moving_gltf(&mut motion)?;
        let mut summary = Summary::new(&motion, &self.body.clip, &self.name, self.scene.system.name(), wall)?;
        summary.files = ["glb", "png", "svg", "html", "csv", "json"].map(|ending| format!("{}.{ending}", self.name)).to_vec();
        let contents = [
            self.still(&motion)?,
            plot::stack(&plot::motion_plots(&motion)).into_bytes(),
            self.page(template, &motion, &summary, &model)?.into_bytes(),
            csv::table(&motion, self.body.recorded.as_deref())?.into_bytes(),
            summary.to_json()?.into_bytes(),
        ];
        let files = summary.files.iter().cloned().zip(std::iter::once(model.glb).chain(contents)).collect();
        Ok(Finished { motion, summary, files })
    }

    /// Runs the system alone: no files, no picture. `progress` is as in [`Job::run`].
    ///
    /// # Errors
    /// The engine refused the input, or the result is not finite.
    pub fn summarise(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Summary, Error> {
        let (motion, wall) = self.solve(progress)?;
        Summary::new(&motion, &self.body.clip, &self.name, self.scene.system.name(), wall)
    }

    /// The motion, with what the user should know about it, and how long it took.
    fn solve(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<(Motion, Duration), Error> {
        let begun = Instant::now();
        let mut motion = self.compute(progress)?;
        let wall = begun.elapsed();
        motion.warnings.extend(self.body.notes.iter().cloned());
        if self.scene.time.cycles.get() > 1 && self.body.clip.playback() == Playback::Once {
            motion.warnings.push("the clip does not loop (its end is not its start), so it is played once, whatever `cycles` says".into());
        }
        Ok((motion, wall))
    }

    fn still(&self, motion: &Motion) -> Result<Vec<u8>, Error> {
        let profile = if self.looks.taper == Taper::Snake { Profile::HeadToTail } else { Profile::Even };
        let body =
            PictureBody { thickness: self.looks.thickness, profile, figure: self.looks.figure, ..PictureBody::new(&self.body.clip, 0) };
        picture::still(&[body], motion, &self.scene.picture.options())?.to_small_png()
    }

    fn page(&self, template: &str, motion: &Motion, summary: &Summary, model: &Model) -> Result<String, Error> {
        page::fill(
            template,
            &PageContents {
                title: &self.scene.title,
                scene_toml: &self.public_scene().to_toml()?,
                clip: &model.clip,
                nodes: &[&model.node],
                motion,
                summary,
                glb: &model.glb,
                unit: match &self.source {
                    Some((Asset::Gltf(_), options)) => options.unit.unwrap_or(1.0),
                    _ => 1.0,
                },
            },
        )
    }

    /// The scene as others may see it: without the folders of this machine.
    fn public_scene(&self) -> Scene {
        let mut scene = self.scene.clone();
        if let scene::Body::Asset(asset) = &mut scene.body {
            let bare = |path: &Path| path.file_name().map_or_else(PathBuf::new, PathBuf::from);
            asset.file = bare(&asset.file);
            if let RigMasses::File(file) = &mut asset.masses {
                *file = bare(file);
            }
        }
        scene
    }

    fn compute(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        match &self.scene.system {
            scene::System::ShapeChange(settings) => {
                let system = self.shape_change(settings)?;
                system.run(&self.body.clip, progress).map_err(|source| self.refused(source))
            }
        }
    }

    /// The settings of a scene, with the momentum at the start found from the body.
    fn shape_change(&self, settings: &scene::ShapeChange) -> Result<ShapeChange, Error> {
        let recorded = self.body.recorded.as_deref().unwrap_or_default();
        let recorded_start = recorded.first().copied().unwrap_or_else(Pose::identity);
        let start = self.scene.start.pose(recorded_start);
        let mut system = settings.engine(start, self.scene.time.cycles.get(), &self.masses)?;
        let momentum = match (settings.initial_velocity()?, settings.momentum, settings.law) {
            (Some(velocity), ..) => system.rigid_momentum(&self.body.clip, &velocity),
            (None, scene::InitialMomentum::Zero, _) | (None, _, scene::Law::LeastDissipation) => return Ok(system),
            (None, scene::InitialMomentum::Clip, _) => {
                let momentum = system.recorded_momentum(&self.body.clip, recorded, &(-Vector3::y() * settings.gravity.si()));
                let moved = start * recorded_start.inverse();
                if start == recorded_start { momentum } else { momentum.map(|momentum| moved.momentum_to_world(&momentum)) }
            }
        };
        system.law = system.law.with_momentum(momentum.map_err(|source| self.refused(source))?);
        Ok(system)
    }

    fn refused(&self, source: holonomy::Error) -> Error {
        Error::Engine { path: self.name.clone().into(), source }
    }

    /// The result as glTF: back into its source if that is glTF, else built anew.
    fn moving_gltf(&self, motion: &mut Motion) -> Result<Model, Error> {
        let parameters = serde_json::to_value(self.public_scene()).unwrap_or_default();
        let track = &motion.tracks[0];
        if let Some((Asset::Gltf(asset), options)) = &self.source {
            let world = WorldClip {
                sampled: &self.body,
                options,
                poses: &track.poses,
                target: self.scene.output.target,
                cycle_transform: motion.cycle_transform,
                parameters,
            };
            let patched = asset.with_world_motion(&world)?;
            motion.warnings.extend(patched.notes);
            return Ok(Model { glb: patched.glb, clip: patched.clip, node: patched.node });
        }
        let target = self.scene.output.target;
        if self.source.is_some() && matches!(target, scene::Target::Unreal | scene::Target::Godot) {
            motion.warnings.push(
                "the target's root bone is made for glTF assets only; here the motion is on the node `body` above the skeleton".into(),
            );
        }
        let track = &motion.tracks[0];
        let node = track.name.clone();
        let body = BodyExport { clip: &self.body.clip, name: node.clone(), track: 0, looks: self.looks };
        // A clip that came from a file is told from its original by its name; a scene's own motion bears the scene's.
        let clip = if self.source.is_some() { format!("{}.world", self.body.name) } else { self.name.clone() };
        let (glb, report) = gltf::build(&[body], motion, &ExportMeta { scene: clip.clone(), parameters })?;
        motion.warnings.extend(report.warnings);
        Ok(Model { glb, clip, node })
    }
}

/// The moving result as glTF.
struct Model {
    glb: Vec<u8>,
    /// Name of the animation.
    clip: String,
    /// Name of the node that carries the motion.
    node: String,
}

/// A procedural body, refused before it is made if it would not fit in memory.
fn make(name: &str, body: &scene::Body, fps: f64) -> Result<scene::Made, Error> {
    let Some(recipe) = body.procedural() else { return Err(Error::Choice(format!("{name}: the body comes from a file"))) };
    let (frames, vertices) = recipe.size(fps);
    let frames = frames.ceil() as u64;
    // Positions, the tube around them and its copy in the file: measured 220 to 330 bytes.
    let needed = frames.saturating_mul(vertices as u64).saturating_mul(400);
    memory::ensure(needed, || format!("{frames} frames of {vertices} vertices"), "lower vertices, fps or period")?;
    recipe.make(fps).map_err(|source| Error::Engine { path: name.into(), source })
}
