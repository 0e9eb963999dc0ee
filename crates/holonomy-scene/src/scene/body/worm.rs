//! An earthworm.

use holonomy::models;
use holonomy::shape::MassRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Count, Duration, Length, Share, Waves};

/// An earthworm: what is short is thick and holds on, what is long is thin and slips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Worm {
    /// Length at rest. Default: `20 cm`.
    pub length: Length,
    /// Number of rings along the body. Default: `60`.
    pub vertices: Count<2, 1_000_000>,
    /// Number of vertices around each. Default: `20`.
    pub around: Count<3, 10_000>,
    /// Number of waves along the body. Default: `1.5`.
    pub waves: Waves,
    /// Largest stretch: 0.4 is from 0.6 to 1.4 times the length at rest. Default: `0.4`.
    pub stretch: Share,
    /// Diameter at rest. Default: `8 mm`.
    pub thickness: Length,
    /// Grip where the body is thinnest over that where it is thickest. Default: `0.05`.
    pub slip: Share,
    /// Time for a wave to pass, after which the shapes repeat. Default: `2 s`.
    pub period: Duration,
}

impl Default for Worm {
    fn default() -> Self {
        Worm {
            length: Length(0.2),
            vertices: Count(60),
            around: Count(20),
            waves: Waves(1.5),
            stretch: Share(0.4),
            thickness: Length(0.008),
            slip: Share(0.05),
            period: Duration(2.0),
        }
    }
}

impl Procedural for Worm {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::Worm {
            length: self.length.si(),
            vertices: self.vertices.get(),
            waves: self.waves.si(),
            stretch: self.stretch.si(),
            thickness: self.thickness.si(),
            slip: self.slip.si(),
            period: self.period.si(),
        };
        let (clip, weights) = model.surface(fps, self.around.get())?;
        Ok(Made { masses: MassRule::Given(weights), ..Made::new(clip, Looks { color: [0.72, 0.40, 0.36], ..Looks::default() }) })
    }
}
