//! Purcell's three-link swimmer: two hinges are the least a body needs to get on where friction rules (Purcell 1977).

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// Three stiff links with two hinges between them on the plane y = 0, as one loop. The middle link lies along Z; vertex 0 is the front
/// end, at +Z.
///
/// The two hinge angles go around a square with rounded corners: `(front, rear) = amplitude · (cos τ, sin τ) / (|cos τ|ᵖ + |sin
/// τ|ᵖ)^(1/p)`, τ = 2π (t/period) + π/4 and p the squareness; the front hinge leads, and the swimmer goes along +Z. Played backwards it
/// goes the other way.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreeLink {
    /// Lengths of the front, middle and rear link, metres.
    pub links: [f64; 3],
    /// Edges on each link.
    pub edges: usize,
    /// Largest angle of each hinge, radians.
    pub amplitude: f64,
    /// p: 2 makes the loop of angles a circle, large numbers a square.
    pub squareness: f64,
    /// Seconds once around the loop.
    pub period: f64,
}

impl Default for ThreeLink {
    fn default() -> Self {
        ThreeLink { links: [1.0 / 3.0; 3], edges: 12, amplitude: 60_f64.to_radians(), squareness: 6.0, period: 1.0 }
    }
}

impl ThreeLink {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let vertices = self.edges.saturating_mul(3).saturating_add(1);
        gait::cycle(Topology::Curve { closed: false }, vertices, [self.period, fps], |phase| {
            let [front, rear] = self.hinges(phase);
            self.shape(front, rear)
        })
    }

    /// The angles of the front and the rear hinge at `phase` (0 to 1) of the cycle, radians: the turn of the front link from +Z towards
    /// +X, and of the rear link from −Z towards +X.
    pub fn hinges(&self, phase: f64) -> [f64; 2] {
        let (s, c) = (TAU * (phase + 0.125)).sin_cos();
        let p = self.squareness;
        let size = self.amplitude / (c.abs().powf(p) + s.abs().powf(p)).powf(1.0 / p);
        [size * c, size * s]
    }

    fn shape(&self, front: f64, rear: f64) -> Vec<Vector3<f64>> {
        let directions = [gait::heading(front), gait::heading(0.0), gait::heading(-rear)];
        let mut tip = Vector3::zeros();
        let mut points = vec![tip];
        for (direction, length) in directions.iter().zip(self.links) {
            for _ in 0..self.edges {
                tip -= direction * (length / self.edges as f64);
                points.push(tip);
            }
        }
        gait::centred(points)
    }

    fn validate(&self) -> Result<(), Error> {
        for (name, length) in ["front link", "middle link", "rear link"].into_iter().zip(self.links) {
            gait::positive(name, length)?;
        }
        gait::finite("amplitude", self.amplitude)?;
        Error::unless((2.0..=200.0).contains(&self.squareness), "squareness", self.squareness, "from 2 (a circle) to 200")?;
        Error::unless(self.edges >= 1, "edges", self.edges as f64, "at least 1 on each link")
    }
}
