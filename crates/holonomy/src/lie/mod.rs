//! Lie groups of rigid motion: SO(3), SE(2), SE(3), their velocities and the duals of these.
//!
//! A pose g maps the points of a body to the world, `g(x) = R x + b`. Its velocity is the body twist Y with `g' = g Y^`.
//! Momenta and wrenches live in the dual space and are their own type: they pair with twists, and they change frame by the
//! transpose. Everything is ordered **(angular, linear)**.
//!
//! Two maps τ take a twist to a pose: [`Pose::exp`] (exact for constant twist) and [`Pose::cay`] (rational, cheap; a half turn
//! is out of reach). Their tangents are **right-trivialised**: `dτ(ξ) δ = (Dτ(ξ)·δ) τ(ξ)⁻¹`. Two identities carry all exact
//! conservation laws of the integrators, and hold here to round-off for both maps: `τ(-ξ) = τ(ξ)⁻¹` and
//! `dτ⁻¹(ξ) Ad(τ(ξ)) = dτ⁻¹(-ξ)`. The third map, [`Pose::ccsk`], canonical coordinates of the second kind, has neither.
//!
//! Sources: Kobilarov, Crane and Desbrun (2009, Eqs. 11–14) for the maps and dcay⁻¹, with the ωωᵀ term their Eq. 13 lacks; Iserles, Munthe-Kaas, Nørsett and Zanna (2000) for exp. Each group's file lists its formulas.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | g = (R, b) | [`Pose`], [`Pose2`], [`Rotation`] | rigid motion, body to world |
//! | ξ, Y = (ω, v) | [`Twist`], [`Twist2`], [`AngularVelocity`] | velocity or displacement |
//! | μ = (l, p) | [`Momentum`], [`Momentum2`], [`AngularMomentum`] | momentum, or wrench (torque, force) |
//! | ω^ | `cross_matrix` | ω^ x = ω × x |
//! | Ad(g) | `adjoint` | body twist to world twist |
//! | Ad(g⁻¹)ᵀ | `momentum_to_world` | body momentum to world momentum |
//! | Ad(g)ᵀ | `momentum_to_body` | world momentum to body momentum |
//! | ad(ξ), ad(ξ)ᵀ | `ad`, `ad_dual` | rate of change of Ad, of Ad(g)ᵀ |
//! | dτ, dτ⁻¹ | `dexp`, `dexp_inv`, `dcay`, `dcay_inv` | tangent matrices; `…_apply` on twists, `…_dual`: transpose on momenta |
//! | S(ξ, μ) | `dcay_inv_dual_jacobian` | ∂(dcay⁻¹(ξ)ᵀ μ)/∂ξ |
//!
//! ```
//! use holonomy::lie::{Pose, Twist, Wrench};
//! use holonomy::nalgebra::Vector3;
//!
//! let twist = Twist::new(Vector3::y() * 0.5, Vector3::z()); // half a radian a second, going forward
//! let pose = Pose::exp(&(twist * 2.0)); // after two seconds
//! assert!((pose.log().angular - Vector3::y()).norm() < 1e-15);
//! let push = Wrench::of_force_at(Vector3::x(), &Vector3::z()); // in the body's frame
//! let power = push.pair(&twist);
//! assert!((power - pose.momentum_to_world(&push).pair(&pose.adjoint_apply(&twist))).abs() < 1e-15);
//! ```

pub mod coefficients;
mod macros;
pub mod se2;
pub mod se3;
pub mod so3;

pub use se2::{Momentum2, Pose2, Twist2, Wrench2};
pub use se3::{Momentum, Pose, Twist, Wrench};
pub use so3::{AngularMomentum, AngularVelocity, Rotation};

use nalgebra::{SMatrix, SVector};
use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// A group of rigid motions of dimension `N`, for code that serves all of them.
///
/// Each type has the same functions as its own, so that code about one group needs no import of this trait.
pub trait LieGroup<const N: usize>: Copy + Debug + PartialEq + Mul<Output = Self> {
    /// Velocities.
    type Twist: LieAlgebra<N, Dual = Self::Momentum>;
    /// Duals of velocities.
    type Momentum: VectorSpace<N>;
    /// The points the group moves.
    type Point: Copy + Debug;

