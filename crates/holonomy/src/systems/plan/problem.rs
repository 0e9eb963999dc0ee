//! A plan as a problem of optimisation: what is to be least, and what must hold at each node of time.

use nalgebra::{SMatrix, SVector, Vector3};

use crate::integrate::controlled::Controlled;
use crate::medium::obstacle::Obstacle;

/// The problem with all its numbers.
#[derive(Debug, Clone)]
pub(super) struct Problem<'a, const N: usize, const M: usize, V: Controlled<N, M>> {
    pub vehicle: &'a V,
    pub goal: V::State,
    /// Which degrees of freedom of the goal count, in its own tangent.
    pub fixed: [bool; N],
    /// If the goal only draws: how strongly, cost per square of the distance.
    pub pull: Option<f64>,
    /// Places to stay near, one per node, and what leaving them costs per square metre and second.
    pub lead: Option<(Vec<Vector3<f64>>, f64)>,
    pub intervals: usize,
    /// Least and greatest time step; the same if it is given.
    pub time_step: [f64; 2],
    pub weights: Weights<M>,
    pub low: SVector<f64, M>,
    pub high: SVector<f64, M>,
    /// What must not become negative at any node but the first.
    pub rows: Vec<Row<'a>>,
}

/// What the cost is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights<const M: usize> {
    /// Per second, of the square of each control less its rest.
    pub effort: SVector<f64, M>,
    pub rest: SVector<f64, M>,
    /// Per second.
    pub time: f64,
    /// Per metre.
    pub distance: f64,
    /// Per second, of the square of each joint.
    pub joints: Vec<f64>,
}

/// A quantity of the state that must not be negative.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row<'a> {
    /// Distance of a point of the body from an obstacle, less what is wanted.
    Clear { obstacle: &'a Obstacle, point: Vector3<f64>, clearance: f64 },
    /// Greatest speed, squared, less the speed squared.
    Speed(f64),
    /// A coordinate of the body's origin, times the sign, less a bound.
    Within { axis: usize, sign: f64, bound: f64 },
    /// A joint, times the sign, less a bound.
    Joint { index: usize, sign: f64, bound: f64 },
}

/// The value of a row, with its derivatives.
pub(super) struct RowAt<const N: usize> {
    pub value: f64,
    pub gradient: SVector<f64, N>,
    pub bend: Option<SMatrix<f64, N, N>>,
}

/// Speeds below this, m/s, count as none in the length of a way, which is smooth then.
const SLOW: f64 = 1e-3;

