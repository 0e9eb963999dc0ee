//! Where a segment that its legs carry goes next: the Follower and the Balancer.
//!
//! Fang 2015, Sec. 4.2 and Fig. 4.2, corrected (docs/ERRATA.md, F19 and F20): steps are exponential, always towards the goal, and turns end at it.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | c, R | `pose` | centre and axes of the segment |
//! | l, l⁰ | `link`, `rest` | from the segment to its leader; its length at rest |
//! | k1, k2 | `follow_rate`, `balance_rate` | how fast length and height come right, 1/s |
//! | ω | `turn_rate` | how fast the axes turn at most, rad/s |
//! | n, h, h_T | `surface`, `height` | of the terrain at c: its normal, the height of c above it, and the height wanted |

use nalgebra::{UnitQuaternion, Vector3};

use crate::Error;
use crate::lie::{Pose, Rotation};
use crate::medium::terrain::Nearest;

/// The rates at which segments go to their goals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Targeter {
    /// k1: at which the link to the leader gets its length, 1/s.
    pub follow_rate: f64,
    /// k2: at which the segment gets its height, 1/s.
    pub balance_rate: f64,
    /// ω: at which it turns at most about each of its axes, rad/s.
    pub turn_rate: f64,
}

impl Targeter {
    /// Refuses rates that are not positive.
    ///
    /// # Errors
    /// The rate, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = |name, rate: f64| Error::unless(rate.is_finite() && rate > 0.0, name, rate, "greater than 0");
        positive("follow rate", self.follow_rate)?;
        positive("balance rate", self.balance_rate)?;
        positive("turn rate of segments", self.turn_rate)
    }

    /// The Follower: towards the right distance from the leader, x axis towards it.
    pub fn follow(&self, pose: &Pose, leader: &Vector3<f64>, rest: f64, time_step: f64) -> Pose {
        let link = leader - pose.translation;
        let length = link.norm();
        if length == 0.0 {
            return *pose;
        }
        let translation = pose.translation + link * (share(self.follow_rate, time_step) * (length - rest) / length);
        let ahead = pose.rotation.inverse() * (leader - translation);
        Pose { rotation: turned(&pose.rotation, Vector3::y(), self.clipped((-ahead.z).atan2(ahead.x), time_step)), translation }
    }

    /// The Balancer: towards the right height above the surface, y axis towards its normal.
    pub fn balance(&self, pose: &Pose, surface: &Nearest, height: f64, time_step: f64) -> Pose {
        let n = surface.normal;
        let translation = pose.translation - n * (share(self.balance_rate, time_step) * (surface.distance - height));
        let up = pose.rotation.inverse() * n;
        let pitched = turned(&pose.rotation, Vector3::z(), self.clipped((-up.x).atan2(up.y), time_step));
        Pose { rotation: turned(&pitched, Vector3::x(), self.clipped(up.z.atan2(up.y), time_step)), translation }
    }

    /// The angle that is left, or as much of it as can be turned.
    fn clipped(&self, angle: f64, time_step: f64) -> f64 {
        let most = self.turn_rate * time_step;
        // Not `clamp`, which panics where there is no range.
        angle.min(most).max(-most)
    }
}

/// What a rate closes of a gap within the time.
fn share(rate: f64, time_step: f64) -> f64 {
    -(-rate * time_step).exp_m1()
}

/// Turned about one of its own axes.
pub(super) fn turned(rotation: &UnitQuaternion<f64>, axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let turn = UnitQuaternion::from_scaled_axis(axis * angle);
    (Rotation(*rotation) * Rotation(turn)).0
}
