//! A snake in a narrow place: it folds up behind, holds on with the folds, and stretches out in front.
//!
//! The folds stand still in the body; what travels, from head to tail, is how tightly they are drawn. A folded stretch lies across the
//! way and so grips where sliding along is easier than sliding across; a straight stretch lies along it and slips. Thus the folds
//! anchor the body while the rest moves on (Gray 1946: the concertina movement).

use std::f64::consts::TAU;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// A snake on the ground plane, in place, as one loop of folding and stretching. Vertex 0 is the tip of the head, which looks along +Z.
///
/// The body's direction at the fraction s of its length from the head is turned by
/// `fold · (1 + cos 2π(s − t/period))/2 · cos 2π folds s`. Edges keep their length.
#[derive(Debug, Clone, PartialEq)]
pub struct Concertina {
    /// Length along the body, metres.
    pub length: f64,
    /// Vertices along the body.
    pub vertices: usize,
    /// Folds along the body; whole numbers keep the heading.
    pub folds: f64,
    /// Turn of the body at the tightest fold, radians.
    pub fold: f64,
    /// Seconds for one pull.
    pub period: f64,
}

impl Default for Concertina {
    fn default() -> Self {
        Concertina { length: 1.0, vertices: 121, folds: 6.0, fold: 80_f64.to_radians(), period: 2.0 }
    }
}

impl Concertina {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("length", self.length)?;
        gait::positive("folds", self.folds)?;
        gait::finite("fold", self.fold)?;
        Error::unless(self.vertices >= 2, "vertices", self.vertices as f64, "at least 2")?;
        gait::cycle(Topology::Curve { closed: false }, self.vertices, [self.period, fps], |phase| {
            let drawn = |s: f64| 0.5 * (1.0 + (TAU * (s - phase)).cos());
            let turn = |s: f64| self.fold * drawn(s) * (TAU * self.folds * s).cos();
            gait::chain(self.length, self.vertices - 1, |s| gait::heading(turn(s)))
        })
    }
}
