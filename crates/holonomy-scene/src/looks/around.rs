//! What water, food and trails around the bodies look like.

use holonomy::motion::Matter;

use super::{Color, Looks};
use crate::picture::Drawn;

/// Blue-green.
const WATER: Color = [0.10, 0.42, 0.50];
/// Bright green.
const FOOD: Color = [0.38, 0.80, 0.16];
/// Violet.
const TRAIL: Color = [0.60, 0.45, 0.82];

/// How much of water is there in a viewer, 0 to 1; the rest is what is behind it. Pictures go by how deep it is.
pub(crate) const WATER_OPACITY: f64 = 0.62;

/// The colour of what is not a body.
pub(crate) fn color(matter: Matter) -> Option<Color> {
    match matter {
        Matter::Body => None,
        Matter::Water => Some(WATER),
        Matter::Food => Some(FOOD),
        Matter::Trail => Some(TRAIL),
    }
}

/// How many times as coarse as a body's the shape may be stored: nobody measures ripples in a viewer.
pub(crate) fn coarser(matter: Matter) -> f64 {
    if matter == Matter::Water { 4.0 } else { 1.0 }
}

impl Drawn<'_> {
    /// The same for a track of this matter: water and food have colours of their own.
    pub(crate) fn of_matter(self, matter: Matter) -> Self {
        match color(matter) {
            Some(color) => Looks { color, ..self.looks }.into(),
            None => self,
        }
    }
}
