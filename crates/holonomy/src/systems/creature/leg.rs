//! A leg: three rigid links that turn as told, forwards and backwards in closed form.
//!
//! Fang 2015, Sec. 3.4 and Fig. 3.4. All links lie in one plane, which turns about the vertical of the segment.
//!
//! Leg frame: origin at the root, x forward, y up, z **out** of the body. It is the segment's frame on the right side; on the left its z is mirrored.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | O, M, N, P | `joints` | root, knee, ankle, tip |
//! | l1, l2, l3 | `lengths` | of OM, MN, NP |
//! | θ | `sweep` | turn of the leg's plane, forward positive |
//! | α | `lift` | of OM, up from the horizontal |
//! | β, γ | `knee`, `ankle` | bends downward at M and N; γ is fixed |
//! | b, off | `shank`, `droop` | length of MP, and by how much it hangs below MN |

use nalgebra::Vector3;

use crate::Error;

/// Lengths and the fixed bend of a leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    lengths: [f64; 3],
    ankle: f64,
    shank: f64,
    droop: f64,
}

/// How the joints of a leg are turned, radians.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LegAngles {
    /// θ: turn of the leg's plane about the segment's vertical; 0 straight out, positive forward.
    pub sweep: f64,
    /// α: of the first link, up from the horizontal.
    pub lift: f64,
    /// β: bend downward at the knee.
    pub knee: f64,
}

/// Which side of the body a leg is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Towards −z of the segment.
    Left,
    /// Towards +z of the segment.
    Right,
}

impl Side {
    /// Both, in the order in which legs are stored.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// A vector of the leg frame in the axes of the segment, or back: the same mirror.
    pub fn mirrored(self, vector: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Side::Left => Vector3::new(vector.x, vector.y, -vector.z),
            Side::Right => *vector,
        }
    }
}

impl LegAngles {
    /// From θ, α and β, radians.
    pub const fn new(sweep: f64, lift: f64, knee: f64) -> LegAngles {
        LegAngles { sweep, lift, knee }
    }

    /// Part of the way to `other`: 0 here, 1 there.
    pub fn towards(&self, other: &LegAngles, share: f64) -> LegAngles {
        let mix = |a: f64, b: f64| a + (b - a) * share;
        LegAngles { sweep: mix(self.sweep, other.sweep), lift: mix(self.lift, other.lift), knee: mix(self.knee, other.knee) }
    }

    /// The largest turn any joint has to make to `other`, radians.
    pub fn apart(&self, other: &LegAngles) -> f64 {
        (self.sweep - other.sweep).abs().max((self.lift - other.lift).abs()).max((self.knee - other.knee).abs())
    }

    /// Whether all three are finite.
    pub fn is_finite(&self) -> bool {
        self.sweep.is_finite() && self.lift.is_finite() && self.knee.is_finite()
    }
}

impl Leg {
    /// From the lengths of its links, metres, and the fixed bend γ at the ankle, radians.
    ///
    /// # Errors
    /// A length is not positive, or the bend is not within a right angle.
    pub fn new(lengths: [f64; 3], ankle: f64) -> Result<Leg, Error> {
        for length in lengths {
            Error::unless(length.is_finite() && length > 0.0, "length of a leg's link", length, "greater than 0 metres")?;
        }
        Error::unless((0.0..=1.6).contains(&ankle), "bend of a leg's ankle", ankle, "0 to 1.6 radians")?;
        let [_, l2, l3] = lengths;
        let (along, down) = (l2 + l3 * ankle.cos(), l3 * ankle.sin());
        Ok(Leg { lengths, ankle, shank: along.hypot(down), droop: down.atan2(along) })
    }

    /// l1, l2 and l3, metres.
    pub fn lengths(&self) -> [f64; 3] {
        self.lengths
    }

    /// Nearest and farthest that the tip can be from the root, metres.
    pub fn range(&self) -> [f64; 2] {
        [(self.lengths[0] - self.shank).abs(), self.lengths[0] + self.shank]
    }

    /// Root, knee, ankle and tip, metres, leg frame.
    pub fn joints(&self, angles: &LegAngles) -> [Vector3<f64>; 4] {
        let (sin, cos) = angles.sweep.sin_cos();
        let [l1, l2, l3] = self.lengths;
        let slopes = [angles.lift, angles.lift - angles.knee, angles.lift - angles.knee - self.ankle];
        let mut joints = [Vector3::zeros(); 4];
        for (k, length) in [l1, l2, l3].into_iter().enumerate() {
            let (up, out) = slopes[k].sin_cos();
            joints[k + 1] = joints[k] + Vector3::new(sin * out, up, cos * out) * length;
        }
        joints
    }

    /// Where the tip is, metres, leg frame.
    pub fn tip(&self, angles: &LegAngles) -> Vector3<f64> {
        // Knee to tip is one link of its own length: two sines less than the joints one by one.
        let (sin, cos) = angles.sweep.sin_cos();
        let (up, out) = angles.lift.sin_cos();
        let (below, beyond) = (angles.lift - angles.knee - self.droop).sin_cos();
        let reach = self.lengths[0] * out + self.shank * beyond;
        Vector3::new(reach * sin, self.lengths[0] * up + self.shank * below, reach * cos)
    }

    /// The angles that put the tip there (metres, leg frame), with the knee up; `None` where the leg cannot reach, or only with a knee bent upward (Fang 2015
    /// asks for a convex leg, β > 0).
    ///
    /// With P the tip, r = hypot(Px, Pz) and d = |P|:
    ///
    /// ```text
    /// θ = atan2(Px, Pz),   α = atan2(Py, r) + acos((l1² + d² − b²)/(2 l1 d)),   β = π − acos((l1² + b² − d²)/(2 l1 b)) − off
    /// ```
    pub fn angles(&self, tip: &Vector3<f64>) -> Option<LegAngles> {
        let (l1, b) = (self.lengths[0], self.shank);
        let r = tip.x.hypot(tip.z);
        let d = r.hypot(tip.y);
        let [nearest, farthest] = self.range();
        // Written so that what is not a number is out of reach too.
        if !(d >= nearest && d <= farthest && d > 0.0) {
            return None;
        }
        let corner = |adjacent: f64, opposite: f64| {
            ((l1 * l1 + adjacent * adjacent - opposite * opposite) / (2.0 * l1 * adjacent)).clamp(-1.0, 1.0).acos()
        };
        let lift = tip.y.atan2(r) + corner(d, b);
        let knee = std::f64::consts::PI - corner(b, d) - self.droop;
        (knee > 0.0).then(|| LegAngles { sweep: tip.x.atan2(tip.z), lift, knee })
    }
}
