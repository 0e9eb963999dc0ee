//! A scallop.

use std::f64::consts::PI;

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Share};

/// A scallop that opens and closes its two shells. It closes through the same shapes as it opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Scallop {
    /// From the hinge to the rim. Default: `8 cm`.
    pub length: Length,
    /// Number of rows of vertices from the hinge to the rim. Default: `10`.
    pub rows: Count<2, 1000>,
    /// Number of ribs on each shell. Default: `11`.
    pub ribs: Count<1, 1000>,
    /// Angle of each shell to the plane between them when closed. Default: `2 deg`.
    pub closed: Amplitude,
    /// Angle of each shell to the plane between them when open. Default: `40 deg`.
    pub open: Amplitude,
    /// Share of the period in which it closes; it opens in the rest. Default: `0.5`.
    pub closing: Share,
    /// Time to open and close. Default: `1 s`.
    pub period: Duration,
}

impl Default for Scallop {
    fn default() -> Self {
        Scallop {
            length: Length(0.08),
            rows: Count(10),
            ribs: Count(11),
            closed: Amplitude(2.0 * PI / 180.0),
            open: Amplitude(40.0 * PI / 180.0),
            closing: Share(0.5),
            period: Duration(1.0),
        }
    }
}

impl Procedural for Scallop {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.model().vertices())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { color: [0.83, 0.52, 0.36], ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}

impl Scallop {
    fn model(&self) -> models::Shells {
        models::Shells {
            length: self.length.si(),
            rows: self.rows.get(),
            ribs: self.ribs.get(),
            closed: self.closed.si(),
            open: self.open.si(),
            closing: self.closing.si(),
            period: self.period.si(),
        }
    }
}
