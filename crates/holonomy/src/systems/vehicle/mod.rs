//! Vehicles: helicopters, boats, cars, snakeboards, driven by their controls (Kobilarov 2009).
