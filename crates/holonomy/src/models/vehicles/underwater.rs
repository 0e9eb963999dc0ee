//! An underwater vehicle: a torpedo with fins, a propeller, tunnels for thrusters and a mast.

use nalgebra::{Rotation3, Vector3};

use super::super::{gait, pieces};
use super::{Finish, VehicleModel, build};
use crate::Error;

/// An underwater vehicle. Its origin is the middle of its hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnderwaterBody {
    /// Half of its length, metres.
    pub half_length: f64,
    /// Half of its thickness, metres.
    pub radius: f64,
    /// From the origin back to fins and propeller, metres.
    pub tail: f64,
    /// From the origin to the tunnels at bow and stern, metres.
    pub thruster_arm: f64,
}

impl Default for UnderwaterBody {
    fn default() -> Self {
        UnderwaterBody { half_length: 0.8, radius: 0.1, tail: 0.76, thruster_arm: 0.48 }
    }
}

impl UnderwaterBody {
    /// The model. One part: the `propeller`, about +Z.
    ///
    /// # Errors
    /// A size is not a positive number, or tail or tunnels lie beyond the hull.
    pub fn model(&self) -> Result<VehicleModel, Error> {
        gait::positive("half_length", self.half_length)?;
        gait::positive("radius", self.radius)?;
        gait::below("tail", self.tail, 1.2 * self.half_length, "between 0 and 1.2 half lengths")?;
        gait::below("thruster_arm", self.thruster_arm, 0.9 * self.half_length, "between 0 and 0.9 half lengths")?;
        let (c, r) = (self.half_length, self.radius);
        let mut model = VehicleModel::default();
        let rings = 26;
        let profile: Vec<[f64; 2]> = (1..=rings)
            .map(|i| {
                let z = c * (std::f64::consts::PI * i as f64 / (rings + 1) as f64).cos();
                [self.radius_at(z), z]
            })
            .collect();
        model.add_by_place(build::lathe([c, -c], &profile, 20), |p| {
            let ahead = p.z / c;
            match ahead {
                x if x > 0.88 => Finish::Glass,
                x if (0.18..0.26).contains(&x) || (-0.3..-0.22).contains(&x) => Finish::Accent,
                _ => Finish::Paint,
            }
        });
        for z in [self.thruster_arm, -self.thruster_arm] {
            let (reach, width) = (self.radius_at(z) + 0.04 * r, 0.3 * r);
            for along in [Vector3::x(), Vector3::y()] {
                let middle = Vector3::z() * (z + if along.x > 0.0 { 0.35 * r } else { -0.35 * r });
                model.add(build::bar(middle - along * reach, middle + along * reach, width, 12), Finish::Rubber);
            }
        }
        let mast = Vector3::new(0.0, r, 0.05 * c);
        let sail = build::blade([0.0, 0.9 * r], [1.4 * r, 0.9 * r], 0.16 * r, 0.0);
        let upright = Rotation3::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2)
            * Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
        model.add(build::shifted(build::turned(sail, &upright), mast - Vector3::y() * (0.1 * r)), Finish::Accent);
        self.add_tail(&mut model, &upright);
        Ok(model)
    }

    /// Four fins and the propeller.
    fn add_tail(&self, model: &mut VehicleModel, upright: &Rotation3<f64>) {
        let (c, r) = (self.half_length, self.radius);
        let root = Vector3::z() * (-self.tail + 0.1 * c);
        let fin = build::turned(build::blade([0.1 * r, 1.5 * r], [1.3 * r, 0.7 * r], 0.12 * r, 0.0), upright);
        for turn in [0.0, 0.25, 0.5, 0.75] {
            let about = Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::TAU * turn);
            model.add(build::shifted(build::turned(fin.clone(), &about), root), Finish::Accent);
        }
        let hub = Vector3::z() * -(c + 0.12 * r);
        let part = model.begin("propeller", None, hub, Vector3::z());
        let blade = build::blade([0.1 * r, 0.8 * r], [0.3 * r, 0.4 * r], 0.05 * r, 0.5);
        // Spokes about +Y, laid down so that they turn about +Z.
        let down = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
        model.add(build::shifted(build::turned(build::rotor(4, &blade), &down), hub), Finish::Metal);
        model.add(pieces::ellipsoid([0.3 * r, 0.3 * r, 0.5 * r], 1, hub), Finish::Metal);
        model.end(part);
    }

    /// Radius of the hull at z: blunt in front, straight, drawn in behind.
    fn radius_at(&self, z: f64) -> f64 {
        let x = z / self.half_length;
        let front = ((x - 0.55) / 0.45).max(0.0);
        let rear = ((-x - 0.35) / 0.65).max(0.0);
        self.radius * (1.0 - front * front).max(0.0).sqrt() * (1.0 - 0.88 * rear.powf(1.8))
    }
}
