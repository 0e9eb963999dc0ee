//! Conjugate gradients, preconditioned by simulation: for large meshes.
//!
//! Without the two residuals that close the loop J is triangular, T: given the first two frames, each further one follows from a step of the simulation, and
//! T⁻ᵀ is the same backwards in time. So TᵀT can be solved with, at the cost of two sweeps, and differs from A by the closing residuals alone, which a
//! motion that the rule damps within the loop's time hardly feels: conjugate gradients need about as many iterations as there are slow modes of vibration,
//! however many vertices there are.
//!
//! For the backward rule a step is a solve with E = M/h² + H, with the mesh's pattern. For the symplectic rule it is explicit, unless the time step is too
//! long for the stiffness: then the steps of the backward rule stand in.
//!
//! Where it is slow, a thousand iterations and more: if nothing holds two adjacent frames (neither weights nor marks), since then nothing fixes the start; and
//! for the symplectic rule where explicit steps would explode. The report of a solve says whether it got there.

use nalgebra::{Matrix3, Vector3};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::mesh_factor::{MeshPattern, Packed, Quad};
use super::{Cycle, Report, Rule, Stage, clear_fixed, clear_fixed_of};

/// A start without weights is held by this much, in M/h³.
const HOLD: f64 = 0.01;
/// Explicit steps grow beyond (ω h)² = 4.
const STABLE: f64 = 3.9;

/// Preconditioned conjugate gradients.
#[derive(Debug)]
pub(super) struct Shooting {
    pattern: MeshPattern,
    /// Factors of E, frame by frame.
    factors: Vec<Packed>,
    /// Whether steps are implicit.
    implicit: bool,
    /// The first of the two frames from which the simulation starts.
    start: usize,
    /// What holds them, per vertex.
    hold: [Vec<f64>; 2],
    y: Vec<Quad>,
    /// |A x − b| beside |b| that suffices.
    pub tolerance: f64,
    /// Iterations before it gives up.
    pub limit: usize,
}

impl Shooting {
    /// Bytes that a cycle needs.
    pub fn bytes(cycle: &Cycle, pattern: &MeshPattern) -> usize {
        cycle.frames.saturating_mul(pattern.blocks()).saturating_mul(size_of::<Packed>()) + 9 * 24 * cycle.len()
    }

    pub fn new(cycle: &Cycle, pattern: MeshPattern) -> Self {
        let n = cycle.masses.len();
        let factors = vec![Packed::default(); cycle.frames * pattern.blocks()];
        let hold = [vec![0.0; n], vec![0.0; n]];
        Shooting { pattern, factors, implicit: true, start: 0, hold, y: vec![Quad::default(); n], tolerance: 1e-10, limit: 2000 }
    }

    /// Factors the steps of the simulation; false if one has no solution.
    pub fn factor(&mut self, cycle: &Cycle, stage: &Stage) -> bool {
        let (n, frames, h) = (cycle.masses.len(), cycle.frames, cycle.time_step);
        let weight = |frame: usize| {
            (0..n)
                .map(|v| {
                    if cycle.is_fixed(frame % frames, v) {
                        1e3
                    } else {
                        cycle.extra(stage, frame % frames, v) * h.powi(3) / cycle.masses[v]
                    }
                    .min(1e3)
                })
                .sum::<f64>()
        };
        self.start =
            (0..frames).map(|k| (k, weight(k) + weight(k + 1))).fold((0, -1.0), |best, next| if next.1 > best.1 { next } else { best }).0;
        for (d, hold) in self.hold.iter_mut().enumerate() {
            for (v, hold) in hold.iter_mut().enumerate() {
                *hold = cycle.extra(stage, (self.start + d) % frames, v).max(HOLD * cycle.masses[v] / h.powi(3));
            }
        }
        self.implicit = cycle.rule == Rule::Backward || self.stiffest(cycle, stage) > STABLE;
        if !self.implicit {
            return true;
        }
        let (pattern, count) = (&self.pattern, cycle.pattern.blocks());
        let good: Vec<bool> = self
            .factors
            .par_chunks_exact_mut(pattern.blocks())
            .enumerate()
            .map(|(frame, out)| {
                let stiffness = &stage.stiffness[frame * count..][..count];
                let mut damped = 0.0;
                // Without pivots an indefinite matrix may have no factor: then the step is made stiffer.
                for _ in 0..6 {
                    let value = |place: usize, v: usize, w: usize| entry(cycle, stiffness, frame, [place, v, w], damped);
                    if pattern.factor(&cycle.pattern, value, out) {
                        return true;
                    }
                    damped = damped * 4.0 + 1.0;
                }
                false
            })
            .collect();
        good.into_iter().all(|good| good)
    }

    /// A bound on (ω h)².
    fn stiffest(&self, cycle: &Cycle, stage: &Stage) -> f64 {
        let mut most = 0.0f64;
        for values in stage.stiffness.chunks_exact(cycle.pattern.blocks()) {
            for v in 0..cycle.masses.len() {
                let sum: f64 = values[cycle.pattern.row(v)].iter().map(Matrix3::norm).sum();
                most = most.max(sum * cycle.time_step.powi(2) / cycle.masses[v]);
            }
        }
        most
    }

    /// x ← (TᵀT)⁻¹ x.
    fn precondition(&mut self, cycle: &Cycle, stage: &Stage, x: &mut [Vector3<f64>]) {
        // The same sums with the widest registers that the machine has.
        Arch::new().dispatch(Sweeps { shooting: self, cycle, stage, x });
    }

