//! From steps to a [`Motion`].

use nalgebra::Vector3;

use super::state::{FlowState, Forces, StepReport};
use super::step::COULOMB;
use super::{Flow, Substance};
use crate::lie::Wrench;
use crate::medium::Fluids;
use crate::motion::{
    Check, ITERATIONS, KINETIC_ENERGY, Line, Matter, MomentumKind, Motion, Outcome, Quantity, RESIDUAL, SPEED, Track, per_frame,
};
use crate::shape::{Clip, Note};

/// What is written down while stepping: a report per frame.
pub(super) struct Record {
    frames: Vec<StepReport>,
    /// How far momentum was from where the masses went, and how large it was, at most, kg m/s.
    momentum_off: f64,
    most_momentum: f64,
    memory: [Vec<Vector3<f64>>; 2],
}

const FALL_SPEED: Quantity = Quantity::new("fall_speed", "m/s");
const TURN_RATE: Quantity = Quantity::new("turn_rate", "rad/s");
const POTENTIAL_ENERGY: Quantity = Quantity::new("potential_energy", "J").among("energy", "potential");
const SUBSTEPS: Quantity = Quantity::new("substeps", "").line(Line::Steps);

const fn work(name: &'static str, label: &'static str) -> Quantity {
    Quantity::new(name, "J").among("work", label)
}

/// Share of the energy that may come or go unaccounted: in steps of a tenth of a radian and a fifth of a radius, an error of second order stays below.
const BALANCED: f64 = 0.01;

/// Share by which momentum may differ from where the masses went: that of steps of a tenth of a radian and a fifth of a radius, (0.1² + 0.2²)/12, and a little
/// more.
const WENT: f64 = 5e-3;

impl Record {
    pub(super) fn new(first: &StepReport, steps: usize) -> Record {
        let mut frames = Vec::with_capacity(steps.min(1 << 16) + 1);
        frames.push(*first);
        Record { frames, momentum_off: 0.0, most_momentum: 0.0, memory: Default::default() }
    }

    pub(super) fn frames(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn push(&mut self, report: StepReport, state: &FlowState) {
        self.frames.push(report);
        let (off, size) = state.momentum_off(&mut self.memory);
        (self.momentum_off, self.most_momentum) = (self.momentum_off.max(off), self.most_momentum.max(size));
    }

    /// The body does not go where its momentum says: its velocity, its inertia or the momentum of its change of shape is wrong, or it turns too far in a
    /// step. Momenta below `unseen`, kg m/s, do not count.
    fn momentum_check(&self, unseen: f64) -> Check {
        let most = self.most_momentum + unseen;
        let value = if most > 0.0 { self.momentum_off / most } else { 0.0 };
        Check { name: "momentum against where the masses went, relative", value, tolerance: WENT }
    }

    pub(super) fn finish(self, job: &Flow, shape: Clip, state: &FlowState, outcome: Outcome) -> Motion {
        let dt = shape.dt();
        let series = |quantity: Quantity, value: fn(&StepReport) -> f64| quantity.per_frame(self.frames.iter().map(value).collect());
        // How strong, not how far up: what swims or flies level is pushed along, and a fall shows both alike.
        let force = |name: &'static str, label: &'static str, of: fn(&Forces) -> Wrench| {
            let strengths = self.frames.iter().skip(1).map(|r| of(&r.forces).linear.norm());
            Quantity::new(name, "N").among("force", label).per_step(strengths.collect())
        };
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
        if state.body.changes() {
            all.push(series(work("work_of_shape", "of its change of shape"), |r| r.own_work));
        }
        if matches!(job.fluids, Fluids::Layered { .. }) && !state.body.changes() {
            all.push(series(work("work_of_surface", "of the surface"), |r| r.work.surface));
        }
        if job.ground.is_some() {
            all.push(series(work("work_of_ground", "of the ground"), |r| r.work.ground));
        }
        if self.frames.iter().all(|r| r.reynolds.is_finite()) {
            all.push(series(Quantity::new("reynolds", ""), |r| r.reynolds));
        }
        all.extend([
            force("drag_force", "of drag", |f| f.drag),
            force("buoyancy_force", "of buoyancy", |f| f.buoyancy),
            force("weight_force", "of weight", |f| f.weight),
            force("thrust_force", "of thrust", |f| f.thrust),
        ]);
        if job.ground.is_some() {
            all.push(force("ground_force", "of the ground", |f| f.ground));
        }
        all.extend([
            series(SUBSTEPS, |r| r.substeps as f64),
            series(RESIDUAL, |r| r.residual),
            series(ITERATIONS, |r| r.iterations as f64),
        ]);
        let largest = |value: fn(&StepReport) -> f64| self.frames.iter().map(value).fold(0.0, f64::max);
        let share = |x: f64, of: f64| if of > 0.0 { x / of } else { 0.0 };
        let mut checks = vec![self.momentum_check(state.mass() * (2.0 * job.unseen(state) / state.mass()).sqrt())];
        if !state.body.changes() {
            // A force whose work is wrong, or steps too long for it: energy comes from nowhere, or goes there.
            let scale = state.most_kinetic + largest(|r| r.work.exchanged()) + job.unseen(state);
            let value = share(largest(|r| r.own_work.abs()), scale);
            checks.push(Check { name: "energy that no force accounts for, relative", value, tolerance: BALANCED });
        }
        if job.ground.is_some() {
            let depth = self.frames.iter().map(|r| -r.gap).fold(0.0, f64::max);
            checks.push(Check { name: "depth below the ground, body radii", value: depth / state.radius(), tolerance: 1e-6 });
            let name = "friction against Coulomb's law, body sizes of slip in a step";
            checks.push(Check { name, value: largest(|r| r.violation), tolerance: COULOMB });
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
            wrenches: per_frame(self.frames.iter().skip(1).map(|r| r.forces.total()).collect(), Wrench::zero()),
            series: all,
            figures: Vec::new(),
            of_vertices: Vec::new(),
            matter: Matter::Body,
        };
        Motion {
            momentum_kind: MomentumKind::Momentum,
            outcome,
            checks,
            steps: self.frames.len() - 1,
            newton_iterations: self.frames.iter().map(|r| r.iterations).sum(),
            warnings,
            ..Motion::new(dt, vec![track])
        }
    }
}
