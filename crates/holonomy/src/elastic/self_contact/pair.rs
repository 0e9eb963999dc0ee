//! A vertex and a triangle, or two edges, that are pushed apart.

use nalgebra::{Matrix3, SMatrix, Vector3};

use super::nearest::Nearest;
use super::{Parts, SelfContact};
use crate::elastic::Element;
use crate::integrate::force_law::Stiffness;

/// Two parts of a surface that push each other away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    parts: Parts,
    /// t, metres.
    thickness: f64,
    /// k, N/m².
    stiffness: f64,
    /// |a × b|² of two edges below which they fade out, m⁴; of a vertex and a triangle, none.
    parallel: f64,
}

/// Sine squared of the angle of two edges below which they fade out: that of 13°. (Li et al. 2020 take 1e-3; at that, forces turn within 2°.)
const PARALLEL: f64 = 0.05;

/// Nearer than this part of the thickness, there is no telling from where to where.
const MEETING: f64 = 1e-9;

/// A pair that touches, with energy φ(d) = ⅓ k (t − d)³.
struct Touching {
    near: Nearest,
    normal: Vector3<f64>,
    /// φ, φ', φ''.
    penalty: [f64; 3],
}

/// How much edges count by their angle, m = 1 − (1 − y)³ with y = |a × b|²/parallel up to 1, and its derivatives by the edges a, b.
struct Fading {
    value: f64,
    gradient: [Vector3<f64>; 2],
    /// By a and a, a and b, b and b.
    bend: [Matrix3<f64>; 3],
}

impl Pair {
    /// Of a vertex with that share of the surface, m². A sixth of it counts: each of two sheets that touch pushes with its vertices, and both with their edges, so
    /// that all together come near the pressure.
    pub fn vertex_triangle(contact: &SelfContact, area: f64) -> Pair {
        let stiffness = area / 6.0 * contact.pressure / contact.thickness.powi(2);
        Pair { parts: Parts::VertexTriangle, thickness: contact.thickness, stiffness, parallel: 0.0 }
    }

    /// Of edges with that share of the surface together, m², and these ends at rest. A twelfth of it counts: an edge of one sheet meets two
    /// or three of the other.
    pub fn edge_edge(contact: &SelfContact, area: f64, rest: &[Vector3<f64>; 4]) -> Pair {
        let stiffness = area / 12.0 * contact.pressure / contact.thickness.powi(2);
        let parallel = PARALLEL * (rest[1] - rest[0]).norm_squared() * (rest[3] - rest[2]).norm_squared();
        Pair { parts: Parts::EdgeEdge, thickness: contact.thickness, stiffness, parallel }
    }

    fn touching(&self, x: &[Vector3<f64>; 4]) -> Option<Touching> {
        let near = Nearest::of(self.parts, x);
        let distance = near.distance();
        let depth = self.thickness - distance;
        let normal = near.normal().filter(|_| depth > 0.0 && distance > MEETING * self.thickness)?;
        let k = self.stiffness;
        Some(Touching { near, normal, penalty: [k * depth.powi(3) / 3.0, -k * depth * depth, 2.0 * k * depth] })
    }

    /// None where they count in full.
    fn fading(&self, x: &[Vector3<f64>; 4]) -> Option<Fading> {
        let (a, b) = (x[1] - x[0], x[3] - x[2]);
        let cross = a.cross(&b).norm_squared();
        (cross < self.parallel).then(|| {
            let left = 1.0 - cross / self.parallel;
            let (first, second) = (3.0 * left * left / self.parallel, -6.0 * left / (self.parallel * self.parallel));
            let (aa, ab, bb) = (a.norm_squared(), a.dot(&b), b.norm_squared());
            // Of |a × b|² = a² b² − (a·b)².
            let (by_a, by_b) = ((a * bb - b * ab) * 2.0, (b * aa - a * ab) * 2.0);
            let square = |length: f64, v: &Vector3<f64>| (Matrix3::from_diagonal_element(length) - v * v.transpose()) * 2.0;
            let mixed = (a * b.transpose() * 2.0 - b * a.transpose() - Matrix3::from_diagonal_element(ab)) * 2.0;
            Fading {
                value: 1.0 - left.powi(3),
                gradient: [by_a * first, by_b * first],
                bend: [
                    square(bb, &b) * first + by_a * by_a.transpose() * second,
                    mixed * first + by_a * by_b.transpose() * second,
                    square(aa, &a) * first + by_b * by_b.transpose() * second,
                ],
            }
        })
    }
}

/// Which edge a corner ends, and whether it is its end or its start.
const ENDS: [(usize, f64); 4] = [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)];

impl Element<4> for Pair {
    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        self.touching(x).map_or(0.0, |touching| touching.penalty[0] * self.fading(x).map_or(1.0, |fading| fading.value))
    }

    fn force(&self, x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        let Some(Touching { near, normal, penalty: [energy, slope, _] }) = self.touching(x) else { return [Vector3::zeros(); 4] };
        match self.fading(x) {
            None => near.weights.map(|w| normal * (-slope * w)),
            Some(fading) => [0, 1, 2, 3].map(|k| {
                let (edge, sign) = ENDS[k];
                normal * (-slope * fading.value * near.weights[k]) - fading.gradient[edge] * (sign * energy)
            }),
        }
    }

    fn stiffness(&self, x: &[Vector3<f64>; 4], which: Stiffness) -> [[Matrix3<f64>; 4]; 4] {
        let mut blocks = [[Matrix3::zeros(); 4]; 4];
        let Some(Touching { near, normal, penalty: [energy, slope, curvature] }) = self.touching(x) else { return blocks };
        let (bend, fading) = (near.bend(&normal, x), self.fading(x));
        let (w, nn) = (near.weights, normal * normal.transpose());
        let part = fading.as_ref().map_or(1.0, |fading| fading.value);
        for (a, row) in blocks.iter_mut().enumerate() {
            for (b, block) in row.iter_mut().enumerate() {
                *block = (nn * (curvature * w[a] * w[b]) + bend[a][b] * slope) * part;
                if let Some(Fading { gradient, bend: [aa, ab, bb], .. }) = &fading {
                    let ((i, s), (j, t)) = (ENDS[a], ENDS[b]);
                    *block += (gradient[i] * normal.transpose() * (s * w[b]) + normal * gradient[j].transpose() * (t * w[a])) * slope;
                    let by_edges = match (i, j) {
                        (0, 0) => *aa,
                        (0, 1) => *ab,
                        (1, 0) => ab.transpose(),
                        _ => *bb,
                    };
                    *block += by_edges * (s * t * energy);
                }
            }
        }
        if which == Stiffness::Projected { positive_part(&blocks) } else { blocks }
    }
}

/// Without its negative eigenvalues.
fn positive_part(blocks: &[[Matrix3<f64>; 4]; 4]) -> [[Matrix3<f64>; 4]; 4] {
    let whole = SMatrix::<f64, 12, 12>::from_fn(|i, j| blocks[i / 3][j / 3][(i % 3, j % 3)]);
    let mut eigen = whole.symmetric_eigen();
    eigen.eigenvalues.apply(|x| *x = x.max(0.0));
    let whole = eigen.recompose();
    let mut blocks = *blocks;
    for (a, row) in blocks.iter_mut().enumerate() {
        for (b, block) in row.iter_mut().enumerate() {
            *block = whole.fixed_view::<3, 3>(3 * a, 3 * b).into_owned();
        }
    }
    blocks
}
