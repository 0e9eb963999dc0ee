//! Runge–Kutta on unit quaternions and body velocities, as Kobilarov 2009, Sec. 3.3, compares with.
//!
//! ```text
//! q' = ½ q (0, Ω),   x' = R v,   Ω' of Euler's equations,   v' = v × Ω
//! ```

use nalgebra::Vector3;

use super::equations::{Euler, Turned};
use super::{RigidBody, Stepper};
use crate::integrate::variational::State;
use crate::lie::{Momentum, Pose, Twist};

/// Quaternion, position and body velocity: a state, or its rate of change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub turned: Turned,
    pub position: Vector3<f64>,
    pub twist: Twist,
}

impl Flight {
    pub(super) fn of(body: &RigidBody, start: &State) -> Flight {
        Flight { turned: Turned::of(&start.pose.rotation), position: start.pose.translation, twist: body.twist(&start.momentum) }
    }

    pub(super) fn pose(&self) -> Pose {
        Pose::from_rotation_translation(self.turned.rotation(), self.position)
    }

    pub(super) fn momentum(&self, body: &RigidBody) -> Momentum {
        Momentum::new(body.moments.component_mul(&self.twist.angular), self.twist.linear * body.mass)
    }

    #[inline]
    fn rate(&self, euler: &Euler) -> Flight {
        let (spin, v) = (&self.twist.angular, &self.twist.linear);
        let turning = self.turned.times(0.0, &(spin * 0.5));
        Flight { turned: turning, position: self.turned.act(v), twist: Twist::new(euler.rate(spin), v.cross(spin)) }
    }

    /// Along a rate for a time, with a unit quaternion.
    #[inline]
    fn along(&self, rate: &Flight, time: f64) -> Flight {
        let turned =
            Turned { scalar: self.turned.scalar + rate.turned.scalar * time, vector: self.turned.vector + rate.turned.vector * time };
        Flight { turned: turned.unit(), position: self.position + rate.position * time, twist: self.twist + rate.twist * time }
    }

    /// The sum of two rates, the second times `weight`.
    #[inline]
    fn plus(&self, other: &Flight, weight: f64) -> Flight {
        let turned =
            Turned { scalar: self.turned.scalar + other.turned.scalar * weight, vector: self.turned.vector + other.turned.vector * weight };
        Flight { turned, position: self.position + other.position * weight, twist: self.twist + other.twist * weight }
    }
}

/// Explicit midpoint rule (ORDER 2) or the classical method (ORDER 4).
pub(super) struct Explicit<const ORDER: usize> {
    body: RigidBody,
    euler: Euler,
    time_step: f64,
    now: Flight,
}

impl<const ORDER: usize> Explicit<ORDER> {
    pub(super) fn new(body: &RigidBody, start: &State, time_step: f64) -> Self {
        Explicit { body: *body, euler: Euler::new(body), time_step, now: Flight::of(body, start) }
    }
}

impl<const ORDER: usize> Stepper for Explicit<ORDER> {
    #[inline]
    fn step(&mut self) {
        let (now, h, euler) = (&self.now, self.time_step, &self.euler);
        let first = now.rate(euler);
        let second = now.along(&first, 0.5 * h).rate(euler);
        self.now = if ORDER == 2 {
            now.along(&second, h)
        } else {
            let third = now.along(&second, 0.5 * h).rate(euler);
            let fourth = now.along(&third, h).rate(euler);
            now.along(&first.plus(&second, 2.0).plus(&third, 2.0).plus(&fourth, 1.0), h / 6.0)
        };
    }

    fn pose(&self) -> Pose {
        self.now.pose()
    }

    fn momentum(&self) -> Momentum {
        self.now.momentum(&self.body)
    }
}

/// Implicit midpoint rule for the body velocities; the pose follows explicitly, by the midpoint rule with those velocities.
pub(super) struct Implicit {
    body: RigidBody,
    euler: Euler,
    time_step: f64,
    now: Flight,
}

impl Implicit {
    pub(super) fn new(body: &RigidBody, start: &State, time_step: f64) -> Self {
        Implicit { body: *body, euler: Euler::new(body), time_step, now: Flight::of(body, start) }
    }
}

impl Stepper for Implicit {
    #[inline]
    fn step(&mut self) {
        let (h, now) = (self.time_step, &mut self.now);
        let spin = self.euler.solve(&now.twist.angular, 0.5 * h);
        let velocity = unturned(&now.twist.linear, &(spin * h));
        let quarter = now.turned.after(&(spin * (0.25 * h)));
        let turning = quarter.times(0.0, &(spin * (0.5 * h)));
        now.position += quarter.act(&velocity) * h;
        now.turned = Turned { scalar: now.turned.scalar + turning.scalar, vector: now.turned.vector + turning.vector }.unit();
        now.twist = Twist::new(spin * 2.0 - now.twist.angular, velocity * 2.0 - now.twist.linear);
    }

    fn pose(&self) -> Pose {
        self.now.pose()
    }

    fn momentum(&self) -> Momentum {
        self.now.momentum(&self.body)
    }
}

/// The u with u + ½ω×u = x.
#[inline]
pub(super) fn unturned(x: &Vector3<f64>, turn: &Vector3<f64>) -> Vector3<f64> {
    (x * 4.0 - turn.cross(x) * 2.0 + turn * turn.dot(x)) / (4.0 + turn.norm_squared())
}
