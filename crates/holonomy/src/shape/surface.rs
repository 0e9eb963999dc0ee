//! Triangle surfaces: areas, normals, dihedral angles, enclosed volume, and how the triangles hang together.

use nalgebra::Vector3;
use pulp::{Arch, Simd, WithSimd};

use super::lanes::{self, BLOCK, Buffer, Directions};

/// Area-weighted normal of a face: half the cross product of its edges, m².
#[inline]
pub fn face_area_vector(points: &[Vector3<f64>], face: [u32; 3]) -> Vector3<f64> {
    let [a, b, c] = face.map(|v| points[v as usize]);
    (b - a).cross(&(c - a)) * 0.5
}

/// Area of each face, m².
pub fn face_areas(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Vec<f64> {
    faces.iter().map(|&f| face_area_vector(points, f).norm()).collect()
}

/// Unit normal of each face; zero for a face without area.
pub fn face_normals(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Vec<Vector3<f64>> {
    faces.iter().map(|&f| face_area_vector(points, f).try_normalize(0.0).unwrap_or_else(Vector3::zeros)).collect()
}

/// For each vertex, its unit normal (area-weighted mean of its faces') and a third of the area of its faces, m².
///
/// The normal is zero where it is not defined: at a vertex without faces, or whose faces cancel.
pub fn normals_and_areas(points: &[Vector3<f64>], faces: &[[u32; 3]], normals: &mut [Vector3<f64>], areas: &mut [f64]) {
    Arch::new().dispatch(IntoSlices { points, faces, normals, areas });
}

struct IntoSlices<'a> {
    points: &'a [Vector3<f64>],
    faces: &'a [[u32; 3]],
    normals: &'a mut [Vector3<f64>],
    areas: &'a mut [f64],
}

impl WithSimd for IntoSlices<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (mut sums, mut buffer) = (Vec::new(), Buffer::new());
        sum_faces(self.points, self.faces, &mut sums);
        let blocks = self.normals.chunks_mut(BLOCK).zip(self.areas.chunks_mut(BLOCK));
        for (b, (normals, areas)) in blocks.enumerate().take(self.points.len().div_ceil(BLOCK)) {
            normals_of_block(self.points, &sums, b, buffer.directions());
            buffer.unload(normals, areas);
        }
    }
}

/// Faces that cancel to less than this share of their area have no common normal.
const NO_DIRECTION: f64 = 1e-9;

/// Sums over the faces at a vertex: twice the area vectors, then twice the areas, m².
pub(crate) type FaceSums = [f64; 4];

/// Fills `sums`, one per vertex.
#[inline(always)]
pub(crate) fn sum_faces(points: &[Vector3<f64>], faces: &[[u32; 3]], sums: &mut Vec<FaceSums>) {
    sums.clear();
    sums.resize(points.len(), [0.0; 4]);
    for &face in faces {
        let [a, b, c] = face.map(|v| points[v as usize]);
        let n = (b - a).cross(&(c - a));
        let add = [n.x, n.y, n.z, n.norm()];
        for v in face {
            let sum = &mut sums[v as usize];
            for k in 0..4 {
                sum[k] += add[k];
            }
        }
    }
}

