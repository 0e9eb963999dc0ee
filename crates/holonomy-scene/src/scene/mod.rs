//! The scene file: TOML in SI units, checked against one model, with errors that show the line.
//!
//! [`Scene::from_toml`] reads, [`Scene::with_overrides`] also applies `--set KEY=VALUE`, [`Scene::to_toml`] writes back, [`schema`]
//! describes the format to editors. Errors look like this:
//!
//! ```text
//! snake.toml:7:1: unknown field `anisotrpy` in [system.shape-change]
//!   7 | anisotrpy = 0.05
//!     | ^^^^^^^^^ did you mean `anisotropy`?
//! ```

use std::io::Read;
use std::path::Path;

use crate::asset::ENDINGS;
use crate::{Error, IoAction, input};

mod bodies;
mod body;
pub(crate) mod diagnostics;
mod model;
mod overrides;
mod picture;
mod quantity;
mod snippet;
mod start;
mod system;
mod table;
pub mod units;

pub use crate::asset::gltf::Target;
pub use bodies::{NamedBody, OneOfBodies};
pub use body::*;
pub use model::{Output, Scene, Sweep, Time};
pub use overrides::split_setting;
pub use picture::{Backdrop, Colors, Picture, Placing, View};
pub use quantity::{
    AddedMass, Amplitude, Angle, Anisotropy, BodyDensity, BodyMass, Circulation, Contraction, Coordinate, Count, Density, DragCoefficient,
    Duration, Factor, FileUnit, Force, FrameRange, FrameRate, Friction, Gravity, GustSpeed, HalfTurn, Height, LegFactor, Length, Lift,
    Moment, Multiple, Pause, Roughness, Share, ShearRate, SignedShare, Speed, SurfaceDensity, TurnRate, Viscosity, Waves,
};
pub use start::{Place, Start, Turn};
pub use system::*;

/// Bytes of the largest scene file that is read; real ones have a few thousand.
const LARGEST: u64 = 1 << 20;

impl Scene {
    /// Reads a scene; `origin` is the path shown in errors.
    ///
    /// # Errors
    /// [`Error::Scene`], with the line.
    pub fn from_toml(text: &str, origin: &str) -> Result<Scene, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        diagnostics::parse(text).map_err(|problem| Error::Scene(problem.in_file(origin, text)))
    }

    /// Reads a scene, then applies settings `(key, value)` in order, as `--set key=value` does: see [`Scene::with_override`].
    ///
    /// # Errors
    /// As [`Scene::from_toml`] and [`Scene::with_override`].
    pub fn with_overrides(text: &str, origin: &str, settings: &[(String, String)]) -> Result<Scene, Error> {
        let scene = Scene::from_toml(text, origin)?;
        settings.iter().try_fold(scene, |scene, (key, value)| scene.with_override(key, value))
    }

    /// Reads a scene file.
    ///
    /// # Errors
    /// The file cannot be read, is no text, or is not a scene.
    pub fn load(path: impl AsRef<Path>) -> Result<Scene, Error> {
        let path = path.as_ref();
        Scene::from_toml(&read_text(path)?, &path.display().to_string())
    }

    /// Writes the scene as TOML, every field spelled out, quantities as SI numbers.
    ///
    /// # Errors
    /// A path in the scene is not Unicode.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self).map_err(|error| Error::Scene(format!("cannot write the scene as TOML: {error}")))
    }
}

/// JSON Schema (draft 2020-12) of the scene file; also committed as `docs/scene.schema.json`.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    without_null(&mut schema);
    schema
}

/// TOML has no null: a field that may be absent is just not required.
fn without_null(schema: &mut serde_json::Value) {
    use serde_json::Value;
    let null = Value::from("null");
    match schema {
        Value::Object(map) => {
            map.retain(|key, value| !(key == "default" && value.is_null()));
            if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type") != Some(&null));
                if let [Value::Object(only)] = choices.as_mut_slice() {
                    let only = std::mem::take(only);
                    map.remove("anyOf");
                    map.extend(only);
                }
            }
            for (key, value) in map.iter_mut() {
                match value {
                    Value::Array(types) if key == "type" && types.len() == 2 && types.last() == Some(&null) => {
                        *value = types.swap_remove(0)
                    }
                    _ => {}
                }
                without_null(value);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// The text of a scene file, for [`Scene::with_overrides`].
///
/// # Errors
/// The file cannot be read, is an asset, is not UTF-8, or is larger than a scene file can be.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let file = input::open(path)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| Error::io(IoAction::Read, path, error))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
    if bytes.starts_with(b"glTF") || ENDINGS.contains(&extension.as_str()) {
        let fix = "use `holonomy move` on it, or name it in a scene as `file` of [body.asset]";
        return Err(Error::malformed(path, "beginning", "this is an asset, not a scene file", fix));
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Error::malformed(path, "end", format!("larger than {LARGEST} bytes, no scene file is"), "give a scene file (TOML)"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes().iter().take(good).filter(|&&byte| byte == b'\n').count();
        let byte = error.as_bytes().get(good).copied().unwrap_or(0);
        Error::malformed(path, format!("line {line}"), format!("byte 0x{byte:02x} is not UTF-8 text"), "save the file as UTF-8")
    })
}
