//! A car that pulls a trailer. Neither slips: where the trailer goes follows from where the car goes.
//!
//! The car is [`Car`], with its symbols. Beside them:
//!
//! | symbol | code | is |
//! |---|---|---|
//! | γ | `hitch` | heading of the trailer less that of the car |
//! | d, L | `hitch_behind`, `length` | from the rear axle back to the hitch; from the hitch back to the trailer's axle |
//! | ν, κ | | how far the trailer's axle goes and the trailer turns, per metre of the car: its wheels allow no other motion |
//!
//! ```text
//! ν = cos γ − (dσ/l) sin γ,   κ = −(sin γ + (dσ/l) cos γ)/L,   γ' = ρψ' (κ − σ/l)
//! ```
//!
//! The equations are those of the car, from the same principle (Kobilarov 2009, Eq. 5: variations obey the wheels at the node, velocities in the middle), with
//! M(a, b) = I + ρ² (m + K σ_a σ_b/l² + m_t ν_a ν_b + K_t κ_a κ_b) for two shapes a and b. The hitch is at γ_a = γ_k + α(γ_{k+1} − γ_k) in the
//! middle, so that γ_{k+1} is found by Newton's method.

use nalgebra::{SMatrix, SVector, Vector2, Vector3};

use super::car::Car;
use crate::Error;
use crate::integrate::controlled::{Control, Controlled, Curvature, Linearised, Place};
use crate::integrate::nonholonomic::{Dual, Flow, Frame, Local, Scalar, curvature, level, linearise};
use crate::lie::{Momentum, Momentum2, Pose, Pose2, Twist, Twist2};

/// A car with a trailer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trailer {
    /// What pulls it.
    pub car: Car,
    /// Of the trailer, taken to be at the middle of its axle, kg.
    pub mass: f64,
    /// Of the trailer about the middle of its axle, kg m².
    pub inertia: f64,
    /// From the car's rear axle back to the hitch, m; zero for a hitch on the axle.
    pub hitch_behind: f64,
    /// From the hitch back to the trailer's axle, m.
    pub length: f64,
    /// Greatest angle of the hitch, rad: the jackknife. Beyond it car and trailer touch and wheels would have to slip, so there is no step.
    pub hitch_limit: f64,
}

/// Where a car with a trailer is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrailerState {
    /// Of the middle of the car's rear axle; forward +x.
    pub pose: Pose2,
    /// Tangent of the steering angle, to the left.
    pub steering: f64,
    /// Rate of the car's rear wheels, rad/s.
    pub rate: f64,
    /// Heading of the trailer less that of the car, rad.
    pub hitch: f64,
    /// How far the car's rear wheels have turned, rad: to draw them; no degree of freedom.
    pub rolled: f64,
}

impl Default for Trailer {
    fn default() -> Self {
        Trailer { car: Car::default(), mass: 0.5, inertia: 0.1, hitch_behind: 0.2, length: 1.0, hitch_limit: 1.4 }
    }
}

/// A shape: σ, then what it makes of a metre of the car.
#[derive(Clone, Copy)]
struct Shape<S> {
    steering: S,
    along: S,
    turn: S,
}

/// Iterations of Newton's method: three are usual.
const ITERATIONS: usize = 30;

impl Trailer {
    /// Placement of the trailer: of the middle of its axle.
    pub fn trailer_pose(&self, state: &TrailerState) -> Pose2 {
        let hitch = Pose2::from_angle_translation(state.hitch, Vector2::new(-self.hitch_behind, 0.0));
        state.pose * hitch * Pose2::from_angle_translation(0.0, Vector2::new(-self.length, 0.0))
    }

    #[inline]
    fn shape<S: Scalar>(&self, steering: S, hitch: S) -> Shape<S> {
        let (sin, cos, swing) = (hitch.sin(), hitch.cos(), steering * (self.hitch_behind / self.car.length));
        Shape { steering, along: cos - swing * sin, turn: -(sin + swing * cos) / self.length }
    }

    /// M.
    #[inline]
    fn inertia_of<S: Scalar>(&self, a: &Shape<S>, b: &Shape<S>) -> S {
        let car = &self.car;
        let per_steering = car.inertia / (car.length * car.length);
        let both = a.steering * b.steering * per_steering + a.along * b.along * self.mass + a.turn * b.turn * self.inertia + car.mass;
        both * (car.wheel_radius * car.wheel_radius) + car.wheel_inertia
    }

