//! Morph targets for a mesh that moves: which, how many, and what they get wrong.
//!
//! The base shape is frame 0 itself, so a viewer that ignores weights shows it; the default weights also give frame 0. All weights are
//! within 0 to 1: Blender's importer (seen in 5.0) sizes its sliders by the first key and then cuts off what lies outside.
//! - Up to [`FEW_FRAMES`] distinct frames: one target for each but the first, exact; the weights switch from one to the next.
//! - More: principal components of positions and normals together (`principal.rs`), as few as keep every vertex of every frame within
//!   [`TOLERANCE`] of the body's size and every normal within [`NORMAL_TOLERANCE`]. So that no weight is negative, a first target `offset`,
//!   always at weight 1, leads to where every component is at its least. If all that takes as many targets as there are frames, one
//!   target a frame after all.
//!
//! Why sixteen: a target costs 24 bytes a vertex with normals, and each key one weight a target; viewers are only required to support a few
//! (glTF 2.0 §3.7.2.2 asks for four with normals), and engines stop at 64 (Bevy up to 0.17) or 256 (later). Below sixteen frames a basis
//! saves next to nothing; above, a smooth gait of 60 frames needs a dozen components instead of 59 targets.

use std::collections::HashMap;

use holonomy::nalgebra::Vector3;
use holonomy::shape::Clip;

use super::ShapeStorage;
use super::principal::{Components, principal};
use crate::Error;
use crate::looks::mesh::MovingMesh;

/// Up to this many distinct frames get a target each.
pub const FEW_FRAMES: usize = 16;
/// Greatest vertex error of the component basis, as a fraction of the body's size.
pub const TOLERANCE: f64 = 1e-4;
/// Greatest error of a normal, as the length of the difference of unit vectors; about three degrees, too little to see in the shading.
pub const NORMAL_TOLERANCE: f64 = 0.05;
/// More targets than this are not supported everywhere (Bevy up to 0.17).
pub const MANY_TARGETS: usize = 64;

/// A base mesh, targets to add to it, and how much of each in every frame.
#[derive(Debug, Clone)]
pub struct Morph {
    /// The mesh at frame 0, and its unit normals (empty for bare points).
    pub base: Layer,
    /// Offsets to add, times a weight.
    pub targets: Vec<Layer>,
    /// Per stored frame of the clip, one weight per target.
    pub weights: Vec<Vec<f32>>,
    /// What was chosen.
    pub storage: ShapeStorage,
    /// Greatest vertex error over all frames, as stored in single precision, metres.
    pub error: f64,
}

/// Positions (or offsets) of all vertices, metres, and normals (or their offsets); normals may be empty.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// Per vertex.
    pub positions: Vec<[f32; 3]>,
    /// Per vertex, or empty.
    pub normals: Vec<[f32; 3]>,
}

/// Chooses morph targets for the first `shown` frames of `clip`, whose mesh is `mesh` and whose size is `size` metres.
///
/// # Errors
/// A vertex of the mesh that single precision cannot hold.
pub fn choose(mesh: &dyn MovingMesh, clip: &Clip, shown: usize, size: f64) -> Result<Morph, Error> {
    let (distinct, shown_as) = distinct_frames(clip, shown);
    let base = base_layer(mesh)?;
    let components = if distinct.len() <= FEW_FRAMES { None } else { principal_components(mesh, &base, &distinct, TOLERANCE * size) };
    let (targets, weights, storage) = match components {
        Some(components) => {
            let (targets, weights) = component_targets(&base, components, TOLERANCE * size);
            let storage = ShapeStorage::PrincipalTargets { targets: targets.len() };
            (targets, weights, storage)
        }
        None => {
            let storage = ShapeStorage::FrameTargets { targets: distinct.len() - 1 };
            let one_hot = |d: usize| (1..distinct.len()).map(|j| if j == d { 1.0 } else { 0.0 }).collect();
            (distinct[1..].iter().map(|&k| offsets(mesh, &base, k)).collect(), (0..distinct.len()).map(one_hot).collect(), storage)
        }
    };
    let error = greatest_error(mesh, &base, &targets, &distinct, &weights);
    let storage = if targets.is_empty() { ShapeStorage::Still } else { storage };
    let weights = shown_as.iter().map(|&d| weights[d].clone()).collect();
    Ok(Morph { base, targets, weights, storage, error })
}

/// The stored frames that differ from all before them, and for each shown frame which of those it equals.
fn distinct_frames(clip: &Clip, shown: usize) -> (Vec<usize>, Vec<usize>) {
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let (mut distinct, mut shown_as): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for k in 0..shown.clamp(1, clip.frames()) {
        let alike = seen.entry(fingerprint(clip.frame(k))).or_default();
        let known = alike.iter().copied().find(|&d| bits(clip.frame(distinct[d])).eq(bits(clip.frame(k))));
        shown_as.push(known.unwrap_or_else(|| {
            alike.push(distinct.len());
            distinct.push(k);
            distinct.len() - 1
        }));
    }
    (distinct, shown_as)
}

