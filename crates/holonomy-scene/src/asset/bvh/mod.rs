//! BVH motion capture in: a [`BvhAsset`] becomes a rig clip in the frame of its root joint, and the root's recorded motion.
//!
//! Forward kinematics (Meredith and Maddock 2001, section 3.1): a joint's frame is its parent's, moved by the joint's translation, then
//! turned by its rotation channels **in the order they are written**, each about the axis as already turned (intrinsic): R = R1 R2 R3.
//! The translation is OFFSET, with each position channel *replacing* its component, as MotionBuilder and Blender have it; files whose
//! joints below the root hold differences instead (values nearer zero than OFFSET) are recognised, added, and noted.
//!
//! The header gives neither unit nor up axis, so the unit is asked for, and the up axis is Y unless told. The frame time is the header's: it
//! can be wrong (the CMU conversions say 120 Hz for subjects taken at 60) and is not corrected here.

mod parse;

use std::path::{Path, PathBuf};

use holonomy::lie::Pose;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Joint, Playback, Rig, Topology, bounds, diagonal};
use serde::{Serialize, Serializer};

use self::parse::{BvhText, Channel};
use super::sampling;
use super::{ClipOptions, SampledClip, Up, masses};
use crate::{Error, input, memory};

/// Metres per unit of the CMU conversions: their skeletons were scaled by 0.45 from inches.
pub const CMU_UNIT: f64 = 0.0254 / 0.45;

/// Units a skeleton may be in, and their metres.
const UNITS: [(&str, f64); 5] = [("m", 1.0), ("cm", 0.01), ("in", 0.0254), ("mm", 0.001), ("0.0564444 (CMU conversions)", CMU_UNIT)];

/// How tall people are, standing or not, metres.
const PEOPLE: std::ops::Range<f64> = 0.4..2.8;

/// A BVH file, read and checked.
#[derive(Debug, Clone)]
pub struct BvhAsset {
    path: PathBuf,
    name: String,
    text: BvhText,
    /// Position channels below the root are differences from OFFSET.
    relative: bool,
    notes: Vec<String>,
}

/// What is in a BVH file, before any unit or axis is chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BvhDescription {
    /// Name of its one clip: the file's stem.
    pub clip: String,
    /// Joints with End Sites, as `(name, parent)`, parents first.
    pub joints: Vec<(String, Option<usize>)>,
    /// Channel values in a frame.
    pub channels: usize,
    /// Frames, numbered from 0.
    pub frames: usize,
    /// Seconds from one frame to the next, as the header says.
    pub frame_time: f64,
    /// Seconds from the first frame to the last.
    pub duration: f64,
    /// Extent along the guessed up axis, median over the frames, file units.
    pub height: f64,
    /// That height in metres under each common unit; written as `metres_if_cm` and so on.
    #[serde(flatten, serialize_with = "by_unit")]
    pub heights: Vec<UnitHeight>,
    /// The axis the skeleton seems to stand along: `"y"` or `"z"`.
    pub up_guess: &'static str,
    /// Whether the joint names are those of a human body (see [`masses`]).
    pub looks_human: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A height under one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitHeight {
    /// How the user writes the unit.
    pub unit: &'static str,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// Metres.
    pub height: f64,
}

/// Heights, each under a key of its own.
fn by_unit<S: Serializer>(heights: &[UnitHeight], serializer: S) -> Result<S::Ok, S::Error> {
    let key = |unit: &str| format!("metres_if_{}", unit.split(' ').next().unwrap_or(unit));
    serializer.collect_map(heights.iter().map(|one| (key(one.unit), one.height)))
}

/// Joints of one frame: where each is and how it is turned. In its parent's frame or in the world, file units.
type JointFrames = Vec<(Vector3<f64>, UnitQuaternion<f64>)>;

