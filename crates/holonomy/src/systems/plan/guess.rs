//! First guesses: ways from start to goal, straight or around what is in the way, and a coarse plan made finer.

use nalgebra::{SVector, Vector3};

use super::interior::Iterate;
use super::problem::Problem;
use super::{BARRIER, NEARLY, Plan};
use crate::integrate::controlled::Controlled;
use crate::lie::{Pose, Twist};

/// How far the bent guesses leave the straight way, in parts of its length.
const BOW: f64 = 0.35;

impl<V: Controlled<N, M>, const N: usize, const M: usize> Plan<V, N, M> {
    /// The first guesses for `problem`: straight, and with a bow to each side. Plans have many local optima, also where nothing is in the way: a boat may turn
    /// before or after it has sailed.
    pub(super) fn guesses(&self, problem: &Problem<N, M, V>) -> Vec<Iterate<V::State, N, M>> {
        let (from, to) = (self.vehicle.pose(&self.start).translation, self.vehicle.pose(&self.goal.state).translation);
        let way = to - from;
        let mut bows = vec![Vector3::zeros()];
        if self.via.is_empty() && way.norm() > 0.0 {
            let side = way.cross(&Vector3::y());
            let side = if side.norm() > 1e-6 * way.norm() { side.normalize() } else { Vector3::x() };
            bows.extend([side, -side].map(|side| side * (BOW * way.norm())));
        }
        bows.iter().map(|bow| self.guess(problem, bow)).collect()
    }

    /// A way through the places of `via`, bent towards `bow` in its middle, that starts and ends slowly; controls at rest.
    fn guess(&self, problem: &Problem<N, M, V>, bow: &Vector3<f64>) -> Iterate<V::State, N, M> {
        let (start, goal) = (self.vehicle.pose(&self.start), self.vehicle.pose(&self.goal.state));
        let mut corners = vec![start.translation];
        corners.extend(&self.via);
        corners.push(goal.translation);
        let lengths: Vec<f64> = corners.windows(2).map(|pair| (pair[1] - pair[0]).norm().max(1e-12)).collect();
        let whole: f64 = lengths.iter().sum();
        let place = |share: f64| {
            let mut left = share * whole;
            for (pair, length) in corners.windows(2).zip(&lengths) {
                if left <= *length {
                    return pair[0].lerp(&pair[1], left / length);
                }
                left -= length;
            }
            goal.translation
        };
        let pose = |time: f64| {
            let share = time * time * (3.0 - 2.0 * time);
            let rotation = start.rotation.try_slerp(&goal.rotation, share, 1e-9).unwrap_or(start.rotation);
            Pose { rotation, translation: place(share) + bow * (std::f64::consts::PI * share).sin() }
        };
        let step = 0.5 * (problem.time_step[0] + problem.time_step[1]);
        let step = if problem.free_time() { (problem.time_step[0] * problem.time_step[1]).sqrt() } else { step };
        let count = problem.intervals;
        let states = (0..=count)
            .map(|k| {
                let at = |k: f64| pose((k / count as f64).clamp(0.0, 1.0));
                let (before, after) = (at(k as f64 - 0.5), at(k as f64 + 0.5));
                let twist = (before.inverse() * after).log() * (1.0 / step);
                match k {
                    0 => self.start,
                    k if k == count => self.goal.state,
                    _ => self.vehicle.at(&at(k as f64), &if twist.is_finite() { twist } else { Twist::zero() }),
                }
            })
            .collect();
        self.begin(problem, states, vec![problem.weights.rest; count], step, BARRIER)
    }

    /// A plan of other intervals, for as many as `problem` has.
    pub(super) fn refined(&self, problem: &Problem<N, M, V>, coarse: &Iterate<V::State, N, M>) -> Iterate<V::State, N, M> {
        let (old, new) = (coarse.controls.len(), problem.intervals);
        let ratio = old as f64 / new as f64;
        let split = |k: usize| {
            let place = (k as f64 * ratio).min(old as f64);
            let before = (place.floor() as usize).min(old - 1);
            (before, place - before as f64)
        };
        let states = (0..=new)
            .map(|k| {
                let (before, share) = split(k);
                let along = self.vehicle.difference(&coarse.states[before], &coarse.states[before + 1]);
                self.vehicle.moved(&coarse.states[before], &(along * share))
            })
            .collect();
        let controls: Vec<SVector<f64, M>> = (0..new).map(|k| coarse.controls[split(k).0]).collect();
        let mut finer = self.begin(problem, states, controls, coarse.time_step * ratio, NEARLY);
        for (k, multiplier) in finer.multipliers.iter_mut().enumerate() {
            let (before, share) = split(k);
            *multiplier = coarse.multipliers[before].lerp(&coarse.multipliers[before + 1], share);
        }
        finer.end = coarse.end;
        finer
    }

    /// A first guess that holds to the equations of motion: where these controls lead. `None` if a step has no solution.
    pub(super) fn driven(
        &self,
        problem: &Problem<N, M, V>,
        controls: impl Fn(usize) -> SVector<f64, M>,
    ) -> Option<Iterate<V::State, N, M>> {
        let h = (problem.time_step[0] * problem.time_step[1]).sqrt();
        let controls: Vec<SVector<f64, M>> = (0..problem.intervals).map(controls).collect();
        let mut guess = self.begin(problem, vec![self.start; problem.intervals + 1], controls, h, BARRIER);
        for k in 0..problem.intervals {
            guess.states[k + 1] = self.vehicle.step(&guess.states[k], &guess.controls[k], k as f64 * h, h)?;
        }
        Some(self.begin(problem, guess.states, guess.controls, h, BARRIER))
    }

    pub(super) fn begin(
        &self,
        problem: &Problem<N, M, V>,
        states: Vec<V::State>,
        controls: Vec<SVector<f64, M>>,
        time_step: f64,
        barrier: f64,
    ) -> Iterate<V::State, N, M> {
        Iterate::begin(problem, states, controls, time_step, barrier)
    }
}
