//! The verbs do what the README says.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::{Child, Stdio};
use std::process::{Command, Output};

/// Runs the program in `folder`.
pub fn holonomy(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_holonomy")).args(args).current_dir(folder).output().expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Names of the files in `folder`, sorted; none if it is not there.
pub fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Begins to run the program in `folder`, and waits until it listens to Ctrl-C. Only Linux says that it does.
#[cfg(target_os = "linux")]
pub fn begun(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.spawn().expect("the program starts");
    wait_until("it listens", || {
        let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() >> 1 & 1 == 1 // bit 0 stands for signal 1; that of Ctrl-C is 2
    });
    program
}

/// Ctrl-C.
#[cfg(target_os = "linux")]
pub fn interrupt(program: &Child) {
    assert!(Command::new("kill").args(["-INT", &program.id().to_string()]).status().unwrap().success());
}

/// Waits for up to a minute.
#[cfg(target_os = "linux")]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "waited for: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The folder of real assets beside the repository, if it is there.
pub fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("HOLONOMY_DATA").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

#[test]
fn snake_runs_and_reports() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["run", "snake"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    for word in ["frames", "displacement", "body lengths", "speed", "check", "out/snake.glb"] {
        assert!(table.contains(word), "no `{word}` in\n{table}");
    }
    assert!(!table.contains("FAILED"));
    let written = files(&dir.path().join("out"));
    for name in ["snake.csv", "snake.glb", "snake.json"] {
        assert!(written.iter().any(|file| file == name), "{written:?}");
    }
}

#[test]
fn json_is_one_document_with_the_contract_of_the_summary() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["run", "snake", "--json", "--set", "cycles=2"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys = "scene system frames dt duration cycle_duration vertices wall_s steps_per_s newton_iterations displacement rotation_deg mean_speed cycle_transform checks";
    for key in keys.split(' ') {
        assert!(!summary[key].is_null(), "{key} is missing");
    }
    assert_eq!((&summary["frames"], &summary["duration"], &summary["cycle_duration"]), (&121.into(), &2.0.into(), &1.0.into()));
    assert_eq!(text(&output.stderr), "");
    let file: serde_json::Value = serde_json::from_slice(&fs::read(dir.path().join("out/snake.json")).unwrap()).unwrap();
    assert_eq!(file, summary);
    // Its own csv agrees: a row a frame, and the last position is the displacement of a body that started at the origin.
    let table = fs::read_to_string(dir.path().join("out/snake.csv")).unwrap();
    assert_eq!(table.lines().count(), 122);
    let last: Vec<f64> = table.lines().last().unwrap().split(',').take(4).map(|cell| cell.parse().unwrap()).collect();
    assert!((last[0] - 2.0).abs() < 1e-12);
    let z = summary["displacement"][2].as_f64().unwrap();
    assert!(z > 0.5 && (last[3] - z).abs() < 1e-9, "{last:?} {z}");
}

#[test]
fn quiet_is_quiet_and_runs_repeat_to_the_byte() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["run", "snake", "--quiet", "--out", "a"]);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    holonomy(dir.path(), &["run", "snake", "--quiet", "--out", "b"]);
    for name in ["snake.glb", "snake.csv"] {
        assert_eq!(fs::read(dir.path().join("a").join(name)).unwrap(), fs::read(dir.path().join("b").join(name)).unwrap(), "{name}");
    }
}

