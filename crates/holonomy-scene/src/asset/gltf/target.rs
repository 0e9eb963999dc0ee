//! Where the world motion goes: a node above everything, or a bone above the skeleton.
//!
//! A bone under an armature with global transform G shows the world motion W as G⁻¹ W G, which is a rigid motion as long as G
//! scales evenly.

use nalgebra::{Matrix3, Matrix4, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::GltfAsset;
use super::animation::Tracks;
use super::fault::Fault;
use super::nodes::rotation_of;
use super::raw::{Object, RawDocument, put};
use super::surface::Stage;
use holonomy::lie::Pose;

/// The program that will play the clip, and with it the convention for motion through the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A node above the body carries the motion: of a moved asset a new one called `world`, above all of it; of made bodies, or several, one of the body's name. Right in every
    /// viewer.
    #[default]
    Node,
    /// Unreal Engine: a new bone `root` above the skeleton, inside the armature, carries the motion (root motion). Bodies without bones have it on their node.
    Unreal,
    /// Unity: as `node`.
    Unity,
    /// Godot: a bone as for Unreal, and the names of clips whose motion repeats end in `-loop`, by which Godot knows them.
    Godot,
    /// Bevy: as `node`.
    Bevy,
}

impl Target {
    /// Whether the motion goes onto a bone of the skeleton.
    pub(crate) fn wants_bone(self) -> bool {
        matches!(self, Target::Unreal | Target::Godot)
    }

    /// What the name of a clip ends in whose motion has that cycle transform, if it repeats.
    pub(crate) fn clip_suffix(self, cycle_transform: Option<&Pose>) -> &'static str {
        if self == Target::Godot && cycle_transform.is_some() { "-loop" } else { "" }
    }

    /// What the new node is called, unless the file has one of that name.
    pub(crate) fn node_name(self) -> &'static str {
        if self.wants_bone() { "root" } else { "world" }
    }
}

/// A rigid motion as glTF writes matrices: column by column.
pub(crate) fn cycle_matrix(pose: &Pose) -> [f64; 16] {
    let matrix = pose.rotation.to_homogeneous().prepend_translation(&(pose.rotation.inverse() * pose.translation));
    std::array::from_fn(|i| matrix[i])
}

/// A new node: what it hangs on, what hangs on it, and the skins it becomes a joint of.
#[derive(Debug)]
pub(super) struct Placement {
    pub name: String,
    /// `None`: at the top of the scene.
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    skins: Vec<usize>,
}

impl Placement {
    /// Whether it is a node above all others, not a bone of a skeleton.
    pub fn is_at_the_top(&self) -> bool {
        self.skins.is_empty()
    }

    /// Global transform of what it hangs on, at time `t` of a clip.
    pub fn armature(&self, stage: &Stage, tracks: &Tracks, t: f64) -> Matrix4<f64> {
        self.parent.map_or_else(Matrix4::identity, |parent| stage.globals(tracks, t)[parent])
    }
}

impl GltfAsset {
    /// Where the new node goes.
    pub(super) fn placement(&self, target: Target) -> Placement {
        let name = self.unused_node_name(target);
        let top = Placement { name: name.clone(), parent: None, children: self.nodes.roots.clone(), skins: Vec::new() };
        if !target.wants_bone() || self.shown_skins().is_empty() {
            return top;
        }
        // The bone must carry the skeletons, and the meshes without a skin that hang elsewhere.
        let joints = self.shown_skins().into_iter().flat_map(|skin| self.nodes.joint_roots(&self.document.skins[skin].joints));
        let rigid = self.shown_meshes().map(|(node, _)| node).filter(|&node| self.document.nodes[node].skin.is_none());
        let carried: Vec<usize> = joints.chain(rigid).collect();
        let highest = carried.iter().filter(|&&node| !self.nodes.path_up(node).skip(1).any(|above| carried.contains(&above)));
        let above: Option<Vec<usize>> = highest.map(|&node| self.nodes.parent[node]).collect();
        let parent = above.and_then(|above| self.nodes.common(above));
        let candidates = parent.map_or(&self.nodes.roots, |parent| &self.document.nodes[parent].children);
        let children: Vec<usize> =
            candidates.iter().copied().filter(|&child| carried.iter().any(|&node| self.nodes.is_under(node, child))).collect();
        let inside = |skin: &usize| {
            let joints = &self.document.skins[*skin].joints;
            joints.iter().all(|&joint| children.iter().any(|&child| self.nodes.is_under(joint, child)))
        };
        let skins = (0..self.document.skins.len()).filter(inside).collect();
        Placement { name, parent, children, skins }
    }

    /// Programs that want a bone tell names apart by their letters only, not by capitals: `Root` would be the same bone as `root`.
    fn unused_node_name(&self, target: Target) -> String {
        let same = |one: &str, other: &str| if target.wants_bone() { one.eq_ignore_ascii_case(other) } else { one == other };
        let taken = |name: &str| self.document.nodes.iter().any(|node| node.name.as_deref().is_some_and(|taken| same(taken, name)));
        unused(target.node_name(), |name| name.to_owned(), taken)
    }

    /// Adds the node to the document and returns its index.
    pub(super) fn insert_node(&self, raw: &mut RawDocument, place: &Placement, notes: &mut Vec<String>) -> Result<usize, Fault> {
        let node = raw.push("nodes", &json!({ "name": place.name, "children": place.children }))?;
        match place.parent {
            Some(parent) => {
                let children = replaced(&self.document.nodes[parent].children, &place.children, node);
                raw.edit("nodes", parent, |fields| put(fields, "children", &children))?;
            }
            None => self.replace_roots(raw, place, node, notes)?,
        }
        for &skin in &place.skins {
            self.add_joint(raw, place, skin, node)?;
        }
        Ok(node)
    }

