//! What a finished motion says about its strokes: where the fluid pushes the body on, and where it holds it back.

use nalgebra::Vector3;

use super::Flow;
use crate::Error;
use crate::motion::Track;
use crate::shape::Clip;

impl Flow {
    /// Share of each vertex in thrust and drag, N, as frames × vertices: the force of the fluid on it along the direction of net travel.
    /// Positive pushes the body on, negative holds it back; each frame has the value of the step that led to it, frame 0 that of the step to come.
    ///
    /// `track` is what this job made of `clip`. A face shares its force out to its corners evenly.
    ///
    /// # Errors
    /// The track has not as many centres and twists as poses, or the clip is no body in flow.
    pub fn thrust(&self, clip: &Clip, track: &Track) -> Result<Vec<f64>, Error> {
        let n = clip.vertices();
        if let Some(found) = [track.centers.len(), track.twists.len()].into_iter().find(|found| *found != track.poses.len()) {
            return Err(Error::Length { what: "frames of the track", expected: track.poses.len(), found });
        }
        let travel = track.centers.last().zip(track.centers.first()).map_or_else(Vector3::zeros, |(last, first)| last - first);
        let ahead = travel.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let mut body = self.begin_clip(clip)?.body;
        let (mut thrust, mut forces) = (vec![0.0; n * track.poses.len()], Vec::new());
        if !self.lift_and_drag {
            return Ok(thrust);
        }
        for k in 1..track.poses.len() {
            let (time, dt, pose) = ((k - 1) as f64 * clip.dt(), clip.dt(), &track.poses[k]);
            body.aim_for((clip.frames() > 1).then(|| clip.frame(k)));
            // The end of the frame only, as short as parts that turn need it.
            let share = 0.1 / (body.part_rate(time, dt) * dt).max(0.1);
            body.take(1.0 - share, 1.0, time + (1.0 - share) * dt, share * dt)?;
            body.shape_drag()?;
            body.arrive();
            body.immerse(&self.fluids, &self.flow, pose, time + dt);
            body.drag.face_forces(&track.twists[k], &mut forces);
            let ahead = pose.rotation.inverse() * ahead;
            for (face, force) in body.faces().iter().zip(&forces) {
                face.iter().for_each(|&v| thrust[k * n + v as usize] += force.dot(&ahead) / 3.0);
            }
        }
        if track.poses.len() > 1 {
            thrust.copy_within(n..2 * n, 0);
        }
        Ok(thrust)
    }
}
