//! The physics of a scene, set up for one of its bodies: the one place that knows which system is which.

use std::ops::ControlFlow;

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::pieces::{Kind, Pieces};
use holonomy::shape::surface::{enclosed_volume, face_areas};
use holonomy::shape::{Clip, Material, Topology};
use holonomy::systems::flow::Substance;
use holonomy::systems::{Flow, ShapeChange};

use crate::Error;
use crate::loaded::LoadedBody;
use crate::scene::{self, Scene};

/// A system with all that it needs to know about one body but its clip.
pub(crate) enum Physics {
    ShapeChange(Box<ShapeChange>),
    Flow {
        system: Box<Flow>,
        /// The shape to run, if it is not the clip: that of a body with parts that turn.
        base: Option<Clip>,
        /// What was assumed about the body, and whether what the engine says about its mesh is news: we know how our own are made.
        notes: Vec<String>,
        from_file: bool,
    },
}

/// Density taken for a body that nobody gave one, where the fluid is no measure, kg/m³: that of water, roughly that of animals.
const USUAL_DENSITY: f64 = 1000.0;

/// Fluids lighter than this, kg/m³, are gases: what is in them is not as heavy as they are.
const LIGHTEST_LIQUID: f64 = 100.0;

impl Physics {
    /// The system of `scene` for `body`, to take `steps` steps. `refused` says whose fault it is.
    pub fn of(scene: &Scene, body: &LoadedBody, steps: usize, refused: &dyn Fn(holonomy::Error) -> Error) -> Result<Physics, Error> {
        match &scene.system {
            scene::System::ShapeChange(settings) => Ok(Physics::ShapeChange(Box::new(shape_change(settings, body, steps, refused)?))),
            scene::System::Flow(settings) => {
                let density = settings.medium().density;
                let (substance, notes) = match &body.substance {
                    Some(substance) => (substance.clone(), Vec::new()),
                    None => as_the_fluid(&body.shape.clip, density).map_err(refused)?,
                };
                let (cycles, parts, base) = match &body.turning {
                    Some((base, parts)) => (steps, parts.clone(), Some(base.clone())),
                    None => (body.cycles(steps), Vec::new(), None),
                };
                let system = settings.engine(substance, body.start(), body.start.twist(), cycles).map_err(refused)?;
                Ok(Physics::Flow { system: Box::new(Flow { parts, ..system }), base, notes, from_file: body.source.is_some() })
            }
        }
    }

    /// The motion of the body, with what was assumed about it.
    pub fn run(&self, clip: &Clip, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        match self {
            Physics::ShapeChange(system) => system.run(clip, progress),
            Physics::Flow { system, base, notes, from_file } => {
                let mut motion = system.run(base.as_ref().unwrap_or(clip), progress)?;
                motion.warnings.retain(|_| *from_file);
                motion.warnings.extend(notes.iter().cloned());
                if *from_file && hardly_moves(clip, &motion) {
                    motion.warnings.push(SLOW_START.into());
                }
                Ok(motion)
            }
        }
    }

    /// How efficient the stroke is, where that means something.
    pub fn efficiency(&self, clip: &Clip, motion: &Motion) -> Result<Option<f64>, holonomy::Error> {
        match self {
            Physics::ShapeChange(system) => system.efficiency(clip, motion),
            Physics::Flow { .. } => Ok(None),
        }
    }

    /// Force of the surroundings on each vertex along the way of the body, N, as frames × vertices.
    pub fn thrust(&self, clip: &Clip, track: &Track) -> Result<Vec<f64>, holonomy::Error> {
        match self {
            Physics::ShapeChange(system) => system.thrust(clip, track),
            Physics::Flow { system, base, .. } => system.thrust(base.as_ref().unwrap_or(clip), track),
        }
    }
}

/// The settings of a scene, with the momentum at the start found from the body.
fn shape_change(
    settings: &scene::ShapeChange,
    body: &LoadedBody,
    steps: usize,
    refused: &dyn Fn(holonomy::Error) -> Error,
) -> Result<ShapeChange, Error> {
    let (clip, start): (&Clip, Pose) = (&body.shape.clip, body.start());
    let mut system = settings.engine(start, body.cycles(steps), &body.masses)?;
    system.mass_spread.clone_from(&body.mass_spread);
    let momentum = match (settings.initial_velocity(&body.start)?, settings.momentum, settings.law) {
        (Some(velocity), ..) => system.rigid_momentum(clip, &velocity),
        (None, scene::InitialMomentum::Zero, _) | (None, _, scene::Law::LeastDissipation) => return Ok(system),
        (None, scene::InitialMomentum::Clip, _) => {
            let recorded = body.shape.recorded.as_deref().unwrap_or_default();
            let momentum = system.recorded_momentum(clip, recorded, &(-Vector3::y() * settings.gravity.si()));
            let moved = start * body.recorded_start().inverse();
            momentum.map(|momentum| if start == body.recorded_start() { momentum } else { moved.momentum_to_world(&momentum) })
        }
    };
    system.law = system.law.with_momentum(momentum.map_err(refused)?);
    Ok(system)
}

