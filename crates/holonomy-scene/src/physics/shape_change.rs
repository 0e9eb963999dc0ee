//! A body of a scene that moves by changing its shape.

use std::ops::ControlFlow;

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Topology};
use holonomy::systems::ShapeChange;
use holonomy::systems::shape_change::Crawl;

use super::recording::{Deviation, Numbers, Recording};
use super::{Physics, Run, way};
use crate::asset::{Asset, RigMasses};
use crate::loaded::LoadedBody;
use crate::{Error, memory, scene};

/// The settings of a scene for a body, on hills if there are any.
pub(super) fn placed(settings: &scene::ShapeChange, body: &LoadedBody, run: Run) -> Result<Box<dyn Physics>, Error> {
    Ok(match &settings.land {
        Some(land) => Box::new(OnLand::new(settings, land, body, run)?),
        None => Box::new(InPlace::new(settings, body, run.steps, run.refused)?),
    })
}

/// A body that crawls over land: its shapes are its own in each frame.
struct OnLand {
    crawl: Crawl,
    clip: Clip,
}

impl OnLand {
    fn new(settings: &scene::ShapeChange, land: &scene::OpenLand, body: &LoadedBody, run: Run) -> Result<OnLand, Error> {
        settings.initial_velocity(&body.start)?;
        let clip = body.shape.clip.clone();
        let numbers = (run.steps as u64 + 1).saturating_mul(clip.vertices() as u64);
        let what = || format!("{} frames of {} vertices on land", run.steps + 1, clip.vertices());
        memory::ensure(numbers.saturating_mul(memory::SIMULATED), what, "ask for less time, fewer cycles or a lower rate")?;
        let field = land.field(run.folder, run.refused)?;
        Ok(OnLand { crawl: settings.crawl(field, body.start(), run.steps, &body.masses)?, clip })
    }
}

impl Physics for OnLand {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        self.crawl.run(&self.clip, progress)
    }
}

struct InPlace {
    system: ShapeChange,
    clip: Clip,
    /// Whether its way says something about a stroke that somebody drew: where friction rules.
    of_a_stroke: bool,
    /// Where the clip was recorded, if its momentum is that of the recording; from where the run
    /// starts.
    recorded: Option<Vec<Pose>>,
    /// What the user should know before the run.
    notes: Vec<String>,
}

impl InPlace {
    /// The settings of a scene, with the momentum at the start found from the body.
    fn new(
        settings: &scene::ShapeChange,
        body: &LoadedBody,
        steps: usize,
        refused: &dyn Fn(holonomy::Error) -> Error,
    ) -> Result<InPlace, Error> {
        let (clip, start): (Clip, Pose) = (body.shape.clip.clone(), body.start());
        useless_masses(settings, body)?;
        let mut system = settings.engine(start, steps, &body.masses)?;
        let of_a_stroke = body.source.is_some() && settings.law == scene::Law::LeastDissipation;
        system.mass_spread.clone_from(&body.mass_spread);
        let in_place = |system, recorded, notes| InPlace { system, clip: clip.clone(), of_a_stroke, recorded, notes };
        let (mut kept, mut notes) = (None, Vec::new());
        let momentum = match (settings.initial_velocity(&body.start)?, settings.momentum, settings.law) {
            (Some(velocity), ..) => system.rigid_momentum(&clip, &velocity),
            (None, scene::InitialMomentum::Zero, _) | (None, _, scene::Law::LeastDissipation) => {
                return Ok(in_place(system, None, notes));
            }
            (None, scene::InitialMomentum::Clip, law) => {
                let Some(recorded) = body.shape.recorded.as_deref() else {
                    let what = "the clip stays in its place, so there is no momentum to take from it";
                    return Err(Error::Choice(format!("{what}; use momentum `zero`, or a clip that was recorded with its motion")));
                };
                if law == scene::Law::LeastAction {
                    notes = flight_notes(settings, body, recorded)?;
                }
                let momentum = system.recorded_momentum(&clip, recorded, &(-Vector3::y() * settings.gravity.si()));
                let moved = start * body.recorded_start().inverse();
                kept = Some(recorded.iter().map(|pose| moved * *pose).collect());
                momentum.map(|momentum| if start == body.recorded_start() { momentum } else { moved.momentum_to_world(&momentum) })
            }
        };
        system.law = system.law.with_momentum(momentum.map_err(refused)?);
        Ok(in_place(system, kept, notes))
    }
}

