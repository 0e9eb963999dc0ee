//! When a clip is sampled, and whether it loops.

use nalgebra::{Matrix3, Vector3};

use super::GltfAsset;
use super::animation::Tracks;
use super::nodes::nearest_rotation;
use super::surface::Stage;
use crate::Error;
use crate::asset::ClipOptions;
use holonomy::lie::Pose;
use holonomy::shape::diagonal;

/// Frames a second when none are asked for.
const DEFAULT_FPS: f64 = 60.0;
/// More frames than this are a mistake in the file or the request: more than four hours at 60 a second.
const MOST_FRAMES: f64 = 1e6;
/// A clip loops if its end is its start this well, in body sizes.
const LOOP_TOLERANCE: f64 = 1e-3;
/// A clip whose end is further from its start is still meant to loop if one more key would close it: if they differ by less than
/// this, in body sizes, and by no more than the clip moves from key to key.
const NEARLY_LOOP: f64 = 0.05;
/// The closing step may be longer than any other by this factor.
const SLACK: f64 = 1.5;

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
    /// Time in the file of what is shown in frame `k` of a clip that may repeat.
    pub fn source_time(&self, k: usize) -> f64 {
        self.time(if self.loops { k % self.steps } else { k })
    }
}

impl GltfAsset {
    /// The tracks of a clip and its time window; a clip that is one key short of a loop is closed by that key.
    pub(super) fn tracks_and_window(&self, stage: &Stage, animation: usize, options: &ClipOptions) -> Result<(Tracks, Window), Error> {
        self.ensure_tracks(self.tracks_bytes(animation))?;
        let mut tracks = self.tracks(animation).map_err(|fault| fault.at(&self.path))?;
        let window = self.window(stage, &tracks, options)?;
        if window.loops || options.frames.is_some() || window.steps == 0 || !self.nearly_loops(stage, &tracks, window.size)? {
            return Ok((tracks, window));
        }
        tracks.close();
        let window = self.window(stage, &tracks, options)?;
        Ok((tracks, window))
    }

    fn nearly_loops(&self, stage: &Stage, tracks: &Tracks, size: f64) -> Result<bool, Error> {
        let between = |from: f64, to: f64| -> Result<f64, Error> {
            let (a, b) = (stage.at(Some((tracks, from)))?, stage.at(Some((tracks, to)))?);
            Ok(a.iter().zip(&b).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max))
        };
        let gap = between(tracks.end, tracks.start)?;
        if gap > NEARLY_LOOP * size {
            return Ok(false);
        }
        let key = tracks.key_interval();
        for i in 0..48 {
            let t = tracks.start + (tracks.duration() - key) * f64::from(i) / 47.0;
            if between(t, t + key)? * SLACK >= gap {
                return Ok(true);
            }
        }
        Ok(false)
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
        let still = options.still && duration == 0.0;
        if count < 1.0 && !still {
            let fix = "give a clip with at least two keys at different times, or raise --fps";
            return Err(Error::Choice(format!("{} lasts {duration} s: fewer than 2 frames at {fps} a second; {fix}", name())));
        }
        let (dt, last) = (if still { 1.0 / fps } else { duration / count }, count as usize);
        let (from, to) = options.frames.unwrap_or((0, last));
        if !still && (from >= to || to > last) {
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
        window.size = diagonal(&begin);
        if window.size == 0.0 {
            return Err(self.no_surface());
        }
        if window.size > 1e100 || window.size.is_nan() {
            let fix = "repair the scale of its nodes";
            return Err(Error::malformed(&self.path, "nodes", format!("the body is {:e} units large: no finite size", window.size), fix));
        }
        if let Some(closure) = same_shape(&begin, &end, LOOP_TOLERANCE * window.size)
            && window.steps >= 2
        {
            window.loops = true;
            window.closure = Some(closure).filter(|closure| *closure != Pose::identity());
        }
        Ok(window)
    }

    pub(super) fn no_surface(&self) -> Error {
        Error::malformed(&self.path, "meshes", "no triangle with an area is shown by the default scene", "export the asset with its mesh")
    }
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
