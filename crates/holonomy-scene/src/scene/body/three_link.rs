//! Purcell's swimmer.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::{Looks, Taper};
use crate::scene::quantity::{Amplitude, Count, Duration, Length, Multiple};

recipe! {
    /// Three stiff links with two hinges that bend in turn (Purcell 1977): the least a body needs to get on where friction rules.
    pub struct ThreeLink for models::ThreeLink {
        /// Length of the three links together. Default: `1 m`.
        pub length: Length = Length(1.0),
        /// Length of the middle link over that of each outer one. Default: `1`.
        pub middle: Multiple = Multiple(1.0),
        /// Number of edges on each link. Default: `12`.
        pub edges: Count<1, 1_000_000>,
        /// Largest angle of each hinge. Default: `60 deg`.
        pub amplitude: Amplitude,
        /// 2: the two angles go around a circle; the larger, the more a square. Default: `6`.
        pub squareness: Multiple,
        /// Time for the hinges to go through all positions, after which the shapes repeat. Default: `1 s`.
        pub period: Duration,
        /// Radius of the tube that is drawn; physics does not use it. Default: `2 cm`.
        pub radius: Length = Length(0.02),
    }
}

impl Procedural for ThreeLink {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, 3 * self.edges.get() + 1)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let outer = self.length.si() / (2.0 + self.middle.si());
        let model = models::ThreeLink { links: [outer, outer * self.middle.si(), outer], ..self.model() };
        let looks = Looks { color: [0.87, 0.45, 0.18], thickness: Some(2.0 * self.radius.si()), taper: Taper::Uniform, ..Looks::default() };
        Ok(Made::new(model.clip(fps)?, looks))
    }
}
