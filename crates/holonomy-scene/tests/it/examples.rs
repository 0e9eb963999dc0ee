//! The built-in examples: each runs, its checks hold, and each body moves as its animal does.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::Vector3;
use holonomy_scene::examples;
use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;

/// The example of that name, loaded, with the settings `KEY=VALUE`.
fn job(name: &str, settings: &[(&str, &str)]) -> Job {
    let settings: Vec<(String, String)> = settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let scene = Scene::with_overrides(examples::find(name).unwrap().text, name, &settings).unwrap();
    Job::prepare(name, scene, Path::new("")).unwrap()
}

fn motion(job: &Job) -> Motion {
    job.solve(&mut |_, _| ControlFlow::Continue(())).unwrap().0
}

/// What one cycle does; translation in body lengths.
fn cycle(name: &str, settings: &[(&str, &str)]) -> Pose {
    let job = job(name, settings);
    let mut cycle = motion(&job).cycle_transform.unwrap();
    cycle.translation /= job.bodies[0].shape.clip.body_length();
    cycle
}

fn degrees(pose: &Pose) -> Vector3<f64> {
    pose.rotation.scaled_axis().map(f64::to_degrees)
}

/// Whether a cycle goes along +Z, `way` body lengths (to 2 %) within `aside` of the line, and turns less than a degree.
fn assert_ahead(name: &str, way: f64, aside: f64) {
    let cycle = cycle(name, &[]);
    let [x, y, z] = cycle.translation.into();
    assert!((z / way - 1.0).abs() < 0.02 && x.hypot(y) < aside * z, "{name}: {x} {y} {z}");
    assert!(degrees(&cycle).norm() < 1.0, "{name}: {}", degrees(&cycle));
}

#[test]
fn every_example_runs_and_holds_its_checks_at_every_step() {
    for example in examples::ALL {
        let name = example.name;
        let job = job(name, &[]);
        assert!(job.scene.description.as_ref().is_some_and(|text| text.len() > 40), "{name} says too little about itself");
        let motion = motion(&job);
        assert_eq!(motion.outcome, Outcome::Done, "{name}");
        assert!(motion.is_finite(), "{name}");
        assert!(!motion.checks.is_empty() && motion.checks.iter().all(|check| check.pass()), "{name}: {:?}", motion.checks);
        let residual = motion.series.iter().find(|series| series.name == "residual").unwrap();
        assert_eq!(residual.values.len(), motion.frames(), "{name}");
        let worst = residual.values.iter().copied().fold(0.0, f64::max);
        assert!(worst <= 1e-10, "{name}: {worst}"); // measured at most 1e-13
    }
}

#[test]
fn snakes_and_the_worm_go_head_first() {
    assert_ahead("snake", 0.438, 0.02); // measured 0.4382 body lengths a cycle, 0.002 aside
    assert_ahead("snake-substrates", 0.342, 0.02);
    assert_ahead("concertina", 0.118, 0.05);
    assert_ahead("worm", 0.080, 1e-9);
}

#[test]
fn a_snake_that_wanders_follows_its_head() {
    let job = job("snake-mocap-like", &[]);
    let motion = motion(&job);
    let way = motion.tracks[0].poses.last().unwrap().translation / job.bodies[0].shape.clip.body_length();
    assert!((way.norm() - 1.79).abs() < 0.05 && way.z > 0.9 * way.norm(), "{way}");
}

/// It leaves separate tracks: what lies on the ground stays there, while the body as a whole moves on, aside and a little ahead.
#[test]
fn the_sidewinder_goes_sideways_and_what_lies_lies_still() {
    let job = job("sidewinder", &[("cycles", "1")]);
    let (clip, motion) = (&job.bodies[0].shape.clip, motion(&job));
    let way = motion.cycle_transform.unwrap().translation / clip.body_length();
    assert!((way.x + 0.308).abs() < 0.01 && (way.z - 0.070).abs() < 0.01 && way.y.abs() < 1e-3, "{way}");
    let poses = &motion.tracks[0].poses;
    let (mut slid, mut lying) = (0.0, 0.0);
    for k in 0..clip.frames() {
        let on_ground = |i: &usize| clip.frame(k)[*i].y == 0.0 && clip.frame(k + 1)[*i].y == 0.0;
        for i in (0..clip.vertices()).filter(on_ground) {
            slid += (poses[k + 1].act(&clip.frame(k + 1)[i]) - poses[k].act(&clip.frame(k)[i])).norm();
            lying += 1.0;
        }
    }
    let speed = slid / (lying * motion.dt);
    let whole = way.norm() * clip.body_length() / clip.duration();
    assert!(speed < 0.5 * whole, "it slides at {speed} m/s, and goes at {whole} m/s");
}

