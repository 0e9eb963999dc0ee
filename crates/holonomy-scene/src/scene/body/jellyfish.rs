//! A jellyfish.

use std::f64::consts::PI;

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Multiple, Share, SignedShare};

/// A jellyfish: a bell that closes from the top to the rim and opens again the same way round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Jellyfish {
    /// Length of the bell's meridian, from the top to the rim. Default: `20 cm`.
    pub length: Length,
    /// Number of rings of vertices outside, and again inside. Default: `24`.
    pub rings: Count<4, 10_000>,
    /// Number of vertices around each. Default: `64`.
    pub around: Count<3, 10_000>,
    /// Slope of the rim when open. Default: `65 deg`.
    pub opening: Amplitude,
    /// How much steeper the rim is when closed. Default: `48 deg`.
    pub contraction: Amplitude,
    /// How much later the rim moves than the top, in periods. Default: `0.3`.
    pub lag: SignedShare,
    /// Thickness of the bell at its top over its length. Default: `0.12`.
    pub thickness: Share,
    /// Length of the mouth arms over that of the bell; 0 for none. Default: `1.3`.
    pub arms: Multiple,
    /// Time for one pulse, after which the shapes repeat. Default: `1.2 s`.
    pub period: Duration,
}

impl Default for Jellyfish {
    fn default() -> Self {
        Jellyfish {
            length: Length(0.2),
            rings: Count(24),
            around: Count(64),
            opening: Amplitude(65.0 * PI / 180.0),
            contraction: Amplitude(48.0 * PI / 180.0),
            lag: SignedShare(0.3),
            thickness: Share(0.12),
            arms: Multiple(1.3),
            period: Duration(1.2),
        }
    }
}

impl Procedural for Jellyfish {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, 3 * self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = models::Jellyfish {
            length: self.length.si(),
            rings: self.rings.get(),
            around: self.around.get(),
            opening: self.opening.si(),
            contraction: self.contraction.si(),
            lag: self.lag.si(),
            thickness: self.thickness.si(),
            arms: self.arms.si(),
            period: self.period.si(),
        };
        Ok(Made::new(model.clip(fps)?, Looks { color: [0.74, 0.38, 0.56], ..Looks::default() }))
    }
}
