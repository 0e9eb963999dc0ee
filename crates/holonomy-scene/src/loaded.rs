//! The bodies of a job: made or read from files, then brought to the frame time and the length that all of them share.

use std::path::Path;

use holonomy::lie::Pose;
use holonomy::shape::{Clip, MassRule, Playback, Topology, TurningPart};
use holonomy::systems::flow::Substance;

use crate::asset::{Asset, ClipOptions, RigMasses, SampledClip};
use crate::inner::Inner;
use crate::job::Progress;
use crate::looks::{Color, Looks, finish};
use crate::picture::Drawn;
use crate::scene::{self, NamedBody, Procedural, Scene, Simulated, Start, VehicleBody};
use crate::{Error, gait, memory};

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
    /// What turns on it as told; its clip shows it at angle zero.
    pub(crate) parts: Vec<TurningPart>,
    /// How it is driven, if it is a vehicle.
    pub(crate) vehicle: Option<VehicleBody>,
    /// What is simulated, if it is.
    pub(crate) simulated: Option<Simulated>,
    /// The creature, if it is one.
    pub(crate) myriapod: Option<scene::Myriapod>,
    /// Where in a picture each vertex is, if one can be put on it; else empty.
    texture: Vec<[f32; 2]>,
    /// Whether its frames are still those of its source.
    pub(crate) untouched: bool,
}

/// All bodies of `scene`, and the number of steps that they are to take. Files are looked for from `folder`; `within` are the scenes that this one is within; `progress` may stop the scenes
/// that are within this one.
pub(crate) fn load(
    name: &str,
    scene: &Scene,
    folder: &Path,
    within: &[String],
    progress: &mut Progress,
) -> Result<(Vec<LoadedBody>, usize), Error> {
    let named = scene.named_bodies();
    let mut bodies = Vec::with_capacity(named.len());
    for body in &named {
        bodies.push(LoadedBody::new(name, body, scene.time.fps.si(), (folder, within), progress)?);
    }
    let Some(first) = bodies.first() else {
        return Err(Error::Choice(format!("{name}: the scene has no body; give it one as [body.…], or several as [[bodies]]")));
    };
    if let [body] = named.as_slice()
        && matches!(body.body, scene::Body::Asset(_) | scene::Body::Scene(_))
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
        Playback::Once => clip.steps(),
        Playback::Loop => clip.steps().saturating_mul(scene.time.cycles.get()),
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
        let sequence = if bodies.iter().any(|body| body.source.is_some()) {
            ", or give numbered files such as walk_0001.obj, walk_0002.obj"
        } else {
            ""
        };
        Error::Choice(format!("{name}: {many}, so the scene must say how long to run\n  fix: add duration = \"5 s\" to [time]{sequence}"))
    })
}

/// What is said of a surface that cannot be filled with tetrahedra.
fn not_filled(path: &Path, source: holonomy::Error) -> Error {
    let holonomy::Error::Surface { reason, .. } = source else { return Error::Engine { path: path.into(), source } };
    let fix = "`soft` fills a closed surface whose faces look outwards; an open sheet of your own \
               cannot be simulated as cloth yet, only the built-in [body.cloth] and [body.ribbons] can";
    Error::malformed(path, "the surface to be filled", reason, fix)
}

/// What is lost when a body from a file is simulated as the lattice that fills it.
fn replaced(file: &Clip, lattice: &Clip) -> Vec<String> {
    let (from, to) = (file.vertices(), lattice.vertices());
    let mesh = format!(
        "`soft` simulates and shows a lattice of {to} vertices in place of the file's {from}; \
         their texture coordinates and materials are lost"
    );
    let animation = || {
        let count = file.frames();
        format!("`soft` discards the animation of the file ({count} frames) and begins from its first shape")
    };
    std::iter::once(mesh).chain((file.frames() > 1).then(animation)).collect()
}

impl LoadedBody {
    fn new(
        job: &str,
        body: &NamedBody,
        fps: f64,
        (folder, within): (&Path, &[String]),
        progress: &mut Progress,
    ) -> Result<LoadedBody, Error> {
        let NamedBody { name, start, body } = body.clone();
        let (shape, source, made) = match &body {
            scene::Body::Asset(asset) => {
                let opened = Asset::open(&asset.path(folder))?;
                let options = asset.clip_options(folder);
                let mut shape = opened.sample(&options)?;
                if asset.masses != RigMasses::Auto && !matches!(shape.clip.topology(), Topology::Rig(_)) {
                    let problem = "masses of bones were given, but the body has no bones; use area, volume or unit";
                    return Err(Error::Choice(format!("{job}: {problem}")));
                }
                if let Some(filling) = &asset.soft {
                    let made = filling.fill(&shape.clip, fps).map_err(|source| not_filled(&asset.path(folder), source))?;
                    let mut notes = shape.notes.clone();
                    notes.extend(replaced(&shape.clip, &made.clip));
                    (SampledClip { clip: made.clip.clone(), recorded: None, colors: None, matters: None, notes, ..shape }, None, made)
                } else {
                    shape.notes.extend(gait::note(&shape.name, &shape.clip, shape.recorded.as_deref()));
                    let substance = asset.substance(&shape.clip)?;
                    let made = scene::Made { substance, ..scene::Made::new(shape.clip.clone(), Looks::default()) };
                    (shape, Some((opened, options)), made)
                }
            }
            scene::Body::Scene(from) => {
                let (shape, looks) = Inner::open(from, folder, within)?.shapes(progress)?;
                let made = scene::Made::new(shape.clip.clone(), looks);
                (shape, None, made)
            }
            recipe => {
                let made = make(job, recipe, fps)?;
                let shape = SampledClip {
                    name: job.into(),
                    clip: made.clip.clone(),
                    recorded: None,
                    notes: Vec::new(),
                    colors: None,
                    matters: None,
                };
                (shape, None, made)
            }
        };
        let scene::Made { masses, mass_spread, substance, parts, vehicle, simulated, myriapod, texture, looks, .. } = made;
        Ok(LoadedBody {
            name,
            start,
            shape,
            source,
            looks,
            masses,
            mass_spread,
            substance,
            parts,
            vehicle,
            simulated,
            myriapod,
            texture,
            untouched: true,
        })
    }

