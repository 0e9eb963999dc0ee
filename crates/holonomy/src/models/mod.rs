//! Procedural bodies and gaits: a few parameters in, an in-place [`Clip`](crate::shape::Clip) out.
//!
//! Metres, seconds, kilograms, radians; +Y up; animals look along +Z and have their left at +X. Every frame is centred, and a
//! gait that repeats is an exact loop. Where the body's grip on the ground changes over time, the model also gives its weights.

pub mod assembly;
pub mod astronaut;
pub mod cat;
pub mod concertina;
pub mod diver;
pub mod eel;
mod gait;
mod human;
pub mod jellyfish;
pub mod leaf;
pub mod maple_seed;
pub mod myriapod;
pub mod paper_copter;
pub mod parachute;
mod pieces;
pub mod plain;
pub mod planets;
pub mod rigid;
pub mod scallop;
pub mod sidewinder;
mod skeleton;
pub mod snake;
pub mod soft;
pub mod sperm;
pub mod stingray;
pub mod stones;
pub mod swimming_eel;
pub mod three_link;
pub mod top;
pub mod turtle;
pub mod vehicles;
pub mod wandering_snake;
pub mod worm;
pub mod zeppelin;

pub use assembly::Assembly;
pub use astronaut::Astronaut;
pub use cat::{Cat, Roll};
pub use concertina::Concertina;
pub use diver::{Diver, Position};
pub use eel::Eel;
pub use jellyfish::Jellyfish;
pub use leaf::Leaf;
pub use maple_seed::MapleSeed;
pub use myriapod::Myriapod;
pub use paper_copter::PaperCopter;
pub use parachute::{Canopy, Parachute};
pub use plain::{Blob, Ellipsoid, Plate, Stock};
pub use planets::{Arrangement, Planets};
pub use rigid::Rigid;
pub use scallop::{Scallop, Shells};
pub use sidewinder::Sidewinder;
pub use snake::Snake;
pub use sperm::Sperm;
pub use stingray::{Fin, Leg, Stingray};
pub use stones::{Block, Disc, Pebble, Propeller, Torus};
pub use swimming_eel::SwimmingEel;
pub use three_link::ThreeLink;
pub use top::Top;
pub use turtle::Turtle;
pub use wandering_snake::WanderingSnake;
pub use worm::Worm;
pub use zeppelin::{Zeppelin, ZeppelinOutline};
