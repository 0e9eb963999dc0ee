//! The source file with one more clip, in which the body moves through the world.
//!
//! The source's JSON and buffers are patched, not rebuilt: elements that need no change keep their
//! text, the bytes of its buffer 0 come first and the new data behind them. The result is always
//! one self-contained `.glb`: buffer 0 becomes its binary chunk, further buffers that were files
//! of their own become data URIs, and images that were files are put into the binary chunk, so
//! that the result opens from any folder. Skin weights that do not add up to 1, or are no numbers,
//! are mended (see `repair`).
//!
//! The new clip is the file's first: Blender and three.js's usual `animations[0]` play that one.
//! The other clips keep their text and their order; mentions of clips by number follow (see
//! `renumber`).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::animation::Tracks;
use super::container;
use super::fault::Fault;
use super::raw::{Object, RawDocument, put};
use super::renumber;
use super::repeat::Schedule;
use super::sample::Axes;
use super::scenery;
use super::surface::Stage;
use super::target::{Placement, Target, cycle_matrix, unused};
use super::track::{Interpolation, Keys, Property, Track};
use super::travel::Rerooted;
use super::window::Window;
use super::{ClipOptions, GltfAsset, SampledClip};
use crate::Error;
use holonomy::lie::Pose;
use holonomy::motion::Scenery;

/// A clip of this asset and where its shape is in the world, frame by frame.
#[derive(Debug, Clone)]
pub struct WorldClip<'a> {
    /// What [`GltfAsset::sample`] returned.
    pub sampled: &'a SampledClip,
    /// The options it was given.
    pub options: &'a ClipOptions,
    /// World placement of the shape for frames 0 to K at the clip's `dt`, metres, +Y up. For loops K may be any number of frames,
    /// K = cycles * frames for whole cycles; a clip that ends has at most its own frames.
    pub poses: &'a [Pose],
    /// The convention of the program that will play it.
    pub target: Target,
    /// For loops: the motion of one cycle (metres, +Y up), kept in the clip's extras.
    pub cycle_transform: Option<Pose>,
    /// How the motion was found (medium, law, …), kept in the clip's extras.
    pub parameters: Value,
    /// What stands still around it, metres, +Y up.
    pub scenery: &'a [Scenery],
}

/// A file with world motion.
#[derive(Debug, Clone)]
pub struct Patched {
    /// The `.glb`.
    pub glb: Vec<u8>,
    /// Name of the new clip.
    pub clip: String,
    /// Name of the new node that carries the motion.
    pub node: String,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl GltfAsset {
    pub(super) fn patched(&self, world: &WorldClip) -> Result<Patched, Error> {
        let options = ClipOptions { clip: Some(world.sampled.name.clone()), ..world.options.clone() };
        let (animation, _) = self.choose(options.clip.as_deref())?;
        let axes = Axes::new(&options)?;
        let surface = self.surface()?;
        let stage = Stage::new(self, &surface)?;
        let (tracks, window) = self.tracks_and_window(&stage, animation, &options)?;
        check_poses(world, &window)?;
        let job = Job { asset: self, world, axes, tracks: &tracks, stage: &stage, window: &window };
        let mut notes = Vec::new();
        let fault = |fault: Fault| fault.at(&self.path);
        let mut raw = self.raw_document(&mut notes).map_err(fault)?;
        if !self.document.animations.is_empty() {
            notes.extend(renumber::shift(&mut raw).notes());
        }
        let (clip, node) = job.add(&mut raw, &mut notes).map_err(fault)?;
        let shown = self.document.scene.unwrap_or(0);
        world.scenery.iter().try_for_each(|piece| scenery::add(&mut raw, shown, piece, &axes)).map_err(fault)?;
        let length = raw.bin.len();
        raw.edit("buffers", 0, |fields| put(fields, "byteLength", &length)).map_err(fault)?;
        let (json, bin) = raw.finish().map_err(fault)?;
        Ok(Patched { glb: container::join(&json, &bin)?, clip, node, notes })
    }

    /// The document with everything it needs inside it.
    fn raw_document(&self, notes: &mut Vec<String>) -> Result<RawDocument, Fault> {
        let bin = match self.buffers.first() {
            None => Vec::new(),
            Some(Some(bytes)) => bytes.clone(),
            Some(None) => return Err(Fault::new("buffers[0]", "it has no data")),
        };
        let mut raw = RawDocument::parse(&self.json, bin)?;
        if self.buffers.is_empty() {
            raw.push("buffers", &json!({ "byteLength": 0 }))?;
        }
        for (i, (buffer, bytes)) in self.document.buffers.iter().zip(&self.buffers).enumerate() {
            match (&buffer.uri, bytes) {
                (Some(_), _) if i == 0 => raw.edit("buffers", 0, |fields| {
                    fields.shift_remove("uri");
                    Ok(())
                })?,
                (Some(uri), Some(bytes)) if !uri.starts_with("data:") => {
                    let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes));
                    raw.edit("buffers", i, |fields| put(fields, "uri", &uri))?;
                }
                _ => {}
            }
        }
        for (i, image) in self.document.images.iter().enumerate() {
            if let Some(uri) = image.uri.as_deref().filter(|uri| !uri.starts_with("data:")) {
                self.embed_image(&mut raw, i, uri, notes)?;
            }
        }
        self.repair_weights(&mut raw, notes)?;
        Ok(raw)
    }

    fn embed_image(&self, raw: &mut RawDocument, i: usize, uri: &str, notes: &mut Vec<String>) -> Result<(), Fault> {
        let bytes = container::external(&self.path, &format!("images[{i}]"), uri);
        let (Ok(bytes), Some(mime)) = (&bytes, bytes.as_ref().ok().and_then(|bytes| image_type(bytes))) else {
            notes.push(format!("image '{uri}' could not be put into the result; keep it next to the file"));
            return Ok(());
        };
        let view = raw.push_view(bytes)?;
        raw.edit("images", i, |fields| {
            fields.shift_remove("uri");
            put(fields, "mimeType", &mime)?;
            put(fields, "bufferView", &view)
        })
    }
}

fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xAB, b'K', b'T', b'X', b' ', b'2', b'0', ..] => Some("image/ktx2"),
        _ => None,
    }
}

fn check_poses(world: &WorldClip, window: &Window) -> Result<(), Error> {
    let (clip, recorded) = (&world.sampled.clip, world.sampled.recorded.as_ref());
    let same = clip.frames() == window.frames() && (clip.dt() - window.dt).abs() <= 1e-9 * window.dt;
    if !same || recorded.is_some_and(|poses| poses.len() != clip.frames()) {
        return Err(Error::Choice(format!(
            "clip '{}' was not sampled from this file with these options; sample it again",
            world.sampled.name
        )));
    }
    let count = world.poses.len();
    if count < 2 || (!window.loops && count > window.steps + 1) {
        let most = if window.loops { "at least 2".to_owned() } else { format!("from 2 to {}", window.steps + 1) };
        return Err(Error::Choice(format!("clip '{}': {count} poses given, but it takes {most}", world.sampled.name)));
    }
    if let Some(k) = world.poses.iter().position(|pose| !pose.translation.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite()))
    {
        return Err(Error::Choice(format!("clip '{}': pose {k} is not finite", world.sampled.name)));
    }
    Ok(())
}

/// Everything the new clip is made of.
struct Job<'a> {
    asset: &'a GltfAsset,
    world: &'a WorldClip<'a>,
    axes: Axes,
    tracks: &'a Tracks,
    stage: &'a Stage<'a>,
    window: &'a Window,
}

