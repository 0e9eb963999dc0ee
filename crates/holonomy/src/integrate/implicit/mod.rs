//! Any [`ForceLaw`] forward in time, step by step: by symplectic Euler, or by backward Euler with Newton's method.
//!
//! ```text
//! symplectic   M (q⁺ − 2q + q⁻)/h² = F(t, q)
//! backward     M (q⁺ − 2q + q⁻)/h² = F(t + h, q⁺)
//! ```
//!
//! These are the two residuals of Jia et al. 2023, Eqs. 13 and 14, set to nothing. Symplectic Euler is cheap, keeps the energy bounded and is stable up to h = 2/ω of the stiffest
//! vibration; backward Euler is always stable and loses energy. Where forces have a potential E, a step of the latter is the least of the incremental potential
//! ½|q⁺ − q − hv|²_M/h² + E(t + h, q⁺), and the search along Newton's direction goes by that.

mod factor;

use nalgebra::{Matrix3, Vector3};

use super::force_law::{ForceLaw, Stiffness};
use crate::Error;
use crate::solve::blocks::BlockPattern;
use factor::{Cholesky, Plan};

/// A system of vertices at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Seconds.
    pub time: f64,
    /// Places of the free vertices, metres.
    pub q: Vec<Vector3<f64>>,
    /// Their velocities, m/s.
    pub velocity: Vec<Vector3<f64>>,
}

/// How a step is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Explicit.
    SymplecticEuler,
    /// Implicit.
    BackwardEuler,
}

/// When Newton's method stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Largest correction of a velocity that counts as none, m/s. The error that is left is far smaller, as corrections shrink quadratically.
    pub tolerance: f64,
    /// Most iterations in a step.
    pub max_iterations: usize,
    /// Memory that the factor of an implicit step may take, bytes.
    pub memory_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { tolerance: 1e-6, max_iterations: 100, memory_limit: 4 << 30 }
    }
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Newton's, each with one factorisation or two; none for symplectic Euler.
    pub iterations: usize,
    /// If not, the state is the best that was found; or the old one, where numbers became infinite.
    pub converged: bool,
    /// Largest acceleration that is not accounted for, m/s², before the last correction.
    pub residual: f64,
}

/// Steps of a system. Keeps the analysis of its matrix and all room that is needed.
#[derive(Debug)]
pub struct Simulation<'a, L: ForceLaw + ?Sized> {
    law: &'a L,
    settings: Settings,
    /// Made at the first implicit step.
    cholesky: Option<Cholesky>,
    stiffness: Vec<Matrix3<f64>>,
    exact: Vec<Matrix3<f64>>,
    projected: Vec<Matrix3<f64>>,
    /// How much of the projected stiffness the next correction begins with.
    share: f64,
    residual: Vec<Vector3<f64>>,
    direction: Vec<Vector3<f64>>,
    /// Where it would go without forces.
    coasting: Vec<Vector3<f64>>,
    guess: Vec<Vector3<f64>>,
    trial: Vec<Vector3<f64>>,
}

impl<'a, L: ForceLaw + ?Sized> Simulation<'a, L> {
    /// Makes room for the steps of a law.
    ///
    /// # Errors
    /// A setting that is not positive.
    pub fn new(law: &'a L, settings: Settings) -> Result<Self, Error> {
        Error::unless(
            settings.tolerance > 0.0 && settings.tolerance.is_finite(),
            "tolerance",
            settings.tolerance,
            "a positive number of m/s",
        )?;
        Error::unless(settings.max_iterations > 0, "max_iterations", 0.0, "at least 1")?;
        let (pattern, zeros) = (law.pattern(), vec![Vector3::zeros(); law.masses().len()]);
        Ok(Simulation {
            law,
            settings,
            cholesky: None,
            stiffness: vec![Matrix3::zeros(); pattern.blocks()],
            exact: vec![Matrix3::zeros(); pattern.blocks()],
            projected: vec![Matrix3::zeros(); pattern.blocks()],
            share: 0.0,
            residual: zeros.clone(),
            direction: zeros.clone(),
            coasting: zeros.clone(),
            guess: zeros.clone(),
            trial: zeros,
        })
    }

