//! Things that sink: pebbles, coins, blocks, rings and propellers, as in Gross et al. (2023), Fig. 12.
//!
//! Each makes a [`Rigid`] body: a closed surface about the centroid of its volume, faces outwards, whose density is given later.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gait;
use super::rigid::{Rigid, cube, mirrored, sphere};
use crate::Error;
use crate::random::Random;
use crate::shape::bounds;

/// A convex stone with flats and rounded edges: the points where a rounded maximum of seeded planes' n·x/h is 1, stretched to a box.
///
/// A p-norm of convex functions is convex, so the stone is too.
#[derive(Debug, Clone, PartialEq)]
pub struct Pebble {
    /// Sides of the box around it, along X, Y and Z, metres.
    pub size: [f64; 3],
    /// How many flats it has.
    pub flats: usize,
    /// How much the flats differ in their distance from the middle, 0 to below 1.
    pub roughness: f64,
    /// Which stone it is.
    pub seed: u64,
}

impl Default for Pebble {
    fn default() -> Self {
        Pebble { size: [0.06, 0.04, 0.05], flats: 24, roughness: 0.3, seed: 1 }
    }
}

/// Exponent of the p-norm: the greater, the sharper the edges.
const EDGE: f64 = 12.0;

impl Pebble {
    /// The body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Rigid, Error> {
        self.size.iter().try_for_each(|&side| gait::positive("size", side))?;
        Error::unless((6..=1000).contains(&self.flats), "flats", self.flats as f64, "from 6 to 1000")?;
        Error::unless((0.0..1.0).contains(&self.roughness), "roughness", self.roughness, "from 0 to below 1")?;
        let mut random = Random(self.seed);
        // Spread evenly (Fibonacci), then shaken, so that flats lie on all sides and the stone is bounded.
        let golden = TAU * (1.0 - 2.0 / (1.0 + 5_f64.sqrt()));
        let spread = 1.0 / (self.flats as f64).sqrt();
        let planes: Vec<Vector3<f64>> = (0..self.flats)
            .map(|i| {
                let y = 1.0 - (2.0 * i as f64 + 1.0) / self.flats as f64;
                let ((s, c), r) = ((golden * i as f64).sin_cos(), (1.0 - y * y).sqrt());
                let shake = Vector3::new(random.signed(), random.signed(), random.signed()) * spread;
                (Vector3::new(r * s, y, r * c) + shake).normalize() / (1.0 + self.roughness * random.signed())
            })
            .collect();
        let (mut points, faces) = sphere(4);
        for p in &mut points {
            let gauge = planes.iter().map(|plane| plane.dot(p).max(0.0).powf(EDGE)).sum::<f64>().powf(1.0 / EDGE);
            *p /= gauge;
        }
        let (low, high) = bounds(&points).unwrap_or_default();
        let stretch = Vector3::from(self.size).component_div(&(high - low));
        Ok(Rigid::centred(points.iter().map(|p| p.component_mul(&stretch)).collect(), faces))
    }
}

/// A flat round disc, such as a coin, its axis along Y.
#[derive(Debug, Clone, PartialEq)]
pub struct Disc {
    /// Radius, metres.
    pub radius: f64,
    /// Thickness, metres.
    pub thickness: f64,
}

impl Default for Disc {
    fn default() -> Self {
        Disc { radius: 0.03, thickness: 0.004 }
    }
}

impl Disc {
    /// The body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Rigid, Error> {
        gait::positive("radius", self.radius)?;
        gait::positive("thickness", self.thickness)?;
        let (rings, half) = (6, 0.5 * self.thickness);
        let flat = (1..=rings).map(|i| [self.radius * i as f64 / rings as f64, half]);
        let meridian: Vec<[f64; 2]> = flat.chain([[self.radius, 0.0]]).collect();
        let (points, faces) = mirrored(half, &meridian, 48);
        Ok(Rigid::centred(points, faces))
    }
}

/// A block with sides along X, Y and Z.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Sides, metres.
    pub size: [f64; 3],
}

impl Default for Block {
    fn default() -> Self {
        Block { size: [0.06, 0.03, 0.03] }
    }
}

