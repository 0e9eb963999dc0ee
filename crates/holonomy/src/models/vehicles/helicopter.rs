//! A helicopter: cabin, tail boom and fins, skids, a main rotor that tilts and turns, a tail rotor.

use nalgebra::{Rotation3, Vector3};

use super::super::gait;
use super::super::pieces::{self, Mesh};
use super::{Finish, VehicleModel, build};
use crate::Error;

/// A helicopter. Its origin is the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HelicopterBody {
    /// From the centre of mass up to the main rotor, metres.
    pub rotor_height: f64,
    /// From the centre of mass back to the tail rotor, metres.
    pub tail_length: f64,
}

impl Default for HelicopterBody {
    fn default() -> Self {
        HelicopterBody { rotor_height: 0.15, tail_length: 0.6 }
    }
}

impl HelicopterBody {
    /// The model. Parts: `rotor-pitch` (about +X), which carries `rotor-roll` (about +Z), which carries `rotor` (about +Y); and `tail-rotor` (about +X, which then pushes the tail to −X).
    ///
    /// # Errors
    /// A size is not a positive number.
    pub fn model(&self) -> Result<VehicleModel, Error> {
        gait::positive("rotor_height", self.rotor_height)?;
        gait::positive("tail_length", self.tail_length)?;
        let (t, up) = (self.tail_length, self.rotor_height);
        let mut model = VehicleModel::default();
        let glass = |p: &Vector3<f64>| p.z > 0.2 * t && p.y > -0.01 * t && p.x.abs() > 0.012 * t;
        model.add_by_place(self.cabin(), |p| {
            if glass(p) {
                Finish::Glass
            } else if p.y < -0.075 * t {
                Finish::Accent
            } else {
                Finish::Paint
            }
        });
        let boom = [Vector3::new(0.0, 0.045 * t, -0.22 * t), Vector3::new(0.0, 0.06 * t, -1.02 * t)];
        model.add(build::tapered(boom[0], boom[1], [0.055 * t, 0.022 * t], 10), Finish::Paint);
        self.add_fins(&mut model);
        self.add_skids(&mut model);
        model.add(build::bar(Vector3::y() * (0.1 * t), Vector3::y() * up, 0.014 * t, 8), Finish::Metal);
        let hood = pieces::ellipsoid([0.12 * t, 0.1 * t, 0.3 * t], 1, Vector3::new(0.0, 0.12 * t, -0.06 * t));
        model.add(hood, Finish::Accent);
        self.add_rotors(&mut model);
        Ok(model)
    }

    /// The fuselage: a drop, deepest below the rotor.
    fn cabin(&self) -> Mesh {
        let t = self.tail_length;
        build::lofted([0.48 * t, -0.42 * t], [13, 16], 0.8, |share| {
            let nose = (1.0 - (1.0 - (share / 0.42).min(1.0)).powi(2)).sqrt().max(0.02);
            let tail = 1.0 - build::ease(share, 0.45, 1.0);
            let round = nose * (0.12 + 0.88 * tail);
            let low = (0.02 - 0.14 * round) * t + 0.03 * t * (1.0 - tail);
            [0.115 * t * round, low, (0.02 + 0.115 * round) * t]
        })
    }

    /// Upright and level fins at the tail.
    fn add_fins(&self, model: &mut VehicleModel) {
        let t = self.tail_length;
        let upright = build::turned(
            build::blade([-0.05 * t, 0.17 * t], [0.11 * t, 0.06 * t], 0.012 * t, 0.0),
            &(Rotation3::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2)
                * Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2)),
        );
        model.add(build::shifted(upright, Vector3::new(0.0, 0.06 * t, -1.04 * t)), Finish::Accent);
        let level = pieces::cuboid([0.26 * t, 0.01 * t, 0.06 * t], [4, 1, 1], Vector3::new(0.0, 0.055 * t, -0.8 * t));
        model.add(level, Finish::Accent);
    }

    fn add_skids(&self, model: &mut VehicleModel) {
        let t = self.tail_length;
        for side in [-1.0, 1.0] {
            let at = |y: f64, z: f64, x: f64| Vector3::new(side * x * t, y * t, z * t);
            model.add(build::bar(at(-0.21, -0.2, 0.15), at(-0.21, 0.26, 0.15), 0.011 * t, 6), Finish::Metal);
            model.add(build::bar(at(-0.21, 0.26, 0.15), at(-0.18, 0.32, 0.15), 0.011 * t, 6), Finish::Metal);
            for z in [-0.1, 0.15] {
                model.add(build::bar(at(-0.07, z, 0.06), at(-0.21, z, 0.15), 0.009 * t, 6), Finish::Metal);
            }
        }
    }

    fn add_rotors(&self, model: &mut VehicleModel) {
        let (t, hub) = (self.tail_length, Vector3::y() * self.rotor_height);
        let pitch = model.begin("rotor-pitch", None, hub, Vector3::x());
        let roll = model.begin("rotor-roll", Some(pitch), hub, Vector3::z());
        let spin = model.begin("rotor", Some(roll), hub, Vector3::y());
        let blade = build::blade([0.06 * t, 0.8 * t], [0.06 * t, 0.05 * t], 0.01 * t, 0.08);
        model.add(build::shifted(build::rotor(3, &blade), hub), Finish::Rubber);
        let boss = pieces::ellipsoid([0.12 * t, 0.05 * t, 0.12 * t], 1, hub);
        model.add(boss, Finish::Metal);
        for part in [pitch, roll, spin] {
            model.end(part);
        }
        let tail = Vector3::new(-0.035 * t, 0.06 * t, -t);
        let part = model.begin("tail-rotor", None, tail, Vector3::x());
        let blade = build::blade([0.015 * t, 0.13 * t], [0.03 * t, 0.028 * t], 0.006 * t, -0.2);
        // Spokes about +Y, laid over so that they turn about +X.
        let over = Rotation3::from_axis_angle(&Vector3::z_axis(), -std::f64::consts::FRAC_PI_2);
        model.add(build::shifted(build::turned(build::rotor(4, &blade), &over), tail), Finish::Rubber);
        model.add(build::bar(tail - Vector3::x() * (0.01 * t), tail + Vector3::x() * (0.04 * t), 0.014 * t, 6), Finish::Metal);
        model.end(part);
    }
}
