//! The outline of a part of a body, seen from above.

use nalgebra::Vector3;

use super::FARTHEST;
use crate::Error;

/// Part of a body, seen from above: a box that may be turned about the vertical.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footprint {
    /// Its middle, x and z, metres, world.
    pub center: [f64; 2],
    /// Direction of its length: the angle about +Y from the x axis, radians. At π/2 it lies along −z.
    pub heading: f64,
    /// Half its length and half its width, metres.
    pub half: [f64; 2],
    /// Height of its underside, metres.
    pub bottom: f64,
    /// Height of its top, metres.
    pub top: f64,
    /// Velocity of its middle along x and z, m/s.
    pub velocity: [f64; 2],
    /// How fast it turns about +Y, rad/s.
    pub turning: f64,
}

impl Footprint {
    pub(super) fn validate(&self) -> Result<(), Error> {
        let numbers =
            [self.center[0], self.center[1], self.heading, self.bottom, self.top, self.velocity[0], self.velocity[1], self.turning];
        for value in numbers {
            Error::unless(value.abs() <= FARTHEST, "footprint of a body", value, "a finite number")?;
        }
        for half in self.half {
            Error::unless((0.0..=FARTHEST).contains(&half), "half the size of a footprint", half, "zero or more metres")?;
        }
        Error::unless(self.top >= self.bottom, "top of a footprint", self.top, "no lower than its bottom")
    }

    /// Directions of length and width.
    fn axes(&self) -> [[f64; 2]; 2] {
        let (sin, cos) = self.heading.sin_cos();
        [[cos, -sin], [sin, cos]]
    }

    /// A place from its middle, along length and width.
    fn local(&self, place: [f64; 2]) -> [f64; 2] {
        let from = [place[0] - self.center[0], place[1] - self.center[1]];
        self.axes().map(|axis| axis[0] * from[0] + axis[1] * from[1])
    }

    /// Share of a cell that it covers, about; continuous as it moves.
    pub(super) fn share(&self, place: [f64; 2], cell: f64) -> f64 {
        let local = self.local(place);
        let along = |k: usize| {
            let (low, high) = ((local[k] - 0.5 * cell).max(-self.half[k]), (local[k] + 0.5 * cell).min(self.half[k]));
            ((high - low) / cell).clamp(0.0, 1.0)
        };
        along(0) * along(1)
    }

    /// Whether a place is inside of its outline.
    pub(super) fn contains(&self, place: [f64; 2]) -> bool {
        let local = self.local(place);
        (0..2).all(|k| local[k].abs() <= self.half[k])
    }

    /// The outward normal of the side that is nearest to a place inside.
    pub(super) fn normal(&self, place: [f64; 2]) -> [f64; 2] {
        let local = self.local(place);
        let k = if self.half[0] - local[0].abs() < self.half[1] - local[1].abs() { 0 } else { 1 };
        self.axes()[k].map(|component| component * local[k].signum())
    }

    /// From the middle of the box to a place, half way down what is immersed.
    pub(super) fn arm(&self, place: [f64; 2], level: f64) -> Vector3<f64> {
        let (middle, immersed) = (0.5 * (self.bottom + self.top), 0.5 * (self.bottom + self.top.min(level)));
        Vector3::new(place[0] - self.center[0], immersed - middle, place[1] - self.center[1])
    }

    /// Velocity of the body at a place, along x and z.
    pub(super) fn velocity_at(&self, place: [f64; 2]) -> [f64; 2] {
        [self.velocity[0] + self.turning * (place[1] - self.center[1]), self.velocity[1] - self.turning * (place[0] - self.center[0])]
    }
}
