//! SE(2): rigid motions of the plane.
//!
//! The rotation is a unit complex number (cos θ, sin θ): products and actions need no trigonometry, one multiplication keeps it
//! unit, and `atan2` finds the angle to full precision near zero and near a half turn alike. Whole turns are not counted: who
//! needs them keeps the angle next to the pose. With J (x, y) = (-y, x), s = 4 + ω², and a, b, k of [`coefficients`]:
//!
//! ```text
//! exp (ω, v) = (ω, (1 - b ω²) v + a ω J v)        log (θ, x) = (θ, (1 - k θ²) x - ½ θ J x)
//! cay (ω, v) = (2 atan(ω/2), (4 v + 2 ω J v)/s)   cay⁻¹      = (ω = 2 tan(θ/2), x - ½ ω J x)
//! ccsk (ω, v) = (ω, R(ω) v)                       dccsk      = [[1, 0], [0, R(ω)]]
//! dexp   = [[1, 0], [b ω v - a J v, (1 - b ω²) I + a ω J]]
//! dexp⁻¹ = [[1, 0], [k ω v + ½ J v, (1 - k ω²) I - ½ ω J]]
//! dcay⁻¹ = [[1 + ¼ω², 0], [¼ ω v + ½ J v, I - ½ ω J]]
//! dcay   = [[4/s, 0], [-2 J v/s, (4 I + 2 ω J)/s]]
//! Ad(g) = [[1, 0], [-J x, R]]                     ad = [[0, 0], [-J v, ω J]]
//! Ad(g⁻¹)ᵀ (l, p) = (l + x × R p, R p)            ad(Y)ᵀ (l, p) = (p × v, -ω J p)
//! ```

use super::coefficients;
use super::macros::{lie_group, vector_space};
use super::{LieAlgebra, LieGroup, Pose};
use nalgebra::{Complex, Matrix2, Matrix3, SMatrix, SVector, UnitComplex, UnitQuaternion, Vector2, Vector3};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A rigid motion x ↦ R x + b of the plane; also the placement of a body in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose2 {
    /// R, unit complex number.
    pub rotation: UnitComplex<f64>,
    /// b, metres.
    pub translation: Vector2<f64>,
}

/// A velocity (or displacement) in the plane, in the frame its name says: angular, linear.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist2 {
    /// Angular velocity, rad/s, counter-clockwise.
    pub angular: f64,
    /// Linear velocity, m/s: of the body point at the frame's origin.
    pub linear: Vector2<f64>,
}

/// The dual of a planar twist: angular momentum or torque, then linear momentum or force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Momentum2 {
    /// Angular momentum, kg m²/s (or torque, N m), about the frame's origin.
    pub angular: f64,
    /// Linear momentum, kg m/s (or force, N).
    pub linear: Vector2<f64>,
}

/// Torque and force live in the same dual space as momentum.
pub type Wrench2 = Momentum2;

