//! One clip of a glTF file as a surface over time.
//!
//! The steps: choose the clip; find its time window and whether it loops; weld the vertices; evaluate every frame; take the world
//! motion that the clip already had off it.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};

use super::GltfAsset;
use super::animation::Tracks;
use super::nodes::rotation_of;
use super::surface::{Stage, Surface};
use super::track::Property;
use super::weld::{Weld, Welded};
use super::window::Window;
use crate::asset::{ClipOptions, SampledClip, Up};
use crate::{Error, memory};
use holonomy::lie::Pose;
use holonomy::shape::{Clip, Playback, Topology, diagonal};

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
        let surface = self.surface()?;
        let stage = Stage::new(self, &surface)?;
        let (tracks, window) = self.tracks_and_window(&stage, animation, options)?;
        let times: Vec<f64> = (0..window.frames()).map(|k| window.time(k)).collect();

        let Welded { kept, faces, dropped } = self.weld(&stage, &tracks, &window, &times)?;
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

        let colors = self.vertex_colors(&surface).map(|all| kept.iter().map(|&v| all[v as usize]).collect());
        let matters = self.vertex_matters(&surface).map(|all| kept.iter().map(|&v| all[v as usize]).collect());
        notes.extend(self.sampling_notes(&tracks, &window, dropped, recorded.is_some(), axes.unit));
        notes.extend(surface.notes.iter().cloned());
        let recorded = recorded.map(|poses| poses.iter().map(|pose| axes.to_engine(pose)).collect());
        Ok(SampledClip { name: self.document.clip_name(animation), clip, recorded, notes, colors, matters })
    }

    /// Classes of vertices that stay together, with the memory for the whole clip checked as soon as it is known.
    fn weld(&self, stage: &Stage, tracks: &Tracks, window: &Window, times: &[f64]) -> Result<Welded, Error> {
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
        let welded = weld.finish(&surface.faces);
        if welded.faces.is_empty() { Err(self.no_surface()) } else { Ok(welded) }
    }

    /// The motion of the root since frame 0, in the file's units and axes, if it goes anywhere.
    fn recorded(&self, stage: &Stage, tracks: &Tracks, times: &[f64], size: f64) -> Option<Vec<Pose>> {
        let root = self.motion_root()?;
        let moves = |track: &super::track::Track| matches!(track.property, Property::Translation | Property::Rotation);
        if !tracks.tracks.iter().any(|track| moves(track) && self.nodes.is_under(root, track.node)) {
            return None;
        }
        let poses: Vec<Pose> = times.iter().map(|&t| rigid_part(&stage.globals(tracks, t)[root])).collect();
        let travel = diagonal(poses.iter().map(|pose| &pose.translation));
        let turn = poses.windows(2).fold(Vector3::zeros(), |sum, pair| sum + (pair[1].rotation * pair[0].rotation.inverse()).scaled_axis());
        let moved = travel > ROOT_TRAVEL * size || turn.norm() > ROOT_TURN;
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
        let mut notes: Vec<String> = size_note(window.size * unit).into_iter().collect();
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
        if tracks.closed {
            let key = tracks.key_interval();
            notes.push(format!(
                "the clip ends one key before its start; it was closed to a loop by {key:.3} s more (--frames keeps it open)"
            ));
        }
        notes
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
    /// A place of the engine's space as one of the file's.
    pub fn point_to_file(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.upright.inverse() * point / self.unit
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

/// The rigid motion in a global matrix: its translation and nearest rotation.
fn rigid_part(matrix: &Matrix4<f64>) -> Pose {
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    Pose { rotation: rotation_of(&linear), translation: matrix.fixed_view::<3, 1>(0, 3).into_owned() }
}

/// The surface welded over the given moments.
pub(super) fn welded_over(stage: &Stage, surface: &Surface, size: f64, moments: &[Option<(&Tracks, f64)>]) -> Result<Welded, Error> {
    let mut weld = Weld::new(surface.vertices, WELD_TOLERANCE * size);
    for &moment in moments {
        weld.refine(&stage.at(moment)?);
    }
    Ok(weld.finish(&surface.faces))
}
