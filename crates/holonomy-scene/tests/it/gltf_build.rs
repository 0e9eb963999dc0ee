//! Small glTF files made in code, and helpers for comparing files.

use std::path::{Path, PathBuf};

use holonomy::lie::Pose;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy_scene::asset::gltf::GltfAsset;
use serde_json::{Value, json};

/// A glTF document in the making: JSON, and one buffer.
pub struct Build {
    pub json: Value,
    pub bin: Vec<u8>,
}

impl Build {
    pub fn new() -> Self {
        let json = json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [], "meshes": [],
            "accessors": [], "bufferViews": [] });
        Build { json, bin: Vec::new() }
    }

    pub fn push(&mut self, key: &str, element: Value) -> usize {
        if self.json.get(key).is_none() {
            self.json[key] = json!([]);
        }
        let array = self.json[key].as_array_mut().unwrap();
        array.push(element);
        array.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    pub fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.push("accessors", json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }))
    }

    pub fn floats(&mut self, values: &[f32], kind: &str) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let index = self.accessor(&bytes, 5126, kind, values.len() / width);
        let extreme = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..width).map(|c| values.iter().skip(c).step_by(width).copied().reduce(pick).unwrap()).collect()
        };
        self.json["accessors"][index]["min"] = json!(extreme(f32::min));
        self.json["accessors"][index]["max"] = json!(extreme(f32::max));
        index
    }

    pub fn shorts(&mut self, values: &[u16], kind: &str) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(&bytes, 5123, kind, if kind == "VEC4" { values.len() / 4 } else { values.len() })
    }

    /// A node with an animated property; returns the channel to put into an animation.
    pub fn animate(&mut self, node: usize, path: &str, interpolation: &str, times: &[f32], values: &[f32]) {
        let kind = match path {
            "weights" => "SCALAR",
            "rotation" => "VEC4",
            _ => "VEC3",
        };
        let (input, output) = (self.floats(times, "SCALAR"), self.floats(values, kind));
        if self.json.get("animations").is_none() {
            self.push("animations", json!({ "name": "swim", "channels": [], "samplers": [] }));
        }
        let animation = &mut self.json["animations"][0];
        let sampler = animation["samplers"].as_array().unwrap().len();
        let sampler_json = json!({ "input": input, "output": output, "interpolation": interpolation });
        animation["samplers"].as_array_mut().unwrap().push(sampler_json);
        let channel = json!({ "sampler": sampler, "target": { "node": node, "path": path } });
        animation["channels"].as_array_mut().unwrap().push(channel);
    }

    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        let bin_size = self.bin.len().next_multiple_of(4);
        json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        glb_of(json.to_string().as_bytes(), Some(&self.bin), bin_size)
    }

    pub fn open(&self) -> GltfAsset {
        GltfAsset::from_bytes(&self.glb(), Path::new("test.glb")).unwrap()
    }
}

pub fn glb_of(json: &[u8], bin: Option<&[u8]>, bin_size: usize) -> Vec<u8> {
    let json_size = json.len().next_multiple_of(4);
    let total = 20 + json_size + bin.map_or(0, |_| 8 + bin_size);
    let mut out = b"glTF".to_vec();
    for word in [2, total as u32, json_size as u32, 0x4E4F_534A] {
        out.extend(word.to_le_bytes());
    }
    out.extend(json);
    out.resize(20 + json_size, b' ');
    if let Some(bin) = bin {
        out.extend((bin_size as u32).to_le_bytes());
        out.extend(0x004E_4942u32.to_le_bytes());
        out.extend(bin);
        out.resize(total, 0);
    }
    out
}

/// JSON text and binary chunk of a `.glb`.
pub fn parts(glb: &[u8]) -> (String, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json = String::from_utf8(glb[20..20 + word(12)].to_vec()).unwrap();
    let at = 20 + word(12);
    let bin = if at < glb.len() { glb[at + 8..at + 8 + word(at)].to_vec() } else { Vec::new() };
    (json, bin)
}

/// A tetrahedron with corners at the origin and the three unit points, as a mesh; returns the mesh.
pub fn tetrahedron(build: &mut Build) -> usize {
    let position = build.floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.], "VEC3");
    let indices = build.shorts(&[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], "SCALAR");
    build.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": position }, "indices": indices }] }))
}

/// A skinned, morphing tetrahedron under a turned, scaled armature: small, and it has a bit of everything.
pub fn everything() -> Build {
    let mut b = Build::new();
    let mesh = tetrahedron(&mut b);
    let joints = b.accessor(&[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0], 5121, "VEC4", 4);
    let weights = b.accessor(&[255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 128, 127, 0, 0], 5121, "VEC4", 4);
    b.json["accessors"][weights]["normalized"] = json!(true);
    let morph = b.floats(&[0., 0., 0., 0.2, 0., 0., 0., 0., 0., 0., 0., 0.1], "VEC3");
    let primitive = &mut b.json["meshes"][mesh]["primitives"][0];
    primitive["attributes"]["JOINTS_0"] = json!(joints);
    primitive["attributes"]["WEIGHTS_0"] = json!(weights);
    primitive["targets"] = json!([{ "POSITION": morph }]);
    let id = [1f32, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let inverse = b.floats(&[id, id].concat(), "MAT4");
    b.push(
        "nodes",
        json!({ "name": "armature", "children": [1, 3], "rotation": [0.5, 0.5, 0.5, 0.5], "scale": [2, 2, 2], "translation": [1, 2, 3] }),
    );
    b.push("nodes", json!({ "name": "hip", "children": [2], "translation": [0.1, 0, 0] }));
    b.push("nodes", json!({ "name": "tail", "translation": [0, 0.3, 0] }));
    b.push("nodes", json!({ "name": "skin", "mesh": 0, "skin": 0 }));
    b.push("skins", json!({ "joints": [1, 2], "inverseBindMatrices": inverse, "skeleton": 1 }));
    let s = std::f32::consts::FRAC_1_SQRT_2;
    b.animate(2, "rotation", "LINEAR", &[0.0, 0.25, 0.5], &[0., 0., 0., 1., s, 0., 0., s, 0., 0., 0., 1.]);
    b.animate(3, "weights", "STEP", &[0.0, 0.2, 0.4], &[0., 1., 0.]);
    let key = |v: [f32; 3], t: [f32; 3]| [t, v, t].concat();
    let cubic = [key([0.1, 0., 0.], [0.5, 0., 0.]), key([0.1, 0.2, 0.], [0., -1., 0.]), key([0.1, 0., 0.], [0., 0., 1.])].concat();
    b.animate(1, "translation", "CUBICSPLINE", &[0.0, 0.3, 0.5], &cubic);
    b
}

/// The folder of shared sample data, if it is there.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("HOLONOMY_DATA").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    if folder.join("glb").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no sample data at {} (set HOLONOMY_DATA)", folder.display());
    None
}

/// Some smooth path of a body of this size, one pose a frame, not beginning at the identity.
pub fn smooth_poses(count: usize, size: f64) -> Vec<Pose> {
    let pose = |k: usize| {
        let s = k as f64 * 0.05;
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3 * s, 0.2 + 0.9 * s, 0.5 * (1.7 * s).sin()));
        Pose { rotation, translation: Vector3::new(0.3 * s, 0.2 * (2.0 * s).cos(), -0.4 * s) * size }
    };
    (0..count).map(pose).collect()
}
