//! The bodies of a job: made or read from files, then brought to the frame time and the length that all of them share.

use std::path::{Path, PathBuf};

use holonomy::lie::Pose;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, MassRule, Playback, Topology, TurningPart, turning};
use holonomy::systems::flow::Substance;

use crate::asset::{Asset, ClipOptions, RigMasses, SampledClip};
use crate::export::Looks;
use crate::scene::{self, NamedBody, Scene, Start};
use crate::{Error, memory};

/// A body of a scene, ready to run.
#[derive(Debug)]
pub struct LoadedBody {
    /// Its name: that of its track.
    pub name: String,
    /// Where it starts.
    pub start: Start,
    /// Its shape over time, and where the asset had it.
    pub shape: SampledClip,
    /// The asset it came from, if it did, and what was taken of it: glTF gets its motion back into the file.
    pub(crate) source: Option<(Asset, ClipOptions)>,
    pub(crate) looks: Looks,
    /// How drag or mass is spread, where the scene leaves it to the body.
    pub(crate) masses: MassRule,
    /// Where its mass is, if not spread like that.
    pub(crate) mass_spread: Option<MassRule>,
    /// What it is made of, if that is known.
    pub(crate) substance: Option<Substance>,
    /// What turns on it as told, and its one shape at angle zero; its clip shows how they turn.
    pub(crate) turning: Option<(Clip, Vec<TurningPart>)>,
    /// Whether its frames are still those of its source.
    pub(crate) untouched: bool,
}

/// All bodies of `scene`, and the number of steps that they are to take. Files are looked for from `folder`.
pub(crate) fn load(name: &str, scene: &Scene, folder: &Path) -> Result<(Vec<LoadedBody>, usize), Error> {
    let named = scene.named_bodies();
    let mut bodies: Vec<LoadedBody> = named.iter().map(|body| LoadedBody::new(name, body, scene, folder)).collect::<Result<_, _>>()?;
    let Some(first) = bodies.first() else {
        return Err(Error::Choice(format!("{name}: the scene has no body; give it one as [body.…], or several as [[bodies]]")));
    };
    if let [body] = named.as_slice()
        && matches!(body.body, scene::Body::Asset(_))
        && scene.time.duration.is_none()
        && first.shape.clip.frames() > 1
    {
        // As in the file, at its own rate.
        let steps = own_steps(&first.shape.clip, scene);
        return Ok((bodies, steps));
    }
    let dt = if bodies.len() == 1 && first.shape.clip.frames() > 1 { first.shape.clip.dt() } else { 1.0 / scene.time.fps.si() };
    let steps = steps(name, &bodies, scene, dt)?;
    for (i, body) in bodies.iter_mut().enumerate() {
        body.fit(name, dt, steps)?;
        if body.looks.color == Looks::default().color {
            body.looks.color = Looks::of_body(i).color;
        }
    }
    Ok((bodies, steps))
}

/// Steps that a clip takes when nothing else is said.
fn own_steps(clip: &Clip, scene: &Scene) -> usize {
    match clip.playback() {
        Playback::Once => clip.frames().saturating_sub(1),
        Playback::Loop => clip.frames().saturating_mul(scene.time.cycles.get()),
    }
}

fn steps(name: &str, bodies: &[LoadedBody], scene: &Scene, dt: f64) -> Result<usize, Error> {
    if let Some(duration) = scene.time.duration {
        return Ok((duration.si() / dt).round().max(1.0) as usize);
    }
    // One shape that goes round and round lasts as long as it is told to.
    let changing = bodies.iter().map(|body| &body.shape.clip).filter(|clip| clip.frames() > 1);
    let longest = changing.map(|clip| (own_steps(clip, scene) as f64 * clip.dt() / dt).round() as usize).max();
    longest.ok_or_else(|| {
        let many = if bodies.len() == 1 { "the body keeps its shape" } else { "the bodies keep their shapes" };
        Error::Choice(format!("{name}: {many}, so the scene must say how long to run\n  fix: add duration = \"5 s\" to [time]"))
    })
}

