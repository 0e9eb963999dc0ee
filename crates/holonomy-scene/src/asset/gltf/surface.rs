//! The surface of the default scene: its parts as stored, and where their vertices are at any time.
//!
//! Order of evaluation (glTF 2.0 specification, sections 3.7.2 and 3.7.3): morph targets, then either the skin (a skinned mesh ignores
//! its own node; joint matrix = global joint * inverse bind matrix) or the node's global transform.

use std::collections::BTreeSet;

use nalgebra::{Matrix4, Vector3};

use super::GltfAsset;
use super::animation::Tracks;
use super::document::Primitive;
use super::fault::Fault;
use super::scenery;
use crate::{Error, memory};

/// All triangles that are shown, with what is needed to move them.
#[derive(Debug, Default)]
pub(super) struct Surface {
    pub parts: Vec<Part>,
    /// Vertex numbers over all parts.
    pub faces: Vec<[u32; 3]>,
    /// Vertices over all parts, before welding.
    pub vertices: usize,
    /// Morph weights of every node of the document when nothing is animated.
    pub rest_weights: Vec<Vec<f64>>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// One primitive of one node: only the vertices its triangles use.
#[derive(Debug)]
pub(super) struct Part {
    pub node: usize,
    /// Its mesh, and its number in it.
    pub primitive: [usize; 2],
    /// For each vertex its number in the primitive.
    pub used: Vec<u32>,
    base: Vec<Vector3<f64>>,
    /// For each morph target, the vertices it moves.
    morphs: Vec<Vec<(u32, Vector3<f64>)>>,
    skinned: Option<Skinned>,
}

#[derive(Debug)]
struct Skinned {
    skin: usize,
    /// Influences of vertex `i` are `influences[first[i]..first[i + 1]]`: joint, weight; the weights add up to 1.
    first: Vec<usize>,
    influences: Vec<(u32, f64)>,
}

/// A skin: its joints and their inverse bind matrices.
#[derive(Debug)]
pub(super) struct Binding {
    pub joints: Vec<usize>,
    pub inverse: Vec<Matrix4<f64>>,
}

impl GltfAsset {
    /// Reads all triangles of the default scene.
    pub(super) fn surface(&self) -> Result<Surface, Error> {
        let needed = self.surface_bytes();
        memory::ensure(needed, || format!("the geometry of {}", self.path.display()), "give a smaller mesh (in Blender: Decimate)")?;
        self.read_surface().map_err(|fault| fault.at(&self.path))
    }

    /// A bound for the memory of the surface: each mesh once for each node that shows it.
    fn surface_bytes(&self) -> u64 {
        let reader = self.reader();
        let of_mesh = |mesh: usize| -> f64 {
            let primitives = self.document.meshes.get(mesh).map_or(&[][..], |mesh| &mesh.primitives);
            let bytes = |p: &Primitive| {
                let vertices = p.attributes.get("POSITION").map_or(0, |&i| reader.count(i)) as f64;
                let indices = p.indices.map_or(0, |i| reader.count(i)) as f64;
                vertices * (24.0 * (3.0 + p.targets.len() as f64) + 96.0) + indices * 16.0
            };
            primitives.iter().map(bytes).sum()
        };
        self.shown_meshes().map(|(_, mesh)| of_mesh(mesh)).sum::<f64>() as u64
    }

    /// Nodes of the default scene that show a mesh of the body, and which.
    pub(super) fn shown_meshes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let nodes = self.document.nodes.iter().enumerate();
        let shown = nodes.filter(|(i, node)| self.nodes.shown.get(*i) == Some(&true) && scenery::kind(node).is_none());
        shown.filter_map(|(i, node)| Some((i, node.mesh?)))
    }

