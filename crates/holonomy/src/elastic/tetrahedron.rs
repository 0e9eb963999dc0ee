//! A tetrahedron of an elastic solid, deformed in any way, inside out too.
//!
//! ```text
//! F    = Σ xₐ gₐᵀ                 deformation; gₐ: gradients of the corners' shape functions at rest
//! I    = tr FᵀF,  J = det F
//! E    = V Ψ(F),  force on a = −V P gₐ,  P = ∂Ψ/∂F
//! ```

use nalgebra::{Matrix3, Vector3};

use super::Element;
use super::material::Material;
use super::principal::{Modes, Principal, cofactor};
use crate::integrate::force_law::Stiffness;

/// What a solid does when it is deformed. For small strains both are linear elasticity with the same constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolidLaw {
    /// Smith, de Goes and Kim 2018, "Stable Neo-Hookean Flesh Simulation": `Ψ = ½μ(I − 3) + ½λ(J − α)² − ½μ ln(I + 1)`, less its value at rest. Smooth everywhere.
    #[default]
    StableNeoHookean,
    /// Stomakhin et al. 2012, "Energetically Consistent Invertible Elasticity": `Ψ = μ Σ(σᵢ − 1)² + ½λ(J − 1)²` (Fang et al. 2015 use it). Its rotation jumps where
    /// two stretches add up to nothing.
    FixedCorotated,
}

/// One of the cells of a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tetrahedron {
    law: SolidLaw,
    /// μ and λ as the law's formula has them, Pa.
    shear: f64,
    bulk: f64,
    /// V, m³.
    volume: f64,
    /// gₐ, 1/m.
    gradients: [Vector3<f64>; 4],
}

/// Sums of two stretches nearer to nothing than this are kept away from it: a rotation is not defined there.
const LEAST_SUM: f64 = 1e-6;

