//! The momentum to start with: of a rigid motion, or of a recording.

use nalgebra::Vector3;

use super::{Law, ShapeChange};
use crate::Error;
use crate::integrate::momentum_match::discrete_momenta;
use crate::lie::{Momentum, Pose, Twist};
use crate::medium::{Metric, MetricFrame};
use crate::shape::Clip;

impl ShapeChange {
    /// The momentum of the first shape, standing at `start`, if it moved rigidly: `velocity` is in the world frame, angular velocity,
    /// then the velocity of the centre of mass. With an added mass, that of body and fluid.
    ///
    /// # Errors
    /// The law has no inertia, the mass rule does not fit the clip, or the shape has no mass.
    pub fn rigid_momentum(&self, clip: &Clip, velocity: &Twist) -> Result<Momentum, Error> {
        let state = self.begin(&clip.shape(0, &self.masses)?)?;
        let (shape, center) = (&state.old.inertia, self.start.act(&state.old.center()));
        if shape.is_empty() {
            return Err(no_inertia());
        }
        let turn = self.start.rotation;
        let parts = shape.samples().map(|sample| {
            let place = self.start.act(&sample.point);
            let v = velocity.angular.cross(&(place - center)) + velocity.linear;
            Momentum::of_force_at(turn * sample.times(&(turn.inverse() * v)), &place)
        });
        Ok(parts.sum())
    }

    /// The momentum of a recorded motion, where `poses[k]` placed frame k.
    ///
    /// Under least action: spin about the centre of mass, on average over all frames; linear momentum at the start, as the centre of mass then
    /// moves under `gravity`. In an ideal fluid: the mean over all frames. With inertia and drag: that of the first step.
    ///
    /// # Errors
    /// Fewer than two poses, the law has no inertia, the mass rule does not fit the clip, or a shape has no mass.
    pub fn recorded_momentum(&self, clip: &Clip, poses: &[Pose], gravity: &Vector3<f64>) -> Result<Momentum, Error> {
        if poses.len() < 2 {
            return Err(Error::Length { what: "recorded poses", expected: 2, found: poses.len() });
        }
        let physics = self.physics(&clip.shape(0, &self.masses)?)?;
        let Some(metric) = physics.inertia else { return Err(no_inertia()) };
        match self.law {
            Law::InertiaAndDrag { .. } => mean_momentum(&metric, clip, &poses[..2]),
            Law::LeastAction { .. } => free_fall_momentum(&metric, clip, poses, gravity),
            _ => mean_momentum(&metric, clip, poses),
        }
    }
}

fn no_inertia() -> Error {
    Error::Degenerate { frame: 0, reason: "least dissipation has no momentum; use least action, the ideal fluid, or inertia and drag" }
}

/// Tells `each` the old frame, its pose and the physical world momentum of every step of a recording.
fn each_step(metric: &Metric, clip: &Clip, poses: &[Pose], mut each: impl FnMut(&MetricFrame, &Pose, Momentum)) -> Result<(), Error> {
    let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
    metric.evaluate(clip, 0, &mut old)?;
    for (k, pair) in poses.windows(2).enumerate() {
        metric.evaluate(clip, k + 1, &mut new)?;
        let mu = discrete_momenta(&old, &new, &(pair[0].inverse() * pair[1]));
        each(&old, &pair[0], pair[0].momentum_to_world(&(mu * (-0.5 / clip.dt()))));
        std::mem::swap(&mut old, &mut new);
    }
    Ok(())
}

fn mean_momentum(metric: &Metric, clip: &Clip, poses: &[Pose]) -> Result<Momentum, Error> {
    let mut sum = Momentum::zero();
    each_step(metric, clip, poses, |_, _, momentum| sum += momentum)?;
    Ok(sum * (1.0 / (poses.len() - 1) as f64))
}

fn free_fall_momentum(metric: &Metric, clip: &Clip, poses: &[Pose], gravity: &Vector3<f64>) -> Result<Momentum, Error> {
    let (mut spin, mut push, mut half_steps) = (Vector3::zeros(), Vector3::zeros(), 0.5);
    let mut first = None;
    each_step(metric, clip, poses, |old, pose, momentum| {
        let center = pose.act(&old.center());
        first.get_or_insert(center);
        spin += momentum.angular - center.cross(&momentum.linear);
        // Half a step late, and slower or faster by what gravity did since the start.
        push += momentum.linear - gravity * (old.trace() / 3.0 * half_steps * clip.dt());
        half_steps += 1.0;
    })?;
    let steps = (poses.len() - 1) as f64;
    let linear = push / steps;
    Ok(Momentum { angular: spin / steps + first.unwrap_or_default().cross(&linear), linear })
}
