//! The wake of a body whose way is known: it makes waves, and they do not push it.
//!
//! The body's part under water is a [`Hull`]: it squeezes water out before it and lets it fall in behind ([`Coupling::Displacing`]), so the volume of water is kept. In
//! water of depth d waves go at c = √(g d), whatever their length. A body that is slower sends them ahead; one that goes at v > c drags a wedge behind it, whose sides
//! make the angle asin(c/v) with its way, as those of Mach.
//!
//! ```
//! use holonomy::lie::Pose;
//! use holonomy::nalgebra::{UnitQuaternion, Vector3};
//! use holonomy::water::{Hull, Wake, Water};
//!
//! let water = Water { cells: [80, 40], cell: 0.1, ..Water::default() };
//! let wake = Wake { water, middle: [4.0, 0.0], hull: Hull::cuboid([0.6, 0.2, 0.3], -0.1), points: 40 };
//! let way: Vec<Pose> = (0..20).map(|k| Pose { rotation: UnitQuaternion::identity(), translation: Vector3::x() * (1.0 + 0.15 * k as f64) }).collect();
//! let seen = wake.follow(&way, 0.05, |_, _| -0.3, &mut |_, _| std::ops::ControlFlow::Continue(()))?;
//! assert!(seen.checks.iter().all(|check| check.pass()));
//! # Ok::<(), holonomy::Error>(())
//! ```

use std::ops::ControlFlow;

use super::{Border, Borders, Coupling, Footprint, Hull, SurfaceFrames, Water, WaterState};
use crate::Error;
use crate::lie::{Pose, Twist};
use crate::motion::{Check, Track};

/// Water, and a body that goes through it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wake {
    /// The water.
    pub water: Water,
    /// The middle of its grid, x and z, metres.
    pub middle: [f64; 2],
    /// What of the body is in it.
    pub hull: Hull,
    /// Points of the surface that are kept along the longer side, at most.
    pub points: usize,
}

/// The water behind a body that is on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeState {
    /// The water.
    pub sea: WaterState,
    /// Volume of water at first, m³.
    pub volume: f64,
    /// How deep the hull was at most, over the depth of the water that would be there without it: 1 runs aground.
    pub deepest: f64,
    /// Whether some of the hull was ever beyond the water.
    pub left: bool,
}

/// What is to be seen of a wake, and what was measured.
#[derive(Debug, Clone)]
pub struct Waked {
    /// The surface, a frame for each pose.
    pub track: Track,
    /// Water lost or gained, where walls keep it; how near the hull came to the bottom.
    pub checks: Vec<Check>,
    /// What is to be said of the run.
    pub warnings: Vec<String>,
}

/// The hull goes no further than this part of a cell between two steps of the water.
const FARTHEST_STEP: f64 = 0.5;

