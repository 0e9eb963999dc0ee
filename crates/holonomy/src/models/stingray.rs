//! A stingray: a flat body whose wide fins pass a wave from front to rear.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// How one fin beats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fin {
    /// Height of the wave at the tip of the fin over its length from the middle, 0 to 1.
    pub amplitude: f64,
    /// How far its wave runs ahead, radians.
    pub phase: f64,
}

/// A stretch of a way: how the ray steers, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// From −1 (right) to 1 (left).
    pub turn: f64,
    /// From −1 (down) to 1 (up).
    pub climb: f64,
    /// Seconds.
    pub seconds: f64,
}

/// A stingray as a closed surface, in place, as one loop. Its head looks along +Z, its back is up, its left fin is at +X.
///
/// At a distance x from the middle, relative to the half span, the fin is raised by `amplitude · half span · x^1.6 · sin(2π(waves · s −
/// t/period) − phase)`, s from 0 at the nose to 1 at the rear of the disc: the wave runs back, the ray goes forward. Different fins turn
/// it aside; a body bent along its length turns it up or down.
#[derive(Debug, Clone, PartialEq)]
pub struct Stingray {
    /// From the nose to the rear of the disc, metres; the tail is as long again.
    pub length: f64,
    /// From tip to tip of the fins, metres.
    pub span: f64,
    /// Cross-sections along the body.
    pub rings: usize,
    /// Vertices around each.
    pub around: usize,
    /// Waves on the fins.
    pub waves: f64,
    /// The left fin.
    pub left: Fin,
    /// The right fin.
    pub right: Fin,
    /// Turn of the rear of the disc against the nose, radians; positive: both ends bent up, and the ray climbs.
    pub bend: f64,
    /// Seconds for one wave to pass.
    pub period: f64,
}

impl Default for Stingray {
    fn default() -> Self {
        let fin = Fin { amplitude: 0.28, phase: 0.0 };
        Stingray { length: 0.8, span: 1.0, rings: 60, around: 48, waves: 1.0, left: fin, right: fin, bend: 0.0, period: 1.0 }
    }
}

/// Length of the whole ray over that of the disc.
const WHOLE: f64 = 1.95;

