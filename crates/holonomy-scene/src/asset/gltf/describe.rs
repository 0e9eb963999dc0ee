//! What is in a glTF file, for people and for `holonomy inspect`.

use holonomy::shape::bounds;
use holonomy::shape::surface::Connectivity;
use serde::Serialize;

use super::GltfAsset;
use super::animation::Tracks;
use super::sample::{size_note, welded_over};
use super::surface::Stage;
use super::track::{Interpolation, Property};
use crate::Error;
use crate::asset::ClipOptions;

/// What is in a glTF file. Lengths as stored, which by the format's rules are metres, with +Y up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// `"glb"` or `"gltf"`.
    pub container: &'static str,
    /// The tool that wrote it, if it says so.
    pub generator: Option<String>,
    /// The glTF version.
    pub version: String,
    /// Nodes in the file.
    pub nodes: usize,
    /// Meshes in the file.
    pub meshes: usize,
    /// Primitives of those meshes.
    pub primitives: usize,
    /// Vertices that the triangles of the default scene use, as stored.
    pub vertices: usize,
    /// Triangles of the default scene.
    pub triangles: usize,
    /// Vertices after welding those that stay together.
    pub welded_vertices: usize,
    /// Connected pieces of the surface.
    pub components: usize,
    /// Edges of one triangle only.
    pub border_edges: usize,
    /// Edges of more than two triangles, or of two triangles that face opposite ways.
    pub irregular_edges: usize,
    /// Whether the surface encloses a volume: neither border nor irregular edges.
    pub watertight: bool,
    /// The skins.
    pub skins: Vec<SkinDescription>,
    /// The largest number of morph targets of a mesh.
    pub morph_targets: usize,
    /// Materials in the file.
    pub materials: usize,
    /// Images in the file.
    pub images: usize,
    /// The clips.
    pub clips: Vec<ClipDescription>,
    /// Extent of the default scene at rest along x, y, z, metres.
    pub size: [f64; 3],
    /// Lower corner of its bounding box, metres.
    pub low: [f64; 3],
    /// Upper corner of its bounding box, metres.
    pub high: [f64; 3],
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A skin of a glTF file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkinDescription {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Number of joints.
    pub joints: usize,
}

/// A clip of a glTF file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipDescription {
    /// Its name; `clip0`, `clip1`, … if it has none.
    pub name: String,
    /// Time of the first key, seconds.
    pub start: f64,
    /// Seconds from the first key to the last.
    pub duration: f64,
    /// Channels that move nodes.
    pub translation_channels: usize,
    /// Channels that turn nodes.
    pub rotation_channels: usize,
    /// Channels that scale nodes.
    pub scale_channels: usize,
    /// Channels that blend morph targets.
    pub weights_channels: usize,
    /// Channels that are not read.
    pub other_channels: usize,
    /// The interpolations in use.
    pub interpolations: Vec<Interpolation>,
    /// Whether the shape at its end is the shape at its start, up to a rigid motion, or one key before it.
    pub loops: bool,
}

impl GltfAsset {
    pub(super) fn description(&self) -> Result<Description, Error> {
        let surface = self.surface()?;
        let stage = Stage::new(self, &surface)?;
        let (low, high) = if surface.vertices == 0 { Default::default() } else { bounds(&stage.at(None)?).unwrap_or_default() };
        let tracks = self.all_tracks()?;
        let moments: Vec<Option<(&Tracks, f64)>> = std::iter::once(None).chain(tracks.iter().flat_map(moments)).collect();
        let welded = welded_over(&stage, &surface, (high - low).norm(), &moments)?;
        let edges = Connectivity::of(&welded.faces);
        let document = &self.document;
        Ok(Description {
            container: if self.is_glb { "glb" } else { "gltf" },
            generator: document.asset.generator.clone(),
            version: document.asset.version.clone(),
            nodes: document.nodes.len(),
            meshes: document.meshes.len(),
            primitives: document.meshes.iter().map(|mesh| mesh.primitives.len()).sum(),
            vertices: surface.vertices,
            triangles: surface.faces.len(),
            welded_vertices: welded.kept.len(),
            components: edges.components,
            border_edges: edges.border_edges,
            irregular_edges: edges.irregular_edges,
            watertight: edges.watertight(),
            skins: document.skins.iter().map(|skin| SkinDescription { name: skin.name.clone(), joints: skin.joints.len() }).collect(),
            morph_targets: document.meshes.iter().flat_map(|mesh| &mesh.primitives).map(|p| p.targets.len()).max().unwrap_or(0),
            materials: document.materials.len(),
            images: document.images.len(),
            clips: tracks.iter().map(|tracks| self.describe_clip(&stage, tracks)).collect(),
            size: (high - low).into(),
            low: low.into(),
            high: high.into(),
            notes: self.notes(&surface.notes, (high - low).norm()),
        })
    }