    #[inline(always)]
    fn sweeps(&mut self, cycle: &Cycle, stage: &Stage, x: &mut [Vector3<f64>]) {
        let (n, frames, h) = (cycle.masses.len(), cycle.frames, cycle.time_step);
        let (turn, back) = (cycle.turn, cycle.turn.transpose());
        let frame = |k: usize| (self.start + k) % frames * n;
        let mut y = std::mem::take(&mut self.y);
        let mut here = vec![Vector3::zeros(); n];
        // Backwards: Tᵀ v = x. Where x_k stood, v stays.
        for k in (2..frames).rev() {
            here.copy_from_slice(&x[frame(k)..][..n]);
            if self.implicit {
                self.step(cycle, frame(k) / n, &mut here, &mut y);
            }
            for v in 0..n {
                let inertia = cycle.masses[v] / (h * h);
                let pull = turn * here[v] / if self.implicit { 1.0 } else { inertia };
                here[v] = pull;
                x[frame(k - 1) + v] += pull * (2.0 * inertia);
                x[frame(k - 2) + v] -= turn * pull * inertia;
            }
            if !self.implicit {
                let values = &stage.stiffness[frame(k - 1) / n * cycle.pattern.blocks()..];
                let to = &mut x[frame(k - 1)..][..n];
                for v in 0..n {
                    for place in cycle.pattern.row(v) {
                        to[cycle.pattern.columns()[place] as usize] -= values[place].tr_mul(&here[v]);
                    }
                }
            }
            for d in [k - 1, k - 2] {
                clear_fixed_of(cycle, frame(d) / n, &mut x[frame(d)..][..n]);
            }
            x[frame(k)..][..n].copy_from_slice(&here);
        }
        for (d, hold) in self.hold.iter().enumerate() {
            for v in 0..n {
                x[frame(d) + v] /= hold[v];
            }
        }
        // Forwards: T x = M v/h.
        for k in 2..frames {
            for v in 0..n {
                let inertia = cycle.masses[v] / (h * h);
                let mut sum =
                    x[frame(k) + v] * (cycle.masses[v] / h) - back * x[frame(k - 2) + v] * inertia + x[frame(k - 1) + v] * (2.0 * inertia);
                if !self.implicit {
                    let values = &stage.stiffness[frame(k - 1) / n * cycle.pattern.blocks()..];
                    for place in cycle.pattern.row(v) {
                        sum -= values[place] * x[frame(k - 1) + cycle.pattern.columns()[place] as usize];
                    }
                    sum /= inertia;
                }
                here[v] = back * sum;
            }
            clear_fixed_of(cycle, frame(k) / n, &mut here);
            if self.implicit {
                self.step(cycle, frame(k) / n, &mut here, &mut y);
            }
            x[frame(k)..][..n].copy_from_slice(&here);
        }
        self.y = y;
    }

    /// x ← E⁻¹ x in a frame.
    #[inline(always)]
    fn step(&self, cycle: &Cycle, frame: usize, x: &mut [Vector3<f64>], y: &mut [Quad]) {
        let count = self.pattern.blocks();
        clear_fixed_of(cycle, frame, x);
        self.pattern.solve(&self.factors[frame * count..][..count], x, y);
    }

    /// Solves in place.
    pub fn solve(&mut self, cycle: &Cycle, stage: &Stage, rhs: &mut [Vector3<f64>]) -> Report {
        let n = cycle.masses.len();
        let size = dot(rhs, rhs, n).sqrt();
        let mut x = vec![Vector3::zeros(); rhs.len()];
        let mut report = Report { iterations: 0, residual: if size > 0.0 { 1.0 } else { 0.0 } };
        let mut residual = rhs.to_vec();
        let mut direction = x.clone();
        let (mut between, mut image, mut z) = (x.clone(), x.clone(), x.clone());
        let mut before = 0.0;
        let mut best = f64::INFINITY;
        while report.residual > self.tolerance && report.iterations < self.limit {
            z.copy_from_slice(&residual);
            self.precondition(cycle, stage, &mut z);
            let now = dot(&residual, &z, n);
            let keep = if report.iterations > 0 { now / before } else { 0.0 };
            direction.par_iter_mut().zip(&z).for_each(|(p, z)| *p = z + *p * keep);
            cycle.multiply(stage, &direction, &mut between, &mut image);
            let curvature = dot(&direction, &image, n);
            if !(now > 0.0 && curvature > 0.0 && now.is_finite() && curvature.is_finite()) {
                break;
            }
            let along = now / curvature;
            x.par_iter_mut().zip(&direction).for_each(|(x, p)| *x += p * along);
            residual.par_iter_mut().zip(&image).for_each(|(r, q)| *r -= q * along);
            before = now;
            report.iterations += 1;
            report.residual = dot(&residual, &residual, n).sqrt() / size;
            if report.residual < best {
                best = report.residual;
                rhs.copy_from_slice(&x);
            }
        }
        if best.is_infinite() {
            rhs.fill(Vector3::zeros());
        }
        clear_fixed(cycle, rhs);
        report.residual = report.residual.min(best);
        report
    }
}

/// What is compiled for each kind of registers.
struct Sweeps<'a, 'b> {
    shooting: &'a mut Shooting,
    cycle: &'a Cycle,
    stage: &'a Stage<'b>,
    x: &'a mut [Vector3<f64>],
}

impl WithSimd for Sweeps<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.shooting.sweeps(self.cycle, self.stage, self.x);
    }
}

/// A block of E with what is prescribed cut out; only its symmetric part counts.
fn entry(cycle: &Cycle, stiffness: &[Matrix3<f64>], frame: usize, [place, v, w]: [usize; 3], damped: f64) -> Matrix3<f64> {
    let inertia = Matrix3::from_diagonal_element((1.0 + damped) * cycle.masses[v] / cycle.time_step.powi(2));
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
