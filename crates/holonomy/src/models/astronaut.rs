//! An astronaut who turns around by circling the arms, without anything to push against.

use std::f64::consts::{PI, TAU};

use super::gait;
use super::human::{self, Posture};
use crate::Error;
use crate::shape::{Clip, Playback};

/// A human body, in place, as one loop: both arms go around cones in the same sense about +Y, and so the body turns the other way.
///
/// Each cone's axis points out to the side and up. With the angular momentum zero throughout, the body is turned about Y after a cycle
/// though all is as before.
#[derive(Debug, Clone, PartialEq)]
pub struct Astronaut {
    /// Height, metres.
    pub height: f64,
    /// Mass, kg.
    pub mass: f64,
    /// How far the axes of the cones point above the horizontal, radians.
    pub raise: f64,
    /// Half the opening of the cones, radians. Positive: the body turns to its left.
    pub cone: f64,
    /// Seconds for one circle.
    pub period: f64,
}

impl Default for Astronaut {
    fn default() -> Self {
        Astronaut { height: 1.75, mass: 70.0, raise: 25_f64.to_radians(), cone: 45_f64.to_radians(), period: 2.0 }
    }
}

impl Astronaut {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("height", self.height)?;
        gait::positive("mass", self.mass)?;
        Error::unless(self.raise.abs() < 0.5 * PI, "raise", self.raise, "less than 90 degrees either way, in radians")?;
        Error::unless(self.cone.abs() < 0.5 * PI, "cone", self.cone, "less than 90 degrees either way, in radians")?;
        let skeleton = human::skeleton(self.height, self.mass);
        let frames = gait::cycle_frames(self.period, fps, skeleton.joints())?;
        skeleton.clip(Playback::Loop, self.period / frames as f64, frames, |k| self.posture(k as f64 / frames as f64).turns())
    }

    fn posture(&self, phase: f64) -> Posture {
        let (s, c) = (TAU * phase).sin_cos();
        // Seen from above, both hands go around the same way: what is forward on one side is backward on the other.
        let arm = |side: f64| [self.raise + self.cone.abs() * side * c, -self.cone * s];
        Posture { arms: [arm(1.0), arm(-1.0)], elbows: 0.15, hips: 0.25, knees: 0.4, spine: 0.1 }
    }
}
