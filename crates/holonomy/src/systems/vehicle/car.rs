//! A car: rear wheels that are driven, front wheels that are steered, none of which slips (Kobilarov 2009, Sec. 5.2.1).
//!
//! | symbol | code | is |
//! |---|---|---|
//! | σ | `steering` | tangent of the steering angle: the turn per distance is σ/l |
//! | ψ' | `rate` | rate of the rear wheels |
//! | I, K, m | `wheel_inertia`, `inertia`, `mass` | of the rear wheels, of the car about the middle of its rear axle, where its mass is taken to be |
//! | ρ, l | `wheel_radius`, `length` | of the rear wheels; from axle to axle |
//! | α, β | `point`, `early` | where in a step σ is taken; the part of the torque that acts at its start, α² + (1−α)² |
//!
//! With M(a, b) = I + mρ² + (Kρ²/l²) a b, from node k to the next:
//!
//! ```text
//! σ_{k+1} = σ_k + h σ',   σ_a = σ_k + αh σ'
//! M(σ_k, σ_a) u = M(σ_k, σ_k) ψ'_k + βh f
//! M(σ_{k+1}, σ_{k+1}) ψ'_{k+1} = M(σ_{k+1}, σ_a) u + (1−β)h f
//! g_{k+1} = g_k exp(hρu (σ_a/l, 1, 0))
//! ```
//!
//! This is the printed update; its rate u of the interval is kept as the rate ψ' of the node that has the same momentum, so that α = ½ needs no
//! earlier σ and starts with second order (docs/ERRATA.md, K20). For α = 1 both are the same.

use nalgebra::{SMatrix, SVector, Vector2, Vector3};

use crate::Error;
use crate::integrate::controlled::{Control, Controlled, Curvature, Linearised, Place};
use crate::integrate::nonholonomic::{Scalar, level};
use crate::lie::{Momentum, Momentum2, Pose, Pose2, Twist, Twist2, coefficients};

/// A car, by its masses and measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Car {
    /// kg.
    pub mass: f64,
    /// About the middle of the rear axle, kg m².
    pub inertia: f64,
    /// Of the rear wheels about their axle, kg m².
    pub wheel_inertia: f64,
    /// m.
    pub wheel_radius: f64,
    /// From rear to front axle, m.
    pub length: f64,
    /// Greatest torque on the rear wheels, N m.
    pub torque: f64,
    /// Greatest rate of the tangent of the steering angle, 1/s.
    pub steering_rate: f64,
    /// Greatest tangent of the steering angle, where the steering comes to a stop. Infinite unless given: a planner bounds the joint itself.
    pub steering_limit: f64,
    /// α: where in a step the steering is taken. ½ is of second order.
    pub point: f64,
}

/// Where a car is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarState {
    /// Of the middle of the rear axle; forward +x.
    pub pose: Pose2,
    /// Tangent of the steering angle, to the left.
    pub steering: f64,
    /// Rate of the rear wheels, rad/s.
    pub rate: f64,
    /// How far the rear wheels have turned, rad: to draw them; no degree of freedom.
    pub rolled: f64,
}

impl Default for Car {
    fn default() -> Self {
        Car {
            mass: 1.0,
            inertia: 0.2,
            wheel_inertia: 0.1,
            wheel_radius: 0.3,
            length: 1.0,
            torque: 2.0,
            steering_rate: 2.0,
            steering_limit: f64::INFINITY,
            point: 0.5,
        }
    }
}

/// The numbers of one step.
struct Step {
    /// σ_a and σ_{k+1}.
    midway: f64,
    end: f64,
    /// Whether the steering is at its stop.
    stopped: bool,
    /// M(σ_k, σ_a), M(σ_{k+1}, σ_a), M(σ_{k+1}, σ_{k+1}).
    start_inertia: f64,
    end_inertia: f64,
    node_inertia: f64,
    /// u and ψ'_{k+1}, rad/s.
    rate: f64,
    next_rate: f64,
    /// The arc: its length and its turn.
    distance: f64,
    turn: f64,
}

