//! Vehicles: helicopters, boats, cars, snakeboards, driven by their controls (Kobilarov 2009).

pub mod airship;
pub mod boat;
mod car;
pub mod drive;
pub mod helicopter;
pub mod planar_boat;
pub mod quadrotor;
mod snakeboard;
pub mod surroundings;
mod trailer;
pub mod underwater;
pub mod waves;
mod wet;

pub use airship::Airship;
pub use boat::Boat;
pub use car::{Car, CarState};
pub use drive::{Drive, DriveState};
pub use helicopter::Helicopter;
pub use planar_boat::{PlanarBoat, PlanarBoatState};
pub use quadrotor::Quadrotor;
pub use snakeboard::{Snakeboard, SnakeboardState};
pub use surroundings::Drag;
pub use trailer::{Trailer, TrailerState};
pub use underwater::Underwater;
pub use waves::Wave;
