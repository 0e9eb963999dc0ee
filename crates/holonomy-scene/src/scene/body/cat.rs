//! A falling cat.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recipe::{choices, recipe};
use super::{Made, Procedural};
use crate::looks::{Figure, Looks};
use crate::scene::quantity::{Amplitude, BodyMass, Duration, Length};

/// Joints of a cat's rig.
const JOINTS: usize = 28;

recipe! {
    /// A cat that turns over with nothing to push against: it bends, the bend goes once around its body, it stretches. It looks along +Z
    /// with its paws down; `[start]` turns it on its back.
    pub struct Cat for models::Cat {
        /// Length of head and trunk. Default: `50 cm`.
        pub length: Length,
        /// Mass. Default: `4 kg`.
        pub mass: BodyMass,
        /// Angle between the halves of the body when bent towards the belly. Default: `125 deg`.
        pub forward_bend: Amplitude,
        /// Angle between the halves of the body when bent towards the back. Default: `50 deg`.
        pub backward_bend: Amplitude,
        /// Which side goes down first when it lies on its belly. Default: `right`.
        pub roll: Roll,
        /// Time for the whole turn. Default: `0.5 s`.
        pub duration: Duration,
    }
}

/// Which way a cat rolls over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Roll {
    /// Its left side: about its −Z.
    Left,
    /// Its right side: about its +Z.
    #[default]
    Right,
}

choices!(Roll for models::Roll: Left Right);

impl Procedural for Cat {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps + 1.0, JOINTS)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { figure: Figure::Cat, ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}
