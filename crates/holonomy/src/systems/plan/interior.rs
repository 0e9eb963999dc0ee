//! An interior-point method for plans, on the manifold of states.
//!
//! Bounds are kept by a barrier −μ log(slack) that is let down as the plan gets better; each Newton step for states, controls, multipliers and slacks is found
//! stage by stage ([`Riccati`]), in time linear in the number of stages; a filter (Wächter and Biegler 2006) takes a step if it makes either the plan
//! better or what is violated smaller. States move along tangents: there are no angles to wrap and no quaternions to keep unit.

use std::ops::ControlFlow;

use nalgebra::{SMatrix, SVector};

use super::problem::Problem;
use crate::integrate::controlled::{Controlled, Curvature};
use crate::solve::riccati::{End, Failure, Riccati, Stage};

/// A plan that is being worked on.
#[derive(Debug, Clone)]
pub(super) struct Iterate<S, const N: usize, const M: usize> {
    pub states: Vec<S>,
    pub controls: Vec<SVector<f64, M>>,
    pub time_step: f64,
    pub multipliers: Vec<SVector<f64, N>>,
    pub end: SVector<f64, N>,
    /// Slacks and multipliers of the rows: those of node 1, of node 2, …
    pub slacks: Vec<f64>,
    pub duals: Vec<f64>,
    /// Multipliers of the controls' bounds and the time step's.
    pub low: Vec<SVector<f64, M>>,
    pub high: Vec<SVector<f64, M>>,
    pub time: [f64; 2],
}

/// How the work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Solved,
    /// No further step makes it better.
    Stalled,
    /// It was asked to stop.
    Interrupted,
    /// Out of iterations.
    Exhausted,
}

/// What is known about an iterate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    pub cost: f64,
    /// Greatest gap between the end of a step and the next state; of the rows below zero; of the goal.
    pub dynamics: f64,
    pub rows: f64,
    pub goal: f64,
    /// Greatest derivative of the Lagrangian, scaled.
    pub dual: f64,
    pub iterations: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Settings {
    pub tolerance: f64,
    pub max_iterations: usize,
    /// Where the barrier starts.
    pub barrier: f64,
}

/// A slack keeps at least this part of itself in one step.
const TO_BOUNDARY: f64 = 0.99;
const FIRM: f64 = 1e4;
/// A violation may grow by this factor while the cost falls, and be this small per stage whatever it was.
const GROWTH: f64 = 10.0;
const SMALL: f64 = 0.05;
/// After so many stages it is asked whether to stop.
const ASK: usize = 256;
/// How far the clock is moved to see what changes with it, in time steps.
const CLOCK: f64 = 1e-4;
/// A gap that is smaller changes no tangent.
const NO_GAP: f64 = 1e-9;
/// Bounds start at least this far inside, relative.
const INSIDE: f64 = 1e-2;

struct Work<'p, 'a, const N: usize, const M: usize, V: Controlled<N, M>> {
    problem: &'p Problem<'a, N, M, V>,
    stages: Vec<Stage<N, M>>,
    end: End<N>,
    curvature: Vec<Curvature<N, M>>,
    /// Cost alone, by state and controls.
    cost_x: Vec<SVector<f64, N>>,
    cost_u: Vec<SVector<f64, M>>,
    /// Values and gradients of the rows, as the slacks are kept.
    values: Vec<f64>,
    gradients: Vec<SVector<f64, N>>,
    /// d(cost)/dh.
    cost_t: f64,
    riccati: Riccati<N, M>,
    slack_steps: Vec<f64>,
    filter: Vec<[f64; 2]>,
    rounder: f64,
}

/// Cost and violation.
#[derive(Debug, Clone, Copy)]
struct Measure {
    barrier_cost: f64,
    violation: f64,
}

