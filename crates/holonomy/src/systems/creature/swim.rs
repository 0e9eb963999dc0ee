//! Muscles in time: the wave along the body that swims, and how a swimmer steers it by what it sees.
//!
//! Fang 2015, Secs. 5.4 and 5.5. Block i of the body has the phase θ_i; its sides rest at the shares
//!
//! ```text
//! s_left = |sin ½θ|,  s_right = |cos ½θ|,   length = rest · (1 − a c (1 − s))        c: contraction, a: how far the stroke has set in
//! ```
//!
//! of their span (ERRATA F8), so that s_left² + s_right² = 1 and one stroke takes 1/f. In the F-PS controller θ_i = θ_0 − i·ps and dθ_0/dt = 2πf. As an option the phases are
//! oscillators that pull each other there (Ijspeert 2008, "Central pattern generators", Eq. 1), so that changes of f and ps run through the body smoothly. To turn, one side is
//! made shorter (Sec. 5.4.1: towards the side that is less extended); up and down the same with top and bottom, which the thesis leaves to the future.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::economy::EconomyLine;
use super::senses::Food;
use crate::Error;
use crate::elastic::chain::Muscles;
use crate::lie::Pose;
use crate::medium::obstacle::Obstacle;
use crate::random::Random;

/// How a creature swims.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// f, Hz.
    pub frequency: f64,
    /// ps: by how much a block's phase lags behind that of the block ahead, radians.
    pub phase_shift: f64,
    /// If given, f and ps are not as above, but those of least power for the speed that is wanted (Fang 2015, App. C).
    pub cruise: Option<Cruise>,
    /// Share of its length that a muscle can lose: the thesis has ½.
    pub contraction: f64,
    /// What makes the phases.
    pub generator: Generator,
    /// How long the stroke takes to set in, seconds.
    pub onset: f64,
}

/// A speed to be swum at, with the least power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cruise {
    /// m/s; at another haste, that many times as fast.
    pub speed: f64,
    /// The strokes of least power.
    pub line: EconomyLine,
}

/// What makes the phases of the blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Generator {
    /// Frequency and phase shift, at once (Fang 2015, Sec. 5.4.1).
    Wave,
    /// Oscillators, each pulled by its neighbours at this rate, 1/s.
    Oscillators(f64),
}

/// What steers a stroke.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Steering {
    /// Full to the left 1, to the right −1.
    pub turn: f64,
    /// Full up 1, down −1.
    pub pitch: f64,
    /// Frequency over that of the stroke, or speed over that of its cruise; 0 rests.
    pub haste: f64,
}

/// Where a stroke is.
#[derive(Debug, Clone, PartialEq)]
pub struct StrokeState {
    /// θ of each block, radians.
    pub phases: Vec<f64>,
    /// a of each block, 0 to 1.
    pub onsets: Vec<f64>,
    /// What the steering has come to: it goes there within about a fifth of a stroke.
    pub steering: Steering,
    /// What f, Hz, and ps, radians, have come to: along a line of least power, f in the same time, ps within about a stroke, so that the tail does not jerk.
    pub pace: [f64; 2],
}

impl Default for Stroke {
    fn default() -> Self {
        Stroke { frequency: 2.0, phase_shift: 0.3 * PI, cruise: None, contraction: 0.5, generator: Generator::Wave, onset: 0.5 }
    }
}

