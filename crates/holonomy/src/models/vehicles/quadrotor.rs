//! A quadrotor: a body with a camera in front, four arms, four rotors.

use nalgebra::Vector3;

use super::super::{gait, pieces};
use super::{Finish, VehicleModel, build};
use crate::Error;

/// A quadrotor. Its origin is the centre of mass, in the plane of the rotors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadrotorBody {
    /// From the centre to each rotor, metres.
    pub arm: f64,
}

impl Default for QuadrotorBody {
    fn default() -> Self {
        QuadrotorBody { arm: 0.22 }
    }
}

impl QuadrotorBody {
    /// The model. Parts: the rotors, in front on the left and on the right, then behind on the right and on the left. Each turns its own way: the first and the third about
    /// −Y (clockwise from above), the others about +Y.
    ///
    /// # Errors
    /// The arm is not a positive number.
    pub fn model(&self) -> Result<VehicleModel, Error> {
        gait::positive("arm", self.arm)?;
        let a = self.arm;
        let mut model = VehicleModel::default();
        let shell = build::lofted([0.52 * a, -0.52 * a], [9, 16], 0.7, |share| {
            let round = (1.0 - (2.0 * share - 1.0).powi(4)).max(0.0).sqrt().max(0.05);
            [0.26 * a * round, -0.15 * a, (-0.15 + 0.26 * round) * a]
        });
        model.add_by_place(shell, |p| if p.y > 0.02 * a { Finish::Accent } else { Finish::Paint });
        model.add(pieces::ellipsoid([0.2 * a, 0.2 * a, 0.2 * a], 2, Vector3::new(0.0, -0.13 * a, 0.46 * a)), Finish::Glass);
        let side = a * std::f64::consts::FRAC_1_SQRT_2;
        let corners = [("front-left", 1.0, 1.0), ("front-right", -1.0, 1.0), ("rear-right", -1.0, -1.0), ("rear-left", 1.0, -1.0)];
        for (i, (name, x, z)) in corners.into_iter().enumerate() {
            let hub = Vector3::new(x * side, 0.0, z * side);
            let low = Vector3::y() * (-0.1 * a);
            model.add(build::tapered(hub * 0.2 + low, hub + low, [0.07 * a, 0.045 * a], 8), Finish::Paint);
            model.add(build::bar(hub + low * 1.5, hub - low * 0.2, 0.09 * a, 10), Finish::Metal);
            model.add(build::tapered(hub + low, hub * 1.04 + low * 4.5, [0.035 * a, 0.025 * a], 6), Finish::Rubber);
            let turn = if i % 2 == 0 { -Vector3::y() } else { Vector3::y() };
            let part = model.begin(name, None, hub, turn);
            // The edge that leads is the higher one.
            let pitch = if i % 2 == 0 { -0.2 } else { 0.2 };
            let blade = build::blade([0.04 * a, 0.62 * a], [0.1 * a, 0.06 * a], 0.02 * a, pitch);
            model.add(build::shifted(build::rotor(2, &blade), hub - low * 0.35), if z > 0.0 { Finish::Accent } else { Finish::Rubber });
            model.add(build::bar(hub - low * 0.2, hub - low * 0.5, 0.04 * a, 8), Finish::Metal);
            model.end(part);
        }
        Ok(model)
    }
}
