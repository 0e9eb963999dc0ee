//! One triangle of a surface as a source of potential: exact integrals of 1/r and of ∂/∂n(1/r) against its three hat functions λ_a.
//!
//! Seen from x, at the height h over the plane of the triangle, with the edges' unit vectors t, their outward normals m in the plane, the in-plane
//! distance d to each, and `f = ∫ dl/r` along each (Wilton et al. 1984):
//!
//! ```text
//! ∫ 1/r     = Σ d f − h Ω                            ∫ h/r³           = Ω, the solid angle
//! ∫ (y−x)/r = ½ Σ m ((d² + h²) f + [s r])            ∫ h (y−x)/r³     = −h Σ m f            (in the plane)
//! ```

use nalgebra::Vector3;

use crate::shape::pieces::solid_angle;

/// A triangle with what the integrals over it need.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    /// Corners, metres.
    pub corners: [Vector3<f64>; 3],
    /// Unit normal.
    pub normal: Vector3<f64>,
    /// m².
    pub area: f64,
    pub centroid: Vector3<f64>,
    /// From the centroid to the farthest corner, metres.
    pub radius: f64,
    /// Edge opposite each corner, in running order, metres.
    pub opposite: [Vector3<f64>; 3],
    /// Gradients of the hat functions, 1/m.
    gradients: [Vector3<f64>; 3],
    /// Unit vector along the edge from each corner to the next, and the outward normal of the edge in the plane.
    edges: [(Vector3<f64>, Vector3<f64>); 3],
}

/// ∫λ_a/r and ∫λ_a ∂/∂n(1/r) for the three corners a.
pub(super) struct Layers {
    pub single: [f64; 3],
    pub double: [f64; 3],
}

impl Panel {
    /// `None` for a triangle that is a line to rounding.
    pub fn new(corners: [Vector3<f64>; 3]) -> Option<Panel> {
        let opposite = [corners[2] - corners[1], corners[0] - corners[2], corners[1] - corners[0]];
        let vector = opposite[2].cross(&-opposite[1]) * 0.5;
        let area = vector.norm();
        let longest = opposite.iter().map(Vector3::norm_squared).fold(0.0, f64::max);
        if area.is_nan() || area <= longest * 1e-12 {
            return None;
        }
        let normal = vector / area;
        let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.iter().map(|x| (x - centroid).norm()).fold(0.0, f64::max);
        let gradients = opposite.map(|edge| normal.cross(&edge) / (2.0 * area));
        let edge = |edge: Vector3<f64>| {
            let along = edge.normalize();
            (along, along.cross(&normal))
        };
        let edges = [edge(opposite[2]), edge(opposite[0]), edge(opposite[1])];
        Some(Panel { corners, normal, area, centroid, radius, opposite, gradients, edges })
    }

    /// The point with the given hat function values.
    #[inline]
    pub fn at(&self, hats: &[f64; 3]) -> Vector3<f64> {
        self.corners[0] * hats[0] + self.corners[1] * hats[1] + self.corners[2] * hats[2]
    }

    /// The integrals seen from `x`. On the panel itself the double layer is its principal value, zero.
    #[inline]
    pub fn layers(&self, x: &Vector3<f64>) -> Layers {
        let seen = self.corners.map(|corner| corner - x);
        let distance = seen.map(|corner| corner.norm());
        let height = -seen[0].dot(&self.normal);
        let mut potential = 0.0;
        let (mut moment, mut pull) = (Vector3::zeros(), Vector3::zeros());
        for i in 0..3 {
            let (along, outward) = &self.edges[i];
            let (begin, end) = (seen[i].dot(along), seen[(i + 1) % 3].dot(along));
            let (near, far) = (distance[i], distance[(i + 1) % 3]);
            let across = seen[i].dot(outward);
            // The form without cancellation; on the edge itself f is infinite, but nothing times f is left.
            let ratio = if begin + end >= 0.0 { (far + end) / (near + begin).max(TINY) } else { (near - begin) / (far - end).max(TINY) };
            let f = ratio.max(TINY).ln();
            potential += across * f;
            pull += outward * f;
            moment += outward * (0.5 * ((across * across + height * height) * f + end * far - begin * near));
        }
        let angle = -solid_angle(seen);
        potential -= height * angle;
        let from_centroid = x - self.centroid;
        let hat = self.gradients.map(|gradient| 1.0 / 3.0 + gradient.dot(&from_centroid));
        Layers {
            single: std::array::from_fn(|a| hat[a] * potential + self.gradients[a].dot(&moment)),
            double: std::array::from_fn(|a| hat[a] * angle - height * self.gradients[a].dot(&pull)),
        }
    }
}

/// Keeps a logarithm finite.
const TINY: f64 = 1e-300;

/// Hat function values at the three points of a rule of degree 2, of equal weight.
pub(super) const COARSE: [[f64; 3]; 3] =
    [[2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0]];

/// Weights and hat function values of a rule of degree 5 (Radon 1948).
pub(super) fn fine() -> [(f64, [f64; 3]); 7] {
    let third = 1.0 / 3.0;
    let root = 15f64.sqrt();
    let orbit = |a: f64| [[1.0 - 2.0 * a, a, a], [a, 1.0 - 2.0 * a, a], [a, a, 1.0 - 2.0 * a]];
    let ([p, q, r], [s, t, u]) = (orbit((6.0 - root) / 21.0), orbit((6.0 + root) / 21.0));
    let (near, far) = ((155.0 - root) / 1200.0, (155.0 + root) / 1200.0);
    [(9.0 / 40.0, [third; 3]), (near, p), (near, q), (near, r), (far, s), (far, t), (far, u)]
}
