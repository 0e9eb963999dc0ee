//! Whether a loop flies as a body that is thrown: an independent check of its places alone.
//!
//! While nothing touches a body and nothing holds it, inner forces cancel, and its centre of mass
//! falls with a = g, whatever its material. With x the centre at three frames in a row that touch
//! nothing, and h the time between frames, the error is |(x₊ − 2 x + x₋)/h² − g|. Both rules of a
//! loop have this property without residual forces, at any h.

use nalgebra::Vector3;

use super::Looped;
use crate::lie::Pose;
use crate::motion::Quantity;

/// Error of free flight that can be told by eye is above this, m/s².
pub const NOTICED: f64 = 0.5;

/// Frames of one period in which the body flies.
pub const FLIGHT_FRAMES: Quantity = Quantity::new("flight_frames", "");
/// Error of the acceleration of its centre in these, root mean square.
pub const FLIGHT_ERROR_RMS: Quantity = Quantity::new("flight_error_rms", "m/s^2");
/// The greatest of these errors.
pub const FLIGHT_ERROR_MOST: Quantity = Quantity::new("flight_error_max", "m/s^2");

/// The error of a loop's free flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flight {
    /// Frames of one period at which the body flies: it touches nothing there, nor a frame before
    /// and after.
    pub frames: usize,
    /// Error of the acceleration of the centre of mass in these, root mean square, m/s².
    pub rms: f64,
    /// The greatest of these errors, m/s².
    pub most: f64,
    /// The least and the greatest upward acceleration of the centre in these, m/s².
    pub upward: [f64; 2],
}

impl Looped {
    /// Returns how far the centre of mass is from free fall where the body flies; `None` if it never
    /// does. `gravity` is in m/s², and `touches` says of each frame whether something other than the
    /// body pushes it.
    pub fn flight(&self, gravity: &Vector3<f64>, touches: &[bool]) -> Option<Flight> {
        let n = self.frames;
        if touches.len() != n || self.report.centre.len() != n || n == 0 {
            return None;
        }
        let carry = Pose::exp(&self.curve.twist);
        let rate = n as f64 / self.curve.period;
        let centre = |k: usize| {
            let place = self.report.centre[k % n];
            if k < n { place } else { carry.act(&place) }
        };
        let mut flight = Flight { frames: 0, rms: 0.0, most: 0.0, upward: [f64::INFINITY, f64::NEG_INFINITY] };
        for k in 0..n {
            if (k..k + 3).any(|k| touches[k % n]) {
                continue;
            }
            // Of the frame after k; past the end all three are carried along, which changes no length.
            let all = [0, 1, 2].map(|i| centre(k + i));
            let acceleration = (all[2] - all[1] * 2.0 + all[0]) * (rate * rate);
            let error = (acceleration - gravity).norm();
            flight.frames += 1;
            flight.rms += error * error;
            flight.most = flight.most.max(error);
            flight.upward = [flight.upward[0].min(acceleration.y), flight.upward[1].max(acceleration.y)];
        }
        flight.rms = (flight.rms / flight.frames.max(1) as f64).sqrt();
        (flight.frames > 0).then_some(flight)
    }
}
