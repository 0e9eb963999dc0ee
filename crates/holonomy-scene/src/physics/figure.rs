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
            "left-engine" | "right-engine" => control(2),
            "rudder" => control(3),
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

/// Balls that hold a vehicle, side by side over its length and width, all of one size. `flat` vehicles meet obstacles in the plane of the ground alone.
pub(super) fn balls(model: &VehicleModel, flat: bool) -> Vec<(Vector3<f64>, f64)> {
    let Some((low, high)) = bounds(&model.points) else { return vec![(Vector3::zeros(), 0.0)] };
    let size = high - low;
    let (length, width) = (size.x.max(size.z), size.x.min(size.z));
    // As wide as the body if it is flat on the ground, else about as high, but not more than three in a row across.
    let wanted = if flat { width } else { size.y.max(0.34 * length) };
    let counts = [size.x, size.z].map(|side| (side / wanted.max(1e-9)).ceil().clamp(1.0, 6.0) as usize);
    let cell = [size.x / counts[0] as f64, size.z / counts[1] as f64];
    let radius = 0.5 * cell[0].hypot(cell[1]);
    let middle = 0.5 * (low.y + high.y);
    let mut balls = Vec::new();
    for (i, k) in (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |k| (i, k))) {
        let place = Vector3::new(low.x + cell[0] * (i as f64 + 0.5), middle, low.z + cell[1] * (k as f64 + 0.5));
        // Where there is nothing of the body, there is no ball.
        if model.points.iter().any(|point| (point.x - place.x).abs() <= 0.5 * cell[0] && (point.z - place.z).abs() <= 0.5 * cell[1]) {
            balls.push((place, radius));
        }
    }
    balls
}
