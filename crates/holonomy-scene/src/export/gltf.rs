//! One `.glb` (glTF 2.0) from shapes that have no glTF source.
//!
//! Each body is a node named after it that carries the world motion, with the geometry below:
//!
//! ```text
//! snake            translation and rotation keys: where the body is
//! └ snake.shape    a mesh, its morph weights keyed: what its shape does
//!
//! diver            world motion                       diver.shape   the skinned mesh: a root, as glTF lets a skin move only by its joints
//! └ Hips …         joints, keyed
//!
//! root             world motion, for targets that take it from a bone: one more joint of the skin
//! └ Hips …         joints, keyed                      diver.shape
//!
//! gate             scenery: a mesh in world coordinates that nothing moves; `extras.holonomy.scenery` says its kind
//! ```
//!
//! Water and food are as bodies are, and say so in `extras.holonomy.matter` of their node; water is blended.
//!
//! One animation named after the scene holds all channels, LINEAR, one key a frame; frame k is at k·dt. Rotations are unit and do not
//! change sign from key to key. `animation.extras.holonomy` says how the file was made.

use holonomy::lie::Pose;
use holonomy::motion::{Matter, Motion, Scenery, SceneryKind, Track};
use holonomy::nalgebra::UnitQuaternion;
use holonomy::shape::{Clip, Rig, Topology};
use serde_json::{Map, Value, json};

use super::glb::{Arrays, Use};
use super::morph::{Layer, MANY_TARGETS, Morph, choose, single};
use super::rig::{MANY_JOINTS, influence, matrix, rig_parts};
use super::{BodyReport, ExportMeta, ExportReport, ShapeStorage};
use crate::asset::gltf::{Target, cycle_matrix, unused};
use crate::looks::around;
use crate::looks::mesh::{MovingMesh, PaintedMesh, has_border};
use crate::looks::scenery::{self, GOAL_OPACITY};
use crate::looks::{Color, Detail, Looks, body_size, linear, moving_mesh};
use crate::picture::{Drawn, PosedMesh};
use crate::{Error, memory};

/// Builds the file and says what was chosen and measured; `bodies` has an entry for each track. Colours per vertex are stored where they do not change.
///
/// # Errors
/// No bodies or frames, not as many bodies as tracks, colours that do not fit a body, a track that is too short, a number that is not finite, more than 4 GB.
pub fn build(motion: &Motion, bodies: &[Drawn], meta: &ExportMeta) -> Result<(Vec<u8>, ExportReport), Error> {
    let mut document = Document::default();
    let mut report = ExportReport::default();
    if motion.tracks.is_empty() {
        return Err(Error::export("the scene", "it has no bodies", "give it at least one"));
    }
    if bodies.len() != motion.tracks.len() {
        let problem = format!("it has {} bodies, but the looks of {}", motion.tracks.len(), bodies.len());
        return Err(Error::export("the scene", problem, "say of each body how it looks"));
    }
    document.times = document.key_times(motion)?;
    let names = motion_nodes(motion, meta.target);
    for ((track, &drawn), node) in motion.tracks.iter().zip(bodies).zip(&names) {
        let body = &Body { bone: meta.target.wants_bone(), node, ..Body::new(track, drawn) };
        check(body, track, motion.frames())?;
        let world = document.world_node(body, track)?;
        let body_report = document.geometry(body, motion.frames(), world)?;
        document.mark(world, track.matter);
        report.warnings.extend(warnings(&body_report, meta.target, track.matter));
        report.bodies.push(body_report);
    }
    motion.scenery.iter().try_for_each(|piece| document.scenery(piece))?;
    let extras = extras(motion, meta, &report)?;
    Ok((document.finish(meta, extras)?, report))
}

/// Names of the nodes that carry the motions of the tracks: those of the tracks, or of bones above their skeletons.
fn motion_nodes(motion: &Motion, target: Target) -> Vec<String> {
    let rig = |track: &Track| matches!(track.shape.topology(), Topology::Rig(_));
    let rigs = motion.tracks.iter().filter(|track| rig(track)).count();
    let name = |track: &Track| match track.shape.topology() {
        Topology::Rig(rig) if target.wants_bone() => {
            let bone = target.node_name();
            let stem = if rigs > 1 { format!("{}.{bone}", track.name) } else { bone.into() };
            unused(&stem, str::to_owned, |name| rig.joints.iter().any(|joint| joint.name.eq_ignore_ascii_case(name)))
        }
        _ => track.name.clone(),
    };
    motion.tracks.iter().map(name).collect()
}

