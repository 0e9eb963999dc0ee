//! Scenes within scenes: a body whose shapes another scene finds.

use std::path::{Path, PathBuf};

use holonomy::motion::Outcome;
use holonomy::shape::{Clip, Playback, Topology};

use crate::asset::gltf::GltfAsset;
use crate::asset::{RigMasses, SampledClip};
use crate::job::{Job, Progress};
use crate::looks::Looks;
use crate::scene::{self, FromScene, Scene};
use crate::{Error, IoAction, examples};

/// Scenes within scenes go no deeper.
const DEEPEST: usize = 16;

/// A scene that makes a body of another.
pub(crate) struct Inner {
    /// How it is called in messages and results: the example, or the file without its folders.
    pub name: String,
    pub scene: Scene,
    /// Its files are looked for from here.
    pub folder: PathBuf,
    /// Itself and the scenes that it is within, the outermost first.
    pub within: Vec<String>,
}

impl Inner {
    /// Reads the scene; `within` are those that it is within.
    ///
    /// # Errors
    /// It is not there or no scene, has not one body, is within itself or too deep.
    pub(crate) fn open(from: &FromScene, folder: &Path, within: &[String]) -> Result<Inner, Error> {
        let (name, known, scene, folder) = match from {
            FromScene::File(file) => {
                let path = folder.join(file);
                // One name for a file, whichever way leads to it.
                let known = path.canonicalize().map_err(|source| Error::io(IoAction::Read, &path, source))?;
                let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                let scene = Scene::load(&path)?;
                (name, known.display().to_string(), scene, path.parent().unwrap_or(Path::new("")).to_path_buf())
            }
            FromScene::Example(name) => (name.clone(), name.clone(), Scene::from_toml(examples::find(name)?.text, name)?, PathBuf::new()),
        };
        if within.contains(&known) {
            let way = within.iter().chain([&known]).map(String::as_str).collect::<Vec<_>>().join(" → ");
            return Err(Error::Choice(format!(
                "{name}: the scene is to make a body of itself ({way})\n  fix: name another scene in [body.scene]"
            )));
        }
        if within.len() >= DEEPEST {
            return Err(Error::Choice(format!("{name}: scenes stand {DEEPEST} deep in each other\n  fix: make it of fewer")));
        }
        one_body(&name, scene.named_bodies().len())?;
        let within = within.iter().cloned().chain([known]).collect();
        Ok(Inner { name, scene, folder, within })
    }

    /// Runs it: its shapes over time, and how its body looks. `progress` may stop it; it is told nothing, for its steps are not those of the whole.
    ///
    /// # Errors
    /// It cannot be run, is stopped or does not come to its end, has not one body, or its shapes do not repeat.
    pub(crate) fn shapes(self, progress: &mut Progress) -> Result<(SampledClip, Looks), Error> {
        let Inner { name, scene, folder, within } = self;
        let job = Job::within(&name, scene, &folder, &within, progress)?;
        let (motion, _) = job.solve(&mut |_, _| progress(0, 0))?;
        if let Outcome::Interrupted { .. } = motion.outcome {
            return Err(Error::Stopped { name });
        }
        if let Outcome::NotConverged { advice, .. } | Outcome::OutOfReach { reason: advice } = &motion.outcome {
            return Err(refused(&name, "it did not come to its end", advice));
        }
        let bodies = motion.bodies();
        one_body(&name, bodies.len())?;
        let found = &motion.tracks[bodies[0]].shape;
        if found.playback() != Playback::Loop || found.frames() < 2 {
            return Err(refused(
                &name,
                "its shapes do not repeat",
                "name a scene whose body changes its shape in a loop, such as one of [system.loop]",
            ));
        }
        let failed = motion.checks.iter().filter(|check| !check.pass());
        let failed = failed
            .map(|check| format!("{name}, which makes the body: {} is {:.3e}, above {:.0e}", check.name, check.value, check.tolerance));
        let told = motion.warnings.iter().map(|warning| format!("{name}, which makes the body: {warning}"));
        let notes = failed.chain(told).collect();
        let clip = skin_of(found).map_err(|source| Error::Engine { path: name.clone().into(), source })?;
        let looks = job.bodies.first().map_or_else(Looks::default, |body| body.looks);
        Ok((SampledClip { name, clip, recorded: None, notes, colors: None, matters: None }, looks))
    }
}

fn refused(name: &str, problem: &str, fix: &str) -> Error {
    Error::Choice(format!("{name}: {problem}, so it makes no body of another\n  fix: {fix}"))
}

fn one_body(name: &str, count: usize) -> Result<(), Error> {
    match count {
        1 => Ok(()),
        _ => Err(refused(name, &format!("the scene has {count} bodies"), "name a scene with one body, and nothing beside it")),
    }
}

/// The files that bodies and surroundings of `scene` come from. What cannot be read is left for the run to tell.
pub(crate) fn sources(scene: &Scene, folder: &Path, within: &[String]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for named in scene.named_bodies() {
        if let scene::Body::Asset(asset) = named.body {
            files.push(asset.path(folder));
            files.extend(if let RigMasses::File(file) = asset.clip_options(folder).masses { Some(file) } else { None });
        }
        if let scene::Body::Scene(from) = named.body {
            files.extend(if let FromScene::File(file) = from { Some(folder.join(file)) } else { None });
            if let Ok(inner) = Inner::open(from, folder, within) {
                files.extend(sources(&inner.scene, &inner.folder, &inner.within));
            }
        }
    }
    files.extend(scene.system.clone().files_mut().into_iter().map(|file| folder.join(file)));
    let gltf =
        |file: &&PathBuf| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gltf") || ending.eq_ignore_ascii_case("glb"));
    let beside: Vec<PathBuf> = files.iter().filter(gltf).flat_map(|file| GltfAsset::files_beside(file)).collect();
    files.extend(beside);
    files
}

/// A surface without the vertices that none of its faces has: the inside of what is soft.
fn skin_of(clip: &Clip) -> Result<Clip, holonomy::Error> {
    let Topology::Surface { faces } = clip.topology() else { return Ok(clip.clone()) };
    let mut used = vec![false; clip.vertices()];
    faces.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let kept: Vec<usize> = (0..clip.vertices()).filter(|&vertex| used[vertex]).collect();
    if kept.len() == clip.vertices() || kept.is_empty() {
        return Ok(clip.clone());
    }
    let mut place = vec![0_u32; clip.vertices()];
    kept.iter().enumerate().for_each(|(i, &vertex)| place[vertex] = i as u32);
    let faces = faces.iter().map(|face| face.map(|vertex| place[vertex as usize])).collect();
    let points = (0..clip.frames()).flat_map(|k| kept.iter().map(move |&vertex| clip.frame(k)[vertex])).collect();
    Clip::new(Topology::Surface { faces }, clip.playback(), clip.dt(), kept.len(), points)
}
