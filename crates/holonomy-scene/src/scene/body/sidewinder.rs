//! A snake that goes sideways.

use holonomy::models;
use holonomy::shape::MassRule;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Lift, Share, Waves};

recipe! {
    /// A sidewinding snake (Marvi 2014): one wave bends it along the ground, another lifts every other stretch off it. Only what lies grips.
    pub struct Sidewinder for models::Sidewinder {
        /// Length of the body, from head to tail. Default: `1 m`.
        pub length: Length,
        /// Number of vertices along the body. Default: `120`.
        pub vertices: Count<2, 10_000_000>,
        /// Number of waves along the body. Default: `2.5`.
        pub waves: Waves,
        /// Largest angle between the body and its mean direction. Default: `65 deg`.
        pub amplitude: Amplitude,
        /// Height of the lifted stretches. Default: `4 cm`.
        pub lift: Lift,
        /// Grip of a stretch at full height over that of one on the ground. Default: `1e-5`.
        pub airborne: Share,
        /// Time for a bend to move one wavelength, after which the shapes repeat. Default: `1 s`.
        pub period: Duration,
        /// Radius of the tube that is drawn; physics does not use it. Default: `1.5 cm`.
        pub radius: Length = Length(0.015),
    }
}

impl Procedural for Sidewinder {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = self.model();
        let looks = Looks { color: [0.70, 0.50, 0.27], thickness: Some(2.0 * self.radius.si()), ..Looks::default() };
        Ok(Made { masses: MassRule::Given(model.weights(fps)?), ..Made::new(model.clip(fps)?, looks) })
    }
}
