//! A reflex that turns a falling creature belly down, with nothing to push against.
//!
//! As a cat does (Kane and Scher 1969, "A dynamical explanation of the falling cat phenomenon"): the body bends to a C, and the direction of the bend goes round the body, without twist.
//! In space the C stays nearly where it is, and the body turns within it. Each slice is slim, so that has little angular momentum, and the C, which is deep, turns back by little to make up for it:
//! the body rolls nearly as far as the bend goes round. No force comes from outside. Muscles change the shape, and dynamics, which keeps the angular momentum, does the rest.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | e | `error` | roll about the body's own line, right-handed about forward, that brings its back up, radians |
//! | φ | `direction` | of the bend: from up (+y) to the right (+z) of a segment, radians |
//!
//! φ goes round at −12/s · e, as fast as muscles can at most. It begins across the vertical, so that the C lies level. Once the belly is down the body keeps a good part of its bend until feet
//! find ground: straight and slim as it is, it would roll from the least swing of its parts.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::Vector3;

use crate::elastic::chain::Muscles;
use crate::lie::Pose;

/// Whether a creature turns over as it falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Righting {
    /// It does not.
    #[default]
    None,
    /// Its muscles turn it belly down while no leg finds ground. They must be stiff enough to bend the body in a tenth of a second.
    Reflex,
}

/// What the reflex remembers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RightingState {
    /// How far the bend has set in, 0 to 1.
    bend: f64,
    direction: f64,
    error: Option<f64>,
    /// Whether its belly is not down yet.
    turning: bool,
}

/// Share of its length that a muscle at the side loses; top and bottom as much less as the body is less high than wide, so that it bends alike in all directions.
const CONTRACTION: f64 = 0.45;

/// Seconds in which the bend sets in, or eases in the air.
const EASE: f64 = 0.15;

/// Seconds in which it goes once feet have found ground: legs that stand hold the body as it is, and would be pushed over.
const RELEASE: f64 = 1.0;

/// How much of the bend is kept until feet find ground.
const KEPT: f64 = 0.65;

/// How fast the bend goes round, at most, rad/s, and for each radian of error, 1/s.
const FASTEST: f64 = 15.0;
const GAIN: f64 = 12.0;

/// The reflex begins at this error, radians, and has done its work at that.
const BEGINS: f64 = 0.5;
const ENDS: f64 = 0.3;

impl RightingState {
    /// The next `duration` seconds of a creature whose segments are there; `falls` while nothing bears it.
    pub fn advance(&mut self, poses: &[Pose], falls: bool, duration: f64) {
        let error = self.error(poses);
        if falls && self.bend == 0.0 && error.abs() > BEGINS {
            self.turning = true;
            self.direction = error + FRAC_PI_2 * error.signum();
        }
        self.turning &= falls && (self.bend < 1.0 || error.abs() > ENDS);
        let goal = if self.turning {
            1.0
        } else if falls {
            KEPT.min(self.bend)
        } else {
            0.0
        };
        self.error = Some(error).filter(|_| goal > 0.0);
        let (rate, most) = if falls { ((GAIN * error).clamp(-FASTEST, FASTEST), duration / EASE) } else { (0.0, duration / RELEASE) };
        self.direction -= rate * eased(self.bend) * duration;
        self.bend += (goal - self.bend).clamp(-most, most);
    }

    /// e, the mean over all segments; near half a turn on the side where it was.
    fn error(&self, poses: &[Pose]) -> f64 {
        let (right, up) = poses
            .iter()
            .fold((0.0, 0.0), |(right, up), pose| (right + (pose.rotation * Vector3::z()).y, up + (pose.rotation * Vector3::y()).y));
        let error = f64::atan2(right, up);
        self.error.map_or(error, |before| error + TAU * ((before - error) / TAU).round())
    }

    /// What the muscles of a block of that size strive for, if the reflex has them.
    pub fn muscles(&self, size: &Vector3<f64>) -> Option<Muscles> {
        if self.bend == 0.0 {
            return None;
        }
        let (sin, cos) = self.direction.sin_cos();
        let depth = CONTRACTION * eased(self.bend);
        let (right, top) = (depth * sin, depth * cos * (size.y / size.z).min(1.0));
        let side = |shorter: f64| size.x * (1.0 - shorter.max(0.0));
        Some(Muscles { left: side(-right), right: side(right), top: side(top), bottom: side(-top) })
    }
}

/// Without a jolt at either end.
fn eased(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}
