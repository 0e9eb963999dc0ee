//! Where bodies start, and several bodies in one scene.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::lie::{Pose, Twist};
use holonomy::motion::Outcome;
use holonomy::nalgebra::Vector3;
use holonomy::shape::bounds;
use holonomy_scene::export::page;
use holonomy_scene::job::{Finished, Job};
use holonomy_scene::picture::{BodiesInMotion, Drawn, Subject};
use holonomy_scene::result::SavedResult;
use holonomy_scene::scene::{Body, Scene};

const SNAKE: &str = include_str!("../../../../examples/shape-change/snake.toml");

/// Two snakes and a coin; the second snake's period is no whole number of frames.
const THREE: &str = "title = 't'
[[bodies]]
at = [0, 0, 1]
[bodies.body.snake]
vertices = 20
[[bodies]]
turn = [0, '90 deg', 0]
[bodies.body.snake]
vertices = 20
period = 0.731
[[bodies]]
name = 'coin'
at = [0, '50 cm', 0]
[bodies.body.disc]
[system.shape-change]
[time]
duration = '1.2 s'
";

fn prepared(text: &str, settings: &[(&str, &str)]) -> Job {
    let settings: Vec<(String, String)> = settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let scene = Scene::with_overrides(text, "test.toml", &settings).unwrap_or_else(|error| panic!("{error}"));
    Job::prepare("test", scene, Path::new("")).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs the scene `text`, as settings `(key, value)` change it.
fn run(text: &str, settings: &[(&str, &str)]) -> Finished {
    let template = format!("{}{}", page::DATA, page::MODEL);
    prepared(text, settings).run(&template, &mut |_, _| ControlFlow::Continue(())).unwrap_or_else(|error| panic!("{error}"))
}

fn file<'a>(finished: &'a Finished, ending: &str) -> &'a [u8] {
    finished.files.iter().find(|(name, _)| name.ends_with(ending)).map(|(_, bytes)| bytes).unwrap()
}

fn refused(text: &str) -> String {
    Scene::from_toml(text, "f.toml").map(|scene| panic!("{scene:?}")).unwrap_or_else(|error: holonomy_scene::Error| error.to_string())
}

/// Least dissipation does not depend on where the body is: another start carries the whole motion along.
#[test]
fn a_start_carries_the_motion_along() {
    let origin = run(SNAKE, &[]).motion;
    let moved = run(SNAKE, &[("start.at", "[1, '-50 cm', 3]"), ("start.turn", "['0 deg', '90 deg', 0]")]).motion;
    let start = Pose::exp(&Twist { angular: Vector3::y() * std::f64::consts::FRAC_PI_2, linear: Vector3::zeros() });
    let start = Pose { translation: Vector3::new(1.0, -0.5, 3.0), ..start };
    assert_eq!(origin.tracks[0].poses[0], Pose::identity());
    let apart = origin.tracks[0].poses.iter().zip(&moved.tracks[0].poses).map(|(a, b)| ((start * *a).inverse() * *b).log());
    let farthest = apart.map(|d| d.angular.norm() + d.linear.norm()).fold(0.0, f64::max);
    assert!(farthest < 1e-13, "{farthest:e}"); // measured: 5.4e-15
}

#[test]
fn scenes_with_bodies_that_do_not_fit_are_shown_with_the_line() {
    let system = "\n[system.shape-change]\n";
    let cases = [
        (
            "title = 't'\n[body.snake]\n[[bodies]]\n[bodies.body.snake]",
            "f.toml:3:3: a scene has either `body` or `bodies`, this one has both\n  3 | [[bodies]]\n    |   ^^^^^^ move [body.…] into an entry of \
             its own: [[bodies]], then [bodies.body.…]",
        ),
        (
            "title = 't'\nbodies = []",
            "f.toml:2:1: `bodies` is empty\n  2 | bodies = []\n    | ^^^^^^ give it an entry [[bodies]] for each body, or use [body.…]",
        ),
        (
            "title = 't'\n[[bodies]]\nname = 'a'\n[bodies.body.snake]\n[[bodies]]\nname = 'a'\n[bodies.body.snake]",
            "f.toml:6:8: two bodies are called \"a\"\n  6 | name = 'a'\n    |        ^^^ give each its own name",
        ),
        (
            "title = 't'\n[[bodies]]\nname = 'a.b'\n[bodies.body.snake]",
            "f.toml:3:8: `name` in [bodies]: not a name for a body\n  3 | name = 'a.b'\n    |        ^^^^^ give 1 to 40 letters, digits, spaces or dashes; no dots",
        ),
        (
            "title = 't'\n[start]\nat = [0, 1, 0]\n[[bodies]]\n[bodies.body.snake]",
            "f.toml:2:2: [start] is for a scene with one body\n  2 | [start]\n    |  ^^^^^ give each of [[bodies]] its own `at`, `turn`, `velocity` and `angular-velocity`",
        ),
        (
            "title = 't'\n[[bodies]]\n[bodies.body.snake]\n[[bodies]]\n[bodies.body.disc]\nradus = 1",
            "f.toml:6:1: unknown field `radus` in [bodies.body.disc]\n  6 | radus = 1\n    | ^^^^^ did you mean `radius`?",
        ),
        (
            "title = 't'\n[[bodies]]\nat = [0, '1 kg', 0]\n[bodies.body.snake]",
            "f.toml:3:10: `at` in [bodies]: expected a length such as \"12 cm\", found a mass\n  3 | at = [0, '1 kg', 0]\n    |          ^^^^^^",
        ),
        (
            "title = 't'\n[[bodies]]\nat = [0, 1, 0]",
            "f.toml:2:1: missing field `body` in [bodies]\n  2 | [[bodies]]\n    | ^^^^^^^^^^ add its kind, a table such as [bodies.body.snake]",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(&format!("{text}{system}")), expected);
    }
}

