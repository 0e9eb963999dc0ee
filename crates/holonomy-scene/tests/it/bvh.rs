//! BVH: closed forms, an independent forward kinematics, real captures, broken files.

use std::fmt::Write as _;
use std::path::PathBuf;

use holonomy::nalgebra::{Matrix3, Vector3};
use holonomy::shape::{Clip, Playback, Topology};
use holonomy_scene::Error;
use holonomy_scene::asset::bvh::{BvhAsset, CMU_UNIT};
use holonomy_scene::asset::{ClipOptions, SampledClip, Up};

use crate::random::Random;

/// The folder of shared data, if it is there.
pub fn data(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("HOLONOMY_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")));
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no data at {}", path.display());
    None
}

/// All captures.
pub fn captures() -> Vec<PathBuf> {
    let Some(folder) = data("mocap") else { return Vec::new() };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "bvh"));
    paths.sort();
    paths
}

pub fn metres() -> ClipOptions {
    ClipOptions { unit: Some(1.0), ..ClipOptions::default() }
}

fn sample(text: &str, options: &ClipOptions) -> SampledClip {
    BvhAsset::from_text(text, "test.bvh").unwrap().sample(options).unwrap()
}

/// World position of vertex `v` in frame `k`.
pub fn placed(sampled: &SampledClip, k: usize, v: usize) -> Vector3<f64> {
    sampled.recorded.as_ref().unwrap()[k].act(&sampled.clip.frame(k)[v])
}

/// Largest change of any bone's length from frame 0.
fn length_change(clip: &Clip) -> f64 {
    let Topology::Rig(rig) = clip.topology() else { panic!("not a rig") };
    let length = |k: usize, v: usize| rig.joints[v].parent.map_or(0.0, |p| (clip.frame(k)[v] - clip.frame(k)[p]).norm());
    let changes = (0..clip.frames()).flat_map(|k| (0..clip.vertices()).map(move |v| (k, v)));
    changes.map(|(k, v)| (length(k, v) - length(0, v)).abs()).fold(0.0, f64::max)
}

/// Rotation by `degrees` about axis 0, 1, 2, from the textbook.
fn turn(axis: usize, degrees: f64) -> Matrix3<f64> {
    let (s, c) = degrees.to_radians().sin_cos();
    match axis {
        0 => Matrix3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c),
        1 => Matrix3::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c),
        _ => Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0),
    }
}

const ARM: &str = "HIERARCHY\nROOT base\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT upper arm\n {\n  OFFSET 0 0 0\n  CHANNELS 1 Zrotation\n  JOINT Ellbögen\n  {\n   OFFSET 2 0 0\n   CHANNELS 1 zROTATION\n   End Site\n   {\n    OFFSET 1 0 0\n   }\n  }\n }\n}\nMOTION\nFrames: 3\nFrame Time: .25\n0 0 0 0 0 0 0 0\n1 2 3 0 0 0 30 60\n1 2 4 90 0 0 45 -90\n";

#[test]
fn two_bone_arm_is_where_trigonometry_says() {
    let arm = sample(ARM, &metres());
    let Topology::Rig(rig) = arm.clip.topology() else { panic!("not a rig") };
    let names: Vec<&str> = rig.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["base", "upper arm", "Ellbögen", "Ellbögen_end"]);
    assert_eq!(rig.bones.iter().map(|b| (b.from, b.to)).collect::<Vec<_>>(), [(1, 2), (2, 3)], "zero-length bones carry no mass");
    assert_eq!((arm.clip.frames(), arm.clip.dt(), arm.clip.playback()), (3, 0.25, Playback::Once));
    let (s, c) = 30f64.to_radians().sin_cos();
    let elbow = Vector3::new(2.0 * c, 2.0 * s, 0.0);
    // In the root's frame the root's own motion is gone; in frame 1 the forearm points straight up.
    assert!((arm.clip.frame(1)[2] - elbow).norm() < 1e-15);
    assert!((arm.clip.frame(1)[3] - elbow - Vector3::y()).norm() < 1e-15);
    assert!((placed(&arm, 1, 3) - elbow - Vector3::new(1.0, 3.0, 3.0)).norm() < 1e-15);
    // Frame 2: root at 90 degrees, arm at 45 more, forearm back at 45: hand at root + 2 (-√½, √½) + (√½, √½).
    let h = 0.5f64.sqrt();
    assert!((placed(&arm, 2, 3) - Vector3::new(1.0 - h, 2.0 + 3.0 * h, 4.0)).norm() < 1e-14);
    assert!(length_change(&arm.clip) < 1e-15);
}

