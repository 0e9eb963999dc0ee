//! Following a plan although the world does not: a linear-quadratic regulator along it, on the manifold of states.

use nalgebra::{Cholesky, SMatrix, SVector};

use super::{Plan, Planned};
use crate::integrate::controlled::Controlled;

/// What holds a vehicle to its plan: u = u_k − K_k (x ⊖ x_k).
#[derive(Debug, Clone)]
pub struct Tracker<S, const N: usize, const M: usize> {
    states: Vec<S>,
    controls: Vec<SVector<f64, M>>,
    gains: Vec<SMatrix<f64, M, N>>,
    ranges: [[f64; 2]; M],
    /// Controls that keep the vehicle in place, where there are any.
    rest: SVector<f64, M>,
}

impl<V: Controlled<N, M>, const N: usize, const M: usize> Plan<V, N, M> {
    /// A regulator along `planned`: departures of the state cost `state` times their square, those of the controls what the plan's effort costs. `None` where
    /// a step cannot be linearised.
    pub fn tracker(&self, planned: &Planned<V::State, M>, state: &SVector<f64, N>) -> Option<Tracker<V::State, N, M>> {
        let h = planned.time_step;
        let weights = SMatrix::<f64, N, N>::from_diagonal(state);
        let effort = SVector::<f64, M>::from_fn(|i, _| self.cost.effort.get(i).copied().unwrap_or(0.0).max(1e-9));
        let effort = SMatrix::<f64, M, M>::from_diagonal(&effort);
        let mut to_come = weights * h;
        let mut gains = vec![SMatrix::zeros(); planned.controls.len()];
        for (k, gain) in gains.iter_mut().enumerate().rev() {
            let at = self.vehicle.linearise(&planned.states[k], &planned.controls[k], k as f64 * h, h)?;
            let ahead = to_come * at.by_controls;
            let uu = effort * h + at.by_controls.tr_mul(&ahead);
            let ux = ahead.tr_mul(&at.by_state);
            *gain = Cholesky::new(uu)?.solve(&ux);
            let xx = weights * h + at.by_state.tr_mul(&(to_come * at.by_state)) - gain.tr_mul(&ux);
            to_come = (xx + xx.transpose()) * 0.5;
        }
        let own = self.vehicle.controls();
        let rest = SVector::from_fn(|i, _| own[i].rest);
        Some(Tracker { states: planned.states.clone(), controls: planned.controls.clone(), gains, ranges: self.control_ranges(), rest })
    }
}

impl<S, const N: usize, const M: usize> Tracker<S, N, M> {
    /// The controls for interval `k` from where the vehicle is. After the plan it holds the last state, about the controls of rest, with the last gain.
    pub fn controls<V: Controlled<N, M, State = S>>(&self, vehicle: &V, k: usize, state: &S) -> SVector<f64, M> {
        let k = k.min(self.controls.len());
        let Some((gain, planned)) = self.gain(k).zip(self.states.get(k)) else { return self.rest };
        let asked = self.controls.get(k).unwrap_or(&self.rest) - gain * vehicle.difference(planned, state);
        SVector::from_fn(|i, _| asked[i].max(self.ranges[i][0]).min(self.ranges[i][1]))
    }

    /// K of interval `k`, for a controller of your own; after the plan, that of its last interval. Its columns go with the tangents of [`Controlled::difference`].
    pub fn gain(&self, k: usize) -> Option<&SMatrix<f64, M, N>> {
        self.gains.get(k.min(self.gains.len().saturating_sub(1)))
    }
}
