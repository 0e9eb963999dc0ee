//! Files made in code, with known answers.

use std::f64::consts::{FRAC_PI_2, TAU};

use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Playback, Topology};
use holonomy_scene::asset::ClipOptions;
use holonomy_scene::asset::gltf::{GltfAsset, Target};
use serde_json::json;

use super::gltf_build::{Build, everything, tetrahedron};
use super::gltf_real::round_trip;

fn at_fps(fps: f64) -> ClipOptions {
    ClipOptions { fps: Some(fps), ..ClipOptions::default() }
}

/// A second tetrahedron next to it keeps the scale of the first from being a rigid motion of the whole.
fn scaled_tetrahedron(interpolation: &str, times: &[f32], values: &[f32]) -> Build {
    let mut b = Build::new();
    tetrahedron(&mut b);
    b.push("nodes", json!({ "mesh": 0 }));
    b.animate(0, "scale", interpolation, times, values);
    b
}

/// Distance of vertex 1 (the unit point on x) from vertex 0 in each frame is the scale itself.
fn scales(b: &Build, fps: f64) -> Vec<f64> {
    let sampled = b.open().sample(&at_fps(fps)).unwrap();
    let clip = &sampled.clip;
    let corner = |k: usize| clip.frame(k).iter().map(|x| x.x).fold(0.0, f64::max);
    (0..clip.frames()).map(corner).collect()
}

#[test]
fn linear_step_and_cubic_values() {
    let flat = |values: &[f32]| values.iter().flat_map(|&v| [v; 3]).collect::<Vec<f32>>();
    let linear = scales(&scaled_tetrahedron("LINEAR", &[0.0, 1.0], &flat(&[1.0, 3.0])), 4.0);
    assert_eq!(linear, [1.0, 1.5, 2.0, 2.5, 3.0]);
    let step = scales(&scaled_tetrahedron("STEP", &[0.0, 0.5, 1.0], &flat(&[1.0, 2.0, 3.0])), 4.0);
    assert_eq!(step, [1.0, 1.0, 2.0, 2.0, 3.0]);
    // In-tangent, value, out-tangent for each key. Hermite between 1 (slope 4) and 2 (slope -1) over two seconds, in closed form.
    let cubic = scales(&scaled_tetrahedron("CUBICSPLINE", &[0.0, 2.0], &flat(&[9.0, 1.0, 4.0, -1.0, 2.0, 9.0])), 4.0);
    for (k, value) in cubic.iter().enumerate() {
        let t = k as f64 / (cubic.len() - 1) as f64;
        let exact = (2. * t.powi(3) - 3. * t * t + 1.) + 2. * 4. * (t.powi(3) - 2. * t * t + t) + 2. * (3. * t * t - 2. * t.powi(3))
            - 2. * (t.powi(3) - t * t);
        assert!((value - exact).abs() < 1e-12, "{t}: {value} {exact}"); // measured 0
    }
}

/// Rotations go along the great circle: a quarter turn in one second is linear in its angle.
#[test]
fn rotation_is_slerped() {
    let mut b = Build::new();
    tetrahedron(&mut b);
    b.push("nodes", json!({ "children": [1, 2] }));
    b.push("nodes", json!({ "mesh": 0 }));
    b.push("nodes", json!({ "mesh": 0, "translation": [0, 5, 0] }));
    let s = std::f32::consts::FRAC_1_SQRT_2;
    b.animate(1, "rotation", "LINEAR", &[0.0, 1.0], &[0., 0., 0., 1., 0., 0., -s, -s]); // the long way round by its sign
    let sampled = b.open().sample(&at_fps(8.0)).unwrap();
    for k in 0..=8 {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2 * k as f64 / 8.0);
        let expected = turn * Vector3::x();
        let nearest = sampled.clip.frame(k).iter().map(|x| (x - expected).norm()).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-12, "frame {k}: {nearest:e}"); // measured 3e-16
    }
}

