//! A snake that sends waves down its body: Hirose's serpenoid curve.

use std::f64::consts::TAU;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// A snake on the ground plane, in place, as one loop of a travelling wave. Vertex 0 is the tip of the head, which looks along +Z.
///
/// The body's direction at the fraction s of its length from the head is turned by `amplitude · cos 2π(waves · s − t/period)`: the
/// wave runs from head to tail, and its reaction pushes the snake head first.
#[derive(Debug, Clone, PartialEq)]
pub struct Snake {
    /// Length along the body, metres.
    pub length: f64,
    /// Vertices along the body.
    pub vertices: usize,
    /// Whole waves on the body.
    pub waves: f64,
    /// Largest turn of the body away from its heading, radians.
    pub amplitude: f64,
    /// Seconds for one wave to pass.
    pub period: f64,
}

impl Default for Snake {
    fn default() -> Self {
        Snake { length: 1.0, vertices: 60, waves: 1.5, amplitude: 60_f64.to_radians(), period: 1.0 }
    }
}

impl Snake {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("length", self.length)?;
        gait::finite("waves", self.waves)?;
        gait::finite("amplitude", self.amplitude)?;
        Error::unless(self.vertices >= 2, "vertices", self.vertices as f64, "at least 2")?;
        gait::cycle(Topology::Curve { closed: false }, self.vertices, [self.period, fps], |phase| {
            let turn = |s: f64| self.amplitude * (TAU * (self.waves * s - phase)).cos();
            gait::chain(self.length, self.vertices - 1, |s| gait::heading(turn(s)))
        })
    }
}