/// It was asked how the other steps are, and there are none.
#[test]
fn one_frame_is_no_motion() {
    let mut lines: Vec<&str> = ARM.lines().collect();
    lines.truncate(lines.len() - 2);
    let text = lines.join("\n").replace("Frames: 3", "Frames: 1");
    let asset = BvhAsset::from_text(&text, "test.bvh").unwrap();
    let options = ClipOptions { unit: Some(1.0), up: Some(Up::Y), ..ClipOptions::default() };
    assert!(asset.sample(&options).unwrap_err().to_string().contains("a motion needs at least two"));
}

#[test]
fn rotations_apply_in_written_order() {
    let letters = ["X", "Y", "Z"];
    let angles = [20.0, -50.0, 130.0];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let channels = order.map(|a| format!("{}rotation", letters[a])).join(" ");
        let text = format!(
            "HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 3 {channels}\nEnd Site {{ OFFSET 1 2 3 }} }}\nMOTION\nFrames: 2\nFrame Time: 1\n{} {} {}\n0 0 0\n",
            angles[0], angles[1], angles[2]
        );
        let expected = turn(order[0], angles[0]) * turn(order[1], angles[1]) * turn(order[2], angles[2]);
        let sampled = sample(&text, &metres());
        let error = (placed(&sampled, 0, 1) - expected * Vector3::new(1.0, 2.0, 3.0)).norm();
        assert!(error < 1e-14, "{channels}: {error:e}"); // measured up to 5e-15
    }
}

/// World positions from this test's own kinematics, for a random tree written as BVH on the way.
fn random_file(random: &mut Random) -> (String, Vec<Vec<Vector3<f64>>>) {
    let count = 2 + random.below(6);
    let parents: Vec<usize> = (0..count).map(|i| if i == 0 { 0 } else { random.below(i) }).collect();
    let offsets: Vec<Vector3<f64>> = (0..count).map(|_| Vector3::from_fn(|_, _| random.range(-2.0, 2.0))).collect();
    let mut channels: Vec<Vec<(char, usize)>> = Vec::new();
    for i in 0..count {
        let kinds =
            if i == 0 { vec![('p', 0), ('p', 1), ('p', 2), ('r', 0), ('r', 1), ('r', 2)] } else { vec![('r', 0), ('r', 1), ('r', 2)] };
        let mut left = kinds;
        let take = 1 + random.below(left.len());
        channels.push((0..take).map(|_| left.remove(random.below(left.len()))).collect());
    }
    let mut order = Vec::new();
    let mut text = String::from("HIERARCHY\r\n");
    write_joint(0, &parents, &offsets, &channels, &mut order, &mut text);
    let frames = 2 + random.below(4);
    let rows: Vec<Vec<Vec<f64>>> =
        (0..frames).map(|_| order.iter().map(|&i| channels[i].iter().map(|_| random.range(-200.0, 200.0)).collect()).collect()).collect();
    write!(text, "MOTION\r\nFrames:\t{frames}\r\nFrame Time: 0.01\r\n").unwrap();
    for row in &rows {
        writeln!(text, "{}\r", row.iter().flatten().map(|v| v.to_string()).collect::<Vec<_>>().join("\t")).unwrap();
    }
    let worlds = rows.iter().map(|row| kinematics(&order, &parents, &offsets, &channels, row)).collect();
    (text, worlds)
}

