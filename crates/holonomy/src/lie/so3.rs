//! SO(3): rotations of space about the origin.
//!
//! A rotation is a unit quaternion `(w, u)`: it composes faster than a matrix, one multiplication keeps it unit, the Cayley
//! map is just its normalisation, and the logarithm by `atan2(|u|, w)` is exact near zero and near a half turn alike.
//! With t = |ω|, s = 4 + t² and a, b, k of [`coefficients`]:
//!
//! ```text
//! exp ω  = (cos(t/2), sin(t/2)/t ω)       dexp  = I + a ω^ + b ω^²        dexp⁻¹ = I - ½ ω^ + k ω^²
//! cay ω  = (2, ω)/√s                      dcay  = (4 I + 2 ω^)/s          dcay⁻¹ = I - ½ ω^ + ¼ ω ωᵀ
//! ccsk ω = Rx(ω₁) Ry(ω₂) Rz(ω₃)           dccsk = [e₁ | Rx e₂ | Rx Ry e₃]
//! dcay⁻¹ᵀ l = l + ½ ω×l + ¼ ω (ω·l)       S     = -½ l^ + ¼ ((ω·l) I + ω lᵀ)
//! ```

use super::coefficients::{self, Coefficients};
use super::macros::{lie_group, vector_space};
use super::{LieAlgebra, LieGroup};
use nalgebra::{Matrix3, Quaternion, SMatrix, SVector, UnitQuaternion, Vector3};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A rotation x ↦ R x, body to world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation(pub UnitQuaternion<f64>);

/// Angular velocity (or rotation vector) ω, rad/s (or rad), body frame unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AngularVelocity(pub Vector3<f64>);

/// The dual of an angular velocity: angular momentum, kg m²/s, or torque, N m.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AngularMomentum(pub Vector3<f64>);

impl Rotation {
    /// The rotation that moves nothing.
    #[inline]
    pub fn identity() -> Self {
        Rotation(UnitQuaternion::identity())
    }
    /// The rotation back.
    #[inline]
    pub fn inverse(&self) -> Self {
        Rotation(self.0.inverse())
    }
    /// Where the point `x` goes.
    #[inline]
    pub fn act(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.0 * x
    }
    /// Rotation by |ω| about ω.
    #[inline]
    pub fn exp(twist: &AngularVelocity) -> Self {
        Rotation(exp(&twist.0))
    }
    /// The shortest rotation vector, |ω| ≤ π.
    #[inline]
    pub fn log(&self) -> AngularVelocity {
        AngularVelocity(log(&self.0).0)
    }
    /// Cayley map (I - ω^/2)⁻¹ (I + ω^/2): rotation about ω by 2 atan(|ω|/2).
    #[inline]
    pub fn cay(twist: &AngularVelocity) -> Self {
        Rotation(cay(&twist.0))
    }
    /// Inverse of the Cayley map; `None` at a half turn.
    #[inline]
    pub fn cay_inv(&self) -> Option<AngularVelocity> {
        cay_inv(&self.0).map(AngularVelocity)
    }
    /// Rotation about z, then y, then x, by the three coordinates (canonical coordinates of the second kind).
    #[inline]
    pub fn ccsk(coordinates: &AngularVelocity) -> Self {
        Rotation(ccsk(&coordinates.0))
    }
    /// Ad(R) = R.
    #[inline]
    pub fn adjoint(&self) -> Matrix3<f64> {
        self.rotation_matrix()
    }
    /// R ω: body to world.
    #[inline]
    pub fn adjoint_apply(&self, twist: &AngularVelocity) -> AngularVelocity {
        AngularVelocity(self.0 * twist.0)
    }
    /// R l: body momentum to world momentum.
    #[inline]
    pub fn momentum_to_world(&self, momentum: &AngularMomentum) -> AngularMomentum {
        AngularMomentum(self.0 * momentum.0)
    }
    /// Rᵀ l: world momentum to body momentum.
    #[inline]
    pub fn momentum_to_body(&self, momentum: &AngularMomentum) -> AngularMomentum {
        AngularMomentum(self.0.inverse() * momentum.0)
    }
    /// R as a matrix.
    #[inline]
    pub fn rotation_matrix(&self) -> Matrix3<f64> {
        self.0.to_rotation_matrix().into_inner()
    }
    /// Whether no component is NaN or infinite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.0.coords.iter().all(|x| x.is_finite())
    }
}

