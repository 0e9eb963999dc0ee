//! A rigid body that tumbles.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::{Figure, Looks};
use crate::scene::quantity::{BodyMass, Duration, Length, Moment};

/// A T-handle of rods, rigid: a bar along X, a stem along −Y and, unless the body is flat, a pin along Z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Top {
    /// Moments of inertia about X, Y and Z, kg m²; none more than the sum of the other two. Default: `[1, 2, 3]`.
    pub moments: [Moment; 3],
    /// Mass. Default: `3 kg`.
    pub mass: BodyMass,
    /// How long it is watched. Default: `40 s`.
    pub duration: Duration,
    /// Diameter of the rods that are drawn; physics does not use it. Default: `25 cm`.
    pub thickness: Length,
}

impl Default for Top {
    fn default() -> Self {
        let models::Top { moments, mass, duration } = models::Top::default();
        Top { moments: moments.map(Moment), mass: BodyMass(mass), duration: Duration(duration), thickness: Length(0.25) }
    }
}

impl Procedural for Top {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps + 1.0, 6)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::Top { moments: self.moments.map(Moment::si), mass: self.mass.si(), duration: self.duration.si() };
        let looks = Looks { thickness: Some(self.thickness.si()), figure: Figure::Plain, ..Looks::default() };
        Ok(Made::new(model.clip(fps)?, looks))
    }
}