#[test]
fn sparse_strips_fans_and_views_without_data() {
    let mut b = Build::new();
    // Positions are all zero but for a sparse three of four.
    let indices = b.view(&[1, 2, 3]);
    let values: Vec<u8> = [1f32, 0., 0., 0., 1., 0., 1., 1., 0.].iter().flat_map(|x| x.to_le_bytes()).collect();
    let values = b.view(&values);
    let position = b.push(
        "accessors",
        json!({ "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0],
        "sparse": { "count": 3, "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values } } }),
    );
    let fan = b.shorts(&[0, 1, 3, 2], "SCALAR");
    b.push(
        "meshes",
        json!({ "primitives": [
        { "attributes": { "POSITION": position }, "mode": 5 },
        { "attributes": { "POSITION": position }, "mode": 0 } ] }),
    );
    b.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": position }, "indices": fan, "mode": 6 }] }));
    b.push("nodes", json!({ "children": [1, 2] }));
    b.push("nodes", json!({ "mesh": 0 }));
    b.push("nodes", json!({ "mesh": 1, "translation": [0, 0, 3] }));
    b.animate(1, "translation", "LINEAR", &[0.0, 1.0], &[0., 0., 0., 0., 0., 1.]);
    let asset = b.open();
    let sampled = asset.sample(&at_fps(2.0)).unwrap();
    let Topology::Surface { faces } = sampled.clip.topology() else { panic!() };
    assert_eq!((faces.len(), sampled.clip.vertices(), sampled.clip.playback()), (4, 8, Playback::Once));
    // Both triangles of the strip and of the fan face +z: strip order alternates.
    for face in faces {
        let [p, q, r] = face.map(|v| sampled.clip.frame(0)[v as usize]);
        assert!((q - p).cross(&(r - p)).z > 0.5, "{face:?}");
    }
    let notes = asset.describe().unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("points or lines")), "{notes:?}");
}

/// Base colour, texture and vertex colours multiply in linear light; what has none of them is left to the picture.
#[test]
fn vertices_have_the_colours_of_their_materials() {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
    let mut b = Build::new();
    tetrahedron(&mut b);
    b.push("nodes", json!({ "mesh": 0 }));
    b.animate(0, "scale", "LINEAR", &[0.0, 1.0], &[1., 1., 1., 2., 1., 1.]);
    assert_eq!(b.open().sample(&at_fps(2.0)).unwrap().colors, None);
    let texture = b.view(&png);
    let places: Vec<u8> = [0.25f32, 0.5, 0.75, 0.5, 1.75, 0.5, -0.75, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    let places = b.accessor(&places, 5126, "VEC2", 4);
    let linear = |srgb: f64| ((srgb + 0.055) / 1.055).powf(2.4);
    b.push("images", json!({ "bufferView": texture, "mimeType": "image/png" }));
    b.push("textures", json!({ "source": 0 }));
    b.push(
        "materials",
        json!({ "pbrMetallicRoughness": {
        "baseColorFactor": [linear(0.5), 1.0, linear(0.8), 1.0], "baseColorTexture": { "index": 0 } } }),
    );
    b.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    b.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(places);
    let sampled = b.open().sample(&at_fps(2.0)).unwrap();
    let colors = sampled.colors.unwrap();
    assert_eq!(colors.len(), sampled.clip.vertices());
    let near = |color: &[f64; 3], expected: [f64; 3]| (0..3).all(|i| (color[i] - expected[i]).abs() < 1e-6); // measured 3e-8
    let (red, blue) = ([0.5, 0.0, 0.0], [0.0, 0.0, 0.8]);
    assert_eq!(colors.iter().filter(|c| near(c, red)).count(), 2, "{colors:?}");
    assert_eq!(colors.iter().filter(|c| near(c, blue)).count(), 2, "{colors:?}");
}

/// A texture of few bytes whose header promises 1.3 TB of texels is left out, as one that cannot be read.
#[test]
fn a_texture_that_promises_too_much_is_left_out() {
    let mut png = Vec::new();
    drop(png::Encoder::new(&mut png, 1_150_000, 1_150_000).write_header().unwrap());
    let mut b = Build::new();
    tetrahedron(&mut b);
    b.push("nodes", json!({ "mesh": 0 }));
    b.animate(0, "scale", "LINEAR", &[0.0, 1.0], &[1., 1., 1., 2., 1., 1.]);
    let (texture, places) = (b.view(&png), b.accessor(&[0; 32], 5126, "VEC2", 4));
    b.push("images", json!({ "bufferView": texture, "mimeType": "image/png" }));
    b.push("textures", json!({ "source": 0 }));
    b.push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }));
    b.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    b.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(places);
    assert_eq!(b.open().sample(&at_fps(2.0)).unwrap().colors, None);
}

