//! Units and ranges of numbers.

use holonomy_scene::scene::units::{self, Dimension};

use super::*;

#[test]
fn units_against_a_table() {
    let table = [
        (Dimension::Length, "m", 1.0),
        (Dimension::Length, "metres", 1.0),
        (Dimension::Length, "km", 1000.0),
        (Dimension::Length, "cm", 0.01),
        (Dimension::Length, "mm", 0.001),
        (Dimension::Length, "um", 1e-6),
        (Dimension::Length, "\u{b5}m", 1e-6),
        (Dimension::Length, "\u{3bc}m", 1e-6),
        (Dimension::Length, "nm", 1e-9),
        (Dimension::Length, "in", 0.0254),
        (Dimension::Length, "ft", 0.3048),
        (Dimension::Angle, "rad", 1.0),
        (Dimension::Angle, "deg", PI / 180.0),
        (Dimension::Angle, "°", PI / 180.0),
        (Dimension::Angle, "turns", TAU),
        (Dimension::Duration, "s", 1.0),
        (Dimension::Duration, "ms", 0.001),
        (Dimension::Duration, "us", 1e-6),
        (Dimension::Duration, "min", 60.0),
        (Dimension::Duration, "h", 3600.0),
        (Dimension::Mass, "kg", 1.0),
        (Dimension::Mass, "g", 0.001),
        (Dimension::Mass, "mg", 1e-6),
        (Dimension::Mass, "t", 1000.0),
        (Dimension::Mass, "lb", 0.45359237),
        (Dimension::Mass, "oz", 0.028349523125),
        (Dimension::Length, "centimeter", 0.01),
        (Dimension::Speed, "m/s", 1.0),
        (Dimension::Speed, "km/h", 1000.0 / 3600.0),
        (Dimension::TurnRate, "deg/s", PI / 180.0),
        (Dimension::TurnRate, "rpm", TAU / 60.0),
        (Dimension::Acceleration, "m/s^2", 1.0),
        (Dimension::Density, "kg/m3", 1.0),
        (Dimension::Density, "g/cm3", 1000.0),
    ];
    let mut random = Random(7);
    for (dimension, unit, si) in table {
        assert!((units::factor(unit, dimension).unwrap() / si - 1.0).abs() < 3e-16, "{unit}"); // measured: 0
        for _ in 0..200 {
            let value = (random.below(2_000_001) as f64 - 1e6) * 10f64.powi(random.below(13) as i32 - 6);
            for text in [format!("{value} {unit}"), format!("{value}{unit}"), format!(" {value:e}\t{unit} ")] {
                let read = units::parse(&text, dimension).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert!((read - value * si).abs() <= 5e-16 * read.abs(), "{text}: {read}"); // measured: 2.4e-16
            }
        }
        for other in [Dimension::Length, Dimension::Angle, Dimension::Duration, Dimension::Mass] {
            assert_eq!(units::parse(&format!("1 {unit}"), other).is_ok(), other == dimension, "{unit}");
        }
    }
    for (text, metres) in [("7 cm", 0.07), ("+.5 m", 0.5), ("5. m", 5.0), ("1e2 mm", 0.1), ("1E-2 m", 0.01), ("3 in", 0.0762)] {
        assert_eq!(units::parse(text, Dimension::Length), Ok(metres), "exact: {text}");
    }
    for text in ["", " ", "m", "e3 m", "1e m", "1 2 m", "1,5 m", "1_000 m", "0x10 m", "--1 m", "inf m", "1 m m", "٣ m", "1 \0"] {
        assert!(units::parse(text, Dimension::Length).is_err(), "{text}");
    }
}

#[test]
fn speeds_densities_and_accelerations_have_units_too() {
    let start = read(&with_line("start", "velocity = [0, '36 km/h', '2 m/s']\nangular-velocity = ['30 rpm', 0, 1]")).start;
    assert_eq!(start.velocity.map(|speed| speed.si()), [0.0, 10.0, 2.0]);
    let [x, y, z] = start.angular_velocity.map(|rate| rate.si());
    assert!((x - PI).abs() < 1e-15 && (y, z) == (0.0, 1.0), "{x} {y} {z}");
    let scene = read(&with_line("system.flow", "density = '1.025 g/cm3'\ngravity = '1.62 m/s^2'"));
    let System::Flow(flow) = &scene.system else { panic!("{scene:?}") };
    assert_eq!((flow.density.unwrap().si(), flow.gravity.si()), (1025.0, 1.62));
    let (problem, hint) = complaint("system.flow", "density = '1000 kg/l'");
    assert!(problem.contains("kg/l") && hint.contains("kg/m3"), "{problem} {hint}");
}

#[test]
fn values_made_in_code_are_checked_too() {
    assert!(Length::new(1.2).is_ok() && Amplitude::new(PI).is_ok() && Anisotropy::new(1.0).is_ok());
    assert!(Length::new(0.0).is_err() && Anisotropy::new(0.0).is_ok());
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Length::new(bad).is_err() && Anisotropy::new(bad).is_err(), "{bad}");
    }
    assert_eq!(Count::<2, 9>::new(2).unwrap().get(), 2);
    assert!(Count::<2, 9>::new(1).is_err() && Count::<2, 9>::new(usize::MAX).is_err());
    assert!(FrameRange::new(4, 4).is_err());
}
