//! A maple seed: a nut with one wing, which falls in autorotation (Soliman 2024, Figs. 1 and 10).
//!
//! Sizes and masses are those of *Acer* samaras in Azuma and Yasuda 1989 (J. Theor. Biol. 138:23): 0.05 to 0.15 g, 3 to 4 cm, of which the nut
//! is two thirds of the mass; the wing has a thick rib at its leading edge, which brings the centre of mass forward of the middle.

use nalgebra::{Rotation3, Vector3};

use super::assembly::Assembly;
use super::{gait, pieces};
use crate::Error;
use crate::shape::Material;
use crate::shape::surface::enclosed_volume;

/// A maple seed. The wing reaches from the nut along +X, its leading edge is at −Z, its upper side looks along +Y: falling along −Y, it turns
/// about +Y. The origin is the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct MapleSeed {
    /// From the far end of the nut to the tip of the wing, metres.
    pub span: f64,
    /// Of the wing at its widest, metres.
    pub chord: f64,
    /// Full axes of the nut along X, Y and Z, metres.
    pub nut_size: [f64; 3],
    /// Mass of the nut, kg.
    pub nut_mass: f64,
    /// Width of the rib at the leading edge over the chord.
    pub rib_width: f64,
    /// Of the rib, kg/m².
    pub rib_surface_density: f64,
    /// Of the membrane behind it, kg/m².
    pub membrane_surface_density: f64,
    /// Where the middle of the nut is, in chords behind the leading edge.
    pub nut_position: f64,
    /// By how much the leading edge is lower than the trailing edge at the root, radians.
    pub pitch: f64,
    /// The same at the tip, less that at the root, radians.
    pub twist: f64,
    /// Height of the middle of a section above its ends, over the chord.
    pub camber: f64,
    /// By how much the wing rises from root to tip, radians.
    pub coning: f64,
    /// Cells along the wing and across it.
    pub cells: [usize; 2],
}

impl Default for MapleSeed {
    fn default() -> Self {
        MapleSeed {
            span: 0.038,
            chord: 0.011,
            nut_size: [0.007, 0.004, 0.005],
            nut_mass: 50e-6,
            rib_width: 0.18,
            rib_surface_density: 0.45,
            membrane_surface_density: 0.035,
            nut_position: 0.2,
            pitch: 0.0,
            twist: 0.0,
            camber: 0.02,
            coning: 0.05,
            cells: [48, 16],
        }
    }
}

impl MapleSeed {
    /// The body. Part 0 is the nut, part 1 the rib, part 2 the membrane.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        self.validate()?;
        let mut body = Assembly::default();
        let nut = pieces::ellipsoid(self.nut_size, 3, Vector3::zeros());
        let density = self.nut_mass / enclosed_volume(&nut.0, &nut.1);
        body.add(nut, Material::Solid { density });
        let shells = [self.rib_surface_density, self.membrane_surface_density].map(|surface_density| Material::Shell { surface_density });
        let (wing, labels) = self.wing();
        body.add_labelled(wing, &labels, &shells);
        Ok(body.centred()?.0)
    }

    /// The wing, and for each face whether it is of the rib (0) or of the membrane (1). The nut's middle is the origin.
    fn wing(&self) -> (pieces::Mesh, Vec<u32>) {
        let [along, across] = self.cells;
        let rib_cells = ((across as f64 * self.rib_width).round() as usize).clamp(1, across - 1);
        let row = |i: usize| {
            let x = i as f64 / along as f64;
            // Even over the wing, closer at the round tip.
            let s = x + (1.0 - x) * x * x * 0.9;
            let section = |j: usize| {
                // From the trailing edge (1) to the leading edge (0), so that the sheet looks up.
                let k = across - j;
                let behind = if k <= rib_cells {
                    self.rib_width * k as f64 / rib_cells as f64
                } else {
                    self.rib_width + (1.0 - self.rib_width) * (k - rib_cells) as f64 / (across - rib_cells) as f64
                };
                self.place(s, behind)
            };
            if i == along { vec![self.place(1.0, 0.4)] } else { (0..=across).map(section).collect() }
        };
        let (mesh, columns) = pieces::loft(&(0..=along).map(row).collect::<Vec<_>>());
        let labels = columns.iter().map(|&j| u32::from(across - 1 - j >= rib_cells)).collect();
        (mesh, labels)
    }

    /// The point of the wing at the fraction `s` of its length and the fraction `behind` of the chord there behind the leading edge.
    fn place(&self, s: f64, behind: f64) -> Vector3<f64> {
        let root = 0.35 * self.nut_size[0]; // inside the nut
        let length = self.span - 0.5 * self.nut_size[0] - root;
        let (lead, chord) = self.edges(s);
        let lift = 4.0 * self.camber * chord * behind * (1.0 - behind);
        // The leading edge is the axis of pitch.
        let section = Vector3::new(0.0, lift, chord * behind);
        let turned = Rotation3::from_axis_angle(&Vector3::x_axis(), -(self.pitch + self.twist * s)) * section;
        let front = lead - self.nut_position * self.chord;
        let raised = Rotation3::from_axis_angle(&Vector3::z_axis(), self.coning) * (Vector3::x() * (length * s) + turned);
        Vector3::x() * root + raised + Vector3::z() * front
    }

    /// Distance of the leading edge behind the foremost line, and the chord, metres: a straight front, a swollen rear, a round tip.
    fn edges(&self, s: f64) -> (f64, f64) {
        let tip = (1.0 - ((s - 0.62).max(0.0) / 0.38).powi(2)).max(0.0).sqrt();
        let swell = 0.3 + 0.7 * gait::smooth(s / 0.62);
        let chord = self.chord * swell * tip;
        // The nut carries the narrow root behind the front line; the tip closes towards 0.4 of the chord.
        let lead = self.chord * (0.1 * (1.0 - gait::smooth(s / 0.5)) + 0.4 * (1.0 - tip));
        (lead, chord)
    }

    fn validate(&self) -> Result<(), Error> {
        self.nut_size.iter().try_for_each(|&side| gait::positive("nut_size", side))?;
        gait::positive("span", self.span)?;
        Error::unless(self.span > 1.5 * self.nut_size[0], "span", self.span, "more than 1.5 times the length of the nut")?;
        gait::positive("chord", self.chord)?;
        gait::positive("nut_mass", self.nut_mass)?;
        gait::below("rib_width", self.rib_width, 1.0, "between 0 and 1")?;
        gait::positive("rib_surface_density", self.rib_surface_density)?;
        gait::positive("membrane_surface_density", self.membrane_surface_density)?;
        Error::unless((0.0..=1.0).contains(&self.nut_position), "nut_position", self.nut_position, "from 0 to 1")?;
        for (name, angle) in [("pitch", self.pitch), ("twist", self.twist), ("coning", self.coning)] {
            Error::unless(angle.abs() <= 1.5, name, angle, "at most 1.5 radians either way")?;
        }
        Error::unless(self.camber.abs() <= 0.3, "camber", self.camber, "at most 0.3 chords either way")?;
        self.cells.iter().try_for_each(|&n| Error::unless((4..=1000).contains(&n), "cells", n as f64, "from 4 to 1000"))
    }
}
