//! From steps to a [`Motion`].

use nalgebra::Vector3;

use super::placing::level;
use super::state::{ShapeChangeState, StepReport};
use super::{Freedom, Law, ShapeChange};
use crate::integrate::momentum_match::Level;
use crate::lie::{Momentum, Pose};
use crate::motion::{Check, ITERATIONS, KINETIC_ENERGY, MomentumKind, Motion, Outcome, Quantity, RESIDUAL, Series, Track};
use crate::shape::{Clip, Playback, Topology};

/// A cycle that nets less than this share of the body's length gets nowhere worth speaking of.
const NOWHERE: f64 = 0.02;

const SCALLOP: &str = "a cycle gains next to nothing: where drag rules, a stroke that goes out and back along nearly the same shapes leads \
                       nowhere (the scallop theorem); a wave that travels along the body does";

/// A shape whose parts move by more than this share of its radius in one step jumps.
const JUMP: f64 = 1.0;

/// A cycle of fewer frames is told as coarse: its way is off by the square of the step, that of a
/// snake by 7.2 % with 12 frames, by 1.9 % with 24.
const FEWEST_FRAMES: usize = 24;

/// A curve that turns by more than this at a vertex, radians, has a corner there.
const CORNER: f64 = 0.6;

/// A speed that free fall reaches within this time, seconds, is there at once.
const AT_ONCE: f64 = 0.1;

const FREE: &str = "some motions of the first shape meet no resistance, and those are left out: \
                    it lies on a line or nearly so, or it is flat and has no drag along itself \
                    (`anisotropy` 0)";

const DISSIPATION: Quantity = Quantity::new("dissipation", "W").among("dissipation", "moving");
const DISSIPATION_IN_PLACE: Quantity = Quantity::new("dissipation_in_place", "W").among("dissipation", "in place");
const KINETIC_ENERGY_IN_PLACE: Quantity = Quantity::new("kinetic_energy_in_place", "J").among("energy", "kinetic, in place");
const FLOOR_FORCE: Quantity = Quantity::new("floor_force", "N");

/// What is written down while stepping. Each list has an entry per step; poses and centres have one more.
pub(super) struct Record {
    poses: Vec<Pose>,
    centers: Vec<Vector3<f64>>,
    momenta: Vec<Momentum>,
    reports: Vec<StepReport>,
    warnings: Vec<String>,
}

impl Record {
    pub(super) fn new(job: &ShapeChange, first: &ShapeChangeState, steps: usize) -> Self {
        let level = (job.freedom == Freedom::Level).then(|| Level::of(&first.pose));
        let warnings = if first.old.has_free_motions(level) { vec![FREE.into()] } else { Vec::new() };
        let steps = steps.min(1 << 16); // more may be asked for than will be
        let mut poses = Vec::with_capacity(steps + 1);
        poses.push(first.pose());
        let mut centers = Vec::with_capacity(steps + 1);
        centers.push(first.center());
        Record { poses, centers, momenta: Vec::with_capacity(steps), reports: Vec::with_capacity(steps), warnings }
    }

    pub(super) fn push(&mut self, report: &StepReport) {
        self.poses.push(report.pose);
        self.centers.push(report.center);
        self.momenta.push(report.momentum);
        self.reports.push(*report);
    }

    pub(super) fn finish(mut self, job: &ShapeChange, clip: &Clip, outcome: Outcome) -> Motion {
        let last = self.poses.len() - 1;
        let closes = clip.playback() == Playback::Loop && last == clip.frames() && job.every_cycle_is_alike();
        let cycle_transform = closes.then(|| self.poses[last] * self.poses[0].inverse());
        let cycle_transform = match job.freedom {
            Freedom::Full => cycle_transform,
            Freedom::Level => cycle_transform.map(|carry| level(&carry)),
        };
        if let Some(carry) = cycle_transform {
            self.poses[last] = carry * self.poses[0]; // the same to round-off; now the cycle closes exactly
        }
        if closes
            && matches!(job.law, Law::LeastDissipation { .. })
            && (self.centers[last] - self.centers[0]).norm() < NOWHERE * clip.body_length()
        {
            self.warnings.push(SCALLOP.into());
        }
        self.warn_of_jumps();
        self.warn_of_coarse(clip);
        self.warn_of_plunge(job, clip.dt());
        let momentum_kind = match job.law {
            Law::LeastDissipation { .. } => MomentumKind::Drag,
            _ => MomentumKind::Momentum,
        };
        let (series, checks) = (self.series(job), self.checks(job));
        let mut track = Track::new("body", clip.clone(), self.poses, self.centers, self.momenta);
        track.series.extend(series);
        Motion {
            momentum_kind,
            outcome,
            checks,
            steps: last,
            newton_iterations: self.reports.iter().map(|report| report.iterations).sum(),
            cycle_transform,
            warnings: self.warnings,
            ..Motion::new(clip.dt(), vec![track])
        }
    }

