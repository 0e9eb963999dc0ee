//! Clips: which one to take, and the tracks of one.

use super::GltfAsset;
use super::document::{Channel, Sampler};
use super::fault::Fault;
use super::nodes::Local;
use super::track::{Interpolation, Key, Property, Track};
use crate::suggest::did_you_mean;
use crate::{Error, gait, memory, words};

/// The tracks of one animation that move the surface.
#[derive(Debug)]
pub(super) struct Tracks {
    /// Which animation of the document.
    pub animation: usize,
    /// In the document's order.
    pub tracks: Vec<Track>,
    /// Channels that are not read: pointers into materials, targets without a node.
    pub skipped: usize,
    /// Earliest key, seconds.
    pub start: f64,
    /// Latest key, seconds.
    pub end: f64,
    /// Whether a key was added that brings everything back to its start.
    pub closed: bool,
}

/// Words that begin the name of a clip that goes somewhere.
const LOCOMOTION: [&str; 24] = [
    "swim",
    "walk",
    "run",
    "slither",
    "crawl",
    "fly",
    "gallop",
    "trot",
    "jog",
    "flap",
    "glide",
    "hop",
    "march",
    "sprint",
    "canter",
    "creep",
    "paddle",
    "stride",
    "undulat",
    "wriggle",
    "locomotion",
    "forward",
    "move",
    "dive",
];

impl GltfAsset {
    /// Which animation to take, and what to tell the user about it.
    pub(super) fn choose(&self, wanted: Option<&str>) -> Result<(usize, Vec<String>), Error> {
        let names = self.clip_names();
        if names.is_empty() {
            return Err(Error::malformed(
                &self.path,
                "animations",
                "there are none: nothing in this asset changes shape",
                "export it with its animation (in Blender: push the action down to an NLA strip, or tick 'Animation' in the glTF export)",
            ));
        }
        let Some(wanted) = wanted else {
            // What was moved before comes last: it is the first in its file, and its original is
            // what is meant.
            let original = |i: &usize| !self.document.is_moved(*i);
            let named = (0..names.len()).filter(original).find(|&i| looks_like_locomotion(&names[i]));
            let chosen = named.or_else(|| (0..names.len()).find(original)).unwrap_or(0);
            let others: Vec<&str> = names.iter().enumerate().filter(|(i, _)| *i != chosen).map(|(_, name)| name.as_str()).collect();
            let note = format!("clip '{}' was taken; there are also: {} (choose with --clip)", names[chosen], others.join(", "));
            return Ok((chosen, if others.is_empty() { Vec::new() } else { vec![note] }));
        };
        if let Some(i) = names.iter().position(|name| name == wanted) {
            return Ok((i, Vec::new()));
        }
        // Exporters put the armature before the name, as in `SnakeArmature|Snake_Jump`.
        if let [(i, name)] = names.iter().enumerate().filter(|(_, name)| ends_in(name, wanted)).collect::<Vec<_>>().as_slice() {
            return Ok((*i, vec![format!("clip '{name}' was taken: the only one that ends in '{wanted}'")]));
        }
        let partial = names.iter().find(|name| name.to_lowercase().contains(&wanted.to_lowercase()));
        let near = partial.map(String::as_str).or_else(|| did_you_mean(wanted, names.iter().map(String::as_str)));
        let hint = near.map_or(String::new(), |name| format!("; did you mean '{name}'?"));
        let said = format!("{}: there is no clip '{wanted}'{hint}", self.path.display());
        Err(Error::Choice(format!("{}\n  clips: {}", words::one_line(&said), words::one_line(&names.join(", ")))))
    }

    /// Bytes of the tracks of animation `index`: each channel has its own copy of its keys, though
    /// several may share a sampler.
    pub(super) fn tracks_bytes(&self, index: usize) -> u64 {
        let Some(animation) = self.document.animations.get(index) else { return 0 };
        let reader = self.reader();
        let of_channel = |channel: &Channel| -> u64 {
            let (Some(node), Some(sampler)) = (channel.target.node, animation.samplers.get(channel.sampler)) else { return 0 };
            let width = match channel.target.path.as_str() {
                "translation" | "scale" => 3,
                "rotation" => 4,
                "weights" => self.morph_targets(node) as u64,
                _ => return 0,
            };
            let lists = if sampler.interpolation.as_deref() == Some("CUBICSPLINE") { 3 } else { 1 };
            let key = size_of::<Key>() as u64 + lists * (8 * width + memory::ALLOCATION) + 8;
            (reader.count(sampler.input) as u64).saturating_mul(key).saturating_add(size_of::<Track>() as u64)
        };
        animation.channels.iter().map(of_channel).fold(0, u64::saturating_add)
    }

    /// Refuses tracks that would not fit in memory.
    pub(super) fn ensure_tracks(&self, bytes: u64) -> Result<(), Error> {
        let channels: usize = self.document.animations.iter().map(|animation| animation.channels.len()).sum();
        let what = || format!("{}: its animations of {channels} channels", self.path.display());
        memory::ensure(bytes, what, "export fewer clips, or keys only where something changes")
    }

    /// The tracks of animation `index`, checked.
    pub(super) fn tracks(&self, index: usize) -> Result<Tracks, Fault> {
        let animation =
            self.document.animations.get(index).ok_or_else(|| Fault::new(format!("animations[{index}]"), "it does not exist"))?;
        let mut tracks =
            Tracks { animation: index, tracks: Vec::new(), skipped: 0, start: f64::INFINITY, end: f64::NEG_INFINITY, closed: false };
        for channel in &animation.channels {
            let property = match channel.target.path.as_str() {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                "weights" => Property::Weights,
                _ => {
                    tracks.skipped += 1;
                    continue;
                }
            };
            let (Some(node), Some(sampler)) = (channel.target.node, animation.samplers.get(channel.sampler)) else {
                tracks.skipped += 1;
                continue;
            };
            let track = self.track(&format!("animations[{index}].samplers[{}]", channel.sampler), sampler, node, property)?;
            tracks.start = tracks.start.min(track.times[0]);
            tracks.end = tracks.end.max(track.times[track.times.len() - 1]);
            tracks.tracks.push(track);
        }
        if tracks.tracks.is_empty() {
            return Err(
                Fault::new(format!("animations[{index}]"), "it moves no node and no morph target").fix("choose another clip with --clip")
            );
        }
        Ok(tracks)
    }

