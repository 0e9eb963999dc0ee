//! An earthworm.

use holonomy::models;
use holonomy::shape::MassRule;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Count, Duration, Length, Share, Waves};

recipe! {
    /// An earthworm: what is short is thick and holds on, what is long is thin and slips.
    pub struct Worm for models::Worm {
        /// Length at rest. Default: `20 cm`.
        pub length: Length,
        /// Number of rings along the body. Default: `60`.
        pub vertices: Count<2, 1_000_000>,
        /// Number of vertices around each. Default: `20`.
        pub around: Count<3, 10_000> = Count(20),
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
}

impl Procedural for Worm {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get() * self.around.get() + 2)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let (clip, weights) = self.model().surface(fps, self.around.get())?;
        Ok(Made { masses: MassRule::Given(weights), ..Made::new(clip, Looks { color: [0.72, 0.40, 0.36], ..Looks::default() }) })
    }
}
