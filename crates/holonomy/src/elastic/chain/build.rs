//! Making a chain from its settings.

use nalgebra::Vector3;

use super::grid::Grid;
use super::kernel::{LANES, Law, Sizes};
use super::segment::Body;
use super::{Chain, ChainSettings, Three, added_mass, lane_of, limit};
use crate::Error;

/// More segments than this are refused.
const MOST_SEGMENTS: usize = 100_000;

/// More nodes than this in all would not fit into memory.
const MOST_NODES: usize = 1 << 24;

/// Patches along a side of a face, at most.
const MOST_PATCHES: usize = 64;

impl Chain {
    /// From its settings.
    ///
    /// # Errors
    /// No segments, blocks that are not one fewer, sizes or masses that are not positive, a material that is none, no cells, a negative damping rate.
    pub fn new(settings: ChainSettings) -> Result<Chain, Error> {
        settings.validate()?;
        let grid = Grid::new(settings.cells)?;
        let nodes = grid.nodes().saturating_mul(settings.blocks.len());
        Error::unless(nodes <= MOST_NODES, "count of a chain's nodes", nodes as f64, "16 million or fewer: take fewer cells or segments")?;
        let (mu, lambda) = settings.material.lame();
        let groups = settings.blocks.len().div_ceil(LANES);
        let mut chain = Chain {
            law: Law { twice_shear: 2.0 * mu, bulk: lambda },
            bodies: Vec::new(),
            sizes: vec![Sizes { inverse: [[0.0; LANES]; 2], shares: [[0.0; LANES]; 3], damping: [0.0; LANES] }; groups],
            masses: vec![[0.0; LANES]; groups * grid.nodes()],
            inverse_masses: vec![[0.0; LANES]; groups * grid.nodes()],
            glued: vec![[[0.0; LANES]; 3]; groups * 2 * grid.layer()],
            largest_step: limit::largest_step(&grid, &settings),
            settings,
            grid,
        };
        (0..groups * LANES).for_each(|block| chain.set_sizes(block));
        (0..chain.settings.blocks.len()).for_each(|block| chain.set_masses(block));
        let depth = added_mass::depth(&chain.settings);
        chain.bodies = (0..chain.settings.segments.len()).map(|s| chain.body(s, depth)).collect();
        (0..groups * LANES).for_each(|block| chain.set_glued(block));
        Ok(chain)
    }

    /// The block whose sizes are in a lane: lanes without one take those of the last.
    pub(super) fn block_size(&self, block: usize) -> Vector3<f64> {
        let blocks = &self.settings.blocks;
        blocks[block.min(blocks.len() - 1)]
    }

    /// Steps of the grid, metres.
    pub(super) fn spacing(&self, block: usize) -> Vector3<f64> {
        let [cx, cy, cz] = self.grid.cells.map(|count| count as f64);
        self.block_size(block).component_div(&Vector3::new(cx, cy, cz))
    }

    /// Where a node of the initial shape is, from the block's middle, metres.
    pub(super) fn initial(&self, block: usize, [i, j, k]: [usize; 3]) -> Vector3<f64> {
        let (size, step) = (self.block_size(block), self.spacing(block));
        Vector3::new(0.5 * size.x - i as f64 * step.x, j as f64 * step.y - 0.5 * size.y, k as f64 * step.z - 0.5 * size.z)
    }

    fn set_sizes(&mut self, block: usize) {
        let ((g, lane), step) = (lane_of(block), self.spacing(block));
        let density = self.settings.material.density * self.settings.damping.rate();
        let sizes = &mut self.sizes[g];
        sizes.inverse[0][lane] = 1.0 / step.y;
        sizes.inverse[1][lane] = 1.0 / step.z;
        // Layers go back: x' is negative.
        for (share, value) in sizes.shares.iter_mut().zip([-step.y * step.z / 6.0, step.z / 6.0, step.y / 6.0]) {
            share[lane] = value;
        }
        sizes.damping[lane] = density * step.product() / 24.0;
    }

