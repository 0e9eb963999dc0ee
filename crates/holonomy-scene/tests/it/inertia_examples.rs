//! The examples with inertia alone, as users run them: how they move.
//!
//! The gaits of astronaut, cat and diver were tuned for the turns that they make. So these tests
//! keep those turns from changing unseen; that the law is right is shown by closed forms (`crates/holonomy/tests/it/shape_change.rs`) and recordings (`flights.rs`).

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::Vector3;
use holonomy_scene::examples;
use holonomy_scene::export::page;
use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;

/// The motion of a built-in example at so many frames per second; all its checks pass, among them that the angular momentum, measured on the
/// placed shapes at every step, does not change.
fn run(name: &str, fps: &str) -> Motion {
    let settings = [("time.fps", fps), ("picture.width", "64"), ("picture.height", "36")].map(|(key, value)| (key.into(), value.into()));
    let scene = Scene::with_overrides(examples::find(name).unwrap().text, name, &settings).unwrap();
    let job = Job::prepare(name, scene, Path::new("")).unwrap();
    let template = format!("{}{}", page::DATA, page::MODEL);
    let motion = job.run(&template, &mut |_, _| ControlFlow::Continue(())).unwrap().motion;
    assert_eq!(motion.outcome, Outcome::Done);
    for check in &motion.checks {
        assert!(check.pass(), "{name}: {check:?}");
    }
    let spin = motion.checks.iter().find(|check| check.name == "momentum out of balance, relative").unwrap();
    assert!(spin.value > 0.0 && spin.value < 1e-9, "{name}: {spin:?}"); // measured 8e-15 to 6e-13 at the examples' own rates
    motion
}

/// The spin about the centre of mass that the law carries on at frame k, kg m²/s, world.
fn spin(motion: &Motion, k: usize) -> Vector3<f64> {
    let track = &motion.tracks[0];
    track.momenta[k].angular - track.centers[k].cross(&track.momenta[k].linear)
}

/// Regression of a tuned gait.
#[test]
fn the_astronaut_turns_by_a_quarter_in_four_circles() {
    let motion = run("astronaut", "60");
    let (first, last) = (motion.tracks[0].poses[0], *motion.tracks[0].poses.last().unwrap());
    let turn = (first.inverse() * last).rotation.scaled_axis().map(f64::to_degrees);
    assert!((turn.y - 93.1).abs() < 1.0, "{turn}"); // measured 93.1
    assert!(turn.xz().norm() < 10.0, "{turn}"); // measured 7.0: nearly upright still
    let centers = &motion.tracks[0].centers;
    assert!(centers.iter().all(|c| (c - centers[0]).norm() < 1e-12), "the centre of mass does not move");
}

/// Regression of a tuned gait.
#[test]
fn the_cat_falls_on_its_back_and_lands_on_its_feet() {
    let motion = run("cat", "240");
    let track = &motion.tracks[0];
    let last = track.poses.len() - 1;
    let (up, ahead) = (|k: usize| track.poses[k].rotation * Vector3::y(), |k: usize| track.poses[k].rotation * Vector3::z());
    assert!(up(0).y < -0.999, "it starts on its back: {}", up(0));
    assert!(up(last).y > 0.99 && ahead(last).dot(&ahead(0)) > 0.99, "{} {}", up(last), ahead(last)); // measured 0.9999, 1.0000
    let rolled: f64 = track.poses.windows(2).map(|w| (w[0].inverse() * w[1]).log().angular.z).sum();
    assert!((rolled.to_degrees() - 180.9).abs() < 1.0, "{}", rolled.to_degrees()); // measured 180.9
    let time = last as f64 * motion.dt;
    assert!(time <= 1.0, "{time}");
    let fallen = track.centers[0] - track.centers[last];
    assert!((fallen - Vector3::y() * (0.5 * 9.81 * time * time)).norm() < 1e-12, "{fallen}"); // measured 2e-16
}

