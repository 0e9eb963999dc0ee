//! What a picture is of: the bodies of a motion, or anything else that can show its triangles at a frame.

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};

use super::Color;
use super::mesh::PosedMesh;
use super::solids::Solid;
use crate::Error;
use crate::export::flesh::Flesh;
use crate::export::rig::joint_poses;
use crate::export::{Looks, gltf::body_size};

/// Something that moves and can be drawn. [`BodiesInMotion`] is one; a result read back from a file can be another.
pub trait Subject: Sync {
    /// Number of frames, at least 1.
    fn frames(&self) -> usize;
    /// Seconds from one frame to the next.
    fn dt(&self) -> f64;
    /// Frames after which the shape repeats, if it does.
    fn period(&self) -> Option<usize> {
        None
    }
    /// The points that span the subject at `frame`, metres, world: what the camera and the choice of ghosts go by.
    fn points(&self, frame: usize) -> Vec<Vector3<f64>>;
    /// How far the triangles may reach beyond `points`, metres.
    fn reach(&self) -> f64;
    /// The triangles at `frame`.
    fn meshes(&self, frame: usize) -> Vec<PosedMesh>;
    /// For each body, the vertices a path may follow at `frame`, metres, world.
    fn vertices(&self, frame: usize) -> Vec<Vec<Vector3<f64>>>;
}

/// How one body of a motion is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drawn<'a> {
    /// Colour and thickness.
    pub looks: Looks,
    /// Instead of its colour, one per vertex: rows × vertices, where the rows are the motion's frames, the shape's frames, or one row for all.
    pub vertex_colors: Option<&'a [Color]>,
}

impl From<Looks> for Drawn<'_> {
    fn from(looks: Looks) -> Self {
        Drawn { looks, vertex_colors: None }
    }
}

/// The bodies of a motion, placed by their tracks.
#[derive(Debug, Clone)]
pub struct BodiesInMotion<'a> {
    bodies: Vec<Body<'a>>,
    dt: f64,
    frames: usize,
}

#[derive(Debug, Clone)]
struct Body<'a> {
    clip: &'a Clip,
    poses: &'a [Pose],
    looks: Looks,
    vertex_colors: Option<&'a [Color]>,
    /// What is seen of it, if it is a rig.
    flesh: Option<Flesh>,
}

impl<'a> BodiesInMotion<'a> {
    /// The bodies of `motion`; `drawn` has an entry for each of its tracks.
    ///
    /// # Errors
    /// No bodies or frames, more or fewer entries than tracks, colours that do not fit, or a number that is not finite.
    pub fn new(motion: &'a Motion, drawn: &[Drawn<'a>]) -> Result<Self, Error> {
        if motion.tracks.is_empty() {
            return Err(Error::Choice("nothing to draw: the picture has no bodies; give it at least one".into()));
        }
        if drawn.len() != motion.tracks.len() {
            let (have, told) = (motion.tracks.len(), drawn.len());
            return Err(Error::Choice(format!("the motion has {have} tracks, but {told} entries say how to draw them; give one for each")));
        }
        if !(motion.dt > 0.0 && motion.dt.is_finite()) {
            return Err(Error::Choice(format!("the motion's frame time is {} s, but must be a positive number", motion.dt)));
        }
        let (mut frames, mut bodies) = (usize::MAX, Vec::new());
        for (track, drawn) in motion.tracks.iter().zip(drawn) {
            if let Some(k) = track.poses.iter().position(|pose| !pose.is_finite()) {
                return Err(Error::Choice(format!(
                    "track \"{}\", frame {k}: the pose is not finite; nothing can be drawn there",
                    track.name
                )));
            }
            frames = frames.min(track.poses.len());
            check(track, drawn)?;
            let (clip, poses, Drawn { looks, vertex_colors }) = (&track.shape, track.poses.as_slice(), *drawn);
            bodies.push(Body { clip, poses, looks, vertex_colors, flesh: flesh(clip, &looks) });
        }
        if frames == 0 {
            return Err(Error::Choice("the motion has no frames, so there is nothing to draw".into()));
        }
        Ok(BodiesInMotion { bodies, dt: motion.dt, frames })
    }
}