impl Stroke {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless((0.0..=1000.0).contains(&self.frequency), "frequency of a stroke (Hz)", self.frequency, "0 to 1000")?;
        Error::unless(self.phase_shift.abs() <= PI, "phase shift of a stroke", self.phase_shift, "at most π radians either way")?;
        Error::unless((0.0..=0.8).contains(&self.contraction), "contraction of a muscle", self.contraction, "0 to 0.8 of its length")?;
        Error::unless_zero_or_more("onset of a stroke (s)", self.onset)?;
        if let Some(Cruise { speed, line }) = &self.cruise {
            Error::unless(*speed > 0.0 && speed.is_finite(), "speed of a stroke (m/s)", *speed, "finite and more than 0")?;
            line.validate()?;
        }
        match self.generator {
            Generator::Wave => Ok(()),
            Generator::Oscillators(rate) => Error::unless_zero_or_more("coupling of oscillators (1/s)", rate),
        }
    }

    /// Muscles at rest.
    pub fn start(&self, blocks: usize) -> StrokeState {
        let [_, phase_shift] = self.pace(1.0);
        let phases = (0..blocks).map(|i| -(i as f64) * phase_shift).collect();
        StrokeState { phases, onsets: vec![0.0; blocks], steering: Steering::default(), pace: [0.0, phase_shift] }
    }

    /// f, Hz, and ps, radians, at a haste.
    pub fn pace(&self, haste: f64) -> [f64; 2] {
        match &self.cruise {
            None => [self.frequency * haste, self.phase_shift],
            Some(Cruise { speed, line }) => line.at(speed * haste),
        }
    }

    /// The next `time_step` seconds: in blocks that are `active` the stroke sets in and goes on, in others the muscles relax.
    pub fn advance(&self, state: &mut StrokeState, wanted: &Steering, active: impl Fn(usize) -> bool, time_step: f64) {
        let rate = if self.onset > 0.0 { time_step / self.onset } else { 1.0 };
        for (block, onset) in state.onsets.iter_mut().enumerate() {
            *onset = (*onset + if active(block) { rate } else { -rate }).clamp(0.0, 1.0);
        }
        let [own, _] = self.pace(1.0);
        let near = |strokes: f64| 1.0 - (-time_step * own.max(0.5) / strokes).exp();
        let go = |from: f64, to: f64| from + near(0.2) * (to - from);
        let now = state.steering;
        state.steering = Steering {
            turn: go(now.turn, wanted.turn.clamp(-1.0, 1.0)),
            pitch: go(now.pitch, wanted.pitch.clamp(-1.0, 1.0)),
            haste: wanted.haste.max(0.0),
        };
        let [frequency, phase_shift] = self.pace(state.steering.haste);
        state.pace = match self.cruise {
            None => [frequency, phase_shift],
            Some(_) => [go(state.pace[0], frequency), state.pace[1] + near(1.0) * (phase_shift - state.pace[1])],
        };
        let Some(&head) = state.phases.first() else { return };
        let [frequency, phase_shift] = state.pace;
        let turned = TAU * frequency * time_step;
        match self.generator {
            Generator::Wave => {
                for (i, phase) in state.phases.iter_mut().enumerate() {
                    *phase = head + turned - i as f64 * phase_shift;
                }
            }
            Generator::Oscillators(rate) => {
                // From head to tail: each feels where the one ahead was, and where the one behind is, at the start of the tick.
                let (mut ahead, last) = (None, state.phases.len() - 1);
                for i in 0..=last {
                    let here = state.phases[i];
                    let from_ahead = ahead.map_or(0.0, |ahead: f64| (ahead - here - phase_shift).sin());
                    let from_behind = if i < last { (state.phases[i + 1] - here + phase_shift).sin() } else { 0.0 };
                    state.phases[i] = here + turned + rate * time_step * (from_ahead + from_behind);
                    ahead = Some(here);
                }
            }
        }
    }

    /// The rest shape of a block of that length, metres.
    pub fn muscles(&self, state: &StrokeState, block: usize, length: f64) -> Muscles {
        let (sin, cos) = (0.5 * state.phases.get(block).copied().unwrap_or(0.0)).sin_cos();
        let (Steering { turn, pitch, .. }, onset) = (state.steering, state.onsets.get(block).copied().unwrap_or(0.0));
        // A side that is steered to is extended less, by up to half.
        let side = |share: f64, steered: f64| length * (1.0 - onset * self.contraction * (1.0 - share * (1.0 - 0.5 * steered.max(0.0))));
        let end = |steered: f64| length * (1.0 - onset * self.contraction * 0.5 * steered.max(0.0));
        Muscles { left: side(sin.abs(), turn), right: side(cos.abs(), -turn), top: end(pitch), bottom: end(-pitch) }
    }
}