fn write_joint(
    i: usize,
    parents: &[usize],
    offsets: &[Vector3<f64>],
    channels: &[Vec<(char, usize)>],
    order: &mut Vec<usize>,
    text: &mut String,
) {
    order.push(i);
    let o = offsets[i];
    let name = |&(kind, axis): &(char, usize)| format!("{}{}", ["X", "y", "Z"][axis], if kind == 'p' { "position" } else { "Rotation" });
    let list: Vec<String> = channels[i].iter().map(name).collect();
    let word = if i == 0 { "ROOT" } else { "JOINT" };
    write!(text, "{word} joint {i}\r\n{{\r\nOFFSET {} {} {}\r\nCHANNELS {} {}\r\n", o.x, o.y, o.z, list.len(), list.join(" ")).unwrap();
    let children: Vec<usize> = (1..parents.len()).filter(|&c| parents[c] == i).collect();
    children.iter().for_each(|&c| write_joint(c, parents, offsets, channels, order, text));
    text.push_str("}\r\n");
}

fn kinematics(
    order: &[usize],
    parents: &[usize],
    offsets: &[Vector3<f64>],
    channels: &[Vec<(char, usize)>],
    row: &[Vec<f64>],
) -> Vec<Vector3<f64>> {
    let mut frames = vec![(Vector3::zeros(), Matrix3::identity()); parents.len()];
    for (&i, values) in order.iter().zip(row) {
        let (mut translation, mut rotation) = (offsets[i], Matrix3::identity());
        for (&(kind, axis), &value) in channels[i].iter().zip(values) {
            if kind == 'p' { translation[axis] = value } else { rotation *= turn(axis, value) }
        }
        let (position, parent) = if i == 0 { (Vector3::zeros(), Matrix3::identity()) } else { frames[parents[i]] };
        frames[i] = (position + parent * translation, parent * rotation);
    }
    order.iter().map(|&i| frames[i].0).collect()
}

#[test]
fn random_trees_and_channel_orders_agree_with_matrices() {
    let mut random = Random(7);
    let mut worst = 0.0f64;
    for _ in 0..300 {
        let (text, worlds) = random_file(&mut random);
        let sampled = sample(&text, &metres());
        for (k, world) in worlds.iter().enumerate().take(sampled.clip.frames()) {
            for (v, expected) in world.iter().enumerate() {
                worst = worst.max((placed(&sampled, k, v) - expected).norm());
            }
        }
        assert!(length_change(&sampled.clip) < 1e-12);
    }
    assert!(worst < 3e-13, "{worst:e}"); // measured 3e-14, positions reach 350
}

#[test]
fn z_up_and_units_only_place_the_same_shape() {
    let mut random = Random(3);
    let (text, _) = random_file(&mut random);
    let y = sample(&text, &metres());
    let z = sample(&text, &ClipOptions { unit: Some(0.01), up: Some(Up::Z), ..ClipOptions::default() });
    for k in 0..y.clip.frames() {
        for v in 0..y.clip.vertices() {
            assert!((y.clip.frame(k)[v] * 0.01 - z.clip.frame(k)[v]).norm() < 1e-15);
            let p = placed(&y, k, v) * 0.01;
            assert!((Vector3::new(p.x, p.z, -p.y) - placed(&z, k, v)).norm() < 1e-13);
        }
    }
}

#[test]
fn position_channels_below_the_root_replace_or_add_to_the_offset() {
    let text = |value: &str| {
        format!(
            "HIERARCHY ROOT r {{ OFFSET 5 5 5 CHANNELS 1 Xposition JOINT a {{ OFFSET 0 10 0 CHANNELS 2 Yposition Xposition End Site {{ OFFSET 0 1 0 }} }} }}\n\
             MOTION\nFrames: 2\nFrame Time: 1\n1 {value}\n2 {value}\n"
        )
    };
    let replaced = sample(&text("11 0.5"), &metres());
    assert_eq!(placed(&replaced, 0, 0), Vector3::new(1.0, 5.0, 5.0));
    assert_eq!(replaced.clip.frame(0)[1], Vector3::new(0.5, 11.0, 0.0));
    let added = sample(&text("1 0.5"), &metres());
    assert_eq!(added.clip.frame(0)[1], Vector3::new(0.5, 11.0, 0.0));
    assert!(added.notes.iter().any(|n| n.contains("added to OFFSET")));
}

