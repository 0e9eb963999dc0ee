//! From a scene to its results: load the bodies, run the system, make the files. Nothing is written here.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Outcome, Track};
use holonomy::shape::{Clip, Playback};
use rayon::prelude::*;

use crate::asset::gltf::WorldClip;
use crate::asset::{Asset, RigMasses};
use crate::export::page::{self, PageContents};
use crate::export::summary::Summary;
use crate::export::{ExportMeta, csv, gltf};
use crate::loaded;
use crate::looks::{Color, Looks};
use crate::physics::{self, Physics, Run};
use crate::picture::{self, Drawn, GoesOn, paint};
use crate::scene::{self, Scene};
use crate::{Error, digest, inner, input, memory, notes, plot, words};

pub use crate::loaded::LoadedBody;

/// Told (step, steps), it may ask to stop. With several bodies it is called from several threads, never twice at once.
pub type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + Send + 'a;

/// A scene with its bodies loaded, ready to run.
#[derive(Debug)]
pub struct Job {
    /// Name of the results.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// Its bodies.
    pub bodies: Vec<LoadedBody>,
    /// Frames of the result but the first.
    steps: usize,
    /// Where files are looked for.
    folder: PathBuf,
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
    /// Names of files that an earlier run may have left and that would pass for parts of this one: to be removed once `files` are written.
    pub outdated: Vec<String>,
}

/// What the files of a whole run end in.
const ENDINGS: [&str; 6] = ["glb", "png", "svg", "html", "csv", "json"];
/// And those of a run that was stopped before it was shown.
const UNSEEN: [&str; 3] = ["glb", "csv", "json"];

/// What names of results end in that the program makes of the name of a scene: `NAME.partial.glb`,
/// `NAME.sweep.csv`, `NAME.sweep.2of4.csv`, `NAME.render.png`, `NAME.gallery.json`.
const DERIVED: [&str; 4] = ["partial", "sweep", "render", "gallery"];

/// Makes sure that results of this name never take the place of another scene's: that it does not
/// end as the names do that the program makes of that of a scene, however its letters are written
/// (some file systems take large and small ones for the same).
///
/// # Errors
/// It ends so.
pub fn check_name(name: &str) -> Result<(), Error> {
    let folded = name.to_uppercase().to_lowercase();
    let (stem, ending) = folded.rsplit_once('.').unwrap_or((&folded, ""));
    let is_part = |ending: &str| {
        ending.split_once("of").is_some_and(|(i, n)| [i, n].iter().all(|x| !x.is_empty() && x.bytes().all(|x| x.is_ascii_digit())))
    };
    let of_a_part = is_part(ending) && stem.ends_with(".sweep");
    if !DERIVED.contains(&ending) && !of_a_part {
        return Ok(());
    }
    let ending = if of_a_part { format!("sweep.{ending}") } else { ending.to_owned() };
    let other = folded.strip_suffix(&format!(".{ending}")).filter(|other| !other.is_empty()).unwrap_or("NAME");
    Err(Error::Choice(format!(
        "{}: a name may not end in `.{ending}`, for results of the scene `{}` are called so\n  fix: rename the file",
        words::one_line(name),
        words::one_line(other)
    )))
}

/// Makes sure that `folder` holds no results of another scene that those of this name would
/// overwrite or remove: earlier versions had scenes called `NAME.partial`.
///
/// # Errors
/// It does.
pub fn check_place(folder: &Path, name: &str) -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    struct Of {
        scene: String,
    }
    for derived in ["partial", "sweep", "sweep.partial"] {
        let other = format!("{name}.{derived}");
        let path = folder.join(format!("{other}.json"));
        let found: Option<Of> = input::bytes(&path, 1, "").ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if found.is_some_and(|found| found.scene.to_lowercase() == other.to_lowercase()) {
            return Err(Error::Choice(format!(
                "{}: it is of a scene called `{}`, whose results those of `{}` would replace\n  \
                 fix: move that scene's results away, or give another folder with --out",
                words::of_path(&path),
                words::one_line(&other),
                words::one_line(name)
            )));
        }
    }
    Ok(())
}

