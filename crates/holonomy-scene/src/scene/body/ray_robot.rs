//! A robot that swims as a stingray does, and is steered.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recipe::recipe;
use super::stingray::with_fins;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Count, Duration, Length, Share, Waves};

recipe! {
    /// A swimming robot with the fins of a ray, which swims a course leg by leg. It does not loop.
    pub struct RayRobot for models::Stingray {
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
        pub amplitude: Share = Share(models::Stingray::default().left.amplitude),
        /// How it steers on each leg of its way. Default: `["ahead", "left", "right", "up", "down"]`.
        pub course: Vec<Steering> = [Steering::Ahead, Steering::Left, Steering::Right, Steering::Up, Steering::Down].to_vec(),
        /// How long each leg takes. Default: `4 s`.
        pub leg: Duration = Duration(4.0),
        /// How hard it steers. Default: `1`.
        pub strength: Share = Share(1.0),
        /// Time for a wave to pass. Default: `1 s`.
        pub period: Duration,
    }
}

impl Procedural for RayRobot {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.leg.si() * self.course.len() as f64 * fps, self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = with_fins(self.model(), self.amplitude);
        let leg = |steering: &Steering| {
            let [turn, climb] = steering.rudders().map(|rudder| rudder * self.strength.si());
            models::Leg { turn, climb, seconds: self.leg.si() }
        };
        let legs: Vec<models::Leg> = self.course.iter().map(leg).collect();
        Ok(Made::new(model.course(&legs, fps)?, Looks { color: [0.87, 0.62, 0.16], ..Looks::default() }))
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
