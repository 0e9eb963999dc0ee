//! `[system.creature]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::land::{HeightImage, Hills, Noise, Slope};
use super::plan::{MeshFile, Obstacle};
use crate::scene::quantity::{Count, Density, Duration, Gravity, Height, Length, Lift, Multiple, Settle};
use crate::scene::start::Place;
use crate::scene::system::{Settings, Surroundings};

/// Settings of a world of creatures: what they walk on and swim in, what they find and what is in their way (Fang 2015). All bodies of the scene live in it together.
///
/// A creature starts with its head over the ground at `at`, as high above where it walks as the y of `at` says; in water, at `at` itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CreatureWorld {
    /// What is walked on. Default: flat ground at height 0.
    pub land: Land,
    /// What lies on it and is walked over.
    pub stones: Vec<Obstacle>,
    /// Cylinders that lie about at random, and are walked over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rubble: Option<Rubble>,
    /// What is walked or swum around.
    pub obstacles: Vec<Obstacle>,
    /// Where food lies.
    pub food: Vec<Place>,
    /// Food at random places. If absent, none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scattered_food: Option<Scattered>,
    /// Smell of a food at one metre; it is followed from where all smells add up to 1. Default: `0.3`.
    pub smell: Multiple,
    /// What creatures leave behind on their way; who roams and smells it goes along it. If absent, nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trail: Option<Trail>,
    /// The water. If absent, none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub water: Option<Pool>,
    /// Acceleration of free fall, m/s². Default: `9.81`.
    pub gravity: Gravity,
    /// How long the world goes on before the first frame: legs have fallen into step by then, and creatures have walked on from where they start. Default: `0 s`.
    pub settle: Settle,
    /// What is shown. With `gait` one stride or stroke of its one creature, as a loop without a seam that is played `cycles` times: after `settle`, the gait is watched for the
    /// `duration` of `[time]`, and the period that follows is shown, in a whole number of frames. Default: `none`, all of the run.
    pub cycle: Cycle,
    /// Longest step of dynamics. Default: `1/3000 s`.
    pub time_step: Duration,
}

impl Default for CreatureWorld {
    fn default() -> Self {
        CreatureWorld {
            land: Land::default(),
            stones: Vec::new(),
            rubble: None,
            obstacles: Vec::new(),
            food: Vec::new(),
            scattered_food: None,
            smell: Multiple(0.3),
            trail: None,
            water: None,
            gravity: Gravity(holonomy::medium::GRAVITY),
            settle: Settle(0.0),
            cycle: Cycle::default(),
            time_step: Duration(1.0 / 3000.0),
        }
    }
}

/// What is shown of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cycle {
    /// All of it.
    #[default]
    None,
    /// One stride or one stroke, as a loop.
    Gait,
}

/// What is walked on; one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Land {
    /// Level ground at this height.
    Flat(Height),
    /// Round hills in random places.
    Hills(Hills),
    /// Random bumps: dunes, rough ground.
    Noise(Noise),
    /// Land from a picture.
    Image(HeightImage),
    /// A slope down along +X from one height to another, with level ground before and behind it: a beach.
    Slope(Slope),
    /// A ball, walked all over.
    Ball {
        /// Its middle.
        at: Place,
        /// Its radius.
        radius: Length,
    },
    /// A lumpy ball, walked all over.
    Blob(LumpyBall),
    /// A closed surface from a file, walked all over.
    Mesh(MeshFile),
}

impl Default for Land {
    fn default() -> Self {
        Land::Flat(Height(0.0))
    }
}

/// A lumpy ball: round lumps on a ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LumpyBall {
    /// Its radius.
    pub radius: Length,
    /// How far lumps stand out, over the radius.
    pub lumps: Multiple,
    /// Which blob it is.
    pub seed: Count<0, 1_000_000_000>,
}

/// Cylinders that lie about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rubble {
    /// How many.
    pub count: Count<1, 1000>,
    /// Radius of the thickest.
    pub radius: Length,
    /// Length of the longest.
    pub length: Length,
    /// Sides of the ground on which they lie, along X and Z, around the origin.
    pub size: [Length; 2],
    /// Which rubble it is.
    pub seed: Count<0, 1_000_000_000>,
}

