//! The physics of a scene, set up for one of its bodies: a file for each system, and this one, which knows which is which.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::motion::{Motion, Track};

use crate::Error;
use crate::loaded::LoadedBody;
use crate::scene::{Scene, System};

mod comparison;
mod creature;
mod figure;
mod flow;
mod looping;
mod mesh_notes;
mod plan;
mod recording;
mod shape_change;
mod vehicle;
mod wake;
mod way;

pub(crate) use flow::spread_by_area;

/// A system with all that it needs to know about one body.
pub(crate) trait Physics: Sync {
    /// The motion of the body, with what was assumed about it.
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error>;

    /// Begins and stops: whether the run would be refused before its first step.
    fn check(&self) -> Result<(), holonomy::Error> {
        Ok(())
    }

    /// How efficient its stroke is, where that means something.
    fn efficiency(&self, _motion: &Motion) -> Result<Option<f64>, holonomy::Error> {
        Ok(None)
    }

    /// Force of the surroundings on each vertex along the way of the body, N, as frames × vertices, where that is known.
    fn thrust(&self, _track: &Track) -> Result<Option<Vec<f64>>, holonomy::Error> {
        Ok(None)
    }
}

/// What a run is told beside its scene.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    /// How many steps it takes.
    pub steps: usize,
    /// Files are looked for from here.
    pub folder: &'a Path,
    /// Says whose fault it is.
    pub refused: &'a dyn Fn(holonomy::Error) -> Error,
}

/// The system of `scene` for its `bodies`: one for each, or one for all that live together.
pub(crate) fn of_all(scene: &Scene, bodies: &[LoadedBody], run: Run) -> Result<Vec<Box<dyn Physics>>, Error> {
    match &scene.system {
        System::Creature(settings) => Ok(vec![creature::alive(settings, scene, bodies, run)?]),
        _ => bodies.iter().map(|body| of(scene, body, run)).collect(),
    }
}

/// The system of `scene` for `body`.
fn of(scene: &Scene, body: &LoadedBody, run: Run) -> Result<Box<dyn Physics>, Error> {
    let Run { steps, refused, .. } = run;
    Ok(match &scene.system {
        System::ShapeChange(settings) => shape_change::placed(settings, body, run)?,
        System::Flow(settings) => Box::new(flow::InFlow::new(settings, body, steps).map_err(refused)?),
        System::Vehicle(settings) => vehicle::driven(settings, body, scene.time.fps.si(), steps, refused)?,
        System::Plan(settings) => plan::planned(settings, body, scene.time.fps.si(), run)?,
        System::Comparison(settings) => comparison::compared(settings, scene, body, steps, refused)?,
        System::Loop(settings) => looping::looping(settings, scene, body, run)?,
        System::Creature(settings) => creature::alive(settings, scene, std::slice::from_ref(body), run)?,
    })
}