impl Finished {
    /// Names of all files that a run of that name may write.
    pub fn file_names(name: &str) -> impl Iterator<Item = String> {
        ["", ".partial"].into_iter().flat_map(move |part| ENDINGS.iter().map(move |ending| format!("{name}{part}.{ending}")))
    }
}

impl Job {
    /// Loads the bodies of `scene`. Files are looked for from `folder`.
    ///
    /// # Errors
    /// An asset cannot be read or does not hold what the scene asks for, the scene does not say
    /// how long it lasts, it would not fit in memory, or its name is that of another scene's
    /// results ([`check_name`]).
    pub fn prepare(name: &str, scene: Scene, folder: &Path) -> Result<Job, Error> {
        Job::prepare_watched(name, scene, folder, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`Job::prepare`]; `progress` may stop the scenes that make bodies of this one, which are run here.
    ///
    /// # Errors
    /// As [`Job::prepare`], and [`Error::Stopped`].
    pub fn prepare_watched(name: &str, scene: Scene, folder: &Path, progress: &mut Progress) -> Result<Job, Error> {
        check_name(name)?;
        Job::within(name, scene, folder, &[], progress)
    }

    /// As [`Job::prepare`], of a scene that makes a body of others: those it is within, itself the last.
    pub(crate) fn within(name: &str, scene: Scene, folder: &Path, within: &[String], progress: &mut Progress) -> Result<Job, Error> {
        let (bodies, steps) = loaded::load(name, &scene, folder, within, progress)?;
        let job = Job { name: name.into(), scene, bodies, steps, folder: folder.into() };
        let of_fluid = match &job.scene.system {
            scene::System::Flow(flow) if flow.added_mass == scene::AddedMassModel::BoundaryElement => {
                job.bodies.iter().map(|body| memory::boundary_elements(body.shape.clip.vertices())).fold(0, u64::saturating_add)
            }
            _ => 0,
        };
        job.ensure(memory::to_solve(&job.sizes(), steps.saturating_add(1)).saturating_add(of_fluid), "a motion")?;
        Ok(job)
    }

    /// Bytes of memory that running it and making its files takes, by the estimate that
    /// [`Job::run`] refuses it by if they cannot be had.
    pub fn memory(&self) -> u64 {
        memory::to_show(&self.sizes(), self.steps.saturating_add(1), &self.scene.picture.options(&self.scene.system))
    }

    /// How large the shapes of its bodies are.
    fn sizes(&self) -> Vec<memory::Size> {
        self.bodies.iter().map(|body| body.size(self.steps.saturating_add(1))).collect()
    }

    /// Refuses what would not fit in memory.
    fn ensure(&self, needed: u64, what: &str) -> Result<(), Error> {
        let points: usize = self.bodies.iter().map(|body| body.shape.clip.vertices()).sum();
        let what = || format!("{}: {what} of {} frames of {points} vertices or joints", self.name, self.steps.saturating_add(1));
        memory::ensure(needed, what, "ask for less time, fewer cycles, a lower rate or fewer vertices, or give a coarser mesh")
    }

    /// The files that bodies and obstacles came from; `folder` as in [`Job::prepare`].
    pub fn source_paths(&self, folder: &Path) -> Vec<PathBuf> {
        inner::sources(&self.scene, folder, &[])
    }

    /// The job of another scene from the same `folder`. Bodies are loaded again only if the scenes differ in more than their system.
    ///
    /// # Errors
    /// As [`Job::prepare_watched`].
    pub fn with_scene(self, scene: Scene, folder: &Path, progress: &mut Progress) -> Result<Job, Error> {
        if (Scene { system: self.scene.system.clone(), ..scene.clone() }) == self.scene {
            return Ok(Job { scene, folder: folder.into(), ..self });
        }
        let Job { name, .. } = self; // the rest goes before there is another
        memory::forget();
        Job::prepare_watched(&name, scene, folder, progress)
    }

    /// Runs the system and makes the files; `template` is the page to fill. Once `progress` asks to stop, the files that show the motion
    /// (picture, plots, page) are left out. What is not complete is called `NAME.partial`, so that it takes no earlier result's place; a result
    /// that is complete takes the place of all parts.
    ///
    /// # Errors
    /// The engine refused the input, or the result cannot be written.
    pub fn run(&self, template: &str, progress: &mut Progress) -> Result<Finished, Error> {
        self.ensure(self.memory(), "the files of a motion")?;
        let physics = self.physics()?;
        let (mut motion, wall) = self.motion(&physics, progress)?;
        let (model, shown) = self.shown(&physics, &motion, progress)?;
        motion.warnings.extend(model.notes.iter().cloned());
        if shown.is_none() {
            let fix = "`holonomy render` draws it, and running it to its end makes all";
            motion.warnings.push(format!("stopped before picture, plots and page were made; {fix}"));
            if motion.outcome == Outcome::Done {
                motion.outcome = Outcome::Interrupted { frame: motion.frames() };
            }
        }
        motion.warnings = notes::merged(motion.warnings);
        let mut summary = self.summary(&physics, &motion, wall)?;
        let partial = format!("{}.partial", self.name);
        let name = if motion.outcome == Outcome::Done { &self.name } else { &partial };
        let file = |ending: &str| format!("{name}.{ending}");
        // The page and the summary tell of all files, themselves among them.
        let endings: &[&str] = if shown.is_some() { &ENDINGS } else { &UNSEEN };
        summary.files = endings.iter().map(|ending| file(ending)).collect();
        let partials = ENDINGS.iter().map(|ending| format!("{partial}.{ending}"));
        let outdated = partials.filter(|file| !summary.files.contains(file)).collect();
        let table = csv::table(&motion, self.recorded())?.into_bytes();
        let made = [("glb", Some(&model.glb)), ("png", shown.as_ref().map(|[still, _]| still))];
        let made = made.into_iter().chain([("svg", shown.as_ref().map(|[_, plots]| plots)), ("csv", Some(&table))]);
        summary.sha256 = made.filter_map(|(ending, bytes)| Some((file(ending), digest::of_bytes(bytes?)))).collect();
        let pictures = match shown {
            Some([still, plots]) => {
                let page = self.page(template, &motion, &summary, &model)?.into_bytes();
                vec![(file("png"), still), (file("svg"), plots), (file("html"), page)]
            }
            None => Vec::new(),
        };
        // The model first and the summary last: a run that is killed while they are put in place
        // one after another leaves a summary that is not of the model.
        let mut files = vec![(file("glb"), model.glb)];
        files.extend(pictures);
        files.push((file("csv"), table));
        files.push((file("json"), summary.to_json()?.into_bytes()));
        Ok(Finished { motion, summary, files, outdated })
    }

    /// The glTF; still and plots, `None` if `progress` asks to stop: they take their time.
    fn shown(&self, physics: &[Box<dyn Physics>], motion: &Motion, progress: &mut Progress) -> Result<(Model, Option<Pictures>), Error> {
        let steps = self.steps * self.bodies.len();
        let progress = Mutex::new(progress);
        // The drawing asks from all of its threads.
        let goes_on = || progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())(steps, steps).is_continue();
        if !goes_on() {
            return Ok((self.moving_gltf(motion)?, None));
        }
        let (model, still) = rayon::join(|| self.moving_gltf(motion), || self.still(physics, motion, &goes_on));
        let (model, still) = (model?, still?);
        let plots = goes_on().then(|| plot::of_motion(motion).into_bytes());
        Ok((model, still.zip(plots.filter(|_| goes_on())).map(|(still, plots)| [still, plots])))
    }