/// Things at random places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scattered {
    /// How many.
    pub count: Count<1, 1000>,
    /// Sides of the ground on which they lie, along X and Z, around the origin.
    pub size: [Length; 2],
    /// Which places.
    pub seed: Count<0, 1_000_000_000>,
}

/// A substance on the ground that spreads and fades.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Trail {
    /// Sides of the ground that keeps it, along X and Z, around the origin. What is left outside is lost.
    pub size: [Length; 2],
    /// Side of a cell of its grid. Default: `1 cm`.
    #[serde(default = "centimetre")]
    pub cell: Length,
    /// After how long e⁻¹ of it is left. Default: `60 s`.
    #[serde(default = "minute")]
    pub lasts: Duration,
    /// How far to each side it has spread by then: the standard deviation. Default: `3 cm`.
    #[serde(default = "three_centimetres")]
    pub spread: Lift,
    /// Those that lay it, by their names. If absent, all but those that follow another: then who roams may go round in its own trail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Vec<String>>,
}

fn centimetre() -> Length {
    Length(0.01)
}

fn minute() -> Duration {
    Duration(60.0)
}

fn three_centimetres() -> Lift {
    Lift(0.03)
}

/// Water.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pool {
    /// Height at which it rests.
    pub level: Height,
    /// Density, kg/m³. Default: `1000`.
    #[serde(default = "water")]
    pub density: Density,
    /// Its force on the faces of creatures. Default: `normal`.
    #[serde(default)]
    pub force: WaterForce,
    /// How the water that moves along with creatures is found. Default: `none`.
    #[serde(default)]
    pub added_mass: CarriedWater,
    /// Its waves. If absent, it is still, and everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waves: Option<WaveGrid>,
}

fn water() -> Density {
    Density(1000.0)
}

/// Force of the water on the faces of creatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaterForce {
    /// None: an ideal fluid.
    None,
    /// Against what goes outward, by the square of its normal velocity (Fang 2015).
    #[default]
    Normal,
    /// Lift and drag of each face, in front and behind (Soliman 2024).
    LiftAndDrag,
}

/// How the water that moves along with creatures is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CarriedWater {
    /// None does.
    #[default]
    None,
    /// One depth of water for a whole creature, as in Soliman 2024, carried by its segments.
    Local,
}

/// Shallow water with waves, on a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WaveGrid {
    /// Sides of the water along X and Z.
    pub size: [Length; 2],
    /// Side of a cell of the grid.
    pub cell: Length,
    /// Its middle. If absent, the origin.
    #[serde(default)]
    pub at: Option<Place>,
    /// What its sides do. Default: `walls`.
    #[serde(default)]
    pub sides: Sides,
    /// Drops of rain per second on all of it. Default: `0`.
    #[serde(default = "dry")]
    pub rain: Multiple,
    /// Whether waves push creatures. Default: `none`.
    #[serde(default)]
    pub push: Push,
    /// The creature that the water moves along with, by its name. If absent, it stays.
    #[serde(default)]
    pub along: Option<String>,
}

fn dry() -> Multiple {
    Multiple(0.0)
}

/// What the sides of the water do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// Waves come back.
    #[default]
    Walls,
    /// Waves leave.
    Open,
}

/// Whether waves push creatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Push {
    /// They do not.
    #[default]
    None,
    /// They do.
    Waves,
}

impl Settings for CreatureWorld {
    fn name(&self) -> &'static str {
        "creature"
    }

    fn surroundings(&self) -> Surroundings {
        let ground = match &self.land {
            Land::Flat(height) => Some(*height),
            _ => None,
        };
        let still = self.water.as_ref().filter(|water| water.waves.is_none()).map(|water| water.level);
        Surroundings { ground: ground.filter(|_| still.is_none()), water: still, on_ground: ground.is_some() && still.is_none() }
    }
}
