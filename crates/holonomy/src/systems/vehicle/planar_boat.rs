//! A boat in the plane, for plans such as docking (Kobilarov 2009, Secs. 4.3.2 and 6): three degrees of freedom, two thrusters, drag, wind.
//!
//! The step is Eqs. 9 and 10 on SE(2) with τ = cay and C truncated to `I − ½ad` (TLN), forces at the node with the velocity of the step before. A state is a node:
//! its pose g_k, and ξ_{k−1} with which it was reached. With e = hω/2, M₁ and M₂ the masses along and across, J the moment, and f the force in the body frame:
//!
//! ```text
//! a(ξ_k) = b(ξ_{k−1}) + h f(g_k, ξ_{k−1}, u)          g_{k+1} = g_k cay(h ξ_k)
//! a(ω, v) = (J ω + ½h (M₂ − M₁) v₁ v₂,  M₁ v₁ − e M₂ v₂,  M₂ v₂ + e M₁ v₁),        b is a with −h for h
//! ```
//!
//! The last two rows give v where ω is known; what is left is one equation for ω, which Newton solves. Derivatives come from differentiating the equation. For the
//! second ones, with A = ∂a/∂ξ, κ = h dcay(−hξ) and δ = ∂ξ·z the change of ξ along z = (pose a, velocity, controls), the change of the next pose is to second order
//!
//! ```text
//! Ad(c⁻¹) a + κ δ + ½ κ ∂²ξ(z, z) − ωh²/(4 + h²ω²) δ_ω κ δ + ½ [Ad(c⁻¹) a, κ δ],     c = cay(hξ)
//! A ∂²ξ(z, z) = ∂²b + h ∂²f − ∂²a(δ, δ)
//! ```

use nalgebra::{Matrix2, Matrix3, SMatrix, SVector, Vector2, Vector3};

use super::surroundings::positive;
use crate::Error;
use crate::integrate::controlled::{Control, Controlled, Curvature, Linearised, Place};
use crate::lie::{Momentum, Momentum2, Pose, Pose2, Twist, Twist2};

/// A boat in the plane: x forward, y left. Controls: right and left thruster, N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarBoat {
    /// J, moment of inertia about the origin, with that of the water which turns along, kg m².
    pub moment: f64,
    /// M₁ and M₂, along and across, with that of the water which goes along, kg.
    pub masses: [f64; 2],
    /// Torque per rate, N m s, then force per speed along and across, N s/m.
    pub damping: [f64; 3],
    /// Where the right and the left thruster are, metres. Both push forward.
    pub thrusters: [Vector2<f64>; 2],
    /// Greatest thrust of each, either way, N.
    pub most_thrust: f64,
    /// Force of the wind at the world's origin, world frame, N.
    pub wind: Vector2<f64>,
    /// How that force changes from place to place, N/m: one column per direction.
    pub wind_gradient: Matrix2<f64>,
}

impl Default for PlanarBoat {
    fn default() -> Self {
        PlanarBoat {
            moment: 4.0,
            masses: [10.0, 14.0],
            damping: [3.0, 4.0, 12.0],
            thrusters: [Vector2::new(-1.0, -0.4), Vector2::new(-1.0, 0.4)],
            most_thrust: 15.0,
            wind: Vector2::new(-1.5, 1.0),
            wind_gradient: Matrix2::new(0.0, 0.0, 0.3, 0.0),
        }
    }
}

/// A node: where the boat is, and the velocity of the step that led there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarBoatState {
    /// Where it is.
    pub pose: Pose2,
    /// Velocity of the step before, body frame.
    pub twist: Twist2,
}

