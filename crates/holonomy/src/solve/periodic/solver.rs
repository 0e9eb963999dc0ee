//! Which way to solve, chosen by size and memory.

use nalgebra::Vector3;

use super::band::Band;
use super::direct::{BlockColumns, Direct};
use super::mesh_factor::{MeshColumns, MeshPattern};
use super::normal::Places;
use super::shooting::Shooting;
use super::{Cycle, Rule, Stage, clear_fixed};
use crate::Error;

/// A way to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Cholesky's factorisation in dense blocks, frame by frame.
    Dense,
    /// Cholesky's factorisation of the sparse matrix, by nested dissection of space and time.
    Sparse,
    /// Conjugate gradients, preconditioned by simulating the loop forth and back.
    Iterative,
}

/// How a solve went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Of the iterative way; refinements of a direct one.
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
    way: Way,
    /// Three vectors to check a solution with.
    work: [Vec<Vector3<f64>>; 3],
}

#[derive(Debug)]
enum Way {
    Dense(Box<Band>),
    Sparse(Box<Direct>),
    Iterative(Box<Shooting>),
}

/// Dense blocks are fastest up to this many vertices, even of a sparse mesh.
const DENSE: usize = 12;
/// A sparse factorisation of more operations than this takes longer than conjugate gradients.
const HEAVY: f64 = 4e9;
/// Larger ones are not even analysed: their factor would have tens of gigabytes.
const HUGE: usize = 400_000;

impl Solver {
    /// The way that suits a cycle best in `memory_limit` bytes: dense blocks for few vertices, else a sparse factorisation while it is light, else conjugate
    /// gradients; of those two the one that fits.
    ///
    /// # Errors
    /// The cycle is not sound, or no way fits.
    pub fn choose(cycle: &Cycle, memory_limit: usize) -> Result<Solver, Error> {
        cycle.check()?;
        let n = cycle.masses.len();
        if n <= DENSE || (cycle.pattern.blocks() == n * n && Band::bytes(cycle) <= memory_limit) {
            return Solver::with(cycle, Kind::Dense, memory_limit);
        }
        if cycle.len() > HUGE {
            return Solver::with(cycle, Kind::Iterative, memory_limit);
        }
        let places = Places::new(&cycle.pattern);
        let columns = BlockColumns::new(cycle, &places);
        let (entries, operations) = columns.cost();
        let fits = Direct::bytes(&columns, entries) <= memory_limit;
        // Motion that the rule does not damp makes many slow modes, and conjugate gradients slow.
        if fits && (operations <= HEAVY || cycle.rule == Rule::Symplectic) {
            Solver::sparse(cycle, memory_limit, places, columns)
        } else {
            Solver::with(cycle, Kind::Iterative, memory_limit)
        }
    }

    /// A way of the caller's choice.
    ///
    /// # Errors
    /// The cycle is not sound, or memory does not suffice.
    pub fn with(cycle: &Cycle, kind: Kind, memory_limit: usize) -> Result<Solver, Error> {
        cycle.check()?;
        let n = cycle.masses.len();
        match kind {
            Kind::Dense => {
                let bytes = Band::bytes(cycle);
                refuse(bytes, memory_limit)?;
                let reason = if n <= DENSE { format!("{n} vertices are few") } else { format!("of {n} vertices, all act on all") };
                Ok(Solver::new(cycle, bytes, reason, Way::Dense(Box::new(Band::new(cycle)))))
            }
            Kind::Sparse => {
                let places = Places::new(&cycle.pattern);
                let columns = BlockColumns::new(cycle, &places);
                Solver::sparse(cycle, memory_limit, places, columns)
            }
            Kind::Iterative => {
                let columns = MeshColumns::new(&cycle.pattern);
                let bytes = Shooting::bytes(cycle, &columns);
                refuse(bytes, memory_limit)?;
                let pattern = MeshPattern::new(&cycle.pattern, columns);
                let reason = format!("a factor of {n} vertices × {} frames would cost more", cycle.frames);
                Ok(Solver::new(cycle, bytes, reason, Way::Iterative(Box::new(Shooting::new(cycle, pattern)))))
            }
        }
    }

    fn sparse(cycle: &Cycle, memory_limit: usize, places: Places, columns: BlockColumns) -> Result<Solver, Error> {
        let (entries, operations) = columns.cost();
        let bytes = Direct::bytes(&columns, entries);
        refuse(bytes, memory_limit)?;
        let reason = format!("{:.1} million entries, {:.2} thousand million operations", entries / 1e6, operations / 1e9);
        let direct = Direct::new(cycle, places, columns);
        let fix = "the system has no more to give; take fewer frames or vertices";
        let direct = direct.ok_or(Error::Memory { what: "a factor of the loop's equations", needed: bytes, allowed: 0, fix })?;
        Ok(Solver::new(cycle, bytes, reason, Way::Sparse(Box::new(direct))))
    }

