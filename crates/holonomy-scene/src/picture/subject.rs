//! What a picture is of: clips placed by a motion, or anything else that can show its triangles at a frame.

use holonomy::lie::Pose;
use holonomy::motion::Motion;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};

use super::mesh::PosedMesh;
use super::solids::Solid;
use super::{Color, PALETTE};
use crate::Error;
use crate::export::flesh::Flesh;
use crate::export::rig::joint_poses;
use crate::export::{Figure, Taper, gltf::body_size};

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

/// One body of a picture.
#[derive(Debug, Clone, Copy)]
pub struct PictureBody<'a> {
    /// Its shape over time.
    pub clip: &'a Clip,
    /// Which track of the motion places it.
    pub track: usize,
    /// Its colour.
    pub color: Color,
    /// Diameter of the tube of a curve, of the ball of a point, of a rig's limbs, metres; `None` picks one by the body's size or masses.
    pub thickness: Option<f64>,
    /// How a curve's tube swells along its length.
    pub taper: Taper,
    /// Who a rig is.
    pub figure: Figure,
    /// A colour per vertex: rows × vertices, where the rows are the motion's frames, the clip's frames, or one row for all.
    pub vertex_colors: Option<&'a [Color]>,
}

impl<'a> PictureBody<'a> {
    /// A body placed by `track`, in that track's colour of the palette.
    pub fn new(clip: &'a Clip, track: usize) -> Self {
        let color = PALETTE[track % PALETTE.len()];
        PictureBody { clip, track, color, thickness: None, taper: Taper::Uniform, figure: Figure::Plain, vertex_colors: None }
    }

    /// Radius of the solids drawn for shapes that have no surface, metres; zero for surfaces.
    fn radius(&self) -> f64 {
        let auto = || match self.clip.topology() {
            Topology::Surface { .. } | Topology::Rig(_) => 0.0,
            Topology::Curve { .. } => 0.034 * self.clip.body_length(),
            Topology::Points => (0.7 * typical_gap(self.clip.frame(0))).min(0.12 * self.clip.body_length()),
        };
        let diameter = self.thickness.unwrap_or_else(auto);
        if diameter > 0.0 || matches!(self.clip.topology(), Topology::Surface { .. }) { 0.5 * diameter } else { 0.05 }
    }
}

/// Clips placed by the tracks of a motion.
#[derive(Debug, Clone)]
pub struct BodiesInMotion<'a> {
    bodies: Vec<PictureBody<'a>>,
    /// Per body: what is seen of it, if it is a rig.
    flesh: Vec<Option<Flesh>>,
    motion: &'a Motion,
    frames: usize,
}

