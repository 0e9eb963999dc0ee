//! One clip of a glTF file as a surface over time.
//!
//! The steps: choose the clip; find its time window and whether it loops; weld the vertices; evaluate every frame; take the world
//! motion that the clip already had off it.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};

use super::GltfAsset;
use super::animation::Tracks;
use super::nodes::{nearest_rotation, rotation_of};
use super::surface::{Stage, Surface};
use super::track::Property;
use super::weld::Weld;
use crate::asset::{ClipOptions, SampledClip, Up};
use crate::{Error, memory};
use holonomy::lie::Pose;
use holonomy::shape::{Clip, Playback, Topology};

/// Frames a second when none are asked for.
const DEFAULT_FPS: f64 = 60.0;
/// More frames than this are a mistake in the file or the request: more than four hours at 60 a second.
const MOST_FRAMES: f64 = 1e6;
/// A clip loops if its end is its start this well, in body sizes.
const LOOP_TOLERANCE: f64 = 1e-3;
/// Vertices nearer than this are one, in body sizes.
const WELD_TOLERANCE: f64 = 1e-9;
/// The clip has world motion of its own if its root travels more than this, in body sizes …
const ROOT_TRAVEL: f64 = 0.05;
/// … or turns, all in all, by more than this, radians.
const ROOT_TURN: f64 = std::f64::consts::FRAC_PI_6;

impl GltfAsset {
    pub(super) fn sample_clip(&self, options: &ClipOptions) -> Result<SampledClip, Error> {
        let (animation, mut notes) = self.choose(options.clip.as_deref())?;
        let axes = Axes::new(options)?;
        let tracks = self.tracks(animation).map_err(|fault| fault.at(&self.path))?;
        let surface = self.surface()?;
        let stage = Stage::new(self, &surface)?;
        let window = self.window(&stage, &tracks, options)?;
        let times: Vec<f64> = (0..window.frames()).map(|k| window.time(k)).collect();

        let (kept, faces, dropped) = self.weld(&stage, &tracks, &window, &times)?;
        let recorded = self.recorded(&stage, &tracks, &times, window.size);
        let mut positions = Vec::with_capacity(kept.len() * times.len());
        for (k, &t) in times.iter().enumerate() {
            let frame = stage.at(Some((&tracks, t)))?;
            let undo = recorded.as_ref().map(|poses| poses[k].inverse());
            positions.extend(kept.iter().map(|&v| {
                let x = frame[v as usize];
                axes.point(&undo.map_or(x, |undo| undo.act(&x)))
            }));
        }
        let playback = if window.loops { Playback::Loop } else { Playback::Once };
        let clip = Clip::new(Topology::Surface { faces }, playback, window.dt, kept.len(), positions);
        let clip = clip.map_err(|source| Error::Engine { path: self.path.clone(), source })?;

        notes.extend(surface.notes.iter().cloned());
        notes.extend(self.sampling_notes(&tracks, &window, dropped, recorded.is_some(), axes.unit));
        let recorded = recorded.map(|poses| poses.iter().map(|pose| axes.to_engine(pose)).collect());
        Ok(SampledClip { name: self.document.clip_name(animation), clip, recorded, notes })
    }

    /// Classes of vertices that stay together, with the memory for the whole clip checked as soon as it is known.
    fn weld(&self, stage: &Stage, tracks: &Tracks, window: &Window, times: &[f64]) -> Result<(Vec<u32>, Vec<[u32; 3]>, usize), Error> {
        let surface = stage.surface;
        let mut weld = Weld::new(surface.vertices, WELD_TOLERANCE * window.size);
        for (k, &t) in times.iter().enumerate() {
            weld.refine(&stage.at(Some((tracks, t)))?);
            if k == 0 || k + 1 == times.len() {
                let (frames, vertices) = (times.len(), weld.classes());
                let needed = frames as u64 * vertices as u64 * 24 * 3;
                let what = || format!("{}: {frames} frames of {vertices} vertices", self.path.display());
                memory::ensure(needed, what, "lower --fps, take fewer frames with --frames, or simplify the mesh")?;
            }
        }
        let (kept, faces, dropped) = weld.finish(&surface.faces);
        if faces.is_empty() {
            return Err(self.no_surface());
        }
        Ok((kept, faces, dropped))
    }

    fn no_surface(&self) -> Error {
        Error::malformed(&self.path, "meshes", "no triangle with an area is shown by the default scene", "export the asset with its mesh")
    }

