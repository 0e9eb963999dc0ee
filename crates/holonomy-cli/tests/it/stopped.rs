//! Runs that do not get to their end: what is done is kept, what was there stays, no half files.

use std::process::Command;
#[cfg(target_os = "linux")]
use std::{fs, time::Duration};

#[cfg(target_os = "linux")]
use crate::program::{begun, interrupt, wait_until};
use crate::program::{files, holonomy, text};

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_keeps_what_is_done_beside_an_earlier_result() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let long = ["run", "snake", "--set", "vertices=500", "--set", "fps=20000", "--set", "cycles=1", "--json"];
    for earlier in [false, true] {
        if earlier {
            fs::remove_dir_all(&out).unwrap();
            holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
        }
        let before: Vec<_> = files(&out).iter().map(|name| (name.clone(), fs::read(out.join(name)).unwrap())).collect();
        // Of yet another run.
        let outdated: &[&str] = if earlier { &["png", "svg", "html", "csv"] } else { &[] };
        outdated.iter().for_each(|ending| fs::write(out.join(format!("snake.partial.{ending}")), "outdated").unwrap());
        let child = begun(dir.path(), &long);
        std::thread::sleep(Duration::from_millis(300)); // for some frames; what follows does not depend on it
        assert_eq!(out.exists(), earlier, "nothing is made before there is something to write");
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["outcome"]["status"], "interrupted");
        assert!(summary["warnings"].to_string().contains("picture, plots and page"), "{summary}");
        let added: Vec<String> = files(&out).into_iter().filter(|name| before.iter().all(|(old, _)| old != name)).collect();
        assert_eq!(added, ["snake.partial.csv", "snake.partial.glb", "snake.partial.json"]);
        before.iter().for_each(|(name, bytes)| assert!(&fs::read(out.join(name)).unwrap() == bytes, "{name} changed"));
    }
    let drawn = holonomy(dir.path(), &["render", "out/snake.partial.glb"]);
    assert_eq!(drawn.status.code(), Some(0), "{}", text(&drawn.stderr));
    // What is complete has no parts beside it; a picture that was asked for stays.
    holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
    let parts: Vec<String> = files(&out).into_iter().filter(|name| name.contains("partial")).collect();
    assert_eq!(parts, ["snake.partial.render.png"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_film_that_is_stopped_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
    // Minutes of work.
    let args = ["render", "out/snake.glb", "--size", "1280x720", "--fps", "240", "--out", "film/frames"];
    let hidden = || files(dir.path()).into_iter().find(|name| name.starts_with(".holonomy"));
    let begin = || {
        let child = begun(dir.path(), &args);
        // After the first eight, which stand beside a lock, it looks whether it is to go on; the
        // next ones take a second.
        wait_until("frames are drawn", || hidden().is_some_and(|hidden| files(&dir.path().join(hidden)).len() >= 9));
        std::thread::sleep(Duration::from_millis(100));
        interrupt(&child);
        child
    };
    let output = begin().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("nothing was written"), "{}", text(&output.stderr));
    assert_eq!(files(dir.path()), ["out"]);
    // Twice: it stops at once, in the midst of the next frames.
    let child = begin();
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!(files(dir.path()), ["out"]);
}

/// A shell that lets no file grow past a few hundred bytes stands for a disk that is full.
#[test]
fn a_full_disk_is_a_failed_run_not_a_wrong_input() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 1; exec '{}' run snake --set cycles=1 --out made/below", env!("CARGO_BIN_EXE_holonomy"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(dir.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("cannot write"), "{}", text(&output.stderr));
    assert!(files(dir.path()).is_empty(), "{:?}", files(dir.path()));
}

/// It ended with the code of a wrong input, and with words about vertices in one place.
#[test]
fn a_motion_that_breaks_down_is_a_failed_run() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["run", "loop-flag", "--set", "rule=symplectic"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("broke down") && text(&output.stderr).contains("backward"), "{}", text(&output.stderr));
    assert!(files(dir.path()).is_empty(), "{:?}", files(dir.path()));
}

/// It had no ear for Ctrl-C, and ended without the JSON document that it was asked for.
#[cfg(target_os = "linux")]
#[test]
fn an_inspection_that_takes_long_is_stopped_in_words_and_as_json() {
    let dir = tempfile::tempdir().unwrap();
    // A ball of 10 000 faces: half a minute of work for the boundary elements.
    let (around, rings) = (72, 70);
    let mut mesh = String::from("v 0 1 0\nv 0 -1 0\n");
    for i in 1..rings {
        for k in 0..around {
            let (down, turn) = (f64::from(i) / f64::from(rings), f64::from(k) / f64::from(around));
            let [(s, c), (t, u)] = [down * std::f64::consts::PI, turn * std::f64::consts::TAU].map(f64::sin_cos);
            mesh += &format!("v {} {c} {}\n", s * t, s * u);
        }
    }
    let at = |i: i32, k: i32| 3 + (i - 1) * around + k % around;
    for k in 0..around {
        mesh += &format!("f 1 {} {}\nf 2 {} {}\n", at(1, k), at(1, k + 1), at(rings - 1, k + 1), at(rings - 1, k));
        for i in 1..rings - 1 {
            mesh += &format!("f {} {} {} {}\n", at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1));
        }
    }
    fs::write(dir.path().join("ball.obj"), mesh).unwrap();
    let child = begun(dir.path(), &["inspect", "ball.obj", "--added-mass", "--json"]);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["error"].as_str().is_some_and(|error| error.contains("stopped before")), "{document}");
}
