//! What is in a picture: the body at several times, paths, and scenery. The lowest entry to the renderer.

use holonomy::nalgebra::Vector3;

use super::mesh::PosedMesh;
use super::props::{Prop, PropKind, nearby};
use super::{Camera, clip};
use crate::Error;
use crate::looks::tube::{Curve, Cut, faces};
use crate::looks::{Color, linear};

/// All that is drawn, in world coordinates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneGeometry {
    /// The subject at several times, oldest first.
    pub ghosts: Vec<Ghost>,
    /// Lines drawn as thin threads.
    pub paths: Vec<PathLine>,
    /// What is around.
    pub scenery: Vec<Prop>,
    /// A ghost is drawn over an older one that stands no more than this in front of it, metres: keeps crossings readable.
    pub overtake: f64,
}

/// The subject at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Ghost {
    /// Seconds.
    pub time: f64,
    /// 1: fully there; towards 0 it fades into the background.
    pub presence: f64,
    /// Its triangles.
    pub meshes: Vec<PosedMesh>,
}

/// The path of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PathLine {
    /// Where it was, metres, world.
    pub points: Vec<Vector3<f64>>,
    /// Its colour.
    pub color: Color,
}

/// Triangles in the camera's own axes (right, up, towards the eye), with the distance to the middle of the scene as the unit.
#[derive(Debug, Default)]
pub struct Prepared {
    /// Vertex positions.
    pub position: Vec<[f32; 3]>,
    /// Unit vertex normals.
    pub normal: Vec<[f32; 3]>,
    /// Vertex colours, linear.
    pub albedo: Vec<[f32; 3]>,
    /// Vertex numbers of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// The part each triangle belongs to.
    pub part_of: Vec<u32>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Things no farther than this above a body do not shade it: ghosts that run through one another leave no blots.
    pub overlap: f32,
}

/// A mesh, a path or a piece of scenery.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// How much of it is there, 0 to 1.
    pub presence: f32,
    /// What it does to light.
    pub matter: Matter,
    /// How far in front of its true place it counts as standing when it is decided what hides what.
    pub ahead: f32,
}

/// What a part does to light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matter {
    /// Takes light and throws shadows.
    Body,
    /// The same, but may reach far out of the picture.
    Fixed,
    /// Takes light and lets it through.
    Veil,
    /// The same, but mirrors the sky, and hides the more the deeper it is.
    Water,
    /// Has its colour, whatever the light: a path.
    Thread,
}

impl Matter {
    /// Whether it takes light.
    pub fn is_lit(self) -> bool {
        self != Matter::Thread
    }

    /// Whether what is behind it is seen too.
    pub fn is_clear(self) -> bool {
        matches!(self, Matter::Veil | Matter::Water)
    }

    /// Whether it throws shadows.
    pub fn throws_shadows(self) -> bool {
        matches!(self, Matter::Body | Matter::Fixed)
    }
}

/// Half the width of a path, pixels of a picture 720 high.
const PATH_RADIUS: f64 = 1.15;

impl SceneGeometry {
    /// What the camera frames: every vertex and path point, and the scenery nearby, metres, world.
    pub fn framed(&self) -> Vec<Vector3<f64>> {
        let mut points = self.points();
        points.extend(nearby(&self.scenery, &points));
        points
    }

    /// Every vertex and path point, metres, world; none of the scenery.
    pub fn points(&self) -> Vec<Vector3<f64>> {
        let meshes = self.ghosts.iter().flat_map(|g| &g.meshes).flat_map(|m| &m.positions);
        meshes.chain(self.paths.iter().flat_map(|p| &p.points)).copied().collect()
    }

    /// Refuses what cannot be drawn.
    ///
    /// # Errors
    /// Nothing to draw, lists that do not fit together, a number that is not finite.
    pub fn validate(&self) -> Result<(), Error> {
        if self.ghosts.iter().flat_map(|g| &g.meshes).all(|m| m.positions.is_empty()) {
            return Err(Error::Choice("nothing to draw: the scene has no vertices".into()));
        }
        for (g, ghost) in self.ghosts.iter().enumerate() {
            if let Some(m) = ghost.meshes.iter().position(|mesh| !mesh.is_sound()) {
                return Err(Error::Choice(format!(
                    "mesh {m} at {} s (ghost {g}) has a number that is not finite, or lists that do not fit together",
                    ghost.time
                )));
            }
        }
        if !self.scenery.iter().all(|prop| prop.mesh.is_sound()) {
            return Err(Error::Choice("a piece of scenery has a number that is not finite".into()));
        }
        let finite = self.paths.iter().flat_map(|p| &p.points).all(|p| p.iter().all(|x| x.is_finite()));
        if finite { Ok(()) } else { Err(Error::Choice("a path has a point that is not finite".into())) }
    }