/// By σ, ψ', f, σ', h.
type Gradient = SVector<f64, 5>;

/// First derivatives of a step's numbers.
struct Gradients {
    midway: Gradient,
    end: Gradient,
    start_inertia: Gradient,
    end_inertia: Gradient,
    node_inertia: Gradient,
    rate: Gradient,
    next_rate: Gradient,
    distance: Gradient,
    turn: Gradient,
}

impl Car {
    /// I + mρ² and Kρ²/l².
    #[inline]
    fn inertias(&self) -> (f64, f64) {
        let square = self.wheel_radius * self.wheel_radius;
        (self.wheel_inertia + self.mass * square, self.inertia * square / (self.length * self.length))
    }

    /// The steering at the end of a step, which stops at its limit.
    #[inline]
    pub(super) fn steered<S: Scalar>(&self, steering: S, by: S) -> S {
        let end = steering + by;
        if end.value().abs() > self.steering_limit { S::from(self.steering_limit.copysign(end.value())) } else { end }
    }

    /// β.
    #[inline]
    pub(super) fn early(&self) -> f64 {
        self.point * self.point + (1.0 - self.point) * (1.0 - self.point)
    }

    #[inline]
    fn numbers(&self, state: &CarState, controls: &SVector<f64, 2>, h: f64) -> Step {
        let (base, per_square) = self.inertias();
        let (sigma, early, torque) = (state.steering, self.early(), controls[0]);
        let end = self.steered(sigma, h * controls[1]);
        let midway = sigma + self.point * (end - sigma);
        let inertia = |a: f64, b: f64| base + per_square * a * b;
        let (start_inertia, end_inertia, node_inertia) = (inertia(sigma, midway), inertia(end, midway), inertia(end, end));
        let rate = (inertia(sigma, sigma) * state.rate + early * h * torque) / start_inertia;
        let next_rate = (end_inertia * rate + (1.0 - early) * h * torque) / node_inertia;
        let distance = h * self.wheel_radius * rate;
        let turn = distance * midway / self.length;
        Step {
            midway,
            end,
            stopped: end != sigma + h * controls[1],
            start_inertia,
            end_inertia,
            node_inertia,
            rate,
            next_rate,
            distance,
            turn,
        }
    }

    #[inline]
    fn gradients(&self, state: &CarState, controls: &SVector<f64, 2>, h: f64, step: &Step) -> Gradients {
        let ((_, k), early, radius) = (self.inertias(), self.early(), self.wheel_radius);
        let (sigma, torque, unit) = (state.steering, controls[0], Gradient::x());
        let end = if step.stopped { Gradient::zeros() } else { Gradient::new(1.0, 0.0, 0.0, h, controls[1]) };
        let midway = unit * (1.0 - self.point) + end * self.point;
        let start_inertia = (unit * step.midway + midway * sigma) * k;
        let end_inertia = (end * step.midway + midway * step.end) * k;
        let node_inertia = end * (2.0 * k * step.end);
        let push = Gradient::new(0.0, 0.0, h, 0.0, torque);
        let (base, _) = self.inertias();
        let before = Gradient::new(2.0 * k * sigma * state.rate, base + k * sigma * sigma, 0.0, 0.0, 0.0) + push * early;
        let rate = (before - start_inertia * step.rate) / step.start_inertia;
        let after = end_inertia * step.rate + rate * step.end_inertia + push * (1.0 - early);
        let next_rate = (after - node_inertia * step.next_rate) / step.node_inertia;
        let distance = rate * (h * radius) + Gradient::new(0.0, 0.0, 0.0, 0.0, radius * step.rate);
        let turn = (distance * step.midway + midway * step.distance) / self.length;
        Gradients { midway, end, start_inertia, end_inertia, node_inertia, rate, next_rate, distance, turn }
    }

    #[inline]
    fn finish(state: &CarState, step: &Step, arc: &Pose2, h: f64) -> CarState {
        CarState { pose: state.pose * *arc, steering: step.end, rate: step.next_rate, rolled: state.rolled + h * step.rate }
    }