/// A pendulum of `frames` frames swinging by `angle(k)` degrees.
fn pendulum(frames: usize, angle: impl Fn(usize) -> f64) -> String {
    let rows: String = (0..frames).map(|k| format!("{} 0 0 {}\n", k, angle(k))).collect();
    format!(
        "HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition JOINT a {{ OFFSET 0 1 0 CHANNELS 1 Zrotation\nEnd Site {{ OFFSET 0 -1 0 }} }} }}\n\
         MOTION\nFrames: {frames}\nFrame Time: 0.1\n{rows}"
    )
}

#[test]
fn resampling_turns_evenly_and_keeps_bones_rigid() {
    let text = pendulum(11, |k| 12.0 * k as f64);
    let twice = sample(&text, &ClipOptions { fps: Some(20.0), ..metres() });
    assert_eq!((twice.clip.frames(), twice.clip.dt()), (21, 0.05));
    for k in 0..21 {
        let (s, c) = (6.0 * k as f64).to_radians().sin_cos();
        assert!((placed(&twice, k, 2) - Vector3::new(0.5 * k as f64 + s, 1.0 - c, 0.0)).norm() < 1e-13);
    }
    assert!(length_change(&twice.clip) < 1e-14);
    // 7 frames a second do not divide one second's 10: the end is cut by less than a frame, never stretched.
    let seven = sample(&text, &ClipOptions { fps: Some(7.0), ..metres() });
    assert_eq!((seven.clip.frames(), seven.clip.dt()), (8, 1.0 / 7.0));
    // The file's own rate, as people write it, changes nothing.
    let same = sample(&text, &ClipOptions { fps: Some(10.0001), ..metres() });
    assert_eq!(same.clip, sample(&text, &metres()).clip);
}

#[test]
fn a_clip_that_comes_back_is_a_loop_without_the_repeated_frame() {
    let text = pendulum(13, |k| 40.0 * (k as f64 * 30.0).to_radians().sin());
    let swing = sample(&text, &metres());
    assert_eq!((swing.clip.playback(), swing.clip.frames()), (Playback::Loop, 12));
    assert_eq!(swing.recorded.as_ref().unwrap().len(), 12);
    assert!((swing.clip.duration() - 1.2).abs() < 1e-12);
    // A whole number of frames fits the loop, so the period stays.
    let other = sample(&text, &ClipOptions { fps: Some(24.0), ..metres() });
    assert_eq!(other.clip.frames(), 29);
    assert!((other.clip.duration() - 1.2).abs() < 1e-12);
    let half = sample(&text, &ClipOptions { frames: Some((0, 3)), ..metres() });
    assert_eq!((half.clip.playback(), half.clip.frames()), (Playback::Once, 4));
}

#[test]
fn choices_are_asked_for_and_checked() {
    let asset = BvhAsset::from_text(ARM, "some/arm.bvh").unwrap();
    let refused = |options: ClipOptions| match asset.sample(&options) {
        Err(Error::Choice(text)) => text,
        other => panic!("{options:?} gave {other:?}"),
    };
    let unit = refused(ClipOptions::default());
    assert!(unit.contains("--unit m|cm|in|mm|<number of metres>") && unit.contains("0.0564444") && unit.contains("some/arm.bvh"), "{unit}");
    for (options, words) in [
        (ClipOptions { unit: Some(-1.0), ..metres() }, "unit"),
        (ClipOptions { unit: Some(f64::NAN), ..metres() }, "unit"),
        (ClipOptions { fps: Some(0.0), ..metres() }, "fps"),
        (ClipOptions { fps: Some(0.1), ..metres() }, "nothing changes shape"),
        (ClipOptions { frames: Some((0, 3)), ..metres() }, "from 0 to 2"),
        (ClipOptions { frames: Some((2, 1)), ..metres() }, "from 0 to 2"),
        (ClipOptions { frames: Some((1, 1)), ..metres() }, "nothing changes shape"),
        (ClipOptions { clip: Some("leg".into()), ..metres() }, "`arm`"),
    ] {
        let text = refused(options);
        assert!(text.contains(words), "{text}");
    }
    let large = asset.sample(&ClipOptions { fps: Some(1e15), ..metres() });
    assert!(matches!(large, Err(Error::TooLarge { .. })), "{large:?}");
    assert!(asset.sample(&ClipOptions { clip: Some("arm".into()), ..metres() }).is_ok());
}