    fn new(cycle: &Cycle, bytes: usize, reason: String, way: Way) -> Solver {
        let zero = vec![Vector3::zeros(); cycle.len()];
        Solver { cycle: cycle.clone(), bytes, reason, way, work: [zero.clone(), zero.clone(), zero] }
    }

    /// Which way was taken.
    pub fn kind(&self) -> Kind {
        match self.way {
            Way::Dense(_) => Kind::Dense,
            Way::Sparse(_) => Kind::Sparse,
            Way::Iterative(_) => Kind::Iterative,
        }
    }

    /// Memory it takes, bytes, known before it is taken.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Which way was taken, and why, in words.
    pub fn describe(&self) -> String {
        let name = match self.way {
            Way::Dense(_) => "dense blocks",
            Way::Sparse(_) => "sparse factorisation",
            Way::Iterative(_) => "conjugate gradients",
        };
        format!("{name}, {:.1} MB: {}", self.bytes as f64 / 1e6, self.reason)
    }

    /// The cycle that it was chosen for.
    pub fn cycle(&self) -> &Cycle {
        &self.cycle
    }

    /// Sets the residual |A x − b| beside |b| at which conjugate gradients stop, or the iteration; 1e-10 and 2000 if nothing is said. Direct ways do not heed it.
    pub fn set_tolerance(&mut self, tolerance: f64, limit: usize) {
        if let Way::Iterative(shooting) = &mut self.way {
            (shooting.tolerance, shooting.limit) = (tolerance.max(1e-14), limit);
        }
    }

    /// Takes in the matrix of an iteration. False if it is not positive definite, to working precision: more damping is needed.
    ///
    /// # Errors
    /// The stage has the wrong size, or numbers that are not finite.
    pub fn factor(&mut self, stage: &Stage) -> Result<bool, Error> {
        self.cycle.check_stage(stage)?;
        Ok(match &mut self.way {
            Way::Dense(band) => band.factor(&self.cycle, stage),
            Way::Sparse(direct) => direct.factor(&self.cycle, stage),
            Way::Iterative(shooting) => shooting.factor(&self.cycle, stage),
        })
    }

    /// Solves A x = `rhs` in place, for the `stage` that was factored last. Prescribed entries of the solution are zero.
    ///
    /// # Errors
    /// The right-hand side has the wrong length.
    pub fn solve(&mut self, stage: &Stage, rhs: &mut [Vector3<f64>]) -> Result<Report, Error> {
        self.solve_until(stage, rhs, &|| false)
    }

    /// The same, which conjugate gradients leave as it is once `stop` says so; asked before each of their iterations.
    ///
    /// # Errors
    /// The right-hand side has the wrong length.
    pub fn solve_until(&mut self, stage: &Stage, rhs: &mut [Vector3<f64>], stop: &dyn Fn() -> bool) -> Result<Report, Error> {
        if rhs.len() != self.cycle.len() {
            return Err(Error::Length { what: "right-hand side, frames × vertices", expected: self.cycle.len(), found: rhs.len() });
        }
        clear_fixed(&self.cycle, rhs);
        if let Way::Iterative(shooting) = &mut self.way {
            return Ok(shooting.solve(&self.cycle, stage, rhs, stop));
        }
        let [right, between, out] = &mut self.work;
        right.copy_from_slice(rhs);
        match &mut self.way {
            Way::Dense(band) => band.solve(&self.cycle, rhs),
            Way::Sparse(direct) => direct.solve(&self.cycle, rhs),
            Way::Iterative(_) => {}
        }
        self.cycle.multiply(stage, rhs, between, out);
        let (mut miss, mut size) = (0.0, 0.0);
        for (out, right) in out.iter().zip(right.iter()) {
            miss += (out - right).norm_squared();
            size += right.norm_squared();
        }
        Ok(Report { iterations: 0, residual: if size > 0.0 { (miss / size).sqrt() } else { 0.0 } })
    }
}

fn refuse(need: usize, limit: usize) -> Result<(), Error> {
    if need <= limit {
        return Ok(());
    }
    let fix = "allow more, or take fewer frames or vertices";
    Err(Error::Memory { what: "solving for the loop", needed: need, allowed: limit, fix })
}
