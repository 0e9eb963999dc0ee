//! Sparse matrices of 3 × 3 blocks, factored (crate faer). The pattern is analysed once. One thread: the same bits on any number of them.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use nalgebra::{Matrix3, Vector3};

use crate::Error;
use crate::solve::blocks::BlockPattern;

/// What to do if there is not enough memory.
const FEWER: &str = "allow more, or take a coarser mesh";

/// The lower half of a block matrix's symmetric part, as columns of numbers.
#[derive(Debug)]
struct Columns {
    symbolic: SymbolicSparseColMat<u32>,
    /// Where each number comes from: its block and the one across the diagonal, row and column in it.
    sources: Vec<([u32; 2], u8, u8)>,
    values: Vec<f64>,
    /// Right side, and solution.
    side: Vec<f64>,
}

impl Columns {
    fn new(pattern: &BlockPattern) -> Columns {
        let size = 3 * pattern.vertices();
        let (mut starts, mut rows, mut sources) = (vec![0], Vec::new(), Vec::new());
        for j in 0..pattern.vertices() {
            for c in 0..3 {
                // Blocks lie symmetrically: the rows of a column are the columns of a row.
                for &i in &pattern.columns()[pattern.row(j)] {
                    let (Some(place), Some(mirror)) = (pattern.find(i as usize, j), pattern.find(j, i as usize)) else { continue };
                    for r in 0..3 {
                        let row = 3 * i + r;
                        if row as usize >= 3 * j + c {
                            rows.push(row);
                            sources.push(([place as u32, mirror as u32], r as u8, c as u8));
                        }
                    }
                }
                starts.push(rows.len() as u32);
            }
        }
        let values = vec![0.0; rows.len()];
        Columns { symbolic: SymbolicSparseColMat::new_checked(size, size, starts, None, rows), sources, values, side: vec![0.0; size] }
    }

    /// Takes up the numbers; whether all are finite.
    fn fill(&mut self, blocks: &[Matrix3<f64>], side: &[Vector3<f64>]) -> bool {
        for (value, &([place, mirror], r, c)) in self.values.iter_mut().zip(&self.sources) {
            *value = 0.5 * (blocks[place as usize][(r as usize, c as usize)] + blocks[mirror as usize][(c as usize, r as usize)]);
        }
        for (triple, vector) in self.side.chunks_exact_mut(3).zip(side) {
            triple.copy_from_slice(vector.as_slice());
        }
        self.values.iter().chain(&self.side).all(|x| x.is_finite())
    }

    fn give(&self, side: &mut [Vector3<f64>]) {
        for (triple, vector) in self.side.chunks_exact(3).zip(side) {
            *vector = Vector3::from_column_slice(triple);
        }
    }
}

/// Solves with symmetric positive definite matrices.
pub(super) struct Cholesky {
    columns: Columns,
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    room: MemBuffer,
}

impl Cholesky {
    /// Refused before it is made, if it would take more than `memory_limit` bytes.
    pub fn new(pattern: &BlockPattern, memory_limit: usize) -> Result<Cholesky, Error> {
        let plan = Plan::new(pattern)?;
        let bytes = plan.bytes();
        let too_large = |allowed| Error::Memory { what: "one implicit step", needed: bytes, allowed, fix: FEWER };
        if bytes > memory_limit {
            return Err(too_large(memory_limit));
        }
        let room = MemBuffer::try_new(plan.room).map_err(|_| too_large(0))?;
        Ok(Cholesky { factor: vec![0.0; plan.symbolic.len_val()], columns: plan.columns, symbolic: plan.symbolic, room })
    }

    /// Replaces `side` by the solution; `false` if the symmetric part is not positive definite.
    pub fn solve(&mut self, blocks: &[Matrix3<f64>], side: &mut [Vector3<f64>]) -> bool {
        if !self.columns.fill(blocks, side) {
            return false;
        }
        let stack = MemStack::new(&mut self.room);
        let matrix = SparseColMatRef::new(self.columns.symbolic.as_ref(), &self.columns.values);
        let done = self.symbolic.factorize_numeric_llt::<f64>(
            &mut self.factor,
            matrix,
            Side::Lower,
            Default::default(),
            Par::Seq,
            stack,
            Default::default(),
        );
        if done.is_err() {
            return false;
        }
        let size = self.columns.side.len();
        let right = MatMut::from_column_major_slice_mut(&mut self.columns.side, size, 1);
        LltRef::<'_, u32, f64>::new(&self.symbolic, &self.factor).solve_in_place_with_conj(Conj::No, right, Par::Seq, stack);
        self.columns.give(side);
        true
    }
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Cholesky").field("size", &self.columns.side.len()).field("entries", &self.factor.len()).finish()
    }
}

/// A factor before it is made.
pub(super) struct Plan {
    columns: Columns,
    symbolic: SymbolicCholesky<u32>,
    room: StackReq,
}

impl Plan {
    pub fn new(pattern: &BlockPattern) -> Result<Plan, Error> {
        let columns = Columns::new(pattern);
        let symbolic = factorize_symbolic_cholesky(columns.symbolic.as_ref(), Side::Lower, Default::default(), Default::default());
        let expected = "few enough that their matrix fits into memory: take a coarser mesh";
        let too_many = Error::Parameter { name: "number of free vertices", value: pattern.vertices() as f64, expected };
        let symbolic = symbolic.map_err(|_| too_many)?;
        let room = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let room = room.or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Ok(Plan { columns, symbolic, room })
    }

    /// Of the factor, of what it is made in, and of the matrix.
    pub fn bytes(&self) -> usize {
        let columns = self.columns.values.len() * (size_of::<f64>() + size_of::<([u32; 2], u8, u8)>() + size_of::<u32>());
        (self.symbolic.len_val() * size_of::<f64>()).saturating_add(self.room.unaligned_bytes_required()).saturating_add(columns)
    }
}
