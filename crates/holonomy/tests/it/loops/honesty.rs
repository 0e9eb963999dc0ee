//! What a loop says of itself: hidden forces, free flight, a descent that stalls.

use std::ops::ControlFlow;

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::loops::*;

use super::laws::Springs;

const GRAVITY: f64 = 9.81;
const FRAMES: usize = 40;
const PERIOD: f64 = 0.8;

/// One mass under gravity on a path of given heights over time, as it is: no iteration.
fn flown(law: &Springs, height: &dyn Fn(f64) -> f64) -> Looped {
    let h = PERIOD / FRAMES as f64;
    let positions: Vec<Vector3<f64>> = (0..FRAMES).map(|k| Vector3::y() * height(k as f64 * h)).collect();
    let mut wanted = Loop::new(law, FRAMES, PERIOD, vec![positions[0]], vec![Vector3::zeros()]);
    wanted.guess = Guess::Given(Curve { positions, period: PERIOD, twist: Twist::zero() });
    (wanted.start.hold_positions, wanted.start.hold_velocities) = (Hold::Free, Hold::Free);
    wanted.settings.max_iterations = 0;
    wanted.solve(&mut |_| ControlFlow::Continue(())).unwrap()
}

fn weight() -> Springs {
    Springs { gravity: Vector3::y() * -GRAVITY, ..Springs::new(vec![2.0], Vec::new()) }
}

/// Thrown up and caught at frame 0: the parabola that comes back in a period.
fn thrown(t: f64) -> f64 {
    0.5 * GRAVITY * t * (PERIOD - t)
}

#[test]
fn a_body_that_is_thrown_flies_freely_and_a_cosine_does_not() {
    let law = weight();
    let gravity = law.gravity;
    let mut caught = vec![false; FRAMES];
    caught[0] = true;
    let flight = flown(&law, &thrown).flight(&gravity, &caught).unwrap();
    // All frames but that of the catch and its neighbours. Measured 9e-13.
    assert_eq!(flight.frames, FRAMES - 3);
    assert!(flight.most < 1e-9, "{flight:?}");
    // Centres that follow a cosine of 10 cm: from -a to a, a = 0.1 (2 sin(pi/N)/h)^2, instead of -g.
    let rate = std::f64::consts::TAU / PERIOD;
    let h = PERIOD / FRAMES as f64;
    let most = 0.1 * (2.0 * (std::f64::consts::PI / FRAMES as f64).sin() / h).powi(2);
    let swung = flown(&law, &|t| 0.1 * (rate * t).cos()).flight(&gravity, &[false; FRAMES]).unwrap();
    assert_eq!(swung.frames, FRAMES);
    assert!((swung.most - (GRAVITY + most)).abs() < 1e-9, "{swung:?}");
    assert!((swung.rms - (GRAVITY * GRAVITY + 0.5 * most * most).sqrt()).abs() < 1e-9, "{swung:?}");
    assert!((swung.upward[0] + most).abs() < 1e-9 && (swung.upward[1] - most).abs() < 1e-9);
    // What is always in touch has no flight.
    assert_eq!(flown(&law, &thrown).flight(&gravity, &[true; FRAMES]), None);
}

fn reported(looped: &Looped, law: &Springs) -> Motion {
    let faces = vec![[0, 1, 2]];
    let points = vec![Vector3::zeros(), Vector3::x(), Vector3::y()];
    let dt = PERIOD / FRAMES as f64;
    let clip = Clip::new(Topology::Surface { faces }, Playback::Loop, dt, 3, points).unwrap();
    let poses = vec![Pose::identity(); FRAMES + 1];
    let track = Track::new("t", clip, poses, vec![Vector3::zeros(); FRAMES + 1], vec![Momentum::zero(); FRAMES]);
    looped.motion(law, 1.0, vec![track]).unwrap()
}

#[test]
fn hidden_force_is_reported_in_words_and_figures() {
    let law = weight();
    let figure = |motion: &Motion, name: &str| motion.tracks[0].figures.iter().find(|f| f.quantity.name == name).unwrap().value;
    let said = |motion: &Motion| motion.warnings.iter().find(|w| w.starts_with("hidden force: ")).unwrap().clone();
    // At rest in the air: all that holds it there is hidden, one g.
    let held = reported(&flown(&law, &|_| 1.0), &law);
    assert!((figure(&held, "missing_force_rms") - 1.0).abs() < 1e-12);
    assert!((figure(&held, "missing_acceleration_rms") - GRAVITY).abs() < 1e-9);
    assert!(said(&held).contains("1.00 of all acceleration, 9.81 m/s^2 rms") && said(&held).contains("hand"), "{}", said(&held));
    assert!(held.checks.iter().any(|check| check.name.starts_with("acceleration that no force") && !check.pass()));
    // With a swing of its own beside gravity's pull: some of it is hidden, at most half.
    let law = Springs { gravity: Vector3::zeros(), ..Springs::oscillator(2.0, 2.0 * (std::f64::consts::TAU / 0.86).powi(2)) };
    let rate = std::f64::consts::TAU / PERIOD;
    let swung = reported(&flown(&law, &|t| 0.1 * (rate * t).cos()), &law);
    let share = figure(&swung, "missing_force_rms");
    assert!((0.1..0.2).contains(&share), "{share}"); // 1 - (0.8/0.86)^2 = 0.135
    assert!(said(&swung).contains("hand") && swung.checks.iter().all(|c| !c.name.starts_with("acceleration") || c.pass()));
    // Its own motion.
    let h = PERIOD / FRAMES as f64;
    let own = (2.0 * (std::f64::consts::PI / FRAMES as f64).sin() / h).powi(2);
    let law = Springs { gravity: Vector3::zeros(), ..Springs::oscillator(2.0, 2.0 * own) };
    let free = reported(&flown(&law, &|t| 0.1 * (rate * t).cos()), &law);
    assert!(figure(&free, "missing_force_rms") < 1e-10 && !said(&free).contains("hand"), "{}", said(&free));
}

/// A descent whose last gains were 1e-15 of the loss was advised to go on.
#[test]
fn a_descent_at_rest_is_not_advised_to_go_on() {
    let law = weight();
    let ended = |history: Vec<f64>, outcome: Outcome| {
        let looped = Looped { history, outcome, ..flown(&law, &thrown) };
        reported(&looped, &law).warnings.join("\n")
    };
    let stood = |k: i32| 1756.0 * (1.0 + 1e-15 * f64::from(30 - k));
    let stalled = ended((0..30).map(stood).collect(), Outcome::OutOfIterations);
    assert!(stalled.contains("no longer falls") && !stalled.contains("allow more"), "{stalled}");
    let falling = ended((0..30).map(|k| 10.0 * 0.998_f64.powi(k)).collect(), Outcome::OutOfIterations);
    assert!(falling.contains("still fell by 0.20 %") && falling.contains("allow more"), "{falling}");
    let none = ended(vec![10.0, 5.0], Outcome::Stalled);
    assert!(none.contains("stalled") && !none.contains("allow more"), "{none}");
}
