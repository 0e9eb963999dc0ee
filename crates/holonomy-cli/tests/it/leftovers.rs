//! What is in the folder already: leftovers of killed runs, files of two runs, results of other
//! scenes.

use std::fs;
use std::path::Path;

use crate::program::{files, holonomy, text};

fn run(folder: &Path, args: &[&str]) {
    let output = holonomy(folder, &[&["run"], args, &["--quiet"]].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
}

/// A scene that runs in a moment.
const SNAKE: &str = "title = \"s\"\n[body.snake]\nvertices = 12\n[system.shape-change]\n[time]\ncycles = 1\nfps = 12\n\
                     [picture]\nwidth = 32\nheight = 18\n";

/// 17 of 20 animations that were killed left a hidden folder with all frames so far, and no later
/// run removed it.
#[cfg(target_os = "linux")]
#[test]
fn the_next_run_removes_what_a_killed_one_left_but_nothing_of_a_living_one() {
    use crate::program::{begun, wait_until};
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["snake", "--set", "cycles=1"]);
    let hidden = || -> Vec<String> { files(dir.path()).into_iter().filter(|name| name.starts_with(".holonomy")).collect() };
    let frames = |folder: &str| files(&dir.path().join(folder)).len();
    let begin = |out: &str| {
        let before = hidden();
        // Minutes of work.
        let child = begun(dir.path(), &["render", "out/snake.glb", "--size", "640x360", "--fps", "240", "--quiet", "--out", out]);
        let mine = || hidden().into_iter().find(|name| !before.contains(name));
        wait_until("frames are drawn", || mine().is_some_and(|mine| frames(&mine) >= 4));
        (child, mine().unwrap())
    };
    let (mut killed, left) = begin("killed");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(hidden(), [left.as_str()], "it leaves what it had");
    let (mut living, of_living) = begin("living");
    assert_eq!(hidden(), [of_living.as_str()], "what was left is gone");
    fs::write(dir.path().join(".holonomy-killed.tmp"), "half a file").unwrap();
    let before = frames(&of_living);
    run(dir.path(), &["snake", "--set", "cycles=1", "--out", "."]);
    assert_eq!(hidden(), [of_living.as_str()]);
    assert!(frames(&of_living) >= before, "nothing of it was taken");
    living.kill().unwrap();
    living.wait().unwrap();
    run(dir.path(), &["snake", "--set", "cycles=1", "--out", "."]);
    assert!(hidden().is_empty());
    // The rows of a sweep are written so, too.
    fs::create_dir(dir.path().join("out/snake.sweep")).unwrap();
    fs::write(dir.path().join("out/snake.sweep/.holonomy-killed.tmp"), "half a row").unwrap();
    let swept = holonomy(dir.path(), &["sweep", "snake", "--vary", "cycles=1,2", "--quiet"]);
    assert_eq!(swept.status.code(), Some(0), "{}", text(&swept.stderr));
    assert!(files(&dir.path().join("out/snake.sweep")).iter().all(|name| !name.starts_with('.')));
}

/// A run that was killed at its fourth rename left the model of the new run beside table, summary
/// and page of the old one, and nobody said so.
#[test]
fn files_of_two_runs_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join("out").join(name);
    fs::write(dir.path().join("s.toml"), SNAKE).unwrap();
    run(dir.path(), &["s.toml"]);
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(at("s.json")).unwrap()).unwrap();
    let hashes = summary["sha256"].as_object().unwrap();
    assert_eq!(hashes.keys().collect::<Vec<_>>(), ["s.glb", "s.png", "s.svg", "s.csv"]);
    let render = ["render", "out/s.glb", "--size", "32x18", "--json"];
    let well = holonomy(dir.path(), &render);
    assert_eq!((well.status.code(), text(&well.stderr)), (Some(0), String::new()));
    let notes = |output: &[u8]| serde_json::from_slice::<serde_json::Value>(output).unwrap()["notes"].as_array().unwrap().clone();
    assert!(notes(&well.stdout).is_empty());

    let old = ["json", "html"].map(|ending| fs::read(at(&format!("s.{ending}"))).unwrap());
    run(dir.path(), &["s.toml", "--set", "cycles=2"]);
    for (ending, bytes) in ["json", "html"].into_iter().zip(old) {
        fs::write(at(&format!("s.{ending}")), bytes).unwrap();
    }
    let mixed = holonomy(dir.path(), &render);
    assert_eq!(mixed.status.code(), Some(0));
    assert_eq!(notes(&mixed.stdout).len(), 2, "{}", text(&mixed.stdout));
    for name in ["s.json", "s.html"] {
        assert!(text(&mixed.stderr).contains(&format!("warning: {name} is of another run than s.glb")), "{}", text(&mixed.stderr));
    }
    // What is missing, or of a version that did not say, is not told of.
    fs::remove_file(at("s.html")).unwrap();
    fs::write(at("s.json"), "{}").unwrap();
    assert!(notes(&holonomy(dir.path(), &render).stdout).is_empty());
}

