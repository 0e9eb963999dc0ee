//! Vehicles: helicopters, boats, cars, snakeboards, driven by their controls (Kobilarov 2009).

pub mod boat;
pub mod helicopter;
pub mod planar_boat;
pub mod quadrotor;
pub mod surroundings;
pub mod underwater;
pub mod waves;
mod wet;

pub use boat::Boat;
pub use helicopter::Helicopter;
pub use planar_boat::{PlanarBoat, PlanarBoatState};
pub use quadrotor::Quadrotor;
pub use surroundings::Drag;
pub use underwater::Underwater;
pub use waves::Wave;