    /// Colours of its faces, if it is made of several things and painted as `looks` say.
    pub(crate) fn face_colors(&self, looks: &Looks) -> Option<Vec<Color>> {
        self.vehicle.as_ref().map(|vehicle| finish::colors(&vehicle.model.finishes, looks.color))
    }

    /// How it is drawn: with these looks, and the colours of its faces.
    pub(crate) fn drawn<'a>(&'a self, looks: Looks, face_colors: &'a Option<Vec<Color>>) -> Drawn<'a> {
        Drawn { looks, vertex_colors: self.shape.colors.as_deref(), face_colors: face_colors.as_deref(), texture: None }
    }

    /// Where in a picture each vertex of a clip of it is, if one can be put on it.
    pub(crate) fn texture(&self, clip: &Clip) -> Option<&[[f32; 2]]> {
        // What goes with it, such as a ball in its way, has other triangles.
        (!self.texture.is_empty() && clip.topology() == self.shape.clip.topology()).then_some(&self.texture)
    }

    /// How large its shape is in a run of so many frames, for estimates of memory.
    pub(crate) fn size(&self, frames: usize) -> memory::Size {
        let clip = &self.shape.clip;
        if let Some(creature) = &self.myriapod {
            // Three of the points of its solids to a joint.
            return memory::Size::creature(creature.size(1.0).1 / 3, frames);
        }
        // What the system shows as it turns or bends is another shape in each frame.
        let changes = !self.parts.is_empty() || self.vehicle.is_some() || self.simulated.is_some();
        if changes { memory::Size::changing(clip, frames) } else { memory::Size::of(clip, frames) }
    }

    /// Where it starts: as the scene says, else as the asset recorded it.
    pub(crate) fn start(&self) -> Pose {
        self.start.pose(self.recorded_start())
    }

    /// Where the asset recorded its start.
    pub(crate) fn recorded_start(&self) -> Pose {
        self.shape.recorded.as_ref().and_then(|poses| poses.first()).copied().unwrap_or_else(Pose::identity)
    }

    /// Brings it to frames `dt` apart that last for `steps` steps. A loop of a whole number of frames stays a loop; all else is
    /// played from the start, between its frames if need be, and stays at its end.
    fn fit(&mut self, job: &str, dt: f64, steps: usize) -> Result<(), Error> {
        let clip = &self.shape.clip;
        let fits = |frames: usize| {
            let needed = (frames as u64).saturating_mul(clip.vertices() as u64).saturating_mul(memory::SIMULATED);
            let what = || format!("{frames} frames of {} vertices", clip.vertices());
            memory::ensure(needed, what, "ask for a shorter duration, fewer cycles or a lower rate")
        };
        if clip.frames() == 1 {
            if !self.parts.is_empty() || self.vehicle.is_some() || self.simulated.is_some() || self.myriapod.is_some() {
                fits(steps.saturating_add(1))?; // the system will show how they turn
            }
            // What never changes goes round in one frame, whatever the time.
            self.shape.clip = clip.resampled(Playback::Loop, dt, 1).map_err(|source| Error::Engine { path: job.into(), source })?;
            return Ok(());
        }
        let period = clip.duration() / dt;
        let whole = clip.playback() == Playback::Loop && (period - period.round()).abs() < 1e-9 * period && period >= 0.5;
        let frames = if whole { period.round() as usize } else { steps.saturating_add(1) };
        if clip.dt() == dt && clip.frames() == frames && (whole || clip.playback() == Playback::Once) {
            return Ok(());
        }
        fits(frames)?;
        let playback = if whole { Playback::Loop } else { Playback::Once };
        self.masses = self.masses.resampled(clip, dt, frames);
        self.shape.recorded = self.shape.recorded.take().map(|poses| mixed_poses(&poses, dt / clip.dt()));
        self.shape.clip = clip.resampled(playback, dt, frames).map_err(|source| Error::Engine { path: job.into(), source })?;
        self.untouched = false;
        Ok(())
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
    // Its positions, and what they are made from; what the run and its files take is counted when
    // it is known what it looks like.
    let needed = frames.saturating_mul(vertices as u64).saturating_mul(memory::SIMULATED);
    memory::ensure(needed, || format!("{frames} frames of {vertices} vertices"), "lower vertices, fps or period")?;
    recipe.make(fps).map_err(|source| Error::Engine { path: name.into(), source })
}
