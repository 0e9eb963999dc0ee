//! Kinds of body: `[body.KIND]` in a scene file, one file here for each family.
//!
//! A procedural kind is a struct of its parameters that implements [`Procedural`]; it makes the engine's model, and says how that looks.

use holonomy::shape::{Clip, MassRule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::table;
use crate::export::Looks;

mod asset;
mod rigid;
mod snake;

pub use asset::Asset;
pub use rigid::{Box, Disc, Pebble, Propeller, Torus};
pub use snake::Snake;

/// The body and how its shape changes; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Body {
    /// A snake on flat ground whose bends travel from head to tail.
    #[serde(deserialize_with = "table")]
    Snake(Snake),
    /// A convex stone.
    #[serde(deserialize_with = "table")]
    Pebble(Pebble),
    /// A flat round disc, such as a coin.
    #[serde(deserialize_with = "table")]
    Disc(Disc),
    /// A box with flat sides.
    #[serde(deserialize_with = "table")]
    Box(Box),
    /// A ring.
    #[serde(deserialize_with = "table")]
    Torus(Torus),
    /// A propeller.
    #[serde(deserialize_with = "table")]
    Propeller(Propeller),
    /// An in-place clip from a file: glTF, BVH, OBJ or a numbered OBJ sequence.
    #[serde(deserialize_with = "table")]
    Asset(Asset),
}

impl Body {
    /// The recipe, unless the body comes from a file.
    pub fn procedural(&self) -> Option<&dyn Procedural> {
        match self {
            Body::Snake(snake) => Some(snake),
            Body::Pebble(pebble) => Some(pebble),
            Body::Disc(disc) => Some(disc),
            Body::Box(block) => Some(block),
            Body::Torus(torus) => Some(torus),
            Body::Propeller(propeller) => Some(propeller),
            Body::Asset(_) => None,
        }
    }
}

/// A body made by a recipe from a few parameters.
pub trait Procedural {
    /// How many frames and vertices there will be at `fps` frames per second: asked before anything is made.
    fn size(&self, fps: f64) -> (f64, usize);

    /// Makes it.
    ///
    /// # Errors
    /// A parameter is out of range.
    fn make(&self, fps: f64) -> Result<Made, holonomy::Error>;

    /// The mass of each vertex, kg, where it is not spread as drag is; for most it is.
    ///
    /// # Errors
    /// A parameter is out of range.
    fn mass_spread(&self) -> Result<Option<MassRule>, holonomy::Error> {
        Ok(None)
    }
}

/// A procedural body.
#[derive(Debug)]
pub struct Made {
    /// Its shape over time.
    pub clip: Clip,
    /// How drag or mass is spread, where the scene says `auto`; [`MassRule::Natural`] for most.
    pub masses: MassRule,
    /// Colour and thickness.
    pub looks: Looks,
}
