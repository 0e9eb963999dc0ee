//! Which parts of a surface come near each other.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::grid::{Bounds, each_meeting};
use super::nearest::distance;
use super::{Parts, SelfContact};
use crate::Error;
use crate::shape::surface::face_area_vector;

/// Pairs of parts of a surface, each once, in order; vertices as the faces name them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    /// A vertex, and the corners of a triangle.
    pub vertex_triangle: Vec<[u32; 4]>,
    /// Both ends of an edge, and of another.
    pub edge_edge: Vec<[u32; 4]>,
}

/// Parts of one piece that are nearer at rest than so many thicknesses cannot touch: a sheet folded back as tightly as its thickness allows brings together what is π/2 of it apart.
const APART: f64 = 2.0;

/// Parts of one piece are looked after once they are nearer than this part of what they are at rest: neighbours on a sheet that is not folded are none.
const NEARER: f64 = 0.5;

impl Pairs {
    /// Those that come within reach in one of `frames`, of the vertices of a surface that has the places `rest` at rest. Parts with a common vertex never do; parts of one piece (joined by
    /// triangles) only if they are more than two thicknesses apart at rest, and when that has become less than half.
    ///
    /// # Errors
    /// A setting out of range; a frame of another number of vertices, or with one that is not finite; a face that names a vertex that does not exist.
    pub fn find(contact: &SelfContact, rest: &[Vector3<f64>], faces: &[[u32; 3]], frames: &[Vec<Vector3<f64>>]) -> Result<Pairs, Error> {
        contact.validate()?;
        validate(rest, faces, frames)?;
        let (edges, pieces) = (edges_of(faces), pieces_of(rest.len(), faces));
        let mut vertices: Vec<u32> = faces.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();

        let mut pairs = Pairs::default();
        for places in frames {
            let near = |parts: Parts, corners: [u32; 4], other: u32| {
                let now = distance(parts, &corners.map(|v| places[v as usize]));
                let reached = now <= contact.reach;
                reached
                    && (pieces[corners[0] as usize] != pieces[other as usize] || {
                        let before = distance(parts, &corners.map(|v| rest[v as usize]));
                        before > APART * contact.thickness && now < NEARER * before
                    })
            };
            let points: Vec<Bounds> = vertices.iter().map(|&v| Bounds::around(&[places[v as usize]], 0.0)).collect();
            let triangles: Vec<Bounds> = faces.iter().map(|f| Bounds::around(&f.map(|v| places[v as usize]), contact.reach)).collect();
            each_meeting(&points, &triangles, &mut |i, j| {
                let (v, [a, b, c]) = (vertices[i as usize], faces[j as usize]);
                if ![a, b, c].contains(&v) && near(Parts::VertexTriangle, [v, a, b, c], a) {
                    pairs.vertex_triangle.push([v, a, b, c]);
                }
            });
            let lines: Vec<Bounds> = edges.iter().map(|e| Bounds::around(&e.map(|v| places[v as usize]), 0.5 * contact.reach)).collect();
            each_meeting(&lines, &lines, &mut |i, j| {
                let ([a, b], [c, d]) = (edges[i as usize], edges[j as usize]);
                if i < j && ![c, d].contains(&a) && ![c, d].contains(&b) && near(Parts::EdgeEdge, [a, b, c, d], c) {
                    pairs.edge_edge.push([a, b, c, d]);
                }
            });
            // Frame by frame, so that what stays near is kept once.
            for found in [&mut pairs.vertex_triangle, &mut pairs.edge_edge] {
                found.sort_unstable();
                found.dedup();
            }
        }
        Ok(pairs)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.vertex_triangle.len() + self.edge_edge.len()
    }

    /// Whether nothing comes near.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn validate(rest: &[Vector3<f64>], faces: &[[u32; 3]], frames: &[Vec<Vector3<f64>>]) -> Result<(), Error> {
    let vertices = rest.len();
    for (index, face) in faces.iter().enumerate() {
        if let Some(&v) = face.iter().find(|&&v| v as usize >= vertices) {
            return Err(Error::VertexOutOfRange { what: "face", index, vertex: v as usize, vertices });
        }
    }
    for (frame, places) in frames.iter().enumerate() {
        if places.len() != vertices {
            return Err(Error::TopologyChanges { frame, expected: vertices, found: places.len() });
        }
        if let Some((vertex, place)) = places.iter().enumerate().find(|(_, p)| !p.iter().all(|x| x.is_finite())) {
            return Err(Error::NonFinitePosition { frame, vertex, value: (*place).into() });
        }
    }
    Ok(())
}

/// Each edge once, the lower vertex first, in order.
pub(super) fn edges_of(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(|f| sides(*f)).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// For each vertex, the lowest of those it is joined to by faces.
fn pieces_of(vertices: usize, faces: &[[u32; 3]]) -> Vec<u32> {
    let mut lower: Vec<u32> = (0..vertices as u32).collect();
    let lowest = |lower: &mut [u32], mut v: u32| {
        while lower[v as usize] != v {
            lower[v as usize] = lower[lower[v as usize] as usize];
            v = lower[v as usize];
        }
        v
    };
    for &[a, b, c] in faces {
        for (a, b) in [(a, b), (b, c)] {
            let (a, b) = (lowest(&mut lower, a), lowest(&mut lower, b));
            lower[a.max(b) as usize] = a.min(b);
        }
    }
    (0..vertices as u32).map(|v| lowest(&mut lower, v)).collect()
}

/// Shares of the surface: a third of each triangle for each of its corners, and likewise for each of its sides, m².
pub(super) struct Shares {
    vertices: Vec<f64>,
    edges: HashMap<[u32; 2], f64>,
}

impl Shares {
    pub fn of(rest: &[Vector3<f64>], faces: &[[u32; 3]]) -> Shares {
        let mut shares = Shares { vertices: vec![0.0; rest.len()], edges: HashMap::with_capacity(2 * faces.len()) };
        for &face in faces {
            let third = face_area_vector(rest, face).norm() / 3.0;
            face.iter().for_each(|&v| shares.vertices[v as usize] += third);
            sides(face).into_iter().for_each(|side| *shares.edges.entry(side).or_default() += third);
        }
        shares
    }

    pub fn vertex(&self, v: u32) -> f64 {
        self.vertices[v as usize]
    }

    pub fn edge(&self, a: u32, b: u32) -> f64 {
        self.edges.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0.0)
    }
}
