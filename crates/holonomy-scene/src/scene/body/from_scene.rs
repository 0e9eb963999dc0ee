//! Bodies that another scene makes.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A body whose shapes another scene finds, such as the loop of a soft body: that scene is run first. It must have one body, whose shapes repeat. These are
/// taken at the rate of that scene; where it moved is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum FromScene {
    /// A scene file, as seen from the folder of this one.
    File(PathBuf),
    /// A built-in example.
    Example(String),
}