impl Pose2 {
    /// The pose that moves nothing.
    #[inline]
    pub fn identity() -> Self {
        Pose2 { rotation: UnitComplex::identity(), translation: Vector2::zeros() }
    }
    /// Rotation by `angle` (rad, counter-clockwise) first, then translation.
    #[inline]
    pub fn from_angle_translation(angle: f64, translation: Vector2<f64>) -> Self {
        Pose2 { rotation: UnitComplex::new(angle), translation }
    }
    /// The motion that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Pose2 { rotation, translation: -(rotation * self.translation) }
    }
    /// Where the point `x` goes.
    #[inline]
    pub fn act(&self, x: &Vector2<f64>) -> Vector2<f64> {
        self.rotation * x + self.translation
    }
    /// Exponential: the arc that a constant body twist drives in unit time.
    #[inline]
    pub fn exp(twist: &Twist2) -> Self {
        let (omega, v) = (twist.angular, &twist.linear);
        let (cos_half, sinc_half) = coefficients::half_angle(omega * omega);
        let sin_half = sinc_half * omega;
        // sin ω/ω and (1 - cos ω)/ω from the half angle: nothing cancels.
        let (along, across) = (2.0 * sinc_half * cos_half, 2.0 * sinc_half * sin_half);
        let rotation = unit(1.0 - 2.0 * sin_half * sin_half, along * omega);
        Pose2 { rotation, translation: v * along + quarter_turn(v) * across }
    }
    /// The shortest twist whose exponential this is; angle within [-π, π].
    #[inline]
    pub fn log(&self) -> Twist2 {
        let angular = self.angle();
        // (θ/2) cot(θ/2) = 1 - k θ²
        let along = if angular == 0.0 { 1.0 } else { 0.5 * angular / self.tan_half() };
        let x = &self.translation;
        Twist2 { angular, linear: x * along - quarter_turn(x) * (0.5 * angular) }
    }
    /// Cayley map (I - ξ^/2)⁻¹ (I + ξ^/2).
    #[inline]
    pub fn cay(twist: &Twist2) -> Self {
        let (omega, v) = (twist.angular, &twist.linear);
        let scale = 1.0 / (4.0 + omega * omega);
        let rotation = unit((4.0 - omega * omega) * scale, 4.0 * omega * scale);
        Pose2 { rotation, translation: (v * 4.0 + quarter_turn(v) * (2.0 * omega)) * scale }
    }
    /// The twist whose Cayley map this is; `None` at a half turn, which no twist reaches.
    #[inline]
    pub fn cay_inv(&self) -> Option<Twist2> {
        let angular = 2.0 * self.tan_half();
        let linear = self.translation - quarter_turn(&self.translation) * (0.5 * angular);
        angular.is_finite().then_some(Twist2 { angular, linear })
    }
    /// Canonical coordinates of the second kind: turn by the first coordinate, then move in the turned frame by the others.
    #[inline]
    pub fn ccsk(coordinates: &Twist2) -> Self {
        let rotation = UnitComplex::new(coordinates.angular);
        Pose2 { rotation, translation: rotation * coordinates.linear }
    }
    /// Ad(g).
    #[inline]
    pub fn adjoint(&self) -> Matrix3<f64> {
        from_blocks(1.0, &-quarter_turn(&self.translation), self.rotation.re, self.rotation.im)
    }
    /// Ad(g) ξ: body twist to world twist.
    #[inline]
    pub fn adjoint_apply(&self, twist: &Twist2) -> Twist2 {
        let linear = self.rotation * twist.linear - quarter_turn(&self.translation) * twist.angular;
        Twist2 { angular: twist.angular, linear }
    }
    /// Ad(g⁻¹)ᵀ μ: momentum or wrench of the body frame to the world frame.
    #[inline]
    pub fn momentum_to_world(&self, momentum: &Momentum2) -> Momentum2 {
        let linear = self.rotation * momentum.linear;
        Momentum2 { angular: momentum.angular + self.translation.perp(&linear), linear }
    }
    /// Ad(g)ᵀ μ: momentum or wrench of the world frame to the body frame.
    #[inline]
    pub fn momentum_to_body(&self, momentum: &Momentum2) -> Momentum2 {
        let angular = momentum.angular - self.translation.perp(&momentum.linear);
        Momentum2 { angular, linear: self.rotation.inverse() * momentum.linear }
    }
    /// Rotation angle within [-π, π], rad.
    #[inline]
    pub fn angle(&self) -> f64 {
        self.rotation.im.atan2(self.rotation.re)
    }
    /// R as a matrix.
    #[inline]
    pub fn rotation_matrix(&self) -> Matrix2<f64> {
        self.rotation.to_rotation_matrix().into_inner()
    }
    /// The same placement on level ground in the world: what lies in the plane at (x, y) lies at (x, `height`, −y), so that turning is
    /// counter-clockwise seen from above.
    pub fn level(&self, height: f64) -> Pose {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), self.angle());
        Pose { rotation, translation: Vector3::new(self.translation.x, height, -self.translation.y) }
    }
    /// Whether no component is NaN or infinite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        [self.rotation.re, self.rotation.im, self.translation.x, self.translation.y].iter().all(|x| x.is_finite())
    }
    /// tan(θ/2), by the one of its two forms that does not cancel.
    #[inline]
    fn tan_half(&self) -> f64 {
        let (cos, sin) = (self.rotation.re, self.rotation.im);
        if cos >= 0.0 { sin / (1.0 + cos) } else { (1.0 - cos) / sin }
    }
}

