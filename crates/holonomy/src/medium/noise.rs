//! Rough land: gradient noise in octaves.
//!
//! Perlin 1985, "An image synthesizer", with the fifth-degree blend of Perlin 2002, so that slopes have no creases.

use super::ground::HeightField;
use crate::Error;
use crate::random::Random;

/// Land of random bumps, each octave half as wide and half as high as the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    /// Sides of the land along x and z, centred at the origin, metres.
    pub size: [f64; 2],
    /// Distance between heights, metres.
    pub spacing: f64,
    /// Width of the widest bumps, metres.
    pub wavelength: f64,
    /// No height of the first octave exceeds this, metres.
    pub height: f64,
    /// How many octaves, 1 or more.
    pub octaves: usize,
    /// Which land it is.
    pub seed: u64,
}

impl Default for Noise {
    fn default() -> Self {
        Noise { size: [2.0, 2.0], spacing: 0.01, wavelength: 0.2, height: 0.02, octaves: 3, seed: 1 }
    }
}

impl Noise {
    /// The land.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn field(&self) -> Result<HeightField, Error> {
        Error::unless(self.height.is_finite(), "height of the noise", self.height, "a finite number of metres")?;
        Error::unless(
            self.wavelength.is_finite() && self.wavelength > 0.0,
            "wavelength of the noise",
            self.wavelength,
            "greater than 0 metres",
        )?;
        Error::unless((1..=16).contains(&self.octaves), "octaves of the noise", self.octaves as f64, "1 to 16")?;
        HeightField::from_fn(self.size, self.spacing, |x, z| {
            let octave = |k: usize| {
                let scale = 0.5_f64.powi(k as i32);
                let at = |place: f64| place / (self.wavelength * scale);
                // Gradient noise with unit gradients in the plane is at most √½.
                self.height * scale * std::f64::consts::SQRT_2 * bumps(at(x), at(z), self.seed.wrapping_add(k as u64))
            };
            (0..self.octaves).map(octave).sum()
        })
    }
}

/// Gradient noise over the unit grid.
fn bumps(x: f64, z: f64, seed: u64) -> f64 {
    let (column, row) = (x.floor(), z.floor());
    let (u, w) = (x - column, z - row);
    let corner = |i: f64, k: f64| slope(column + i, row + k, seed, [u - i, w - k]);
    let near = corner(0.0, 0.0) + (corner(1.0, 0.0) - corner(0.0, 0.0)) * blend(u);
    let far = corner(0.0, 1.0) + (corner(1.0, 1.0) - corner(0.0, 1.0)) * blend(u);
    near + (far - near) * blend(w)
}

/// How far a random slope at a corner of the grid rises to a place `from` it.
fn slope(column: f64, row: f64, seed: u64, from: [f64; 2]) -> f64 {
    // Corners are told apart by large odd factors; the generator scatters what is left of their order.
    let key = (column as i64 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (row as i64 as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ seed.rotate_left(32);
    let mut random = Random(key);
    random.unit();
    let (sin, cos) = (random.unit() * std::f64::consts::TAU).sin_cos();
    cos * from[0] + sin * from[1]
}

/// From 0 to 1 with no slope and no bend at either end.
fn blend(t: f64) -> f64 {
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}
