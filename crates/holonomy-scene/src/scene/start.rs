//! Where a body's first shape stands in the world, `at` and `turn`, and how it moves there.

use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::quantity::{Angle, Coordinate, Speed, TurnRate};

/// Where the body's first shape stands, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Start {
    /// Where the origin of the first shape is put, such as `[0, "1 m", 0]`. If absent, where an asset recorded it, else the world's origin.
    pub at: Option<Place>,
    /// How the first shape is turned: a rotation about the axis that the three angles point along, by the angle that is their length,
    /// such as `[0, 0, "90 deg"]`. If absent, as an asset recorded it, else not at all.
    pub turn: Option<Turn>,
    /// Velocity of the centre of mass, m/s, for physics with inertia. Default: `[0, 0, 0]`.
    pub velocity: [Speed; 3],
    /// Angular velocity about the centre of mass, rad/s, world axes, for physics with inertia. Default: `[0, 0, 0]`.
    pub angular_velocity: [TurnRate; 3],
}

impl Default for Start {
    fn default() -> Self {
        Start { at: None, turn: None, velocity: still(), angular_velocity: still_turn() }
    }
}

/// No velocity.
pub(super) fn still() -> [Speed; 3] {
    [Speed(0.0); 3]
}

/// No turning.
pub(super) fn still_turn() -> [TurnRate; 3] {
    [TurnRate(0.0); 3]
}

impl Start {
    /// The velocity, world axes: about the centre of mass, and of it.
    pub fn twist(&self) -> Twist {
        Twist { angular: self.angular_velocity.map(TurnRate::si).into(), linear: self.velocity.map(Speed::si).into() }
    }

    /// The pose of the first shape, where `otherwise` holds for what is not given.
    pub fn pose(&self, otherwise: Pose) -> Pose {
        Pose {
            rotation: self.turn.map_or(otherwise.rotation, Turn::rotation),
            translation: self.at.map_or(otherwise.translation, Place::metres),
        }
    }
}

/// A place in the world: x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Place(pub(super) [Coordinate; 3]);

impl Place {
    /// x, y, z in metres.
    pub fn metres(self) -> Vector3<f64> {
        Vector3::from(self.0.map(Coordinate::si))
    }
}

/// A rotation as its vector: along the axis, as long as the angle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Turn([Angle; 3]);

impl Turn {
    /// The rotation.
    pub fn rotation(self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(Vector3::from(self.0.map(Angle::si)))
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        three(deserializer, "three lengths such as [0, \"50 cm\", 0]").map(Place)
    }
}

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        three(deserializer, "three angles such as [0, \"90 deg\", 0]").map(Turn)
    }
}

fn three<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D, expected: &str) -> Result<[T; 3], D::Error> {
    let found = Vec::<T>::deserialize(deserializer)?;
    <[T; 3]>::try_from(found).map_err(|found| D::Error::custom(format!("expected {expected}, found {}", found.len())))
}
