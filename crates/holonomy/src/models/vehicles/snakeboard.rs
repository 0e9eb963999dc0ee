//! A snakeboard and its rider: two foot plates on wheels, joined by a bar, and a person who swings arms and trunk.

use nalgebra::Vector3;

use super::super::{gait, pieces};
use super::build::{self, Wheel};
use super::{Finish, VehicleModel};
use crate::Error;

/// A snakeboard along +X. Its origin lies on the ground below its middle; its rider looks to the left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SnakeboardBody {
    /// From the middle to each pair of wheels, metres.
    pub half_length: f64,
    /// Of the rider, metres.
    pub rider_height: f64,
}

impl Default for SnakeboardBody {
    fn default() -> Self {
        SnakeboardBody { half_length: 0.35, rider_height: 1.5 }
    }
}

impl SnakeboardBody {
    /// The model. Parts: `rear-plate` and `front-plate` (about +Y: turn them by φ and −φ), which carry `rear-left-wheel` and so on; and the `rider` above the hips (about +Y).
    ///
    /// # Errors
    /// A size is not a positive number.
    pub fn model(&self) -> Result<VehicleModel, Error> {
        gait::positive("half_length", self.half_length)?;
        gait::positive("rider_height", self.rider_height)?;
        let l = self.half_length;
        let mut model = VehicleModel::default();
        let deck = 0.24 * l;
        let bar = build::lofted([0.9 * l, -0.9 * l], [7, 12], 0.6, |share| {
            let waist = 0.13 + 0.1 * (2.0 * share - 1.0).powi(2);
            [waist * l, deck - 0.05 * l, deck]
        });
        model.add(build::on_wheels(bar), Finish::Accent);
        let wheels =
            [("rear-plate", -l, ["rear-left-wheel", "rear-right-wheel"]), ("front-plate", l, ["front-left-wheel", "front-right-wheel"])];
        for (name, x, wheels) in wheels {
            let part = model.begin(name, None, Vector3::new(x, 0.0, 0.0), Vector3::y());
            let plate = build::lofted([0.42 * l, -0.42 * l], [7, 12], 0.6, |share| {
                let round = (1.0 - (2.0 * share - 1.0).powi(4)).max(0.0).sqrt().max(0.1);
                [0.3 * l * round, deck, deck + 0.06 * l]
            });
            // Across the board, as feet stand.
            model.add(build::shifted(plate, Vector3::new(x, 0.0, 0.0)), Finish::Paint);
            let radius = 0.09 * l;
            model.add(build::bar(Vector3::new(x, radius, -0.26 * l), Vector3::new(x, radius, 0.26 * l), 0.03 * l, 8), Finish::Metal);
            model.add(build::tapered(Vector3::new(x, radius, 0.0), Vector3::new(x, deck, 0.0), [0.04 * l, 0.1 * l], 8), Finish::Metal);
            for (wheel, side) in wheels.into_iter().zip([-1.0, 1.0]) {
                let tyre = Wheel { radius, width: 0.12 * l, around: 8 };
                model.add_wheel(wheel, Some(part), Vector3::new(x, radius, side * 0.27 * l), tyre);
            }
            model.end(part);
        }
        self.add_rider(&mut model, deck + 0.06 * l);
        Ok(model)
    }

    /// Feet and legs stand on the plates; what is above the hips is the part that turns.
    fn add_rider(&self, model: &mut VehicleModel, floor: f64) {
        let (l, h) = (self.half_length, self.rider_height);
        let hips = floor + 0.46 * h;
        for side in [-1.0, 1.0] {
            let at = |x: f64, y: f64, z: f64| Vector3::new(side * x, floor + y, z);
            model.add(pieces::ellipsoid([0.09 * h, 0.06 * h, 0.16 * h], 1, at(l, 0.03 * h, -0.02 * h)), Finish::Rubber);
            let knee = at(0.72 * l, 0.25 * h, -0.06 * h);
            model.add(build::tapered(at(0.98 * l, 0.04 * h, 0.0), knee, [0.032 * h, 0.042 * h], 10), Finish::Accent);
            model.add(build::tapered(knee, at(0.055 * h, 0.47 * h, 0.0), [0.044 * h, 0.056 * h], 10), Finish::Accent);
        }
        model.add(pieces::ellipsoid([0.2 * h, 0.12 * h, 0.13 * h], 1, Vector3::new(0.0, hips, 0.0)), Finish::Accent);
        let part = model.begin("rider", None, Vector3::new(0.0, hips, 0.0), Vector3::y());
        let trunk = build::lofted([0.1 * h, -0.1 * h], [7, 12], 0.75, |share| {
            let round = (1.0 - (2.0 * share - 1.0).powi(4)).max(0.0).sqrt().max(0.2);
            [0.065 * h * round, hips - 0.02 * h, hips + (0.29 + 0.05 * round) * h]
        });
        model.add(build::on_wheels(trunk), Finish::Paint);
        let top = hips + 0.33 * h;
        for side in [-1.0, 1.0] {
            let at = |x: f64, y: f64, z: f64| Vector3::new(side * x * h, top + y * h, z * h);
            let elbow = at(0.24, -0.05, -0.02);
            model.add(build::tapered(at(0.06, -0.045, 0.0), elbow, [0.036 * h, 0.028 * h], 8), Finish::Paint);
            model.add(build::tapered(elbow, at(0.4, 0.0, -0.05), [0.027 * h, 0.02 * h], 8), Finish::Warm);
            model.add(pieces::ellipsoid([0.06 * h, 0.04 * h, 0.05 * h], 1, at(0.42, 0.0, -0.055)), Finish::Warm);
        }
        model.add(build::bar(Vector3::new(0.0, top, 0.0), Vector3::new(0.0, top + 0.06 * h, 0.0), 0.025 * h, 8), Finish::Warm);
        let head = Vector3::new(0.0, top + 0.12 * h, -0.01 * h);
        model.add_by_place(pieces::ellipsoid([0.11 * h, 0.15 * h, 0.13 * h], 2, head), |p| {
            if p.y > head.y + 0.015 * h || p.z > head.z + 0.03 * h { Finish::Rubber } else { Finish::Warm }
        });
        model.end(part);
    }
}
