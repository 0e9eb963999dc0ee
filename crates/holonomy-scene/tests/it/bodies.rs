//! Where bodies start, and several bodies in one scene.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::Vector3;
use holonomy_scene::export::page;
use holonomy_scene::job::{Finished, Job};
use holonomy_scene::scene::Scene;

const SNAKE: &str = include_str!("../../../../examples/shape-change/snake.toml");

/// Runs the scene `text`, as settings `(key, value)` change it.
fn run(text: &str, settings: &[(&str, &str)]) -> Finished {
    let settings: Vec<(String, String)> = settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let scene = Scene::with_overrides(text, "test.toml", &settings).unwrap_or_else(|error| panic!("{error}"));
    let job = Job::prepare("test", scene, Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    job.run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| ControlFlow::Continue(())).unwrap_or_else(|error| panic!("{error}"))
}

/// Least dissipation does not depend on where the body is: another start carries the whole motion along.
#[test]
fn a_start_carries_the_motion_along() {
    let origin = run(SNAKE, &[]).motion;
    let moved = run(SNAKE, &[("start.at", "[1, '-50 cm', 3]"), ("start.turn", "['0 deg', '90 deg', 0]")]).motion;
    let start = Pose::exp(&Twist { angular: Vector3::y() * std::f64::consts::FRAC_PI_2, linear: Vector3::zeros() });
    let start = Pose { translation: Vector3::new(1.0, -0.5, 3.0), ..start };
    assert_eq!(origin.tracks[0].poses[0], Pose::identity());
    let farthest = origin.tracks[0]
        .poses
        .iter()
        .zip(&moved.tracks[0].poses)
        .map(|(a, b)| ((start * *a).inverse() * *b).log())
        .map(|d| d.angular.norm() + d.linear.norm());
    let farthest = farthest.fold(0.0, f64::max);
    assert!(farthest < 1e-13, "{farthest:e}"); // measured: 5.4e-15
}
