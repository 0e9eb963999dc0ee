//! A sperm cell.

use holonomy::models;
use holonomy::shape::MassRule;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::{Looks, Taper};
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Multiple, Share, Waves};

recipe! {
    /// A sperm cell: a stiff, heavy head, and a flagellum along which a wave grows.
    pub struct Sperm for models::Sperm {
        /// Length of the body, from head to tail. Default: `55 um`.
        pub length: Length,
        /// Number of vertices along the body. Default: `80`.
        pub vertices: Count<2, 10_000_000>,
        /// Length of the head over that of the whole body. Default: `0.1`.
        pub head: Share,
        /// Drag of a part of the head over that of as long a part of the tail. Default: `3`.
        pub head_weight: Multiple,
        /// Number of waves along the flagellum. Default: `1.4`.
        pub waves: Waves,
        /// Largest angle to the line of travel, at the end of the flagellum. Default: `65 deg`.
        pub amplitude: Amplitude,
        /// Angle at the root of the flagellum over that at its end. Default: `0.3`.
        pub root: Share,
        /// Time for a bend to move one wavelength, after which the shapes repeat. Default: `100 ms`.
        pub period: Duration,
        /// Radius of the drawn head; physics does not use it. Default: `2 um`.
        pub radius: Length = Length(2e-6),
    }
}

impl Procedural for Sperm {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.vertices.get())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = self.model();
        let looks = Looks { color: [0.44, 0.38, 0.66], thickness: Some(2.0 * self.radius.si()), taper: Taper::Tadpole, ..Looks::default() };
        Ok(Made { masses: MassRule::Given(model.masses()?), ..Made::new(model.clip(fps)?, looks) })
    }
}
