//! What a vehicle looks like as it goes: which of its parts turns by what.

use holonomy::Error;
use holonomy::integrate::driven::{Figure, Moment};
use holonomy::models::vehicles::VehicleModel;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, bounds};

/// How fast rotors and propellers turn in pictures, rad/s: slower than real ones, so that frames show them turn.
const ROTOR: f64 = 23.0;
const PROPELLER: f64 = 16.0;

pub(super) struct VehicleFigure {
    pub model: VehicleModel,
    /// Names of the joints, in the order of a moment's.
    pub joints: &'static [&'static str],
}

impl Figure for VehicleFigure {
    fn shape(&self, moments: &[Moment], dt: f64) -> Result<Clip, Error> {
        let angles: Vec<Vec<f64>> = moments.iter().map(|moment| self.angles(moment)).collect();
        self.model.over_time(dt, &angles)
    }
}

impl VehicleFigure {
    fn angles(&self, moment: &Moment) -> Vec<f64> {
        let joint =
            |name: &str| self.joints.iter().position(|joint| *joint == name).and_then(|i| moment.joints.get(i).copied()).unwrap_or(0.0);
        let control = |i: usize| moment.controls.get(i).copied().unwrap_or(0.0);
        let angle = |name: &str| match name {
            "rotor-pitch" => control(2),
            "rotor-roll" => control(3),
            "rotor" => ROTOR * moment.time,
            "tail-rotor" => 1.7 * ROTOR * moment.time,
            "propeller" => PROPELLER * moment.time * sign(control(0)),
            "right-propeller" => PROPELLER * moment.time * sign(control(0)),
            "left-propeller" => -PROPELLER * moment.time * sign(control(1)),
            "left-steering" | "right-steering" => joint("steering"),
            "trailer" => joint("hitch"),
            "rear-plate" => joint("steering"),
            "front-plate" => -joint("steering"),
            "rider" => joint("rotor"),
            // Wheels turn with the way that was gone, whatever their size in the picture.
            wheel if wheel.ends_with("wheel") => moment.travelled / self.radius(wheel),
            _ => ROTOR * moment.time,
        };
        self.model.parts.iter().map(|part| angle(part.name)).collect()
    }

    /// Half the height of a part.
    fn radius(&self, name: &str) -> f64 {
        let part = self.model.part(name).map(|i| &self.model.parts[i]);
        let height = part.and_then(|part| bounds(self.model.points.get(part.vertices.clone())?)).map_or(1.0, |(low, high)| high.y - low.y);
        (0.5 * height).max(1e-6)
    }
}

fn sign(control: f64) -> f64 {
    if control < 0.0 { -1.0 } else { 1.0 }
}

/// Balls that hold a vehicle: along the longer of its sides, all of one size. `flat` ones lie in the plane of the ground.
pub(super) fn balls(model: &VehicleModel, clearance: f64, flat: bool) -> Vec<(Vector3<f64>, f64)> {
    let Some((low, high)) = bounds(&model.points) else { return vec![(Vector3::zeros(), clearance)] };
    let (size, middle) = (high - low, (low + high) * 0.5);
    let axis = if size.x > size.z { 0 } else { 2 };
    let across = if flat { size[2 - axis] } else { size[2 - axis].max(size.y) };
    let count = (size[axis] / across.max(1e-9)).ceil().clamp(1.0, 6.0);
    let part = size[axis] / count;
    let radius = 0.5 * across.hypot(part) + clearance;
    let ball = |i: usize| {
        let mut place = middle;
        place[axis] = low[axis] + part * (i as f64 + 0.5);
        (place, radius)
    };
    (0..count as usize).map(ball).collect()
}