impl Mul for Pose2 {
    type Output = Pose2;
    /// First `other`, then `self`. The rotation stays unit however long the product.
    #[inline]
    fn mul(self, other: Pose2) -> Pose2 {
        let product = self.rotation.complex() * other.rotation.complex();
        Pose2 { rotation: unit(product.re, product.im), translation: self.act(&other.translation) }
    }
}

impl Twist2 {
    /// Angular, then linear.
    #[inline]
    pub fn new(angular: f64, linear: Vector2<f64>) -> Self {
        Twist2 { angular, linear }
    }
    /// ad(ξ).
    #[inline]
    pub fn ad(&self) -> Matrix3<f64> {
        from_blocks(0.0, &-quarter_turn(&self.linear), 0.0, self.angular)
    }
    /// ad(ξ) η, the Lie bracket.
    #[inline]
    pub fn bracket(&self, other: &Self) -> Self {
        Twist2 { angular: 0.0, linear: quarter_turn(&(other.linear * self.angular - self.linear * other.angular)) }
    }
    /// ad(ξ)ᵀ μ. In `μ' = ad(Y)ᵀ μ + F`, all in the body frame.
    #[inline]
    pub fn ad_dual(&self, momentum: &Momentum2) -> Momentum2 {
        let p = &momentum.linear;
        Momentum2 { angular: p.perp(&self.linear), linear: quarter_turn(p) * -self.angular }
    }
    /// dexp(ξ).
    #[inline]
    pub fn dexp(&self) -> Matrix3<f64> {
        let c = coefficients::dexp(self.angular * self.angular);
        self.polynomial(c.linear, c.quadratic)
    }
    /// dexp(ξ)⁻¹; singular at a full turn.
    #[inline]
    pub fn dexp_inv(&self) -> Matrix3<f64> {
        let c = coefficients::dexp_inverse(self.angular * self.angular);
        self.polynomial(c.linear, c.quadratic)
    }
    /// dcay(ξ).
    #[inline]
    pub fn dcay(&self) -> Matrix3<f64> {
        let scale = 1.0 / (4.0 + self.angular * self.angular);
        from_blocks(4.0 * scale, &(quarter_turn(&self.linear) * (-2.0 * scale)), 4.0 * scale, 2.0 * self.angular * scale)
    }
    /// dcay(ξ)⁻¹.
    #[inline]
    pub fn dcay_inv(&self) -> Matrix3<f64> {
        let (omega, v) = (self.angular, &self.linear);
        from_blocks(1.0 + 0.25 * omega * omega, &(v * (0.25 * omega) + quarter_turn(v) * 0.5), 1.0, -0.5 * omega)
    }
    /// dcay(ξ)⁻¹ᵀ μ.
    #[inline]
    pub fn dcay_inv_dual(&self, momentum: &Momentum2) -> Momentum2 {
        let (omega, v, l, p) = (self.angular, &self.linear, momentum.angular, &momentum.linear);
        let angular = l + 0.25 * omega * (omega * l + v.dot(p)) + 0.5 * v.perp(p);
        Momentum2 { angular, linear: p + quarter_turn(p) * (0.5 * omega) }
    }
    /// S(ξ, μ) = ∂(dcay(ξ)⁻¹ᵀ μ)/∂ξ.
    #[inline]
    pub fn dcay_inv_dual_jacobian(&self, momentum: &Momentum2) -> Matrix3<f64> {
        let (omega, v, l, p) = (self.angular, &self.linear, momentum.angular, &momentum.linear);
        let turned = quarter_turn(p) * 0.5;
        let top = p * (0.25 * omega) - turned;
        Matrix3::new(0.5 * omega * l + 0.25 * v.dot(p), top.x, top.y, turned.x, 0.0, 0.0, turned.y, 0.0, 0.0)
    }
    /// Right-trivialised tangent of ccsk.
    #[inline]
    pub fn dccsk(&self) -> Matrix3<f64> {
        let (sin, cos) = self.angular.sin_cos();
        from_blocks(1.0, &Vector2::zeros(), cos, sin)
    }
    /// Inverse tangent of ccsk; the plane knows no gimbal lock, so it is always there.
    #[inline]
    pub fn dccsk_inv(&self) -> Option<Matrix3<f64>> {
        Some(self.dccsk().transpose())
    }
    /// <μ, ξ>.
    #[inline]
    pub fn pair(&self, momentum: &Momentum2) -> f64 {
        momentum.angular * self.angular + momentum.linear.dot(&self.linear)
    }
    /// I + linear ad + quadratic ad².
    #[inline]
    fn polynomial(&self, linear: f64, quadratic: f64) -> Matrix3<f64> {
        let (omega, v) = (self.angular, &self.linear);
        let coupling = v * (quadratic * omega) - quarter_turn(v) * linear;
        from_blocks(1.0, &coupling, 1.0 - quadratic * omega * omega, linear * omega)
    }
}