    /// The time window of the clip, and whether its end is its start.
    pub(super) fn window(&self, stage: &Stage, tracks: &Tracks, options: &ClipOptions) -> Result<Window, Error> {
        let name = || format!("{}: clip '{}'", self.path.display(), self.document.clip_name(tracks.animation));
        let fps = options.fps.unwrap_or(DEFAULT_FPS);
        if !(fps > 0.0 && fps.is_finite()) {
            return Err(Error::Choice(format!("--fps {fps}: must be a positive number of frames a second")));
        }
        let (duration, count) = (tracks.duration(), (tracks.duration() * fps).round());
        if count > MOST_FRAMES {
            return Err(Error::Choice(format!("{} lasts {duration} s: {count:.0} frames at {fps} a second; lower --fps", name())));
        }
        if count < 1.0 {
            let fix = "give a clip with at least two keys at different times, or raise --fps";
            return Err(Error::Choice(format!("{} lasts {duration} s: fewer than 2 frames at {fps} a second; {fix}", name())));
        }
        let (dt, last) = (duration / count, count as usize);
        let (from, to) = options.frames.unwrap_or((0, last));
        if from >= to || to > last {
            return Err(Error::Choice(format!("{}: --frames {from}..{to}: its frames are 0..{last}, and at least two are needed", name())));
        }
        let mut window = Window {
            start: tracks.start + from as f64 * dt,
            dt,
            steps: to - from,
            full: (from, to) == (0, last),
            loops: false,
            size: 0.0,
            closure: None,
        };
        let begin = stage.at(Some((tracks, window.time(0))))?;
        let end = stage.at(Some((tracks, window.time(window.steps))))?;
        window.size = size(&begin);
        if !(window.size > 0.0) {
            return Err(self.no_surface());
        }
        if let Some(closure) = same_shape(&begin, &end, LOOP_TOLERANCE * window.size)
            && window.steps >= 2
        {
            window.loops = true;
            window.closure = Some(closure).filter(|closure| *closure != Pose::identity());
        }
        Ok(window)
    }

    /// The motion of the root since frame 0, in the file's units and axes, if it goes anywhere.
    fn recorded(&self, stage: &Stage, tracks: &Tracks, times: &[f64], size: f64) -> Option<Vec<Pose>> {
        let root = self.motion_root()?;
        let moves = |track: &super::track::Track| matches!(track.property, Property::Translation | Property::Rotation);
        if !tracks.tracks.iter().any(|track| moves(track) && self.nodes.is_under(root, track.node)) {
            return None;
        }
        let poses: Vec<Pose> = times.iter().map(|&t| rigid_part(&stage.globals(tracks, t)[root])).collect();
        let (low, high) = bounds(poses.iter().map(|pose| &pose.translation));
        let turn = poses.windows(2).fold(Vector3::zeros(), |sum, pair| sum + (pair[1].rotation * pair[0].rotation.inverse()).scaled_axis());
        let moved = (high - low).norm() > ROOT_TRAVEL * size || turn.norm() > ROOT_TURN;
        let undo = poses.first()?.inverse();
        moved.then(|| poses.iter().map(|pose| *pose * undo).collect())
    }

    /// The node whose motion is that of the whole body: the root joint of the skeleton; without a skin, the node all meshes hang on.
    fn motion_root(&self) -> Option<usize> {
        let joints = self.shown_skins().into_iter().flat_map(|skin| self.nodes.joint_roots(&self.document.skins[skin].joints));
        let joints: Vec<usize> = joints.collect();
        if joints.is_empty() { self.nodes.common(self.shown_meshes().map(|(node, _)| node)) } else { self.nodes.common(joints) }
    }

    /// Skins that the default scene uses.
    pub(super) fn shown_skins(&self) -> Vec<usize> {
        let mut skins: Vec<usize> = self.shown_meshes().filter_map(|(node, _)| self.document.nodes[node].skin).collect();
        skins.sort_unstable();
        skins.dedup();
        skins
    }

    fn sampling_notes(&self, tracks: &Tracks, window: &Window, dropped: usize, recorded: bool, unit: f64) -> Vec<String> {
        let mut notes = Vec::new();
        if dropped > 0 {
            notes.push(format!("{dropped} triangles without area were left out"));
        }
        if tracks.skipped > 0 {
            notes.push(format!(
                "{} channels animate something else than nodes and morph targets; they do not change the shape",
                tracks.skipped
            ));
        }
        if recorded {
            notes.push("the clip already travels: its own motion was taken off it and kept as the recorded motion".into());
        }
        notes.extend(size_note(window.size * unit));
        notes
    }
}

