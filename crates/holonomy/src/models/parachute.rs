//! A jumper on a parachute, and without one (Soliman 2024, Fig. 8).

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::assembly::Assembly;
use super::{gait, pieces};
use crate::Error;
use crate::shape::Material;
use crate::shape::surface::enclosed_volume;

/// A figure below a canopy, upright. It looks along +Z, its left is at +X. The origin is the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Parachute {
    /// Of the figure, kg.
    pub payload_mass: f64,
    /// Of the figure, from soles to crown, metres.
    pub payload_height: f64,
    /// Above it; none: it falls without.
    pub canopy: Option<Canopy>,
}

/// A cap of a sphere, and the lines it hangs on.
#[derive(Debug, Clone, PartialEq)]
pub struct Canopy {
    /// Of the rim, metres.
    pub radius: f64,
    /// From the middle to the rim, seen from the centre of the sphere, radians.
    pub angle: f64,
    /// kg/m².
    pub surface_density: f64,
    /// From the rim to the shoulders, metres; more than the radius.
    pub line_length: f64,
    /// How many lines, an even number. They weigh nothing.
    pub lines: usize,
}

impl Default for Canopy {
    fn default() -> Self {
        Canopy { radius: 3.0, angle: 1.1, surface_density: 0.05, line_length: 5.5, lines: 12 }
    }
}

impl Default for Parachute {
    fn default() -> Self {
        Parachute { payload_mass: 80.0, payload_height: 1.75, canopy: Some(Canopy::default()) }
    }
}

impl Parachute {
    /// The body. Part 0 is the figure; with a canopy, part 1 is the canopy, which faces outwards, and part 2 the lines.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        gait::positive("payload_mass", self.payload_mass)?;
        gait::positive("payload_height", self.payload_height)?;
        let mut body = Assembly::default();
        let (mut points, faces) = figure();
        points.iter_mut().for_each(|p| *p *= self.payload_height);
        let density = self.payload_mass / enclosed_volume(&points, &faces);
        body.add((points, faces), Material::Solid { density });
        if let Some(canopy) = &self.canopy {
            canopy.validate()?;
            body.add(canopy.cap(), Material::Shell { surface_density: canopy.surface_density });
            body.add(canopy.line_prisms(0.09 * self.payload_height), Material::Massless);
        }
        Ok(body.centred()?.0)
    }
}

impl Canopy {
    /// Height of the rim above the shoulders.
    fn rim(&self) -> f64 {
        (self.line_length.powi(2) - self.radius.powi(2)).sqrt()
    }

    /// Rings of 6, 12, 18, … vertices around the top.
    fn cap(&self) -> pieces::Mesh {
        let (rings, sphere) = (14, self.radius / self.angle.sin());
        let middle = self.rim() - sphere * self.angle.cos();
        let mut points = vec![Vector3::y() * (middle + sphere)];
        for i in 1..=rings {
            let (s, c) = (self.angle * i as f64 / rings as f64).sin_cos();
            points.extend((0..6 * i).map(|j| {
                let (x, z) = gait::around_ring(j, 6 * i);
                Vector3::new(sphere * s * z, middle + sphere * c, sphere * s * x)
            }));
        }
        let at = |i: usize, j: usize| if i == 0 { 0 } else { (1 + 3 * i * (i - 1) + j % (6 * i)) as u32 };
        let mut faces = Vec::new();
        for (i, sector) in (1..=rings).flat_map(|i| (0..6).map(move |sector| (i, sector))) {
            let (inner, outer) = (sector * (i - 1), sector * i);
            for k in 0..i {
                faces.push([at(i - 1, inner + k), at(i, outer + k), at(i, outer + k + 1)]);
                if k + 1 < i {
                    faces.push([at(i - 1, inner + k), at(i, outer + k + 1), at(i - 1, inner + k + 1)]);
                }
            }
        }
        (points, faces)
    }

    /// From the rim to the shoulder of its side, `aside` metres from the middle: thin prisms with three sides.
    fn line_prisms(&self, aside: f64) -> pieces::Mesh {
        let line = |k: usize| {
            let turn = TAU * (k as f64 + 0.5) / self.lines as f64;
            let from = Vector3::new(self.radius * turn.sin(), self.rim(), self.radius * turn.cos());
            let to = Vector3::x() * (aside * from.x.signum());
            let along = (to - from).normalize();
            let across = along.cross(&Vector3::y()).normalize();
            let other = along.cross(&across);
            let corner = |end: Vector3<f64>, j: usize| {
                let (c, s) = gait::around_ring(j, 3);
                end + (across * c + other * s) * (0.003 * self.radius)
            };
            let points = [from, to].into_iter().flat_map(|end| (0..3).map(move |j| corner(end, j))).collect();
            let sides = (0..3).flat_map(|j| [[j, j + 3, (j + 1) % 3], [(j + 1) % 3, j + 3, (j + 1) % 3 + 3]]);
            let faces = sides.map(|[a, b, c]| [a, c, b]).chain([[0, 2, 1], [3, 4, 5]]).collect();
            (points, faces)
        };
        pieces::joined(&(0..self.lines).map(line).collect::<Vec<_>>())
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("radius", self.radius)?;
        Error::unless((0.05..=2.5).contains(&self.angle), "angle", self.angle, "from 0.05 to 2.5 radians")?;
        gait::positive("surface_density", self.surface_density)?;
        Error::unless(
            self.line_length > self.radius && self.line_length.is_finite(),
            "line_length",
            self.line_length,
            "more than the radius",
        )?;
        Error::unless(
            (2..=200).contains(&self.lines) && self.lines.is_multiple_of(2),
            "lines",
            self.lines as f64,
            "an even number from 2 to 200",
        )
    }
}

/// A jumper of height 1 with the shoulders at the origin: head, trunk, legs, and arms that reach up to the lines.
fn figure() -> pieces::Mesh {
    let head = pieces::ellipsoid([0.11, 0.16, 0.13], 2, Vector3::new(0.0, 0.1, 0.01));
    let trunk = pieces::ellipsoid([0.25, 0.42, 0.15], 3, Vector3::new(0.0, -0.165, 0.0));
    let leg = pieces::ellipsoid([0.1, 0.52, 0.11], 2, Vector3::new(0.065, -0.56, 0.0));
    let arm = pieces::ellipsoid([0.06, 0.34, 0.065], 2, Vector3::new(0.115, 0.1, 0.0));
    let [other_leg, other_arm] = [&leg, &arm].map(pieces::mirror_image);
    pieces::joined(&[head, trunk, leg, other_leg, arm, other_arm])
}
