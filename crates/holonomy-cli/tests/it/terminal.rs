//! What a terminal obeys, in names of clips, joints and files, and in arguments, is printed so
//! that it can be seen and does nothing.

use std::fs;
use std::path::Path;

use crate::program::{holonomy, text};

/// Sets the title, clears the screen, C1's way of an escape, DEL, a line that looks like ours, a
/// text from right to left.
const BAD: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[2J\u{9b}31m\u{7f}x\nerror: y\u{202e}z\u{2066}";

fn runs(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = holonomy(folder, args);
    let all = text(&output.stdout) + &text(&output.stderr);
    for bad in ['\u{1b}', '\u{7}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}', '\r'] {
        assert!(!all.contains(bad), "{args:?}: {bad:?} in\n{all:?}");
    }
    (output.status.code(), all)
}

/// The glTF with its first animation called otherwise.
fn with_clip_called(glb: &[u8], name: &str) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + word(12);
    let mut json: serde_json::Value = serde_json::from_slice(&glb[20..end]).unwrap();
    json["animations"][0]["name"] = name.into();
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut new = glb[..8].to_vec();
    new.extend(((20 + text.len() + glb.len() - end) as u32).to_le_bytes());
    new.extend((text.len() as u32).to_le_bytes());
    new.extend(&glb[16..20]);
    new.extend(text);
    new.extend(&glb[end..]);
    new
}

#[test]
fn names_of_clips() {
    let dir = tempfile::tempdir().unwrap();
    holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
    let glb = fs::read(dir.path().join("out/snake.glb")).unwrap();
    fs::write(dir.path().join("bad.glb"), with_clip_called(&glb, BAD)).unwrap();
    let seen = "\\u{1b}]0;PWNED\\u{7}\\u{1b}[2J\\u{9b}31m\\u{7f}x\\nerror: y\\u{202e}z\\u{2066}";
    let (code, said) = runs(dir.path(), &["inspect", "bad.glb"]);
    assert!(code == Some(0) && said.contains(seen), "{said}");
    let (code, said) = runs(dir.path(), &["move", "bad.glb", "--clip", "none"]);
    assert!(code == Some(2) && said.contains(&format!("clips: {seen}")), "{said}");
    assert!(said.lines().all(|line| !line.starts_with("error: y")), "no line of its own: {said}");
    let (code, said) = runs(dir.path(), &["move", "bad.glb", "--medium", "sand"]);
    assert_eq!(code, Some(0), "{said}");
    // A document says the same in JSON's way.
    let output = holonomy(dir.path(), &["inspect", "bad.glb", "--json"]);
    runs(dir.path(), &["inspect", "bad.glb", "--json"]);
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(facts["clips"][0]["name"] == BAD, "{facts}");
}

#[test]
fn names_of_joints() {
    let dir = tempfile::tempdir().unwrap();
    let joint = BAD.replace(['\n', ' '], "_");
    let motion = "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0 1 0 0\n0 0 0 0 0 9 0 1 0\n";
    let bvh = format!(
        "HIERARCHY\nROOT hip\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nJOINT {joint}\n{{\n\
         OFFSET 0 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET 0 10 0\n}}\n}}\n}}\n{motion}"
    );
    fs::write(dir.path().join("a.bvh"), &bvh).unwrap();
    let (code, said) = runs(dir.path(), &["inspect", "a.bvh"]);
    assert!(code == Some(0) && said.contains("\\u{1b}]0;PWNED"), "{said}");
    fs::write(dir.path().join("b.bvh"), bvh.replace("OFFSET 0 10 0\nCHANNELS 3", "CHANNELS 3")).unwrap();
    let (code, said) = runs(dir.path(), &["inspect", "b.bvh"]);
    assert!(code == Some(2) && said.contains("\\u{1b}]0;PWNED"), "{said}");
}

#[cfg(unix)]
#[test]
fn names_of_files_and_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let scene = format!("{BAD}.toml");
    fs::write(dir.path().join(&scene), "title = \"s\"\n[body.snake]\n[system.shape-change]\n[time]\ncycles = 1\n").unwrap();
    let (code, said) = runs(dir.path(), &["run", &scene]);
    assert!(code == Some(0) && said.contains("\\u{1b}]0;PWNED"), "{said}");
    assert!(said.lines().all(|line| !line.starts_with("error: y")), "{said}");
    runs(dir.path(), &["run", &scene, "--json"]);
    let (code, said) = runs(dir.path(), &["inspect", &format!("{BAD}.glb")]);
    assert!(code == Some(2) && said.contains("no such file: \\u{1b}]0;"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    for args in [
        &["run", "snake", "--set", BAD][..],
        &[BAD],
        &["run", "snake", BAD],
        &["move", "a.glb", "--medium", BAD],
        &["run", &format!("--{BAD}")],
    ] {
        let (code, said) = runs(dir.path(), args);
        assert!(code == Some(2) && said.contains("PWNED"), "{args:?}: {said}");
    }
    runs(dir.path(), &["run", "snake", "--json", BAD]);
}