impl<'a> BodiesInMotion<'a> {
    /// Checks that bodies and motion fit together.
    ///
    /// # Errors
    /// No bodies, a track or colour that is not there, no frames, or a number that is not finite.
    pub fn new(bodies: &[PictureBody<'a>], motion: &'a Motion) -> Result<Self, Error> {
        if bodies.is_empty() {
            return Err(Error::Choice("nothing to draw: the picture has no bodies; give it at least one".into()));
        }
        if !(motion.dt > 0.0 && motion.dt.is_finite()) {
            return Err(Error::Choice(format!("the motion's frame time is {} s, but must be a positive number", motion.dt)));
        }
        let mut frames = usize::MAX;
        for (i, body) in bodies.iter().enumerate() {
            let Some(track) = motion.tracks.get(body.track) else {
                let have = motion.tracks.len();
                return Err(Error::Choice(format!("body {i} of the picture asks for track {}, but the motion has {have}", body.track)));
            };
            if let Some(k) = track.poses.iter().position(|pose| !pose.is_finite()) {
                return Err(Error::Choice(format!(
                    "track \"{}\", frame {k}: the pose is not finite; nothing can be drawn there",
                    track.name
                )));
            }
            frames = frames.min(track.poses.len());
            check_body(i, body, track.poses.len())?;
        }
        if frames == 0 {
            return Err(Error::Choice("the motion has no frames, so there is nothing to draw".into()));
        }
        let flesh = bodies.iter().map(flesh).collect();
        Ok(BodiesInMotion { bodies: bodies.to_vec(), flesh, motion, frames })
    }

    fn placed(&self, body: &PictureBody<'_>, frame: usize) -> Vec<Vector3<f64>> {
        let pose = self.motion.tracks[body.track].poses[frame.min(self.frames - 1)];
        body.clip.frame(frame).iter().map(|p| pose.act(p)).collect()
    }

    /// The triangles of a body.
    fn mesh(&self, body: &PictureBody<'_>, flesh: Option<&Flesh>, frame: usize) -> PosedMesh {
        let pose = self.motion.tracks[body.track].poses[frame.min(self.frames - 1)];
        let (mesh, sources) = match (flesh, body.clip.topology()) {
            (Some(flesh), Topology::Rig(rig)) => {
                let joints: Vec<Pose> = joint_poses(body.clip, rig, frame).iter().map(|joint| pose * *joint).collect();
                let (positions, normals) = flesh.posed(&joints);
                let color = body.figure.color().unwrap_or(body.color);
                let colors = flesh.colors.iter().map(|own| own.unwrap_or(color)).collect();
                let mesh = PosedMesh { positions, normals, colors, triangles: flesh.solid.faces.clone(), color };
                (mesh, flesh.follows.iter().map(|&j| j as u32).collect())
            }
            (_, Topology::Surface { faces }) => PosedMesh::from_surface_with_sources(&self.placed(body, frame), faces, body.color),
            _ => {
                let solid = build_solid(body, &self.placed(body, frame), body.radius());
                (PosedMesh { color: body.color, ..solid.mesh }, solid.sources)
            }
        };
        painted(mesh, &sources, body, frame)
    }
}

/// What is seen of a rig.
fn flesh(body: &PictureBody<'_>) -> Option<Flesh> {
    match body.clip.topology() {
        Topology::Rig(rig) => Some(Flesh::new(body.clip, rig, body_size(body.clip), body.figure, body.thickness)),
        _ => None,
    }
}

impl Subject for BodiesInMotion<'_> {
    fn frames(&self) -> usize {
        self.frames
    }
    fn dt(&self) -> f64 {
        self.motion.dt
    }
    fn period(&self) -> Option<usize> {
        let period = |body: &PictureBody<'_>| (body.clip.playback() == Playback::Loop).then(|| body.clip.frames());
        let first = self.bodies.first().and_then(period);
        first.filter(|_| self.bodies.iter().all(|body| period(body) == first))
    }
    fn points(&self, frame: usize) -> Vec<Vector3<f64>> {
        self.bodies.iter().flat_map(|body| self.placed(body, frame)).collect()
    }
    fn reach(&self) -> f64 {
        let radius = |(body, flesh): (&PictureBody<'_>, &Option<Flesh>)| flesh.as_ref().map_or_else(|| body.radius(), |flesh| flesh.reach);
        self.bodies.iter().zip(&self.flesh).map(|pair| 1.3 * radius(pair)).fold(0.0, f64::max)
    }
    fn meshes(&self, frame: usize) -> Vec<PosedMesh> {
        self.bodies.iter().zip(&self.flesh).map(|(body, flesh)| self.mesh(body, flesh.as_ref(), frame)).collect()
    }
    fn vertices(&self, frame: usize) -> Vec<Vec<Vector3<f64>>> {
        self.bodies.iter().map(|body| self.placed(body, frame)).collect()
    }
}

fn check_body(i: usize, body: &PictureBody<'_>, motion_frames: usize) -> Result<(), Error> {
    if let Some(t) = body.thickness
        && !(t > 0.0 && t.is_finite())
    {
        return Err(Error::Choice(format!("body {i} of the picture: thickness is {t}, but must be a positive number of metres")));
    }
    let Some(colors) = body.vertex_colors else { return Ok(()) };
    let (n, rows) = (body.clip.vertices(), colors.len() / body.clip.vertices());
    if rows * n != colors.len() || ![motion_frames, body.clip.frames(), 1].contains(&rows) {
        let (found, clip) = (colors.len(), body.clip.frames());
        return Err(Error::Choice(format!(
            "body {i} of the picture: {found} vertex colours for {n} vertices; give {n}, {n} × {clip} (the clip's frames) or {n} × {motion_frames} (the motion's)"
        )));
    }
    match colors.iter().position(|c| !c.iter().all(|x| x.is_finite())) {
        Some(at) => Err(Error::Choice(format!("body {i} of the picture: the colour of vertex {}, row {}, is not finite", at % n, at / n))),
        None => Ok(()),
    }
}

/// The mesh in the colours given per vertex, if there are any.
fn painted(mut mesh: PosedMesh, sources: &[u32], body: &PictureBody<'_>, frame: usize) -> PosedMesh {
    if let Some(colors) = body.vertex_colors {
        let n = body.clip.vertices();
        let rows = colors.len() / n;
        let row = if rows == 1 {
            0
        } else if rows == body.clip.frames() {
            body.clip.stored_frame(frame)
        } else {
            frame.min(rows - 1)
        };
        mesh.colors = sources.iter().map(|&v| colors[row * n + v as usize]).collect();
    }
    mesh
}

fn build_solid(body: &PictureBody<'_>, points: &[Vector3<f64>], radius: f64) -> Solid {
    let mut solid = Solid::default();
    match body.clip.topology() {
        Topology::Curve { closed } => {
            let last = points.len().saturating_sub(1).max(1) as f64;
            let (fine, place) = refined(points, *closed);
            let swell = |i: usize| radius * body.taper.at(place[i] / last);
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
