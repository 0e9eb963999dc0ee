//! A leaf: a thin curled sheet, as in Soliman 2024, Figs. 5 and 9.

use nalgebra::{Rotation3, Unit, Vector3};

use super::assembly::Assembly;
use super::{gait, pieces};
use crate::Error;
use crate::random::Random;
use crate::shape::Material;

/// A fallen leaf. Its midrib runs along Z, the tip at +Z; its faces look along +Y. The origin is the centre of mass.
///
/// Half of the width at the fraction s of the length is ∝ s^p (1 − s)^q. Curled, the sheet keeps its lengths along and across the midrib.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Of the blade along the midrib, metres.
    pub length: f64,
    /// Of the blade at its widest, across, metres.
    pub width: f64,
    /// Length of the stalk, metres; 0: none.
    pub stalk: f64,
    /// kg/m².
    pub surface_density: f64,
    /// Turn of the midrib from base to tip, radians; positive: both ends are bent up.
    pub curl_along: f64,
    /// Turn of the widest section from rim to rim, radians; positive: both rims are bent up.
    pub curl_across: f64,
    /// Turn of the tip about the midrib, against the base, radians.
    pub twist: f64,
    /// How much the seed changes outline, curl and twist: 0, not at all, to 1.
    pub variation: f64,
    /// Which leaf it is.
    pub seed: u64,
}

impl Default for Leaf {
    fn default() -> Self {
        Leaf {
            length: 0.08,
            width: 0.05,
            stalk: 0.015,
            surface_density: 0.08,
            curl_along: 0.5,
            curl_across: 0.7,
            twist: 0.0,
            variation: 1.0,
            seed: 1,
        }
    }
}

/// Cells along and across the blade.
const ALONG: usize = 32;
const ACROSS: usize = 20;
/// Width of the stalk over the width of the blade.
const STALK: f64 = 0.03;

/// What the seed makes of a leaf.
struct Variant {
    /// p and q of the outline.
    powers: [f64; 2],
    /// How much wider the left half is than the right one.
    lopsided: f64,
    along: f64,
    across: f64,
    twist: f64,
}

impl Leaf {
    /// The body. Part 0 is the blade, part 1 the stalk, if it has one.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        self.validate()?;
        let variant = self.variant();
        let material = Material::Shell { surface_density: self.surface_density };
        let mut body = Assembly::default();
        body.add(self.blade(&variant), material);
        if self.stalk > 0.0 {
            let half = 0.5 * STALK * self.width;
            // It starts a little inside the blade, which is narrow there.
            let strip = |u: f64, v: f64| self.place(&variant, -self.stalk + u * (self.stalk + 0.02 * self.length), half * (2.0 * v - 1.0));
            body.add(pieces::sheet([8, 2], strip), material);
        }
        Ok(body.centred()?.0)
    }

    fn blade(&self, variant: &Variant) -> pieces::Mesh {
        let [p, q] = variant.powers;
        let outline = |s: f64| s.powf(p) * (1.0 - s).powf(q);
        let widest = outline(p / (p + q));
        let row = |i: usize| {
            // Rows lie closer at the ends, where the outline is round.
            let x = i as f64 / ALONG as f64;
            let s = x - (std::f64::consts::TAU * x).sin() / 9.0;
            let half = 0.5 * self.width * outline(s) / widest;
            let across = |j: usize| {
                let v = 2.0 * j as f64 / ACROSS as f64 - 1.0;
                self.place(variant, s * self.length, half * v * (1.0 + variant.lopsided * v.signum()))
            };
            match i {
                0 | ALONG => vec![self.place(variant, x * self.length, 0.0)],
                _ => (0..=ACROSS).map(across).collect::<Vec<_>>(),
            }
        };
        pieces::loft(&(0..=ALONG).map(row).collect::<Vec<_>>()).0
    }

    /// The point at `along` metres from the base of the blade and `aside` metres left of the midrib, on the curled sheet.
    fn place(&self, variant: &Variant, along: f64, aside: f64) -> Vector3<f64> {
        let [turn, rib] = arc(along - 0.5 * self.length, variant.along / self.length);
        let [_, section] = arc(aside, variant.across / self.width);
        let forward = Vector3::new(0.0, turn[1], turn[0]);
        let spin = Rotation3::from_axis_angle(&Unit::new_unchecked(forward), variant.twist * (along / self.length - 0.5));
        let up = forward.cross(&Vector3::x());
        Vector3::new(0.0, rib[1], rib[0]) + spin * (Vector3::x() * section[0] + up * section[1])
    }

    fn variant(&self) -> Variant {
        let mut random = Random(self.seed);
        let mut vary = |by: f64| self.variation * by * random.signed();
        Variant {
            powers: [0.65 * (1.0 + vary(0.3)), 1.0 + vary(0.3)],
            lopsided: vary(0.08),
            along: self.curl_along * (1.0 + vary(0.6)),
            across: self.curl_across * (1.0 + vary(0.6)),
            twist: self.twist + vary(0.12),
        }
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("width", self.width)?;
        Error::unless(self.stalk >= 0.0 && self.stalk.is_finite(), "stalk", self.stalk, "zero or more metres")?;
        gait::positive("surface_density", self.surface_density)?;
        let curl = "at most 3 radians either way";
        Error::unless(self.curl_along.abs() <= 3.0, "curl_along", self.curl_along, curl)?;
        Error::unless(self.curl_across.abs() <= 3.0, "curl_across", self.curl_across, curl)?;
        Error::unless(self.twist.abs() <= 3.0, "twist", self.twist, curl)?;
        Error::unless((0.0..=1.0).contains(&self.variation), "variation", self.variation, "from 0 to 1")
    }
}

/// At `distance` along an arc of this curvature: its direction and its place, each as (forward, up).
fn arc(distance: f64, curvature: f64) -> [[f64; 2]; 2] {
    let turn = distance * curvature;
    let (sin, cos) = turn.sin_cos();
    // sin x / x and (1 − cos x) / x, by their series where they would cancel.
    let [ahead, rise] = if turn.abs() < 1e-4 { [1.0 - turn * turn / 6.0, 0.5 * turn] } else { [sin / turn, (1.0 - cos) / turn] };
    [[cos, sin], [distance * ahead, distance * rise]]
}
