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
        let mut crowded = HashMap::new();
        let mut mesh = PosedMesh { color, triangles: Vec::with_capacity(faces.len()), ..Default::default() };
        let mut sources = Vec::new();
        let mut known: HashMap<(u32, [u64; 3]), u32> = HashMap::with_capacity(points.len());
        for (f, face) in faces.iter().enumerate() {
            mesh.triangles.push(face.map(|v| {
                let smooth = match around.of(v) {
                    few if few.len() <= CROWDED => {
                        few.iter().filter(|&&g| units[g as usize].dot(&units[f]) > crease).map(|&g| areas[g as usize]).sum()
                    }
                    many => {
                        let directions = crowded.entry(v).or_insert_with(|| Directions::new(many, &areas, &units, crease));
                        directions.smoothed(&units[f])
                    }
                };
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

/// For each vertex, the faces it belongs to, in order.
struct Around {
    /// Those of vertex `v` are `faces[first[v]..first[v + 1]]`.
    first: Vec<u32>,
    faces: Vec<u32>,
}

impl Around {
    fn of(&self, vertex: u32) -> &[u32] {
        &self.faces[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }
}

fn faces_around(vertices: usize, faces: &[[u32; 3]]) -> Around {
    let mut first = vec![0; vertices + 1];
    faces.iter().flatten().for_each(|&v| first[v as usize + 1] += 1);
    (0..vertices).for_each(|v| first[v + 1] += first[v]);
    let mut next = first.clone();
    let mut around = vec![0; 3 * faces.len()];
    for (f, face) in faces.iter().enumerate() {
        for &v in face {
            around[next[v as usize] as usize] = f as u32;
            next[v as usize] += 1;
        }
    }
    Around { first, faces: around }
}

/// Where more faces than this meet, those of nearly one direction count as one: each against each
/// would take minutes at the tip of a cone of a hundred thousand.
const CROWDED: usize = 256;
/// Directions told apart along each side of each face of a cube around the vertex: some seven
/// degrees each.
const FINE: usize = 12;

/// The faces around a vertex where many meet, by the direction they look in. Making it takes time
/// in proportion to their number, and for each two of at most 6 · 12² directions; each question
/// takes none.
struct Directions {
    /// For each direction, the areas of the faces that are smooth with it; zero where no face
    /// looks.
    smooth: Vec<Vector3<f64>>,
}

impl Directions {
    fn new(faces: &[u32], areas: &[Vector3<f64>], units: &[Vector3<f64>], crease: f64) -> Directions {
        let mut sums = vec![Vector3::zeros(); 6 * FINE * FINE];
        for &face in faces {
            sums[direction(&units[face as usize])] += areas[face as usize];
        }
        let looked: Vec<(usize, Vector3<f64>)> = sums.iter().enumerate().filter_map(|(i, sum)| Some((i, unit(sum)?))).collect();
        let mut smooth = vec![Vector3::zeros(); sums.len()];
        for (i, own) in &looked {
            smooth[*i] = looked.iter().filter(|(j, other)| i == j || own.dot(other) > crease).map(|(j, _)| sums[*j]).sum();
        }
        Directions { smooth }
    }

    /// The areas of the faces that are smooth with one that looks along `normal`.
    fn smoothed(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        self.smooth[direction(normal)]
    }
}

/// The number of the direction that a unit vector points in.
fn direction(v: &Vector3<f64>) -> usize {
    let axis = v.iamax();
    let side = 2 * axis + usize::from(v[axis] < 0.0);
    // A vector without a length, of a face without an area, counts as any other.
    let place = |i: usize| {
        let at = v[(axis + i) % 3] / v[axis].abs().max(f64::MIN_POSITIVE);
        ((0.5 * (at + 1.0) * FINE as f64) as usize).min(FINE - 1)
    };
    (side * FINE + place(1)) * FINE + place(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cone of `sides` triangles around its tip.
    fn cone(sides: u32, height: f64) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
        let rim = (0..sides).map(|i| f64::from(i) / f64::from(sides) * std::f64::consts::TAU);
        let points = std::iter::once(Vector3::y() * height).chain(rim.map(|a| Vector3::new(a.sin(), 0.0, a.cos()))).collect();
        (points, (1..=sides).map(|i| [0, i, 1 + i % sides]).collect())
    }

    /// Around a crowded vertex directions stand for faces. Where all are smooth with each other
    /// nothing changes; at a sharp tip a normal may be off by a direction's width.
    #[test]
    fn a_crowded_vertex_is_shaded_as_one_with_few_faces() {
        for (height, off) in [(0.3, 1e-12), (2.0, 0.12)] {
            let normals = |sides: u32| {
                let (points, faces) = cone(sides, height);
                let (mesh, sources) = PosedMesh::from_surface_with_sources(&points, &faces, [0.5; 3]);
                let tip = mesh.triangles.iter().map(|t| t[0] as usize);
                assert!(tip.clone().all(|v| sources[v] == 0));
                tip.map(|v| mesh.normals[v]).collect::<Vec<_>>()
            };
            // Every fourth face of the fine cone looks where one of the coarse does, within half a
            // face of it.
            let (few, many) = (normals(CROWDED as u32), normals(4 * CROWDED as u32));
            let far = (0..few.len()).map(|i| (few[i] - many[4 * i + 1]).norm()).fold(0.0, f64::max);
            assert!(far < off + 0.02, "{far} at a cone {height} high");
        }
    }

    /// It was the sum of the squares of how many faces meet at each vertex: 9e10 dot products here,
    /// minutes of them.
    #[test]
    fn where_all_faces_meet_in_few_vertices_the_work_is_bounded() {
        let sides = 300_000;
        let (points, faces) = cone(sides, 1.0);
        let around = faces_around(points.len(), &faces);
        assert_eq!((around.of(0).len(), around.of(1).len()), (sides as usize, 2));
        // Each crowded vertex costs each two of its directions, and there are no more of them than
        // corners for them.
        let directions = 6 * FINE * FINE;
        let most = 3 * faces.len() / CROWDED * directions.min(CROWDED + 1) * directions.min(CROWDED + 1);
        assert!(most < 1000 * faces.len(), "{most} dot products at most");
        let (mesh, _) = PosedMesh::from_surface_with_sources(&points, &faces, [0.5; 3]);
        assert!(mesh.is_sound() && mesh.triangles.len() == sides as usize);
    }
}
