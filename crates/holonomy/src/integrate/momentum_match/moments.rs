//! The sums over the vertices of a time edge, taken once.
//!
//! Residual, Jacobian and energy of a time edge are polynomials in the motion (R, t); their coefficients are the moments below.
//! Seen from the old shape, the new points x move over fixed points p with a fixed metric B; seen from the new shape, p moves over x
//! with Ĉ. Both are the same sums, so one [`Half`] serves both:
//!
//! | symbol | old half | new half |
//! |---|---|---|
//! | x, the points that move | new points | old points |
//! | B, the metric that stays | of the old shape | of the new shape |
//! | R, t: x goes to y = R x, then to y + t | as asked | Rᵀ, −Rᵀ t |
//! | e = x − (points that stay) | p̂ − p | p − p̂ |
//! | d = S x + t + e, S = R − I | displacement | minus the displacement, turned back by Rᵀ |
//!
//! Points are measured from the centre of their shape, and e stands in place of the fixed points: for a small step S, t and e are all
//! small, so nothing large cancels.

use nalgebra::{Matrix3, Vector3};

/// Where B_ab of a symmetric matrix is kept: 00, 01, 02, 11, 12, 22.
pub(super) const PACKED: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

/// Moments of one half of a time edge, a, b packed as in [`PACKED`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Half {
    /// Σ B_ab.
    pub metric: [f64; 6],
    /// Σ B_ab x.
    pub first: [Vector3<f64>; 6],
    /// Σ B_ab x xᵀ.
    pub second: [Matrix3<f64>; 6],
    /// Σ B e.
    pub pull: Vector3<f64>,
    /// Σ (B e) xᵀ.
    pub pull_first: Matrix3<f64>,
    /// Σ eᵀ B e.
    pub gap: f64,
}

/// The forces B d of a half under a motion.
pub(super) struct Forces {
    /// Σ B d.
    pub total: Vector3<f64>,
    /// Σ (B d) xᵀ: x not yet turned.
    pub first: Matrix3<f64>,
}

/// The metric's sums over the turned points y = R x.
pub(super) struct Turned {
    /// Σ B.
    pub metric: Matrix3<f64>,
    /// Σ B y^.
    pub first: Matrix3<f64>,
    /// −Σ y^ B y^.
    pub second: Matrix3<f64>,
}

impl Half {
    /// Σ trace B.
    pub fn trace(&self) -> f64 {
        self.metric[0] + self.metric[3] + self.metric[5]
    }

    /// Σ trace B |x|².
    pub fn spread(&self) -> f64 {
        self.second[0].trace() + self.second[3].trace() + self.second[5].trace()
    }

    /// Forces under the motion (I + `turn`, `shift`).
    pub fn forces(&self, turn: &Matrix3<f64>, shift: &Vector3<f64>) -> Forces {
        let (mut total, mut first) = (self.pull, self.pull_first);
        for a in 0..3 {
            let mut row = Vector3::zeros();
            for b in 0..3 {
                let ab = PACKED[a][b];
                let s = Vector3::new(turn[(b, 0)], turn[(b, 1)], turn[(b, 2)]);
                total[a] += s.dot(&self.first[ab]) + self.metric[ab] * shift[b];
                row += self.second[ab] * s + self.first[ab] * shift[b];
            }
            for k in 0..3 {
                first[(a, k)] += row[k];
            }
        }
        Forces { total, first }
    }

    /// Σ dᵀ B d under the motion (I + `turn`, `shift`), given its forces.
    pub fn energy(&self, turn: &Matrix3<f64>, shift: &Vector3<f64>, forces: &Forces) -> f64 {
        // d = (S x + t) + e; the forces have the whole d, and eᵀ B d = eᵀ B (S x + t) + eᵀ B e.
        let with_motion = turn.component_mul(&forces.first).sum() + shift.dot(&forces.total);
        let with_gap = turn.component_mul(&self.pull_first).sum() + shift.dot(&self.pull) + self.gap;
        with_motion + with_gap
    }

    /// The metric's sums with the points turned by `rotation`.
    pub fn turned(&self, rotation: &Matrix3<f64>) -> Turned {
        let [m00, m01, m02, m11, m12, m22] = self.metric;
        let [f00, f01, f02, f11, f12, f22] = self.first.map(|first| rotation * first);
        let [s00, s01, s02, s11, s12, s22] = self.second.map(|second| rotation * second * rotation.transpose());
        // Row a of B y^ is (row a of B) × y.
        let first = Matrix3::new(
            f01[2] - f02[1],
            f02[0] - f00[2],
            f00[1] - f01[0],
            f11[2] - f12[1],
            f12[0] - f01[2],
            f01[1] - f11[0],
            f12[2] - f22[1],
            f22[0] - f02[2],
            f02[1] - f12[0],
        );
        // Entry (c, d) of −y^ B y^ is (y × e_c)ᵀ B (y × e_d).
        let q00 = s11[(2, 2)] - 2.0 * s12[(1, 2)] + s22[(1, 1)];
        let q11 = s00[(2, 2)] - 2.0 * s02[(0, 2)] + s22[(0, 0)];
        let q22 = s00[(1, 1)] - 2.0 * s01[(0, 1)] + s11[(0, 0)];
        let q01 = -s01[(2, 2)] + s12[(0, 2)] + s02[(1, 2)] - s22[(0, 1)];
        let q02 = s01[(1, 2)] - s11[(0, 2)] - s02[(1, 1)] + s12[(0, 1)];
        let q12 = -s00[(1, 2)] + s01[(0, 2)] + s02[(0, 1)] - s12[(0, 0)];
        Turned {
            metric: Matrix3::new(m00, m01, m02, m01, m11, m12, m02, m12, m22),
            first,
            second: Matrix3::new(q00, q01, q02, q01, q11, q12, q02, q12, q22),
        }
    }
}
