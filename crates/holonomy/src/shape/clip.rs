//! A clip: one shape over time, with one topology.

use nalgebra::{UnitQuaternion, Vector3};

use super::rig::Rig;
use crate::Error;

/// How the vertices of a shape hang together.
#[derive(Debug, Clone, PartialEq)]
pub enum Topology {
    /// Separate points.
    Points,
    /// One polyline through the vertices in order.
    Curve {
        /// Whether the last vertex is joined to the first.
        closed: bool,
    },
    /// Triangles, counter-clockwise seen from outside; several components and open borders are allowed.
    Surface {
        /// Vertex numbers of each triangle.
        faces: Vec<[u32; 3]>,
    },
    /// Joints and bones; the vertices are the joints.
    Rig(Rig),
}

impl Topology {
    fn validate(&self, vertices: usize) -> Result<(), Error> {
        let check = |what, index, vertex: usize| {
            if vertex < vertices { Ok(()) } else { Err(Error::VertexOutOfRange { what, index, vertex, vertices }) }
        };
        match self {
            Topology::Points | Topology::Curve { .. } => Ok(()),
            Topology::Surface { faces } => {
                faces.iter().enumerate().try_for_each(|(i, face)| face.iter().try_for_each(|&v| check("face", i, v as usize)))
            }
            Topology::Rig(rig) => rig.validate(vertices),
        }
    }
}

/// What happens after the last frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Playback {
    /// The clip ends. `frames` frames last `(frames - 1) dt`.
    #[default]
    Once,
    /// Frame 0 follows the last frame (it is not stored twice). `frames` frames last `frames * dt`.
    Loop,
}

/// One shape over time: positions as frames × vertices, contiguous, at a uniform frame time.
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    topology: Topology,
    playback: Playback,
    /// Seconds from one frame to the next.
    dt: f64,
    vertices: usize,
    /// frames × vertices, metres, in the shape's own frame.
    positions: Vec<Vector3<f64>>,
    /// For rigs, frames × joints: orientation of each joint in the shape's own frame. Empty when not known.
    orientations: Vec<UnitQuaternion<f64>>,
}

impl Clip {
    /// A clip from `positions` laid out as frames × vertices.
    ///
    /// # Errors
    /// No vertices or frames, a position that is not finite, a partial last frame, an index out of range, a bad `dt`.
    pub fn new(topology: Topology, playback: Playback, dt: f64, vertices: usize, positions: Vec<Vector3<f64>>) -> Result<Self, Error> {
        let clip = Clip { topology, playback, dt, vertices, positions, orientations: Vec::new() };
        clip.validate()?;
        Ok(clip)
    }

    /// Adds the orientation of each joint in each frame (frames × joints), which rigs need to be exported with their twist.
    ///
    /// # Errors
    /// The list is not frames × joints long.
    pub fn with_orientations(mut self, orientations: Vec<UnitQuaternion<f64>>) -> Result<Self, Error> {
        if orientations.len() != self.positions.len() {
            return Err(Error::Length { what: "joint orientations", expected: self.positions.len(), found: orientations.len() });
        }
        self.orientations = orientations;
        Ok(self)
    }

    fn validate(&self) -> Result<(), Error> {
        if self.vertices == 0 {
            return Err(Error::Empty { what: "the shape", fix: "give it at least one vertex" });
        }
        if self.positions.is_empty() {
            return Err(Error::Empty { what: "the clip", fix: "give it at least one frame" });
        }
        if !(self.dt > 0.0 && self.dt.is_finite()) {
            return Err(Error::Parameter { name: "dt", value: self.dt, expected: "a positive number of seconds" });
        }
        let partial = self.positions.len() % self.vertices;
        if partial != 0 {
            return Err(Error::TopologyChanges { frame: self.frames(), expected: self.vertices, found: partial });
        }
        if let Some(i) = self.positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(Error::NonFinitePosition { frame: i / self.vertices, vertex: i % self.vertices, value: self.positions[i].into() });
        }
        self.topology.validate(self.vertices)
    }

    /// How the vertices hang together.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
    /// Whether the clip repeats.
    pub fn playback(&self) -> Playback {
        self.playback
    }
    /// Seconds from one frame to the next.
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// Number of vertices (joints, for a rig).
    pub fn vertices(&self) -> usize {
        self.vertices
    }
    /// Number of stored frames.
    pub fn frames(&self) -> usize {
        self.positions.len() / self.vertices
    }
    /// Seconds the clip lasts; for a loop, its period.
    pub fn duration(&self) -> f64 {
        match self.playback {
            Playback::Once => (self.frames() - 1) as f64 * self.dt,
            Playback::Loop => self.frames() as f64 * self.dt,
        }
    }
    /// Positions of frame `k`, metres; a loop goes round.
    pub fn frame(&self, k: usize) -> &[Vector3<f64>] {
        let k = self.stored_frame(k);
        &self.positions[k * self.vertices..(k + 1) * self.vertices]
    }
    /// Joint orientations of frame `k`, if known.
    pub fn frame_orientations(&self, k: usize) -> Option<&[UnitQuaternion<f64>]> {
        let k = self.stored_frame(k);
        self.orientations.get(k * self.vertices..(k + 1) * self.vertices)
    }
    /// The stored frame shown as frame `k`: a loop goes round, a clip that ends stays at its end.
    pub fn stored_frame(&self, k: usize) -> usize {
        match self.playback {
            Playback::Once => k.min(self.frames() - 1),
            Playback::Loop => k % self.frames(),
        }
    }
}