impl BvhAsset {
    /// Reads a file. Names in another encoding than UTF-8 lose their foreign letters, with a note.
    ///
    /// # Errors
    /// The file cannot be read, is too large for the memory free now, or is not BVH (with the line).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        // The text, which may have to be copied; its numbers are counted when the skeleton is
        // known.
        let bytes = input::bytes(path, 2, "cut the file into shorter clips")?;
        let text = String::from_utf8_lossy(&bytes);
        let mut asset = BvhAsset::from_text(&text, path)?;
        if matches!(text, std::borrow::Cow::Owned(_)) {
            asset.notes.push("the file is not UTF-8: letters of other encodings in joint names are shown as \u{fffd}".into());
        }
        Ok(asset)
    }

    /// Reads a text; `path` names it in messages and gives the clip's name.
    ///
    /// # Errors
    /// The text is not BVH; the error names the line.
    pub fn from_text(text: &str, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = match text.contains('\n') {
            true => parse::parse(text, path)?,
            false => parse::parse(&text.replace('\r', "\n"), path)?,
        };
        let name = path.file_stem().map_or_else(|| "clip".to_string(), |s| s.to_string_lossy().into_owned());
        let mut asset = BvhAsset { path: path.to_path_buf(), name, text, relative: false, notes: Vec::new() };
        asset.find_convention();
        asset.note_oddities();
        Ok(asset)
    }

    /// Name of the one clip: the file's stem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds from one frame to the next, as the header says.
    pub fn frame_time(&self) -> f64 {
        self.text.frame_time
    }

    /// What is in the file.
    pub fn describe(&self) -> BvhDescription {
        let (height, up) = self.height_and_up();
        let frames = self.frames();
        let joints: Vec<Joint> = self.joints();
        BvhDescription {
            clip: self.name.clone(),
            channels: self.text.channels,
            frames,
            frame_time: self.text.frame_time,
            duration: (frames - 1) as f64 * self.text.frame_time,
            height,
            heights: UNITS.map(|(unit, metres)| UnitHeight { unit, metres_per_unit: metres, height: metres * height }).to_vec(),
            up_guess: if up == Up::Y { "y" } else { "z" },
            looks_human: masses::looks_human(&joints),
            joints: joints.into_iter().map(|j| (j.name, j.parent)).collect(),
            notes: self.notes.clone(),
        }
    }

    /// The clip: a rig with joint positions and orientations in the frame of the root joint, and the root's recorded poses.
    ///
    /// `frames` counts rows of the MOTION block from 0. With `fps` other than the file's the clip is resampled: rotations along the
    /// shortest arc, translations in a line. A clip that ends in the shape it starts with (within 1e-3 of its size) is a loop, and
    /// the repeated frame is left out.
    ///
    /// # Errors
    /// No unit chosen (the text shows the height under each), a range or rate that makes no sense, a rig without length, masses that do
    /// not fit, numbers too large, too little memory.
    pub fn sample(&self, options: &ClipOptions) -> Result<SampledClip, Error> {
        sampling::check_clip_name(options, &self.name)?;
        let unit = self.unit(options)?;
        let up = options.up.unwrap_or_default();
        let numbers: Vec<usize> = (0..self.frames()).collect();
        let (first, last) = sampling::frame_range(options, &numbers)?;
        let mut notes = self.notes.clone();
        self.note_choices(options, first, &mut notes);
        let playback = match last - first >= 2 && sampling::closes(&self.shape(first), &self.shape(last)) {
            true => Playback::Loop,
            false => Playback::Once,
        };
        let times = self.times(options, (first, last), playback, &mut notes)?;
        let (mut positions, mut orientations, mut recorded) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..times.count {
            let world = world_frames(&self.text, &self.locals_between(first as f64 + k as f64 * times.stride, last));
            let (root_position, root_rotation) = world[0];
            let inverse = root_rotation.inverse();
            positions.extend(world.iter().map(|(p, _)| inverse * (p - root_position) * unit));
            orientations.extend(world.iter().map(|(_, r)| inverse * r));
            recorded.push(self.recorded_pose(&world[0], unit, up)?);
        }
        let engine = |source| Error::Engine { path: self.path.clone(), source };
        let rig = self.rig(&positions[..self.text.joints.len()], options, &mut notes)?;
        let clip = Clip::new(Topology::Rig(rig), playback, times.dt, self.text.joints.len(), positions).map_err(engine)?;
        let clip = clip.with_orientations(orientations).map_err(engine)?;
        Ok(SampledClip { name: self.name.clone(), clip, recorded: Some(recorded), notes, colors: None, matters: None })
    }

    fn frames(&self) -> usize {
        self.text.values.len() / self.text.channels
    }

    fn joints(&self) -> Vec<Joint> {
        self.text.joints.iter().map(|j| Joint { name: j.name.clone(), parent: j.parent }).collect()
    }

    /// Metres per unit as chosen, or an error that helps to choose.
    fn unit(&self, options: &ClipOptions) -> Result<f64, Error> {
        sampling::positive("the unit in metres", options.unit)?.ok_or_else(|| {
            let (height, _) = self.height_and_up();
            let heights = UNITS.map(|(name, metres)| format!("\n  {name:<28} {:.4} m tall", height * metres)).concat();
            let path = self.path.display();
            Error::Choice(format!(
                "{path}: a BVH file does not say its unit of length; give --unit m|cm|in|mm|<number of metres>:{heights}"
            ))
        })
    }

    /// Bones with masses, and the joints, from one frame of positions (metres).
    fn rig(&self, positions: &[Vector3<f64>], options: &ClipOptions, notes: &mut Vec<String>) -> Result<Rig, Error> {
        let joints = self.joints();
        let lengths: Vec<f64> = joints.iter().zip(positions).map(|(j, p)| j.parent.map_or(0.0, |q| (p - positions[q]).norm())).collect();
        let smallest = 1e-9 * diagonal(positions);
        if !lengths.iter().any(|&l| l > smallest) {
            return Err(Error::malformed(&self.path, "HIERARCHY", "no bone has a length", "give joints an OFFSET from their parents"));
        }
        let lengths: Vec<f64> = lengths.into_iter().map(|l| if l > smallest { l } else { 0.0 }).collect();
        let (bones, more) = masses::bones(&joints, &lengths, &options.masses)?;
        notes.extend(more);
        Ok(Rig { joints, bones, skin: None })
    }

    fn recorded_pose(&self, root: &(Vector3<f64>, UnitQuaternion<f64>), unit: f64, up: Up) -> Result<Pose, Error> {
        let turn = match up {
            Up::Y => UnitQuaternion::identity(),
            Up::Z => UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2),
        };
        let translation = sampling::to_y_up(root.0, up) * unit;
        if !translation.iter().all(|x| x.is_finite()) {
            let problem = format!("the root at {:?} file units is too far away", root.0.as_slice());
            return Err(Error::malformed(&self.path, "MOTION", problem, "repair the position channels"));
        }
        Ok(Pose { rotation: turn * root.1, translation })
    }
}

