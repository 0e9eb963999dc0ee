//! A body of a scene that moves by changing its shape.

use std::ops::ControlFlow;

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::Clip;
use holonomy::systems::ShapeChange;
use holonomy::systems::shape_change::Crawl;

use super::{Physics, Run, way};
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
        let mut system = settings.engine(start, steps, &body.masses)?;
        let of_a_stroke = body.source.is_some() && settings.law == scene::Law::LeastDissipation;
        system.mass_spread.clone_from(&body.mass_spread);
        let momentum = match (settings.initial_velocity(&body.start)?, settings.momentum, settings.law) {
            (Some(velocity), ..) => system.rigid_momentum(&clip, &velocity),
            (None, scene::InitialMomentum::Zero, _) | (None, _, scene::Law::LeastDissipation) => {
                return Ok(InPlace { system, clip, of_a_stroke });
            }
            (None, scene::InitialMomentum::Clip, _) => {
                let Some(recorded) = body.shape.recorded.as_deref() else {
                    let what = "the clip stays in its place, so there is no momentum to take from it";
                    return Err(Error::Choice(format!("{what}; use momentum `zero`, or a clip that was recorded with its motion")));
                };
                let momentum = system.recorded_momentum(&clip, recorded, &(-Vector3::y() * settings.gravity.si()));
                let moved = start * body.recorded_start().inverse();
                momentum.map(|momentum| if start == body.recorded_start() { momentum } else { moved.momentum_to_world(&momentum) })
            }
        };
        system.law = system.law.with_momentum(momentum.map_err(refused)?);
        Ok(InPlace { system, clip, of_a_stroke })
    }
}

impl Physics for InPlace {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let mut motion = self.system.run(&self.clip, progress)?;
        if self.of_a_stroke {
            motion.warnings.extend(way::notes(&self.clip, &motion, false));
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
