//! The nodes of a soft block, its tetrahedra and its outer faces: the same for all blocks of a chain.
//!
//! Node (i, j, k) stands in layer i from the front (towards the head, so x falls as i grows), at step j along y and k along z. Each cell is cut into
//! the six tetrahedra of Kuhn 1960, the paths from its corner (0, 0, 0) to (1, 1, 1) along the three axes in any order. So a tetrahedron has one edge
//! along each axis, which is all that its deformation is read from.

use crate::Error;

/// More nodes than this in a block are refused: a chain is explicit in time, and its step falls with the cells.
const MOST_NODES: usize = 1 << 20;

/// Cells and what follows from their number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    /// Along x, y, z.
    pub cells: [usize; 3],
    /// Those whose path takes x as its second step, then those with y, then z.
    pub tetrahedra: [Vec<Tetrahedron>; 3],
    /// Of the four sides that no segment covers, outward by the right hand.
    pub triangles: Vec<Triangle>,
}

/// By its three edges along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tetrahedron {
    /// First and last node of the edges along x, y, z, in the direction of growing indices.
    pub edges: [[u32; 2]; 3],
    /// Which line along x the first edge lies on: `[j][k]`.
    pub line: u32,
    /// Where the lean of the edges along y and z is found.
    pub leans: [u32; 2],
}

/// One outer face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Triangle {
    pub nodes: [u32; 3],
    /// How far its middle is along the block, 0 at the front, 1 at the back.
    pub along: f64,
}

impl Grid {
    pub fn new(cells: [usize; 3]) -> Result<Grid, Error> {
        for count in cells {
            Error::unless(count >= 1, "count of cells of a soft block along an axis", count as f64, "1 or more")?;
        }
        let nodes = cells.iter().fold(1_usize, |product, count| product.saturating_mul(count.saturating_add(1)));
        Error::unless(nodes <= MOST_NODES, "count of nodes of a soft block", nodes as f64, "a million or fewer: take fewer cells")?;
        let mut grid = Grid { cells, tetrahedra: Default::default(), triangles: Vec::new() };
        grid.fill();
        grid.cover();
        Ok(grid)
    }

    pub fn node(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * (self.cells[1] + 1) + j) * (self.cells[2] + 1) + k
    }

    /// In one layer.
    pub fn layer(&self) -> usize {
        (self.cells[1] + 1) * (self.cells[2] + 1)
    }

    pub fn nodes(&self) -> usize {
        (self.cells[0] + 1) * self.layer()
    }

    pub fn elements(&self) -> usize {
        6 * self.cells.iter().product::<usize>()
    }

    /// How many leaning edges there are along y and along z.
    pub fn leans(&self) -> [usize; 2] {
        let [cx, cy, cz] = self.cells;
        [(cx + 1) * cy * (cz + 1), (cx + 1) * (cy + 1) * cz]
    }

    /// Of the edge along y that starts at a node.
    pub fn lean_y(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.cells[1] + j) * (self.cells[2] + 1) + k
    }

    /// Of the edge along z that starts at a node.
    pub fn lean_z(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * (self.cells[1] + 1) + j) * self.cells[2] + k
    }

    /// All nodes' indices, in order.
    pub fn places(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [cx, cy, cz] = self.cells;
        (0..=cx).flat_map(move |i| (0..=cy).flat_map(move |j| (0..=cz).map(move |k| [i, j, k])))
    }

    fn fill(&mut self) {
        let [cx, cy, cz] = self.cells;
        for cell in (0..cx * cy * cz).map(|c| [c / (cy * cz), c / cz % cy, c % cz]) {
            for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0]] {
                let mut at = cell;
                let mut starts = [[0; 3]; 3];
                let mut edges = [[0; 2]; 3];
                for axis in order {
                    starts[axis] = at;
                    let first = self.node(at) as u32;
                    at[axis] += 1;
                    edges[axis] = [first, self.node(at) as u32];
                }
                let line = (starts[0][1] * (cz + 1) + starts[0][2]) as u32;
                let leans = [self.lean_y(starts[1]) as u32, self.lean_z(starts[2]) as u32];
                self.tetrahedra[order[1]].push(Tetrahedron { edges, line, leans });
            }
        }
    }

    fn cover(&mut self) {
        let [cx, cy, cz] = self.cells;
        let mut triangles = Vec::new();
        for i in 0..cx {
            for (axis, count) in [(1, cz), (2, cy)] {
                for step in 0..count {
                    for end in [0, 1] {
                        let corner = |along: usize, across: usize| {
                            let mut at = [i + along, 0, 0];
                            at[axis] = end * self.cells[axis];
                            at[3 - axis] = step + across;
                            self.node(at) as u32
                        };
                        // The diagonals are those of Kuhn's tetrahedra.
                        let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        // Along × across is −x × z = y where axis is y, −x × y = −z where it is z.
                        let outward = (axis == 1) == (end == 1);
                        for ([a, b, c], along) in [([0, 1, 2], 2.0 / 3.0), ([0, 2, 3], 1.0 / 3.0)] {
                            let nodes = if outward { [quad[a], quad[b], quad[c]] } else { [quad[a], quad[c], quad[b]] };
                            triangles.push(Triangle { nodes, along: (i as f64 + along) / cx as f64 });
                        }
                    }
                }
            }
        }
        self.triangles = triangles;
    }
}
