//! A robot that swims as a stingray does, and is steered.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stingray::Stingray;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Count, Duration, Length, Share, Waves};

/// A swimming robot with the fins of a ray, which swims a course leg by leg. It does not loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RayRobot {
    /// From the nose to the rear of the disc; the tail is about as long again. Default: `80 cm`.
    pub length: Length,
    /// From tip to tip of the fins. Default: `1 m`.
    pub span: Length,
    /// Number of cross-sections along the body. Default: `60`.
    pub rings: Count<4, 10_000>,
    /// Number of vertices around each. Default: `48`.
    pub around: Count<4, 10_000>,
    /// Number of waves along the fins. Default: `1`.
    pub waves: Waves,
    /// Height of the wave at the tip of a fin over the length of the fin. Default: `0.28`.
    pub amplitude: Share,
    /// How it steers on each leg of its way. Default: `["ahead", "left", "right", "up", "down"]`.
    pub course: Vec<Steering>,
    /// How long each leg takes. Default: `4 s`.
    pub leg: Duration,
    /// How hard it steers. Default: `1`.
    pub strength: Share,
    /// Time for a wave to pass. Default: `1 s`.
    pub period: Duration,
}

impl Default for RayRobot {
    fn default() -> Self {
        RayRobot {
            length: Length(0.8),
            span: Length(1.0),
            rings: Count(60),
            around: Count(48),
            waves: Waves(1.0),
            amplitude: Share(0.28),
            course: [Steering::Ahead, Steering::Left, Steering::Right, Steering::Up, Steering::Down].to_vec(),
            leg: Duration(4.0),
            strength: Share(1.0),
            period: Duration(1.0),
        }
    }
}

impl Procedural for RayRobot {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.leg.si() * self.course.len() as f64 * fps, self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let RayRobot { length, span, rings, around, waves, amplitude, period, .. } = *self;
        let ray = Stingray { length, span, rings, around, waves, amplitude, period, ..Stingray::default() };
        let leg = |steering: &Steering| {
            let [turn, climb] = steering.rudders().map(|rudder| rudder * self.strength.si());
            models::Leg { turn, climb, seconds: self.leg.si() }
        };
        let legs: Vec<models::Leg> = self.course.iter().map(leg).collect();
        Ok(Made::new(ray.model().course(&legs, fps)?, Looks { color: [0.87, 0.62, 0.16], ..Looks::default() }))
    }
}

/// How a robot steers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Steering {
    /// Both fins alike.
    Ahead,
    /// To its left.
    Left,
    /// To its right.
    Right,
    /// Nose up.
    Up,
    /// Nose down.
    Down,
}

impl Steering {
    /// Turn and climb, −1 to 1 each.
    fn rudders(self) -> [f64; 2] {
        match self {
            Steering::Ahead => [0.0, 0.0],
            Steering::Left => [1.0, 0.0],
            Steering::Right => [-1.0, 0.0],
            Steering::Up => [0.0, 1.0],
            Steering::Down => [0.0, -1.0],
        }
    }
}
