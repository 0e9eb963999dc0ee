//! A rigid body that tumbles.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::{Figure, Looks};
use crate::scene::quantity::{BodyMass, Duration, Length, Moment};

recipe! {
    /// A T-handle of rods, rigid: a bar along X, a stem along −Y and, unless the body is flat, a pin along Z.
    pub struct Top for models::Top {
        /// Moments of inertia about X, Y and Z, kg m²; none more than the sum of the other two. Default: `[1, 2, 3]`.
        pub moments: [Moment; 3],
        /// Mass. Default: `3 kg`.
        pub mass: BodyMass,
        /// How long it is watched. Default: `40 s`.
        pub duration: Duration,
        /// Diameter of the rods that are drawn; physics does not use it. Default: `25 cm`.
        pub thickness: Length = Length(0.25),
    }
}

impl Procedural for Top {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.duration.si() * fps + 1.0, 6)
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let looks = Looks { thickness: Some(self.thickness.si()), figure: Figure::Plain, ..Looks::default() };
        Ok(Made::new(self.model().clip(fps)?, looks))
    }
}