/// Solves `problem` from `iterate`, in place. `progress` is told the iteration, and may stop the work.
pub(super) fn solve<const N: usize, const M: usize, V: Controlled<N, M>>(
    problem: &Problem<N, M, V>,
    iterate: &mut Iterate<V::State, N, M>,
    settings: Settings,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> (Ending, Standing) {
    let mut work = Work::new(problem, iterate);
    let mut barrier = settings.barrier;
    let mut stuck = 0;
    let nothing = Standing { cost: f64::INFINITY, dynamics: f64::INFINITY, rows: 0.0, goal: 0.0, dual: f64::INFINITY, iterations: 0 };
    let mut standing = nothing;
    for iteration in 0..=settings.max_iterations {
        let mut stopped = false;
        let mut asked = || {
            stopped |= progress(iteration, settings.max_iterations).is_break();
            stopped
        };
        if !work.evaluate(iterate, &mut asked) {
            let ending = if stopped { Ending::Interrupted } else { Ending::Stalled };
            return (ending, Standing { iterations: iteration, ..standing });
        }
        standing = Standing { iterations: iteration, ..work.standing(iterate) };
        let worst = standing.dual.max(standing.dynamics).max(standing.rows).max(standing.goal);
        if worst.max(work.complementarity(iterate, 0.0)) <= settings.tolerance {
            return (Ending::Solved, standing);
        }
        if iteration == settings.max_iterations {
            break;
        }
        if iteration == 0 {
            work.begin_filter(iterate);
        }
        if progress(iteration, settings.max_iterations).is_break() {
            return (Ending::Interrupted, standing);
        }
        while worst.max(work.complementarity(iterate, barrier)) <= 10.0 * barrier && barrier > 0.1 * settings.tolerance {
            barrier = (0.2 * barrier).min(barrier.powf(1.5)).max(0.09 * settings.tolerance);
            work.begin_filter(iterate);
        }
        if !work.newton(iterate, barrier) {
            return (Ending::Stalled, standing);
        }
        if work.advance(iterate, barrier, standing.cost) {
            stuck = 0;
        } else {
            stuck += 1;
            if stuck > 3 {
                return (Ending::Stalled, standing);
            }
            // A rounder problem has shorter, safer steps; the filter is begun anew.
            work.rounder = (work.rounder * 100.0).max(1e-2 * work.scale()).min(1e4 * work.scale());
            work.begin_filter(iterate);
        }
    }
    (Ending::Exhausted, standing)
}

impl<S: Copy, const N: usize, const M: usize> Iterate<S, N, M> {
    /// A first guess: controls and slacks are moved inside their bounds.
    pub fn begin<V: Controlled<N, M, State = S>>(
        problem: &Problem<N, M, V>,
        states: Vec<S>,
        mut controls: Vec<SVector<f64, M>>,
        time_step: f64,
        barrier: f64,
    ) -> Self {
        for u in &mut controls {
            for i in 0..M {
                u[i] = inside(u[i], problem.low[i], problem.high[i]);
            }
        }
        let time_step =
            if problem.free_time() { inside(time_step, problem.time_step[0], problem.time_step[1]) } else { problem.time_step[0] };
        let rows = problem.rows.len();
        let mut slacks = Vec::with_capacity(rows * controls.len());
        for state in &states[1..] {
            slacks.extend(problem.rows.iter().map(|row| problem.value(row, state).max(INSIDE)));
        }
        let (low, high): (Vec<_>, Vec<_>) = controls.iter().map(|u| problem.bound_duals(u, barrier)).unzip();
        let multipliers = vec![SVector::zeros(); states.len()];
        let duals = slacks.iter().map(|slack| barrier / slack).collect();
        let time = if problem.free_time() {
            [barrier / (time_step - problem.time_step[0]), barrier / (problem.time_step[1] - time_step)]
        } else {
            [0.0; 2]
        };
        Iterate { states, controls, time_step, multipliers, end: SVector::zeros(), slacks, duals, low, high, time }
    }
}

/// The nearest number that lies well inside of the bounds.
fn inside(x: f64, low: f64, high: f64) -> f64 {
    let room = if low.is_finite() && high.is_finite() { high - low } else { f64::INFINITY };
    let gap = |bound: f64| (INSIDE * bound.abs().max(1.0)).min(INSIDE * room);
    x.max(low + gap(low)).min(high - gap(high))
}

impl<const N: usize, const M: usize, V: Controlled<N, M>> Problem<'_, N, M, V> {
    fn bound_duals(&self, u: &SVector<f64, M>, barrier: f64) -> (SVector<f64, M>, SVector<f64, M>) {
        (SVector::from_fn(|i, _| barrier / (u[i] - self.low[i])), SVector::from_fn(|i, _| barrier / (self.high[i] - u[i])))
    }
}

