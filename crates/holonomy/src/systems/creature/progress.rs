//! Whether a creature that wants to go on gets anywhere.
//!
//! Not in the thesis. The brain of who walks notices that its head stays in one place, and tries
//! to escape; this is for who looks at a run: it holds in water and on land, for who roams and for
//! who
//! is told where to go, whatever is in the way. It asks for way made, not for contact: a creature
//! that slides along a wall gets on.

use nalgebra::Vector3;

/// A time in which a creature wanted to go on, and did not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standstill {
    /// When it began, seconds since the first frame.
    pub since: f64,
    /// When the creature got away; none if it did not.
    pub until: Option<f64>,
    /// Where its head was, metres, world.
    pub place: Vector3<f64>,
    /// Whether it swam.
    pub afloat: bool,
}

/// What a creature is about in a tick.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Seconds.
    pub time: f64,
    /// Where its head is.
    pub head: Vector3<f64>,
    /// Way that it makes at least, if it gets on at all, metres, and in which time, seconds: whole
    /// strokes, so
    /// that a head that wags comes back. None if it does not want to go.
    pub wants: Option<[f64; 2]>,
    pub afloat: bool,
}

/// What is remembered of a creature's way.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Where the present measurement began, and when.
    mark: Option<(Vector3<f64>, f64)>,
    /// When the creature last got on.
    idle_since: Option<f64>,
    standstills: Vec<Standstill>,
}

/// So long without any way is a standstill, seconds.
const PATIENCE: f64 = 4.0;

impl Progress {
    /// Its standstills so far, of 4 seconds or more, in the order of time.
    pub fn standstills(&self) -> &[Standstill] {
        &self.standstills
    }

    pub(super) fn watch(&mut self, effort: &Effort) {
        let Some([least, span]) = effort.wants else {
            self.got_on(effort.time);
            self.mark = None;
            return;
        };
        let (from, began) = *self.mark.get_or_insert((effort.head, effort.time));
        // A little less: ticks add up with round-off.
        if effort.time - began < span * (1.0 - 1e-9) {
            return;
        }
        self.mark = Some((effort.head, effort.time));
        if (effort.head - from).norm() >= least {
            self.got_on(effort.time);
            return;
        }
        let since = *self.idle_since.get_or_insert(began);
        let stands = self.standstills.last().is_some_and(|last| last.until.is_none());
        if !stands && effort.time - since >= PATIENCE {
            self.standstills.push(Standstill { since, until: None, place: effort.head, afloat: effort.afloat });
        }
    }

    fn got_on(&mut self, time: f64) {
        self.idle_since = None;
        if let Some(last) = self.standstills.last_mut() {
            last.until.get_or_insert(time);
        }
    }
}

impl Standstill {
    /// The same in words.
    pub(super) fn told(&self) -> String {
        let Standstill { since, until, place, afloat } = self;
        let around = if *afloat { "in the water" } else { "out of the water" };
        let at = format!("near [{:.3}, {:.3}, {:.3}] m, {around}", place.x, place.y, place.z);
        match until {
            Some(until) => format!("it was stuck {at}, from {since:.1} to {until:.1} s"),
            None => format!(
                "it is stuck {at}, from {since:.1} s on: it wants to go on and makes no way; \
                 turn it before it gets there, or give it a way out"
            ),
        }
    }
}