impl Body<'_> {
    fn placed(&self, frame: usize) -> Vec<Vector3<f64>> {
        let pose = self.pose(frame);
        self.clip.frame(frame).iter().map(|p| pose.act(p)).collect()
    }

    fn pose(&self, frame: usize) -> Pose {
        self.poses[frame.min(self.poses.len() - 1)]
    }

    /// Radius of the solids drawn for shapes that have no surface, metres; zero for surfaces.
    fn radius(&self) -> f64 {
        let auto = || match self.clip.topology() {
            Topology::Surface { .. } | Topology::Rig(_) => 0.0,
            Topology::Curve { .. } => 0.034 * self.clip.body_length(),
            Topology::Points => (0.7 * typical_gap(self.clip.frame(0))).min(0.12 * self.clip.body_length()),
        };
        let diameter = self.looks.thickness.unwrap_or_else(auto);
        if diameter > 0.0 || matches!(self.clip.topology(), Topology::Surface { .. }) { 0.5 * diameter } else { 0.05 }
    }

    /// How far its triangles may reach beyond its vertices, metres.
    fn reach(&self) -> f64 {
        1.3 * self.flesh.as_ref().map_or_else(|| self.radius(), |flesh| flesh.reach)
    }

    /// Its triangles.
    fn mesh(&self, frame: usize) -> PosedMesh {
        let color = self.looks.color;
        let (mesh, sources) = match (&self.flesh, self.clip.topology()) {
            (Some(flesh), Topology::Rig(rig)) => {
                let pose = self.pose(frame);
                let joints: Vec<Pose> = joint_poses(self.clip, rig, frame).iter().map(|joint| pose * *joint).collect();
                let (positions, normals) = flesh.posed(&joints);
                let color = self.looks.figure.color().unwrap_or(color);
                let colors = flesh.colors.iter().map(|own| own.unwrap_or(color)).collect();
                let mesh = PosedMesh { positions, normals, colors, triangles: flesh.solid.faces.clone(), color };
                (mesh, flesh.follows.iter().map(|&j| j as u32).collect())
            }
            (_, Topology::Surface { faces }) => PosedMesh::from_surface_with_sources(&self.placed(frame), faces, color),
            _ => {
                let solid = self.solid(&self.placed(frame));
                (PosedMesh { color, ..solid.mesh }, solid.sources)
            }
        };
        self.painted(mesh, &sources, frame)
    }

    /// The mesh in the colours given per vertex, if there are any.
    fn painted(&self, mut mesh: PosedMesh, sources: &[u32], frame: usize) -> PosedMesh {
        if let Some(colors) = self.vertex_colors {
            let n = self.clip.vertices();
            let rows = colors.len() / n;
            let row = if rows == 1 {
                0
            } else if rows == self.clip.frames() {
                self.clip.stored_frame(frame)
            } else {
                frame.min(rows - 1)
            };
            mesh.colors = sources.iter().map(|&v| colors[row * n + v as usize]).collect();
        }
        mesh
    }

    fn solid(&self, points: &[Vector3<f64>]) -> Solid {
        let mut solid = Solid::default();
        let radius = self.radius();
        match self.clip.topology() {
            Topology::Curve { closed } => {
                let last = points.len().saturating_sub(1).max(1) as f64;
                let (fine, place) = refined(points, *closed);
                let swell = |i: usize| radius * self.looks.taper.at(place[i] / last);
                let sides = if points.len() > 400 { 10 } else { 22 };
                let first = solid.sources.len();
                solid.tube(&fine, *closed, sides, swell);
                let source = |i: u32| (place[i as usize].round() as u32) % points.len() as u32;
                solid.sources[first..].iter_mut().for_each(|s| *s = source(*s));
            }
            _ => {
                let sides = if points.len() > 2000 {
                    8
                } else if points.len() > 300 {
                    12
                } else {
                    24
                };
                points.iter().enumerate().for_each(|(i, p)| solid.ball(*p, radius, sides, i));
            }
        }
        solid
    }
}

/// What is seen of a rig.
fn flesh(clip: &Clip, looks: &Looks) -> Option<Flesh> {
    match clip.topology() {
        Topology::Rig(rig) => Some(Flesh::new(clip, rig, body_size(clip), looks.figure, looks.thickness)),
        _ => None,
    }
}