impl<'p, 'a, const N: usize, const M: usize, V: Controlled<N, M>> Work<'p, 'a, N, M, V> {
    fn new(problem: &'p Problem<'a, N, M, V>, iterate: &Iterate<V::State, N, M>) -> Self {
        let stages = iterate.controls.len();
        let stage = Stage {
            a: SMatrix::zeros(),
            b: SMatrix::zeros(),
            by_time: SVector::zeros(),
            gap: SVector::zeros(),
            xx: SMatrix::zeros(),
            ux: SMatrix::zeros(),
            uu: SMatrix::zeros(),
            x: SVector::zeros(),
            u: SVector::zeros(),
            xt: SVector::zeros(),
            ut: SVector::zeros(),
        };
        let end = End {
            xx: SMatrix::zeros(),
            x: SVector::zeros(),
            constraint: SMatrix::identity(),
            miss: SVector::zeros(),
            fixed: if problem.pull.is_some() { [false; N] } else { problem.fixed },
            time: problem.free_time().then_some([0.0; 2]),
        };
        let flat = Curvature { xx: SMatrix::zeros(), ux: SMatrix::zeros(), uu: SMatrix::zeros() };
        Work {
            problem,
            stages: vec![stage; stages],
            end,
            curvature: vec![flat; stages],
            cost_x: vec![SVector::zeros(); stages + 1],
            cost_u: vec![SVector::zeros(); stages],
            values: vec![0.0; iterate.slacks.len()],
            gradients: vec![SVector::zeros(); iterate.slacks.len()],
            cost_t: 0.0,
            riccati: Riccati::new(stages),
            slack_steps: vec![0.0; iterate.slacks.len()],
            filter: Vec::new(),
            rounder: 0.0,
        }
    }

    /// The problem to second order at `iterate`; false where a step cannot be computed, or it is asked to stop.
    fn evaluate(&mut self, iterate: &Iterate<V::State, N, M>, stop: &mut dyn FnMut() -> bool) -> bool {
        let (problem, h) = (self.problem, iterate.time_step);
        let free = problem.free_time();
        (self.cost_t, self.end.time) = (0.0, free.then_some([0.0; 2]));
        for k in 0..self.stages.len() {
            if k % ASK == ASK - 1 && stop() {
                return false;
            }
            let (state, controls) = (&iterate.states[k], &iterate.controls[k]);
            let (time, weights) = (k as f64 * h, &iterate.multipliers[k + 1]);
            let Some((at, bend)) = problem.vehicle.expand(state, controls, time, h, weights) else { return false };
            let stage = &mut self.stages[k];
            stage.gap = problem.vehicle.difference(&iterate.states[k + 1], &at.next);
            (stage.a, stage.b, stage.by_time) = (at.by_state, at.by_controls, at.by_time_step);
            if stage.gap.amax() > NO_GAP
                && let Some(carried) = problem.vehicle.carried(&stage.gap)
            {
                // The step's tangents are those of where it leads; the next state is a gap away from there.
                (stage.a, stage.b, stage.by_time) = (carried * stage.a, carried * stage.b, carried * stage.by_time);
            }
            (stage.xx, stage.ux, stage.uu) = (bend.xx, bend.ux, bend.uu);
            self.curvature[k] = bend;
            let off = controls - problem.weights.rest;
            self.cost_u[k] = problem.weights.effort.component_mul(&off) * (2.0 * h);
            for i in 0..M {
                let (to_low, to_high) = (controls[i] - problem.low[i], problem.high[i] - controls[i]);
                stage.uu[(i, i)] += 2.0 * h * problem.weights.effort[i] + iterate.low[k][i] / to_low + iterate.high[k][i] / to_high;
            }
            self.cost_x[k] = SVector::zeros();
            let state_rate = problem.state_rate(k, state);
            if let Some((gradient, bend)) = &state_rate {
                self.cost_x[k] = gradient * h;
                stage.xx += bend * h;
            }
            if free {
                self.cost_t += problem.rate(k, state, controls);
                let Some((xt, ut, tt)) = self.by_time(iterate, k) else { return false };
                let Some(later) = self.by_clock(iterate, k) else { return false };
                let stage = &mut self.stages[k];
                stage.by_time += later;
                stage.xt = xt + state_rate.map_or_else(SVector::zeros, |(gradient, _)| gradient);
                stage.ut = ut + self.cost_u[k] / h;
                if let Some(time) = &mut self.end.time {
                    time[0] += tt;
                }
            }
        }
        self.evaluate_rows(iterate);
        self.evaluate_end(iterate);
        true
    }

    /// How step k ends elsewhere because it begins later, per time step: k times the change with the clock, of waves and gusts.
    fn by_clock(&self, iterate: &Iterate<V::State, N, M>, k: usize) -> Option<SVector<f64, N>> {
        let (h, vehicle) = (iterate.time_step, self.problem.vehicle);
        let by = CLOCK * h;
        let at = |off: f64| vehicle.step(&iterate.states[k], &iterate.controls[k], k as f64 * h + off, h);
        let (plus, minus) = (at(by)?, at(-by)?);
        let next = &iterate.states[k + 1];
        Some((vehicle.difference(next, &plus) - vehicle.difference(next, &minus)) * (0.5 * k as f64 / by))
    }

