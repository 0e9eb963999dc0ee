//! Memory: estimates against measured peaks, and what happens where there is too little.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use holonomy_scene::examples;
use holonomy_scene::job::Job;
use holonomy_scene::scene::{Scene, split_setting};

use crate::program::{files, text};

/// Runs the program in `folder` with no more than so many megabytes of addresses.
fn within(megabytes: u64, folder: &Path, args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_holonomy");
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", megabytes * 1024);
    let mut command = Command::new("sh");
    command.args(["-c", &script, program]).args(args).current_dir(folder).env("RAYON_NUM_THREADS", "2");
    command.output().expect("the program starts")
}

/// Asserts that there is not memory enough, in words and as JSON, and that nothing is left behind.
fn refused(megabytes: u64, folder: &Path, args: &[&str]) -> String {
    let before = files(folder);
    let output = within(megabytes, folder, args);
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {:?} {said}", output.status);
    assert!(said.contains("memory"), "{args:?}: {said}");
    assert_eq!(files(folder), before, "{args:?}");
    if args.contains(&"--json") {
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON document");
        assert!(document["error"].as_str().is_some_and(|error| error.contains("memory")), "{args:?}: {document}");
    }
    said
}

/// A chain of joints without channels below a root with six.
fn chain(joints: usize) -> String {
    let below: String = (0..joints).map(|i| format!("JOINT j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n")).collect();
    let closed = "}\n".repeat(joints + 2);
    let root = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n";
    format!("{root}{below}End Site\n{{\nOFFSET 0 1 0\n{closed}MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0\n0 1 0 0 10 0\n")
}

/// A triangle whose one track of 1000 keys is named by so many channels.
fn channels(count: usize) -> Vec<u8> {
    let bytes: Vec<u8> = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .into_iter()
        .chain((0..1000).map(|k| k as f32 * 0.01))
        .chain((0..4000).map(|k| if k % 4 == 3 { 1.0 } else { 0.0 }))
        .flat_map(f32::to_le_bytes)
        .collect();
    let channel = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}";
    let mut json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[0]}}],\"scene\":0,\"nodes\":[{{\"mesh\":0}}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\"buffers\":[{{\"byteLength\":{}}}],\"bufferViews\":[\
         {{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36}},{{\"buffer\":0,\"byteOffset\":36,\"byteLength\":4000}},\
         {{\"buffer\":0,\"byteOffset\":4036,\"byteLength\":16000}}],\"accessors\":[\
         {{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}},\
         {{\"bufferView\":1,\"componentType\":5126,\"count\":1000,\"type\":\"SCALAR\"}},\
         {{\"bufferView\":2,\"componentType\":5126,\"count\":1000,\"type\":\"VEC4\"}}],\
         \"animations\":[{{\"samplers\":[{{\"input\":1,\"output\":2}}],\"channels\":[{}]}}]}}",
        bytes.len(),
        vec![channel; count].join(",")
    );
    json += &" ".repeat(json.len().next_multiple_of(4) - json.len());
    let words = |numbers: [u32; 2]| numbers.map(u32::to_le_bytes).concat();
    let total = 12 + 8 + json.len() + 8 + bytes.len();
    let header = [b"glTF".to_vec(), words([2, total as u32]), words([json.len() as u32, 0x4E4F_534A])].concat();
    [header, json.into_bytes(), words([bytes.len() as u32, 0x004E_4942]), bytes].concat()
}

/// All of these ended in an abort: exit code 134, no JSON, and hidden files left behind.
#[test]
fn what_does_not_fit_is_refused_in_words_and_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    // Joints and channels.
    fs::write(here.join("chain.bvh"), chain(40_000)).unwrap();
    let said = refused(2000, here, &["move", "chain.bvh", "--unit", "m", "--medium", "sand", "--json"]);
    assert!(said.contains("40002"), "{said}");
    fs::write(here.join("many.glb"), channels(20_000)).unwrap();
    let said = refused(1000, here, &["inspect", "many.glb", "--json"]);
    assert!(said.contains("20000 channels"), "{said}");
    // The rows of a file.
    let rows = format!("{}{}", chain(1).replace("Frames: 2", "Frames: 2000002"), "0 0 0 0 0 0\n".repeat(2_000_000));
    fs::write(here.join("long.bvh"), rows).unwrap();
    let said = refused(250, here, &["inspect", "long.bvh", "--json"]);
    assert!(said.contains("2000002 frames of 6 channels"), "{said}");
    // A still's triangles, and the outputs.
    let said = refused(800, here, &["run", "snake", "--set", "vertices=30000", "--set", "cycles=1", "--json"]);
    assert!(said.contains("fewer vertices"), "{said}");
    // Pixels.
    assert_eq!(within(4000, here, &["run", "snake", "--set", "cycles=1", "--quiet"]).status.code(), Some(0));
    for out in ["film.gif", "film.apng", "frames", "still.png"] {
        let said = refused(1000, here, &["render", "out/snake.glb", "--size", "8192x8192", "--fps", "1", "--out", out]);
        assert!(said.contains("8192 × 8192"), "{said}");
    }
}