impl Block {
    /// The body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Rigid, Error> {
        self.size.iter().try_for_each(|&side| gait::positive("size", side))?;
        let (points, faces) = cube(8);
        Ok(Rigid::centred(points.iter().map(|p| p.component_mul(&(Vector3::from(self.size) * 0.5))).collect(), faces))
    }
}

/// A ring with a round section, its axis along Y.
#[derive(Debug, Clone, PartialEq)]
pub struct Torus {
    /// From the axis to the middle of the section, metres.
    pub radius: f64,
    /// Diameter of the section, metres; less than twice the radius.
    pub thickness: f64,
}

impl Default for Torus {
    fn default() -> Self {
        Torus { radius: 0.03, thickness: 0.015 }
    }
}

impl Torus {
    /// The body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Rigid, Error> {
        gait::positive("radius", self.radius)?;
        gait::below("thickness", self.thickness, 2.0 * self.radius, "above 0 and less than twice the radius")?;
        let (around, section) = (48, 20);
        let mut points = Vec::with_capacity(around * section);
        let mut faces = Vec::with_capacity(2 * around * section);
        let at = |i: usize, j: usize| ((i % around) * section + j % section) as u32;
        for i in 0..around {
            let (c, s) = gait::around_ring(i, around);
            for j in 0..section {
                let (u, v) = gait::around_ring(j, section);
                let r = self.radius + 0.5 * self.thickness * u;
                points.push(Vector3::new(r * s, 0.5 * self.thickness * v, r * c));
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                faces.extend([[a, b, c], [a, c, d]]);
            }
        }
        Ok(Rigid::centred(points, faces))
    }
}

/// A propeller: tilted blades around a hub, its axis along Y. Sinking flat, it turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Propeller {
    /// From the axis to the tips, metres.
    pub radius: f64,
    /// Number of blades.
    pub blades: usize,
    /// Tilt of the blades about their length, radians, positive if the edge further along +Y leads when it turns about +Y.
    pub pitch: f64,
    /// Thickness at the hub, metres; the blades run out thin.
    pub thickness: f64,
}

impl Default for Propeller {
    fn default() -> Self {
        Propeller { radius: 0.05, blades: 3, pitch: 35_f64.to_radians(), thickness: 0.012 }
    }
}

impl Propeller {
    /// The body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Rigid, Error> {
        gait::positive("radius", self.radius)?;
        gait::below("thickness", self.thickness, self.radius, "above 0 and less than the radius")?;
        Error::unless((2..=12).contains(&self.blades), "blades", self.blades as f64, "from 2 to 12")?;
        Error::unless(self.pitch.abs() <= TAU / 6.0, "pitch", self.pitch, "at most 60 degrees either way, in radians")?;
        let (rings, around) = (14, 28 * self.blades);
        let ring = |i: usize, side: f64| {
            (0..around).map(move |j| {
                let (c, s) = gait::around_ring(j, around);
                self.point(i as f64 / rings as f64, j as f64 / around as f64, side, [c, s])
            })
        };
        let mut points = vec![Vector3::y() * (0.5 * self.thickness)];
        (1..=rings).for_each(|i| points.extend(ring(i, 1.0)));
        (1..rings).rev().for_each(|i| points.extend(ring(i, -1.0)));
        points.push(Vector3::y() * (-0.5 * self.thickness));
        Ok(Rigid::centred(points, gait::handed_tube_faces(2 * rings - 1, around)))
    }

    /// The point at the share `out` of the way to the rim and the share `turn` around, above or below the middle as `side` says.
    fn point(&self, out: f64, turn: f64, side: f64, [c, s]: [f64; 2]) -> Vector3<f64> {
        let hub = 0.22 * self.radius;
        // From −½ to ½ across a blade and half of the gaps beside it.
        let across = (turn * self.blades as f64).fract() - 0.5;
        let rim = hub + (self.radius - hub) * (-(across / 0.28).powi(6)).exp();
        let r = out * rim;
        let blade = gait::smooth(r / hub - 1.0); // none where the blades meet
        let tilt = r * (TAU * across / self.blades as f64).sin() * self.pitch.tan() * blade;
        let thick = 0.5 * self.thickness * ((1.0 - out * out).max(0.0)).sqrt() * (1.0 - 0.7 * blade);
        Vector3::new(r * s, tilt + side * thick, r * c)
    }
}
