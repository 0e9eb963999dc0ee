//! Bodies that attract each other, in arrangements that are known for something. Gravity's constant is 1.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use crate::Error;
use crate::random::Random;

/// Heavenly bodies of one kilogram each.
#[derive(Debug, Clone, PartialEq)]
pub struct Planets {
    /// Where they are and how they move at first.
    pub arrangement: Arrangement,
    /// By how much positions are off, at random, in parts of the size.
    pub jitter: f64,
    /// Which random numbers these are.
    pub seed: u64,
}

/// Where they are and how they move at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrangement {
    /// Five on a wavy ring of half a metre, which they go around in two seconds or so (Jia et al. 2023, Fig. 6).
    #[default]
    Five,
    /// Three of different speeds, which soon scatter (Jia et al. 2023, Fig. 4).
    Three,
    /// Three that chase each other along an eight (Chenciner and Montgomery 2000).
    FigureEight,
}

/// Places and velocities, metres and m/s.
pub type Begun = (Vec<Vector3<f64>>, Vec<Vector3<f64>>);

impl Default for Planets {
    fn default() -> Self {
        Planets { arrangement: Arrangement::default(), jitter: 0.0, seed: 1 }
    }
}

impl Planets {
    /// Where they are at first and how they move.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn begin(&self) -> Result<Begun, Error> {
        Error::unless_zero_or_more("jitter", self.jitter)?;
        let (mut places, velocities) = match self.arrangement {
            Arrangement::Five => (0..5).map(|i| five(TAU * f64::from(i) / 5.0)).unzip(),
            Arrangement::Three => three(),
            Arrangement::FigureEight => figure_eight(),
        };
        let (mut random, size) = (Random(self.seed), places.iter().map(|place| place.norm()).fold(0.0, f64::max));
        for place in &mut places {
            *place += Vector3::from_fn(|_, _| random.signed()) * (self.jitter * size);
        }
        Ok((places, velocities))
    }
}

/// At that angle of the ring; level, +Y up.
fn five(angle: f64) -> (Vector3<f64>, Vector3<f64>) {
    let radius = 0.52;
    let place = Vector3::new(angle.cos(), 0.2 * (2.0 * angle).sin(), -angle.sin()) * radius;
    let speed = PI * radius * (1.0 + 0.06 * (2.0 * angle).cos());
    (place, Vector3::new(-angle.sin(), 0.3 * angle.cos(), -angle.cos()) * speed)
}

/// Near the triangle of Lagrange, which turns as a whole, but unevenly fast.
fn three() -> Begun {
    let radius = 0.6;
    let speed = (1.0 / (3f64.sqrt() * radius)).sqrt();
    let one = |(i, faster): (u32, f64)| {
        let (sin, cos) = (TAU * f64::from(i) / 3.0).sin_cos();
        let up = if i == 1 { 0.12 } else { -0.06 };
        (Vector3::new(radius * cos, 0.0, -radius * sin), Vector3::new(-sin, up, -cos) * (speed * faster))
    };
    [(0, 1.0), (1, 0.86), (2, 1.1)].into_iter().map(one).unzip()
}

/// Simo's numbers, after Chenciner and Montgomery 2000.
fn figure_eight() -> Begun {
    let (x, v) = (Vector3::new(0.970_004_36, -0.243_087_53, 0.0), Vector3::new(-0.932_407_37, -0.864_731_46, 0.0));
    (vec![x, -x, Vector3::zeros()], vec![v * -0.5, v * -0.5, v])
}