impl Tetrahedron {
    /// With these corners at rest, in an order with which they enclose a positive volume. `None` if they do not.
    pub fn new(corners: &[Vector3<f64>; 4], material: &Material, law: SolidLaw) -> Option<Tetrahedron> {
        let edges = Matrix3::from_columns(&[corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]]);
        let six = edges.determinant();
        let longest = (0..3).map(|i| edges.column(i).norm()).fold(0.0, f64::max);
        // NaN has no volume either.
        let has_volume = six > FLAT * longest.powi(3);
        if !has_volume {
            return None;
        }
        let inverse = edges.try_inverse()?;
        let rows = [0, 1, 2].map(|i| inverse.row(i).transpose());
        let gradients = [-(rows[0] + rows[1] + rows[2]), rows[0], rows[1], rows[2]];
        let (mu, lambda) = material.lame();
        // The logarithm softens at rest; with these constants small strains are those of linear elasticity (Smith et al. 2018, §3.4).
        let (shear, bulk) = match law {
            SolidLaw::StableNeoHookean => (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu),
            SolidLaw::FixedCorotated => (mu, lambda),
        };
        Some(Tetrahedron { law, shear, bulk, volume: six / 6.0, gradients })
    }

    /// At rest, m³.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// F.
    pub fn deformation(&self, x: &[Vector3<f64>; 4]) -> Matrix3<f64> {
        let g = &self.gradients;
        (x[1] - x[0]) * g[1].transpose() + (x[2] - x[0]) * g[2].transpose() + (x[3] - x[0]) * g[3].transpose()
    }

    /// P: force by area at rest, Pa.
    pub fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let j = f.determinant();
        match self.law {
            SolidLaw::StableNeoHookean => {
                let squares = f.norm_squared();
                f * (self.shear * squares / (squares + 1.0)) + cofactor(f) * (self.bulk * (j - self.rest_volume()))
            }
            SolidLaw::FixedCorotated => {
                let rotation = Principal::of(f).back(&Vector3::repeat(1.0));
                (f - rotation) * (2.0 * self.shear) + cofactor(f) * (self.bulk * (j - 1.0))
            }
        }
    }

    /// α: where the volume term alone would come to rest.
    fn rest_volume(&self) -> f64 {
        1.0 + 0.75 * self.shear / self.bulk
    }

    /// Ψ, Pa.
    fn density(&self, f: &Matrix3<f64>) -> f64 {
        let j = f.determinant();
        match self.law {
            SolidLaw::StableNeoHookean => {
                let (squares, alpha) = (f.norm_squared(), self.rest_volume());
                // (J − α)² less its value at rest, and ln((I + 1)/4), without cancellation.
                let volume = (j - 1.0) * (j + 1.0 - 2.0 * alpha);
                0.5 * self.shear * ((squares - 3.0) - ((squares - 3.0) / 4.0).ln_1p()) + 0.5 * self.bulk * volume
            }
            SolidLaw::FixedCorotated => {
                let strain = Principal::of(f).stretches.add_scalar(-1.0);
                self.shear * strain.norm_squared() + 0.5 * self.bulk * (j - 1.0).powi(2)
            }
        }
    }

    /// ∂²Ψ/∂F² by its modes.
    fn modes(&self, sigma: &Vector3<f64>) -> Modes {
        let (mu, lambda) = (self.shear, self.bulk);
        let j = sigma.product();
        let minors = Vector3::new(sigma[1] * sigma[2], sigma[2] * sigma[0], sigma[0] * sigma[1]);
        let rest = match self.law {
            SolidLaw::StableNeoHookean => self.rest_volume(),
            SolidLaw::FixedCorotated => 1.0,
        };
        let pressure = lambda * (j - rest);
        // That of the volume: its own square, and J's second derivative.
        let mut stretch = minors * minors.transpose() * lambda;
        for k in 0..3 {
            let (i, l) = ((k + 1) % 3, (k + 2) % 3);
            stretch[(i, l)] += pressure * sigma[k];
            stretch[(l, i)] += pressure * sigma[k];
        }
        match self.law {
            SolidLaw::StableNeoHookean => {
                let squares = sigma.norm_squared();
                let softened = mu * squares / (squares + 1.0);
                stretch += sigma * sigma.transpose() * (2.0 * mu / (squares + 1.0).powi(2)) + Matrix3::from_diagonal_element(softened);
                Modes { stretch, shear: sigma.map(|s| softened - pressure * s), twist: sigma.map(|s| softened + pressure * s) }
            }
            SolidLaw::FixedCorotated => {
                stretch += Matrix3::from_diagonal_element(2.0 * mu);
                let turning = Vector3::from_fn(|k, _| {
                    let sum = sigma[(k + 1) % 3] + sigma[(k + 2) % 3];
                    2.0 * mu * (1.0 - 2.0 / sum.abs().max(LEAST_SUM).copysign(sum))
                });
                Modes { stretch, shear: sigma.map(|s| 2.0 * mu - pressure * s), twist: turning + sigma * pressure }
            }
        }
    }

    /// The exact stiffness of the neo-Hookean law needs no principal axes.
    fn neo_hookean_blocks(&self, f: &Matrix3<f64>) -> [[Matrix3<f64>; 4]; 4] {
        let squares = f.norm_squared();
        let pressure = self.volume * self.bulk * (f.determinant() - self.rest_volume());
        let softened = self.volume * self.shear * squares / (squares + 1.0);
        let (log, bulk) = (2.0 * self.volume * self.shear / (squares + 1.0).powi(2), self.volume * self.bulk);
        let cofactor = cofactor(f);
        let (fg, cg) = (self.gradients.map(|g| f * g), self.gradients.map(|g| cofactor * g));
        let mut blocks = [[Matrix3::zeros(); 4]; 4];
        for a in 0..4 {
            for c in a..4 {
                let (ga, gc) = (&self.gradients[a], &self.gradients[c]);
                let block = Matrix3::from_diagonal_element(softened * ga.dot(gc))
                    + fg[a] * (fg[c] * log).transpose()
                    + cg[a] * (cg[c] * bulk).transpose()
                    - (f * ga.cross(gc) * pressure).cross_matrix();
                blocks[a][c] = block;
                if a != c {
                    blocks[c][a] = block.transpose();
                }
            }
        }
        blocks
    }
}

/// A tetrahedron with less than this part of its longest edge cubed (six times) has no volume.
const FLAT: f64 = 1e-9;

impl Element<4> for Tetrahedron {
    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        self.volume * self.density(&self.deformation(x))
    }

    fn force(&self, x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        let stress = self.stress(&self.deformation(x)) * -self.volume;
        let g = &self.gradients;
        let [b, c, d] = [stress * g[1], stress * g[2], stress * g[3]];
        [-(b + c + d), b, c, d]
    }

    fn stiffness(&self, x: &[Vector3<f64>; 4], which: Stiffness) -> [[Matrix3<f64>; 4]; 4] {
        let f = self.deformation(x);
        if (self.law, which) == (SolidLaw::StableNeoHookean, Stiffness::Exact) {
            return self.neo_hookean_blocks(&f);
        }
        let principal = Principal::of(&f);
        let modes = self.modes(&principal.stretches);
        let modes = if which == Stiffness::Exact { modes } else { modes.projected() };
        principal.blocks(&modes, &self.gradients, self.volume)
    }
}