/// A step with all that its derivatives share.
struct Slope {
    next: PlanarBoatState,
    /// ξ, as a column.
    twist: Vector3<f64>,
    /// Ad(c⁻¹).
    back: Matrix3<f64>,
    /// dcay(−hξ).
    tangent: Matrix3<f64>,
    /// A⁻¹.
    inverse: Matrix3<f64>,
    /// ∂ξ by pose, velocity before, controls.
    by_pose: Matrix3<f64>,
    by_velocity: Matrix3<f64>,
    by_controls: SMatrix<f64, 3, 2>,
    /// Force of the wind and its gradient, body frame.
    wind: Vector2<f64>,
    gradient: Matrix2<f64>,
    /// Torque and force at the node.
    force: Vector3<f64>,
}

impl PlanarBoat {
    /// Force of the wind, body frame.
    fn wind_at(&self, pose: &Pose2) -> Vector2<f64> {
        pose.rotation.inverse() * (self.wind + self.wind_gradient * pose.translation)
    }

    /// Torque and force at a node, body frame, with the velocity of the step before; `wind` is that at its pose.
    fn force(&self, wind: &Vector2<f64>, twist: &Twist2, controls: &SVector<f64, 2>) -> Vector3<f64> {
        let [turn, along, across] = self.damping;
        let torque = -self.thrusters[0].y * controls[0] - self.thrusters[1].y * controls[1];
        Vector3::new(
            torque - turn * twist.angular,
            controls[0] + controls[1] + wind.x - along * twist.linear.x,
            wind.y - across * twist.linear.y,
        )
    }

    /// a(ξ); b(ξ) with −h.
    fn discrete_momentum(&self, twist: &Twist2, h: f64) -> Vector3<f64> {
        let ([m1, m2], half) = (self.masses, 0.5 * h);
        let (w, v) = (twist.angular, twist.linear);
        let (p, q) = (m1 * v.x, m2 * v.y);
        Vector3::new(self.moment * w + half * (v.x * q - v.y * p), p - half * w * q, q + half * w * p)
    }

    /// ∂a/∂ξ.
    fn momentum_slope(&self, twist: &Twist2, h: f64) -> Matrix3<f64> {
        let ([m1, m2], half) = (self.masses, 0.5 * h);
        let (e, v, d) = (half * twist.angular, twist.linear * half, m2 - m1);
        Matrix3::new(self.moment, d * v.y, d * v.x, -m2 * v.y, m1, -e * m2, m1 * v.x, e * m1, m2)
    }

    /// ∂²⟨weights, a⟩/∂ξ².
    fn momentum_bend(&self, weights: &Vector3<f64>, h: f64) -> Matrix3<f64> {
        let ([m1, m2], half) = (self.masses, 0.5 * h);
        let (wx, wy, xy) = (half * m1 * weights.z, -half * m2 * weights.y, half * (m2 - m1) * weights.x);
        Matrix3::new(0.0, wx, wy, wx, 0.0, xy, wy, xy, 0.0)
    }

    /// ξ with a(ξ) = `target`, starting from the rate `guess`.
    fn solve(&self, target: &Vector3<f64>, guess: f64, h: f64) -> Option<Twist2> {
        let ([m1, m2], half) = (self.masses, 0.5 * h);
        // With v put in, the first row is (J/half e − t₁)(1 + e²)² + c (B (1 − e²) − 2 A e) = 0, of which B + iA = t₂ t₃ + ½i (t₂² − t₃²).
        let coupling = half * (1.0 / m1 - 1.0 / m2);
        let product = coupling * target.y * target.z;
        let squares = coupling * (target.y * target.y - target.z * target.z);
        let moment = self.moment / half;
        let mut e = half * guess;
        for _ in 0..MOST_ITERATIONS {
            let (grown, left) = (1.0 + e * e, moment * e - target.x);
            let missing = left * grown * grown + product * (1.0 - e * e) - squares * e;
            let slope = (moment * grown + 4.0 * e * left) * grown - 2.0 * product * e - squares;
            let step = missing / slope;
            e -= step;
            // Newton squares the error: what is left after this step is below round-off.
            if step.abs() <= 3e-8 {
                let scale = 1.0 / (1.0 + e * e);
                let linear = Vector2::new((target.y + e * target.z) * scale / m1, (target.z - e * target.y) * scale / m2);
                return Some(Twist2::new(e / half, linear)).filter(Twist2::is_finite);
            }
        }
        None
    }

