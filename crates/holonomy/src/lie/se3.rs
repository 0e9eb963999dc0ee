//! SE(3): rigid motions of space.
//!
//! ad(ω, v) is the first-order change of ω^ when ω moves towards v, so a polynomial f(ω^) on SO(3) becomes
//! `[[f, 0], [Df·v, f]]` here. That gives both tangents of exp. With s = 4 + |ω|², B = (I - ω^/2)⁻¹ = (4 I + 2 ω^ + ω ωᵀ)/s,
//! and a, b, k of [`coefficients`]:
//!
//! ```text
//! exp (ω, v) = (exp ω, dexp(ω) v)                 log (R, x) = (ω = log R, dexp(ω)⁻¹ x)
//! cay (ω, v) = (cay ω, B v)                       cay⁻¹      = (ω = cay⁻¹ R, x - ½ ω×x)
//! ccsk (ω, v) = (Rx Ry Rz, Rx Ry Rz v)            dccsk      = [[dccsk(ω), 0], [0, Rx Ry Rz]]
//! dcay⁻¹ = [[I - ½ω^ + ¼ωωᵀ, 0], [-½(I - ½ω^) v^, I - ½ω^]]
//! dcay   = [[(4 I + 2 ω^)/s, 0], [v^ (2 I + ω^)/s, B]]
//! dcay⁻¹ᵀ (l, p) = (l + ½ω×l + ¼ω(ω·l) + ½v×p + ¼v×(ω×p),  p + ½ω×p)
//! S = [[-½l^ + ¼((ω·l) I + ω lᵀ) - ¼v^p^,  -½p^ - ¼(ω×p)^], [-½p^, 0]]
//! Ad(g) = [[R, 0], [x^ R, R]]                     ad = [[ω^, 0], [v^, ω^]]
//! Ad(g⁻¹)ᵀ (l, p) = (R l + x × R p, R p)          ad(Y)ᵀ (l, p) = (l×ω + p×v, p×ω)
//! ```
//!
//! B has the ω ωᵀ that Kobilarov, Crane and Desbrun (2009, Eq. 13) print without; without it
//! `dcay⁻¹(ξ) Ad(cay ξ) = dcay⁻¹(-ξ)` fails, and with it the conservation of momentum.

use super::coefficients::{self, Coefficients};
use super::macros::{lie_group, vector_space};
use super::{LieAlgebra, LieGroup, so3};
use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, UnitQuaternion, Vector3, Vector6};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A rigid motion x ↦ R x + b; also the placement of a body in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// R, unit quaternion.
    pub rotation: UnitQuaternion<f64>,
    /// b, metres.
    pub translation: Vector3<f64>,
}

/// A velocity (or displacement) of a rigid motion, in the frame its name says: angular, linear.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist {
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
    /// Linear velocity, m/s: of the body point at the frame's origin.
    pub linear: Vector3<f64>,
}

/// The dual of a twist: angular momentum or torque, then linear momentum or force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Momentum {
    /// Angular momentum, kg m²/s (or torque, N m), about the frame's origin.
    pub angular: Vector3<f64>,
    /// Linear momentum, kg m/s (or force, N).
    pub linear: Vector3<f64>,
}

/// Torque and force live in the same dual space as momentum.
pub type Wrench = Momentum;

