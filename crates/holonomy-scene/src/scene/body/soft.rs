//! What loops are found for: cloth, ribbons, bars, doughnuts, planets.

use std::fmt::Debug;

use holonomy::elastic::fill::fill;
use holonomy::elastic::material::Material;
use holonomy::medium::SolidMesh;
use holonomy::models::planets::{Arrangement as EngineArrangement, Planets as PlanetsModel};
use holonomy::models::soft::{self, SoftModel};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology, bounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recipe::{choices, recipe};
use super::{Made, Procedural};
use crate::looks::{Looks, PALETTE};
use crate::scene::quantity::{Angle, BodyDensity, Coordinate, Count, Length, Multiple, Share};

/// A body that is simulated.
#[derive(Debug)]
pub enum Simulated {
    /// An elastic one.
    Soft(Box<dyn Pliable>),
    /// Several that attract each other, each drawn as a ball of this radius, metres.
    Planets(PlanetsModel, f64),
}

/// An elastic model.
pub trait Pliable: SoftModel + Debug + Send + Sync {}

impl<T: SoftModel + Debug + Send + Sync> Pliable for T {}

/// What a soft body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stuff {
    /// Woven cotton, a third of a millimetre thick.
    Cotton,
    /// Silk, a fifth of a millimetre thick.
    Silk,
    /// Denim, two thirds of a millimetre thick.
    Denim,
    /// Rubber; sheets are 1 mm thick.
    Rubber,
    /// Jelly; sheets are 5 mm thick.
    Jelly,
}

impl Stuff {
    fn material(self) -> Material {
        match self {
            Stuff::Cotton => Material::COTTON,
            Stuff::Silk => Material::SILK,
            Stuff::Denim => Material::DENIM,
            Stuff::Rubber => Material::RUBBER,
            Stuff::Jelly => Material::JELLY,
        }
    }
}

/// A material with what the scene says otherwise.
fn altered(stuff: Stuff, stiffness: Multiple, bending: Multiple, density: Option<BodyDensity>) -> Material {
    let material = stuff.material();
    Material {
        young: material.young * stiffness.si(),
        bending: material.bending * bending.si(),
        density: density.map_or(material.density, BodyDensity::si),
        ..material
    }
}

fn made(model: impl Pliable + 'static, fps: f64, color: [f64; 3]) -> Result<Made, holonomy::Error> {
    let mesh = model.settings(1.0)?.mesh;
    let (faces, vertices) = (mesh.surface(), mesh.points.len());
    let points = model.first_shape(&mesh.points).unwrap_or(mesh.points);
    let clip = Clip::new(Topology::Surface { faces }, Playback::Loop, 1.0 / fps, vertices, points)?;
    Ok(Made { simulated: Some(Simulated::Soft(Box::new(model))), ..Made::new(clip, Looks { color, ..Looks::default() }) })
}

/// Texture coordinates of a sheet of so many rectangles along it and across, row by row from its lower edge: a picture on it is upright where it is.
fn sheet(along: usize, across: usize) -> Vec<[f32; 2]> {
    let share = |k: usize, of: usize| (k as f64 / of as f64) as f32;
    (0..=across).rev().flat_map(|row| (0..=along).map(move |column| [share(column, along), share(row, across)])).collect()
}

/// What a closed surface is filled with: tetrahedra of a lattice, moved on to the surface. What is thinner than a cell is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Filling {
    /// What it is made of. Default: `jelly`.
    pub material: Stuff,
    /// How many times as stiff as that. Default: `1`.
    pub stiffness: Multiple,
    /// Density, kg/m³. If absent, that of the material.
    pub density: Option<BodyDensity>,
    /// Side of the cubes that are cut into tetrahedra. If absent, a tenth of the body's longest side.
    pub cell: Option<Length>,
    /// What lies no higher than this in the file is held. If absent, nothing.
    pub held_below: Option<Coordinate>,
}

impl Default for Filling {
    fn default() -> Self {
        Filling { material: Stuff::Jelly, stiffness: Multiple(1.0), density: None, cell: None, held_below: None }
    }
}

