//! Kinds of physics: `[system.KIND]` in a scene file, one file here for each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::table;

pub(super) mod flow;
mod shape_change;

pub use flow::{AddedMassModel, Flow, Fluid, Gusts, Shear, Vortex};
pub use shape_change::{Freedom, InitialMomentum, Law, ShapeChange, Weights};

/// The physics that turns shape change into motion; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum System {
    /// Motion from shape change (Gross 2023).
    #[serde(deserialize_with = "table")]
    ShapeChange(ShapeChange),
    /// Bodies in air and water, with all their dynamics (Soliman 2024).
    #[serde(deserialize_with = "table")]
    Flow(Flow),
}

impl System {
    /// Its name, as in the scene file.
    pub fn name(&self) -> &'static str {
        match self {
            System::ShapeChange(_) => "shape-change",
            System::Flow(_) => "flow",
        }
    }
}
