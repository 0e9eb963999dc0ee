//! glTF 2.0 in (`.gltf`, `.glb`), and the same file with world motion added out.
//!
//! [`GltfAsset::open`] checks everything that can be read later, [`GltfAsset::sample`] evaluates one clip as a surface over time
//! (node hierarchy, morph targets, skins), [`GltfAsset::with_world_motion`] patches the source: what it does not touch stays
//! byte for byte. Frames: positions in the file are metres with +Y up unless [`ClipOptions`] says otherwise.

mod accessor;
mod animation;
mod colors;
mod container;
mod describe;
mod document;
mod fault;
mod nodes;
mod patch;
mod raw;
mod renumber;
mod repair;
mod repeat;
mod sample;
mod scenery;
mod surface;
mod target;
mod track;
mod travel;
mod weld;
mod window;

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use self::describe::{ClipDescription, Description, SkinDescription};
pub use self::patch::{Patched, WorldClip};
pub use self::target::Target;
pub(crate) use self::target::{cycle_matrix, unused};
pub use self::track::Interpolation;

use self::accessor::Reader;
use self::document::Document;
use self::nodes::Nodes;
use super::{ClipOptions, SampledClip};
use crate::{Error, input, memory};

/// A glTF file in memory, checked: every range fits its buffer, every index names something, the nodes are a forest.
#[derive(Debug)]
pub struct GltfAsset {
    /// The file, for messages and for what lies next to it.
    path: PathBuf,
    is_glb: bool,
    /// The JSON text as found.
    json: String,
    /// SHA-256 of the file, hexadecimal.
    sha256: String,
    document: Document,
    buffers: Vec<Option<Vec<u8>>>,
    nodes: Nodes,
}

/// The clip of a result that moves through the world.
#[derive(Debug, Clone)]
pub struct ResultClip {
    /// Its name.
    pub name: String,
    /// Seconds from frame to frame.
    pub frame_time: f64,
    /// Metres per unit of the file.
    pub unit: f64,
    /// The scene it was made from, as JSON; null if the file does not say.
    pub scene: serde_json::Value,
}

impl GltfAsset {
    /// Reads a `.glb` or `.gltf` file and the buffers it names.
    ///
    /// # Errors
    /// The file cannot be read, does not fit in memory, or is malformed.
    pub fn open(path: &Path) -> Result<GltfAsset, Error> {
        GltfAsset::from_bytes(&input::bytes(path, 3, "give a smaller file")?, path)
    }

    /// The same from memory. `path` names the file in messages; buffers and images it refers to are looked for next to it.
    ///
    /// # Errors
    /// As [`GltfAsset::open`].
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<GltfAsset, Error> {
        let container = container::split(bytes).map_err(|fault| fault.at(path))?;
        let what = || format!("{}: its JSON of {:.1} MB", path.display(), container.json.len() as f64 / 1e6);
        memory::ensure(Document::bytes(&container.json), what, "give a file of fewer nodes and animation channels")?;
        let document = Document::parse(&container.json).map_err(|fault| fault.at(path))?;
        let is_glb = bytes.starts_with(b"glTF");
        let buffers = container::load_buffers(path, &document, container.bin)?;
        let nodes = Nodes::new(&document).map_err(|fault| fault.at(path))?;
        let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let asset = GltfAsset { path: path.to_path_buf(), is_glb, json: container.json, sha256, document, buffers, nodes };
        asset.reader().check().map_err(|fault| fault.at(path))?;
        Ok(asset)
    }

    /// The files that the one at `path` names beside itself: buffers and pictures. What cannot be read names none.
    pub(crate) fn files_beside(path: &Path) -> Vec<PathBuf> {
        let Ok(bytes) = input::bytes(path, 3, "give a smaller file") else { return Vec::new() };
        let Ok(document) = container::split(&bytes).and_then(|container| Document::parse(&container.json)) else { return Vec::new() };
        let uris = document.buffers.iter().map(|buffer| &buffer.uri).chain(document.images.iter().map(|image| &image.uri));
        uris.flatten().filter(|uri| !uri.starts_with("data:")).filter_map(|uri| container::beside(path, uri)).collect()
    }

    /// All that was read: the SHA-256 of the file, and the buffers, some of which may lie next to it.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.sha256.as_bytes()).chain(self.buffers.iter().flatten().map(Vec::as_slice))
    }

    /// What is in the file.
    ///
    /// # Errors
    /// Its geometry or one of its clips is malformed.
    pub fn describe(&self) -> Result<Description, Error> {
        self.description()
    }

    /// Names of the clips, in the file's order; clips without a name are called `clip0`, `clip1`, …
    pub fn clip_names(&self) -> Vec<String> {
        (0..self.document.animations.len()).map(|i| self.document.clip_name(i)).collect()
    }

    /// Refuses a file whose text would not fit in memory as JSON values: each takes some characters
    /// of text.
    pub(crate) fn ensure_values(&self) -> Result<(), Error> {
        let needed = (self.json.len() as u64).saturating_mul(20);
        let what = || format!("{}: its JSON of {:.1} MB", self.path.display(), self.json.len() as f64 / 1e6);
        memory::ensure(needed, what, "give a result of fewer joints")
    }

    /// If this file is a result of ours: the clip that moves through the world.
    pub fn result_clip(&self) -> Option<ResultClip> {
        let document: serde_json::Value = serde_json::from_str(&self.json).ok()?;
        let animations = document.get("animations")?.as_array()?;
        animations.iter().enumerate().find_map(|(i, animation)| {
            let frame_time = animation.pointer("/extras/holonomy/dt")?.as_f64()?;
            let unit = animation.pointer("/extras/holonomy/unit").and_then(serde_json::Value::as_f64).unwrap_or(1.0);
            let scene = animation.pointer("/extras/holonomy/parameters").cloned().unwrap_or_default();
            let sound = frame_time > 0.0 && frame_time.is_finite() && unit > 0.0 && unit.is_finite();
            sound.then(|| ResultClip { name: self.document.clip_name(i), frame_time, unit, scene })
        })
    }

    /// One clip as a surface over time: the whole default scene, welded, in metres with +Y up.
    ///
    /// Without a name in `options`, the first clip that is called like a way to move (swim, walk,
    /// …), else the first; clips that this program added only if there is no other. A clip whose
    /// end has the shape of its start (up to a rigid motion, within 1e-3 of the body's size) is a
    /// loop. If the root of the skeleton (without a skin: the node all meshes hang on) travels by
    /// more than 5 % of the size or turns by more than 30° in all, that motion is `recorded`,
    /// counted from frame 0 (so the first is the identity), and the clip is what is left without
    /// it.
    ///
    /// # Errors
    /// No such clip, fewer than two frames, malformed data, or more frames than fit in memory.
    pub fn sample(&self, options: &ClipOptions) -> Result<SampledClip, Error> {
        self.sample_clip(options)
    }

    /// The file with one more clip, its first, in which the body moves through the world. See
    /// [`WorldClip`] and [`Target`].
    ///
    /// # Errors
    /// The clip does not belong to this file, or the target cannot carry the motion.
    pub fn with_world_motion(&self, world: &WorldClip) -> Result<Patched, Error> {
        self.patched(world)
    }

    fn reader(&self) -> Reader<'_> {
        Reader { document: &self.document, buffers: &self.buffers }
    }
}
