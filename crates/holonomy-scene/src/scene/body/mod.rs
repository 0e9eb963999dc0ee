//! Kinds of body: `[body.KIND]` in a scene file, one file here for each family.
//!
//! A procedural kind is a struct of its parameters that implements [`Procedural`]; it makes the engine's model, and says how that looks.

use holonomy::models::Assembly;
use holonomy::shape::{Clip, MassRule, TurningPart};
use holonomy::systems::flow::Substance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::diagnostics::{Diagnostic, key_span};
use super::model::Scene;
use super::table::table;
use crate::looks::Looks;

mod asset;
mod concertina;
mod eel;
mod jellyfish;
mod ray_robot;
mod rigid;
mod scallop;
mod sidewinder;
mod snake;
mod sperm;
mod stingray;
mod three_link;
mod wandering_snake;
mod worm;

pub use asset::Asset;
pub use concertina::Concertina;
pub use eel::Eel;
pub use jellyfish::Jellyfish;
pub use ray_robot::{RayRobot, Steering};
pub use rigid::{Box, Disc, Pebble, Propeller, Torus};
pub use scallop::Scallop;
pub use sidewinder::Sidewinder;
pub use snake::Snake;
pub use sperm::Sperm;
pub use stingray::Stingray;
pub use three_link::ThreeLink;
pub use wandering_snake::WanderingSnake;
pub use worm::Worm;
mod cat;
mod people;
mod top;
pub use cat::{Cat, Roll};
pub use people::{Astronaut, Diver, Position};
pub use top::Top;
mod falling;
mod parachute;
mod plain;
mod turtle;
mod zeppelin;
pub use falling::{Leaf, MapleSeed, PaperCopter};
pub use parachute::Parachute;
pub use plain::{Blob, Ellipsoid, Plate};
pub use turtle::Turtle;
pub use zeppelin::Zeppelin;

/// The body and how its shape changes; exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Body {
    /// A snake on flat ground whose bends travel from head to tail.
    #[serde(deserialize_with = "table")]
    Snake(Snake),
    /// A convex stone.
    #[serde(deserialize_with = "table")]
    Pebble(Pebble),
    /// A flat round disc, such as a coin.
    #[serde(deserialize_with = "table")]
    Disc(Disc),
    /// A box with flat sides.
    #[serde(deserialize_with = "table")]
    Box(Box),
    /// A ring.
    #[serde(deserialize_with = "table")]
    Torus(Torus),
    /// A propeller.
    #[serde(deserialize_with = "table")]
    Propeller(Propeller),
    /// A snake that goes sideways, lifting every other stretch of its body.
    #[serde(deserialize_with = "table")]
    Sidewinder(Sidewinder),
    /// A snake that winds irregularly and does not repeat itself.
    #[serde(deserialize_with = "table")]
    WanderingSnake(WanderingSnake),
    /// A snake that folds up and stretches out.
    #[serde(deserialize_with = "table")]
    Concertina(Concertina),
    /// A sperm cell with a heavy head.
    #[serde(deserialize_with = "table")]
    Sperm(Sperm),
    /// A stingray whose fins pass a wave from front to rear.
    #[serde(deserialize_with = "table")]
    Stingray(Stingray),
    /// A swimming robot with the fins of a ray, which is steered.
    #[serde(deserialize_with = "table")]
    RayRobot(RayRobot),
    /// A jellyfish whose bell opens and closes.
    #[serde(deserialize_with = "table")]
    Jellyfish(Jellyfish),
    /// An earthworm that swells and thins.
    #[serde(deserialize_with = "table")]
    Worm(Worm),
    /// Purcell's swimmer of three links.
    #[serde(deserialize_with = "table")]
    ThreeLink(ThreeLink),
    /// A scallop that opens and closes its shells.
    #[serde(deserialize_with = "table")]
    Scallop(Scallop),
    /// An eel along which a wave runs.
    #[serde(deserialize_with = "table")]
    Eel(Eel),
    /// A person who turns around by circling the arms, with nothing to push against.
    #[serde(deserialize_with = "table")]
    Astronaut(Astronaut),
    /// A cat that turns over as it falls.
    #[serde(deserialize_with = "table")]
    Cat(Cat),
    /// A diver who somersaults and twists.
    #[serde(deserialize_with = "table")]
    Diver(Diver),
    /// A rigid T-handle with three moments of inertia.
    #[serde(deserialize_with = "table")]
    Top(Top),
    /// A leaf.
    #[serde(deserialize_with = "table")]
    Leaf(Leaf),
    /// A maple seed, which turns as it falls.
    #[serde(deserialize_with = "table")]
    MapleSeed(MapleSeed),
    /// A paper helicopter with a paper clip.
    #[serde(deserialize_with = "table")]
    PaperCopter(PaperCopter),
    /// A solid ellipsoid.
    #[serde(deserialize_with = "table")]
    Ellipsoid(Ellipsoid),
    /// A flat rectangle: a card or a solid plate.
    #[serde(deserialize_with = "table")]
    Plate(Plate),
    /// A round lump with bumps.
    #[serde(deserialize_with = "table")]
    Blob(Blob),
    /// A jumper, with or without a parachute.
    #[serde(deserialize_with = "table")]
    Parachute(Parachute),
    /// A sea turtle that rows with its front flippers.
    #[serde(deserialize_with = "table")]
    Turtle(Turtle),
    /// An airship with propellers and a rudder.
    #[serde(deserialize_with = "table")]
    Zeppelin(Zeppelin),
    /// An in-place clip from a file: glTF, BVH, OBJ or a numbered OBJ sequence.
    #[serde(deserialize_with = "table")]
    Asset(Asset),
}

