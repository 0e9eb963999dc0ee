//! Sparse Cholesky: for meshes whose factor fits into memory.
//!
//! A goes straight into a fixed pattern, in the order of [`space_time`](super::dissection::space_time); the analysis of the pattern is done once.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::dissection::space_time;
use super::normal::{FrameBlocks, Places};
use super::{Cycle, Stage};

/// A place that does not exist: one of the two unknowns is prescribed.
const NONE: u32 = u32::MAX;
/// Frames whose blocks are computed at a time.
const BATCH: usize = 16;
/// A pivot smaller than this part of its diagonal entry is taken as zero.
const TINY: f64 = 1e-14;

/// A = LLᵀ, sparse.
pub(super) struct Direct {
    places: Places,
    batch: Vec<FrameBlocks>,
    /// Unknown (frame, vertex) by place in the order, and back.
    order: Vec<[u32; 2]>,
    rank: Vec<u32>,
    /// The lower triangle of A by columns.
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// Blocks of each block column (those of its diagonal first), and where its first column begins.
    block_starts: Vec<u32>,
    block_rows: Vec<u32>,
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    memory: MemBuffer,
    x: Vec<f64>,
}

/// Pattern of A in blocks: starts of block columns and their rows, the diagonal first, in the order of elimination.
pub(super) struct BlockColumns {
    pub order: Vec<[u32; 2]>,
    rank: Vec<u32>,
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl BlockColumns {
    pub fn new(cycle: &Cycle, places: &Places) -> Self {
        let (n, frames) = (cycle.masses.len(), cycle.frames);
        let order = space_time(cycle, &places.squared);
        let mut rank = vec![NONE; cycle.len()];
        for (k, &[frame, v]) in order.iter().enumerate() {
            rank[frame as usize * n + v as usize] = k as u32;
        }
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for (k, &[frame, v]) in order.iter().enumerate() {
            let start = rows.len();
            let (frame, v) = (frame as usize, v as usize);
            let reach = [
                (0, &places.squared),
                (1, &cycle.pattern),
                (frames - 1, &cycle.pattern),
                (2, &cycle.pattern),
                (frames - 2, &cycle.pattern),
            ];
            for (ahead, pattern) in reach {
                let other = (frame + ahead) % frames * n;
                let found = pattern.columns()[pattern.row(v)].iter().map(|&w| rank[other + w as usize]);
                rows.extend(found.filter(|&r| r != NONE && r >= k as u32));
            }
            rows[start..].sort_unstable();
            let mut kept = start;
            for at in start..rows.len() {
                if at == start || rows[at] != rows[kept - 1] {
                    rows[kept] = rows[at];
                    kept += 1;
                }
            }
            rows.truncate(kept);
            starts.push(rows.len() as u32);
        }
        BlockColumns { order, rank, starts, rows }
    }

    /// Entries of L and operations to find it, with 3 × 3 blocks.
    pub fn cost(&self) -> (f64, f64) {
        let n = self.order.len();
        // Elimination tree and counts of columns, by merging patterns upwards: rows of a column are those of A and of its children.
        let mut parent = vec![NONE; n];
        let mut ancestor = vec![NONE; n];
        let mut counts = vec![1u32; n];
        // Rows of the upper triangle are needed: transpose once.
        let mut heads = vec![0u32; n + 1];
        for column in 0..n {
            for &row in &self.rows[self.starts[column] as usize + 1..self.starts[column + 1] as usize] {
                heads[row as usize + 1] += 1;
            }
        }
        for k in 0..n {
            heads[k + 1] += heads[k];
        }
        let mut across = vec![0u32; heads[n] as usize];
        let mut fill = heads.clone();
        for column in 0..n {
            for &row in &self.rows[self.starts[column] as usize + 1..self.starts[column + 1] as usize] {
                across[fill[row as usize] as usize] = column as u32;
                fill[row as usize] += 1;
            }
        }
        for row in 0..n {
            for &column in &across[heads[row] as usize..heads[row + 1] as usize] {
                let mut at = column;
                while at != NONE && at != row as u32 {
                    let next = ancestor[at as usize];
                    ancestor[at as usize] = row as u32;
                    if next == NONE {
                        parent[at as usize] = row as u32;
                    }
                    at = next;
                }
            }
        }
        let mut seen = vec![NONE; n];
        for row in 0..n {
            seen[row] = row as u32;
            for &column in &across[heads[row] as usize..heads[row + 1] as usize] {
                let mut at = column;
                while seen[at as usize] != row as u32 {
                    seen[at as usize] = row as u32;
                    counts[at as usize] += 1;
                    at = parent[at as usize];
                }
            }
        }
        let entries: f64 = counts.iter().map(|&c| 9.0 * f64::from(c) - 3.0).sum();
        (entries, counts.iter().map(|&c| 3.0 * (3.0 * f64::from(c) - 1.0).powi(2)).sum())
    }
}

impl Direct {
    /// Bytes for A, L and the places, given the entries of L.
    pub fn bytes(columns: &BlockColumns, entries: f64) -> usize {
        // Columns that are factored together are padded a little: a tenth is assumed.
        (entries * 8.0 * 1.1) as usize + columns.rows.len() * (9 * 12 + 16)
    }

