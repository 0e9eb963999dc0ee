//! From steps to a [`Motion`].

use super::state::{FlowState, StepReport};
use super::{Flow, Substance};
use crate::motion::{Check, ITERATIONS, KINETIC_ENERGY, Line, MomentumKind, Motion, Outcome, Quantity, RESIDUAL, SPEED, Track};
use crate::shape::{Clip, Note};

/// What is written down while stepping: a report per frame.
pub(super) struct Record {
    frames: Vec<StepReport>,
}

const FALL_SPEED: Quantity = Quantity::new("fall_speed", "m/s");
const TURN_RATE: Quantity = Quantity::new("turn_rate", "rad/s");
const POTENTIAL_ENERGY: Quantity = Quantity::new("potential_energy", "J").among("energy", "potential");
const SUBSTEPS: Quantity = Quantity::new("substeps", "").line(Line::Steps);

const fn work(name: &'static str, label: &'static str) -> Quantity {
    Quantity::new(name, "J").among("work", label)
}

/// Scaled residual that a step must reach.
const SOLVED: f64 = 1e-10;

impl Record {
    pub(super) fn new(first: &StepReport, steps: usize) -> Record {
        let mut frames = Vec::with_capacity(steps.min(1 << 16) + 1);
        frames.push(*first);
        Record { frames }
    }

    pub(super) fn frames(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn push(&mut self, report: StepReport) {
        self.frames.push(report);
    }

    pub(super) fn finish(self, job: &Flow, shape: Clip, state: &FlowState, outcome: Outcome) -> Motion {
        let dt = shape.dt();
        let series = |quantity: Quantity, value: fn(&StepReport) -> f64| quantity.per_frame(self.frames.iter().map(value).collect());
        let velocity: Vec<_> = self.frames.windows(2).map(|w| (w[1].center - w[0].center) / dt).collect();
        let mut all = vec![SPEED.per_step(velocity.iter().map(|v| v.norm()).collect())];
        if let Some(down) = job.gravity.try_normalize(0.0) {
            all.push(FALL_SPEED.per_step(velocity.iter().map(|v| v.dot(&down)).collect()));
        }
        all.extend([
            series(TURN_RATE, |r| r.twist.angular.norm()),
            series(KINETIC_ENERGY, |r| r.kinetic_energy),
            series(POTENTIAL_ENERGY, |r| r.potential_energy),
            series(work("work_of_drag", "of drag"), |r| r.work.drag),
            series(work("work_of_weight", "of weight"), |r| r.work.weight),
            series(work("work_of_buoyancy", "of buoyancy"), |r| r.work.buoyancy),
            series(work("work_of_thrust", "of thrust"), |r| r.work.thrust),
        ]);
        if job.ground.is_some() {
            all.push(series(work("work_of_ground", "of the ground"), |r| r.work.ground));
        }
        if self.frames.iter().all(|r| r.reynolds.is_finite()) {
            all.push(series(Quantity::new("reynolds", ""), |r| r.reynolds));
        }
        all.extend([
            series(SUBSTEPS, |r| r.substeps as f64),
            series(RESIDUAL, |r| r.residual),
            series(ITERATIONS, |r| r.iterations as f64),
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
            let name = "friction against Coulomb's law, body sizes of slip in a step";
            checks.push(Check { name, value: largest(|r| r.violation), tolerance: 1e-4 });
        }
        // A material that has a surface density says itself that it is a sheet.
        let told = |note: &&Note| matches!(note, Note::Sheet { .. }) && !matches!(job.substance, Substance::Masses(_));
        let warnings: Vec<String> = state.notes().iter().filter(|note| !told(note)).map(ToString::to_string).collect();
        let track = Track {
            name: "body".into(),
            shape,
            poses: self.frames.iter().map(|r| r.pose).collect(),
            centers: self.frames.iter().map(|r| r.center).collect(),
            twists: self.frames.iter().map(|r| r.twist).collect(),
            momenta: self.frames.iter().map(|r| r.momentum).collect(),
            series: all,
        };
        Motion {
            dt,
            momentum_kind: MomentumKind::Momentum,
            tracks: vec![track],
            outcome,
            checks,
            steps: self.frames.len() - 1,
            newton_iterations: self.frames.iter().map(|r| r.iterations).sum(),
            cycle_transform: None,
            warnings,
        }
    }
}
