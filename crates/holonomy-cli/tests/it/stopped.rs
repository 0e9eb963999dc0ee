//! Runs that do not get to their end: what is done is kept, what was there stays, no half files.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::program::{files, holonomy, text};

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
        // Many seconds of work, interrupted as soon as it has begun.
        let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
        let child = command.args(long).current_dir(dir.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(800));
        assert_eq!(out.exists(), earlier, "nothing is made before there is something to write");
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        if !killed.success() || output.status.code() == Some(0) {
            eprintln!("skipped: the run was over before it could be interrupted");
            return;
        }
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
