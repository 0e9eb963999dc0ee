//! Triangle surfaces: areas, normals, dihedral angles, enclosed volume, and how the triangles hang together.

use nalgebra::Vector3;

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
    normals.fill(Vector3::zeros());
    areas.fill(0.0);
    for face in faces {
        let n = face_area_vector(points, *face);
        let third = n.norm() / 3.0;
        for &v in face {
            normals[v as usize] += n;
            areas[v as usize] += third;
        }
    }
    for (n, &area) in normals.iter_mut().zip(areas.iter()) {
        let l = n.norm();
        *n = if l > NO_DIRECTION * area { *n / l } else { Vector3::zeros() };
    }
}

/// Faces that cancel to less than this share of their area have no common normal.
const NO_DIRECTION: f64 = 1e-9;

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
