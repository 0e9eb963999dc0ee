//! People with nothing to push against: an astronaut, a diver.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::{Figure, Looks};
use crate::scene::quantity::{Angle, BodyMass, Duration, Length};

/// Joints of a person's rig.
const JOINTS: usize = 20;

/// A person who circles both arms about cones, in the same sense seen from above, and so turns the other way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Astronaut {
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

impl Default for Astronaut {
    fn default() -> Self {
        let models::Astronaut { height, mass, raise, cone, period } = models::Astronaut::default();
        Astronaut { height: Length(height), mass: BodyMass(mass), raise: Angle(raise), cone: Angle(cone), period: Duration(period) }
    }
}

impl Procedural for Astronaut {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, JOINTS)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::Astronaut {
            height: self.height.si(),
            mass: self.mass.si(),
            raise: self.raise.si(),
            cone: self.cone.si(),
            period: self.period.si(),
        };
        let looks = Looks { figure: Figure::Astronaut, ..Looks::default() };
        Ok(Made::new(model.clip(fps)?, looks))
    }
}

/// A person who folds for a somersault, stretches, and throws the arms to start and stop a twist; head up and looking along +Z at first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Diver {
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

impl Default for Diver {
    fn default() -> Self {
        let models::Diver { height, mass, throw, duration, .. } = models::Diver::default();
        Diver { height: Length(height), mass: BodyMass(mass), position: Position::Pike, throw: Angle(throw), duration: Duration(duration) }
    }
}

impl Procedural for Diver {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps + 1.0, JOINTS)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let position = match self.position {
            Position::Tuck => models::Position::Tuck,
            Position::Pike => models::Position::Pike,
            Position::Layout => models::Position::Layout,
        };
        let model = models::Diver {
            height: self.height.si(),
            mass: self.mass.si(),
            position,
            throw: self.throw.si(),
            duration: self.duration.si(),
        };
        let looks = Looks { figure: Figure::Diver, ..Looks::default() };
        Ok(Made::new(model.clip(fps)?, looks))
    }
}
