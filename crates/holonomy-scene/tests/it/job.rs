//! Jobs that are stopped: what is done is kept, and said.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy_scene::export::page;
use holonomy_scene::job::{Finished, Job};
use holonomy_scene::result::SavedResult;
use holonomy_scene::scene::Scene;

const THREE_SNAKES: &str = r#"
title = "Three snakes"
[time]
cycles = 1
fps = 20
[system.shape-change]
[[bodies]]
name = "first"
[bodies.body.snake]
vertices = 9
[[bodies]]
name = "second"
[bodies.body.snake]
vertices = 10
[[bodies]]
name = "third"
[bodies.body.snake]
vertices = 11
"#;

/// Runs on one thread, so that one body begins after the other, and asks to stop at the call of that number.
fn stopped_at(scene: &str, call: usize) -> Finished {
    let scene = Scene::from_toml(scene, "test").unwrap();
    let job = Job::prepare("test", scene, Path::new("")).unwrap();
    let mut calls = 0;
    let mut progress = |_: usize, _: usize| {
        calls += 1;
        if calls >= call { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| job.run(&format!("{}{}", page::DATA, page::MODEL), &mut progress)).unwrap()
}

fn names(finished: &Finished) -> Vec<&str> {
    finished.files.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn bodies_that_had_not_begun_do_not_take_the_frames_of_those_that_had() {
    let whole = stopped_at(THREE_SNAKES, usize::MAX);
    assert_eq!(whole.motion.tracks.len(), 3);
    let steps = whole.motion.frames() - 1;
    // In the midst of the second body.
    let part = stopped_at(THREE_SNAKES, steps + steps / 2);
    let tracks: Vec<_> = part.motion.tracks.iter().map(|track| track.name.clone()).collect();
    assert_eq!(tracks.len(), 2, "{tracks:?} {:?}", part.motion.warnings);
    assert!(part.motion.frames() > steps / 4, "{}", part.motion.frames());
    let said = part.motion.warnings.join("\n");
    assert!(said.contains("left out: third") || said.contains("left out: first"), "{said}");
    assert!(said.contains("that all of them have"), "{said}");
    assert!(!part.summary.succeeded());
}

#[test]
fn once_asked_to_stop_only_the_motion_is_kept_under_a_name_of_its_own() {
    let whole = stopped_at(THREE_SNAKES, usize::MAX);
    assert_eq!(names(&whole), ["test.glb", "test.png", "test.svg", "test.html", "test.csv", "test.json"]);
    assert_eq!(whole.outdated, ["glb", "png", "svg", "html", "csv", "json"].map(|ending| format!("test.partial.{ending}")));
    let mut calls = 0;
    let job = Job::prepare("test", Scene::from_toml(THREE_SNAKES, "test").unwrap(), Path::new("")).unwrap();
    job.run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| {
        calls += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    // After the plots, before them, and while the still is drawn: there it was not heard.
    for last in [0, 1, 2, 10, 100] {
        let part = stopped_at(THREE_SNAKES, calls - last);
        assert_eq!(part.motion.frames(), whole.motion.frames(), "all of the motion was there");
        assert_eq!(names(&part), ["test.partial.glb", "test.partial.csv", "test.partial.json"]);
        assert_eq!(part.outdated, ["test.partial.png", "test.partial.svg", "test.partial.html"]);
        assert!(!part.summary.succeeded());
    }
}

#[test]
fn a_result_of_one_frame_is_read_back_as_a_still() {
    let one = "title = \"One\"\n[system.shape-change]\n[body.snake]\n";
    let part = stopped_at(one, 1);
    assert_eq!(part.motion.frames(), 1);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.glb");
    std::fs::write(&path, &part.files[0].1).unwrap();
    let read = SavedResult::open(&path).unwrap();
    assert_eq!(read.motion.frames(), 1);
    assert!(read.motion.is_finite());
    holonomy_scene::picture::still(&read.motion, &[Default::default()], &Default::default()).unwrap();
}

#[test]
fn godot_knows_by_its_name_that_a_clip_repeats() {
    let scene =
        |target: &str| format!("title = \"One\"\n[output]\ntarget = \"{target}\"\n[system.shape-change]\n[body.snake]\nvertices = 9\n");
    for (target, clip) in [("godot", "test-loop"), ("unreal", "test")] {
        let whole = stopped_at(&scene(target), usize::MAX);
        let glb = gltf::Gltf::from_slice(&whole.files[0].1).unwrap();
        assert_eq!(glb.animations().next().unwrap().name(), Some(clip));
        let said = whole.motion.warnings.join("\n");
        assert!(said.contains("no skeleton") && said.contains("`body`"), "{said}");
        // The page finds the clip, and the node, by name.
        let page = whole.files.iter().find(|(name, _)| name == "test.html").unwrap();
        assert!(String::from_utf8_lossy(&page.1).contains(&format!("\"{clip}\"")));
    }
}