impl Job<'_> {
    /// Adds node and clip; returns their names, clip first.
    fn add(&self, raw: &mut RawDocument, notes: &mut Vec<String>) -> Result<(String, String), Fault> {
        let place = self.asset.placement(self.world.target);
        let node = self.asset.insert_node(raw, &place, notes)?;
        if place.name != self.world.target.node_name() {
            let (name, taken) = (&place.name, self.world.target.node_name());
            notes.push(format!("the motion is on `{name}`: the file has a node `{taken}` of its own; choose `{name}` for root motion"));
        }
        let rerooted = self.rerooted(&place, notes)?;
        let schedule = Schedule::new(self.tracks, self.window, self.world.poses.len() - 1);
        let mut clip = NewClip::new(raw)?;
        if schedule.as_is && rerooted.is_none() {
            let mut source = raw.fields("animations", self.tracks.animation)?;
            clip.channels = elements(&mut source, "channels")?;
            clip.samplers = elements(&mut source, "samplers")?;
        } else {
            let replaced = |track: &&Track| rerooted.as_ref().is_some_and(|rerooted| rerooted.replaces(track.node, track.property));
            for track in self.tracks.tracks.iter().filter(|track| !replaced(track)) {
                let keys = schedule.shape(self.window, track);
                clip.add(raw, track.node, track.property, track.interpolation, &keys)?;
            }
            if self.tracks.skipped > 0 {
                notes.push(format!("{} channels that move no node are not in the new clip", self.tracks.skipped));
            }
        }
        let (translation, rotation) = match rerooted {
            None => schedule.world(self.window, &self.placements(), |t| place.armature(self.stage, self.tracks, t))?,
            Some(rerooted) => {
                for (child, poses) in &rerooted.children {
                    clip.add_motion(raw, *child, &schedule.frames(self.window, poses))?;
                }
                schedule.frames(self.window, &rerooted.bone)
            }
        };
        if translation.times.len() < self.world.poses.len() {
            return Err(
                Fault::new("animation", "the clip is so long that neighbouring frames have the same time").fix("lower --fps or --cycles")
            );
        }
        clip.add_motion(raw, node, &(translation, rotation))?;
        let name = self.clip_name();
        let extras = self.extras(raw)?;
        clip.finish(raw, &name, &extras)?;
        Ok((name, place.name))
    }

    /// What the clip travels by itself, put onto a root bone, if there is such travel and such a bone.
    fn rerooted(&self, place: &Placement, notes: &mut Vec<String>) -> Result<Option<Rerooted>, Fault> {
        let Some(recorded) = self.world.sampled.recorded.as_deref().filter(|_| !place.is_at_the_top()) else { return Ok(None) };
        let frame = |(k, pose): (usize, &Pose)| {
            let own = recorded[self.world.sampled.clip.stored_frame(k)];
            (self.window.source_time(k), self.axes.to_file(pose), self.axes.to_file(&own))
        };
        let frames: Vec<_> = self.world.poses.iter().enumerate().map(frame).collect();
        let rerooted = Rerooted::new((self.stage, self.tracks, &self.asset.nodes.rest), place, &frames)?;
        notes.push(match rerooted {
            Some(_) => format!("the clip travels by itself: `{}` carries all of it now, one key a frame", place.name),
            None => format!(
                "the clip travels by itself, and goes on doing so: `{}` carries only the rest of the motion; take the travel off the armature first to have all of it on that bone",
                place.name
            ),
        });
        Ok(rerooted)
    }

    /// The motion to show in each frame, on top of what the clip already does, in the file's units and axes.
    fn placements(&self) -> Vec<Pose> {
        let recorded = self.world.sampled.recorded.as_deref();
        let undo = |k: usize| recorded.map_or_else(Pose::identity, |poses| poses[self.world.sampled.clip.stored_frame(k)].inverse());
        self.world.poses.iter().enumerate().map(|(k, pose)| self.axes.to_file(&(*pose * undo(k)))).collect()
    }

    fn clip_name(&self) -> String {
        // A motion that starts from rest does not repeat, though its shapes do.
        let repeats = self.world.cycle_transform.as_ref().filter(|_| self.window.loops);
        let suffix = self.world.target.clip_suffix(repeats);
        let names = self.asset.clip_names();
        let stem = format!("{}.world", self.world.sampled.name);
        unused(&stem, |stem| format!("{stem}{suffix}"), |name| names.iter().any(|other| other == name))
    }

    /// The source clip's extras, and ours under `holonomy`.
    fn extras(&self, raw: &mut RawDocument) -> Result<Object, Fault> {
        let pose = |pose: &Pose| json!({ "translation": pose.translation.as_slice(), "rotation": pose.rotation.coords.as_slice() });
        let source = raw.fields("animations", self.tracks.animation)?;
        let mut extras: Object = source.get("extras").and_then(|extras| serde_json::from_str(extras.get()).ok()).unwrap_or_default();
        let ours = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "clip": self.world.sampled.name,
            "input_sha256": self.asset.sha256,
            "frames": self.world.poses.len(),
            "dt": self.window.dt,
            "unit": self.world.options.unit.unwrap_or(1.0),
            "loop": self.window.loops,
            "cycle_transform": self.world.cycle_transform.as_ref().map(pose),
            "cycle_matrix": self.world.cycle_transform.as_ref().map(|cycle| cycle_matrix(&self.axes.to_file(cycle))),
            "parameters": self.world.parameters,
        });
        put(&mut extras, "holonomy", &ours)?;
        Ok(extras)
    }
}