/// Vertices split at a seam are one again, vertices that part later are not, and triangles that lose their area go.
#[test]
fn welding() {
    let mut b = Build::new();
    let position = b.floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0., 0., 0., 0.], "VEC3");
    let indices = b.shorts(&[0, 1, 2, 3, 5, 4, 0, 6, 1], "SCALAR");
    // A morph target that moves vertex 3 but not vertex 1, which is at the same place.
    let morph = b.floats(&[0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 0.], "VEC3");
    b.push(
        "meshes",
        json!({ "primitives": [{ "attributes": { "POSITION": position }, "indices": indices, "targets": [{ "POSITION": morph }] }] }),
    );
    b.push("nodes", json!({ "mesh": 0 }));
    b.animate(0, "weights", "LINEAR", &[0.0, 1.0], &[0., 1.]);
    let sampled = b.open().sample(&at_fps(4.0)).unwrap();
    let Topology::Surface { faces } = sampled.clip.topology() else { panic!() };
    assert_eq!((sampled.clip.vertices(), faces.len()), (5, 2)); // 2 and 4 are one, 1 and 3 are two, 0 and 6 are one
    assert!(sampled.notes.iter().any(|note| note.starts_with("1 triangles")), "{:?}", sampled.notes);
    let description = b.open().describe().unwrap();
    assert_eq!((description.components, description.watertight), (1, false));
}

#[test]
fn a_tetrahedron_is_watertight() {
    let description = scaled_tetrahedron("LINEAR", &[0.0, 1.0], &[1., 1., 1., 2., 1., 1.]).open().describe().unwrap();
    assert!(description.watertight && description.components == 1 && description.border_edges == 0);
    assert!(serde_json::to_string(&description).unwrap().contains("\"watertight\":true"));
}

/// Skinning in closed form: the joint turns by φ about x at (2, 4, 6) + …, with byte weights 128 : 127 blended.
#[test]
fn skin_with_normalised_byte_weights() {
    let mut b = everything();
    b.json["animations"][0]["channels"].as_array_mut().unwrap().truncate(1); // only the tail's rotation
    b.json["nodes"][0] = json!({ "name": "armature", "children": [1, 3] });
    let sampled = b.open().sample(&at_fps(4.0)).unwrap();
    assert_eq!(sampled.clip.playback(), Playback::Loop);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let hip = |x: Vector3<f64>| x + Vector3::new(0.1, 0.0, 0.0);
    let tail = |x: Vector3<f64>| hip(turn * x + Vector3::new(0.0, 0.3, 0.0));
    let z = Vector3::z();
    let expected = [hip(Vector3::zeros()), tail(Vector3::x()), tail(Vector3::y()), hip(z) * (128.0 / 255.0) + tail(z) * (127.0 / 255.0)];
    for x in expected {
        let nearest = sampled.clip.frame(1).iter().map(|y| (x - y).norm()).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-12, "{nearest:e}"); // measured 3e-16
    }
}

