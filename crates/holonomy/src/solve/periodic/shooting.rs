//! Conjugate gradients, preconditioned by simulation: for large meshes.
//!
//! Of J in which the loop is not closed, T, it is known how to be rid: each frame follows from the two before it by one step of the simulation, T⁻¹, and T⁻ᵀ is
//! the same back in time. Levenberg's damping λ goes in where it acts on slow motion. Along the circle of temporal frequencies, without forces,
//!
//! ```text
//! |1 − z|⁴ + λ = c² |1 − α z + β z²|²,   z₁ + 1/z₁ = 2 − i√λ,  |z₁| < 1,   c = 1/|z₁|,  cα = 2 Re z₁/|z₁|,  cβ = |z₁|
//! (T d)_k = ((c O + H_k) d_k − cα O Sᵀ d_{k−1} + cβ O Sᵀ² d_{k−2})
//! ```
//!
//! in the reference of frame k. Such a simulation is damped: it forgets where it began, so that it can begin a little ahead of each piece of the loop, and closes
//! by itself. So A ≈ h TᵀM⁻¹T in all of space and time, whatever the number of vertices, and the pieces are worked on side by side. Where λ is too little to
//! forget within half a loop, so much is taken; and for the symplectic rule, whose steps are explicit, those of the backward rule stand in.
//!
//! Steps are taken with stiffness that is made positive, as a simulation would explode where cloth is about to buckle; A itself knows no such thing.

use nalgebra::{Complex, Matrix3, Vector3};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::mesh_factor::{MeshColumns, MeshPattern, Packed, Quad};
use super::{Cycle, Report, Stage, clear_fixed, clear_fixed_of};

/// Pieces of the loop that are worked on side by side; a number of its own, so that results are the same on any machine.
const PIECES: usize = 2;
/// What is left of where a piece began.
const FORGOTTEN: f64 = 1e-3;

/// Preconditioned conjugate gradients.
#[derive(Debug)]
pub(super) struct Shooting {
    pattern: MeshPattern,
    /// Factors of c O + H, frame by frame.
    factors: Vec<Packed>,
    recursion: Recursion,
    /// Frames × vertices: c, or more where a weight holds a vertex. Empty if there are no weights.
    firm: Vec<f64>,
    /// M⁻¹ T⁻ᵀ x.
    between: Vec<Vector3<f64>>,
    pieces: Vec<Piece>,
    /// |A x − b| beside |b| that suffices.
    pub tolerance: f64,
    /// Iterations before it gives up.
    pub limit: usize,
}

/// A simulation's coefficients.
#[derive(Debug, Clone, Copy)]
struct Recursion {
    /// c, cα, cβ.
    own: f64,
    next: f64,
    after: f64,
    /// Frames ahead of a piece.
    ahead: usize,
}

impl Recursion {
    fn new(damping: f64, frames: usize) -> Self {
        let root = |damping: f64| {
            let half = Complex::new(1.0, -0.5 * damping.sqrt());
            let root = half - (half * half - 1.0).sqrt();
            if root.norm() < 1.0 { root } else { root.inv() }
        };
        // As much damping as is needed to forget within half a loop: the root's size falls with it.
        let slowest = FORGOTTEN.powf(2.0 / frames as f64);
        let mut damping = damping;
        while root(damping).norm() > slowest {
            damping = (1.2 * damping).max(1e-12);
        }
        let root = root(damping);
        let size = root.norm();
        let ahead = (FORGOTTEN.ln() / size.ln()).ceil() as usize;
        Recursion { own: 1.0 / size, next: 2.0 * root.re / size, after: size, ahead }
    }
}

/// Room for one piece.
#[derive(Debug, Clone)]
struct Piece {
    here: Vec<Vector3<f64>>,
    one: Vec<Vector3<f64>>,
    two: Vec<Vector3<f64>>,
    y: Vec<Quad>,
    /// T⁻ᵀ of what it was given, from the first frame ahead on.
    back: Vec<Vector3<f64>>,
}

impl Shooting {
    /// Bytes that a cycle needs.
    pub fn bytes(cycle: &Cycle, columns: &MeshColumns) -> usize {
        let factors = cycle.frames.saturating_mul(columns.blocks()).saturating_mul(size_of::<Packed>());
        factors.saturating_add(columns.pattern_bytes()).saturating_add(11 * 24 * cycle.len())
    }

    pub fn new(cycle: &Cycle, pattern: MeshPattern) -> Self {
        let zeros = vec![Vector3::zeros(); cycle.masses.len()];
        let y = vec![Quad::default(); cycle.masses.len()];
        let piece = Piece { here: zeros.clone(), one: zeros.clone(), two: zeros, y, back: Vec::new() };
        Shooting {
            factors: vec![Packed::default(); cycle.frames * pattern.blocks()],
            pattern,
            recursion: Recursion::new(0.0, cycle.frames),
            firm: Vec::new(),
            between: vec![Vector3::zeros(); cycle.len()],
            pieces: vec![piece; PIECES],
            tolerance: 1e-10,
            limit: 2000,
        }
    }

