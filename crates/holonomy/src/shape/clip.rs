//! A clip: one shape over time, with one topology.

use std::sync::Arc;

use nalgebra::{UnitQuaternion, Vector3};

use super::bounds::{bounds, diagonal};
use super::mass::{self, MassRule};
use super::rig::Rig;
use crate::Error;
use crate::lie::Pose;

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

/// One shape over time: positions as frames × vertices, contiguous, at a uniform frame time. It never changes, so that copies share their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    topology: Arc<Topology>,
    playback: Playback,
    /// Seconds from one frame to the next.
    dt: f64,
    vertices: usize,
    /// frames × vertices, metres, in the shape's own frame.
    positions: Arc<Vec<Vector3<f64>>>,
    /// For rigs, frames × joints: orientation of each joint in the shape's own frame. Empty when not known.
    orientations: Arc<Vec<UnitQuaternion<f64>>>,
}

/// One shape: a frame of a clip, or one that has just come in.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// How its vertices hang together.
    pub topology: &'a Arc<Topology>,
    /// Vertices in the shape's own frame, metres.
    pub points: &'a [Vector3<f64>],
    /// How the joints of a rig are turned, where that is known.
    pub joints: Option<JointTurns<'a>>,
    /// Weight of each vertex in this shape, where weights are given.
    pub weights: Option<&'a [f64]>,
}

/// How the joints of a rig are turned, now and in the first shape.
#[derive(Debug, Clone, Copy)]
pub struct JointTurns<'a> {
    /// Vertices of the first shape, metres.
    pub first_points: &'a [Vector3<f64>],
    /// Orientations in the first shape.
    pub first: &'a [UnitQuaternion<f64>],
    /// Orientations in this one.
    pub now: &'a [UnitQuaternion<f64>],
}

impl<'a> Shape<'a> {
    /// The shape of these points, of which nothing else is known.
    pub fn new(topology: &'a Arc<Topology>, points: &'a [Vector3<f64>]) -> Self {
        Shape { topology, points, joints: None, weights: None }
    }

    /// Checks that the shape is sound.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        self.topology.validate(self.points.len())?;
        self.validate_like(self.topology, self.points.len())
    }

    /// Checks that the shape may follow one of this topology and so many vertices, which was sound.
    pub(crate) fn validate_like(&self, topology: &Arc<Topology>, vertices: usize) -> Result<(), Error> {
        if self.points.len() != vertices {
            return Err(Error::TopologyChanges { frame: 0, expected: vertices, found: self.points.len() });
        }
        if !Arc::ptr_eq(self.topology, topology) && self.topology != topology {
            let reason = "its vertices hang together in another way than those of the shape before";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        if let Some(JointTurns { first_points, first, now }) = self.joints
            && let Some(&found) = [first_points.len(), first.len(), now.len()].iter().find(|&&len| len != vertices)
        {
            return Err(Error::Length { what: "joint orientations", expected: vertices, found });
        }
        // Without a branch per vertex, several at once.
        let finite = |p: &Vector3<f64>| (p.x.abs() <= f64::MAX) & (p.y.abs() <= f64::MAX) & (p.z.abs() <= f64::MAX);
        if self.points.iter().fold(true, |all, p| all & finite(p)) {
            return Ok(());
        }
        let vertex = self.points.iter().position(|p| !finite(p)).unwrap_or(0);
        Err(Error::NonFinitePosition { frame: 0, vertex, value: self.points[vertex].into() })
    }
}

impl Clip {
    /// A clip from `positions` laid out as frames × vertices.
    ///
    /// # Errors
    /// No vertices or frames, a position that is not finite, a partial last frame, an index out of range, a bad `dt`.
    pub fn new(topology: Topology, playback: Playback, dt: f64, vertices: usize, positions: Vec<Vector3<f64>>) -> Result<Self, Error> {
        let clip =
            Clip { topology: Arc::new(topology), playback, dt, vertices, positions: Arc::new(positions), orientations: Arc::default() };
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
        self.orientations = Arc::new(orientations);
        Ok(self)
    }

