//! Vehicles: helicopters, boats, cars, snakeboards, driven by their controls (Kobilarov 2009).

mod car;

pub use car::{Car, CarState};