/// How far they turn depends on the angles that were chosen.
#[test]
fn tuned_gaits_are_sensitive() {
    let turn = |name: &str, key: &str, value: &str| {
        let settings = [(key.into(), value.into())];
        let scene = Scene::with_overrides(examples::find(name).unwrap().text, name, &settings).unwrap();
        let motion = Job::prepare(name, scene, Path::new("")).unwrap().solve(&mut |_, _| ControlFlow::Continue(())).unwrap().0;
        let poses = &motion.tracks[0].poses;
        (poses[0].inverse() * *poses.last().unwrap()).rotation.angle().to_degrees()
    };
    for (name, key, value, expected) in [
        ("cat", "forward-bend", "100 deg", 149.5), // 179.1 as it is
        ("cat", "backward-bend", "0 deg", 130.4),
        ("astronaut", "cone", "30 deg", 43.5), // 93.4 as it is
        ("astronaut", "cone", "60 deg", 150.1),
        ("astronaut", "raise", "0 deg", 2.4),
    ] {
        let turned = turn(name, key, value);
        println!("{name}, {key} {value}: {turned:.1}");
        assert!((turned - expected).abs() < 1.0, "{name}, {key} {value}: {turned}");
    }
}

/// Regression of a tuned gait.
#[test]
fn the_diver_somersaults_one_and_a_half_times_with_a_full_twist() {
    let motion = run("diver", "240");
    let poses = &motion.tracks[0].poses;
    let last = poses.len() - 1;
    for k in 0..=last {
        let now = spin(&motion, k);
        assert!((now - Vector3::x() * 63.0).norm() < 0.1, "frame {k}: {now}"); // measured 62.97: constant, about +X
    }
    // Somersaults: the long axis around +X. Twists: the front around the long axis, against the front of a diver who only somersaults.
    let angle_of = |k: usize| {
        let long = poses[k].rotation * Vector3::y();
        long.z.atan2(long.y)
    };
    let twist_of = |k: usize| {
        let (long, front) = (poses[k].rotation * Vector3::y(), poses[k].rotation * Vector3::z());
        let untwisted = Vector3::x().cross(&long);
        untwisted.cross(&front).dot(&long).atan2(untwisted.dot(&front))
    };
    let whole = |of: &dyn Fn(usize) -> f64| -> f64 {
        let step = |k: usize| (of(k) - of(k - 1) + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        (1..=last).map(step).sum::<f64>().to_degrees()
    };
    let (somersault, twist) = (whole(&angle_of), whole(&twist_of));
    assert!((somersault - 536.0).abs() < 3.0, "{somersault}"); // measured 536.0
    assert!((twist - 355.6).abs() < 3.0, "{twist}"); // measured 355.6
    assert!((poses[last].rotation * Vector3::y()).y < -0.98, "enters head first"); // measured -0.998
}

/// Twice the time from the flip to the flip back: the zeros of the body's spin about its middle axis are half a period apart.
fn flip_period(motion: &Motion) -> f64 {
    let rate = |w: &[holonomy::lie::Pose]| (w[0].rotation.inverse() * w[1].rotation).scaled_axis().y;
    let rates: Vec<f64> = motion.tracks[0].poses.windows(2).map(rate).collect();
    let crossing = |k: usize| (k as f64 + rates[k] / (rates[k] - rates[k + 1])) * motion.dt;
    let flips: Vec<f64> = (0..rates.len() - 1).filter(|&k| rates[k] * rates[k + 1] < 0.0).map(crossing).collect();
    assert_eq!(flips.len(), 2, "it turns over and back: {flips:?}");
    2.0 * (flips[1] - flips[0])
}

#[test]
fn the_t_handle_flips_with_the_period_of_the_closed_form() {
    // T = 4 K(m)/p for I = (1, 2, 3), ω₀ = (0.01, 1, 0.01).
    let period = 39.105_734_197_287_72;
    let error = |fps: &str| (flip_period(&run("dzhanibekov", fps)) / period - 1.0).abs();
    let (coarse, own) = (error("30"), error("60"));
    assert!(own < 1e-4, "{own:e}"); // measured 7.7e-5 at 60 frames per second, the example's own
    assert!(((coarse / own).log2() - 2.0).abs() < 0.01, "second order: {coarse:e}, {own:e}"); // measured 2.0002
}
