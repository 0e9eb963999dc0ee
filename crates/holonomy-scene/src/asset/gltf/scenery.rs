//! Scenery in a result of ours: nodes that say so in their extras. It is no part of the body. Read back, and added to a source. Water and
//! food move as bodies do, and are told from them in the same way.

use std::collections::HashMap;

use holonomy::motion::{Matter, Scenery, SceneryKind};
use holonomy::nalgebra::Vector3;
use serde_json::json;

use super::GltfAsset;
use super::document::Node;
use super::fault::Fault;
use super::raw::{RawDocument, put};
use super::sample::Axes;
use super::surface::Surface;
use crate::Error;
use crate::export::gltf::{scenery_mark, scenery_material};
use crate::looks::{linear, scenery};

impl GltfAsset {
    /// The scenery of a result of ours, metres, with `unit` metres per unit of the file.
    ///
    /// # Errors
    /// Its triangles cannot be read.
    pub fn scenery(&self, unit: f64) -> Result<Vec<Scenery>, Error> {
        let shown = self.document.nodes.iter().enumerate().filter(|(i, _)| self.nodes.shown.get(*i) == Some(&true));
        let pieces = shown.filter_map(|(i, node)| Some((i, kind(node)?, node.mesh?)));
        pieces.map(|(i, kind, mesh)| self.piece(i, kind, mesh, unit)).collect::<Result<_, Fault>>().map_err(|fault| fault.at(&self.path))
    }

    /// What each vertex of the surface is part of, before welding; `None` if all is body.
    pub(super) fn vertex_matters(&self, surface: &Surface) -> Option<Vec<Matter>> {
        let of_node = |node: usize| self.nodes.path_up(node).find_map(|node| matter(&self.document.nodes[node])).unwrap_or_default();
        let matters: Vec<Matter> = surface.parts.iter().flat_map(|part| std::iter::repeat_n(of_node(part.node), part.vertices())).collect();
        matters.iter().any(|matter| *matter != Matter::Body).then_some(matters)
    }

    fn piece(&self, node: usize, kind: SceneryKind, mesh: usize, unit: f64) -> Result<Scenery, Fault> {
        let name = self.document.nodes[node].name.clone().unwrap_or_else(|| kind.name().into());
        let mut piece = Scenery { name, kind, points: Vec::new(), faces: Vec::new() };
        let place = self.nodes.globals(&self.nodes.rest)[node];
        for (k, primitive) in self.document.meshes[mesh].primitives.iter().enumerate().filter(|(_, primitive)| primitive.mode >= 4) {
            let (faces, _) = self.triangles(primitive, &format!("meshes[{mesh}].primitives[{k}]"))?;
            let stored = self.reader().floats::<3>(primitive.attributes["POSITION"])?;
            // A corner on an edge is stored once for each side of it.
            let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
            for face in faces {
                piece.faces.push(face.map(|v| {
                    let at = stored[v as usize];
                    *numbers.entry(at.map(f64::to_bits)).or_insert_with(|| {
                        piece.points.push(place.transform_point(&at.into()).coords * unit);
                        piece.points.len() as u32 - 1
                    })
                }));
            }
        }
        match piece.points.iter().flat_map(Vector3::iter).find(|x| !x.is_finite()) {
            Some(bad) => Err(Fault::new(format!("nodes[{node}]"), format!("a coordinate of this scenery is {bad}"))),
            None => Ok(piece),
        }
    }
}

/// What kind of scenery a node shows, if any.
pub(super) fn kind(node: &Node) -> Option<SceneryKind> {
    let name = node.extras.as_ref()?.pointer("/holonomy/scenery")?.as_str()?;
    SceneryKind::ALL.into_iter().find(|kind| kind.name() == name)
}

/// What a node says it is.
fn matter(node: &Node) -> Option<Matter> {
    let name = node.extras.as_ref()?.pointer("/holonomy/matter")?.as_str()?;
    Matter::ALL.into_iter().find(|matter| matter.name() == name)
}

/// Adds a piece to scene number `shown` of a file.
pub(super) fn add(raw: &mut RawDocument, shown: usize, piece: &Scenery, axes: &Axes) -> Result<(), Fault> {
    piece.validate().map_err(|error| Fault::new(format!("scenery {}", piece.name), error.to_string()))?;
    let mesh = scenery::mesh(piece);
    if mesh.triangles.is_empty() {
        return Ok(()); // nothing of it has any area
    }
    let single = |p: Vector3<f64>| [p.x as f32, p.y as f32, p.z as f32];
    let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|p| single(axes.point_to_file(p))).collect();
    let normals: Vec<[f32; 3]> = mesh.normals.iter().map(|n| single(axes.point_to_file(n).normalize())).collect();
    let bounds = |pick: fn(f32, f32) -> f32| [0, 1, 2].map(|i| positions.iter().map(|p| p[i]).reduce(pick).unwrap_or(0.0));
    let mut attributes = json!({
        "POSITION": vectors(raw, &positions, json!({ "min": bounds(f32::min), "max": bounds(f32::max) }))?,
        "NORMAL": vectors(raw, &normals, json!({}))?,
    });
    if !mesh.colors.is_empty() {
        let colors: Vec<[f32; 3]> = mesh.colors.iter().map(|&color| linear(color)).collect();
        attributes["COLOR_0"] = json!(vectors(raw, &colors, json!({}))?);
    }
    let indices = mesh.triangles.as_flattened();
    let view = raw.push_view(bytemuck::cast_slice(indices))?;
    let accessor = json!({ "bufferView": view, "componentType": 5125, "count": indices.len(), "type": "SCALAR" });
    let indices = raw.push("accessors", &accessor)?;
    let material = raw.push("materials", &scenery_material(piece, &mesh))?;
    let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    let mesh = raw.push("meshes", &json!({ "name": piece.name, "primitives": [primitive] }))?;
    let node = raw.push("nodes", &json!({ "name": piece.name, "mesh": mesh, "extras": scenery_mark(piece) }))?;
    raw.edit("scenes", shown, |fields| {
        let mut nodes: Vec<usize> = fields.get("nodes").map_or(Ok(Vec::new()), |nodes| serde_json::from_str(nodes.get()))?;
        nodes.push(node);
        put(fields, "nodes", &nodes)
    })
}

/// Stores vectors, and returns the number of their accessor.
fn vectors(raw: &mut RawDocument, data: &[[f32; 3]], mut accessor: serde_json::Value) -> Result<usize, Fault> {
    let view = raw.push_view(bytemuck::cast_slice(data.as_flattened()))?;
    for (key, value) in [("bufferView", json!(view)), ("componentType", json!(5126)), ("count", json!(data.len())), ("type", json!("VEC3"))]
    {
        accessor[key] = value;
    }
    raw.push("accessors", &accessor)
}
