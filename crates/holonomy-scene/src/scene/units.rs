//! Units of measure: `"12 cm"` to metres.
//!
//! Each unit is exact as a fraction of the SI unit, multiply / divide, so that `"7 cm"` is the same number as `0.07`.

use crate::suggest::did_you_mean;

/// The number in `text`, a value with a unit such as `"12 cm"`, in the SI unit of `expected`.
///
/// # Errors
/// In words: what was expected and found; after a line break, what to do.
pub fn parse(text: &str, expected: Dimension) -> Result<f64, String> {
    let (number, unit) = split(text);
    let Ok(number) = number.parse::<f64>() else {
        return Err(format!("expected {}, found {}", expected.wanted(), quoted(text)));
    };
    if unit.is_empty() {
        return Err(format!("{} has no unit\nwrite {number} or \"{number} {}\"", quoted(text), expected.si()));
    }
    let unit = find(unit, expected)?;
    Ok(number * unit.multiply / unit.divide)
}

/// How many SI units one `unit` (such as `cm`) is.
///
/// # Errors
/// As [`parse`].
pub fn factor(unit: &str, expected: Dimension) -> Result<f64, String> {
    find(unit.trim(), expected).map(|unit| unit.multiply / unit.divide)
}

/// What a quantity measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// A plain number.
    None,
    /// Metres.
    Length,
    /// Radians.
    Angle,
    /// Seconds.
    Duration,
    /// Kilograms.
    Mass,
    /// Metres per second.
    Speed,
    /// Radians per second.
    TurnRate,
    /// Metres per second squared.
    Acceleration,
    /// Kilograms per cubic metre.
    Density,
}

impl Dimension {
    /// With its article: `"a length"`.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::None => "a number",
            Dimension::Length => "a length",
            Dimension::Angle => "an angle",
            Dimension::Duration => "a duration",
            Dimension::Mass => "a mass",
            Dimension::Speed => "a speed",
            Dimension::TurnRate => "a turn rate",
            Dimension::Acceleration => "an acceleration",
            Dimension::Density => "a density",
        }
    }
    /// Symbol of the SI unit; empty for a plain number.
    pub fn si(self) -> &'static str {
        self.units().next().unwrap_or("")
    }
    /// Symbols of the units, the SI unit first.
    pub fn units(self) -> impl Iterator<Item = &'static str> {
        UNITS.iter().filter(move |unit| unit.dimension == self).filter_map(|unit| unit.names.first().copied())
    }
    /// All names a unit may have, for the schema.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        UNITS.iter().filter(move |unit| unit.dimension == self).flat_map(|unit| unit.names.iter().copied())
    }
    /// A value as one would write it, if it has units.
    pub(super) fn example(self) -> Option<&'static str> {
        match self {
            Dimension::None => None,
            Dimension::Length => Some("12 cm"),
            Dimension::Angle => Some("30 deg"),
            Dimension::Duration => Some("250 ms"),
            Dimension::Mass => Some("70 kg"),
            Dimension::Speed => Some("2 m/s"),
            Dimension::TurnRate => Some("90 deg/s"),
            Dimension::Acceleration => Some("9.81 m/s2"),
            Dimension::Density => Some("1000 kg/m3"),
        }
    }
    pub(super) fn wanted(self) -> String {
        match self.example() {
            Some(example) => format!("{} such as \"{example}\"", self.name()),
            None => self.name().to_owned(),
        }
    }
}

struct Unit {
    dimension: Dimension,
    /// The symbol, then other spellings.
    names: &'static [&'static str],
    /// One unit is `multiply / divide` SI units.
    multiply: f64,
    divide: f64,
}

const fn unit(dimension: Dimension, names: &'static [&'static str], multiply: f64, divide: f64) -> Unit {
    Unit { dimension, names, multiply, divide }
}

