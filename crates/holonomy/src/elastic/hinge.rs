//! Two triangles that share an edge and resist folding about it: Grinspun et al. 2003, "Discrete Shells".
//!
//! ```text
//! E = ½ D |e|²/(A₁ + A₂) (θ − θ₀)²      D: bending stiffness of the plate; e: edge; A: areas; all at rest
//! ```
//!
//! θ is the angle between the triangles' normals. With this factor (a third of the printed 3|e|²/(A₁ + A₂), which leaves the stiffness a free number) a sheet whose vertices lie
//! on a cylinder has the plate's energy ½Dκ² per area: on equilateral triangles in every direction; on a grid of squares along its sides. Across
//! its diagonals it has 3 times that if they are regular (1 along them), and 1½ times if they alternate.
//!
//! A hinge does not know of the other curvature, so a sheet of them has a Poisson's ratio of its own: a strip of square cells that is free to bend sideways is
//! softer than a beam by a fifth. A ribbon one cell wide is a chain whose diagonals fold too, softer by w⁴/(h² + w²)² with segments h long and w wide: right if they are
//! longer than wide.

use nalgebra::{Matrix3, SMatrix, Vector3};

use super::Element;
use crate::integrate::force_law::Stiffness;

/// An edge with the two triangles beside it: corners are both ends of the edge, then the vertex across in the triangle that has the edge in this direction, then the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hinge {
    /// D |e|²/(A₁ + A₂), J.
    stiffness: f64,
    /// θ₀.
    rest: f64,
}

/// The angle and what it depends on: edge e and the vectors p, r from its start to the vertices across.
struct Fold {
    e: Vector3<f64>,
    p: Vector3<f64>,
    r: Vector3<f64>,
    length: f64,
    /// Normals n = e × p and r × e, by their squared lengths.
    m: [Vector3<f64>; 2],
    normals: [Vector3<f64>; 2],
    angle: f64,
}

impl Hinge {
    /// With these corners at rest, and the angle at which it rests; `None` for the one they have. `bending` is the plate's stiffness D, N m.
    pub fn new(corners: &[Vector3<f64>; 4], bending: f64, rest: Option<f64>) -> Hinge {
        let fold = Fold::of(corners);
        let areas = 0.5 * (fold.normals[0].norm() + fold.normals[1].norm());
        Hinge { stiffness: bending * fold.length.powi(2) / areas, rest: rest.unwrap_or(fold.angle) }
    }

    /// θ − θ₀, the short way round.
    fn strain(&self, angle: f64) -> f64 {
        use std::f64::consts::{PI, TAU};
        let strain = angle - self.rest;
        if strain > PI {
            strain - TAU
        } else if strain < -PI {
            strain + TAU
        } else {
            strain
        }
    }
}

/// The angle between the normals of the triangles of a hinge; positive where they look away from each other, over a ridge.
pub fn fold_angle(corners: &[Vector3<f64>; 4]) -> f64 {
    Fold::of(corners).angle
}

impl Fold {
    fn of(x: &[Vector3<f64>; 4]) -> Fold {
        let (e, p, r) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let normals = [e.cross(&p), r.cross(&e)];
        // An edge without length neither.
        let length = e.norm().max(f64::MIN_POSITIVE);
        // A triangle without area has no normal and no say.
        let m = normals.map(|n| if n.norm_squared() > 0.0 { n / n.norm_squared() } else { Vector3::zeros() });
        let angle = e.dot(&normals[0].cross(&normals[1])).atan2(length * normals[0].dot(&normals[1]));
        Fold { e, p, r, length, m, normals, angle }
    }

    /// ∂θ/∂e, ∂θ/∂p, ∂θ/∂r.
    fn gradient(&self) -> [Vector3<f64>; 3] {
        let by_edge = self.m[0] * (self.p.dot(&self.e) / self.length) + self.m[1] * (self.r.dot(&self.e) / self.length);
        [by_edge, self.m[0] * -self.length, self.m[1] * -self.length]
    }