/// Which moments of the source a clip is made of.
struct Times {
    count: usize,
    /// Source frames from one to the next.
    stride: f64,
    /// Seconds from one to the next.
    dt: f64,
}

impl BvhAsset {
    fn times(
        &self,
        options: &ClipOptions,
        (first, last): (usize, usize),
        playback: Playback,
        notes: &mut Vec<String>,
    ) -> Result<Times, Error> {
        let (steps, dt) = ((last - first) as f64, self.text.frame_time);
        let closed = playback == Playback::Loop;
        let mut times = Times { count: last - first + usize::from(!closed), stride: 1.0, dt };
        if let Some(fps) = sampling::positive("fps", options.fps)?
            && (fps * dt - 1.0).abs() > 1e-4
        {
            // A loop gets a whole number of frames, so its rate may differ a little; a clip that ends loses less than a frame.
            let samples = steps * dt * fps;
            let intervals = if closed { samples.round().max(1.0) } else { (samples + 1e-9).floor() };
            times.dt = if closed { steps * dt / intervals } else { 1.0 / fps };
            times.stride = times.dt / dt;
            times.count = intervals as usize + usize::from(!closed);
            if times.count < 2 {
                return Err(Error::Choice(format!(
                    "{fps} frames per second leave one frame of {:.4} s: nothing changes shape",
                    steps * dt
                )));
            }
            notes.push(format!("resampled from {:.3} to {:.3} frames per second", 1.0 / dt, 1.0 / times.dt));
        }
        if closed {
            notes.push("the clip ends in the shape it starts with: taken as a loop, the repeated frame left out".into());
        }
        // Positions 24, orientations 32 bytes a joint, a pose of 56 a frame, and the vectors may double as they grow.
        let bytes = (times.count as u64).saturating_mul(2 * (56 * self.text.joints.len() as u64 + 56));
        let what = || format!("{}: {} frames", self.path.display(), times.count);
        memory::ensure(bytes, what, "choose fewer frames or a lower rate")?;
        Ok(times)
    }