/// Points, unit normals and areas of block `b`.
#[inline(always)]
pub(crate) fn normals_of_block(points: &[Vector3<f64>], sums: &[FaceSums], b: usize, out: Directions) {
    let (start, count, lanes) = (b * BLOCK, lanes::count(points.len(), b), lanes::lanes(points.len(), b));
    lanes::spread(&points[start..start + count], out.point);
    for k in 0..3 {
        out.point[k][count..lanes].fill(points[start][k]);
        out.axis[k][count..lanes].fill(0.0);
    }
    out.weight[count..lanes].fill(0.0);
    for (i, &[x, y, z, area]) in sums[start..start + count].iter().enumerate() {
        (out.axis[0][i], out.axis[1][i], out.axis[2][i], out.weight[i]) = (x, y, z, area);
    }
    let [x, y, z] = out.axis;
    for i in 0..lanes {
        let sum = (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt();
        let inverse = if sum > NO_DIRECTION * out.weight[i] { 1.0 / sum } else { 0.0 };
        (x[i], y[i], z[i]) = (x[i] * inverse, y[i] * inverse, z[i] * inverse);
        out.weight[i] *= 1.0 / 6.0;
    }
}

/// Volume enclosed by a closed surface with outward faces, m³.
pub fn enclosed_volume(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> f64 {
    // Signed tetrahedra over a vertex of the mesh rather than the origin: no cancellation far from home.
    let Some(&apex) = points.first() else { return 0.0 };
    faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| points[v as usize] - apex);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

/// Volume enclosed by a closed surface with outward faces, m³, and the centroid of that volume, metres.
///
/// Exact for the polyhedron. Without volume, the centroid is the mean of the points.
pub fn volume_and_centroid(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> (f64, Vector3<f64>) {
    let mean = points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    let (mut volume, mut moment) = (0.0, Vector3::zeros());
    for face in faces {
        let [a, b, c] = face.map(|v| points[v as usize] - mean);
        let part = a.dot(&b.cross(&c)) / 6.0;
        volume += part;
        moment += (a + b + c) * (part / 4.0);
    }
    (volume, if volume == 0.0 { mean } else { mean + moment / volume })
}

/// An edge of a surface and the faces on its two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Vertices, in the order in which `faces.0` runs along the edge.
    pub vertices: (u32, u32),
    /// The face that runs along it, and the one on the other side; `None` at a border.
    pub faces: (u32, Option<u32>),
}

/// How the faces of a surface hang together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connectivity {
    /// Every edge once.
    pub edges: Vec<Edge>,
    /// Edges with one face only.
    pub border_edges: usize,
    /// Edges with more than two faces, or whose two faces run along it in the same direction.
    pub irregular_edges: usize,
    /// Groups of faces joined by vertices.
    pub components: usize,
}

impl Connectivity {
    /// Finds the edges of `faces`.
    pub fn of(faces: &[[u32; 3]]) -> Self {
        // Each side of each face, sorted by edge: the sides of one edge lie together.
        let sides = |(f, &[a, b, c]): (usize, &[u32; 3])| [(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b), f as u32, a < b));
        let mut sides: Vec<(u32, u32, u32, bool)> = faces.iter().enumerate().flat_map(sides).collect();
        sides.sort_unstable();
        let (mut edges, mut border_edges, mut irregular_edges) = (Vec::with_capacity(faces.len() * 3 / 2), 0, 0);
        for edge in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (low, high, face, forward) = edge[0];
            match edge {
                [_] => border_edges += 1,
                [one, other] if one.3 != other.3 => {}
                _ => irregular_edges += 1,
            }
            let vertices = if forward { (low, high) } else { (high, low) };
            edges.push(Edge { vertices, faces: (face, edge.get(1).map(|side| side.2)) });
        }
        Connectivity { edges, border_edges, irregular_edges, components: components(faces) }
    }

    /// Whether the surface is closed and consistently oriented, so that it encloses a volume.
    pub fn watertight(&self) -> bool {
        !self.edges.is_empty() && self.border_edges == 0 && self.irregular_edges == 0
    }

    /// Dihedral angle of each edge, radians: 0 flat, positive where convex, zero at borders (Soliman 2024, Sec. 4).
    pub fn dihedral_angles(&self, points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Vec<f64> {
        let normals = face_normals(points, faces);
        self.edges
            .iter()
            .map(|edge| {
                let Some(other) = edge.faces.1 else { return 0.0 };
                let (n1, n2) = (normals[edge.faces.0 as usize], normals[other as usize]);
                let along = points[edge.vertices.1 as usize] - points[edge.vertices.0 as usize];
                let along = along.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
                along.dot(&n1.cross(&n2)).atan2(n1.dot(&n2))
            })
            .collect()
    }
}

/// Pieces of a surface, counted by union and find over its vertices.
fn components(faces: &[[u32; 3]]) -> usize {
    let largest = faces.iter().flatten().max().copied().unwrap_or(0);
    let mut parent: Vec<u32> = (0..=largest).collect();
    for &[a, b, c] in faces {
        for (x, y) in [(a, b), (b, c)] {
            let (x, y) = (root(&mut parent, x), root(&mut parent, y));
            parent[x as usize] = y;
        }
    }
    let mut roots: Vec<u32> = faces.iter().map(|face| root(&mut parent, face[0])).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.len()
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}