impl LoadedBody {
    fn new(job: &str, body: &NamedBody, scene: &Scene, folder: &Path) -> Result<LoadedBody, Error> {
        let NamedBody { name, start, body } = body.clone();
        let (shape, source, looks, masses, mass_spread, (substance, turning)) = match body {
            scene::Body::Asset(asset) => {
                let opened = Asset::open(&asset.path(folder))?;
                let still = matches!(scene.system, scene::System::Flow(_));
                let options = ClipOptions { still, ..asset.clip_options(folder) };
                let shape = opened.sample(&options)?;
                if asset.masses != RigMasses::Auto && !matches!(shape.clip.topology(), Topology::Rig(_)) {
                    let problem = "masses of bones were given, but the body has no bones; use area, volume or unit";
                    return Err(Error::Choice(format!("{job}: {problem}")));
                }
                let substance = asset.substance(&shape.clip)?;
                (shape, Some((opened, options)), Looks::default(), MassRule::Natural, None, (substance, None))
            }
            recipe => {
                let made = make(job, recipe, scene.time.fps.si())?;
                let turning = (!made.parts.is_empty()).then(|| (made.clip.clone(), made.parts));
                let shape = SampledClip { name: job.into(), clip: made.clip, recorded: None, notes: Vec::new() };
                (shape, None, made.looks, made.masses, made.mass_spread, (made.substance, turning))
            }
        };
        if let scene::System::ShapeChange(settings) = &scene.system
            && settings.momentum == scene::InitialMomentum::Clip
            && shape.recorded.is_none()
        {
            let what = "the clip stays in its place, so there is no momentum to take from it";
            return Err(Error::Choice(format!("{job}: {what}; use momentum `zero`, or a clip that was recorded with its motion")));
        }
        Ok(LoadedBody { name, start, shape, source, looks, masses, mass_spread, substance, turning, untouched: true })
    }

    /// Where it starts: as the scene says, else as the asset recorded it.
    pub(crate) fn start(&self) -> Pose {
        self.start.pose(self.recorded_start())
    }

    /// Where the asset recorded its start.
    pub(crate) fn recorded_start(&self) -> Pose {
        self.shape.recorded.as_ref().and_then(|poses| poses.first()).copied().unwrap_or_else(Pose::identity)
    }

    /// How often the clip is played to take `steps` steps.
    pub(crate) fn cycles(&self, steps: usize) -> usize {
        match self.shape.clip.playback() {
            Playback::Once => 1,
            Playback::Loop => steps.div_ceil(self.shape.clip.frames()).max(1),
        }
    }

    /// Brings it to frames `dt` apart that last for `steps` steps. A loop of a whole number of frames stays a loop; all else is
    /// played from the start, between its frames if need be, and stays at its end.
    fn fit(&mut self, job: &str, dt: f64, steps: usize) -> Result<(), Error> {
        let clip = &self.shape.clip;
        if clip.frames() == 1 {
            // What never changes goes round in one frame, whatever the time.
            let still = Clip::new(clip.topology().clone(), Playback::Loop, dt, clip.vertices(), clip.frame(0).to_vec());
            if clip.frame_orientations(0).is_none() {
                self.shape.clip = still.map_err(|source| Error::Engine { path: job.into(), source })?;
                return Ok(());
            }
        }
        if let Some((base, parts)) = &self.turning {
            let frames = steps.saturating_add(1);
            let needed = (frames as u64).saturating_mul(base.vertices() as u64).saturating_mul(400);
            memory::ensure(needed, || format!("{frames} frames of turning parts"), "ask for a shorter duration or a lower rate")?;
            self.shape.clip = turning::bake(base, parts, frames).map_err(|source| Error::Engine { path: job.into(), source })?;
            return Ok(());
        }
        let clip = &self.shape.clip;
        let period = clip.duration() / dt;
        let whole = clip.playback() == Playback::Loop && (period - period.round()).abs() < 1e-9 * period && period >= 0.5;
        let frames = if whole { period.round() as usize } else { steps.saturating_add(1) };
        if clip.dt() == dt && clip.frames() == frames && (whole || clip.playback() == Playback::Once) {
            return Ok(());
        }
        let needed = (frames as u64).saturating_mul(clip.vertices() as u64).saturating_mul(400);
        let what = || format!("{frames} frames of {} vertices", clip.vertices());
        memory::ensure(needed, what, "ask for a shorter duration, fewer cycles or a lower rate")?;
        let ratio = dt / clip.dt();
        let times: Vec<(usize, f64)> = (0..frames).map(|k| between(clip, k as f64 * ratio)).collect();
        let playback = if whole { Playback::Loop } else { Playback::Once };
        self.masses = mixed_masses(&self.masses, clip, &times);
        self.shape.recorded = self.shape.recorded.take().map(|poses| mixed_poses(&poses, ratio));
        self.shape.clip = mixed(clip, playback, dt, &times).map_err(|source| Error::Engine { path: job.into(), source })?;
        self.untouched = false;
        Ok(())
    }

