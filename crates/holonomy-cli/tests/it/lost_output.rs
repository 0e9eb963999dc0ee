//! Standard output or standard error that cannot be written: no result is lost, and what was lost is said.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{files, text};

/// A place where every write fails; `None`, with a message, where the system has none.
fn full() -> Option<File> {
    let device = OpenOptions::new().write(true).open("/dev/full");
    if device.is_err() {
        eprintln!("skipped: no /dev/full here");
    }
    device.ok()
}

fn program(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn without_standard_error_the_result_is_written_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let run = |out: &str, standard_error: Stdio| {
        let mut command = program(dir.path(), &["run", "snake", "--set", "cycles=1", "--out", out]);
        let output = command.stderr(standard_error).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{out}");
        assert_eq!(files(&dir.path().join(out)).len(), 6, "{out}");
    };
    let Some(full) = full() else { return };
    run("full", full.into());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    run("broken", writer.into());
}

#[test]
fn standard_output_that_is_lost_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let verbs: [&[&str]; 6] = [
        &["run", "snake", "--set", "cycles=1", "--json"],
        &["inspect", "a.obj", "--json"],
        &["schema"],
        &["examples"],
        &["completions", "bash"],
        &["--help"],
    ];
    for verb in verbs {
        let Some(full) = full() else { return };
        let output = program(dir.path(), verb).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{verb:?}");
        assert!(text(&output.stderr).contains("standard output"), "{verb:?}: {}", text(&output.stderr));
        // A reader that goes away has not all of it; it knows, so nothing is said.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = program(dir.path(), verb).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0), "{verb:?}: {}", text(&output.stderr));
    }
    assert_eq!(files(&dir.path().join("out")).len(), 6, "the run's files are there though its words are not");
}

/// The standard library puts `/dev/null` in its place, so all seemed to be well, and nobody had
/// the document.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_is_closed_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let ends = |script: &str| {
        let script = format!("exec '{}' {script}", env!("CARGO_BIN_EXE_holonomy"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(dir.path()).output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    for verb in ["run snake --set cycles=1 --json", "run snake --set cycles=1", "schema", "examples", "--help", "run --json --nonsense"] {
        let (code, said) = ends(&format!("{verb} >&-"));
        let expected = if verb.contains("nonsense") { 2 } else { 1 };
        assert_eq!(code, Some(expected), "{verb}: {said}");
        assert!(said.contains("cannot write to standard output: it is closed"), "{verb}: {said}");
    }
    assert_eq!(files(&dir.path().join("out")).len(), 6, "the run's files are there though its words are not");
    // What prints nothing loses nothing; who wants nothing to be kept says so.
    assert_eq!(ends("run snake --set cycles=1 --quiet >&-"), (Some(0), String::new()));
    assert_eq!(ends("run snake --set cycles=1 --json >/dev/null").0, Some(0));
    assert_eq!(ends("run snake --set cycles=1 --json <>/dev/null >&0").0, Some(0), "open for reading, too");
}
