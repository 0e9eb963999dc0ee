//! Plain bodies of one material: ellipsoids, plates, lumps.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{BodyDensity, Count, Length, Share, SurfaceDensity};

recipe! {
    /// A solid ellipsoid.
    pub struct Ellipsoid for models::Ellipsoid {
        /// Full axes along X, Y and Z. Default: `["12 cm", "4 cm", "8 cm"]`.
        pub size: [Length; 3],
        /// Density, kg/m³. Default: `1297.4`.
        pub density: BodyDensity,
    }
}

impl Procedural for Ellipsoid {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.model().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, Looks::default().color))
    }
}

recipe! {
    /// A flat rectangle, its normal along +Y: a card, or with a `thickness` a solid plate.
    pub struct Plate for models::Plate {
        /// Sides along X and Z. Default: `["148 mm", "105 mm"]`.
        pub size: [Length; 2],
        /// Mass of a card, kg/m². Default: `0.25`.
        pub surface_density: SurfaceDensity = SurfaceDensity(0.25),
        /// Thickness of a solid plate. If absent, it is a card without thickness.
        pub thickness: Option<Length> = None,
        /// Density of a solid plate, kg/m³, which has a `thickness`. If absent, that of aluminium, 2700.
        pub density: Option<BodyDensity> = None,
    }
}

impl Procedural for Plate {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.plate().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        if let (None, Some(density)) = (self.thickness, self.density) {
            let expected = "left out of a plate without `thickness`: such a card has a `surface-density`";
            return Err(holonomy::Error::Parameter { name: "density", value: density.si(), expected });
        }
        let body = self.plate().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, Looks::default().color))
    }
}

impl Plate {
    /// The model: a card, or solid.
    fn plate(&self) -> models::Plate {
        let stock = match self.thickness {
            Some(thickness) => models::Stock::Solid { thickness: thickness.si(), density: self.density.map_or(2700.0, BodyDensity::si) },
            None => models::Stock::Sheet { surface_density: self.surface_density.si() },
        };
        models::Plate { stock, ..self.model() }
    }
}

recipe! {
    /// A round lump with bumps.
    pub struct Blob for models::Blob {
        /// Mean radius. Default: `5 cm`.
        pub radius: Length,
        /// Greatest change of the radius over the radius, up to 0.8. Default: `0.4`.
        pub bumps: Share,
        /// Which lump it is: another number, another lump. Default: `1`.
        pub seed: Count<0, 1_000_000_000>,
        /// Density, kg/m³. Default: `1297.4`.
        pub density: BodyDensity,
    }
}

impl Procedural for Blob {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let body = self.model().body()?;
        Ok(Made::of_parts(body.clip(fps)?, &body, Looks::default().color))
    }
}