    /// The motion that moves nothing.
    fn identity() -> Self;
    /// The motion that undoes this one.
    fn inverse(&self) -> Self;
    /// Where a point goes.
    fn act(&self, point: &Self::Point) -> Self::Point;
    /// Exponential: where the constant body twist leads in unit time.
    fn exp(twist: &Self::Twist) -> Self;
    /// The shortest twist whose exponential this is; rotation angle within [0, π].
    fn log(&self) -> Self::Twist;
    /// Cayley map.
    fn cay(twist: &Self::Twist) -> Self;
    /// The twist whose Cayley map this is; `None` at a half turn, which no twist reaches.
    fn cay_inv(&self) -> Option<Self::Twist>;
    /// Canonical coordinates of the second kind: exp(ξ₁e₁) exp(ξ₂e₂) ….
    fn ccsk(coordinates: &Self::Twist) -> Self;
    /// Ad(g).
    fn adjoint(&self) -> SMatrix<f64, N, N>;
    /// Ad(g) ξ: body twist to world twist.
    fn adjoint_apply(&self, twist: &Self::Twist) -> Self::Twist;
    /// Ad(g⁻¹)ᵀ μ: body momentum to world momentum.
    fn momentum_to_world(&self, momentum: &Self::Momentum) -> Self::Momentum;
    /// Ad(g)ᵀ μ: world momentum to body momentum.
    fn momentum_to_body(&self, momentum: &Self::Momentum) -> Self::Momentum;
    /// Whether no component is NaN or infinite.
    fn is_finite(&self) -> bool;
}

/// Velocities of a group of dimension `N`: its Lie algebra, with the tangents of the maps into the group.
pub trait LieAlgebra<const N: usize>: VectorSpace<N> {
    /// Duals of velocities.
    type Dual: VectorSpace<N>;

    /// ad(ξ).
    fn ad(&self) -> SMatrix<f64, N, N>;
    /// ad(ξ) η, the Lie bracket.
    fn bracket(&self, other: &Self) -> Self;
    /// ad(ξ)ᵀ μ.
    fn ad_dual(&self, momentum: &Self::Dual) -> Self::Dual;
    /// dexp(ξ).
    fn dexp(&self) -> SMatrix<f64, N, N>;
    /// dexp(ξ)⁻¹; singular at a full turn.
    fn dexp_inv(&self) -> SMatrix<f64, N, N>;
    /// dcay(ξ).
    fn dcay(&self) -> SMatrix<f64, N, N>;
    /// dcay(ξ)⁻¹.
    fn dcay_inv(&self) -> SMatrix<f64, N, N>;
    /// dcay(ξ)⁻¹ᵀ μ.
    fn dcay_inv_dual(&self, momentum: &Self::Dual) -> Self::Dual;
    /// S(ξ, μ) = ∂(dcay(ξ)⁻¹ᵀ μ)/∂ξ.
    fn dcay_inv_dual_jacobian(&self, momentum: &Self::Dual) -> SMatrix<f64, N, N>;
    /// Right-trivialised tangent of ccsk.
    fn dccsk(&self) -> SMatrix<f64, N, N>;
    /// Inverse tangent of ccsk; `None` where it has none (gimbal lock).
    fn dccsk_inv(&self) -> Option<SMatrix<f64, N, N>>;
    /// dexp(ξ) δ.
    fn dexp_apply(&self, change: &Self) -> Self;
    /// dexp(ξ)⁻¹ δ.
    fn dexp_inv_apply(&self, change: &Self) -> Self;
    /// dcay(ξ) δ.
    fn dcay_apply(&self, change: &Self) -> Self;
    /// dcay(ξ)⁻¹ δ.
    fn dcay_inv_apply(&self, change: &Self) -> Self;
    /// dexp(ξ)ᵀ μ.
    fn dexp_dual(&self, momentum: &Self::Dual) -> Self::Dual;
    /// dexp(ξ)⁻¹ᵀ μ.
    fn dexp_inv_dual(&self, momentum: &Self::Dual) -> Self::Dual;
    /// dcay(ξ)ᵀ μ.
    fn dcay_dual(&self, momentum: &Self::Dual) -> Self::Dual;
    /// The pairing <μ, ξ>: power of a wrench, or twice the kinetic energy of a momentum.
    fn pair(&self, momentum: &Self::Dual) -> f64;
}

/// What twists and momenta have in common: they can be added, scaled, and read as `N` numbers.
pub trait VectorSpace<const N: usize>:
    Copy
    + Debug
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + From<SVector<f64, N>>
    + Into<SVector<f64, N>>
{
}

impl<T, const N: usize> VectorSpace<N> for T where
    T: Copy
        + Debug
        + PartialEq
        + Add<Output = T>
        + Sub<Output = T>
        + Neg<Output = T>
        + Mul<f64, Output = T>
        + From<SVector<f64, N>>
        + Into<SVector<f64, N>>
{
}