    pub fn new(cycle: &Cycle, places: Places, columns: BlockColumns) -> Option<Self> {
        let BlockColumns { order, rank, starts: block_starts, rows: block_rows } = columns;
        let n = 3 * order.len();
        let entries = 9 * block_rows.len();
        let (mut starts, mut rows) = (Vec::with_capacity(n + 1), Vec::with_capacity(entries));
        starts.push(0u32);
        for blocks in block_starts.windows(2).map(|w| &block_rows[w[0] as usize..w[1] as usize]) {
            for k in 0..3 {
                rows.extend(blocks.iter().flat_map(|&row| (0..3).map(move |a| 3 * row + a)).skip(k));
                starts.push(rows.len() as u32);
            }
        }
        let (upper_starts, upper_rows) = transposed(&starts, &rows);
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &upper_starts, None, &upper_rows);
        let params =
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL, ..Default::default() };
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Upper, SymmetricOrdering::Identity, params).ok()?;
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::rayon(0), Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(need).ok()?;
        let blocks = places.blocks(&cycle.pattern);
        let batch = vec![blocks; BATCH.min(cycle.frames)];
        let (values, factor) = (vec![0.0; rows.len()], vec![0.0; symbolic.len_val()]);
        Some(Direct {
            places,
            batch,
            order,
            rank,
            starts,
            rows,
            values,
            block_starts,
            block_rows,
            symbolic,
            factor,
            memory,
            x: vec![0.0; n],
        })
    }

    /// Factors A; false if it is not positive definite.
    pub fn factor(&mut self, cycle: &Cycle, stage: &Stage) -> bool {
        self.values.fill(0.0);
        let mut batch = std::mem::take(&mut self.batch);
        let frames: Vec<usize> = (0..cycle.frames).collect();
        for frames in frames.chunks(batch.len()) {
            batch.par_iter_mut().zip(frames).for_each(|(blocks, &frame)| self.places.fill(cycle, stage, frame, blocks));
            for (blocks, &frame) in batch.iter().zip(frames) {
                self.store(cycle, frame, blocks);
            }
        }
        self.batch = batch;
        let n = 3 * self.order.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        let matrix = SparseColMatRef::new(pattern, &self.values);
        let stack = MemStack::new(&mut self.memory);
        let par = if rayon::current_num_threads() > 1 { Par::rayon(0) } else { Par::Seq };
        let none = LltRegularization::default();
        let done = self.symbolic.factorize_numeric_llt(&mut self.factor, matrix, Side::Lower, none, par, stack, Default::default()).is_ok();
        done && self.is_definite()
    }

    /// Whether all pivots are positive beside the entries of A they come from.
    fn is_definite(&self) -> bool {
        let SymbolicCholeskyRaw::Supernodal(parts) = self.symbolic.raw() else { return true };
        let factor = SupernodalLltRef::new(parts, &self.factor);
        (0..parts.n_supernodes()).all(|k| {
            let part = factor.supernode(k);
            let columns = part.val().ncols();
            (0..columns).all(|c| part.val()[(c, c)].powi(2) > TINY * self.values[self.starts[part.start() + c] as usize])
        })
    }

    /// Adds the blocks of one frame to A.
    fn store(&mut self, cycle: &Cycle, frame: usize, blocks: &FrameBlocks) {
        let n = cycle.masses.len();
        for row in 0..n {
            for at in self.places.squared.row(row) {
                let column = self.places.squared.columns()[at] as usize;
                if column > row {
                    break;
                }
                self.add(self.rank[frame * n + row], self.rank[frame * n + column], &blocks.own[at]);
            }
            for (ahead, blocks) in blocks.next.iter().enumerate() {
                let then = (frame + ahead + 1) % cycle.frames;
                for at in cycle.pattern.row(row) {
                    let column = cycle.pattern.columns()[at] as usize;
                    self.add(self.rank[frame * n + row], self.rank[then * n + column], &blocks[at]);
                }
            }
        }
    }

    /// Adds a block, or its transpose if it is in the upper triangle.
    fn add(&mut self, row: u32, column: u32, block: &Matrix3<f64>) {
        if row == NONE || column == NONE {
            return;
        }
        let flip = row < column;
        let (row, column) = if flip { (column, row) } else { (row, column) };
        let range = self.block_starts[column as usize] as usize..self.block_starts[column as usize + 1] as usize;
        let Ok(place) = self.block_rows[range].binary_search(&row) else { return };
        for b in 0..3 {
            let start = self.starts[3 * column as usize + b] as usize;
            for a in (if place == 0 { b } else { 0 })..3 {
                self.values[start + 3 * place + a - b] += if flip { block[(b, a)] } else { block[(a, b)] };
            }
        }
    }

    /// Solves in place.
    pub fn solve(&mut self, cycle: &Cycle, rhs: &mut [Vector3<f64>]) {
        let n = cycle.masses.len();
        for (&[frame, v], x) in self.order.iter().zip(self.x.chunks_exact_mut(3)) {
            x.copy_from_slice(rhs[frame as usize * n + v as usize].as_slice());
        }
        let size = self.x.len();
        let x = MatMut::from_column_major_slice_mut(&mut self.x, size, 1);
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut self.memory));
        for (&[frame, v], x) in self.order.iter().zip(self.x.chunks_exact(3)) {
            rhs[frame as usize * n + v as usize] = Vector3::from_column_slice(x);
        }
    }
}

/// The pattern of the transpose, rows in order.
fn transposed(starts: &[u32], rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let n = starts.len() - 1;
    let mut heads = vec![0u32; n + 1];
    rows.iter().for_each(|&row| heads[row as usize + 1] += 1);
    for k in 0..n {
        heads[k + 1] += heads[k];
    }
    let mut next = heads.clone();
    let mut out = vec![0u32; rows.len()];
    for column in 0..n {
        for &row in &rows[starts[column] as usize..starts[column + 1] as usize] {
            out[next[row as usize] as usize] = column as u32;
            next[row as usize] += 1;
        }
    }
    (heads, out)
}

impl std::fmt::Debug for Direct {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Direct").field("unknowns", &(3 * self.order.len())).field("entries", &self.factor.len()).finish()
    }
}
