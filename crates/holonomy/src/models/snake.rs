//! A snake that sends waves down its body: Hirose's serpenoid curve.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::Error;
use crate::shape::{Clip, Playback, Topology};

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
        self.validate(fps)?;
        let frames = (self.period * fps).round().max(2.0) as usize;
        let positions = (0..frames).flat_map(|k| self.shape(k as f64 / frames as f64)).collect();
        Clip::new(Topology::Curve { closed: false }, Playback::Loop, self.period / frames as f64, self.vertices, positions)
    }

    /// The body at `phase` (0 to 1) of its cycle, centred on its centroid.
    fn shape(&self, phase: f64) -> Vec<Vector3<f64>> {
        let edges = self.vertices - 1;
        let mut points = Vec::with_capacity(self.vertices);
        let mut tip = Vector3::zeros();
        points.push(tip);
        for i in 0..edges {
            let s = (i as f64 + 0.5) / edges as f64;
            let turn = self.amplitude * (TAU * (self.waves * s - phase)).cos();
            tip -= Vector3::new(turn.sin(), 0.0, turn.cos()) * (self.length / edges as f64);
            points.push(tip);
        }
        let centre = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
        points.iter_mut().for_each(|p| *p -= centre);
        points
    }

    fn validate(&self, fps: f64) -> Result<(), Error> {
        let positive = "a positive number";
        for (name, value) in [("length", self.length), ("period", self.period), ("fps", fps)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Parameter { name, value, expected: positive });
            }
        }
        for (name, value) in [("waves", self.waves), ("amplitude", self.amplitude)] {
            if !value.is_finite() {
                return Err(Error::Parameter { name, value, expected: "a finite number" });
            }
        }
        if self.vertices < 2 {
            return Err(Error::Parameter { name: "vertices", value: self.vertices as f64, expected: "at least 2" });
        }
        Ok(())
    }
}
