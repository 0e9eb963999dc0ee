//! Following a plan although the world does not: a linear-quadratic regulator along it, on the manifold of states.

use nalgebra::{Cholesky, SMatrix, SVector};

use super::{Plan, Planned};
use crate::integrate::controlled::{Controlled, Linearised};

/// What holds a vehicle to its plan: u = u_k − K_k (x ⊖ x_k).
#[derive(Debug, Clone)]
pub struct Tracker<S, const N: usize, const M: usize> {
    states: Vec<S>,
    controls: Vec<SVector<f64, M>>,
    gains: Vec<SMatrix<f64, M, N>>,
    /// K once it has arrived.
    hold: SMatrix<f64, M, N>,
    ranges: [[f64; 2]; M],
    /// Controls that keep the vehicle in place, where there are any.
    rest: SVector<f64, M>,
}

/// What a regulator weighs: departures of the state and of the controls, per step.
struct Regulator<const N: usize, const M: usize> {
    state: SMatrix<f64, N, N>,
    controls: SMatrix<f64, M, M>,
}

/// The regulator of staying at the goal has settled when its gain changes by less than this part in a step.
const SETTLED: f64 = 1e-9;

/// Steps after which it is taken as it is: what a vehicle cannot mend at rest, as a car its place sideways, costs more with each.
const MOST_STEPS: usize = 2000;

impl<const N: usize, const M: usize> Regulator<N, M> {
    /// Riccati's recursion, one step back: K, and what departures cost from there on.
    fn back<S>(&self, at: &Linearised<S, N, M>, to_come: &SMatrix<f64, N, N>) -> Option<(SMatrix<f64, M, N>, SMatrix<f64, N, N>)> {
        let ahead = to_come * at.by_controls;
        let uu = self.controls + at.by_controls.tr_mul(&ahead);
        let ux = ahead.tr_mul(&at.by_state);
        let gain = Cholesky::new(uu)?.solve(&ux);
        let xx = self.state + at.by_state.tr_mul(&(to_come * at.by_state)) - gain.tr_mul(&ux);
        Some((gain, (xx + xx.transpose()) * 0.5))
    }
}

impl<V: Controlled<N, M>, const N: usize, const M: usize> Plan<V, N, M> {
    /// A regulator along `planned`, and at its end for as long as one likes: departures of the state cost `state` times their square, those of the controls what the plan's
    /// effort costs. It may use all that the vehicle's own controls give: a plan within narrower limits leaves it room, one at the vehicle's own limits leaves it none.
    /// `None` where a step cannot be linearised, or a plan has not one state more than controls.
    pub fn tracker(&self, planned: &Planned<V::State, M>, state: &SVector<f64, N>) -> Option<Tracker<V::State, N, M>> {
        if planned.states.len() != planned.controls.len() + 1 {
            return None;
        }
        let h = planned.time_step;
        let effort = SVector::<f64, M>::from_fn(|i, _| self.cost.effort.get(i).copied().unwrap_or(0.0).max(1e-9));
        let weights = Regulator { state: SMatrix::from_diagonal(state) * h, controls: SMatrix::from_diagonal(&effort) * h };
        let own = self.vehicle.controls();
        let rest = SVector::from_fn(|i, _| own[i].rest);
        let arrived = self.vehicle.linearise(planned.states.last()?, &rest, planned.controls.len() as f64 * h, h)?;
        let (mut hold, mut to_come) = weights.back(&arrived, &weights.state)?;
        for _ in 0..MOST_STEPS {
            let (gain, cost) = weights.back(&arrived, &to_come)?;
            let change = (gain - hold).norm();
            (hold, to_come) = (gain, cost);
            if change <= SETTLED * hold.norm() {
                break;
            }
        }
        let mut gains = vec![SMatrix::zeros(); planned.controls.len()];
        for (k, gain) in gains.iter_mut().enumerate().rev() {
            let at = self.vehicle.linearise(&planned.states[k], &planned.controls[k], k as f64 * h, h)?;
            (*gain, to_come) = weights.back(&at, &to_come)?;
        }
        let (states, controls) = (planned.states.clone(), planned.controls.clone());
        Some(Tracker { states, controls, gains, hold, ranges: own.map(|control| control.range), rest })
    }
}

impl<S, const N: usize, const M: usize> Tracker<S, N, M> {
    /// The controls for interval `k` from where the vehicle is. After the plan it holds the last state, about the controls of rest. They are
    /// within the vehicle's own ranges.
    pub fn controls<V: Controlled<N, M, State = S>>(&self, vehicle: &V, k: usize, state: &S) -> SVector<f64, M> {
        let k = k.min(self.controls.len());
        let Some(planned) = self.states.get(k) else { return self.rest };
        let asked = self.controls.get(k).unwrap_or(&self.rest) - self.gain(k) * vehicle.difference(planned, state);
        SVector::from_fn(|i, _| asked[i].max(self.ranges[i][0]).min(self.ranges[i][1]))
    }

    /// K of interval `k`, for a controller of your own; after the plan, the one that stays at its end. Its columns go with the tangents of [`Controlled::difference`].
    pub fn gain(&self, k: usize) -> &SMatrix<f64, M, N> {
        self.gains.get(k).unwrap_or(&self.hold)
    }
}
