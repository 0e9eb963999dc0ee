//! What must hold of a finished motion, measured on its poses and shapes: by another path than the one that found them.

use nalgebra::Vector3;

use super::pull::Weighed;
use super::setup::Physics;
use super::{Freedom, Law, Pull, ShapeChange};
use crate::Error;
use crate::integrate::momentum_match::{Level, discrete_momenta, energy};
use crate::lie::Momentum;
use crate::medium::{Floor, Metric, MetricFrame};
use crate::motion::{Check, Motion, Track};
use crate::shape::Clip;

/// Of this many steps one has its balance measured, which costs some four times what a step does.
const ONE_IN: usize = 128;

/// Momentum or force out of balance, as a share of the largest there is: steps are solved to 1e-13 of a motion by the body's radius, which is 1e-8 of
/// the smallest that is measured ([`AT_REST`]). Examples have 2e-15 to 2e-11.
const BALANCED: f64 = 1e-6;

/// A body that moves by less than this share of its length per step is measured as if it did: below is round-off.
const AT_REST: f64 = 1e-5;

impl ShapeChange {
    /// Measures `motion`, which is what this job made of `clip`; `physics` are those of the job.
    pub(super) fn checks(&self, clip: &Clip, physics: &Physics, motion: &Motion) -> Result<Vec<Check>, Error> {
        let Some(track) = motion.tracks.first().filter(|track| track.poses.len() > 1) else { return Ok(Vec::new()) };
        let imbalance = Scales { job: self, clip, physics, track }.imbalance()?;
        let mut checks = vec![Check { name: "momentum out of balance, relative", value: imbalance, tolerance: BALANCED }];
        if self.freedom == Freedom::Level {
            checks.push(Check { name: "rise or tilt of what keeps level, relative", value: unevenness(track), tolerance: 1e-11 });
        }
        if let Some(floor) = &self.floor {
            let (depth, lift) = floor_faults(floor, track);
            checks.push(Check { name: "depth below the floor, body lengths", value: depth, tolerance: 1e-9 });
            checks.push(Check { name: "push of the floor times gap, relative", value: lift, tolerance: 1e-9 });
        }
        Ok(checks)
    }
}

/// The scales on which a result is weighed.
struct Scales<'a> {
    job: &'a ShapeChange,
    clip: &'a Clip,
    physics: &'a Physics,
    track: &'a Track,
}