    /// How the weighted derivatives of step k change with the time step, by differences.
    fn by_time(&self, iterate: &Iterate<V::State, N, M>, k: usize) -> Option<(SVector<f64, N>, SVector<f64, M>, f64)> {
        let h = iterate.time_step;
        let (by, weights) = (1e-4 * h, &iterate.multipliers[k + 1]);
        let at = |h: f64| self.problem.vehicle.linearise(&iterate.states[k], &iterate.controls[k], k as f64 * h, h);
        let (plus, minus) = (at(h + by)?, at(h - by)?);
        let per = 0.5 / by;
        let xt = (plus.by_state - minus.by_state).tr_mul(weights) * per;
        let ut = (plus.by_controls - minus.by_controls).tr_mul(weights) * per;
        Some((xt, ut, (plus.by_time_step - minus.by_time_step).dot(weights) * per))
    }

    fn evaluate_rows(&mut self, iterate: &Iterate<V::State, N, M>) {
        let rows = self.problem.rows.len();
        self.end.xx = SMatrix::zeros();
        for (node, state) in iterate.states.iter().enumerate().skip(1) {
            for (j, row) in self.problem.rows.iter().enumerate() {
                let place = (node - 1) * rows + j;
                let at = self.problem.row(row, state);
                let (slack, dual) = (iterate.slacks[place], iterate.duals[place]);
                let xx = self.stages.get_mut(node).map_or(&mut self.end.xx, |stage| &mut stage.xx);
                *xx += at.gradient * at.gradient.transpose() * (dual / slack);
                if let Some(bend) = at.bend {
                    *xx -= bend * dual;
                }
                (self.values[place], self.gradients[place]) = (at.value, at.gradient);
            }
        }
    }

    fn evaluate_end(&mut self, iterate: &Iterate<V::State, N, M>) {
        let problem = self.problem;
        let Some(last) = iterate.states.last() else { return };
        self.end.constraint = problem.end_slope(last);
        let miss = problem.miss(last);
        self.end.miss = -miss;
        let k = self.stages.len();
        self.cost_x[k] = SVector::zeros();
        if let Some(pull) = problem.pull {
            let mut by_state = self.end.constraint;
            for (i, _) in problem.fixed.iter().enumerate().filter(|(_, fixed)| !**fixed) {
                by_state.row_mut(i).fill(0.0);
            }
            self.cost_x[k] = by_state.tr_mul(&miss) * (2.0 * pull);
            self.end.xx += by_state.tr_mul(&by_state) * (2.0 * pull);
        } else {
            // As the goal is reached by the linearised step, this changes neither step nor multipliers, but what is round and what is not.
            let firm = FIRM * self.scale();
            let mut by_state = self.end.constraint;
            for (i, _) in problem.fixed.iter().enumerate().filter(|(_, fixed)| !**fixed) {
                by_state.row_mut(i).fill(0.0);
            }
            self.end.xx += by_state.tr_mul(&by_state) * firm;
            self.cost_x[k] = by_state.tr_mul(&miss) * firm;
        }
        if problem.free_time()
            && let Some(time) = &mut self.end.time
        {
            let [low, high] = problem.time_step;
            time[0] += iterate.time[0] / (iterate.time_step - low) + iterate.time[1] / (high - iterate.time_step);
        }
    }

