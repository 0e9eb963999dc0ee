//! A triangle mesh in its place in the world, and how surfaces get their shading normals.

use std::collections::HashMap;

use holonomy::nalgebra::Vector3;
use holonomy::shape::surface::face_area_vector;

use crate::looks::Color;

/// Triangles as they stand in the world at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PosedMesh {
    /// Vertex positions, metres, world.
    pub positions: Vec<Vector3<f64>>,
    /// Unit normals, one per vertex, world; which side they point to does not matter.
    pub normals: Vec<Vector3<f64>>,
    /// Colours, one per vertex; empty: `color` everywhere.
    pub colors: Vec<Color>,
    /// Vertex numbers of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// The colour of the whole where `colors` is empty.
    pub color: Color,
}

impl PosedMesh {
    /// Makes it `times` as large, about its middle.
    pub fn magnify(&mut self, times: f64) {
        let middle = self.positions.iter().sum::<Vector3<f64>>() / self.positions.len().max(1) as f64;
        self.positions.iter_mut().for_each(|p| *p = middle + (*p - middle) * times);
    }
}

/// Faces that meet at a sharper angle than this keep an edge between them.
const CREASE_COS: f64 = 0.74; // 42 degrees

impl PosedMesh {
    /// A mesh of one colour whose normals are those of its faces, smoothed except across creases.
    ///
    /// `faces` must name vertices of `points`; those that do not are left out.
    pub fn from_surface(points: &[Vector3<f64>], faces: &[[u32; 3]], color: Color) -> PosedMesh {
        PosedMesh::from_surface_with_sources(points, faces, color).0
    }

    /// As [`PosedMesh::from_surface`], and for each vertex of the mesh the point it came from.
    pub fn from_surface_with_sources(points: &[Vector3<f64>], faces: &[[u32; 3]], color: Color) -> (PosedMesh, Vec<u32>) {
        PosedMesh::creased(points, faces, color, CREASE_COS)
    }

    /// The same, with an edge kept where the cosine of the angle between two faces is less than `crease`.
    pub(crate) fn creased(points: &[Vector3<f64>], faces: &[[u32; 3]], color: Color, crease: f64) -> (PosedMesh, Vec<u32>) {
        let faces: Vec<[u32; 3]> = faces.iter().filter(|f| f.iter().all(|&v| (v as usize) < points.len())).copied().collect();
        let areas: Vec<Vector3<f64>> = faces.iter().map(|&f| face_area_vector(points, f)).collect();
        let units: Vec<Vector3<f64>> = areas.iter().map(|a| unit(a).unwrap_or_else(Vector3::zeros)).collect();
        let around = faces_around(points.len(), &faces);
        let mut mesh = PosedMesh { color, triangles: Vec::with_capacity(faces.len()), ..Default::default() };
        let mut sources = Vec::new();
        let mut known: HashMap<(u32, [u64; 3]), u32> = HashMap::with_capacity(points.len());
        for (f, face) in faces.iter().enumerate() {
            mesh.triangles.push(face.map(|v| {
                let smooth: Vector3<f64> =
                    around[v as usize].iter().filter(|&&g| units[g as usize].dot(&units[f]) > crease).map(|&g| areas[g as usize]).sum();
                let normal = unit(&smooth).unwrap_or(units[f]);
                *known.entry((v, normal.map(f64::to_bits).into())).or_insert_with(|| {
                    mesh.positions.push(points[v as usize]);
                    mesh.normals.push(normal);
                    sources.push(v);
                    (sources.len() - 1) as u32
                })
            }));
        }
        (mesh, sources)
    }

    /// Adds the triangles of another mesh.
    pub fn append(&mut self, other: &PosedMesh) {
        let base = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.normals.extend_from_slice(&other.normals);
        self.colors.extend_from_slice(&other.colors);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + base)));
    }

    /// Whether the lists fit together and every number is finite.
    pub fn is_sound(&self) -> bool {
        let n = self.positions.len();
        self.normals.len() == n
            && (self.colors.is_empty() || self.colors.len() == n)
            && self.triangles.iter().flatten().all(|&v| (v as usize) < n)
            && self.positions.iter().chain(&self.normals).all(|p| p.iter().all(|x| x.is_finite()))
            && self.colors.iter().chain([&self.color]).flatten().all(|x| x.is_finite())
    }
}

/// The direction of `v`, safe against overflow and underflow.
pub(crate) fn unit(v: &Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = v.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    Some((v / largest).normalize())
}

/// For each vertex, the faces it belongs to.
fn faces_around(vertices: usize, faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); vertices];
    for (f, face) in faces.iter().enumerate() {
        face.iter().for_each(|&v| around[v as usize].push(f as u32));
    }
    around
}
