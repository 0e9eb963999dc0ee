//! Factors of symmetric matrices with the mesh's pattern, one per frame: L D Lᵀ in 3 × 3 blocks, without pivots.
//!
//! They serve a preconditioner, so that L is kept in half the digits and read in half the time. Columns of blocks are padded to four numbers: one register.

use nalgebra::{Matrix3, Vector3};

use super::BlockPattern;
use super::dissection::space;

/// A column-major block, each column padded.
pub(super) type Packed = [[f32; 4]; 3];
/// A padded vector.
pub(super) type Quad = [f64; 4];

/// The pattern of L, found once.
#[derive(Debug)]
pub(super) struct MeshPattern {
    /// Vertices in the order of elimination, and back.
    order: Vec<u32>,
    rank: Vec<u32>,
    /// Where each column begins in `rows`: those below the diagonal.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// For each block of the mesh's pattern in the lower triangle of the order: (its place there, its place here).
    inputs: Vec<[u32; 2]>,
    /// For each column and each pair of its rows i ≥ j: the place of block (i, j). Diagonals come after all others.
    updates: Vec<u32>,
}

/// The rows below the diagonal of each column of L, by which its cost is known before the rest of the pattern is found.
pub(super) struct MeshColumns {
    order: Vec<u32>,
    rank: Vec<u32>,
    columns: Vec<Vec<u32>>,
}

impl MeshColumns {
    pub fn new(pattern: &BlockPattern) -> Self {
        let n = pattern.vertices();
        let order = space(pattern);
        let mut rank = vec![0u32; n];
        order.iter().enumerate().for_each(|(k, &v)| rank[v as usize] = k as u32);
        // The rows of a column are those of the matrix and of its children in the tree.
        let mut columns: Vec<Vec<u32>> = order
            .iter()
            .enumerate()
            .map(|(k, &v)| pattern.columns()[pattern.row(v as usize)].iter().map(|&w| rank[w as usize]).filter(|&r| r > k as u32).collect())
            .collect();
        for k in 0..n {
            columns[k].sort_unstable();
            columns[k].dedup();
            if let Some((&parent, rest)) = columns[k].split_first() {
                let rest = rest.to_vec();
                columns[parent as usize].extend(rest);
            }
        }
        MeshColumns { order, rank, columns }
    }

    /// Blocks of L and of D.
    pub fn blocks(&self) -> usize {
        self.columns.iter().map(Vec::len).sum::<usize>() + self.columns.len()
    }

    /// Bytes of the whole pattern: a place for each pair of rows of a column is most of it.
    pub fn pattern_bytes(&self) -> usize {
        let pairs = self.columns.iter().fold(0_usize, |sum, column| sum.saturating_add(column.len() * (column.len() + 1) / 2));
        pairs.saturating_add(2 * self.blocks()).saturating_mul(size_of::<u32>())
    }
}

impl MeshPattern {
    pub fn new(pattern: &BlockPattern, MeshColumns { order, rank, columns }: MeshColumns) -> Self {
        let n = pattern.vertices();
        let mut starts = vec![0u32];
        let mut rows = Vec::new();
        for column in &columns {
            rows.extend_from_slice(column);
            starts.push(rows.len() as u32);
        }
        let mut this = MeshPattern { order, rank, starts, rows, inputs: Vec::new(), updates: Vec::new() };
        for v in 0..n {
            for place in pattern.row(v) {
                let (i, j) = (this.rank[v], this.rank[pattern.columns()[place] as usize]);
                if i >= j {
                    this.inputs.push([place as u32, this.place(i, j)]);
                }
            }
        }
        for column in &columns {
            for (k, &i) in column.iter().enumerate() {
                for &j in &column[..=k] {
                    let place = this.place(i, j);
                    this.updates.push(place);
                }
            }
        }
        this
    }

    /// Blocks of L and of D.
    pub fn blocks(&self) -> usize {
        self.rows.len() + self.order.len()
    }