impl Mul for Rotation {
    type Output = Rotation;
    #[inline]
    fn mul(self, other: Rotation) -> Rotation {
        Rotation(compose(&self.0, &other.0))
    }
}

impl AngularVelocity {
    /// ad(ω) = ω^.
    #[inline]
    pub fn ad(&self) -> Matrix3<f64> {
        self.0.cross_matrix()
    }
    /// ω × η.
    #[inline]
    pub fn bracket(&self, other: &Self) -> Self {
        AngularVelocity(self.0.cross(&other.0))
    }
    /// ad(ω)ᵀ l = l × ω.
    #[inline]
    pub fn ad_dual(&self, momentum: &AngularMomentum) -> AngularMomentum {
        AngularMomentum(momentum.0.cross(&self.0))
    }
    /// dexp(ω).
    #[inline]
    pub fn dexp(&self) -> Matrix3<f64> {
        polynomial(&self.0, &coefficients::dexp(self.0.norm_squared()))
    }
    /// dexp(ω)⁻¹; singular at a full turn.
    #[inline]
    pub fn dexp_inv(&self) -> Matrix3<f64> {
        polynomial(&self.0, &coefficients::dexp_inverse(self.0.norm_squared()))
    }
    /// dcay(ω).
    #[inline]
    pub fn dcay(&self) -> Matrix3<f64> {
        dcay(&self.0)
    }
    /// dcay(ω)⁻¹.
    #[inline]
    pub fn dcay_inv(&self) -> Matrix3<f64> {
        dcay_inv(&self.0)
    }
    /// dcay(ω)⁻¹ᵀ l.
    #[inline]
    pub fn dcay_inv_dual(&self, momentum: &AngularMomentum) -> AngularMomentum {
        AngularMomentum(dcay_inv_dual(&self.0, &momentum.0))
    }
    /// S(ω, l) = ∂(dcay(ω)⁻¹ᵀ l)/∂ω.
    #[inline]
    pub fn dcay_inv_dual_jacobian(&self, momentum: &AngularMomentum) -> Matrix3<f64> {
        dcay_inv_dual_jacobian(&self.0, &momentum.0)
    }
    /// Right-trivialised tangent of ccsk.
    #[inline]
    pub fn dccsk(&self) -> Matrix3<f64> {
        dccsk(&self.0)
    }
    /// Inverse tangent of ccsk; `None` at gimbal lock, where the second coordinate is a quarter turn.
    #[inline]
    pub fn dccsk_inv(&self) -> Option<Matrix3<f64>> {
        dccsk_inv(&self.0)
    }
    /// <l, ω>.
    #[inline]
    pub fn pair(&self, momentum: &AngularMomentum) -> f64 {
        self.0.dot(&momentum.0)
    }
}

impl AngularMomentum {
    /// <l, ω>: power of a torque, or twice the kinetic energy of an angular momentum.
    #[inline]
    pub fn pair(&self, twist: &AngularVelocity) -> f64 {
        self.0.dot(&twist.0)
    }
}

vector_space!(AngularVelocity { 0 }, 3);
vector_space!(AngularMomentum { 0 }, 3);
lie_group!(Rotation, AngularVelocity, AngularMomentum, Vector3<f64>, 3);

impl From<Vector3<f64>> for AngularVelocity {
    #[inline]
    fn from(vector: Vector3<f64>) -> Self {
        AngularVelocity(vector)
    }
}
impl From<AngularVelocity> for Vector3<f64> {
    #[inline]
    fn from(twist: AngularVelocity) -> Self {
        twist.0
    }
}
impl From<Vector3<f64>> for AngularMomentum {
    #[inline]
    fn from(vector: Vector3<f64>) -> Self {
        AngularMomentum(vector)
    }
}
impl From<AngularMomentum> for Vector3<f64> {
    #[inline]
    fn from(momentum: AngularMomentum) -> Self {
        momentum.0
    }
}

// The maps themselves, on plain quaternions and vectors: SE(3) builds on them.

/// Product, brought back to unit length to first order, so that the error of the length never grows.
#[inline]
pub(super) fn compose(first: &UnitQuaternion<f64>, second: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let mut product = first * second;
    product.renormalize_fast();
    product
}

