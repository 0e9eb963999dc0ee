//! A sea turtle.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::scene::quantity::{Angle, BodyDensity, Duration, Length, Share};

recipe! {
    /// A sea turtle that rows with its front flippers.
    pub struct Turtle for models::Turtle {
        /// Length of the shell. Default: `80 cm`.
        pub length: Length,
        /// Time for one stroke. Default: `1.2 s`.
        pub period: Duration,
        /// How far the front flippers go up and down. Default: `0.65`.
        pub flap: Angle,
        /// How far they go forward and back. Default: `0.4`.
        pub sweep: Angle,
        /// By how much the leading edge is down in the power stroke. Default: `1`.
        pub power_pitch: Angle,
        /// By how much it is up in the recovery. Default: `0.32`.
        pub recovery_pitch: Angle,
        /// By which part of a stroke the tip of a flipper is late. Default: `0.06`.
        pub lag: Share,
        /// How far the rear flippers are raised; the higher, the more the nose rises as it swims. Default: `0.3`.
        pub trim: Angle,
        /// Density, kg/m³. Default: `998`.
        pub density: BodyDensity,
    }
}

impl Procedural for Turtle {
    fn size(&self, fps: f64) -> (f64, usize) {
        (self.period.si() * fps, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = self.model();
        Ok(Made::of_parts(model.clip(fps)?, &model.body()?, [0.28, 0.48, 0.24]))
    }
}
