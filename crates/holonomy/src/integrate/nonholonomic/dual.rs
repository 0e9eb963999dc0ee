//! Numbers that carry their derivatives: what is written for a [`Scalar`] is differentiated exactly, to any order.
//!
//! A [`Dual`] is a value with its slopes along K directions. Its value may itself be a dual: then there are second derivatives, and so on.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number, with or without its derivatives.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// How many orders of derivatives it carries: 0 for `f64`.
    const ORDER: usize;
    /// The number alone.
    fn value(self) -> f64;
    /// Sine, of radians.
    fn sin(self) -> Self;
    /// Cosine, of radians.
    fn cos(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Hyperbolic tangent: a smooth sign.
    fn tanh(self) -> Self;
    /// Tangent, of radians.
    fn tan(self) -> Self {
        self.sin() / self.cos()
    }
    /// A function of it, from the function's value, slope and second derivative at its value: exact for two orders of derivatives.
    #[inline]
    fn taylor(self, [value, slope, bend]: [f64; 3]) -> Self {
        let away = self - self.value();
        (away * (0.5 * bend) + slope) * away + value
    }
    /// Its square.
    fn squared(self) -> Self {
        self * self
    }
}

impl Scalar for f64 {
    const ORDER: usize = 0;
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn sin(self) -> f64 {
        f64::sin(self)
    }
    #[inline]
    fn cos(self) -> f64 {
        f64::cos(self)
    }
    #[inline]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline]
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    #[inline]
    fn taylor(self, [value, _, _]: [f64; 3]) -> f64 {
        value
    }
    #[inline]
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
}

/// A value and its slopes along K directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<S, const K: usize> {
    /// The value.
    pub value: S,
    /// How it changes along each direction.
    pub slopes: [S; K],
}

impl<S: Scalar, const K: usize> Dual<S, K> {
    /// A number that changes along no direction.
    #[inline]
    pub fn constant(value: S) -> Self {
        Dual { value, slopes: [S::from(0.0); K] }
    }

    /// Numbers of which each is a direction of its own, the i-th the i-th.
    #[inline]
    pub fn directions<const L: usize>(values: &[S; L]) -> [Self; L] {
        std::array::from_fn(|i| {
            let slopes = std::array::from_fn(|j| S::from(if i == j { 1.0 } else { 0.0 }));
            Dual { value: values[i], slopes }
        })
    }

    /// Numbers that change along no direction.
    #[inline]
    pub fn constants<const L: usize>(values: &[S; L]) -> [Self; L] {
        values.map(Dual::constant)
    }

    /// Of a product.
    #[inline]
    fn product_slope(&self, other: &Self, i: usize) -> S {
        self.slopes[i] * other.value + self.value * other.slopes[i]
    }

    /// A function of it, from its value and slope here.
    #[inline]
    fn chain(self, value: S, slope: S) -> Self {
        Dual { value, slopes: self.slopes.map(|d| d * slope) }
    }
}

impl<S: Scalar, const K: usize> Scalar for Dual<S, K> {
    const ORDER: usize = S::ORDER + 1;
    #[inline]
    fn value(self) -> f64 {
        self.value.value()
    }
    #[inline]
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    #[inline]
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, S::from(0.5) / root)
    }
    #[inline]
    fn exp(self) -> Self {
        let power = self.value.exp();
        self.chain(power, power)
    }
    #[inline]
    fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        self.chain(tanh, -(tanh * tanh) + 1.0)
    }
}

impl<S: Scalar, const K: usize> From<f64> for Dual<S, K> {
    #[inline]
    fn from(value: f64) -> Self {
        Dual::constant(S::from(value))
    }
}

impl<S: Scalar, const K: usize> Neg for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual { value: -self.value, slopes: self.slopes.map(|d| -d) }
    }
}

impl<S: Scalar, const K: usize> Add for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, slopes: std::array::from_fn(|i| self.slopes[i] + other.slopes[i]) }
    }
}

impl<S: Scalar, const K: usize> Sub for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, slopes: std::array::from_fn(|i| self.slopes[i] - other.slopes[i]) }
    }
}

impl<S: Scalar, const K: usize> Mul for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Dual { value: self.value * other.value, slopes: std::array::from_fn(|i| self.product_slope(&other, i)) }
    }
}

impl<S: Scalar, const K: usize> Div for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let (part, value) = (S::from(1.0) / other.value, self.value / other.value);
        Dual { value, slopes: std::array::from_fn(|i| (self.slopes[i] - value * other.slopes[i]) * part) }
    }
}

impl<S: Scalar, const K: usize> Add<f64> for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn add(self, other: f64) -> Self {
        Dual { value: self.value + other, ..self }
    }
}

impl<S: Scalar, const K: usize> Sub<f64> for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn sub(self, other: f64) -> Self {
        Dual { value: self.value - other, ..self }
    }
}

impl<S: Scalar, const K: usize> Mul<f64> for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn mul(self, other: f64) -> Self {
        Dual { value: self.value * other, slopes: self.slopes.map(|d| d * other) }
    }
}

impl<S: Scalar, const K: usize> Div<f64> for Dual<S, K> {
    type Output = Self;
    #[inline]
    fn div(self, other: f64) -> Self {
        Dual { value: self.value / other, slopes: self.slopes.map(|d| d / other) }
    }
}
