//! Scenes that repeat without a seam.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::motion::Outcome;
use holonomy_scene::Error;
use holonomy_scene::export::page;
use holonomy_scene::job::{Finished, Job};
use holonomy_scene::scene::Scene;

fn run(text: &str, until: usize) -> Result<Finished, Error> {
    let job = Job::prepare("test", Scene::from_toml(text, "test")?, Path::new(""))?;
    let mut calls = 0;
    job.run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| {
        calls += 1;
        if calls > until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

const FIVE: &str = "title = \"t\"\n[body.planets]\n[system.loop]\n[time]\nduration = \"2 s\"\nfps = 100\ncycles = 2\n[picture]\nwidth = 200\nheight = 140\n";

#[test]
fn planets_repeat_without_a_seam() {
    let finished = run(FIVE, usize::MAX).unwrap();
    let motion = &finished.motion;
    assert_eq!((&motion.outcome, motion.tracks.len(), motion.frames()), (&Outcome::Done, 5, 401));
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    for track in &motion.tracks {
        assert!((track.centers[0] - track.centers[200]).norm() < 1e-12 && (track.centers[37] - track.centers[237]).norm() < 1e-12);
    }
    assert!(motion.charts.iter().any(|chart| chart.title == "Loss"));
}

#[test]
fn what_is_stopped_is_kept_and_says_so() {
    let finished = run(FIVE, 8).unwrap();
    assert!(matches!(finished.motion.outcome, Outcome::Interrupted { .. }), "{:?}", finished.motion.outcome);
    assert!(finished.files.iter().all(|(name, _)| name.starts_with("test.partial")));
}

/// A small cloth that swings down from level, with what else is said of the loop.
fn swing(settings: &str) -> Finished {
    let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [3, 2]\nlie = \"level\"\nheld = \"top-edge\"\n";
    let rest = "[time]\nduration = \"0.8 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\n";
    run(&format!("{body}[system.loop]\nguess = \"forward\"\n{settings}\n{rest}"), usize::MAX).unwrap()
}

#[test]
fn a_loop_is_as_lively_as_it_is_told_to_be() {
    let lively = |settings: &str| {
        let finished = swing(settings);
        let kinetic = finished.motion.tracks[0].series("kinetic_energy").unwrap();
        kinetic.iter().sum::<f64>() / kinetic.len() as f64
    };
    let ratio = lively("iterations = 100\nenergy = 1") / lively("iterations = 100\nenergy = 0.5");
    assert!((1.6..2.1).contains(&ratio), "{ratio}"); // 1.81: physics has its say
}

#[test]
fn a_cloth_comes_back_to_where_it_began() {
    let finished = swing("iterations = 40");
    let (motion, clip) = (&finished.motion, &finished.motion.tracks[0].shape);
    assert_eq!((motion.frames(), clip.frames(), clip.vertices()), (41, 40, 12));
    // Its far edge is held.
    assert!((0..40).all(|k| (8..12).all(|v| (clip.frame(k)[v] - clip.frame(0)[v]).norm() < 1e-12)));
    let swings = (0..40).map(|k| clip.frame(k)[0].y).fold(0.0, f64::min);
    assert!(swings < -0.2, "{swings}"); // it falls by up to 0.4 m
    let left = motion.checks.iter().find(|check| check.name.starts_with("loss")).unwrap();
    assert!(left.value < 0.1, "{left:?}"); // 0.050: so little time takes force
}

#[test]
fn what_cannot_loop_is_refused() {
    let refusal = |scene: &str| run(scene, usize::MAX).unwrap_err().to_string();
    let time = "[time]\nduration = \"1 s\"\nfps = 20\n";
    assert!(refusal(&format!("title = \"t\"\n[body.ellipsoid]\n[system.loop]\n{time}")).contains("not simulated"));
    let short = refusal("title = \"t\"\n[body.planets]\n[system.loop]\n[time]\nduration = \"0.1 s\"\nfps = 20\n");
    assert!(short.contains("frames"), "{short}");
    let open = refusal(&format!("title = \"t\"\n[body.cloth]\nheld = \"nowhere\"\n[system.loop]\ntravel = \"free\"\n{time}"));
    assert!(open.contains("rigid motion"), "{open}");
}

/// A flag that hangs down from its pole, folded: it passes through itself, unless it is told not to.
#[test]
fn a_flag_does_not_pass_through_itself() {
    let crossings = |thickness: &str| {
        let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [6, 4]\n";
        let system = "[system.loop]\nguess = \"forward\"\niterations = 5\nsettle = \"1 s\"\nwind = [0, 0, 0.3]\n";
        let rest = "[time]\nduration = \"0.2 s\"\nfps = 100\n[picture]\nwidth = 200\nheight = 140\n";
        let motion = run(&format!("{body}{system}self-contact = \"{thickness}\"\n{rest}"), usize::MAX).unwrap().motion;
        let check = motion.checks.iter().find(|check| check.name.starts_with("edges that pass")).unwrap();
        assert_eq!(motion.warnings.iter().any(|warning| warning.contains("passes through itself")), !check.pass());
        check.value
    };
    assert_eq!(crossings("20 mm"), 0.0);
    // As good as none.
    assert!(crossings("0.01 mm") > 5.0); // measured 18
}

#[test]
fn planets_do_not_touch_themselves() {
    let scene = FIVE.replace("[system.loop]", "[system.loop]\nself-contact = \"1 cm\"");
    assert!(run(&scene, usize::MAX).unwrap_err().to_string().contains("self-contact"));
}