    /// How far the iterate is from all that must hold.
    fn standing(&self, iterate: &Iterate<V::State, N, M>) -> Standing {
        let (problem, rows) = (self.problem, self.problem.rows.len());
        let mut cost = 0.0;
        let (mut dual, mut sum) = (0.0f64, 0.0);
        for k in 0..=self.stages.len() {
            let mut x = self.cost_x[k] - iterate.multipliers[k];
            if let Some(stage) = self.stages.get(k) {
                let ahead = &iterate.multipliers[k + 1];
                x += stage.a.tr_mul(ahead);
                let u = self.cost_u[k] + stage.b.tr_mul(ahead) - iterate.low[k] + iterate.high[k];
                dual = dual.max(u.amax());
                cost += problem.rate(k, &iterate.states[k], &iterate.controls[k]) * iterate.time_step;
            } else if problem.pull.is_none() {
                x += SVector::from_fn(|i, _| {
                    (0..N).filter(|&j| problem.fixed[j]).map(|j| self.end.constraint[(j, i)] * iterate.end[j]).sum::<f64>()
                });
            }
            if k > 0 {
                for place in (k - 1) * rows..k * rows {
                    x -= self.gradients[place] * iterate.duals[place];
                }
                dual = dual.max(x.amax());
            }
            sum += iterate.multipliers[k].abs().sum();
        }
        if problem.free_time() {
            let ahead: f64 = self.stages.iter().zip(&iterate.multipliers[1..]).map(|(stage, weights)| stage.by_time.dot(weights)).sum();
            dual = dual.max((self.cost_t + ahead - iterate.time[0] + iterate.time[1]).abs());
        }
        let mean = sum / (N * (self.stages.len() + 1)) as f64;
        let gap = self.stages.iter().map(|stage| stage.gap.amax()).fold(0.0, f64::max);
        let below = self.values.iter().zip(&iterate.slacks).map(|(value, slack)| (value - slack).abs()).fold(0.0, f64::max);
        let goal = if problem.pull.is_some() { 0.0 } else { self.end.miss.amax() };
        Standing { cost, dynamics: gap, rows: below, goal, dual: dual / (mean / 100.0).max(1.0), iterations: 0 }
    }

    /// Greatest departure of slack times multiplier from the barrier.
    fn complementarity(&self, iterate: &Iterate<V::State, N, M>, barrier: f64) -> f64 {
        let mut worst = iterate.slacks.iter().zip(&iterate.duals).map(|(s, z)| (s * z - barrier).abs()).fold(0.0, f64::max);
        for (k, u) in iterate.controls.iter().enumerate() {
            for i in 0..M {
                for (slack, dual) in [(u[i] - self.problem.low[i], iterate.low[k][i]), (self.problem.high[i] - u[i], iterate.high[k][i])] {
                    if slack.is_finite() {
                        worst = worst.max((slack * dual - barrier).abs());
                    }
                }
            }
        }
        if self.problem.free_time() {
            let [low, high] = self.problem.time_step;
            for (slack, dual) in [(iterate.time_step - low, iterate.time[0]), (high - iterate.time_step, iterate.time[1])] {
                worst = worst.max((slack * dual - barrier).abs());
            }
        }
        worst
    }

    /// Mean weight of the controls: what a rounder is measured by.
    fn scale(&self) -> f64 {
        let sum: f64 = self.stages.iter().map(|stage| stage.uu.trace().abs()).sum();
        (sum / (M * self.stages.len()).max(1) as f64).max(1e-8)
    }

    /// Finds the Newton step; false if there is none however round the problem is made.
    fn newton(&mut self, iterate: &Iterate<V::State, N, M>, barrier: f64) -> bool {
        self.gradients_with(iterate, barrier);
        let mut rounder = 0.0;
        let mut bent = true;
        for _ in 0..16 {
            match self.riccati.solve(&self.stages, &self.end, rounder) {
                Ok(()) => {
                    self.rounder = if rounder == 0.0 { self.rounder / 3.0 } else { rounder };
                    self.slack_steps(iterate, None);
                    return true;
                }
                Err(Failure::Unbounded(_)) if rounder < 1e4 * self.scale() => {
                    rounder = if rounder == 0.0 { (self.rounder / 3.0).max(1e-4 * self.scale()) } else { rounder * 8.0 };
                }
                Err(_) if bent => {
                    // Without curvature no stage is unbounded.
                    bent = false;
                    rounder = self.rounder.max(1e-6 * self.scale());
                    for (stage, bend) in self.stages.iter_mut().zip(&mut self.curvature) {
                        stage.xx -= bend.xx;
                        stage.ux -= bend.ux;
                        stage.uu -= bend.uu;
                        *bend = Curvature { xx: SMatrix::zeros(), ux: SMatrix::zeros(), uu: SMatrix::zeros() };
                    }
                }
                Err(_) => rounder = (rounder * 10.0).max(1e-4 * self.scale()),
            }
        }
        false
    }

    /// Writes the gradients of cost and barrier into the stages.
    fn gradients_with(&mut self, iterate: &Iterate<V::State, N, M>, barrier: f64) {
        let (problem, rows) = (self.problem, self.problem.rows.len());
        for k in 0..=self.stages.len() {
            let mut x = self.cost_x[k];
            if k > 0 {
                for place in (k - 1) * rows..k * rows {
                    let (slack, dual) = (iterate.slacks[place], iterate.duals[place]);
                    x -= self.gradients[place] * ((barrier - dual * (self.values[place] - slack)) / slack);
                }
            }
            if let Some(stage) = self.stages.get_mut(k) {
                stage.x = x;
                let u = &iterate.controls[k];
                stage.u = self.cost_u[k] + SVector::from_fn(|i, _| barrier / (problem.high[i] - u[i]) - barrier / (u[i] - problem.low[i]));
            } else {
                self.end.x = x;
            }
        }
        if let Some(time) = &mut self.end.time {
            let [low, high] = problem.time_step;
            time[1] = self.cost_t + barrier / (high - iterate.time_step) - barrier / (iterate.time_step - low);
        }
    }