    /// Joint frames in their parents', at a fractional source frame.
    fn locals_between(&self, at: f64, last: usize) -> JointFrames {
        let k = (at.floor() as usize).min(last);
        let part = at - k as f64;
        let mut locals = self.locals(k);
        if part > 0.0 && k < last {
            for (here, next) in locals.iter_mut().zip(self.locals(k + 1)) {
                here.0 = here.0.lerp(&next.0, part);
                here.1 = here.1.try_slerp(&next.1, part, 1e-12).unwrap_or(here.1);
            }
        }
        locals
    }

    /// Joint frames in their parents', at row `k` of the file.
    fn locals(&self, k: usize) -> JointFrames {
        let row = self.text.values.get(k * self.text.channels..(k + 1) * self.text.channels).unwrap_or(&[]);
        let local = |(i, joint): (usize, &parse::BvhJoint)| {
            let (mut translation, mut rotation) = (joint.offset, UnitQuaternion::identity());
            for (channel, &value) in joint.channels.iter().zip(row.get(joint.first_channel..).unwrap_or(&[])) {
                match *channel {
                    Channel::Position(axis) if self.relative && i > 0 => translation[axis] += value,
                    Channel::Position(axis) => translation[axis] = value,
                    Channel::Rotation(axis) => {
                        rotation *= UnitQuaternion::from_axis_angle(&Vector3::ith_axis(axis), value.to_radians());
                    }
                }
            }
            (translation, rotation)
        };
        self.text.joints.iter().enumerate().map(local).collect()
    }

    /// Joint positions in the root's frame at row `k`, file units.
    fn shape(&self, k: usize) -> Vec<Vector3<f64>> {
        let world = world_frames(&self.text, &self.locals(k));
        let (position, rotation) = world[0];
        world.iter().map(|(p, _)| rotation.inverse() * (p - position)).collect()
    }

    /// Median extent along the axis the skeleton stands along, file units, and that axis.
    fn height_and_up(&self) -> (f64, Up) {
        let stride = self.frames().div_ceil(200);
        let (mut along_y, mut along_z) = (Vec::new(), Vec::new());
        for k in (0..self.frames()).step_by(stride) {
            let world: Vec<_> = world_frames(&self.text, &self.locals(k)).into_iter().map(|(p, _)| p).collect();
            let extent = bounds(&world).map_or_else(Vector3::zeros, |(low, high)| high - low);
            along_y.push(extent.y);
            along_z.push(extent.z);
        }
        let (y, z) = (median(&mut along_y), median(&mut along_z));
        if z > 1.5 * y { (z, Up::Z) } else { (y, Up::Y) }
    }
}

