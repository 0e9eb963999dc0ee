//! Numbers of a scene file that know their dimension and their range.
//!
//! They check themselves while they are read, so that the TOML reader can say in which line a bad one stands.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::units::{self, Dimension, quoted};
use crate::Error;

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident = $spec:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $name(pub(in crate::scene) f64);

        impl $name {
            /// From a number in SI units.
            ///
            /// # Errors
            /// The number is not finite or out of range.
            pub fn new(si: f64) -> Result<Self, Error> {
                $spec.check(si).map(Self).map_err(Error::Scene)
            }
            /// The number in SI units.
            pub fn si(self) -> f64 {
                self.0
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f64(self.0)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($spec).map(Self)
            }
        }
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $spec.schema()
            }
        }
    )*};
}

quantities! {
    /// A length of a body, metres: 1 nm to 1000 km.
    Length = Spec { dimension: Dimension::Length, low: 1e-9, open: false, high: 1e6, bare_unit: false };
    /// A place along an axis, metres: up to 1000 km either way.
    Coordinate = Spec { dimension: Dimension::Length, low: -1e6, open: false, high: 1e6, bare_unit: false };
    /// A time span, seconds: 1 µs to 11 days.
    Duration = Spec { dimension: Dimension::Duration, low: 1e-6, open: false, high: 1e6, bare_unit: false };
    /// A length that may be zero, metres.
    Lift = Spec { dimension: Dimension::Length, low: 0.0, open: false, high: 1e6, bare_unit: false };
    /// A time span that may be zero, seconds.
    Pause = Spec { dimension: Dimension::Duration, low: 0.0, open: false, high: 1e6, bare_unit: false };
    /// A time that is simulated before what is shown, seconds: up to an hour.
    Settle = Spec { dimension: Dimension::Duration, low: 0.0, open: false, high: 3600.0, bare_unit: false };
    /// An angle from 0 to half a turn, radians.
    Amplitude = Spec { dimension: Dimension::Angle, low: 0.0, open: false, high: std::f64::consts::PI, bare_unit: false };
    /// An angle, up to a whole turn either way, radians.
    Angle = Spec { dimension: Dimension::Angle, low: -std::f64::consts::TAU, open: false, high: std::f64::consts::TAU, bare_unit: false };
    /// A part of a whole, 0 to 1.
    Share = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 1.0, bare_unit: false };
    /// A part of a whole, either way, −1 to 1.
    SignedShare = Spec { dimension: Dimension::None, low: -1.0, open: false, high: 1.0, bare_unit: false };
    /// The part of its length that a muscle loses, 0 to 0.8.
    Contraction = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 0.8, bare_unit: false };
    /// An angle, up to half a turn either way, radians.
    HalfTurn = Spec { dimension: Dimension::Angle, low: -std::f64::consts::PI, open: false, high: std::f64::consts::PI, bare_unit: false };
    /// How many times something else that cannot be nothing, above 0 and up to 1000.
    Factor = Spec { dimension: Dimension::None, low: 0.0, open: true, high: 1000.0, bare_unit: false };
    /// How many times as long the legs of a creature are as those of its kind, 0.3 to 1000: shorter ones do not reach below its body.
    LegFactor = Spec { dimension: Dimension::None, low: 0.3, open: false, high: 1000.0, bare_unit: false };
    /// How many times something else, 0 to 1000.
    Multiple = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 1000.0, bare_unit: false };
    /// A moment of inertia, kg m².
    Moment = Spec { dimension: Dimension::None, low: 0.0, open: true, high: 1e12, bare_unit: false };
    /// A number of waves.
    Waves = Spec { dimension: Dimension::None, low: 0.0, open: true, high: 1000.0, bare_unit: false };
    /// Drag along the body over drag across it, Gross 2023's ε, 0 to 1.
    Anisotropy = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 1.0, bare_unit: false };
    /// Acceleration of free fall, m/s².
    Gravity = Spec { dimension: Dimension::Acceleration, low: 0.0, open: false, high: 1000.0, bare_unit: false };
    /// Density of a body, kg/m³.
    BodyDensity = Spec { dimension: Dimension::Density, low: 0.0, open: true, high: 1e5, bare_unit: false };
    /// How uneven a stone is: 0 to 0.9.
    Roughness = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 0.9, bare_unit: false };
    /// A mass, kg: above 0 to a million tonnes.
    BodyMass = Spec { dimension: Dimension::Mass, low: 0.0, open: true, high: 1e9, bare_unit: false };
    /// Density of a fluid, kg/m³.
    Density = Spec { dimension: Dimension::Density, low: 0.0, open: false, high: 1e5, bare_unit: false };
    /// Mass of a sheet, kg/m².
    SurfaceDensity = Spec { dimension: Dimension::None, low: 0.0, open: true, high: 1e5, bare_unit: false };
    /// Dynamic viscosity of a fluid, Pa s.
    Viscosity = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 1e6, bare_unit: false };
    /// Drag, N s/m per unit of weight.
    DragCoefficient = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 1e9, bare_unit: false };
    /// Fluid carried along, kg per unit of weight.
    AddedMass = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 1e9, bare_unit: false };
    /// A component of a velocity, m/s.
    Speed = Spec { dimension: Dimension::Speed, low: -1e4, open: false, high: 1e4, bare_unit: false };
    /// A component of an angular velocity, rad/s.
    TurnRate = Spec { dimension: Dimension::TurnRate, low: -1e4, open: false, high: 1e4, bare_unit: false };
    /// A speed without a direction, m/s.
    GustSpeed = Spec { dimension: Dimension::Speed, low: 0.0, open: false, high: 1e4, bare_unit: false };
    /// Change of velocity per metre, 1/s.
    ShearRate = Spec { dimension: Dimension::None, low: -1e4, open: false, high: 1e4, bare_unit: false };
    /// Circulation of a vortex, m²/s; either way round.
    Circulation = Spec { dimension: Dimension::None, low: -1e6, open: false, high: 1e6, bare_unit: false };
    /// Coefficient of friction.
    Friction = Spec { dimension: Dimension::None, low: 0.0, open: false, high: 100.0, bare_unit: false };
    /// A component of a force, N.
    Force = Spec { dimension: Dimension::None, low: -1e9, open: false, high: 1e9, bare_unit: false };
    /// A height over the world's origin, metres; may be negative.
    Height = Spec { dimension: Dimension::Length, low: -1e6, open: false, high: 1e6, bare_unit: false };
    /// Frames per second.
    FrameRate = Spec { dimension: Dimension::None, low: 0.01, open: false, high: 1e5, bare_unit: false };
    /// What one unit of length of a file is, metres: a name such as `"cm"`, a length such as `"2.54 cm"` or a number.
    FileUnit = Spec { dimension: Dimension::Length, low: 1e-9, open: false, high: 1e6, bare_unit: true };
}

