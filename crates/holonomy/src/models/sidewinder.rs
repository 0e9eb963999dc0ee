//! A snake that goes sideways: one wave on the ground, a second that lifts every other stretch off it.
//!
//! Where the body touches, it lies still and points one way; the lifted stretches swing over to the next track. What touches changes over
//! time, and so do the weights: they come with the clip (Marvi et al. 2014: two orthogonal waves, a quarter wave apart).

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// A snake as a curve in space over the ground y = 0, as one loop. Vertex 0 is the tip of the head; the body's mean direction is +Z.
///
/// With u = waves · s − t/period at the fraction s of the length from the head, the body is turned by `amplitude · cos 2πu` from +Z
/// towards +X, and lifted where cos 2πu is below 1/2: it lies where it is turned most towards +X. Edges keep their length. It goes
/// towards −X. Frames are centred over the ground, not in height.
#[derive(Debug, Clone, PartialEq)]
pub struct Sidewinder {
    /// Length along the body, metres.
    pub length: f64,
    /// Vertices along the body.
    pub vertices: usize,
    /// Whole waves on the body.
    pub waves: f64,
    /// Largest turn of the body away from its mean direction, radians.
    pub amplitude: f64,
    /// Height of the lifted stretches, metres.
    pub lift: f64,
    /// Weight of a stretch at full height over that of one on the ground, 0 to 1.
    pub airborne: f64,
    /// Seconds for one wave to pass.
    pub period: f64,
}

/// The body lies on the ground where cos 2πu is above this.
const LIES: f64 = 0.5;

impl Default for Sidewinder {
    fn default() -> Self {
        Sidewinder { length: 1.0, vertices: 120, waves: 2.5, amplitude: 65_f64.to_radians(), lift: 0.04, airborne: 1e-5, period: 1.0 }
    }
}

impl Sidewinder {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range; the lift is too high for the wave.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        gait::cycle(Topology::Curve { closed: false }, self.vertices, [self.period, fps], |phase| self.shape(phase))
    }

    /// How hard each vertex presses on the ground in each frame of [`Sidewinder::clip`]: frames × vertices, at most the length it stands
    /// for, metres.
    ///
    /// # Errors
    /// As for the clip.
    pub fn weights(&self, fps: f64) -> Result<Vec<f64>, Error> {
        self.validate()?;
        let (frames, edges) = (gait::cycle_frames(self.period, fps, self.vertices)?, self.vertices - 1);
        let share = |i: usize| self.length / edges as f64 * if i == 0 || i == edges { 0.5 } else { 1.0 };
        let pressed = |raised: f64| self.airborne + (1.0 - self.airborne) * (1.0 - gait::smooth(raised / 1e-5));
        let weight = |k: usize, i: usize| share(i) * pressed(self.raised(i as f64 / edges as f64, k as f64 / frames as f64));
        Ok((0..frames).flat_map(|k| (0..self.vertices).map(move |i| weight(k, i))).collect())
    }

    /// Height at the fraction `s` of the length, as a share of the full height. Exactly zero, and smooth, where the body lies.
    fn raised(&self, s: f64, phase: f64) -> f64 {
        let turned = (TAU * (self.waves * s - phase)).cos();
        ((LIES - turned) / (LIES + 1.0)).max(0.0).powi(3)
    }

    fn shape(&self, phase: f64) -> Vec<Vector3<f64>> {
        let edges = self.vertices - 1;
        let edge = self.length / edges as f64;
        let height = |i: usize| self.lift * self.raised(i as f64 / edges as f64, phase);
        let mut tip = Vector3::new(0.0, height(0), 0.0);
        let mut points = vec![tip];
        for i in 0..edges {
            let turn = self.amplitude * (TAU * (self.waves * (i as f64 + 0.5) / edges as f64 - phase)).cos();
            let rise = height(i + 1) - height(i);
            let level = (edge * edge - rise * rise).max(0.0).sqrt();
            tip -= gait::heading(turn) * level;
            tip.y = height(i + 1);
            points.push(tip);
        }
        let mut centre = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
        centre.y = 0.0;
        points.iter_mut().for_each(|p| *p -= centre);
        points
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("waves", self.waves)?;
        gait::finite("amplitude", self.amplitude)?;
        Error::unless((0.0..=1.0).contains(&self.airborne), "airborne", self.airborne, "between 0 and 1")?;
        Error::unless(self.vertices >= 2, "vertices", self.vertices as f64, "at least 2")?;
        // d/dx ((c − cos x)/(c + 1))³ is at most 1.34 for c = 1/2.
        let steepest = 1.34 * TAU * self.waves * self.lift.abs() / self.length;
        Error::unless(self.lift >= 0.0 && steepest < 1.0, "lift", self.lift, "zero or more, and below length / (8.4 waves)")
    }
}
