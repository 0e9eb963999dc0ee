//! What a finished motion says about its stroke: which parts push and which hold back.

use nalgebra::Vector3;

use super::Flow;
use crate::Error;
use crate::medium::SurfaceForce;
use crate::motion::Track;
use crate::shape::{Clip, Pieces, Topology};

impl Flow {
    /// Share of each vertex in thrust and drag, N, as frames × vertices: the force of the fluid on it along the direction of net travel, a third of
    /// that on each of its faces. Positive pushes the body on, negative holds it back; frame 0 has the value of the step to come.
    ///
    /// `track` is what this job made of `clip`. The net travel is from frame 0 to the end of the last whole cycle.
    ///
    /// # Errors
    /// The clip is no surface, or there are no frames.
    pub fn thrust(&self, clip: &Clip, track: &Track) -> Result<Vec<f64>, Error> {
        let Topology::Surface { faces } = clip.topology() else {
            return Err(Error::Degenerate { frame: 0, reason: "a fluid pushes on surfaces only; give a triangle mesh" });
        };
        let (frames, n) = (track.poses.len(), clip.vertices());
        if frames == 0 || track.centers.len() != frames || track.twists.len() != frames {
            return Err(Error::Empty { what: "the motion", fix: "give one with at least one frame" });
        }
        let mut drag = SurfaceForce::of_pieces(&Pieces::of(clip.frame(0), faces)?.0);
        let way = track.centers[clip.whole_cycles_end(frames)] - track.centers[0];
        let ahead = way.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let mut thrust = vec![0.0; n * frames];
        let mut forces = Vec::new();
        if !self.lift_and_drag {
            return Ok(thrust);
        }
        for k in 1..frames {
            match clip.frames() {
                1 => drag.set_shape(clip.frame(0))?,
                _ => drag.set_moving_shape(clip.frame(k - 1), clip.frame(k), clip.dt())?,
            }
            drag.immerse(&self.fluids, &self.flow, &track.poses[k], k as f64 * clip.dt());
            drag.face_forces(&track.twists[k], &mut forces);
            let ahead = track.poses[k].rotation.inverse() * ahead;
            for (face, force) in faces.iter().zip(&forces) {
                face.iter().for_each(|&v| thrust[k * n + v as usize] += force.dot(&ahead) / 3.0);
            }
        }
        if frames > 1 {
            thrust.copy_within(n..2 * n, 0);
        }
        Ok(thrust)
    }
}
