//! Which way to solve, chosen by size and memory.

use nalgebra::Vector3;

use super::band::Band;
use super::{Cycle, Stage, clear_fixed};
use crate::Error;

/// A way to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Cholesky's factorisation in dense blocks, frame by frame.
    Dense,
}

/// How a solve went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Of an iterative solver; refinements of a direct one.
    pub iterations: usize,
    /// |A x − b| beside |b|.
    pub residual: f64,
}

/// A way to solve, with its memory, used again from iteration to iteration.
#[derive(Debug)]
pub struct Solver {
    cycle: Cycle,
    bytes: usize,
    reason: String,
    band: Band,
}

impl Solver {
    /// The way that suits a cycle best in `memory_limit` bytes.
    ///
    /// # Errors
    /// The cycle is not sound, or no way fits.
    pub fn choose(cycle: &Cycle, memory_limit: usize) -> Result<Solver, Error> {
        Solver::with(cycle, Kind::Dense, memory_limit)
    }

    /// A way of the caller's choice.
    ///
    /// # Errors
    /// The cycle is not sound, or memory does not suffice.
    pub fn with(cycle: &Cycle, kind: Kind, memory_limit: usize) -> Result<Solver, Error> {
        cycle.check()?;
        let Kind::Dense = kind;
        let bytes = Band::bytes(cycle);
        if bytes > memory_limit {
            return Err(Error::Length { what: "bytes of memory for the linear systems of the loop", expected: bytes, found: memory_limit });
        }
        let reason = format!("{} vertices", cycle.masses.len());
        Ok(Solver { cycle: cycle.clone(), bytes, reason, band: Band::new(cycle) })
    }

    /// Which way was taken.
    pub fn kind(&self) -> Kind {
        Kind::Dense
    }

    /// Memory it takes, bytes, known beforehand.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Which way was taken, and why, in words.
    pub fn describe(&self) -> String {
        format!("dense blocks, {:.1} MB: {}", self.bytes as f64 / 1e6, self.reason)
    }

    /// The cycle that it was chosen for.
    pub fn cycle(&self) -> &Cycle {
        &self.cycle
    }

    /// Takes in the matrix of an iteration. False if it is not positive definite, to working precision: more damping is needed.
    ///
    /// # Errors
    /// The stage has the wrong size, or numbers that are not finite.
    pub fn factor(&mut self, stage: &Stage) -> Result<bool, Error> {
        self.cycle.check_stage(stage)?;
        Ok(self.band.factor(&self.cycle, stage))
    }

    /// Solves A x = `rhs` in place, for the `stage` that was factored last. Prescribed entries of the solution are zero.
    ///
    /// # Errors
    /// The right-hand side has the wrong length.
    pub fn solve(&mut self, stage: &Stage, rhs: &mut [Vector3<f64>]) -> Result<Report, Error> {
        if rhs.len() != self.cycle.len() {
            return Err(Error::Length { what: "right-hand side, frames × vertices", expected: self.cycle.len(), found: rhs.len() });
        }
        clear_fixed(&self.cycle, rhs);
        let mut x = rhs.to_vec();
        self.band.solve(&self.cycle, &mut x);
        let (mut between, mut out) = (rhs.to_vec(), rhs.to_vec());
        self.cycle.multiply(stage, &x, &mut between, &mut out);
        let norm = |x: &[Vector3<f64>]| x.iter().map(Vector3::norm_squared).sum::<f64>().sqrt();
        let size = norm(rhs);
        out.iter_mut().zip(rhs.iter()).for_each(|(a, b)| *a -= b);
        let residual = if size > 0.0 { norm(&out) / size } else { 0.0 };
        rhs.copy_from_slice(&x);
        Ok(Report { iterations: 0, residual })
    }
}
