//! The built-in examples: each runs, its checks hold, and each body moves as its animal does.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::integrate::rigid_body::Integrator;
use holonomy::lie::Pose;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::Vector3;
use holonomy_scene::examples;
use holonomy_scene::export::page;
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
        if name == "fish" {
            continue; // it needs a file of the user's
        }
        let job = job(name, &[]);
        assert!(job.scene.description.as_ref().is_some_and(|text| text.len() > 40), "{name} says too little about itself");
        if name == "loop-big-flag" {
            continue; // it takes minutes
        }
        let motion = motion(&job);
        assert_eq!(motion.outcome, Outcome::Done, "{name}");
        assert!(motion.is_finite(), "{name}");
        assert!(!motion.checks.is_empty() && motion.checks.iter().all(|check| check.pass()), "{name}: {:?}", motion.checks);
        for track in &motion.tracks {
            let Some(residual) = track.series("residual") else { continue }; // drives and plans say in their checks how well they hold
            assert_eq!(residual.len(), motion.frames(), "{name}");
            let worst = residual.iter().copied().fold(0.0, f64::max);
            assert!(worst <= 1e-10, "{name}: {worst}"); // measured at most 1e-13
        }
    }
}

/// Kobilarov 2009, Fig. 4: position and rotation of every integrator, of bodies that travel.
#[test]
fn the_comparison_charts_position_and_rotation_of_every_integrator() {
    let motion = motion(&job("rigid-body", &[("time.duration", "9 s")]));
    assert!(motion.is_finite() && motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    for axis in ["mean position error", "mean rotation error"] {
        let charts: Vec<_> = motion.charts.iter().filter(|chart| chart.y.name == axis).collect();
        assert!(charts.iter().any(|chart| chart.x.name == "steps") && charts.iter().any(|chart| chart.x.name != "steps"), "{axis}");
        for name in Integrator::ALL.map(Integrator::name) {
            let lines = charts.iter().flat_map(|chart| &chart.lines).filter(|line| line.name == name);
            assert!(lines.clone().count() > 0 && lines.clone().all(|line| line.points.len() >= 3), "{axis}: {name}");
        }
    }
    let lost = motion.charts.iter().find(|chart| chart.y.name == "runs that blew up").unwrap();
    let lost: Vec<&str> = lost.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(lost, ["rk2", "rk2_implicit", "newmark"]);
    for track in &motion.tracks {
        let way = (track.centers.last().unwrap() - track.centers[0]).norm();
        assert!(way > 0.4, "{} travels {way} m", track.name);
        assert!(track.series("position_error").is_some() && track.series("rotation_error").is_some(), "{}", track.name);
    }
}

#[test]
fn snakes_and_the_worm_go_head_first() {
    assert_ahead("snake", 0.4383, 0.01); // measured to these digits, body lengths a cycle
    assert_ahead("snake-substrates", 0.3422, 0.01);
    assert_ahead("concertina", 0.1184, 0.05); // measured 0.037 of its way aside
    assert_ahead("worm", 0.0798, 1e-9); // measured 1e-12 aside
}

#[test]
fn a_snake_that_wanders_follows_its_head() {
    let job = job("snake-mocap-like", &[]);
    let motion = motion(&job);
    let way = motion.tracks[0].poses.last().unwrap().translation / job.bodies[0].shape.clip.body_length();
    assert!((way.norm() - 1.79).abs() < 0.05 && way.z > 0.9 * way.norm(), "{way}"); // measured 1.790, 0.98 of it along Z
}

#[test]
fn the_snake_goes_over_the_dunes_and_through_the_hollow() {
    let motion = motion(&job("snake-hills", &[]));
    let (track, last) = (&motion.tracks[0], motion.frames() - 1);
    let way = track.centers[last] - track.centers[0];
    let altitude = track.series("altitude").unwrap();
    let (low, high) = (altitude.iter().copied().fold(f64::MAX, f64::min), altitude.iter().copied().fold(f64::MIN, f64::max));
    assert!(way.z > 5.5 && way.x < -0.7, "{way}"); // measured 5.8 m ahead, 0.94 m aside: on level ground it goes straight
    assert!(high - low > 0.65, "{low} {high}"); // measured 0.70 m
    assert_eq!(motion.scenery.len(), 1);
}

#[test]
fn the_fin_of_four_poses_swims_against_its_bends() {
    let cycle = cycle("keyframes", &[("cycles", "1")]);
    let [x, y, z] = cycle.translation.into();
    assert!((x + 0.40).abs() < 0.03 && y.hypot(z) < -0.2 * x, "{x} {y} {z}"); // measured −0.397, 0.024, −0.041
    assert!(degrees(&cycle).norm() < 2.0, "{}", degrees(&cycle)); // measured 0.6 degrees
}

/// It leaves separate tracks: what lies on the ground stays there, while the body as a whole moves on, aside and a little ahead.
#[test]
fn the_sidewinder_goes_sideways_and_what_lies_lies_still() {
    let job = job("sidewinder", &[("cycles", "1")]);
    let (clip, motion) = (&job.bodies[0].shape.clip, motion(&job));
    let way = motion.cycle_transform.unwrap().translation / clip.body_length();
    assert!((way.x + 0.308).abs() < 0.01 && (way.z - 0.070).abs() < 0.01 && way.y.abs() < 1e-3, "{way}"); // measured −0.308, 0.0001, 0.070
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
    assert!(speed < 0.5 * whole, "it slides at {speed} m/s, and goes at {whole} m/s"); // measured 0.068, 0.253
}

#[test]
fn a_sperm_cell_swims_head_first_and_a_lighter_head_swims_otherwise() {
    assert_ahead("sperm", 0.0823, 0.05); // measured 0.037 of its way aside
    let light = cycle("sperm", &[("head-weight", "1")]).translation.z;
    assert!(light > 1.1 * 0.0823, "{light}"); // measured 0.0943: less to drag along
}

#[test]
fn a_stingray_flies_nose_first_and_steers() {
    assert_ahead("stingray", 0.0999, 0.05); // measured 0.036 of its way up
    // A left turn is about +Y, a climb about −X.
    for sign in ["1", "-1"] {
        let side: f64 = sign.parse().unwrap();
        let aside = degrees(&cycle("stingray", &[("body.stingray.turn", sign), ("amplitude", "0.3")]));
        let aloft = degrees(&cycle("stingray", &[("climb", sign)]));
        assert!(side * aside.y > 10.0 && aside.x.abs() + aside.z.abs() < 1.0, "{aside}"); // measured 13.4, 0.5 degrees
        assert!(-side * aloft.x > 5.0 && aloft.y.abs() + aloft.z.abs() < 0.1, "{aloft}"); // measured 6.4 and 6.7, 0.03 degrees
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
        assert!(way.z > 1.0, "leg {leg}: {way}"); // measured 1.2 to 1.8 m
        match expected.norm() > 0.0 {
            // Measured 77 to 88 degrees, and 3 to 5 about other axes; at full resolution.
            true => assert!(turn.dot(expected) > 60.0 && turn.cross(expected).norm() < 10.0, "leg {leg}: {turn}"),
            false => assert!(turn.norm() < 15.0, "leg {leg}: {turn}"), // measured 5 and 8
        }
    }
}

#[test]
fn a_jellyfish_rises_bell_first() {
    let cycle = cycle("jellyfish", &[]);
    let [x, y, z] = cycle.translation.into();
    assert!((y - 0.098).abs() < 0.002 && x.hypot(z) < 1e-4, "{x} {y} {z}"); // measured 0.0979
}

#[test]
fn the_scallop_gets_nowhere_and_says_why() {
    let job = job("scallop", &[]);
    let motion = motion(&job);
    let way = motion.cycle_transform.unwrap().translation.norm() / job.bodies[0].shape.clip.body_length();
    assert!(way < 1e-9, "{way}"); // measured 6e-17
    let swayed =
        motion.tracks[0].poses.iter().map(|pose| pose.translation.norm()).fold(0.0, f64::max) / job.bodies[0].shape.clip.body_length();
    assert!(swayed > 0.01, "it moves to and fro: {swayed}"); // measured 0.027
    assert!(motion.warnings.iter().any(|note| note.contains("scallop theorem")), "{:?}", motion.warnings);
}

#[test]
fn three_links_get_on() {
    assert_ahead("three-link", 0.0628, 0.01); // measured 0.06284
}

/// At a hinge the direction of a link is a mean of two: no check of a run sees what that does.
#[test]
fn three_links_have_edges_short_enough_for_their_hinges() {
    let way = |edges: &str, fps: &str| cycle("three-link", &[("edges", edges), ("fps", fps)]).translation.z;
    let [coarse, medium, fine] = ["15", "30", "60"].map(|edges| way(edges, "240"));
    let order = ((coarse - medium) / (medium - fine)).log2();
    assert!((order - 1.0).abs() < 0.1, "of first order in the edges: {order}"); // measured 1.0
    let truth = 2.0 * fine - medium + (way("60", "480") - fine) * 4.0 / 3.0;
    let off = |way: f64| 100.0 * (way / truth - 1.0);
    let [shipped, twelve, one] = [way("60", "60"), way("12", "60"), way("1", "60")].map(off);
    // Another program, which integrates links exactly: 0.06273.
    assert!((truth - 0.06273).abs() < 2e-5, "{truth}"); // measured 0.062726
    // Measured +0.18, +2.33, +46.2 %.
    assert!(shipped.abs() < 0.5 && twelve > 2.0 && one > 40.0, "{shipped} {twelve} {one}");
}

/// A step that is too long is not seen by any check either: a note tells of it.
#[test]
fn few_frames_a_cycle_are_told() {
    let way = |fps: &str| cycle("snake", &[("fps", fps), ("cycles", "1")]).translation.z;
    let truth = way("240") + (way("240") - way("120")) / 3.0;
    let off = ["12", "24", "48"].map(|fps| 100.0 * (way(fps) / truth - 1.0));
    assert!(off[0] < -6.0 && off[1] < -1.5 && off[2] > -0.6, "{off:?}"); // measured -7.2, -1.9, -0.5
    for (fps, told) in [("12", true), ("23", true), ("24", false)] {
        let motion = motion(&job("snake", &[("fps", fps), ("cycles", "1")]));
        assert!(motion.checks.iter().all(|check| check.pass()), "{fps}");
        assert_eq!(motion.warnings.iter().any(|note| note.contains("frames only")), told, "{fps}: {:?}", motion.warnings);
    }
}

/// Gross 2023, Fig. 15 has no drag along the skin: the limit of little drag. Where nothing
/// resists a pull, the run says so.
#[test]
fn no_drag_along_the_body_is_the_limit_of_little() {
    let ray: &[(&str, &str)] = &[("rings", "24"), ("around", "20")];
    let once: &[(&str, &str)] = &[("cycles", "1")];
    for (name, settings) in [("snake", once), ("jellyfish", once), ("ray-robot", ray)] {
        let way = |anisotropy: &str| {
            let job = job(name, &[settings, &[("anisotropy", anisotropy)]].concat());
            let motion = motion(&job);
            assert_eq!(motion.outcome, Outcome::Done, "{name}");
            assert!(motion.is_finite() && motion.checks.iter().all(|check| check.pass()), "{name}: {:?}", motion.checks);
            motion.tracks[0].poses.last().unwrap().translation / job.bodies[0].shape.clip.body_length()
        };
        let (none, little) = (way("0"), way("1e-6"));
        assert!((none - little).norm() < 1e-3, "{name}: {none} {little}");
    }
    // A straight rod on a slant, pulled down: nothing holds it back along itself.
    let rod = [("amplitude", "0 deg"), ("gravity", "1"), ("start.turn", "[\"30 deg\", 0, 0]"), ("cycles", "1")];
    for anisotropy in ["0", "0.1"] {
        let motion = motion(&job("three-link", &[&rod[..], &[("anisotropy", anisotropy)]].concat()));
        assert!(motion.is_finite());
        match &motion.outcome {
            Outcome::Done => assert_eq!(anisotropy, "0.1"),
            Outcome::NotConverged { frame: 1, advice, .. } => {
                assert!(anisotropy == "0" && advice.contains("meet no resistance"), "{advice}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Mean speed of the body over the seconds given.
fn speed(motion: &Motion, from: f64, to: f64) -> f64 {
    let [from, to] = [from, to].map(|time| (time / motion.dt).round() as usize);
    let way = motion.tracks[0].poses[to].translation - motion.tracks[0].poses[from].translation;
    way.norm() / ((to - from) as f64 * motion.dt)
}

/// With mass, timing counts: a scallop that shuts quickly gets on. Without, it does not, however quick.
#[test]
fn a_scallop_with_inertia_gets_on() {
    let job = job("scallop-inertia", &[("rows", "5"), ("ribs", "7")]);
    let motion = motion(&job);
    // After the first cycles it goes on at a steady pace.
    let [early, late] = [(4.0, 8.0), (8.0, 12.0)].map(|(from, to)| speed(&motion, from, to) / job.bodies[0].shape.clip.body_length());
    assert!(early > 0.015 && (late / early - 1.0).abs() < 0.01, "{early} {late} body lengths a cycle"); // measured 0.0219, 5e-15
}

/// Bursts of three strokes in three seconds, then two seconds of gliding.
#[test]
fn an_eel_glides_between_bursts() {
    let job = job("eel-glide", &[("rings", "32"), ("around", "12")]);
    let motion = motion(&job);
    let [burst, glide, end] = [(12.0, 13.0), (13.2, 14.0), (14.0, 15.0)].map(|(from, to)| speed(&motion, from, to));
    let still = |k: usize| job.bodies[0].shape.clip.frame(k) == job.bodies[0].shape.clip.frame(k + 1);
    assert!((181..299).all(still), "it holds still while it glides");
    assert!(glide > 0.5 * burst && end > 0.3 * burst && end < glide, "{burst} {glide} {end}"); // measured 0.279, 0.177, 0.105 m/s
    let way = motion.tracks[0].poses.last().unwrap().translation;
    assert!(way.z > 2.0 && way.x.abs() < 0.1 * way.z, "{way}");
}

/// It is the same above and below, and so is its mesh: it does not roll, pitch or climb.
#[test]
fn the_eel_that_glides_stays_level() {
    let motion = motion(&job("eel-glide", &[]));
    let tilt = |pose: &Pose| (pose.rotation * Vector3::y()).angle(&Vector3::y()).to_degrees();
    let most = motion.tracks[0].poses.iter().map(tilt).fold(0.0, f64::max);
    let rise = motion.tracks[0].poses.iter().map(|pose| pose.translation.y.abs()).fold(0.0, f64::max);
    assert!(most < 1e-6 && rise < 1e-9, "{most} degrees, {rise} m"); // measured 0, 3.5e-17
}

/// Coloured by thrust, the same picture is warm where the body is pushed and cold where it is held back; without drag there is none.
#[test]
fn stills_show_where_the_motion_comes_from() {
    let template = format!("{}{}", page::DATA, page::MODEL);
    let small = [("picture.width", "160"), ("picture.height", "90"), ("cycles", "1")];
    let still = |name: &str, colors: &'static str| {
        let settings: Vec<_> = small.iter().copied().chain([("picture.colors", colors)]).collect();
        let finished = job(name, &settings).run(&template, &mut |_, _| ControlFlow::Continue(()));
        finished.map(|finished| finished.files.into_iter().find(|(name, _)| name.ends_with(".png")).unwrap().1)
    };
    assert_ne!(still("snake", "thrust").unwrap(), still("snake", "body").unwrap());
    assert!(still("astronaut", "thrust").unwrap_err().to_string().contains("no drag"));
}
