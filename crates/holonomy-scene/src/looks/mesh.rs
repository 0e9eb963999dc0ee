//! Meshes that move: what morph targets are made from and what pictures show. A curve's is in [`tube`](super::tube); here are surfaces
//! and points.

use std::collections::HashMap;

use holonomy::nalgebra::Vector3;
use holonomy::shape::Clip;

use super::solids::{Solid, ball};
use super::{Color, Detail};
use crate::picture::PosedMesh;

/// One frame of a moving mesh.
#[derive(Debug, Clone, Default)]
pub struct MeshFrame {
    /// Vertex positions, metres, in the shape's own frame.
    pub positions: Vec<Vector3<f64>>,
    /// Unit vertex normals; empty if the mesh has no faces.
    pub normals: Vec<Vector3<f64>>,
}

/// A mesh with one topology whose vertices move.
pub trait MovingMesh: Sync {
    /// Positions and normals at stored frame `k` of the clip.
    fn frame(&self, k: usize) -> MeshFrame;
    /// Triangles; empty for bare points.
    fn faces(&self) -> &[[u32; 3]];
    /// Whether the normals change from frame to frame, beyond the world motion.
    fn normals_change(&self) -> bool;
    /// Whether the inside can be seen, so that both sides must be drawn.
    fn is_open(&self) -> bool;
    /// For each vertex of the mesh the vertex of the shape it stands for, so that its colour carries over.
    fn sources(&self) -> Vec<u32>;
    /// Colours of its own, one per vertex.
    fn colors(&self) -> Option<&[Color]> {
        None
    }
}

/// A surface as it is, with area-weighted vertex normals.
pub struct SurfaceMesh<'a> {
    clip: &'a Clip,
    faces: Vec<[u32; 3]>,
    open: bool,
}

impl<'a> SurfaceMesh<'a> {
    /// The mesh of a surface clip with these faces; faces that name a vertex twice have no area and are left out.
    pub fn new(clip: &'a Clip, faces: &[[u32; 3]]) -> Self {
        let faces: Vec<_> = faces.iter().copied().filter(|&[a, b, c]| a != b && b != c && c != a).collect();
        let open = has_border(&faces);
        SurfaceMesh { clip, faces, open }
    }
}

impl MovingMesh for SurfaceMesh<'_> {
    fn frame(&self, k: usize) -> MeshFrame {
        let positions = self.clip.frame(k).to_vec();
        MeshFrame { normals: vertex_normals(&positions, &self.faces), positions }
    }
    fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }
    fn normals_change(&self) -> bool {
        true
    }
    fn is_open(&self) -> bool {
        self.open
    }
    fn sources(&self) -> Vec<u32> {
        (0..self.clip.vertices() as u32).collect()
    }
}

/// A surface whose faces have colours: it has a vertex twice where two colours meet, or faces at an edge.
pub struct PaintedMesh<'a> {
    clip: &'a Clip,
    /// Faces that share a vertex if they are smooth there, whatever their colours; and the clip's vertex of each vertex.
    smooth: Vec<[u32; 3]>,
    sources: Vec<u32>,
    painted: Painted,
    open: bool,
}

impl<'a> PaintedMesh<'a> {
    /// The mesh of a surface clip with these faces and a colour for each of them. Edges are those of the first frame.
    pub fn new(clip: &'a Clip, faces: &[[u32; 3]], colors: &[Color]) -> Self {
        let sound = |&(&[a, b, c], _): &(&[u32; 3], &Color)| a != b && b != c && c != a;
        let (faces, colors): (Vec<[u32; 3]>, Vec<Color>) = faces.iter().zip(colors).filter(sound).unzip();
        let (mesh, sources) = PosedMesh::from_surface_with_sources(clip.frame(0), &faces, [0.0; 3]);
        let painted = Painted::new(&mesh.triangles, &colors);
        PaintedMesh { clip, smooth: mesh.triangles, sources, painted, open: has_border(&faces) }
    }
}

impl MovingMesh for PaintedMesh<'_> {
    fn frame(&self, k: usize) -> MeshFrame {
        let points = self.clip.frame(k);
        let positions: Vec<Vector3<f64>> = self.sources.iter().map(|&v| points[v as usize]).collect();
        let normals = vertex_normals(&positions, &self.smooth);
        MeshFrame { positions: self.painted.spread(&positions), normals: self.painted.spread(&normals) }
    }
    fn faces(&self) -> &[[u32; 3]] {
        &self.painted.faces
    }
    fn normals_change(&self) -> bool {
        true
    }
    fn is_open(&self) -> bool {
        self.open
    }
    fn sources(&self) -> Vec<u32> {
        self.painted.spread(&self.sources)
    }
    fn colors(&self) -> Option<&[Color]> {
        Some(&self.painted.colors)
    }
}