/// Refuses masses of bones where nothing asks for them: where only drag acts, it goes by the
/// bones' lengths.
fn useless_masses(settings: &scene::ShapeChange, body: &LoadedBody) -> Result<(), Error> {
    let Some((_, options)) = &body.source else { return Ok(()) };
    let weightless = settings.law == scene::Law::LeastDissipation && settings.gravity.si() == 0.0;
    let given = matches!(options.masses, RigMasses::Human | RigMasses::File(_));
    if !weightless || !given || !matches!(body.shape.clip.topology(), Topology::Rig(_)) {
        return Ok(());
    }
    let what = "under friction alone the masses of bones change nothing: drag goes by their lengths";
    Err(Error::Choice(format!("{what}\n  fix: leave the masses out, or use law `least-action`, where inertia goes by them")))
}

/// What to say of a recording whose momentum is to be kept, about when it is in free flight.
///
/// # Errors
/// Motion capture of which nobody chose frames, that is not in flight all the time.
fn flight_notes(settings: &scene::ShapeChange, body: &LoadedBody, recorded: &[Pose]) -> Result<Vec<String>, Error> {
    let (clip, Some((asset, options))) = (&body.shape.clip, &body.source) else { return Ok(Vec::new()) };
    let Some(recording) = Recording::of(clip, recorded).filter(|_| body.untouched) else { return Ok(Vec::new()) };
    let first = options.frames.map_or(0, |(first, _)| first);
    let Asset::Bvh(bvh) = asset else {
        // What is drawn by hand need not fall as nature has it, and may be meant to from now on.
        return Ok(if settings.gravity.si() > 0.0 {
            recording.notes(Numbers { first, stride: 1.0 }, settings.gravity.si())
        } else {
            Vec::new()
        });
    };
    let numbers = Numbers { first, stride: clip.dt() / bvh.frame_time() };
    let flight = recording.flight();
    if options.frames.is_none() && !flight.as_ref().is_some_and(|flight| recording.is_all(flight)) {
        let last = numbers.of(recorded.len().saturating_sub(1));
        let take = flight.map_or_else(String::new, |flight| format!("--frames {} takes the flight; ", flight.frames(numbers)));
        return Err(Error::Choice(format!(
            "{}: momentum `clip` is for free flight: {}\n  fix: {take}--frames {first}..{last} \
             takes all frames as they are (in a scene: `frames` of [body.asset])",
            body.shape.name,
            recording.on_the_ground(flight.as_ref(), numbers),
        )));
    }
    Ok(recording.notes(numbers, settings.gravity.si()))
}

impl Physics for InPlace {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let mut motion = self.system.run(&self.clip, progress)?;
        motion.warnings.splice(0..0, self.notes.iter().cloned());
        if self.of_a_stroke {
            motion.warnings.extend(way::notes(&self.clip, &motion, false));
        }
        if let (Some(recorded), [track, ..]) = (&self.recorded, motion.tracks.as_mut_slice())
            && let Some(deviation) = Deviation::of(track, &self.clip, recorded)
        {
            track.figures.extend(deviation.figures());
            motion.warnings.push(deviation.to_string());
        }
        Ok(motion)
    }

    fn efficiency(&self, motion: &Motion) -> Result<Option<f64>, holonomy::Error> {
        self.system.efficiency(&self.clip, motion)
    }

    fn thrust(&self, track: &Track) -> Result<Option<Vec<f64>>, holonomy::Error> {
        self.system.thrust(&self.clip, track).map(Some)
    }
}