    /// What the steps themselves tell; the rest is measured on the result.
    fn checks(&self, job: &ShapeChange) -> Vec<Check> {
        let largest = |of: fn(&StepReport) -> f64| self.reports.iter().map(of).fold(0.0, f64::max);
        // A step that turns this far may have found another root than the one that is meant.
        let turn = largest(|report| report.turn);
        let mut checks = vec![Check { name: "largest turn in one step, rad", value: turn, tolerance: std::f64::consts::FRAC_PI_2 }];
        if job.every_cycle_is_alike() {
            let saving = |report: &StepReport| {
                let cost = if report.kinetic_energy > 0.0 { report.kinetic_energy } else { report.dissipation };
                if report.in_place > 0.0 { cost / report.in_place } else { 0.0 }
            };
            // A root that is no minimum costs more than staying.
            checks.push(Check { name: "cost of the motion over cost in place", value: largest(saving), tolerance: 1.0 + 1e-9 });
        }
        checks
    }

    fn series(&self, job: &ShapeChange) -> Vec<Series> {
        let per_step = |quantity: Quantity, of: fn(&StepReport) -> f64| quantity.per_step(self.reports.iter().map(of).collect());
        let mut series = Vec::new();
        if job.law.drag().is_some() {
            series.push(per_step(DISSIPATION, |report| report.dissipation));
        }
        match job.law {
            Law::LeastDissipation { .. } => series.push(per_step(DISSIPATION_IN_PLACE, |report| report.in_place)),
            _ => {
                series.push(per_step(KINETIC_ENERGY, |report| report.kinetic_energy));
                series.push(per_step(KINETIC_ENERGY_IN_PLACE, |report| report.in_place));
            }
        }
        if job.floor.is_some() || job.freedom == Freedom::Level {
            series.push(per_step(FLOOR_FORCE, |report| report.floor_force));
        }
        series.push(per_step(RESIDUAL, |report| report.residual));
        series.push(per_step(ITERATIONS, |report| report.iterations as f64));
        series
    }

    /// Where friction alone decides, what falls has its last speed at once.
    fn warn_of_plunge(&mut self, job: &ShapeChange, dt: f64) {
        let gravity = job.pull.gravity.norm();
        if !matches!(job.law, Law::LeastDissipation { .. }) || gravity == 0.0 {
            return;
        }
        let along = |step: &[Vector3<f64>]| ((step[1] - step[0]).dot(&job.pull.gravity) / (gravity * dt)).abs();
        let speed = self.centers.windows(2).map(along).fold(0.0, f64::max);
        let needs = speed / gravity;
        if needs > AT_ONCE {
            self.warnings.push(format!(
                "friction alone decides: the body falls or rises at {speed:.2} m/s, and has that speed at once where a real one would need {needs:.1} s; \
                 for a body that gathers speed use inertia and drag, else more drag or more buoyancy"
            ));
        }
    }

    /// Steps and edges that stand for the shape less well than they could: no balance can see that.
    fn warn_of_coarse(&mut self, clip: &Clip) {
        let frames = clip.frames();
        if clip.playback() == Playback::Loop && (3..FEWEST_FRAMES).contains(&frames) {
            self.warnings.push(format!(
                "a cycle has {frames} frames only, and the error of its way falls with their square \
                 (of a snake: 7 % at 12, 2 % at 24); no check sees that; ask for {FEWEST_FRAMES} or \
                 more"
            ));
        }
        if let Topology::Curve { .. } = clip.topology() {
            let bends = |bend: &&[Vector3<f64>]| (bend[1] - bend[0]).angle(&(bend[2] - bend[1])) > CORNER;
            let corners = clip.frame(0).windows(3).filter(bends).count();
            // A few are hinges.
            if 4 * corners > clip.vertices() {
                self.warnings.push(format!(
                    "the curve turns by more than {CORNER} rad at {corners} of its {} vertices: it is too coarse for its bends; give it more vertices",
                    clip.vertices()
                ));
            }
        }
    }

    fn warn_of_jumps(&mut self) {
        let jumps = |report: &&StepReport| report.stir > JUMP;
        let Some((at, first)) = self.reports.iter().enumerate().find(|(_, report)| jumps(report)) else { return };
        let count = self.reports.iter().filter(jumps).count();
        self.warnings.push(format!(
            "the shape jumps at frame {}: its parts move by {:.2} of its radius from the frame before ({count} such steps); sample the clip at a \
             higher rate, or leave out frames that jump",
            at + 1,
            first.stir
        ));
    }
}