/// What engines may stumble over.
fn warnings(body: &BodyReport, target: Target, matter: Matter) -> Vec<String> {
    let BodyReport { name, node, storage, .. } = body;
    let mut warnings = Vec::new();
    match storage {
        ShapeStorage::FrameTargets { targets } | ShapeStorage::PrincipalTargets { targets } if *targets > MANY_TARGETS => {
            warnings.push(format!("{name} has {targets} morph targets; some engines take no more than {MANY_TARGETS}"));
        }
        ShapeStorage::Joints { joints } if *joints > MANY_JOINTS => {
            warnings.push(format!("the skin of {name} has {joints} joints; some engines (Bevy) take no more than {MANY_JOINTS}"));
        }
        _ => {}
    }
    if target.wants_bone() && matter == Matter::Body {
        let bone = target.node_name();
        if !matches!(storage, ShapeStorage::Joints { .. }) {
            warnings.push(format!("{name} has no skeleton that could have a bone `{bone}`: its motion is on the node `{node}`"));
        } else if node != bone {
            warnings.push(format!("the motion of {name} is on the bone `{node}`; choose it for root motion"));
        }
    }
    warnings
}

/// What is shown of a track.
struct Body<'a> {
    name: &'a str,
    /// Name of the node that carries its motion, and whether that becomes a joint of its skin, if it has one.
    node: &'a str,
    bone: bool,
    clip: &'a Clip,
    looks: Looks,
    vertex_colors: Option<&'a [Color]>,
    face_colors: Option<&'a [Color]>,
    texture: Option<&'a [[f32; 2]]>,
    matter: Matter,
}

impl<'a> Body<'a> {
    fn new(track: &'a Track, drawn: Drawn<'a>) -> Body<'a> {
        let Drawn { looks, vertex_colors, face_colors, texture } = drawn.of_matter(track.matter);
        let (name, clip, matter) = (&track.name, &track.shape, track.matter);
        Body { name, node: name, bone: false, clip, looks, vertex_colors, face_colors, texture, matter }
    }

    /// The colour of each vertex of its mesh, in linear light, if it has more than one.
    fn corner_colors(&self, mesh: &dyn MovingMesh) -> Option<Vec<[f32; 3]>> {
        if let Some(colors) = mesh.colors() {
            return Some(colors.iter().map(|&color| linear(color)).collect());
        }
        let colors = self.vertex_colors.filter(|colors| colors.len() == self.clip.vertices())?;
        Some(mesh.sources().iter().map(|&v| linear(colors[v as usize])).collect())
    }
}

/// Refuses what cannot be shown.
fn check(body: &Body, track: &Track, frames: usize) -> Result<(), Error> {
    let what = || format!("body {}", body.name);
    if track.poses.len() != frames {
        let problem = format!("its track has {} poses where others have {frames}", track.poses.len());
        return Err(Error::export(what(), problem, "all tracks of a motion have the same number of frames"));
    }
    if let Some(k) = track.poses.iter().position(|p| !is_finite(p)) {
        let problem = format!("its pose is {:?}", track.poses[k]);
        return Err(Error::export(format!("{}, frame {k}", what()), problem, "the run diverged; use a smaller time step"));
    }
    let greatest = (0..body.clip.frames()).flat_map(|k| body.clip.frame(k)).map(|p| p.amax()).fold(0.0, f64::max);
    if greatest > 1e15 {
        let problem = format!("a coordinate of its shape is {greatest:e} m");
        return Err(Error::export(what(), problem, "single precision cannot show that; give the right unit"));
    }
    if let Some(texture) = body.texture
        && texture.len() != body.clip.vertices()
    {
        let problem = format!("{} texture coordinates for {} vertices", texture.len(), body.clip.vertices());
        return Err(Error::export(what(), problem, "give one pair for each vertex"));
    }
    let drawn = Drawn { looks: body.looks, face_colors: body.face_colors, ..Drawn::default() };
    drawn.check_faces(track).map_err(|problem| Error::export(what(), problem, "give one colour for each face"))?;
    let Looks { color, thickness, .. } = body.looks;
    if color.iter().any(|c| !(0.0..=1.0).contains(c)) || thickness.is_some_and(|t| !(t > 0.0 && t <= 1e15)) {
        let problem = format!("colour {color:?}, thickness {thickness:?}");
        return Err(Error::export(what(), problem, "give colours as 0 to 1 and the thickness as a positive number of metres"));
    }
    Ok(())
}