    #[inline]
    pub(super) fn twist_at(&self, steering: f64, rate: f64) -> Twist2 {
        let speed = self.wheel_radius * rate;
        Twist2::new(speed * steering / self.length, Vector2::new(speed, 0.0))
    }
}

/// exp(turn, distance, 0), and how it changes with both, in the frame at its end.
struct Arc {
    pose: Pose2,
    by_turn: Vector3<f64>,
    by_distance: Vector3<f64>,
    /// Second derivatives of its logarithm there: by turn and turn, by turn and distance. By distance and distance it is straight.
    turn_turn: Vector3<f64>,
    turn_distance: Vector3<f64>,
}

impl Arc {
    #[inline]
    fn pose(step: &Step) -> Pose2 {
        Pose2::exp(&Twist2::new(step.turn, Vector2::new(step.distance, 0.0)))
    }

    #[inline]
    fn new(step: &Step) -> Arc {
        let (t, d) = (step.turn, step.distance);
        let c = coefficients::dexp(t * t);
        // (t − sin t)/t² and (1 − cos t)/t², then sin t/t and (1 − cos t)/t.
        let (behind, aside) = (c.quadratic * t, c.linear);
        let (along, across) = (1.0 - behind * t, aside * t);
        Arc {
            pose: Arc::pose(step),
            by_turn: Vector3::new(1.0, behind * d, aside * d),
            by_distance: Vector3::new(0.0, along, -across),
            turn_turn: Vector3::new(0.0, (c.quadratic + 2.0 * t * t * c.quadratic_slope) * d, 2.0 * t * c.linear_slope * d),
            turn_distance: Vector3::new(0.0, behind - 0.5 * across, aside - 0.5 * along),
        }
    }

    /// ½ ⟨weight, [Ad(arc⁻¹) δ, change of the arc]⟩ for each input and each direction δ of the pose before.
    fn beside_pose(&self, weight: &Vector3<f64>, turn: &SVector<f64, 4>, distance: &SVector<f64, 4>) -> SMatrix<f64, 4, 3> {
        // [a, b] = −ad(b) a.
        let half = |change: &Vector3<f64>| Twist2::from(*change).ad().tr_mul(weight) * -0.5;
        let carried = self.pose.inverse().adjoint();
        let (by_turn, by_distance) = (carried.tr_mul(&half(&self.by_turn)), carried.tr_mul(&half(&self.by_distance)));
        turn * by_turn.transpose() + distance * by_distance.transpose()
    }
}

impl Controlled<5, 2> for Car {
    type State = CarState;

    fn controls(&self) -> [Control; 2] {
        [
            Control { name: "torque", unit: "N m", range: [-self.torque, self.torque], rest: 0.0 },
            Control { name: "steering-rate", unit: "1/s", range: [-self.steering_rate, self.steering_rate], rest: 0.0 },
        ]
    }

    fn validate(&self) -> Result<(), Error> {
        let positive =
            |name: &'static str, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "finite and above zero");
        positive("mass", self.mass)?;
        positive("wheel_radius", self.wheel_radius)?;
        positive("length", self.length)?;
        Error::unless_zero_or_more("inertia", self.inertia)?;
        Error::unless_zero_or_more("wheel_inertia", self.wheel_inertia)?;
        Error::unless_zero_or_more("torque", self.torque)?;
        Error::unless_zero_or_more("steering_rate", self.steering_rate)?;
        Error::unless(self.steering_limit > 0.0, "steering_limit", self.steering_limit, "above zero")?;
        Error::unless((0.0..=1.0).contains(&self.point), "point", self.point, "from 0 to 1")
    }

    fn at(&self, pose: &Pose, twist: &Twist) -> CarState {
        let rate = level::twist_of(twist).linear.x / self.wheel_radius;
        CarState { pose: level::pose_of(pose), steering: 0.0, rate, rolled: 0.0 }
    }

