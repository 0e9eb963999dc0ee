//! A quadrotor: four rotors at the corners of a square, two turning each way.
//!
//! Body frame: nose +Z, up +Y, left +X, origin at the centre of mass, which lies in the plane of the rotors. A rotor at (x, 0, z) with the thrust T gives
//!
//! ```text
//! force  = T e_y           torque = (−z T, ± κ T, x T)
//! ```
//!
//! κ is the ratio of a rotor's torque to its thrust. Air resists the turning of a rotor, and the body is turned the other way: the rotors in front on the left and
//! behind on the right turn clockwise seen from above, and turn the body counter-clockwise (+); the other two do the opposite (−).

use nalgebra::{Matrix6, SMatrix, SVector, Vector3, Vector6};

use super::surroundings::{self, Drag};
use crate::Error;
use crate::integrate::controlled::Control;
use crate::integrate::craft::{Bend, Craft, Push};
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::GRAVITY;

/// A quadrotor. Controls: the thrusts of the rotors (N), in front on the left and on the right, then behind on the right and on the left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quadrotor {
    /// kg.
    pub mass: f64,
    /// Moments of inertia about X (pitch), Y (yaw) and Z (roll), kg m².
    pub moments: Vector3<f64>,
    /// From the centre to each rotor, metres.
    pub arm: f64,
    /// κ, torque of a rotor over its thrust, metres.
    pub torque_ratio: f64,
    /// Greatest thrust of all rotors over the weight.
    pub most_lift: f64,
    /// Of the air.
    pub drag: Drag,
    /// Steady wind, world frame, m/s. It is felt by drag alone.
    pub wind: Vector3<f64>,
    /// m/s², down.
    pub gravity: f64,
}

impl Default for Quadrotor {
    fn default() -> Self {
        Quadrotor {
            mass: 1.0,
            moments: Vector3::new(0.0105, 0.018, 0.0105),
            arm: 0.22,
            torque_ratio: 0.016,
            most_lift: 2.2,
            drag: Drag {
                linear: Vector3::new(0.15, 0.1, 0.15),
                quadratic: Vector3::new(0.02, 0.04, 0.02),
                turning: Vector3::new(0.002, 0.001, 0.002),
                turning_quadratic: Vector3::zeros(),
            },
            wind: Vector3::zeros(),
            gravity: GRAVITY,
        }
    }
}

impl Quadrotor {
    /// Where the rotors are, body frame, metres, in the order of the controls.
    pub fn rotors(&self) -> [Vector3<f64>; 4] {
        let side = self.arm * std::f64::consts::FRAC_1_SQRT_2;
        [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, z]| Vector3::new(x * side, 0.0, z * side))
    }

    /// Which way the body is turned by each rotor's torque, about +Y.
    pub const TURNS: [f64; 4] = [1.0, -1.0, 1.0, -1.0];

    /// From thrusts to wrench.
    fn mixer(&self) -> SMatrix<f64, 6, 4> {
        let rotors = self.rotors();
        let column = |i: usize| {
            let turn = Wrench::new(Vector3::y() * (Self::TURNS[i] * self.torque_ratio), Vector3::zeros());
            Vector6::from(Wrench::of_force_at(Vector3::y(), &rotors[i]) + turn)
        };
        SMatrix::from_columns(&std::array::from_fn::<_, 4, _>(column))
    }
}

impl Craft<4> for Quadrotor {
    fn inertia(&self) -> Matrix6<f64> {
        surroundings::plain_inertia(self.mass, &self.moments)
    }

    fn controls(&self) -> [Control; 4] {
        let share = 0.25 * self.mass * self.gravity;
        ["front-left", "front-right", "rear-right", "rear-left"].map(|name| Control {
            name,
            unit: "N",
            range: [0.0, self.most_lift * share],
            rest: share,
        })
    }

    fn validate(&self) -> Result<(), Error> {
        surroundings::positive("mass of the quadrotor", self.mass)?;
        surroundings::moments(&self.moments)?;
        surroundings::positive("length of the arms", self.arm)?;
        Error::unless_zero_or_more("torque of a rotor over its thrust", self.torque_ratio)?;
        let lifts = self.most_lift >= 1.0 && self.most_lift.is_finite();
        Error::unless(lifts, "greatest lift over weight", self.most_lift, "1 or more, or it cannot hover")?;
        Error::unless_zero_or_more("gravity", self.gravity)?;
        surroundings::finite("wind", &self.wind)?;
        self.drag.validate()
    }

    fn push(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 4>, _time: f64) -> Push<4> {
        let mut push = surroundings::nothing::<4>();
        push.by_controls = self.mixer();
        push.wrench = Wrench::from(push.by_controls * controls);
        let weight = Vector3::y() * (-self.mass * self.gravity);
        surroundings::add_world_force(&mut push, pose, &weight, &Vector3::zeros());
        self.drag.add_to(&mut push, pose, twist, &self.wind);
        push
    }

    fn bend(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 4>, time: f64, weights: &Twist) -> Bend<4> {
        if self.wind != Vector3::zeros() {
            return Bend::by_differences(pose, twist, controls, weights, |pose, twist, controls| self.push(pose, twist, controls, time));
        }
        let mut bend = Bend::none();
        let weight = Vector3::y() * (-self.mass * self.gravity);
        surroundings::add_world_force_bend(&mut bend, pose, &weight, &Vector3::zeros(), weights);
        self.drag.add_bend_to(&mut bend, twist, weights);
        bend
    }
}
