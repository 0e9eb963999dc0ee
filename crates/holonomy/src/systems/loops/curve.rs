//! Closed curves in the space of configurations, and how far one is from being a motion (Jia et al. 2023, Sec. 4.1).
//!
//! A loop closes up to a rigid motion g = exp ξ: the places in the world are x_j = exp(jξ/N) p_j with p periodic, and all is told of p, in the frame that
//! moves along. With (R, b) = exp(ξ/N), h = T/N, indices modulo N:
//!
//! ```text
//! a_j = (R p_{j+1} + b − 2 p_j + Rᵀ(p_{j−1} − b)) / h²
//! symplectic: u_j = M a_j − F(p_j)        backward: u_j = M a_j − R F(p_{j+1})
//! L = (h/2) Σ u_jᵀ M⁻¹ u_j  +  Σ m |p − r|² / (2 ε h³)  +  (√K − √K*)² / (2 ε h)
//! ```
//!
//! the residual forces (Eqs. 13, 14), what is tied softly (Eq. 15), and the mean kinetic energy K, if it is asked for. Unknown are p where it is not tied hard,
//! and, if they are free, z = (T, ξ): few numbers that every frame depends on. g = identity is the paper's own case.

use nalgebra::{DVector, Matrix3, Vector3, Vector6};
use rayon::prelude::*;

use super::Rule;
use crate::integrate::force_law::ForceLaw;
use crate::lie::{Pose, Twist};
use crate::solve::periodic::Cycle;

/// Below so many vertices in all frames, one thread is fastest.
pub(super) const WORTH_SHARING: usize = 4096;

/// A curve that closes up to a rigid motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// p, frames × vertices, metres: in the frame that moves along, which is the world's at frame 0.
    pub positions: Vec<Vector3<f64>>,
    /// T, seconds.
    pub period: f64,
    /// ξ: the rigid motion of one period is its exponential, in the world frame; rad, metres.
    pub twist: Twist,
}

impl Curve {
    /// From the frame that moves along to the world, at a frame.
    pub fn frame(&self, frame: usize, frames: usize) -> Pose {
        Pose::exp(&(self.twist * (frame as f64 / frames as f64)))
    }

    /// The same curve in another number of frames, by cubics through four of them: to go on from coarse to fine.
    pub fn resampled(&self, frames: usize, wanted: usize) -> Curve {
        if frames == 0 {
            return self.clone();
        }
        let n = self.positions.len() / frames;
        let mut positions = Vec::with_capacity(wanted * n);
        for k in 0..wanted {
            let (at, s) = (k * frames / wanted, (k * frames % wanted) as f64 / wanted as f64);
            // Lagrange's polynomials of the frames −1, 0, 1, 2.
            let weights = [
                -s * (s - 1.0) * (s - 2.0) / 6.0,
                (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0,
                -(s + 1.0) * s * (s - 2.0) / 2.0,
                (s + 1.0) * s * (s - 1.0) / 6.0,
            ];
            let point = |(frame, i): (usize, usize)| self.positions[(at + frames + frame - 1) % frames * n + i];
            positions.extend((0..n).map(|i| (0..4).map(|frame| point((frame, i)) * weights[frame]).sum::<Vector3<f64>>()));
        }
        Curve { positions, ..*self }
    }
}

/// Something that is said of one vertex at one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tie {
    /// Frame.
    pub frame: usize,
    /// Vertex.
    pub vertex: usize,
    /// Where it shall be, in the world, is `base + h slope`.
    pub base: Vector3<f64>,
    /// m/s; zero, but where a velocity is meant.
    pub slope: Vector3<f64>,
    /// ε of Eq. 15; none if it must be there.
    pub softness: Option<f64>,
}

/// How lively the loop shall be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Liveliness {
    /// K*: mean kinetic energy over the loop, J.
    pub kinetic_energy: f64,
    /// ε: the smaller, the more it counts.
    pub softness: f64,
}

