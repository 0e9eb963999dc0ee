//! `[system.loop]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::quantity::{Angle, Count, Gravity, Height, Length, Multiple, Pause, Settle, Speed};
use crate::scene::start::{Place, Turn};
use crate::scene::system::{Settings, Surroundings};

/// Settings of a loop: a motion that repeats without a seam, and obeys physics as well as such a motion can (Jia 2023).
///
/// `duration` of `[time]` is the period, or with `period = "auto"` the longest that it may be; it is played `cycles` times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Loop {
    /// Whether the period is given or found. Default: `fixed`.
    pub period: Period,
    /// The time integration whose motion it is. If absent, symplectic for planets, backward for soft bodies.
    pub rule: Option<Rule>,
    /// How long it is simulated before the loop begins. Default: `0 s`.
    pub settle: Settle,
    /// How firmly the loop begins with the first shape. Default: `soft`.
    pub start: Hold,
    /// How firmly it begins with the first velocity. Default: `soft`.
    pub start_velocity: Hold,
    /// Of what is held softly: the smaller, the more it counts (Jia 2023, Eq. 15). Default: `0.01`.
    pub softness: Multiple,
    /// Where the search begins. Default: `best`.
    pub guess: Guess,
    /// Most iterations of a guess that is closed: `closing` and `fast-projection`. The paper's flag,
    /// ribbons and cloth took 24, 96 and 97. Default: `20`.
    pub guess_iterations: Count<1, 10_000>,
    /// How many times the mesh of a cloth is halved first: it settles on the coarsest, whose loop is found first, and on a finer one the loop begins as on the
    /// coarser. Large meshes so find a start that comes back, in less time. Default: `0`.
    pub levels: Count<0, 10>,
    /// Most iterations, on each of these. Default: `200`.
    pub iterations: Count<1, 100_000>,
    /// Where it, or some of it, shall be at other times of the loop. Default: nowhere.
    pub keyframes: Vec<Keyframe>,
    /// How lively it is kept: its kinetic energy beside that of the motion that is left to itself. If absent, as lively as it gets.
    pub energy: Option<Multiple>,
    /// Up to which rigid motion it closes. Default: `none`.
    pub travel: Travel,
    /// Acceleration of free fall, m/s². Default: `9.81`. Planets have their own.
    pub gravity: Gravity,
    /// Wind on cloth, m/s. Default: `[0, 0, 0]`.
    pub wind: [Speed; 3],
    /// Pressure of the wind per speed, kg/(m² s). Default: `1`.
    pub wind_pressure: Multiple,
    /// Height of the ground that bodies bounce off. If absent, none.
    pub ground: Option<Height>,
    /// Balls that are in the way.
    pub balls: Vec<Ball>,
    /// How hard ground, balls and a body that touches itself are: the pressure at a depth of 1 cm, kPa. Default: `5`.
    pub hardness: Multiple,
    /// How near parts of a soft body come before they push each other away; less than half the side of a cell is best. What moves farther than this in a frame can pass through. If absent,
    /// its parts pass through each other, and the run counts in how many frames.
    pub self_contact: Option<Length>,
    /// Most memory that solving may take, GB. Default: `4`.
    pub memory: Multiple,
    /// What is shown beside the loop. Default: nothing.
    pub beside: Vec<Rival>,
    /// How far apart these stand. If absent, by their own size.
    pub apart: Option<Length>,
}

impl Default for Loop {
    fn default() -> Self {
        Loop {
            period: Period::default(),
            rule: None,
            settle: Settle(0.0),
            start: Hold::default(),
            start_velocity: Hold::default(),
            softness: Multiple(0.01),
            guess: Guess::default(),
            guess_iterations: Count(20),
            levels: Count(0),
            iterations: Count(200),
            keyframes: Vec::new(),
            energy: None,
            travel: Travel::default(),
            gravity: Gravity(holonomy::medium::GRAVITY),
            wind: [Speed(0.0); 3],
            wind_pressure: Multiple(1.0),
            ground: None,
            balls: Vec::new(),
            hardness: Multiple(5.0),
            self_contact: None,
            memory: Multiple(4.0),
            beside: Vec::new(),
            apart: None,
        }
    }
}

/// Where a body, or some of it, shall be at a time of the loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Keyframe {
    /// When, from the beginning of the loop; at the frame nearest to that.
    pub time: Pause,
    /// What of it: what lies in this ball at first. If absent, all of it.
    pub part: Option<Part>,
    /// How far from its first place. Default: `[0, 0, 0]`.
    #[serde(default)]
    pub shift: Option<Place>,
    /// How it is turned there about its middle, as `turn` of `[start]`. If absent, not at all.
    #[serde(default)]
    pub turn: Option<Turn>,
    /// How firmly. Default: `soft`.
    #[serde(default)]
    pub hold: Hold,
}

/// A ball that holds what is meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Part {
    /// Its middle.
    pub at: Place,
    /// Its radius.
    pub radius: Length,
}

/// A ball in the way. It goes with the loop: once around a circle, or to and fro, in each period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ball {
    /// Its middle.
    pub at: Place,
    /// Its radius.
    pub radius: Length,
    /// How far it goes to either side of that, as a sine. If absent, it stays.
    pub swing: Option<Place>,
    /// Where in that sine it begins. If absent, in the middle.
    pub phase: Option<Angle>,
}

/// Whether the period is given or found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Period {
    /// It is the duration.
    #[default]
    Fixed,
    /// It is found, from when the body left to itself comes back closest to its start.
    Auto,
}

/// A time integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Symplectic Euler: keeps energy, for what is not stiff.
    Symplectic,
    /// Backward Euler: damps, for what is stiff.
    Backward,
}

/// How firmly something is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// Not at all.
    Free,
    /// As far as physics agrees.
    #[default]
    Soft,
    /// It must be.
    Hard,
}

/// Where the search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Guess {
    /// Of more than 40 free vertices, the motion that springs steer back to its start. Of fewer, the
    /// first of `closing` and `fast-projection` that is far better than `forward`, else that.
    #[default]
    Best,
    /// The motion of what is left to itself, with a seam.
    Forward,
    /// That motion, pushed so that it closes.
    Closing,
    /// The same by the paper's fast projection.
    FastProjection,
}

/// Up to which rigid motion a loop closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Travel {
    /// None: it ends where it began.
    #[default]
    None,
    /// A turn about the vertical and a shift, whichever are best.
    Level,
    /// Any.
    Free,
}

/// What can be shown beside a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rival {
    /// The motion of what is left to itself.
    Forward,
    /// The first guess.
    Guess,
    /// That motion faded into its own beginning.
    CrossFade,
    /// Forces found by gradient descent.
    Shooting,
}

impl Settings for Loop {
    fn name(&self) -> &'static str {
        "loop"
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { ground: self.ground, water: None, on_ground: self.ground.is_some() }
    }
}

impl Loop {
    /// The shortest period that is looked for where it is found, in parts of the longest.
    pub(crate) const SHORTEST: f64 = 0.2;
}
