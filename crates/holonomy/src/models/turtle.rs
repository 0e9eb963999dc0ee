//! A sea turtle that rows with its front flippers (Soliman 2024, Fig. 1).
//!
//! Shell, head and tail are rigid. A flipper is a flat tube around a line that starts at its joint; at the fraction s of its length the line has
//! the sweep and elevation that the joint had `lag · s` of a turn before, so that the flipper bends. Lengths in the file are in shell lengths.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::assembly::Assembly;
use super::{gait, pieces};
use crate::Error;
use crate::shape::{Clip, Material, Topology};

/// A sea turtle, in place, as one loop. Its head looks along +Z, its back is up, its left is at +X. The origin is the centre of mass at phase 0,
/// when the front flippers are up and forward.
///
/// Power stroke, the first half: the front flippers go down and back, blade across. Recovery, the second half: up and forward, blade nearly
/// along.
#[derive(Debug, Clone, PartialEq)]
pub struct Turtle {
    /// Of the shell, metres.
    pub length: f64,
    /// Seconds of a stroke.
    pub period: f64,
    /// How far the front flippers go down and up from the level, radians.
    pub flap: f64,
    /// How far they go forward and back from their middle, radians.
    pub sweep: f64,
    /// By how much the leading edge is down in the middle of the power stroke, radians.
    pub power_pitch: f64,
    /// By how much it is up in the middle of the recovery, radians.
    pub recovery_pitch: f64,
    /// By which part of a stroke the tip of a flipper is late.
    pub lag: f64,
    /// How far the rear flippers are raised, radians; the higher, the more the nose rises when it swims.
    pub trim: f64,
    /// kg/m³.
    pub density: f64,
}

impl Default for Turtle {
    /// As heavy as the water that Soliman 2024 lets it swim in.
    fn default() -> Self {
        Turtle {
            length: 0.8,
            period: 1.2,
            flap: 0.65,
            sweep: 0.4,
            power_pitch: 1.0,
            recovery_pitch: 0.32,
            lag: 0.06,
            trim: 0.3,
            density: 998.0,
        }
    }
}

/// How a flipper is built and how it moves; lengths in shell lengths, angles in radians.
struct Flipper {
    /// Of the left one.
    joint: Vector3<f64>,
    length: f64,
    /// Largest half width.
    half_chord: f64,
    /// Half thickness at the joint.
    half_thickness: f64,
    /// How far the tip is bent backwards.
    hook: f64,
    /// Sweep back and elevation in the middle of the stroke.
    rest: [f64; 2],
    /// Their amplitudes.
    swing: [f64; 2],
    /// Leading edge down in the middle of the power stroke, up in that of the recovery.
    pitch: [f64; 2],
    lag: f64,
    rings: usize,
    around: usize,
}

