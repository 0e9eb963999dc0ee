//! A jumper with or without a parachute.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::scene::quantity::{Angle, BodyMass, Count, Length, SurfaceDensity};

/// A figure, upright, below a canopy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Parachute {
    /// Whether there is a canopy; without, the figure falls as it is. Default: `true`.
    pub canopy: bool,
    /// Mass of the figure. Default: `80 kg`.
    pub payload_mass: BodyMass,
    /// Height of the figure. Default: `1.75 m`.
    pub payload_height: Length,
    /// Radius of the rim of the canopy. Default: `3 m`.
    pub radius: Length,
    /// From the middle of the canopy to its rim, seen from the centre of its sphere. Default: `1.1`.
    pub angle: Angle,
    /// Mass of the canopy, kg/m². Default: `0.05`.
    pub surface_density: SurfaceDensity,
    /// From the rim to the shoulders; more than the radius. Default: `5.5 m`.
    pub line_length: Length,
    /// Number of lines, even. Default: `12`.
    pub lines: Count<4, 100>,
}

impl Default for Parachute {
    fn default() -> Self {
        Parachute {
            canopy: true,
            payload_mass: BodyMass(80.0),
            payload_height: Length(1.75),
            radius: Length(3.0),
            angle: Angle(1.1),
            surface_density: SurfaceDensity(0.05),
            line_length: Length(5.5),
            lines: Count(12),
        }
    }
}

impl Procedural for Parachute {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.model().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, [0.80, 0.30, 0.16]))
    }
}

impl Parachute {
    fn model(&self) -> models::Parachute {
        let canopy = models::Canopy {
            radius: self.radius.si(),
            angle: self.angle.si(),
            surface_density: self.surface_density.si(),
            line_length: self.line_length.si(),
            lines: self.lines.get(),
        };
        models::Parachute {
            payload_mass: self.payload_mass.si(),
            payload_height: self.payload_height.si(),
            canopy: self.canopy.then_some(canopy),
        }
    }
}
