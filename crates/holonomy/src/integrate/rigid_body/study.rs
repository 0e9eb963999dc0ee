//! The comparison of Kobilarov 2009, Fig. 4: twenty free bodies over four minutes, by any integrator and step, against a reference.

use nalgebra::Vector3;

use super::{Integrator, RigidBody};
use crate::integrate::variational::State;
use crate::lie::{Pose, Twist};
use crate::random::Random;

/// Twenty bodies in closed form, and where they truly are at each whole second.
///
/// Body i has the moments 1.5 + 0.3 sin i, 1.9 + 0.3 cos 2i, 2.3 + 0.3 sin 3i kg m², 1 kg, and starts at the origin, not turned, with the
/// body velocities Ω = (0.9 cos i, 1.1 sin(i + 1), 0.7 cos(2i + ½)) rad/s and v = (sin 2i, cos 3i, ½) m/s.
#[derive(Debug, Clone)]
pub struct Study {
    bodies: Vec<(RigidBody, State)>,
    reference: Vec<Vec<Pose>>,
}

/// How far from the reference: means over the whole seconds of all bodies that did not blow up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// Angle between the rotations, radians; `None` if all bodies blew up.
    pub rotation: Option<f64>,
    /// Distance between the positions, metres; `None` if all bodies blew up.
    pub position: Option<f64>,
    /// How many bodies blew up: a pose is not finite, or farther from its true place than the whole
    /// way that the body goes in the time of the study. They are in no mean.
    pub blown_up: usize,
    /// How many bodies have lost their way: blown up, or off by more than 1 rad in the mean.
    pub lost: usize,
    /// How many bodies there are.
    pub bodies: usize,
}

impl Study {
    /// Four minutes.
    pub const SECONDS: usize = 240;

    /// Steps per second of the reference. Its error is that of round-off, 1e-12 rad, which more steps would add to.
    const REFERENCE: usize = 1000;

    /// Makes the twenty bodies and their reference.
    pub fn new() -> Study {
        Study::of((0..20).map(body).collect())
    }

    /// Makes random boxes and their reference: sides of 0.3 to 3 m, densities of 10 to 1000 kg/m³,
    /// spins and speeds of up to 1 rad/s and 1 m/s along each of their axes. A body that is small
    /// beside its way shows how travel changes the turning of a step on SE(3).
    pub fn of_boxes(count: usize, seed: u64) -> Study {
        let mut random = Random(seed);
        Study::of((0..count).map(|_| random_box(&mut random)).collect())
    }

    /// Makes the reference of other bodies: rotations by 240 000 steps each of the classical
    /// Runge–Kutta method; positions are on a straight line.
    pub fn of(bodies: Vec<(RigidBody, State)>) -> Study {
        let mut study = Study { bodies, reference: Vec::new() };
        study.reference = study.poses(Integrator::RungeKutta4, Study::REFERENCE);
        for ((body, start), poses) in study.bodies.iter().zip(&mut study.reference) {
            let velocity = start.momentum_world().linear / body.mass;
            for (second, pose) in (1..).zip(poses) {
                pose.translation = start.pose.translation + velocity * f64::from(second);
            }
        }
        study
    }

    /// The bodies, and how each starts.
    pub fn bodies(&self) -> &[(RigidBody, State)] {
        &self.bodies
    }

    /// For each body its reference at seconds 1, 2, …
    pub fn reference(&self) -> &[Vec<Pose>] {
        &self.reference
    }

    /// For each body its pose at seconds 1, 2, …
    pub fn poses(&self, integrator: Integrator, steps_per_second: usize) -> Vec<Vec<Pose>> {
        let (h, steps) = (1.0 / steps_per_second as f64, Study::SECONDS * steps_per_second);
        let one = |(body, start): &(RigidBody, State)| integrator.poses(body, start, h, steps, steps_per_second);
        self.bodies.iter().map(one).collect()
    }

    /// How far such poses are from the reference.
    pub fn errors(&self, poses: &[Vec<Pose>]) -> Errors {
        let pairs = poses.iter().zip(&self.reference);
        let off: Vec<Option<[f64; 2]>> =
            self.bodies.iter().zip(pairs).map(|(body, (found, truth))| Study::off(body, found, truth)).collect();
        let kept = || off.iter().flatten();
        let count = kept().count();
        let mean = |i: usize| (count > 0).then(|| kept().map(|errors| errors[i]).sum::<f64>() / count as f64);
        Errors {
            rotation: mean(0),
            position: mean(1),
            blown_up: off.len() - count,
            lost: off.len() - kept().filter(|errors| errors[0] <= LOST).count(),
            bodies: off.len(),
        }
    }

    /// Mean angle and distance of one body from its reference; `None` where it blew up.
    fn off((body, start): &(RigidBody, State), found: &[Pose], truth: &[Pose]) -> Option<[f64; 2]> {
        let whole_way = start.momentum.linear.norm() / body.mass * Study::SECONDS as f64;
        let mut sums = [0.0, 0.0];
        for (found, truth) in found.iter().zip(truth) {
            let away = (found.translation - truth.translation).norm();
            if !found.is_finite() || away > whole_way.max(NEAR) {
                return None;
            }
            sums[0] += angle(found, truth);
            sums[1] += away;
        }
        Some(sums.map(|sum| sum / found.len().max(1) as f64))
    }
}

/// A body that turns otherwise by more than this in the mean has lost its way, radians.
const LOST: f64 = 1.0;

/// Metres within which a body that does not travel has not blown up.
const NEAR: f64 = 1.0;

impl Default for Study {
    fn default() -> Self {
        Study::new()
    }
}

/// Angle between two rotations, accurate where it is small.
fn angle(found: &Pose, truth: &Pose) -> f64 {
    let (a, b) = (found.rotation.coords, truth.rotation.coords);
    4.0 * (0.5 * (a - b).norm().min((a + b).norm())).min(1.0).asin()
}

fn body(i: u8) -> (RigidBody, State) {
    let i = f64::from(i);
    let moments = Vector3::new(1.5 + 0.3 * i.sin(), 1.9 + 0.3 * (2.0 * i).cos(), 2.3 + 0.3 * (3.0 * i).sin());
    let body = RigidBody { moments, mass: 1.0 };
    let spin = Vector3::new(0.9 * i.cos(), 1.1 * (i + 1.0).sin(), 0.7 * (2.0 * i + 0.5).cos());
    let velocity = Vector3::new((2.0 * i).sin(), (3.0 * i).cos(), 0.5);
    (body, body.moving(Pose::identity(), &Twist::new(spin, velocity)))
}

fn random_box(random: &mut Random) -> (RigidBody, State) {
    // Evenly by their logarithms.
    let sides = Vector3::from_fn(|_, _| 0.3 * 10.0_f64.powf(random.unit()));
    let mass = 10.0 * 100.0_f64.powf(random.unit()) * sides.product();
    let squares = sides.component_mul(&sides);
    let body = RigidBody { moments: (Vector3::repeat(squares.sum()) - squares) * (mass / 12.0), mass };
    let mut vector = || Vector3::from_fn(|_, _| 2.0 * random.unit() - 1.0);
    let twist = Twist::new(vector(), vector());
    (body, body.moving(Pose::identity(), &twist))
}