    fn read_surface(&self) -> Result<Surface, Fault> {
        let mut surface = Surface { rest_weights: self.rest_weights()?, ..Surface::default() };
        let rest = self.nodes.globals(&self.nodes.rest);
        let (mut lines, mut leftover) = (0, 0);
        for (node, mesh) in self.shown_meshes() {
            let skin = self.document.nodes[node].skin;
            for (k, primitive) in self.document.meshes[mesh].primitives.iter().enumerate() {
                if primitive.mode < 4 {
                    lines += 1;
                    continue;
                }
                let place = format!("meshes[{mesh}].primitives[{k}]");
                let (mut faces, rest_of_list) = self.triangles(primitive, &place)?;
                leftover += rest_of_list;
                if skin.is_none() && rest[node].determinant() < 0.0 {
                    faces.iter_mut().for_each(|face| face.swap(1, 2)); // a mirrored node turns its triangles inside out
                }
                self.add_part(&mut surface, node, skin, [mesh, k], faces)?;
            }
        }
        if lines > 0 {
            surface.notes.push(format!("{lines} primitives of points or lines were left out: only triangles have a surface"));
        }
        if leftover > 0 {
            surface.notes.push(format!("{leftover} indices at the end of triangle lists make no whole triangle and were left out"));
        }
        if surface.vertices > u32::MAX as usize {
            return Err(Fault::new("meshes", format!("{} vertices are more than can be numbered", surface.vertices)));
        }
        Ok(surface)
    }

