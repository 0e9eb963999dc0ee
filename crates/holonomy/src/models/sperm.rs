//! A sperm cell: a stiff, heavy head and a flagellum along which a wave grows.

use std::f64::consts::TAU;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// A curve on the plane y = 0, as one loop. Vertex 0 is the tip of the head, which looks along +Z; the first part of the curve is the
/// head and does not bend.
///
/// Behind the head, at the fraction s of the flagellum from its root, the body is turned by
/// `amplitude · (root + (1 − root) s) · cos 2π(waves · s − t/period)`. Edges keep their length.
#[derive(Debug, Clone, PartialEq)]
pub struct Sperm {
    /// Length along the whole body, metres.
    pub length: f64,
    /// Vertices along the whole body.
    pub vertices: usize,
    /// Length of the head over the length of the body.
    pub head: f64,
    /// Weight of a part of the head over that of a part of the tail of the same length.
    pub head_weight: f64,
    /// Whole waves on the flagellum.
    pub waves: f64,
    /// Largest turn at the end of the flagellum, radians.
    pub amplitude: f64,
    /// Turn at the root of the flagellum over that at its end, 0 to 1.
    pub root: f64,
    /// Seconds for one wave to pass.
    pub period: f64,
}

impl Default for Sperm {
    fn default() -> Self {
        Sperm {
            length: 55e-6,
            vertices: 80,
            head: 0.1,
            head_weight: 3.0,
            waves: 1.4,
            amplitude: 65_f64.to_radians(),
            root: 0.3,
            period: 0.1,
        }
    }
}

impl Sperm {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        gait::cycle(Topology::Curve { closed: false }, self.vertices, [self.period, fps], |phase| {
            let turn = |s: f64| self.amplitude * (self.root + (1.0 - self.root) * s) * (TAU * (self.waves * s - phase)).cos();
            let along_tail = |s: f64| ((s - self.head) / (1.0 - self.head)).max(0.0);
            gait::chain(self.length, self.vertices - 1, |s| gait::heading(turn(along_tail(s))))
        })
    }

    /// Weight of each vertex, for [`MassRule::Given`](crate::shape::MassRule::Given): the length it stands for, metres, times
    /// `head_weight` on the head.
    ///
    /// # Errors
    /// As for the clip.
    pub fn masses(&self) -> Result<Vec<f64>, Error> {
        self.validate()?;
        let edges = self.vertices - 1;
        let weight = |i: usize| if (i as f64 + 0.5) / edges as f64 <= self.head { self.head_weight } else { 1.0 };
        let half = |i: usize| weight(i) * 0.5 * self.length / edges as f64;
        Ok((0..self.vertices).map(|i| if i > 0 { half(i - 1) } else { 0.0 } + if i < edges { half(i) } else { 0.0 }).collect())
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::below("head", self.head, 1.0, "between 0 and 1: a share of the length")?;
        gait::positive("head_weight", self.head_weight)?;
        gait::finite("waves", self.waves)?;
        gait::finite("amplitude", self.amplitude)?;
        Error::unless((0.0..=1.0).contains(&self.root), "root", self.root, "between 0 and 1")?;
        Error::unless((2..=1_000_000).contains(&self.vertices), "vertices", self.vertices as f64, "from 2 to a million")
    }
}
