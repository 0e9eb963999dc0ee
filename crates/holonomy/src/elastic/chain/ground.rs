//! A box on the ground: for segments that fall and lie. Penalties at its eight corners, with friction.
//!
//! ```text
//! normal     N = max(0, k d + c ḋ)       d: how deep a corner is, ḋ: how fast it gets deeper; none above the ground
//! friction   −min(μ N, b |u|) u/|u|      u: slip; Coulomb's law, and below it a damper in place of the jump at rest
//! ```
//!
//! Four corners bear a box that lies, so with the box's mass m and ω = 2π · frequency: k = m ω²/4, c = 2ζ m ω/4, b = m ω/2. A body at rest on a slope creeps at g sin(slope)/(2ω), some millimetres a second at
//! 60 Hz. At 1/3000 s, Δt ω is 0.13 where 2 is the limit.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::Error;
use crate::lie::{Pose, Twist, Wrench};

/// How hard the ground is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundContact {
    /// Of a box that bounces on four corners, Hz.
    pub frequency: f64,
    /// In parts of the critical one: 1 does not bounce.
    pub damping: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl Default for GroundContact {
    fn default() -> Self {
        GroundContact { frequency: 60.0, damping: 1.0, friction: 0.6 }
    }
}

impl GroundContact {
    /// Refuses what is negative or not finite.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless_zero_or_more("frequency of ground contact (Hz)", self.frequency)?;
        Error::unless_zero_or_more("damping of ground contact", self.damping)?;
        Error::unless_zero_or_more("friction of ground contact", self.friction)
    }
}

/// A box that may touch the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundBody {
    /// Of its middle.
    pub pose: Pose,
    /// World axes: angular, and linear of its middle.
    pub twist: Twist,
    /// Along its axes, metres.
    pub half_size: Vector3<f64>,
    /// What stands on its corners, kg.
    pub mass: f64,
}

/// What the ground does to a box: torque about its middle, and force, world axes. `query` tells how far a place is above the ground, metres (negative: below), and the unit normal
/// there, out of the ground.
pub fn ground_load(body: &GroundBody, contact: &GroundContact, query: impl Fn(&Vector3<f64>) -> (f64, Vector3<f64>)) -> Wrench {
    let omega = TAU * contact.frequency;
    let (stiff, damper, rub) = (0.25 * body.mass * omega * omega, 0.5 * contact.damping * body.mass * omega, 0.5 * body.mass * omega);
    let axes = body.pose.rotation_matrix();
    let mut load = Wrench::default();
    for corner in 0..8_usize {
        let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let arm = axes * body.half_size.component_mul(&Vector3::new(sign(0), sign(1), sign(2)));
        let (gap, normal) = query(&(body.pose.translation + arm));
        // Not so with NaN.
        if gap < 0.0 {
            let speed = body.twist.velocity_at(&arm);
            let rise = speed.dot(&normal);
            let push = (-gap * stiff - rise * damper).max(0.0);
            let slip = speed - normal * rise;
            let size = slip.norm();
            let hold = if size * rub > contact.friction * push { contact.friction * push / size } else { rub };
            load += Wrench::of_force_at(normal * push - slip * hold, &arm);
        }
    }
    load
}
