//! Waves on deep water, small against their length: sums of sinusoids (Airy's theory, Lamb 1932, Art. 229).
//!
//! With wave number k = 2π/length, frequency ω² = g k, unit vector k̂ along which a wave runs and phase ψ = k k̂·x − ω t + φ, at the surface:
//!
//! ```text
//! height η = a cos ψ       velocity u = a ω (k̂ cos ψ + e_y sin ψ)       acceleration ∂u/∂t = a ω² (k̂ sin ψ − e_y cos ψ)
//! ```
//!
//! The pressure of the water is the same all over the surface, so its gradient, which carries what floats, stands on it.

use nalgebra::{Matrix3, Vector3};

use super::surroundings::{finite, positive};
use crate::Error;

/// One train of waves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// From mean height to crest, metres.
    pub amplitude: f64,
    /// From crest to crest, metres.
    pub length: f64,
    /// Where it runs to: radians from +Z towards +X.
    pub heading: f64,
    /// φ, radians.
    pub phase: f64,
}

/// The water's surface at a place, world frame, with derivatives by place. Nothing depends on the height of the place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// η, metres.
    pub height: f64,
    /// ∇η.
    pub slope: Vector3<f64>,
    /// ∇∇η, 1/m.
    pub bend: Matrix3<f64>,
    /// Of the water, current and all, m/s.
    pub velocity: Vector3<f64>,
    /// One column per direction, 1/s.
    pub velocity_gradient: Matrix3<f64>,
    /// Of the water, m/s².
    pub acceleration: Vector3<f64>,
    /// One column per direction, 1/s².
    pub acceleration_gradient: Matrix3<f64>,
}

impl Wave {
    /// Refuses waves that make no sense.
    pub(super) fn validate(&self) -> Result<(), Error> {
        positive("length of a wave", self.length)?;
        finite("heading or phase of a wave", &Vector3::new(self.heading, self.phase, 0.0))?;
        let steepness = self.amplitude.abs() / self.length;
        Error::unless(steepness <= 0.07, "amplitude of a wave over its length", steepness, "at most 0.07: steeper ones break")
    }
}

impl Surface {
    /// At a place and time (seconds), over a steady current (m/s) that carries the waves along.
    pub fn at(place: &Vector3<f64>, time: f64, waves: &[Wave], current: &Vector3<f64>, gravity: f64) -> Surface {
        let mut surface = Surface {
            height: 0.0,
            slope: Vector3::zeros(),
            bend: Matrix3::zeros(),
            velocity: *current,
            velocity_gradient: Matrix3::zeros(),
            acceleration: Vector3::zeros(),
            acceleration_gradient: Matrix3::zeros(),
        };
        let (carried, up) = (place - current * time, Vector3::y());
        for wave in waves {
            let number = std::f64::consts::TAU / wave.length;
            let frequency = (gravity * number).sqrt();
            let along = Vector3::new(wave.heading.sin(), 0.0, wave.heading.cos());
            let (sin, cos) = (number * along.dot(&carried) - frequency * time + wave.phase).sin_cos();
            let (gradient, speed) = (along.transpose() * number, wave.amplitude * frequency);
            surface.height += wave.amplitude * cos;
            surface.slope -= along * (wave.amplitude * number * sin);
            surface.bend -= along * gradient * (wave.amplitude * number * cos);
            surface.velocity += (along * cos + up * sin) * speed;
            surface.velocity_gradient += (up * cos - along * sin) * gradient * speed;
            surface.acceleration += (along * sin - up * cos) * (speed * frequency);
            surface.acceleration_gradient += (along * cos + up * sin) * gradient * (speed * frequency);
        }
        surface
    }
}