    /// Finds out whether the run would be refused before its first step.
    ///
    /// # Errors
    /// The engine refuses the input.
    pub fn check(&self) -> Result<(), Error> {
        self.physics()?.iter().try_for_each(|physics| physics.check().map_err(|source| self.refused(source)))
    }

    /// Adds something the user should know to what is said of the first body's asset.
    pub fn note(&mut self, note: String) {
        if let Some(body) = self.bodies.first_mut() {
            body.shape.notes.insert(0, note);
        }
    }

    /// Runs the system alone: no files, no picture.
    ///
    /// # Errors
    /// The engine refused the input, or the result is not finite.
    pub fn summarise(&self, progress: &mut Progress) -> Result<Summary, Error> {
        let physics = self.physics()?;
        let (motion, wall) = self.motion(&physics, progress)?;
        self.summary(&physics, &motion, wall)
    }

    fn summary(&self, physics: &[Box<dyn Physics>], motion: &Motion, wall: Duration) -> Result<Summary, Error> {
        let efficiency = match physics {
            [physics] => physics.efficiency(motion).map_err(|source| self.refused(source))?,
            _ => None,
        };
        let summary = Summary::new(motion, &self.name, self.scene.system.name(), wall)?;
        Ok(Summary { efficiency: efficiency.filter(|x| x.is_finite()), ..summary })
    }

