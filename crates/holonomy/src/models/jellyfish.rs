//! A jellyfish: a bell that closes with its rim trailing and opens with its rim trailing again, and so rises.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// A bell of revolution about Y as a closed surface with an outside and an inside, in place, as one loop. The top of the bell is up.
///
/// The bell's meridian, at the fraction s of its length from the top, slopes down by `opening · s^0.8 + contraction · s · pulse(t/period
/// − lag · s)`, where the pulse closes quickly and opens slowly. The contraction travels from the top to the rim, so that the bell opens
/// through other shapes than it closed through. The meridian keeps its length.
#[derive(Debug, Clone, PartialEq)]
pub struct Jellyfish {
    /// Length of the meridian from the top to the rim, metres.
    pub length: f64,
    /// Rings of vertices on the outside, and again on the inside.
    pub rings: usize,
    /// Vertices around each.
    pub around: usize,
    /// Slope at the rim when open, radians.
    pub opening: f64,
    /// How much steeper the rim is when closed, radians.
    pub contraction: f64,
    /// How much later the rim moves than the top, periods.
    pub lag: f64,
    /// Thickness at the top over the length; the rim is thin.
    pub thickness: f64,
    /// Length of the four mouth arms, which hang together under the middle, over the length; 0: none.
    pub arms: f64,
    /// Seconds for one pulse.
    pub period: f64,
}

impl Default for Jellyfish {
    fn default() -> Self {
        Jellyfish {
            length: 0.2,
            rings: 24,
            around: 64,
            opening: 65_f64.to_radians(),
            contraction: 48.0 * PI / 180.0,
            lag: 0.3,
            thickness: 0.12,
            arms: 1.3,
            period: 1.2,
        }
    }
}

impl Jellyfish {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let rings = 2 * self.rings + self.arm_rings();
        let (faces, vertices) = (gait::tube_faces(rings, self.around), gait::tube_vertices(rings, self.around));
        gait::cycle(Topology::Surface { faces }, vertices, [self.period, fps], |phase| self.shape(phase))
    }

    fn shape(&self, phase: f64) -> Vec<Vector3<f64>> {
        let meridian = self.meridian(phase);
        let outside = (1..=self.rings).map(|i| (meridian[i].0, lappets(i as f64 / self.rings as f64)));
        let inside = (1..=self.rings).rev().map(|i| (self.inside(&meridian, i), lappets(i as f64 / self.rings as f64)));
        let under = self.inside(&meridian, 1);
        let arms = (1..=self.arm_rings()).map(|k| {
            let x = k as f64 / (self.arm_rings() + 1) as f64;
            let [r, y] = [0.09 * self.length * (1.0 - x * x).sqrt(), under[1] - self.arms * self.length * x];
            ([r.max(1e-3 * self.length), y], [4.0, 0.45 * gait::smooth(3.0 * x)])
        });
        let mut points = vec![Vector3::zeros()];
        for ([r, y], [lobes, depth]) in outside.chain(inside).chain(arms) {
            points.extend((0..self.around).map(|j| {
                let (c, s) = gait::around_ring(j, self.around);
                let r = r * (1.0 - depth + depth * (lobes * s.atan2(c)).cos());
                Vector3::new(r * s, y, r * c)
            }));
        }
        points.push(Vector3::y() * (under[1] - self.arms * self.length));
        gait::centred(points)
    }

    /// Radius and height of the inside at ring `i`: inwards from the outside, across the meridian; never past the axis.
    fn inside(&self, meridian: &[([f64; 2], f64)], i: usize) -> [f64; 2] {
        let ([r, y], slope) = meridian[i];
        let s = i as f64 / self.rings as f64;
        let thickness = self.length * self.thickness * (1.0 - 0.9 * s.powf(0.7));
        [(r - thickness * slope.sin()).max(0.3 * r), y - thickness * slope.cos()]
    }

    fn arm_rings(&self) -> usize {
        if self.arms > 0.0 { self.rings / 2 } else { 0 }
    }

    /// Radius and height at each ring, from the top (ring 0), and the slope there.
    fn meridian(&self, phase: f64) -> Vec<([f64; 2], f64)> {
        let slope = |s: f64| self.opening * s.powf(0.8) + self.contraction * s * pulse(phase - self.lag * s);
        let edge = self.length / self.rings as f64;
        let (mut r, mut y) = (0.0, 0.0);
        let mut points = vec![([0.0, 0.0], 0.0)];
        for i in 1..=self.rings {
            let middle = slope((i as f64 - 0.5) / self.rings as f64);
            r += edge * middle.cos();
            y -= edge * middle.sin();
            points.push(([r.max(0.0), y], slope(i as f64 / self.rings as f64)));
        }
        points
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::below("opening", self.opening, TAU / 3.0, "between 0 and 120 degrees, in radians")?;
        Error::unless(
            (0.0..TAU / 4.0).contains(&self.contraction),
            "contraction",
            self.contraction,
            "between 0 and 90 degrees, in radians",
        )?;
        Error::unless(self.lag.abs() <= 1.0, "lag", self.lag, "at most one period either way")?;
        Error::unless((0.0..=3.0).contains(&self.arms), "arms", self.arms, "from 0 to 3 lengths")?;
        gait::below("thickness", self.thickness, 0.3, "between 0 and 0.3 lengths")?;
        Error::unless((4..=10_000).contains(&self.rings), "rings", self.rings as f64, "from 4 to 10000")?;
        Error::unless((3..=10_000).contains(&self.around), "around", self.around as f64, "from 3 to 10000")
    }
}

/// Number of lobes around, and how deep the notches between them are: the rim of the bell ends in eight lappets.
fn lappets(s: f64) -> [f64; 2] {
    [8.0, 0.05 * s.powi(6)]
}

/// From 0 (open) to 1 (closed) and back once a period: a smooth wave whose rise takes less time than its fall.
fn pulse(phase: f64) -> f64 {
    let turn = TAU * phase;
    0.5 * (1.0 - (turn + 0.6 * turn.sin()).cos())
}
