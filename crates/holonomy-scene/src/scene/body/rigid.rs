//! Bodies that keep their shape: pebbles, discs, boxes, rings, propellers.

use holonomy::models::{self, Rigid};
use holonomy::shape::Material;
use holonomy::systems::flow::Substance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::looks::Looks;
use crate::scene::quantity::{Angle, BodyDensity, Count, Length, Roughness};

/// A body of one material that keeps its shape.
trait Solid {
    /// How many vertices it will have.
    fn vertices(&self) -> usize;
    /// kg/m³.
    fn density(&self) -> f64;
    /// Makes it.
    fn body(&self) -> Result<Rigid, holonomy::Error>;
}

/// Drag sits on the surface, as on any; mass inside.
impl<S: Solid> Procedural for S {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.vertices())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let (body, density) = (self.body()?, self.density());
        Ok(Made {
            mass_spread: Some(body.masses(density)?),
            substance: Some(Substance::Uniform(Material::Solid { density })),
            ..Made::new(body.clip(fps)?, Looks::default())
        })
    }
}

recipe! {
    /// A convex stone with flats and rounded edges.
    pub struct Pebble for models::Pebble {
        /// Length along X. Default: `6 cm`.
        pub length: Length = Length(models::Pebble::default().size[0]),
        /// Height along Y. Default: `4 cm`.
        pub height: Length = Length(models::Pebble::default().size[1]),
        /// Width along Z. Default: `5 cm`.
        pub width: Length = Length(models::Pebble::default().size[2]),
        /// How many flats it has. Default: `24`.
        pub flats: Count<6, 1000>,
        /// How much the flats differ in their distance from the middle. Default: `0.3`.
        pub roughness: Roughness,
        /// Which stone it is: another number, another stone. Default: `1`.
        pub seed: Count<0, 1_000_000_000>,
        /// Density, kg/m³. Default: `2600`.
        pub density: BodyDensity = BodyDensity(2600.0),
    }
}

impl Solid for Pebble {
    fn vertices(&self) -> usize {
        2562
    }

    fn density(&self) -> f64 {
        self.density.si()
    }

    fn body(&self) -> Result<Rigid, holonomy::Error> {
        models::Pebble { size: [self.length, self.height, self.width].map(Length::si), ..self.model() }.body()
    }
}

recipe! {
    /// A flat round disc, such as a coin, its axis along Y.
    pub struct Disc for models::Disc {
        /// Radius. Default: `3 cm`.
        pub radius: Length,
        /// Thickness. Default: `4 mm`.
        pub thickness: Length,
        /// Density, kg/m³. Default: `8900`.
        pub density: BodyDensity = BodyDensity(8900.0),
    }
}

impl Solid for Disc {
    fn vertices(&self) -> usize {
        626
    }

    fn density(&self) -> f64 {
        self.density.si()
    }

    fn body(&self) -> Result<Rigid, holonomy::Error> {
        self.model().body()
    }
}

/// A box with flat sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Box {
    /// Length along X. Default: `6 cm`.
    pub length: Length,
    /// Height along Y. Default: `3 cm`.
    pub height: Length,
    /// Width along Z. Default: `3 cm`.
    pub width: Length,
    /// Density, kg/m³. Default: `2700`.
    pub density: BodyDensity,
}

impl Default for Box {
    fn default() -> Self {
        let [length, height, width] = models::Block::default().size.map(Length);
        Box { length, height, width, density: BodyDensity(2700.0) }
    }
}

impl Solid for Box {
    fn vertices(&self) -> usize {
        386
    }

    fn density(&self) -> f64 {
        self.density.si()
    }

    fn body(&self) -> Result<Rigid, holonomy::Error> {
        models::Block { size: [self.length, self.height, self.width].map(Length::si) }.body()
    }
}

recipe! {
    /// A ring with a round section, its axis along Y.
    pub struct Torus for models::Torus {
        /// From the axis to the middle of the section. Default: `3 cm`.
        pub radius: Length,
        /// Diameter of the section; less than twice the radius. Default: `15 mm`.
        pub thickness: Length,
        /// Density, kg/m³. Default: `2700`.
        pub density: BodyDensity = BodyDensity(2700.0),
    }
}

impl Solid for Torus {
    fn vertices(&self) -> usize {
        960
    }

    fn density(&self) -> f64 {
        self.density.si()
    }

    fn body(&self) -> Result<Rigid, holonomy::Error> {
        self.model().body()
    }
}

recipe! {
    /// A propeller: tilted blades around a hub, its axis along Y.
    pub struct Propeller for models::Propeller {
        /// From the axis to the tips. Default: `5 cm`.
        pub radius: Length,
        /// Number of blades. Default: `3`.
        pub blades: Count<2, 12>,
        /// Tilt of the blades about their length, up to 60 deg either way. Default: `35 deg`.
        pub pitch: Angle,
        /// Thickness at the hub; less than the radius. Default: `12 mm`.
        pub thickness: Length,
        /// Density, kg/m³. Default: `8500`.
        pub density: BodyDensity = BodyDensity(8500.0),
    }
}

impl Solid for Propeller {
    fn vertices(&self) -> usize {
        756 * self.blades.get() + 2
    }

    fn density(&self) -> f64 {
        self.density.si()
    }

    fn body(&self) -> Result<Rigid, holonomy::Error> {
        self.model().body()
    }
}
