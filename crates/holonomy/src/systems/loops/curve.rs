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

use nalgebra::{DMatrix, DVector, Matrix3, Vector3, Vector6};
use rayon::prelude::*;

use super::Rule;
use crate::integrate::force_law::{ForceLaw, Stiffness};
use crate::lie::{Pose, Twist};

/// Below so many vertices in all frames, one thread is fastest.
const WORTH_SHARING: usize = 4096;

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

/// The loss to second order, by Gauss and Newton.
#[derive(Debug, Clone)]
pub struct Derivatives {
    /// H of all frames, frames × blocks.
    pub stiffness: Vec<Matrix3<f64>>,
    /// ∂L/∂p, zero where it is tied hard.
    pub gradient: Vec<Vector3<f64>>,
    /// What soft ties add to the diagonal, frames × vertices.
    pub weights: Vec<f64>,
    /// B: one column of mixed second derivatives per free component of z.
    pub columns: Vec<Vec<Vector3<f64>>>,
    /// ∂L/∂z.
    pub corner_gradient: DVector<f64>,
    /// Second derivatives by z.
    pub corner: DMatrix<f64>,
    /// The derivative of what is asked of the kinetic energy, by p and by z: its square belongs to the matrix.
    pub row: Option<(Vec<Vector3<f64>>, DVector<f64>)>,
}

/// What all frames share.
struct Shared {
    h: f64,
    step: Pose,
    rotation: Matrix3<f64>,
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

    /// Derivatives of L where the residual forces are `residuals`.
    pub fn derivatives(&self, curve: &Curve, residuals: &[Vector3<f64>], out: &mut Derivatives) {
        let shared = self.shared(curve);
        let (vertices, blocks) = (self.vertices(), self.law.pattern().blocks());
        let frames_of = |j: usize| j * vertices..(j + 1) * vertices;
        let fill = |(j, values): (usize, &mut [Matrix3<f64>])| {
            self.law.stiffness(j as f64 * shared.h, &curve.positions[frames_of(j)], Stiffness::Exact, values);
        };
        if residuals.len() < WORTH_SHARING {
            out.stiffness.chunks_mut(blocks.max(1)).enumerate().for_each(fill);
        } else {
            out.stiffness.par_chunks_mut(blocks.max(1)).enumerate().for_each(fill);
        }
        let fixed = self.fixed();
        let moves = self.moves(curve);
        let columns: Vec<Vec<Vector3<f64>>> =
            (0..self.globals()).map(|k| self.column(curve, &shared, residuals, &out.stiffness, k, &moves[k])).collect();
        self.gather(&shared, residuals, &columns, out);
        self.gather_ties(curve, &shared, &moves, out);
        self.gather_liveliness(curve, &shared, &moves, out);
        let clear = |vectors: &mut Vec<Vector3<f64>>| {
            vectors.iter_mut().zip(&fixed).filter(|(_, fixed)| **fixed).for_each(|(v, _)| *v = Vector3::zeros());
        };
        clear(&mut out.gradient);
        out.columns.iter_mut().for_each(clear);
        if let Some((row, _)) = &mut out.row {
            clear(row);
        }
    }