/// When a clip is sampled, and how it ends.
#[derive(Debug)]
pub(super) struct Window {
    /// Time of frame 0 in the file, seconds.
    pub start: f64,
    pub dt: f64,
    /// Steps of `dt` from the first moment to the last.
    pub steps: usize,
    /// From the clip's first key to its last.
    pub full: bool,
    pub loops: bool,
    /// Diagonal of the bounding box at the start, in the file's units.
    pub size: f64,
    /// For loops whose end is not where their start is: the motion from start to end, in the file's units and axes.
    pub closure: Option<Pose>,
}

impl Window {
    /// Stored frames: a loop does not store its end.
    pub fn frames(&self) -> usize {
        if self.loops { self.steps } else { self.steps + 1 }
    }
    /// Time in the file of frame `k`.
    pub fn time(&self, k: usize) -> f64 {
        self.start + k as f64 * self.dt
    }
}

/// How the numbers of the file become metres with +Y up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes {
    unit: f64,
    upright: UnitQuaternion<f64>,
}

impl Axes {
    pub fn new(options: &ClipOptions) -> Result<Self, Error> {
        let unit = options.unit.unwrap_or(1.0);
        if !(unit > 0.0 && unit.is_finite()) {
            return Err(Error::Choice(format!("--unit {unit}: must be a positive number of metres")));
        }
        let turn = match options.up.unwrap_or_default() {
            Up::Y => 0.0,
            Up::Z => -std::f64::consts::FRAC_PI_2,
        };
        Ok(Axes { unit, upright: UnitQuaternion::from_axis_angle(&Vector3::x_axis(), turn) })
    }
    fn point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.upright * x * self.unit
    }
    fn to_engine(self, pose: &Pose) -> Pose {
        Pose { rotation: self.upright * pose.rotation * self.upright.inverse(), translation: self.point(&pose.translation) }
    }
    /// A motion of the engine's space as one of the file's.
    pub fn to_file(self, pose: &Pose) -> Pose {
        let back = self.upright.inverse();
        Pose { rotation: back * pose.rotation * self.upright, translation: back * pose.translation / self.unit }
    }
}

/// What a body size says about the unit, if it is implausible.
pub(super) fn size_note(metres: f64) -> Option<String> {
    let (unit, likely) = match metres {
        m if m > 5000.0 => ("mm", "millimetres"),
        m if m > 50.0 => ("cm", "centimetres"),
        _ => return None,
    };
    Some(format!("size {metres:.0} m: probably {likely}, try --unit {unit}"))
}

/// Smallest and largest coordinates.
pub(super) fn bounds<'a>(points: impl IntoIterator<Item = &'a Vector3<f64>>) -> (Vector3<f64>, Vector3<f64>) {
    let empty = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    points.into_iter().fold(empty, |(low, high), x| (low.inf(x), high.sup(x)))
}

fn size(points: &[Vector3<f64>]) -> f64 {
    let (low, high) = bounds(points);
    (high - low).norm()
}

/// The rigid motion in a global matrix: its translation and nearest rotation.
fn rigid_part(matrix: &Matrix4<f64>) -> Pose {
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    Pose { rotation: rotation_of(&linear), translation: matrix.fixed_view::<3, 1>(0, 3).into_owned() }
}

/// The rigid motion that takes `from` to `to` within `tolerance`, if there is one (Kabsch 1976); the identity if that does.
fn same_shape(from: &[Vector3<f64>], to: &[Vector3<f64>], tolerance: f64) -> Option<Pose> {
    let fits = |pose: &Pose| from.iter().zip(to).all(|(x, y)| (pose.act(x) - y).norm() <= tolerance);
    let still = Pose::identity();
    if fits(&still) {
        return Some(still);
    }
    let mean = |points: &[Vector3<f64>]| points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let (a, b) = (mean(from), mean(to));
    let covariance: Matrix3<f64> = from.iter().zip(to).map(|(x, y)| (y - b) * (x - a).transpose()).sum();
    let rotation = nearest_rotation(&covariance)?;
    let pose = Pose { rotation, translation: b - rotation * a };
    fits(&pose).then_some(pose)
}

/// How a surface hangs together when welded over the given moments.
pub(super) fn welded_over(
    stage: &Stage,
    surface: &Surface,
    size: f64,
    moments: &[Option<(&Tracks, f64)>],
) -> Result<(usize, Vec<[u32; 3]>), Error> {
    let mut weld = Weld::new(surface.vertices, WELD_TOLERANCE * size);
    for &moment in moments {
        weld.refine(&stage.at(moment)?);
    }
    let (kept, faces, _) = weld.finish(&surface.faces);
    Ok((kept.len(), faces))
}
