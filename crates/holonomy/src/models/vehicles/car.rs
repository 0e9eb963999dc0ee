//! A car, alone or with a trailer.

use nalgebra::Vector3;

use super::super::{gait, pieces};
use super::build::{self, Wheel};
use super::{Finish, VehicleModel};
use crate::Error;

/// A car along +X. Its origin lies on the ground below the middle of its rear axle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarBody {
    /// From the rear to the front axle, metres.
    pub wheelbase: f64,
    /// Between the wheels of an axle, metres.
    pub track: f64,
    /// Of the wheels, metres.
    pub wheel_radius: f64,
    /// What it draws, if anything.
    pub trailer: Option<TrailerBody>,
}

/// A box on two wheels that follows a car.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrailerBody {
    /// From the car's rear axle back to the hitch, metres.
    pub hitch: f64,
    /// From the hitch back to the trailer's axle, metres.
    pub length: f64,
}

impl Default for CarBody {
    fn default() -> Self {
        CarBody { wheelbase: 1.0, track: 0.6, wheel_radius: 0.14, trailer: None }
    }
}

impl Default for TrailerBody {
    fn default() -> Self {
        TrailerBody { hitch: 0.35, length: 0.8 }
    }
}

impl CarBody {
    /// The model. Parts: `left-steering` and `right-steering` (about +Y, positive: to the left), which carry `front-left-wheel` and `front-right-wheel`;
    /// `rear-left-wheel`, `rear-right-wheel`; with a trailer also `trailer` (about +Y at the hitch), which carries `trailer-left-wheel` and `trailer-right-wheel`. Wheels roll
    /// forwards by positive angles.
    ///
    /// # Errors
    /// A size is not a positive number, or the wheels touch each other.
    pub fn model(&self) -> Result<VehicleModel, Error> {
        gait::positive("wheelbase", self.wheelbase)?;
        gait::positive("track", self.track)?;
        gait::below("wheel_radius", self.wheel_radius, 0.5 * self.wheelbase, "between 0 and half of the wheelbase")?;
        let mut model = VehicleModel::default();
        self.add_body(&mut model);
        let (r, half) = (self.wheel_radius, 0.5 * self.track);
        let tyre = Wheel { radius: r, width: 0.2 * self.track, around: 12 };
        for (steering, name, side) in [("left-steering", "front-left-wheel", -1.0), ("right-steering", "front-right-wheel", 1.0)] {
            let center = Vector3::new(self.wheelbase, r, side * half);
            let part = model.begin(steering, None, center, Vector3::y());
            model.add_wheel(name, Some(part), center, tyre);
            model.end(part);
        }
        for (name, side) in [("rear-left-wheel", -1.0), ("rear-right-wheel", 1.0)] {
            model.add_wheel(name, None, Vector3::new(0.0, r, side * half), tyre);
        }
        if let Some(trailer) = &self.trailer {
            trailer.add_to(&mut model, self)?;
        }
        Ok(model)
    }

    /// Body and cabin, with bumpers and lamps.
    fn add_body(&self, model: &mut VehicleModel) {
        let (l, r, half) = (self.wheelbase, self.wheel_radius, 0.5 * self.track);
        let (front, rear) = (1.3 * l, -0.28 * l);
        let belt = r + 0.2 * l;
        let body = build::lofted([front, rear], [13, 20], 0.45, |share| {
            // From the front bumper over the bonnet to the boot; drawn in over the wheels, which stand out.
            let ends = (1.0 - (2.0 * share - 1.0).powi(8)).max(0.0).sqrt().max(0.25);
            let bonnet = 0.72 + 0.28 * build::ease(share, 0.0, 0.4) - 0.1 * build::ease(share, 0.85, 1.0);
            [half * 0.98 * (0.8 + 0.2 * ends), 0.75 * r * (1.6 - 0.6 * ends), belt * bonnet * (0.7 + 0.3 * ends)]
        });
        model.add_by_place(build::on_wheels(body), |p| if p.y < 1.05 * r { Finish::Rubber } else { Finish::Paint });
        let cabin = build::lofted([0.92 * l, -0.18 * l], [11, 16], 0.5, |share| {
            let high = build::ease(share, 0.0, 0.4) * (1.0 - 0.75 * build::ease(share, 0.72, 1.0));
            [half * (0.9 - 0.16 * high), 0.8 * belt, 0.93 * belt + 0.22 * l * high]
        });
        model.add_by_place(build::on_wheels(cabin), |p| {
            let pillar = [0.34, 0.02].iter().any(|x| (p.x / l - x).abs() < 0.03);
            let roof = p.y > 0.93 * belt + 0.185 * l;
            if roof || pillar { Finish::Accent } else { Finish::Glass }
        });
        for side in [-1.0, 1.0] {
            let lamp = |x: f64, y: f64| pieces::ellipsoid([0.05 * l, 0.06 * l, 0.12 * l], 1, Vector3::new(x, y, side * 0.68 * half));
            model.add(lamp(front - 0.02 * l, 1.35 * r), Finish::Metal);
            model.add(lamp(rear + 0.02 * l, 1.5 * r), Finish::Warm);
        }
    }
}

impl TrailerBody {
    fn add_to(&self, model: &mut VehicleModel, car: &CarBody) -> Result<(), Error> {
        gait::positive("hitch", self.hitch)?;
        gait::positive("length", self.length)?;
        let (r, half) = (car.wheel_radius, 0.5 * car.track);
        let hitch = Vector3::new(-self.hitch, r, 0.0);
        let at = |x: f64, y: f64, z: f64| Vector3::new(-self.hitch + x, y, z);
        let (long, high) = (1.1 * self.length, 0.42 * car.wheelbase);
        let part = model.begin("trailer", None, hitch, Vector3::y());
        model.add(pieces::ellipsoid([0.4 * r; 3], 1, hitch), Finish::Metal);
        model.add(build::bar(hitch, at(-0.55 * self.length, r, 0.0), 0.13 * r, 8), Finish::Metal);
        let middle = at(-self.length, 1.1 * r + 0.5 * high, 0.0);
        let front = middle.x + 0.5 * long;
        let sides = build::wedge([long, high, 1.5 * half], [6, 4, 2], middle, [0.04, 0.06]);
        model.add_by_place(sides, |p| if (p.y - middle.y).abs() < 0.13 * high && p.x < front { Finish::Accent } else { Finish::Paint });
        for side in [-1.0, 1.0] {
            let guard = Vector3::new(middle.x, 1.9 * r, side * half);
            model.add(build::wedge([2.6 * r, 0.35 * r, 0.25 * car.track], [4, 1, 2], guard, [0.3, 0.0]), Finish::Rubber);
        }
        for (name, side) in [("trailer-left-wheel", -1.0), ("trailer-right-wheel", 1.0)] {
            let tyre = Wheel { radius: r, width: 0.2 * car.track, around: 12 };
            model.add_wheel(name, Some(part), at(-self.length, r, side * half), tyre);
        }
        model.end(part);
        Ok(())
    }
}
