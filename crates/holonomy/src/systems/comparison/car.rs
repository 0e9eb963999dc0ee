//! A car that is driven by sinusoids, by its variational step and by Runge–Kutta methods (Kobilarov 2009, Fig. 5).

use std::ops::ControlFlow;

use nalgebra::{SVector, UnitQuaternion, Vector2, Vector3};

use crate::Error;
use crate::integrate::controlled::Controlled;
use crate::integrate::driven::{self, Figure};
use crate::integrate::nonholonomic::level;
use crate::lie::{Pose, Pose2, Twist};
use crate::motion::{Check, Motion, Outcome, Track};
use crate::random::Random;

/// The continuous equations of a car whose wheels do not slip.
///
/// With the steering σ (a tangent) and the rate ψ' of the rear wheels, f their torque:
///
/// ```text
/// (M + K σ²) ψ'' + K σ σ' ψ' = f,    θ' = ρψ'σ/l,    x' = ρψ' cos θ,    y' = ρψ' sin θ
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarEquations {
    /// M: of the wheels, and of the mass that they carry along, kg m².
    pub inertia: f64,
    /// K: of the turn, seen from the wheels, kg m².
    pub turning: f64,
    /// ρ, m.
    pub wheel_radius: f64,
    /// l, from axle to axle, m.
    pub length: f64,
}

/// θ, x, y, σ, ψ'.
type Coordinates = SVector<f64, 5>;

impl CarEquations {
    /// How the coordinates θ, x, y, σ, ψ' change with these controls: torque and rate of the steering.
    #[inline]
    pub fn rate(&self, at: &SVector<f64, 5>, controls: &SVector<f64, 2>) -> SVector<f64, 5> {
        let (sigma, turn, (sin, cos)) = (at[3], at[4], at[0].sin_cos());
        let speed = self.wheel_radius * turn;
        let push = controls[0] - self.turning * sigma * controls[1] * turn;
        let faster = push / (self.inertia + self.turning * sigma * sigma);
        Coordinates::from([speed * sigma / self.length, speed * cos, speed * sin, controls[1], faster])
    }
}

/// Controls over time: the torque a cos(v t + q), and the steering b sin(w t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinusoids {
    /// a, N m.
    pub torque: f64,
    /// v, rad/s.
    pub torque_frequency: f64,
    /// q, rad. At 0 the car goes to and fro; at ±π/2 it only goes one way.
    pub torque_phase: f64,
    /// b, a tangent.
    pub steering: f64,
    /// w, rad/s.
    pub steering_frequency: f64,
}

impl Sinusoids {
    /// Random ones: a from 0.05 to 0.4 N m, v from 0.4 to 1.6 rad/s, any phase, b from 0.2 to 1.2, w from 0.2 to 1.5 rad/s.
    pub fn random(count: usize, seed: u64) -> Vec<Sinusoids> {
        let mut random = Random(seed);
        let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
        let one = |_| Sinusoids {
            torque: between(0.05, 0.4),
            torque_frequency: between(0.4, 1.6),
            torque_phase: between(-std::f64::consts::PI, std::f64::consts::PI),
            steering: between(0.2, 1.2),
            steering_frequency: between(0.2, 1.5),
        };
        (0..count).map(one).collect()
    }

    /// Torque and rate of the steering.
    #[inline]
    pub fn at(&self, time: f64) -> SVector<f64, 2> {
        let torque = self.torque * (self.torque_frequency * time + self.torque_phase).cos();
        SVector::<f64, 2>::new(torque, self.steering * self.steering_frequency * (self.steering_frequency * time).cos())
    }
}

/// A way to step the car.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarMethod {
    /// Its own step, with the controls in the middle.
    Variational,
    /// Explicit midpoint rule of the continuous equations.
    RungeKutta2,
    /// Classical Runge–Kutta method of the continuous equations.
    RungeKutta4,
}

impl CarMethod {
    /// All of them, ours first.
    pub const ALL: [CarMethod; 3] = [CarMethod::Variational, CarMethod::RungeKutta2, CarMethod::RungeKutta4];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CarMethod::Variational => "variational",
            CarMethod::RungeKutta2 => "rk2",
            CarMethod::RungeKutta4 => "rk4",
        }
    }
}

