//! What a body is made of, and its inertia in each shape.

use nalgebra::Vector3;

use crate::Error;
use crate::shape::{Inertia, MassPoints, Material, MovingMass};

/// What a body is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Substance {
    /// The same throughout.
    Uniform(Material),
    /// Several materials.
    Parts {
        /// Of each face, which material it is of, from 0.
        labels: Vec<u32>,
        /// The materials.
        materials: Vec<Material>,
    },
    /// Masses of the vertices, kg.
    Masses(Vec<f64>),
}

/// The mass of a body, ready to be asked in each shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mass {
    /// The shape does not change.
    Rigid(Inertia),
    Points(MassPoints),
}

impl Substance {
    /// The mass of a body that begins as `points`. `rigid` tells whether it stays so.
    pub(super) fn mass(&self, points: &[Vector3<f64>], faces: &[[u32; 3]], rigid: bool) -> Result<Mass, Error> {
        let one = |material: &Material| (vec![0; faces.len()], vec![*material]);
        let (labels, materials) = match self {
            Substance::Uniform(material) => one(material),
            Substance::Parts { labels, materials } => (labels.clone(), materials.clone()),
            Substance::Masses(masses) if rigid => return Ok(Mass::Rigid(Inertia::of_points(points, masses)?)),
            Substance::Masses(masses) if masses.len() != points.len() => {
                return Err(Error::Length { what: "vertex masses", expected: points.len(), found: masses.len() });
            }
            Substance::Masses(masses) => return Ok(Mass::Points(MassPoints::given(masses.clone())?)),
        };
        match rigid {
            true => Ok(Mass::Rigid(Inertia::of_parts(points, faces, &labels, &materials)?)),
            false => Ok(Mass::Points(MassPoints::of_parts(points, faces, &labels, &materials)?)),
        }
    }
}

impl Mass {
    pub(super) fn evaluate(&self, points: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> MovingMass {
        match self {
            Mass::Rigid(inertia) => MovingMass { inertia: *inertia, ..MovingMass::default() },
            Mass::Points(masses) => masses.evaluate(points, velocities),
        }
    }
}
