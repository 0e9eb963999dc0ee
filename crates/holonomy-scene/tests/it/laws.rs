//! The laws of shape change as a scene asks for them, and what the summary says of the stroke.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy_scene::export::summary::Summary;
use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;

const SNAKE: &str = include_str!("../../../../examples/shape-change/snake.toml");

/// The snake's scene with other settings of the system, and of the start, if `[start]` follows.
fn snake(settings: &str) -> Result<Summary, String> {
    let (start, settings) = settings.split_once("\n[start]\n").map_or(("", settings), |(settings, start)| (start, settings));
    let text = SNAKE.replace("[system.shape-change]", &format!("[start]\n{start}\n[system.shape-change]"));
    let text = text.replace("law = \"least-dissipation\"", settings).replace("cycles = 4", "cycles = 2").replace("fps = 60", "fps = 30");
    let scene = Scene::from_toml(&text, "snake.toml").map_err(|error| error.to_string())?;
    let job = Job::prepare("snake", scene, Path::new("")).map_err(|error| error.to_string())?;
    job.summarise(&mut |_, _| ControlFlow::Continue(())).map_err(|error| error.to_string())
}

fn done(settings: &str) -> Summary {
    let summary = snake(settings).unwrap_or_else(|error| panic!("{settings}: {error}"));
    assert!(summary.succeeded(), "{settings}: {:?} {:?}", summary.outcome, summary.checks);
    summary
}

#[test]
fn every_law_runs_from_a_scene() {
    let plain = done("law = 'least-dissipation'");
    // Without mass, inertia and drag is the same; with it, the snake is slower to start.
    let light = done("law = 'inertia-and-drag'\nmass = '1e-9 g'");
    assert!((light.displacement[2] / plain.displacement[2] - 1.0).abs() < 1e-6, "{light:?}");
    let heavy = done("law = 'inertia-and-drag'\nmass = '1 kg'\ndrag = 1");
    assert!(heavy.displacement[2] > 0.0 && heavy.displacement[2] < 0.9 * plain.displacement[2], "{heavy:?}");
    // No friction, no start: at rest in a vacuum or an ideal fluid only the fluid lets it get on.
    let vacuum = done("law = 'least-action'");
    assert!(vacuum.displacement_body_lengths.unwrap() < 1e-9);
    let fluid = done("law = 'ideal-fluid'\nadded-mass = 10");
    assert!(fluid.displacement[2] > 0.05, "{fluid:?}");
}

#[test]
fn a_scene_sets_loads_floor_and_velocity() {
    // Thrown up at 1 m/s and turning: two seconds of free fall.
    let thrown = done("law = 'least-action'\ngravity = 9.81\n[start]\nvelocity = [0, 1, 0]\nangular-velocity = [0, 2, 0]");
    assert!((thrown.displacement[1] - (2.0 - 0.5 * 9.81 * 4.0)).abs() < 1e-9, "{thrown:?}");
    // Sinks at m g / (drag · length) where drag is the same both ways, and half as fast if half of it is carried.
    let sinks = |more: &str| done(&format!("law = 'least-dissipation'\nmass = 0.12\ngravity = 10\ndrag = 2\n{more}")).displacement[1];
    let free = sinks("");
    assert!(free < -0.9 && free > -1.1, "{free}"); // across the body: 0.12 · 10 / (2 · 1.2) m/s for 2 s
    let carried = sinks("displaced-mass = 0.06") / free;
    assert!((carried - 0.5).abs() < 1e-2, "{carried}"); // measured 0.4963; the snake tips a little as it bends
    let floor = sinks("ground = '-0.2 m'");
    assert!((floor + 0.2).abs() < 1e-6, "{floor}");
}

#[test]
fn settings_that_exclude_each_other_are_refused() {
    for (settings, problem) in [
        ("law = 'ideal-fluid'", "needs `added-mass`"),
        ("law = 'least-dissipation'\n[start]\nvelocity = [0, 0, 1]", "has no inertia"),
        ("law = 'least-action'\nground = -1", "keep their momentum"),
        ("law = 'least-action'\nfluid-density = 1000", "keep their momentum"),
        ("law = 'ideal-fluid'\nadded-mass = 1\ngravity = 9.81", "keep their momentum"),
        ("law = 'least-dissipation'\nfluid-density = 1000\ngravity = 9.81", "needs a closed surface"),
        ("law = 'least-dissipation'\nfluid-density = 1000\ndisplaced-mass = 1", "keep one"),
        ("law = 'least-dissipation'\nground = 1", "lowest point over the floor"),
        ("law = 'least-dissipation'\ndrag = 0", "drag along and across the body is 0"),
    ] {
        let error = snake(settings).unwrap_err();
        assert!(error.contains(problem), "{settings}: {error}");
    }
}

#[test]
fn the_summary_tells_the_stroke() {
    let summary = done("law = 'least-dissipation'");
    let per_cycle = summary.body_lengths_per_cycle.unwrap();
    assert!((per_cycle - 0.5 * summary.displacement_body_lengths.unwrap()).abs() < 0.02, "{per_cycle}");
    let efficiency = summary.efficiency.unwrap();
    assert!(efficiency > 0.05 && efficiency < 1.0, "{efficiency}"); // measured 0.305
    let screw = summary.screw.unwrap();
    let length: f64 = screw.direction.iter().map(|x| x * x).sum::<f64>();
    assert!((length - 1.0).abs() < 1e-12 && screw.angle_deg >= 0.0, "{screw:?}");
    let sinking = done("law = 'least-dissipation'\ngravity = 1");
    assert_eq!((sinking.efficiency, sinking.screw), (None, None));
}
