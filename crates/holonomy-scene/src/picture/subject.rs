//! What a picture is of: the bodies of a motion, or anything else that can show its triangles at a frame.

use holonomy::lie::Pose;
use holonomy::motion::{Matter, Motion, Scenery, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};

use super::mesh::PosedMesh;
use super::props::{Prop, PropKind};
use crate::Error;
use crate::looks::flesh::Flesh;
use crate::looks::joints::joint_poses;
use crate::looks::mesh::{MovingMesh, Painted};
use crate::looks::{Color, Detail, Looks, body_size, moving_mesh, radius};

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
    /// What stands still around it.
    fn scenery(&self) -> Vec<Prop> {
        Vec::new()
    }
    /// What is around it and moves, at `frame`: water, food. It is shown once, however often the subject is.
    fn around(&self, _frame: usize) -> Vec<Prop> {
        Vec::new()
    }
}

/// How one body of a motion is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drawn<'a> {
    /// Colour and thickness.
    pub looks: Looks,
    /// Instead of its colour, one per vertex: rows × vertices, where the rows are the motion's frames, the shape's frames, or one row for all.
    pub vertex_colors: Option<&'a [Color]>,
    /// Instead of its colour, and where there are none per vertex: one per face of a surface.
    pub face_colors: Option<&'a [Color]>,
    /// Where in a picture each vertex is: to the right and down, each 0 to 1. For the file: whoever opens it may put a picture there.
    pub texture: Option<&'a [[f32; 2]]>,
}

impl From<Looks> for Drawn<'_> {
    fn from(looks: Looks) -> Self {
        Drawn { looks, ..Drawn::default() }
    }
}

impl Drawn<'_> {
    /// Refuses colours of faces that are not one per face, or not 0 to 1.
    pub(crate) fn check_faces(&self, track: &Track) -> Result<(), String> {
        let Some(colors) = self.face_colors else { return Ok(()) };
        let faces = if let Topology::Surface { faces } = track.shape.topology() { faces.len() } else { 0 };
        if colors.len() != faces {
            return Err(format!("{} colours of faces, but it has {faces} faces", colors.len()));
        }
        match colors.iter().position(|color| !color.iter().all(|x| (0.0..=1.0).contains(x))) {
            Some(face) => Err(format!("the colour of face {face} is {:?}, but must be three numbers from 0 to 1", colors[face])),
            None => Ok(()),
        }
    }
}

/// The bodies of a motion, placed by their tracks.
pub struct BodiesInMotion<'a> {
    bodies: Vec<Body<'a>>,
    /// Water and food.
    around: Vec<(Matter, Body<'a>)>,
    scenery: &'a [Scenery],
    dt: f64,
    frames: usize,
}

struct Body<'a> {
    clip: &'a Clip,
    poses: &'a [Pose],
    looks: Looks,
    vertex_colors: Option<&'a [Color]>,
    face_colors: Option<&'a [Color]>,
    seen: Seen<'a>,
    /// How far its triangles may reach beyond its vertices, metres.
    reach: f64,
}

/// What is seen of a body.
enum Seen<'a> {
    /// A rig's limbs.
    Flesh(Flesh),
    /// The surface itself; the picture finds its creases.
    Surface,
    /// A curve's tube or balls at points, and for each corner the vertex it stands for.
    Solid(Box<dyn MovingMesh + 'a>, Vec<u32>),
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
        let (mut frames, mut bodies, mut around) = (usize::MAX, Vec::new(), Vec::new());
        let about = motion.bodies();
        for (i, (track, drawn)) in motion.tracks.iter().zip(drawn).enumerate() {
            let drawn = &drawn.of_matter(track.matter);
            if let Some(k) = track.poses.iter().position(|pose| !pose.is_finite()) {
                return Err(Error::Choice(format!(
                    "track \"{}\", frame {k}: the pose is not finite; nothing can be drawn there",
                    track.name
                )));
            }
            frames = frames.min(track.poses.len());
            check(track, drawn)?;
            let body = Body::new(track, drawn);
            if about.contains(&i) { bodies.push(body) } else { around.push((track.matter, body)) }
        }
        for piece in &motion.scenery {
            piece.validate().map_err(|error| Error::Choice(format!("scenery \"{}\" cannot be drawn: {error}", piece.name)))?;
        }
        if frames == 0 {
            return Err(Error::Choice("the motion has no frames, so there is nothing to draw".into()));
        }
        Ok(BodiesInMotion { bodies, around, scenery: &motion.scenery, dt: motion.dt, frames })
    }
}

