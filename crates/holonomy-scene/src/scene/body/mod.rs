//! Kinds of body: `[body.KIND]` in a scene file, one file here for each family.
//!
//! A procedural kind is a struct of its parameters that implements [`Procedural`]; it makes the engine's model, and says how that looks.

use holonomy::shape::{Clip, MassRule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::table;
use crate::export::Looks;

mod asset;
mod cat;
mod people;
mod snake;
mod top;

pub use asset::Asset;
pub use cat::{Cat, Roll};
pub use people::{Astronaut, Diver, Position};
pub use snake::Snake;
pub use top::Top;

/// The body and how its shape changes; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Body {
    /// A snake on flat ground whose bends travel from head to tail.
    #[serde(deserialize_with = "table")]
    Snake(Snake),
    /// A person who turns around by circling the arms, with nothing to push against.
    #[serde(deserialize_with = "table")]
    Astronaut(Astronaut),
    /// A cat that turns over as it falls.
    #[serde(deserialize_with = "table")]
    Cat(Cat),
    /// A diver who somersaults and twists.
    #[serde(deserialize_with = "table")]
    Diver(Diver),
    /// A rigid T-handle with three moments of inertia.
    #[serde(deserialize_with = "table")]
    Top(Top),
    /// An in-place clip from a file: glTF, BVH, OBJ or a numbered OBJ sequence.
    #[serde(deserialize_with = "table")]
    Asset(Asset),
}

impl Body {
    /// The recipe, unless the body comes from a file.
    pub fn procedural(&self) -> Option<&dyn Procedural> {
        match self {
            Body::Snake(snake) => Some(snake),
            Body::Astronaut(astronaut) => Some(astronaut),
            Body::Cat(cat) => Some(cat),
            Body::Diver(diver) => Some(diver),
            Body::Top(top) => Some(top),
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
