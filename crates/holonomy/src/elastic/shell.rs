//! A triangle of a membrane: cloth that is stretched in its own plane. What resists its folding is [`super::hinge`].
//!
//! ```text
//! F    = Σ xₐ gₐᵀ, 3 × 2          deformation; gₐ: gradients of the corners' shape functions in the triangle's plane at rest
//! J    = √det FᵀF                 area now by area at rest
//! E    = t A ψ(σ₁, σ₂)            t: thickness; A: area at rest; σ: principal stretches
//! ```
//!
//! Both laws are of plane stress: what is thin is free to become thinner where it is stretched. So the second constant is λ' = Eν/(1 − ν²) and not the solid's, and
//! a strip under tension has the modulus E. (Codimensional IPC, which Jia et al. 2023 use, has the constants of
//! the solid, which are those of plane strain.)

use nalgebra::{Matrix3, Vector2, Vector3};

use super::Element;
use super::material::Material;
use super::principal::{Modes, Principal};
use crate::integrate::force_law::Stiffness;

/// What a membrane does when it is stretched. For small strains both are the linear elasticity of plane stress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MembraneLaw {
    /// `ψ = ½μ(σ₁² + σ₂² − 2) − μ(J − 1) + ½(λ' + μ)(J − 1)²`: neo-Hookean in the stable form of Smith et al. 2018 (Eq. 13, of two dimensions), finite also where a
    /// triangle is crushed to a line.
    #[default]
    NeoHookean,
    /// St. Venant and Kirchhoff: `ψ = μ|E|² + ½λ'(tr E)²` with E = ½(FᵀF − 1). Stiffens under tension, but gives way under compression below 1/√3.
    StVenantKirchhoff,
}

/// One of the triangles of a membrane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    law: MembraneLaw,
    /// μ and λ', Pa.
    shear: f64,
    bulk: f64,
    /// A, m².
    area: f64,
    /// t A, m³.
    volume: f64,
    /// gₐ, 1/m; third entry 0.
    gradients: [Vector3<f64>; 3],
}

/// A triangle with less than this part of its longest edge squared (twice) has no area.
const FLAT: f64 = 1e-9;

/// Stretches are not taken for smaller than this where they divide.
const LEAST_STRETCH: f64 = 1e-6;

impl Triangle {
    /// With these corners at rest. `None` if they lie on a line.
    pub fn new(corners: &[Vector3<f64>; 3], material: &Material, law: MembraneLaw) -> Option<Triangle> {
        let (p, q) = (corners[1] - corners[0], corners[2] - corners[0]);
        let double = p.cross(&q).norm();
        let longest = [p, q, q - p].iter().map(Vector3::norm_squared).fold(0.0, f64::max);
        // NaN has no area either.
        let has_area = double > FLAT * longest;
        if !has_area {
            return None;
        }
        // In the plane, with p along the first axis.
        let length = p.norm();
        let (along, across) = (q.dot(&p) / length, double / length);
        let second = Vector2::new(1.0 / length, -along / (length * across));
        let third = Vector2::new(0.0, 1.0 / across);
        let first = -(second + third);
        let gradients = [first, second, third].map(|g| Vector3::new(g.x, g.y, 0.0));
        let (shear, bulk) = material.plane_stress();
        Some(Triangle { law, shear, bulk, area: 0.5 * double, volume: 0.5 * double * material.thickness, gradients })
    }

    /// At rest, m².
    pub fn area(&self) -> f64 {
        self.area
    }

    /// F, with a third column of zeros.
    pub fn deformation(&self, x: &[Vector3<f64>; 3]) -> Matrix3<f64> {
        (x[1] - x[0]) * self.gradients[1].transpose() + (x[2] - x[0]) * self.gradients[2].transpose()
    }