    fn slope(&self, state: &PlanarBoatState, controls: &SVector<f64, 2>, h: f64) -> Option<Slope> {
        let wind = self.wind_at(&state.pose);
        let force = self.force(&wind, &state.twist, controls);
        let twist = self.solve(&(self.discrete_momentum(&state.twist, -h) + force * h), state.twist.angular, h)?;
        let step = Pose2::cay(&(twist * h));
        let inverse = self.momentum_slope(&twist, h).try_inverse()?;
        let turn = state.pose.rotation_matrix();
        let gradient = turn.tr_mul(&(self.wind_gradient * turn));
        let g = gradient * h;
        let by_pose = Matrix3::new(0.0, 0.0, 0.0, h * wind.y, g.m11, g.m12, -h * wind.x, g.m21, g.m22);
        let damping = Matrix3::from_diagonal(&(Vector3::from(self.damping) * h));
        let [right, left] = self.thrusters.map(|place| -place.y * h);
        Some(Slope {
            next: PlanarBoatState { pose: state.pose * step, twist },
            twist: twist.into(),
            back: step.inverse().adjoint(),
            tangent: (twist * -h).dcay(),
            inverse,
            by_pose: inverse * by_pose,
            by_velocity: inverse * (self.momentum_slope(&state.twist, -h) - damping),
            by_controls: inverse * SMatrix::<f64, 3, 2>::new(right, left, h, h, 0.0, 0.0),
            wind,
            gradient,
            force,
        })
    }
}

impl Controlled<6, 2> for PlanarBoat {
    type State = PlanarBoatState;

    fn controls(&self) -> [Control; 2] {
        ["right", "left"].map(|name| Control { name, unit: "N", range: [-self.most_thrust, self.most_thrust], rest: 0.0 })
    }

    fn validate(&self) -> Result<(), Error> {
        positive("moment of inertia of the boat", self.moment)?;
        self.masses.iter().try_for_each(|&mass| positive("mass of the boat", mass))?;
        self.damping.iter().try_for_each(|&value| Error::unless_zero_or_more("damping of the boat", value))?;
        Error::unless_zero_or_more("greatest thrust", self.most_thrust)?;
        let places = self.thrusters.iter().flat_map(|place| place.iter());
        let winds = self.wind.iter().chain(self.wind_gradient.iter());
        let finite = |name: &'static str| move |&value: &f64| Error::unless(value.is_finite(), name, value, "a finite number");
        places.into_iter().try_for_each(finite("place of a thruster"))?;
        winds.into_iter().try_for_each(finite("wind"))
    }

    /// Heading and place are those of the pose seen from above; height and tilt are left out.
    fn at(&self, pose: &Pose, twist: &Twist) -> PlanarBoatState {
        let ahead = pose.rotation * Vector3::x();
        let place = Vector2::new(pose.translation.x, -pose.translation.z);
        PlanarBoatState {
            pose: Pose2::from_angle_translation((-ahead.z).atan2(ahead.x), place),
            twist: Twist2::new(twist.angular.y, Vector2::new(twist.linear.x, -twist.linear.z)),
        }
    }

    fn step(&self, state: &PlanarBoatState, controls: &SVector<f64, 2>, _time: f64, h: f64) -> Option<PlanarBoatState> {
        let force = self.force(&self.wind_at(&state.pose), &state.twist, controls);
        let twist = self.solve(&(self.discrete_momentum(&state.twist, -h) + force * h), state.twist.angular, h)?;
        Some(PlanarBoatState { pose: state.pose * Pose2::cay(&(twist * h)), twist })
    }

