//! A vehicle of a scene that finds its own way.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::variational::ForcePoint;
use holonomy::lie::{Pose, Twist};
use holonomy::motion::Motion;
use holonomy::systems::plan::{Duration, Plan};

use super::figure::{VehicleFigure, balls};
use super::vehicle::{Visitor, named, start, vehicle_of, visit};
use super::wake::Wet;
use super::{Physics, Run};
use crate::Error;
use crate::loaded::LoadedBody;
use crate::scene::{self, Place};

/// A plan that may arrive sooner takes at least this part of its time.
const SOONEST: f64 = 0.02;

struct Planning<V: Controlled<N, M>, const N: usize, const M: usize> {
    plan: Plan<V, N, M>,
    figure: VehicleFigure,
    fps: f64,
    /// The water around it.
    wet: Option<Wet>,
}

impl<V: Controlled<N, M>, const N: usize, const M: usize> Physics for Planning<V, N, M> {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let seconds = match self.plan.duration {
            Duration::Fixed(seconds) | Duration::Free { most: seconds, .. } => seconds,
        };
        let per_interval = (seconds / self.plan.intervals as f64 * self.fps).round().max(1.0);
        let motion = self.plan.run(&self.figure, per_interval as usize, progress)?;
        self.wet.iter().try_fold(motion, |motion, wet| wet.around(motion, progress))
    }
}

pub(super) fn planned(
    settings: &scene::Plan,
    body: &LoadedBody,
    fps: f64,
    Run { steps, folder, refused }: Run,
) -> Result<Box<dyn Physics>, Error> {
    visit(body, refused, ForcePoint::Start, Planner { settings, body, fps, steps, folder, refused })
}

struct Planner<'a> {
    settings: &'a scene::Plan,
    body: &'a LoadedBody,
    fps: f64,
    steps: usize,
    folder: &'a Path,
    refused: &'a dyn Fn(holonomy::Error) -> Error,
}

impl Visitor for Planner<'_> {
    fn take<V: Controlled<N, M> + 'static, const N: usize, const M: usize>(
        self,
        vehicle: V,
        flat: bool,
    ) -> Result<Box<dyn Physics>, Error> {
        let (settings, model) = (self.settings, &vehicle_of(self.body)?.model);
        let (pose, twist) = start(self.body);
        let goal = settings.goal.pose(Pose::identity());
        let (back, velocity) = (goal.rotation.inverse(), settings.goal.twist());
        let goal = vehicle.at(&goal, &Twist::new(back * velocity.angular, back * velocity.linear));
        let own = vehicle.controls();
        let (names, joints) = (own.map(|control| control.name), vehicle.joint_names());
        let figure = VehicleFigure { model: model.clone(), joints };
        let seconds = self.steps as f64 / self.fps;
        let mut plan = {
            let start = vehicle.at(&pose, &twist);
            Plan::new(vehicle, start, goal, seconds, settings.intervals.get())
        };
        if settings.free_time {
            plan.duration = Duration::Free { least: SOONEST * seconds, most: seconds };
        }
        plan.cost.effort.iter_mut().for_each(|weight| *weight *= settings.minimise.effort.si());
        plan.cost.time = settings.minimise.time.si();
        plan.cost.distance = settings.minimise.distance.si();
        plan.cost.joints = joints.iter().map(|name| if *name == "wheels" { 0.0 } else { settings.minimise.steering.si() }).collect();
        plan.limits.speed = settings.speed.map(|speed| speed.si());
        plan.limits.controls = own.iter().map(|control| control.range).collect();
        for (name, range) in &settings.controls {
            plan.limits.controls[named("control", name, &names)?] = *range;
        }
        plan.limits.joints = vec![[f64::NEG_INFINITY, f64::INFINITY]; joints.len()];
        for (name, range) in &settings.joints {
            plan.limits.joints[named("joint", name, joints)?] = range.map(|angle| angle.si());
        }
        plan.limits.region = settings.region.map(|corners| corners.map(Place::metres));
        plan.via = settings.via.iter().map(|place| place.metres()).collect();
        let obstacles = settings.obstacles.iter().map(|obstacle| obstacle.engine(self.folder, self.refused));
        plan.obstacles = obstacles.collect::<Result<_, _>>()?;
        plan.hull = balls(model, flat);
        plan.clearance = settings.clearance.si();
        let wet = settings.waves.as_ref().map(|grid| Wet::new(grid, settings.water, model, plan.obstacles.clone()));
        Ok(Box::new(Planning { plan, figure, fps: self.fps, wet }))
    }
}