    fn replace_roots(&self, raw: &mut RawDocument, place: &Placement, node: usize, notes: &mut Vec<String>) -> Result<(), Fault> {
        if self.document.scenes.is_empty() {
            raw.push("scenes", &json!({ "nodes": replaced(&self.nodes.roots, &place.children, node) }))?;
            return raw.set("scene", &0);
        }
        for (i, scene) in self.document.scenes.iter().enumerate() {
            let nodes = replaced(&scene.nodes, &place.children, node);
            if nodes != scene.nodes {
                raw.edit("scenes", i, |fields| put(fields, "nodes", &nodes))?;
                if i != self.document.scene.unwrap_or(0) {
                    notes.push(format!("scene {i} shares nodes with the default scene; it now shows all of '{}'", place.name));
                }
            }
        }
        Ok(())
    }

    /// Makes the node the last joint of a skin, so that the numbers in the meshes stay right.
    fn add_joint(&self, raw: &mut RawDocument, place: &Placement, skin: usize, node: usize) -> Result<(), Fault> {
        let info = &self.document.skins[skin];
        let mut joints = info.joints.clone();
        joints.push(node);
        let skeleton = info.skeleton.filter(|&old| place.children.iter().any(|&child| self.nodes.is_under(old, child)));
        let inverse = match info.inverse_bind_matrices {
            None => None,
            Some(_) => Some(self.inverse_binds_with(raw, place, skin)?),
        };
        raw.edit("skins", skin, |fields: &mut Object| {
            put(fields, "joints", &joints)?;
            skeleton.map_or(Ok(()), |_| put(fields, "skeleton", &node))?;
            inverse.map_or(Ok(()), |accessor| put(fields, "inverseBindMatrices", &accessor))
        })
    }

    /// A new accessor: the skin's inverse bind matrices, and one more for the new joint.
    ///
    /// No vertex hangs on the new joint; its matrix only says where it rests: as far above the skeleton's root as it is in the scene.
    fn inverse_binds_with(&self, raw: &mut RawDocument, place: &Placement, skin: usize) -> Result<usize, Fault> {
        let bindings = self.bindings()?;
        let binding = &bindings[skin];
        let root = self.nodes.joint_roots(&binding.joints).first().copied().unwrap_or(binding.joints[0]);
        let which = binding.joints.iter().position(|&joint| joint == root).unwrap_or(0);
        let below = self.nodes.path_up(root).take_while(|&node| Some(node) != place.parent);
        let rest = below.fold(Matrix4::identity(), |matrix, node| self.nodes.rest[node].matrix() * matrix);
        let mut last = rest * binding.inverse[which];
        last.set_row(3, &Matrix4::identity().row(3));
        let mut bytes = Vec::new();
        for matrix in binding.inverse.iter().take(binding.joints.len()).chain([&last]) {
            bytes.extend(matrix.iter().flat_map(|&x| (x as f32).to_le_bytes()));
        }
        let view = raw.push_view(&bytes)?;
        let count = binding.joints.len() + 1;
        raw.push("accessors", &json!({ "bufferView": view, "componentType": 5126, "count": count, "type": "MAT4" }))
    }
}

/// `list` with the new node in the place of the first of `gone`, and the others of them left out.
fn replaced(list: &[usize], gone: &[usize], node: usize) -> Vec<usize> {
    let mut out = Vec::with_capacity(list.len());
    for &item in list {
        match gone.contains(&item) {
            false => out.push(item),
            true if !out.contains(&node) => out.push(node),
            true => {}
        }
    }
    out
}

/// `build(stem)`, `build(stem2)`, … : the first that is not taken.
pub(crate) fn unused(stem: &str, build: impl Fn(&str) -> String, taken: impl Fn(&str) -> bool) -> String {
    let mut name = build(stem);
    let mut number = 2u64;
    while taken(&name) {
        name = build(&format!("{stem}{number}"));
        number += 1;
    }
    name
}

/// The rigid motion G⁻¹ W G of a bone under an armature with global transform G that shows the world motion W.
///
/// # Errors
/// G scales unevenly, shears or flattens: then no rigid motion of the bone does it.
pub(super) fn under(armature: &Matrix4<f64>, world: &Pose) -> Result<Pose, Fault> {
    let linear: Matrix3<f64> = armature.fixed_view::<3, 3>(0, 0).into_owned();
    let offset: Vector3<f64> = armature.fixed_view::<3, 1>(0, 3).into_owned();
    let square = linear.transpose() * linear;
    let scale = square.trace() / 3.0;
    let uneven = (square - Matrix3::identity() * scale).amax() > 1e-4 * scale;
    let (false, true, Some(inverse)) = (uneven, scale.is_finite(), linear.try_inverse()) else {
        return Err(Fault::new("armature", "it is scaled unevenly, so a root bone inside it cannot carry a rigid motion")
            .fix("use --target node, or apply the armature's scale in the tool it came from"));
    };
    // Conjugating by the orthogonal factor alone keeps the rotation exact; of a mirror, R and -R conjugate alike.
    let turn = rotation_of(&linear);
    let rotation = turn.inverse() * world.rotation * turn;
    Ok(Pose { rotation, translation: inverse * (world.rotation * offset + world.translation - offset) })
}