    /// Takes `state` on by `step` seconds.
    ///
    /// # Errors
    /// A step that is not positive; a state of another number of vertices; an implicit step whose factor does not fit into memory.
    pub fn step(&mut self, state: &mut State, step: f64, scheme: Scheme) -> Result<StepReport, Error> {
        Error::unless(step.is_finite() && step > 0.0, "step", step, "a positive number of seconds")?;
        let expected = self.residual.len();
        for (what, found) in [("places of free vertices", state.q.len()), ("velocities of free vertices", state.velocity.len())] {
            if found != expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        Ok(match scheme {
            Scheme::SymplecticEuler => self.symplectic(state, step),
            Scheme::BackwardEuler => {
                if self.cholesky.is_none() {
                    self.cholesky = Some(Cholesky::new(self.law.pattern(), self.settings.memory_limit)?);
                }
                self.backward(state, step)
            }
        })
    }

    fn symplectic(&mut self, state: &mut State, h: f64) -> StepReport {
        self.law.force(state.time, &state.q, &mut self.residual);
        for (i, mass) in self.law.masses().iter().enumerate() {
            self.direction[i] = state.velocity[i] + self.residual[i] * (h / mass);
            self.trial[i] = state.q[i] + self.direction[i] * h;
        }
        let converged = finite(&self.trial);
        if converged {
            state.velocity.copy_from_slice(&self.direction);
            state.q.copy_from_slice(&self.trial);
            state.time += h;
        }
        StepReport { iterations: 0, converged, residual: 0.0 }
    }

    fn backward(&mut self, state: &mut State, h: f64) -> StepReport {
        let time = state.time + h;
        for (coasting, (q, v)) in self.coasting.iter_mut().zip(state.q.iter().zip(&state.velocity)) {
            *coasting = q + v * h;
        }
        // Start where it coasts to, unless that goes uphill.
        self.guess.copy_from_slice(&self.coasting);
        if self.law.is_conservative() {
            let downhill = self.potential(time, h, &self.guess) <= self.potential(time, h, &state.q);
            if !downhill {
                self.guess.copy_from_slice(&state.q);
            }
        }
        let mut report = StepReport { iterations: 0, converged: false, residual: f64::INFINITY };
        while report.iterations < self.settings.max_iterations && !report.converged {
            report.iterations += 1;
            self.find_residual(time, h, Place::Guess);
            report.residual = self.residual.iter().zip(self.law.masses()).map(|(r, m)| r.norm() / m).fold(0.0, f64::max);
            if report.residual == 0.0 {
                report.converged = true;
                break;
            }
            match self.correct(time, h) {
                Some(small) => {
                    std::mem::swap(&mut self.guess, &mut self.trial);
                    report.converged = small;
                }
                None => break,
            }
        }
        if finite(&self.guess) {
            for ((q, v), new) in state.q.iter_mut().zip(&mut state.velocity).zip(&self.guess) {
                *v = (new - *q) / h;
                *q = *new;
            }
            state.time = time;
        }
        report
    }

    /// r = M (q − coasting)/h² − F.
    fn find_residual(&mut self, time: f64, h: f64, at: Place) {
        let q = if at == Place::Guess { &self.guess } else { &self.trial };
        self.law.force(time, q, &mut self.residual);
        for (i, mass) in self.law.masses().iter().enumerate() {
            self.residual[i] = (q[i] - self.coasting[i]) * (mass / (h * h)) - self.residual[i];
        }
    }

    /// A correction of the guess, in `trial`; whether it is small. None if no direction leads on.
    ///
    /// Where the exact stiffness has no minimum, some of the projected one is mixed in, all of it only if need be: what buckles leaves its saddle in a few steps, where with all of it
    /// it would take dozens.
    fn correct(&mut self, time: f64, h: f64) -> Option<bool> {
        self.law.stiffness(time, &self.guess, Stiffness::Exact, &mut self.exact);
        let mut projected = false;
        let mut share = self.share;
        loop {
            if share > 0.0 && !projected {
                self.law.stiffness(time, &self.guess, Stiffness::Projected, &mut self.projected);
                projected = true;
            }
            if self.find_direction(h, share) {
                let small = self.direction.iter().map(|d| d.amax()).fold(0.0, f64::max) <= self.settings.tolerance * h;
                if self.search(time, h, small) {
                    self.share = if share > SOME { SOME } else { 0.0 };
                    return Some(small);
                }
            }
            if share == 1.0 {
                return None;
            }
            share = if share < SOME { SOME } else { 1.0 };
        }
    }

    /// −(M/h² + H)⁻¹ r with the symmetric part of H, if it goes downhill. What wind has besides is small beside inertia, and costs Newton a step or two.
    fn find_direction(&mut self, h: f64, share: f64) -> bool {
        if share > 0.0 {
            for (sum, (exact, projected)) in self.stiffness.iter_mut().zip(self.exact.iter().zip(&self.projected)) {
                *sum = exact * (1.0 - share) + projected * share;
            }
        } else {
            self.stiffness.copy_from_slice(&self.exact);
        }
        let (pattern, masses) = (self.law.pattern(), self.law.masses());
        for (i, mass) in masses.iter().enumerate() {
            if let Some(place) = pattern.find(i, i) {
                self.stiffness[place] += Matrix3::from_diagonal_element(mass / (h * h));
            }
        }
        for (direction, residual) in self.direction.iter_mut().zip(&self.residual) {
            *direction = -residual;
        }
        let solved = self.cholesky.as_mut().is_some_and(|cholesky| cholesky.solve(&self.stiffness, &mut self.direction));
        solved && finite(&self.direction) && dot(&self.residual, &self.direction) < 0.0
    }

    /// Goes along the direction, from the guess, as far as it pays; leaves the place in `trial`. The last, small correction is not judged: round-off would.
    fn search(&mut self, time: f64, h: f64, small: bool) -> bool {
        let slope = dot(&self.residual, &self.direction);
        let start = if self.law.is_conservative() { self.potential(time, h, &self.guess) } else { 0.0 };
        let mut part = 1.0;
        while part > SHORTEST {
            for (trial, (q, d)) in self.trial.iter_mut().zip(self.guess.iter().zip(&self.direction)) {
                *trial = q + d * part;
            }
            if small {
                return true;
            }
            let there = if self.law.is_conservative() { self.potential(time, h, &self.trial) } else { 0.0 };
            if there < start + 1e-4 * part * slope {
                return true;
            }
            // Without a potential, or where its change is lost in round-off, there is still its slope: not far beyond where that vanishes.
            if there <= start + ROUND_OFF * start.abs() {
                self.find_residual(time, h, Place::Trial);
                if dot(&self.residual, &self.direction) <= -0.5 * slope {
                    return true;
                }
            }
            part *= 0.5;
        }
        self.find_residual(time, h, Place::Guess);
        false
    }

    /// The incremental potential.
    fn potential(&self, time: f64, h: f64, q: &[Vector3<f64>]) -> f64 {
        let coasting = self.coasting.iter().zip(q).zip(self.law.masses());
        let inertia: f64 = coasting.map(|((a, b), mass)| mass * (b - a).norm_squared()).sum();
        0.5 * inertia / (h * h) + self.law.energy(time, q)
    }
}

/// Bytes that the factor of an implicit step takes; the pattern is analysed for it.
///
/// # Errors
/// There are too many vertices to count them.
pub fn step_bytes(pattern: &BlockPattern) -> Result<usize, Error> {
    Plan::new(pattern).map(|plan| plan.bytes())
}

/// Which places a residual is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Guess,
    Trial,
}

/// A share of the projected stiffness that mostly is enough.
const SOME: f64 = 0.125;

/// The shortest part of a direction that is tried.
const SHORTEST: f64 = 1e-9;

/// What a potential may rise by round-off, in parts of it.
const ROUND_OFF: f64 = 1e-9;

fn dot(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

fn finite(places: &[Vector3<f64>]) -> bool {
    places.iter().all(|place| place.iter().all(|x| x.is_finite()))
}