impl Pose {
    /// The pose that moves nothing.
    #[inline]
    pub fn identity() -> Self {
        Pose { rotation: UnitQuaternion::identity(), translation: Vector3::zeros() }
    }
    /// Rotation first, then translation.
    #[inline]
    pub fn from_rotation_translation(rotation: UnitQuaternion<f64>, translation: Vector3<f64>) -> Self {
        Pose { rotation, translation }
    }
    /// The motion that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Pose { rotation, translation: -(rotation * self.translation) }
    }
    /// Where the point `x` goes.
    #[inline]
    pub fn act(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * x + self.translation
    }
    /// Exponential: the screw that a constant body twist makes in unit time.
    #[inline]
    pub fn exp(twist: &Twist) -> Self {
        let (omega, v) = (&twist.angular, &twist.linear);
        let squared_angle = omega.norm_squared();
        let (cos_half, sinc_half) = coefficients::half_angle(squared_angle);
        let turn = omega.cross(v);
        let translation = v
            + turn * (2.0 * sinc_half * sinc_half)
            + omega.cross(&turn) * coefficients::dexp_quadratic(squared_angle, cos_half, sinc_half);
        Pose { rotation: so3::quaternion(cos_half, omega * sinc_half), translation }
    }
    /// The shortest twist whose exponential this is; angle within [0, π].
    #[inline]
    pub fn log(&self) -> Twist {
        let (angular, k) = so3::log(&self.rotation);
        let turn = angular.cross(&self.translation);
        Twist { angular, linear: self.translation - turn * 0.5 + angular.cross(&turn) * k }
    }
    /// Cayley map (I - ξ^/2)⁻¹ (I + ξ^/2).
    #[inline]
    pub fn cay(twist: &Twist) -> Self {
        Pose { rotation: so3::cay(&twist.angular), translation: cay_translation(&twist.angular, &twist.linear) }
    }
    /// The twist whose Cayley map this is; `None` at a half turn, which no twist reaches.
    #[inline]
    pub fn cay_inv(&self) -> Option<Twist> {
        let angular = so3::cay_inv(&self.rotation)?;
        Some(Twist { angular, linear: self.translation - angular.cross(&self.translation) * 0.5 })
    }
    /// Canonical coordinates of the second kind: the product of the exponentials of the six coordinates, in order.
    #[inline]
    pub fn ccsk(coordinates: &Twist) -> Self {
        let rotation = so3::ccsk(&coordinates.angular);
        Pose { rotation, translation: rotation * coordinates.linear }
    }
    /// Ad(g).
    #[inline]
    pub fn adjoint(&self) -> Matrix6<f64> {
        let rotation = self.rotation_matrix();
        from_blocks(&rotation, &(self.translation.cross_matrix() * rotation), &rotation)
    }
    /// Ad(g) ξ: body twist to world twist.
    #[inline]
    pub fn adjoint_apply(&self, twist: &Twist) -> Twist {
        let angular = self.rotation * twist.angular;
        Twist { angular, linear: self.rotation * twist.linear + self.translation.cross(&angular) }
    }
    /// Ad(g⁻¹)ᵀ μ: momentum or wrench of the body frame to the world frame.
    #[inline]
    pub fn momentum_to_world(&self, momentum: &Momentum) -> Momentum {
        let linear = self.rotation * momentum.linear;
        Momentum { angular: self.rotation * momentum.angular + self.translation.cross(&linear), linear }
    }
    /// Ad(g)ᵀ μ: momentum or wrench of the world frame to the body frame.
    #[inline]
    pub fn momentum_to_body(&self, momentum: &Momentum) -> Momentum {
        let back = self.rotation.inverse();
        Momentum { angular: back * (momentum.angular - self.translation.cross(&momentum.linear)), linear: back * momentum.linear }
    }
    /// R as a matrix.
    #[inline]
    pub fn rotation_matrix(&self) -> Matrix3<f64> {
        self.rotation.to_rotation_matrix().into_inner()
    }
    /// Whether no component is NaN or infinite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.rotation.coords.iter().chain(self.translation.iter()).all(|x| x.is_finite())
    }
}

impl Mul for Pose {
    type Output = Pose;
    /// First `other`, then `self`. The rotation stays unit however long the product.
    #[inline]
    fn mul(self, other: Pose) -> Pose {
        Pose { rotation: so3::compose(&self.rotation, &other.rotation), translation: self.act(&other.translation) }
    }
}

impl Twist {
    /// Angular, then linear.
    #[inline]
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Twist { angular, linear }
    }
    /// Velocity ω × x + v of the point `x` that moves with the twist.
    #[inline]
    pub fn velocity_at(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.angular.cross(x) + self.linear
    }
    /// ad(ξ).
    #[inline]
    pub fn ad(&self) -> Matrix6<f64> {
        let angular = self.angular.cross_matrix();
        from_blocks(&angular, &self.linear.cross_matrix(), &angular)
    }
    /// ad(ξ) η, the Lie bracket.
    #[inline]
    pub fn bracket(&self, other: &Self) -> Self {
        Twist { angular: self.angular.cross(&other.angular), linear: self.linear.cross(&other.angular) + self.angular.cross(&other.linear) }
    }
    /// ad(ξ)ᵀ μ. In `μ' = ad(Y)ᵀ μ + F`, all in the body frame.
    #[inline]
    pub fn ad_dual(&self, momentum: &Momentum) -> Momentum {
        let (l, p) = (&momentum.angular, &momentum.linear);
        Momentum { angular: l.cross(&self.angular) + p.cross(&self.linear), linear: p.cross(&self.angular) }
    }
    /// dexp(ξ).
    #[inline]
    pub fn dexp(&self) -> Matrix6<f64> {
        self.polynomial(&coefficients::dexp(self.angular.norm_squared()))
    }
    /// dexp(ξ)⁻¹; singular at a full turn.
    #[inline]
    pub fn dexp_inv(&self) -> Matrix6<f64> {
        self.polynomial(&coefficients::dexp_inverse(self.angular.norm_squared()))
    }
    /// dcay(ξ).
    #[inline]
    pub fn dcay(&self) -> Matrix6<f64> {
        let angular = so3::dcay(&self.angular);
        let omega = &self.angular;
        let linear = angular + omega * omega.transpose() / (4.0 + omega.norm_squared());
        from_blocks(&angular, &(self.linear.cross_matrix() * angular * 0.5), &linear)
    }
    /// dcay(ξ)⁻¹.
    #[inline]
    pub fn dcay_inv(&self) -> Matrix6<f64> {
        let linear = Matrix3::identity() - self.angular.cross_matrix() * 0.5;
        from_blocks(&so3::dcay_inv(&self.angular), &(linear * self.linear.cross_matrix() * -0.5), &linear)
    }
    /// dcay(ξ)⁻¹ᵀ μ.
    #[inline]
    pub fn dcay_inv_dual(&self, momentum: &Momentum) -> Momentum {
        let linear = momentum.linear + self.angular.cross(&momentum.linear) * 0.5;
        Momentum { angular: so3::dcay_inv_dual(&self.angular, &momentum.angular) + self.linear.cross(&linear) * 0.5, linear }
    }
    /// S(ξ, μ) = ∂(dcay(ξ)⁻¹ᵀ μ)/∂ξ.
    pub fn dcay_inv_dual_jacobian(&self, momentum: &Momentum) -> Matrix6<f64> {
        let (omega, p) = (&self.angular, &momentum.linear);
        let hat = p.cross_matrix();
        let angular = so3::dcay_inv_dual_jacobian(omega, &momentum.angular) - self.linear.cross_matrix() * hat * 0.25;
        let mut jacobian = from_blocks(&angular, &(hat * -0.5), &Matrix3::zeros());
        jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&(hat * -0.5 - omega.cross(p).cross_matrix() * 0.25));
        jacobian
    }
    /// Right-trivialised tangent of ccsk.
    pub fn dccsk(&self) -> Matrix6<f64> {
        let rotation = so3::ccsk(&self.angular).to_rotation_matrix();
        from_blocks(&so3::dccsk(&self.angular), &Matrix3::zeros(), rotation.matrix())
    }
    /// Inverse tangent of ccsk; `None` at gimbal lock, where the second coordinate is a quarter turn.
    pub fn dccsk_inv(&self) -> Option<Matrix6<f64>> {
        let rotation = so3::ccsk(&self.angular).inverse().to_rotation_matrix();
        Some(from_blocks(&so3::dccsk_inv(&self.angular)?, &Matrix3::zeros(), rotation.matrix()))
    }
    /// <μ, ξ>.
    #[inline]
    pub fn pair(&self, momentum: &Momentum) -> f64 {
        momentum.angular.dot(&self.angular) + momentum.linear.dot(&self.linear)
    }
    /// f(ad ξ) for f(ω^) = I + c₁ ω^ + c₂ ω^²: f on the diagonal, its derivative along v below.
    #[inline]
    fn polynomial(&self, c: &Coefficients) -> Matrix6<f64> {
        let (w, v) = (self.angular.cross_matrix(), self.linear.cross_matrix());
        let squared = w * w;
        let diagonal = Matrix3::identity() + w * c.linear + squared * c.quadratic;
        let q_rate = 2.0 * self.angular.dot(&self.linear);
        let coupling =
            v * c.linear + (w * v + v * w) * c.quadratic + w * (q_rate * c.linear_slope) + squared * (q_rate * c.quadratic_slope);
        from_blocks(&diagonal, &coupling, &diagonal)
    }
}