/// Alike frames have the same; what differs may too.
fn fingerprint(frame: &[Vector3<f64>]) -> u64 {
    bits(frame).flatten().fold(0, |hash: u64, x| (hash.rotate_left(23) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn bits(frame: &[Vector3<f64>]) -> impl Iterator<Item = [u64; 3]> {
    frame.iter().map(|p| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()])
}

fn base_layer(mesh: &dyn MovingMesh) -> Result<Layer, Error> {
    let frame = mesh.frame(0);
    let layer = Layer { positions: frame.positions.iter().map(single).collect(), normals: frame.normals.iter().map(single).collect() };
    match layer.positions.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        None => Ok(layer),
        Some(i) => {
            let problem = format!("{:?} does not fit single precision", frame.positions[i]);
            Err(Error::export(format!("frame 0, mesh vertex {i}"), problem, "use SI units; scale the shape down"))
        }
    }
}

/// What to add to the base to get frame k.
fn offsets(mesh: &dyn MovingMesh, base: &Layer, k: usize) -> Layer {
    let frame = mesh.frame(k);
    let subtract = |a: &[Vector3<f64>], b: &[[f32; 3]]| a.iter().zip(b).map(|(a, b)| single(&(a - double(b)))).collect();
    let normals = if mesh.normals_change() { subtract(&frame.normals, &base.normals) } else { Vec::new() };
    Layer { positions: subtract(&frame.positions, &base.positions), normals }
}

/// Components of positions and normals side by side, the normals scaled so that their tolerance is also `tolerance` metres.
fn principal_components(mesh: &dyn MovingMesh, base: &Layer, distinct: &[usize], tolerance: f64) -> Option<Components> {
    let scale = (tolerance / NORMAL_TOLERANCE) as f32;
    let (mut all, mut width): (Vec<f32>, usize) = (Vec::new(), 0);
    for &k in &distinct[1..] {
        let layer = offsets(mesh, base, k);
        width = 3 * (layer.positions.len() + layer.normals.len());
        all.reserve_exact(if all.is_empty() { width * (distinct.len() - 1) } else { 0 });
        all.extend_from_slice(layer.positions.as_flattened());
        all.extend(layer.normals.as_flattened().iter().map(|x| x * scale));
    }
    if !all.iter().all(|x| x.is_finite()) {
        return None; // the frame targets will then be refused by name
    }
    let components = principal(all, width, tolerance);
    (components.directions.len() + 1 < distinct.len() - 1).then_some(components)
}

/// The target `offset` (the sum of every component at its least), then a target per component, scaled so that the weights span 0 to 1.
fn component_targets(base: &Layer, components: Components, tolerance: f64) -> (Vec<Layer>, Vec<Vec<f32>>) {
    let Components { mut directions, mut weights } = components;
    weights.insert(0, vec![0.0; directions.len()]); // frame 0 is the base
    if directions.is_empty() {
        return (Vec::new(), vec![Vec::new(); weights.len()]);
    }
    let mut offset = vec![0.0; directions[0].len()];
    for (j, direction) in directions.iter_mut().enumerate() {
        let (least, most) = weights.iter().map(|w| w[j]).fold((0.0, 0.0), |(a, b): (f64, f64), w| (a.min(w), b.max(w)));
        let span = (most - least).max(f64::MIN_POSITIVE);
        offset.iter_mut().zip(direction.iter()).for_each(|(o, d)| *o += least * f64::from(*d));
        direction.iter_mut().for_each(|d| *d = (f64::from(*d) * span) as f32);
        weights.iter_mut().for_each(|w| w[j] = ((w[j] - least) / span).clamp(0.0, 1.0));
    }
    directions.insert(0, offset.iter().map(|&x| x as f32).collect());
    let scale = (tolerance / NORMAL_TOLERANCE) as f32;
    let layer = |direction: &Vec<f32>| {
        let (positions, normals) = direction.as_chunks().0.split_at(base.positions.len());
        Layer { positions: positions.to_vec(), normals: normals.iter().map(|n: &[f32; 3]| n.map(|x| x / scale)).collect() }
    };
    let row = |w: &Vec<f64>| std::iter::once(1.0).chain(w.iter().map(|&w| w as f32)).collect();
    (directions.iter().map(layer).collect(), weights.iter().map(row).collect())
}

/// Greatest distance of a vertex, put together from single-precision numbers as a viewer does, from where the mesh has it.
fn greatest_error(mesh: &dyn MovingMesh, base: &Layer, targets: &[Layer], distinct: &[usize], weights: &[Vec<f32>]) -> f64 {
    let mut greatest = 0.0f64;
    for (&k, row) in distinct.iter().zip(weights) {
        let mut off: Vec<Vector3<f64>> = mesh.frame(k).positions.iter().zip(&base.positions).map(|(p, b)| p - double(b)).collect();
        for (target, &weight) in targets.iter().zip(row).filter(|(_, w)| **w != 0.0) {
            off.iter_mut().zip(&target.positions).for_each(|(o, t)| *o -= double(t) * f64::from(weight));
        }
        greatest = off.iter().map(Vector3::norm).fold(greatest, f64::max);
    }
    greatest
}

pub(super) fn single(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

fn double(v: &[f32; 3]) -> Vector3<f64> {
    Vector3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}