#[test]
fn broken_files_are_refused_with_the_line() {
    let head = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n";
    let motion = |rows: &str| format!("{head}MOTION\nFrames: 2\nFrame Time: 1\n{rows}");
    let cases: Vec<(String, &str, &str)> = vec![
        (String::new(), "line 1", "empty"),
        ("  \n\n".into(), "line 3", "empty"),
        ("solid cube".into(), "line 1", "HIERARCHY"),
        ("HIERARCHY\nROOT r\n{\nOFFSET 0 0".into(), "line 4", "not a finite number"),
        ("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\n".into(), "line 5", "ends inside HIERARCHY: joint `r` of line 2"),
        ("HIERARCHY\nROOT r\n{\nCHANNELS 7 Xrotation\n".into(), "line 4", "CHANNELS `7`"),
        ("HIERARCHY\nROOT r\n{\nCHANNELS 99999999999999999999 Xrotation\n".into(), "line 4", "CHANNELS"),
        ("HIERARCHY\nROOT r\n{\nCHANNELS 1 Wrotation\n".into(), "line 4", "Wrotation"),
        ("HIERARCHY\nROOT r\n{\nCHANNELS 1 Xrotation\n}\nMOTION".into(), "line 5", "has no OFFSET"),
        ("HIERARCHY\nROOT r\nOFFSET 0 0 0".into(), "line 3", "no `{` after `r`"),
        ("HIERARCHY\nROOT\n{\n".into(), "line 2", "without a name"),
        (head.into(), "line 11", "ends inside HIERARCHY"),
        (head.replace("CHANNELS 1 Xrotation\n", "") + "MOTION\n", "line 10", "no joint has channels"),
        (format!("{head}ROOT s\n"), "line 11", "second ROOT"),
        (format!("{head}MOTION\nFrame Time: 1\n"), "line 12", "`Frames:`"),
        (format!("{head}MOTION\nFrames: -3\n"), "line 12", "Frames is `-3`"),
        (format!("{head}MOTION\nFrames: 2\nFrame Time: 0\n"), "line 13", "Frame Time is `0`"),
        (format!("{head}MOTION\nFrames: 2\nFrame Time: 0,01\n"), "line 13", "decimal point"),
        (format!("{head}MOTION\nFrames: 0\nFrame Time: 1\n"), "line 12", "no frames"),
        (motion("1\n"), "line 12", "says 2, but 1 rows"),
        (motion("1\n2\n3\n"), "line 12", "says 2, but 3 rows"),
        (motion("1\n2 3\n"), "line 15", "frame 1 has 2 values"),
        (motion("1\nNaN\n"), "line 15", "`NaN`"),
        (motion("1\n1e999\n"), "line 15", "`1e999`"),
        (motion("1\nabc\n"), "line 15", "`abc`"),
        // Nothing may be allocated on the word of a count.
        (format!("{head}MOTION\nFrames: 18446744073709551615\nFrame Time: 1\n1\n"), "line 12", "says 18446744073709551615, but 1"),
        (format!("{head}MOTION\nFrames: 99999999999999999999999\nFrame Time: 1\n1\n"), "line 12", "Frames is"),
    ];
    for (text, line, words) in cases {
        let error = BvhAsset::from_text(&text, "x/bad.bvh").expect_err(&text).to_string();
        assert!(error.contains(&format!("x/bad.bvh: {line}:")) && error.contains(words), "{text:?}\n gave {error}");
    }
}

