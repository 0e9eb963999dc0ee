//! Momenta and energies of a whole chain.

use nalgebra::{Matrix3, Vector3};

use super::build::read;
use super::grid::Tetrahedron;
use super::segment::{Body, BodyState};
use super::stretch::from_above;
use super::{Chain, ChainState, Three, lane_of};
use crate::lie::Momentum;

impl Chain {
    /// Of all blocks' free nodes: lane, index among all nodes, mass.
    fn free_nodes(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.settings.blocks.len()).flat_map(move |block| {
            let (g, lane) = lane_of(block);
            (self.face(g, 0).end..self.face(g, 1).start).map(move |node| (lane, node, self.masses[node][lane]))
        })
    }

    /// Of the whole, with the water that moves along, about the world's origin, world axes.
    pub fn momentum(&self, state: &ChainState) -> Momentum {
        let segments: Momentum = (0..self.bodies.len()).fold(Momentum::default(), |sum, s| sum + self.segment_momentum(state, s));
        self.free_nodes().fold(segments, |sum, (lane, node, mass)| {
            sum + Momentum::of_force_at(read(&state.velocity[node], lane) * mass, &read(&state.position[node], lane))
        })
    }

    /// Of the whole, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|body| body.mass).sum::<f64>() + self.free_nodes().map(|(_, _, mass)| mass).sum::<f64>()
    }

    /// Centre of mass of the whole, metres, world frame.
    pub fn centre(&self, state: &ChainState) -> Vector3<f64> {
        let segments = self.bodies.iter().zip(&state.segments).map(|(body, of)| of.centre * body.mass).sum::<Vector3<f64>>();
        let nodes = self.free_nodes().map(|(lane, node, mass)| read(&state.position[node], lane) * mass).sum::<Vector3<f64>>();
        (segments + nodes) / self.mass()
    }

    /// J, with that of the water that moves along.
    pub fn kinetic_energy(&self, state: &ChainState) -> f64 {
        let of_segment = |(s, (body, of)): (usize, (&Body, &BodyState))| match state.added.get(s) {
            Some(added) => added.kinetic_energy(body, of),
            None => body.kinetic_energy(of),
        };
        let segments: f64 = self.bodies.iter().zip(&state.segments).enumerate().map(of_segment).sum();
        let nodes = self.free_nodes().map(|(lane, node, mass)| 0.5 * mass * read(&state.velocity[node], lane).norm_squared());
        segments + nodes.sum::<f64>()
    }

    /// Stored in the deformation of the blocks, J.
    pub fn elastic_energy(&self, state: &ChainState) -> f64 {
        let energy = |block| self.grid.tetrahedra.iter().flatten().map(|t| self.element_energy(state, block, t)).sum::<f64>();
        (0..self.settings.blocks.len()).map(energy).sum()
    }

    fn element_energy(&self, state: &ChainState, block: usize, t: &Tetrahedron) -> f64 {
        let ((g, lane), step, grid) = (lane_of(block), self.spacing(block), &self.grid);
        let nodes = &state.position[g * grid.nodes()..(g + 1) * grid.nodes()];
        let [ex, ey, ez] = t.edges.map(|edge| edge_of(nodes, edge, lane));
        let line = &state.rest.lines[g * grid.layer() + t.line as usize];
        let counts = grid.leans();
        let lean = |axis: usize| state.rest.leans[axis][g * counts[axis] + t.leans[axis] as usize][lane];
        let fx = ex * line[0][lane];
        let f = Matrix3::from_columns(&[fx, ey / step.y - fx * lean(0), ez / step.z - fx * lean(1)]);
        let cofactors = [f.column(1).cross(&f.column(2)), f.column(2).cross(&f.column(0)), f.column(0).cross(&f.column(1))];
        let (a, b, d) = (f.norm_squared(), cofactors.iter().map(|c| c.norm_squared()).sum::<f64>(), f.determinant());
        // Σ(σ − 1)² = a − 2λ + 3.
        let strain = a - 2.0 * from_above(a, b, d) + 3.0;
        let density = 0.5 * self.law.twice_shear * strain + 0.5 * self.law.bulk * (d - 1.0) * (d - 1.0);
        density * line[1][lane] * step.y * step.z / 6.0
    }
}

fn edge_of(nodes: &[Three], [first, last]: [u32; 2], lane: usize) -> Vector3<f64> {
    read(&nodes[last as usize], lane) - read(&nodes[first as usize], lane)
}
