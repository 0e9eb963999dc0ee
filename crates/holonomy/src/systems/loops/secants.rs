//! What the gradient's changes tell of the second derivatives that Gauss and Newton leave out (Nocedal 1980, L-BFGS, about a matrix that is known).
//!
//! Where residual forces remain, Gauss–Newton steps close in by a constant factor only. The last pairs of a step s and the change y of the gradient along it
//! correct them: still one factorisation and one solve per iteration, but ever faster.

use std::collections::VecDeque;

use nalgebra::{DVector, Vector3};

/// Pairs that are kept.
const KEPT: usize = 8;
/// Least curvature along a step, as a share of |s||y|.
const CURVED: f64 = 1e-8;

/// A vector of p and of z.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Both {
    pub p: Vec<Vector3<f64>>,
    pub z: DVector<f64>,
}

impl Both {
    pub fn dot(&self, other: &Both) -> f64 {
        self.p.iter().zip(&other.p).map(|(a, b)| a.dot(b)).sum::<f64>() + self.z.dot(&other.z)
    }

    pub fn scale(&mut self, factor: f64) {
        self.p.iter_mut().for_each(|p| *p *= factor);
        self.z *= factor;
    }

    /// self += factor · other.
    fn add(&mut self, factor: f64, other: &Both) {
        self.p.iter_mut().zip(&other.p).for_each(|(a, b)| *a += b * factor);
        self.z.axpy(factor, &other.z, 1.0);
    }
}

/// The last pairs, oldest first.
#[derive(Debug, Default)]
pub(super) struct Secants {
    pairs: VecDeque<(Both, Both, f64)>,
}

impl Secants {
    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Takes in a step and the gradients before and after it.
    pub fn learn(&mut self, step: Both, before: &Both, after: &Both) {
        let mut change = after.clone();
        change.add(-1.0, before);
        let curvature = step.dot(&change);
        if curvature > CURVED * (step.dot(&step) * change.dot(&change)).sqrt() {
            if self.pairs.len() == KEPT {
                self.pairs.pop_front();
            }
            self.pairs.push_back((step, change, 1.0 / curvature));
        }
    }

    /// The step down from a gradient, where `solve` applies the inverse that is known.
    pub fn step<E>(&self, gradient: &Both, solve: impl FnOnce(Both) -> Result<Option<Both>, E>) -> Result<Option<Both>, E> {
        let mut q = gradient.clone();
        q.p.iter_mut().for_each(|q| *q = -*q);
        q.z.neg_mut();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let share = inverse * step.dot(&q);
            q.add(-share, change);
            shares.push(share);
        }
        let Some(mut r) = solve(q)? else { return Ok(None) };
        for ((step, change, inverse), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let already = inverse * change.dot(&r);
            r.add(share - already, step);
        }
        Ok(Some(r))
    }
}
