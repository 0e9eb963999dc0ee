//! Vehicles: helicopters, boats, cars, snakeboards, driven by their controls (Kobilarov 2009).

mod car;
mod snakeboard;
mod trailer;

pub use car::{Car, CarState};
pub use snakeboard::{Snakeboard, SnakeboardState};
pub use trailer::{Trailer, TrailerState};