    /// Factors the steps of the simulation; false if one has no solution.
    pub fn factor(&mut self, cycle: &Cycle, stage: &Stage) -> bool {
        let (n, h) = (cycle.masses.len(), cycle.time_step);
        self.recursion = Recursion::new(stage.damping, cycle.frames);
        let own = self.recursion.own;
        self.firm.clear();
        if !stage.weights.is_empty() {
            let firm = stage.weights.iter().enumerate().map(|(k, weight)| (own * own + weight * h.powi(3) / cycle.masses[k % n]).sqrt());
            self.firm.extend(firm);
        }
        let (pattern, count, firm) = (&self.pattern, cycle.pattern.blocks(), &self.firm);
        let good: Vec<bool> = self
            .factors
            .par_chunks_exact_mut(pattern.blocks())
            .enumerate()
            .map(|(frame, out)| {
                let stiffness = &stage.positive[frame * count..][..count];
                let mut stiffer = 0.0;
                // Without pivots an indefinite matrix may have no factor: then the step is made stiffer.
                for _ in 0..6 {
                    let inertia = |v: usize| {
                        let own = if firm.is_empty() { own } else { firm[frame * n + v] };
                        (own + stiffer) * cycle.masses[v] / (h * h)
                    };
                    let value = |place: usize, v: usize, w: usize| entry(cycle, stiffness, frame, [place, v, w], inertia(v));
                    if pattern.factor(&cycle.pattern, value, out) {
                        return true;
                    }
                    stiffer = stiffer * 4.0 + 1.0;
                }
                false
            })
            .collect();
        good.into_iter().all(|good| good)
    }

    /// x ← (h TᵀM⁻¹T)⁻¹ x. Back in time is the exact transpose of forth: what a piece was given also reaches the frames ahead of it, where pieces add up.
    fn precondition(&mut self, cycle: &Cycle, x: &mut [Vector3<f64>]) {
        let (n, frames, ahead) = (cycle.masses.len(), cycle.frames, self.recursion.ahead);
        let (mut pieces, mut between) = (std::mem::take(&mut self.pieces), std::mem::take(&mut self.between));
        let length = frames.div_ceil(PIECES);
        // The same sums with the widest registers that the machine has.
        pieces.par_iter_mut().zip(x.par_chunks(length * n)).enumerate().for_each(|(piece, (room, x))| {
            Arch::new().dispatch(Sweep { shooting: self, cycle, room, first: piece * length, way: Way::Back(x) });
        });
        between.fill(Vector3::zeros());
        for (piece, room) in pieces.iter().enumerate() {
            for (k, v) in room.back.chunks_exact(n).enumerate() {
                let frame = (piece * length + frames * ahead.div_ceil(frames) + k - ahead) % frames;
                for (i, (to, v)) in between[frame * n..][..n].iter_mut().zip(v).enumerate() {
                    *to += v * (cycle.masses[i] / cycle.time_step);
                }
            }
        }
        pieces.par_iter_mut().zip(x.par_chunks_mut(length * n)).enumerate().for_each(|(piece, (room, x))| {
            Arch::new().dispatch(Sweep { shooting: self, cycle, room, first: piece * length, way: Way::Forth(&between, x) });
        });
        (self.pieces, self.between) = (pieces, between);
    }

    /// Solves in place; as far as it gets until it is stopped.
    pub fn solve(&mut self, cycle: &Cycle, stage: &Stage, rhs: &mut [Vector3<f64>], stop: &dyn Fn() -> bool) -> Report {
        let n = cycle.masses.len();
        let size = dot(rhs, rhs, n).sqrt();
        let mut x = vec![Vector3::zeros(); rhs.len()];
        let mut report = Report { iterations: 0, residual: if size > 0.0 { 1.0 } else { 0.0 } };
        let mut residual = rhs.to_vec();
        let mut direction = x.clone();
        let (mut between, mut image, mut z) = (x.clone(), x.clone(), x.clone());
        let mut before = 0.0;
        while report.residual > self.tolerance && report.iterations < self.limit && !stop() {
            z.copy_from_slice(&residual);
            self.precondition(cycle, &mut z);
            clear_fixed(cycle, &mut z);
            let now = dot(&residual, &z, n);
            let keep = if report.iterations > 0 { now / before } else { 0.0 };
            direction.par_iter_mut().zip(&z).for_each(|(p, z)| *p = z + *p * keep);
            cycle.multiply(stage, &direction, &mut between, &mut image);
            let curvature = dot(&direction, &image, n);
            let along = now / curvature;
            if !(now > 0.0 && curvature > 0.0 && along.is_finite()) {
                break;
            }
            x.par_iter_mut().zip(&direction).for_each(|(x, p)| *x += p * along);
            residual.par_iter_mut().zip(&image).for_each(|(r, q)| *r -= q * along);
            before = now;
            report.iterations += 1;
            report.residual = dot(&residual, &residual, n).sqrt() / size;
        }
        rhs.copy_from_slice(&x);
        clear_fixed(cycle, rhs);
        report
    }
}