impl Stingray {
    /// This ray, steered: `turn` from −1 (right) to 1 (left) weakens the inner fin and holds it back, `climb` from −1 (down) to 1 (up)
    /// bends the body.
    pub fn steered(&self, turn: f64, climb: f64) -> Stingray {
        let stronger = |by: f64| 1.0 + 0.7 * by.clamp(-1.0, 1.0);
        let mut ray = self.clone();
        ray.left.amplitude *= stronger(-turn);
        ray.right.amplitude *= stronger(turn);
        ray.left.phase -= 0.3 * turn;
        ray.right.phase += 0.3 * turn;
        ray.bend += 0.8 * climb;
        ray
    }

    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let faces = gait::tube_faces(self.rings, self.around);
        let vertices = gait::tube_vertices(self.rings, self.around);
        gait::cycle(Topology::Surface { faces }, vertices, [self.period, fps], |phase| self.shape(phase))
    }

    /// A way swum from leg to leg, sampled at about `fps` frames per second. The fins never stop; the steering of one leg fades into that of
    /// the next over half a period. The clip ends.
    ///
    /// # Errors
    /// A parameter is out of range; there are no legs.
    pub fn course(&self, legs: &[Leg], fps: f64) -> Result<Clip, Error> {
        for leg in legs {
            gait::positive("seconds of a leg", leg.seconds)?;
            Error::unless(leg.turn.abs() <= 1.0, "turn of a leg", leg.turn, "from −1 to 1")?;
            Error::unless(leg.climb.abs() <= 1.0, "climb of a leg", leg.climb, "from −1 to 1")?;
            self.steered(leg.turn, leg.climb).validate()?;
        }
        gait::positive("period", self.period)?;
        let duration: f64 = legs.iter().map(|leg| leg.seconds).sum();
        let faces = gait::tube_faces(self.rings, self.around);
        let vertices = gait::tube_vertices(self.rings, self.around);
        gait::sequence(Topology::Surface { faces }, vertices, [duration, fps], |fraction| {
            let time = fraction * duration;
            let [turn, climb] = self.steering(legs, time);
            self.steered(turn, climb).shape(time / self.period)
        })
    }

    /// Turn and climb at `time`: what the legs so far have added up to.
    fn steering(&self, legs: &[Leg], time: f64) -> [f64; 2] {
        let (mut begun, mut before, mut now) = (0.0, [0.0; 2], [0.0; 2]);
        for leg in legs {
            let passed = gait::smooth((time - begun) / (0.5 * self.period));
            now = [now[0] + (leg.turn - before[0]) * passed, now[1] + (leg.climb - before[1]) * passed];
            (begun, before) = (begun + leg.seconds, [leg.turn, leg.climb]);
        }
        now
    }

    fn shape(&self, phase: f64) -> Vec<Vector3<f64>> {
        let mut points = vec![self.place(0.0, 0.0, 0.0, phase)];
        for ring in 1..=self.rings {
            let s = self.station(ring);
            let width = self.half_width(s);
            points.extend((0..self.around).map(|j| {
                let (c, up) = gait::around_ring(j, self.around);
                self.place(width * c, self.height(width * c, s, up), s, phase)
            }));
        }
        points.push(self.place(0.0, 0.0, WHOLE, phase));
        gait::centred(points)
    }

    /// The point that rests at (x, y) in the section at s disc lengths behind the nose.
    fn place(&self, x: f64, y: f64, s: f64, phase: f64) -> Vector3<f64> {
        let fin = if x > 0.0 { self.left } else { self.right };
        let reach = 0.5 * self.span;
        let wave = (TAU * (self.waves * s - phase) - fin.phase).sin();
        let raised = fin.amplitude * reach * (x.abs() / reach).powf(1.6) * wave;
        // The midline is an arc over the disc and goes on straight as the tail.
        let turn = |s: f64| self.bend * (s.min(1.0) - 0.5);
        let pieces = 24;
        let midline = (0..pieces).map(|k| {
            let middle = s * (f64::from(k) + 0.5) / f64::from(pieces);
            Vector3::new(0.0, turn(middle).sin(), -turn(middle).cos()) * (s * self.length / f64::from(pieces))
        });
        let up = Vector3::new(0.0, turn(s).cos(), turn(s).sin());
        midline.sum::<Vector3<f64>>() + Vector3::x() * x + up * (y + raised)
    }

    /// Disc lengths behind the nose of each ring: two thirds of the rings on the disc.
    fn station(&self, ring: usize) -> f64 {
        let x = ring as f64 / (self.rings + 1) as f64;
        let disc = 1.0 - (0.5 * PI * (x / 0.72).min(1.0)).cos();
        if x < 0.72 { 0.35 * disc + 0.65 * (x / 0.72) } else { 1.0 + (WHOLE - 1.0) * (x - 0.72) / 0.28 }
    }

    /// Half the width of the section, metres: a rhomb with rounded tips and a small snout, then a thin tail.
    fn half_width(&self, s: f64) -> f64 {
        let disc = if s < 1.0 {
            let front = (s / 0.43).min(1.0);
            let rear = ((1.0 - s) / 0.57).min(1.0);
            let corner = front * rear;
            0.5 * self.span * (1.0 - (1.0 - corner).powf(1.45)).powf(1.05)
        } else {
            0.0
        };
        let snout = 0.05 * self.length * (1.0 - (1.0 - s / 0.1).max(0.0).powi(2)).max(0.0).sqrt() * (1.0 - gait::smooth(s / 0.5));
        let pelvic = 0.075 * self.length * (-((s - 0.98) / 0.07).powi(2)).exp();
        disc + snout + pelvic + self.tail_radius(s)
    }

    /// Height of the section at x, metres, on the side `side` (1 the back, −1 the belly): a thick middle that thins out into the fins,
    /// and two eyes.
    fn height(&self, x: f64, s: f64, side: f64) -> f64 {
        let along = (1.0 - (1.0 - (s / 0.35).min(1.0)).powi(2)).sqrt() * (1.0 - gait::smooth((s - 0.45) / 0.6));
        let body = 0.065 * self.length * (-(x / (0.17 * self.span)).powi(2)).exp() * along;
        let fin = 0.008 * self.length * (s / 0.08).min(1.0);
        let eye = 0.03 * self.length * (-((x.abs() / self.length - 0.085) / 0.03).powi(2) - ((s - 0.2) / 0.045).powi(2)).exp();
        let thin = self.tail_radius(s).max(fin * (1.0 - gait::smooth(s - 0.1)));
        side * if side > 0.0 { body + thin + eye } else { 0.6 * body + thin }
    }

    /// Radius of the tail where it is seen, metres; it starts inside the disc.
    fn tail_radius(&self, s: f64) -> f64 {
        0.026 * self.length * gait::smooth((s - 0.5) / 0.4) * ((WHOLE - s) / (WHOLE - 0.9)).clamp(0.0, 1.0).powf(0.8)
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("span", self.span)?;
        gait::finite("waves", self.waves)?;
        for (name, fin) in [("amplitude of the left fin", self.left), ("amplitude of the right fin", self.right)] {
            Error::unless((0.0..=1.0).contains(&fin.amplitude), name, fin.amplitude, "between 0 and 1")?;
            gait::finite("phase of a fin", fin.phase)?;
        }
        Error::unless(self.bend.abs() <= PI, "bend", self.bend, "at most half a turn either way")?;
        Error::unless((4..=10_000).contains(&self.rings), "rings", self.rings as f64, "from 4 to 10000")?;
        Error::unless((4..=10_000).contains(&self.around), "around", self.around as f64, "from 4 to 10000")
    }
}
