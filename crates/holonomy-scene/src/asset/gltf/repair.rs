//! The one thing of the source that the writer mends: skin weights that do not add up to 1, or are
//! not finite.
//!
//! Viewers differ in what they make of such weights, and the validator calls them errors. Those primitives get new weight accessors;
//! the old ones stay in the file. (The reader normalises weights too, so the shape that was moved is the shape that is shown.)
//!
//! A weight that is not finite counts as 0, and the others of its vertex are scaled up to 1. It
//! says nothing about its joint: most such weights are 0 / 0 from a tool that normalised a vertex
//! without any. Left as it is, it would make the vertex vanish in viewers and the whole shape
//! useless here; refusing the file would lose a good asset for a few vertices. In the old accessor
//! it becomes 0 too, so that no invalid number is left in the result.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::GltfAsset;
use super::document::Primitive;
use super::fault::Fault;
use super::raw::{Object, RawDocument, put};

/// How far from 1 the sum of `count` weights may be: rounding of each, as the Khronos validator has it.
fn tolerance(count: usize) -> f64 {
    2e-7 * count as f64
}

/// New accessors for the weights of a primitive.
struct Mended {
    accessors: Vec<usize>,
    /// Vertices that needed them, and those of these with numbers that are not finite.
    vertices: usize,
    broken: usize,
}

impl GltfAsset {
    pub(super) fn repair_weights(&self, raw: &mut RawDocument, notes: &mut Vec<String>) -> Result<(), Fault> {
        let mut mended: HashMap<Vec<usize>, Option<Mended>> = HashMap::new();
        let (mut vertices, mut broken) = (0, 0);
        for (i, mesh) in self.document.meshes.iter().enumerate() {
            let mut changes: Vec<(usize, Vec<usize>)> = Vec::new();
            for (k, primitive) in mesh.primitives.iter().enumerate() {
                let sets = weight_sets(primitive);
                if sets.is_empty() {
                    continue;
                }
                if !mended.contains_key(&sets) {
                    let new = self.mend(raw, &sets)?;
                    vertices += new.as_ref().map_or(0, |new| new.vertices);
                    broken += new.as_ref().map_or(0, |new| new.broken);
                    mended.insert(sets.clone(), new);
                }
                if let Some(Some(new)) = mended.get(&sets) {
                    changes.push((k, new.accessors.clone()));
                }
            }
            if !changes.is_empty() {
                raw.edit("meshes", i, |mesh| set_weights(mesh, &changes))?;
            }
        }
        if vertices > 0 {
            let why = if broken > 0 { format!(", {broken} of them because some were not finite") } else { String::new() };
            notes.push(format!("the skin weights of {vertices} vertices did not add up to 1{why}; in the result they do"));
        }
        Ok(())
    }

    /// New accessors for these sets of weights; `None` if the old ones are right.
    fn mend(&self, raw: &mut RawDocument, sets: &[usize]) -> Result<Option<Mended>, Fault> {
        let mut weights = Vec::with_capacity(sets.len());
        let mut broken = BTreeSet::new();
        for &accessor in sets {
            let (values, not_finite) = self.reader().weights(accessor)?;
            self.zero_not_finite(raw, accessor, &not_finite);
            broken.extend(not_finite);
            weights.push(values);
        }
        let count = weights.iter().map(Vec::len).min().unwrap_or(0);
        let mut wrong = 0;
        for v in 0..count {
            let sum: f64 = weights.iter().flat_map(|set| set[v]).sum();
            let used = weights.iter().flat_map(|set| set[v]).filter(|&w| w != 0.0).count();
            if (sum - 1.0).abs() <= tolerance(used) && !broken.contains(&v) {
                continue;
            }
            wrong += 1;
            for set in &mut weights {
                set[v] = if sum > 1e-6 { set[v].map(|w| w / sum) } else { [0.0; 4] };
            }
            if sum <= 1e-6 {
                weights[0][v][0] = 1.0;
            }
        }
        if wrong == 0 {
            return Ok(None);
        }
        let mut accessors = Vec::with_capacity(sets.len());
        for set in &weights {
            let bytes: Vec<u8> = set.as_flattened().iter().flat_map(|&w| (w as f32).to_le_bytes()).collect();
            let view = raw.push_view(&bytes)?;
            raw.edit("bufferViews", view, |fields| put(fields, "target", &34962))?;
            accessors
                .push(raw.push("accessors", &json!({ "bufferView": view, "componentType": 5126, "count": set.len(), "type": "VEC4" }))?);
        }
        Ok(Some(Mended { accessors, vertices: wrong, broken: broken.len() }))
    }
}

impl GltfAsset {
    /// Sets the numbers of these elements that are not finite to 0 in buffer 0 of the result.
    fn zero_not_finite(&self, raw: &mut RawDocument, accessor: usize, elements: &[usize]) {
        let Some((start, stride)) = self.reader().place_in_first_buffer(accessor) else { return };
        for at in elements.iter().flat_map(|i| (0..4).map(move |c| start + i * stride + 4 * c)) {
            let Some(bytes) = raw.bin.get_mut(at..at + 4) else { continue };
            if !f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).is_finite() {
                bytes.fill(0);
            }
        }
    }
}

/// The accessors WEIGHTS_0, WEIGHTS_1, … of a primitive.
fn weight_sets(primitive: &Primitive) -> Vec<usize> {
    (0..).map_while(|set| primitive.attributes.get(&format!("WEIGHTS_{set}")).copied()).collect()
}

fn set_weights(mesh: &mut Object, changes: &[(usize, Vec<usize>)]) -> Result<(), Fault> {
    let Some(text) = mesh.get("primitives") else { return Ok(()) };
    let mut primitives: Vec<Box<RawValue>> = serde_json::from_str(text.get())?;
    for (k, accessors) in changes {
        let Some(slot) = primitives.get_mut(*k) else { continue };
        let mut primitive: Object = serde_json::from_str(slot.get())?;
        let mut attributes: IndexMap<String, usize> = match primitive.get("attributes") {
            Some(text) => serde_json::from_str(text.get())?,
            None => continue,
        };
        for (set, &accessor) in accessors.iter().enumerate() {
            attributes.insert(format!("WEIGHTS_{set}"), accessor);
        }
        put(&mut primitive, "attributes", &attributes)?;
        *slot = to_raw_value(&primitive)?;
    }
    put(mesh, "primitives", &primitives)
}
