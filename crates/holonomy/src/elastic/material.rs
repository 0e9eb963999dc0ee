//! What a body is made of.

use crate::Error;

/// An isotropic elastic material, and how thick it is where it is a sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// kg/m³.
    pub density: f64,
    /// Young's modulus E, Pa: tension by strain.
    pub young: f64,
    /// Poisson's ratio ν: how much thinner what is stretched becomes.
    pub poisson: f64,
    /// Of sheets, metres; solids have none to speak of.
    pub thickness: f64,
    /// How many times as stiff against bending as a plate of this thickness: 1 but for fabrics, whose threads slide on each other, or for effect.
    pub bending: f64,
}

impl Material {
    /// Woven cotton: Penava et al. 2014, "Determination of the elastic constants of plain woven fabrics by a tensile test in various directions", as the "100 % cotton" of
    /// Li et al. 2021 (Codimensional IPC) and so of Jia et al. 2023.
    pub const COTTON: Material = Material { density: 472.64, young: 0.821e6, poisson: 0.243, thickness: 0.318e-3, bending: 1.0 };

    /// Silk: 83 g/m² at 0.18 mm, and the isotropic part of its stiffness: Clyde, Teran and Tamstorf 2017, "Modeling and data-driven parameter estimation for woven fabrics".
    /// Poisson's ratio is a usual one.
    pub const SILK: Material = Material { density: 461.0, young: 0.57e6, poisson: 0.3, thickness: 0.18e-3, bending: 1.0 };

    /// Denim: 400 g/m² at 0.66 mm, from the same source as [`Material::SILK`].
    pub const DENIM: Material = Material { density: 606.0, young: 2.448e6, poisson: 0.3, thickness: 0.66e-3, bending: 1.0 };

    /// Natural rubber: the low end of Ashby 2011, "Materials Selection in Mechanical Design", table A (920 kg/m³, 1.5 to 2.5 MPa). Poisson's ratio is 0.49 to 0.5; less here, since linear
    /// tetrahedra of what cannot change its volume lock. A sheet is 1 mm thick.
    pub const RUBBER: Material = Material { density: 920.0, young: 1.5e6, poisson: 0.45, thickness: 1e-3, bending: 1.0 };

    /// The soft body of Fang et al. 2015: E = 4 kPa, ν = 0.4, as gelatine; as heavy as water. A sheet is 5 mm thick.
    pub const JELLY: Material = Material { density: 1000.0, young: 4e3, poisson: 0.4, thickness: 5e-3, bending: 1.0 };

    /// Lamé's constants μ and λ of the solid, Pa.
    pub fn lame(&self) -> (f64, f64) {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        (shear, self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson)))
    }

    /// Lamé's constants μ and λ' of plane stress, Pa.
    pub fn plane_stress(&self) -> (f64, f64) {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        (shear, self.young * self.poisson / (1.0 - self.poisson * self.poisson))
    }

    /// D = E t³/(12 (1 − ν²)), times [`Material::bending`]: the bending stiffness of a plate, N m.
    pub fn bending_stiffness(&self) -> f64 {
        self.bending * self.young * self.thickness.powi(3) / (12.0 * (1.0 - self.poisson * self.poisson))
    }

    /// kg/m², of a sheet.
    pub fn area_density(&self) -> f64 {
        self.density * self.thickness
    }

    /// Refuses what no stable material is.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "a positive number");
        positive("density (kg/m³)", self.density)?;
        positive("Young's modulus (Pa)", self.young)?;
        positive("thickness (m)", self.thickness)?;
        Error::unless_zero_or_more("bending", self.bending)?;
        // At −1 and ½ the constants are infinite. Negative λ would do for the membrane, but not for the solid's law, which divides by it.
        Error::unless((0.0..0.5).contains(&self.poisson), "Poisson's ratio", self.poisson, "from 0 up to but not including 0.5")
    }
}
