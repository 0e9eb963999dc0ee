//! Scenery in a result of ours: nodes that say so in their extras. It is no part of the body.

use std::collections::HashMap;

use holonomy::motion::{Scenery, SceneryKind};
use holonomy::nalgebra::Vector3;

use super::GltfAsset;
use super::document::Node;
use super::fault::Fault;
use crate::Error;

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