impl Momentum2 {
    /// Angular, then linear.
    #[inline]
    pub fn new(angular: f64, linear: Vector2<f64>) -> Self {
        Momentum2 { angular, linear }
    }
    /// <μ, ξ>: power of a wrench, or twice the kinetic energy of a momentum.
    #[inline]
    pub fn pair(&self, twist: &Twist2) -> f64 {
        twist.pair(self)
    }
}

vector_space!(Twist2 { angular, linear }, 3);
vector_space!(Momentum2 { angular, linear }, 3);
lie_group!(Pose2, Twist2, Momentum2, Vector2<f64>, 3);

impl From<Vector3<f64>> for Twist2 {
    #[inline]
    fn from(column: Vector3<f64>) -> Self {
        Twist2 { angular: column.x, linear: Vector2::new(column.y, column.z) }
    }
}
impl From<Twist2> for Vector3<f64> {
    #[inline]
    fn from(twist: Twist2) -> Self {
        Vector3::new(twist.angular, twist.linear.x, twist.linear.y)
    }
}
impl From<Vector3<f64>> for Momentum2 {
    #[inline]
    fn from(column: Vector3<f64>) -> Self {
        Momentum2 { angular: column.x, linear: Vector2::new(column.y, column.z) }
    }
}
impl From<Momentum2> for Vector3<f64> {
    #[inline]
    fn from(momentum: Momentum2) -> Self {
        Vector3::new(momentum.angular, momentum.linear.x, momentum.linear.y)
    }
}

/// J: counter-clockwise by 90°.
#[inline]
fn quarter_turn(vector: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-vector.y, vector.x)
}

/// Unit complex number from one whose length is right to first order.
#[inline]
fn unit(cos: f64, sin: f64) -> UnitComplex<f64> {
    let scale = 0.5 * (3.0 - (cos * cos + sin * sin));
    UnitComplex::new_unchecked(Complex::new(cos * scale, sin * scale))
}

/// `[[angular, 0], [coupling, cos I + sin J]]`.
#[inline]
fn from_blocks(angular: f64, coupling: &Vector2<f64>, cos: f64, sin: f64) -> Matrix3<f64> {
    Matrix3::new(angular, 0.0, 0.0, coupling.x, cos, -sin, coupling.y, sin, cos)
}
