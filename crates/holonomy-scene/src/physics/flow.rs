//! A body of a scene in flow: what it is made of, if nobody said, and what to tell about its way.

use std::ops::ControlFlow;

use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::pieces::{Kind, Pieces};
use holonomy::shape::surface::{enclosed_volume, face_areas};
use holonomy::shape::{Clip, Material, Topology};
use holonomy::systems::Flow;
use holonomy::systems::flow::Substance;

use super::{Physics, mesh_notes, way};
use crate::loaded::LoadedBody;
use crate::scene;

/// Density taken for a body that nobody gave one, where the fluid is no measure, kg/m³: that of water, roughly that of animals.
const USUAL_DENSITY: f64 = 1000.0;

/// Fluids lighter than this, kg/m³, are gases: what is in them is not as heavy as they are.
const LIGHTEST_LIQUID: f64 = 100.0;

pub(super) struct InFlow {
    system: Flow,
    clip: Clip,
    /// What was assumed about the body, and whether what the engine says about its mesh is news: we know how our own are made.
    notes: Vec<String>,
    from_file: bool,
}

impl InFlow {
    pub fn new(settings: &scene::Flow, body: &LoadedBody, steps: usize) -> Result<InFlow, holonomy::Error> {
        let clip = body.shape.clip.clone();
        let (substance, mut notes) = match &body.substance {
            Some(substance) if body.source.is_some() => (substance.clone(), odd_mass(&clip, substance, settings).into_iter().collect()),
            Some(substance) => (substance.clone(), Vec::new()),
            None => as_the_fluid(&clip, settings.medium().density)?,
        };
        if body.source.is_some() {
            notes.extend(mesh_notes::of(&clip, settings.medium().density >= LIGHTEST_LIQUID));
        }
        let system = settings.engine(substance, body.start(), body.start.twist(), steps)?;
        Ok(InFlow { system: Flow { parts: body.parts.clone(), ..system }, clip, notes, from_file: body.source.is_some() })
    }
}

impl Physics for InFlow {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let mut motion = self.system.run(&self.clip, progress)?;
        motion.warnings.retain(|_| self.from_file);
        motion.warnings.extend(self.notes.iter().cloned());
        if self.from_file {
            motion.warnings.extend(way::notes(&self.clip, &motion, true));
        }
        Ok(motion)
    }

    fn check(&self) -> Result<(), holonomy::Error> {
        self.system.begin(self.clip.topology(), self.clip.frame(0)).map(|_| ())
    }

    fn thrust(&self, track: &Track) -> Result<Option<Vec<f64>>, holonomy::Error> {
        self.system.thrust(&self.clip, track).map(Some)
    }
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
            "how heavy the body is was not said, so it is {density} kg/m³; give it --density, \
             --surface-density or --mass (in a scene: the fields of [body.asset])"
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
         spread by area. If you know better, give --surface-density or --mass (in a scene: the \
         fields of [body.asset])",
        pieces.kinds.len()
    ));
    Ok((Substance::Parts { labels, materials }, notes))
}

/// What a mass that was given is like beside what the body displaces, if it is of another size
/// altogether; with weight and buoyancy, if they are far apart.
fn odd_mass(clip: &Clip, substance: &Substance, settings: &scene::Flow) -> Option<String> {
    let (fluid, gravity) = (settings.medium().density, settings.gravity.si());
    let Topology::Surface { faces } = clip.topology() else { return None };
    let (pieces, _) = Pieces::of(clip.frame(0), faces).ok()?;
    if fluid < LIGHTEST_LIQUID || settings.water.is_some() {
        return None; // in air all is heavy; in a surface a body floats as deep as it needs
    }
    // What is open displaces nothing.
    let volumes = pieces.volumes(clip.frame(0)).into_iter().zip(&pieces.kinds);
    let volume: f64 = volumes.filter(|(_, kind)| **kind == Kind::Closed).map(|(volume, _)| volume.abs()).sum();
    let area = || face_areas(clip.frame(0), faces).iter().sum::<f64>();
    let mass = match substance {
        Substance::Uniform(Material::Solid { density }) => density * volume,
        Substance::Uniform(Material::Shell { surface_density }) => surface_density * area(),
        Substance::Masses(masses) => masses.iter().sum(),
        _ => return None,
    };
    let displaced = fluid * volume;
    let apart = if gravity > 0.0 { 1.5 } else { 10.0 };
    if !(volume > 0.0 && mass > 0.0) || (mass > displaced / apart && mass < displaced * apart) {
        return None;
    }
    let what = if gravity == 0.0 {
        String::new()
    } else if mass < displaced {
        format!(", so buoyancy is {:.3} times its weight and it floats up", displaced / mass)
    } else {
        format!(", so its weight is {:.3} times its buoyancy and it sinks", mass / displaced)
    };
    Some(format!(
        "it weighs {mass:.3} kg and displaces {displaced:.3} kg of fluid{what}; if that is not \
         meant, check its mass (--mass, or `mass` of \
         [body.asset]; {displaced:.3} kg hovers) and its unit (--unit, `unit`)"
    ))
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