/// What a swimmer sees (Fang 2015, Sec. 5.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vision {
    /// How far food is seen, metres.
    pub range: f64,
    /// Half the angle of the fan in which it is, radians.
    pub half_angle: f64,
    /// How far obstacles alert, metres.
    pub alert_range: f64,
    /// Half the angle of the fan in which they do, radians.
    pub alert_half_angle: f64,
}

/// What a swimmer remembers of what it saw.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VisionState {
    /// The side it turns to while both sides are barred, chosen at random: 1 left, −1 right, 0 none.
    pub escape: f64,
}

impl Vision {
    /// For a body of that length, metres.
    pub fn of(length: f64) -> Vision {
        Vision { range: 6.0 * length, half_angle: 1.9, alert_range: 0.6 * length, alert_half_angle: 0.7 }
    }

    /// Where to turn and how fast to go, from the head's pose: away from what is near, else towards the nearest food that is seen, slower the nearer it is and the farther to
    /// the side; else straight on. Also the bearing of that food, radians to the left.
    pub(super) fn steer(
        &self,
        state: &mut VisionState,
        head: &Pose,
        foods: &[Food],
        obstacles: &[Obstacle],
        random: &mut Random,
    ) -> Steering {
        let barred = [1.0, -1.0].map(|side| {
            self.barred(head, side * 0.5 * self.alert_half_angle, obstacles) || self.barred(head, side * self.alert_half_angle, obstacles)
        });
        let straight = self.barred(head, 0.0, obstacles);
        match (barred, straight) {
            ([false, false], false) => state.escape = 0.0,
            ([true, true], _) | ([false, false], true) => {
                if state.escape == 0.0 {
                    state.escape = random.signed().signum();
                }
                return Steering { turn: state.escape, pitch: 0.0, haste: 0.7 };
            }
            ([left, _], _) => {
                state.escape = 0.0;
                return Steering { turn: if left { -1.0 } else { 1.0 }, pitch: 0.0, haste: 0.8 };
            }
        }
        let seen = foods.iter().filter(|food| food.strength > 0.0).map(|food| bearing(head, &food.place));
        let nearest = seen.filter(|(away, angle)| *away < self.range && angle.abs() < self.half_angle).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or(Steering { turn: 0.0, pitch: 0.0, haste: 0.8 }, |(away, angle)| {
            let turn = (1.5 * angle).clamp(-1.0, 1.0);
            let approach = (away / (0.3 * self.range)).clamp(0.5, 1.0);
            Steering { turn, pitch: 0.0, haste: approach * (1.0 - 0.3 * turn.abs()) }
        })
    }

    /// Whether something is in the way along a ray that leaves the head at an angle, radians to the left.
    fn barred(&self, head: &Pose, angle: f64, obstacles: &[Obstacle]) -> bool {
        let ray = head.rotation * Vector3::new(angle.cos(), 0.0, -angle.sin());
        // As far as the nearest obstacle is, nothing is in the way.
        let mut along = 0.0;
        for _ in 0..16 {
            let place = head.translation + ray * along;
            let gap = obstacles.iter().map(|obstacle| obstacle.distance(&place).value).fold(f64::INFINITY, f64::min);
            if gap <= 0.02 * self.alert_range {
                return true;
            }
            along += gap;
            if along >= self.alert_range {
                return false;
            }
        }
        true
    }
}

/// How far a place is from the head, metres, and how far to the left of straight ahead, radians.
pub(super) fn bearing(head: &Pose, place: &Vector3<f64>) -> (f64, f64) {
    let to = head.rotation.inverse() * (place - head.translation);
    (to.norm(), (-to.z).atan2(to.x))
}