#[test]
fn a_scene_with_bodies_survives_being_written_and_its_fields_can_be_set() {
    let scene = Scene::from_toml(THREE, "f.toml").unwrap();
    let written = scene.to_toml().unwrap();
    assert_eq!(Scene::from_toml(&written, "g.toml").unwrap(), scene, "{written}");
    let names: Vec<String> = scene.named_bodies().into_iter().map(|named| named.name).collect();
    assert_eq!(names, ["snake", "snake-2", "coin"]);
    let set = |key: &str, value: &str| scene.with_override(key, value).map_err(|error| error.to_string());
    let Body::Disc(disc) = &set("disc.radius", "7 cm").unwrap().bodies[2].body else { panic!() };
    assert_eq!(disc.radius.si(), 0.07);
    assert_eq!(set("bodies.1.at", "[0, 0, '3 m']").unwrap().bodies[1].at.unwrap().metres(), Vector3::new(0.0, 0.0, 3.0));
    assert_eq!(set("bodies.0.body.snake.period", "2").unwrap().bodies[1], scene.bodies[1], "the others stay");
    let several = set("period", "2").unwrap_err();
    assert!(several.contains("\n  bodies.0.body.snake.period\n  bodies.1.body.snake.period"), "{several}");
    assert!(set("bodies.3.at", "[0, 0, 0]").is_err());
}

/// Every body moves as it would alone; all are in every result, each under its name.
#[test]
fn bodies_together_move_as_they_do_alone() {
    let all = run(THREE, &[]);
    let motion = &all.motion;
    assert_eq!((motion.frames(), motion.tracks.len(), &motion.outcome), (73, 3, &Outcome::Done));
    assert!(motion.is_finite() && motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    assert_eq!(motion.tracks.iter().map(|track| track.name.as_str()).collect::<Vec<_>>(), ["snake", "snake-2", "coin"]);

    let alone = "title = 't'\n[body.snake]\nvertices = 20\n[start]\nat = [0, 0, 1]\n[system.shape-change]\n[time]\ncycles = 2";
    let alone = run(alone, &[]).motion;
    assert_eq!(motion.tracks[0].poses, alone.tracks[0].poses[..73], "the first snake, to the last bit");
    assert_eq!(motion.cycle_transform, alone.cycle_transform);
    // The second is played between its frames. It lasts 1.642 cycles of its own, against which it is compared.
    let own = "title = 't'\n[body.snake]\nvertices = 20\nperiod = 0.731\n[start]\nturn = [0, '90 deg', 0]\n[system.shape-change]\n[time]\ncycles = 2";
    let own = run(own, &[("fps", "600")]).motion;
    let gap = (motion.tracks[1].centers[72] - own.tracks[0].centers[(1.2 / own.dt).round() as usize]).norm();
    assert!(gap < 6e-3, "{gap}"); // measured: 4.7 mm, of which the coarser frames are part
    let coin = &motion.tracks[2];
    assert!(coin.poses.iter().all(|pose| (pose.translation - Vector3::y() * 0.5).norm() < 1e-12), "nothing pulls the coin");

    let names: Vec<&str> = all.summary.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["snake", "snake-2", "coin"]);
    assert_eq!(all.summary.bodies[0].displacement, all.summary.displacement);
    assert_eq!(all.summary.bodies[2].vertices, 626);
}