impl Turtle {
    /// The body at phase 0. Parts: shell, head, tail, front flippers left and right, rear flippers left and right; all solid.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        Ok(self.centred()?.0)
    }

    /// The stroke, sampled at about `fps` frames per second, a whole number of them per period. Vertices and faces are those of the body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        let (body, center) = self.centred()?;
        let topology = Topology::Surface { faces: body.faces().to_vec() };
        let still = self.still_parts().iter().map(|(points, _)| points.len()).sum();
        gait::cycle(topology, body.points().len(), [self.period, fps], |phase| {
            let moving = self.flippers(phase).into_iter().flat_map(|(points, _)| points).map(|p| p * self.length - center);
            body.points()[..still].iter().copied().chain(moving).collect()
        })
    }

    fn centred(&self) -> Result<(Assembly, Vector3<f64>), Error> {
        self.validate()?;
        let mut body = Assembly::default();
        for (mut points, faces) in self.still_parts().into_iter().chain(self.flippers(0.0)) {
            points.iter_mut().for_each(|p| *p *= self.length);
            body.add((points, faces), Material::Solid { density: self.density });
        }
        body.centred()
    }

    fn still_parts(&self) -> [pieces::Mesh; 3] {
        [shell(), head(), tail()]
    }

    fn flippers(&self, phase: f64) -> [pieces::Mesh; 4] {
        let front = Flipper {
            joint: Vector3::new(0.25, -0.015, 0.26),
            length: 0.66,
            half_chord: 0.095,
            half_thickness: 0.03,
            hook: 0.2,
            rest: [0.3, 0.0],
            swing: [self.sweep, self.flap],
            pitch: [self.power_pitch, self.recovery_pitch],
            lag: self.lag,
            rings: 24,
            around: 16,
        };
        let rear = Flipper {
            joint: Vector3::new(0.16, -0.03, -0.36),
            length: 0.27,
            half_chord: 0.07,
            half_thickness: 0.02,
            hook: 0.05,
            rest: [1.0, self.trim],
            swing: [0.08, -0.12],
            pitch: [0.1, 0.1],
            lag: self.lag,
            rings: 11,
            around: 12,
        };
        let [one, two] = [front, rear].map(|flipper| flipper.mesh(phase));
        let [other_one, other_two] = [&one, &two].map(pieces::mirror_image);
        [one, other_one, two, other_two]
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::positive("period", self.period)?;
        gait::positive("density", self.density)?;
        let range = "from 0 to 1.2 radians";
        Error::unless((0.0..=1.2).contains(&self.flap), "flap", self.flap, range)?;
        Error::unless((0.0..=1.2).contains(&self.sweep), "sweep", self.sweep, range)?;
        for (name, angle) in [("power_pitch", self.power_pitch), ("recovery_pitch", self.recovery_pitch)] {
            Error::unless(angle.abs() <= 1.6, name, angle, "at most 1.6 radians either way")?;
        }
        Error::unless(self.trim.abs() <= 0.8, "trim", self.trim, "at most 0.8 radians either way")?;
        Error::unless((0.0..=0.2).contains(&self.lag), "lag", self.lag, "from 0 to 0.2 of a stroke")
    }
}

impl Flipper {
    /// The left one, at this fraction of a stroke.
    fn mesh(&self, phase: f64) -> pieces::Mesh {
        let fine = 4; // steps of the line per ring
        let mut line = vec![self.joint];
        for k in 0..(self.rings + 1) * fine {
            let middle = (k as f64 + 0.5) / ((self.rings + 1) * fine) as f64;
            let step = self.axes(middle, phase)[0] * (self.length / ((self.rings + 1) * fine) as f64);
            line.push(line[k] + step);
        }
        let place = |i: usize, [c, s]: [f64; 2]| {
            let x = i as f64 / (self.rings + 1) as f64;
            let [_, forward, up] = self.axes(x, phase);
            // A round leading edge and a thin trailing one.
            let thick = self.half_thickness * (1.0 - 0.75 * x) * round_ends(x) * (1.0 + 0.35 * c);
            line[i * fine] + forward * (self.half_chord * chord(x) * c - self.hook * x * x) + up * (thick * s)
        };
        let end = (self.rings + 1) * fine;
        let tip = line[end] - self.axes(1.0, phase)[1] * self.hook;
        pieces::tube([line[0], tip], self.rings, self.around, place)
    }

    /// At the fraction x of the length: unit vectors along the line, across to the leading edge, and out of the upper side.
    fn axes(&self, x: f64, phase: f64) -> [Vector3<f64>; 3] {
        let turn = TAU * (phase - self.lag * x);
        let (sin, cos) = turn.sin_cos();
        let sweep = self.rest[0] - self.swing[0] * cos;
        let lift = self.rest[1] + self.swing[1] * cos;
        // Nearly constant in either half of the stroke, turned over fast between them.
        let [power, recovery] = self.pitch;
        let half = (2.0 * sin).tanh() / 2_f64.tanh();
        let pitch = (0.5 * (power - recovery) + 0.5 * (power + recovery) * half) * (0.35 + 0.65 * gait::smooth(x / 0.5));
        let along = Vector3::new(lift.cos() * sweep.cos(), lift.sin(), -lift.cos() * sweep.sin());
        let forward = Vector3::new(sweep.sin(), 0.0, sweep.cos());
        let up = forward.cross(&along);
        [along, forward * pitch.cos() - up * pitch.sin(), up * pitch.cos() + forward * pitch.sin()]
    }
}