/// It was known after 0.1 s of 82, and 7.6 GB later.
#[test]
fn a_rig_of_more_joints_than_a_skin_has_is_refused_as_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("chain.bvh"), chain(66_000)).unwrap();
    for args in [&["inspect", "chain.bvh"][..], &["move", "chain.bvh", "--unit", "m"]] {
        let output = within(400, dir.path(), args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("line ") && said.contains("65535"), "{said}");
    }
}

/// Wherever memory ends, the program ends in words. Estimates are of large things; here it is the
/// program itself that does not fit.
#[test]
fn under_no_limit_is_there_an_abort() {
    let dir = tempfile::tempdir().unwrap();
    let mut ran_out = 0;
    for megabytes in (24..=240).step_by(12) {
        let output = within(megabytes, dir.path(), &["run", "snake", "--json", "--set", "cycles=1", "--set", "vertices=300"]);
        let said = text(&output.stderr);
        // The C library may say "Fatal glibc error" as it starts.
        if output.stdout.is_empty() && !said.lines().any(|line| line.starts_with("error: ")) {
            assert!(megabytes < 100, "{megabytes}: {said}");
            continue; // the system could not even start it
        }
        assert!(matches!(output.status.code(), Some(0..=2)), "{megabytes}: {:?} {said}", output.status);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{megabytes}: {said}"));
        assert_eq!(document["error"].is_string(), output.status.code() != Some(0), "{document}");
        ran_out += usize::from(said.contains("out of memory"));
    }
    eprintln!("{ran_out} limits were met by the allocator, the others by an estimate");
}

/// Estimates are of what a scene asks for. The allocator ends the program where anything else does
/// not fit: here the parser's lists.
#[test]
fn where_an_allocation_fails_after_all_there_is_a_json_document_and_exit_code_1() {
    let dir = tempfile::tempdir().unwrap();
    let deep = format!("title = \"t\"\nx = [{}]\n", "[],".repeat(300_000));
    fs::write(dir.path().join("wide.toml"), deep).unwrap();
    let mut ends = Vec::new();
    for megabytes in (30..=200).step_by(10) {
        let output = within(megabytes, dir.path(), &["run", "wide.toml", "--json"]);
        let said = text(&output.stderr);
        assert!(output.status.code().is_some(), "{megabytes}: killed by a signal: {:?} {said}", output.status);
        if said.contains("out of memory") {
            assert_eq!(output.status.code(), Some(1), "{said}");
            let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(document["error"].as_str().unwrap().contains("could not be had"), "{document}");
            ends.push(megabytes);
        }
    }
    assert!(!ends.is_empty(), "no limit was too little for it");
}

/// The peak of a run, bytes, if it went well.
fn peak(folder: &Path, args: &[&str]) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
    command.args(args).current_dir(folder).env("RAYON_NUM_THREADS", "2").stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = command.spawn().expect("the program starts");
    let mut most = 0;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|rest| rest.trim().strip_suffix("kB"));
        most = most.max(peak.and_then(|peak| peak.trim().parse::<u64>().ok()).unwrap_or(0) * 1024);
        if let Some(status) = program.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    };
    assert!(status.code().is_some_and(|code| code < 2), "{args:?}: {status}");
    most
}

/// Peaks of the machine that this was measured on stand beside the runs, MB. An estimate that is
/// too low lets a run be killed; one that is far too high refuses what would have run. Of small
/// runs the program itself is most.
#[test]
fn estimates_are_no_less_than_the_peak_and_not_far_above() {
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (example, set) in CASES {
        let settings: Vec<_> = set.iter().map(|text| split_setting(text).unwrap()).collect();
        let text = examples::find(example).unwrap().text;
        let scene = Scene::with_overrides(text, example, &settings).unwrap();
        let estimate = || Job::prepare(example, scene, Path::new("")).unwrap().memory();
        let estimate = two.install(estimate);
        let args = ["run", example, "--quiet"].into_iter();
        let args: Vec<&str> = args.chain(set.iter().flat_map(|one| ["--set", one])).collect();
        let peak = peak(dir.path(), &args);
        let ratio = estimate as f64 / peak as f64;
        let (least, most) = (peak / 1_000_000, estimate / 1_000_000);
        let said = format!("{example} {set:?}: peak {least} MB, estimate {most} MB, {ratio:.2} times");
        eprintln!("{said}");
        if ratio < 1.0 || ratio > 2.5 && peak > LARGE {
            wrong.push(said);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Bytes of a run that is no longer small.
const LARGE: u64 = 300_000_000;

const CASES: &[(&str, &[&str])] = &[
    ("snake", &["vertices=30000", "cycles=1"]),
    ("snake", &["vertices=5000", "cycles=1", "fps=240"]),
    ("snake", &["vertices=1500", "cycles=1", "fps=800"]),
    ("snake", &["vertices=300", "cycles=1", "fps=3000"]),
    ("snake", &["vertices=60", "cycles=800"]),
    ("diver", &["fps=3000"]),
    ("stingray", &[]),
    ("centipede-blob", &["duration=2"]),
    ("amphibious", &[]),
    ("zeppelin", &[]),
    ("underwater", &[]),
    ("maple-seed", &["fps=1000"]),
];