impl Momentum {
    /// Angular, then linear.
    #[inline]
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Momentum { angular, linear }
    }
    /// The wrench (x × f, f) of a force `f` at the point `x`; or the momentum of a point mass with linear momentum `f`.
    #[inline]
    pub fn of_force_at(force: Vector3<f64>, x: &Vector3<f64>) -> Self {
        Momentum { angular: x.cross(&force), linear: force }
    }
    /// The same about the origin, where this one is about the point `x`.
    #[inline]
    pub fn brought_from(&self, x: &Vector3<f64>) -> Self {
        Momentum { angular: self.angular + x.cross(&self.linear), linear: self.linear }
    }
    /// <μ, ξ>: power of a wrench, or twice the kinetic energy of a momentum.
    #[inline]
    pub fn pair(&self, twist: &Twist) -> f64 {
        twist.pair(self)
    }
}

vector_space!(Twist { angular, linear }, 6);
vector_space!(Momentum { angular, linear }, 6);
lie_group!(Pose, Twist, Momentum, Vector3<f64>, 6);

impl From<Vector6<f64>> for Twist {
    #[inline]
    fn from(column: Vector6<f64>) -> Self {
        Twist { angular: column.fixed_rows::<3>(0).into(), linear: column.fixed_rows::<3>(3).into() }
    }
}
impl From<Twist> for Vector6<f64> {
    #[inline]
    fn from(twist: Twist) -> Self {
        stack(&twist.angular, &twist.linear)
    }
}
impl From<Vector6<f64>> for Momentum {
    #[inline]
    fn from(column: Vector6<f64>) -> Self {
        Momentum { angular: column.fixed_rows::<3>(0).into(), linear: column.fixed_rows::<3>(3).into() }
    }
}
impl From<Momentum> for Vector6<f64> {
    #[inline]
    fn from(momentum: Momentum) -> Self {
        stack(&momentum.angular, &momentum.linear)
    }
}

#[inline]
fn stack(angular: &Vector3<f64>, linear: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z)
}

/// B v, with B = (I - ω^/2)⁻¹.
#[inline]
fn cay_translation(omega: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
    (v * 4.0 + omega.cross(v) * 2.0 + omega * omega.dot(v)) / (4.0 + omega.norm_squared())
}

/// `[[angular, 0], [coupling, linear]]`.
#[inline]
fn from_blocks(angular: &Matrix3<f64>, coupling: &Matrix3<f64>, linear: &Matrix3<f64>) -> Matrix6<f64> {
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(angular);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(coupling);
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(linear);
    matrix
}
