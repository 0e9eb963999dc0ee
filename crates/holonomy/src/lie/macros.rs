//! What is the same text for every group: arithmetic of twists and momenta, and the traits handed on to each type's own functions.

/// Component-wise arithmetic, zero and conversion to and from a column.
macro_rules! vector_space {
    ($type:ident { $($field:tt),+ }, $n:literal) => {
        impl $type {
            /// Zero.
            #[inline]
            pub fn zero() -> Self {
                Self::default()
            }
            /// Whether no component is NaN or infinite.
            #[inline]
            pub fn is_finite(&self) -> bool {
                SVector::<f64, $n>::from(*self).iter().all(|x| x.is_finite())
            }
        }
        impl Add for $type {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self { $($field: self.$field + other.$field),+ }
            }
        }
        impl Sub for $type {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self { $($field: self.$field - other.$field),+ }
            }
        }
        impl Neg for $type {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self { $($field: -self.$field),+ }
            }
        }
        impl Mul<f64> for $type {
            type Output = Self;
            #[inline]
            fn mul(self, factor: f64) -> Self {
                Self { $($field: self.$field * factor),+ }
            }
        }
        impl Mul<$type> for f64 {
            type Output = $type;
            #[inline]
            fn mul(self, vector: $type) -> $type {
                vector * self
            }
        }
        impl AddAssign for $type {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl SubAssign for $type {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
        impl Sum for $type {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::zero(), |sum, term| sum + term)
            }
        }
    };
}

/// The traits, by the types' own functions, and the products of tangents that need no formula of their own.
macro_rules! lie_group {
    ($group:ident, $twist:ident, $momentum:ident, $point:ty, $n:literal) => {
        impl $twist {
            /// dexp(ξ) δ.
            #[inline]
            pub fn dexp_apply(&self, change: &Self) -> Self {
                (self.dexp() * SVector::from(*change)).into()
            }
            /// dexp(ξ)⁻¹ δ.
            #[inline]
            pub fn dexp_inv_apply(&self, change: &Self) -> Self {
                (self.dexp_inv() * SVector::from(*change)).into()
            }
            /// dcay(ξ) δ.
            #[inline]
            pub fn dcay_apply(&self, change: &Self) -> Self {
                (self.dcay() * SVector::from(*change)).into()
            }
            /// dcay(ξ)⁻¹ δ.
            #[inline]
            pub fn dcay_inv_apply(&self, change: &Self) -> Self {
                (self.dcay_inv() * SVector::from(*change)).into()
            }
            /// dexp(ξ)ᵀ μ.
            #[inline]
            pub fn dexp_dual(&self, momentum: &$momentum) -> $momentum {
                self.dexp().tr_mul(&SVector::from(*momentum)).into()
            }
            /// dexp(ξ)⁻¹ᵀ μ.
            #[inline]
            pub fn dexp_inv_dual(&self, momentum: &$momentum) -> $momentum {
                self.dexp_inv().tr_mul(&SVector::from(*momentum)).into()
            }
            /// dcay(ξ)ᵀ μ.
            #[inline]
            pub fn dcay_dual(&self, momentum: &$momentum) -> $momentum {
                self.dcay().tr_mul(&SVector::from(*momentum)).into()
            }
        }
        lie_group!(@forward impl LieAlgebra<$n> for $twist, { type Dual = $momentum; },
            ad() -> SMatrix<f64, $n, $n>;
            bracket(other: &Self) -> Self;
            ad_dual(momentum: &$momentum) -> $momentum;
            dexp() -> SMatrix<f64, $n, $n>;
            dexp_inv() -> SMatrix<f64, $n, $n>;
            dcay() -> SMatrix<f64, $n, $n>;
            dcay_inv() -> SMatrix<f64, $n, $n>;
            dcay_inv_dual(momentum: &$momentum) -> $momentum;
            dcay_inv_dual_jacobian(momentum: &$momentum) -> SMatrix<f64, $n, $n>;
            dccsk() -> SMatrix<f64, $n, $n>;
            dccsk_inv() -> Option<SMatrix<f64, $n, $n>>;
            dexp_apply(change: &Self) -> Self;
            dexp_inv_apply(change: &Self) -> Self;
            dcay_apply(change: &Self) -> Self;
            dcay_inv_apply(change: &Self) -> Self;
            dexp_dual(momentum: &$momentum) -> $momentum;
            dexp_inv_dual(momentum: &$momentum) -> $momentum;
            dcay_dual(momentum: &$momentum) -> $momentum;
            pair(momentum: &$momentum) -> f64;
        );
        lie_group!(@forward impl LieGroup<$n> for $group, {
                type Twist = $twist;
                type Momentum = $momentum;
                type Point = $point;
                #[inline]
                fn identity() -> Self { Self::identity() }
                #[inline]
                fn exp(twist: &$twist) -> Self { Self::exp(twist) }
                #[inline]
                fn cay(twist: &$twist) -> Self { Self::cay(twist) }
                #[inline]
                fn ccsk(coordinates: &$twist) -> Self { Self::ccsk(coordinates) }
            },
            inverse() -> Self;
            act(point: &$point) -> $point;
            log() -> $twist;
            cay_inv() -> Option<$twist>;
            adjoint() -> SMatrix<f64, $n, $n>;
            adjoint_apply(twist: &$twist) -> $twist;
            momentum_to_world(momentum: &$momentum) -> $momentum;
            momentum_to_body(momentum: &$momentum) -> $momentum;
            is_finite() -> bool;
        );
    };
    (@forward impl $trait:ident<$n:literal> for $type:ident, { $($items:tt)* },
        $($name:ident($($argument:ident: $kind:ty)?) -> $result:ty;)+
    ) => {
        impl $trait<$n> for $type {
            $($items)*
            $(
                #[inline]
                fn $name(&self, $($argument: $kind)?) -> $result {
                    Self::$name(self, $($argument)?)
                }
            )+
        }
    };
}

pub(super) use {lie_group, vector_space};
