//! A snakeboard: a rider who twists on a board whose two pairs of wheels are turned by the feet, and so goes forward without ever pushing off
//! (Kobilarov 2009, Sec. 5.2.2).
//!
//! The rider is a rotor. Rear wheels are turned by +φ, front wheels by −φ.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | ψ, φ | `rotor`, `steering` | angles of rotor and wheels |
//! | m, l | `mass`, `half_length` | of all; from the middle to each pair of wheels. ml² is the whole inertia about the middle |
//! | I, J | `rotor_inertia`, `wheel_inertia` | of the rotor; of each pair of wheels |
//! | λ | `speed` | of the board: its twist is λ e(φ), e(φ) = (sin φ, −l cos φ, 0), which is backwards for λ > 0 |
//! | α, β | `point`, `early` | as of [`Car`](super::Car) |
//!
//! The regular form of the printed equations (docs/ERRATA.md, K13 to K18). With node momenta P = I(ψ' + λ sin φ) and Q = e·μ = ml²λ + Iψ' sin φ:
//!
//! ```text
//! u^φ = φ'_k + βh τ_φ/2J,   φ_a = φ_k + αh u^φ,   φ_{k+1} = φ_k + h u^φ
//! I (u^ψ + λ_a sin φ_a) = P_k + βh τ_ψ,   ml² λ_a cos(φ_k − φ_a) + I u^ψ sin φ_k = Q_k
//! P_{k+1} = P_k + h τ_ψ,   Q_{k+1} = ml² λ_a cos(φ_{k+1} − φ_a) + I u^ψ sin φ_{k+1}
//! g_{k+1} = g_k exp(hλ_a e(φ_a))
//! ```

use nalgebra::{SMatrix, SVector, Vector2, Vector3};

use crate::Error;
use crate::integrate::controlled::{Control, Controlled, Curvature, Linearised, Place};
use crate::integrate::nonholonomic::{Flow, Frame, Local, Scalar, curvature, level, linearise};
use crate::lie::{Momentum, Momentum2, Pose, Pose2, Twist, Twist2};

/// A snakeboard with its rider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Snakeboard {
    /// Of board and rider, kg.
    pub mass: f64,
    /// From the middle of the board to its wheels, m.
    pub half_length: f64,
    /// Of the rotor about its axis, kg m²: less than `mass` × `half_length`².
    pub rotor_inertia: f64,
    /// Of each pair of wheels about its axis, kg m².
    pub wheel_inertia: f64,
    /// Greatest torque on the rotor, N m.
    pub rotor_torque: f64,
    /// Greatest torque on the wheels, N m.
    pub steering_torque: f64,
    /// Where the wheels come to a stop, rad; less than a quarter turn, where both pairs would allow the same motions.
    pub steering_limit: f64,
    /// α: where in a step the shape is taken. ½ is of second order.
    pub point: f64,
}

/// Where a snakeboard is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SnakeboardState {
    /// Of the board's middle; forward +x.
    pub pose: Pose2,
    /// Angle of the rotor against the board, rad.
    pub rotor: f64,
    /// Angle of the rear wheels, rad; that of the front wheels is opposite.
    pub steering: f64,
    /// Rate of the rotor, rad/s.
    pub rotor_rate: f64,
    /// Rate of the wheels' angle, rad/s.
    pub steering_rate: f64,
    /// λ, 1/s.
    pub speed: f64,
}

impl Default for Snakeboard {
    fn default() -> Self {
        Snakeboard {
            mass: 2.0,
            half_length: 0.6,
            rotor_inertia: 0.15,
            wheel_inertia: 0.02,
            rotor_torque: 1.0,
            steering_torque: 0.5,
            steering_limit: 1.2,
            point: 0.5,
        }
    }
}

impl Snakeboard {
    /// ml².
    fn whole_inertia(&self) -> f64 {
        self.mass * self.half_length * self.half_length
    }

    /// λ e(φ).
    fn twist_at<S: Scalar>(&self, steering: S, speed: S) -> [S; 3] {
        [speed * steering.sin(), speed * steering.cos() * -self.half_length, S::from(0.0)]
    }

    /// u and λ of `I (u + λ sin a) = P` and `ml² λ cos(b − a) + I u sin b = Q`.
    fn velocities<S: Scalar>(&self, rotor: S, board: S, at: S, node: S) -> (S, S) {
        let (sin_at, sin_node) = (at.sin(), node.sin());
        let denominator = (node - at).cos() * self.whole_inertia() - sin_at * sin_node * self.rotor_inertia;
        let speed = (board - rotor * sin_node) / denominator;
        (rotor / self.rotor_inertia - speed * sin_at, speed)
    }