    /// The triangles as the camera sees them; what is most present stands first, so that it wins where two coincide.
    pub(crate) fn prepare(&self, camera: &Camera, background: Color) -> Prepared {
        let mut prepared = Prepared { overlap: (self.overtake / camera.distance) as f32, ..Default::default() };
        for (i, ghost) in self.ghosts.iter().enumerate().rev() {
            let ahead = (i as f64 * self.overtake / camera.distance).min(0.2) as f32;
            let part = Part { presence: ghost.presence as f32, matter: Matter::Body, ahead };
            ghost.meshes.iter().for_each(|mesh| prepared.add(mesh, part, camera, background));
        }
        for path in &self.paths {
            let thread = path.thread(camera);
            prepared.add(&thread, Part { presence: 1.0, matter: Matter::Thread, ahead: 0.0 }, camera, background);
        }
        for prop in &self.scenery {
            let matter = match prop.kind {
                PropKind::Goal => Matter::Veil,
                PropKind::Water => Matter::Water,
                PropKind::Obstacle | PropKind::Ground | PropKind::Food => Matter::Fixed,
            };
            let first = prepared.triangles.len();
            prepared.add(&prop.mesh, Part { presence: 1.0, matter, ahead: 0.0 }, camera, background);
            clip::to_view(&mut prepared, first);
        }
        prepared
    }
}

impl PathLine {
    /// A tube of constant width in the picture.
    fn thread(&self, camera: &Camera) -> PosedMesh {
        let width = PATH_RADIUS * (camera.size[1] / 720.0).max(0.6);
        let mut kept: Vec<Vector3<f64>> = Vec::new();
        let mut last = [f64::INFINITY; 2];
        for (i, p) in self.points.iter().enumerate() {
            let [x, y, depth] = camera.project(p);
            let far = (x - last[0]).hypot(y - last[1]) > width || last[0].is_infinite();
            if depth > 0.02 * camera.distance && (far || i + 1 == self.points.len()) {
                kept.push(*p);
                last = [x, y];
            }
        }
        let start = kept.first().map(|p| camera.project(p));
        let far =
            |p: &Vector3<f64>| start.is_some_and(|[x, y, _]| (camera.project(p)[0] - x).hypot(camera.project(p)[1] - y) > 4.0 * width);
        if !kept.iter().any(far) {
            return PosedMesh { color: self.color, ..Default::default() };
        }
        let radii: Vec<f64> = kept.iter().map(|p| width / camera.pixels_per_metre(camera.project(p)[2])).collect();
        let cut = Cut { sides: 6, cap_rings: 1 };
        let mesh = Curve::new(&kept, false, &Vector3::x()).sweep(None, 0.0, &radii, &vec![0.0; radii.len()], cut);
        let triangles = faces(kept.len(), false, cut);
        PosedMesh { positions: mesh.positions, normals: mesh.normals, triangles, color: self.color, ..Default::default() }
    }
}

impl Prepared {
    fn add(&mut self, mesh: &PosedMesh, part: Part, camera: &Camera, background: Color) {
        let base = self.position.len() as u32;
        let turn = |v: &Vector3<f64>| [camera.right.dot(v) as f32, camera.up.dot(v) as f32, camera.back.dot(v) as f32];
        self.position.extend(mesh.positions.iter().map(|p| turn(&((p - camera.eye) / camera.distance))));
        self.normal.extend(mesh.normals.iter().map(turn));
        let fade = |c: &Color| linear([0, 1, 2].map(|i| background[i] + (c[i] - background[i]) * part.presence as f64));
        if mesh.colors.is_empty() {
            self.albedo.resize(self.position.len(), fade(&mesh.color));
        } else {
            self.albedo.extend(mesh.colors.iter().map(fade));
        }
        self.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + base)));
        self.part_of.resize(self.triangles.len(), self.parts.len() as u32);
        self.parts.push(part);
    }
}