impl Filling {
    /// The soft body that begins as `clip` does.
    pub(crate) fn fill(&self, clip: &Clip, fps: f64) -> Result<Made, holonomy::Error> {
        let Topology::Surface { faces } = clip.topology() else {
            return Err(holonomy::Error::Empty { what: "the surface to be filled", fix: "use a mesh, not bones or curves" });
        };
        let solid = SolidMesh::new(clip.frame(0).to_vec(), faces.clone())?;
        let longest = bounds(solid.points()).map_or(0.0, |(low, high)| (high - low).max());
        let mesh = fill(&solid, self.cell.map_or(0.1 * longest, Length::si))?;
        let material = altered(self.material, self.stiffness, Multiple(1.0), self.density);
        made(soft::Filled { mesh, material, held_below: self.held_below.map(Coordinate::si) }, fps, PALETTE[2])
    }
}

/// How a cloth lies at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lie {
    /// In the plane of X and Y.
    Upright,
    /// In the plane of X and Z, from the origin towards −Z.
    Level,
}
choices!(Lie for soft::Lie: Upright Level);

/// Where a cloth is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    /// At the two corners where x is least, as a flag.
    PoleCorners,
    /// Along the side where x is least.
    PoleSide,
    /// At the two corners of the upper edge, or of that away from the origin.
    TopCorners,
    /// Along that edge.
    TopEdge,
    /// Nowhere.
    Nowhere,
}
choices!(Held for soft::Held: PoleCorners PoleSide TopCorners TopEdge Nowhere);

recipe! {
    /// A rectangle of cloth, its lower edge along +X from the origin.
    pub struct Cloth for soft::Cloth {
        /// Sides: along X, and up or away. Default: `[1.5, 1]`.
        pub size: [Length; 2],
        /// Rectangles along these, each of two triangles. Default: `[14, 10]`.
        pub cells: [Count<1, 2000>; 2],
        /// What it is made of. Default: `cotton`.
        pub material: Stuff = Stuff::Cotton,
        /// How many times as stiff as that. Default: `1`.
        pub stiffness: Multiple = Multiple(1.0),
        /// How many times as stiff against bending as a plate of that would be. Default: `1`.
        pub bending: Multiple = Multiple(1.0),
        /// Density, kg/m³. If absent, that of the material.
        pub density: Option<BodyDensity> = None,
        /// How it lies at first. Default: `upright`.
        pub lie: Lie,
        /// Where it is held. Default: `pole-corners`.
        pub held: Held,
    }
}

impl Procedural for Cloth {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, (self.cells[0].get() + 1).saturating_mul(self.cells[1].get() + 1))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let material = altered(self.material, self.stiffness, self.bending, self.density);
        let texture = sheet(self.cells[0].get(), self.cells[1].get());
        Ok(Made { texture, ..made(soft::Cloth { material, ..self.model() }, fps, PALETTE[3])? })
    }
}

recipe! {
    /// Ribbons that hang from one handle, which is led around a level circle.
    pub struct Ribbons for soft::Ribbons {
        /// How many. Default: `3`.
        pub count: Count<1, 100>,
        /// Of each. Default: `80 cm`.
        pub length: Length,
        /// Of each. Default: `5 cm`.
        pub width: Length,
        /// Pieces along each. Default: `40`.
        pub segments: Count<1, 10_000>,
        /// What they are made of. Default: `silk`.
        pub material: Stuff = Stuff::Silk,
        /// How many times as stiff as that. Default: `1`.
        pub stiffness: Multiple = Multiple(1.0),
        /// How many times as stiff against bending. Default: `1`.
        pub bending: Multiple = Multiple(1.0),
        /// Radius of the handle's circle. Default: `15 cm`.
        pub circle: Length,
        /// How often the handle goes round in one loop. Default: `3`.
        pub turns: Count<0, 1000>,
    }
}

impl Procedural for Ribbons {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.count.get().saturating_mul(2 * (self.segments.get() + 1)))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let material = altered(self.material, self.stiffness, self.bending, None);
        let texture = sheet(self.segments.get(), 1).repeat(self.count.get());
        Ok(Made { texture, ..made(soft::Ribbons { material, ..self.model() }, fps, PALETTE[1])? })
    }
}

