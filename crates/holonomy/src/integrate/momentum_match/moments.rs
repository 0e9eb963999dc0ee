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
const PACKED: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

/// Moments of one half of a time edge. x̃ = (x, 1), so that moments of all orders stand in one table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Half {
    /// Σ B_ab x̃ x̃ᵀ, the pairs (a, b) as in [`PACKED`].
    pub metric: [[[f64; 4]; 4]; 6],
    /// Σ (B e)_a x̃.
    pub pull: [[f64; 4]; 3],
    /// Σ eᵀ B e.
    pub gap: f64,
}

/// Row b of [S t]: how the motion moves points along b.
pub(super) type Motion = [[f64; 4]; 3];

/// Σ (B d)_a x̃ under a motion: forces against points that are not yet turned.
pub(super) type Forces = [[f64; 4]; 3];

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
        self.metric[0][3][3] + self.metric[3][3][3] + self.metric[5][3][3]
    }

    /// Σ trace B |x|².
    pub fn spread(&self) -> f64 {
        [0, 3, 5].iter().map(|&aa| (0..3).map(|k| self.metric[aa][k][k]).sum::<f64>()).sum()
    }

    /// Σ (B d)_a x̃ with d = [S t] x̃ + e.
    #[inline(always)]
    pub fn forces(&self, motion: &Motion) -> Forces {
        let mut forces = self.pull;
        for a in 0..3 {
            for b in 0..3 {
                let moments = &self.metric[PACKED[a][b]];
                for l in 0..4 {
                    for k in 0..4 {
                        forces[a][k] += motion[b][l] * moments[l][k];
                    }
                }
            }
        }
        forces
    }

    /// Σ dᵀ B d.
    #[inline(always)]
    pub fn energy(&self, motion: &Motion) -> f64 {
        // d = [S t] x̃ + e: Σ dᵀ B d = [S t] : Σ (B d) x̃ᵀ + [S t] : Σ (B e) x̃ᵀ + Σ eᵀ B e.
        let forces = self.forces(motion);
        let mut sum = self.gap;
        for a in 0..3 {
            for k in 0..4 {
                sum += motion[a][k] * (forces[a][k] + self.pull[a][k]);
            }
        }
        sum
    }

    /// The metric's sums with the points turned by `rotation`.
    #[inline(always)]
    pub fn turned(&self, rotation: &Matrix3<f64>) -> Turned {
        let [m00, m01, m02, m11, m12, m22] = &self.metric;
        let [s00, s01, s02] = [turn(m00, rotation), turn(m01, rotation), turn(m02, rotation)];
        let [s11, s12, s22] = [turn(m11, rotation), turn(m12, rotation), turn(m22, rotation)];
        let (f00, f01, f02, f11, f12, f22) = (&s00[3], &s01[3], &s02[3], &s11[3], &s12[3], &s22[3]);
        // Row a of B y^ is (row a of B) × y.
        #[rustfmt::skip]
        let first = Matrix3::new(
            f01[2] - f02[1], f02[0] - f00[2], f00[1] - f01[0],
            f11[2] - f12[1], f12[0] - f01[2], f01[1] - f11[0],
            f12[2] - f22[1], f22[0] - f02[2], f02[1] - f12[0],
        );
        // Entry (c, d) of −y^ B y^ is (y × e_c)ᵀ B (y × e_d).
        let q00 = s11[2][2] - 2.0 * s12[1][2] + s22[1][1];
        let q11 = s00[2][2] - 2.0 * s02[0][2] + s22[0][0];
        let q22 = s00[1][1] - 2.0 * s01[0][1] + s11[0][0];
        let q01 = -s01[2][2] + s12[0][2] + s02[1][2] - s22[0][1];
        let q02 = s01[1][2] - s11[0][2] - s02[1][1] + s12[0][1];
        let q12 = -s00[1][2] + s01[0][2] + s02[0][1] - s12[0][0];
        let second = Matrix3::new(q00, q01, q02, q01, q11, q12, q02, q12, q22);
        Turned { metric: symmetric([f00[3], f01[3], f02[3], f11[3], f12[3], f22[3]]), first, second }
    }
}

/// Σ ỹ ỹᵀ from Σ x̃ x̃ᵀ, with y = R x.
#[inline(always)]
fn turn(moments: &[[f64; 4]; 4], rotation: &Matrix3<f64>) -> [[f64; 4]; 4] {
    // Right side first: row l of M R̃ᵀ.
    let mut right = [[0.0; 4]; 4];
    for l in 0..4 {
        for m in 0..3 {
            for k in 0..3 {
                right[l][k] += moments[l][m] * rotation[(k, m)];
            }
        }
        right[l][3] = moments[l][3];
    }
    let mut both = [[0.0; 4]; 4];
    for k in 0..3 {
        for l in 0..3 {
            for n in 0..4 {
                both[k][n] += rotation[(k, l)] * right[l][n];
            }
        }
    }
    both[3] = right[3];
    both
}

fn symmetric([m00, m01, m02, m11, m12, m22]: [f64; 6]) -> Matrix3<f64> {
    Matrix3::new(m00, m01, m02, m01, m11, m12, m02, m12, m22)
}

/// The first three columns of forces: Σ (B d) xᵀ.
pub(super) fn against_points(forces: &Forces) -> Matrix3<f64> {
    Matrix3::from_fn(|a, k| forces[a][k])
}

/// The last column of forces: Σ B d.
pub(super) fn total(forces: &Forces) -> Vector3<f64> {
    Vector3::new(forces[0][3], forces[1][3], forces[2][3])
}
