//! A sperm cell.

use std::f64::consts::PI;

use holonomy::models;
use holonomy::shape::MassRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::{Looks, Taper};
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Multiple, Share, Waves};

/// A sperm cell: a stiff, heavy head, and a flagellum along which a wave grows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Sperm {
    /// Length of the body, from head to tail. Default: `55 um`.
    pub length: Length,
    /// Number of vertices along the body. Default: `80`.
    pub vertices: Count<2, 10_000_000>,
    /// Length of the head over that of the whole body. Default: `0.1`.
    pub head: Share,
    /// Drag of a part of the head over that of as long a part of the tail. Default: `3`.
    pub head_weight: Multiple,
    /// Number of waves along the flagellum. Default: `1.4`.
    pub waves: Waves,
    /// Largest angle to the line of travel, at the end of the flagellum. Default: `65 deg`.
    pub amplitude: Amplitude,
    /// Angle at the root of the flagellum over that at its end. Default: `0.3`.
    pub root: Share,
    /// Time for a bend to move one wavelength, after which the shapes repeat. Default: `100 ms`.
    pub period: Duration,
    /// Radius of the drawn head; physics does not use it. Default: `2 um`.
    pub radius: Length,
}

impl Default for Sperm {
    fn default() -> Self {
        Sperm {
            length: Length(55e-6),
            vertices: Count(80),
            head: Share(0.1),
            head_weight: Multiple(3.0),
            waves: Waves(1.4),
            amplitude: Amplitude(65.0 * PI / 180.0),
            root: Share(0.3),
            period: Duration(0.1),
            radius: Length(2e-6),
        }
    }
}

impl Procedural for Sperm {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::Sperm {
            length: self.length.si(),
            vertices: self.vertices.get(),
            head: self.head.si(),
            head_weight: self.head_weight.si(),
            waves: self.waves.si(),
            amplitude: self.amplitude.si(),
            root: self.root.si(),
            period: self.period.si(),
        };
        let looks = Looks { color: [0.44, 0.38, 0.66], thickness: Some(2.0 * self.radius.si()), taper: Taper::Tadpole, ..Looks::default() };
        Ok(Made { masses: MassRule::Given(model.masses()?), ..Made::new(model.clip(fps)?, looks) })
    }
}