    /// The second derivative of θ by (e, p, r): Tamstorf and Grinspun 2013, "Discrete bending forces and their Jacobians", in these three instead of four corners.
    fn hessian(&self) -> [[Matrix3<f64>; 3]; 3] {
        let (e, p, r, length) = (&self.e, &self.p, &self.r, self.length);
        let unit = e / length;
        // ∂m/∂n.
        let bend = |k: usize| (Matrix3::identity() - self.normals[k] * (self.m[k] * 2.0).transpose()) * self.m[k].norm_squared();
        let (b, c) = (bend(0), bend(1));
        let (bp, be) = (b * p.cross_matrix(), b * e.cross_matrix());
        let (cr, ce) = (c * r.cross_matrix(), c * e.cross_matrix());
        let along = |v: &Vector3<f64>| (v - unit * unit.dot(v)) / length;
        let ee = self.m[0] * along(p).transpose() - bp * p.dot(&unit) + self.m[1] * along(r).transpose() + cr * r.dot(&unit);
        let pe = bp * length - self.m[0] * unit.transpose();
        let re = -cr * length - self.m[1] * unit.transpose();
        let (pp, rr) = (-be * length, ce * length);
        [[ee, pe.transpose(), re.transpose()], [pe, pp, Matrix3::zeros()], [re, Matrix3::zeros(), rr]]
    }
}

impl Element<4> for Hinge {
    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        0.5 * self.stiffness * self.strain(Fold::of(x).angle).powi(2)
    }

    fn force(&self, x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        let fold = Fold::of(x);
        let moment = self.stiffness * self.strain(fold.angle);
        if moment == 0.0 {
            return [Vector3::zeros(); 4];
        }
        let [e, p, r] = fold.gradient().map(|g| g * -moment);
        [-(e + p + r), e, p, r]
    }

    fn stiffness(&self, x: &[Vector3<f64>; 4], which: Stiffness) -> [[Matrix3<f64>; 4]; 4] {
        let fold = Fold::of(x);
        let (gradient, strain) = (fold.gradient(), self.strain(fold.angle));
        let mut inner = [[Matrix3::zeros(); 3]; 3];
        for a in 0..3 {
            for c in 0..3 {
                inner[a][c] = gradient[a] * (gradient[c] * self.stiffness).transpose();
            }
        }
        // A fold this small turns nothing.
        if strain.abs() > 1e-14 {
            let hessian = fold.hessian();
            for a in 0..3 {
                for c in 0..3 {
                    inner[a][c] += hessian[a][c] * (self.stiffness * strain);
                }
            }
            if which == Stiffness::Projected {
                inner = positive_part(&inner);
            }
        }
        spread(&inner)
    }
}

/// From (e, p, r) to the corners: what is left is on the first.
fn spread(inner: &[[Matrix3<f64>; 3]; 3]) -> [[Matrix3<f64>; 4]; 4] {
    let mut blocks = [[Matrix3::zeros(); 4]; 4];
    for a in 0..3 {
        for c in 0..3 {
            let block = inner[a][c];
            blocks[a + 1][c + 1] = block;
            blocks[0][c + 1] -= block;
            blocks[a + 1][0] -= block;
            blocks[0][0] += block;
        }
    }
    blocks
}

/// Without negative eigenvalues. What is positive in (e, p, r) is so in the corners.
fn positive_part(inner: &[[Matrix3<f64>; 3]; 3]) -> [[Matrix3<f64>; 3]; 3] {
    let mut all = SMatrix::<f64, 9, 9>::from_fn(|i, k| inner[i / 3][k / 3][(i % 3, k % 3)]);
    if !all.iter().all(|x| x.is_finite()) {
        return [[Matrix3::zeros(); 3]; 3];
    }
    all = (all + all.transpose()) * 0.5;
    let eigen = all.symmetric_eigen();
    // What is below round-off of the largest is none.
    if eigen.eigenvalues.min() >= -1e-14 * eigen.eigenvalues.max() {
        return *inner;
    }
    let mut positive = SMatrix::<f64, 9, 9>::zeros();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > 0.0 {
            positive += vector * (vector * *value).transpose();
        }
    }
    [0, 1, 2].map(|a| [0, 1, 2].map(|c| positive.fixed_view::<3, 3>(3 * a, 3 * c).into_owned()))
}