/// A car, at rest at first, driven by each of several inputs.
#[derive(Debug, Clone)]
pub struct CarInputs<V: Controlled<5, 2>> {
    /// The car; its controls are a torque and the rate of the tangent of its steering.
    pub car: V,
    /// What it is in continuous time.
    pub equations: CarEquations,
    /// How it is driven.
    pub inputs: Vec<Sinusoids>,
    /// Which of the inputs are shown, from 0.
    pub shown: Vec<usize>,
    /// Where the first of them starts.
    pub start: Pose,
    /// From each of them to the next, metres.
    pub apart: Vector3<f64>,
    /// Seconds from frame to frame, a step of the car.
    pub dt: f64,
    /// Frames but the first.
    pub steps: usize,
}

impl<V: Controlled<5, 2>> CarInputs<V> {
    /// The motion of those that are shown, by the variational step.
    ///
    /// # Errors
    /// A parameter is out of range, or an input is to be shown that is not there.
    pub fn run(&self, figure: &dyn Figure, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        self.car.validate()?;
        Error::unless(self.dt > 0.0 && self.dt.is_finite(), "dt", self.dt, "a positive number of seconds")?;
        let inputs = self.shown.iter().map(|&i| {
            let found = self.inputs.get(i).copied();
            found.ok_or(Error::Parameter { name: "number of a shown input", value: i as f64, expected: "below the number of inputs" })
        });
        let inputs: Vec<Sinusoids> = inputs.collect::<Result<_, _>>()?;
        if inputs.is_empty() {
            return Err(Error::Empty { what: "the list of shown inputs", fix: "give it at least one" });
        }
        let place = |i: usize| Pose::from_rotation_translation(UnitQuaternion::identity(), self.apart * i as f64) * self.start;
        let mut states: Vec<Vec<V::State>> = (0..inputs.len()).map(|i| vec![self.car.at(&place(i), &Twist::zero())]).collect();
        let mut controls: Vec<Vec<SVector<f64, 2>>> = vec![Vec::with_capacity(self.steps.min(1 << 16)); inputs.len()];
        let outcome = Outcome::of_steps(self.steps, progress, |frame| {
            let time = (frame - 1) as f64 * self.dt;
            let asked: Vec<_> = inputs.iter().map(|input| input.at(time + 0.5 * self.dt)).collect();
            let next: Option<Vec<_>> =
                states.iter().zip(&asked).map(|(states, asked)| self.car.step(states.last()?, asked, time, self.dt)).collect();
            let Some(next) = next else {
                let advice = "its equations have no solution; take more frames per second".into();
                return Ok(Some(Outcome::NotConverged { frame, residual: 1.0, advice }));
            };
            states.iter_mut().zip(next).for_each(|(states, next)| states.push(next));
            controls.iter_mut().zip(asked).for_each(|(controls, asked)| controls.push(asked));
            Ok(None)
        })?;
        let mut tracks = Vec::with_capacity(inputs.len());
        for ((states, controls), i) in states.iter().zip(&controls).zip(&self.shown) {
            let track = driven::track(&self.car, states, controls, self.dt, figure)?;
            tracks.push(Track { name: format!("input-{i}"), ..track });
        }
        let slip = tracks.iter().map(slip).fold(0.0, f64::max);
        let checks = vec![Check { name: "slip of the wheels", value: slip, tolerance: 1e-12 }];
        let steps = controls.iter().map(Vec::len).sum();
        Ok(Motion { outcome, checks, steps, ..Motion::new(self.dt, tracks) })
    }

    /// For each input the pose at seconds 1, 2, …, from rest at the origin; not finite from where a step has no solution.
    pub fn poses(&self, method: CarMethod, steps_per_second: usize) -> Vec<Vec<Pose2>> {
        let h = 1.0 / steps_per_second as f64;
        let one = |input: &Sinusoids| match method {
            CarMethod::Variational => self.by_own_step(input, h, steps_per_second),
            CarMethod::RungeKutta2 => Self::by_runge_kutta(h, steps_per_second, |at, t| self.midpoint_rule(input, at, t, h)),
            CarMethod::RungeKutta4 => Self::by_runge_kutta(h, steps_per_second, |at, t| self.classical(input, at, t, h)),
        };
        self.inputs.iter().map(one).collect()
    }

    fn by_own_step(&self, input: &Sinusoids, h: f64, per_second: usize) -> Vec<Pose2> {
        let mut state = Some(self.car.at(&Pose::identity(), &Twist::zero()));
        let second = |second: usize| {
            for k in second * per_second..(second + 1) * per_second {
                let time = k as f64 * h;
                state = state.as_ref().and_then(|state| self.car.step(state, &input.at(time + 0.5 * h), time, h));
            }
            let lost = Pose2::from_angle_translation(0.0, Vector2::repeat(f64::NAN));
            state.as_ref().map_or(lost, |state| level::pose_of(&self.car.pose(state)))
        };
        (0..CarStudy::SECONDS).map(second).collect()
    }