fn is_finite(pose: &Pose) -> bool {
    pose.rotation.coords.iter().chain(pose.translation.iter()).all(|x| x.is_finite())
}

/// How the file was made: `animation.extras`.
fn extras(motion: &Motion, meta: &ExportMeta, report: &ExportReport) -> Result<Value, Error> {
    let cycle = match &motion.cycle_transform {
        Some(pose) if is_finite(pose) => {
            json!({ "translation": pose.translation.as_slice(), "rotation": pose.rotation.coords.as_slice() })
        }
        Some(pose) => {
            return Err(Error::export("the transform per cycle", format!("it is {pose:?}"), "the run diverged; use a smaller time step"));
        }
        None => Value::Null,
    };
    let body = |b: &BodyReport| {
        let (storage, count) = match b.storage {
            ShapeStorage::Still => ("still", 0),
            ShapeStorage::Joints { joints } => ("joints", joints),
            ShapeStorage::FrameTargets { targets } => ("frame targets", targets),
            ShapeStorage::PrincipalTargets { targets } => ("principal component targets", targets),
        };
        json!({ "name": b.name, "storage": storage, "count": count, "size_m": b.size, "max_error_of_size": b.error })
    };
    Ok(json!({ "holonomy": {
        "version": env!("CARGO_PKG_VERSION"),
        "frames": motion.frames(),
        "dt": motion.dt,
        "parameters": meta.parameters,
        "cycle_transform": cycle,
        "cycle_matrix": motion.cycle_transform.as_ref().map(cycle_matrix),
        "bodies": report.bodies.iter().map(body).collect::<Vec<_>>(),
    } }))
}