/// Forward kinematics: joint frames in the world from joint frames in their parents', file units.
fn world_frames(text: &BvhText, locals: &JointFrames) -> JointFrames {
    let mut world = JointFrames::with_capacity(locals.len());
    for (joint, &(translation, rotation)) in text.joints.iter().zip(locals) {
        world.push(match joint.parent.and_then(|p| world.get(p)) {
            Some((position, turn)) => (position + turn * translation, turn * rotation),
            None => (translation, rotation),
        });
    }
    world
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

// What the user should know.
impl BvhAsset {
    /// Decides whether position channels below the root stand for OFFSET or are added to it: which of the two are they nearer to?
    fn find_convention(&mut self) {
        let moved: Vec<usize> = (1..self.text.joints.len()).filter(|&i| has_positions(&self.text.joints[i])).collect();
        if moved.is_empty() {
            return;
        }
        let (mut from_offset, mut from_zero) = (0.0, 0.0);
        for k in (0..self.frames()).step_by(self.frames().div_ceil(200)) {
            let locals = self.locals(k);
            for &i in &moved {
                from_offset += (locals[i].0 - self.text.joints[i].offset).norm();
                from_zero += locals[i].0.norm();
            }
        }
        self.relative = from_zero < from_offset;
        let meaning = if self.relative { "added to OFFSET, being nearer to zero" } else { "taken in place of OFFSET" };
        self.notes.push(format!("{} joint(s) below the root have position channels: {meaning}; bones may change length", moved.len()));
    }

    fn note_oddities(&mut self) {
        if self.frames() == 1 {
            self.notes.push("one frame: nothing changes shape".into());
        }
        let has = |name: &str| self.text.joints.iter().any(|j| j.name == name);
        if has("LHipJoint") && has("LowerBack") && has("LThumb") {
            let fps = 1.0 / self.text.frame_time;
            self.notes.push(format!(
                "the joints are those of the CMU conversions: one unit is {CMU_UNIT:.7} m. The header says {fps:.1} frames per second; some of their \
                 subjects were taken at 60 under a header of 120: if falling bodies fall wrongly, correct `Frame Time` in the file"
            ));
        }
        if let Some(k) = self.first_frame_apart() {
            self.notes.push(format!("frame 0 is far from frame 1, likely a rest pose put in front; leave it out with --frames 1..{k}"));
        }
    }

    /// The last frame's number, if the step from frame 0 to 1 dwarfs the others (over ten times the median and 5 % of the body).
    fn first_frame_apart(&self) -> Option<usize> {
        let last = self.frames() - 1;
        if last < 3 {
            return None;
        }
        let step = |k: usize| self.shape(k).iter().zip(self.shape(k + 1)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let mut others: Vec<f64> = (1..last).step_by(last.div_ceil(100)).map(step).collect();
        let apart = step(0) > 10.0 * median(&mut others) && step(0) > 0.05 * diagonal(&self.shape(0));
        apart.then_some(last)
    }

    fn note_choices(&self, options: &ClipOptions, first: usize, notes: &mut Vec<String>) {
        if first > 0 {
            notes.retain(|note| !note.starts_with("frame 0 is far"));
        }
        let (height, up) = self.height_and_up();
        if let Some(unit) = options.unit
            && masses::looks_human(&self.joints())
            && !PEOPLE.contains(&(height * unit))
        {
            notes.push(format!(
                "the joints are those of a person, who is {:.3} m tall with this --unit; `holonomy inspect` shows others",
                height * unit
            ));
        }
        if options.up.is_none() && up == Up::Z {
            notes.push("+Y was taken as up, but the skeleton seems to stand along Z: if it lies down, give --up z".into());
        }
    }
}

fn has_positions(joint: &parse::BvhJoint) -> bool {
    joint.channels.iter().any(|c| matches!(c, Channel::Position(_)))
}
