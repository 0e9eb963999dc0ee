//! Deformation in its principal axes: where the energies of isotropic materials and their second derivatives are simple.
//!
//! ```text
//! F = U diag(σ) Vᵀ      U, V rotations; the stretch that is smallest in size is negative where F turns space inside out
//! ```
//!
//! An isotropic energy density ψ(σ) has a second derivative that in these axes falls apart: Smith, de Goes and Kim 2019, "Analytic Eigensystems for Isotropic
//! Distortion Energies". The stretches act on each other by a 3 × 3 matrix; each pair of axes i, j has one mode that shears
//! symmetrically, with eigenvalue (ψᵢ − ψⱼ)/(σᵢ − σⱼ), and one that twists, with (ψᵢ + ψⱼ)/(σᵢ + σⱼ).

use nalgebra::{Matrix3, Vector3};

/// F = U diag(σ) Vᵀ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Principal {
    pub u: Matrix3<f64>,
    pub stretches: Vector3<f64>,
    pub v: Matrix3<f64>,
}

/// The second derivative of an isotropic energy density, by its modes. Entry k of `shear` and `twist` belongs to the pair of axes other than k.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modes {
    /// ∂²ψ/∂σᵢ∂σⱼ.
    pub stretch: Matrix3<f64>,
    /// (ψᵢ − ψⱼ)/(σᵢ − σⱼ).
    pub shear: Vector3<f64>,
    /// (ψᵢ + ψⱼ)/(σᵢ + σⱼ).
    pub twist: Vector3<f64>,
}

/// Most sweeps of Jacobi's method: five are enough in practice.
const MOST_SWEEPS: usize = 16;

/// Columns whose directions agree by less than this are orthogonal.
const ORTHOGONAL: f64 = 2.0 * f64::EPSILON;

/// Where all agree by less than this before a sweep, they are orthogonal after it: the method converges quadratically.
const NEARLY: f64 = 1e-9;

impl Principal {
    /// One-sided Jacobi: columns of F are turned about each other until they are orthogonal, which finds small stretches as exactly as large ones. A column of zeros
    /// stays where it is: a triangle is a deformation without a third column.
    pub fn of(f: &Matrix3<f64>) -> Principal {
        let mut a = [f.column(0).into_owned(), f.column(1).into_owned(), f.column(2).into_owned()];
        let mut v = [Vector3::x(), Vector3::y(), Vector3::z()];
        for _ in 0..MOST_SWEEPS {
            let mut done = true;
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let (along, ii, jj) = (a[i].dot(&a[j]), a[i].norm_squared(), a[j].norm_squared());
                // Not so with NaN.
                let oblique = along * along > ORTHOGONAL * ORTHOGONAL * ii * jj;
                if !oblique {
                    continue;
                }
                done &= along * along <= NEARLY * NEARLY * ii * jj;
                let tau = (jj - ii) / (2.0 * along);
                let t = 1.0_f64.copysign(tau) / (tau.abs() + (1.0 + tau * tau).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                (a[i], a[j]) = (a[i] * c - a[j] * s, a[i] * s + a[j] * c);
                (v[i], v[j]) = (v[i] * c - v[j] * s, v[i] * s + v[j] * c);
            }
            if done {
                break;
            }
        }
        let (u, stretches) = axes(&a);
        Principal { u, stretches, v: Matrix3::from_columns(&v) }
    }

    /// U diag(d) Vᵀ.
    pub fn back(&self, d: &Vector3<f64>) -> Matrix3<f64> {
        self.u * Matrix3::from_diagonal(d) * self.v.transpose()
    }

