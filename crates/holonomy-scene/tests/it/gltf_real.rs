//! Every sample file, every clip: reads, and carries world motion without losing anything.

use std::path::PathBuf;

use holonomy::lie::Pose;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Playback, Topology};
use holonomy_scene::asset::gltf::{GltfAsset, Target, WorldClip};
use holonomy_scene::asset::{ClipOptions, SampledClip};
use serde_json::value::RawValue;

use super::gltf_build::{data, parts, smooth_poses};

fn files() -> Vec<PathBuf> {
    let Some(data) = data() else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(data.join("glb")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn options(clip: &str) -> ClipOptions {
    ClipOptions { clip: Some(clip.to_owned()), ..ClipOptions::default() }
}

#[test]
fn every_file_is_described_and_every_clip_sampled() {
    for path in files() {
        let asset = GltfAsset::open(&path).unwrap();
        let description = asset.describe().unwrap();
        assert!(description.triangles > 0 && description.welded_vertices <= description.vertices, "{path:?}");
        assert_eq!(description.clips.len(), asset.clip_names().len());
        for clip in asset.clip_names() {
            let sampled = asset.sample(&options(&clip)).unwrap();
            let Topology::Surface { faces } = sampled.clip.topology() else { panic!("no surface") };
            assert!(!faces.is_empty() && sampled.clip.frames() >= 2);
            let described = description.clips.iter().find(|c| c.name == clip).unwrap();
            let closing = sampled.clip.duration() - described.duration; // at most one key
            assert!(closing > -1e-9 && closing <= 0.1 && (closing < 1e-9 || sampled.notes.iter().any(|note| note.contains("closed"))));
            assert_eq!(described.loops, sampled.clip.playback() == Playback::Loop);
        }
    }
}

/// Facts that other tools report of these files (Blender's importer, three.js).
#[test]
fn known_facts_of_the_samples() {
    if files().is_empty() {
        return;
    }
    let folder = data().unwrap().join("glb");
    let describe = |name: &str| GltfAsset::open(&folder.join(name)).unwrap().describe().unwrap();
    let fox = describe("Fox.glb");
    assert_eq!((fox.triangles, fox.skins[0].joints, fox.clips.len()), (576, 24, 3));
    assert!(fox.notes.iter().any(|note| note.contains("--unit cm")), "{:?}", fox.notes);
    assert!(fox.clips.iter().all(|clip| clip.loops), "{:?}", fox.clips);
    let robot = describe("RobotExpressive.glb");
    assert_eq!((robot.skins.len(), robot.morph_targets, robot.clips.len()), (2, 3, 14));
    let default = |name: &str| GltfAsset::open(&folder.join(name)).unwrap().sample(&ClipOptions::default()).unwrap();
    assert_eq!(default("Fox.glb").name, "Walk");
    assert_eq!(default("RobotExpressive.glb").name, "Running");
    assert_eq!(default("Snake.glb").name, "SnakeArmature|Snake_Walk");
    assert_eq!(default("Dolphin.glb").clip.playback(), Playback::Loop);
    // The walk of RobotExpressive is in place; SimpleSkin's cylinder stands on its root.
    assert!(default("SimpleSkin.gltf").recorded.is_none());
}

/// The key test: the new clip, read back, shows each frame of the old one where the pose puts it. With HOLONOMY_GLTF_OUT set to a
/// folder, every clip is written for every target there, for `tools/validate-gltf.mjs` and `tools/check-blender.py`.
#[test]
fn world_clip_shows_the_shape_at_its_pose() {
    let out = std::env::var_os("HOLONOMY_GLTF_OUT").map(PathBuf::from);
    let thorough = out.is_some();
    let mut worst: f64 = 0.0;
    for path in files() {
        let asset = GltfAsset::open(&path).unwrap();
        for clip in asset.clip_names() {
            let sampled = asset.sample(&options(&clip)).unwrap();
            for target in [Target::Node, Target::Unreal, Target::Unity, Target::Godot, Target::Bevy] {
                for cycles in [1, 3] {
                    // The clips of a file differ little in what they ask of the targets: the whole product for the first only.
                    let first = asset.clip_names().first() == Some(&clip);
                    if !first && !thorough && (target != Target::Godot || cycles != 3) {
                        continue;
                    }
                    let (glb, error) = round_trip(&asset, &sampled, &options(&clip), target, cycles);
                    assert!(error < 1e-5, "{path:?} {clip} {target:?} x{cycles}: {error:e}"); // measured 3.4e-6, f32 in the file
                    worst = worst.max(error);
                    if let Some(out) = &out {
                        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
                        let clip = clip.replace(['|', ' '], "_");
                        std::fs::write(out.join(format!("{stem}-{clip}-{target:?}-{cycles}.glb")), glb).unwrap();
                    }
                }
            }
        }
    }
    eprintln!("largest error of the round trip: {worst:e} of the body's size");
}

/// Writes a world clip, compares the file with its source, reads the clip back; returns the file and the largest error in sizes.
pub fn round_trip(asset: &GltfAsset, sampled: &SampledClip, options: &ClipOptions, target: Target, cycles: usize) -> (Vec<u8>, f64) {
    let clip = &sampled.clip;
    let steps = match clip.playback() {
        Playback::Loop => cycles * clip.frames(),
        Playback::Once => clip.frames() - 1,
    };
    let size = clip.size();
    let poses = smooth_poses(steps + 1, size);
    let world = WorldClip {
        sampled,
        options,
        poses: &poses,
        target,
        cycle_transform: Some(poses[1]),
        parameters: serde_json::json!({ "medium": "water" }),
        scenery: &[],
    };
    let patched = asset.with_world_motion(&world).unwrap();
    let again = GltfAsset::from_bytes(&patched.glb, std::path::Path::new("again.glb")).unwrap();
    assert_eq!(again.clip_names().first(), Some(&patched.clip));
    assert_eq!(again.clip_names()[1..], asset.clip_names());
    assert_eq!(patched.clip.ends_with("-loop"), target == Target::Godot && clip.playback() == Playback::Loop);
    let fps = Some(1.0 / clip.dt());
    let reread = again.sample(&ClipOptions { clip: Some(patched.clip.clone()), fps, frames: None, ..options.clone() }).unwrap();
    assert!((reread.clip.dt() - clip.dt()).abs() < 1e-6, "{} {}", reread.clip.dt(), clip.dt());
    let error = (0..reread.clip.frames()).map(|k| difference(sampled, &poses[k], k, &reread)).fold(0.0, f64::max);
    (patched.glb, error / size)
}

/// How far frame `k` as read back is from the frame of the source at `pose`. Welding may number vertices anew: corner by corner.
fn difference(sampled: &SampledClip, pose: &Pose, k: usize, reread: &SampledClip) -> f64 {
    let faces = |clip: &SampledClip| match clip.clip.topology() {
        Topology::Surface { faces } => faces.clone(),
        _ => Vec::new(),
    };
    let (old, new) = (faces(sampled), faces(reread));
    assert_eq!(old.len(), new.len());
    let placed = reread.recorded.as_ref().map_or_else(Pose::identity, |poses| poses[k]);
    let corner = |clip: &SampledClip, v: u32| -> Vector3<f64> { clip.clip.frame(k)[v as usize] };
    let pairs = old.as_flattened().iter().zip(new.as_flattened());
    pairs.map(|(&a, &b)| (pose.act(&corner(sampled, a)) - placed.act(&corner(reread, b))).norm()).fold(0.0, f64::max)
}

#[test]
fn nothing_of_the_source_is_lost() {
    for path in files() {
        let asset = GltfAsset::open(&path).unwrap();
        let sampled = asset.sample(&ClipOptions::default()).unwrap();
        for target in [Target::Node, Target::Godot] {
            for cycles in [1, 3] {
                let options = ClipOptions::default();
                let (glb, _) = round_trip(&asset, &sampled, &options, target, cycles);
                let source = std::fs::read(&path).unwrap();
                assert_kept(&source, &glb, target, path.ends_with("RobotExpressive.glb"));
            }
        }
    }
}

type Top = indexmap::IndexMap<String, Box<RawValue>>;

fn assert_kept(source: &[u8], result: &[u8], target: Target, mended: bool) {
    let is_glb = source.starts_with(b"glTF");
    let (old_json, old_bin) = if is_glb { parts(source) } else { (String::from_utf8(source.to_vec()).unwrap(), Vec::new()) };
    let (new_json, new_bin) = parts(result);
    assert!(new_bin.starts_with(&old_bin));
    let (old, new): (Top, Top) = (serde_json::from_str(&old_json).unwrap(), serde_json::from_str(&new_json).unwrap());
    for (key, value) in &old {
        let elements = |raw: &RawValue| serde_json::from_str::<Vec<Box<RawValue>>>(raw.get());
        match key.as_str() {
            "scenes" | "nodes" | "buffers" => {} // the new node hangs there; buffer 0 grew
            "skins" if target == Target::Godot => {}
            "meshes" if mended => {} // its weights did not add up to 1
            _ => match elements(value) {
                Err(_) => assert_eq!(value.get(), new[key].get(), "{key}"),
                Ok(list) => {
                    let now = elements(&new[key]).unwrap();
                    assert!(now.len() >= list.len());
                    let first = usize::from(key == "animations"); // the moved clip is in front of the others
                    list.iter().zip(&now[first..]).for_each(|(a, b)| assert_eq!(a.get(), b.get(), "{key}"));
                }
            },
        }
    }
    assert_eq!(old.keys().collect::<Vec<_>>(), new.keys().take(old.len()).collect::<Vec<_>>());
}

/// Original clips of the patched file look as before, also under a new root bone.
#[test]
fn old_clips_look_the_same() {
    for path in files() {
        let asset = GltfAsset::open(&path).unwrap();
        let sampled = asset.sample(&ClipOptions::default()).unwrap();
        for target in [Target::Node, Target::Unreal] {
            let (glb, _) = round_trip(&asset, &sampled, &ClipOptions::default(), target, 1);
            let again = GltfAsset::from_bytes(&glb, &path).unwrap();
            let now = again.sample(&options(&sampled.name)).unwrap();
            let scale = sampled.clip.size();
            assert_eq!(now.clip.frames(), sampled.clip.frames());
            for k in 0..now.clip.frames() {
                let pairs = now.clip.frame(k).iter().zip(sampled.clip.frame(k));
                let error = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                // Measured 0, but for the robot, whose mended weights are rounded: 3e-10.
                assert!(error <= 1e-8 * scale, "{path:?} {target:?} frame {k}: {error:e}");
            }
        }
    }
}

/// Units and axes: the same file read as centimetres with Z up is the same motion, turned and scaled.
#[test]
fn units_and_axes_go_round() {
    let Some(path) = files().into_iter().find(|path| path.ends_with("Fox.glb")) else { return };
    let asset = GltfAsset::open(&path).unwrap();
    for up in [holonomy_scene::asset::Up::Y, holonomy_scene::asset::Up::Z] {
        let options = ClipOptions { unit: Some(0.01), up: Some(up), clip: Some("Run".into()), ..ClipOptions::default() };
        let sampled = asset.sample(&options).unwrap();
        let (_, error) = round_trip(&asset, &sampled, &options, Target::Unreal, 2);
        assert!(error < 1e-5, "{error:e}"); // measured 4e-7
    }
    let plain = asset.sample(&ClipOptions { clip: Some("Run".into()), ..ClipOptions::default() }).unwrap();
    let scaled = asset.sample(&ClipOptions { unit: Some(0.01), clip: Some("Run".into()), ..ClipOptions::default() }).unwrap();
    assert!((plain.clip.frame(3)[7] * 0.01 - scaled.clip.frame(3)[7]).norm() < 1e-12);
}

/// A piece of a clip is the same as those frames of the whole.
#[test]
fn frames_are_a_piece_of_the_clip() {
    for path in files() {
        let asset = GltfAsset::open(&path).unwrap();
        let whole = asset.sample(&ClipOptions::default()).unwrap();
        let last = whole.clip.frames() - 1;
        let options = ClipOptions { frames: Some((last / 4, last / 2)), ..ClipOptions::default() };
        let piece = asset.sample(&options).unwrap();
        let closed = whole.notes.iter().any(|note| note.contains("closed")); // by a key that a piece does without
        assert!(closed || piece.clip.dt() == whole.clip.dt());
        if !closed && whole.recorded.is_none() && piece.recorded.is_none() && piece.clip.vertices() == whole.clip.vertices() {
            let pairs = piece.clip.frame(1).iter().zip(whole.clip.frame(last / 4 + 1));
            let error = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(error <= 1e-12 * whole.clip.size(), "{path:?}: {error:e}"); // measured 3e-16
        }
        let (_, error) = round_trip(&asset, &piece, &options, Target::Node, 1);
        assert!(error < 1e-5, "{path:?}: {error:e}"); // measured 3e-7
    }
}