    /// The steps of the slacks that belong to those of the states; `off` are other departures of rows from slacks than the present ones.
    fn slack_steps(&mut self, iterate: &Iterate<V::State, N, M>, off: Option<&[f64]>) {
        let rows = self.problem.rows.len();
        for node in 1..iterate.states.len() {
            for place in (node - 1) * rows..node * rows {
                let off = off.map_or(self.values[place] - iterate.slacks[place], |off| off[place]);
                self.slack_steps[place] = self.gradients[place].dot(&self.riccati.steps.x[node]) + off;
            }
        }
    }

    /// The greatest part of the step that keeps slacks, and of that which keeps multipliers, positive.
    fn step_sizes(&self, iterate: &Iterate<V::State, N, M>, barrier: f64) -> [f64; 2] {
        let keep = TO_BOUNDARY.max(1.0 - barrier);
        let (mut primal, mut dual) = (1.0f64, 1.0f64);
        let mut limit = |slack: f64, step: f64, z: f64| {
            if step < 0.0 {
                primal = primal.min(-keep * slack / step);
            }
            let z_step = (barrier - z * step) / slack - z;
            if z_step < 0.0 {
                dual = dual.min(-keep * z / z_step);
            }
        };
        for ((&slack, &step), &z) in iterate.slacks.iter().zip(&self.slack_steps).zip(&iterate.duals) {
            limit(slack, step, z);
        }
        for (k, u) in iterate.controls.iter().enumerate() {
            for i in 0..M {
                let step = self.riccati.steps.u[k][i];
                for (slack, step, z) in
                    [(u[i] - self.problem.low[i], step, iterate.low[k][i]), (self.problem.high[i] - u[i], -step, iterate.high[k][i])]
                {
                    if slack.is_finite() {
                        limit(slack, step, z);
                    }
                }
            }
        }
        if self.problem.free_time() {
            let (h, step) = (iterate.time_step, self.riccati.steps.t);
            limit(h - self.problem.time_step[0], step, iterate.time[0]);
            limit(self.problem.time_step[1] - h, -step, iterate.time[1]);
        }
        [primal, dual]
    }

    /// The iterate at a part of the step, multipliers untouched.
    fn along(&self, iterate: &Iterate<V::State, N, M>, part: f64, out: &mut Iterate<V::State, N, M>) {
        let steps = &self.riccati.steps;
        for (k, state) in iterate.states.iter().enumerate() {
            out.states[k] = if k == 0 { *state } else { self.problem.vehicle.moved(state, &(steps.x[k] * part)) };
        }
        for (k, u) in iterate.controls.iter().enumerate() {
            out.controls[k] = u + steps.u[k] * part;
        }
        for (place, slack) in iterate.slacks.iter().enumerate() {
            out.slacks[place] = slack + self.slack_steps[place] * part;
        }
        out.time_step = iterate.time_step + steps.t * part;
    }

    /// Barrier cost and violation of an iterate; with `gaps` and `off` these are kept. `None` where a step cannot be computed.
    fn measure(&self, iterate: &Iterate<V::State, N, M>, barrier: f64, gaps: &mut [SVector<f64, N>], off: &mut [f64]) -> Option<Measure> {
        let (problem, h, rows) = (self.problem, iterate.time_step, self.problem.rows.len());
        let (mut cost, mut violation) = (0.0, 0.0);
        for k in 0..self.stages.len() {
            let next = problem.vehicle.step(&iterate.states[k], &iterate.controls[k], k as f64 * h, h)?;
            gaps[k] = problem.vehicle.difference(&iterate.states[k + 1], &next);
            violation += gaps[k].abs().sum();
            cost += problem.rate(k, &iterate.states[k], &iterate.controls[k]) * h;
            for (j, row) in problem.rows.iter().enumerate() {
                let place = k * rows + j;
                off[place] = problem.value(row, &iterate.states[k + 1]) - iterate.slacks[place];
                violation += off[place].abs();
            }
        }
        let miss = iterate.states.last().map_or_else(SVector::zeros, |last| problem.miss(last));
        match problem.pull {
            Some(pull) => cost += pull * miss.norm_squared(),
            None => violation += miss.abs().sum(),
        }
        let barrier_cost = cost - barrier * self.logs(iterate);
        (barrier_cost.is_finite() && violation.is_finite()).then_some(Measure { barrier_cost, violation })
    }

