//! A snake in a narrow place.

use std::f64::consts::PI;

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Waves};

/// A snake that folds up, holds on with the folds and stretches out (Gray 1946): what travels from head to tail is how tightly it is folded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Concertina {
    /// Length of the body, from head to tail. Default: `1 m`.
    pub length: Length,
    /// Number of vertices along the body. Default: `121`.
    pub vertices: Count<2, 10_000_000>,
    /// Number of folds along the body; a whole number keeps the heading. Default: `6`.
    pub folds: Waves,
    /// Largest angle between the body and its heading, at the tightest fold. Default: `80 deg`.
    pub fold: Amplitude,
    /// Time for one pull, after which the shapes repeat. Default: `2 s`.
    pub period: Duration,
    /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
    pub radius: Length,
}

impl Default for Concertina {
    fn default() -> Self {
        Concertina {
            length: Length(1.0),
            vertices: Count(121),
            folds: Waves(6.0),
            fold: Amplitude(80.0 * PI / 180.0),
            period: Duration(2.0),
            radius: Length(0.015),
        }
    }
}

impl Procedural for Concertina {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::Concertina {
            length: self.length.si(),
            vertices: self.vertices.get(),
            folds: self.folds.si(),
            fold: self.fold.si(),
            period: self.period.si(),
        };
        let looks = Looks { color: [0.55, 0.42, 0.24], thickness: Some(2.0 * self.radius.si()), ..Looks::default() };
        Ok(Made::new(model.clip(fps)?, looks))
    }
}
