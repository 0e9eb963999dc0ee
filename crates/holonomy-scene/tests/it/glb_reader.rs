//! Reads a `.glb` with the `gltf` crate and plays it, so that tests see what a viewer sees.

use std::collections::HashMap;

use gltf::animation::util::ReadOutputs;
use holonomy::lie::Pose;
use holonomy::nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3, Vector4};

/// A file and the keys of its first animation.
pub struct Played {
    pub gltf: gltf::Gltf,
    pub times: Vec<f32>,
    translations: HashMap<usize, Vec<[f32; 3]>>,
    rotations: HashMap<usize, Vec<[f32; 4]>>,
    weights: HashMap<usize, Vec<f32>>,
}

/// A mesh in the world at one key.
pub struct Seen {
    pub positions: Vec<Vector3<f64>>,
    pub normals: Vec<Vector3<f64>>,
}

impl Played {
    pub fn new(glb: &[u8]) -> Self {
        let gltf = gltf::Gltf::from_slice(glb).expect("a valid glTF");
        let mut out = Played { gltf, times: vec![], translations: HashMap::new(), rotations: HashMap::new(), weights: HashMap::new() };
        let animation = out.gltf.animations().next().expect("an animation");
        for channel in animation.channels() {
            let (node, reader) = (channel.target().node().index(), channel.reader(|_| out.gltf.blob.as_deref()));
            assert_eq!(channel.sampler().interpolation(), gltf::animation::Interpolation::Linear);
            let input = channel.sampler().input();
            assert!(input.min().is_some() && input.max().is_some(), "key times state their bounds");
            out.times = reader.read_inputs().unwrap().collect();
            match reader.read_outputs().unwrap() {
                ReadOutputs::Translations(keys) => drop(out.translations.insert(node, keys.collect())),
                ReadOutputs::Rotations(keys) => drop(out.rotations.insert(node, keys.into_f32().collect())),
                ReadOutputs::MorphTargetWeights(keys) => drop(out.weights.insert(node, keys.into_f32().collect())),
                ReadOutputs::Scales(_) => panic!("no scales are written"),
            }
        }
        assert!(out.times.windows(2).all(|t| t[0] < t[1]), "times strictly increase");
        for keys in out.rotations.values() {
            let q: Vec<Vector4<f64>> = keys.iter().map(|k| Vector4::from(k.map(f64::from))).collect();
            assert!(q.iter().all(|q| (q.norm() - 1.0).abs() < 2e-7), "unit quaternions"); // measured 3.8e-8
            assert!(q.windows(2).all(|q| q[0].dot(&q[1]) >= 0.0), "sign-continuous quaternions");
        }
        out
    }

    pub fn node(&self, name: &str) -> gltf::Node<'_> {
        self.gltf.nodes().find(|n| n.name() == Some(name)).unwrap_or_else(|| panic!("no node {name}"))
    }

    /// Weight keys of a node.
    pub fn weights(&self, node: &gltf::Node) -> &[f32] {
        &self.weights[&node.index()]
    }

    fn local(&self, node: &gltf::Node, key: usize) -> Pose {
        let (mut t, mut q, _) = node.transform().decomposed();
        t = self.translations.get(&node.index()).map_or(t, |keys| keys[key]);
        q = self.rotations.get(&node.index()).map_or(q, |keys| keys[key]);
        let q = q.map(f64::from);
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]));
        Pose { rotation, translation: Vector3::from(t.map(f64::from)) }
    }

    /// World pose of a node at a key.
    pub fn global(&self, index: usize, key: usize) -> Pose {
        let node = self.gltf.nodes().nth(index).unwrap();
        let parent = self.gltf.nodes().find(|p| p.children().any(|c| c.index() == index));
        let local = self.local(&node, key);
        parent.map_or(local, |p| self.global(p.index(), key) * local)
    }

    /// The mesh of the node `name`, morphed, skinned and placed as at a key.
    pub fn mesh(&self, name: &str, key: usize) -> Seen {
        let node = self.node(name);
        let mesh = node.mesh().unwrap();
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| self.gltf.blob.as_deref());
        let read = |v: [f32; 3]| Vector3::from(v.map(f64::from));
        let mut seen = Seen {
            positions: reader.read_positions().unwrap().map(read).collect(),
            normals: reader.read_normals().into_iter().flatten().map(read).collect(),
        };
        assert!(seen.normals.iter().all(|n| (n.norm() - 1.0).abs() < 1e-6), "unit normals"); // measured 4.4e-8
        for (j, (positions, normals, _)) in reader.read_morph_targets().enumerate() {
            let count = primitive.morph_targets().len();
            let weight = self.weights.get(&node.index()).map_or(mesh.weights().unwrap()[j], |keys| keys[key * count + j]);
            positions.unwrap().zip(&mut seen.positions).for_each(|(d, p)| *p += read(d) * f64::from(weight));
            normals.into_iter().flatten().zip(&mut seen.normals).for_each(|(d, n)| *n += read(d) * f64::from(weight));
        }
        match node.skin() {
            None => {
                let pose = self.global(node.index(), key);
                seen.positions.iter_mut().for_each(|p| *p = pose.act(p));
                seen.normals.iter_mut().for_each(|n| *n = pose.rotation * n.normalize());
            }
            Some(skin) => {
                let joints = reader.read_joints(0).unwrap().into_u16();
                let follows: Vec<_> = joints.zip(reader.read_weights(0).unwrap().into_f32()).collect();
                self.skin(&skin, &follows, key, &mut seen.positions);
            }
        }
        seen
    }

    fn skin(&self, skin: &gltf::Skin, follows: &[([u16; 4], [f32; 4])], key: usize, positions: &mut [Vector3<f64>]) {
        let reader = skin.reader(|_| self.gltf.blob.as_deref());
        let binds = reader.read_inverse_bind_matrices().unwrap().map(|m| Matrix4::from(m.map(|c| c.map(f64::from))));
        let matrices: Vec<Matrix4<f64>> = skin
            .joints()
            .zip(binds)
            .map(|(joint, bind)| {
                let pose = self.global(joint.index(), key);
                pose.rotation.to_homogeneous().append_translation(&pose.translation) * bind
            })
            .collect();
        for (position, (joints, weights)) in positions.iter_mut().zip(follows) {
            assert_eq!(weights.iter().sum::<f32>(), 1.0, "weights add up to 1 in single precision");
            assert!(joints.iter().zip(weights).all(|(&joint, &weight)| weight > 0.0 || joint == 0), "unused places are zero");
            let place = position.push(1.0);
            let parts = joints.iter().zip(weights).map(|(&joint, &weight)| (matrices[joint as usize] * place).xyz() * f64::from(weight));
            *position = parts.sum();
        }
    }
}