    /// The world motion that a lone asset had of its own.
    fn recorded(&self) -> Option<&[Pose]> {
        if let [body] = self.bodies.as_slice() { body.shape.recorded.as_deref() } else { None }
    }

    /// Runs the system alone: the motion, with what the user should know about it, and how long it took. `progress` is as in [`Job::run`].
    ///
    /// # Errors
    /// The engine refused the input.
    pub fn solve(&self, progress: &mut Progress) -> Result<(Motion, Duration), Error> {
        self.motion(&self.physics()?, progress)
    }

    fn motion(&self, physics: &[Box<dyn Physics>], progress: &mut Progress) -> Result<(Motion, Duration), Error> {
        let begun = Instant::now();
        let mut motion = match physics {
            [physics] => physics.run(progress).map_err(|source| self.refused(source))?,
            all => self.motion_of_all(all, progress)?,
        };
        let wall = begun.elapsed();
        let whose = |body: &LoadedBody, note| if self.bodies.len() > 1 { format!("{}: {note}", body.name) } else { note };
        let of_input = self.bodies.iter().flat_map(|body| body.shape.notes.iter().map(move |note| whose(body, note.clone())));
        // What was read comes first: the rest may follow from it.
        motion.warnings.splice(0..0, of_input.collect::<Vec<_>>());
        let once = self.bodies.iter().any(|body| body.untouched && body.shape.clip.playback() == Playback::Once);
        if self.scene.time.cycles.get() > 1 && once {
            motion.warnings.push("the clip does not loop (its end is not its start), so it is played once, whatever `cycles` says".into());
        }
        motion.warnings = notes::merged(motion.warnings);
        Ok((motion, wall))
    }

    /// Each body on its own, at the same time; the order of the threads has no say in the result.
    fn motion_of_all(&self, physics: &[Box<dyn Physics>], progress: &mut Progress) -> Result<Motion, Error> {
        let so_far = vec![(0, self.steps); physics.len()];
        let shared = Mutex::new((so_far, progress));
        let tell = |body: usize, step: usize, steps: usize| {
            let mut shared = shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let (so_far, progress) = &mut *shared;
            so_far[body] = (step, steps);
            let (step, steps) = so_far.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            progress(step, steps)
        };
        let motions: Vec<Result<Motion, holonomy::Error>> =
            physics.par_iter().enumerate().map(|(i, one)| one.run(&mut |step, steps| tell(i, step, steps))).collect();
        let motions = motions.into_iter().collect::<Result<Vec<_>, _>>().map_err(|source| self.refused(source))?;
        let named = self.bodies.iter().map(|body| body.name.clone()).zip(motions).collect();
        let (named, notes) = begun_only(named);
        let mut motion = Motion::together(named).map_err(|source| self.refused(source))?;
        motion.warnings.extend(notes);
        Ok(motion)
    }

    /// The bodies of the tracks of `motion`, by their places: all of them, but in a run that was stopped only those that had begun. A lone body may have
    /// several tracks. Water and food are nobody's, and go with the first.
    fn moving(&self, motion: &Motion) -> Vec<usize> {
        let of = |track: &Track| self.bodies.iter().position(|body| body.name == track.name);
        motion.tracks.iter().map(|track| of(track).unwrap_or(0)).collect()
    }

    /// The looks of the tracks of `motion`; copies of one body differ in colour.
    fn looks(&self, motion: &Motion) -> Vec<Looks> {
        let copies = self.bodies.len() == 1 && motion.bodies().len() > 1;
        let looks = |(track, i): (usize, usize)| {
            let looks = self.bodies[i].looks;
            if copies { Looks { color: Looks::of_body(track).color, ..looks } } else { looks }
        };
        self.moving(motion).into_iter().enumerate().map(looks).collect()
    }

