//! Where a body's first shape stands in the world: `at` and `turn`.

use holonomy::lie::Pose;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::quantity::{Angle, Coordinate};

/// Where the body's first shape stands.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Start {
    /// Where the origin of the first shape is put, such as `[0, "1 m", 0]`. If absent, where an asset recorded it, else the world's origin.
    pub at: Option<Place>,
    /// How the first shape is turned: a rotation about the axis that the three angles point along, by the angle that is their length,
    /// such as `[0, 0, "90 deg"]`. If absent, as an asset recorded it, else not at all.
    pub turn: Option<Turn>,
}

impl Start {
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
pub struct Place([Coordinate; 3]);

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
