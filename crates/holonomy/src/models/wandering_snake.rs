//! A snake that does not repeat itself: it follows its own winding, irregular path, as recorded snakes do.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::random::Random;
use crate::shape::{Clip, Topology};

/// Sine waves that are summed into the irregular one.
const TONES: usize = 7;

/// A snake on the ground plane, in place, that winds irregularly. Vertex 0 is the tip of the head, which looks along +Z on the whole.
///
/// The body's direction at the fraction s of its length from the head is turned by `amplitude · f(waves · s − t/period)`, where f is a
/// smooth random function with about one wave per unit, about as large as a cosine: every part follows the one before it. The clip ends.
#[derive(Debug, Clone, PartialEq)]
pub struct WanderingSnake {
    /// Length along the body, metres.
    pub length: f64,
    /// Vertices along the body.
    pub vertices: usize,
    /// Waves on the body, on average.
    pub waves: f64,
    /// Typical largest turn of the body away from its heading, radians.
    pub amplitude: f64,
    /// Seconds for one wave to pass, on average.
    pub period: f64,
    /// Seconds the clip lasts.
    pub duration: f64,
    /// Picks the path.
    pub seed: u64,
}

impl Default for WanderingSnake {
    fn default() -> Self {
        WanderingSnake { length: 1.0, vertices: 60, waves: 1.6, amplitude: 55_f64.to_radians(), period: 1.2, duration: 8.0, seed: 1 }
    }
}

impl WanderingSnake {
    /// The gait, sampled at about `fps` frames per second.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("length", self.length)?;
        gait::positive("period", self.period)?;
        gait::finite("waves", self.waves)?;
        gait::finite("amplitude", self.amplitude)?;
        Error::unless(self.vertices >= 2, "vertices", self.vertices as f64, "at least 2")?;
        let tones = tones(self.seed);
        gait::sequence(Topology::Curve { closed: false }, self.vertices, [self.duration, fps], |fraction| {
            self.shape(&tones, fraction * self.duration / self.period)
        })
    }

    fn shape(&self, tones: &[[f64; 3]; TONES], passed: f64) -> Vec<Vector3<f64>> {
        let wave = |u: f64| tones.iter().map(|[size, pitch, start]| size * (TAU * (pitch * u + start)).cos()).sum::<f64>();
        gait::chain(self.length, self.vertices - 1, |s| gait::heading(self.amplitude * wave(self.waves * s - passed)))
    }
}

/// Size, waves per unit and phase of each tone. Most are near one wave per unit; one is slow and bends the whole path.
fn tones(seed: u64) -> [[f64; 3]; TONES] {
    let mut random = Random(seed);
    std::array::from_fn(|i| {
        let (spread, start) = (random.unit(), random.unit());
        match i {
            0 => [0.35, 0.12 + 0.1 * spread, start],
            _ => [0.42, 0.55 + 0.9 * (i as f64 - 1.0 + spread) / (TONES - 1) as f64, start],
        }
    })
}
