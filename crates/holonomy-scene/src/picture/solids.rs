//! Solids for shapes that have no surface of their own: tubes along curves, balls at points. (Rigs: `export/flesh.rs`.)
//!
//! Every vertex of a solid remembers the vertex of the shape it stands for (`sources`), so that per-vertex colours carry over.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use holonomy::nalgebra::Vector3;

use super::mesh::{PosedMesh, unit};

/// A mesh under construction, with the shape's vertex behind each of its vertices.
#[derive(Debug, Clone, Default)]
pub struct Solid {
    /// The triangles so far.
    pub mesh: PosedMesh,
    /// For each mesh vertex, the vertex of the shape it stands for.
    pub sources: Vec<u32>,
}

/// Bends sharper than this get a ball at the knee instead of a mitre (cosine of the angle between the edges).
const SHARP_COS: f64 = 0.3;

impl Solid {
    /// A tube through `points`, with `radius(i)` metres at point `i`, `sides` corners around and round ends.
    pub fn tube(&mut self, points: &[Vector3<f64>], closed: bool, sides: usize, radius: impl Fn(usize) -> f64) {
        let keep = distinct(points, closed);
        if keep.len() < 2 {
            return self.ball(points.first().copied().unwrap_or_else(Vector3::zeros), radius(0), sides, 0);
        }
        let n = keep.len();
        let closed = closed && n > 2;
        let edges = if closed { n } else { n - 1 };
        let direction: Vec<Vector3<f64>> =
            (0..edges).map(|i| unit(&(points[keep[(i + 1) % n]] - points[keep[i]])).unwrap_or_else(Vector3::x)).collect();
        let mut side = any_normal(&direction[0]);
        for i in 0..edges {
            let (a, b) = (keep[i], keep[(i + 1) % n]);
            let before = if i > 0 { Some(direction[i - 1]) } else { closed.then(|| direction[edges - 1]) };
            let after = if i + 1 < edges { Some(direction[i + 1]) } else { closed.then(|| direction[0]) };
            let from = self.tube_end(points[a], &direction[i], before, &mut side, radius(a), sides, a);
            let to = self.tube_end(points[b], &direction[i], after, &mut side, radius(b), sides, b);
            self.join_rings(from, to, sides);
        }
        for i in 0..n {
            let end = !closed && (i == 0 || i == n - 1);
            let sharp = || direction[(i + edges - 1) % edges].dot(&direction[i % edges]) < SHARP_COS;
            if end || sharp() {
                self.ball(points[keep[i]], radius(keep[i]), sides, keep[i]);
            }
        }
    }

    /// One end of a tube segment along `direction`: a ring square to the bisector with `neighbour`, or to the segment where the bend is sharp.
    fn tube_end(
        &mut self,
        at: Vector3<f64>,
        direction: &Vector3<f64>,
        neighbour: Option<Vector3<f64>>,
        side: &mut Vector3<f64>,
        radius: f64,
        sides: usize,
        source: usize,
    ) -> usize {
        let axis = neighbour.filter(|d| d.dot(direction) >= SHARP_COS).and_then(|d| unit(&(d + direction))).unwrap_or(*direction);
        *side = unit(&(*side - axis * axis.dot(side))).unwrap_or_else(|| any_normal(&axis));
        self.ring(at, &axis, side, radius, sides, source, 0.0)
    }

    /// A ball: `sides` corners around, half as many up.
    pub fn ball(&mut self, at: Vector3<f64>, radius: f64, sides: usize, source: usize) {
        let rows = (sides / 2).max(2);
        let (axis, side) = (Vector3::y(), Vector3::x());
        let mut below = None;
        for row in 0..=rows {
            let latitude = -FRAC_PI_2 + PI * row as f64 / rows as f64;
            let ring = self.ring(at + axis * (radius * latitude.sin()), &axis, &side, radius * latitude.cos(), sides, source, latitude);
            if let Some(below) = below {
                self.join_rings(below, ring, sides);
            }
            below = Some(ring);
        }
    }

    /// `sides` vertices around `axis`; the normals lean by `tilt` radians towards the axis. Returns the first one's number.
    fn ring(
        &mut self,
        at: Vector3<f64>,
        axis: &Vector3<f64>,
        side: &Vector3<f64>,
        radius: f64,
        sides: usize,
        source: usize,
        tilt: f64,
    ) -> usize {
        let first = self.mesh.positions.len();
        let other = axis.cross(side);
        for k in 0..sides {
            let (s, c) = (TAU * k as f64 / sides as f64).sin_cos();
            let out = side * c + other * s;
            self.mesh.positions.push(at + out * radius);
            self.mesh.normals.push(out * tilt.cos() + axis * tilt.sin());
            self.sources.push(source as u32);
        }
        first
    }

    fn join_rings(&mut self, a: usize, b: usize, sides: usize) {
        for k in 0..sides {
            let next = (k + 1) % sides;
            let [a0, a1, b0, b1] = [a + k, a + next, b + k, b + next].map(|v| v as u32);
            self.mesh.triangles.extend([[a0, a1, b1], [a0, b1, b0]]);
        }
    }
}

/// The points left when those that coincide with the one before are taken out.
fn distinct(points: &[Vector3<f64>], closed: bool) -> Vec<usize> {
    let mut keep: Vec<usize> = Vec::with_capacity(points.len());
    for (i, p) in points.iter().enumerate() {
        if keep.last().is_none_or(|&last| unit(&(p - points[last])).is_some()) {
            keep.push(i);
        }
    }
    if closed && keep.len() > 1 && points[keep[0]] == points[keep[keep.len() - 1]] {
        keep.pop();
    }
    keep
}

/// A unit vector square to the unit vector `axis`.
fn any_normal(axis: &Vector3<f64>) -> Vector3<f64> {
    let helper = if axis.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
    unit(&helper.cross(axis)).unwrap_or_else(Vector3::x)
}