/// Which ends of a bar are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// The one where x is least.
    One,
    /// Both.
    Both,
    /// None.
    Neither,
}
choices!(Ends for soft::Ends: One Both Neither);

recipe! {
    /// A soft bar along X, its middle at the origin.
    pub struct SoftBar for soft::Bar {
        /// Sides along X, Y and Z. Default: `[1, 0.16, 0.16]`.
        pub size: [Length; 3],
        /// Cells along these, each of six tetrahedra. Default: `[12, 2, 2]`.
        pub cells: [Count<1, 500>; 3],
        /// What it is made of. Default: `jelly`.
        pub material: Stuff = Stuff::Jelly,
        /// How many times as stiff as that. Default: `1`.
        pub stiffness: Multiple = Multiple(1.0),
        /// Density, kg/m³. If absent, that of the material.
        pub density: Option<BodyDensity> = None,
        /// Which of its ends are held. Default: `one`.
        pub ends: Ends,
        /// How far its ends are turned against each other at first. Default: `0`.
        pub twist: Angle,
    }
}

impl Procedural for SoftBar {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.cells.iter().map(|count| count.get() + 1).product())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let material = altered(self.material, self.stiffness, Multiple(1.0), self.density);
        made(soft::Bar { material, ..self.model() }, fps, PALETTE[4])
    }
}

recipe! {
    /// A soft doughnut about the Y axis.
    pub struct Doughnut for soft::Doughnut {
        /// From its middle to that of its tube. Default: `25 cm`.
        pub radius: Length,
        /// Radius of the tube. Default: `11 cm`.
        pub tube: Length,
        /// Slices around. Default: `20`.
        pub around: Count<3, 1000>,
        /// Rings of cells within the tube. Default: `2`.
        pub rings: Count<1, 50>,
        /// What it is made of. Default: `jelly`.
        pub material: Stuff = Stuff::Jelly,
        /// How many times as stiff as that. Default: `1`.
        pub stiffness: Multiple = Multiple(1.0),
        /// Density, kg/m³. If absent, that of the material.
        pub density: Option<BodyDensity> = None,
    }
}

impl Procedural for Doughnut {
    fn size(&self, _: f64) -> (f64, usize) {
        let rings = self.rings.get();
        (1.0, (1 + 2 * rings * (rings + 1)).saturating_mul(self.around.get()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let material = altered(self.material, self.stiffness, Multiple(1.0), self.density);
        made(soft::Doughnut { material, ..self.model() }, fps, [0.80, 0.52, 0.62])
    }
}

/// Where planets are and how they move at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Five on a wavy ring of half a metre.
    Five,
    /// Three of different speeds, which soon scatter.
    Three,
    /// Three that chase each other along an eight.
    FigureEight,
}
choices!(Arrangement for EngineArrangement: Five Three FigureEight);

recipe! {
    /// Bodies of one kilogram that attract each other; gravity's constant is 1.
    pub struct Planets for PlanetsModel {
        /// Where they are and how they move at first. Default: `five`.
        pub arrangement: Arrangement,
        /// By how much positions are off, at random, in parts of the size. Default: `0`.
        pub jitter: Share,
        /// Which random numbers these are. Default: `1`.
        pub seed: Count<0, 1_000_000_000>,
        /// Radius of the balls that are drawn. Default: `4 cm`.
        pub radius: Length = Length(0.04),
    }
}

impl Procedural for Planets {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, 5 * ball(1.0).0.len())
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let (points, faces) = ball(self.radius.si());
        let clip = Clip::new(Topology::Surface { faces }, Playback::Loop, 1.0 / fps, points.len(), points)?;
        Ok(Made { simulated: Some(Simulated::Planets(self.model(), self.radius.si())), ..Made::new(clip, Looks::default()) })
    }
}

/// A ball about the origin.
pub(crate) fn ball(radius: f64) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let seen = holonomy::motion::Scenery::sphere("ball", holonomy::motion::SceneryKind::Obstacle, &Vector3::zeros(), radius);
    (seen.points, seen.faces)
}
