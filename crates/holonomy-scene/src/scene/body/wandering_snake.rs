//! A snake that does not repeat itself.

use std::f64::consts::PI;

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Waves};

/// A snake that winds irregularly, as recorded snakes do: every part follows the one before it along a random path. It does not loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct WanderingSnake {
    /// Length of the body, from head to tail. Default: `1 m`.
    pub length: Length,
    /// Number of vertices along the body. Default: `60`.
    pub vertices: Count<2, 10_000_000>,
    /// Number of waves along the body, on average. Default: `1.6`.
    pub waves: Waves,
    /// Typical largest angle between the body and its heading. Default: `55 deg`.
    pub amplitude: Amplitude,
    /// Time for a bend to move one wavelength, on average. Default: `1.2 s`.
    pub period: Duration,
    /// How long it goes on. Default: `8 s`.
    pub duration: Duration,
    /// Picks the path. Default: `1`.
    pub seed: Count<0, 1_000_000_000>,
    /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
    pub radius: Length,
}

impl Default for WanderingSnake {
    fn default() -> Self {
        WanderingSnake {
            length: Length(1.0),
            vertices: Count(60),
            waves: Waves(1.6),
            amplitude: Amplitude(55.0 * PI / 180.0),
            period: Duration(1.2),
            duration: Duration(8.0),
            seed: Count(1),
            radius: Length(0.015),
        }
    }
}

impl Procedural for WanderingSnake {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::WanderingSnake {
            length: self.length.si(),
            vertices: self.vertices.get(),
            waves: self.waves.si(),
            amplitude: self.amplitude.si(),
            period: self.period.si(),
            duration: self.duration.si(),
            seed: self.seed.get() as u64,
        };
        let looks = Looks { color: [0.25, 0.55, 0.36], thickness: Some(2.0 * self.radius.si()), ..Looks::default() };
        Ok(Made::new(model.clip(fps)?, looks))
    }
}
