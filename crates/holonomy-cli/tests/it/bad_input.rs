//! Bad input: exit code 2, a message that says what, where and what to do, and nothing written.

use std::fs;
use std::path::Path;

use crate::program::{files, holonomy, text};

/// Runs, and asserts that it was refused with `words` and wrote nothing.
fn refused(folder: &Path, args: &[&str], words: &[&str]) {
    let before = files(folder);
    let output = holonomy(folder, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?}: no `{word}` in\n{said}");
    }
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(files(folder), before, "{args:?} wrote something");
}

#[test]
fn scenes() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    refused(here, &["run", "snak"], &["did you mean `snake`"]);
    refused(here, &["run", "nowhere.toml"], &["no such scene file", "nowhere.toml"]);
    refused(here, &["run", "snake", "--set", "anisotrpy=0.1"], &["did you mean `anisotropy`"]);
    refused(here, &["run", "snake", "--set", "anisotropy=2"], &["anisotropy", "2"]);
    refused(here, &["run", "snake", "--set", "length=30 deg"], &["length", "angle"]);
    refused(here, &["run", "snake", "--set", "nonsense"], &["KEY=VALUE"]);
    refused(here, &["run", "snake", "--set", "amplitude=80"], &["a bare number is radians", "80 deg"]);
    refused(here, &["run", "fish"], &["--set file=YOURS.glb"]);
    refused(here, &["run", "."], &["folder"]);
    fs::write(here.join("empty.toml"), "").unwrap();
    refused(here, &["run", "empty.toml"], &["empty.toml"]);
    let example = text(&holonomy(here, &["examples", "snake"]).stdout);
    fs::write(here.join("typo.toml"), example.replace("waves", "wavs")).unwrap();
    refused(here, &["run", "typo.toml"], &["typo.toml:", "wavs", "^^^^", "did you mean `waves`"]);
    fs::write(here.join("unit.toml"), example.replace("1.2 m", "1.2 furlong")).unwrap();
    refused(here, &["run", "unit.toml"], &["unit.toml:", "furlong", "^"]);
}

#[test]
fn sizes() {
    let dir = tempfile::tempdir().unwrap();
    refused(dir.path(), &["run", "snake", "--set", "vertices=10000000", "--set", "fps=10000"], &["GB", "memory"]);
    // Its factor was not counted, and the run was ended by the system.
    refused(dir.path(), &["run", "loop-doughnut", "--set", "rings=50"], &["GB", "memory", "allow"]);
}

/// Advice names options that there are.
#[test]
fn unknown_options() {
    let dir = tempfile::tempdir().unwrap();
    refused(dir.path(), &["move", "a.glb", "--densty", "3"], &["'--densty'", "'--density'"]);
    let said = text(&holonomy(dir.path(), &["move", "a.glb", "--velocity", "3"]).stderr);
    assert!(said.contains("unexpected argument '--velocity'") && !said.contains("-- --velocity"), "{said}");
}

#[test]
fn output_folders() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    refused(dir.path(), &["run", "snake", "--out", "file"], &["file"]);
    refused(dir.path(), &["run", "snake", "--out", "file/below"], &["file"]);
    #[cfg(target_os = "linux")]
    refused(dir.path(), &["run", "snake", "--out", "/proc/nowhere"], &["/proc/nowhere"]);
}

/// Reading these would never end.
#[cfg(unix)]
#[test]
fn devices_and_pipes() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    for name in ["zero.obj", "zero.glb", "zero.gltf", "zero.bvh", "zero.txt"] {
        std::os::unix::fs::symlink("/dev/zero", here.join(name)).unwrap();
    }
    let pipe = std::process::Command::new("mkfifo").arg(here.join("pipe.obj")).status();
    for name in ["zero.obj", "zero.glb", "zero.gltf", "zero.bvh", "pipe.obj"] {
        if name == "pipe.obj" && !pipe.as_ref().is_ok_and(|made| made.success()) {
            eprintln!("skipped: no mkfifo here");
            continue;
        }
        refused(here, &["inspect", name], &[name, "not a regular file"]);
    }
    refused(here, &["run", "zero.obj"], &["zero.obj"]);
    fs::write(here.join("hop.bvh"), "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 1 0\n").unwrap();
    refused(here, &["move", "hop.bvh", "--unit", "m", "--medium", "sand", "--masses", "zero.txt"], &["zero.txt", "not a regular file"]);
}

#[test]
fn as_json_too() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        &["run", "snak", "--json"][..],
        &["inspect", "gone.obj", "--json"],
        &["sweep", "snake", "--json", "--vary", "x"],
        &["run", "--json"],
    ] {
        let output = holonomy(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(document["error"].as_str().is_some_and(|error| !error.is_empty()), "{args:?}: {document}");
    }
}

#[test]
fn other_programs_files_and_near_misses() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    for name in ["fish.fbx", "fish.blend", "fish.toml", "Dolphin.glb"] {
        fs::write(here.join(name), "").unwrap();
    }
    refused(here, &["move", "fish.fbx"], &["File > Export > glTF 2.0"]);
    refused(here, &["inspect", "fish.blend"], &["File > Export > glTF 2.0"]);
    refused(here, &["move", "fish.toml"], &["holonomy run fish.toml"]);
    refused(here, &["move", "Dolfin.glb"], &["no such", "did you mean `Dolphin.glb`"]);
}