    /// An empty filter, but for a violation so large that no cost makes up for it: steps into walls look cheap to a barrier.
    fn begin_filter(&mut self, iterate: &Iterate<V::State, N, M>) {
        let now = self.measured(iterate, 0.0, 0.0).violation;
        self.filter.clear();
        self.filter.push([(GROWTH * now).max(SMALL * self.stages.len() as f64), f64::NEG_INFINITY]);
    }

    /// The same of the iterate that was evaluated, and has that cost.
    fn measured(&self, iterate: &Iterate<V::State, N, M>, barrier: f64, mut cost: f64) -> Measure {
        let gaps: f64 = self.stages.iter().map(|stage| stage.gap.abs().sum()).sum();
        let off: f64 = self.values.iter().zip(&iterate.slacks).map(|(value, slack)| (value - slack).abs()).sum();
        let mut violation = gaps + off;
        match self.problem.pull {
            Some(pull) => cost += pull * self.end.miss.norm_squared(),
            None => violation += self.end.miss.abs().sum(),
        }
        Measure { barrier_cost: cost - barrier * self.logs(iterate), violation }
    }

    /// The sum of the logarithms of all slacks: of their products, so that there are few to take.
    fn logs(&self, iterate: &Iterate<V::State, N, M>) -> f64 {
        let problem = self.problem;
        let of_controls = iterate.controls.iter().flat_map(|u| (0..M).flat_map(move |i| [u[i] - problem.low[i], problem.high[i] - u[i]]));
        let h = iterate.time_step;
        let of_time = if problem.free_time() { [h - problem.time_step[0], problem.time_step[1] - h] } else { [1.0; 2] };
        let (mut product, mut sum) = (1.0, 0.0);
        for slack in of_controls.filter(|slack| slack.is_finite()).chain(iterate.slacks.iter().copied()).chain(of_time) {
            if slack <= 0.0 {
                return f64::NEG_INFINITY;
            }
            product *= slack;
            if !(1e-100..1e100).contains(&product) {
                sum += f64::ln(product);
                product = 1.0;
            }
        }
        sum + product.ln()
    }

    /// How fast the barrier cost changes along the step.
    fn slope(&self, iterate: &Iterate<V::State, N, M>, barrier: f64) -> f64 {
        let steps = &self.riccati.steps;
        let mut slope: f64 = self.cost_x.iter().zip(&steps.x).map(|(cost, x)| cost.dot(x)).sum();
        slope += self.stages.iter().zip(&steps.u).map(|(stage, u)| stage.u.dot(u)).sum::<f64>();
        slope -= barrier * iterate.slacks.iter().zip(&self.slack_steps).map(|(slack, step)| step / slack).sum::<f64>();
        slope + self.end.time.map_or(0.0, |time| time[1] * steps.t)
    }

    /// Goes along the step as far as the filter lets it; false if it does not.
    fn advance(&mut self, iterate: &mut Iterate<V::State, N, M>, barrier: f64, cost: f64) -> bool {
        let mut trial = iterate.clone();
        let (mut gaps, mut off) = (vec![SVector::zeros(); self.stages.len()], vec![0.0; iterate.slacks.len()]);
        let now = self.measured(iterate, barrier, cost);
        let slope = self.slope(iterate, barrier);
        let [longest, dual] = self.step_sizes(iterate, barrier);
        let mut part = longest;
        for attempt in 0..24 {
            self.along(iterate, part, &mut trial);
            let measured = self.measure(&trial, barrier, &mut gaps, &mut off);
            if let Some(measured) = measured {
                if self.accepts(&now, &measured, slope, part) {
                    self.take(iterate, &mut trial, barrier, part, dual);
                    return true;
                }
                if attempt == 0 && measured.violation >= now.violation && self.corrected(iterate, &gaps, &off, &trial) {
                    let [longest, dual] = self.step_sizes(iterate, barrier);
                    self.along(iterate, longest, &mut trial);
                    let again = self.measure(&trial, barrier, &mut gaps, &mut off);
                    if again.is_some_and(|again| self.accepts(&now, &again, slope, longest)) {
                        self.take(iterate, &mut trial, barrier, longest, dual);
                        return true;
                    }
                    if !self.newton(iterate, barrier) {
                        return false;
                    }
                }
            }
            part *= 0.5;
        }
        false
    }