/// Width of a flipper over its largest: an arm, a blade, a slim tip.
fn chord(x: f64) -> f64 {
    let blade = 0.55 + 0.45 * gait::smooth(x / 0.35);
    let taper = 1.0 - 0.72 * gait::smooth((x - 0.3) / 0.9);
    blade * taper * round_ends(x)
}

/// One, but falling to zero as a circle does at both ends.
fn round_ends(x: f64) -> f64 {
    let end = (x / 0.08).min((1.0 - x) / 0.1).clamp(0.0, 1.0);
    (1.0 - (1.0 - end).powi(2)).sqrt()
}

/// Sections that lie closer at both ends: the fraction of the way at ring i.
fn station(i: usize, rings: usize) -> f64 {
    0.5 * (1.0 - (PI * i as f64 / (rings + 1) as f64).cos())
}

/// The shell: seen from above an egg with its point at the rear, a dome above, nearly flat below.
fn shell() -> pieces::Mesh {
    let (rings, around, widest) = (30, 36, 0.4);
    let outline = |s: f64| {
        let (front, rear) = ((1.0 - s / widest).max(0.0), ((s - widest) / (1.0 - widest)).max(0.0));
        (1.0 - front.powf(2.4)).powf(0.55) * (1.0 - rear.powf(1.9)).powf(0.72)
    };
    let place = |i: usize, [c, s]: [f64; 2]| {
        let x = station(i, rings);
        let wide = outline(x);
        let high = (1.0 - (1.0 - x / 0.42).max(0.0).powi(2)).sqrt() * (1.0 - ((x - 0.42) / 0.58).max(0.0).powi(2)).powf(0.7);
        let y = if s > 0.0 { 0.2 * high * s.powf(1.25) } else { -0.1 * high * (-s).powf(1.5) };
        Vector3::new(0.4 * wide * c, y, 0.5 - x)
    };
    pieces::tube([Vector3::z() * 0.5, Vector3::z() * -0.5], rings, around, place)
}

/// Head and neck, with a beak that points down a little, and two eyes.
fn head() -> pieces::Mesh {
    let (rings, around) = (20, 20);
    let (tip, end) = (Vector3::new(0.0, 0.005, 0.77), Vector3::new(0.0, 0.0, 0.4));
    let place = |i: usize, [c, s]: [f64; 2]| {
        let x = station(i, rings);
        let skull = (1.0 - (1.0 - x / 0.36).max(0.0).powf(2.0)).powf(0.62);
        let neck = 1.0 - 0.28 * gait::smooth((x - 0.32) / 0.33);
        let close = (1.0 - ((x - 0.8) / 0.2).max(0.0).powi(2)).max(0.0).sqrt();
        let size = skull * neck * close;
        let middle = 0.005 + 0.03 * gait::smooth(x / 0.3) * (1.0 - gait::smooth((x - 0.35) / 0.6));
        let high = if s > 0.0 { 0.085 } else { 0.075 };
        Vector3::new(0.094 * size * c, middle + high * size * s, tip.z + (end.z - tip.z) * x)
    };
    let skull = pieces::tube([tip, end], rings, around, place);
    let eye = pieces::ellipsoid([0.03, 0.04, 0.042], 1, Vector3::new(0.073, 0.058, 0.69));
    let other = pieces::mirror_image(&eye);
    pieces::joined(&[skull, eye, other])
}

/// A short tail.
fn tail() -> pieces::Mesh {
    let (rings, around) = (7, 12);
    let place = |i: usize, [c, s]: [f64; 2]| {
        let x = i as f64 / (rings + 1) as f64;
        let radius = 0.032 * (1.0 - x).powf(0.8) * (x / 0.15).min(1.0).sqrt();
        Vector3::new(radius * c, -0.02 - 0.02 * x + radius * s, -0.42 - 0.18 * x)
    };
    pieces::tube([Vector3::new(0.0, -0.02, -0.42), Vector3::new(0.0, -0.04, -0.6)], rings, around, place)
}
