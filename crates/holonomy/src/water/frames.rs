//! The surface over time, to be seen: who has water in a run keeps a frame of it now and then, and has a track in the end.

use nalgebra::Vector3;

use super::WaterState;
use crate::Error;
use crate::motion::{Matter, Scenery, Track};
use crate::shape::{Clip, Playback, Topology};

/// Frames of a water surface, each a grid of points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceFrames {
    /// Height at which the water rests, metres: what is shown where a pillar stands.
    level: f64,
    /// Points along x and z, at most.
    most: [usize; 2],
    counts: [usize; 2],
    points: Vec<Vector3<f64>>,
    frames: usize,
}

impl SurfaceFrames {
    /// No frames yet, of water that rests at `level` metres; along x and z at most `most` points are kept.
    pub fn new(level: f64, most: [usize; 2]) -> SurfaceFrames {
        SurfaceFrames { level, most, counts: [0; 2], points: Vec::new(), frames: 0 }
    }

    /// Keeps the surface as it is.
    pub fn keep(&mut self, sea: &WaterState) {
        let cells = sea.cells();
        self.counts = [0, 1].map(|axis| cells[axis].clamp(2, self.most[axis].max(2)));
        let (origin, cell) = (sea.origin(), sea.cell_size());
        for j in 0..self.counts[1] {
            for i in 0..self.counts[0] {
                let at = |axis: usize, k: usize| {
                    origin[axis] + cell * (0.5 + (cells[axis] - 1) as f64 * k as f64 / (self.counts[axis] - 1) as f64)
                };
                let (x, z) = (at(0, i), at(1, j));
                self.points.push(Vector3::new(x, sea.height(x, z, self.level), z));
            }
        }
        self.frames += 1;
    }

    /// The track of what was kept, `dt` seconds apart; none if nothing was.
    ///
    /// # Errors
    /// A time between frames that is not positive.
    pub fn track(self, dt: f64) -> Result<Option<Track>, Error> {
        if self.frames == 0 {
            return Ok(None);
        }
        let [columns, rows] = self.counts;
        let seen = Scenery::height_field("water", [[0.0, 0.0], [1.0, 1.0]], [columns, rows], |_, _| 0.0);
        let clip = Clip::new(Topology::Surface { faces: seen.faces }, Playback::Once, dt, columns * rows, self.points)?;
        Ok(Some(Track::around("water", Matter::Water, clip, self.frames)))
    }
}