/// All targets, cycles, interpolations and the jump of a channel at the seam, on a file with a bit of everything.
#[test]
fn world_motion_on_everything() {
    let asset = everything().open();
    for fps in [60.0, 37.0] {
        let options = at_fps(fps);
        let sampled = asset.sample(&options).unwrap();
        for target in [Target::Node, Target::Unreal, Target::Unity, Target::Godot, Target::Bevy] {
            for cycles in [1, 2, 7] {
                let (_, error) = round_trip(&asset, &sampled, &options, target, cycles);
                assert!(error < 1e-5, "{target:?} x{cycles}: {error:e}"); // measured 7e-7, f32 in the file
            }
        }
    }
}

/// A walk that travels and turns: its own motion is recorded, the shape stays, and repeating it does not jump.
#[test]
fn recorded_motion_is_taken_off_and_put_back() {
    let mut b = everything();
    let turn = |angle: f64| [0.0, (angle / 2.0).sin() as f32, 0.0, (angle / 2.0).cos() as f32];
    b.json["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    b.animate(0, "translation", "LINEAR", &[0.0, 0.5], &[1., 2., 3., 4., 2., 3.]);
    b.animate(0, "rotation", "LINEAR", &[0.0, 0.25, 0.5], &[turn(0.0), turn(0.6), turn(1.2)].concat());
    let asset = b.open();
    let sampled = asset.sample(&ClipOptions::default()).unwrap();
    let recorded = sampled.recorded.as_ref().unwrap();
    assert_eq!((sampled.clip.playback(), sampled.clip.frames(), recorded.len()), (Playback::Loop, 30, 30));
    assert!(recorded[0].rotation.angle() < 1e-12 && recorded[0].translation.norm() < 1e-12);
    assert!((recorded[15].rotation.angle() - 0.6).abs() < 1e-6); // measured 5e-9
    for target in [Target::Node, Target::Unreal] {
        for cycles in [1, 3] {
            let (_, error) = round_trip(&asset, &sampled, &ClipOptions::default(), target, cycles);
            assert!(error < 1e-5, "{target:?} x{cycles}: {error:e}"); // measured 4e-7
        }
    }
}

/// A full turn ends where it began, and is still a motion of its own.
#[test]
fn a_full_turn_is_a_net_turn() {
    let mut b = everything();
    b.json["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
    let turn = |angle: f64| [0.0, (angle / 2.0).sin() as f32, 0.0, (angle / 2.0).cos() as f32];
    b.json["nodes"][0]["translation"] = json!([0, 0, 0]);
    let keys: Vec<f32> = (0..=4).flat_map(|k| turn(TAU * f64::from(k) / 4.0)).collect();
    b.animate(1, "rotation", "LINEAR", &[0.0, 0.125, 0.25, 0.375, 0.5], &keys);
    assert!(b.open().sample(&ClipOptions::default()).unwrap().recorded.is_some());
}

#[test]
fn uneven_armature_is_refused_for_bones_only() {
    let mut b = everything();
    b.json["nodes"][0]["scale"] = json!([1, 2, 1]);
    let asset = b.open();
    let options = ClipOptions::default();
    let sampled = asset.sample(&options).unwrap();
    let (_, error) = round_trip(&asset, &sampled, &options, Target::Node, 1);
    assert!(error < 1e-5);
    let poses = super::gltf_build::smooth_poses(3, sampled.clip.size());
    let world = holonomy_scene::asset::gltf::WorldClip {
        sampled: &sampled,
        options: &options,
        poses: &poses,
        target: Target::Unreal,
        cycle_transform: None,
        parameters: serde_json::Value::Null,
        scenery: &[],
    };
    let error = asset.with_world_motion(&world).unwrap_err().to_string();
    assert!(error.contains("--target node"), "{error}");
    let named =
        WorldNames::of(&asset.with_world_motion(&holonomy_scene::asset::gltf::WorldClip { target: Target::Node, ..world }).unwrap());
    assert_eq!(named, WorldNames("swim.world".into(), "world".into()));
}

/// It was written as infinity, and the file could not be read any more.
#[test]
fn a_way_too_long_for_the_file_is_refused() {
    let asset = everything().open();
    let options = ClipOptions::default();
    let sampled = asset.sample(&options).unwrap();
    let mut poses = super::gltf_build::smooth_poses(3, sampled.clip.size());
    poses[2].translation.x = 1e39;
    let world = holonomy_scene::asset::gltf::WorldClip {
        sampled: &sampled,
        options: &options,
        poses: &poses,
        target: Target::Node,
        cycle_transform: None,
        parameters: serde_json::Value::Null,
        scenery: &[],
    };
    let error = asset.with_world_motion(&world).unwrap_err().to_string();
    assert!(error.contains("more than a glTF file can hold"), "{error}");
}

/// To Unreal `Root` and `root` are one bone. It carries all of the motion, also what the clip travels by itself, unless that is the
/// armature's: then it carries the rest, which must be told.
#[test]
fn a_root_bone_carries_what_the_clip_travels_by_itself() {
    for (mover, all) in [(1, true), (0, false)] {
        let mut b = everything();
        b.json["animations"][0]["channels"].as_array_mut().unwrap().truncate(1);
        b.json["nodes"][2]["name"] = json!("Root");
        let turn = |angle: f64| [0.0, (angle / 2.0).sin() as f32, 0.0, (angle / 2.0).cos() as f32];
        b.animate(mover, "translation", "LINEAR", &[0.0, 0.25, 0.5], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 2.0, 0.0, 0.0]);
        b.animate(mover, "rotation", "LINEAR", &[0.0, 0.25, 0.5], &[turn(0.0), turn(0.3), turn(0.5)].concat());
        let asset = b.open();
        let options = ClipOptions::default();
        let sampled = asset.sample(&options).unwrap();
        assert!(sampled.recorded.is_some());
        for target in [Target::Node, Target::Unreal, Target::Godot] {
            for cycles in [1, 3] {
                let (glb, error) = round_trip(&asset, &sampled, &options, target, cycles);
                assert!(error < 1e-5, "{mover} {target:?} x{cycles}: {error:e}"); // measured 3e-7
                let bone = GltfAsset::from_bytes(&glb, std::path::Path::new("again.glb")).unwrap();
                let hip = way_of(&glb, &bone.clip_names()[0], 1);
                match (all, target) {
                    (true, Target::Node) => assert!(hip > 1.9, "{hip}"),
                    (true, _) => assert!(hip < 1e-6, "{target:?}: the hip still goes {hip:e}"), // measured 7e-16
                    (false, _) => assert_eq!(hip, 0.0, "the hip never went"),
                }
            }
        }
        let poses = super::gltf_build::smooth_poses(3, sampled.clip.size());
        for (target, name) in [(Target::Unreal, "root2"), (Target::Node, "world")] {
            let world = holonomy_scene::asset::gltf::WorldClip {
                sampled: &sampled,
                options: &options,
                poses: &poses,
                target,
                cycle_transform: None,
                parameters: serde_json::Value::Null,
                scenery: &[],
            };
            let patched = asset.with_world_motion(&world).unwrap();
            let told = |words: &str| patched.notes.iter().any(|note| note.contains(words));
            assert_eq!(patched.node, name);
            assert_eq!(told("carries all of it now"), all && target == Target::Unreal, "{:?}", patched.notes);
            assert_eq!(told("goes on doing so"), !all && target == Target::Unreal, "{:?}", patched.notes);
        }
    }
}

/// How far the translation of a node strays from its first key in a clip; 0 if it has none.
fn way_of(glb: &[u8], clip: &str, node: usize) -> f64 {
    let file = gltf::Gltf::from_slice(glb).unwrap();
    let bin = file.blob.as_deref().unwrap();
    let animation = file.animations().find(|animation| animation.name() == Some(clip)).unwrap();
    let channels = animation.channels().filter(|channel| channel.target().node().index() == node);
    let mut way = 0.0_f64;
    for channel in channels {
        let reader = channel.reader(|_| Some(bin));
        if let Some(gltf::animation::util::ReadOutputs::Translations(keys)) = reader.read_outputs() {
            let keys: Vec<_> = keys.map(|key| Vector3::from(key.map(f64::from))).collect();
            way = keys.iter().map(|key| (key - keys[0]).norm()).fold(way, f64::max);
        }
    }
    way
}

#[derive(Debug, PartialEq)]
struct WorldNames(String, String);

impl WorldNames {
    fn of(patched: &holonomy_scene::asset::gltf::Patched) -> Self {
        WorldNames(patched.clip.clone(), patched.node.clone())
    }
}

/// External buffers and images end up inside the result.
#[test]
fn external_files_are_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut b = everything();
    b.json["buffers"] = json!([{ "uri": "some%20data.bin", "byteLength": b.bin.len() }]);
    b.json["images"] = json!([{ "uri": "skin.png" }, { "uri": "missing.png" }]);
    std::fs::write(folder.path().join("some data.bin"), &b.bin).unwrap();
    std::fs::write(folder.path().join("skin.png"), b"\x89PNG not really").unwrap();
    let path = folder.path().join("a.gltf");
    std::fs::write(&path, b.json.to_string()).unwrap();
    let asset = GltfAsset::open(&path).unwrap();
    let options = ClipOptions::default();
    let sampled = asset.sample(&options).unwrap();
    let (glb, error) = round_trip(&asset, &sampled, &options, Target::Node, 1);
    assert!(error < 1e-5);
    let (json, bin) = super::gltf_build::parts(&glb);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["buffers"][0].get("uri").is_none() && json["images"][1]["uri"] == "missing.png");
    let view = &json["bufferViews"][json["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let offset = view["byteOffset"].as_u64().unwrap() as usize;
    assert!(bin[offset..].starts_with(b"\x89PNG"));
    let extras = &json["animations"][0]["extras"]["holonomy"];
    assert_eq!(extras["parameters"]["medium"], "water");
    assert_eq!(extras["input_sha256"].as_str().unwrap().len(), 64);
}

/// Weights that add up to 255 + 254 of 255 parts are mended in the result, and only they.
#[test]
fn weights_are_mended() {
    let mut b = everything();
    let view = b.json["accessors"][3]["bufferView"].as_u64().unwrap() as usize;
    let offset = b.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    b.bin[offset + 13] = 128; // 128 + 128
    let asset = b.open();
    let options = ClipOptions::default();
    let sampled = asset.sample(&options).unwrap();
    let (glb, error) = round_trip(&asset, &sampled, &options, Target::Unreal, 1);
    assert!(error < 1e-5, "{error:e}");
    let (json, bin) = super::gltf_build::parts(&glb);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let accessor = &json["accessors"][json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let at = view["byteOffset"].as_u64().unwrap() as usize + 48;
    assert_eq!(bin[at..at + 8], [0.5f32.to_le_bytes(), 0.5f32.to_le_bytes()].concat()[..]);
    assert_eq!(
        json["meshes"][0]["primitives"][0]["attributes"]["POSITION"],
        b.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    );
}

/// Blender and three.js play the first clip of a file on opening it. Before, the moved one was the last, and nothing moved.
#[test]
fn the_moved_clip_is_the_first_and_mentions_of_the_others_follow() {
    let mut b = everything();
    let second = b.json["animations"][0].clone();
    b.json["animations"].as_array_mut().unwrap().push(second);
    b.json["animations"][1]["name"] = json!("attack");
    b.json["extensions"] = json!({ "KHR_interactivity": { "graphs": [{
        "nodes": [{ "values": { "animation": { "value": [1], "type": 1 } } }, { "configuration": { "pointer": { "value": ["/animations/0/extras"] } } }],
        "animations": [0, 1], "other": [0, 1]
    }] } });
    b.json["extensionsUsed"] = json!(["KHR_interactivity"]);
    b.json["nodes"][3]["extras"] = json!({ "play": "/animations/1", "animation": 1, "name": "animation 1" });
    let asset = b.open();
    let options = ClipOptions { clip: Some("swim".into()), ..ClipOptions::default() };
    let sampled = asset.sample(&options).unwrap();
    let poses = super::gltf_build::smooth_poses(3, sampled.clip.size());
    for target in [Target::Node, Target::Unreal, Target::Unity, Target::Godot, Target::Bevy] {
        let world = holonomy_scene::asset::gltf::WorldClip {
            sampled: &sampled,
            options: &options,
            poses: &poses,
            target,
            cycle_transform: None,
            parameters: serde_json::Value::Null,
            scenery: &[],
        };
        let patched = asset.with_world_motion(&world).unwrap();
        let again = GltfAsset::from_bytes(&patched.glb, std::path::Path::new("again.glb")).unwrap();
        assert_eq!(again.clip_names(), [patched.clip.as_str(), "swim", "attack"], "{target:?}");
        assert_eq!(again.result_clip().unwrap().name, patched.clip);
        let (json, _) = super::gltf_build::parts(&patched.glb);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!([&json["animations"][1], &json["animations"][2]], [&b.json["animations"][0], &b.json["animations"][1]]);
        let graph = &json["extensions"]["KHR_interactivity"]["graphs"][0];
        assert_eq!(graph["nodes"][0]["values"]["animation"], json!({ "value": [2], "type": 1 }));
        assert_eq!(graph["nodes"][1]["configuration"]["pointer"]["value"], json!(["/animations/1/extras"]));
        assert_eq!((&graph["animations"], &graph["other"]), (&json!([1, 2]), &json!([0, 1])));
        assert_eq!(json["nodes"][3]["extras"], json!({ "play": "/animations/2", "animation": 1, "name": "animation 1" }));
        let told = |words: &str| patched.notes.iter().any(|note| note.contains(words));
        assert!(told("5 mentions of clips by number") && told("extras of the file have `animation`"), "{:?}", patched.notes);
        // Moved once more, it is the original that is taken.
        assert_eq!(again.sample(&ClipOptions::default()).unwrap().name, "swim");
    }
}

/// A weight that is not finite counts as 0. Before, such files were refused with advice on normals.
#[test]
fn weights_that_are_not_finite_are_mended() {
    let mut b = everything();
    let weights = [1.0, 0.0, 0.0, 0.0, 0.5, f32::NAN, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, f32::INFINITY];
    let accessor = b.floats(&weights, "VEC4");
    let fields = b.json["accessors"][accessor].as_object_mut().unwrap();
    fields.remove("min");
    fields.remove("max");
    b.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(accessor);
    let asset = b.open();
    let options = ClipOptions::default();
    let sampled = asset.sample(&options).unwrap();
    let told = |words: &str| sampled.notes.iter().any(|note| note.contains(words));
    assert!(told("the skin weights of 3 vertices have numbers that are not finite"), "{:?}", sampled.notes);
    assert!(told("1 vertices have no skin weight above 0"), "{:?}", sampled.notes);
    let (glb, error) = round_trip(&asset, &sampled, &options, Target::Node, 1);
    assert!(error < 1e-5, "{error:e}");
    let (json, bin) = super::gltf_build::parts(&glb);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let values = |accessor: usize| -> Vec<f32> {
        let view = &json["bufferViews"][json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize];
        let at = view["byteOffset"].as_u64().unwrap() as usize;
        bin[at..at + 64].chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    };
    let new = json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].as_u64().unwrap() as usize;
    assert_eq!(values(new), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]);
    assert!(values(accessor).iter().all(|weight| weight.is_finite()), "no number is left that a validator refuses");
}