#[test]
fn the_table_has_the_columns_of_each_body() {
    let all = run(THREE, &[]);
    let text = String::from_utf8(file(&all, ".csv").to_vec()).unwrap();
    let mut rows = text.split("\r\n").filter(|row| !row.is_empty()).map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    assert_eq!(
        header[..9],
        ["t [s]", "snake.x [m]", "snake.y [m]", "snake.z [m]", "snake.qw", "snake.qx", "snake.qy", "snake.qz", "snake-2.x [m]"]
    );
    assert_eq!(header[15..19], ["coin.x [m]", "coin.y [m]", "coin.z [m]", "coin.qw"]);
    let measured = ["speed [m/s]", "dissipation [W]", "dissipation_in_place [W]", "residual", "iterations"];
    let measured = ["snake", "snake-2", "coin"].map(|body| measured.map(|name| format!("{body}.{name}")));
    assert_eq!(header[1 + 3 * 7 + 3 * 12..], *measured.as_flattened());
    let rows: Vec<Vec<&str>> = rows.collect();
    assert!(rows.len() == 73 && rows.iter().all(|row| row.len() == header.len()));
    assert_eq!((rows[0][3], rows[72][16]), ("1.0", "0.5"));
}

/// The file has a node per body, at the pose of its track, and comes back as what is seen.
#[test]
fn the_model_has_a_node_for_each_body_and_reads_back() {
    let all = run(THREE, &[]);
    let (document, blob) = {
        let read = gltf::Gltf::from_slice(file(&all, ".glb")).unwrap();
        (read.document, read.blob.unwrap())
    };
    for (track, name) in all.motion.tracks.iter().zip(["snake", "snake-2", "coin"]) {
        let node = document.nodes().find(|node| node.name() == Some(name)).unwrap();
        assert_eq!(node.children().count(), 1, "{name}");
        let channels = document.animations().next().unwrap();
        let mut moves = channels.channels().filter(|channel| channel.target().node().index() == node.index());
        let places = moves.find(|channel| channel.target().property() == gltf::animation::Property::Translation).unwrap();
        let reader = places.reader(|_| Some(&blob));
        let Some(gltf::animation::util::ReadOutputs::Translations(keys)) = reader.read_outputs() else { panic!("{name}") };
        let worst =
            keys.zip(&track.poses).map(|(key, pose)| (Vector3::from(key).cast::<f64>() - pose.translation).norm()).fold(0.0, f64::max);
        assert!(worst < 1e-7, "{name}: {worst:e}"); // single precision; measured: 6e-8
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.glb");
    std::fs::write(&path, file(&all, ".glb")).unwrap();
    let saved = SavedResult::open(&path).unwrap();
    let seen = BodiesInMotion::new(&saved.motion, &[Drawn::default()]).unwrap();
    let was = BodiesInMotion::new(&all.motion, &[Drawn::default(); 3]).unwrap();
    for k in [0, 31, 72] {
        let ((low, high), (was_low, was_high)) = (bounds(&seen.points(k)).unwrap(), bounds(&was.points(k)).unwrap());
        let off = (low - was_low).amax().max((high - was_high).amax());
        assert!((0.0149..0.0151).contains(&off), "frame {k}: {off}"); // the radius of the tubes, 15 mm
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let with = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| run(THREE, &[]));
    let (one, two) = (with(1), with(2));
    assert_eq!(one.motion, two.motion);
    for (a, b) in one.files.iter().zip(&two.files).filter(|((name, _), _)| !name.ends_with(".json") && !name.ends_with(".html")) {
        assert!(a == b, "{}", a.0); // the summary, which is also in the page, has the time it took
    }
}

#[test]
fn an_interruption_stops_all_bodies_at_one_frame() {
    let job = prepared(THREE, &[]);
    let template = format!("{}{}", page::DATA, page::MODEL);
    let mut told = Vec::new();
    let finished = job
        .run(&template, &mut |step, steps| {
            told.push((step, steps));
            if step >= 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    let frames = finished.motion.frames();
    assert_eq!(finished.motion.outcome, Outcome::Interrupted { frame: frames });
    assert!(
        (1..=40).contains(&frames)
            && finished.motion.tracks.iter().all(|track| track.poses.len() == frames && track.twists.len() == frames)
    );
    assert!(told.windows(2).all(|w| w[0].0 < w[1].0) && told.iter().all(|(step, steps)| step <= steps), "{told:?}");
}

#[test]
fn a_body_that_keeps_its_shape_needs_a_duration() {
    let text = "title = 't'\n[body.pebble]\n[system.shape-change]";
    let scene = Scene::from_toml(text, "f.toml").unwrap();
    let error = Job::prepare("stone", scene, Path::new("")).unwrap_err().to_string();
    assert_eq!(error, "stone: the body keeps its shape, so the scene must say how long to run\n  fix: add duration = \"5 s\" to [time]");
    assert_eq!(run(text, &[("duration", "500 ms")]).motion.frames(), 31);
    // A loop goes round until the time is over; what ends stays at its end.
    assert_eq!(run(SNAKE, &[("duration", "2.5 s")]).motion.frames(), 151);
}