impl<'a> Body<'a> {
    fn new(track: &'a Track, &Drawn { looks, vertex_colors, face_colors, .. }: &Drawn<'a>) -> Self {
        let (clip, poses) = (&track.shape, track.poses.as_slice());
        let size = body_size(clip);
        let (seen, reach) = match clip.topology() {
            Topology::Rig(rig) => {
                let flesh = Flesh::new(clip, rig, size, &looks);
                let reach = flesh.reach;
                (Seen::Flesh(flesh), reach)
            }
            Topology::Surface { .. } => (Seen::Surface, 0.0),
            Topology::Curve { .. } | Topology::Points => {
                let mesh = moving_mesh(clip, &looks, size, Detail::Picture);
                let sources = mesh.sources();
                (Seen::Solid(mesh, sources), radius(clip, &looks, size))
            }
        };
        Body { clip, poses, looks, vertex_colors, face_colors, seen, reach: 1.3 * reach }
    }

    fn placed(&self, frame: usize) -> Vec<Vector3<f64>> {
        let pose = self.pose(frame);
        self.clip.frame(frame).iter().map(|p| pose.act(p)).collect()
    }

    fn pose(&self, frame: usize) -> Pose {
        self.poses[frame.min(self.poses.len() - 1)]
    }

    /// Its triangles.
    fn mesh(&self, frame: usize) -> PosedMesh {
        let (pose, color) = (self.pose(frame), self.looks.color);
        match (&self.seen, self.clip.topology()) {
            (Seen::Flesh(flesh), Topology::Rig(rig)) => {
                let joints: Vec<Pose> = joint_poses(self.clip, rig, frame).iter().map(|joint| pose * *joint).collect();
                let (positions, normals) = flesh.posed(&joints);
                let colors = flesh.colors.iter().map(|own| own.unwrap_or(color)).collect();
                let mesh = PosedMesh { positions, normals, colors, triangles: flesh.solid.faces.clone(), color };
                self.painted(mesh, &flesh.follows.iter().map(|follows| follows.joints[0] as u32).collect::<Vec<_>>(), frame)
            }
            (Seen::Solid(mesh, sources), _) => {
                let shown = mesh.frame(self.clip.stored_frame(frame));
                let positions = shown.positions.iter().map(|p| pose.act(p)).collect();
                let normals = shown.normals.iter().map(|n| pose.rotation * n).collect();
                self.painted(
                    PosedMesh { positions, normals, triangles: mesh.faces().to_vec(), color, ..Default::default() },
                    sources,
                    frame,
                )
            }
            (_, Topology::Surface { faces }) => {
                let (mesh, sources) = PosedMesh::from_surface_with_sources(&self.placed(frame), faces, color);
                match self.face_colors {
                    Some(colors) if self.vertex_colors.is_none() => in_colors(mesh, colors),
                    _ => self.painted(mesh, &sources, frame),
                }
            }
            _ => PosedMesh::default(),
        }
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
            if rows == 1 {
                // These are its own colours, which its path shows too.
                mesh.color = [0, 1, 2].map(|i| colors.iter().map(|color| color[i]).sum::<f64>() / n as f64);
            }
        }
        mesh
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
        self.bodies.iter().map(|body| body.reach).fold(0.0, f64::max)
    }
    fn meshes(&self, frame: usize) -> Vec<PosedMesh> {
        self.bodies.iter().map(|body| body.mesh(frame)).collect()
    }
    fn vertices(&self, frame: usize) -> Vec<Vec<Vector3<f64>>> {
        self.bodies.iter().map(|body| body.placed(frame)).collect()
    }
    fn scenery(&self) -> Vec<Prop> {
        self.scenery.iter().map(Prop::new).collect()
    }
    fn around(&self, frame: usize) -> Vec<Prop> {
        let prop = |(matter, body): &(Matter, Body)| Prop { kind: PropKind::of(*matter), mesh: body.mesh(frame) };
        self.around.iter().map(prop).collect()
    }
}

/// A mesh whose faces have these colours.
fn in_colors(mesh: PosedMesh, colors: &[Color]) -> PosedMesh {
    let painted = Painted::new(&mesh.triangles, colors);
    let (positions, normals) = (painted.spread(&mesh.positions), painted.spread(&mesh.normals));
    PosedMesh { positions, normals, colors: painted.colors, triangles: painted.faces, color: mesh.color }
}

fn check(track: &Track, drawn: &Drawn) -> Result<(), Error> {
    let (name, clip, motion_frames) = (&track.name, &track.shape, track.poses.len());
    if let Some(t) = drawn.looks.thickness
        && !(t > 0.0 && t.is_finite())
    {
        return Err(Error::Choice(format!("body {name} of the picture: thickness is {t}, but must be a positive number of metres")));
    }
    drawn.check_faces(track).map_err(|problem| Error::Choice(format!("body {name} of the picture: {problem}")))?;
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
