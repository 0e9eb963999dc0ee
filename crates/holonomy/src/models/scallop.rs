//! Purcell's scallop: two stiff arms and one hinge. Whatever it does, it does backwards again, and so gets nowhere where friction rules.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// Two arms hinged at the front, opening and closing on the plane y = 0, as one loop. The hinge points along +Z, the arms behind it.
///
/// The second half of the loop shows the frames of the first half, bit for bit, in reverse: the stroke is exactly reciprocal (Purcell
/// 1977).
#[derive(Debug, Clone, PartialEq)]
pub struct Scallop {
    /// Length of each arm, left (+X) and right, metres.
    pub arms: [f64; 2],
    /// Vertices on each arm, the hinge not counted.
    pub vertices: usize,
    /// Angle of each arm to −Z when closed, radians.
    pub closed: f64,
    /// Angle of each arm to −Z when open, radians.
    pub open: f64,
    /// Seconds to open and close.
    pub period: f64,
}

impl Default for Scallop {
    fn default() -> Self {
        Scallop { arms: [0.5, 0.5], vertices: 12, closed: 10_f64.to_radians(), open: 75_f64.to_radians(), period: 1.0 }
    }
}

impl Scallop {
    /// The gait, sampled at about `fps` frames per second, an even number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let vertices = self.vertices.saturating_mul(2).saturating_add(1);
        let frames = gait::cycle_frames(self.period, fps, vertices)?.next_multiple_of(2);
        gait::cycle(Topology::Curve { closed: false }, vertices, [self.period, frames as f64 / self.period], |phase| {
            // The phase of a frame and of its mirror image may differ by round-off: count frames instead.
            let k = (phase * frames as f64).round() as usize;
            let out = 0.5 * (1.0 - (TAU * k.min(frames - k) as f64 / frames as f64).cos());
            self.shape(self.closed + (self.open - self.closed) * out)
        })
    }

    fn shape(&self, angle: f64) -> Vec<Vector3<f64>> {
        let arm = |side: f64, length: f64, i: usize| {
            Vector3::new(side * angle.sin(), 0.0, -angle.cos()) * (length * i as f64 / self.vertices as f64)
        };
        let [left, right] = self.arms;
        gait::centred(
            (0..=self.vertices).rev().map(|i| arm(1.0, left, i)).chain((1..=self.vertices).map(|i| arm(-1.0, right, i))).collect(),
        )
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("left arm", self.arms[0])?;
        gait::positive("right arm", self.arms[1])?;
        gait::finite("closed", self.closed)?;
        gait::finite("open", self.open)?;
        gait::accept(self.vertices >= 1, "vertices", self.vertices as f64, "at least 1 on each arm")
    }
}
