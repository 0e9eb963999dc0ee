//! Assets in: one in-place clip out of a glTF, OBJ (sequence) or BVH file.

use std::path::Path;

use holonomy::lie::Pose;
use holonomy::motion::Matter;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Topology};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::looks::Color;
use crate::{Error, input};

pub mod bvh;
pub mod gltf;
pub mod masses;
pub mod obj;
mod sampling;

/// Which part of an asset to take, and how to read its numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipOptions {
    /// Name of the clip; `None` picks one (see each reader).
    pub clip: Option<String>,
    /// First and last frame to keep, inclusive, in the source's own frame numbers (for glTF: frames at the sampling rate).
    pub frames: Option<(usize, usize)>,
    /// Frames per second to sample at; `None` keeps the source's own rate (glTF: 60, adjusted so that a whole number of frames fits a loop).
    pub fps: Option<f64>,
    /// Metres per unit of the file; `None` means the format's own (glTF: 1; OBJ, BVH: must be asked for or guessed with a note).
    pub unit: Option<f64>,
    /// The file's up axis; `None` means the format's own (Y).
    pub up: Option<Up>,
    /// Where the masses of a rig come from.
    pub masses: RigMasses,
    /// A clip that lasts no time is taken for the one frame it is, instead of refused (glTF only).
    pub still: bool,
}

/// Up axis of a file. The engine's is Y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Up {
    /// +Y up, as glTF.
    #[default]
    Y,
    /// +Z up, as Blender and many robots.
    Z,
}

/// Where the masses of a rig's bones come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RigMasses {
    /// A published human segment table (de Leva 1996) when the joint names look human, else by bone length.
    #[default]
    Auto,
    /// de Leva 1996; an error if the joints do not look human.
    Human,
    /// Proportional to bone length.
    Length,
    /// Read from a file: lines `joint mass_kg`, the mass of the bone that ends at that joint.
    File(std::path::PathBuf),
}

/// A clip taken from an asset.
#[derive(Debug, Clone)]
pub struct SampledClip {
    /// Its name in the asset (or the file's stem).
    pub name: String,
    /// The shape over time, SI units, +Y up. If `recorded` is there, in the frame of the recorded root.
    pub clip: Clip,
    /// World motion of its own that the asset had, one pose per frame of `clip`: `recorded[k]` placed frame k in the world.
    pub recorded: Option<Vec<Pose>>,
    /// What the user should know: choices made for them, things left out.
    pub notes: Vec<String>,
    /// A colour for each vertex, if the asset has any; for pictures.
    pub colors: Option<Vec<Color>>,
    /// What each vertex is part of, where not all is body: in results of ours.
    pub matters: Option<Vec<Matter>>,
}

/// Vertices and faces.
pub type Surface = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// An asset of any format we read.
#[derive(Debug)]
pub enum Asset {
    /// glTF 2.0.
    Gltf(Box<gltf::GltfAsset>),
    /// BVH motion capture.
    Bvh(bvh::BvhAsset),
    /// An OBJ mesh, or a numbered sequence of them.
    Obj(obj::ObjAsset),
}

/// Endings of the files that [`Asset::open`] reads.
pub(crate) const ENDINGS: [&str; 4] = ["glb", "gltf", "bvh", "obj"];

impl Asset {
    /// Reads an asset, of the kind its ending says; a folder is a sequence of OBJ files.
    ///
    /// # Errors
    /// The ending is not one we read, or the file is not what its ending says.
    pub fn open(path: &Path) -> Result<Asset, Error> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "glb" | "gltf" => Ok(Asset::Gltf(Box::new(gltf::GltfAsset::open(path)?))),
            "bvh" => Ok(Asset::Bvh(bvh::BvhAsset::open(path)?)),
            "obj" => Ok(Asset::Obj(obj::ObjAsset::open(path)?)),
            _ if path.is_dir() => Ok(Asset::Obj(obj::ObjAsset::open(path)?)),
            "toml" => {
                let fix = format!("run it: holonomy run {}", path.display());
                Err(Error::malformed(path, "its name", "this is a scene, not an asset", fix))
            }
            _ => {
                let fix = match ending.as_str() {
                    "fbx" | "blend" | "dae" | "usd" | "usda" | "usdc" | "usdz" | "ma" | "mb" | "c4d" | "max" => {
                        "export glTF from Blender (File > Export > glTF 2.0)"
                    }
                    _ => "give a .glb, .gltf, .bvh or .obj file",
                };
                Err(Error::malformed(path, "its name", "not a kind of asset we read", fix))
            }
        }
    }

    /// What is in the asset, as a JSON object whose fields depend on its kind.
    ///
    /// # Errors
    /// Its geometry or one of its clips is malformed.
    pub fn describe(&self) -> Result<serde_json::Value, Error> {
        let described = match self {
            Asset::Gltf(asset) => serde_json::to_value(asset.describe()?),
            Asset::Bvh(asset) => serde_json::to_value(asset.describe()),
            Asset::Obj(asset) => serde_json::to_value(asset.describe()),
        };
        described.map_err(|error| Error::Choice(format!("cannot be described: {error}")))
    }

    /// One clip of the asset.
    ///
    /// # Errors
    /// It does not hold what `options` ask for.
    pub fn sample(&self, options: &ClipOptions) -> Result<SampledClip, Error> {
        match self {
            Asset::Gltf(asset) => asset.sample(options),
            Asset::Bvh(asset) => asset.sample(options),
            Asset::Obj(asset) => asset.sample(options),
        }
    }

    /// Whether it has one shape only.
    pub fn keeps_its_shape(&self) -> bool {
        matches!(self, Asset::Obj(mesh) if mesh.describe().files.len() < 2)
    }

    /// All that it was read from, `path` and other files, part by part: a change of any of them shows.
    pub(crate) fn parts(&self, path: &Path) -> Result<Vec<Vec<u8>>, Error> {
        let with_name = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().as_bytes().to_vec();
            Ok([name, input::bytes(path, 1, "give smaller files")?])
        };
        match self {
            Asset::Gltf(asset) => Ok(asset.contents().map(<[u8]>::to_vec).collect()),
            Asset::Bvh(_) => Ok(with_name(path)?.to_vec()),
            Asset::Obj(asset) => Ok(asset.describe().files.iter().map(|file| with_name(file)).collect::<Result<Vec<_>, Error>>()?.concat()),
        }
    }

    /// Its surface in the first frame: vertices, metres (OBJ: in the file's unit), and faces.
    ///
    /// # Errors
    /// It has no surface, or its first clip cannot be read.
    pub fn surface(&self) -> Result<Surface, Error> {
        let clip = match self {
            Asset::Obj(asset) => return Ok(asset.surface()),
            Asset::Gltf(asset) => asset.sample(&ClipOptions { frames: Some((0, 1)), ..ClipOptions::default() })?.clip,
            Asset::Bvh(asset) => asset.sample(&ClipOptions::default())?.clip,
        };
        match clip.topology() {
            Topology::Surface { faces } => Ok((clip.frame(0).to_vec(), faces.clone())),
            _ => Err(Error::Choice("it has no surface; give a mesh".into())),
        }
    }
}
