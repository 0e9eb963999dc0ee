//! `holonomy sweep` from the outside: files, exit codes, words; stopped and gone on with.

use std::fs;
use std::path::Path;

use crate::program::{files, holonomy, text};

const SMALL: [&str; 6] = ["--set", "vertices=12", "--set", "fps=12", "--set", "cycles=1"];

fn sweep(folder: &Path, args: &[&str]) -> std::process::Output {
    holonomy(folder, &[&["sweep", "snake"], args, &SMALL].concat())
}

fn table(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_sweep_writes_one_table_and_says_how_it_went() {
    let dir = tempfile::tempdir().unwrap();
    let output = sweep(dir.path(), &["--vary", "anisotropy=0.1..1:4", "--vary", "length=50..100cm:2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let out = dir.path().join("out");
    assert_eq!(files(&out), ["snake.sweep", "snake.sweep.csv"]);
    assert_eq!(files(&out.join("snake.sweep")).len(), 8);
    assert_eq!(table(&out, "snake.sweep.csv").lines().count(), 9);
    let said = text(&output.stdout);
    for word in ["anisotropy", "length [cm]", "body lengths", "wrote", "snake.sweep.csv"] {
        assert!(said.contains(word), "{said}");
    }
    assert!(text(&output.stderr).contains("8 points run, 0 were there"), "{}", text(&output.stderr));
    let again = sweep(dir.path(), &["--vary", "anisotropy=0.1..1:4", "--vary", "length=50..100cm:2"]);
    assert!(text(&again.stderr).contains("0 points run, 8 were there"), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout), said);
    let quiet = sweep(dir.path(), &["--vary", "anisotropy=0.1..1:4", "--quiet"]);
    assert_eq!((quiet.status.code(), quiet.stdout.len(), quiet.stderr.len()), (Some(0), 0, 0));
}

#[test]
fn threads_and_shards_do_not_change_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let output = sweep(dir.path(), &[&["--vary", "anisotropy=0.02..1:7log", "--vary", "waves=1,1.5"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        output
    };
    ["1", "2", "7"].iter().for_each(|threads| drop(run(&["--threads", threads, "--out", threads])));
    let whole = table(dir.path(), "1/snake.sweep.csv");
    assert_eq!(whole.lines().count(), 15);
    assert_eq!(table(dir.path(), "2/snake.sweep.csv"), whole);
    assert_eq!(table(dir.path(), "7/snake.sweep.csv"), whole);
    let mut lines = vec![String::new(); 14];
    for shard in 1..=3 {
        run(&["--shard", &format!("{shard}/3"), "--out", "parts"]);
        let part = table(dir.path(), &format!("parts/snake.sweep.{shard}of3.csv"));
        part.lines().skip(1).enumerate().for_each(|(k, line)| lines[3 * k + shard - 1] = line.to_owned());
    }
    assert_eq!(lines, whole.lines().skip(1).collect::<Vec<_>>());
    assert!(text(&run(&["--out", "parts"]).stderr).contains("0 points run, 14 were there"));
    assert_eq!(table(dir.path(), "parts/snake.sweep.csv"), whole);
}

#[test]
fn a_point_that_fails_is_a_row() {
    let dir = tempfile::tempdir().unwrap();
    let output = sweep(dir.path(), &["--vary", "masses=area,auto", "--json"]);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), ""));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["points"], &document["finished"], &document["failed"]), (&2.into(), &2.into(), &1.into()));
    let [area, auto] = document["rows"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!((&area["vary"]["masses"], &area["passed"], &auto["passed"]), (&"area".into(), &false.into(), &true.into()));
    assert!(area["error"].as_str().unwrap().contains("need a surface") && area["displacement"].is_null());
    assert!(auto["error"].is_null() && auto["displacement"][2].as_f64().unwrap() > 0.1, "{auto}");
    let lines = table(dir.path(), "out/snake.sweep.csv");
    assert!(lines.lines().nth(1).unwrap().starts_with("area,,,,,,,,,,false,\"snake: "), "{lines}");
    assert!(text(&sweep(dir.path(), &["--vary", "masses=area,auto"]).stdout).contains("1 of 2 points FAILED"));
}