    /// φ_{k+1} and φ'_{k+1}.
    fn steer<S: Scalar>(&self, steering: S, rate: S, torque: S, h: S) -> (S, S) {
        let faster = torque * h / (2.0 * self.wheel_inertia);
        let end = steering + (rate + faster * early(self.point)) * h;
        if end.value().abs() > self.steering_limit {
            (S::from(self.steering_limit.copysign(end.value())), S::from(0.0))
        } else {
            (end, rate + faster)
        }
    }

    fn local(state: &SnakeboardState) -> Local<f64, 8> {
        let rest = [0.0, 0.0, 0.0, state.rotor, state.steering, state.rotor_rate, state.steering_rate, state.speed];
        Local { frame: Frame::of(&state.pose), rest }
    }
}

/// β.
fn early(point: f64) -> f64 {
    point * point + (1.0 - point) * (1.0 - point)
}

impl Flow<8, 2> for Snakeboard {
    fn flow<S: Scalar>(&self, from: &Local<S, 8>, controls: &[S; 2], h: S) -> Option<Local<S, 8>> {
        let [_, _, _, rotor, steering, rotor_rate, steering_rate, speed] = from.rest;
        let (inertia, whole, push) = (self.rotor_inertia, self.whole_inertia(), controls[0] * h);
        let (end, next_steering_rate) = self.steer(steering, steering_rate, controls[1], h);
        let middle = steering + (end - steering) * self.point;
        let rotor_momentum = (rotor_rate + speed * steering.sin()) * inertia;
        let board_momentum = speed * whole + rotor_rate * steering.sin() * inertia;
        let (rate, pace) = self.velocities(rotor_momentum + push * early(self.point), board_momentum, middle, steering);
        let board_after = pace * (end - middle).cos() * whole + rate * end.sin() * inertia;
        let (next_rate, next_speed) = self.velocities(rotor_momentum + push, board_after, end, end);
        let (frame, zero) = (from.frame.then(&Frame::exp(&self.twist_at(middle, pace * h))), S::from(0.0));
        next_speed
            .value()
            .is_finite()
            .then(|| Local { frame, rest: [zero, zero, zero, rotor + rate * h, end, next_rate, next_steering_rate, next_speed] })
    }
}

impl Controlled<8, 2> for Snakeboard {
    type State = SnakeboardState;

    fn controls(&self) -> [Control; 2] {
        [
            Control { name: "rotor-torque", unit: "N m", range: [-self.rotor_torque, self.rotor_torque], rest: 0.0 },
            Control { name: "steering-torque", unit: "N m", range: [-self.steering_torque, self.steering_torque], rest: 0.0 },
        ]
    }

    fn validate(&self) -> Result<(), Error> {
        let positive =
            |name: &'static str, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "finite and above zero");
        positive("mass", self.mass)?;
        positive("half_length", self.half_length)?;
        positive("wheel_inertia", self.wheel_inertia)?;
        let rotor = self.rotor_inertia > 0.0 && self.rotor_inertia < self.whole_inertia();
        Error::unless(rotor, "rotor_inertia", self.rotor_inertia, "above zero and less than mass × half_length²")?;
        Error::unless_zero_or_more("rotor_torque", self.rotor_torque)?;
        Error::unless_zero_or_more("steering_torque", self.steering_torque)?;
        let limited = self.steering_limit > 0.0 && self.steering_limit < std::f64::consts::FRAC_PI_2;
        Error::unless(limited, "steering_limit", self.steering_limit, "above zero and less than a quarter turn")?;
        Error::unless((0.0..=1.0).contains(&self.point), "point", self.point, "from 0 to 1")
    }

    fn at(&self, pose: &Pose, twist: &Twist) -> SnakeboardState {
        let speed = -level::twist_of(twist).linear.x / self.half_length;
        SnakeboardState { pose: level::pose_of(pose), rotor: 0.0, steering: 0.0, rotor_rate: 0.0, steering_rate: 0.0, speed }
    }

