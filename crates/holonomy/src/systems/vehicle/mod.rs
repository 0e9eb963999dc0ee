//! Vehicles: helicopters, boats, cars, snakeboards, driven by their controls (Kobilarov 2009).

pub mod drive;
pub mod helicopter;
pub mod planar_boat;
pub mod quadrotor;
pub mod surroundings;
pub mod underwater;

pub use helicopter::Helicopter;
pub use planar_boat::{PlanarBoat, PlanarBoatState};
pub use quadrotor::Quadrotor;
pub use surroundings::Drag;
pub use underwater::Underwater;
mod car;
mod snakeboard;
mod trailer;

pub use car::{Car, CarState};
pub use snakeboard::{Snakeboard, SnakeboardState};
pub use trailer::{Trailer, TrailerState};