    fn linearise(
        &self,
        state: &PlanarBoatState,
        controls: &SVector<f64, 2>,
        _time: f64,
        h: f64,
    ) -> Option<Linearised<PlanarBoatState, 6, 2>> {
        let slope = self.slope(state, controls, h)?;
        let moved = slope.tangent * h;
        // a − b changes with h by half the products at both ends.
        let products = |twist: &Twist2| self.discrete_momentum(twist, 1.0) - self.discrete_momentum(twist, 0.0);
        let by_time = slope.inverse * (slope.force - products(&slope.next.twist) - products(&state.twist));
        let mut by_state = SMatrix::<f64, 6, 6>::zeros();
        by_state.fixed_view_mut::<3, 3>(0, 0).copy_from(&(slope.back + moved * slope.by_pose));
        by_state.fixed_view_mut::<3, 3>(0, 3).copy_from(&(moved * slope.by_velocity));
        by_state.fixed_view_mut::<3, 3>(3, 0).copy_from(&slope.by_pose);
        by_state.fixed_view_mut::<3, 3>(3, 3).copy_from(&slope.by_velocity);
        let mut by_controls = SMatrix::<f64, 6, 2>::zeros();
        by_controls.fixed_view_mut::<3, 2>(0, 0).copy_from(&(moved * slope.by_controls));
        by_controls.fixed_view_mut::<3, 2>(3, 0).copy_from(&slope.by_controls);
        let mut by_time_step = SVector::<f64, 6>::zeros();
        by_time_step.fixed_rows_mut::<3>(0).copy_from(&(slope.tangent * (slope.twist + by_time * h)));
        by_time_step.fixed_rows_mut::<3>(3).copy_from(&by_time);
        Some(Linearised { next: slope.next, by_state, by_controls, by_time_step })
    }

    fn curvature(
        &self,
        state: &PlanarBoatState,
        controls: &SVector<f64, 2>,
        _time: f64,
        h: f64,
        weights: &SVector<f64, 6>,
    ) -> Option<Curvature<6, 2>> {
        let slope = self.slope(state, controls, h)?;
        let (on_pose, on_twist) = (Vector3::from(weights.fixed_rows::<3>(0)), Vector3::from(weights.fixed_rows::<3>(3)));
        let moved = slope.tangent * h;
        let pulled = moved.tr_mul(&on_pose);
        let dual = slope.inverse.tr_mul(&(pulled + on_twist));
        // All that is a square of the change of ξ.
        let rate = slope.twist.x;
        let bend = self.momentum_bend(&dual, h);
        let mut square = -bend;
        let shrink = -h * h * rate / (4.0 + h * h * rate * rate);
        for i in 0..3 {
            square[(0, i)] += shrink * pulled[i];
            square[(i, 0)] += shrink * pulled[i];
        }
        let mut change = SMatrix::<f64, 3, 8>::zeros();
        change.fixed_view_mut::<3, 3>(0, 0).copy_from(&slope.by_pose);
        change.fixed_view_mut::<3, 3>(0, 3).copy_from(&slope.by_velocity);
        change.fixed_view_mut::<3, 2>(0, 6).copy_from(&slope.by_controls);
        let mut all = change.tr_mul(&(square * change));
        // b, of the velocity before.
        let mut before = all.fixed_view_mut::<3, 3>(3, 3);
        before -= bend;
        // The wind, of the pose: ∂²f = −θ² w + θ (−2 J G + G J) p.
        let on_force = Vector2::new(dual.y, dual.z) * h;
        all[(0, 0)] -= on_force.dot(&slope.wind);
        let quarter = Matrix2::new(0.0, -1.0, 1.0, 0.0);
        let skew = (slope.gradient * quarter - quarter * slope.gradient * 2.0).tr_mul(&on_force) * 0.5;
        for i in 0..2 {
            all[(0, 1 + i)] += skew[i];
            all[(1 + i, 0)] += skew[i];
        }
        // The bracket of what the pose before and what ξ brings.
        let (jx, jy) = (on_pose.z, -on_pose.y);
        let bracket = Matrix3::new(0.0, jx, jy, -jx, 0.0, 0.0, -jy, 0.0, 0.0);
        let mixed = slope.back.tr_mul(&(bracket * moved)) * change * 0.5;
        let mut rows = all.fixed_view_mut::<3, 8>(0, 0);
        rows += mixed;
        let mut columns = all.fixed_view_mut::<8, 3>(0, 0);
        columns += mixed.transpose();
        Some(Curvature {
            xx: all.fixed_view::<6, 6>(0, 0).into(),
            ux: all.fixed_view::<2, 6>(6, 0).into(),
            uu: all.fixed_view::<2, 2>(6, 6).into(),
        })
    }