impl<const N: usize, const M: usize, V: Controlled<N, M>> Problem<'_, N, M, V> {
    pub fn free_time(&self) -> bool {
        self.time_step[1] > self.time_step[0]
    }

    /// Cost per second of the state of node `k` and controls.
    pub fn rate(&self, k: usize, state: &V::State, controls: &SVector<f64, M>) -> f64 {
        let weights = &self.weights;
        let off = controls - weights.rest;
        let mut rate = weights.time + weights.effort.dot(&off.component_mul(&off));
        if weights.distance > 0.0 {
            rate += weights.distance * self.vehicle.twist(state).linear.norm().hypot(SLOW);
        }
        for (index, weight) in weights.joints.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            rate += weight * self.vehicle.joint(state, index).0.powi(2);
        }
        if let Some((places, weight)) = &self.lead {
            rate += weight * (self.vehicle.pose(state).translation - places[k]).norm_squared();
        }
        rate
    }

    /// The derivatives of the part of [`Problem::rate`] that depends on the state, if any does; the second ones to Gauss and Newton.
    pub fn state_rate(&self, k: usize, state: &V::State) -> Option<(SVector<f64, N>, SMatrix<f64, N, N>)> {
        let weights = &self.weights;
        if weights.distance <= 0.0 && weights.joints.iter().all(|&weight| weight <= 0.0) && self.lead.is_none() {
            return None;
        }
        let (mut gradient, mut bend) = (SVector::zeros(), SMatrix::zeros());
        if weights.distance > 0.0 {
            let velocity = self.vehicle.velocity(state);
            let speed = velocity.position.norm().hypot(SLOW);
            let along = velocity.by_state.tr_mul(&velocity.position) / speed;
            gradient += along * weights.distance;
            bend += (velocity.by_state.tr_mul(&velocity.by_state) - along * along.transpose()) * (weights.distance / speed);
        }
        for (index, weight) in weights.joints.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let (value, slope) = self.vehicle.joint(state, index);
            gradient += slope * (2.0 * weight * value);
            bend += slope * slope.transpose() * (2.0 * weight);
        }
        if let Some((places, weight)) = &self.lead {
            let place = self.vehicle.place(state, &Vector3::zeros());
            gradient += place.by_state.tr_mul(&(place.position - places[k])) * (2.0 * weight);
            bend += place.by_state.tr_mul(&place.by_state) * (2.0 * weight);
        }
        Some((gradient, bend))
    }

    /// What the miss of the goal costs: the miss, in the tangent of the goal.
    pub fn miss(&self, last: &V::State) -> SVector<f64, N> {
        let miss = self.vehicle.difference(&self.goal, last);
        SVector::from_fn(|i, _| if self.fixed[i] { miss[i] } else { 0.0 })
    }

    /// How what leads from the goal to the last state changes with the tangent of that state.
    pub fn end_slope(&self, last: &V::State) -> SMatrix<f64, N, N> {
        let by = 1e-6;
        let mut slope: SMatrix<f64, N, N> = SMatrix::zeros();
        for i in 0..N {
            let along = SVector::<f64, N>::from_fn(|j, _| if i == j { by } else { 0.0 });
            let moved = |along: &SVector<f64, N>| self.vehicle.difference(&self.goal, &self.vehicle.moved(last, along));
            slope.set_column(i, &((moved(&along) - moved(&-along)) / (2.0 * by)));
        }
        slope
    }

    pub fn value(&self, row: &Row, state: &V::State) -> f64 {
        match row {
            Row::Clear { obstacle, point, clearance } => obstacle.distance(&self.vehicle.pose(state).act(point)).value - clearance,
            Row::Speed(most) => most * most - self.vehicle.twist(state).linear.norm_squared(),
            Row::Within { axis, sign, bound } => sign * self.vehicle.pose(state).translation[*axis] - bound,
            Row::Joint { index, sign, bound } => sign * self.vehicle.joint(state, *index).0 - bound,
        }
    }

    pub fn row(&self, row: &Row, state: &V::State) -> RowAt<N> {
        match row {
            Row::Clear { obstacle, point, clearance } => {
                let place = self.vehicle.place(state, point);
                let distance = obstacle.distance(&place.position);
                RowAt {
                    value: distance.value - clearance,
                    gradient: place.by_state.tr_mul(&distance.gradient),
                    bend: Some(place.by_state.tr_mul(&(distance.bend * place.by_state))),
                }
            }
            Row::Speed(most) => {
                let velocity = self.vehicle.velocity(state);
                RowAt {
                    value: most * most - velocity.position.norm_squared(),
                    gradient: velocity.by_state.tr_mul(&velocity.position) * -2.0,
                    bend: Some(velocity.by_state.tr_mul(&velocity.by_state) * -2.0),
                }
            }
            Row::Within { axis, sign, bound } => {
                let place = self.vehicle.place(state, &Vector3::zeros());
                let gradient = place.by_state.row(*axis).transpose() * *sign;
                RowAt { value: sign * place.position[*axis] - bound, gradient, bend: None }
            }
            Row::Joint { index, sign, bound } => {
                let (value, slope) = self.vehicle.joint(state, *index);
                RowAt { value: sign * value - bound, gradient: slope * *sign, bend: None }
            }
        }
    }
}
