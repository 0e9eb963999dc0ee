//! What the head decides: how fast to go, and where to turn.
//!
//! Fang 2015, Sec. 4.4, with its five modes, and one of ours for trails. Priorities, the first that holds: ADJUSTMENT, CONTROL, AVOIDANCE, TROPHOTROPISM, trail, RANDOM-WALK.
//!
//! Not in the thesis: a creature that gets nowhere. If its head has not left a circle for `patience` seconds, it turns on the spot, by a quarter to a half turn to alternate sides, and goes straight on
//! for a while ([`BrainState::escapes`] counts). If that does not help three times in a row, it says that it is stuck, and goes on trying. So it does
//! if it finds no ground for its feet for `patience` seconds.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector3;

use crate::Error;
use crate::random::Random;

/// What the head decides by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brain {
    /// Going straight, m/s.
    pub speed: f64,
    /// Turning, rad/s at most.
    pub turn_rate: f64,
    /// Random turns are no larger than this, radians.
    pub wander: f64,
    /// Smell of food that is followed, Σ s/r².
    pub food_threshold: f64,
    /// Substance per square metre that is followed.
    pub trail_threshold: f64,
    /// How long it goes straight on after an obstacle is no longer felt, seconds.
    pub avoid_time: f64,
    /// How long it may stay within one place or come no nearer to its food, seconds.
    pub patience: f64,
    /// It stops and finds its feet again if fewer than this part of its legs stand. It starts when half of them do, or after two seconds with that part.
    pub least_support: f64,
}

impl Default for Brain {
    fn default() -> Self {
        Brain {
            speed: 0.1,
            turn_rate: 2.0,
            wander: 1.0,
            food_threshold: 1.0,
            trail_threshold: 1e-3,
            avoid_time: 0.6,
            patience: 10.0,
            least_support: 0.2,
        }
    }
}

/// What the head is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Most legs have no ground yet: the head moves as dynamics tells.
    Adjustment,
    /// Random turns.
    RandomWalk,
    /// Away from what an antenna touches.
    Avoidance,
    /// Towards food.
    Trophotropism,
    /// Along a trail.
    Trail,
    /// As told from outside.
    Control,
}

/// What a user tells a creature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Command {
    /// Forward, m/s; legs walk forward only, so that less than 0 counts as 0.
    pub speed: f64,
    /// To the left, rad/s.
    pub turn: f64,
}

/// What is known to the head in a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Senses {
    /// Part of the legs that stand, 0 to 1.
    pub support: f64,
    /// Whether the left and the right antenna touch something.
    pub contact: [bool; 2],
    /// Whether the head itself is about to run into something: it does not go on, but may turn.
    pub blocked: bool,
    /// Direction in which the smell of food grows, if it is over the threshold: radians to the left of straight ahead.
    pub food: Option<f64>,
    /// Amounts of trail substance at the left and the right antenna.
    pub trail: [f64; 2],
    /// From outside.
    pub command: Option<Command>,
    /// Where the head is, metres, world.
    pub place: Vector3<f64>,
    /// Radius of a circle in which one gets nowhere, metres.
    pub confines: f64,
    /// Seconds.
    pub time_step: f64,
}

/// What the head does: forward m/s, and to the left, rad/s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Decision {
    /// Forward, m/s.
    pub speed: f64,
    /// About the head's y axis, rad/s: to the left.
    pub turn: f64,
}

/// What the head remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct BrainState {
    /// What it is about.
    pub mode: Mode,
    /// How often in a row it tried to get out of one place.
    pub escapes: usize,
    /// What is left of a random turn or an escape, radians to the left.
    turn_left: f64,
    /// 1: obstacles are passed to their left; −1: to their right.
    avoid_side: f64,
    /// Until AVOIDANCE ends, seconds.
    avoid_left: f64,
    /// Whether `turn_left` is that of an escape.
    escaping: bool,
    /// The middle of the circle that it has not left.
    anchor: Vector3<f64>,
    /// For how long, seconds.
    lingered: f64,
    /// How long it has been in ADJUSTMENT, seconds.
    adjusting: f64,
    /// Whether that is longer than its patience.
    pub(super) groundless: bool,
}

/// Escapes in a row after which it says that it is stuck.
const STUCK: usize = 3;

/// How long it waits for half of its legs to stand, seconds. On a ridge they never will: then it goes on with those that do.
const SETTLE: f64 = 2.0;

/// Speed while it turns on the spot, over that of going straight.
const CREEP: f64 = 0.25;