    fn validate(&self) -> Result<(), Error> {
        if self.vertices == 0 {
            return Err(Error::Empty { what: "the shape", fix: "give it at least one vertex" });
        }
        if self.positions.is_empty() {
            return Err(Error::Empty { what: "the clip", fix: "give it at least one frame" });
        }
        Error::unless(self.dt > 0.0 && self.dt.is_finite(), "dt", self.dt, "a positive number of seconds")?;
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
    /// Steps from frame to frame, once through; a loop's last leads back to its start.
    pub fn steps(&self) -> usize {
        match self.playback {
            Playback::Once => self.frames() - 1,
            Playback::Loop => self.frames(),
        }
    }
    /// Seconds the clip lasts; for a loop, its period.
    pub fn duration(&self) -> f64 {
        self.steps() as f64 * self.dt
    }
    /// Positions of frame `k`, metres; a loop goes round.
    pub fn frame(&self, k: usize) -> &[Vector3<f64>] {
        let k = self.stored_frame(k);
        &self.positions[k * self.vertices..(k + 1) * self.vertices]
    }
    /// Frame `k` as a shape of its own, with the weights that `rule` gives for it.
    ///
    /// # Errors
    /// Given weights are neither as many as vertices nor as many as frames × vertices.
    pub fn shape<'a>(&'a self, k: usize, rule: &'a MassRule) -> Result<Shape<'a>, Error> {
        let weights = match (rule, self.topology()) {
            (MassRule::Given(given), Topology::Points | Topology::Curve { .. } | Topology::Surface { .. }) => {
                Some(mass::given_in_frame(given, self, k)?)
            }
            _ => None,
        };
        let turned = self.frame_orientations(0).zip(self.frame_orientations(k));
        let joints = turned.map(|(first, now)| JointTurns { first_points: self.frame(0), first, now });
        Ok(Shape { topology: &self.topology, points: self.frame(k), joints, weights })
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

    /// Of a motion of `frames` frames that plays this clip: the frame at the end of the last whole cycle, or the last frame.
    pub fn whole_cycles_end(&self, frames: usize) -> usize {
        let last = frames.saturating_sub(1);
        let whole = last / self.frames() * self.frames();
        if self.playback == Playback::Loop && whole > 0 { whole } else { last }
    }

    /// The same shapes, each placed by `pose`.
    pub fn moved_by(&self, pose: &Pose) -> Clip {
        self.with_positions(self.positions.iter().map(|p| pose.act(p)).collect(), |q| pose.rotation * q)
    }

    /// The same shapes, `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Clip {
        let mut clip = self.with_positions(self.positions.iter().map(|p| p * factor).collect(), |q| *q);
        if let Topology::Rig(rig) = self.topology()
            && let Some(skin) = &rig.skin
        {
            clip.topology = Arc::new(Topology::Rig(Rig { skin: Some(skin.scaled(factor)), ..rig.clone() }));
        }
        clip
    }

    /// The same clip played backwards; a loop still starts at its frame 0.
    pub fn reversed(&self) -> Clip {
        let n = self.frames();
        let order = |k: usize| match self.playback {
            Playback::Once => n - 1 - k,
            Playback::Loop => (n - k) % n,
        };
        let positions = (0..n).flat_map(|k| self.frame(order(k)).iter().copied()).collect();
        let orientations = (0..n).filter_map(|k| self.frame_orientations(order(k))).flatten().copied().collect();
        Clip { positions: Arc::new(positions), orientations: Arc::new(orientations), ..self.clone() }
    }

    /// The clip at `frames` frames that are `dt` seconds apart, from its start: a loop goes round, what ends stays at its end. Between two stored frames
    /// positions lie on a straight line, and joints turn evenly.
    ///
    /// # Errors
    /// `dt` is not a positive number, there are no frames, or so many that they would fill the memory.
    pub fn resampled(&self, playback: Playback, dt: f64, frames: usize) -> Result<Clip, Error> {
        let count = frames.saturating_mul(self.vertices);
        let expected = "at most a thousand million; ask for fewer frames";
        Error::unless(count <= 1_000_000_000, "number of frames times vertices", count as f64, expected)?;
        let (mut positions, mut orientations) = (Vec::with_capacity(count), Vec::new());
        for k in 0..frames {
            let (before, share) = self.between(k as f64 * dt);
            let (a, b) = (self.frame(before), self.frame(before + 1));
            positions.extend(a.iter().zip(b).map(|(a, b)| if share == 0.0 { *a } else { a.lerp(b, share) }));
            if let (Some(a), Some(b)) = (self.frame_orientations(before), self.frame_orientations(before + 1)) {
                orientations.extend(a.iter().zip(b).map(|(a, b)| a.try_slerp(b, share, 1e-12).unwrap_or(*a)));
            }
        }
        let clip = Clip {
            playback,
            dt,
            positions: Arc::new(positions),
            orientations: Arc::new(orientations),
            topology: Arc::clone(&self.topology),
            ..*self
        };
        clip.validate()?;
        Ok(clip)
    }

    /// The stored frame at `time` or before it, and how far `time` is on the way to the next, 0 to 1. What is no number is the start.
    pub fn between(&self, time: f64) -> (usize, f64) {
        let time = if time.is_finite() { time } else { 0.0 };
        let (x, last) = (time / self.dt, self.frames() - 1);
        let nearest = x.round();
        let x = if (x - nearest).abs() < 1e-9 * nearest.max(1.0) { nearest } else { x };
        match self.playback {
            Playback::Once if x >= last as f64 => (last, 0.0),
            Playback::Once => (x.max(0.0).floor() as usize, x.max(0.0).fract()),
            Playback::Loop => (x.floor().rem_euclid(self.frames() as f64) as usize, x - x.floor()),
        }
    }

    /// Centroid of the vertices of frame `k`, metres.
    pub fn centroid(&self, k: usize) -> Vector3<f64> {
        self.frame(k).iter().sum::<Vector3<f64>>() / self.vertices as f64
    }

    /// Diagonal of the box around frame 0, metres.
    pub fn size(&self) -> f64 {
        diagonal(self.frame(0))
    }

    /// The body's length, metres: along a curve its length, otherwise the longest side of the box around frame 0.
    pub fn body_length(&self) -> f64 {
        match *self.topology {
            Topology::Curve { closed } => super::curve::length(self.frame(0), closed),
            _ => bounds(self.frame(0)).map_or(0.0, |(low, high)| (high - low).max()),
        }
    }

    fn with_positions(&self, positions: Vec<Vector3<f64>>, turn: impl Fn(&UnitQuaternion<f64>) -> UnitQuaternion<f64>) -> Clip {
        let orientations = self.orientations.iter().map(turn).collect();
        Clip { positions: Arc::new(positions), orientations: Arc::new(orientations), ..self.clone() }
    }
}