/// What is to be least.
pub struct Objective<'a> {
    /// The mechanical system.
    pub law: &'a dyn ForceLaw,
    /// N.
    pub frames: usize,
    /// Which force belongs to which acceleration.
    pub rule: Rule,
    /// What is tied, one per vertex and frame at most.
    pub ties: Vec<Tie>,
    /// If the kinetic energy is asked for.
    pub liveliness: Option<Liveliness>,
    /// Whether T is unknown.
    pub free_period: bool,
    /// Which components of ξ are unknown.
    pub free_twist: [bool; 6],
}

/// What all frames share.
pub(super) struct Shared {
    pub h: f64,
    /// (R, b).
    pub step: Pose,
    pub rotation: Matrix3<f64>,
    inverse: Pose,
}

impl<'a> Objective<'a> {
    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.law.masses().len()
    }

    /// How many components of z are unknown.
    pub fn globals(&self) -> usize {
        usize::from(self.free_period) + self.free_twist.iter().filter(|&&free| free).count()
    }

    /// Which places are tied hard, frames × vertices.
    pub fn fixed(&self) -> Vec<bool> {
        let mut fixed = vec![false; self.frames * self.vertices()];
        for tie in self.ties.iter().filter(|tie| tie.softness.is_none()) {
            fixed[tie.frame * self.vertices() + tie.vertex] = true;
        }
        fixed
    }

    /// Puts what is tied hard where it must be.
    pub fn settle(&self, curve: &mut Curve) {
        for tie in self.ties.iter().filter(|tie| tie.softness.is_none()) {
            curve.positions[tie.frame * self.vertices() + tie.vertex] = self.target(curve, tie);
        }
    }

    /// The curve after a step: of p by `factor · step`, of z by `factor · globals`.
    pub fn moved(&self, curve: &Curve, factor: f64, step: &[Vector3<f64>], globals: &DVector<f64>, out: &mut Curve) {
        for ((out, p), d) in out.positions.iter_mut().zip(&curve.positions).zip(step) {
            *out = p + d * factor;
        }
        let (time, turn) = self.spread(globals);
        out.period = curve.period + factor * time;
        out.twist = curve.twist + turn * factor;
        if !globals.is_empty() {
            self.settle(out);
        }
    }

    /// L, and the residual forces u.
    pub fn loss(&self, curve: &Curve, residuals: &mut [Vector3<f64>]) -> f64 {
        self.residuals(curve, residuals);
        let h = curve.period / self.frames as f64;
        let mut loss = 0.5 * h * self.over_masses(residuals, residuals);
        for tie in &self.ties {
            if let Some(weight) = self.weight(tie, h) {
                let p = curve.positions[tie.frame * self.vertices() + tie.vertex];
                loss += 0.5 * weight * (p - self.target(curve, tie)).norm_squared();
            }
        }
        if let Some(lively) = &self.liveliness {
            loss += 0.5 * (self.kinetic_energy(curve).sqrt() - lively.kinetic_energy.sqrt()).powi(2) / (lively.softness * h);
        }
        loss
    }

    /// u: the force that is missing at each frame and vertex, newtons, in the frame that moves along (frames × vertices).
    pub fn residuals(&self, curve: &Curve, residuals: &mut [Vector3<f64>]) {
        let shared = self.shared(curve);
        let (vertices, masses) = (self.vertices(), self.law.masses());
        self.each_frame(residuals, |j, u| {
            let at = if self.rule == Rule::Symplectic { j } else { (j + 1) % self.frames };
            self.law.force(at as f64 * shared.h, &curve.positions[at * vertices..(at + 1) * vertices], u);
            for (i, u) in u.iter_mut().enumerate() {
                let force = if self.rule == Rule::Symplectic { *u } else { shared.rotation * *u };
                *u = self.acceleration(curve, &shared, j, i) * masses[i] - force;
            }
        });
    }

    /// K: the mean over the loop of the kinetic energy, J, with velocities between neighbouring frames.
    pub fn kinetic_energy(&self, curve: &Curve) -> f64 {
        let shared = self.shared(curve);
        let mut sum = 0.0;
        for j in 0..self.frames {
            for (i, mass) in self.law.masses().iter().enumerate() {
                sum += 0.5 * mass * self.way(curve, &shared, j, i).norm_squared();
            }
        }
        sum / (self.frames as f64 * shared.h * shared.h)
    }

    /// What the linear systems need to know of a curve.
    pub(super) fn cycle(&self, curve: &Curve) -> Cycle {
        let shared = self.shared(curve);
        Cycle {
            pattern: self.law.pattern().clone(),
            masses: self.law.masses().to_vec(),
            frames: self.frames,
            time_step: shared.h,
            rule: self.rule,
            turn: shared.rotation,
            fixed: self.fixed(),
            held: Vec::new(),
        }
    }

    pub(super) fn shared(&self, curve: &Curve) -> Shared {
        let step = Pose::exp(&(curve.twist * (1.0 / self.frames as f64)));
        Shared { h: curve.period / self.frames as f64, step, rotation: step.rotation_matrix(), inverse: step.inverse() }
    }

    /// a_j of a vertex.
    #[inline]
    pub(super) fn acceleration(&self, curve: &Curve, shared: &Shared, j: usize, i: usize) -> Vector3<f64> {
        let vertices = self.vertices();
        let (next, last) = ((j + 1) % self.frames, (j + self.frames - 1) % self.frames);
        let p = |frame: usize| &curve.positions[frame * vertices + i];
        let ahead = shared.rotation * p(next) + shared.step.translation - p(j);
        let behind = p(j) - shared.rotation.tr_mul(p(last)) - shared.inverse.translation;
        (ahead - behind) / (shared.h * shared.h)
    }

    /// From frame j to the next, as seen at frame j.
    #[inline]
    pub(super) fn way(&self, curve: &Curve, shared: &Shared, j: usize, i: usize) -> Vector3<f64> {
        let vertices = self.vertices();
        let next = (j + 1) % self.frames;
        shared.rotation * curve.positions[next * vertices + i] + shared.step.translation - curve.positions[j * vertices + i]
    }

    /// Where a tie wants its vertex, in the frame that moves along.
    pub(super) fn target(&self, curve: &Curve, tie: &Tie) -> Vector3<f64> {
        let world = tie.base + tie.slope * (curve.period / self.frames as f64);
        curve.frame(tie.frame, self.frames).inverse().act(&world)
    }

    /// m/(ε h³) of a soft tie.
    pub(super) fn weight(&self, tie: &Tie, h: f64) -> Option<f64> {
        tie.softness.map(|softness| self.law.masses()[tie.vertex] / (softness * h * h * h))
    }

    /// The change of T and of ξ that steps of the free components make.
    pub(super) fn spread(&self, globals: &DVector<f64>) -> (f64, Twist) {
        let mut steps = globals.iter().copied();
        let time = if self.free_period { steps.next().unwrap_or(0.0) } else { 0.0 };
        let twist = Vector6::from_fn(|k, _| if self.free_twist[k] { steps.next().unwrap_or(0.0) } else { 0.0 });
        (time, twist.into())
    }

    /// aᵀ M⁻¹ b.
    pub(super) fn over_masses(&self, a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
        let masses = self.law.masses();
        let frames = a.chunks(masses.len().max(1)).zip(b.chunks(masses.len().max(1)));
        frames.map(|(a, b)| a.iter().zip(b).zip(masses).map(|((a, b), m)| a.dot(b) / m).sum::<f64>()).sum()
    }

    /// Does something for each frame's part of an array, by several threads where that pays.
    pub(super) fn each_frame(&self, out: &mut [Vector3<f64>], work: impl Fn(usize, &mut [Vector3<f64>]) + Sync) {
        let vertices = self.vertices().max(1);
        if out.len() < WORTH_SHARING {
            out.chunks_mut(vertices).enumerate().for_each(|(j, out)| work(j, out));
        } else {
            out.par_chunks_mut(vertices).enumerate().for_each(|(j, out)| work(j, out));
        }
    }
}
