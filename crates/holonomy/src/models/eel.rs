//! An eel: a closed surface around a midline along which a wave grows towards the tail.
//!
//! Midline: y(x, t) = 0.125 L (x + 0.03125)/1.03125 sin 2π(x − t/T), x in lengths from the head; cross-sections: ellipses. The midline is
//! that of Kern and Koumoutsakos 2006 (J. Exp. Biol. 209:4841), the cross-sections are slimmer than theirs. The length along the midline
//! stays the same: its points are walked along the curve, not along x.

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
    /// Largest half width of the body over the length.
    pub width: f64,
    /// Largest half height of the body over the length.
    pub height: f64,
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
        Eel {
            length: 1.0,
            rings: 64,
            around: 20,
            width: 0.03,
            height: 0.045,
            amplitude: 0.125,
            waves: 1.0,
            period: 1.0,
            strokes: 3,
            glide: 0.0,
        }
    }
}

impl Eel {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per loop: one wave or, if it glides, one burst and its
    /// glide.
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
            let left = Vector3::y().cross(&along).normalize() * (self.length * self.half_width(s));
            let up = Vector3::y() * (self.length * self.half_height(s));
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
        0.5 * (1.0 - (PI * x).cos())
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("period", self.period)?;
        gait::finite("waves", self.waves)?;
        Error::unless((0.0..=0.3).contains(&self.amplitude), "amplitude", self.amplitude, "from 0 to 0.3 lengths")?;
        gait::below("width", self.width, 0.1, "between 0 and 0.1 lengths")?;
        gait::below("height", self.height, 0.1, "between 0 and 0.1 lengths")?;
        Error::unless(self.glide >= 0.0 && self.glide.is_finite(), "glide", self.glide, "zero or more seconds")?;
        Error::unless(self.strokes >= 1, "strokes", self.strokes as f64, "at least 1")?;
        Error::unless((4..=10_000).contains(&self.rings), "rings", self.rings as f64, "from 4 to 10000")?;
        Error::unless((3..=10_000).contains(&self.around), "around", self.around as f64, "from 3 to 10000")
    }

    /// Half width over length: a round head, a slow taper, a thin tail.
    fn half_width(&self, s: f64) -> f64 {
        let (head, tail, thin) = (0.05, 0.95, 0.2);
        let share = if s < head {
            (1.0 - (1.0 - s / head).powi(2)).sqrt()
        } else if s < tail {
            1.0 + (thin - 1.0) * (s - head) / (tail - head)
        } else {
            thin * ((1.0 - s) / (1.0 - tail)).sqrt()
        };
        self.width * share
    }

    /// Half height over length: a round head no higher than wide, then the height of body and fin, which closes at the tip of the tail.
    fn half_height(&self, s: f64) -> f64 {
        let body = 0.65 + 0.35 * gait::smooth((s - 0.05) / 0.35);
        let front = (1.0 - (1.0 - (s / 0.06).min(1.0)).powi(2)).sqrt();
        let rear = (1.0 - ((s - 0.4) / 0.6).max(0.0).powi(2)).sqrt();
        self.height * body * front * rear
    }
}
