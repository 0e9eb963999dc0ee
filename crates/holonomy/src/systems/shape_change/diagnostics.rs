//! What a finished motion says about its stroke: which parts push and which are dragged, and how efficient it is.

use nalgebra::{Matrix3, Vector3};

use super::{Pull, ShapeChange};
use crate::Error;
use crate::lie::Pose;
use crate::medium::{Metric, MetricFrame, Sample};
use crate::motion::{Motion, Track};
use crate::shape::{Clip, MassRule, Shape, Topology};

impl ShapeChange {
    /// Share of each vertex in thrust and drag, N, as frames × vertices: the force of the medium on it along the direction of net travel.
    /// Positive pushes the body on, negative holds it back; each frame has the value of the step that led to it, frame 0 that of the step to come.
    ///
    /// `track` is what this job made of `clip`. The net travel is from frame 0 to the end of the last whole cycle; a motion without any has
    /// neither thrust nor drag. The forces on a bone are shared out to its two joints by the lever rule.
    ///
    /// # Errors
    /// The law has no drag, or the clip is not the motion's.
    pub fn thrust(&self, clip: &Clip, track: &Track) -> Result<Vec<f64>, Error> {
        let metric = self.drag_metric(clip)?;
        let (poses, n) = (poses(track)?, clip.vertices());
        let ahead = way(clip, track, 0).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let mut thrust = vec![0.0; n]; // frame 0, filled in below
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        metric.evaluate(clip, 0, &mut old)?;
        for (k, pair) in poses.windows(2).enumerate() {
            metric.evaluate(clip, k + 1, &mut new)?;
            thrust.resize(thrust.len() + n, 0.0);
            let from = (k + 1) * n;
            for (j, (before, after)) in old.samples().zip(new.samples()).enumerate() {
                let velocity = (pair[1].act(&after.point) - pair[0].act(&before.point)) / clip.dt();
                let force = (resist(&before, &pair[0], &velocity) + resist(&after, &pair[1], &velocity)) * -0.5;
                for (vertex, share) in shares(clip, k + 1, j, old.len(), &after) {
                    thrust[from + vertex] += share * force.dot(&ahead);
                }
            }
            std::mem::swap(&mut old, &mut new);
        }
        if thrust.len() > n {
            thrust.copy_within(n..2 * n, 0);
        }
        Ok(thrust)
    }

    /// Efficiency as of Lighthill: the power that would tow the mean shape, rigid, at the mean velocity, over the power lost to drag.
    ///
    /// Both are means over the last whole cycle, or over the whole motion of a clip that does not loop. The mean shape is the mean of the clip's
    /// shapes in their own frame; it is towed as the body is turned from frame to frame. `None` without drag, under a pull, if nothing is lost or
    /// the mean shape has no drag, and where towing would cost more than the stroke does (a body that lifts what it moves): there the mean
    /// shape is no measure.
    ///
    /// # Errors
    /// The clip is not the motion's.
    pub fn efficiency(&self, clip: &Clip, motion: &Motion) -> Result<Option<f64>, Error> {
        if self.law.drag().is_none() || self.pull != Pull::none() {
            return Ok(None);
        }
        let metric = self.drag_metric(clip)?;
        let track = motion.tracks.first().ok_or(NO_MOTION)?;
        let poses = poses(track)?;
        let (from, to) = last_cycle(clip, poses.len());
        if to == from {
            return Ok(None);
        }
        let steps = (to - from) as f64;
        let velocity = way(clip, track, from) / (steps * motion.dt);
        let lost = motion.tracks.first().and_then(|track| track.series("dissipation")?.get(from + 1..=to));
        let Some(lost) = lost.map(|values| values.iter().sum::<f64>() / steps) else { return Ok(None) };
        let Some(drag) = mean_shape_drag(&metric, clip, &self.masses) else { return Ok(None) };
        let tow = |pose: &Pose| {
            let body = pose.rotation.inverse() * velocity;
            body.dot(&(drag * body))
        };
        let towed = poses[from + 1..=to].iter().map(tow).sum::<f64>() / steps;
        Ok((lost > 0.0 && towed <= lost).then_some(towed / lost))
    }

    fn drag_metric(&self, clip: &Clip) -> Result<Metric, Error> {
        let no_drag = "this law has no drag, so there is no thrust; use least dissipation, or inertia and drag";
        self.physics(&clip.shape(0, &self.masses)?)?.drag.ok_or(Error::Degenerate { frame: 0, reason: no_drag })
    }
}

const NO_MOTION: Error = Error::Empty { what: "the motion", fix: "give one with at least one frame" };

fn poses(track: &Track) -> Result<&[Pose], Error> {
    if track.poses.is_empty() || track.centers.len() != track.poses.len() { Err(NO_MOTION) } else { Ok(&track.poses) }
}

/// First and last frame of the last whole cycle; of the whole motion, if there is no whole cycle.
fn last_cycle(clip: &Clip, frames: usize) -> (usize, usize) {
    let to = clip.whole_cycles_end(frames);
    (if to >= clip.frames() && to.is_multiple_of(clip.frames()) { to - clip.frames() } else { 0 }, to)
}

/// The way of the body's centre from frame `from` to the end of the last whole cycle, metres.
fn way(clip: &Clip, track: &Track, from: usize) -> Vector3<f64> {
    let centers = &track.centers;
    centers[clip.whole_cycles_end(centers.len())] - centers[from]
}

/// B_j v in the world.
fn resist(sample: &Sample, pose: &Pose, velocity: &Vector3<f64>) -> Vector3<f64> {
    pose.rotation * sample.times(&(pose.rotation.inverse() * velocity))
}

/// Which vertices bear the force at `sample`, number `j` of `samples` in frame `k`, and what share of it.
fn shares(clip: &Clip, k: usize, j: usize, samples: usize, sample: &Sample) -> [(usize, f64); 2] {
    let Topology::Rig(rig) = clip.topology() else { return [(j, 1.0), (j, 0.0)] };
    let bone = &rig.bones[j * rig.bones.len() / samples];
    let (from, to) = (clip.frame(k)[bone.from], clip.frame(k)[bone.to]);
    let squared = (to - from).norm_squared();
    let along = if squared > 0.0 { (sample.point - from).dot(&(to - from)) / squared } else { bone.center };
    [(bone.from, 1.0 - along), (bone.to, along)]
}

/// Σ B_j of the mean of the clip's shapes; `None` if that has no size.
fn mean_shape_drag(metric: &Metric, clip: &Clip, weights: &MassRule) -> Option<Matrix3<f64>> {
    let mut mean = vec![Vector3::zeros(); clip.vertices()];
    for k in 0..clip.frames() {
        mean.iter_mut().zip(clip.frame(k)).for_each(|(mean, p)| *mean += p / clip.frames() as f64);
    }
    let mut frame = MetricFrame::default();
    let shape = Shape { points: &mean, joints: None, ..clip.shape(0, weights).ok()? };
    metric.evaluate_shape(&shape, &mut frame).ok()?;
    Some(frame.samples().map(|sample| sample.matrix()).sum())
}
