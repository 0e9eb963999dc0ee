//! The one thing of the source that the writer mends: skin weights that do not add up to 1.
//!
//! Viewers differ in what they make of such weights, and the validator calls them errors. Those primitives get new weight accessors;
//! the old ones stay in the file. (The reader normalises weights too, so the shape that was moved is the shape that is shown.)

use std::collections::HashMap;

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

impl GltfAsset {
    pub(super) fn repair_weights(&self, raw: &mut RawDocument, notes: &mut Vec<String>) -> Result<(), Fault> {
        let mut mended: HashMap<Vec<usize>, Option<(Vec<usize>, usize)>> = HashMap::new();
        let mut vertices = 0;
        for (i, mesh) in self.document.meshes.iter().enumerate() {
            let mut changes: Vec<(usize, Vec<usize>)> = Vec::new();
            for (k, primitive) in mesh.primitives.iter().enumerate() {
                let sets = weight_sets(primitive);
                if sets.is_empty() {
                    continue;
                }
                if !mended.contains_key(&sets) {
                    let new = self.mend(raw, &sets)?;
                    vertices += new.as_ref().map_or(0, |(_, count)| *count);
                    mended.insert(sets.clone(), new);
                }
                if let Some(Some((accessors, _))) = mended.get(&sets) {
                    changes.push((k, accessors.clone()));
                }
            }
            if !changes.is_empty() {
                raw.edit("meshes", i, |mesh| set_weights(mesh, &changes))?;
            }
        }
        if vertices > 0 {
            notes.push(format!("the skin weights of {vertices} vertices did not add up to 1; in the result they do"));
        }
        Ok(())
    }

    /// New accessors for these sets of weights and the number of vertices that needed them; `None` if the old ones are right.
    fn mend(&self, raw: &mut RawDocument, sets: &[usize]) -> Result<Option<(Vec<usize>, usize)>, Fault> {
        let mut weights = sets.iter().map(|&accessor| self.reader().floats::<4>(accessor)).collect::<Result<Vec<_>, _>>()?;
        let count = weights.iter().map(Vec::len).min().unwrap_or(0);
        let mut wrong = 0;
        for v in 0..count {
            let sum: f64 = weights.iter().flat_map(|set| set[v]).sum();
            let used = weights.iter().flat_map(|set| set[v]).filter(|&w| w != 0.0).count();
            if (sum - 1.0).abs() <= tolerance(used) {
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
        Ok(Some((accessors, wrong)))
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
