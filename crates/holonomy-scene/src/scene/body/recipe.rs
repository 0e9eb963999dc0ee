//! A body's parameters, once as a scene states them and once as the engine's model has them.

use crate::scene::quantity::{
    Amplitude, Angle, BodyDensity, BodyMass, Count, Density, Duration, Gravity, Length, Lift, Moment, Multiple, Pause, Roughness, Share,
    SignedShare, SurfaceDensity, TurnRate, Waves,
};

/// The parameters of a kind of body. A field stands for the field of that name of the engine's model, and has its default.
/// A field with `= value` is the scene's own: the value is its default, and `model` leaves it out.
///
/// What the model has and the scene does not stays as the engine has it.
///
/// ```text
/// recipe! {
///     /// A snake.
///     pub struct Snake for models::Snake {
///         /// Length of the body. Default: `1 m`.
///         pub length: Length,
///         /// Radius of the tube that is drawn. Default: `1.5 cm`.
///         pub radius: Length = Length(0.015),
///     }
/// }
/// ```
/// is the struct, its `Default` and `fn model(&self) -> models::Snake`.
macro_rules! recipe {
    (@default $engine:expr) => { $crate::scene::body::recipe::Stated::of($engine) };
    (@default $engine:expr, $own:expr) => { $own };
    (@set $engine:expr, $stated:expr) => { $engine = $crate::scene::body::recipe::Stated::plain(&$stated) };
    (@set $engine:expr, $stated:expr, $own:expr) => {};

    ($(#[$doc:meta])* pub struct $name:ident for $model:ty {
        $($(#[$about:meta])* pub $field:ident: $type:ty $(= $own:expr)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                let model = <$model>::default();
                $name { $($field: recipe!(@default model.$field $(, $own)?),)* }
            }
        }

        impl $name {
            /// The engine's model with these parameters.
            fn model(&self) -> $model {
                let mut model = <$model>::default();
                $(recipe!(@set model.$field, self.$field $(, $own)?);)*
                model
            }
        }
    };
}
pub(super) use recipe;

/// A parameter with its range, as a scene states it, and the `Plain` one that the engine takes.
pub(super) trait Stated<Plain> {
    /// From the engine's default, which is in range.
    fn of(plain: Plain) -> Self;
    /// For the engine, in SI units.
    fn plain(&self) -> Plain;
}

macro_rules! stated {
    ($($quantity:ident)*) => {$(
        impl Stated<f64> for $quantity {
            fn of(plain: f64) -> Self {
                $quantity(plain)
            }
            fn plain(&self) -> f64 {
                self.si()
            }
        }
    )*};
}

stated! {
    Amplitude Angle BodyDensity BodyMass Density Duration Gravity Length Lift Moment Multiple Pause Roughness Share SignedShare SurfaceDensity
    TurnRate Waves
}

impl<const MIN: u32, const MAX: u32> Stated<usize> for Count<MIN, MAX> {
    fn of(plain: usize) -> Self {
        Count(plain as u32)
    }
    fn plain(&self) -> usize {
        self.get()
    }
}

/// A seed.
impl<const MIN: u32, const MAX: u32> Stated<u64> for Count<MIN, MAX> {
    fn of(plain: u64) -> Self {
        Count(plain as u32)
    }
    fn plain(&self) -> u64 {
        self.get() as u64
    }
}

impl<Plain, S: Stated<Plain>, const N: usize> Stated<[Plain; N]> for [S; N] {
    fn of(plain: [Plain; N]) -> Self {
        plain.map(S::of)
    }
    fn plain(&self) -> [Plain; N] {
        self.each_ref().map(S::plain)
    }
}

impl<A: Stated<f64>, B: Stated<f64>> Stated<Vec<(f64, f64)>> for Vec<(A, B)> {
    fn of(plain: Vec<(f64, f64)>) -> Self {
        plain.into_iter().map(|(a, b)| (A::of(a), B::of(b))).collect()
    }
    fn plain(&self) -> Vec<(f64, f64)> {
        self.iter().map(|(a, b)| (a.plain(), b.plain())).collect()
    }
}

/// The scene's choices that are the engine's, by the same names.
macro_rules! choices {
    ($name:ident for $model:path: $($choice:ident)*) => {
        impl $crate::scene::body::recipe::Stated<$model> for $name {
            fn of(plain: $model) -> Self {
                use $model as Plain;
                match plain {
                    $(Plain::$choice => $name::$choice,)*
                }
            }
            fn plain(&self) -> $model {
                use $model as Plain;
                match self {
                    $($name::$choice => Plain::$choice,)*
                }
            }
        }
    };
}
pub(super) use choices;