#[test]
fn a_scene_may_say_what_to_vary() {
    let dir = tempfile::tempdir().unwrap();
    let example = text(&holonomy(dir.path(), &["examples", "snake-substrates"]).stdout);
    fs::write(dir.path().join("mine.toml"), example.replace(":12log", ":3")).unwrap();
    assert_eq!(holonomy(dir.path(), &["sweep", "mine.toml", "--quiet"]).status.code(), Some(0));
    let lines = table(dir.path(), "out/mine.sweep.csv");
    assert_eq!(lines.lines().map(|line| line.split(',').next().unwrap()).collect::<Vec<_>>(), ["anisotropy", "0.02", "0.51", "1"]);
    // Of a run it is no concern; --vary takes its place.
    assert_eq!(holonomy(dir.path(), &["run", "mine.toml", "--quiet"]).status.code(), Some(0));
    assert_eq!(holonomy(dir.path(), &["sweep", "mine.toml", "--quiet", "--vary", "waves=1,2"]).status.code(), Some(0));
    assert!(table(dir.path(), "out/mine.sweep.csv").starts_with("waves,"));
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[], "nothing to vary"),
        (&["--vary", "anisotropy"], "KEY=FROM..TO:COUNT"),
        (&["--vary", "anisotropy=0.1-1"], "anisotropy=0.1..1:COUNT"),
        (&["--vary", "anisotrpy=0.1..1:3"], "did you mean `anisotropy`"),
        (&["--vary", "anisotropy=0.1..1:0"], "COUNT 0"),
        (&["--vary", "anisotropy=0.1..2:3"], "expected a number from 0 to 1"),
        (&["--vary", "anisotropy=0.1..1:2000", "--vary", "waves=1..2:2000"], "more than 1000000 points"),
        (&["--vary", "waves=1,2", "--vary", "snake.waves=3"], "varied already"),
        (&["--vary", "waves=1,2", "--shard", "3/2"], "--shard 3/2"),
        (&["--vary", "waves=1,2", "--threads", "0"], "--threads"),
        (&["--vary", "waves=1,2", "--set", "nonsense"], "KEY=VALUE"),
    ];
    for (args, words) in cases {
        let output = sweep(dir.path(), args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{args:?}: {said}");
        assert!(files(dir.path()).is_empty(), "{args:?}");
    }
}

/// Stops a sweep by `signal` when it has done two points; its exit code, if it had one, and what it said.
#[cfg(unix)]
fn stopped(folder: &Path, args: &[&str], signal: &str) -> (Option<i32>, String) {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
    let child = command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (begun, before) = (Instant::now(), files(&folder.join("out/snake.sweep")).len());
    while files(&folder.join("out/snake.sweep")).len() < before + 2 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), text(&output.stdout))
}

#[cfg(unix)]
#[test]
fn a_stopped_sweep_goes_on_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    // 40 points of some 40 ms each.
    let args = ["sweep", "snake", "--vary", "anisotropy=0.1..0.9:40", "--set", "vertices=400", "--set", "fps=300", "--set", "cycles=1"];
    let (code, said) = stopped(dir.path(), &args, "-INT");
    let out = dir.path().join("out");
    let kept = files(&out.join("snake.sweep")).len();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("stopped: ") && (2..40).contains(&kept), "{kept}: {said}");
    assert_eq!(table(&out, "snake.sweep.partial.csv").lines().count(), kept + 1, "the finished rows are there");
    assert!(!out.join("snake.sweep.csv").exists(), "no table looks complete that is not");
    // By force: no table, but every finished point is whole.
    assert_eq!(stopped(dir.path(), &args, "-KILL").0, None, "it was not over");
    assert_eq!(table(&out, "snake.sweep.partial.csv").lines().count(), kept + 1, "the table is still that of before");
    let output = holonomy(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let fresh = holonomy(dir.path(), &[&args[..], &["--out", "fresh", "--threads", "3"]].concat());
    assert!(text(&fresh.stderr).contains("40 points run"), "{}", text(&fresh.stderr));
    assert!(!text(&output.stderr).contains("40 points run"), "{}", text(&output.stderr));
    assert_eq!(table(&out, "snake.sweep.csv"), table(dir.path(), "fresh/snake.sweep.csv"));
    assert!(!out.join("snake.sweep.partial.csv").exists(), "what is complete has no part beside it");
}