    /// A place for [`Objective::derivatives`] to write to.
    pub fn workspace(&self) -> Derivatives {
        let (places, globals) = (self.frames * self.vertices(), self.globals());
        Derivatives {
            stiffness: vec![Matrix3::zeros(); self.frames * self.law.pattern().blocks()],
            gradient: vec![Vector3::zeros(); places],
            weights: vec![0.0; places],
            columns: vec![vec![Vector3::zeros(); places]; globals],
            corner_gradient: DVector::zeros(globals),
            corner: DMatrix::zeros(globals, globals),
            row: None,
        }
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

    /// J d: how the residual forces change with p.
    pub fn apply_jacobian(&self, curve: &Curve, stiffness: &[Matrix3<f64>], d: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        let shared = self.shared(curve);
        let (vertices, pattern, masses) = (self.vertices(), self.law.pattern(), self.law.masses());
        let rotation = shared.rotation;
        self.each_frame(out, |j, out| {
            let (next, last) = ((j + 1) % self.frames, (j + self.frames - 1) % self.frames);
            let at = if self.rule == Rule::Symplectic { j } else { next };
            out.fill(Vector3::zeros());
            pattern.multiply(&stiffness[at * pattern.blocks()..(at + 1) * pattern.blocks()], &d[at * vertices..(at + 1) * vertices], out);
            for (i, out) in out.iter_mut().enumerate() {
                let own = if self.rule == Rule::Symplectic { *out } else { rotation * *out };
                let bend = rotation * d[next * vertices + i] - d[j * vertices + i] * 2.0 + rotation.tr_mul(&d[last * vertices + i]);
                *out = own + bend * (masses[i] / (shared.h * shared.h));
            }
        });
    }

    /// Jᵀ y.
    fn apply_transposed(&self, shared: &Shared, stiffness: &[Matrix3<f64>], y: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        let (vertices, pattern, masses) = (self.vertices(), self.law.pattern(), self.law.masses());
        let rotation = shared.rotation;
        self.each_frame(out, |j, out| {
            let (next, last) = ((j + 1) % self.frames, (j + self.frames - 1) % self.frames);
            for (i, out) in out.iter_mut().enumerate() {
                let bend = rotation.tr_mul(&y[last * vertices + i]) - y[j * vertices + i] * 2.0 + rotation * y[next * vertices + i];
                *out = bend * (masses[i] / (shared.h * shared.h));
            }
            let values = &stiffness[j * pattern.blocks()..(j + 1) * pattern.blocks()];
            for i in 0..vertices {
                let y = if self.rule == Rule::Symplectic { y[j * vertices + i] } else { rotation.tr_mul(&y[last * vertices + i]) };
                for place in pattern.row(i) {
                    out[pattern.columns()[place] as usize] += values[place].tr_mul(&y);
                }
            }
        });
    }

    fn shared(&self, curve: &Curve) -> Shared {
        let step = Pose::exp(&(curve.twist * (1.0 / self.frames as f64)));
        Shared { h: curve.period / self.frames as f64, step, rotation: step.rotation_matrix(), inverse: step.inverse() }
    }

    /// a_j of a vertex.
    #[inline]
    fn acceleration(&self, curve: &Curve, shared: &Shared, j: usize, i: usize) -> Vector3<f64> {
        let vertices = self.vertices();
        let (next, last) = ((j + 1) % self.frames, (j + self.frames - 1) % self.frames);
        let p = |frame: usize| &curve.positions[frame * vertices + i];
        let ahead = shared.rotation * p(next) + shared.step.translation - p(j);
        let behind = p(j) - shared.rotation.tr_mul(p(last)) - shared.inverse.translation;
        (ahead - behind) / (shared.h * shared.h)
    }

    /// From frame j to the next, as seen at frame j.
    #[inline]
    fn way(&self, curve: &Curve, shared: &Shared, j: usize, i: usize) -> Vector3<f64> {
        let vertices = self.vertices();
        let next = (j + 1) % self.frames;
        shared.rotation * curve.positions[next * vertices + i] + shared.step.translation - curve.positions[j * vertices + i]
    }

    /// Where a tie wants its vertex, in the frame that moves along.
    fn target(&self, curve: &Curve, tie: &Tie) -> Vector3<f64> {
        let world = tie.base + tie.slope * (curve.period / self.frames as f64);
        curve.frame(tie.frame, self.frames).inverse().act(&world)
    }

    /// m/(ε h³) of a soft tie.
    fn weight(&self, tie: &Tie, h: f64) -> Option<f64> {
        tie.softness.map(|softness| self.law.masses()[tie.vertex] / (softness * h * h * h))
    }

    /// The change of T and of ξ that steps of the free components make.
    fn spread(&self, globals: &DVector<f64>) -> (f64, Twist) {
        let mut steps = globals.iter().copied();
        let time = if self.free_period { steps.next().unwrap_or(0.0) } else { 0.0 };
        let twist = Vector6::from_fn(|k, _| if self.free_twist[k] { steps.next().unwrap_or(0.0) } else { 0.0 });
        (time, twist.into())
    }

    /// The free component `k` of z alone: a unit of T, or of ξ.
    fn unit(&self, k: usize) -> (f64, Twist) {
        self.spread(&DVector::from_fn(self.globals(), |i, _| f64::from(u8::from(i == k))))
    }

    /// How the targets of all ties move with each free component of z.
    fn moves(&self, curve: &Curve) -> Vec<Vec<Vector3<f64>>> {
        let frames = self.frames as f64;
        let one = |k: usize| {
            let (time, turn) = self.unit(k);
            let each = |tie: &Tie| {
                let along = tie.frame as f64 / frames;
                let back = curve.frame(tie.frame, self.frames).rotation.inverse();
                let world = tie.base + tie.slope * (curve.period / frames);
                let change = (curve.twist * along).dexp_apply(&(turn * along));
                back * (tie.slope * (time / frames) - change.velocity_at(&world))
            };
            self.ties.iter().map(each).collect()
        };
        (0..self.globals()).map(one).collect()
    }

    /// The residual forces' derivative by a component of z, with what it moves of hard ties, and with half the change of the weight h of their squares.
    fn column(
        &self,
        curve: &Curve,
        shared: &Shared,
        residuals: &[Vector3<f64>],
        stiffness: &[Matrix3<f64>],
        k: usize,
        moves: &[Vector3<f64>],
    ) -> Vec<Vector3<f64>> {
        let (vertices, frames, masses) = (self.vertices(), self.frames, self.law.masses());
        let (time, turn) = self.unit(k);
        let (longer, h) = (time / frames as f64, shared.h);
        let change = (curve.twist * (1.0 / frames as f64)).dexp_apply(&(turn * (1.0 / frames as f64)));
        let mut hard = vec![Vector3::zeros(); residuals.len()];
        for (tie, by) in self.ties.iter().zip(moves).filter(|(tie, _)| tie.softness.is_none()) {
            hard[tie.frame * vertices + tie.vertex] = *by;
        }
        let mut out = vec![Vector3::zeros(); residuals.len()];
        self.apply_jacobian(curve, stiffness, &hard, &mut out);
        self.each_frame(&mut out, |j, out| {
            let (next, last) = ((j + 1) % frames, (j + frames - 1) % frames);
            for (i, out) in out.iter_mut().enumerate() {
                let u = residuals[j * vertices + i];
                let bend = self.acceleration(curve, shared, j, i) * masses[i];
                *out += (u * 0.5 - bend * 2.0) * (longer / h);
                let ahead = change.velocity_at(&shared.step.act(&curve.positions[next * vertices + i]));
                let behind = shared.rotation.tr_mul(&change.velocity_at(&curve.positions[last * vertices + i]));
                *out += (ahead - behind) * (masses[i] / (h * h));
                if self.rule == Rule::Backward {
                    // R F is what is left of M a without u.
                    *out -= change.angular.cross(&(bend - u));
                }
            }
        });
        out
    }

    /// What the residual forces give to all derivatives.
    fn gather(&self, shared: &Shared, residuals: &[Vector3<f64>], columns: &[Vec<Vector3<f64>>], out: &mut Derivatives) {
        let (vertices, masses, h) = (self.vertices(), self.law.masses(), shared.h);
        let weigh = |from: &[Vector3<f64>]| -> Vec<Vector3<f64>> {
            from.iter().enumerate().map(|(place, u)| u * (h / masses[place % vertices])).collect()
        };
        self.apply_transposed(shared, &out.stiffness, &weigh(residuals), &mut out.gradient);
        for (k, column) in columns.iter().enumerate() {
            self.apply_transposed(shared, &out.stiffness, &weigh(column), &mut out.columns[k]);
            out.corner_gradient[k] = h * self.over_masses(column, residuals);
            for l in 0..=k {
                out.corner[(k, l)] = h * self.over_masses(column, &columns[l]);
                out.corner[(l, k)] = out.corner[(k, l)];
            }
        }
        out.weights.fill(0.0);
    }

    /// What soft ties give.
    fn gather_ties(&self, curve: &Curve, shared: &Shared, moves: &[Vec<Vector3<f64>>], out: &mut Derivatives) {
        for (index, tie) in self.ties.iter().enumerate() {
            let Some(weight) = self.weight(tie, shared.h) else { continue };
            let place = tie.frame * self.vertices() + tie.vertex;
            let off = curve.positions[place] - self.target(curve, tie);
            out.weights[place] += weight;
            out.gradient[place] += off * weight;
            // The weight falls with h³.
            let by = |k: usize| -moves[k][index] - off * (1.5 * self.unit(k).0 / curve.period);
            for k in 0..moves.len() {
                let change = by(k);
                out.columns[k][place] += change * weight;
                out.corner_gradient[k] += weight * change.dot(&off);
                for l in 0..moves.len() {
                    out.corner[(k, l)] += weight * change.dot(&by(l));
                }
            }
        }
    }

    /// What is asked of the kinetic energy: w (√K − √K*), w² = 1/(ε h), and its derivatives.
    fn gather_liveliness(&self, curve: &Curve, shared: &Shared, moves: &[Vec<Vector3<f64>>], out: &mut Derivatives) {
        out.row = None;
        let Some(lively) = &self.liveliness else { return };
        let (vertices, masses, h) = (self.vertices(), self.law.masses(), shared.h);
        let root = self.kinetic_energy(curve).sqrt();
        // A loop that stands still has no direction in which to become livelier.
        if root <= 0.0 {
            return;
        }
        let weight = 1.0 / (lively.softness * h).sqrt();
        let scale = weight / (2.0 * root * self.frames as f64 * h * h);
        let mut row = vec![Vector3::zeros(); out.gradient.len()];
        self.each_frame(&mut row, |j, row| {
            let last = (j + self.frames - 1) % self.frames;
            for (i, row) in row.iter_mut().enumerate() {
                let net = shared.rotation.tr_mul(&self.way(curve, shared, last, i)) - self.way(curve, shared, j, i);
                *row = net * (masses[i] * scale);
            }
        });
        let value = weight * (root - lively.kinetic_energy.sqrt());
        let by_z = DVector::from_fn(moves.len(), |k, _| {
            let (time, turn) = self.unit(k);
            let change = (curve.twist * (1.0 / self.frames as f64)).dexp_apply(&(turn * (1.0 / self.frames as f64)));
            let mut sum = -(0.5 * value + weight * root) * time / curve.period;
            for j in 0..self.frames {
                let next = (j + 1) % self.frames;
                for i in 0..vertices {
                    let carried = change.velocity_at(&shared.step.act(&curve.positions[next * vertices + i]));
                    sum += scale * masses[i] * self.way(curve, shared, j, i).dot(&carried);
                }
            }
            let hard = self.ties.iter().zip(&moves[k]).filter(|(tie, _)| tie.softness.is_none());
            sum + hard.map(|(tie, by)| row[tie.frame * vertices + tie.vertex].dot(by)).sum::<f64>()
        });
        for (gradient, row) in out.gradient.iter_mut().zip(&row) {
            *gradient += row * value;
        }
        out.corner_gradient += &by_z * value;
        out.row = Some((row, by_z));
    }

    /// aᵀ M⁻¹ b.
    fn over_masses(&self, a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
        let masses = self.law.masses();
        let frames = a.chunks(masses.len().max(1)).zip(b.chunks(masses.len().max(1)));
        frames.map(|(a, b)| a.iter().zip(b).zip(masses).map(|((a, b), m)| a.dot(b) / m).sum::<f64>()).sum()
    }

    /// Does something for each frame's part of an array, by several threads where that pays.
    fn each_frame(&self, out: &mut [Vector3<f64>], work: impl Fn(usize, &mut [Vector3<f64>]) + Sync) {
        let vertices = self.vertices().max(1);
        if out.len() < WORTH_SHARING {
            out.chunks_mut(vertices).enumerate().for_each(|(j, out)| work(j, out));
        } else {
            out.par_chunks_mut(vertices).enumerate().for_each(|(j, out)| work(j, out));
        }
    }
}