#[test]
fn assets() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    refused(here, &["move", "gone.glb"], &["no such", "gone.glb"]);
    for name in ["a.glb", "a.gltf", "a.bvh", "a.obj"] {
        fs::write(here.join(name), "").unwrap();
        refused(here, &["move", name, "--unit", "m"], &[name]);
        refused(here, &["inspect", name], &[name]);
        fs::write(here.join(name), "this is not it\u{0}\u{1}").unwrap();
        refused(here, &["move", name, "--unit", "m"], &[name]);
    }
    let move_by = |options: &[&str], words: &[&str]| refused(here, &[&["move", "a.obj", "--unit", "m"], options].concat(), words);
    move_by(&["--law", "flow", "--medium", "mud"], &["water, air and a vacuum", "mud"]);
    move_by(&["--law", "flow", "--anisotropy", "0.3"], &["--anisotropy", "shape change"]);
    move_by(&["--density", "900"], &["--density", "--law flow"]);
    move_by(&["--surface-density", "9"], &["--surface-density", "--law flow"]);
    move_by(&["--law", "flow", "--surface-density", "-3"], &["--surface-density -3", "above 0"]);
    move_by(&["--law", "flow", "--density", "-3"], &["--density -3", "above 0"]);
    move_by(&["--law", "flow", "--density", "3", "--mass", "2kg"], &["`density` and `mass`", "keep one"]);
    move_by(&["--law", "flow", "--mass", "-5kg"], &["--mass -5kg", "above 0"]);
    move_by(&["--medium", "sand", "--gravity", "9.8"], &["--gravity", "--law least-action and flow"]);
    fs::write(here.join("picture.png"), "x").unwrap();
    refused(here, &["move", "picture.png"], &["picture.png", ".glb"]);
    fs::write(here.join("one.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    refused(here, &["move", "one.obj", "--unit", "m"], &["one.obj", "frame"]);
    fs::write(here.join("nan_1.obj"), "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(here.join("nan_2.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    refused(here, &["move", "nan_1.obj", "--unit", "m"], &["nan_1.obj"]);
    fs::write(here.join("top_1.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(here.join("top_2.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\nf 2 3 4\n").unwrap();
    refused(here, &["move", "top_1.obj", "--unit", "m"], &["top_2.obj"]);
    refused(here, &["move", "one.obj", "--fps", "-3"], &["--fps -3"]);
    refused(here, &["move", "one.obj", "--cycles", "0"], &["--cycles 0"]);
    refused(here, &["move", "one.obj", "--unit", "furlong"], &["--unit furlong"]);
    refused(here, &["move", "one.obj", "--medium", "treacle"], &["treacle", "honey"]);
}

/// `run` and `move` said "not a file name", and `inspect` read it.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_text_are_refused_by_every_verb() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let odd = |ending: &str| dir.path().join(std::ffi::OsStr::from_bytes(&[b"a\xff", ending.as_bytes()].concat()));
    holonomy(dir.path(), &["run", "snake", "--set", "cycles=1", "--quiet"]);
    for ending in ["glb", "html"] {
        fs::copy(dir.path().join(format!("out/snake.{ending}")), odd(&format!(".{ending}"))).unwrap();
    }
    fs::write(odd(".toml"), holonomy(dir.path(), &["examples", "snake"]).stdout).unwrap();
    let run = |verb: &str, file: &Path, more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_holonomy"));
        let output = command.arg(verb).arg(file).args(more).current_dir(dir.path()).output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let cases: [(&str, &str, &[&str]); 6] = [
        ("inspect", ".glb", &[]),
        ("move", ".glb", &["--medium", "sand"]),
        ("render", ".glb", &[]),
        ("view", ".html", &["--no-open"]),
        ("run", ".toml", &[]),
        ("sweep", ".toml", &["--vary", "waves=1,2"]),
    ];
    for (verb, ending, more) in cases {
        let (code, said) = run(verb, &odd(ending), more);
        assert_eq!(code, Some(2), "{verb}: {said}");
        assert!(said.contains("the name of this file is not Unicode (UTF-8)\n  fix: rename it"), "{verb}: {said}");
    }
    // The folders around it may be called anything.
    fs::create_dir(odd("")).unwrap();
    fs::copy(dir.path().join("out/snake.glb"), odd("").join("b.glb")).unwrap();
    fs::copy(odd(".toml"), odd("").join("b.toml")).unwrap();
    for (verb, file, more) in
        [("inspect", "b.glb", &[][..]), ("move", "b.glb", &["--medium", "sand"]), ("run", "b.toml", &["--set", "cycles=1"])]
    {
        let (code, said) = run(verb, &odd("").join(file), more);
        assert_eq!(code, Some(0), "{verb}: {said}");
    }
}

/// It said "File exists (os error 17)".
#[cfg(unix)]
#[test]
fn a_link_that_points_at_nothing_is_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("gone", dir.path().join("out")).unwrap();
    for out in ["out", "out/below"] {
        let output = holonomy(dir.path(), &["run", "snake", "--set", "cycles=1", "--out", out]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("out is a link to gone, which is not there") && said.contains("fix: make the folder"), "{said}");
    }
    assert_eq!(files(dir.path()), ["out"]);
}
