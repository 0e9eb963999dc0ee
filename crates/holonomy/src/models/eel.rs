//! An eel: a closed surface around a midline along which a wave grows towards the tail.
//!
//! Midline: y(x, t) = 0.125 L (x + 0.03125)/1.03125 sin 2π(x − t/T), x in lengths from the head; cross-sections: ellipses of half width and half
//! height w(s), h(s). Both after Kern and Koumoutsakos 2006 (J. Exp. Biol. 209:4841). The length along the midline stays the
//! same: its points are walked along the curve, not along x.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// An eel, in place, as one loop. Its head looks along +Z; it bends in the plane of Z and X.
#[derive(Debug, Clone, PartialEq)]
pub struct Eel {
    /// Length along the midline, metres.
    pub length: f64,
    /// Cross-sections along the body.
    pub rings: usize,
    /// Vertices around each.
    pub around: usize,
    /// Sideways reach of the tail over the length.
    pub amplitude: f64,
    /// Waves on the body.
    pub waves: f64,
    /// Seconds for one wave to pass.
    pub period: f64,
    /// Strokes of a burst, if it glides after them.
    pub strokes: usize,
    /// Seconds it glides, straight, after each burst; 0: it swims on and on, and `strokes` says nothing.
    pub glide: f64,
}

impl Default for Eel {
    fn default() -> Self {
        Eel { length: 1.0, rings: 64, around: 20, amplitude: 0.125, waves: 1.0, period: 1.0, strokes: 3, glide: 0.0 }
    }
}

impl Eel {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per loop: one wave or, if it glides, one burst and its glide.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let faces = gait::tube_faces(self.rings, self.around);
        let vertices = gait::tube_vertices(self.rings, self.around);
        let burst = if self.glide > 0.0 { self.strokes as f64 * self.period } else { self.period };
        let span = burst + self.glide;
        gait::cycle(Topology::Surface { faces }, vertices, [span, fps], |phase| {
            let time = phase * span;
            self.shape(time / self.period, self.vigour(time, burst))
        })
    }

    /// How much of the full wave there is at `time`: with a glide it grows and fades over half a stroke.
    fn vigour(&self, time: f64, burst: f64) -> f64 {
        let fade = 0.5 * self.period;
        if self.glide > 0.0 { gait::smooth(time / fade) * gait::smooth((burst - time) / fade) } else { 1.0 }
    }

    fn shape(&self, passed: f64, vigour: f64) -> Vec<Vector3<f64>> {
        let midline = self.midline(passed, vigour);
        let mut points = vec![midline[0]];
        for i in 1..=self.rings {
            let (s, along) = (self.station(i), midline[i - 1] - midline[i + 1]);
            let left = Vector3::y().cross(&along).normalize() * (self.length * half_width(s));
            let up = Vector3::y() * (self.length * half_height(s));
            points.extend((0..self.around).map(|j| {
                let (c, s) = gait::around_ring(j, self.around);
                midline[i] + left * c + up * s
            }));
        }
        points.push(midline[self.rings + 1]);
        gait::centred(points)
    }

    /// Points of the midline at each station, from the tip of the head to the tip of the tail; their distances do not change.
    fn midline(&self, passed: f64, vigour: f64) -> Vec<Vector3<f64>> {
        let slope = |x: f64| {
            let (growth, turn) = ((x + 0.03125) / 1.03125, TAU * (self.waves * x - passed));
            vigour * self.amplitude * (turn.sin() / 1.03125 + growth * TAU * self.waves * turn.cos())
        };
        let (mut x, mut tip) = (0.0, Vector3::zeros());
        let mut points = vec![tip];
        for i in 1..self.rings + 2 {
            let step = self.station(i) - self.station(i - 1);
            // Midpoint rule for dx/ds = 1/√(1 + y'²).
            let middle = x + 0.5 * step / 1.0_f64.hypot(slope(x));
            let run = 1.0 / 1.0_f64.hypot(slope(middle));
            tip += Vector3::new(slope(middle) * run, 0.0, -run) * (step * self.length);
            x += run * step;
            points.push(tip);
        }
        points
    }

    /// The fraction of the length at ring `i` (0 and rings + 1 are the tips), closer at the ends, where the body is round.
    fn station(&self, i: usize) -> f64 {
        let x = i as f64 / (self.rings + 1) as f64;
        0.6 * x + 0.4 * 0.5 * (1.0 - (PI * x).cos())
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("period", self.period)?;
        gait::finite("waves", self.waves)?;
        gait::accept((0.0..=0.3).contains(&self.amplitude), "amplitude", self.amplitude, "from 0 to 0.3 lengths")?;
        gait::accept(self.glide >= 0.0 && self.glide.is_finite(), "glide", self.glide, "zero or more seconds")?;
        gait::accept(self.strokes >= 1, "strokes", self.strokes as f64, "at least 1")?;
        gait::accept((4..=10_000).contains(&self.rings), "rings", self.rings as f64, "from 4 to 10000")?;
        gait::accept((3..=10_000).contains(&self.around), "around", self.around as f64, "from 3 to 10000")
    }
}

/// Half width over length: a round head, a slow taper, a thin tail.
fn half_width(s: f64) -> f64 {
    let (head, tail, thin) = (0.04, 0.95, 0.01);
    if s < head {
        (2.0 * head * s - s * s).sqrt()
    } else if s < tail {
        head + (thin - head) * (s - head) / (tail - head)
    } else {
        thin * ((1.0 - s) / (1.0 - tail)).sqrt()
    }
}

/// Half height over length: nearly an ellipse, round at the head, closing at the tip of the tail.
fn half_height(s: f64) -> f64 {
    let (middle, height) = (0.51, 0.08);
    let ellipse = height * (1.0 - ((s - middle) / middle).powi(2)).max(0.0).sqrt();
    ellipse * ((1.0 - s) / 0.03).min(1.0).sqrt()
}
