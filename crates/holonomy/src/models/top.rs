//! A rigid body with three different moments of inertia, which tumbles when spun about the middle one (Dzhanibekov's nut).

use nalgebra::{UnitQuaternion, Vector3};

use super::gait;
use crate::Error;
use crate::shape::{Bone, Clip, Joint, Playback, Rig, Topology};

/// A T-handle of uniform rods: a bar along X, a stem along −Y from its middle and, unless the moments are those of a flat body, a pin along
/// Z through the same place. The principal axes are X, Y and Z.
///
/// For moments (1, 2, 3), where the first two sum to the third, the body is flat, and the stem lies along the middle axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Top {
    /// Moments of inertia about X, Y and Z, kg m².
    pub moments: [f64; 3],
    /// Mass of the whole, kg; a third of it is the stem's.
    pub mass: f64,
    /// Seconds the clip lasts.
    pub duration: f64,
}

impl Default for Top {
    fn default() -> Self {
        Top { moments: [1.0, 2.0, 3.0], mass: 3.0, duration: 40.0 }
    }
}

/// Joints: the middle of the bar, its ends, the end of the stem, the ends of the pin.
const JOINTS: [&str; 6] = ["Hub", "Left", "Right", "Stem", "Front", "Back"];
/// A uniform rod's radius of gyration over its length, √(1/12).
const ROD: f64 = 0.288_675_134_594_812_9;

impl Top {
    /// The body, the same in every frame, at about `fps` frames per second.
    ///
    /// # Errors
    /// A parameter is out of range; no body has these moments.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        let second = self.second_moments()?;
        let (places, bones) = self.rods(second);
        let steps = gait::sequence_steps(self.duration, fps, places.len())?;
        let joint = |(i, name): (usize, &&str)| Joint { name: (*name).into(), parent: (i > 0).then_some(0) };
        let joints = JOINTS.iter().take(places.len()).enumerate().map(joint).collect();
        let (dt, vertices) = (self.duration / steps as f64, places.len());
        let upright = vec![UnitQuaternion::identity(); vertices * (steps + 1)];
        Clip::new(Topology::Rig(Rig { joints, bones, skin: None }), Playback::Once, dt, vertices, places.repeat(steps + 1))?
            .with_orientations(upright)
    }

    /// Rods with the second moments Σ m x², Σ m y², Σ m z², and their joints about the centre of mass.
    ///
    /// A rod of mass m and length l has m l²/12 along itself. The stem's own, with bar and pin at its end, is
    /// m l² (1/12 + (1 − share)/4), where share is its share of the whole mass.
    fn rods(&self, [x, y, z]: [f64; 3]) -> (Vec<Vector3<f64>>, Vec<Bone>) {
        let stem = self.mass / 3.0;
        let flat = z <= 1e-12 * (x + y);
        let [bar, pin] = if flat { [2.0 * stem, 0.0] } else { [stem; 2] };
        let length = |second: f64, mass: f64, share: f64| (second / (mass * share)).sqrt();
        let half_bar = 0.5 * length(x, bar, ROD * ROD);
        let stem_length = length(y, stem, ROD * ROD + 0.25 * (1.0 - stem / self.mass));
        let hub = Vector3::y() * (0.5 * stem_length * stem / self.mass);
        let aside = Vector3::x() * half_bar;
        let mut places = vec![hub, hub + aside, hub - aside, hub - Vector3::y() * stem_length];
        let rod = |from, to, mass, gyration| Bone { from, to, mass, center: 0.5, gyration, longitudinal_gyration: 0.0 };
        let mut bones = vec![rod(1, 2, bar, ROD), rod(0, 3, stem, ROD)];
        if !flat {
            let ahead = Vector3::z() * (0.5 * length(z, pin, ROD * ROD));
            places.extend([hub + ahead, hub - ahead]);
            bones.push(rod(4, 5, pin, ROD));
        }
        (places, bones)
    }

    fn second_moments(&self) -> Result<[f64; 3], Error> {
        gait::positive("mass", self.mass)?;
        let [x, y, z] = self.moments;
        // I_x = C_y + C_z, and so around.
        let second = [0.5 * (y + z - x), 0.5 * (z + x - y), 0.5 * (x + y - z)];
        for (name, i) in ["moment about x", "moment about y", "moment about z"].into_iter().zip(0..3) {
            gait::positive(name, self.moments[i])?;
            Error::unless(second[i] >= 0.0, name, self.moments[i], "at most the sum of the other two, each of which must be too")?;
        }
        Ok(second)
    }
}