    /// The file it came from, if it came from one.
    pub(crate) fn path(body: &scene::Body, folder: &Path) -> Option<PathBuf> {
        match body {
            scene::Body::Asset(asset) => Some(asset.path(folder)),
            _ => None,
        }
    }
}

/// The stored frame before `x` (counted in frames of the clip), and how far `x` is on the way to the next.
fn between(clip: &Clip, x: f64) -> (usize, f64) {
    let frames = clip.frames();
    let nearest = x.round();
    let x = if (x - nearest).abs() < 1e-9 * nearest.max(1.0) { nearest } else { x };
    match clip.playback() {
        Playback::Once if x >= (frames - 1) as f64 => (frames - 1, 0.0),
        Playback::Once => (x.floor() as usize, x.fract()),
        Playback::Loop => (x.floor() as usize % frames, x.fract()),
    }
}

fn mixed(clip: &Clip, playback: Playback, dt: f64, times: &[(usize, f64)]) -> Result<Clip, holonomy::Error> {
    let (mut positions, mut orientations) = (Vec::with_capacity(times.len() * clip.vertices()), Vec::new());
    for &(before, share) in times {
        let (a, b): (&[Vector3<f64>], _) = (clip.frame(before), clip.frame(before + 1));
        positions.extend(a.iter().zip(b).map(|(a, b)| if share == 0.0 { *a } else { a.lerp(b, share) }));
        if let (Some(a), Some(b)) = (clip.frame_orientations(before), clip.frame_orientations(before + 1)) {
            orientations.extend(a.iter().zip(b).map(|(a, b)| a.try_slerp(b, share, 1e-12).unwrap_or(*a)));
        }
    }
    let mixed = Clip::new(clip.topology().clone(), playback, dt, clip.vertices(), positions)?;
    if orientations.is_empty() { Ok(mixed) } else { mixed.with_orientations(orientations) }
}

/// Masses given for each frame, for the new frames; all other rules stay.
fn mixed_masses(masses: &MassRule, clip: &Clip, times: &[(usize, f64)]) -> MassRule {
    let n = clip.vertices();
    match masses {
        MassRule::Given(given) if clip.frames() > 1 && given.len() == n * clip.frames() => {
            let row = |k: usize| &given[clip.stored_frame(k) * n..][..n];
            let mix = |&(k, share): &(usize, f64)| row(k).iter().zip(row(k + 1)).map(move |(a, b)| a + (b - a) * share);
            MassRule::Given(times.iter().flat_map(mix).collect())
        }
        other => other.clone(),
    }
}

/// Poses at every `ratio` frames, as far as there are any.
fn mixed_poses(poses: &[Pose], ratio: f64) -> Vec<Pose> {
    let at = |k: usize| {
        let x = k as f64 * ratio;
        let (a, b) = (poses.get(x.floor() as usize)?, poses.get(x.ceil() as usize)?);
        Some(Pose {
            rotation: a.rotation.try_slerp(&b.rotation, x.fract(), 1e-12).unwrap_or(a.rotation),
            translation: a.translation.lerp(&b.translation, x.fract()),
        })
    };
    (0..).map_while(at).collect()
}

/// A procedural body; refused before it is made if it would not fit in memory.
fn make(name: &str, body: &scene::Body, fps: f64) -> Result<scene::Made, Error> {
    let Some(recipe) = body.procedural() else { return Err(Error::Choice(format!("{name}: the body comes from a file"))) };
    let (frames, vertices) = recipe.size(fps);
    let frames = frames.ceil() as u64;
    // Positions, the tube around them and its copy in the file: measured 220 to 330 bytes.
    let needed = frames.saturating_mul(vertices as u64).saturating_mul(400);
    memory::ensure(needed, || format!("{frames} frames of {vertices} vertices"), "lower vertices, fps or period")?;
    recipe.make(fps).map_err(|source| Error::Engine { path: name.into(), source })
}
