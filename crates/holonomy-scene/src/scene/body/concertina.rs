//! A snake in a narrow place.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Waves};

recipe! {
    /// A snake that folds up, holds on with the folds and stretches out (Gray 1946): what travels from head to tail is how tightly it is folded.
    pub struct Concertina for models::Concertina {
        /// Length of the body, from head to tail. Default: `1 m`.
        pub length: Length,
        /// Number of vertices along the body. Default: `121`.
        pub vertices: Count<2, 10_000_000>,
        /// Number of folds along the body; a whole number keeps the heading. Default: `6`.
        pub folds: Waves,
        /// Largest angle between the body and its heading, at the tightest fold. Default: `80 deg`.
        pub fold: Amplitude,
        /// Time for one pull, after which the shapes repeat. Default: `2 s`.
        pub period: Duration,
        /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
        pub radius: Length = Length(0.015),
    }
}

impl Procedural for Concertina {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { color: [0.55, 0.42, 0.24], thickness: Some(2.0 * self.radius.si()), ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}
