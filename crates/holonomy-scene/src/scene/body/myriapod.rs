//! Creatures: centipedes, millipedes and swimmers.

use std::f64::consts::PI;

use holonomy::models::myriapod::Coat as EngineCoat;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::creature::economy::EconomyLine;
use holonomy::systems::creature::make_up::{MakeUp, Sides as EngineSides, Wave as EngineWave};
use holonomy::systems::creature::righting::Righting as EngineRighting;
use holonomy::systems::creature::swim::{Cruise, Generator as EngineGenerator, Stroke as EngineStroke, Vision};
use holonomy::systems::creature::will::Exercise as EngineExercise;
use holonomy::systems::creature::world::Creature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{BodyDensity, Contraction, Count, Factor, HalfTurn, LegFactor, Multiple, Pause, SignedShare, Speed, TurnRate};
use crate::scene::table::table;

/// A creature of many segments, with legs or without (Fang 2015).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Myriapod {
    /// Which kind. Default: `centipede`.
    pub make: Make,
    /// How many rigid segments, the head included. If absent, as many as its kind has.
    pub segments: Option<Count<2, 2000>>,
    /// Length of its legs, over that of its kind; the body stands as much higher. Default: `1`.
    pub legs: LegFactor,
    /// Which way the wave of touch-downs runs along its legs. If absent, as in its kind: `direct`
    /// in `millipede` and `house-centipede`, else `retrograde`, as in Fang 2015.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<LegWave>,
    /// How the left and the right leg of a pair go. If absent, as in its kind: `together` in
    /// `robot`, as in Fang 2015, else `alternate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<LegSides>,
    /// How fast it walks, m/s. If absent, as its kind does.
    pub speed: Option<Speed>,
    /// How fast it turns, rad/s. If absent, as its kind does.
    pub turn_rate: Option<TurnRate>,
    /// How many times as stiff its soft blocks are as those of its kind. Default: `1`.
    pub stiffness: Factor,
    /// Density, kg/m³. If absent, that of its kind: a little less than water.
    pub density: Option<BodyDensity>,
    /// Cells of a soft block along its length, height and width. Default: `[2, 2, 2]`.
    pub cells: [Count<1, 20>; 3],
    /// How it looks. If absent, as its kind does.
    pub coat: Option<Coat>,
    /// How it swims.
    #[serde(deserialize_with = "table")]
    pub stroke: Stroke,
    /// What it is after. Default: `"roam"`.
    pub will: Will,
    /// What its muscles do out of the water. Default: `"none"`.
    pub exercise: Exercise,
    /// What it does as it falls; it begins turned about its own length as `turn` of its start says. Default: `none`.
    pub righting: Righting,
    /// Which random numbers it goes by. Default: `1`.
    pub seed: Count<0, 1_000_000_000>,
}

impl Default for Myriapod {
    fn default() -> Self {
        Myriapod {
            make: Make::default(),
            segments: None,
            legs: LegFactor(1.0),
            wave: None,
            sides: None,
            speed: None,
            turn_rate: None,
            stiffness: Factor(1.0),
            density: None,
            cells: [Count(2); 3],
            coat: None,
            stroke: Stroke::default(),
            will: Will::default(),
            exercise: Exercise::default(),
            righting: Righting::default(),
            seed: Count(1),
        }
    }
}

/// Kinds of creatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Make {
    /// A giant centipede of 19 segments, 20 cm.
    #[default]
    Centipede,
    /// A millipede of 58 segments, 15 cm.
    Millipede,
    /// A robot of 12 segments, 1.2 m.
    Robot,
    /// A house centipede with long legs.
    HouseCentipede,
    /// A swimmer of 12 segments without legs, 18 cm.
    Swimmer,
}

/// Which way touch-downs run along the legs of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LegWave {
    /// From tail to head: a leg lands after the one behind it.
    Direct,
    /// From head to tail: a leg lands after the one ahead of it.
    Retrograde,
}

/// How the left and the right leg of a pair go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LegSides {
    /// By turns, half a period apart.
    Alternate,
    /// In unison.
    Together,
}