    /// P = ∂ψ/∂F, Pa, with a third column of zeros.
    pub fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let (a, b) = (f.column(0).into_owned(), f.column(1).into_owned());
        let columns = match self.law {
            MembraneLaw::NeoHookean => {
                let normal = a.cross(&b);
                let j = normal.norm();
                let normal = normal.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
                let pressure = self.pressure(j);
                [a * self.shear + b.cross(&normal) * pressure, b * self.shear + normal.cross(&a) * pressure]
            }
            MembraneLaw::StVenantKirchhoff => {
                let (xx, yy, xy) = strain(&a, &b);
                let spread = self.bulk * (xx + yy);
                let (sx, sy, t) = (2.0 * self.shear * xx + spread, 2.0 * self.shear * yy + spread, 2.0 * self.shear * xy);
                [a * sx + b * t, a * t + b * sy]
            }
        };
        Matrix3::from_columns(&[columns[0], columns[1], Vector3::zeros()])
    }

    /// ∂ψ/∂J of the neo-Hookean law.
    fn pressure(&self, j: f64) -> f64 {
        (self.bulk + self.shear) * (j - 1.0) - self.shear
    }

    /// ψ, Pa.
    fn density(&self, f: &Matrix3<f64>) -> f64 {
        let (a, b) = (f.column(0).into_owned(), f.column(1).into_owned());
        let (xx, yy, xy) = strain(&a, &b);
        match self.law {
            MembraneLaw::NeoHookean => {
                // From J² − 1 = 2 tr E + 4 det E: small strains would be lost in what is left of 1.
                let (j, trace, four) = (a.cross(&b).norm(), xx + yy, 4.0 * (xx * yy - xy * xy));
                let growth = (2.0 * trace + four) / (j + 1.0);
                self.shear * (trace * growth - four) / (j + 1.0) + 0.5 * (self.bulk + self.shear) * growth * growth
            }
            MembraneLaw::StVenantKirchhoff => self.shear * (xx * xx + yy * yy + 2.0 * xy * xy) + 0.5 * self.bulk * (xx + yy).powi(2),
        }
    }

    /// ∂²ψ/∂F² by its modes: in the plane as for solids; out of it, where a stretched triangle resists and a compressed one gives way, ψᵢ/σᵢ.
    fn modes(&self, sigma: &Vector3<f64>) -> Modes {
        let (mu, lambda, s, r) = (self.shear, self.bulk, sigma[0], sigma[1]);
        let (xx, yy, xy, shear, twist, out) = match self.law {
            MembraneLaw::NeoHookean => {
                let (pressure, k) = (self.pressure(s * r), lambda + mu);
                let out = [mu + pressure * r / s.max(LEAST_STRETCH), mu + pressure * s / r.max(LEAST_STRETCH)];
                (mu + k * r * r, mu + k * s * s, k * s * r + pressure, mu - pressure, mu + pressure, out)
            }
            MembraneLaw::StVenantKirchhoff => {
                let e = [0.5 * (s * s - 1.0), 0.5 * (r * r - 1.0)];
                let tension = e.map(|own| 2.0 * mu * own + lambda * (e[0] + e[1]));
                let stiff = 2.0 * mu + lambda;
                let shear = tension[0] + mu * r * (s + r);
                let twist = tension[0] - mu * r * (s - r);
                (tension[0] + stiff * s * s, tension[1] + stiff * r * r, lambda * s * r, shear, twist, tension)
            }
        };
        // The pair of axes other than the first holds the second and the normal.
        Modes {
            stretch: Matrix3::new(xx, xy, 0.0, xy, yy, 0.0, 0.0, 0.0, 0.0),
            shear: Vector3::new(out[1], out[0], shear),
            twist: Vector3::new(out[1], out[0], twist),
        }
    }
}

/// Entries xx, yy and xy of ½(FᵀF − 1).
fn strain(a: &Vector3<f64>, b: &Vector3<f64>) -> (f64, f64, f64) {
    (0.5 * (a.norm_squared() - 1.0), 0.5 * (b.norm_squared() - 1.0), 0.5 * a.dot(b))
}

impl Element<3> for Triangle {
    fn energy(&self, x: &[Vector3<f64>; 3]) -> f64 {
        self.volume * self.density(&self.deformation(x))
    }

    fn force(&self, x: &[Vector3<f64>; 3]) -> [Vector3<f64>; 3] {
        let stress = self.stress(&self.deformation(x)) * -self.volume;
        let [b, c] = [stress * self.gradients[1], stress * self.gradients[2]];
        [-(b + c), b, c]
    }

    fn stiffness(&self, x: &[Vector3<f64>; 3], which: Stiffness) -> [[Matrix3<f64>; 3]; 3] {
        let principal = Principal::of(&self.deformation(x));
        let modes = self.modes(&principal.stretches);
        let modes = if which == Stiffness::Exact { modes } else { modes.projected() };
        principal.blocks(&modes, &self.gradients, self.volume)
    }
}
