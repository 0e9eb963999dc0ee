//! Kinds of physics: `[system.KIND]` in a scene file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Anisotropy, Gravity};
use super::table::table;

/// The physics that turns shape change into motion; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum System {
    /// Motion from shape change (Gross 2023), first order: no inertia but the law's own.
    #[serde(deserialize_with = "table")]
    ShapeChange(ShapeChange),
}

impl System {
    /// Its name, as in the scene file.
    pub fn name(&self) -> &'static str {
        match self {
            System::ShapeChange(_) => "shape-change",
        }
    }
}

/// Settings of motion from shape change (Gross 2023).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ShapeChange {
    /// What the motion makes least. Default: `least-dissipation`.
    pub law: Law,
    /// Drag along the body over drag across it; 1 is the same both ways. Only least dissipation uses it. Default: `0.05`.
    pub anisotropy: Anisotropy,
    /// How vertices are weighted. Default: `auto`.
    pub masses: Weights,
    /// The momentum that least action keeps. Default: `zero`.
    pub momentum: InitialMomentum,
    /// Acceleration of free fall under least action, downwards, m/s². Default: `0`.
    pub gravity: Gravity,
}

impl Default for ShapeChange {
    fn default() -> Self {
        let (law, masses, momentum) = Default::default();
        ShapeChange { law, anisotropy: Anisotropy(0.05), masses, momentum, gravity: Gravity(0.0) }
    }
}

/// The momentum that least action keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialMomentum {
    /// None: the body starts at rest.
    #[default]
    Zero,
    /// That of the motion the clip was recorded with.
    Clip,
}

/// What the motion makes least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Energy lost to drag, as in honey, mud or sand: the net force and torque of the drag vanish.
    #[default]
    LeastDissipation,
    /// Action, as in free fall or space: momentum is conserved.
    LeastAction,
}

/// How the vertices of a shape are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// What fits the shape: length for curves, area for surfaces, the bones' masses for rigs, unit for points.
    #[default]
    Auto,
    /// Half of the adjacent edges' lengths.
    Length,
    /// A third of the adjacent triangles' areas.
    Area,
    /// Share of the enclosed volume.
    Volume,
    /// All the same.
    Unit,
}
