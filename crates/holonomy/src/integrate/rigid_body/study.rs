//! The comparison of Kobilarov 2009, Fig. 4: twenty free bodies over four minutes, by any integrator and step, against a reference.

use nalgebra::Vector3;

use super::{Integrator, RigidBody};
use crate::integrate::variational::State;
use crate::lie::{Pose, Twist};

/// Twenty bodies in closed form, and where they truly are at each whole second.
///
/// Body i has the moments 1.5 + 0.3 sin i, 1.9 + 0.3 cos 2i, 2.3 + 0.3 sin 3i kg m², 1 kg, and starts at the origin, not turned, with the
/// body velocities Ω = (0.9 cos i, 1.1 sin(i + 1), 0.7 cos(2i + ½)) rad/s and v = (sin 2i, cos 3i, ½) m/s.
#[derive(Debug, Clone)]
pub struct Study {
    bodies: Vec<(RigidBody, State)>,
    reference: Vec<Vec<Pose>>,
}

/// How far from the reference, mean over all bodies and whole seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// Angle between the rotations, radians; π where not finite.
    pub rotation: f64,
    /// Distance between the positions, metres; not finite if one is not.
    pub position: f64,
    /// Share of bodies that have lost their way: not finite, or off by more than 1 rad in the mean.
    pub lost: f64,
}

impl Study {
    /// Four minutes.
    pub const SECONDS: usize = 240;

    /// Steps per second of the reference. Its error is that of round-off, 1e-12 rad, which more steps would add to.
    const REFERENCE: usize = 1000;

    /// Makes the bodies and their reference: rotations by five million steps of the classical Runge–Kutta method; positions lie on a
    /// straight line.
    pub fn new() -> Study {
        let bodies: Vec<(RigidBody, State)> = (0..20).map(body).collect();
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
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
            sum / f64::from(count.max(1))
        };
        let pairs = || poses.iter().zip(&self.reference);
        let rotations: Vec<f64> = pairs().map(|(found, truth)| mean(&mut found.iter().zip(truth).map(angle))).collect();
        let far = |(found, truth): (&Pose, &Pose)| (found.translation - truth.translation).norm();
        let positions: Vec<f64> = pairs().map(|(found, truth)| mean(&mut found.iter().zip(truth).map(far))).collect();
        Errors {
            rotation: mean(&mut rotations.iter().copied()),
            position: mean(&mut positions.iter().copied()),
            lost: mean(&mut rotations.iter().map(|&rotation| if rotation > 1.0 { 1.0 } else { 0.0 })),
        }
    }
}

impl Default for Study {
    fn default() -> Self {
        Study::new()
    }
}

/// Angle between two rotations, accurate where it is small.
fn angle((found, truth): (&Pose, &Pose)) -> f64 {
    let (a, b) = (found.rotation.coords, truth.rotation.coords);
    let apart = (a - b).norm().min((a + b).norm());
    let angle = 4.0 * (0.5 * apart).min(1.0).asin();
    if apart.is_finite() { angle } else { std::f64::consts::PI }
}

fn body(i: u8) -> (RigidBody, State) {
    let i = f64::from(i);
    let moments = Vector3::new(1.5 + 0.3 * i.sin(), 1.9 + 0.3 * (2.0 * i).cos(), 2.3 + 0.3 * (3.0 * i).sin());
    let body = RigidBody { moments, mass: 1.0 };
    let spin = Vector3::new(0.9 * i.cos(), 1.1 * (i + 1.0).sin(), 0.7 * (2.0 * i + 0.5).cos());
    let velocity = Vector3::new((2.0 * i).sin(), (3.0 * i).cos(), 0.5);
    (body, body.moving(Pose::identity(), &Twist::new(spin, velocity)))
}