    /// The looks of the tracks, and the colours of their faces where these differ.
    fn colors(&self, motion: &Motion) -> (Vec<Looks>, Vec<Option<Vec<Color>>>) {
        let looks = self.looks(motion);
        let finishes = self.moving(motion).iter().zip(&looks).map(|(&i, looks)| self.bodies[i].face_colors(looks)).collect();
        (looks, finishes)
    }

    /// The still; `None` once `goes_on` says no.
    fn still(&self, physics: &[Box<dyn Physics>], motion: &Motion, goes_on: &GoesOn) -> Result<Option<Vec<u8>>, Error> {
        let moving = self.moving(motion);
        let paint = |(&i, track): (&usize, _)| self.paint(&self.bodies[i], &*physics[i.min(physics.len() - 1)], track);
        let paints = moving.iter().zip(&motion.tracks).map(paint).collect::<Result<Vec<_>, _>>()?;
        let (looks, finishes) = self.colors(motion);
        let mut bodies: Vec<Drawn> =
            moving.iter().zip(&looks).zip(&finishes).map(|((&i, &looks), finish)| self.bodies[i].drawn(looks, finish)).collect();
        bodies.iter_mut().zip(&paints).for_each(|(body, paint)| body.vertex_colors = paint.as_deref());
        let options = self.scene.picture.options(&self.scene.system);
        let until = self.scene.picture.until.map(|until| motion.clone().first(1 + (until.si() / motion.dt).round() as usize));
        let still = picture::still_unless_stopped(until.as_ref().unwrap_or(motion), &bodies, &options, goes_on)?;
        still.map(|still| still.to_small_png()).transpose()
    }

    /// Colours of the vertices: those of the asset, or a row per frame if the scene asks for something else.
    fn paint(&self, body: &LoadedBody, physics: &dyn Physics, track: &Track) -> Result<Option<Vec<Color>>, Error> {
        let values = match self.scene.picture.colors {
            scene::Colors::Body => return Ok(body.shape.colors.clone()),
            scene::Colors::Thrust => physics.thrust(track).map_err(|source| self.refused(source))?,
            scene::Colors::MissingForce => Some(track.of_vertices.clone()).filter(|values| !values.is_empty()),
        };
        Ok(values.map(|values| paint::diverging(&values)))
    }

    fn page(&self, template: &str, motion: &Motion, summary: &Summary, model: &Model) -> Result<String, Error> {
        page::fill(
            template,
            &PageContents {
                title: &self.scene.title,
                scene_toml: &self.public_scene().to_toml()?,
                clip: &model.clip,
                nodes: &model.nodes.iter().map(String::as_str).collect::<Vec<_>>(),
                motion,
                summary,
                water: self.scene.system.settings().surroundings().water.map(scene::Height::si),
                glb: &model.glb,
                unit: model.unit,
            },
        )
    }

    /// The scene as others may see it: without the folders of this machine.
    fn public_scene(&self) -> Scene {
        let mut scene = self.scene.clone();
        let bare = |path: &Path| path.file_name().map_or_else(PathBuf::new, PathBuf::from);
        for body in scene.bodies_mut() {
            if let scene::Body::Scene(scene::FromScene::File(file)) = body {
                *file = bare(file);
            }
            let scene::Body::Asset(asset) = body else { continue };
            asset.file = bare(&asset.file);
            if let RigMasses::File(file) = &mut asset.masses {
                *file = bare(file);
            }
        }
        for file in scene.system.files_mut() {
            *file = bare(file);
        }
        scene
    }

    /// The system, set up for each body.
    fn physics(&self) -> Result<Vec<Box<dyn Physics>>, Error> {
        let refused = |source| self.refused(source);
        let run = Run { steps: self.steps, folder: &self.folder, refused: &refused };
        physics::of_all(&self.scene, &self.bodies, run)
    }

    fn refused(&self, source: holonomy::Error) -> Error {
        Error::Engine { path: self.name.clone().into(), source }
    }

