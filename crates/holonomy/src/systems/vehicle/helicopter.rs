//! A helicopter (Kobilarov 2009, Sec. 4.3.1): one rigid body that hangs under a rotor, which tilts, and is steered by a tail rotor.
//!
//! Body frame: nose +Z, up +Y, left +X, origin at the centre of mass. The paper's axes (x forward, y left, z up) are our (Z, X, Y).
//!
//! | symbol | here | is |
//! |---|---|---|
//! | u_c, u_ψ | `collective`, `tail` | thrust of the main rotor, force of the tail rotor |
//! | γ_p, γ_r | `pitch`, `roll` | tilt of the main rotor: forwards, to the right |
//! | d_t | [`Helicopter::rotor_height`] | from the centre of mass up to the main rotor |
//! | d_r | [`Helicopter::tail_length`] | from the centre of mass back to the tail rotor |
//!
//! ```text
//! thrust, a unit vector:  n = (−sin γ_r, cos γ_p cos γ_r, sin γ_p cos γ_r)
//! force  = u_c n − u_ψ e_x                 torque = d_t u_c e_y × n + d_r u_ψ e_y
//! ```

use nalgebra::{Matrix6, SVector, Vector3, Vector6};

use super::surroundings::{self, Drag};
use crate::Error;
use crate::integrate::controlled::Control;
use crate::integrate::craft::{Bend, Craft, Push};
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::GRAVITY;

/// A helicopter. Controls: collective and tail force (N), pitch and roll of the rotor (rad).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Helicopter {
    /// kg.
    pub mass: f64,
    /// Moments of inertia about X (pitch), Y (yaw) and Z (roll), kg m².
    pub moments: Vector3<f64>,
    /// d_t, metres.
    pub rotor_height: f64,
    /// d_r, metres.
    pub tail_length: f64,
    /// Greatest thrust of the main rotor over the weight.
    pub most_lift: f64,
    /// Greatest force of the tail rotor either way, N.
    pub most_tail: f64,
    /// Greatest tilt of the main rotor, each way, rad.
    pub most_tilt: f64,
    /// Of the air.
    pub drag: Drag,
    /// Steady wind, world frame, m/s. It is felt by drag alone.
    pub wind: Vector3<f64>,
    /// m/s², down.
    pub gravity: f64,
}

impl Default for Helicopter {
    fn default() -> Self {
        Helicopter {
            mass: 1.0,
            moments: Vector3::new(0.12, 0.10, 0.08),
            rotor_height: 0.15,
            tail_length: 0.6,
            most_lift: 2.0,
            most_tail: 1.0,
            most_tilt: 0.3,
            drag: Drag::default(),
            wind: Vector3::zeros(),
            gravity: GRAVITY,
        }
    }
}

impl Helicopter {
    /// The two rotors' wrench with its derivatives by collective, tail, pitch and roll.
    fn rotors(&self, controls: &SVector<f64, 4>) -> (Wrench, [Wrench; 4]) {
        let (collective, tail) = (controls[0], controls[1]);
        let ((sp, cp), (sr, cr)) = (controls[2].sin_cos(), controls[3].sin_cos());
        let hub = Vector3::y() * self.rotor_height;
        let lift = |direction: Vector3<f64>| Wrench::of_force_at(direction, &hub);
        let along = lift(Vector3::new(-sr, cp * cr, sp * cr));
        let by_pitch = lift(Vector3::new(0.0, -sp * cr, cp * cr) * collective);
        let by_roll = lift(Vector3::new(-cr, -cp * sr, -sp * sr) * collective);
        let by_tail = Wrench::of_force_at(-Vector3::x(), &(Vector3::z() * -self.tail_length));
        (along * collective + by_tail * tail, [along, by_tail, by_pitch, by_roll])
    }
}

impl Craft<4> for Helicopter {
    fn inertia(&self) -> Matrix6<f64> {
        surroundings::plain_inertia(self.mass, &self.moments)
    }

    fn controls(&self) -> [Control; 4] {
        let weight = self.mass * self.gravity;
        let both = |name, unit, most: f64| Control { name, unit, range: [-most, most], rest: 0.0 };
        [
            Control { name: "collective", unit: "N", range: [0.0, self.most_lift * weight], rest: weight },
            both("tail", "N", self.most_tail),
            both("pitch", "rad", self.most_tilt),
            both("roll", "rad", self.most_tilt),
        ]
    }

    fn validate(&self) -> Result<(), Error> {
        surroundings::positive("mass of the helicopter", self.mass)?;
        surroundings::moments(&self.moments)?;
        Error::unless_zero_or_more("height of the rotor", self.rotor_height)?;
        Error::unless_zero_or_more("length of the tail", self.tail_length)?;
        let lifts = self.most_lift >= 1.0 && self.most_lift.is_finite();
        Error::unless(lifts, "greatest lift over weight", self.most_lift, "1 or more, or it cannot hover")?;
        Error::unless_zero_or_more("greatest force of the tail rotor", self.most_tail)?;
        let tilts = (0.0..std::f64::consts::FRAC_PI_2).contains(&self.most_tilt);
        Error::unless(tilts, "greatest tilt of the rotor", self.most_tilt, "zero or more, below a quarter turn")?;
        Error::unless_zero_or_more("gravity", self.gravity)?;
        surroundings::finite("wind", &self.wind)?;
        self.drag.validate()
    }

    fn push(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 4>, _time: f64) -> Push<4> {
        let mut push = surroundings::nothing::<4>();
        let (wrench, by_controls) = self.rotors(controls);
        push.wrench = wrench;
        for (i, column) in by_controls.into_iter().enumerate() {
            push.by_controls.set_column(i, &Vector6::from(column));
        }
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
        let ((sp, cp), (sr, cr)) = (controls[2].sin_cos(), controls[3].sin_cos());
        // What a force on the hub weighs.
        let hub = weights.velocity_at(&(Vector3::y() * self.rotor_height));
        let of = |x: f64, y: f64, z: f64| hub.dot(&Vector3::new(x, y, z));
        let both = [of(0.0, -sp * cr, cp * cr), of(-cr, -cp * sr, -sp * sr)];
        let (pp, pr, rr) = (of(0.0, -cp * cr, -sp * cr), of(0.0, sp * sr, -cp * sr), of(sr, -cp * cr, -sp * cr));
        for (i, by_collective) in both.into_iter().enumerate() {
            bend.controls_controls[(0, 2 + i)] = by_collective;
            bend.controls_controls[(2 + i, 0)] = by_collective;
        }
        bend.controls_controls[(2, 2)] = pp * controls[0];
        bend.controls_controls[(3, 3)] = rr * controls[0];
        bend.controls_controls[(2, 3)] = pr * controls[0];
        bend.controls_controls[(3, 2)] = pr * controls[0];
        bend
    }
}
