//! Scenes within scenes: a body whose shapes another scene finds.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use holonomy::motion::Motion;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback};
use holonomy::systems::ShapeChange;
use holonomy::systems::shape_change::Law;
use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;
use holonomy_scene::sweep::{Shard, Sweep};

/// Where points of the bar are told to be.
const ALONG: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];

/// A small soft fin along X; `poses` are times, seconds, and shifts of five points along Z.
fn fin(poses: &[(f64, [f64; 5])], rule: &str) -> String {
    let key =
        |time: f64, x: f64, z: f64| format!("{{ time = '{time} s', part = {{ at = [{x}, 0, 0], radius = '2 cm' }}, shift = [0, 0, {z}] }}");
    let keys: Vec<String> = poses.iter().flat_map(|(time, shifts)| ALONG.into_iter().zip(shifts).map(|(x, &z)| key(*time, x, z))).collect();
    format!(
        "title = 'fin'\n[body.soft-bar]\nsize = [1, 0.2, 0.06]\ncells = [8, 2, 2]\nstiffness = 3\nends = 'neither'\n[system.loop]\nrule = '{rule}'\n\
         gravity = 0\nstart = 'free'\nstart-velocity = 'free'\nsoftness = 0.01\niterations = 60\nkeyframes = [{}]\n[time]\nduration = '1 s'\nfps = 16\n",
        keys.join(", ")
    )
}

/// A wave of bends that runs towards +X.
fn winding() -> String {
    let pose = |quarter: u32| {
        let (time, phase) = (0.25 * f64::from(quarter), std::f64::consts::FRAC_PI_2 * f64::from(quarter));
        (time, ALONG.map(|x| 0.11 * (std::f64::consts::TAU * x - phase).sin()))
    };
    fin(&[0, 1, 2, 3].map(pose), "backward")
}

fn swimmer(file: &str) -> String {
    format!("title = 'swimmer'\n[body.scene]\nfile = '{file}'\n[system.shape-change]\nanisotropy = 0.05\n[time]\ncycles = 2\n")
}

fn prepare(text: &str, folder: &Path) -> Result<Job, holonomy_scene::Error> {
    Job::prepare("outer", Scene::from_toml(text, "outer.toml").unwrap(), folder)
}

fn solve(job: &Job) -> Motion {
    job.solve(&mut |_, _| ControlFlow::Continue(())).unwrap().0
}

fn refused(text: &str, folder: &Path) -> String {
    prepare(text, folder).unwrap_err().to_string()
}

#[test]
fn a_scene_within_a_scene_is_both_run_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("parts")).unwrap();
    fs::write(folder.path().join("parts/fin.toml"), winding()).unwrap();
    let outer = prepare(&swimmer("parts/fin.toml"), folder.path()).unwrap();
    let composed = solve(&outer);
    let inner = Job::prepare("fin", Scene::from_toml(&winding(), "fin.toml").unwrap(), folder.path()).unwrap();
    let found = solve(&inner).tracks[0].shape.clone();
    let job = ShapeChange { steps: Some(2 * found.frames()), ..ShapeChange::new(Law::anisotropic(0.05)) };
    let by_hand = job.run(&found, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(composed.frames(), 33);
    let apart = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (a - b).norm();
    let off = composed.tracks[0].centers.iter().zip(&by_hand.tracks[0].centers).map(apart).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off}"); // measured 4e-16 m: only the vertices inside are left out
    assert!(composed.tracks[0].shape.vertices() < found.vertices());
    // It swims against its wave, and turns little.
    let way = composed.tracks[0].centers[32] - composed.tracks[0].centers[0];
    assert!(way.x < -0.5 && way.y.hypot(way.z) < -0.2 * way.x, "{way:?}"); // measured −0.93, 0.04, −0.08 m
    // No seam: the step across the end is as long as others.
    let steps = steps_of(&outer.bodies[0].shape.clip);
    let (seam, others) = (steps[steps.len() - 1], steps[..steps.len() - 1].iter().copied().fold(0.0, f64::max));
    assert!(seam <= 1.05 * others, "{seam} {others}"); // measured 1.008
    assert!(outer.source_paths(folder.path()).iter().any(|path| path.ends_with("parts/fin.toml")));
}

/// How far the shape moves from frame to frame, largest over the vertices; the last step leads back to the first frame.
fn steps_of(clip: &Clip) -> Vec<f64> {
    assert_eq!(clip.playback(), Playback::Loop);
    let step = |k: usize| clip.frame(k).iter().zip(clip.frame(k + 1)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    (0..clip.frames()).map(step).collect()
}

#[test]
fn a_fin_that_bends_to_and_fro_goes_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    // The ends one way, the middle the other; and back along the same shapes, as the symplectic rule knows no direction of time.
    let bent = [0.1, 0.0, -0.1, -0.02, 0.06];
    fs::write(folder.path().join("fin.toml"), fin(&[(0.0, bent), (0.5, bent.map(|z| -z))], "symplectic")).unwrap();
    let nowhere = solve(&prepare(&swimmer("fin.toml"), folder.path()).unwrap());
    fs::write(folder.path().join("fin.toml"), winding()).unwrap();
    let somewhere = solve(&prepare(&swimmer("fin.toml"), folder.path()).unwrap());
    let way = |motion: &Motion| (motion.tracks[0].centers[32] - motion.tracks[0].centers[0]).norm();
    assert!(way(&nowhere) < 1e-3 * way(&somewhere)); // measured 27 µm and 0.93 m
}

