//! The keys of the new clip: the shape, once or repeated, and the world motion, one key a frame.
//!
//! Where a loop begins again its channels may jump (a walk cycle that travels goes back to its start); the world motion jumps the
//! other way at the very same moment, so that the body does not.

use nalgebra::Matrix4;

use super::animation::Tracks;
use super::fault::Fault;
use super::target::under;
use super::track::{Interpolation, Key, Keys, Track};
use super::window::Window;
use holonomy::lie::Pose;

/// Which pieces of the source are played, one after the other.
#[derive(Debug)]
pub(super) struct Schedule {
    /// Time of the first key of the new clip, seconds.
    pub begin: f64,
    /// Steps of the window's `dt` that the new clip lasts.
    pub steps: usize,
    /// Whether the source's own keys do: all of it, once, at the same times.
    pub as_is: bool,
    /// How long before a frame something jumps that has jumped at that frame, seconds: far less than a frame, and more than the
    /// rounding of times.
    margin: f64,
}

impl Schedule {
    /// `steps` steps of the clip in `window`. New keys begin at 0, so that loops are exact also where the source begins later.
    pub fn new(tracks: &Tracks, window: &Window, steps: usize) -> Self {
        let as_is = !tracks.closed && window.full && steps == window.steps && window.start.abs() < 1e-9;
        let rounding = 2.0 * f64::from(f32::EPSILON) * steps as f64 * window.dt;
        Schedule { begin: if as_is { window.start } else { 0.0 }, steps, as_is, margin: rounding.max(1e-3 * window.dt) }
    }

    /// The keys of a track over the whole new clip.
    pub fn shape(&self, window: &Window, track: &Track) -> Keys {
        let mut keys = Keys::default();
        let whole = track.piece(window.start, window.time(window.steps));
        let jumps = whole.jumps(&whole.keys[whole.keys.len() - 1], &whole.keys[0]);
        for from in (0..self.steps).step_by(window.steps) {
            let last = from + window.steps >= self.steps;
            let length = window.steps.min(self.steps - from);
            // Leave room for the jump that follows.
            let end = window.time(length) - if jumps && !last { 2.0 * self.margin } else { 0.0 };
            let mut piece = track.piece(window.start, end);
            if track.interpolation == Interpolation::Step {
                self.steps_off_frames(window, &mut piece);
            }
            keys.append(&piece, self.begin + from as f64 * window.dt - window.start, self.margin);
        }
        keys
    }

    /// A step at the time of a frame is before or after it by rounding only; keeps it on its side when times are rounded again.
    fn steps_off_frames(&self, window: &Window, piece: &mut Track) {
        let inner = 1..piece.times.len().saturating_sub(1);
        for time in piece.times.get_mut(inner).unwrap_or(&mut []) {
            let frame = window.start + ((*time - window.start) / window.dt).round() * window.dt;
            if (*time - frame).abs() < self.margin {
                *time = frame + if *time <= frame { -self.margin } else { self.margin };
            }
        }
    }

    /// Keys of a motion that does not jump, one a frame: translation, and rotation as x, y, z, w.
    pub fn frames(&self, window: &Window, poses: &[Pose]) -> (Keys, Keys) {
        let mut path = Path::default();
        for (k, pose) in poses.iter().enumerate() {
            path.push((self.begin + k as f64 * window.dt) as f32, pose);
        }
        (path.translation, path.rotation)
    }

    /// Keys of the world motion: translation, and rotation as x, y, z, w; signs such that neighbours are near.
    ///
    /// `world[k]` is the motion of frame k in the file's units and axes; `armature(t)` is the global transform of what the new
    /// node hangs on, at time `t` of the source.
    pub fn world(&self, window: &Window, world: &[Pose], armature: impl Fn(f64) -> Matrix4<f64>) -> Result<(Keys, Keys), Fault> {
        let mut path = Path::default();
        let local = |pose: &Pose, t: f64| under(&armature(t), pose);
        let back = window.closure.map(|closure| closure.inverse());
        for (k, pose) in world.iter().enumerate() {
            let time = self.begin + k as f64 * window.dt;
            let step = if window.loops { k % window.steps } else { k };
            let start = local(pose, window.time(step))?;
            if k == 0 || step > 0 {
                path.push(time as f32, &start);
                continue;
            }
            // The end of a loop: the source shows its end here, not its start.
            let end = local(&back.map_or(*pose, |back| *pose * back), window.time(window.steps))?;
            match (k + 1 == world.len(), near(&start, &end)) {
                (true, _) => path.push(time as f32, &end),
                (false, true) => path.push(time as f32, &start),
                (false, false) => {
                    path.push((time - 2.0 * self.margin) as f32, &end);
                    path.push((time - self.margin) as f32, &start);
                    path.push(time as f32, &start);
                }
            }
        }
        Ok((path.translation, path.rotation))
    }
}

fn near(a: &Pose, b: &Pose) -> bool {
    let scale = a.translation.norm().max(b.translation.norm());
    a.rotation.angle_to(&b.rotation) < 1e-7 && (a.translation - b.translation).norm() <= 1e-7 * scale
}

#[derive(Default)]
struct Path {
    translation: Keys,
    rotation: Keys,
    last: Option<[f64; 4]>,
}

impl Path {
    fn push(&mut self, time: f32, pose: &Pose) {
        let key = |value: Vec<f64>| Key { incoming: Vec::new(), value, outgoing: Vec::new() };
        let q = pose.rotation.coords; // x, y, z, w
        let mut q = [q.x, q.y, q.z, q.w];
        let dot = self.last.map_or(q[3], |last| last.iter().zip(q).map(|(a, b)| a * b).sum());
        if dot < 0.0 {
            q = q.map(|x| -x);
        }
        self.last = Some(q);
        self.translation.push(time, key(pose.translation.as_slice().to_vec()));
        self.rotation.push(time, key(q.to_vec()));
    }
}