    /// The second derivative of the energy by the places of K vertices, where F = Σ xₐ gₐᵀ with the `gradients` g of the vertices' shape functions, times `weight`.
    ///
    /// In principal axes, with b = Vᵀg, the block of a and c has entries `stretchᵢⱼ bₐᵢ b_cⱼ + ½(shear − twist) bₐⱼ b_cᵢ` and, on the diagonal,
    /// `stretchᵢᵢ bₐᵢ b_cᵢ + ½ Σⱼ (shear + twist) bₐⱼ b_cⱼ`.
    pub fn blocks<const K: usize>(&self, modes: &Modes, gradients: &[Vector3<f64>; K], weight: f64) -> [[Matrix3<f64>; K]; K] {
        let b = gradients.map(|g| self.v.tr_mul(&g));
        let stretch = modes.stretch * weight;
        let (both, apart) = ((modes.shear + modes.twist) * (0.5 * weight), (modes.shear - modes.twist) * (0.5 * weight));
        let mut blocks = [[Matrix3::zeros(); K]; K];
        for a in 0..K {
            for c in a..K {
                let (p, q) = (&b[a], &b[c]);
                let mut m = Matrix3::zeros();
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    m[(i, i)] = stretch[(i, i)] * p[i] * q[i] + both[k] * p[j] * q[j] + both[j] * p[k] * q[k];
                    m[(i, j)] = stretch[(i, j)] * p[i] * q[j] + apart[k] * p[j] * q[i];
                    m[(j, i)] = stretch[(j, i)] * p[j] * q[i] + apart[k] * p[i] * q[j];
                }
                let block = self.u * m * self.u.transpose();
                blocks[a][c] = block;
                if a != c {
                    blocks[c][a] = block.transpose();
                }
            }
        }
        blocks
    }
}

impl Modes {
    /// Without what is not positive semidefinite.
    pub fn projected(&self) -> Modes {
        Modes { stretch: positive_part(&self.stretch), shear: self.shear.map(|x| x.max(0.0)), twist: self.twist.map(|x| x.max(0.0)) }
    }
}

/// U and the stretches from orthogonal columns: the last axis, that of the smallest, follows from the others, and so does the sign of its stretch.
fn axes(columns: &[Vector3<f64>; 3]) -> (Matrix3<f64>, Vector3<f64>) {
    let size = columns.map(|a| a.norm_squared());
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| size[j].total_cmp(&size[i]));
    let [i, j, k] = order;
    let first = columns[i].try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::x);
    let across = columns[j] - first * first.dot(&columns[j]);
    let second = across.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(|| perpendicular(&first));
    let even = (j + 3 - i) % 3 == 1;
    let third = if even { first.cross(&second) } else { second.cross(&first) };
    let mut u = Matrix3::zeros();
    u.set_column(i, &first);
    u.set_column(j, &second);
    u.set_column(k, &third);
    let mut stretches = Vector3::zeros();
    (stretches[i], stretches[j], stretches[k]) = (columns[i].norm(), columns[j].norm(), columns[k].dot(&third));
    (u, stretches)
}

/// Some unit vector across another.
fn perpendicular(unit: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[unit.iamin()] = 1.0;
    unit.cross(&axis).normalize()
}

/// A symmetric matrix without its negative eigenvalues; itself if it has none.
fn positive_part(m: &Matrix3<f64>) -> Matrix3<f64> {
    // Sylvester's criterion; a triangle has no third stretch.
    if m[(0, 0)] > 0.0 && m[(0, 0)] * m[(1, 1)] > m[(0, 1)] * m[(1, 0)] && m.determinant() >= 0.0 {
        return *m;
    }
    if !m.iter().all(|x| x.is_finite()) {
        return Matrix3::zeros();
    }
    let eigen = m.symmetric_eigen();
    if eigen.eigenvalues.min() >= 0.0 {
        return *m;
    }
    eigen.eigenvectors * Matrix3::from_diagonal(&eigen.eigenvalues.map(|x| x.max(0.0))) * eigen.eigenvectors.transpose()
}

/// The derivative of det F by F: columns are products of the others, which holds for singular F too.
pub(super) fn cofactor(f: &Matrix3<f64>) -> Matrix3<f64> {
    let (a, b, c) = (f.column(0), f.column(1), f.column(2));
    Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}