    /// Triangles as numbers into the primitive's own vertices, and how many indices were left over.
    pub(super) fn triangles(&self, primitive: &Primitive, place: &str) -> Result<(Vec<[u32; 3]>, usize), Fault> {
        let reader = self.reader();
        let &position = primitive.attributes.get("POSITION").ok_or_else(|| Fault::new(place, "it has no POSITION attribute"))?;
        let vertices = reader.count(position);
        let list: Vec<u32> = match primitive.indices {
            Some(accessor) => reader.integers::<1>(accessor)?.into_flattened(),
            None => (0..u32::try_from(vertices).map_err(|_| Fault::new(place, "too many vertices"))?).collect(),
        };
        if let Some(&bad) = list.iter().find(|&&v| v as usize >= vertices) {
            return Err(Fault::new(place, format!("an index is {bad}, but POSITION has only {vertices} vertices")));
        }
        let strip = |i: usize, w: &[u32]| if i.is_multiple_of(2) { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] };
        Ok(match primitive.mode {
            4 => (list.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(), list.len() % 3),
            5 => (list.windows(3).enumerate().map(|(i, w)| strip(i, w)).collect(), 0),
            6 => (list.get(1..).unwrap_or(&[]).windows(2).map(|w| [list[0], w[0], w[1]]).collect(), 0),
            mode => return Err(Fault::new(place, format!("unknown mode {mode}"))),
        })
    }

    fn add_part(
        &self,
        surface: &mut Surface,
        node: usize,
        skin: Option<usize>,
        [mesh, k]: [usize; 2],
        faces: Vec<[u32; 3]>,
    ) -> Result<(), Fault> {
        let (reader, primitive) = (self.reader(), &self.document.meshes[mesh].primitives[k]);
        let place = &format!("meshes[{mesh}].primitives[{k}]");
        let all = reader.floats::<3>(primitive.attributes["POSITION"])?;
        let mut number = vec![u32::MAX; all.len()];
        let mut used = Vec::new();
        for &v in faces.as_flattened() {
            if number[v as usize] == u32::MAX {
                number[v as usize] = used.len() as u32;
                used.push(v as usize);
            }
        }
        let offset = surface.vertices as u64;
        if offset + used.len() as u64 > u64::from(u32::MAX) {
            return Err(Fault::new(place, "there are more vertices than can be numbered"));
        }
        surface.faces.extend(faces.iter().map(|face| face.map(|v| number[v as usize] + offset as u32)));
        let same_count = |name: &str, count: usize| match count == all.len() {
            true => Ok(()),
            false => Err(Fault::new(place, format!("{name} has {count} elements, but POSITION has {}", all.len()))),
        };
        let mut morphs = Vec::with_capacity(primitive.targets.len());
        for target in &primitive.targets {
            let mut moved = Vec::new();
            if let Some(&accessor) = target.get("POSITION") {
                let deltas = reader.floats::<3>(accessor)?;
                same_count("a morph target", deltas.len())?;
                let deltas = used.iter().enumerate().map(|(i, &v)| (i as u32, Vector3::from(deltas[v])));
                moved.extend(deltas.filter(|(_, delta)| *delta != Vector3::zeros()));
            }
            morphs.push(moved);
        }
        let skinned = match skin {
            Some(skin) if primitive.attributes.contains_key("JOINTS_0") => {
                Some(self.skinned(skin, primitive, &used, same_count, &mut surface.notes, place)?)
            }
            _ => None,
        };
        let base = used.iter().map(|&v| Vector3::from(all[v])).collect();
        surface.vertices += used.len();
        let used = used.into_iter().map(|v| v as u32).collect();
        surface.parts.push(Part { node, primitive: [mesh, k], used, base, morphs, skinned });
        Ok(())
    }

    fn skinned(
        &self,
        skin: usize,
        primitive: &Primitive,
        used: &[usize],
        same_count: impl Fn(&str, usize) -> Result<(), Fault>,
        notes: &mut Vec<String>,
        place: &str,
    ) -> Result<Skinned, Fault> {
        let (mut sets, mut not_finite) = (Vec::new(), BTreeSet::new());
        for set in 0.. {
            let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            let (Some(&j), Some(&w)) = (primitive.attributes.get(&joints), primitive.attributes.get(&weights)) else { break };
            let (numbers, (shares, broken)) = (self.reader().integers::<4>(j)?, self.reader().weights(w)?);
            same_count(&joints, numbers.len())?;
            same_count(&weights, shares.len())?;
            not_finite.extend(broken);
            sets.push((numbers, shares));
        }
        let count = self.document.skins[skin].joints.len();
        let mut out = Skinned { skin, first: Vec::with_capacity(used.len() + 1), influences: Vec::new() };
        let mut free = 0;
        for &v in used {
            let begin = out.influences.len();
            out.first.push(begin);
            for (joints, weights) in &sets {
                let pairs = joints[v].iter().zip(weights[v]).filter(|(_, weight)| *weight != 0.0);
                out.influences.extend(pairs.map(|(&joint, weight)| (joint, weight)));
            }
            let sum: f64 = out.influences[begin..].iter().map(|(_, weight)| weight).sum();
            if sum <= 1e-6 {
                free += 1;
                out.influences.truncate(begin);
                out.influences.push((sets.first().map_or(0, |(joints, _)| joints[v][0]), 1.0));
            }
            if let Some((joint, _)) = out.influences[begin..].iter().find(|(joint, _)| *joint as usize >= count) {
                return Err(Fault::new(place, format!("vertex {v} hangs on joint {joint}, but skins[{skin}] has only {count} joints")));
            }
            if sum > 1e-6 {
                out.influences[begin..].iter_mut().for_each(|(_, weight)| *weight /= sum);
            }
        }
        out.first.push(out.influences.len());
        if !not_finite.is_empty() {
            notes.push(format!(
                "{place}: the skin weights of {} vertices have numbers that are not finite (NaN \
                 or infinite), first vertex {}: these count as 0 and the \
                 others of the vertex are scaled up to 1, here and in the result; normalise the \
                 weights in the asset to mend it",
                not_finite.len(),
                not_finite.first().copied().unwrap_or(0)
            ));
        }
        if free > 0 {
            notes.push(format!("{place}: {free} vertices have no skin weight above 0; they follow the first joint they name"));
        }
        Ok(out)
    }

    fn rest_weights(&self) -> Result<Vec<Vec<f64>>, Fault> {
        let nodes = self.document.nodes.iter().enumerate();
        nodes
            .map(|(i, node)| {
                let Some(mesh) = node.mesh.and_then(|m| self.document.meshes.get(m)) else { return Ok(Vec::new()) };
                let targets = mesh.primitives.first().map_or(0, |p| p.targets.len());
                if let Some(k) = mesh.primitives.iter().position(|p| p.targets.len() != targets) {
                    return Err(Fault::new(
                        format!("nodes[{i}].mesh, primitives[{k}]"),
                        "its number of morph targets differs from primitives[0]",
                    ));
                }
                match node.weights.as_ref().or(mesh.weights.as_ref()) {
                    Some(weights) if weights.len() == targets => Ok(weights.clone()),
                    Some(weights) => {
                        Err(Fault::new(format!("nodes[{i}]"), format!("{} weights for {targets} morph targets", weights.len())))
                    }
                    None => Ok(vec![0.0; targets]),
                }
            })
            .collect()
    }

    /// Joints and inverse bind matrices of every skin.
    pub(super) fn bindings(&self) -> Result<Vec<Binding>, Fault> {
        let skins = self.document.skins.iter().enumerate();
        skins
            .map(|(i, skin)| {
                let inverse = match skin.inverse_bind_matrices {
                    None => vec![Matrix4::identity(); skin.joints.len()],
                    Some(accessor) => self.reader().floats::<16>(accessor)?.iter().map(|m| Matrix4::from_column_slice(m)).collect(),
                };
                if skin.joints.is_empty() || inverse.len() < skin.joints.len() {
                    let problem = format!("{} inverse bind matrices for {} joints", inverse.len(), skin.joints.len());
                    return Err(Fault::new(format!("skins[{i}]"), problem));
                }
                Ok(Binding { joints: skin.joints.clone(), inverse })
            })
            .collect()
    }
}

