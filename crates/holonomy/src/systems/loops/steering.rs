//! A first guess that is steered home: the system left to itself, led ever more firmly to where it began, by forces that are as small as they can be.
//!
//! Back in time from its start, the system left to itself tells where it would have to be shortly before the end, b_j. The difference d = q − b coasts, but for
//! differences of the forces; what brings it to zero at the frames N and N + 1 with the least Σ|a|² is, for the step to frame j, exactly
//!
//! ```text
//! h² a = −6 d_j/((N + 1 − j)(N − j)) − 4 (d_j − d_{j−1})/(N + 1 − j)
//! ```
//!
//! or −(6/τ²) d − (4/τ) ḋ a time τ before the end.
//! Simulated with the rest of the forces, implicitly, so that cloth stays unstretched on its way. It costs two simulations, whatever the number of vertices.

use nalgebra::{Matrix3, Vector3};

use super::Rule;
use super::forward::{Keep, Run};
use crate::integrate::force_law::{ForceLaw, Stiffness};
use crate::lie::Pose;
use crate::solve::blocks::BlockPattern;

/// A law back in time.
struct Reversed<'a>(&'a dyn ForceLaw);

impl ForceLaw for Reversed<'_> {
    fn masses(&self) -> &[f64] {
        self.0.masses()
    }

    fn pattern(&self) -> &BlockPattern {
        self.0.pattern()
    }

    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        self.0.force(-time, q, force);
    }

    fn stiffness(&self, time: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]) {
        self.0.stiffness(-time, q, which, values);
    }

    fn energy(&self, time: f64, q: &[Vector3<f64>]) -> f64 {
        self.0.energy(-time, q)
    }

    fn is_conservative(&self) -> bool {
        self.0.is_conservative()
    }
}

/// A law, and springs to places that are others in each frame.
struct Steered<'a> {
    law: &'a dyn ForceLaw,
    time_step: f64,
    /// Frames of the loop.
    frames: usize,
    /// b of frames 0 … N.
    places: &'a [Vector3<f64>],
}

impl Steered<'_> {
    /// How much d and its change count in the step to a frame before the last, 1/s².
    fn pull(&self, frame: usize) -> [f64; 2] {
        let left = (self.frames.saturating_sub(frame)).max(1) as f64;
        let rate = 1.0 / (self.time_step * self.time_step);
        [6.0 * rate / ((left + 1.0) * left), 4.0 * rate / (left + 1.0)]
    }

    /// The springs at a time: how stiff, per kilogram, and where to.
    fn springs(&self, time: f64) -> (f64, &[Vector3<f64>]) {
        let frame = ((time / self.time_step).round() as usize).min(self.frames);
        let n = self.law.masses().len();
        (self.pull(frame).iter().sum(), &self.places[frame * n..][..n])
    }
}

impl ForceLaw for Steered<'_> {
    fn masses(&self) -> &[f64] {
        self.law.masses()
    }

    fn pattern(&self) -> &BlockPattern {
        self.law.pattern()
    }

    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        self.law.force(time, q, force);
        let (pull, places) = self.springs(time);
        for (i, mass) in self.law.masses().iter().enumerate() {
            force[i] += (places[i] - q[i]) * (mass * pull);
        }
    }

    fn stiffness(&self, time: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]) {
        self.law.stiffness(time, q, which, values);
        let (pull, pattern) = (self.springs(time).0, self.law.pattern());
        for (i, mass) in self.law.masses().iter().enumerate() {
            if let Some(place) = pattern.find(i, i) {
                values[place] += Matrix3::from_diagonal_element(mass * pull);
            }
        }
    }

    fn energy(&self, time: f64, q: &[Vector3<f64>]) -> f64 {
        let (pull, places) = self.springs(time);
        let springs =
            self.law.masses().iter().zip(q.iter().zip(places)).map(|(mass, (q, place))| 0.5 * mass * pull * (q - place).norm_squared());
        self.law.energy(time, q) + springs.sum::<f64>()
    }

    fn is_conservative(&self) -> bool {
        self.law.is_conservative()
    }
}

/// Frames 0 … N − 1 of a run that is steered to end as it began, moved by `pose`. None if it leads nowhere, or if it is stopped.
pub(super) fn steered(run: &Run, pose: &Pose) -> Option<Vec<Vector3<f64>>> {
    let (n, frames, h) = (run.start[0].len(), run.frames, run.time_step);
    let reversed = Reversed(run.law);
    let back = Run { law: &reversed, begin: -h, start: [run.start[1].clone(), run.start[0].clone()], ..*run };
    let back = back.run(&vec![Vector3::zeros(); frames * n], Keep::Positions)?.positions;
    // Frame k of the way back is frame N + 1 − k of the loop.
    let places: Vec<Vector3<f64>> = (0..=frames).flat_map(|j| &back[(frames + 1 - j) * n..][..n]).map(|b| pose.act(b)).collect();
    let law = Steered { law: run.law, time_step: h, frames, places: &places };
    let explicit = run.rule == Rule::Symplectic;
    let there = Run { law: if explicit { run.law } else { &law }, start: run.start.clone(), ..*run };
    let mut stepper = there.stepper()?;
    let mut positions = there.start.concat();
    for j in 2..frames {
        if (run.stop)() {
            return None;
        }
        let [pull, brake] = law.pull(j);
        let (now, next) = (&places[(j - 1) * n..][..n], &places[j * n..][..n]);
        for (i, velocity) in stepper.state.velocity.iter_mut().enumerate() {
            *velocity += (stepper.state.q[i] - now[i]) * (h * brake);
        }
        stepper.step()?;
        if explicit {
            // The springs are implicit, whatever the rest is.
            let share = 1.0 / (1.0 + h * h * (pull + brake));
            let state = &mut stepper.state;
            for i in 0..n {
                let step = (next[i] - state.q[i]) * (1.0 - share);
                state.q[i] += step;
                state.velocity[i] += step / h;
            }
        }
        positions.extend_from_slice(&stepper.state.q);
    }
    Some(positions)
}