    fn by_runge_kutta(h: f64, per_second: usize, step: impl Fn(&Coordinates, f64) -> Coordinates) -> Vec<Pose2> {
        let mut at = Coordinates::zeros();
        let second = |second: usize| {
            for k in second * per_second..(second + 1) * per_second {
                at = step(&at, k as f64 * h);
            }
            Pose2::from_angle_translation(at[0], Vector2::new(at[1], at[2]))
        };
        (0..CarStudy::SECONDS).map(second).collect()
    }

    #[inline]
    fn midpoint_rule(&self, input: &Sinusoids, at: &Coordinates, time: f64, h: f64) -> Coordinates {
        let middle = at + self.equations.rate(at, &input.at(time)) * (0.5 * h);
        at + self.equations.rate(&middle, &input.at(time + 0.5 * h)) * h
    }

    /// Both stages in the middle have the same controls, which are asked for once.
    #[inline]
    fn classical(&self, input: &Sinusoids, at: &Coordinates, time: f64, h: f64) -> Coordinates {
        let (rate, middle) = (|at: Coordinates, controls: &SVector<f64, 2>| self.equations.rate(&at, controls), input.at(time + 0.5 * h));
        let a = rate(*at, &input.at(time));
        let b = rate(at + a * (0.5 * h), &middle);
        let c = rate(at + b * (0.5 * h), &middle);
        let d = rate(at + c * h, &input.at(time + h));
        at + (a + (b + c) * 2.0 + d) * (h / 6.0)
    }
}

/// Greatest way sideways in a step, as a share of the mean way of a step.
fn slip(track: &Track) -> f64 {
    let moved: Vec<Vector3<f64>> = track.poses.windows(2).map(|pair| (pair[0].inverse() * pair[1]).log().linear).collect();
    let way = moved.iter().map(|way| way.norm()).sum::<f64>() / moved.len().max(1) as f64;
    let aside = moved.iter().map(|way| way.y.hypot(way.z)).fold(0.0, f64::max);
    if way > 0.0 { aside / way } else { aside }
}

/// Where the car truly is with each input at each whole second of a minute.
#[derive(Debug, Clone)]
pub struct CarStudy {
    reference: Vec<Vec<Pose2>>,
}

/// How far from the reference, mean over the whole seconds of all inputs whose poses are finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarErrors {
    /// Distance between the positions, m; `None` if no input is left.
    pub position: Option<f64>,
    /// Angle between the rotations, rad; `None` if no input is left.
    pub rotation: Option<f64>,
    /// How many inputs led to a pose that is not finite. They are in no mean.
    pub blown_up: usize,
}

impl CarStudy {
    /// A minute.
    pub const SECONDS: usize = 60;

    /// Steps per second of the reference, the classical Runge–Kutta method.
    const REFERENCE: usize = 1000;

    /// Finds the reference.
    pub fn new<V: Controlled<5, 2>>(inputs: &CarInputs<V>) -> CarStudy {
        CarStudy { reference: inputs.poses(CarMethod::RungeKutta4, CarStudy::REFERENCE) }
    }

    /// For each input the reference at seconds 1, 2, …
    pub fn reference(&self) -> &[Vec<Pose2>] {
        &self.reference
    }

    /// How far such poses are from the reference.
    pub fn errors(&self, poses: &[Vec<Pose2>]) -> CarErrors {
        let finite = |poses: &[Pose2]| poses.iter().all(|pose| pose.translation.iter().all(|x| x.is_finite()) && pose.angle().is_finite());
        let kept: Vec<_> = poses.iter().zip(&self.reference).filter(|(found, _)| finite(found)).collect();
        let pairs = || kept.iter().flat_map(|(found, truth)| found.iter().zip(truth.iter()));
        let count = pairs().count();
        let mean = |of: &dyn Fn(&Pose2, &Pose2) -> f64| (count > 0).then(|| pairs().map(|(a, b)| of(a, b)).sum::<f64>() / count as f64);
        CarErrors {
            position: mean(&|found, truth| (found.translation - truth.translation).norm()),
            rotation: mean(&|found, truth| (found.inverse() * *truth).angle().abs()),
            blown_up: poses.len() - kept.len(),
        }
    }
}