/// A surface ready to be evaluated again and again.
pub(super) struct Stage<'a> {
    asset: &'a GltfAsset,
    pub surface: &'a Surface,
    bindings: Vec<Binding>,
}

impl<'a> Stage<'a> {
    pub fn new(asset: &'a GltfAsset, surface: &'a Surface) -> Result<Self, Error> {
        let bindings = asset.bindings().map_err(|fault| fault.at(&asset.path))?;
        Ok(Stage { asset, surface, bindings })
    }

    /// Global matrices of all nodes and positions of all vertices (before welding) at time `t`, in the file's units and axes;
    /// without tracks, at rest.
    pub fn at(&self, tracks: Option<(&Tracks, f64)>) -> Result<Vec<Vector3<f64>>, Error> {
        let mut out = Vec::with_capacity(self.surface.vertices);
        self.for_each(tracks, |x| out.push(x));
        match out.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            None => Ok(out),
            Some(v) => {
                let when = tracks.map_or("at rest".to_owned(), |(_, t)| format!("at {t} s"));
                let fault = Fault::new("nodes", format!("{when}, vertex {v} is not at a finite position: the transforms overflow"));
                Err(fault.at(&self.asset.path))
            }
        }
    }

    /// Global matrices of all nodes at time `t`.
    pub fn globals(&self, tracks: &Tracks, t: f64) -> Vec<Matrix4<f64>> {
        let (locals, _) = tracks.pose(&self.asset.nodes.rest, &[], t);
        self.asset.nodes.globals(&locals)
    }

    fn for_each(&self, tracks: Option<(&Tracks, f64)>, mut put: impl FnMut(Vector3<f64>)) {
        let (rest, rest_weights) = (&self.asset.nodes.rest, &self.surface.rest_weights);
        let (locals, weights) =
            tracks.map_or_else(|| (rest.to_vec(), rest_weights.to_vec()), |(tracks, t)| tracks.pose(rest, rest_weights, t));
        let globals = self.asset.nodes.globals(&locals);
        let skins: Vec<Vec<Matrix4<f64>>> = self
            .bindings
            .iter()
            .map(|binding| binding.joints.iter().zip(&binding.inverse).map(|(&joint, inverse)| globals[joint] * inverse).collect())
            .collect();
        for part in &self.surface.parts {
            let morphed = part.morphed(&weights[part.node]);
            match &part.skinned {
                None => morphed.iter().for_each(|x| put(transform(&globals[part.node], x))),
                Some(skinned) => {
                    for (i, x) in morphed.iter().enumerate() {
                        let influences = &skinned.influences[skinned.first[i]..skinned.first[i + 1]];
                        let joints = &skins[skinned.skin];
                        put(influences.iter().map(|&(joint, weight)| transform(&joints[joint as usize], x) * weight).sum());
                    }
                }
            }
        }
    }
}

impl Part {
    pub fn vertices(&self) -> usize {
        self.base.len()
    }

    fn morphed(&self, weights: &[f64]) -> std::borrow::Cow<'_, [Vector3<f64>]> {
        if weights.iter().all(|&weight| weight == 0.0) {
            return (&self.base).into();
        }
        let mut out = self.base.clone();
        for (moved, &weight) in self.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            for (v, delta) in moved {
                out[*v as usize] += delta * weight;
            }
        }
        out.into()
    }
}

fn transform(matrix: &Matrix4<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    matrix.fixed_view::<3, 3>(0, 0) * x + matrix.fixed_view::<3, 1>(0, 3)
}