    /// The step that also takes back what the full one would leave (a second-order correction).
    fn corrected(
        &mut self,
        iterate: &Iterate<V::State, N, M>,
        gaps: &[SVector<f64, N>],
        off: &[f64],
        trial: &Iterate<V::State, N, M>,
    ) -> bool {
        let kept: Vec<SVector<f64, N>> = self.stages.iter().map(|stage| stage.gap).collect();
        let (miss, values) = (self.end.miss, self.values.clone());
        for (stage, gap) in self.stages.iter_mut().zip(gaps) {
            stage.gap += gap;
        }
        if let (None, Some(last)) = (self.problem.pull, trial.states.last()) {
            self.end.miss -= self.problem.miss(last);
        }
        let off: Vec<f64> = off.iter().zip(&values).zip(&iterate.slacks).map(|((off, value), slack)| off + value - slack).collect();
        let solved = self.riccati.solve(&self.stages, &self.end, self.rounder).is_ok();
        if solved {
            self.slack_steps(iterate, Some(&off));
        }
        self.stages.iter_mut().zip(kept).for_each(|(stage, gap)| stage.gap = gap);
        self.end.miss = miss;
        solved
    }

    /// Whether the filter takes a trial, `part` of a step along which the barrier cost changes by `slope`.
    fn accepts(&mut self, now: &Measure, trial: &Measure, slope: f64, part: f64) -> bool {
        let blocked = |[violation, cost]: &[f64; 2]| trial.violation >= *violation && trial.barrier_cost >= *cost;
        if self.filter.iter().any(blocked) {
            return false;
        }
        let round_off = 1e-14 * now.barrier_cost.abs().max(1.0);
        let descends = slope < 0.0 && part * (-slope).powf(2.3) > now.violation.powf(1.1);
        if descends && now.violation < 1e-4 {
            return trial.barrier_cost <= now.barrier_cost + 1e-4 * part * slope + round_off;
        }
        let better =
            trial.violation <= (1.0 - 1e-5) * now.violation || trial.barrier_cost <= now.barrier_cost - 1e-5 * now.violation + round_off;
        if better {
            self.filter.push([(1.0 - 1e-5) * now.violation, now.barrier_cost - 1e-5 * now.violation]);
        }
        better
    }

    /// Makes the trial the iterate, and takes its multipliers along.
    fn take(&self, iterate: &mut Iterate<V::State, N, M>, trial: &mut Iterate<V::State, N, M>, barrier: f64, part: f64, dual: f64) {
        let steps = &self.riccati.steps;
        let kept = |z: f64, slack: f64| z.clamp(1e-10 * barrier / slack, 1e10 * barrier / slack);
        for (k, multiplier) in trial.multipliers.iter_mut().enumerate() {
            *multiplier += (steps.multipliers[k] - *multiplier) * part;
        }
        trial.end += (steps.end - trial.end) * part;
        for place in 0..trial.slacks.len() {
            let (slack, z) = (iterate.slacks[place], iterate.duals[place]);
            let step = (barrier - z * self.slack_steps[place]) / slack - z;
            trial.duals[place] = kept(z + dual * step, trial.slacks[place]);
        }
        for k in 0..trial.controls.len() {
            for i in 0..M {
                let (u, step, new) = (iterate.controls[k][i], steps.u[k][i], trial.controls[k][i]);
                let moved = |slack: f64, step: f64, z: f64| z + dual * ((barrier - z * step) / slack - z);
                let (low, high) = (u - self.problem.low[i], self.problem.high[i] - u);
                if low.is_finite() {
                    trial.low[k][i] = kept(moved(low, step, iterate.low[k][i]), new - self.problem.low[i]);
                }
                if high.is_finite() {
                    trial.high[k][i] = kept(moved(high, -step, iterate.high[k][i]), self.problem.high[i] - new);
                }
            }
        }
        if self.problem.free_time() {
            let ([low, high], h, step) = (self.problem.time_step, iterate.time_step, steps.t);
            let moved = |slack: f64, step: f64, z: f64| z + dual * ((barrier - z * step) / slack - z);
            trial.time[0] = kept(moved(h - low, step, iterate.time[0]), trial.time_step - low);
            trial.time[1] = kept(moved(high - h, -step, iterate.time[1]), high - trial.time_step);
        }
        std::mem::swap(iterate, trial);
    }
}