/// The document under construction: glTF's top-level lists.
#[derive(Default)]
struct Document {
    arrays: Arrays,
    /// Accessor of the key times.
    times: usize,
    roots: Vec<usize>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    skins: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Document {
    fn key_times(&mut self, motion: &Motion) -> Result<usize, Error> {
        let frames = motion.frames();
        if frames == 0 {
            return Err(Error::export("the motion", "it has no frames", "let it run for at least one frame"));
        }
        let times: Vec<[f32; 1]> = (0..frames).map(|k| [(k as f64 * motion.dt) as f32]).collect();
        if let Some(k) = times.windows(2).position(|t| t[0][0] >= t[1][0]) {
            let problem = format!("with dt = {} s, frames {k} and {} fall on the same time in single precision", motion.dt, k + 1);
            return Err(Error::export("the key times", problem, "export fewer frames, or with a longer time step"));
        }
        self.arrays.floats("key times", Use::Times, &times)
    }

    /// The node that carries the world motion.
    fn world_node(&mut self, body: &Body, track: &Track) -> Result<usize, Error> {
        let node = self.node(body.node, &track.poses[0])?;
        self.roots.push(node);
        let translations: Vec<[f32; 3]> = track.poses.iter().map(|p| single(&p.translation)).collect();
        self.channel(node, "translation", &translations)?;
        self.channel(node, "rotation", &rotation_keys(track.poses.iter().map(|p| p.rotation)))?;
        Ok(node)
    }

    /// The body's geometry below (or, if skinned, moved by) its world node.
    fn geometry(&mut self, body: &Body, frames: usize, world: usize) -> Result<BodyReport, Error> {
        let size = body_size(body.clip);
        let finishes = body.face_colors.filter(|_| body.vertex_colors.is_none());
        let (storage, error) = match (body.clip.topology(), finishes) {
            (Topology::Rig(rig), _) => self.skinned(body, rig, frames, size, world)?,
            (Topology::Surface { faces }, Some(colors)) => {
                self.morphed(body, &PaintedMesh::new(body.clip, faces, colors), frames, size, world)?
            }
            _ => self.morphed(body, moving_mesh(body.clip, &body.looks, size, Detail::File).as_ref(), frames, size, world)?,
        };
        Ok(BodyReport { name: body.name.into(), node: body.node.into(), storage, size, error: error / size })
    }

    /// A mesh with morph targets and keyed weights.
    fn morphed(
        &mut self,
        body: &Body,
        mesh: &dyn MovingMesh,
        frames: usize,
        size: f64,
        world: usize,
    ) -> Result<(ShapeStorage, f64), Error> {
        let morph = choose(mesh, body.clip, frames, size * around::coarser(body.matter))?;
        let owner = format!("body {}", body.name);
        let (corners, targets) = (morph.base.positions.len(), morph.targets.len());
        let what = || format!("{owner}: its {targets} morph targets of {corners} corners");
        memory::ensure(memory::morph_targets(corners, targets, frames), what, "ask for fewer frames or vertices")?;
        let mut attributes = self.layer(&owner, &morph.base)?;
        let colors = body.corner_colors(mesh);
        if let Some(colors) = &colors {
            attributes["COLOR_0"] = json!(self.arrays.floats(&format!("{owner}, colours"), Use::Vertex, colors)?);
        }
        if let Some(texture) = body.texture {
            let places: Vec<[f32; 2]> = mesh.sources().iter().map(|&v| texture[v as usize]).collect();
            attributes["TEXCOORD_0"] = json!(self.arrays.floats(&format!("{owner}, texture coordinates"), Use::Vertex, &places)?);
        }
        let material = if colors.is_some() { self.painted(body, mesh.is_open()) } else { self.material(body, mesh.is_open()) };
        let mut primitive = json!({ "mode": 0, "material": material });
        if !mesh.faces().is_empty() {
            primitive["mode"] = json!(4);
            primitive["indices"] = json!(self.arrays.indices(mesh.faces().as_flattened())?);
        }
        primitive["attributes"] = attributes.take();
        let node = self.node(&format!("{}.shape", body.name), &Pose::identity())?;
        let mut mesh = json!({ "name": body.name });
        if !morph.targets.is_empty() {
            let targets: Vec<Value> = morph.targets.iter().map(|t| self.layer(&owner, t)).collect::<Result<_, _>>()?;
            primitive["targets"] = json!(targets);
            mesh["weights"] = json!(morph.weights[0]);
            mesh["extras"] = json!({ "targetNames": target_names(&morph) });
            let keys: Vec<[f32; 1]> =
                (0..frames).flat_map(|k| &morph.weights[body.clip.stored_frame(k).min(morph.weights.len() - 1)]).map(|&w| [w]).collect();
            self.channel(node, "weights", &keys)?;
        }
        mesh["primitives"] = json!([primitive]);
        self.nodes[node]["mesh"] = json!(self.meshes.len());
        self.meshes.push(mesh);
        self.nodes[world]["children"] = json!([node]);
        Ok((morph.storage, morph.error))
    }

    /// Joints below the world node, and a skinned mesh beside it.
    fn skinned(&mut self, body: &Body, rig: &Rig, frames: usize, size: f64, world: usize) -> Result<(ShapeStorage, f64), Error> {
        let Ok(_) = u16::try_from(rig.joints.len()) else {
            let problem = format!("its rig has {} joints", rig.joints.len());
            return Err(Error::export(format!("body {}", body.name), problem, "glTF skins take at most 65535"));
        };
        let parts = rig_parts(body.clip, rig, frames, size, &body.looks);
        let first = self.nodes.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); rig.joints.len()];
        let mut root_joints = Vec::new();
        for (j, joint) in rig.joints.iter().enumerate() {
            let node = self.node(&joint.name, &parts.locals[0][j])?;
            joint.parent.map_or(&mut root_joints, |p| &mut children[p]).push(node);
            let keys = || (0..frames).map(|k| &parts.locals[body.clip.stored_frame(k).min(parts.locals.len() - 1)][j]);
            if parts.moves[j].0 {
                self.channel(node, "translation", &keys().map(|p| single(&p.translation)).collect::<Vec<_>>())?;
            }
            if parts.moves[j].1 {
                self.channel(node, "rotation", &rotation_keys(keys().map(|p| p.rotation)))?;
            }
        }
        for (j, below) in children.into_iter().enumerate().filter(|(_, below)| !below.is_empty()) {
            self.nodes[first + j]["children"] = json!(below);
        }
        self.nodes[world]["children"] = json!(root_joints);
        let layer = Layer {
            positions: parts.flesh.solid.positions.iter().map(single).collect(),
            normals: parts.flesh.solid.normals.iter().map(single).collect(),
        };
        let mut attributes = self.layer(&format!("body {}", body.name), &layer)?;
        let (joints, weights): (Vec<[u16; 4]>, Vec<[f32; 4]>) = parts.flesh.follows.iter().map(influence).unzip();
        attributes["JOINTS_0"] = json!(self.arrays.joints(&joints)?);
        attributes["WEIGHTS_0"] = json!(self.arrays.floats("skin weights", Use::Vertex, &weights)?);
        if parts.flesh.colors.iter().any(Option::is_some) {
            let color = |own: &Option<[f64; 3]>| linear(own.unwrap_or(body.looks.color));
            let colors: Vec<[f32; 3]> = parts.flesh.colors.iter().map(color).collect();
            attributes["COLOR_0"] = json!(self.arrays.floats("colours", Use::Vertex, &colors)?);
        }
        let indices = self.arrays.indices(parts.flesh.solid.faces.as_flattened())?;
        let (mut joints, mut binds): (Vec<usize>, _) = ((first..first + rig.joints.len()).collect(), parts.inverse_binds);
        if body.bone {
            // Last, so that the others keep their numbers.
            joints.push(world);
            binds.push(matrix(&Pose::identity()));
        }
        let storage = ShapeStorage::Joints { joints: joints.len() };
        let binds = self.arrays.floats("inverse bind matrices", Use::Plain, &binds)?;
        let material = if attributes.get("COLOR_0").is_some() { self.painted(body, false) } else { self.material(body, false) };
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
        self.nodes.push(json!({ "name": format!("{}.shape", body.name), "mesh": self.meshes.len(), "skin": self.skins.len() }));
        self.roots.push(self.nodes.len() - 1);
        self.meshes.push(json!({ "name": body.name, "primitives": [primitive] }));
        self.skins.push(json!({ "name": body.name, "joints": joints, "inverseBindMatrices": binds }));
        Ok((storage, parts.error))
    }

    /// A piece of scenery: a node that nothing moves.
    fn scenery(&mut self, piece: &Scenery) -> Result<(), Error> {
        let what = format!("scenery {}", piece.name);
        piece.validate().map_err(|source| Error::export(&what, source.to_string(), "give it sound triangles"))?;
        let mesh = scenery::mesh(piece);
        if mesh.triangles.is_empty() {
            return Ok(()); // nothing of it has any area
        }
        let layer = Layer { positions: mesh.positions.iter().map(single).collect(), normals: mesh.normals.iter().map(single).collect() };
        let mut attributes = self.layer(&what, &layer)?;
        if !mesh.colors.is_empty() {
            let colors: Vec<[f32; 3]> = mesh.colors.iter().map(|&color| linear(color)).collect();
            attributes["COLOR_0"] = json!(self.arrays.floats(&what, Use::Vertex, &colors)?);
        }
        let indices = self.arrays.indices(mesh.triangles.as_flattened())?;
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": self.materials.len() });
        self.materials.push(scenery_material(piece, &mesh));
        let node = self.node(&piece.name, &Pose::identity())?;
        self.nodes[node]["mesh"] = json!(self.meshes.len());
        self.nodes[node]["extras"] = scenery_mark(piece);
        self.meshes.push(json!({ "name": piece.name, "primitives": [primitive] }));
        self.roots.push(node);
        Ok(())
    }

    /// Stores positions and normals as vertex attributes (or as those of a morph target).
    fn layer(&mut self, owner: &str, layer: &Layer) -> Result<Value, Error> {
        let what = |kind: &str| format!("{owner}, {kind}");
        let mut attributes = json!({ "POSITION": self.arrays.floats(&what("positions"), Use::Position, &layer.positions)? });
        if !layer.normals.is_empty() {
            attributes["NORMAL"] = json!(self.arrays.floats(&what("normals"), Use::Vertex, &layer.normals)?);
        }
        Ok(attributes)
    }

    fn node(&mut self, name: &str, pose: &Pose) -> Result<usize, Error> {
        if !is_finite(pose) {
            let fix = "give finite joint orientations";
            return Err(Error::export(format!("node {name}, frame 0"), format!("its pose is {pose:?}"), fix));
        }
        let mut node = json!({ "name": name });
        if *pose != Pose::identity() {
            node["translation"] = json!(single(&pose.translation));
            node["rotation"] = json!(rotation_keys(std::iter::once(pose.rotation))[0]);
        }
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    fn channel<const N: usize>(&mut self, node: usize, path: &str, keys: &[[f32; N]]) -> Result<(), Error> {
        let what = format!("{path} of node {}", self.nodes[node]["name"]);
        let output = self.arrays.floats(&what, Use::Plain, keys)?;
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(json!({ "input": self.times, "output": output, "interpolation": "LINEAR" }));
        Ok(())
    }

    /// A white material, which the corners' colours then tint.
    fn painted(&mut self, body: &Body, double_sided: bool) -> usize {
        self.material(&Body { looks: Looks { color: [1.0; 3], ..body.looks }, ..*body }, double_sided)
    }

    fn material(&mut self, body: &Body, double_sided: bool) -> usize {
        let [r, g, b] = linear(body.looks.lit_color());
        let water = body.matter == Matter::Water;
        let (opacity, roughness) = if water { (around::WATER_OPACITY as f32, 0.15) } else { (1.0, 0.6) };
        let mut material = json!({
            "name": body.name,
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, opacity], "metallicFactor": 0.0, "roughnessFactor": roughness },
            "doubleSided": double_sided || water,
        });
        if water {
            material["alphaMode"] = json!("BLEND");
        }
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Tells water and food from bodies.
    fn mark(&mut self, node: usize, matter: Matter) {
        if matter != Matter::Body {
            self.nodes[node]["extras"] = json!({ "holonomy": { "matter": matter.name() } });
        }
    }

    fn finish(self, meta: &ExportMeta, extras: Value) -> Result<Vec<u8>, Error> {
        let mut out = Map::new();
        let generator = concat!("Holonomy ", env!("CARGO_PKG_VERSION"));
        out.insert("asset".into(), json!({ "version": "2.0", "generator": generator }));
        out.insert("scene".into(), json!(0));
        out.insert("scenes".into(), json!([{ "name": meta.scene, "nodes": self.roots }]));
        for (name, list) in [("nodes", self.nodes), ("meshes", self.meshes), ("materials", self.materials), ("skins", self.skins)] {
            if !list.is_empty() {
                out.insert(name.into(), Value::Array(list));
            }
        }
        let animation = json!({ "name": meta.scene, "samplers": self.samplers, "channels": self.channels, "extras": extras });
        out.insert("animations".into(), json!([animation]));
        self.arrays.pack(out)
    }
}

