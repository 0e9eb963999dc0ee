//! Shallow water on a staggered grid: waves, beaches, islands, borders that reflect or swallow waves, rain, bodies that wade and swim, and
//! wakes of those whose way is known.
//!
//! Fang 2015, App. B and Sec. 5.3, corrected as docs/ERRATA.md says (F10 to F18). The water is a height field: hydrostatic pressure, a velocity that is
//! the same all the way down, no breaking waves. Stated for the surface h, the bottom b and the depth d = h − b,
//!
//! ```text
//! ∂d/∂t + ∂(d u)/∂x + ∂(d w)/∂z = 0         Du/Dt = −g ∂h/∂x         Dw/Dt = −g ∂h/∂z
//! ```
//!
//! Heights are kept at the middles of cells, u at their faces of constant x, w at those of constant z (Fang 2015, Fig. B.1). One step finds the new
//! velocities from the old heights (advection, then pressure), then the new heights from the fluxes of the new velocities. What carries the momentum
//! is a choice, [`Scheme`].
//!
//! The surface is what is stored, not the depth: so water at rest has no slope at all, not even of round-off, and stays at rest for ever. A face has
//! the higher of the two bottoms beside it, and sees only what stands above: dry ground does not push, and a pillar or a wall is ground that is
//! never flooded.
//!
//! ```
//! use holonomy::water::{Border, Borders, Water};
//!
//! let water = Water { cells: [60, 40], cell: 0.1, borders: Borders::all(Border::Absorbing), ..Water::default() };
//! // A beach along x that rises out of the water, and a pillar.
//! let ground = |x: f64, z: f64| if (x - 2.0).hypot(z - 2.0) < 0.3 { f64::INFINITY } else { 0.3 * x - 1.0 };
//! let mut state = water.start([0.0, 0.0], ground)?;
//! state.set_surface(|x, z| 0.1 * (-10.0 * ((x - 1.0).powi(2) + (z - 1.0).powi(2))).exp())?;
//! for _ in 0..100 {
//!     water.step(&mut state, 1.0 / 60.0)?;
//! }
//! assert!(state.surface(1.0, 1.0).abs() < 0.1);
//! # Ok::<(), holonomy::Error>(())
//! ```

mod bodies;
mod borders;
mod footprint;
mod frames;
mod grid;
mod heights;
mod hull;
mod momentum;
mod rain;
mod ripples;
mod rows;
mod sample;
mod shift;
mod state;
mod trace;
mod wake;

pub use bodies::{Coupling, Push};
pub use footprint::Footprint;
pub use frames::SurfaceFrames;
pub use hull::Hull;
pub use rain::{Drops, Rain, RainState};
pub use ripples::Ripple;
pub use state::WaterState;
pub use wake::{Wake, WakeState, Waked};

use crate::Error;
use grid::Grid;

/// What a side of the grid does to waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Border {
    /// A wall: no flow through it, waves come back (Fang 2015, Eqs. B.28 and B.29).
    #[default]
    Reflecting,
    /// The sea goes on: waves leave (Higdon 1994, of first order; Fang 2015, Eq. B.31).
    Absorbing,
}

/// The four sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Borders {
    /// At low and at high x.
    pub x: [Border; 2],
    /// At low and at high z.
    pub z: [Border; 2],
}

impl Borders {
    /// All four alike.
    pub fn all(border: Border) -> Borders {
        Borders { x: [border; 2], z: [border; 2] }
    }
}

/// How water carries its velocity and its depth along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Momentum and volume are carried by the same fluxes, upwind, and neither is lost (Stelling and Duinmeijer 2003): bores run at their right speed.
    #[default]
    Conserving,
    /// Velocities are traced back (Fang 2015, Eqs. B.22 and B.25 to B.27, with the midpoint rule), the depth goes by fluxes: volume is kept,
    /// momentum is not. Fine for ripples; the bore of a broken dam is too slow by 6 to 23 %.
    Traced,
    /// As in Fang 2015: the depth is traced back as well, then Eq. B.24. Keeps neither: of a closed pool 2 % of the volume went in 2000 steps.
    Printed,
}

/// A sheet of water: its grid, borders and physics. What changes is the [`WaterState`].
#[derive(Debug, Clone, PartialEq)]
pub struct Water {
    /// Cells along x and z.
    pub cells: [usize; 2],
    /// Side of a cell, metres.
    pub cell: f64,
    /// Acceleration of gravity, m/s², downwards.
    pub gravity: f64,
    /// Mass per volume of water, kg/m³: for what it does to bodies.
    pub density: f64,
    /// Height at which the water rests, metres: where it stands at the start, and to which bodies are taken to be immersed.
    pub level: f64,
    /// What the sides do.
    pub borders: Borders,
    /// How momentum and depth are carried.
    pub scheme: Scheme,
}

impl Default for Water {
    /// 200 × 200 cells of 0.4 m, as in Fang 2015, App. B.
    fn default() -> Self {
        Water {
            cells: [200, 200],
            cell: 0.4,
            gravity: crate::medium::GRAVITY,
            density: 1000.0,
            level: 0.0,
            borders: Borders::default(),
            scheme: Scheme::default(),
        }
    }
}

/// More cells than this are refused: they would not fit into memory.
const MOST_CELLS: usize = 1 << 25;

/// Parts into which [`Water::step`] divides a step, at most.
const MOST_PARTS: usize = 100;

/// Heights and positions beyond this are refused, metres.
const FARTHEST: f64 = 1e9;

