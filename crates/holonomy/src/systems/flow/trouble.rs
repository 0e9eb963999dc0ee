//! When a body cannot go on, and what to tell the user.

use nalgebra::Vector3;

use super::Flow;
use super::state::{FlowState, StepReport};

/// Why a body cannot go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trouble {
    /// No solution for a step, however short.
    Stalled {
        /// The shortest step tried, seconds.
        time_step: f64,
    },
    /// Energy grew, and nothing was there to give it.
    Energy {
        /// By how much, J.
        gained: f64,
        /// The face with the largest power, from 0.
        face: usize,
    },
    /// Too fast for what is modelled here.
    Speed {
        /// m/s.
        speed: f64,
    },
}

/// Energy beyond all that was there and was given, as a share of it, beyond which a run is stopped. A finished run is checked more strictly; this is for
/// steps that make it grow and grow.
const ENERGY_SLACK: f64 = 0.05;

/// Beyond this, m/s, no fluid is incompressible.
const FASTEST: f64 = 1e4;

impl Flow {
    /// Energy too small to be seen, J: it lifts the body by a millionth of its radius. What floats at rest has little else.
    pub(super) fn unseen(&self, state: &FlowState) -> f64 {
        1e-6 * state.mass() * self.gravity.norm() * state.radius()
    }

    /// Whether anything is wrong with what came out.
    pub(super) fn trouble(&self, state: &FlowState, report: &StepReport) -> Option<Trouble> {
        let speed = report.twist.linear.norm();
        if speed.is_nan() || speed > FASTEST {
            return Some(Trouble::Speed { speed });
        }
        let taken = [report.work.drag, report.work.ground, report.work.surface].iter().map(|work| work.min(0.0)).sum::<f64>();
        let of_step = state.kinetic_energy(&state.inertia.momentum(&state.twist)) - state.kinetic_energy(&state.node.momentum);
        // The energy of a step's velocity is half a step late, that of a node's momentum swings where steps turn far: it has grown if both say so.
        let gained = report.own_work + taken + of_step.min(0.0);
        let rounding = 1e-9 * state.mass() * self.gravity.norm() * report.center.norm();
        let scale = state.most_kinetic + report.work.exchanged();
        if state.body.changes() || gained <= ENERGY_SLACK * scale + rounding + self.unseen(state) {
            return None;
        }
        let mut forces = Vec::new();
        state.body.drag.face_forces(&report.twist, &mut forces);
        let power = |f: usize| {
            let face = state.body.faces()[f];
            let center = face.iter().map(|&v| state.body.shape()[v as usize]).sum::<Vector3<f64>>() / 3.0;
            forces[f].dot(&report.twist.velocity_at(&center))
        };
        let face = (0..forces.len()).max_by(|&a, &b| power(a).total_cmp(&power(b))).unwrap_or(0);
        Some(Trouble::Energy { gained, face })
    }
}

impl Trouble {
    /// What to tell the user.
    pub(super) fn advice(&self, frame: usize, dt: f64) -> String {
        match self {
            Trouble::Stalled { time_step } => format!(
                "no step was found even after {time_step:.1e} s: the shape may jump, or a force be beyond all measure; look at frame {frame}, or \
                 ask for more frames per second than {:.0}",
                1.0 / dt
            ),
            Trouble::Energy { gained, face } => format!(
                "the body gained {gained:.3e} J that nothing gave it, most at face {face}: the steps are too long for it; ask for more substeps, or \
                 for more frames per second than {:.0}",
                1.0 / dt
            ),
            Trouble::Speed { speed } => {
                format!("the body moves at {speed:.3e} m/s, faster than this model holds: check densities, masses, sizes and thrust")
            }
        }
    }
}
