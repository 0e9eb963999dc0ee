//! Least dissipation on curves against closed forms of resistive force theory: drag along the body over drag across it is the anisotropy.

use std::f64::consts::{PI, TAU};
use std::ops::ControlFlow;

use holonomy::models::ThreeLink;
use holonomy::motion::Outcome;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::shape_change::{Law, ShapeChange};

/// Where one cycle of `clip` leads.
fn travel(clip: &Clip, anisotropy: f64) -> Vector3<f64> {
    let job = ShapeChange::new(Law::anisotropic(anisotropy));
    let motion = job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    motion.cycle_transform.unwrap().translation
}

/// Speed of a sine wave over that of its wave, for 20 waves of largest slope `slope`; it swims against its wave.
fn sine_speed(slope: f64, anisotropy: f64) -> f64 {
    let (waves, per_wave, frames) = (20, 80, 80);
    let n = waves * per_wave;
    let shape = |phase: f64| {
        (0..=n).map(move |i| {
            let x = i as f64 / per_wave as f64;
            Vector3::new(x, slope / TAU * (TAU * (x - phase)).sin(), 0.0)
        })
    };
    let positions = (0..frames).flat_map(|k| shape(k as f64 / frames as f64)).collect();
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Loop, 1.0 / frames as f64, n + 1, positions).unwrap();
    -travel(&clip, anisotropy).x
}

#[test]
fn a_sine_wave_swims_at_the_speed_of_resistive_force_theory() {
    // U/V = (1−β)(1−g)/(1−β+gβ), β = <cos²> over arc length, g = drag along / across, V the speed of the wave in the body's frame
    // (Gray and Hancock 1955; Lighthill 1976). Four values of the endless wave.
    let closed_form = |slope: f64, g: f64| {
        let n = 4000;
        let slopes = (0..n).map(|i| slope * (TAU * (i as f64 + 0.5) / n as f64).cos());
        let (length, cosines) = slopes.fold((0.0, 0.0), |(l, c), s| (l + (1.0 + s * s).sqrt(), c + 1.0 / (1.0 + s * s).sqrt()));
        let beta = cosines / length;
        (1.0 - beta) * (1.0 - g) / (1.0 - beta + g * beta)
    };
    let table = [(0.5, 0.5, 0.097_758), (1.0, 0.5, 0.238_752), (1.0, 1.0 / 1.81, 0.202_579), (1.0, 0.1, 0.738_405)];
    for (slope, ratio, expected) in table {
        assert!((closed_form(slope, ratio) - expected).abs() < 6e-7, "{}", closed_form(slope, ratio));
        let speed = sine_speed(slope, ratio);
        let off = speed / expected - 1.0;
        println!("sine wave, slope {slope}, g = {ratio:.4}: {speed:.6}, closed form {expected}, off by {:.3} %", 100.0 * off);
        assert!(off.abs() < 5e-3, "slope {slope}, ratio {ratio}: {speed} against {expected}"); // measured 0.24, 0.18, 0.19 and 0.05 %
    }
}

#[test]
fn a_shallow_wave_swims_as_fast_as_taylors_sheet() {
    // U/V = ½ b²k² (1 − (19/16) b²k²) for a waving sheet in Stokes flow (Taylor 1951). Resistive force theory has the same first term at
    // g = ½; b k = 0.05 makes the second 0.3 %.
    let slope: f64 = 0.05;
    let expected = 0.5 * slope * slope * (1.0 - 19.0 / 16.0 * slope * slope);
    let speed = sine_speed(slope, 0.5);
    println!("Taylor's sheet: {speed:.4e} against {expected:.4e}, off by {:.3} %", 100.0 * (speed / expected - 1.0));
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} against {expected}"); // measured 0.26 %
}

/// Travel of Purcell's three-link swimmer over its link length and the area `S` of its loop of hinge angles, for small angles.
///
/// Links of length L, the middle one 2a; M = a + L, N = aL + L²/2. Sideways force and torque vanish to first order, which gives
/// w = −(L²/4M)(τ̇_f + τ̇_r) and ω = −κ (τ̇_f − τ̇_r) with κ = (aL²/2 + L³/3)/(2M³/3); the force along the body vanishes to second
/// order. Integrated around the loop, all that does not come from anisotropic drag cancels:
/// Δ = (1/g − 1) (S/M) (κN − L³/4M), along the body towards the hinge that leads. Equal links: (1/g − 1) (5/81) S L.
fn small_stroke(g: f64) -> f64 {
    let (l, a) = (1.0_f64, 0.5);
    let (m, n) = (a + l, a * l + 0.5 * l * l);
    let kappa = (0.5 * a * l * l + l.powi(3) / 3.0) / (2.0 / 3.0 * m.powi(3));
    (1.0 / g - 1.0) / m * (kappa * n - l.powi(3) / (4.0 * m))
}

#[test]
fn a_small_stroke_of_purcells_swimmer_goes_as_far_as_theory_says() {
    assert!((small_stroke(0.5) - 5.0 / 81.0).abs() < 1e-15);
    for g in [0.5, 0.1, 1.0 / 40.0] {
        let off = [0.1_f64, 0.05, 0.025].map(|amplitude| {
            let swimmer = ThreeLink { edges: 40, amplitude, squareness: 2.0, ..ThreeLink::default() };
            let travel = travel(&swimmer.clip(200.0).unwrap(), g);
            let expected = small_stroke(g) * swimmer.links[0] * PI * amplitude * amplitude;
            assert!(travel.x.abs() < 1e-3 * expected, "it goes straight on: {travel}");
            travel.z / expected - 1.0 // it goes along +Z, towards the hinge that leads
        });
        println!(
            "three links, g = {g}: off by {:.3}, {:.3}, {:.3} % at 0.1, 0.05, 0.025 rad",
            100.0 * off[0],
            100.0 * off[1],
            100.0 * off[2]
        );
        // What the closed form leaves out is quadratic in the angles.
        assert!(off[2].abs() < 4e-3, "{off:?}"); // measured 0.0002, 0.0006, 0.0023
        assert!((off[0] / off[1]).log2() > 1.7, "{off:?}"); // measured 1.90, 1.97, 1.96
    }
    // No anisotropy, no travel, however large the stroke.
    let large = ThreeLink::default();
    assert!(travel(&large.clip(100.0).unwrap(), 1.0).norm() < 1e-3 * travel(&large.clip(100.0).unwrap(), 0.5).norm());
}
