//! How fast a swimmer goes, and what that costs it, once both have become steady.
//!
//! Fang 2015, App. C: speed v_s and work against water per time r_e swing with every stroke, and rise at first; so both are means over whole strokes, those of the second half of a run.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::motion::{Figure, Quantity};

/// v_s: way of the centre over whole strokes, over their time.
pub const STEADY_SPEED: Quantity = Quantity::new("steady_speed", "m/s");
/// r_e: work against water over whole strokes, over their time (Fang 2015, Eq. C.2).
pub const STEADY_POWER: Quantity = Quantity::new("steady_power", "W");
/// By how much the speed of the later half of these strokes differs from that of the earlier half, over the speed: how steady it is.
pub const UNSTEADINESS: Quantity = Quantity::new("unsteadiness", "");

/// Whole strokes so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Strokes(Vec<Mark>);

/// The end of one stroke and start of the next.
#[derive(Debug, Clone)]
struct Mark {
    /// Which stroke, counted from 0.
    stroke: f64,
    time: f64,
    centre: Vector3<f64>,
    /// Work against water so far, J.
    work: f64,
}

impl Strokes {
    /// Looks at a swimmer after a tick: the phase of its first block, radians.
    pub(super) fn watch(&mut self, phase: f64, time: f64, centre: Vector3<f64>, work: f64) {
        let stroke = (phase / TAU).floor();
        if self.0.last().is_none_or(|last| stroke > last.stroke) {
            self.0.push(Mark { stroke, time, centre, work });
        }
    }

    /// Speed and power over the strokes of the second half; none if fewer than two are whole.
    pub(super) fn figures(&self, end: f64) -> Vec<Figure> {
        let later: Vec<&Mark> = self.0.iter().filter(|mark| mark.time >= 0.5 * end).collect();
        let (Some(first), Some(last)) = (later.first(), later.last()) else { return Vec::new() };
        let speed = |from: &Mark, to: &Mark| (to.centre - from.centre).norm() / (to.time - from.time);
        let middle = later[later.len() / 2];
        if later.len() < 3 || last.work == first.work {
            return Vec::new();
        }
        let steady = speed(first, last);
        vec![
            STEADY_SPEED.figure(steady),
            STEADY_POWER.figure((last.work - first.work) / (last.time - first.time)),
            UNSTEADINESS.figure((speed(middle, last) - speed(first, middle)).abs() / steady.max(f64::MIN_POSITIVE)),
        ]
    }
}
