//! `holonomy examples`: looking for examples, and the gallery; stopped and gone on with.

use std::fs;
use std::path::Path;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::program::{begun, interrupt};
use crate::program::{files, holonomy, text};

#[test]
fn words_find_examples() {
    let dir = tempfile::tempdir().unwrap();
    let find = |words: &[&str]| {
        let output = holonomy(dir.path(), &[&["examples"], words].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let swim = find(&["SWIM"]);
    for word in ["shape-change\n", "\nflow\n", "\ncreature\n", "  swimmer ", "  eel ", "  race-frequency "] {
        assert!(swim.contains(word), "no `{word}` in\n{swim}");
    }
    assert!(!swim.contains("\nplan\n") && !swim.contains("  cat "), "{swim}");
    let both = find(&["swim", "turn"]);
    assert!(both.contains("swimmer-turn") && both.len() < swim.len(), "all words count:\n{both}");
    let flow = find(&["flow"]);
    assert!(
        flow.starts_with("flow\n") && flow.contains("  leaves ") && !flow.contains("\nvehicle\n"),
        "a system stands for its own:\n{flow}"
    );
    assert!(find(&["snake"]).contains("[body.snake]"), "a name prints the scene file, whatever else has that word");
}

#[test]
fn words_that_nothing_has() {
    let dir = tempfile::tempdir().unwrap();
    for (words, near) in [(&["snaek"][..], "did you mean `snake`"), (&["centipede", "walsk"], "did you mean `walks`")] {
        let output = holonomy(dir.path(), &[&["examples"], words].concat());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
        assert!(text(&output.stderr).contains(near), "{}", text(&output.stderr));
    }
    let output = holonomy(dir.path(), &["examples", "qqqq", "--json"]);
    assert!(document(&output.stdout)["error"].as_str().is_some_and(|error| error.contains("qqqq")));
}

#[test]
fn lists_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let all = document(&holonomy(dir.path(), &["examples", "--json"]).stdout);
    let all = all["examples"].as_array().unwrap();
    assert!(all.len() > 60 && all.iter().all(|one| ["name", "system", "title", "description"].iter().all(|key| one[key].is_string())));
    let one = document(&holonomy(dir.path(), &["examples", "snake", "--json"]).stdout);
    assert!(one["examples"][0]["scene"].as_str().is_some_and(|scene| scene.contains("[body.snake]")));
}

#[test]
fn a_gallery_shows_every_example_and_is_made_once() {
    let dir = tempfile::tempdir().unwrap();
    let make = |more: &[&str]| holonomy(dir.path(), &[&["examples", "purcell", "--gallery", "shown"], more].concat());
    let first = make(&[]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let names = ["scallop", "three-link"];
    let page = fs::read_to_string(dir.path().join("shown/index.html")).unwrap();
    for name in names {
        for part in [format!("src=\"{name}.png\""), format!("href=\"{name}.html\""), format!("<code>holonomy run {name}</code>")] {
            assert!(page.contains(&part), "no `{part}` in\n{page}");
        }
        assert!(files(&dir.path().join("shown")).contains(&format!("{name}.glb")));
    }
    assert!(page.contains("checks pass") && !page.contains("{{"), "{page}");
    assert!(text(&first.stdout).contains("; 0 were there already"), "{}", text(&first.stdout));
    let again = make(&[]);
    assert!(text(&again.stdout).contains("2 examples done; 2 were there already"), "{}", text(&again.stdout));
    assert_eq!(text(&again.stderr), "", "nothing ran");
    assert_eq!(fs::read_to_string(dir.path().join("shown/index.html")).unwrap(), page);
    // Another run in the same folder is not that of the example, nor is one with a file missing.
    holonomy(dir.path(), &["run", "scallop", "--set", "cycles=2", "--quiet", "--out", "shown"]);
    fs::remove_file(dir.path().join("shown/three-link.png")).unwrap();
    assert!(text(&make(&[]).stdout).contains("; 0 were there already"));
    // What an earlier run did not complete is gone once it is.
    fs::write(dir.path().join("shown/scallop.partial.html"), "outdated").unwrap();
    fs::remove_file(dir.path().join("shown/scallop.png")).unwrap();
    let quiet = make(&["--quiet"]);
    assert!(!files(&dir.path().join("shown")).contains(&"scallop.partial.html".into()));
    assert_eq!((quiet.status.code(), quiet.stdout.len(), quiet.stderr.len()), (Some(0), 0, 0));
}

/// Before, the page of a folder of two was left with the one that ran last.
#[test]
fn a_gallery_keeps_what_is_in_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let make = |word: &str| text(&holonomy(dir.path(), &["examples", word, "--gallery", "shown"]).stdout);
    make("three-link");
    let said = make("scallop");
    assert!(said.contains("1 examples done") && said.contains("with 1 more that were in the folder"), "{said}");
    let page = page(dir.path());
    assert!(page.contains("src=\"three-link.png\"") && page.contains("src=\"scallop.png\""), "{page}");
    assert!(page.contains("2 examples done"), "{page}");
}

#[test]
fn a_gallery_skips_what_needs_a_mesh_and_tells_what_failed() {
    let dir = tempfile::tempdir().unwrap();
    let make = || holonomy(dir.path(), &["examples", "fish", "--gallery", "shown", "--json"]);
    let output = make();
    let said = document(&output.stdout);
    assert_eq!((output.status.code(), &said["examples"][0]["state"]), (Some(0), &"skipped".into()), "{said}");
    assert!(page(dir.path()).contains("needs a mesh of yours"));
    fs::write(dir.path().join("fish.glb"), "no fish").unwrap();
    let output = make();
    let said = document(&output.stdout);
    assert_eq!((output.status.code(), &said["examples"][0]["state"], &said["failed"]), (Some(1), &"failed".into(), &1.into()), "{said}");
    assert!(page(dir.path()).contains("class=\"failed\""));
}

/// Ctrl-C while a long example runs: the page is there, no half results are, and the same command goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_gallery_that_is_stopped_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["examples", "amphibious", "--gallery", "shown"];
    let child = begun(dir.path(), &args);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("goes on from here"), "{}", text(&output.stdout));
    assert_eq!(files(&dir.path().join("shown")), ["index.html"]);
    assert!(page(dir.path()).contains("not run yet"));
}

fn document(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn page(folder: &Path) -> String {
    fs::read_to_string(folder.join("shown/index.html")).unwrap()
}