/// What a body is made of that nobody said anything about: it is as heavy as the fluid of that `density` that it displaces.
///
/// A piece of its surface that is not closed holds no fluid off. What it seems to enclose is spread over it by area.
fn as_the_fluid(clip: &Clip, density: f64) -> Result<(Substance, Vec<String>), holonomy::Error> {
    let liquid = density >= LIGHTEST_LIQUID;
    let density = if liquid { density } else { USUAL_DENSITY };
    let solid = Material::Solid { density };
    // What is no surface is the engine's to refuse.
    let Topology::Surface { faces } = clip.topology() else { return Ok((Substance::Uniform(solid), Vec::new())) };
    let (pieces, _) = Pieces::of(clip.frame(0), faces)?;
    let mut notes = Vec::new();
    if !liquid {
        notes.push(format!(
            "how heavy the body is was not said, so it is {density} kg/m³; give it a `density`, `surface-density` or `mass` in [body.asset], or --density or --mass"
        ));
    }
    let open = pieces.kinds.iter().filter(|kind| matches!(kind, Kind::Sheet | Kind::Flat)).count();
    if open == 0 {
        return Ok((Substance::Uniform(solid), notes));
    }
    let (mut labels, mut materials) = (vec![0; faces.len()], vec![solid]);
    for (part, own) in pieces.by_piece().iter().enumerate().filter(|(part, _)| matches!(pieces.kinds[*part], Kind::Sheet | Kind::Flat)) {
        let label = materials.len() as u32;
        labels.iter_mut().zip(&pieces.piece_of_face).filter(|(_, of)| **of as usize == part).for_each(|(l, _)| *l = label);
        let area: f64 = face_areas(clip.frame(0), own).iter().sum();
        // From a point of its own, so that the place of an open piece has no say.
        let apex = own.first().map_or_else(Vector3::zeros, |face| clip.frame(0)[face[0] as usize]);
        let moved: Vec<Vector3<f64>> = clip.frame(0).iter().map(|p| p - apex).collect();
        let thickness = if area > 0.0 { enclosed_volume(&moved, own).abs() / area } else { 0.0 };
        materials.push(Material::Shell { surface_density: density * thickness.max(THINNEST) });
    }
    let all = if open == pieces.kinds.len() { "the surface" } else { "part of the surface" };
    notes.push(format!(
        "{all} is not closed ({open} of {} pieces), so it displaces no fluid; it weighs as {density} kg/m³ of what it seems to enclose, \
         spread by area. Give the asset a `density`, `surface-density` or `mass` if you know better",
        pieces.kinds.len()
    ));
    Ok((Substance::Parts { labels, materials }, notes))
}

const SLOW_START: &str = "it has hardly moved: in flow a body starts from rest and takes some strokes to get going; play more cycles, or try \
                          `least-dissipation` for the look of a stroke alone";

/// Whether a stroke has got the body less than a tenth of its length away.
fn hardly_moves(clip: &Clip, motion: &Motion) -> bool {
    let way = motion.tracks.first().and_then(|track| Some((track.centers.last()? - track.centers.first()?).norm()));
    clip.frames() > 1 && way.is_some_and(|way| way < 0.1 * clip.body_length())
}

/// A sheet that encloses nothing is taken to be this thick, metres.
const THINNEST: f64 = 1e-3;

/// A mass in kg spread over the first shape of a surface by area; `None` if there is no surface.
pub(crate) fn spread_by_area(clip: &Clip, mass: f64) -> Option<Substance> {
    let Topology::Surface { faces } = clip.topology() else { return None };
    let areas = face_areas(clip.frame(0), faces);
    let total: f64 = areas.iter().sum();
    let mut masses = vec![0.0; clip.vertices()];
    for (face, area) in faces.iter().zip(&areas) {
        face.iter().for_each(|&v| masses[v as usize] += mass * area / (3.0 * total));
    }
    (total > 0.0).then_some(Substance::Masses(masses))
}
