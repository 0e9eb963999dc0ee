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

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use nalgebra::{Matrix3, Vector3};

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

    /// The four pairs of linear forms of (de, dp, dr) in which the second derivative of θ falls apart, each with its 2 × 2 matrix; see [`Pair`]. `None` where a triangle has no area.
    fn pairs(&self) -> Option<[Pair; 4]> {
        let unit = self.e / self.length;
        let [n, l] = [self.normals[0].try_normalize(f64::MIN_POSITIVE)?, self.normals[1].try_normalize(f64::MIN_POSITIVE)?];
        let (sin, cos) = (0.5 * self.angle).sin_cos();
        // In the triangles, away from the edge; and the axes halfway between the normals.
        let (t, u) = (n.cross(&unit), unit.cross(&l));
        let b = n * cos - t * sin;
        let a = unit.cross(&b);
        // How the vertices across move, in parts of their heights over the edge, apart from where the edge takes them.
        let left = |v: &Vector3<f64>| {
            let v = v * (self.m[0].norm() * self.length);
            [v * (-self.p.dot(&unit) / self.length), v, Vector3::zeros()]
        };
        let right = |v: &Vector3<f64>| {
            let v = v * (self.m[1].norm() * self.length);
            [v * (-self.r.dot(&unit) / self.length), Vector3::zeros(), v]
        };
        let edge = |v: &Vector3<f64>| [v / self.length, Vector3::zeros(), Vector3::zeros()];
        let sum = |[a, b, c]: Form, [d, e, f]: Form| [(a + d) * FRAC_1_SQRT_2, (b + e) * FRAC_1_SQRT_2, (c + f) * FRAC_1_SQRT_2];
        let difference = |x: Form, y: Form| sum(x, y.map(|v| -v));
        Some([
            Pair { matrix: [-self.angle.sin(), SQRT_2 * cos, 0.0], forms: [edge(&b), sum(right(&unit), left(&unit))] },
            Pair { matrix: [self.angle.sin(), SQRT_2 * sin, 0.0], forms: [edge(&a), difference(right(&unit), left(&unit))] },
            Pair { matrix: [0.0, 1.0, 0.0], forms: [difference(right(&u), left(&t)), difference(right(&l), left(&n))] },
            // Last the one that has the gradient of θ, √2 times its second form.
            Pair { matrix: [0.0, 1.0, 0.0], forms: [sum(right(&u), left(&t)), sum(right(&l), left(&n))] },
        ])
    }
}

/// A linear form of (de, dp, dr).
type Form = [Vector3<f64>; 3];

/// A quadratic form x f² + 2y f g + w g² of two linear ones f, g.
///
/// With (de, dp, dr) taken apart into E = de/|e|, Y = (dp − (p·e/e²) de)/h₁ and Z likewise (h: heights over the edge), the second derivative of the angle depends on nothing but
/// the angle: `sin θ (Eₐ² − E_b²) + 2(n₁·E) Yₑ + 2(n₂·E) Zₑ + 2 Yₜ Yₙ + 2 Zₜ Zₙ` along the edge e, the triangles' normals n, the directions t across the edge within them, and the axes
/// b halfway between the normals, a across. Sums and differences of Y and Z part it into four pairs. (Wu and Kim 2023, "An Eigenanalysis of Angle-Based Deformation
/// Energies", find such modes without this change of variables.)
struct Pair {
    /// x, y, w.
    matrix: [f64; 3],
    forms: [Form; 2],
}

/// Without its negative eigenvalue.
fn positive_part([x, y, w]: [f64; 3]) -> [f64; 3] {
    let (mean, half) = (0.5 * (x + w), 0.5 * (x - w));
    let radius = half.hypot(y);
    let (low, high) = (mean - radius, mean + radius);
    if low >= 0.0 {
        [x, y, w]
    } else if high <= 0.0 {
        [0.0; 3]
    } else {
        // The projector on the eigenvector of the larger one, ½(1 + (M − mean)/radius).
        let part = 0.5 * high / radius;
        [part * (radius + half), part * y, part * (radius - half)]
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
        let Some(pairs) = fold.pairs() else { return [[Matrix3::zeros(); 4]; 4] };
        let moment = self.stiffness * self.strain(fold.angle);
        let mut inner = [[Matrix3::zeros(); 3]; 3];
        for (k, Pair { matrix, forms: [f, g] }) in pairs.iter().enumerate() {
            let mut matrix = matrix.map(|x| x * moment);
            if k == 3 {
                matrix[2] += 2.0 * self.stiffness;
            }
            let [x, y, w] = if which == Stiffness::Exact { matrix } else { positive_part(matrix) };
            for c in 0..3 {
                let (by_f, by_g) = ((f[c] * x + g[c] * y).transpose(), (f[c] * y + g[c] * w).transpose());
                for a in 0..=c {
                    inner[a][c] += f[a] * by_f + g[a] * by_g;
                }
            }
        }
        for a in 0..3 {
            for c in 0..a {
                inner[a][c] = inner[c][a].transpose();
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