impl Wake {
    /// The water all around the body's way: a frame for each of `poses`, which are `dt` seconds apart. `bottom` is as for [`Water::start`]. `progress` is told
    /// (frame, frames); if it stops the work, the water stays as it is from then on.
    ///
    /// # Errors
    /// As [`Wake::begin`] and [`Wake::step`].
    pub fn follow(
        &self,
        poses: &[Pose],
        dt: f64,
        bottom: impl Fn(f64, f64) -> f64,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Waked, Error> {
        let none = Error::Empty { what: "the way of a body with a wake", fix: "give at least one pose" };
        let mut state = self.begin(poses.first().ok_or(none.clone())?, bottom)?;
        let longer = self.water.cells[0].max(self.water.cells[1]);
        let mut frames =
            SurfaceFrames::new(self.water.level, self.water.cells.map(|side| self.points.saturating_mul(side).div_ceil(longer)));
        frames.keep(&state.sea);
        let (mut stopped, mut warnings) = (false, Vec::new());
        for (k, pair) in poses.windows(2).enumerate() {
            stopped = stopped || progress(k + 1, poses.len() - 1).is_break();
            if !stopped {
                self.step(&mut state, &pair[0], &pair[1], dt).map_err(|error| error.in_frame(k + 1))?;
            }
            frames.keep(&state.sea);
        }
        if stopped {
            warnings.push("the wake was stopped: the water stands still from then on".into());
        }
        if state.left {
            warnings.push("the body left the water; take a larger size of the waves".into());
        }
        let track = frames.track(dt)?.ok_or(none)?;
        Ok(Waked { track, checks: self.checks(&state), warnings })
    }

    /// The water at rest around a body that is put into it without a splash.
    ///
    /// # Errors
    /// As [`Water::start`]; a pose that is not finite.
    pub fn begin(&self, pose: &Pose, bottom: impl Fn(f64, f64) -> f64) -> Result<WakeState, Error> {
        let half = [0, 1].map(|axis| 0.5 * self.water.cells[axis] as f64 * self.water.cell);
        let mut sea = self.water.start([self.middle[0] - half[0], self.middle[1] - half[1]], bottom)?;
        let hull = self.hull.footprints(pose, &Twist::zero());
        self.water.immerse(&mut sea, &hull)?;
        let mut state = WakeState { volume: sea.volume(), sea, deepest: 0.0, left: false };
        self.watch(&mut state, &hull);
        Ok(state)
    }

    /// Goes on for `duration` seconds, in which the body goes from one pose to the next at a constant velocity.
    ///
    /// # Errors
    /// As [`Water::couple`] and [`Water::step`]; a pose that is not finite.
    pub fn step(&self, state: &mut WakeState, from: &Pose, to: &Pose, duration: f64) -> Result<(), Error> {
        Error::unless(duration.is_finite() && duration > 0.0, "step of the water", duration, "greater than 0 seconds")?;
        let way = (from.inverse() * *to).log();
        let hull = self.hull.footprints(from, &(way * (1.0 / duration)));
        let fastest = hull.iter().map(|part| part.velocity[0].hypot(part.velocity[1])).fold(0.0, f64::max);
        let shortest = self.water.stable_step(&state.sea).min(FARTHEST_STEP * self.water.cell / fastest);
        // What is too many is left to the water to refuse.
        let parts = (duration / shortest).ceil().clamp(1.0, MOST_PARTS);
        let part = duration / parts;
        for k in 1..=parts as usize {
            let pose = *from * Pose::exp(&(way * (k as f64 / parts)));
            let hull = self.hull.footprints(&pose, &(way * (1.0 / duration)));
            self.water.couple(&mut state.sea, &hull, Coupling::Displacing, part)?;
            self.water.step(&mut state.sea, part)?;
            self.watch(state, &hull);
        }
        Ok(())
    }

    /// What is looked at after every step.
    fn watch(&self, state: &mut WakeState, hull: &[Footprint]) {
        let (origin, cells) = (state.sea.origin(), state.sea.cells());
        for part in hull {
            let [x, z] = part.center;
            let inside = |axis: usize| (0.0..cells[axis] as f64 * self.water.cell).contains(&(part.center[axis] - origin[axis]));
            if !inside(0) || !inside(1) {
                state.left = true;
                continue;
            }
            let depth = self.water.level - state.sea.bottom(x, z);
            let draught = self.water.level - part.bottom;
            if draught > 0.0 {
                state.deepest = state.deepest.max(if depth > 0.0 { draught / depth } else { f64::INFINITY });
            }
        }
    }

    fn checks(&self, state: &WakeState) -> Vec<Check> {
        let mut checks = vec![Check { name: "draught of the hull, in depths of the water", value: state.deepest, tolerance: 1.0 }];
        if self.water.borders == Borders::all(Border::Reflecting) && state.volume > 0.0 {
            let off = (state.sea.volume() - state.volume).abs() / state.volume;
            checks.push(Check { name: "water lost or gained", value: off, tolerance: 1e-10 });
        }
        checks
    }
}

/// Parts into which a step is divided, at most.
const MOST_PARTS: f64 = 1e4;
