//! Where the numbers of a grid lie in memory: rows along x, one cell of surroundings on every side, each row padded for wide registers.
//!
//! A cell (i, j) has its low corner at `origin + cell · (i, j)` in the plane of x and z. Face x (i, j) is its side of low x, face z (i, j) its side
//! of low z. Indices run from −1 to one past the last.

use std::ops::Range;

/// Numbers kept free before and after each row; the longest vectors of any processor.
const PAD: usize = 8;

/// Height of what is solid, metres: so high that no water gets over it, and so low that sums with it are finite.
pub(super) const SOLID: f64 = 1e30;

/// What is kept of each face, in one block per row: so that a range of rows is one slice.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    /// Velocity along x at faces x, m/s.
    AlongX = 0,
    /// Velocity along z at faces z, m/s.
    AlongZ = 1,
    /// Flux through faces x, m²/s.
    FluxX = 2,
    /// Flux through faces z, m²/s.
    FluxZ = 3,
}

/// Fields in a block of faces.
pub(super) const FIELDS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Grid {
    /// Cells along x and z.
    pub cells: [usize; 2],
    /// Columns that loops run over: all faces x, rounded up.
    pub width: usize,
    /// From one row to the next.
    pub stride: usize,
}

impl Grid {
    pub fn new(cells: [usize; 2]) -> Grid {
        let width = (cells[0] + 1).next_multiple_of(PAD);
        Grid { cells, width, stride: width + 2 * PAD }
    }

    /// Rows from −1 to one past the last faces z.
    pub fn rows(&self) -> usize {
        self.cells[1] + 3
    }

    /// Numbers in a field of cells.
    pub fn len(&self) -> usize {
        self.rows() * self.stride
    }

    /// Of a cell, in a field of cells.
    #[inline(always)]
    pub fn at(&self, i: isize, j: isize) -> usize {
        (j + 1) as usize * self.stride + (PAD as isize + i) as usize
    }

    /// Of a face, in the blocks of faces.
    #[inline(always)]
    pub fn face(&self, kept: Kept, i: isize, j: isize) -> usize {
        ((j + 1) as usize * FIELDS + kept as usize) * self.stride + (PAD as isize + i) as usize
    }

    /// What a loop over row `j` of a field of cells runs over, from column `i`.
    #[inline(always)]
    pub fn row(&self, i: isize, j: isize) -> Range<usize> {
        let start = self.at(i, j);
        start..start + self.width
    }

    /// The same in the blocks of faces.
    #[inline(always)]
    pub fn face_row(&self, kept: Kept, i: isize, j: isize) -> Range<usize> {
        let start = self.face(kept, i, j);
        start..start + self.width
    }

    /// The columns of a loop, in a row of its own.
    pub fn columns(&self) -> Range<usize> {
        PAD..PAD + self.width
    }

    /// All cells, row by row.
    pub fn all(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let [nx, nz] = self.cells.map(|n| n as isize);
        (0..nz).flat_map(move |j| (0..nx).map(move |i| (i, j)))
    }
}