    fn column(&self, k: usize) -> std::ops::Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    fn place(&self, i: u32, j: u32) -> u32 {
        if i == j {
            return self.rows.len() as u32 + j;
        }
        let range = self.column(j as usize);
        range.start as u32 + self.rows[range].partition_point(|&row| row < i) as u32
    }

    /// L and D⁻¹ of the matrix whose blocks `value` gives by place and row in the mesh's pattern; false if it has none.
    pub fn factor(&self, pattern: &BlockPattern, value: impl Fn(usize, usize, usize) -> Matrix3<f64>, out: &mut [Packed]) -> bool {
        let mut work = vec![Matrix3::zeros(); self.blocks()];
        let mut inputs = self.inputs.iter();
        for v in 0..self.order.len() {
            for place in pattern.row(v) {
                let w = pattern.columns()[place] as usize;
                if self.rank[v] >= self.rank[w]
                    && let Some(&[_, to]) = inputs.next()
                {
                    work[to as usize] = value(place, v, w);
                }
            }
        }
        let mut updates = self.updates.iter();
        let mut scaled: Vec<Matrix3<f64>> = Vec::new();
        for k in 0..self.order.len() {
            let own = self.rows.len() + k;
            let Some(inverse) = work[own].try_inverse().filter(|inverse| inverse.iter().all(|x| x.is_finite())) else { return false };
            work[own] = inverse;
            let range = self.column(k);
            scaled.clear();
            scaled.extend(work[range.clone()].iter().map(|block| block * inverse));
            for (a, left) in scaled.iter().enumerate() {
                for b in 0..=a {
                    if let Some(&place) = updates.next() {
                        let right = work[range.start + b].transpose();
                        work[place as usize] -= left * right;
                    }
                }
            }
            work[range].copy_from_slice(&scaled);
        }
        for (out, block) in out.iter_mut().zip(&work) {
            for (out, column) in out.iter_mut().zip(block.column_iter()) {
                *out = [column[0] as f32, column[1] as f32, column[2] as f32, 0.0];
            }
        }
        out.iter().flatten().flatten().all(|x| x.is_finite())
    }

    /// x ← (L D Lᵀ)⁻¹ x, by way of `y` in the order of elimination.
    #[inline(always)]
    pub fn solve(&self, factor: &[Packed], x: &mut [Vector3<f64>], y: &mut [Quad]) {
        for (y, &v) in y.iter_mut().zip(&self.order) {
            let x = &x[v as usize];
            *y = [x[0], x[1], x[2], 0.0];
        }
        let (below, diagonals) = factor.split_at(self.rows.len());
        for k in 0..self.order.len() {
            let range = self.column(k);
            let own = y[k];
            for (block, &row) in below[range.clone()].iter().zip(&self.rows[range]) {
                let to = &mut y[row as usize];
                for i in 0..4 {
                    to[i] -= f64::from(block[0][i]) * own[0] + f64::from(block[1][i]) * own[1] + f64::from(block[2][i]) * own[2];
                }
            }
        }
        for k in (0..self.order.len()).rev() {
            let (range, own, block) = (self.column(k), y[k], &diagonals[k]);
            let mut sums = [[0.0; 4]; 3];
            for (block, &row) in below[range.clone()].iter().zip(&self.rows[range]) {
                let from = y[row as usize];
                for (sums, column) in sums.iter_mut().zip(block) {
                    for i in 0..4 {
                        sums[i] += f64::from(column[i]) * from[i];
                    }
                }
            }
            let out = &mut y[k];
            for i in 0..3 {
                let scaled = f64::from(block[0][i]) * own[0] + f64::from(block[1][i]) * own[1] + f64::from(block[2][i]) * own[2];
                out[i] = scaled - (sums[i][0] + sums[i][1] + sums[i][2]);
            }
        }
        for (y, &v) in y.iter().zip(&self.order) {
            x[v as usize] = Vector3::new(y[0], y[1], y[2]);
        }
    }
}
