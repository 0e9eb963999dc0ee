//! Plain bodies that sink: an ellipsoid, a plate and a lump, as in Soliman 2024, Figs. 2 and 7.

use nalgebra::Vector3;

use super::assembly::Assembly;
use super::rigid::sphere;
use super::{gait, pieces};
use crate::Error;
use crate::random::Random;
use crate::shape::Material;

/// An ellipsoid, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipsoid {
    /// Full axes along X, Y and Z, metres.
    pub size: [f64; 3],
    /// kg/m³.
    pub density: f64,
}

impl Default for Ellipsoid {
    /// Of silicone, as in Soliman 2024, Sec. 7.1.
    fn default() -> Self {
        Ellipsoid { size: [0.12, 0.04, 0.08], density: 1297.4 }
    }
}

impl Ellipsoid {
    /// The body. Its one part is solid.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        self.size.iter().try_for_each(|&side| gait::positive("size", side))?;
        gait::positive("density", self.density)?;
        solid(pieces::ellipsoid(self.size, 4, Vector3::zeros()), self.density)
    }
}

/// What a plate is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stock {
    /// A box.
    Solid {
        /// Metres.
        thickness: f64,
        /// kg/m³.
        density: f64,
    },
    /// A sheet without thickness: one layer of faces.
    Sheet {
        /// kg/m².
        surface_density: f64,
    },
}

/// A flat rectangle, its normal along +Y.
#[derive(Debug, Clone, PartialEq)]
pub struct Plate {
    /// Sides along X and Z, metres.
    pub size: [f64; 2],
    /// What it is made of.
    pub stock: Stock,
}

impl Default for Plate {
    /// A postcard.
    fn default() -> Self {
        Plate { size: [0.148, 0.105], stock: Stock::Sheet { surface_density: 0.25 } }
    }
}

impl Plate {
    /// The body. Its one part is solid, or a sheet that faces +Y.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        self.size.iter().try_for_each(|&side| gait::positive("size", side))?;
        let [x, z] = self.size;
        match self.stock {
            Stock::Solid { thickness, density } => {
                gait::positive("thickness", thickness)?;
                gait::positive("density", density)?;
                solid(pieces::cuboid([x, thickness, z], [24, 1, 24], Vector3::zeros()), density)
            }
            Stock::Sheet { surface_density } => {
                gait::positive("surface_density", surface_density)?;
                let mut body = Assembly::default();
                let flat = |u: f64, v: f64| Vector3::new(x * (v - 0.5), 0.0, z * (u - 0.5));
                body.add(pieces::sheet([24, 24], flat), Material::Shell { surface_density });
                Ok(body.centred()?.0)
            }
        }
    }
}

/// A smooth lump with hollows: a sphere, raised and lowered by a sum of spherical harmonics of degrees 2 to 4, each about an axis of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Blob {
    /// Of the sphere, metres.
    pub radius: f64,
    /// Greatest change of the radius over the radius, 0 to 0.8.
    pub bumps: f64,
    /// Which lump it is.
    pub seed: u64,
    /// kg/m³.
    pub density: f64,
}

impl Default for Blob {
    /// Of silicone, as in Soliman 2024, Sec. 7.1.
    fn default() -> Self {
        Blob { radius: 0.05, bumps: 0.4, seed: 1, density: 1297.4 }
    }
}

impl Blob {
    /// The body. Its one part is solid.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        gait::positive("radius", self.radius)?;
        Error::unless((0.0..=0.8).contains(&self.bumps), "bumps", self.bumps, "from 0 to 0.8")?;
        gait::positive("density", self.density)?;
        let mut random = Random(self.seed);
        let mut direction = || loop {
            let v = Vector3::new(random.signed(), random.signed(), random.signed());
            if (0.1..1.0).contains(&v.norm()) {
                break v.normalize();
            }
        };
        let axes: Vec<Vector3<f64>> = (0..5).map(|_| direction()).collect();
        // Legendre polynomials of the cosine to each axis.
        let height = |p: &Vector3<f64>| {
            let harmonic = |(i, axis): (usize, &Vector3<f64>)| {
                let x = axis.dot(p);
                match i {
                    0 => 0.5 * (3.0 * x * x - 1.0),
                    1 | 2 => 0.5 * x * (5.0 * x * x - 3.0),
                    _ => 0.6 * (x * x * (35.0 * x * x - 30.0) + 3.0) / 8.0,
                }
            };
            axes.iter().enumerate().map(harmonic).sum::<f64>()
        };
        let (mut points, faces) = sphere(4);
        let heights: Vec<f64> = points.iter().map(height).collect();
        let most = heights.iter().fold(0.0_f64, |most, h| most.max(h.abs()));
        points.iter_mut().zip(heights).for_each(|(p, h)| *p *= self.radius * (1.0 + self.bumps * h / most));
        solid((points, faces), self.density)
    }
}

/// A body of one solid part, centred.
fn solid(mesh: pieces::Mesh, density: f64) -> Result<Assembly, Error> {
    let mut body = Assembly::default();
    body.add(mesh, Material::Solid { density });
    Ok(body.centred()?.0)
}