/// The unit quaternion (w, u), which must already be of unit length.
#[inline]
pub(super) fn quaternion(w: f64, u: Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::from_parts(w, u))
}

#[inline]
pub(super) fn exp(omega: &Vector3<f64>) -> UnitQuaternion<f64> {
    let (cos_half, sinc_half) = coefficients::half_angle(omega.norm_squared());
    quaternion(cos_half, omega * sinc_half)
}

/// The rotation vector, and k of [`coefficients`] at it: cot(t/2) is w/|u|.
#[inline]
pub(super) fn log(rotation: &UnitQuaternion<f64>) -> (Vector3<f64>, f64) {
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    let (w, u) = (sign * rotation.w, rotation.imag());
    let sine_squared = u.norm_squared();
    // atan(x)/x = 1 - x²/3 + …: below, the next term x⁴/5 is under round-off, and |u| itself may underflow.
    let half_over_sine = if sine_squared < 1e-8 {
        (1.0 - sine_squared / (3.0 * w * w)) / w
    } else {
        let sine = sine_squared.sqrt();
        sine.atan2(w) / sine
    };
    let omega = u * (2.0 * sign * half_over_sine);
    (omega, coefficients::inverse_quadratic(omega.norm_squared(), half_over_sine * w))
}

#[inline]
pub(super) fn cay(omega: &Vector3<f64>) -> UnitQuaternion<f64> {
    // √s/s rather than 1/√s: if s overflows the result is NaN, which callers can see, and not a quaternion of zeros.
    let squared = 4.0 + omega.norm_squared();
    let scale = squared.sqrt() / squared;
    quaternion(2.0 * scale, omega * scale)
}

#[inline]
pub(super) fn cay_inv(rotation: &UnitQuaternion<f64>) -> Option<Vector3<f64>> {
    let omega = rotation.imag() * (2.0 / rotation.w);
    omega.iter().all(|x| x.is_finite()).then_some(omega)
}

#[inline]
pub(super) fn ccsk(angles: &Vector3<f64>) -> UnitQuaternion<f64> {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| exp(&axis.component_mul(angles)));
    compose(&compose(&x, &y), &z)
}

/// I + linear ω^ + quadratic ω^².
#[inline]
pub(super) fn polynomial(omega: &Vector3<f64>, c: &Coefficients) -> Matrix3<f64> {
    let hat = omega.cross_matrix();
    Matrix3::identity() + hat * c.linear + hat * hat * c.quadratic
}

#[inline]
pub(super) fn dcay(omega: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * 4.0 + omega.cross_matrix() * 2.0) / (4.0 + omega.norm_squared())
}

#[inline]
pub(super) fn dcay_inv(omega: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() - omega.cross_matrix() * 0.5 + omega * omega.transpose() * 0.25
}

#[inline]
pub(super) fn dcay_inv_dual(omega: &Vector3<f64>, l: &Vector3<f64>) -> Vector3<f64> {
    l + omega.cross(l) * 0.5 + omega * (0.25 * omega.dot(l))
}

#[inline]
pub(super) fn dcay_inv_dual_jacobian(omega: &Vector3<f64>, l: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(0.25 * omega.dot(l)) + omega * l.transpose() * 0.25 - l.cross_matrix() * 0.5
}

#[inline]
pub(super) fn dccsk(angles: &Vector3<f64>) -> Matrix3<f64> {
    let ((sx, cx), (sy, cy)) = (angles.x.sin_cos(), angles.y.sin_cos());
    Matrix3::new(1.0, 0.0, sy, 0.0, cx, -sx * cy, 0.0, sx, cx * cy)
}

#[inline]
pub(super) fn dccsk_inv(angles: &Vector3<f64>) -> Option<Matrix3<f64>> {
    let ((sx, cx), (sy, cy)) = (angles.x.sin_cos(), angles.y.sin_cos());
    // A quarter turn is no f64: its cosine comes out as round-off, never as 0.
    (cy.abs() > f64::EPSILON).then(|| Matrix3::new(1.0, sx * sy / cy, -cx * sy / cy, 0.0, cx, sx, 0.0, -sx / cy, cx / cy))
}