#[test]
fn scenes_that_make_no_body_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let missing = refused(&swimmer("nowhere.toml"), folder.path());
    assert!(missing.contains("nowhere.toml"), "{missing}");
    let system = "[system.shape-change]\n[time]\nfps = 12\n";
    write("two.toml", &format!("title = 't'\n{system}[[bodies]]\n[bodies.body.snake]\n[[bodies]]\n[bodies.body.eel]\n"));
    let two = refused(&swimmer("two.toml"), folder.path());
    assert!(two.contains("2 bodies"), "{two}");
    write("once.toml", "title = 't'\n[body.wandering-snake]\n[system.shape-change]\n");
    let once = refused(&swimmer("once.toml"), folder.path());
    assert!(once.contains("do not repeat"), "{once}");
    write("itself.toml", &swimmer("itself.toml"));
    let itself = refused(&swimmer("itself.toml"), folder.path());
    assert!(itself.contains("of itself"), "{itself}");
    write("a.toml", &swimmer("b.toml"));
    write("b.toml", &swimmer("a.toml"));
    let round = refused(&swimmer("a.toml"), folder.path());
    assert!(round.contains("a.toml → ") && round.contains("of itself"), "{round}");
    let unknown = "title = 't'\n[body.scene]\nexample = 'loop-keyframe'\n[system.shape-change]\n";
    let unknown = refused(unknown, folder.path());
    assert!(unknown.contains("did you mean `loop-keyframes`"), "{unknown}");
    let both = "title = 't'\n[body.scene]\nexample = 'snake'\nfile = 'a.toml'\n[system.shape-change]\n";
    assert!(Scene::from_toml(both, "both.toml").is_err());
}

#[test]
fn a_sweep_runs_again_when_the_scene_within_has_changed() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let snake = |amplitude: f64| {
        format!("title = 't'\n[body.snake]\nvertices = 8\namplitude = '{amplitude} deg'\n[system.shape-change]\n[time]\nfps = 12\n")
    };
    let entries = || fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<HashSet<_>>();
    let mut seen = Vec::new();
    for amplitude in [40.0, 40.0, 50.0] {
        fs::write(folder.path().join("snake.toml"), snake(amplitude)).unwrap();
        let scene = Scene::from_toml(&swimmer("snake.toml"), "outer.toml").unwrap();
        let sweep = Sweep::new("outer", scene, folder.path(), &["anisotropy=0.1,0.2".into()]).unwrap();
        sweep.run(cache.path(), Shard::WHOLE, 1, &|_| ControlFlow::Continue(())).unwrap();
        seen.push(entries().len());
    }
    assert_eq!(seen, [2, 2, 4]);
}

/// Scenes go 16 deep in each other, and make one body each: no scene leads to more files than that.
#[test]
fn deep_and_wide_scenes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    for i in 0..40 {
        let body = |name: &str| format!("[[bodies]]\nname = '{name}'\nbody.scene.file = 'wide{}.toml'\n", i + 1);
        write(&format!("wide{i}.toml"), format!("title = 't'\n{}{}[system.shape-change]\n", body("a"), body("b")));
        write(&format!("deep{i}.toml"), format!("title = 't'\n[body.scene]\nfile = 'deep{}.toml'\n[system.shape-change]\n", i + 1));
    }
    for last in ["wide40.toml", "deep40.toml"] {
        write(last, "title = 't'\n[body.scene]\nexample = 'snake'\n[system.shape-change]\n".into());
    }
    for (file, word) in [("deep0.toml", "16 deep"), ("wide0.toml", "has 2 bodies")] {
        let scene = Scene::load(folder.path().join(file)).unwrap();
        let said = Job::prepare("outer", scene.clone(), folder.path()).unwrap_err().to_string();
        assert!(said.contains(word), "{said}");
        let swept = Sweep::new("outer", scene, folder.path(), &["anisotropy=0.1,0.2".to_owned()]).err().unwrap().to_string();
        assert!(swept.contains(word), "{swept}");
    }
}

/// Who asks to stop is heard in a scene within the scene.
#[test]
fn a_scene_within_a_scene_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("fin.toml"), winding()).unwrap();
    let scene = Scene::from_toml(&swimmer("fin.toml"), "outer.toml").unwrap();
    let stopped = Job::prepare_watched("outer", scene, folder.path(), &mut |_, _| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(holonomy_scene::Error::Stopped { .. })));
}