/// It was found when the result was to be written: after 82 s, and 7.6 GB.
#[test]
fn more_joints_than_a_skin_can_have_are_refused_where_they_stand() {
    let chain = |joints: usize| {
        let below = "JOINT j\n{\nOFFSET 0 1 0\n".repeat(joints - 1);
        format!(
            "HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{below}{}MOTION\nFrames: 1\nFrame Time: 1\n0\n",
            "}\n".repeat(joints)
        )
    };
    let most = 65_535;
    assert_eq!(BvhAsset::from_text(&chain(most), "long.bvh").unwrap().describe().joints.len(), most);
    let error = BvhAsset::from_text(&chain(most + 1), "long.bvh").unwrap_err().to_string();
    // Five lines up to the first of them, three for each.
    assert!(error.contains(&format!("line {}", 5 + 3 * (most - 1) + 2)) && error.contains("65535"), "{error}");
}

#[test]
fn numbers_too_large_are_errors_not_infinities() {
    for (offset, value) in [("1e308 1e308 0", "0"), ("0 1 0", "1e308"), ("1e308 0 0", "1e308")] {
        let text = format!(
            "HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 2 Xposition Zrotation JOINT a {{ OFFSET {offset} CHANNELS 1 Zrotation\nEnd Site {{ OFFSET {offset} }} }} }}\n\
             MOTION\nFrames: 3\nFrame Time: 1\n{value} 1e308 3\n0 2 9\n1 2 3\n"
        );
        let asset = BvhAsset::from_text(&text, "huge.bvh").unwrap();
        asset.describe();
        let result = asset.sample(&ClipOptions { unit: Some(1e10), ..ClipOptions::default() });
        assert!(result.is_err(), "{offset} {value}: {result:?}");
    }
    // Deep nesting needs no call stack.
    let deep = "HIERARCHY ROOT r { OFFSET 0 1 0 CHANNELS 1 Xrotation ".to_string()
        + &"JOINT a\n{ OFFSET 0 1 0 ".repeat(50_000)
        + &"}".repeat(50_001)
        + "\nMOTION\nFrames: 2\nFrame Time: 1\n1\n2\n";
    let chain = sample(&deep, &metres());
    assert_eq!(chain.clip.vertices(), 50_001);
}

#[test]
fn captures_sample_and_reproduce_the_world() {
    for path in captures() {
        let asset = BvhAsset::open(&path).unwrap();
        let about = asset.describe();
        assert!(about.looks_human && about.up_guess == "y" && about.joints.len() == 38 && about.channels == 96, "{about:?}");
        assert!(
            about.notes.iter().any(|n| n.contains("CMU")) && about.notes.iter().any(|n| n.contains("--frames 1..")),
            "{:?}",
            about.notes
        );
        let height = about.height * CMU_UNIT;
        let facts = serde_json::to_value(&about).unwrap();
        assert_eq!((facts["metres_if_cm"].as_f64(), facts.get("heights")), (Some(0.01 * about.height), None), "each has a key of its own");
        assert!((1.25..1.6).contains(&height), "{height}"); // measured 1.31 to 1.50 m: crouching counts, and chest and skull have no full bones
        serde_json::to_string(&about).unwrap();
        let sampled = asset.sample(&ClipOptions { unit: Some(CMU_UNIT), ..ClipOptions::default() }).unwrap();
        assert_eq!((sampled.clip.frames(), sampled.clip.dt()), (about.frames, about.frame_time));
        assert!(length_change(&sampled.clip) < 1e-9); // measured 1e-15
        let text = std::fs::read_to_string(&path).unwrap();
        let worst = difference_to_own_reading(&text, &sampled);
        assert!(worst < 1e-13, "{}: {worst:e}", path.display()); // measured 3e-15 m
        // Asked for centimetres, as the issue's command does, it works as well.
        asset.sample(&ClipOptions { unit: Some(0.01), up: Some(Up::Y), ..ClipOptions::default() }).unwrap();
    }
}

