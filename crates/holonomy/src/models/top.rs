//! A rigid body with three different moments of inertia, which tumbles when spun about the middle one (Dzhanibekov's nut).

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, MassRule, Topology};

/// Six equal point masses that do not move against each other. The principal axes are X, Y and Z.
///
/// Three pairs ±p_i with p_i = √(C/2m) q_i, where C holds the second moments and the q_i are orthonormal, have exactly the moments asked
/// for. For moments (1, 2, 3), where the first two sum to the third, the body is flat: a stretched hexagon.
#[derive(Debug, Clone, PartialEq)]
pub struct Top {
    /// Moments of inertia about X, Y and Z, kg m².
    pub moments: [f64; 3],
    /// Mass of the whole, kg.
    pub mass: f64,
    /// Seconds the clip lasts.
    pub duration: f64,
}

impl Default for Top {
    fn default() -> Self {
        Top { moments: [1.0, 2.0, 3.0], mass: 3.0, duration: 40.0 }
    }
}

impl Top {
    /// The body, the same in every frame, at about `fps` frames per second.
    ///
    /// # Errors
    /// A parameter is out of range; no body has these moments.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        let points = self.points()?;
        gait::sequence(Topology::Points, 6, [self.duration, fps], |_| points.to_vec())
    }

    /// The mass of each point, kg.
    pub fn masses(&self) -> MassRule {
        MassRule::Given(vec![self.mass / 6.0; 6])
    }

    fn points(&self) -> Result<[Vector3<f64>; 6], Error> {
        gait::positive("mass", self.mass)?;
        let [x, y, z] = self.moments;
        // Second moments: I_x = C_y + C_z, and so around.
        let second = [0.5 * (y + z - x), 0.5 * (z + x - y), 0.5 * (x + y - z)];
        for (name, i) in ["moment about x", "moment about y", "moment about z"].into_iter().zip(0..3) {
            gait::positive(name, self.moments[i])?;
            gait::accept(second[i] >= 0.0, name, self.moments[i], "at most the sum of the other two, each of which must be too")?;
        }
        let [a, b, c] = second.map(|s| (3.0 * s / self.mass).sqrt());
        let (third, half) = ((1.0_f64 / 3.0).sqrt(), 0.5_f64.sqrt());
        let sixth = third * half;
        let pairs = [[2.0 * sixth, 0.0, third], [-sixth, half, third], [-sixth, -half, third]];
        let points = pairs.map(|[p, q, r]| Vector3::new(a * p, b * q, c * r));
        Ok([points[0], -points[2], points[1], -points[0], points[2], -points[1]])
    }
}