/// What the loops over rows need to know of a step.
#[derive(Clone, Copy)]
struct Numbers {
    /// Δt / Δx, s/m.
    ratio: f64,
    /// g Δt / Δx, 1/s.
    pull: f64,
    /// Water that stands no higher than this over a face does not flow, metres.
    dry: f64,
}

impl Water {
    /// Checks the numbers.
    ///
    /// # Errors
    /// No cells or too many, or a number out of range.
    pub fn validate(&self) -> Result<(), Error> {
        for count in self.cells {
            Error::unless(count >= 2, "count of water cells along a side", count as f64, "2 or more")?;
        }
        let count = self.cells[0].saturating_mul(self.cells[1]);
        Error::unless(count <= MOST_CELLS, "count of water cells", count as f64, "33 million or fewer: take larger cells")?;
        Error::unless(self.cell.is_finite() && self.cell > 0.0, "side of a water cell", self.cell, "greater than 0 metres")?;
        Error::unless_zero_or_more("gravity on the water", self.gravity)?;
        Error::unless(self.density.is_finite() && self.density > 0.0, "density of the water", self.density, "greater than 0 kg/m³")?;
        Error::unless(self.level.abs() <= FARTHEST, "level of the water", self.level, "a height within a million kilometres")
    }

    /// Water at rest at its level over a bottom, metres, that is a function of x and z; where it is infinite stands a pillar. The grid's corner of least
    /// x and z is at `origin`.
    ///
    /// # Errors
    /// As [`validate`](Water::validate); a bottom that is NaN or lower than all measure; an origin that is not finite.
    pub fn start(&self, origin: [f64; 2], bottom: impl Fn(f64, f64) -> f64) -> Result<WaterState, Error> {
        self.validate()?;
        WaterState::new(self, origin, &bottom)
    }

    /// The longest step that is stable, seconds: Δx / (√2 c + |u| + |w|), with the fastest waves c = √(g d) and velocities that there are. Infinite if
    /// nothing moves and nothing could.
    ///
    /// Waves alone allow c Δt √(1/Δx² + 1/Δz²) ≤ 1. Tracing back does not lift this limit; with the velocities in it, traces stay within a cell,
    /// so that they need no search.
    pub fn stable_step(&self, state: &WaterState) -> f64 {
        let fastest = state.fastest();
        self.cell / ((2.0 * self.gravity * fastest.depth).sqrt() + fastest.speed[0] + fastest.speed[1])
    }

    /// One step of `duration` seconds. If that is longer than [`stable_step`](Water::stable_step), it is divided into parts that are not; returns how many.
    ///
    /// # Errors
    /// The state is of other water, the duration is not positive, or it is more than 100 times the stable step.
    pub fn step(&self, state: &mut WaterState, duration: f64) -> Result<usize, Error> {
        self.check(state)?;
        Error::unless(duration.is_finite() && duration > 0.0, "step of the water", duration, "greater than 0 seconds")?;
        const TOO_LONG: &str = "at most 100 times the stable step: see Water::stable_step";
        Error::unless(duration <= MOST_PARTS as f64 * self.stable_step(state), "step of the water", duration, TOO_LONG)?;
        let (mut left, mut parts) = (duration, 0);
        loop {
            let further = (left / self.stable_step(state)).ceil().max(1.0);
            parts += 1;
            Error::unless(parts + (further as usize) < 10 * MOST_PARTS, "step of the water", duration, TOO_LONG)?;
            let part = left / further;
            self.advance(state, part);
            if further <= 1.0 {
                return Ok(parts);
            }
            left -= part;
        }
    }

    /// The same of a step that is stable: the algorithm (Fang 2015, App. D).
    fn advance(&self, state: &mut WaterState, duration: f64) {
        let numbers = Numbers { ratio: duration / self.cell, pull: self.gravity * duration / self.cell, dry: 1e-6 * self.cell };
        borders::restore(state, &self.borders);
        // 1. Advection and 2. pressure: velocities and fluxes, from one buffer of faces into the other.
        if self.scheme == Scheme::Printed {
            trace::depth(state, numbers);
            borders::restore(state, &self.borders);
        }
        let speed = match self.scheme {
            Scheme::Conserving => momentum::velocities(state, numbers),
            Scheme::Traced | Scheme::Printed => trace::velocities(state, numbers),
        };
        // 3. Heights.
        if self.scheme != Scheme::Printed && 2.0 * numbers.ratio * (speed[0] + speed[1]) > 1.0 {
            heights::limit_outflow(state, numbers);
        }
        borders::mirror_faces(&state.grid, &mut state.next);
        std::mem::swap(&mut state.faces, &mut state.next);
        let depth = match self.scheme {
            Scheme::Printed => heights::by_divergence(state, numbers),
            Scheme::Conserving | Scheme::Traced => heights::by_fluxes(state, numbers),
        };
        // 5. Borders.
        borders::radiate(state, self, duration);
        state.remember(rows::Fastest { speed, depth });
    }

    /// Refuses the state of other water.
    fn check(&self, state: &WaterState) -> Result<(), Error> {
        self.validate()?;
        if state.grid != Grid::new(self.cells) {
            let [found, expected] = [state.grid.cells, self.cells].map(|cells| cells[0] * cells[1]);
            return Err(Error::Length { what: "cells of the water's state", expected, found });
        }
        Error::unless(state.cell == self.cell, "side of a water cell", self.cell, "that with which the state was started")
    }
}