    /// The result as glTF, back into its source if that is one body's glTF, else built anew.
    fn moving_gltf(&self, motion: &Motion) -> Result<Model, Error> {
        let parameters = serde_json::to_value(self.public_scene()).unwrap_or_default();
        let target = self.scene.output.target;
        // A clip needs two keys: what was stopped before the second frame is built anew.
        if motion.frames() > 1
            && motion.tracks.len() == 1
            && let [LoadedBody { source: Some((Asset::Gltf(asset), options)), shape, untouched: true, .. }] = self.bodies.as_slice()
        {
            let world = WorldClip {
                sampled: shape,
                options,
                poses: &motion.tracks[0].poses,
                target,
                cycle_transform: motion.cycle_transform,
                parameters,
                scenery: &motion.scenery,
            };
            let patched = asset.with_world_motion(&world)?;
            let (nodes, unit) = (vec![patched.node], options.unit.unwrap_or(1.0));
            return Ok(Model { glb: patched.glb, clip: patched.clip, nodes, unit, notes: patched.notes });
        }
        let from_file = self.bodies.iter().any(|body| body.source.is_some());
        let (looks, finishes) = self.colors(motion);
        let moving = self.moving(motion);
        let drawn = |((&i, track), (&looks, finish)): ((&usize, &Track), (_, _))| {
            let body = &self.bodies[i];
            Drawn { texture: body.texture(&track.shape), ..body.drawn(looks, finish) }
        };
        let bodies: Vec<Drawn> = moving.iter().zip(&motion.tracks).zip(looks.iter().zip(&finishes)).map(drawn).collect();
        // A clip that came from a file is told from its original by its name; a scene's own motion bears the scene's.
        let stem = match self.bodies.as_slice() {
            [body] if from_file => format!("{}.world", body.shape.name),
            _ => self.name.clone(),
        };
        let clip = stem + target.clip_suffix(motion.cycle_transform.as_ref().filter(|_| in_whole_cycles(motion)));
        let (glb, report) = gltf::build(motion, &bodies, &ExportMeta { scene: clip.clone(), parameters, target })?;
        let nodes = report.bodies.into_iter().map(|body| body.node).collect();
        Ok(Model { glb, clip, nodes, unit: 1.0, notes: report.warnings })
    }
}

/// Whether the shapes of all bodies are at the end what they were at the start.
fn in_whole_cycles(motion: &Motion) -> bool {
    let steps = motion.frames().saturating_sub(1);
    let whole = |clip: &Clip| clip.playback() == Playback::Loop && steps.is_multiple_of(clip.frames());
    steps > 0 && motion.tracks.iter().all(|track| whole(&track.shape))
}

/// The bodies of a run, without those that had not begun when it was stopped: they would cut all others to their first frame.
fn begun_only(bodies: Vec<(String, Motion)>) -> (Vec<(String, Motion)>, Vec<String>) {
    let idle = |motion: &Motion| motion.frames() < 2 && matches!(motion.outcome, Outcome::Interrupted { .. });
    if bodies.iter().all(|(_, motion)| idle(motion)) {
        return (bodies, Vec::new());
    }
    let (waiting, begun): (Vec<_>, Vec<_>) = bodies.into_iter().partition(|(_, motion)| idle(motion));
    let mut notes = Vec::new();
    if !waiting.is_empty() {
        let names: Vec<&str> = waiting.iter().map(|(name, _)| name.as_str()).collect();
        notes.push(format!("not begun when the run was stopped, so left out: {}", names.join(", ")));
    }
    let frames = || begun.iter().map(|(_, motion)| motion.frames());
    if let (Some(least), Some(most)) = (frames().min(), frames().max())
        && least < most
    {
        notes.push(format!("the bodies had got {least} to {most} frames far; the result has the {least} that all of them have"));
    }
    (begun, notes)
}

/// The still and the plots, as files.
type Pictures = [Vec<u8>; 2];

/// The moving result as glTF.
struct Model {
    glb: Vec<u8>,
    /// Name of the animation.
    clip: String,
    /// Names of the nodes that carry the motion, one per track.
    nodes: Vec<String>,
    /// Metres per unit of the file.
    unit: f64,
    /// What the user should know about it.
    notes: Vec<String>,
}
