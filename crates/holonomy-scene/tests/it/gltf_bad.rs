//! Bad input: each is an error that says what, where and what to do; nothing panics.

use std::path::Path;

use holonomy_scene::asset::ClipOptions;
use holonomy_scene::asset::gltf::{GltfAsset, Target, WorldClip};
use serde_json::{Value, json};

use super::gltf_build::{Build, everything, glb_of, parts, smooth_poses};
use crate::random::Random;

fn message(bytes: &[u8]) -> String {
    let run = || -> Result<(), holonomy_scene::Error> {
        let asset = GltfAsset::from_bytes(bytes, Path::new("bad.glb"))?;
        asset.sample(&ClipOptions::default())?;
        Ok(())
    };
    run().expect_err("this file is bad").to_string()
}

fn broken(change: impl FnOnce(&mut Build)) -> String {
    let mut b = everything();
    change(&mut b);
    message(&b.glb())
}

fn assert_says(message: &str, parts: &[&str]) {
    assert!(message.contains("fix:") || message.contains("clip '"), "{message}");
    parts.iter().for_each(|part| assert!(message.contains(part), "'{part}' is not in: {message}"));
}

#[test]
fn not_a_gltf_file() {
    assert_says(&message(b""), &["bad.glb", "empty"]);
    assert_says(&message(b"o cube\nv 0 0 0\n"), &["not glTF"]);
    assert_says(&message(b"{ \"asset\": "), &["JSON, line 1"]);
    assert_says(&message(b"{}"), &["asset.version"]);
    assert_says(&message(br#"{"asset":{"version":"1.0"}}"#), &["asset.version", "Blender"]);
    assert_says(&message(b"glTF\x01\0\0\0\x0c\0\0\0"), &["version 1"]);
    assert_says(&message(br#"{"asset":{"version":"2.0"}}"#), &["animations", "none"]);
    let error = GltfAsset::open(Path::new("no/such/file.glb")).unwrap_err().to_string();
    assert!(error.contains("no/such/file.glb"), "{error}");
}

/// Whoever gives an asset away could have had any file of whom it was given to put into the result.
#[test]
fn files_of_an_asset_lie_where_it_says_seen_from_the_asset() {
    let mut b = everything();
    let folder = tempfile::tempdir().unwrap();
    let asset = folder.path().join("models/a.gltf");
    std::fs::create_dir(asset.parent().unwrap()).unwrap();
    let data = folder.path().join("data.bin");
    std::fs::write(&data, &b.bin).unwrap();
    let mut open = |uri: &str| {
        b.json["buffers"] = json!([{ "uri": uri, "byteLength": b.bin.len() }]);
        std::fs::write(&asset, b.json.to_string()).unwrap();
        GltfAsset::open(&asset)
    };
    let rooted = data.to_str().unwrap();
    for uri in [rooted, &rooted.replace('/', "%2F"), "../../data.bin", "https://example.org/data.bin", "%00", ""] {
        assert_says(&open(uri).unwrap_err().to_string(), &["buffers[0]", uri, "not a file next to it"]);
    }
    open("../data.bin").unwrap(); // as many exporters write
}

#[test]
fn truncated_files() {
    let glb = everything().glb();
    for length in [4, 11, 12, 19, 30, glb.len() / 2, glb.len() - 1] {
        let text = message(&glb[..length]);
        assert!(text.contains("truncated"), "{length}: {text}");
    }
    let (json, bin) = parts(&glb);
    let short = &bin[..bin.len() - 40];
    assert_says(&message(&glb_of(json.as_bytes(), Some(short), short.len())), &["buffers[0]", "byteLength"]);
    assert_says(&message(&glb_of(json.as_bytes(), None, 0)), &["no data"]);
}

#[test]
fn ranges_that_do_not_fit() {
    let huge = json!(u64::MAX);
    assert_says(&broken(|b| b.json["accessors"][0]["count"] = json!(1000)), &["accessors[0]", "1000 elements"]);
    assert_says(&broken(|b| b.json["accessors"][0]["count"] = huge.clone()), &["accessors[0]"]);
    assert_says(&broken(|b| b.json["accessors"][0]["byteOffset"] = huge.clone()), &["accessors[0]"]);
    assert_says(&broken(|b| b.json["accessors"][0]["count"] = json!(0)), &["accessors[0]", "count is 0"]);
    assert_says(&broken(|b| b.json["accessors"][0]["bufferView"] = json!(99)), &["accessors[0]", "99"]);
    assert_says(&broken(|b| b.json["accessors"][0]["componentType"] = json!(7)), &["accessors[0]", "componentType 7"]);
    assert_says(&broken(|b| b.json["accessors"][0]["type"] = json!("VEC9")), &["accessors[0]", "VEC9"]);
    assert_says(&broken(|b| b.json["bufferViews"][1]["byteOffset"] = huge.clone()), &["bufferViews[1]"]);
    assert_says(&broken(|b| b.json["bufferViews"][1]["byteLength"] = json!(1e6 as u64)), &["bufferViews[1]"]);
    assert_says(&broken(|b| b.json["bufferViews"][1]["buffer"] = json!(3)), &["bufferViews[1]", "buffer is 3"]);
    assert_says(&broken(|b| b.json["bufferViews"][0]["byteStride"] = json!(4)), &["bufferViews[0]", "byteStride 4"]);
    let no_view = json!({ "componentType": 5126, "count": 1u64 << 40, "type": "VEC3" });
    assert_says(&broken(|b| b.json["accessors"][0] = no_view), &["accessors[0]", "bufferView"]);
}

#[test]
fn references_that_lead_nowhere() {
    assert_says(&broken(|b| b.json["nodes"][3]["mesh"] = json!(5)), &["nodes[3]", "mesh is 5"]);
    assert_says(&broken(|b| b.json["nodes"][3]["skin"] = json!(5)), &["nodes[3]", "skin is 5"]);
    assert_says(&broken(|b| b.json["nodes"][2]["children"] = json!([0])), &["nodes[0]", "ancestor"]);
    assert_says(&broken(|b| b.json["nodes"][2]["children"] = json!([1])), &["nodes[2]", "already"]);
    assert_says(&broken(|b| b.json["nodes"][2]["children"] = json!([7])), &["nodes[2]", "7"]);
    assert_says(&broken(|b| b.json["scenes"][0]["nodes"] = json!([1])), &["scenes[0]", "no root"]);
    assert_says(&broken(|b| b.json["scene"] = json!(4)), &["scene is 4"]);
    assert_says(&broken(|b| b.json["skins"][0]["joints"] = json!([1, 9])), &["skins[0]", "9"]);
    assert_says(&broken(|b| b.json["skins"][0]["joints"] = json!([1, 2, 3])), &["skins[0]", "2 inverse bind matrices for 3 joints"]);
    assert_says(&broken(|b| b.json["skins"][0]["joints"] = json!([1])), &["joint 1", "only 1 joints"]);
    assert_says(&broken(|b| b.json["animations"][0]["channels"][0]["sampler"] = json!(8)), &["animations[0].channels[0]", "8"]);
    assert_says(&broken(|b| b.json["animations"][0]["samplers"][0]["input"] = json!(88)), &["animations[0].samplers[0]", "88"]);
    assert_says(&broken(|b| b.json["meshes"][0]["primitives"][0]["attributes"] = json!({})), &["meshes[0].primitives[0]", "POSITION"]);
}

#[test]
fn numbers_that_make_no_sense() {
    let first_float = |b: &mut Build, view: usize, value: f32| {
        let offset = b.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
        b.bin[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    };
    assert_says(&broken(|b| first_float(b, 0, f32::NAN)), &["accessors[0]", "not finite", "NaN"]);
    // Also what is only handed on, such as normals.
    let handed_on = broken(|b| {
        let (view, at) = (b.json["bufferViews"].as_array().unwrap().len(), b.bin.len());
        b.bin.extend([1.0, f32::INFINITY, 0.0].iter().flat_map(|x: &f32| x.to_le_bytes()));
        let views = b.json["bufferViews"].as_array_mut().unwrap();
        views.push(json!({ "buffer": 0, "byteOffset": at, "byteLength": 12 }));
        b.json["accessors"].as_array_mut().unwrap().push(json!({ "bufferView": view, "componentType": 5126, "count": 1, "type": "VEC3" }));
    });
    assert_says(&handed_on, &["element 0 has inf", "not finite", "no mesh, skin or clip uses it"]);
    // What it is for, how many are bad, and a fix that fits: before, all were told to mend normals
    // and tangents.
    assert_says(&broken(|b| first_float(b, 0, f32::NAN)), &["accessors[0] (positions of vertices)", "delete or move these vertices"]);
    let with = |attribute: &'static str, values: &'static [f32], kind: &'static str| {
        broken(move |b| {
            let accessor = b.floats(values, kind);
            let fields = b.json["accessors"][accessor].as_object_mut().unwrap();
            fields.remove("min");
            fields.remove("max");
            match attribute {
                "target" => b.json["meshes"][0]["primitives"][0]["targets"][0]["NORMAL"] = json!(accessor),
                "skin" => b.json["skins"][0]["inverseBindMatrices"] = json!(accessor),
                name => b.json["meshes"][0]["primitives"][0]["attributes"][name] = json!(accessor),
            }
        })
    };
    const NAN: f32 = f32::NAN;
    let normals = with("NORMAL", &[0.0, 1.0, 0.0, NAN, 0.0, 0.0, 0.0, NAN, NAN, 0.0, 0.0, 1.0], "VEC3");
    assert_says(&normals, &["(normals or tangents)", "element 1 has NaN", "2 of its 4 elements", "computed anew"]);
    assert_says(&with("target", &[NAN; 12], "VEC3"), &["(a morph target)", "4 of its 4 elements", "shape key"]);
    assert_says(&with("skin", &[NAN; 32], "MAT4"), &["(inverse bind matrices of a skin)", "rest pose"]);
    assert_says(&with("COLOR_0", &[NAN; 16], "VEC4"), &["(texture coordinates or colours)", "vertex colours"]);
    let view_of = |b: &Build, sampler: usize, end: &str| {
        let accessor = b.json["animations"][0]["samplers"][sampler][end].as_u64().unwrap() as usize;
        b.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize
    };
    let change = |sampler: usize, end: &'static str, value: f32| {
        broken(|b| {
            let view = view_of(b, sampler, end);
            first_float(b, view, value);
        })
    };
    assert_says(&change(0, "input", 0.25), &["samplers[0]", "do not increase"]);
    assert_says(&change(0, "input", f32::INFINITY), &["not finite"]);
    assert_says(&change(0, "input", -1e9), &["lower --fps"]);
    assert_says(
        &broken(|b| b.json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE")),
        &["samplers[0]", "need 36 values"],
    );
    assert_says(&broken(|b| b.json["animations"][0]["samplers"][0]["interpolation"] = json!("WAVY")), &["WAVY"]);
    assert_says(&broken(|b| b.json["nodes"][1]["rotation"] = json!([0, 0, 0, 0])), &["nodes[1]", "rotation"]);
    assert_says(&broken(|b| b.json["nodes"][0]["scale"] = json!([0, 0, 0])), &["meshes", "area"]);
    assert_says(&broken(|b| b.json["nodes"][0]["scale"] = json!([1e300, 1e300, 1e300])), &["finite"]);
    let indices = |b: &mut Build| {
        let offset = b.json["bufferViews"][1]["byteOffset"].as_u64().unwrap() as usize;
        b.bin[offset] = 77;
    };
    assert_says(&broken(indices), &["meshes[0].primitives[0]", "77"]);
}

#[test]
fn compression_and_unknown_extensions() {
    let require = |name: &str| everything_with(|b| b.json["extensionsRequired"] = json!([name]));
    assert_says(&message(&require("KHR_draco_mesh_compression")), &["extensionsRequired", "gltf-transform"]);
    assert_says(&message(&require("EXT_meshopt_compression")), &["extensionsRequired", "gltf-transform"]);
    assert!(GltfAsset::from_bytes(&require("KHR_texture_basisu"), Path::new("ok.glb")).unwrap().sample(&ClipOptions::default()).is_ok());
}

fn everything_with(change: impl FnOnce(&mut Build)) -> Vec<u8> {
    let mut b = everything();
    change(&mut b);
    b.glb()
}

#[test]
fn choices_that_do_not_exist() {
    let asset = everything().open();
    let ask = |options: ClipOptions| asset.sample(&options).unwrap_err().to_string();
    let text = ask(ClipOptions { clip: Some("swin".into()), ..ClipOptions::default() });
    assert!(text.contains("did you mean 'swim'") && text.contains("clips: swim"), "{text}");
    assert!(ask(ClipOptions { frames: Some((0, 999)), ..ClipOptions::default() }).contains("0..30"));
    assert!(ask(ClipOptions { frames: Some((5, 5)), ..ClipOptions::default() }).contains("at least two"));
    assert!(ask(ClipOptions { fps: Some(0.0), ..ClipOptions::default() }).contains("--fps"));
    assert!(ask(ClipOptions { fps: Some(0.1), ..ClipOptions::default() }).contains("fewer than 2 frames"));
    assert!(ask(ClipOptions { unit: Some(-1.0), ..ClipOptions::default() }).contains("--unit"));
    assert!(ask(ClipOptions { fps: Some(1e300), ..ClipOptions::default() }).contains("--fps"));
}

/// Exporters put the armature before the name.
#[test]
fn a_clip_is_found_by_the_end_of_its_name_if_only_one_ends_so() {
    let named = |names: &[&str]| {
        let mut b = everything();
        let clip = b.json["animations"][0].clone();
        b.json["animations"] =
            names.iter().map(|name| json!({ "name": name, "channels": clip["channels"], "samplers": clip["samplers"] })).collect();
        b.open()
    };
    let ask = |names: &[&str], clip: &str| named(names).sample(&ClipOptions { clip: Some(clip.into()), ..ClipOptions::default() });
    let names = ["SnakeArmature|Snake_Walk", "SnakeArmature|Snake_Jump", "SnakeArmature|Bungeejump"];
    for (wanted, found) in [("Jump", 1), ("jump", 1), ("snake_walk", 0), ("bungeejump", 2), ("SnakeArmature|Snake_Jump", 1)] {
        let sampled = ask(&names, wanted).unwrap();
        assert_eq!(sampled.name, names[found]);
        let said = sampled.notes.iter().any(|note| note.contains(names[found]) && note.contains(wanted));
        assert_eq!(said, wanted != names[found], "{:?}", sampled.notes);
    }
    assert!(ask(&["A|Jump", "B|Jump"], "Jump").unwrap_err().to_string().contains("no clip 'Jump'"));
    assert!(ask(&names, "alk").is_err());
    assert!(ask(&names, "").is_err());
}

/// Thousands of damaged files: each is read or refused, none panics. HOLONOMY_FUZZ_ROUNDS asks for more of them.
#[test]
fn damaged_files_never_panic() {
    let whole = everything().glb();
    let mut random = Random(1);
    let (mut read, mut refused) = (0, 0);
    let rounds = std::env::var("HOLONOMY_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    for round in 0..rounds {
        let bytes = match round % 4 {
            0 => damaged_bytes(&whole, &mut random),
            1 => {
                let (json, mut bin) = parts(&whole);
                let at = random.below(bin.len());
                bin[at] = random.below(256) as u8;
                glb_of(json.as_bytes(), Some(&bin), bin.len())
            }
            _ => damaged_json(&whole, &mut random),
        };
        match exercise(&bytes) {
            Ok(()) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 300 && refused > 300, "{read} read, {refused} refused"); // both ways are really taken
}

fn exercise(bytes: &[u8]) -> Result<(), holonomy_scene::Error> {
    let asset = GltfAsset::from_bytes(bytes, Path::new("fuzz.glb"))?;
    let described = asset.describe();
    let options = ClipOptions { fps: Some(10.0), ..ClipOptions::default() };
    let sampled = asset.sample(&options)?;
    described?;
    if sampled.clip.frames() > 1000 {
        return Ok(());
    }
    for (target, steps) in [(Target::Node, 1), (Target::Godot, 1 + sampled.clip.frames())] {
        let poses = smooth_poses(steps + 1, 1.0);
        let world = WorldClip {
            sampled: &sampled,
            options: &options,
            poses: &poses,
            target,
            cycle_transform: None,
            parameters: Value::Null,
            scenery: &[],
        };
        if let Ok(patched) = asset.with_world_motion(&world) {
            GltfAsset::from_bytes(&patched.glb, Path::new("fuzz2.glb"))?;
        }
    }
    Ok(())
}

fn damaged_bytes(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.insert(at, random.below(256) as u8),
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    bytes
}

/// One number or string of the document replaced by an awkward one, or one field removed.
fn damaged_json(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let (json, bin) = parts(whole);
    let mut json: Value = serde_json::from_str(&json).unwrap();
    for _ in 0..=random.below(2) {
        let mut at = &mut json;
        loop {
            let inside = match &*at {
                Value::Array(list) => list.len(),
                Value::Object(map) => map.len(),
                _ => 0,
            };
            if inside == 0 {
                break;
            }
            let pick = random.below(inside);
            if random.below(12) == 0 {
                match at {
                    Value::Array(list) => drop(list.remove(pick)),
                    Value::Object(map) => drop(map.shift_remove(&map.keys().nth(pick).unwrap().clone())),
                    _ => {}
                }
                break;
            }
            at = match at {
                Value::Array(list) => &mut list[pick],
                Value::Object(map) => map.values_mut().nth(pick).unwrap(),
                other => other,
            };
        }
        let awkward = [
            json!(0),
            json!(1),
            json!(2),
            json!(3),
            json!(5),
            json!(-1),
            json!(1.5),
            json!(255),
            json!(4_294_967_295u64),
            json!(u64::MAX),
            json!(1e308),
            json!(1e-308),
            json!("x"),
            json!(null),
            json!([]),
            json!({}),
            json!([0, 1, 2]),
            json!("VEC4"),
            json!("STEP"),
        ];
        if !at.is_object() && !at.is_array() {
            *at = awkward[random.below(awkward.len())].clone();
        }
    }
    glb_of(json.to_string().as_bytes(), Some(&bin), bin.len())
}