/// Faces in colours: each vertex has one, so those between colours are doubled.
pub(crate) struct Painted {
    pub faces: Vec<[u32; 3]>,
    /// Per vertex.
    pub colors: Vec<Color>,
    /// Per vertex, the one that it was.
    was: Vec<u32>,
}

impl Painted {
    /// A colour for each face.
    pub fn new(faces: &[[u32; 3]], colors: &[Color]) -> Painted {
        let mut known: HashMap<(u32, [u64; 3]), u32> = HashMap::new();
        let mut painted = Painted { faces: Vec::with_capacity(faces.len()), colors: Vec::new(), was: Vec::new() };
        for (face, color) in faces.iter().zip(colors) {
            let vertex = |v: u32| {
                *known.entry((v, color.map(f64::to_bits))).or_insert_with(|| {
                    painted.colors.push(*color);
                    painted.was.push(v);
                    painted.was.len() as u32 - 1
                })
            };
            painted.faces.push(face.map(vertex));
        }
        painted
    }

    /// What the vertices had before, for those of now.
    pub fn spread<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.was.iter().map(|&v| values[v as usize]).collect()
    }
}

/// Whether some edge does not lie between exactly two faces.
pub(crate) fn has_border(faces: &[[u32; 3]]) -> bool {
    let key = |u: u32, v: u32| u64::from(u.min(v)) << 32 | u64::from(u.max(v));
    let mut edges: Vec<u64> = faces.iter().flat_map(|&[a, b, c]| [key(a, b), key(b, c), key(c, a)]).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).any(|uses| uses.len() != 2)
}

/// Unit normals at the vertices: face normals weighted by area; +Y where the faces leave none.
fn vertex_normals(positions: &[Vector3<f64>], faces: &[[u32; 3]]) -> Vec<Vector3<f64>> {
    let mut normals = vec![Vector3::zeros(); positions.len()];
    for face in faces {
        let [a, b, c] = face.map(|v| positions[v as usize]);
        let area = (b - a).cross(&(c - a));
        for &v in face {
            normals[v as usize] += area;
        }
    }
    normals.iter().map(|n| n.try_normalize(f64::MIN_POSITIVE).unwrap_or(Vector3::y())).collect()
}

/// Points as small balls, the rounder the fewer they are. In a file there are bare points beyond 4000.
pub struct PointsMesh<'a> {
    clip: &'a Clip,
    ball: Solid,
    faces: Vec<[u32; 3]>,
    radius: f64,
}

impl<'a> PointsMesh<'a> {
    /// The mesh of the clip's vertices, each a ball of the given radius in metres.
    pub fn new(clip: &'a Clip, radius: f64, detail: Detail) -> Self {
        let points = clip.vertices();
        let ball = match (detail, points) {
            (Detail::File, 4001..) => Solid { positions: vec![Vector3::zeros()], ..Solid::default() },
            (Detail::File, _) => ball(usize::from(points <= 250)),
            (Detail::Picture, 0..=100) => ball(3),
            (Detail::Picture, 101..=500) => ball(2),
            (Detail::Picture, _) => ball(1),
        };
        let corners = ball.positions.len() as u32;
        let faces = (0..points as u32).flat_map(|p| ball.faces.iter().map(move |f| f.map(|v| v + p * corners))).collect();
        PointsMesh { clip, ball, faces, radius }
    }
}

impl MovingMesh for PointsMesh<'_> {
    fn frame(&self, k: usize) -> MeshFrame {
        let points = self.clip.frame(k);
        MeshFrame {
            positions: points.iter().flat_map(|p| self.ball.positions.iter().map(move |v| p + v * self.radius)).collect(),
            normals: points.iter().flat_map(|_| self.ball.normals.iter().copied()).collect(),
        }
    }
    fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }
    fn normals_change(&self) -> bool {
        false
    }
    fn is_open(&self) -> bool {
        false
    }
    fn sources(&self) -> Vec<u32> {
        let corners = self.ball.positions.len();
        (0..self.clip.vertices() * corners).map(|v| (v / corners) as u32).collect()
    }
}
