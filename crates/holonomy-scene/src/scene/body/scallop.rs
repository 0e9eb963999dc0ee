//! A scallop.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Share};

recipe! {
    /// A scallop that opens and closes its two shells. It closes through the same shapes as it opened.
    pub struct Scallop for models::Shells {
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