    /// Of the interval that ends with that hitch: the shape in its middle, the rate of the wheels, and how far the hitch is from where that takes it.
    fn interval<S: Scalar>(&self, begin: &Begin<S>, hitch: S) -> (Shape<S>, S, S) {
        let middle = self.shape(begin.steering, begin.hitch + (hitch - begin.hitch) * self.car.point);
        let rate = begin.momentum / self.inertia_of(&begin.shape, &middle);
        let turned = rate * begin.h * self.car.wheel_radius * (middle.turn - begin.steering / self.car.length);
        (middle, rate, hitch - begin.hitch - turned)
    }

    /// The hitch at the end of an interval, with all derivatives that the scalar carries.
    fn end_of_hitch<S: Scalar>(&self, begin: &Begin<S>) -> Option<S> {
        let plain = begin.map(|x| Dual::<f64, 1>::constant(x.value()));
        let mut hitch = begin.hitch.value();
        for _ in 0..ITERATIONS {
            let (_, _, off) = self.interval(&plain, Dual { value: hitch, slopes: [1.0] });
            let (change, slope) = (off.value / off.slopes[0], off.slopes[0]);
            hitch -= change;
            if !hitch.is_finite() {
                return None;
            }
            if change.abs() < 1e-9 {
                // Each pass with a fixed slope makes one more order of derivatives right; one more makes up for where the slope was taken.
                let passes = if S::ORDER == 0 { 0 } else { S::ORDER + 1 };
                let exact = (0..passes).fold(S::from(hitch), |hitch, _| hitch - self.interval(begin, hitch).2 / slope);
                return (hitch.abs() < self.hitch_limit).then_some(exact);
            }
        }
        None
    }

    /// A step with what the wheels turn during it.
    fn advance<S: Scalar>(&self, from: &Local<S, 6>, controls: &[S; 2], h: S) -> Option<(Local<S, 6>, S)> {
        let (car, [_, _, _, steering, rate, hitch]) = (&self.car, from.rest);
        let (early, push) = (car.early(), controls[0] * h);
        let end = car.steered(steering, controls[1] * h);
        let shape = self.shape(steering, hitch);
        let momentum = self.inertia_of(&shape, &shape) * rate + push * early;
        let begin = Begin { shape, hitch, steering: steering + (end - steering) * car.point, momentum, h };
        let next_hitch = self.end_of_hitch(&begin)?;
        let (middle, rate, _) = self.interval(&begin, next_hitch);
        let next = self.shape(end, next_hitch);
        let next_rate = (self.inertia_of(&next, &middle) * rate + push * (1.0 - early)) / self.inertia_of(&next, &next);
        let distance = rate * h * car.wheel_radius;
        let zero = S::from(0.0);
        let arc = Frame::exp(&[distance * middle.steering / car.length, distance, zero]);
        Some((Local { frame: from.frame.then(&arc), rest: [zero, zero, zero, end, next_rate, next_hitch] }, rate * h))
    }

    fn local(state: &TrailerState) -> Local<f64, 6> {
        Local { frame: Frame::of(&state.pose), rest: [0.0, 0.0, 0.0, state.steering, state.rate, state.hitch] }
    }
}

/// What an interval begins with.
#[derive(Clone, Copy)]
struct Begin<S> {
    shape: Shape<S>,
    hitch: S,
    /// σ_a.
    steering: S,
    /// With the torque's part at the start.
    momentum: S,
    h: S,
}

impl<S: Scalar> Begin<S> {
    fn map<T>(&self, f: impl Fn(S) -> T) -> Begin<T> {
        let shape = Shape { steering: f(self.shape.steering), along: f(self.shape.along), turn: f(self.shape.turn) };
        Begin { shape, hitch: f(self.hitch), steering: f(self.steering), momentum: f(self.momentum), h: f(self.h) }
    }
}

impl Flow<6, 2> for Trailer {
    fn flow<S: Scalar>(&self, from: &Local<S, 6>, controls: &[S; 2], h: S) -> Option<Local<S, 6>> {
        self.advance(from, controls, h).map(|(next, _)| next)
    }
}

impl Controlled<6, 2> for Trailer {
    type State = TrailerState;

    fn controls(&self) -> [Control; 2] {
        self.car.controls()
    }

    fn validate(&self) -> Result<(), Error> {
        self.car.validate()?;
        Error::unless_zero_or_more("trailer mass", self.mass)?;
        Error::unless_zero_or_more("trailer inertia", self.inertia)?;
        Error::unless(self.hitch_behind.is_finite(), "hitch_behind", self.hitch_behind, "finite")?;
        Error::unless(self.length.is_finite() && self.length > 0.0, "trailer length", self.length, "finite and above zero")?;
        let limited = self.hitch_limit > 0.0 && self.hitch_limit <= std::f64::consts::PI;
        Error::unless(limited, "hitch_limit", self.hitch_limit, "above zero, a half turn or less")
    }

