//! A stingray.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Count, Duration, Length, Share, SignedShare, Waves};

/// A stingray: wide fins pass a wave from front to rear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Stingray {
    /// From the nose to the rear of the disc; the tail is about as long again. Default: `80 cm`.
    pub length: Length,
    /// From tip to tip of the fins. Default: `1 m`.
    pub span: Length,
    /// Number of cross-sections along the body. Default: `60`.
    pub rings: Count<4, 10_000>,
    /// Number of vertices around each. Default: `48`.
    pub around: Count<4, 10_000>,
    /// Number of waves along the fins. Default: `1`.
    pub waves: Waves,
    /// Height of the wave at the tip of a fin over the length of the fin. Default: `0.28`.
    pub amplitude: Share,
    /// Steers: from -1 (right) to 1 (left). Default: `0`.
    pub turn: SignedShare,
    /// Steers: from -1 (down) to 1 (up). Default: `0`.
    pub climb: SignedShare,
    /// Time for a wave to pass, after which the shapes repeat. Default: `1 s`.
    pub period: Duration,
}

impl Default for Stingray {
    fn default() -> Self {
        Stingray {
            length: Length(0.8),
            span: Length(1.0),
            rings: Count(60),
            around: Count(48),
            waves: Waves(1.0),
            amplitude: Share(0.28),
            turn: SignedShare(0.0),
            climb: SignedShare(0.0),
            period: Duration(1.0),
        }
    }
}

impl Stingray {
    /// The engine's ray, swimming straight ahead.
    pub(super) fn model(&self) -> models::Stingray {
        let fin = models::Fin { amplitude: self.amplitude.si(), phase: 0.0 };
        models::Stingray {
            length: self.length.si(),
            span: self.span.si(),
            rings: self.rings.get(),
            around: self.around.get(),
            waves: self.waves.si(),
            left: fin,
            right: fin,
            bend: 0.0,
            period: self.period.si(),
        }
    }
}

impl Procedural for Stingray {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let clip = self.model().steered(self.turn.si(), self.climb.si()).clip(fps)?;
        Ok(Made::new(clip, Looks { color: [0.42, 0.38, 0.33], ..Looks::default() }))
    }
}