/// One way along one piece and the frames ahead of it, compiled for each kind of registers.
struct Sweep<'a> {
    shooting: &'a Shooting,
    cycle: &'a Cycle,
    room: &'a mut Piece,
    /// Frame of the piece's beginning.
    first: usize,
    way: Way<'a>,
}

enum Way<'a> {
    /// T⁻ᵀ of this, which is of the piece, into [`Piece::back`].
    Back(&'a [Vector3<f64>]),
    /// T⁻¹ of the first, of all frames, into the second, of the piece.
    Forth(&'a [Vector3<f64>], &'a mut [Vector3<f64>]),
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Sweep { shooting, cycle, room, first, mut way } = self;
        let Recursion { own, next, after, ahead } = shooting.recursion;
        let (n, frames, h, count) = (cycle.masses.len(), cycle.frames, cycle.time_step, shooting.pattern.blocks());
        let Piece { here, one, two, y, back } = room;
        let (is_back, given) = match &way {
            Way::Back(x) => (true, x.len()),
            Way::Forth(_, out) => (false, out.len()),
        };
        let turn = if is_back { cycle.turn } else { cycle.turn.transpose() };
        let (turned, straight) = (turn * turn, cycle.turn == Matrix3::identity());
        // Rows that weights make firm count for less elsewhere.
        let share = |frame: usize, i: usize| if shooting.firm.is_empty() { 1.0 } else { own / shooting.firm[frame * n + i] };
        one.fill(Vector3::zeros());
        two.fill(Vector3::zeros());
        let length = ahead + given / n;
        back.resize(length * n, Vector3::zeros());
        for step in 0..length {
            // Frames from the first of those ahead of the piece.
            let k = if is_back { length - 1 - step } else { step };
            let at = |k: usize| (first + frames * ahead.div_ceil(frames) + k - ahead) % frames;
            let frame = at(k);
            match &way {
                Way::Back(x) if k >= ahead => here.copy_from_slice(&x[(k - ahead) * n..][..n]),
                Way::Back(_) => here.fill(Vector3::zeros()),
                Way::Forth(between, _) => here.copy_from_slice(&between[frame * n..][..n]),
            }
            let rows = if is_back { [at(k + 1), at(k + 2)] } else { [frame, frame] };
            for i in 0..n {
                let inertia = cycle.masses[i] / (h * h);
                let (a, b) = (one[i] * (next * inertia * share(rows[0], i)), two[i] * (after * inertia * share(rows[1], i)));
                here[i] += if straight { a - b } else { turn * a - turned * b };
            }
            clear_fixed_of(cycle, frame, here);
            shooting.pattern.solve(&shooting.factors[frame * count..][..count], here, y);
            std::mem::swap(one, two);
            one.copy_from_slice(here);
            match &mut way {
                Way::Back(_) => back[k * n..][..n].copy_from_slice(here),
                Way::Forth(_, out) if k >= ahead => out[(k - ahead) * n..][..n].copy_from_slice(here),
                Way::Forth(..) => {}
            }
        }
    }
}

/// A block of c O + H with what is prescribed cut out; only its symmetric part counts.
fn entry(cycle: &Cycle, stiffness: &[Matrix3<f64>], frame: usize, [place, v, w]: [usize; 3], inertia: f64) -> Matrix3<f64> {
    let inertia = Matrix3::from_diagonal_element(inertia);
    if cycle.is_fixed(frame, v) || cycle.is_fixed(frame, w) {
        return if v == w { inertia } else { Matrix3::zeros() };
    }
    let other = cycle.pattern.find(w, v).map_or(stiffness[place], |other| stiffness[other]);
    let block = (stiffness[place] + other.transpose()) * 0.5;
    if v == w { block + inertia } else { block }
}

/// Frame by frame, so that the sum does not depend on the number of threads.
fn dot(a: &[Vector3<f64>], b: &[Vector3<f64>], n: usize) -> f64 {
    let sums: Vec<f64> = a.par_chunks(n).zip(b.par_chunks(n)).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()).collect();
    sums.iter().sum()
}