#[test]
fn a_sperm_cell_swims_head_first_and_a_lighter_head_swims_otherwise() {
    assert_ahead("sperm", 0.0823, 0.05);
    let light = cycle("sperm", &[("head-weight", "1")]).translation.z;
    assert!((light - 0.0823).abs() > 1e-3, "{light}");
}

#[test]
fn a_stingray_flies_nose_first_and_steers() {
    assert_ahead("stingray", 0.0999, 0.05);
    // A left turn is about +Y, a climb about −X.
    for sign in ["1", "-1"] {
        let side: f64 = sign.parse().unwrap();
        let aside = degrees(&cycle("stingray", &[("body.stingray.turn", sign), ("amplitude", "0.3")]));
        let aloft = degrees(&cycle("stingray", &[("climb", sign)]));
        assert!(side * aside.y > 2.0, "{aside}");
        assert!(-side * aloft.x > 2.0, "{aloft}");
    }
}

/// Ahead, left, right, ahead, up, down: four seconds each.
#[test]
fn the_robot_turns_where_it_is_steered() {
    let motion = motion(&job("ray-robot", &[("rings", "24"), ("around", "20")]));
    let poses = &motion.tracks[0].poses;
    let turned = |leg: usize| {
        let [from, to] = [leg, leg + 1].map(|end| poses[(end as f64 * 4.0 / motion.dt).round() as usize]);
        (degrees(&(from.inverse() * to)), from.inverse().act(&to.translation))
    };
    for (leg, expected) in [Vector3::zeros(), Vector3::y(), -Vector3::y(), Vector3::zeros(), -Vector3::x(), Vector3::x()].iter().enumerate()
    {
        let (turn, way) = turned(leg);
        assert!(way.z > 0.8, "leg {leg}: {way}");
        match expected.norm() > 0.0 {
            true => assert!(turn.dot(expected) > 30.0 && turn.cross(expected).norm() < 15.0, "leg {leg}: {turn}"),
            false => assert!(turn.norm() < 15.0, "leg {leg}: {turn}"),
        }
    }
}

#[test]
fn a_jellyfish_rises_bell_first() {
    let cycle = cycle("jellyfish", &[]);
    let [x, y, z] = cycle.translation.into();
    assert!((y - 0.098).abs() < 0.002 && x.hypot(z) < 1e-4, "{x} {y} {z}");
}

#[test]
fn the_scallop_gets_nowhere_and_says_why() {
    let job = job("scallop", &[]);
    let motion = motion(&job);
    let way = motion.cycle_transform.unwrap().translation.norm() / job.bodies[0].shape.clip.body_length();
    assert!(way < 1e-9, "{way}");
    let swayed =
        motion.tracks[0].poses.iter().map(|pose| pose.translation.norm()).fold(0.0, f64::max) / job.bodies[0].shape.clip.body_length();
    assert!(swayed > 1e-3, "it moves to and fro: {swayed}");
    assert!(motion.warnings.iter().any(|note| note.contains("scallop theorem")), "{:?}", motion.warnings);
}

#[test]
fn three_links_get_on_and_two_do_not() {
    assert_ahead("three-link", 0.0642, 0.01);
    // A middle link of no length makes one hinge of two, whose angles then no longer go around anything.
    let backwards = cycle("three-link", &[("amplitude", "1 deg")]).translation.norm();
    assert!(backwards < 1e-3, "small angles: the second order in the angle, {backwards}");
}