/// What a creature looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coat {
    /// Red-brown plates, orange legs.
    Centipede,
    /// Nearly black, with rusty legs.
    Millipede,
    /// Grey-blue boxes, orange between them.
    Robot,
    /// Pale, with bands.
    HouseCentipede,
}

/// How a creature swims: a wave of its muscles from head to tail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Stroke {
    /// Strokes per second. Default: `2`.
    pub frequency: Multiple,
    /// By how much each muscle lags behind the one ahead of it. Default: `54 deg`.
    pub phase_shift: HalfTurn,
    /// How fast to swim, m/s: frequency and phase shift are then those of `economy` for that speed. If absent, they are as given above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// The strokes of least power for all speeds, as a sweep over `stroke.frequency` and `stroke.phase-shift` finds them. If absent, those of the kind `swimmer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub economy: Option<Economy>,
    /// Share of its length that a muscle loses. Default: `0.5`.
    pub contraction: Contraction,
    /// What makes the wave. Default: `wave`.
    pub generator: Generator,
}

impl Default for Stroke {
    fn default() -> Self {
        Stroke {
            frequency: Multiple(2.0),
            phase_shift: HalfTurn(0.3 * PI),
            speed: None,
            economy: None,
            contraction: Contraction(0.5),
            generator: Generator::default(),
        }
    }
}

/// Strokes of least power, as polynomials in the speed in m/s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Economy {
    /// Slowest and fastest speed for which they hold, m/s.
    pub speeds: [Speed; 2],
    /// Strokes per second: at speed 0, per m/s, per (m/s)².
    pub frequency: [f64; 3],
    /// Phase shift in radians: at speed 0, per m/s.
    pub phase_shift: [f64; 2],
}

impl Economy {
    fn line(&self) -> EconomyLine {
        EconomyLine { speeds: self.speeds.map(Speed::si), frequency: self.frequency, phase_shift: self.phase_shift }
    }
}

/// What makes the wave of a stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Generator {
    /// Frequency and phase shift, at once.
    #[default]
    Wave,
    /// Oscillators that pull each other into step: changes run through the body smoothly.
    Oscillators,
}

/// What a creature is after.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Will {
    /// Food, or nothing: its own brain decides.
    #[default]
    Roam,
    /// To do as told.
    Told(Vec<Order>),
    /// To stay behind the creature of this name.
    Follow(String),
    /// To catch the creature of this name.
    Hunt(String),
    /// To keep away from the creature of this name.
    Flee(String),
}

/// What a creature is told from a time on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Order {
    /// From when on. Default: `0 s`.
    #[serde(default = "at_once")]
    pub from: Pause,
    /// How fast to go, over how fast it goes by itself. Default: `1`.
    #[serde(default = "as_fast")]
    pub haste: Multiple,
    /// How sharply to turn: full to the left 1, to the right −1. Default: `0`.
    #[serde(default = "straight")]
    pub turn: SignedShare,
    /// Swimming: up 1, down −1. Default: `0`.
    #[serde(default = "straight")]
    pub pitch: SignedShare,
}

fn at_once() -> Pause {
    Pause(0.0)
}

fn as_fast() -> Multiple {
    Multiple(1.0)
}

fn straight() -> SignedShare {
    SignedShare(0.0)
}

/// What muscles do out of the water.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Exercise {
    /// They rest.
    #[default]
    None,
    /// Left and right in turn, so many times a second.
    Flap(Multiple),
    /// A wave of shortening, so many times a second.
    Worm(Multiple),
    /// The left shortens for good within so many seconds.
    Curl(Pause),
    /// The underside does.
    Coil(Pause),
}

/// What a creature does as it falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Righting {
    /// Nothing but search for ground.
    #[default]
    None,
    /// It turns belly down, by bending to a C and letting the bend go round its body, as a cat does. That takes muscles of a `stiffness` of some 20.
    Reflex,
}

