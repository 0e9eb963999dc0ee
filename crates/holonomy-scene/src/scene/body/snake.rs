//! Snakes.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Waves};

recipe! {
    /// A snake as a serpenoid curve (Hirose 1993): its angle to the line of travel is a sine wave that runs from head to tail.
    pub struct Snake for models::Snake {
        /// Length of the body, from head to tail. Default: `1 m`.
        pub length: Length,
        /// Number of vertices along the body. Default: `60`.
        pub vertices: Count<2, 10_000_000>,
        /// Number of waves along the body. Default: `1.5`.
        pub waves: Waves,
        /// Largest angle between the body and the line it travels along. Default: `60 deg`.
        pub amplitude: Amplitude,
        /// Time for a bend to move one wavelength, after which the shapes repeat. Default: `1 s`.
        pub period: Duration,
        /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
        pub radius: Length = Length(0.015),
    }
}

impl Procedural for Snake {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { thickness: Some(2.0 * self.radius.si()), ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}