    #[inline]
    fn step(&self, state: &CarState, controls: &SVector<f64, 2>, _time: f64, h: f64) -> Option<CarState> {
        let step = self.numbers(state, controls, h);
        step.next_rate.is_finite().then(|| Car::finish(state, &step, &Arc::pose(&step), h))
    }

    #[inline]
    fn linearise(&self, state: &CarState, controls: &SVector<f64, 2>, _time: f64, h: f64) -> Option<Linearised<CarState, 5, 2>> {
        let step = self.numbers(state, controls, h);
        if !step.next_rate.is_finite() {
            return None;
        }
        let (slopes, arc) = (self.gradients(state, controls, h, &step), Arc::new(&step));
        let mut by = SMatrix::<f64, 5, 5>::zeros();
        for j in 0..5 {
            let pose = arc.by_turn * slopes.turn[j] + arc.by_distance * slopes.distance[j];
            by.set_column(j, &SVector::<f64, 5>::new(pose.x, pose.y, pose.z, slopes.end[j], slopes.next_rate[j]));
        }
        let mut by_state = SMatrix::<f64, 5, 5>::zeros();
        by_state.fixed_view_mut::<3, 3>(0, 0).copy_from(&arc.pose.inverse().adjoint());
        by_state.fixed_columns_mut::<2>(3).copy_from(&by.fixed_columns::<2>(0));
        Some(Linearised {
            next: Car::finish(state, &step, &arc.pose, h),
            by_state,
            by_controls: by.fixed_columns::<2>(2).into_owned(),
            by_time_step: by.column(4).into_owned(),
        })
    }

    /// The pose before enters the pose after by a constant matrix, and beside other inputs by half a bracket; all others by the product rule.
    fn curvature(
        &self,
        state: &CarState,
        controls: &SVector<f64, 2>,
        _time: f64,
        h: f64,
        weights: &SVector<f64, 5>,
    ) -> Option<Curvature<5, 2>> {
        let step = self.numbers(state, controls, h);
        if !step.next_rate.is_finite() {
            return None;
        }
        let (slopes, arc) = (self.gradients(state, controls, h, &step), Arc::new(&step));
        let weight = Vector3::new(weights[0], weights[1], weights[2]);
        let (_, k) = self.inertias();
        let cut = |gradient: &Gradient| gradient.fixed_rows::<4>(0).into_owned();
        let (end, midway, turn, distance) = (cut(&slopes.end), cut(&slopes.midway), cut(&slopes.turn), cut(&slopes.distance));
        let (rate, next_rate) = (cut(&slopes.rate), cut(&slopes.next_rate));
        let both = |a: &SVector<f64, 4>, b: &SVector<f64, 4>| a * b.transpose() + b * a.transpose();
        let unit = SVector::<f64, 4>::x();
        let mut before = both(&unit, &SVector::<f64, 4>::y()) * (2.0 * k * state.steering);
        before[(0, 0)] = 2.0 * k * state.rate;
        let rate_2 = (before - both(&rate, &cut(&slopes.start_inertia)) - both(&unit, &midway) * (k * step.rate)) / step.start_inertia;
        let after = both(&end, &midway) * (k * step.rate) + both(&cut(&slopes.end_inertia), &rate) + rate_2 * step.end_inertia;
        let node = both(&next_rate, &cut(&slopes.node_inertia)) + both(&end, &end) * (k * step.next_rate);
        let next_rate_2 = (after - node) / step.node_inertia;
        let distance_2 = rate_2 * (h * self.wheel_radius);
        let turn_2 = (distance_2 * step.midway + both(&distance, &midway)) / self.length;
        let inputs = turn_2 * weight.dot(&arc.by_turn)
            + distance_2 * weight.dot(&arc.by_distance)
            + turn * turn.transpose() * weight.dot(&arc.turn_turn)
            + both(&turn, &distance) * weight.dot(&arc.turn_distance)
            + next_rate_2 * weights[4];
        let beside = arc.beside_pose(&weight, &turn, &distance);
        let mut curvature: Curvature<5, 2> =
            Curvature { xx: SMatrix::zeros(), ux: SMatrix::zeros(), uu: inputs.fixed_view::<2, 2>(2, 2).into_owned() };
        curvature.xx.fixed_view_mut::<2, 2>(3, 3).copy_from(&inputs.fixed_view::<2, 2>(0, 0));
        curvature.xx.fixed_view_mut::<2, 3>(3, 0).copy_from(&beside.fixed_rows::<2>(0));
        curvature.xx.fixed_view_mut::<3, 2>(0, 3).copy_from(&beside.fixed_rows::<2>(0).transpose());
        curvature.ux.fixed_view_mut::<2, 2>(0, 3).copy_from(&inputs.fixed_view::<2, 2>(2, 0));
        curvature.ux.fixed_view_mut::<2, 3>(0, 0).copy_from(&beside.fixed_rows::<2>(2));
        Some(curvature)
    }

