//! The derivatives of the loss: Jia et al. 2023, Eqs. 20 to 22, the latter with the sign that follows from Eq. 18 (docs/ERRATA.md, J1), bordered by those of
//! the few numbers z that every frame depends on.
//!
//! All terms of the loss are squares, and each square's own derivative is all that is needed: what h does to the weight of one counts as part of it.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use rayon::prelude::*;

use super::Rule;
use super::curve::{Curve, Objective, Shared, Tie, WORTH_SHARING};
use crate::integrate::force_law::Stiffness;
use crate::lie::Twist;
use crate::solve::periodic::Cycle;

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
    /// What damping z is measured by, as M/h³ is for p: the inertia of what a unit of it moves.
    pub measure: DVector<f64>,
    /// The derivative of what is asked of the kinetic energy, by p and by z: its square belongs to the matrix.
    pub row: Option<(Vec<Vector3<f64>>, DVector<f64>)>,
}

impl Objective<'_> {
    /// Derivatives of L where the residual forces are `residuals`.
    pub fn derivatives(&self, curve: &Curve, residuals: &[Vector3<f64>], out: &mut Derivatives) {
        let shared = self.shared(curve);
        self.stiffness(curve, Stiffness::Exact, &mut out.stiffness);
        let cycle = self.cycle(curve);
        let moves = self.moves(curve);
        let columns: Vec<Vec<Vector3<f64>>> =
            (0..self.globals()).map(|k| self.column(curve, &shared, (residuals, &cycle, &out.stiffness), k, &moves[k])).collect();
        self.gather(&cycle, residuals, &columns, out);
        out.measure = DVector::from_fn(self.globals(), |k, _| self.measure(curve, &shared, k));
        self.gather_ties(curve, &shared, &moves, out);
        self.gather_liveliness(curve, &shared, &moves, out);
        let clear = |vectors: &mut Vec<Vector3<f64>>| {
            vectors.iter_mut().zip(&cycle.fixed).filter(|(_, fixed)| **fixed).for_each(|(v, _)| *v = Vector3::zeros());
        };
        clear(&mut out.gradient);
        out.columns.iter_mut().for_each(clear);
        if let Some((row, _)) = &mut out.row {
            clear(row);
        }
    }

    /// H of all frames, frames × blocks.
    pub fn stiffness(&self, curve: &Curve, which: Stiffness, out: &mut [Matrix3<f64>]) {
        let (vertices, h) = (self.vertices(), curve.period / self.frames as f64);
        let blocks = self.law.pattern().blocks().max(1);
        let fill = |(j, values): (usize, &mut [Matrix3<f64>])| {
            self.law.stiffness(j as f64 * h, &curve.positions[j * vertices..(j + 1) * vertices], which, values);
        };
        if curve.positions.len() < WORTH_SHARING {
            out.chunks_mut(blocks).enumerate().for_each(fill);
        } else {
            out.par_chunks_mut(blocks).enumerate().for_each(fill);
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
            measure: DVector::zeros(globals),
            row: None,
        }
    }

    /// The free component `k` of z alone: a unit of T, or of ξ.
    fn unit(&self, k: usize) -> (f64, Twist) {
        self.spread(&DVector::from_fn(self.globals(), |i, _| f64::from(u8::from(i == k))))
    }

    /// Σ m |way|²/h³ of a unit of z: of ξ, over the frames that it moves ever further; of T, of a curve that is longer in proportion.
    fn measure(&self, curve: &Curve, shared: &Shared, k: usize) -> f64 {
        let (time, turn) = self.unit(k);
        let first = &curve.positions[..self.vertices()];
        let moved = first.iter().zip(self.law.masses()).map(|(p, m)| m * turn.velocity_at(p).norm_squared()).sum::<f64>();
        let longer = (time / curve.period).powi(2) * self.kinetic_energy(curve) * 2.0 * curve.period.powi(2);
        (moved / 3.0 + longer) * self.frames as f64 / shared.h.powi(3) + f64::MIN_POSITIVE
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
        (residuals, cycle, stiffness): (&[Vector3<f64>], &Cycle, &[Matrix3<f64>]),
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
        cycle.apply_jacobian(stiffness, &hard, &mut out);
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
    fn gather(&self, cycle: &Cycle, residuals: &[Vector3<f64>], columns: &[Vec<Vector3<f64>>], out: &mut Derivatives) {
        let h = cycle.time_step;
        cycle.apply_transposed(&out.stiffness, residuals, &mut out.gradient);
        for (k, column) in columns.iter().enumerate() {
            cycle.apply_transposed(&out.stiffness, column, &mut out.columns[k]);
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
}
