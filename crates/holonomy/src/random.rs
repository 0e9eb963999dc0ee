//! Random numbers that are the same on every machine.

use std::f64::consts::TAU;

use nalgebra::Vector3;

/// SplitMix64 (Steele, Lea and Flood 2014), from its seed.
///
/// ```
/// use holonomy::random::Random;
///
/// let (mut one, mut other) = (Random(7), Random(7));
/// assert_eq!(one.unit(), other.unit());
/// ```
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Evenly from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly from −1 to below 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Evenly over the unit sphere (Archimedes: height and longitude).
    pub fn direction(&mut self) -> Vector3<f64> {
        let height = self.signed();
        let (sin, cos) = (self.unit() * TAU).sin_cos();
        let radius = (1.0 - height * height).max(0.0).sqrt();
        Vector3::new(radius * cos, radius * sin, height)
    }
}