    #[inline]
    fn moved(&self, state: &CarState, along: &SVector<f64, 5>) -> CarState {
        let pose = state.pose * Pose2::exp(&Twist2::from(Vector3::new(along[0], along[1], along[2])));
        CarState { pose, steering: state.steering + along[3], rate: state.rate + along[4], rolled: state.rolled }
    }

    #[inline]
    fn difference(&self, from: &CarState, to: &CarState) -> SVector<f64, 5> {
        let pose = (from.pose.inverse() * to.pose).log();
        SVector::<f64, 5>::new(pose.angular, pose.linear.x, pose.linear.y, to.steering - from.steering, to.rate - from.rate)
    }

    fn carried(&self, gap: &SVector<f64, 5>) -> Option<SMatrix<f64, 5, 5>> {
        let mut carried = SMatrix::<f64, 5, 5>::identity();
        let pose = Pose2::exp(&Twist2::from(Vector3::from(gap.fixed_rows::<3>(0))));
        carried.fixed_view_mut::<3, 3>(0, 0).copy_from(&pose.adjoint());
        Some(carried)
    }

    fn place(&self, state: &CarState, point: &Vector3<f64>) -> Place<5> {
        level::place(&state.pose, point)
    }

    fn pose(&self, state: &CarState) -> Pose {
        state.pose.level(0.0)
    }

    fn twist(&self, state: &CarState) -> Twist {
        level::twist(&self.twist_at(state.steering, state.rate))
    }

    fn momentum(&self, state: &CarState) -> Momentum {
        let twist = self.twist_at(state.steering, state.rate);
        level::momentum(&state.pose, &Momentum2::new(self.inertia * twist.angular, twist.linear * self.mass))
    }

    fn kinetic_energy(&self, state: &CarState) -> f64 {
        let (base, per_square) = self.inertias();
        0.5 * (base + per_square * state.steering * state.steering) * state.rate * state.rate
    }

    fn power(&self, state: &CarState, controls: &SVector<f64, 2>, _time: f64) -> Option<f64> {
        Some(controls[0] * state.rate)
    }

    /// Steering angle, then how far the rear wheels have turned.
    fn joints(&self, state: &CarState) -> Vec<f64> {
        vec![state.steering.atan(), state.rolled]
    }

    fn joint(&self, state: &CarState, index: usize) -> (f64, SVector<f64, 5>) {
        let slope = if index == 0 { 1.0 / (1.0 + state.steering * state.steering) } else { 0.0 };
        (if index == 0 { state.steering.atan() } else { state.rolled }, SVector::from([0.0, 0.0, 0.0, slope, 0.0]))
    }

    fn stops(&self) -> Vec<[f64; 2]> {
        let most = self.steering_limit.atan();
        vec![[-most, most]]
    }

    fn unstopped(&self) -> Self {
        Car { steering_limit: f64::INFINITY, ..*self }
    }

    fn joint_names(&self) -> &'static [&'static str] {
        &["steering", "wheels"]
    }
}
