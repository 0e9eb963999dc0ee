//! What libFuzzer feeds the library with, and what must hold whatever comes: no panic, no overflow, and no number that is not finite.
//!
//! One program for all targets, so that it is linked once; `HOLONOMY_FUZZ` names the target.
#![no_main]

mod model;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use holonomy::lie::Pose;
use holonomy::shape::{Clip, Playback};
use holonomy_scene::asset::bvh::BvhAsset;
use holonomy_scene::asset::gltf::{GltfAsset, Target, WorldClip};
use holonomy_scene::asset::obj::ObjAsset;
use holonomy_scene::asset::{ClipOptions, SampledClip};
use holonomy_scene::result::SavedResult;
use holonomy_scene::scene::{HeightImage, Scene, split_setting};
use holonomy_scene::sweep::Sweep;
use holonomy_scene::{Error, examples};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<String> = OnceLock::new();
    let target = TARGET.get_or_init(|| std::env::var("HOLONOMY_FUZZ").expect("HOLONOMY_FUZZ names the target"));
    // A refusal is an answer.
    let _ = match target.as_str() {
        "scene" => scene(bytes),
        "set" => set(bytes),
        "gltf" => gltf(bytes),
        "obj" => text(bytes, |text| finite(&ObjAsset::from_text(text, "a.obj")?.sample(&options())?.clip)),
        "bvh" => text(bytes, |text| finite(&BvhAsset::from_text(text, "a.bvh")?.sample(&options())?.clip)),
        "png" => png(bytes),
        "result" => result(bytes),
        "model" => model::run(bytes),
        other => panic!("there is no target {other}"),
    };
});

fn options() -> ClipOptions {
    ClipOptions { fps: Some(12.0), ..ClipOptions::default() }
}

fn text(bytes: &[u8], run: impl Fn(&str) -> Result<(), Error>) -> Result<(), Error> {
    std::str::from_utf8(bytes).map_or(Ok(()), run)
}

/// What was read as a scene can be written, and read again as the same.
fn scene(bytes: &[u8]) -> Result<(), Error> {
    text(bytes, |text| {
        let written = Scene::from_toml(text, "a.toml")?.to_toml()?;
        let again = Scene::from_toml(&written, "again.toml").expect("a scene that was written can be read");
        assert_eq!(again.to_toml()?, written);
        Ok(())
    })
}

/// The first byte chooses an example; each further line is a setting, or a range to vary.
fn set(bytes: &[u8]) -> Result<(), Error> {
    let Some((&which, rest)) = bytes.split_first() else { return Ok(()) };
    let example = &examples::ALL[usize::from(which) % examples::ALL.len()];
    text(rest, |text| {
        let mut scene = Scene::from_toml(example.text, example.name)?;
        for line in text.lines() {
            let _ = Sweep::new("a", scene.clone(), Path::new("."), &[line.to_owned()]).map(|sweep| sweep.scene_at(0));
            let (key, value) = split_setting(line)?;
            scene = scene.with_override(&key, &value)?;
        }
        Ok(())
    })
}

/// Read, told of, sampled, moved for two programs, and read again.
fn gltf(bytes: &[u8]) -> Result<(), Error> {
    let asset = GltfAsset::from_bytes(bytes, Path::new("a.glb"))?;
    let _ = asset.describe();
    let options = options();
    let sampled = asset.sample(&options)?;
    finite(&sampled.clip)?;
    let poses = way(&sampled);
    for target in [Target::Node, Target::Godot] {
        let world = WorldClip {
            sampled: &sampled,
            options: &options,
            poses: &poses,
            target,
            cycle_transform: poses.last().copied(),
            parameters: Default::default(),
            scenery: &[],
        };
        // Bones under uneven armatures are refused.
        if let Ok(patched) = asset.with_world_motion(&world) {
            let again = GltfAsset::from_bytes(&patched.glb, Path::new("again.glb")).expect("a file that was written can be read");
            let _ = again.sample(&ClipOptions { clip: Some(patched.clip), ..options.clone() }).map(|again| finite(&again.clip));
        }
    }
    Ok(())
}

fn way(sampled: &SampledClip) -> Vec<Pose> {
    let frames = sampled.clip.frames() + usize::from(sampled.clip.playback() == Playback::Loop);
    let step = |k: usize| Pose { translation: [0.1 * k as f64, 0.0, 0.0].into(), ..Pose::identity() };
    (0..frames).map(step).collect()
}

fn png(bytes: &[u8]) -> Result<(), Error> {
    let path = file("a.png", bytes);
    let image: HeightImage = toml::from_str("file = \"a.png\"\nsize = [3, 2]\nheight = 0.5").expect("a picture of heights");
    let field = image.field(path.parent().expect("a folder"))?;
    let height = field.height(0.1, 0.2);
    assert!(height.is_finite(), "a height of {height}");
    Ok(())
}

fn result(bytes: &[u8]) -> Result<(), Error> {
    let saved = SavedResult::open(&file("a.glb", bytes))?;
    saved.motion.tracks.iter().try_for_each(|track| finite(&track.shape))
}

/// A file of this process with these bytes.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("room for a small file");
    path
}

fn finite(clip: &Clip) -> Result<(), Error> {
    for k in 0..clip.frames() {
        let bad = clip.frame(k).iter().flatten().find(|x| !x.is_finite());
        assert!(bad.is_none(), "frame {k} holds {bad:?}");
    }
    Ok(())
}