impl Body {
    /// The recipe, unless the body comes from a file.
    pub fn procedural(&self) -> Option<&dyn Procedural> {
        match self {
            Body::Snake(snake) => Some(snake),
            Body::Pebble(pebble) => Some(pebble),
            Body::Disc(disc) => Some(disc),
            Body::Box(block) => Some(block),
            Body::Torus(torus) => Some(torus),
            Body::Propeller(propeller) => Some(propeller),
            Body::Sidewinder(body) => Some(body),
            Body::WanderingSnake(body) => Some(body),
            Body::Concertina(body) => Some(body),
            Body::Sperm(body) => Some(body),
            Body::Stingray(body) => Some(body),
            Body::RayRobot(body) => Some(body),
            Body::Jellyfish(body) => Some(body),
            Body::Worm(body) => Some(body),
            Body::ThreeLink(body) => Some(body),
            Body::Scallop(body) => Some(body),
            Body::Eel(body) => Some(body),
            Body::Astronaut(astronaut) => Some(astronaut),
            Body::Cat(cat) => Some(cat),
            Body::Diver(diver) => Some(diver),
            Body::Top(top) => Some(top),
            Body::Leaf(body) => Some(body),
            Body::MapleSeed(body) => Some(body),
            Body::PaperCopter(body) => Some(body),
            Body::Ellipsoid(body) => Some(body),
            Body::Plate(body) => Some(body),
            Body::Blob(body) => Some(body),
            Body::Parachute(body) => Some(body),
            Body::Turtle(body) => Some(body),
            Body::Zeppelin(body) => Some(body),
            Body::Asset(_) => None,
        }
    }
}

/// A body made by a recipe from a few parameters.
pub trait Procedural {
    /// How many frames and vertices there will be at `fps` frames per second: asked before anything is made.
    fn size(&self, fps: f64) -> (f64, usize);

    /// Makes it.
    ///
    /// # Errors
    /// A parameter is out of range.
    fn make(&self, fps: f64) -> Result<Made, holonomy::Error>;
}

/// A procedural body.
#[derive(Debug)]
pub struct Made {
    /// Its shape over time.
    pub clip: Clip,
    /// How drag or mass is spread, where the scene says `auto`; [`MassRule::Natural`] for most.
    pub masses: MassRule,
    /// The mass of each vertex, kg, where it is not spread as drag is; for most it is.
    pub mass_spread: Option<MassRule>,
    /// What it is made of, for physics that needs to know; if absent, it is as heavy as the fluid around it.
    pub substance: Option<Substance>,
    /// What turns on it as told, propellers and rudders; the clip is then its one shape at angle zero.
    pub parts: Vec<TurningPart>,
    /// Colour and thickness.
    pub looks: Looks,
}

impl Made {
    /// A body of several materials, all of one colour.
    fn of_parts(clip: Clip, body: &Assembly, color: [f64; 3]) -> Made {
        let substance = Substance::Parts { labels: body.labels().to_vec(), materials: body.materials().to_vec() };
        Made { substance: Some(substance), ..Made::new(clip, Looks { color, ..Looks::default() }) }
    }

    /// A body whose drag and mass are spread evenly.
    pub fn new(clip: Clip, looks: Looks) -> Made {
        Made { clip, masses: MassRule::Natural, mass_spread: None, substance: None, parts: Vec::new(), looks }
    }
}

/// What serde cannot say: an asset has one mass.
pub(super) fn check(tree: &DeTable, scene: &Scene) -> Result<(), Diagnostic> {
    let listed = scene.bodies.iter().enumerate().map(|(i, entry)| (vec!["bodies".to_owned(), i.to_string()], &entry.body));
    for (mut path, body) in scene.body.iter().map(|body| (Vec::new(), body)).chain(listed) {
        let Body::Asset(asset) = body else { continue };
        let given =
            [("density", asset.density.is_some()), ("surface-density", asset.surface_density.is_some()), ("mass", asset.mass.is_some())];
        let given: Vec<&str> = given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect();
        if let [first, second, ..] = given.as_slice() {
            path.extend(["body", "asset", second].map(str::to_owned));
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let problem = format!("`{first}` and `{second}` both say how heavy the body is");
            return Err(Diagnostic::new(key_span(tree, &path), problem, "keep one of them"));
        }
    }
    Ok(())
}
