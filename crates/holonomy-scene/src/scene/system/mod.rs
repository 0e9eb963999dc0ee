//! Kinds of physics: `[system.KIND]` in a scene file, one file here for each.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::diagnostics::Diagnostic;
use super::quantity::Height;
use super::table::table;

mod comparison;
mod creature;
mod flow;
mod land;
mod looping;
mod plan;
mod shape_change;
mod vehicle;
mod wake;

pub use comparison::Comparison;
pub use creature::{
    CarriedWater, CreatureWorld, Cycle, Land as CreatureLand, LumpyBall, Pool, Push, Rubble, Scattered, Sides, Trail, WaterForce, WaveGrid,
};
pub use flow::{AddedMassModel, Flow, Fluid, Gusts, Shear, Vortex};
pub use land::{Canyon, HeightImage, Hills, Land, Noise, OpenLand, Slope};
pub use looping::{Ball, Guess, Hold, Keyframe, Loop, Part, Period, Rival, Rule, Travel};
pub use plan::{MeshFile, Minimise, Obstacle, Plan};
pub use shape_change::{Freedom, InitialMomentum, Law, ShapeChange, Weights};
pub use vehicle::{Between, Driving};
pub use wake::WakeGrid;

/// The physics that turns shape change into motion; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum System {
    /// Motion from shape change (Gross 2023).
    #[serde(deserialize_with = "table")]
    ShapeChange(ShapeChange),
    /// Bodies in air and water, with all their dynamics (Soliman 2024).
    #[serde(deserialize_with = "table")]
    Flow(Flow),
    /// A vehicle that is driven by its controls (Kobilarov 2009).
    #[serde(deserialize_with = "table")]
    Vehicle(Driving),
    /// A vehicle that finds its own way to a goal (Kobilarov 2009).
    #[serde(deserialize_with = "table")]
    Plan(Plan),
    /// Integrators side by side (Kobilarov 2009).
    #[serde(deserialize_with = "table")]
    Comparison(Comparison),
    /// A motion that repeats without a seam (Jia 2023).
    #[serde(deserialize_with = "table")]
    Loop(Loop),
    /// Creatures that walk and swim (Fang 2015).
    #[serde(deserialize_with = "table")]
    Creature(CreatureWorld),
}

/// What the rest of the program asks of the settings of any system.
pub(crate) trait Settings {
    /// The name of the system, as in the scene file.
    fn name(&self) -> &'static str;

    /// What is around the bodies.
    fn surroundings(&self) -> Surroundings;

    /// What serde cannot say: which settings exclude each other.
    fn check(&self, _written: &DeTable) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// What is around the bodies, for a picture.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Surroundings {
    /// Level ground; where it is unknown, under the lowest point.
    pub ground: Option<Height>,
    /// The surface of water.
    pub water: Option<Height>,
    /// Whether the bodies move on ground, even if nothing says at which height.
    pub on_ground: bool,
}

impl System {
    pub(crate) fn settings(&self) -> &dyn Settings {
        match self {
            System::ShapeChange(settings) => settings,
            System::Flow(settings) => settings,
            System::Vehicle(settings) => settings,
            System::Plan(settings) => settings,
            System::Comparison(settings) => settings,
            System::Loop(settings) => settings,
            System::Creature(settings) => settings,
        }
    }

    /// Its name, as in the scene file.
    pub fn name(&self) -> &'static str {
        self.settings().name()
    }

    /// The files that it names.
    pub(crate) fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        match self {
            System::ShapeChange(settings) => settings.land.as_mut().and_then(OpenLand::file_mut).into_iter().collect(),
            System::Plan(plan) => files_of(&mut plan.obstacles).collect(),
            System::Creature(world) => {
                let mut files: Vec<&mut PathBuf> = files_of(&mut world.obstacles).chain(files_of(&mut world.stones)).collect();
                match &mut world.land {
                    CreatureLand::Mesh(mesh) => files.push(&mut mesh.file),
                    CreatureLand::Image(image) => files.push(&mut image.file),
                    _ => {}
                }
                files
            }
            _ => Vec::new(),
        }
    }
}

/// The files that obstacles come from.
fn files_of(obstacles: &mut [Obstacle]) -> impl Iterator<Item = &mut PathBuf> {
    obstacles.iter_mut().filter_map(|obstacle| match obstacle {
        Obstacle::Mesh(mesh) => Some(&mut mesh.file),
        Obstacle::Image(image) => Some(&mut image.file),
        _ => None,
    })
}