/// Reads a tidy file with a few lines of its own and compares all world positions, metres.
fn difference_to_own_reading(text: &str, sampled: &SampledClip) -> f64 {
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let (mut parents, mut offsets, mut channels) = (Vec::new(), Vec::new(), Vec::<Vec<(char, usize)>>::new());
    let (mut open, mut words) = (Vec::new(), hierarchy.split_whitespace());
    while let Some(word) = words.next() {
        match word {
            "ROOT" | "JOINT" | "End" => {
                parents.push(open.last().copied().unwrap_or(0));
                channels.push(Vec::new());
            }
            "{" => open.push(parents.len() - 1),
            "}" => drop(open.pop()),
            "OFFSET" => offsets.push(Vector3::from_fn(|_, _| words.next().unwrap().parse().unwrap())),
            "CHANNELS" => {
                let count: usize = words.next().unwrap().parse().unwrap();
                let channel = |w: &str| (w[1..2].parse().unwrap(), (w.as_bytes()[0] - b'X') as usize);
                *channels.last_mut().unwrap() = words.by_ref().take(count).map(channel).collect();
            }
            _ => {}
        }
    }
    let order: Vec<usize> = (0..parents.len()).collect();
    let mut worst = 0.0f64;
    for (k, line) in motion.lines().skip(3).filter(|l| !l.trim().is_empty()).enumerate() {
        let mut values = line.split_whitespace().map(|w| w.parse::<f64>().unwrap());
        let row: Vec<Vec<f64>> = channels.iter().map(|c| values.by_ref().take(c.len()).collect()).collect();
        for (v, p) in kinematics(&order, &parents, &offsets, &channels, &row).iter().enumerate() {
            worst = worst.max((p * CMU_UNIT - placed(sampled, k, v)).norm());
        }
    }
    worst
}

/// Breaks a text in one to three places: bytes or digits changed, cut out, doubled, or words put in.
pub fn mutate(text: &str, words: &[&str], random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        let to = (at + random.below(30)).min(bytes.len());
        match random.below(10) {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|b| *b = (*b).wrapping_add(1 + (at % 250) as u8)),
            1 => drop(bytes.drain(at..to)),
            2 => bytes.truncate(at),
            3 => {
                let piece = bytes[at..to].to_vec();
                bytes.splice(at..at, piece);
            }
            // A digit for a digit, so that many texts stay readable.
            4..=7 => bytes.iter_mut().skip(at).find(|b| b.is_ascii_digit()).into_iter().for_each(|b| *b = b'0' + (at % 10) as u8),
            _ => drop(bytes.splice(at..at, words[random.below(words.len())].bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_files_never_panic() {
    let words = [
        " { ",
        " } ",
        "\nJOINT x\n{\n",
        "End Site",
        " CHANNELS 3 ",
        "Xrotation",
        "Yposition ",
        " -1 ",
        " 1e308 ",
        " nan ",
        " 0 ",
        "\nMOTION\n",
        "Frames: 9999999999",
        "Frame Time: 1e-300",
        "\r",
        "\t",
        "é{",
        "OFFSET 1 2 3\n",
        "\u{feff}",
        "ROOT q",
    ];
    let mut random = Random(2024);
    let (other, _) = random_file(&mut Random(5));
    let (mut read, mut sampled) = (0, 0);
    for seed in [ARM, &pendulum(5, |k| k as f64), &other] {
        for _ in 0..2000 {
            let text = mutate(seed, &words, &mut random);
            let Ok(asset) = BvhAsset::from_text(&text, "fuzz.bvh") else { continue };
            read += 1;
            asset.describe();
            let fps = (random.below(2) == 0).then_some(33.0);
            let frames = (random.below(3) == 0).then_some((random.below(3), random.below(5)));
            if let Ok(clip) = asset.sample(&ClipOptions { fps, frames, ..metres() }) {
                sampled += 1;
                assert!(clip.recorded.unwrap().iter().all(|p| p.translation.iter().all(|x| x.is_finite())));
            }
        }
    }
    // Enough of them stay readable to reach the sampling code: measured 1210 and 774 of 6000.
    assert!(read > 600 && sampled > 400, "{read} {sampled}");
}
