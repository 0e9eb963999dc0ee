//! A motor boat: a round hull with a transom, a deck, a cabin and two outboard engines.

use nalgebra::{Rotation3, Vector3};

use super::super::gait;
use super::super::pieces::{self, Mesh};
use super::{Finish, VehicleModel, build};
use crate::Error;

/// A motor boat. Its origin lies amidships at the height of the water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotorBoat {
    /// Over all, metres.
    pub length: f64,
    /// Greatest width, metres.
    pub beam: f64,
    /// From the water down to the keel, metres.
    pub draught: f64,
    /// From the water up to the deck amidships, metres.
    pub freeboard: f64,
}

impl Default for MotorBoat {
    fn default() -> Self {
        MotorBoat { length: 2.4, beam: 0.95, draught: 0.16, freeboard: 0.26 }
    }
}

impl MotorBoat {
    /// The closed hull with its deck, coarse for physics or fine for pictures: `rings` sections from bow to stern, of `around` points each (a multiple of 4).
    /// It has 2 · rings · around faces.
    pub fn hull(&self, rings: usize, around: usize) -> Mesh {
        let place = |i: usize, [c, s]: [f64; 2]| {
            // From the bow to the transom, closer at the bow.
            let x = i as f64 / rings.max(1) as f64;
            self.section(x * (0.55 + 0.45 * x), [c, s])
        };
        let bow = Vector3::new(0.0, self.sheer(0.0), 0.5 * self.length);
        let transom = Vector3::new(0.0, 0.5 * (self.freeboard - self.draught), -0.5 * self.length);
        pieces::tube([bow, transom], rings, around, place)
    }

    /// A point of the section at the share x of the length from the bow, at an angle from the left rail (c = 1) to the middle of the deck (s = 1) or the keel (s = −1).
    fn section(&self, x: f64, [c, s]: [f64; 2]) -> Vector3<f64> {
        let fore = (1.0 - x / 0.6).max(0.0);
        let half = 0.5 * self.beam * (1.0 - fore.powf(2.0)) * (1.0 - 0.12 * ((x - 0.6) / 0.4).max(0.0).powi(2));
        let keel = self.sheer(x) - (self.sheer(x) + self.draught) * (1.0 - fore.powf(3.5));
        let z = self.length * (0.5 - x);
        if s >= 0.0 {
            // The deck, slightly arched.
            return Vector3::new(half * c, self.sheer(x) + 0.06 * half * s, z);
        }
        // Full below the rail, round at the bilge. Round-off at the keel would show, for the power is steep there.
        let across = if c.abs() < 1e-12 { 0.0 } else { c.signum() * c.abs().powf(0.55) };
        Vector3::new(half * across, self.sheer(x) + (keel - self.sheer(x)) * (-s).powf(0.9), z)
    }

    /// Height of the rail, which rises towards the bow.
    fn sheer(&self, x: f64) -> f64 {
        self.freeboard * (1.0 + 0.45 * (1.0 - x).powi(2))
    }

    /// The model. Parts: the right and the left propeller, which turn about +Z.
    ///
    /// # Errors
    /// A size is not a positive number.
    pub fn model(&self) -> Result<VehicleModel, Error> {
        gait::positive("length", self.length)?;
        gait::positive("beam", self.beam)?;
        gait::positive("draught", self.draught)?;
        gait::positive("freeboard", self.freeboard)?;
        let mut model = VehicleModel::default();
        let (rings, around) = (18, 24);
        // Strips run from bow to stern; those with s > 0 are deck.
        model.add_with(self.hull(rings, around), |face| if face / (2 * rings) < around / 2 { Finish::Warm } else { Finish::Paint });
        let (l, b, f) = (self.length, self.beam, self.freeboard);
        let cabin = [0.56 * b, 0.7 * f, 0.3 * l];
        let middle = Vector3::new(0.0, 1.05 * f + 0.5 * cabin[1], 0.03 * l);
        let (wall, roof) = (build::wedge(cabin, [4, 3, 6], middle, [0.22, 0.3]), middle.y + 0.5 * cabin[1]);
        let band = |p: &Vector3<f64>| (p.y - middle.y).abs() < 0.2 * cabin[1];
        model.add_by_place(wall, |p| if band(p) { Finish::Glass } else { Finish::Accent });
        let lid = [0.5 * b, 0.08 * f, 0.24 * l];
        model.add(build::wedge(lid, [2, 1, 2], Vector3::new(0.0, roof, middle.z), [0.1, 0.1]), Finish::Paint);
        self.add_engines(&mut model);
        Ok(model)
    }

    fn add_engines(&self, model: &mut VehicleModel) {
        let (l, b) = (self.length, self.beam);
        for (name, side) in [("right-propeller", -1.0), ("left-propeller", 1.0)] {
            let top = Vector3::new(side * 0.21 * b, 0.9 * self.freeboard, -0.53 * l);
            model.add(build::wedge([0.13 * b, 0.6 * self.freeboard, 0.07 * l], [2, 2, 2], top, [0.2, 0.2]), Finish::Rubber);
            let foot = Vector3::new(top.x, -1.15 * self.draught, top.z);
            model.add(build::bar(top, foot, 0.02 * b, 6), Finish::Metal);
            let radius = 0.09 * b;
            let blade = build::blade([0.15 * radius, radius], [0.5 * radius, 0.6 * radius], 0.05 * radius, 0.5);
            // Spokes about +Y, laid down so that they turn about +Z.
            let down = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
            let hub = foot - Vector3::z() * (0.02 * l);
            let part = model.begin(name, None, hub, Vector3::z());
            model.add(build::shifted(build::turned(build::rotor(3, &blade), &down), hub), Finish::Metal);
            model.end(part);
        }
    }
}