/// `run a.partial.toml` wrote a whole result, which `run a.toml` in the same folder removed.
#[test]
fn no_scene_is_called_as_results_of_another_are() {
    let dir = tempfile::tempdir().unwrap();
    let taken = ["a.partial", "a.PARTIAL", "a.sweep", "a.Sweep.2of4", "a.sweep.partial", "a.render", "a.gallery", "a.\u{17f}weep"];
    for name in taken {
        let file = format!("{name}.toml");
        fs::write(dir.path().join(&file), SNAKE).unwrap();
        for args in [&["run", &file][..], &["sweep", &file, "--vary", "waves=1,2"]] {
            let output = holonomy(dir.path(), args);
            assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
            let said = text(&output.stderr);
            assert!(said.contains("results of the scene `a") && said.contains("fix: rename the file"), "{args:?}: {said}");
            assert!(!dir.path().join("out").exists(), "{args:?}");
        }
        fs::remove_file(dir.path().join(&file)).unwrap();
    }
    run(dir.path(), &["snake", "--set", "cycles=1"]);
    fs::copy(dir.path().join("out/snake.glb"), dir.path().join("a.partial.glb")).unwrap();
    let output = holonomy(dir.path(), &["move", "a.partial.glb"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("fix: rename"), "{}", text(&output.stderr));
    // Names that only look like it.
    for name in ["partial", "a.partially", "a.2of4", "asweep", "a.b"] {
        let file = format!("{name}.toml");
        fs::write(dir.path().join(&file), SNAKE).unwrap();
        run(dir.path(), &[&file]);
    }
}

/// An earlier version ran scenes called `a.partial`: a run of `a` removed all six files of their
/// results, and ended with exit code 0.
#[test]
fn results_of_another_scene_that_are_there_stay() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.toml"), SNAKE).unwrap();
    fs::write(dir.path().join("b.toml"), SNAKE).unwrap();
    run(dir.path(), &["b.toml"]);
    let out = dir.path().join("out");
    let endings = ["glb", "png", "svg", "html", "csv"];
    let before: Vec<Vec<u8>> = endings.iter().map(|ending| fs::read(out.join(format!("b.{ending}"))).unwrap()).collect();
    for ending in endings {
        fs::rename(out.join(format!("b.{ending}")), out.join(format!("a.partial.{ending}"))).unwrap();
    }
    let summary = fs::read_to_string(out.join("b.json")).unwrap();
    fs::remove_file(out.join("b.json")).unwrap();
    fs::write(out.join("a.partial.json"), summary.replace("\"scene\": \"b\"", "\"scene\": \"a.partial\"")).unwrap();
    for args in [&["run", "a.toml"][..], &["sweep", "a.toml", "--vary", "waves=1,2"]] {
        let output = holonomy(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("a scene called `a.partial`"), "{}", text(&output.stderr));
    }
    for (ending, bytes) in endings.iter().zip(before) {
        assert_eq!(fs::read(out.join(format!("a.partial.{ending}"))).unwrap(), bytes, "{ending}");
    }
    // The part of a run of its own gives way, as ever.
    fs::write(out.join("a.partial.json"), summary.replace("\"scene\": \"b\"", "\"scene\": \"a\"")).unwrap();
    run(dir.path(), &["a.toml"]);
    assert!(files(&out).iter().all(|name| !name.contains("partial")), "{:?}", files(&out));
}

/// `examples --gallery .` in the folder of a site took the place of its first page.
#[test]
fn a_gallery_overwrites_no_page_but_its_own() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("index.html"), "<h1>My own</h1>").unwrap();
    let output = holonomy(dir.path(), &["examples", "three-link", "--gallery", "."]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("index.html: this is no page of examples"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(dir.path().join("index.html")).unwrap(), "<h1>My own</h1>");
}