impl Brain {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless_zero_or_more("speed of a creature", self.speed)?;
        Error::unless_zero_or_more("turn rate of a creature", self.turn_rate)?;
        Error::unless_zero_or_more("random turn of a creature", self.wander)?;
        Error::unless_zero_or_more("threshold of food", self.food_threshold)?;
        Error::unless_zero_or_more("threshold of trails", self.trail_threshold)?;
        Error::unless_zero_or_more("time to walk past an obstacle", self.avoid_time)?;
        Error::unless(self.patience > 0.0, "patience of a creature", self.patience, "greater than 0 seconds")?;
        Error::unless((0.0..=0.5).contains(&self.least_support), "least support of a creature", self.least_support, "0 to 0.5")
    }

    /// One tick.
    pub(super) fn decide(&self, state: &mut BrainState, senses: &Senses, random: &mut Random) -> Decision {
        self.notice_progress(state, senses, random);
        state.mode = self.mode(state, senses);
        let mut decision = match state.mode {
            Mode::Adjustment => Decision::default(),
            Mode::Control => self.obey(senses),
            Mode::Avoidance => self.avoid(state, senses),
            Mode::Trophotropism => self.approach(senses.food.unwrap_or(0.0)),
            Mode::Trail => self.track(senses),
            Mode::RandomWalk => self.wander(state, senses, random),
        };
        if senses.blocked {
            decision.speed = 0.0;
        }
        decision
    }

    /// The first of the modes that holds.
    fn mode(&self, state: &mut BrainState, senses: &Senses) -> Mode {
        let waits = state.mode == Mode::Adjustment && state.adjusting < SETTLE;
        let enough = if waits { 0.5 } else { self.least_support };
        if senses.support < enough {
            state.adjusting += senses.time_step;
            state.groundless = state.adjusting > self.patience;
            return Mode::Adjustment;
        }
        (state.adjusting, state.groundless) = (0.0, false);
        if senses.command.is_some() {
            return Mode::Control;
        }
        self.feel(state, senses);
        if state.avoid_left > 0.0 || state.escaping {
            Mode::Avoidance
        } else if senses.food.is_some() {
            Mode::Trophotropism
        } else if senses.trail[0].max(senses.trail[1]) > self.trail_threshold {
            Mode::Trail
        } else {
            Mode::RandomWalk
        }
    }

    /// A touch sets the side on which the obstacle is passed. The left antenna has priority if both touch; and while one obstacle is being passed the side stays, or a corner would turn the
    /// head to and fro.
    fn feel(&self, state: &mut BrainState, senses: &Senses) {
        let [left, right] = senses.contact;
        if left || right {
            if state.avoid_left <= 0.0 {
                state.avoid_side = if left { -1.0 } else { 1.0 };
            }
            state.avoid_left = self.avoid_time;
        } else {
            state.avoid_left -= senses.time_step;
        }
    }

    fn obey(&self, senses: &Senses) -> Decision {
        let Some(command) = senses.command else { return Decision::default() };
        let sound = |x: f64| if x.is_finite() { x } else { 0.0 };
        Decision { speed: sound(command.speed).max(0.0), turn: sound(command.turn) }
    }

    /// Turns away while there is a touch, then straight past; or on the spot, to escape.
    fn avoid(&self, state: &mut BrainState, senses: &Senses) -> Decision {
        if state.escaping {
            let step = self.turn_rate * senses.time_step;
            let turn = state.turn_left.min(step).max(-step);
            state.turn_left -= turn;
            if state.turn_left == 0.0 {
                state.escaping = false;
                state.avoid_left = self.avoid_time;
            }
            return Decision { speed: CREEP * self.speed, turn: turn / senses.time_step };
        }
        if senses.contact[0] || senses.contact[1] {
            Decision { speed: CREEP * self.speed, turn: state.avoid_side * self.turn_rate }
        } else {
            Decision { speed: self.speed, turn: 0.0 }
        }
    }

    /// The more to the side it smells from the slower, so that no circle is wider than the way to the food.
    fn approach(&self, bearing: f64) -> Decision {
        Decision { speed: self.speed * bearing.cos().max(CREEP), turn: self.steered(4.0 * bearing) }
    }

    /// To the side that has more of it.
    fn track(&self, senses: &Senses) -> Decision {
        let [left, right] = senses.trail;
        let lean = (left - right) / (left + right);
        Decision { speed: self.speed * (1.0 - 0.5 * lean.abs()), turn: self.steered(4.0 * self.turn_rate * lean) }
    }

    fn wander(&self, state: &mut BrainState, senses: &Senses, random: &mut Random) -> Decision {
        let step = self.turn_rate * senses.time_step;
        let turn = state.turn_left.min(step).max(-step);
        state.turn_left -= turn;
        if state.turn_left == 0.0 {
            state.turn_left = self.wander * random.signed();
        }
        Decision { speed: self.speed, turn: turn / senses.time_step }
    }

    fn steered(&self, turn: f64) -> f64 {
        turn.min(self.turn_rate).max(-self.turn_rate)
    }

    /// Whether the head got anywhere; if not for long, an escape begins.
    fn notice_progress(&self, state: &mut BrainState, senses: &Senses, random: &mut Random) {
        let idle = state.mode == Mode::Adjustment || senses.command.is_some_and(|command| command.speed <= 0.0 || command.speed.is_nan());
        if idle || (senses.place - state.anchor).norm() >= senses.confines {
            *state = BrainState { anchor: senses.place, lingered: 0.0, escapes: 0, ..state.clone() };
            return;
        }
        state.lingered += senses.time_step;
        if state.lingered > self.patience {
            state.lingered = 0.0;
            state.escapes += 1;
            state.escaping = true;
            let side = if state.escapes.is_multiple_of(2) { 1.0 } else { -1.0 };
            state.turn_left = side * (FRAC_PI_2 + (PI - FRAC_PI_2) * random.unit());
        }
    }
}

impl BrainState {
    pub(super) fn start() -> BrainState {
        BrainState {
            mode: Mode::Adjustment,
            escapes: 0,
            turn_left: 0.0,
            avoid_side: 1.0,
            avoid_left: 0.0,
            escaping: false,
            anchor: Vector3::repeat(f64::INFINITY),
            lingered: 0.0,
            adjusting: 0.0,
            groundless: false,
        }
    }

    /// It has got somewhere, if not far: a meal.
    pub(super) fn rewarded(&mut self) {
        (self.lingered, self.escapes) = (0.0, 0);
    }

    /// Whether it has tried in vain to get out of one place.
    pub fn stuck(&self) -> bool {
        self.escapes >= STUCK
    }
}