/// What a quantity may be.
struct Spec {
    dimension: Dimension,
    low: f64,
    /// Whether `low` itself is left out.
    open: bool,
    high: f64,
    /// Whether a unit without a number will do.
    bare_unit: bool,
}

impl Spec {
    fn check(&self, si: f64) -> Result<f64, String> {
        let above = if self.open { si > self.low } else { si >= self.low };
        if above && si <= self.high { Ok(si) } else { Err(format!("expected {self}, found {}", with_unit(si, self.dimension))) }
    }

    fn read(&self, text: &str) -> Result<f64, String> {
        if self.dimension == Dimension::None {
            return Err(unquote(format!("expected {self}, found {}", quoted(text)), text));
        }
        let bare = self.bare_unit && text.trim().starts_with(|first: char| !first.is_ascii_digit() && !"+-.".contains(first));
        let si = if bare { units::factor(text, self.dimension) } else { units::parse(text, self.dimension) }?;
        self.check(si)
    }

    fn schema(&self) -> Schema {
        let low = if self.open { "exclusiveMinimum" } else { "minimum" };
        let number = json_schema!({ "type": "number", low: self.low, "maximum": self.high });
        let Some(example) = self.dimension.example() else { return number };
        let units = self.dimension.names().map(|name| name.replace('^', r"\^")).collect::<Vec<_>>().join("|");
        let optional = if self.bare_unit { "?" } else { "" };
        let pattern = format!(r"^\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?){optional}\s*({units})\s*$");
        json_schema!({ "anyOf": [number, { "type": "string", "pattern": pattern }], "examples": [example] })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (low, high) = (with_unit(self.low, self.dimension), with_unit(self.high, self.dimension));
        let name = self.dimension.name();
        if self.open { write!(f, "{name} above {low} and at most {high}") } else { write!(f, "{name} from {low} to {high}") }
    }
}