    fn track(&self, place: &str, sampler: &Sampler, node: usize, property: Property) -> Result<Track, Fault> {
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => return Err(Fault::new(place, format!("unknown interpolation '{other}'"))),
        };
        let reader = self.reader();
        let times = reader.floats::<1>(sampler.input)?.into_flattened();
        if let Some(k) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(Fault::new(
                place,
                format!("key times do not increase: key {} is at {} s, key {} at {} s", k, times[k], k + 1, times[k + 1]),
            ));
        }
        let values = match property {
            Property::Translation | Property::Scale => reader.floats::<3>(sampler.output)?.into_flattened(),
            Property::Rotation => reader.floats::<4>(sampler.output)?.into_flattened(),
            Property::Weights => reader.numbers(sampler.output)?,
        };
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let width = match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => self.morph_targets(node),
        };
        let needed = times.len().checked_mul(parts).and_then(|n| n.checked_mul(width));
        if width == 0 || needed != Some(values.len()) {
            let problem = format!(
                "{} keys of {width} {} numbers ({}) need {} values, but there are {}",
                times.len(),
                property.keyword(),
                interpolation.keyword(),
                needed.unwrap_or(usize::MAX),
                values.len()
            );
            return Err(Fault::new(place, problem));
        }
        let keys = values.chunks_exact(width * parts).map(|chunk| key(chunk, width)).collect();
        let mut track = Track { node, property, interpolation, times, keys };
        if property == Property::Rotation {
            unit_rotations(place, &mut track)?;
        }
        Ok(track)
    }

    /// Number of morph targets of the node's mesh.
    fn morph_targets(&self, node: usize) -> usize {
        let mesh = self.document.nodes.get(node).and_then(|node| self.document.meshes.get(node.mesh?));
        mesh.and_then(|mesh| mesh.primitives.first()).map_or(0, |primitive| primitive.targets.len())
    }
}

fn key(chunk: &[f64], width: usize) -> Key {
    match chunk.len() / width {
        3 => Key { incoming: chunk[..width].to_vec(), value: chunk[width..2 * width].to_vec(), outgoing: chunk[2 * width..].to_vec() },
        _ => Key { incoming: Vec::new(), value: chunk.to_vec(), outgoing: Vec::new() },
    }
}

/// Rounded quaternions get length 1 (not those of splines, whose tangents belong to them as they are).
fn unit_rotations(place: &str, track: &mut Track) -> Result<(), Fault> {
    for (k, key) in track.keys.iter_mut().enumerate() {
        let norm = key.value.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(norm > 1e-6 && norm.is_finite()) {
            return Err(Fault::new(place, format!("key {k}: rotation {:?} has no direction", key.value)));
        }
        if track.interpolation != Interpolation::CubicSpline {
            key.value.iter_mut().for_each(|x| *x /= norm);
        }
    }
    Ok(())
}

impl Tracks {
    /// Seconds from the first key to the last.
    pub fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Seconds from key to key, on average, where keys are densest; at most a tenth of a second.
    pub fn key_interval(&self) -> f64 {
        let keys = self.tracks.iter().map(|track| track.times.len()).max().unwrap_or(2);
        (self.duration() / (keys.max(2) - 1) as f64).min(0.1)
    }

    /// Adds one key, an interval later, at which everything is as at the start.
    pub fn close(&mut self) {
        let interval = self.key_interval();
        for track in &mut self.tracks {
            *track = track.piece(self.start, self.end);
            track.return_to_start(self.end + interval);
        }
        self.end += interval;
        self.closed = true;
    }

    /// Local transforms and morph weights at time `t`.
    pub fn pose(&self, rest: &[Local], rest_weights: &[Vec<f64>], t: f64) -> (Vec<Local>, Vec<Vec<f64>>) {
        let (mut locals, mut weights) = (rest.to_vec(), rest_weights.to_vec());
        for track in &self.tracks {
            let value = track.at(t);
            let Some(local) = locals.get_mut(track.node) else { continue };
            match (track.property, value.as_slice()) {
                (Property::Translation, &[x, y, z]) => local.translation = [x, y, z].into(),
                (Property::Scale, &[x, y, z]) => local.scale = [x, y, z].into(),
                (Property::Rotation, &[x, y, z, w]) => {
                    local.rotation = nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
                }
                _ => {
                    if let Some(slot) = weights.get_mut(track.node) {
                        *slot = value;
                    }
                    continue;
                }
            }
            local.matrix = None;
        }
        (locals, weights)
    }
}

/// Whether a name ends in those words, after `|` or `_`, whatever their case.
fn ends_in(name: &str, words: &str) -> bool {
    let (name, words) = (name.to_lowercase(), words.to_lowercase());
    !words.is_empty() && name.strip_suffix(&words).is_some_and(|before| before.is_empty() || before.ends_with(['|', '_']))
}

/// Whether one of the words of the name begins like a way to move: `Armature|SwimFast` does.
fn looks_like_locomotion(name: &str) -> bool {
    gait::words(name).iter().any(|word| LOCOMOTION.iter().any(|start| word.starts_with(start)))
}