impl Subject for BodiesInMotion<'_> {
    fn frames(&self) -> usize {
        self.frames
    }
    fn dt(&self) -> f64 {
        self.dt
    }
    fn period(&self) -> Option<usize> {
        let period = |body: &Body| (body.clip.playback() == Playback::Loop).then(|| body.clip.frames());
        let first = self.bodies.first().and_then(period);
        first.filter(|_| self.bodies.iter().all(|body| period(body) == first))
    }
    fn points(&self, frame: usize) -> Vec<Vector3<f64>> {
        self.bodies.iter().flat_map(|body| body.placed(frame)).collect()
    }
    fn reach(&self) -> f64 {
        self.bodies.iter().map(Body::reach).fold(0.0, f64::max)
    }
    fn meshes(&self, frame: usize) -> Vec<PosedMesh> {
        self.bodies.iter().map(|body| body.mesh(frame)).collect()
    }
    fn vertices(&self, frame: usize) -> Vec<Vec<Vector3<f64>>> {
        self.bodies.iter().map(|body| body.placed(frame)).collect()
    }
}

fn check(track: &Track, drawn: &Drawn) -> Result<(), Error> {
    let (name, clip, motion_frames) = (&track.name, &track.shape, track.poses.len());
    if let Some(t) = drawn.looks.thickness
        && !(t > 0.0 && t.is_finite())
    {
        return Err(Error::Choice(format!("body {name} of the picture: thickness is {t}, but must be a positive number of metres")));
    }
    let Some(colors) = drawn.vertex_colors else { return Ok(()) };
    let (n, rows) = (clip.vertices(), colors.len() / clip.vertices());
    if rows * n != colors.len() || ![motion_frames, clip.frames(), 1].contains(&rows) {
        let (found, frames) = (colors.len(), clip.frames());
        return Err(Error::Choice(format!(
            "body {name} of the picture: {found} vertex colours for {n} vertices; give {n}, {n} × {frames} (the shape's frames) or {n} × {motion_frames} (the motion's)"
        )));
    }
    match colors.iter().position(|c| !c.iter().all(|x| x.is_finite())) {
        Some(at) => {
            Err(Error::Choice(format!("body {name} of the picture: the colour of vertex {}, row {}, is not finite", at % n, at / n)))
        }
        None => Ok(()),
    }
}

/// A curve with points added between those given, so that its bends look round (Catmull and Rom 1974), and where each point lies
/// between the given ones. Corners sharper than 40 degrees stay corners.
fn refined(points: &[Vector3<f64>], closed: bool) -> (Vec<Vector3<f64>>, Vec<f64>) {
    let n = points.len();
    let pieces = if n < 3 { 1 } else { (260 / n).clamp(1, 4) };
    let edges = holonomy::shape::curve::edge_count(n, closed);
    let at = |i: isize| if closed { points[i.rem_euclid(n as isize) as usize] } else { points[i.clamp(0, n as isize - 1) as usize] };
    let bends = |i: isize| {
        let (a, b) = (at(i) - at(i - 1), at(i + 1) - at(i));
        a.dot(&b) < 0.77 * (a.norm() * b.norm())
    };
    let (mut fine, mut place) = (Vec::new(), Vec::new());
    for i in 0..edges as isize {
        let (p, q) = (at(i), at(i + 1));
        let smooth = !bends(i) && !bends(i + 1);
        let (start, end) = ((q - at(i - 1)) * 0.5, (at(i + 2) - p) * 0.5);
        for k in 0..pieces {
            let t = k as f64 / pieces as f64;
            let (t2, t3) = (t * t, t * t * t);
            let curve = p * (2.0 * t3 - 3.0 * t2 + 1.0) + start * (t3 - 2.0 * t2 + t) + q * (3.0 * t2 - 2.0 * t3) + end * (t3 - t2);
            fine.push(if smooth { curve } else { p.lerp(&q, t) });
            place.push(i as f64 + t);
        }
    }
    if !closed || edges < n {
        fine.push(points[n - 1]);
        place.push((n - 1) as f64);
    }
    (fine, place)
}

/// A typical distance from a point to its nearest neighbour (median over at most 200 of them), metres.
fn typical_gap(points: &[Vector3<f64>]) -> f64 {
    let stride = points.len().div_ceil(200).max(1);
    let mut gaps: Vec<f64> = (0..points.len())
        .step_by(stride)
        .map(|i| {
            let others = points.iter().enumerate().filter(|(j, _)| *j != i);
            others.map(|(_, q)| (q - points[i]).norm()).fold(f64::INFINITY, f64::min)
        })
        .filter(|gap| gap.is_finite() && *gap > 0.0)
        .collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(0.0)
}
