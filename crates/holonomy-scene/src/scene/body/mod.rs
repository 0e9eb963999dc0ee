//! Kinds of body: `[body.KIND]` in a scene file, one file here for each family.
//!
//! A procedural kind is a struct of its parameters (`recipe!`) that implements [`Procedural`]; it makes the engine's model, and says how that
//! looks.

use holonomy::models::Assembly;
use holonomy::models::vehicles::VehicleModel;
use holonomy::shape::{Clip, MassRule, TurningPart};
use holonomy::systems::flow::Substance;
use holonomy::systems::vehicle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::diagnostics::{Diagnostic, key_span};
use super::model::Scene;
use super::table::table;
use crate::looks::Looks;

mod asset;
mod cat;
mod concertina;
mod eel;
mod falling;
mod from_scene;
mod jellyfish;
mod myriapod;
mod parachute;
mod people;
mod plain;
mod ray_robot;
mod recipe;
mod rigid;
mod scallop;
mod sidewinder;
mod snake;
mod soft;
mod sperm;
mod stingray;
mod three_link;
mod top;
mod turtle;
mod vehicles;
mod wandering_snake;
mod worm;
mod zeppelin;

pub use asset::Asset;
pub use cat::Roll;
pub use from_scene::FromScene;
pub use myriapod::{Coat, Exercise, Generator, LegSides, LegWave, Make, Order, Righting, Stroke, Will};
pub use people::Position;
pub use ray_robot::Steering;
pub(crate) use soft::ball;
pub use soft::{Arrangement, Ends, Filling, Held, Lie, Pliable, Simulated, Stuff};

/// The kinds that are made by a recipe: what each is, and the module with its parameters.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident in $module:ident;)*) => {
        $(pub use $module::$kind;)*

        /// The body and how its shape changes; exactly one kind.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub enum Body {
            $($(#[$doc])* #[serde(deserialize_with = "table")] $kind($kind),)*
            /// An in-place clip from a file: glTF, BVH, OBJ or a numbered OBJ sequence.
            #[serde(deserialize_with = "table")]
            Asset(Asset),
            /// The in-place shapes that another scene finds.
            Scene(FromScene),
        }

        impl Body {
            /// The recipe, unless the body comes from a file or another scene.
            pub fn procedural(&self) -> Option<&dyn Procedural> {
                match self {
                    $(Body::$kind(recipe) => Some(recipe),)*
                    Body::Asset(_) | Body::Scene(_) => None,
                }
            }
        }
    };
}