    /// Fang 2015, Eq. A.22.
    fn set_masses(&mut self, block: usize) {
        let ((g, lane), nodes) = (lane_of(block), self.grid.nodes());
        let quarter = self.settings.material.density * self.spacing(block).product() / 24.0;
        for (node, count) in limit::counts(&self.grid).into_iter().enumerate() {
            self.masses[g * nodes + node][lane] = quarter * count;
            self.inverse_masses[g * nodes + node][lane] = 1.0 / (quarter * count);
        }
    }

    /// Glued nodes of a segment in the frame of its box, metres, and their masses, kg.
    fn glued_to(&self, segment: usize) -> Vec<(Vector3<f64>, f64)> {
        let size = self.settings.segments[segment].size;
        let last = self.grid.cells[0];
        let mut found = Vec::new();
        // Its rear face has the first layer of the block behind, its front the last layer of the block ahead.
        for (block, layer, x) in [(Some(segment), 0, -0.5 * size.x), (segment.checked_sub(1), last, 0.5 * size.x)] {
            let Some(block) = block.filter(|&b| b < self.settings.blocks.len()) else { continue };
            let (g, lane) = lane_of(block);
            for at in self.grid.places().filter(|at| at[0] == layer) {
                let place = self.initial(block, at);
                found.push((Vector3::new(x, place.y, place.z), self.masses[g * self.grid.nodes() + self.grid.node(at)][lane]));
            }
        }
        found
    }

    fn body(&self, segment: usize, depth: f64) -> Body {
        let layer = added_mass::layer(&self.settings, segment, depth);
        Body::new(&self.settings.segments[segment], &self.glued_to(segment), self.settings.material.density, &layer)
    }

    fn set_glued(&mut self, block: usize) {
        let ((g, lane), layer) = (lane_of(block), self.grid.layer());
        let held = block < self.settings.blocks.len();
        for (face, at_layer) in [(0, 0), (1, self.grid.cells[0])] {
            for (n, at) in self.grid.places().filter(|at| at[0] == at_layer).enumerate() {
                let mut place = self.initial(block, at);
                if held {
                    let segment = block + face;
                    place.x = self.settings.segments[segment].size.x * if face == 0 { -0.5 } else { 0.5 };
                    place = self.bodies[segment].frame.inverse().act(&place);
                }
                write(&mut self.glued[(2 * g + face) * layer + n], lane, &place);
            }
        }
    }
}

pub(super) fn write(to: &mut Three, lane: usize, value: &Vector3<f64>) {
    for k in 0..3 {
        to[k][lane] = value[k];
    }
}

pub(super) fn read(from: &Three, lane: usize) -> Vector3<f64> {
    Vector3::new(from[0][lane], from[1][lane], from[2][lane])
}

impl ChainSettings {
    /// Refuses what no chain can be made of.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        if self.segments.is_empty() {
            return Err(Error::Empty { what: "the list of a chain's segments", fix: "give one segment at least" });
        }
        let count = self.segments.len();
        Error::unless(count <= MOST_SEGMENTS, "count of a chain's segments", count as f64, "100000 or fewer")?;
        if self.blocks.len() + 1 != count {
            return Err(Error::Length { what: "soft blocks of a chain", expected: count - 1, found: self.blocks.len() });
        }
        let positive = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "a positive number");
        for segment in &self.segments {
            segment.size.iter().try_for_each(|&side| positive("size of a segment (m)", side))?;
            positive("mass of a segment (kg)", segment.mass)?;
        }
        self.blocks.iter().flat_map(|size| size.iter()).try_for_each(|&side| positive("size of a soft block (m)", side))?;
        self.material.validate()?;
        Error::unless_zero_or_more("damping rate (1/s)", self.damping.rate())?;
        let patches = (1..=MOST_PATCHES).contains(&self.patches);
        Error::unless(patches, "patches along a side of a face", self.patches as f64, "from 1 to 64")
    }
}