#[test]
fn an_asset_is_never_overwritten_by_its_result() {
    let dir = tempfile::tempdir().unwrap();
    holonomy(dir.path(), &["run", "snake", "--quiet"]);
    let before = fs::read(dir.path().join("out/snake.glb")).unwrap();
    let output = holonomy(dir.path(), &["move", "out/snake.glb", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("overwritten"), "{}", text(&output.stderr));
    assert_eq!(fs::read(dir.path().join("out/snake.glb")).unwrap(), before);
}

/// What a run reads beside its asset was not looked at: a table of masses became the table of the result.
#[test]
fn what_a_run_reads_is_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
    let picture = dir.path().join("out/snake.png");
    let before = fs::read(&picture).unwrap();
    fs::write(dir.path().join("out/snake.toml"), DUNES).unwrap();
    let output = holonomy(dir.path(), &["run", "out/snake.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("snake.png would be overwritten"), "{}", text(&output.stderr));
    assert_eq!(fs::read(&picture).unwrap(), before);

    fs::create_dir_all(dir.path().join("taken/snake.csv")).unwrap();
    let output = holonomy(dir.path(), &["run", "snake", "--out", "taken"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is a folder"), "{}", text(&output.stderr));

    // Nor is the scene itself, nor what a sweep reads.
    let scene = dir.path().join("s.json");
    let words = "title = \"s\"\n[body.snake]\n[system.shape-change]\nlaw = \"least-dissipation\"\nanisotropy = 0.1\n[time]\ncycles = 1\n";
    fs::write(&scene, words).unwrap();
    let output = holonomy(dir.path(), &["run", "s.json", "--out", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("s.json would be overwritten"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&scene).unwrap(), words);
    fs::copy(&picture, dir.path().join("out/snake.sweep.csv")).unwrap();
    fs::write(dir.path().join("out/snake.toml"), DUNES.replace("snake.png", "snake.sweep.csv")).unwrap();
    let output = holonomy(dir.path(), &["sweep", "out/snake.toml", "--vary", "waves=1,2", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("snake.sweep.csv would be overwritten"), "{}", text(&output.stderr));
    assert_eq!(fs::read(dir.path().join("out/snake.sweep.csv")).unwrap(), before);
}

/// A table told one length and had run with another.
#[test]
fn a_field_and_what_it_is_in_are_not_varied_together() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["sweep", "snake", "--vary", "length=1,4", "--vary", "body.snake={length=2}"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is varied already"), "{}", text(&output.stderr));
}

/// They filled the memory until the program was killed.
#[test]
fn cycles_that_do_not_fit_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for scene in ["loop-figure-eight", "swimmer-cycle"] {
        let output = holonomy(dir.path(), &["run", scene, "--set", "cycles=1000000"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("cycles is 1000000"), "{}", text(&output.stderr));
    }
}

/// A snake on land whose heights are a picture.
const DUNES: &str = r#"
title = "Dunes"
[body.snake]
[system.shape-change]
law = "least-dissipation"
anisotropy = 0.1
land = { image = { file = "snake.png", size = ["6 m", "6 m"], height = "5 cm" } }
[time]
cycles = 1
"#;

#[cfg(unix)]
#[test]
fn words_that_are_not_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"a=\xff");
    let output = Command::new(env!("CARGO_BIN_EXE_holonomy"))
        .current_dir(dir.path())
        .arg("run")
        .arg("snake")
        .arg("--set")
        .arg(odd)
        .arg("--json")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("\"error\""));
}

/// The second time it was taken for a folder that somebody gives for a scene.
#[test]
fn results_may_go_to_a_folder_named_as_the_example() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let output = holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1", "--out", "snake"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(files(&dir.path().join("snake")).len(), 6);
    assert!(text(&holonomy(dir.path(), &["run", "./snake"]).stderr).contains("this is a folder"));
}

#[test]
fn a_scene_file_runs_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("mit Leerzeichen ünd Ümlaut");
    fs::create_dir(&folder).unwrap();
    let example = holonomy(dir.path(), &["examples", "snake"]);
    fs::write(folder.join("meine Schlange.toml"), &example.stdout).unwrap();
    let output = holonomy(dir.path(), &["run", "mit Leerzeichen ünd Ümlaut/meine Schlange.toml", "--set", "length=80 cm"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(dir.path().join("out/meine Schlange.glb").is_file());
}

#[test]
fn examples_schema_completions_and_help_print() {
    let dir = tempfile::tempdir().unwrap();
    let listed = text(&holonomy(dir.path(), &["examples"]).stdout);
    assert!(
        listed.contains("shape-change") && listed.contains("snake") && listed.contains("\nflow\n") && listed.contains("maple-seed"),
        "{listed}"
    );
    let schema: serde_json::Value = serde_json::from_slice(&holonomy(dir.path(), &["schema"]).stdout).unwrap();
    assert!(schema["properties"]["body"].is_object());
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(text(&holonomy(dir.path(), &["completions", shell]).stdout).contains("holonomy"));
    }
    let help = text(&holonomy(dir.path(), &["--help"]).stdout);
    for verb in ["run", "move", "sweep", "inspect", "examples", "schema", "completions"] {
        assert!(help.contains(verb), "{help}");
    }
    assert!(files(dir.path()).is_empty());
}

#[test]
fn inspect_tells_the_added_mass_by_all_models() {
    let dir = tempfile::tempdir().unwrap();
    let plate = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 1 0.5 0\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
    fs::write(dir.path().join("plate.obj"), plate).unwrap();
    let output = holonomy(dir.path(), &["inspect", "plate.obj", "--added-mass"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for word in ["1000 kg/m3", "local", "parts", "boundary element", "along z, kg", "principal 3, kg m2", "fluid on both sides"] {
        assert!(said.contains(word), "no `{word}` in\n{said}");
    }
    let output = holonomy(dir.path(), &["inspect", "plate.obj", "--added-mass", "--json"]);
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let along = |model: &str| facts["added_mass"][model]["tensor"][5][5].as_f64().unwrap();
    // Soliman 2024, Table 1: 2a²b²/(π(a + b)) = 848.8 kg; the true plate has 0.757 ρ (π/4) b² a = 1189 kg, of which four triangles get most.
    assert!((along("local") - 8000.0 / (3.0 * std::f64::consts::PI)).abs() < 1e-6, "{facts}");
    assert!((800.0..1500.0).contains(&along("boundary_element")), "{facts}");
    // Closed, but without thickness: two models answer, the third says why not.
    fs::write(dir.path().join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n").unwrap();
    let said = text(&holonomy(dir.path(), &["inspect", "flat.obj", "--added-mass"]).stdout);
    assert!(said.contains("not computed: part 0") && said.contains("no thickness"), "{said}");
}