    fn step(&self, state: &SnakeboardState, controls: &SVector<f64, 2>, _time: f64, h: f64) -> Option<SnakeboardState> {
        let next = self.flow(&Self::local(state), &(*controls).into(), h)?;
        let [_, _, _, rotor, steering, rotor_rate, steering_rate, speed] = next.rest;
        Some(SnakeboardState { pose: next.frame.pose(), rotor, steering, rotor_rate, steering_rate, speed })
    }

    fn linearise(
        &self,
        state: &SnakeboardState,
        controls: &SVector<f64, 2>,
        time: f64,
        h: f64,
    ) -> Option<Linearised<SnakeboardState, 8, 2>> {
        let next = self.step(state, controls, time, h)?;
        let (by_state, by_controls, by_time_step) = linearise(self, &Self::local(state), controls, h)?;
        Some(Linearised { next, by_state, by_controls, by_time_step })
    }

    fn curvature(
        &self,
        state: &SnakeboardState,
        controls: &SVector<f64, 2>,
        _time: f64,
        h: f64,
        weights: &SVector<f64, 8>,
    ) -> Option<Curvature<8, 2>> {
        curvature(self, &Self::local(state), controls, h, weights)
    }

    fn moved(&self, state: &SnakeboardState, along: &SVector<f64, 8>) -> SnakeboardState {
        SnakeboardState {
            pose: state.pose * Pose2::exp(&Twist2::from(Vector3::new(along[0], along[1], along[2]))),
            rotor: state.rotor + along[3],
            steering: state.steering + along[4],
            rotor_rate: state.rotor_rate + along[5],
            steering_rate: state.steering_rate + along[6],
            speed: state.speed + along[7],
        }
    }

    fn difference(&self, from: &SnakeboardState, to: &SnakeboardState) -> SVector<f64, 8> {
        let pose = Vector3::from((from.pose.inverse() * to.pose).log());
        let (from, to) = (Self::local(from).rest, Self::local(to).rest);
        SVector::from_fn(|i, _| if i < 3 { pose[i] } else { to[i] - from[i] })
    }

    fn carried(&self, gap: &SVector<f64, 8>) -> Option<SMatrix<f64, 8, 8>> {
        let mut carried = SMatrix::<f64, 8, 8>::identity();
        let pose = Pose2::exp(&Twist2::from(Vector3::from(gap.fixed_rows::<3>(0))));
        carried.fixed_view_mut::<3, 3>(0, 0).copy_from(&pose.adjoint());
        Some(carried)
    }

    fn place(&self, state: &SnakeboardState, point: &Vector3<f64>) -> Place<8> {
        level::place(&state.pose, point)
    }

    fn pose(&self, state: &SnakeboardState) -> Pose {
        state.pose.level(0.0)
    }

    fn twist(&self, state: &SnakeboardState) -> Twist {
        level::twist(&Twist2::from(Vector3::from(self.twist_at(state.steering, state.speed))))
    }

    fn momentum(&self, state: &SnakeboardState) -> Momentum {
        let [turn, forward, _] = self.twist_at(state.steering, state.speed);
        let angular = self.whole_inertia() * turn + self.rotor_inertia * state.rotor_rate;
        level::momentum(&state.pose, &Momentum2::new(angular, Vector2::new(self.mass * forward, 0.0)))
    }

    fn kinetic_energy(&self, state: &SnakeboardState) -> f64 {
        let SnakeboardState { speed, rotor_rate, steering_rate, .. } = *state;
        let board = 0.5 * self.whole_inertia() * speed * speed + self.wheel_inertia * steering_rate * steering_rate;
        board + self.rotor_inertia * rotor_rate * (speed * state.steering.sin() + 0.5 * rotor_rate)
    }

    fn power(&self, state: &SnakeboardState, controls: &SVector<f64, 2>, _time: f64) -> Option<f64> {
        Some(controls[0] * state.rotor_rate + controls[1] * state.steering_rate)
    }

    /// Rotor, then rear wheels; front wheels are opposite.
    fn joints(&self, state: &SnakeboardState) -> Vec<f64> {
        vec![state.rotor, state.steering]
    }

    fn stops(&self) -> Vec<[f64; 2]> {
        vec![[f64::NEG_INFINITY, f64::INFINITY], [-self.steering_limit, self.steering_limit]]
    }

    fn unstopped(&self) -> Self {
        Snakeboard { steering_limit: f64::INFINITY, ..*self }
    }

    fn joint_names(&self) -> &'static [&'static str] {
        &["rotor", "steering"]
    }
}