impl Scales<'_> {
    /// Largest momentum (with friction alone: force) that nothing accounts for, as a share of the largest one about. What ground or floor can bear is
    /// left out.
    ///
    /// It shows a wrong Jacobian or sum in the solver, poses composed, fallen or carried on wrongly, and a law solved with another pull or momentum.
    fn imbalance(&self) -> Result<f64, Error> {
        let steps = self.track.poses.len() - 1;
        let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
        for t in (1..=steps).rev().step_by(ONE_IN) {
            let (miss, about) = match self.job.law {
                Law::LeastDissipation { .. } => self.drag_less_pull(t)?,
                Law::LeastAction { .. } | Law::IdealFluid { .. } => self.momentum_gained(t)?,
                Law::InertiaAndDrag { .. } => self.change_less_forces(t)?,
            };
            let center = self.track.centers[t - 1];
            let miss = Momentum { angular: miss.angular - center.cross(&miss.linear), ..miss };
            let held = self.job.freedom == Freedom::Level || self.job.floor.is_some();
            let miss = if held { Level { up: Vector3::y() }.free(&miss) } else { miss };
            worst = worst.max(miss.linear.norm() + miss.angular.norm() / self.clip.body_length());
            scale = scale.max(about);
        }
        Ok(if worst > 0.0 { worst / scale } else { worst })
    }

    /// World momentum (or drag) of step `t` about the world's origin, from the poses; and how large its parts are, √(Σ trace B · E)/Δt.
    fn of_step(&self, metric: &Metric, t: usize) -> Result<(Momentum, f64), Error> {
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        metric.evaluate(self.clip, t - 1, &mut old)?;
        metric.evaluate(self.clip, t, &mut new)?;
        let (pose, rate) = (self.track.poses[t - 1], 1.0 / self.clip.dt());
        let g = pose.inverse() * self.track.poses[t];
        let momentum = pose.momentum_to_world(&(discrete_momenta(&old, &new, &g) * (-0.5 * rate)));
        let moved = (old.trace() * energy(&old, &new, &g)).sqrt().max(AT_REST * old.trace() * self.clip.body_length());
        Ok((momentum, moved * rate))
    }

    /// World wrench of the pull at frame `t`, about the world's origin.
    fn pull(&self, t: usize) -> Momentum {
        if self.job.pull == Pull::none() {
            return Momentum::zero();
        }
        let (physics, pose) = (self.physics, self.track.poses[t]);
        let body = Weighed::new(self.clip.topology(), self.clip.frame(t), &physics.masses, physics.bone_scale, self.job.pull.buoyancy);
        pose.momentum_to_world(&self.job.pull.wrench_body(&body, &pose, &Momentum::zero()))
    }

    fn drag_less_pull(&self, t: usize) -> Result<(Momentum, f64), Error> {
        let (drag, about) = self.of_part(self.physics.drag.as_ref(), t)?;
        let pull = (self.pull(t - 1) + self.pull(t)) * 0.5;
        Ok((drag - pull, about + pull.linear.norm()))
    }

    /// Against the momentum that was given, and what gravity has added since the start: momenta live in the middle of a step.
    fn momentum_gained(&self, t: usize) -> Result<(Momentum, f64), Error> {
        let (momentum, about) = self.of_part(self.physics.inertia.as_ref(), t)?;
        let mut expected = self.job.law.momentum();
        if let Law::LeastAction { gravity, .. } = self.job.law {
            let centers = &self.track.centers;
            expected.angular -= centers[0].cross(&expected.linear);
            expected.linear += gravity * (self.physics.mass * (t as f64 - 0.5) * self.clip.dt());
            expected.angular += centers[t - 1].cross(&expected.linear);
        }
        Ok((momentum - expected, about))
    }

    /// Change of momentum since the step before, less what pull and drag did meanwhile.
    fn change_less_forces(&self, t: usize) -> Result<(Momentum, f64), Error> {
        let inertia = self.physics.inertia.as_ref();
        let (momentum, about) = self.of_part(inertia, t)?;
        let (before, kick) =
            if t == 1 { (self.job.law.momentum(), 0.5 * self.clip.dt()) } else { (self.of_part(inertia, t - 1)?.0, self.clip.dt()) };
        let (drag, dragged) = self.of_part(self.physics.drag.as_ref(), t)?;
        let pull = self.pull(t - 1);
        Ok((momentum - before + (drag - pull) * kick, about + (dragged + pull.linear.norm()) * kick))
    }

    /// [`Scales::of_step`] of a metric that may not be there.
    fn of_part(&self, metric: Option<&Metric>, t: usize) -> Result<(Momentum, f64), Error> {
        metric.map_or(Ok((Momentum::zero(), 0.0)), |metric| self.of_step(metric, t))
    }
}

/// The largest of: how far the origin of the shape rose or sank, in body lengths; by how much the shape tilted, radians. It shows poses that were
/// composed or carried on wrongly.
fn unevenness(track: &Track) -> f64 {
    let (first, length) = (track.poses[0], track.shape.body_length());
    let up = first.rotation.inverse() * Vector3::y();
    let uneven = |rise: f64, tilt: Vector3<f64>| (rise.abs() / length).max(tilt.norm());
    track.poses.iter().map(|pose| uneven(pose.translation.y - first.translation.y, pose.rotation * up - Vector3::y())).fold(0.0, f64::max)
}

/// How deep a point is below the floor, in body lengths; and the largest push on a body that does not touch it, times its gap, as a share of the
/// largest push times the body's length. They show a contact that was missed, and one that was kept too long.
fn floor_faults(floor: &Floor, track: &Track) -> (f64, f64) {
    let (push, length) = (track.series("floor_force").unwrap_or_default(), track.shape.body_length());
    let largest = push.iter().copied().fold(0.0, f64::max);
    let (mut depth, mut lift) = (0.0_f64, 0.0_f64);
    // Frame 0 has the push of the step to come.
    for (k, pose) in track.poses.iter().enumerate().skip(1) {
        let gap = track.shape.frame(k).iter().map(|point| pose.act(point).y - floor.height).fold(f64::INFINITY, f64::min);
        depth = depth.max(-gap / length);
        if largest > 0.0 {
            lift = lift.max(push[k].abs() / largest * gap.abs() / length);
        }
    }
    (depth, lift)
}
