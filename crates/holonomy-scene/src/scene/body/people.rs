//! People with nothing to push against: an astronaut, a diver.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recipe::{choices, recipe};
use super::{Made, Procedural};
use crate::looks::{Figure, Looks};
use crate::scene::quantity::{Angle, BodyMass, Duration, Length};

/// Joints of a person's rig.
const JOINTS: usize = 20;

recipe! {
    /// A person who circles both arms about cones, in the same sense seen from above, and so turns the other way.
    pub struct Astronaut for models::Astronaut {
        /// Height. Default: `1.75 m`.
        pub height: Length,
        /// Mass. Default: `70 kg`.
        pub mass: BodyMass,
        /// How far the axes of the cones point above the horizontal. Default: `25 deg`.
        pub raise: Angle,
        /// Half the opening of the cones. Positive: the body turns to its left. Default: `45 deg`.
        pub cone: Angle,
        /// Time for one circle, after which the shapes repeat. Default: `2 s`.
        pub period: Duration,
    }
}

impl Procedural for Astronaut {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, JOINTS)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { figure: Figure::Astronaut, ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}

recipe! {
    /// A person who folds for a somersault, stretches, and throws the arms to start and stop a twist; head up and looking along +Z at first.
    pub struct Diver for models::Diver {
        /// Height. Default: `1.75 m`.
        pub height: Length,
        /// Mass. Default: `70 kg`.
        pub mass: BodyMass,
        /// How the diver folds up. Default: `pike`.
        pub position: Position,
        /// How far each arm is thrown. Positive: left arm up, right arm down; 0: no twist. Default: `80 deg`.
        pub throw: Angle,
        /// Time from take-off to entry. Default: `1.6 s`.
        pub duration: Duration,
    }
}

/// How a diver folds up for the somersault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// Hips and knees bent.
    Tuck,
    /// Hips bent, knees straight.
    #[default]
    Pike,
    /// Straight.
    Layout,
}

choices!(Position for models::Position: Tuck Pike Layout);

impl Procedural for Diver {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps + 1.0, JOINTS)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { figure: Figure::Diver, ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}