    fn at(&self, pose: &Pose, twist: &Twist) -> TrailerState {
        let car = self.car.at(pose, twist);
        TrailerState { pose: car.pose, steering: car.steering, rate: car.rate, hitch: 0.0, rolled: 0.0 }
    }

    fn step(&self, state: &TrailerState, controls: &SVector<f64, 2>, _time: f64, h: f64) -> Option<TrailerState> {
        let (next, rolled) = self.advance(&Self::local(state), &(*controls).into(), h)?;
        let [_, _, _, steering, rate, hitch] = next.rest;
        rate.is_finite().then(|| TrailerState { pose: next.frame.pose(), steering, rate, hitch, rolled: state.rolled + rolled })
    }

    fn linearise(&self, state: &TrailerState, controls: &SVector<f64, 2>, time: f64, h: f64) -> Option<Linearised<TrailerState, 6, 2>> {
        let next = self.step(state, controls, time, h)?;
        let (by_state, by_controls, by_time_step) = linearise(self, &Self::local(state), controls, h)?;
        Some(Linearised { next, by_state, by_controls, by_time_step })
    }

    fn curvature(
        &self,
        state: &TrailerState,
        controls: &SVector<f64, 2>,
        _time: f64,
        h: f64,
        weights: &SVector<f64, 6>,
    ) -> Option<Curvature<6, 2>> {
        curvature(self, &Self::local(state), controls, h, weights)
    }

    fn moved(&self, state: &TrailerState, along: &SVector<f64, 6>) -> TrailerState {
        TrailerState {
            pose: state.pose * Pose2::exp(&Twist2::from(Vector3::new(along[0], along[1], along[2]))),
            steering: state.steering + along[3],
            rate: state.rate + along[4],
            hitch: state.hitch + along[5],
            rolled: state.rolled,
        }
    }

    fn difference(&self, from: &TrailerState, to: &TrailerState) -> SVector<f64, 6> {
        let pose = (from.pose.inverse() * to.pose).log();
        let (steering, rate, hitch) = (to.steering - from.steering, to.rate - from.rate, to.hitch - from.hitch);
        SVector::<f64, 6>::new(pose.angular, pose.linear.x, pose.linear.y, steering, rate, hitch)
    }

    fn carried(&self, gap: &SVector<f64, 6>) -> Option<SMatrix<f64, 6, 6>> {
        let mut carried = SMatrix::<f64, 6, 6>::identity();
        let pose = Pose2::exp(&Twist2::from(Vector3::from(gap.fixed_rows::<3>(0))));
        carried.fixed_view_mut::<3, 3>(0, 0).copy_from(&pose.adjoint());
        Some(carried)
    }

    fn place(&self, state: &TrailerState, point: &Vector3<f64>) -> Place<6> {
        level::place(&state.pose, point)
    }

    fn pose(&self, state: &TrailerState) -> Pose {
        state.pose.level(0.0)
    }

    fn twist(&self, state: &TrailerState) -> Twist {
        level::twist(&self.car.twist_at(state.steering, state.rate))
    }

    fn momentum(&self, state: &TrailerState) -> Momentum {
        let (twist, shape) = (self.car.twist_at(state.steering, state.rate), self.shape(state.steering, state.hitch));
        let car = Momentum2::new(self.car.inertia * twist.angular, twist.linear * self.car.mass);
        let forward = Vector2::new(self.mass * shape.along * twist.linear.x, 0.0);
        let trailer = Momentum2::new(self.inertia * shape.turn * twist.linear.x, forward);
        level::momentum(&state.pose, &car) + level::momentum(&self.trailer_pose(state), &trailer)
    }

    fn kinetic_energy(&self, state: &TrailerState) -> f64 {
        let shape = self.shape(state.steering, state.hitch);
        0.5 * self.inertia_of(&shape, &shape) * state.rate * state.rate
    }

    fn power(&self, state: &TrailerState, controls: &SVector<f64, 2>, _time: f64) -> Option<f64> {
        Some(controls[0] * state.rate)
    }

    /// Steering angle, hitch, then how far the rear wheels have turned.
    fn joints(&self, state: &TrailerState) -> Vec<f64> {
        vec![state.steering.atan(), state.hitch, state.rolled]
    }

    fn stops(&self) -> Vec<[f64; 2]> {
        vec![self.car.stops()[0], [-self.hitch_limit, self.hitch_limit]]
    }

    fn unstopped(&self) -> Self {
        Trailer { car: self.car.unstopped(), hitch_limit: std::f64::consts::PI, ..*self }
    }

    fn joint_names(&self) -> &'static [&'static str] {
        &["steering", "hitch", "wheels"]
    }
}