#[test]
fn settings_of_flow_can_be_varied() {
    let dir = tempfile::tempdir().unwrap();
    let args =
        ["sweep", "paper-copter", "--vary", "gravity=1..10:3", "--vary", "gusts.speed=0,1", "--set", "duration=0.2 s", "--set", "fps=60"];
    let output = holonomy(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = table(&dir.path().join("out"), "paper-copter.sweep.csv");
    assert_eq!(table.lines().count(), 7, "{table}");
    assert!(table.starts_with("gravity"), "{table}");
}

/// The kept rows of the sweep in `folder`, a file each.
fn kept(folder: &Path) -> Vec<std::path::PathBuf> {
    let cache = folder.join("out/snake.sweep");
    files(&cache).into_iter().map(|name| cache.join(name)).collect()
}

/// A row edited to 123456 body lengths went into the table, and a folder in the place of one
/// failed the whole sweep.
#[test]
fn a_row_that_is_not_as_it_was_written_is_run_again() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["--vary", "anisotropy=0.1..1:6", "--threads", "1"];
    assert_eq!(sweep(dir.path(), &args).status.code(), Some(0));
    let whole = table(&dir.path().join("out"), "snake.sweep.csv");
    let rows = kept(dir.path());
    let text_of = |file: &Path| fs::read_to_string(file).unwrap();
    // Edited; that of another point; cut; a folder; a pipe, which nobody writes to.
    let edited = text_of(&rows[0]);
    let field = edited.split("\"displacement_body_lengths\": ").nth(1).unwrap().split(',').next().unwrap();
    fs::write(&rows[0], edited.replace(field, "123456.0")).unwrap();
    fs::write(&rows[1], text_of(&rows[2])).unwrap();
    fs::write(&rows[3], &text_of(&rows[3])[..100]).unwrap();
    fs::remove_file(&rows[4]).unwrap();
    fs::create_dir(&rows[4]).unwrap();
    let mut found = 2;
    if cfg!(unix) {
        fs::remove_file(&rows[5]).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&rows[5]).status().unwrap().success());
        found = 1;
    }
    let output = sweep(dir.path(), &[&args[..], &["--json"]].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(table(&dir.path().join("out"), "snake.sweep.csv"), whole, "the table is that of the points");
    assert_eq!(said.matches("note: ").count(), 6 - found, "{said}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let notes: Vec<&str> = document["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    for why in ["it was edited", "not whole", "it is a folder"] {
        assert!(notes.iter().any(|note| note.contains(why)), "{why}: {notes:?}");
    }
    // All but the folder are rows again.
    let again = sweep(dir.path(), &args);
    assert!(text(&again.stderr).contains("1 points run, 5 were there"), "{}", text(&again.stderr));
}

/// The key was the version's number: a program built anew took the rows of the one before.
#[cfg(target_os = "linux")]
#[test]
fn another_build_takes_no_rows_of_this_one() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let args = ["--vary", "anisotropy=0.1..1:3"];
    sweep(dir.path(), &args);
    let other = dir.path().join("holonomy");
    fs::copy(env!("CARGO_BIN_EXE_holonomy"), &other).unwrap();
    let args = [&["sweep", "snake"], &args[..], &SMALL].concat();
    let start = || std::process::Command::new(&other).args(&args).current_dir(dir.path()).output();
    // While another test starts a program, that one may have the new file open for a moment.
    let busy = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ExecutableFileBusy;
    let run = || {
        let mut tries = (0..500).map(|_| start()).inspect(|_| std::thread::sleep(std::time::Duration::from_millis(5)));
        let output = tries.find(|output| !output.as_ref().is_err_and(busy)).unwrap();
        text(&output.unwrap().stderr)
    };
    assert!(run().contains("0 points run, 3 were there"), "a copy is the same program");
    fs::OpenOptions::new().append(true).open(&other).unwrap().write_all(b"\0").unwrap();
    assert!(run().contains("3 points run, 0 were there"));
}
