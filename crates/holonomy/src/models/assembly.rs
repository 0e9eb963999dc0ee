//! Bodies of several materials: what the models of bodies in flow make.
//!
//! Soliman 2024 computes motion from a surface and what it is made of. Here each face has a label, and each label a material.

use std::ops::Range;

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Inertia, Material, Playback, Topology};

/// A surface of several parts, each of its own material. A solid part is closed by itself; a sheet is one layer of faces, open at its rim.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assembly {
    points: Vec<Vector3<f64>>,
    faces: Vec<[u32; 3]>,
    labels: Vec<u32>,
    materials: Vec<Material>,
}

impl Assembly {
    /// Vertices in the body's frame, metres.
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// Vertex numbers of each triangle: counter-clockwise seen from outside or, on a sheet, from the side its model names.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The part that each face belongs to: a place in [`materials`](Assembly::materials).
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// What each part is made of.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The faces of one part.
    pub fn part(&self, label: u32) -> Vec<[u32; 3]> {
        self.faces.iter().zip(&self.labels).filter(|(_, l)| **l == label).map(|(face, _)| *face).collect()
    }

    /// Mass, and its first and second moments about the origin.
    ///
    /// # Errors
    /// A density is negative or not finite, or the faces of a solid part do not close.
    pub fn inertia(&self) -> Result<Inertia, Error> {
        Inertia::of_parts(&self.points, &self.faces, &self.labels, &self.materials)
    }

    /// The one shape as a loop of one frame, `1 / fps` seconds long.
    ///
    /// # Errors
    /// `fps` is not a positive number.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("fps", fps)?;
        let topology = Topology::Surface { faces: self.faces.clone() };
        Clip::new(topology, Playback::Loop, 1.0 / fps, self.points.len(), self.points.clone())
    }

    /// Adds a mesh as a new part and says which vertices are its own.
    pub(super) fn add(&mut self, (points, faces): (Vec<Vector3<f64>>, Vec<[u32; 3]>), material: Material) -> Range<usize> {
        let labels = vec![0; faces.len()];
        self.add_labelled((points, faces), &labels, &[material])
    }

    /// Adds a mesh of several new parts, welded to each other: `labels` count within `materials`.
    pub(super) fn add_labelled(
        &mut self,
        (points, faces): (Vec<Vector3<f64>>, Vec<[u32; 3]>),
        labels: &[u32],
        materials: &[Material],
    ) -> Range<usize> {
        let (first, label) = (self.points.len(), self.materials.len() as u32);
        self.points.extend(points);
        self.faces.extend(faces.iter().map(|face| face.map(|v| v + first as u32)));
        self.labels.extend(labels.iter().map(|l| l + label));
        self.materials.extend_from_slice(materials);
        first..self.points.len()
    }

    /// The same, moved so that the centre of mass is the origin, and where that centre was.
    ///
    /// # Errors
    /// As for [`inertia`](Assembly::inertia); or there is no mass.
    pub(super) fn centred(mut self) -> Result<(Assembly, Vector3<f64>), Error> {
        let center = self.inertia()?.center()?;
        self.points.iter_mut().for_each(|p| *p -= center);
        Ok((self, center))
    }
}
