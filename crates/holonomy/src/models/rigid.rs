//! Bodies whose shape does not change: closed surfaces with a density.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::surface::{enclosed_volume, face_areas};
use crate::shape::{Clip, MassRule, Playback, Topology};

/// A closed surface that keeps its shape. The origin is the centroid of its volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Rigid {
    points: Vec<Vector3<f64>>,
    faces: Vec<[u32; 3]>,
}

impl Rigid {
    /// From a closed surface whose faces look outwards; it is moved so that the centroid of its volume is the origin.
    pub(super) fn centred(mut points: Vec<Vector3<f64>>, faces: Vec<[u32; 3]>) -> Rigid {
        let centroid = cones(&points, &faces).map(|(cone, volume)| cone * volume).sum::<Vector3<f64>>() / enclosed_volume(&points, &faces);
        points.iter_mut().for_each(|p| *p -= centroid);
        Rigid { points, faces }
    }

    /// The one shape as a loop of one frame, `1 / fps` seconds long.
    ///
    /// # Errors
    /// `fps` is not a positive number.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("fps", fps)?;
        let topology = Topology::Surface { faces: self.faces.clone() };
        Clip::new(topology, Playback::Loop, 1.0 / fps, self.points.len(), self.points.clone())
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        enclosed_volume(&self.points, &self.faces)
    }

    /// Masses of the vertices, for a homogeneous body of this `density`, kg/m³. Their sum is the body's mass, their centre the origin.
    ///
    /// Each face carries the cone between it and the origin, where the whole surface is seen from there; else its share of the area,
    /// whose centre is the origin too if the body is symmetric, as a ring or a propeller is.
    ///
    /// # Errors
    /// `density` is not a positive number.
    pub fn masses(&self, density: f64) -> Result<MassRule, Error> {
        gait::positive("density", density)?;
        let cones: Vec<f64> = cones(&self.points, &self.faces).map(|(_, volume)| volume).collect();
        let shares = if cones.iter().all(|&volume| volume > 0.0) { cones } else { face_areas(&self.points, &self.faces) };
        let scale = density * self.volume() / shares.iter().sum::<f64>() / 3.0;
        let mut masses = vec![0.0; self.points.len()];
        for (face, share) in self.faces.iter().zip(shares) {
            face.iter().for_each(|&v| masses[v as usize] += share * scale);
        }
        Ok(MassRule::Given(masses))
    }
}

/// Of the cone between the origin and each face: its centroid, and its volume, negative where the face looks at the origin.
fn cones(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> impl Iterator<Item = (Vector3<f64>, f64)> {
    faces.iter().map(|face| {
        let [a, b, c] = face.map(|v| points[v as usize]);
        ((a + b + c) / 4.0, a.dot(&b.cross(&c)) / 6.0)
    })
}

/// A body of revolution about +Y that is its own mirror image: `meridian` holds pairs (radius, height) from the top down, without the top,
/// which lies on the axis, to the rim, which lies at height 0. The mirror keeps the triangles from turning what should not turn.
pub(super) fn mirrored(top: f64, meridian: &[[f64; 2]], around: usize) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let below = meridian.iter().rev().skip(1).map(|[r, y]| [*r, -y]);
    let rings: Vec<[f64; 2]> = meridian.iter().copied().chain(below).collect();
    let mut points = vec![Vector3::y() * top];
    for [r, y] in &rings {
        points.extend((0..around).map(|j| {
            let (c, s) = gait::around_ring(j, around);
            Vector3::new(r * s, *y, r * c)
        }));
    }
    points.push(Vector3::y() * -top);
    let rim = (meridian.len() - 1) * around; // first vertex of the rim, but for the top
    let mirror = |v: u32| match (v as usize).checked_sub(1) {
        None => points.len() as u32 - 1,
        Some(at) => (1 + (rings.len() - 1 - at / around) * around + at % around) as u32,
    };
    let upper = gait::tube_faces(rings.len(), around).into_iter().filter(|face| face.iter().all(|&v| (v as usize) < 1 + rim + around));
    let faces: Vec<[u32; 3]> = upper.flat_map(|[a, b, c]| [[a, b, c], [mirror(a), mirror(c), mirror(b)]]).collect();
    (points, faces)
}

/// The unit sphere: an icosahedron, each triangle split into four `splits` times.
pub(crate) fn sphere(splits: usize) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let golden = 0.5 * (1.0 + 5_f64.sqrt());
    let mut points: Vec<Vector3<f64>> = (0..12)
        .map(|i| {
            let (a, b) = (if i % 2 == 0 { 1.0 } else { -1.0 }, if i % 4 < 2 { golden } else { -golden });
            [Vector3::new(0.0, a, b), Vector3::new(a, b, 0.0), Vector3::new(b, 0.0, a)][i / 4].normalize()
        })
        .collect();
    let mut faces = nearest_triples(&points);
    for _ in 0..splits {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                points.push((points[a as usize] + points[b as usize]).normalize());
                points.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    (points, faces)
}

/// The twenty faces of the icosahedron: all triples that are an edge apart, turned outwards.
fn nearest_triples(points: &[Vector3<f64>]) -> Vec<[u32; 3]> {
    let near = |a: usize, b: usize| (points[a] - points[b]).norm() < 1.1; // edges are 1.05 long, diagonals 1.70
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in (a + 1..12).filter(|&b| near(a, b)) {
            for c in (b + 1..12).filter(|&c| near(a, c) && near(b, c)) {
                let outwards = points[a].dot(&points[b].cross(&points[c])) > 0.0;
                faces.push(if outwards { [a, b, c] } else { [a, c, b] }.map(|v| v as u32));
            }
        }
    }
    faces
}

/// The surface of the cube from −1 to 1, `n` squares along each edge.
pub(super) fn cube(n: usize) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let (mut points, mut faces, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    for axis in 0..3 {
        for side in [0, n] {
            let mut vertex = |i: usize, j: usize| {
                let mut at = [0; 3];
                (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side, i, j);
                *known.entry(at).or_insert_with(|| {
                    points.push(Vector3::from(at.map(|k| 2.0 * k as f64 / n as f64 - 1.0)));
                    points.len() as u32 - 1
                })
            };
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                faces.extend(if side == n { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    (points, faces)
}
