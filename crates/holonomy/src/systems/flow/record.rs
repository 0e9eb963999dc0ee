//! From steps to a [`Motion`].

use super::state::{FlowState, StepReport};
use super::{Flow, Substance};
use crate::motion::{Check, MomentumKind, Motion, Outcome, Series, Track};
use crate::shape::Note;

/// What is written down while stepping: a report per frame.
pub(super) struct Record {
    frames: Vec<StepReport>,
}

/// Scaled residual that a step must reach.
const SOLVED: f64 = 1e-10;

impl Record {
    pub(super) fn new(first: &StepReport, steps: usize) -> Record {
        let mut frames = Vec::with_capacity(steps.min(1 << 16) + 1);
        frames.push(*first);
        Record { frames }
    }

    pub(super) fn push(&mut self, report: StepReport) {
        self.frames.push(report);
    }

    pub(super) fn finish(self, job: &Flow, dt: f64, state: &FlowState, outcome: Outcome) -> Motion {
        let of = |value: fn(&StepReport) -> f64| self.frames.iter().map(value).collect::<Vec<f64>>();
        let series = |name, unit, value: fn(&StepReport) -> f64| Series { name, unit, values: of(value) };
        let velocity: Vec<_> = self.frames.windows(2).map(|w| (w[1].center - w[0].center) / dt).collect();
        let mut all = vec![
            Series::per_step("speed", "m/s", velocity.iter().map(|v| v.norm()).collect()),
            series("turn_rate", "rad/s", |r| r.twist.angular.norm()),
        ];
        if let Some(down) = job.gravity.try_normalize(0.0) {
            all.push(Series::per_step("fall_speed", "m/s", velocity.iter().map(|v| v.dot(&down)).collect()));
        }
        all.extend([
            series("kinetic_energy", "J", |r| r.kinetic_energy),
            series("potential_energy", "J", |r| r.potential_energy),
            series("work_of_drag", "J", |r| r.work.drag),
            series("work_of_weight", "J", |r| r.work.weight),
            series("work_of_buoyancy", "J", |r| r.work.buoyancy),
            series("work_of_thrust", "J", |r| r.work.thrust),
        ]);
        if job.ground.is_some() {
            all.push(series("work_of_ground", "J", |r| r.work.ground));
        }
        if self.frames.iter().all(|r| r.reynolds.is_finite()) {
            all.push(series("reynolds", "", |r| r.reynolds));
        }
        all.extend([
            series("substeps", "", |r| r.substeps as f64),
            series("residual", "", |r| r.residual),
            series("iterations", "", |r| r.iterations as f64),
        ]);
        let largest = |value: fn(&StepReport) -> f64| self.frames.iter().map(value).fold(0.0, f64::max);
        let mut checks = vec![
            Check { name: "momentum residual, scaled", value: largest(|r| r.residual), tolerance: SOLVED },
            Check { name: "largest turn in one step, rad", value: largest(|r| r.turn), tolerance: 0.5 },
        ];
        if !state.body.changes() && job.flow.uniform() == Some(nalgebra::Vector3::zeros()) {
            let kinetic = largest(|r| r.kinetic_energy).max(job.unseen(state));
            let share = |x: f64| if kinetic > 0.0 { x / kinetic } else { 0.0 };
            let given = self.frames.windows(2).map(|w| w[1].work.drag - w[0].work.drag).fold(0.0, f64::max);
            checks.push(Check { name: "energy given by drag in a frame, relative", value: share(given), tolerance: 1e-12 });
            let first = self.frames[0].kinetic_energy + self.frames[0].potential_energy;
            let total = |r: &StepReport| r.kinetic_energy + r.potential_energy - r.work.thrust - first;
            let gained = self.frames.iter().map(total).fold(0.0, f64::max);
            checks.push(Check { name: "energy gained without a source, relative", value: share(gained), tolerance: 0.02 });
        }
        if job.ground.is_some() {
            let depth = self.frames.iter().map(|r| -r.gap).fold(0.0, f64::max);
            checks.push(Check { name: "depth below the ground, body radii", value: depth / state.radius(), tolerance: 1e-6 });
        }
        // A material that has a surface density says itself that it is a sheet.
        let told = |note: &&Note| matches!(note, Note::Sheet { .. }) && !matches!(job.substance, Substance::Masses(_));
        let warnings: Vec<String> = state.notes().iter().filter(|note| !told(note)).map(ToString::to_string).collect();
        let track = Track {
            name: "body".into(),
            poses: self.frames.iter().map(|r| r.pose).collect(),
            centers: self.frames.iter().map(|r| r.center).collect(),
            twists: self.frames.iter().map(|r| r.twist).collect(),
            momenta: self.frames.iter().map(|r| r.momentum).collect(),
        };
        Motion {
            dt,
            momentum_kind: MomentumKind::Momentum,
            tracks: vec![track],
            series: all,
            outcome,
            checks,
            steps: self.frames.len() - 1,
            newton_iterations: self.frames.iter().map(|r| r.iterations).sum(),
            cycle_transform: None,
            warnings,
        }
    }
}
