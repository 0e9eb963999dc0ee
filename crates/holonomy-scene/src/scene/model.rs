//! What a scene file says: the one model behind the reader, the writer and the schema.
//!
//! Kinds of body and of system are the names of tables, `[body.snake]`, `[system.shape-change]`: that keeps the line of every
//! error (serde's other ways to write a choice lose it). A new kind is one more variant here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::picture::Picture;
use super::quantity::{Count, FrameRate};
use super::start::Start;
use super::system::System;
use super::table::table;
use crate::asset::gltf::Target;

/// A scene of Holonomy: a body whose shape changes, the physics it is subject to, and what to compute.
///
/// Numbers are in SI units (metres, seconds, kilograms, radians); text with a unit, such as "12 cm", will do too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scene {
    /// One line that says what is seen.
    pub title: String,
    /// More about it: the source, what to look at.
    pub description: Option<String>,
    /// The body and how its shape changes.
    pub body: Body,
    /// Where the body starts.
    #[serde(default, deserialize_with = "table")]
    pub start: Start,
    /// The physics that turns shape change into motion.
    pub system: System,
    /// How long and how finely.
    #[serde(default, deserialize_with = "table")]
    pub time: Time,
    /// What is written.
    #[serde(default, deserialize_with = "table")]
    pub output: Output,
    /// The still picture.
    #[serde(default, deserialize_with = "table")]
    pub picture: Picture,
    /// What `holonomy sweep` varies; a run takes the scene as it is.
    #[serde(default, deserialize_with = "table", skip_serializing_if = "Sweep::is_empty")]
    pub sweep: Sweep,
}

/// How long and how finely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Time {
    /// Frames per second of procedural bodies; an asset has its own. Default: `60`.
    pub fps: FrameRate,
    /// How many times a loop is played. Default: `1`.
    pub cycles: Count<1, 1_000_000>,
}

impl Default for Time {
    fn default() -> Self {
        Time { fps: FrameRate(60.0), cycles: Count(1) }
    }
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Output {
    /// Whose root-motion convention the glTF follows. Default: `node`.
    pub target: Target,
}

/// What `holonomy sweep` varies when it is not told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Sweep {
    /// Fields and their values, each as after `--vary`, such as `"anisotropy=0.02..1:12log"`.
    pub vary: Vec<String>,
}

impl Sweep {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.vary.is_empty()
    }
}
