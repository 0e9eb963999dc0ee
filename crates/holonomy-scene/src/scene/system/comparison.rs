//! `[system.comparison]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::quantity::{Count, Duration, Height, Length};
use crate::scene::system::{Settings, Surroundings};

/// Settings of a comparison of integrators (Kobilarov 2009, Figs. 3 to 5): of a free body, or of a car that is driven by sinusoids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Comparison {
    /// Time step of every integrator that moves a free body; rounded to whole frames. Default: `1 s`.
    pub step: Duration,
    /// How far apart those compared stand. Default: `2 m`.
    pub apart: Length,
    /// By how many random inputs a car is driven. Default: `50`.
    pub inputs: Count<1, 1000>,
    /// Which inputs these are: another number, other inputs. Default: `1`.
    pub seed: Count<0, 1_000_000_000>,
    /// Which of the inputs are shown, from 0. Default: `[0, 1, 2]`.
    pub shown: Vec<Count<0, 999>>,
    /// Height of the ground that is drawn. If absent, none.
    pub ground: Option<Height>,
}

impl Default for Comparison {
    fn default() -> Self {
        Comparison {
            step: Duration(1.0),
            apart: Length(2.0),
            inputs: Count(50),
            seed: Count(1),
            shown: [0, 1, 2].map(Count).into(),
            ground: None,
        }
    }
}

impl Settings for Comparison {
    fn name(&self) -> &'static str {
        "comparison"
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { ground: self.ground, water: None, on_ground: self.ground.is_some() }
    }
}