impl Myriapod {
    /// The creature as the engine has it, at the origin; what it is after is for the scene to say.
    pub(crate) fn creature(&self, name: &str) -> Creature {
        let mut make_up = match self.make {
            Make::Centipede => MakeUp::centipede(),
            Make::Millipede => MakeUp::millipede(),
            Make::Robot => MakeUp::robot(),
            Make::HouseCentipede => MakeUp::house_centipede(),
            Make::Swimmer => MakeUp::swimmer(),
        };
        make_up.segments = self.segments.map_or(make_up.segments, Count::get);
        if let Some(legs) = &mut make_up.legs {
            legs.lengths = legs.lengths.map(|length| length * self.legs.si());
            make_up.height *= self.legs.si();
            legs.wave = self.wave.map_or(legs.wave, LegWave::engine);
            legs.sides = self.sides.map_or(legs.sides, LegSides::engine);
        }
        make_up.brain.speed = self.speed.map_or(make_up.brain.speed, Speed::si);
        make_up.brain.turn_rate = self.turn_rate.map_or(make_up.brain.turn_rate, TurnRate::si);
        make_up.material.youngs_modulus *= self.stiffness.si();
        if let Some(density) = self.density {
            (make_up.material.soft_density, make_up.material.rigid_density) = (density.si(), density.si());
        }
        let line = self.stroke.economy.as_ref().map_or(EconomyLine::SWIMMER, Economy::line);
        let stroke = EngineStroke {
            cruise: self.stroke.speed.map(|speed| Cruise { speed: speed.si(), line }),
            frequency: self.stroke.frequency.si(),
            phase_shift: self.stroke.phase_shift.si(),
            contraction: self.stroke.contraction.si(),
            generator: match self.stroke.generator {
                Generator::Wave => EngineGenerator::Wave,
                Generator::Oscillators => EngineGenerator::Oscillators(COUPLING * self.stroke.frequency.si()),
            },
            ..EngineStroke::default()
        };
        let exercise = match self.exercise {
            Exercise::None => EngineExercise::None,
            Exercise::Flap(rate) => EngineExercise::Flap(rate.si()),
            Exercise::Worm(rate) => EngineExercise::Worm(rate.si()),
            Exercise::Curl(within) => EngineExercise::Curl(within.si()),
            Exercise::Coil(within) => EngineExercise::Coil(within.si()),
        };
        let righting = match self.righting {
            Righting::None => EngineRighting::None,
            Righting::Reflex => EngineRighting::Reflex,
        };
        let (cells, seed) = (self.cells.map(Count::get), self.seed.get() as u64);
        Creature { vision: Vision::of(make_up.length()), stroke, exercise, righting, cells, seed, ..Creature::new(name, make_up) }
    }

    /// How it looks.
    pub(crate) fn coat(&self) -> EngineCoat {
        let usual = match self.make {
            Make::Centipede | Make::Swimmer => Coat::Centipede,
            Make::Millipede => Coat::Millipede,
            Make::Robot => Coat::Robot,
            Make::HouseCentipede => Coat::HouseCentipede,
        };
        match self.coat.unwrap_or(usual) {
            Coat::Centipede => EngineCoat::Scolopendra,
            Coat::Millipede => EngineCoat::Millipede,
            Coat::Robot => EngineCoat::Robot,
            Coat::HouseCentipede => EngineCoat::HouseCentipede,
        }
    }
}

impl LegWave {
    fn engine(self) -> EngineWave {
        match self {
            LegWave::Direct => EngineWave::Direct,
            LegWave::Retrograde => EngineWave::Retrograde,
        }
    }
}

impl LegSides {
    fn engine(self) -> EngineSides {
        match self {
            LegSides::Alternate => EngineSides::Alternate,
            LegSides::Together => EngineSides::Together,
        }
    }
}

/// How fast oscillators come into step, strokes.
const COUPLING: f64 = 4.0;

impl Procedural for Myriapod {
    fn size(&self, _: f64) -> (f64, usize) {
        let segments = self.segments.map_or(58, Count::get);
        (1.0, 12 * segments + 40)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let creature = self.creature("body");
        creature.make_up.validate()?;
        // The system shows the creature; before, only its length counts.
        let ends = vec![Vector3::zeros(), Vector3::x() * -creature.make_up.length()];
        let clip = Clip::new(Topology::Points, Playback::Loop, 1.0 / fps, 2, ends)?;
        Ok(Made { myriapod: Some(self.clone()), ..Made::new(clip, Looks::default()) })
    }
}