    fn moved(&self, state: &PlanarBoatState, along: &SVector<f64, 6>) -> PlanarBoatState {
        let (pose, twist) = (Vector3::from(along.fixed_rows::<3>(0)), Vector3::from(along.fixed_rows::<3>(3)));
        PlanarBoatState { pose: state.pose * Pose2::exp(&Twist2::from(pose)), twist: state.twist + Twist2::from(twist) }
    }

    fn difference(&self, from: &PlanarBoatState, to: &PlanarBoatState) -> SVector<f64, 6> {
        let pose = Vector3::from((from.pose.inverse() * to.pose).log());
        let twist = Vector3::from(to.twist - from.twist);
        SVector::from([pose.x, pose.y, pose.z, twist.x, twist.y, twist.z])
    }

    fn carried(&self, gap: &SVector<f64, 6>) -> Option<SMatrix<f64, 6, 6>> {
        let mut carried = SMatrix::<f64, 6, 6>::identity();
        let pose = Pose2::exp(&Twist2::from(Vector3::from(gap.fixed_rows::<3>(0))));
        carried.fixed_view_mut::<3, 3>(0, 0).copy_from(&pose.adjoint());
        Some(carried)
    }

    fn place(&self, state: &PlanarBoatState, point: &Vector3<f64>) -> Place<6> {
        let flat = Vector2::new(point.x, -point.z);
        let at = state.pose.act(&flat);
        let turn = state.pose.rotation_matrix();
        let turned = turn * Vector2::new(-flat.y, flat.x);
        let mut by_state = SMatrix::<f64, 3, 6>::zeros();
        for (i, column) in [turned, turn.column(0).into(), turn.column(1).into()].into_iter().enumerate() {
            (by_state[(0, i)], by_state[(2, i)]) = (column.x, -column.y);
        }
        Place { position: Vector3::new(at.x, point.y, -at.y), by_state }
    }

    fn pose(&self, state: &PlanarBoatState) -> Pose {
        state.pose.level(0.0)
    }

    fn twist(&self, state: &PlanarBoatState) -> Twist {
        let v = state.twist.linear;
        Twist::new(Vector3::y() * state.twist.angular, Vector3::new(v.x, 0.0, -v.y))
    }

    fn momentum(&self, state: &PlanarBoatState) -> Momentum {
        let ([m1, m2], v) = (self.masses, state.twist.linear);
        let body = Momentum2::new(self.moment * state.twist.angular, Vector2::new(m1 * v.x, m2 * v.y));
        let world = state.pose.momentum_to_world(&body);
        Momentum::new(Vector3::y() * world.angular, Vector3::new(world.linear.x, 0.0, -world.linear.y))
    }

    fn kinetic_energy(&self, state: &PlanarBoatState) -> f64 {
        let ([m1, m2], w, v) = (self.masses, state.twist.angular, state.twist.linear);
        0.5 * (self.moment * w * w + m1 * v.x * v.x + m2 * v.y * v.y)
    }
}

/// Newton needs three; more means that the step is too long for its equation.
const MOST_ITERATIONS: usize = 20;
