//! The part of the glTF JSON that this reader understands, and the check that its numbers point at things that exist.
//!
//! Everything else in the file is left alone here and kept by the writer. Source: glTF 2.0 specification, section 5.

use indexmap::IndexMap;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::fault::Fault;

/// The document. Field names are those of the specification.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub(super) struct Document {
    pub asset: AssetInfo,
    pub extensions_required: Vec<String>,
    pub scene: Option<usize>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub skins: Vec<Skin>,
    pub animations: Vec<Animation>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<BufferView>,
    pub buffers: Vec<Buffer>,
    pub materials: Vec<IgnoredAny>,
    pub images: Vec<Image>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct AssetInfo {
    pub version: String,
    pub generator: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub name: Option<String>,
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub weights: Option<Vec<f64>>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub extensions: IndexMap<String, IgnoredAny>,
    pub extras: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub primitives: Vec<Primitive>,
    pub weights: Option<Vec<f64>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub attributes: IndexMap<String, usize>,
    pub indices: Option<usize>,
    #[serde(default = "triangles")]
    pub mode: u32,
    #[serde(default)]
    pub targets: Vec<IndexMap<String, usize>>,
}

fn triangles() -> u32 {
    4
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub name: Option<String>,
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
    pub skeleton: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    #[serde(default)]
    pub extras: Option<serde_json::Value>,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: ChannelTarget,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChannelTarget {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparsePart,
    pub values: SparsePart,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePart {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    /// Only of the indices.
    pub component_type: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Image {
    pub uri: Option<String>,
}

/// Extensions that hide the geometry, with the way out.
const COMPRESSED: [&str; 4] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_gaussian_splatting_compression_spz"];

/// How many elements a list has; they are not kept.
#[derive(Default)]
struct Length(usize);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counter;
        impl<'de> Visitor<'de> for Counter {
            type Value = Length;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Length, A::Error> {
                let mut length = 0;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    length += 1;
                }
                Ok(Length(length))
            }
        }
        deserializer.deserialize_seq(Counter)
    }
}

/// The lists whose elements take much more memory than text.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Lengths {
    nodes: Length,
    meshes: Length,
    skins: Length,
    animations: Length,
    accessors: Length,
    buffer_views: Length,
    images: Length,
}

impl Document {
    /// A bound for what [`Document::parse`] takes of memory. An element may be written with three
    /// characters; all else takes no more than some bytes for each character of its text. Lists may
    /// have room for twice as much, and are copied when they grow.
    pub fn bytes(json: &str) -> u64 {
        // What is not sound is refused by the parser, which says why.
        let lengths: Lengths = serde_json::from_str(json).unwrap_or_default();
        let of = |Length(length): Length, size: usize| (length as u64).saturating_mul(size as u64);
        let elements = of(lengths.nodes, size_of::<Node>())
            + of(lengths.meshes, size_of::<Mesh>())
            + of(lengths.skins, size_of::<Skin>())
            + of(lengths.animations, size_of::<Animation>())
            + of(lengths.accessors, size_of::<Accessor>())
            + of(lengths.buffer_views, size_of::<BufferView>())
            + of(lengths.images, size_of::<Image>());
        elements.saturating_mul(3).saturating_add((json.len() as u64).saturating_mul(6))
    }

    /// Reads and checks the JSON text.
    pub fn parse(json: &str) -> Result<Document, Fault> {
        let document: Document =
            serde_json::from_str(json).map_err(|e| Fault::new(format!("JSON, line {}, column {}", e.line(), e.column()), e.to_string()))?;
        document.check_version()?;
        document.check_extensions()?;
        document.check_references()?;
        Ok(document)
    }

    fn check_version(&self) -> Result<(), Fault> {
        match self.asset.version.split('.').next() {
            Some("2") => Ok(()),
            _ => Err(Fault::new("asset.version", format!("'{}', but only glTF 2.x is read", self.asset.version))
                .fix("convert it to glTF 2.0, for instance by importing and exporting it with Blender")),
        }
    }

    fn check_extensions(&self) -> Result<(), Fault> {
        match self.extensions_required.iter().find(|name| COMPRESSED.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Fault::new("extensionsRequired", format!("{name}: the geometry is compressed and cannot be read"))
                .fix("decompress it with `npx @gltf-transform/cli copy IN.glb OUT.glb`, or import it in Blender and export it without compression")),
        }
    }

    /// Every index in the document names something that is there.
    fn check_references(&self) -> Result<(), Fault> {
        let within = |place: String, field: &str, index: Option<usize>, what: &str, length: usize| match index {
            Some(i) if i >= length => Err(Fault::new(place, format!("{field} is {i}, but there are only {length} {what}"))),
            _ => Ok(()),
        };
        let (nodes, accessors) = (self.nodes.len(), self.accessors.len());
        within("document".into(), "scene", self.scene, "scenes", self.scenes.len())?;
        for (i, node) in self.nodes.iter().enumerate() {
            let place = || format!("nodes[{i}]");
            within(place(), "mesh", node.mesh, "meshes", self.meshes.len())?;
            within(place(), "skin", node.skin, "skins", self.skins.len())?;
        }
        for (i, skin) in self.skins.iter().enumerate() {
            let place = || format!("skins[{i}]");
            skin.joints.iter().try_for_each(|&joint| within(place(), "a joint", Some(joint), "nodes", nodes))?;
            within(place(), "skeleton", skin.skeleton, "nodes", nodes)?;
            within(place(), "inverseBindMatrices", skin.inverse_bind_matrices, "accessors", accessors)?;
        }
        for (i, mesh) in self.meshes.iter().enumerate() {
            for (k, primitive) in mesh.primitives.iter().enumerate() {
                let place = || format!("meshes[{i}].primitives[{k}]");
                within(place(), "indices", primitive.indices, "accessors", accessors)?;
                for (name, &index) in primitive.attributes.iter().chain(primitive.targets.iter().flatten()) {
                    within(place(), name, Some(index), "accessors", accessors)?;
                }
            }
        }
        for (i, animation) in self.animations.iter().enumerate() {
            for (k, channel) in animation.channels.iter().enumerate() {
                let place = || format!("animations[{i}].channels[{k}]");
                within(place(), "sampler", Some(channel.sampler), "samplers", animation.samplers.len())?;
                within(place(), "target.node", channel.target.node, "nodes", nodes)?;
            }
            for (k, sampler) in animation.samplers.iter().enumerate() {
                let place = || format!("animations[{i}].samplers[{k}]");
                within(place(), "input", Some(sampler.input), "accessors", accessors)?;
                within(place(), "output", Some(sampler.output), "accessors", accessors)?;
            }
        }
        Ok(())
    }

    /// Whether clip `i` was added by this program to move another one through the world.
    pub fn is_moved(&self, i: usize) -> bool {
        let extras = self.animations.get(i).and_then(|animation| animation.extras.as_ref());
        extras.is_some_and(|extras| extras.pointer("/holonomy/clip").is_some())
    }

    /// The name of clip `i`; clips without one are called `clip0`, `clip1`, … by their places
    /// among those that were not added by this program, so that they keep their names when a moved
    /// clip is put in front of them.
    pub fn clip_name(&self, i: usize) -> String {
        let name = self.animations.get(i).and_then(|animation| animation.name.clone()).filter(|name| !name.is_empty());
        name.unwrap_or_else(|| format!("clip{}", (0..i).filter(|&before| !self.is_moved(before)).count()))
    }
}