    /// Tracks of the clips that have any; a clip without is described in the notes.
    fn all_tracks(&self) -> Result<Vec<Tracks>, Error> {
        let animations = || 0..self.document.animations.len();
        // All of them at once, and each in turn a second time.
        let bytes = animations().map(|i| self.tracks_bytes(i)).fold(0, u64::saturating_add);
        let most = animations().map(|i| self.tracks_bytes(i)).max().unwrap_or(0);
        self.ensure_tracks(bytes.saturating_add(most))?;
        let with_tracks = (0..self.document.animations.len()).filter(|&i| self.clip_is_readable(i));
        with_tracks.map(|i| self.tracks(i).map_err(|fault| fault.at(&self.path))).collect()
    }

    fn clip_is_readable(&self, i: usize) -> bool {
        let readable = |path: &str| matches!(path, "translation" | "rotation" | "scale" | "weights");
        self.document.animations[i].channels.iter().any(|c| c.target.node.is_some() && readable(&c.target.path))
    }

    fn describe_clip(&self, stage: &Stage, tracks: &Tracks) -> ClipDescription {
        let closed = self.tracks_and_window(stage, tracks.animation, &ClipOptions::default()).ok();
        let count = |property| tracks.tracks.iter().filter(|track| track.property == property).count();
        let mut interpolations = Vec::new();
        for track in &tracks.tracks {
            if !interpolations.contains(&track.interpolation) {
                interpolations.push(track.interpolation);
            }
        }
        ClipDescription {
            name: self.document.clip_name(tracks.animation),
            start: tracks.start,
            duration: tracks.duration(),
            translation_channels: count(Property::Translation),
            rotation_channels: count(Property::Rotation),
            scale_channels: count(Property::Scale),
            weights_channels: count(Property::Weights),
            other_channels: tracks.skipped,
            interpolations,
            loops: closed.is_some_and(|(_, window)| window.loops),
        }
    }

    fn notes(&self, surface_notes: &[String], size: f64) -> Vec<String> {
        let mut notes = surface_notes.to_vec();
        notes.extend(size_note(size));
        if size > 0.0 && size < 1e-3 {
            notes.push(format!("size {size:.1e} m: very small; --unit says how many metres the file's unit has"));
        }
        if self.document.scenes.len() > 1 {
            notes.push(format!("{} scenes: only the default one is read", self.document.scenes.len()));
        }
        let uneven = (0..self.nodes.rest.len()).filter(|&i| self.nodes.shown[i] && self.nodes.rest[i].is_uneven()).count();
        if uneven > 0 {
            notes.push(format!("{uneven} nodes scale unevenly: targets with a root bone (unreal, godot) may refuse them"));
        }
        let instanced = self.document.nodes.iter().filter(|node| node.extensions.contains_key("EXT_mesh_gpu_instancing")).count();
        if instanced > 0 {
            notes.push(format!("{instanced} nodes use EXT_mesh_gpu_instancing: only one instance of each is read"));
        }
        if !self.document.extensions_required.is_empty() {
            notes.push(format!("extensions kept as they are: {}", self.document.extensions_required.join(", ")));
        }
        for i in (0..self.document.animations.len()).filter(|&i| !self.clip_is_readable(i)) {
            notes.push(format!("clip '{}' moves no node and no morph target", self.document.clip_name(i)));
        }
        if self.document.animations.is_empty() {
            notes.push("there is no animation".into());
        }
        notes
    }
}

/// Five moments of a clip, enough to tell which vertices part.
fn moments(tracks: &Tracks) -> impl Iterator<Item = Option<(&Tracks, f64)>> {
    (0..5).map(move |i| Some((tracks, tracks.start + tracks.duration() * f64::from(i) / 4.0)))
}
