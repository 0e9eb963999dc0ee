//! A snake that does not repeat itself.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Waves};

recipe! {
    /// A snake that winds irregularly, as recorded snakes do: every part follows the one before it along a random path. It does not loop.
    pub struct WanderingSnake for models::WanderingSnake {
        /// Length of the body, from head to tail. Default: `1 m`.
        pub length: Length,
        /// Number of vertices along the body. Default: `60`.
        pub vertices: Count<2, 10_000_000>,
        /// Number of waves along the body, on average. Default: `1.6`.
        pub waves: Waves,
        /// Typical largest angle between the body and its heading. Default: `55 deg`.
        pub amplitude: Amplitude,
        /// Time for a bend to move one wavelength, on average. Default: `1.2 s`.
        pub period: Duration,
        /// How long it goes on. Default: `8 s`.
        pub duration: Duration,
        /// Picks the path. Default: `1`.
        pub seed: Count<0, 1_000_000_000>,
        /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
        pub radius: Length = Length(0.015),
    }
}

impl Procedural for WanderingSnake {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { color: [0.25, 0.55, 0.36], thickness: Some(2.0 * self.radius.si()), ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}