fn elements(object: &mut Object, key: &str) -> Result<Vec<Box<RawValue>>, Fault> {
    Ok(object.shift_remove(key).map_or(Ok(Vec::new()), |raw| serde_json::from_str(raw.get()))?)
}

/// An animation in the making. All its numbers go into one buffer view, equal lists of times only once.
struct NewClip {
    channels: Vec<Box<RawValue>>,
    samplers: Vec<Box<RawValue>>,
    bytes: Vec<u8>,
    /// The index that the buffer view will have.
    view: usize,
    inputs: HashMap<Vec<u8>, usize>,
}

impl NewClip {
    fn new(raw: &mut RawDocument) -> Result<Self, Fault> {
        Ok(NewClip { channels: Vec::new(), samplers: Vec::new(), bytes: Vec::new(), view: raw.len("bufferViews")?, inputs: HashMap::new() })
    }

    fn add(
        &mut self,
        raw: &mut RawDocument,
        node: usize,
        property: Property,
        interpolation: Interpolation,
        keys: &Keys,
    ) -> Result<(), Fault> {
        let input = self.times(raw, &keys.times)?;
        let numbers = keys.keys.iter().flat_map(|key| key.incoming.iter().chain(&key.value).chain(&key.outgoing));
        let mut bytes = Vec::new();
        for &number in numbers {
            if !(number as f32).is_finite() {
                let problem = format!("its motion reaches {number:e}, more than a glTF file can hold");
                return Err(Fault::new(format!("nodes[{node}]"), problem).fix("check the scale of the nodes above it, and --unit"));
            }
            bytes.extend((number as f32).to_le_bytes());
        }
        let (kind, width) = match property {
            Property::Translation | Property::Scale => ("VEC3", 3),
            Property::Rotation => ("VEC4", 4),
            Property::Weights => ("SCALAR", 1),
        };
        let accessor = json!({ "bufferView": self.view, "byteOffset": self.bytes.len(), "componentType": 5126, "count": bytes.len() / 4 / width, "type": kind });
        self.bytes.extend(bytes);
        let output = raw.push("accessors", &accessor)?;
        let sampler = json!({ "input": input, "output": output, "interpolation": interpolation.keyword() });
        let channel = json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": property.keyword() } });
        self.samplers.push(serde_json::value::to_raw_value(&sampler)?);
        self.channels.push(serde_json::value::to_raw_value(&channel)?);
        Ok(())
    }

    /// Translation and rotation of a node.
    fn add_motion(&mut self, raw: &mut RawDocument, node: usize, (translation, rotation): &(Keys, Keys)) -> Result<(), Fault> {
        self.add(raw, node, Property::Translation, Interpolation::Linear, translation)?;
        self.add(raw, node, Property::Rotation, Interpolation::Linear, rotation)
    }

    fn times(&mut self, raw: &mut RawDocument, times: &[f32]) -> Result<usize, Fault> {
        let bytes: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
        if let Some(&accessor) = self.inputs.get(&bytes) {
            return Ok(accessor);
        }
        let accessor = json!({
            "bufferView": self.view, "byteOffset": self.bytes.len(), "componentType": 5126, "count": times.len(), "type": "SCALAR",
            "min": [times.first()], "max": [times.last()],
        });
        self.bytes.extend(&bytes);
        let index = raw.push("accessors", &accessor)?;
        self.inputs.insert(bytes, index);
        Ok(index)
    }

    fn finish(self, raw: &mut RawDocument, name: &str, extras: &Object) -> Result<(), Fault> {
        raw.push_view(&self.bytes)?;
        let mut animation = Object::new();
        put(&mut animation, "name", &name)?;
        put(&mut animation, "channels", &self.channels)?;
        put(&mut animation, "samplers", &self.samplers)?;
        put(&mut animation, "extras", extras)?;
        raw.push_front("animations", &animation)?;
        Ok(())
    }
}
