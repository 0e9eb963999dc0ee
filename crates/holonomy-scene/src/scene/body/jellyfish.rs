//! A jellyfish.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Multiple, Share, SignedShare};

recipe! {
    /// A jellyfish: a bell that closes from the top to the rim and opens again the same way round.
    pub struct Jellyfish for models::Jellyfish {
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
}

impl Procedural for Jellyfish {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, 3 * self.rings.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        Ok(Made::new(self.model().clip(fps)?, Looks { color: [0.74, 0.38, 0.56], ..Looks::default() }))
    }
}
