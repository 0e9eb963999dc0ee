//! A paper helicopter: a strip of paper, cut, folded and weighted with a paper clip (Soliman 2024, Fig. 11).

use nalgebra::Vector3;

use super::assembly::Assembly;
use super::{gait, pieces};
use crate::Error;
use crate::shape::Material;

/// A paper copter, stem down. Its stem and band lie in the plane z = 0, facing +Z. The blade at x < 0 is folded to +Z, the one at x > 0 to −Z;
/// falling along −Y, it turns about −Y. The origin is the centre of mass.
///
/// The lower part of the strip is folded in thirds to a stem; those three layers act on the air as one, so they are one sheet of three times
/// the weight.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperCopter {
    /// Of the strip of paper, metres.
    pub width: f64,
    /// Of the strip of paper, metres.
    pub length: f64,
    /// Of the strip of paper, kg.
    pub paper_mass: f64,
    /// How deep the upper end is cut into two blades, metres.
    pub blade_length: f64,
    /// What is left between blades and stem at full width, metres.
    pub band: f64,
    /// By how much the blades rise from fold to tip, radians.
    pub blade_angle: f64,
    /// Of the paper clip at the lower end of the stem, kg; 0: none.
    pub clip_mass: f64,
    /// Sides of the box that stands for the clip, along X, Y and Z, metres.
    pub clip_size: [f64; 3],
}

impl Default for PaperCopter {
    fn default() -> Self {
        PaperCopter {
            width: 0.04,
            length: 0.16,
            paper_mass: 0.5e-3,
            blade_length: 0.07,
            band: 0.01,
            blade_angle: 0.35,
            clip_mass: 1e-3,
            clip_size: [0.008, 0.02, 0.0012],
        }
    }
}

/// Cells over the width of the strip: a multiple of two, for the blades, and of three, for the folds of the stem.
const CELLS: usize = 12;

impl PaperCopter {
    /// The body. Part 0 is blades and band, part 1 the stem, part 2 the paper clip, if there is one.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        self.validate()?;
        let mut body = Assembly::default();
        let surface_density = self.paper_mass / (self.width * self.length);
        let (paper, labels) = self.paper();
        let [single, triple] = [1.0, 3.0].map(|layers| Material::Shell { surface_density: surface_density * layers });
        body.add_labelled(paper, &labels, &[single, triple]);
        if self.clip_mass > 0.0 {
            let [x, y, z] = self.clip_size;
            let center = Vector3::y() * (0.5 * y - self.band - self.stem());
            let density = self.clip_mass / (x * y * z);
            body.add(pieces::cuboid(self.clip_size, [4, 10, 1], center), Material::Solid { density });
        }
        Ok(body.centred()?.0)
    }

    /// The folded paper, its fold line at height 0, welded along the folds; for each face 0, or 1 on the stem.
    fn paper(&self) -> (pieces::Mesh, Vec<u32>) {
        let cell = self.width / CELLS as f64;
        let rows_over = |length: f64| ((length / cell).round() as usize).max(1);
        let across = |j: usize| self.width * (j as f64 / CELLS as f64 - 0.5);
        // Columns run towards −X. What faced +Z before folding faces down on the blade at x < 0 and up on the other.
        let part = |columns: std::ops::Range<usize>, length: f64, place: &dyn Fn(f64, f64) -> Vector3<f64>| {
            let rows = rows_over(length);
            let row = |i: usize| columns.clone().rev().map(|j| place(across(j), length * i as f64 / rows as f64)).collect();
            pieces::loft(&(0..=rows).map(row).collect::<Vec<_>>()).0
        };
        let (rise, reach) = self.blade_angle.sin_cos();
        let blade = |side: f64| move |x: f64, out: f64| Vector3::new(x, out * rise, side * out * reach);
        let flat = |x: f64, down: f64| Vector3::new(x, -down, 0.0);
        let half = CELLS / 2;
        let upper = [part(0..half + 1, self.blade_length, &blade(1.0)), part(half..CELLS + 1, self.blade_length, &blade(-1.0))];
        let band = turned(part(0..CELLS + 1, self.band, &flat));
        let stem = turned(part(CELLS / 3..2 * CELLS / 3 + 1, self.stem(), &|x, down| flat(x, down + self.band)));
        let single = upper.iter().chain([&band]).map(|mesh| mesh.1.len()).sum();
        let mut labels = vec![0; single];
        labels.resize(single + stem.1.len(), 1);
        let [left, right] = upper;
        (pieces::welded(&[left, right, band, stem]), labels)
    }

    /// Length of the stem, metres.
    fn stem(&self) -> f64 {
        self.length - self.blade_length - self.band
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("width", self.width)?;
        gait::positive("length", self.length)?;
        gait::positive("paper_mass", self.paper_mass)?;
        gait::positive("band", self.band)?;
        gait::positive("blade_length", self.blade_length)?;
        let room = self.length - self.band;
        Error::unless(self.blade_length < room, "blade_length", self.blade_length, "short enough to leave paper for band and stem")?;
        Error::unless(self.blade_angle.abs() <= 1.5, "blade_angle", self.blade_angle, "at most 1.5 radians either way")?;
        Error::unless(self.clip_mass >= 0.0 && self.clip_mass.is_finite(), "clip_mass", self.clip_mass, "zero or more kilograms")?;
        self.clip_size.iter().try_for_each(|&side| gait::positive("clip_size", side))?;
        let cells = (self.length / self.width) * CELLS as f64;
        Error::unless(cells <= 1e4, "length", self.length, "at most 800 times the width")
    }
}

/// The faces turned round.
fn turned((points, faces): pieces::Mesh) -> pieces::Mesh {
    (points, faces.iter().map(|&[a, b, c]| [a, c, b]).collect())
}
