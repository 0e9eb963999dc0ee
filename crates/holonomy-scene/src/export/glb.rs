//! The glTF container: typed arrays in, accessors and one `.glb` out (glTF 2.0, §3.6 and §4.4).
//!
//! Every float passes through [`Arrays::floats`], which refuses NaN and infinity; so none can reach a file.

use serde_json::{Map, Value, json};

use crate::Error;

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;

/// What an array is used for; decides the buffer view's target and whether min and max are stated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// POSITION of a mesh or morph target: vertex data with bounds.
    Position,
    /// Other vertex data.
    Vertex,
    /// Key times: bounds, no target.
    Times,
    /// Key values, inverse bind matrices.
    Plain,
}

/// The binary buffer under construction, with the accessors that name its parts.
#[derive(Default)]
pub(super) struct Arrays {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Arrays {
    /// Stores elements of `N` floats each and returns the accessor's number.
    pub fn floats<const N: usize>(&mut self, what: &str, usage: Use, data: &[[f32; N]]) -> Result<usize, Error> {
        let kind = match N {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        if let Some(i) = data.iter().position(|e| e.iter().any(|x| !x.is_finite())) {
            let fix = "the run diverged or its numbers exceed 3e38; use a smaller time step";
            return Err(Error::export(format!("{what}, element {i}"), format!("value {:?} is not finite", data[i]), fix));
        }
        let mut extra = Map::new();
        if matches!(usage, Use::Position | Use::Times) {
            let fold =
                |pick: fn(f32, f32) -> f32| -> Vec<f32> { (0..N).map(|c| data.iter().map(|e| e[c]).reduce(pick).unwrap_or(0.0)).collect() };
            extra.insert("min".into(), json!(fold(f32::min)));
            extra.insert("max".into(), json!(fold(f32::max)));
        }
        let target = matches!(usage, Use::Position | Use::Vertex).then_some(34962);
        self.append(bytemuck::cast_slice(data.as_flattened()), target, FLOAT, kind, data.len(), extra)
    }

    /// Stores triangle (or point) indices.
    pub fn indices(&mut self, data: &[u32]) -> Result<usize, Error> {
        self.append(bytemuck::cast_slice(data), Some(34963), UNSIGNED_INT, "SCALAR", data.len(), Map::new())
    }

    /// Stores joint numbers of vertices.
    pub fn joints(&mut self, data: &[[u16; 4]]) -> Result<usize, Error> {
        self.append(bytemuck::cast_slice(data), Some(34962), UNSIGNED_SHORT, "VEC4", data.len(), Map::new())
    }

    fn append(
        &mut self,
        data: &[u8],
        target: Option<u32>,
        component: u32,
        kind: &str,
        count: usize,
        extra: Map<String, Value>,
    ) -> Result<usize, Error> {
        let offset = self.bytes.len();
        if offset + data.len() > u32::MAX as usize - (1 << 24) {
            let fix = "export fewer frames or vertices";
            return Err(Error::export("the .glb", "it would exceed 4 GB, the most the format allows", fix));
        }
        self.bytes.extend_from_slice(data); // every element size is a multiple of 4, so offsets stay aligned
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": data.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        let mut accessor = json!({ "bufferView": self.views.len(), "componentType": component, "count": count, "type": kind });
        if let Some(object) = accessor.as_object_mut() {
            object.extend(extra);
        }
        self.views.push(view);
        self.accessors.push(accessor);
        Ok(self.accessors.len() - 1)
    }

    /// Adds the buffer, views and accessors to the document and packs both into one `.glb`.
    pub fn pack(self, mut document: Map<String, Value>) -> Result<Vec<u8>, Error> {
        document.insert("buffers".into(), json!([{ "byteLength": self.bytes.len() }]));
        document.insert("bufferViews".into(), Value::Array(self.views));
        document.insert("accessors".into(), Value::Array(self.accessors));
        let mut json = Value::Object(document).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + json.len() + 8 + self.bytes.len();
        let Ok(length) = u32::try_from(total) else {
            return Err(Error::export("the .glb", format!("{total} bytes exceed the format's 4 GB"), "export fewer frames or vertices"));
        };
        let mut out = Vec::with_capacity(total);
        out.extend_from_slice(b"glTF");
        for word in [2, length, json.len() as u32, 0x4E4F_534A] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&json);
        for word in [self.bytes.len() as u32, 0x004E_4942] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&self.bytes);
        Ok(out)
    }
}
