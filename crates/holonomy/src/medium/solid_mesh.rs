//! A closed triangle mesh as a solid: how far a place is from it, and on which side.
//!
//! The nearest place on it is found in a tree of boxes (crate parry). The side is told by the normal there, which at edges and vertices is that of the faces around,
//! weighted by their angles: Bærentzen and Aanæs 2005, "Signed distance computation using the angle weighted pseudonormal".

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use nalgebra::Vector3;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::{TriMesh, TriMeshFlags};

use crate::Error;
use crate::shape::diagonal;
use crate::shape::surface::{Connectivity, enclosed_volume, face_area_vector};

/// A place this near to the surface, in parts of the mesh's size, is on it.
const ON_IT: f64 = 1e-12;

/// A face whose area is less than this part of its longest side squared has none.
const NO_AREA: f64 = 1e-12;

/// A solid with a surface of triangles. Clones share the tree.
#[derive(Clone)]
pub struct SolidMesh {
    points: Vec<Vector3<f64>>,
    faces: Vec<[u32; 3]>,
    tree: Arc<TriMesh>,
    /// Metres.
    size: f64,
}

impl SolidMesh {
    /// The solid within these faces; points are in metres, world. Points at the same place become one where the surface would be open otherwise; faces that all look
    /// inwards are turned. Pieces must not overlap.
    ///
    /// # Errors
    /// There are no faces, or they name points that are not there; a coordinate is not finite; the surface is open, or not all of its faces look the same way; a face has
    /// no area, or the surface encloses no volume.
    pub fn new(points: Vec<Vector3<f64>>, faces: Vec<[u32; 3]>) -> Result<SolidMesh, Error> {
        let unsound = |reason| Err(Error::Surface { part: 0, reason });
        if faces.is_empty() {
            return Err(Error::Empty { what: "the mesh of an obstacle", fix: "give it faces" });
        }
        if let Some((vertex, point)) = points.iter().enumerate().find(|(_, p)| !p.iter().all(|x| x.is_finite())) {
            return Err(Error::NonFinitePosition { frame: 0, vertex, value: (*point).into() });
        }
        for (index, face) in faces.iter().enumerate() {
            if let Some(&vertex) = face.iter().find(|&&v| v as usize >= points.len()) {
                return Err(Error::VertexOutOfRange { what: "face", index, vertex: vertex as usize, vertices: points.len() });
            }
        }
        let (points, mut faces) = if Connectivity::of(&faces).watertight() { (points, faces) } else { welded(&points, &faces) };
        let seams = Connectivity::of(&faces);
        if seams.irregular_edges > 0 {
            return unsound("an obstacle whose faces look different ways, or that meet three at an edge; orient them all outwards");
        }
        if !seams.watertight() {
            return unsound("a surface with a hole in it has no inside; close it");
        }
        if faces.iter().any(|&face| is_sliver(&points, face)) {
            return unsound("a face of an obstacle has no area; merge vertices that lie together");
        }
        let (volume, size) = (enclosed_volume(&points, &faces), diagonal(&points));
        if volume.abs() <= NO_AREA * size.powi(3) || !volume.is_finite() {
            return unsound("an obstacle that encloses no volume has no inside; give it some thickness");
        }
        if volume < 0.0 {
            faces.iter_mut().for_each(|face| face.swap(1, 2));
        }
        let corners = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        match TriMesh::with_flags(corners, faces.clone(), TriMeshFlags::ORIENTED) {
            Ok(tree) => Ok(SolidMesh { points, faces, tree: Arc::new(tree), size }),
            Err(_) => unsound("an obstacle of which no tree can be made"),
        }
    }

    /// Its vertices, metres, world.
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// Its triangles, outwards.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The distance from `place` to the surface, metres, negative inside; and where the nearest place on the surface is: its face, and the shares of the
    /// face's corners.
    pub(crate) fn nearest(&self, place: &Vector3<f64>) -> (f64, u32, [f64; 3]) {
        let (nearest, (face, location)) = self.tree.project_local_point_and_get_location(Vector::new(place.x, place.y, place.z), false);
        let length = (place - Vector3::new(nearest.point.x, nearest.point.y, nearest.point.z)).norm();
        let shares = location.barycentric_coordinates().unwrap_or([1.0 / 3.0; 3]);
        (if nearest.is_inside { -length } else { length }, face, shares)
    }

    /// The distance from `place` to the surface, metres, negative inside; and its derivative by the place, of unit length. On the surface that is the normal of a face.
    pub fn distance(&self, place: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let (nearest, (face, _)) = self.tree.project_local_point_and_get_location(Vector::new(place.x, place.y, place.z), false);
        let apart = place - Vector3::new(nearest.point.x, nearest.point.y, nearest.point.z);
        let length = apart.norm();
        if length <= ON_IT * self.size {
            let normal = self.faces.get(face as usize).map(|&face| face_area_vector(&self.points, face));
            return (0.0, normal.and_then(|normal| normal.try_normalize(0.0)).unwrap_or_else(Vector3::y));
        }
        let side = if nearest.is_inside { -1.0 } else { 1.0 };
        (side * length, apart * (side / length))
    }
}

impl PartialEq for SolidMesh {
    fn eq(&self, other: &SolidMesh) -> bool {
        self.points == other.points && self.faces == other.faces
    }
}

impl fmt::Debug for SolidMesh {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("SolidMesh").field("points", &self.points.len()).field("faces", &self.faces.len()).finish()
    }
}

/// Points at the same place as one; faces that thereby become lines are gone.
fn welded(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let (mut kept, mut known) = (Vec::new(), HashMap::new());
    let place = |p: &Vector3<f64>| {
        // Adding zero makes −0 the same as 0.
        *known.entry(p.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            kept.push(*p);
            kept.len() as u32 - 1
        })
    };
    let new: Vec<u32> = points.iter().map(place).collect();
    let faces = faces.iter().map(|face| face.map(|v| new[v as usize]));
    let faces = faces.filter(|&[a, b, c]| a != b && b != c && c != a).collect();
    (kept, faces)
}

fn is_sliver(points: &[Vector3<f64>], face: [u32; 3]) -> bool {
    let [a, b, c] = face.map(|v| points[v as usize]);
    let longest = [b - a, c - b, a - c].iter().map(Vector3::norm_squared).fold(0.0, f64::max);
    face_area_vector(points, face).norm() <= NO_AREA * longest
}
