//! A stingray.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Count, Duration, Length, Share, SignedShare, Waves};

recipe! {
    /// A stingray: wide fins pass a wave from front to rear.
    pub struct Stingray for models::Stingray {
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
        pub amplitude: Share = Share(models::Stingray::default().left.amplitude),
        /// Steers: from -1 (right) to 1 (left). Default: `0`.
        pub turn: SignedShare = SignedShare(0.0),
        /// Steers: from -1 (down) to 1 (up). Default: `0`.
        pub climb: SignedShare = SignedShare(0.0),
        /// Time for a wave to pass, after which the shapes repeat. Default: `1 s`.
        pub period: Duration,
    }
}

impl Procedural for Stingray {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = with_fins(self.model(), self.amplitude);
        let clip = model.steered(self.turn.si(), self.climb.si()).clip(fps)?;
        Ok(Made::new(clip, Looks { color: [0.42, 0.38, 0.33], ..Looks::default() }))
    }
}

/// Both fins alike; `amplitude` is the height of the wave at the tip of a fin over the length of the fin.
pub(super) fn with_fins(body: models::Stingray, amplitude: Share) -> models::Stingray {
    let fin = models::Fin { amplitude: amplitude.si(), phase: 0.0 };
    models::Stingray { left: fin, right: fin, ..body }
}
