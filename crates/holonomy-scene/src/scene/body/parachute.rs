//! A jumper with or without a parachute.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::scene::quantity::{Angle, BodyMass, Count, Length, SurfaceDensity};

recipe! {
    /// A figure, upright, below a canopy.
    pub struct Parachute for models::Canopy {
        /// Whether there is a canopy; without, the figure falls as it is. Default: `true`.
        pub canopy: bool = true,
        /// Mass of the figure. Default: `80 kg`.
        pub payload_mass: BodyMass = BodyMass(models::Parachute::default().payload_mass),
        /// Height of the figure. Default: `1.75 m`.
        pub payload_height: Length = Length(models::Parachute::default().payload_height),
        /// Radius of the rim of the canopy. Default: `3 m`.
        pub radius: Length,
        /// From the middle of the canopy to its rim, seen from the centre of its sphere. Default: `1.1`.
        pub angle: Angle,
        /// Mass of the canopy, kg/m². Default: `0.05`.
        pub surface_density: SurfaceDensity,
        /// From the rim to the shoulders; more than the radius. Default: `5.5 m`.
        pub line_length: Length,
        /// Number of lines, even. Default: `12`.
        pub lines: Count<4, 100>,
    }
}

impl Procedural for Parachute {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.jumper().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.jumper().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, [0.80, 0.30, 0.16]))
    }
}

impl Parachute {
    /// The figure with its canopy, which is what the recipe is for, or without.
    fn jumper(&self) -> models::Parachute {
        models::Parachute {
            payload_mass: self.payload_mass.si(),
            payload_height: self.payload_height.si(),
            canopy: self.canopy.then(|| self.model()),
        }
    }
}