/// The material of a piece of scenery; land has its colours at the corners.
pub(crate) fn scenery_material(piece: &Scenery, mesh: &PosedMesh) -> Value {
    let [r, g, b] = if mesh.colors.is_empty() { linear(mesh.color) } else { [1.0; 3] };
    let opacity = if piece.kind == SceneryKind::Goal { GOAL_OPACITY } else { 1.0 };
    let mut material = json!({
        "name": piece.name,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, opacity as f32], "metallicFactor": 0.0, "roughnessFactor": 0.9 },
        "doubleSided": has_border(&piece.faces),
    });
    if opacity < 1.0 {
        material["alphaMode"] = json!("BLEND");
    }
    material
}

/// The extras of a node that tell scenery from bodies.
pub(crate) fn scenery_mark(piece: &Scenery) -> Value {
    json!({ "holonomy": { "scenery": piece.kind.name() } })
}

/// Quaternions (x, y, z, w), unit, each on the same side as the one before.
fn rotation_keys(rotations: impl Iterator<Item = UnitQuaternion<f64>>) -> Vec<[f32; 4]> {
    let mut last = None;
    rotations
        .map(|rotation| {
            let mut q = rotation.coords.normalize();
            if last.is_some_and(|last| q.dot(&last) < 0.0) {
                q = -q;
            }
            last = Some(q);
            [q.x as f32, q.y as f32, q.z as f32, q.w as f32]
        })
        .collect()
}

fn target_names(morph: &Morph) -> Vec<String> {
    let name = |j: usize| match morph.storage {
        ShapeStorage::PrincipalTargets { .. } if j == 0 => "offset".into(),
        ShapeStorage::PrincipalTargets { .. } => format!("component {j}"),
        _ => format!("frame {}", j + 1),
    };
    (0..morph.targets.len()).map(name).collect()
}
