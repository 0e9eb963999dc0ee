//! Water with waves around a vehicle.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Sides;
use crate::scene::quantity::Length;
use crate::scene::start::Place;

/// Shallow water around a vehicle, on a grid: it makes waves, and they do not push it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WakeGrid {
    /// Sides of the water along X and Z.
    pub size: [Length; 2],
    /// Side of a cell of the grid.
    pub cell: Length,
    /// Depth of the water: waves go at √(g depth).
    pub depth: Length,
    /// Its middle. If absent, the origin.
    #[serde(default)]
    pub at: Option<Place>,
    /// What its sides do. Default: `walls`.
    #[serde(default)]
    pub sides: Sides,
}
