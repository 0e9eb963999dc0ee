//! The keys of the new clip: the shape, once or repeated, and the world motion, one key a frame.
//!
//! Where a loop begins again its channels may jump (a walk cycle that travels goes back to its start); the world motion jumps the
//! other way at the very same moment, so that the body does not.

use nalgebra::Matrix4;

use super::fault::Fault;
use super::sample::Window;
use super::target::under;
use super::track::{Key, Keys, Track, around_jump};
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
}

impl Schedule {
    /// `steps` steps of the clip in `window`. New keys begin at 0, so that loops are exact also where the source begins later.
    pub fn new(window: &Window, steps: usize) -> Self {
        let as_is = window.full && steps == window.steps && window.start.abs() < 1e-9;
        Schedule { begin: if as_is { window.start } else { 0.0 }, steps, as_is }
    }

    /// The keys of a track over the whole new clip.
    pub fn shape(&self, window: &Window, track: &Track) -> Keys {
        let mut keys = Keys::default();
        for from in (0..self.steps).step_by(window.steps) {
            let length = window.steps.min(self.steps - from);
            let piece = track.piece(window.start, window.time(length));
            keys.append(&piece, self.begin + from as f64 * window.dt - window.start);
        }
        keys
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
            let (before, after) = around_jump(time);
            match (k + 1 == world.len(), near(&start, &end)) {
                (true, _) => path.push(time as f32, &end),
                (false, true) => path.push(time as f32, &start),
                (false, false) => {
                    path.push(before, &end);
                    path.push(after, &start);
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
