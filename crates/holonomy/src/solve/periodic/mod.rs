//! The linear systems of physical loops (Jia et al. 2023, "Physical Cyclic Animations").
//!
//! A loop of N frames q₀ … q_{N−1}, h apart, is physical where the residuals u_j = M (q_{j+1} − 2q_j + q_{j−1})/h² − F vanish, j taken modulo N. Gauss and
//! Newton's step d towards the least (h/2) Σ u_jᵀM⁻¹u_j solves A d = −g with
//!
//! ```text
//! (J d)_j = O (Sᵀ d_{j−1} − 2 d_j + S d_{j+1}) + H_j d_j          Rule::Symplectic: the force at q_j          (Jia 2023, Eq. 13–14, with the sign of
//! (J d)_j = O (Sᵀ d_{j−1} − 2 d_j + S d_{j+1}) + S H_{j+1} d_{j+1}  Rule::Backward:   the force at q_{j+1}      docs/ERRATA.md, J1)
//! A = h JᵀM⁻¹J + weights + λ M/h³
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | M, O | masses; M/h² |
//! | H_j | stiffness −∂F/∂q at q_j, in 3 × 3 blocks of the mesh's pattern; need not be symmetric |
//! | S | how the frame of reference turns from one frame to the next: 1 for an ordinary loop, else the loop closes up to a rigid motion |
//! | λ | Levenberg's damping, without unit |
//!
//! A is cyclic block-pentadiagonal in time. Three ways to solve with it are here; [`Solver::choose`] takes the one that suits.

mod band;
mod direct;
mod dissection;
mod mesh_factor;
mod normal;
mod operator;
mod shooting;
mod solver;

use nalgebra::{Matrix3, Vector3};

use super::blocks::BlockPattern;
use crate::Error;

pub use solver::{Kind, Report, Solver};

/// At which end of its interval a residual takes the force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// F(q_j): explicit, keeps energy over long times (Jia 2023, Eq. 14).
    Symplectic,
    /// F(q_{j+1}): implicit, damps what is too fast for the time step (Jia 2023, Eq. 13).
    Backward,
}

/// What is the same in all iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Which vertices act on which.
    pub pattern: BlockPattern,
    /// Per vertex, kilograms.
    pub masses: Vec<f64>,
    /// N, three or more.
    pub frames: usize,
    /// h, seconds.
    pub time_step: f64,
    /// Where the force is taken.
    pub rule: Rule,
    /// S, a rotation: a vector in the next frame's reference, seen in this frame's.
    pub turn: Matrix3<f64>,
    /// Frames × vertices, frame by frame: prescribed, so that the step is zero there (hard initial conditions, keyframes). Empty if there are none.
    pub fixed: Vec<bool>,
    /// Vertices that something else moves in all frames, such as the pole of a flag: their step is zero and their residuals do not count, since whatever
    /// holds them takes up any force. Empty if there are none.
    pub held: Vec<bool>,
}

/// What changes from one iteration to the next. All lists go frame by frame.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a> {
    /// Frames × blocks of the pattern: H_j = −∂F/∂q(q_j), newtons per metre.
    pub stiffness: &'a [Matrix3<f64>],
    /// The same, with what is not positive taken out, for the steps of [`Kind::Iterative`]; or the same list.
    pub positive: &'a [Matrix3<f64>],
    /// Frames × vertices: added to the diagonal (soft initial conditions M/(ε h³), keyframes). Empty if there are none.
    pub weights: &'a [f64],
    /// λ: λ M/h³ is added to the diagonal.
    pub damping: f64,
}

impl Cycle {
    /// Number of unknown vectors: frames times vertices.
    pub fn len(&self) -> usize {
        self.frames * self.masses.len()
    }

    /// Whether there is nothing to solve for.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether that vertex is prescribed in that frame.
    pub fn is_fixed(&self, frame: usize, vertex: usize) -> bool {
        self.is_held(vertex) || (!self.fixed.is_empty() && self.fixed[frame * self.masses.len() + vertex])
    }

    /// Whether that vertex is moved by something else.
    pub fn is_held(&self, vertex: usize) -> bool {
        !self.held.is_empty() && self.held[vertex]
    }

    /// Refuses what no solver can work with.
    ///
    /// # Errors
    /// Fewer than three frames; no vertices; lists of the wrong length; a mass or time step that is not positive; a turn that is not a rotation.
    pub fn check(&self) -> Result<(), Error> {
        let same = |what, expected, found| if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) };
        Error::unless(self.frames >= 3, "frames of the loop", self.frames as f64, "three or more: a residual joins three frames")?;
        if self.masses.is_empty() {
            return Err(Error::Empty { what: "the list of masses", fix: "give the loop at least one vertex" });
        }
        same("masses, one per vertex", self.pattern.vertices(), self.masses.len())?;
        if !self.fixed.is_empty() {
            same("marks of prescribed vertices, frames × vertices", self.len(), self.fixed.len())?;
        }
        if !self.held.is_empty() {
            same("marks of held vertices", self.masses.len(), self.held.len())?;
        }
        for &mass in &self.masses {
            Error::unless(
                mass.is_finite() && mass > 0.0,
                "mass",
                mass,
                "finite and more than zero; vertices without mass cannot be in a loop",
            )?;
        }
        Error::unless(self.time_step.is_finite() && self.time_step > 0.0, "time step", self.time_step, "finite and more than zero")?;
        let skew = (self.turn.transpose() * self.turn - Matrix3::identity()).amax();
        Error::unless(skew < 1e-9, "turn of the frame of reference", skew, "a rotation: its transpose times itself must be the identity")
    }

    /// Refuses a stage of the wrong size or with numbers that are not finite.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_stage(&self, stage: &Stage) -> Result<(), Error> {
        let same = |what, expected, found| if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) };
        for stiffness in [stage.stiffness, stage.positive] {
            same("blocks of stiffness, frames × blocks of the pattern", self.frames * self.pattern.blocks(), stiffness.len())?;
        }
        if !stage.weights.is_empty() {
            same("weights, frames × vertices", self.len(), stage.weights.len())?;
        }
        Error::unless_zero_or_more("damping", stage.damping)?;
        for &weight in stage.weights {
            Error::unless_zero_or_more("weight", weight)?;
        }
        let bad = stage.stiffness.iter().chain(stage.positive).flat_map(|block| block.iter()).find(|x| !x.is_finite());
        Error::unless(bad.is_none(), "stiffness", bad.copied().unwrap_or_default(), "finite")
    }

    /// What is added to the diagonal at a vertex of a frame.
    fn extra(&self, stage: &Stage, frame: usize, vertex: usize) -> f64 {
        let weight = if stage.weights.is_empty() { 0.0 } else { stage.weights[frame * self.masses.len() + vertex] };
        weight + stage.damping * self.masses[vertex] / self.time_step.powi(3)
    }
}

/// Sets to zero what is prescribed.
fn clear_fixed(cycle: &Cycle, x: &mut [Vector3<f64>]) {
    for (frame, x) in x.chunks_exact_mut(cycle.masses.len()).enumerate() {
        clear_fixed_of(cycle, frame, x);
    }
}

/// The same in one frame.
fn clear_fixed_of(cycle: &Cycle, frame: usize, x: &mut [Vector3<f64>]) {
    if !(cycle.fixed.is_empty() && cycle.held.is_empty()) {
        x.iter_mut().enumerate().filter(|(v, _)| cycle.is_fixed(frame, *v)).for_each(|(_, x)| *x = Vector3::zeros());
    }
}
