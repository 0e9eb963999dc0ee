//! Elastic bodies: cloth, ribbons and soft solids, as forces between their vertices.
//!
//! A [`mesh::Mesh`] and a [`material::Material`] make a [`body::Body`], which is a [`ForceLaw`](crate::integrate::force_law::ForceLaw): what simulation forward in
//! time ([`crate::integrate::implicit`]) and loops (Jia et al. 2023) ask for.

pub mod body;
pub mod chain;
pub mod fill;
pub mod hinge;
pub mod load;
pub mod material;
pub mod mesh;
pub mod path;
pub mod self_contact;
pub mod shell;
pub mod tetrahedron;

mod assembly;
mod principal;

use nalgebra::{Matrix3, Vector3};

use crate::integrate::force_law::Stiffness;

/// Part of a body: how K vertices act on each other.
pub trait Element<const K: usize>: Sync {
    /// Potential energy with the vertices at `x`, J.
    fn energy(&self, x: &[Vector3<f64>; K]) -> f64;

    /// The force on each vertex, N.
    fn force(&self, x: &[Vector3<f64>; K]) -> [Vector3<f64>; K];

    /// −∂force/∂x: block (a, b) is the derivative of the force on a by the place of b.
    fn stiffness(&self, x: &[Vector3<f64>; K], which: Stiffness) -> [[Matrix3<f64>; K]; K];
}
