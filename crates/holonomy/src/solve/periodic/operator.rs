//! Products with J, Jᵀ and A, frame by frame, without forming them.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::{Cycle, Rule, Stage, clear_fixed};

impl Cycle {
    /// out = J d: how the residuals change when frames move by `d`.
    pub fn apply_jacobian(&self, stiffness: &[Matrix3<f64>], d: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        let (n, frames, blocks) = (self.masses.len(), self.frames, self.pattern.blocks());
        let turned_back = self.turn.transpose();
        out.par_chunks_exact_mut(n).enumerate().for_each(|(j, out)| {
            let (before, after) = ((j + frames - 1) % frames, (j + 1) % frames);
            let frame = |k: usize| &d[k * n..][..n];
            let at = if self.rule == Rule::Symplectic { j } else { after };
            let (values, moved) = (&stiffness[at * blocks..][..blocks], frame(at));
            for (i, out) in out.iter_mut().enumerate() {
                let mut force = Vector3::zeros();
                for place in self.pattern.row(i) {
                    force += values[place] * moved[self.pattern.columns()[place] as usize];
                }
                if self.rule == Rule::Backward {
                    force = self.turn * force;
                }
                let inertia = turned_back * frame(before)[i] - frame(j)[i] * 2.0 + self.turn * frame(after)[i];
                *out = inertia * (self.masses[i] / self.time_step.powi(2)) + force;
            }
        });
    }

    /// out = h Jᵀ M⁻¹ u: the gradient of (h/2) Σ u_jᵀM⁻¹u_j, for residuals `u`. Those of held vertices do not count.
    pub fn apply_transposed(&self, stiffness: &[Matrix3<f64>], u: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        let (n, frames, blocks, h) = (self.masses.len(), self.frames, self.pattern.blocks(), self.time_step);
        let turned_back = self.turn.transpose();
        out.par_chunks_exact_mut(n).enumerate().for_each(|(j, out)| {
            let (before, after) = ((j + frames - 1) % frames, (j + 1) % frames);
            let frame = |k: usize| &u[k * n..][..n];
            for (i, out) in out.iter_mut().enumerate() {
                if self.is_held(i) {
                    *out = Vector3::zeros();
                    continue;
                }
                *out = (turned_back * frame(before)[i] - frame(j)[i] * 2.0 + self.turn * frame(after)[i]) / h;
            }
            // The force at q_j is in the residual of frame j, or in that of the frame before.
            let from = frame(if self.rule == Rule::Symplectic { j } else { before });
            let values = &stiffness[j * blocks..][..blocks];
            for i in (0..n).filter(|&i| !self.is_held(i)) {
                let mut pull = from[i] * (h / self.masses[i]);
                if self.rule == Rule::Backward {
                    pull = turned_back * pull;
                }
                for place in self.pattern.row(i) {
                    out[self.pattern.columns()[place] as usize] += values[place].tr_mul(&pull);
                }
            }
        });
    }

    /// out = A x on what is free: prescribed entries of x count as zero, and those of the result are. `between` holds J x.
    pub fn multiply(&self, stage: &Stage, x: &[Vector3<f64>], between: &mut [Vector3<f64>], out: &mut [Vector3<f64>]) {
        if self.fixed.contains(&true) || self.held.contains(&true) {
            out.copy_from_slice(x);
            clear_fixed(self, out);
            self.apply_jacobian(stage.stiffness, out, between);
        } else {
            self.apply_jacobian(stage.stiffness, x, between);
        }
        self.apply_transposed(stage.stiffness, between, out);
        let n = self.masses.len();
        for (at, (out, x)) in out.iter_mut().zip(x).enumerate() {
            *out += x * self.extra(stage, at / n, at % n);
        }
        clear_fixed(self, out);
    }
}
