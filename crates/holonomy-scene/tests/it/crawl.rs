//! `land` of shape change: what it takes, what it refuses, and that a picture of the land counts as a file of the scene.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::motion::{Motion, Outcome};
use holonomy::shape::Playback;
use holonomy_scene::Error;
use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;

const SLOPE: &str = "{ slope = { top = 1, bottom = -1, between = [-4, 4], size = [20, 20] } }";

fn scene(body: &str, system: &str, land: &str) -> String {
    format!("title = 't'\n{body}\n[system.shape-change]\n{system}\nland = {land}\n[time]\nfps = 30\n")
}

fn solve(text: &str) -> Result<Motion, Error> {
    let job = Job::prepare("test", Scene::from_toml(text, "test.toml")?, Path::new(""))?;
    Ok(job.solve(&mut |_, _| ControlFlow::Continue(()))?.0)
}

#[test]
fn each_kind_of_land_is_crawled_over() {
    let lands = [
        "{ hills = { size = [8, 8], count = 20, height = 0.3, width = 0.8, seed = 2 } }",
        "{ noise = { size = [8, 8], height = 0.3, wavelength = 2 } }",
        SLOPE,
    ];
    for land in lands {
        let motion = solve(&scene("[body.snake]\nvertices = 20", "gravity = 0.05", land)).unwrap();
        assert_eq!(motion.outcome, Outcome::Done);
        assert!(motion.checks.len() >= 5 && motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
        assert_eq!((motion.frames(), motion.scenery.len()), (31, 1));
        let track = &motion.tracks[0];
        assert_eq!((track.shape.playback(), track.shape.frames()), (Playback::Once, 31));
        assert!((track.centers[30] - track.centers[0]).norm() > 0.1, "{land}");
    }
}

#[test]
fn what_land_does_not_go_with_is_refused() {
    let snake = "[body.snake]\nvertices = 20";
    let refused = |body: &str, system: &str| solve(&scene(body, system, SLOPE)).unwrap_err().to_string();
    for (body, system, said) in [
        (snake, "law = 'inertia-and-drag'", "`least-dissipation`"),
        (snake, "ground = 0", "keep one"),
        (snake, "displaced-mass = 1", "displaces no fluid"),
        ("[body.stingray]", "", "open curve"),
        ("[body.snake]\n[start]\nvelocity = [1, 0, 0]", "", "no inertia"),
    ] {
        let error = refused(body, system);
        assert!(error.contains(said), "{error}");
    }
    let missing = solve(&scene(snake, "", "{ image = { file = 'nowhere.png', size = [4, 4], height = 1 } }")).unwrap_err().to_string();
    assert!(missing.contains("nowhere.png"), "{missing}");
}

#[test]
fn a_picture_of_the_land_is_a_file_of_the_scene() {
    let text = scene("[body.snake]\nvertices = 20", "", "{ image = { file = 'maps/dunes.png', size = [4, 4], height = 1 } }");
    let job = Job::prepare("test", Scene::from_toml(&text, "test.toml").unwrap(), Path::new("there")).unwrap();
    assert_eq!(job.source_paths(Path::new("there")), [Path::new("there/maps/dunes.png")]);
}
