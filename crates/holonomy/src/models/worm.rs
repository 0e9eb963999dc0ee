//! Worms: what is short is thick and holds on, what is long is thin and slips. Two of them: an earthworm, and the least worm there is.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Playback, Topology};

/// An earthworm along Z, as one loop of a travelling wave of stretch. Vertex 0 is its head, at +Z.
///
/// At the fraction s of its rest length from the head the body is stretched by `1 + stretch · cos 2π(waves · s − t/period)`; its
/// thickness keeps the volume, and its grip goes from 1 where it is thickest down to `slip` where it is thinnest. The wave runs from head
/// to tail, and the worm goes head first.
#[derive(Debug, Clone, PartialEq)]
pub struct Worm {
    /// Length at rest, metres.
    pub length: f64,
    /// Vertices along the body.
    pub vertices: usize,
    /// Whole waves on the body.
    pub waves: f64,
    /// Largest stretch, 0 to 1: 0.4 is from 0.6 to 1.4 of the rest length.
    pub stretch: f64,
    /// Diameter at rest, metres.
    pub thickness: f64,
    /// Grip where the body is thinnest over that where it is thickest, 0 to 1.
    pub slip: f64,
    /// Seconds for one wave to pass.
    pub period: f64,
}

/// How far the tips reach past the first and last ring, over the diameter there.
const ROUND: f64 = 0.08;

impl Default for Worm {
    fn default() -> Self {
        Worm { length: 0.2, vertices: 60, waves: 1.5, stretch: 0.4, thickness: 0.008, slip: 0.05, period: 2.0 }
    }
}

impl Worm {
    /// The gait, sampled at about `fps` frames per second, a whole number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        gait::cycle(Topology::Curve { closed: false }, self.vertices, [self.period, fps], |phase| {
            // The integral of the stretch: vertices stay where it puts them, however many there are.
            let turn = |s: f64| TAU * (self.waves * s - phase);
            let along = |s: f64| s + self.stretch * (turn(s).sin() - turn(0.0).sin()) / (TAU * self.waves);
            let place = |i: usize| Vector3::z() * (-self.length * along(self.part(i)));
            gait::centred((0..self.vertices).map(place).collect())
        })
    }

    /// How hard each vertex holds on in each frame of [`Worm::clip`]: frames × vertices, at most the length it stands for, metres.
    ///
    /// # Errors
    /// As for the clip.
    pub fn weights(&self, fps: f64) -> Result<Vec<f64>, Error> {
        let edges = (self.vertices.max(2) - 1) as f64;
        let share = |i: usize| self.length / edges * if i == 0 || i + 1 == self.vertices { 0.5 } else { 1.0 };
        self.over_time(fps, |i, wave| share(i) * (self.slip + (1.0 - self.slip) * 0.5 * (1.0 - wave)))
    }

    /// The same worm as a closed surface with a ring of `around` vertices at each vertex of the curve, which shows it swell and thin, and
    /// the weights of its vertices, frames × vertices: each ring shares out what [`Worm::weights`] gives its middle.
    ///
    /// # Errors
    /// As for the clip; fewer than 3 vertices around.
    pub fn surface(&self, fps: f64, around: usize) -> Result<(Clip, Vec<f64>), Error> {
        Error::unless((3..=10_000).contains(&around), "around", around as f64, "from 3 to 10000")?;
        let vertices = gait::tube_vertices(self.vertices, around);
        gait::cycle_frames(self.period, fps, vertices)?;
        let (line, radii, weights) = (self.clip(fps)?, self.thicknesses(fps)?, self.weights(fps)?);
        let (mut positions, mut shared) = (Vec::new(), Vec::new());
        for k in 0..line.frames() {
            let [radii, weights] = [&radii, &weights].map(|all| &all[k * self.vertices..][..self.vertices]);
            let line = line.frame(k);
            let (head, tail) = (line[0], line[self.vertices - 1]);
            let mut points = vec![head + Vector3::z() * (ROUND * radii[0])];
            for (i, p) in line.iter().enumerate() {
                let radius = 0.5 * radii[i] * self.girth(i);
                points.extend((0..around).map(|j| {
                    let (c, s) = gait::around_ring(j, around);
                    p + Vector3::new(c, s, 0.0) * radius
                }));
            }
            points.push(tail - Vector3::z() * (ROUND * radii[self.vertices - 1]));
            positions.extend(gait::centred(points));
            let rings = weights.iter().flat_map(|w| std::iter::repeat_n(w / around as f64, around));
            shared.extend(std::iter::once(0.0).chain(rings).chain(std::iter::once(0.0)));
        }
        let faces = gait::tube_faces(self.vertices, around);
        Ok((Clip::new(Topology::Surface { faces }, Playback::Loop, line.dt(), vertices, positions)?, shared))
    }

    /// Radius at vertex `i` over that of the wave alone: a pointed head, a saddle behind it, a blunt tail, and a segment every four rings.
    fn girth(&self, i: usize) -> f64 {
        let s = self.part(i);
        let end = |x: f64, reach: f64| (1.0 - (1.0 - (x / reach).min(1.0)).powi(2)).max(0.06).sqrt();
        let saddle = 0.18 * gait::smooth((s - 0.25) / 0.02) * gait::smooth((0.36 - s) / 0.02);
        let segment = 0.035 * (0.25 * TAU * i as f64).cos();
        (1.0 + saddle + segment) * end(s, 0.12) * end(1.0 - s, 0.05)
    }

    /// Diameter at each vertex in each frame of [`Worm::clip`], metres: frames × vertices.
    ///
    /// # Errors
    /// As for the clip.
    pub fn thicknesses(&self, fps: f64) -> Result<Vec<f64>, Error> {
        self.over_time(fps, |_, wave| self.thickness / (1.0 + self.stretch * wave).sqrt())
    }

    /// `value(vertex, wave)` for each frame and vertex; the wave is 1 where the body is longest and −1 where it is shortest.
    fn over_time(&self, fps: f64, value: impl Fn(usize, f64) -> f64) -> Result<Vec<f64>, Error> {
        self.validate()?;
        let frames = gait::cycle_frames(self.period, fps, self.vertices)?;
        let wave = |k: usize, i: usize| (TAU * (self.waves * self.part(i) - k as f64 / frames as f64)).cos();
        let places = (0..frames).flat_map(|k| (0..self.vertices).map(move |i| (k, i)));
        Ok(places.map(|(k, i)| value(i, wave(k, i))).collect())
    }

    /// The fraction of the length at vertex `i`.
    fn part(&self, i: usize) -> f64 {
        i as f64 / (self.vertices - 1) as f64
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("thickness", self.thickness)?;
        gait::positive("waves", self.waves)?;
        gait::below("stretch", self.stretch, 1.0, "between 0 and 1: shorter than nothing is no length")?;
        Error::unless((0.0..=1.0).contains(&self.slip), "slip", self.slip, "between 0 and 1")?;
        Error::unless(self.vertices >= 2, "vertices", self.vertices as f64, "at least 2")
    }
}
