//! `[system.vehicle]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::quantity::{Count, Force, Height, Pause};
use crate::scene::system::{Settings, Surroundings, WakeGrid};

/// Settings of a vehicle that is driven by recorded controls (Kobilarov 2009).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Driving {
    /// Times and values (SI units) of the controls by their names, such as `collective = [[0, 9.81], [2, 12]]`. What is not named stays at rest. Default: none.
    pub controls: BTreeMap<String, Vec<(Pause, Force)>>,
    /// How a control goes from one value to the next. Default: `smooth`.
    pub between: Between,
    /// Steps of the integrator between two frames. Default: `2`.
    pub substeps: Count<1, 100_000>,
    /// Height of the ground that is drawn. If absent, the lowest place of what is on wheels, and none for what flies or dives.
    pub ground: Option<Height>,
    /// Height of the water that is drawn. If absent, none; boats float at 0.
    pub water: Option<Height>,
    /// Water in which the vehicle makes waves, up to the height of `water` or 0. If absent, none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waves: Option<WakeGrid>,
}

/// How a control goes from one value to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Between {
    /// Starting and stopping slowly at each.
    #[default]
    Smooth,
    /// At a constant rate.
    Linear,
}

impl Default for Driving {
    fn default() -> Self {
        Driving { controls: BTreeMap::new(), between: Between::default(), substeps: Count(2), ground: None, water: None, waves: None }
    }
}

impl Settings for Driving {
    fn name(&self) -> &'static str {
        "vehicle"
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { ground: self.ground, water: self.water.filter(|_| self.waves.is_none()), on_ground: self.ground.is_some() }
    }
}