kinds! {
    /// A snake on flat ground whose bends travel from head to tail.
    Snake in snake;
    /// A convex stone.
    Pebble in rigid;
    /// A flat round disc, such as a coin.
    Disc in rigid;
    /// A box with flat sides.
    Box in rigid;
    /// A ring.
    Torus in rigid;
    /// A propeller.
    Propeller in rigid;
    /// A snake that goes sideways, lifting every other stretch of its body.
    Sidewinder in sidewinder;
    /// A snake that winds irregularly and does not repeat itself.
    WanderingSnake in wandering_snake;
    /// A snake that folds up and stretches out.
    Concertina in concertina;
    /// A sperm cell with a heavy head.
    Sperm in sperm;
    /// A stingray whose fins pass a wave from front to rear.
    Stingray in stingray;
    /// A swimming robot with the fins of a ray, which is steered.
    RayRobot in ray_robot;
    /// A jellyfish whose bell opens and closes.
    Jellyfish in jellyfish;
    /// An earthworm that swells and thins.
    Worm in worm;
    /// Purcell's swimmer of three links.
    ThreeLink in three_link;
    /// A scallop that opens and closes its shells.
    Scallop in scallop;
    /// An eel along which a wave runs.
    Eel in eel;
    /// A person who turns around by circling the arms, with nothing to push against.
    Astronaut in people;
    /// A cat that turns over as it falls.
    Cat in cat;
    /// A diver who somersaults and twists.
    Diver in people;
    /// A rigid T-handle with three moments of inertia.
    Top in top;
    /// A leaf.
    Leaf in falling;
    /// A maple seed, which turns as it falls.
    MapleSeed in falling;
    /// A paper helicopter with a paper clip.
    PaperCopter in falling;
    /// A solid ellipsoid.
    Ellipsoid in plain;
    /// A flat rectangle: a card or a solid plate.
    Plate in plain;
    /// A round lump with bumps.
    Blob in plain;
    /// A jumper, with or without a parachute.
    Parachute in parachute;
    /// A sea turtle that rows with its front flippers.
    Turtle in turtle;
    /// An airship with propellers and a rudder.
    Zeppelin in zeppelin;
    /// A helicopter, to be driven.
    Helicopter in vehicles;
    /// A quadrotor, to be driven.
    Quadrotor in vehicles;
    /// An underwater vehicle, to be driven.
    Underwater in vehicles;
    /// A motor boat that floats on its hull, to be driven.
    Boat in vehicles;
    /// A boat in the plane, to be driven.
    PlanarBoat in vehicles;
    /// A car, to be driven.
    Car in vehicles;
    /// A car with a trailer, to be driven.
    Trailer in vehicles;
    /// A snakeboard with its rider, to be driven.
    Snakeboard in vehicles;
    /// A rectangle of cloth, to be simulated.
    Cloth in soft;
    /// Ribbons on a handle, to be simulated.
    Ribbons in soft;
    /// A soft bar, to be simulated.
    SoftBar in soft;
    /// A soft doughnut, to be simulated.
    Doughnut in soft;
    /// Bodies that attract each other, to be simulated.
    Planets in soft;
    /// A centipede, a millipede or a swimmer: a creature.
    Myriapod in myriapod;
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
    /// How it is driven, if it is a vehicle.
    pub vehicle: Option<VehicleBody>,
    /// What is simulated, if it is.
    pub simulated: Option<Simulated>,
    /// The creature, if it is one.
    pub myriapod: Option<Myriapod>,
    /// Where in a picture each vertex is, if one can be put on it: to the right and down, each 0 to 1. Else empty.
    pub texture: Vec<[f32; 2]>,
    /// Colour and thickness.
    pub looks: Looks,
}

/// A vehicle and what it looks like.
#[derive(Debug, Clone)]
pub struct VehicleBody {
    /// As the engine has it.
    pub vehicle: Vehicle,
    /// Its surface and the parts that turn.
    pub model: VehicleModel,
}

/// The vehicles of the engine.
#[derive(Debug, Clone)]
pub enum Vehicle {
    /// A helicopter.
    Helicopter(vehicle::Helicopter),
    /// A quadrotor.
    Quadrotor(vehicle::Quadrotor),
    /// An underwater vehicle.
    Underwater(vehicle::Underwater),
    /// An airship: its recipe, for it takes a moment to make.
    Zeppelin(Zeppelin),
    /// A boat on its hull.
    Boat(vehicle::Boat),
    /// A boat in the plane.
    PlanarBoat(vehicle::PlanarBoat),
    /// A car.
    Car(vehicle::Car),
    /// A car with a trailer.
    Trailer(vehicle::Trailer),
    /// A snakeboard.
    Snakeboard(vehicle::Snakeboard),
}

impl Made {
    /// A body of several materials, all of one colour.
    fn of_parts(clip: Clip, body: &Assembly, color: [f64; 3]) -> Made {
        let substance = Substance::Parts { labels: body.labels().to_vec(), materials: body.materials().to_vec() };
        Made { substance: Some(substance), ..Made::new(clip, Looks { color, ..Looks::default() }) }
    }

    /// A body whose drag and mass are spread evenly.
    pub fn new(clip: Clip, looks: Looks) -> Made {
        Made {
            clip,
            masses: MassRule::Natural,
            mass_spread: None,
            substance: None,
            parts: Vec::new(),
            vehicle: None,
            simulated: None,
            myriapod: None,
            texture: Vec::new(),
            looks,
        }
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