/// A number with its SI symbol; angles in degrees, which people think in.
fn with_unit(si: f64, dimension: Dimension) -> String {
    match dimension {
        Dimension::Angle => format!("{} deg", plain((si.to_degrees() * 1e6).round() / 1e6)),
        _ => format!("{} {}", plain(si), dimension.si()).trim_end().to_owned(),
    }
}

/// Shortest digits, with an exponent where that is easier to read.
fn plain(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

impl Visitor<'_> for Spec {
    type Value = f64;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.dimension == Dimension::None { write!(f, "{self}") } else { f.write_str(&self.dimension.wanted()) }
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<f64, E> {
        let hint =
            if self.dimension == Dimension::Angle { format!("\na bare number is radians; write \"{value} deg\"") } else { String::new() };
        self.check(value).map_err(|problem| E::custom(problem + &hint))
    }
    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<f64, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<f64, E> {
        self.visit_f64(value as f64)
    }
    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<f64, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<f64, E> {
        self.visit_f64(value as f64)
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<f64, E> {
        self.read(text).map_err(E::custom)
    }
}

/// `problem`, and what to do if `text` is a number in quotes.
fn unquote(problem: String, text: &str) -> String {
    if text.trim().parse::<f64>().is_ok() { problem + "\nwrite it as a plain number, without quotes" } else { problem }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Count<const MIN: u32, const MAX: u32>(pub(in crate::scene) u32);

impl<const MIN: u32, const MAX: u32> Count<MIN, MAX> {
    /// A count.
    ///
    /// # Errors
    /// The number is out of range.
    pub fn new(count: usize) -> Result<Self, Error> {
        Self::check(count).map_err(Error::Scene)
    }
    /// The number.
    pub fn get(self) -> usize {
        self.0 as usize
    }
    fn check<N: TryInto<u32> + fmt::Display + Copy>(count: N) -> Result<Self, String> {
        match count.try_into() {
            Ok(small) if (MIN..=MAX).contains(&small) => Ok(Count(small)),
            _ => Err(format!("expected a whole number from {MIN} to {MAX}, found {count}")),
        }
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Count<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor<const MIN: u32, const MAX: u32>;

impl<const MIN: u32, const MAX: u32> Visitor<'_> for CountVisitor<MIN, MAX> {
    type Value = Count<MIN, MAX>;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(E::custom(unquote(format!("expected a whole number from {MIN} to {MAX}, found {}", quoted(text)), text)))
    }
    fn visit_i64<E: serde::de::Error>(self, count: i64) -> Result<Self::Value, E> {
        Count::check(count).map_err(E::custom)
    }
    fn visit_u64<E: serde::de::Error>(self, count: u64) -> Result<Self::Value, E> {
        Count::check(count).map_err(E::custom)
    }
    fn visit_i128<E: serde::de::Error>(self, count: i128) -> Result<Self::Value, E> {
        Count::check(count).map_err(E::custom)
    }
    fn visit_u128<E: serde::de::Error>(self, count: u128) -> Result<Self::Value, E> {
        Count::check(count).map_err(E::custom)
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Count<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("CountFrom{MIN}To{MAX}").into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// First and last frame to keep, both included, written `[first, last]`; at least two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct FrameRange(FrameNumber, FrameNumber);

/// A frame's number, from 0.
type FrameNumber = Count<0, 1_000_000_000>;

impl FrameRange {
    /// Frames `first` to `last`.
    ///
    /// # Errors
    /// `first` is not before `last`, or a number is too large.
    pub fn new(first: usize, last: usize) -> Result<Self, Error> {
        Self::check(FrameNumber::new(first)?, FrameNumber::new(last)?).map_err(Error::Scene)
    }
    /// The first and the last frame.
    pub fn get(self) -> (usize, usize) {
        (self.0.get(), self.1.get())
    }
    fn check(first: FrameNumber, last: FrameNumber) -> Result<Self, String> {
        if first < last {
            return Ok(FrameRange(first, last));
        }
        Err(format!("expected the first frame before the last, found [{}, {}]", first.get(), last.get()))
    }
}

impl<'de> Deserialize<'de> for FrameRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let frames = <Vec<FrameNumber>>::deserialize(deserializer)?;
        let [first, last] = frames.as_slice() else {
            return Err(D::Error::custom(format!("expected two frame numbers such as [0, 40], found {}", frames.len())));
        };
        FrameRange::check(*first, *last).map_err(D::Error::custom)
    }
}
