//! A vehicle of a scene that is driven by recorded controls.

use std::ops::ControlFlow;

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::piloted::Piloted;
use holonomy::integrate::variational::ForcePoint;
use holonomy::lie::Twist;
use holonomy::motion::Motion;
use holonomy::shape;
use holonomy::systems::vehicle::Drive;

use super::Physics;
use super::figure::VehicleFigure;
use super::wake::Wet;
use crate::Error;
use crate::loaded::LoadedBody;
use crate::scene::{self, Vehicle, VehicleBody};
use crate::suggest::did_you_mean;

struct Driven<V: Controlled<N, M>, const N: usize, const M: usize> {
    drive: Drive<V, N, M>,
    figure: VehicleFigure,
    /// The water around it.
    wet: Option<Wet>,
}

impl<V: Controlled<N, M>, const N: usize, const M: usize> Physics for Driven<V, N, M> {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let motion = self.drive.run(&self.figure, progress)?;
        self.wet.iter().try_fold(motion, |motion, wet| wet.around(motion, progress))
    }
}

/// What a vehicle is, for whoever takes any of them.
pub(super) trait Visitor {
    /// Takes a vehicle; whether it stays on the ground says `flat`.
    fn take<V: Controlled<N, M> + 'static, const N: usize, const M: usize>(self, vehicle: V, flat: bool)
    -> Result<Box<dyn Physics>, Error>;
}

/// Shows `visitor` the vehicle of `body`; a craft steps with forces at `force_point`.
pub(super) fn visit(
    body: &LoadedBody,
    refused: &dyn Fn(holonomy::Error) -> Error,
    force_point: ForcePoint,
    visitor: impl Visitor,
) -> Result<Box<dyn Physics>, Error> {
    match &vehicle_of(body)?.vehicle {
        Vehicle::Helicopter(craft) => visitor.take(Piloted::new(*craft).map_err(refused)?.forced_at(force_point), false),
        Vehicle::Quadrotor(craft) => visitor.take(Piloted::new(*craft).map_err(refused)?.forced_at(force_point), false),
        Vehicle::Underwater(craft) => visitor.take(Piloted::new(*craft).map_err(refused)?.forced_at(force_point), false),
        Vehicle::Zeppelin(ship) => {
            visitor.take(Piloted::new(ship.airship().map_err(refused)?).map_err(refused)?.forced_at(force_point), false)
        }
        Vehicle::Boat(craft) => visitor.take(Piloted::new(craft.clone()).map_err(refused)?.forced_at(force_point), false),
        Vehicle::PlanarBoat(boat) => visitor.take(*boat, true),
        Vehicle::Car(car) => visitor.take(*car, true),
        Vehicle::Trailer(trailer) => visitor.take(*trailer, true),
        Vehicle::Snakeboard(board) => visitor.take(*board, true),
    }
}

pub(super) fn vehicle_of(body: &LoadedBody) -> Result<&VehicleBody, Error> {
    body.vehicle.as_ref().ok_or_else(|| {
        let kinds = "helicopter, quadrotor, zeppelin, underwater, boat, planar-boat, car, trailer or snakeboard";
        Error::Choice(format!("the body `{}` is no vehicle, so it cannot be driven; use {kinds}", body.name))
    })
}

/// Where the body starts, and its velocity in its own frame.
pub(super) fn start(body: &LoadedBody) -> (holonomy::lie::Pose, Twist) {
    let (pose, velocity) = (body.start(), body.start.twist());
    let back = pose.rotation.inverse();
    (pose, Twist::new(back * velocity.angular, back * velocity.linear))
}

/// The place of a name in a list; an error that lists all if it is not there.
pub(super) fn named(what: &str, name: &str, names: &[&str]) -> Result<usize, Error> {
    names.iter().position(|known| *known == name).ok_or_else(|| {
        let near = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Error::Choice(format!("the vehicle has no {what} `{name}`{near}\n  it has: {}", names.join(", ")))
    })
}

pub(super) fn driven(
    settings: &scene::Driving,
    body: &LoadedBody,
    fps: f64,
    steps: usize,
    refused: &dyn Fn(holonomy::Error) -> Error,
) -> Result<Box<dyn Physics>, Error> {
    visit(body, refused, ForcePoint::Middle, Driver { settings, body, fps, steps, refused })
}

struct Driver<'a> {
    settings: &'a scene::Driving,
    body: &'a LoadedBody,
    fps: f64,
    steps: usize,
    refused: &'a dyn Fn(holonomy::Error) -> Error,
}

impl Visitor for Driver<'_> {
    fn take<V: Controlled<N, M> + 'static, const N: usize, const M: usize>(
        self,
        vehicle: V,
        _flat: bool,
    ) -> Result<Box<dyn Physics>, Error> {
        let names = vehicle.controls().map(|control| control.name);
        let between = match self.settings.between {
            scene::Between::Smooth => shape::Between::Smooth,
            scene::Between::Linear => shape::Between::Linear,
        };
        let mut controls = vec![None; M];
        for (name, keys) in &self.settings.controls {
            let keys = keys.iter().map(|(time, value)| (time.si(), value.si())).collect();
            controls[named("control", name, &names)?] = Some(shape::Channel::keys(keys, between).map_err(self.refused)?);
        }
        let (pose, twist) = start(self.body);
        let figure = VehicleFigure { model: vehicle_of(self.body)?.model.clone(), joints: vehicle.joint_names() };
        let drive = Drive {
            start: vehicle.at(&pose, &twist),
            vehicle,
            controls,
            dt: 1.0 / self.fps,
            steps: self.steps,
            substeps: self.settings.substeps.get(),
        };
        let wet = self.settings.waves.as_ref().map(|grid| Wet::new(grid, self.settings.water, &figure.model, Vec::new()));
        Ok(Box::new(Driven { drive, figure, wet }))
    }
}