/// Inch, foot and pound as defined by the international yard and pound agreement, 1959.
const UNITS: &[Unit] = &[
    unit(Dimension::Length, &["m", "metre", "metres", "meter", "meters"], 1.0, 1.0),
    unit(Dimension::Length, &["km", "kilometre", "kilometres", "kilometer", "kilometers"], 1e3, 1.0),
    unit(Dimension::Length, &["cm", "centimetre", "centimetres", "centimeter", "centimeters"], 1.0, 1e2),
    unit(Dimension::Length, &["mm", "millimetre", "millimetres", "millimeter", "millimeters"], 1.0, 1e3),
    unit(Dimension::Length, &["um", "µm", "μm"], 1.0, 1e6),
    unit(Dimension::Length, &["nm"], 1.0, 1e9),
    unit(Dimension::Length, &["in", "inch", "inches"], 254.0, 1e4),
    unit(Dimension::Length, &["ft", "foot", "feet"], 3048.0, 1e4),
    unit(Dimension::Angle, &["rad"], 1.0, 1.0),
    unit(Dimension::Angle, &["deg", "°", "degree", "degrees"], std::f64::consts::PI, 180.0),
    unit(Dimension::Angle, &["turns", "turn"], std::f64::consts::TAU, 1.0),
    unit(Dimension::Duration, &["s"], 1.0, 1.0),
    unit(Dimension::Duration, &["ms"], 1.0, 1e3),
    unit(Dimension::Duration, &["us", "µs", "μs"], 1.0, 1e6),
    unit(Dimension::Duration, &["min"], 60.0, 1.0),
    unit(Dimension::Duration, &["h"], 3600.0, 1.0),
    unit(Dimension::Mass, &["kg"], 1.0, 1.0),
    unit(Dimension::Mass, &["g"], 1.0, 1e3),
    unit(Dimension::Mass, &["mg"], 1.0, 1e6),
    unit(Dimension::Mass, &["t"], 1e3, 1.0),
    unit(Dimension::Mass, &["lb", "lbs"], 45_359_237.0, 1e8),
    unit(Dimension::Mass, &["oz"], 45_359_237.0, 16e8),
    unit(Dimension::Speed, &["m/s"], 1.0, 1.0),
    unit(Dimension::Speed, &["cm/s"], 1.0, 1e2),
    unit(Dimension::Speed, &["mm/s"], 1.0, 1e3),
    unit(Dimension::Speed, &["km/h"], 1e3, 3600.0),
    unit(Dimension::TurnRate, &["rad/s"], 1.0, 1.0),
    unit(Dimension::TurnRate, &["deg/s", "°/s"], std::f64::consts::PI, 180.0),
    unit(Dimension::TurnRate, &["rpm"], std::f64::consts::TAU, 60.0),
    unit(Dimension::Acceleration, &["m/s2", "m/s^2", "m/s²"], 1.0, 1.0),
    unit(Dimension::Density, &["kg/m3", "kg/m^3", "kg/m³"], 1.0, 1.0),
    unit(Dimension::Density, &["g/cm3", "g/cm^3", "g/cm³"], 1e3, 1.0),
];

fn find(name: &str, expected: Dimension) -> Result<&'static Unit, String> {
    match UNITS.iter().find(|unit| unit.names.contains(&name)) {
        Some(unit) if unit.dimension == expected => Ok(unit),
        Some(unit) => Err(format!("expected {}, found {}", expected.wanted(), unit.dimension.name())),
        None => {
            let known = expected.units().collect::<Vec<_>>().join(", ");
            let hint = did_you_mean(name, expected.names()).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            Err(format!("unknown unit {}\n{hint}known units: {known}", quoted(name)))
        }
    }
}

/// The number at the beginning of `text`, as far as it goes, and what follows it; both trimmed.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = sign(0);
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + sign(end + 1);
        if digits(exponent) > 0 {
            end = exponent + digits(exponent);
        }
    }
    let (number, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    (number, unit.trim())
}

/// `text` in double quotes, on one line, not too long.
pub(super) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{:?}…", start) } else { format!("{text:?}") }
}
