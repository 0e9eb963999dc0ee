//! Which vertices act on which: the pattern of a matrix of 3 × 3 blocks, fixed once.

use nalgebra::Matrix3;

/// The places of the blocks of a square matrix, row by row, columns in order. A block and its transpose are both there, as are all on the diagonal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPattern {
    /// Where each row begins in `columns`, and where the last one ends.
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl BlockPattern {
    /// The pattern in which these groups of vertices (edges, faces, tetrahedra, hinges) act on each other; numbers beyond `vertices` are left out.
    pub fn new<'a>(vertices: usize, groups: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut rows: Vec<Vec<u32>> = (0..vertices as u32).map(|i| vec![i]).collect();
        for group in groups {
            for &i in group.iter().filter(|&&i| (i as usize) < vertices) {
                rows[i as usize].extend(group.iter().filter(|&&j| (j as usize) < vertices));
            }
        }
        let mut starts = vec![0];
        let mut columns = Vec::new();
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            columns.extend_from_slice(row);
            starts.push(columns.len());
        }
        BlockPattern { starts, columns }
    }

    /// Number of rows.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// Places of the blocks of a row, among all.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// The column of each block.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The place of block (i, j), if it is in the pattern.
    pub fn find(&self, i: usize, j: usize) -> Option<usize> {
        let row = self.row(i);
        let place = self.columns[row.clone()].binary_search(&(j as u32)).ok()?;
        Some(row.start + place)
    }

    /// `y += A x`, both in triples of coordinates.
    pub fn multiply(&self, values: &[Matrix3<f64>], x: &[nalgebra::Vector3<f64>], y: &mut [nalgebra::Vector3<f64>]) {
        for (i, y) in y.iter_mut().enumerate() {
            for place in self.row(i) {
                *y += values[place] * x[self.columns[place] as usize];
            }
        }
    }
}
