//! Integrators side by side: a free body or a car of a scene, by each of them, and what each costs on this machine.

use std::ops::ControlFlow;
use std::time::Instant;

use holonomy::integrate::rigid_body::{Errors, Integrator, RigidBody, Study};
use holonomy::lie::{Pose, Twist};
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{Rotation3, UnitQuaternion, Vector3};
use holonomy::shape::{Inertia, Topology};
use holonomy::systems::comparison::{
    self, CarEquations, CarErrors, CarInputs, CarMethod, CarStudy, Curve, PoseError, Sample, Sinusoids, Tumbling,
};
use holonomy::systems::flow::Substance;
use holonomy::systems::vehicle::Car;

use super::Physics;
use super::figure::VehicleFigure;
use crate::Error;
use crate::loaded::LoadedBody;
use crate::scene::{self, Scene, Vehicle};

/// Those whose motion is shown beside the truth, in this order.
const SHOWN: [Integrator; 6] = [
    Integrator::Variational,
    Integrator::VariationalExponential,
    Integrator::Variational10,
    Integrator::RungeKutta4,
    Integrator::RungeKutta2,
    Integrator::Newmark,
];

/// Those of Kobilarov 2009, Fig. 4, with the other two tangents of its step.
const PAPER: [Integrator; 7] = [
    Integrator::Variational,
    Integrator::VariationalExponential,
    Integrator::VariationalCayley,
    Integrator::RungeKutta2,
    Integrator::RungeKutta2Implicit,
    Integrator::RungeKutta4,
    Integrator::Newmark,
];

/// Variational steps of higher order, and what they are compared with.
const HIGHER: [Integrator; 6] = [
    Integrator::Variational4,
    Integrator::Variational6,
    Integrator::Variational10,
    Integrator::Composed4,
    Integrator::Composed6,
    Integrator::RungeKutta4,
];

/// Told (step, steps), it may ask to stop.
type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

/// A car by what drives it, anything else as a free body.
pub(super) fn compared(
    settings: &scene::Comparison,
    scene: &Scene,
    body: &LoadedBody,
    steps: usize,
    refused: &dyn Fn(holonomy::Error) -> Error,
) -> Result<Box<dyn Physics>, Error> {
    if scene.named_bodies().len() > 1 {
        return Err(Error::Choice("a comparison takes one body, which it shows several times; the scene has more".into()));
    }
    let dt = 1.0 / scene.time.fps.si();
    match body.vehicle.as_ref().map(|vehicle| (&vehicle.vehicle, &vehicle.model)) {
        Some((Vehicle::Car(car), model)) => {
            let figure = VehicleFigure { model: model.clone(), joints: holonomy::integrate::controlled::Controlled::joint_names(car) };
            Ok(Box::new(DrivenCar { system: car_inputs(settings, car, body, dt, steps), figure }))
        }
        Some(_) => Err(Error::Choice(format!("of vehicles only a car can be compared; `{}` is none", body.name))),
        None => Ok(Box::new(Tumbler { system: tumbling(settings, body, dt, steps, refused)? })),
    }
}

fn car_inputs(settings: &scene::Comparison, car: &Car, body: &LoadedBody, dt: f64, steps: usize) -> CarInputs<Car> {
    let square = car.wheel_radius * car.wheel_radius;
    let equations = CarEquations {
        inertia: car.wheel_inertia + car.mass * square,
        turning: car.inertia * square / (car.length * car.length),
        wheel_radius: car.wheel_radius,
        length: car.length,
    };
    CarInputs {
        // The continuous equations know no stop of the steering.
        car: Car { steering_limit: f64::INFINITY, ..*car },
        equations,
        inputs: Sinusoids::random(settings.inputs.get(), settings.seed.get() as u64),
        shown: settings.shown.iter().map(|number| number.get()).collect(),
        start: body.start(),
        apart: -Vector3::z() * settings.apart.si(),
        dt,
        steps,
    }
}

fn tumbling(
    settings: &scene::Comparison,
    body: &LoadedBody,
    dt: f64,
    steps: usize,
    refused: &dyn Fn(holonomy::Error) -> Error,
) -> Result<Tumbling, Error> {
    let inertia = inertia(body).ok_or_else(|| {
        let fix = "use one that is made of something, such as box, ellipsoid or pebble; or a car";
        Error::Choice(format!(
            "the body `{}` has no mass of its own or changes its shape, so it cannot be compared as a free body; {fix}",
            body.name
        ))
    })?;
    let inertia = inertia.map_err(refused)?;
    let principal = inertia.principal_axes().map_err(refused)?;
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(principal.axes));
    let axes = Pose::from_rotation_translation(rotation, inertia.center().map_err(refused)?);
    let rigid = RigidBody { moments: principal.moments, mass: inertia.mass };
    let (pose, velocity) = (body.start() * axes, body.start.twist());
    let back = pose.rotation.inverse();
    let start = rigid.moving(pose, &Twist::new(back * velocity.angular, back * velocity.linear));
    Ok(Tumbling {
        body: rigid,
        start,
        shape: body.shape.clip.clone(),
        axes,
        integrators: SHOWN.into(),
        apart: -Vector3::y() * settings.apart.si(),
        dt,
        stride: (settings.step.si() / dt).round().max(1.0) as usize,
        steps,
    })
}

/// Of a rigid body that is made of something.
fn inertia(body: &LoadedBody) -> Option<Result<Inertia, holonomy::Error>> {
    let clip = &body.shape.clip;
    let Topology::Surface { faces } = clip.topology() else { return None };
    if clip.frames() > 1 {
        return None;
    }
    let points = clip.frame(0);
    Some(match body.substance.as_ref()? {
        Substance::Uniform(material) => Inertia::of_parts(points, faces, &vec![0; faces.len()], &[*material]),
        Substance::Parts { labels, materials } => Inertia::of_parts(points, faces, labels, materials),
        Substance::Masses(masses) => Inertia::of_points(points, masses),
    })
}

/// A free body by several integrators.
struct Tumbler {
    system: Tumbling,
}

impl Physics for Tumbler {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let mut motion = self.system.run(progress)?;
        if motion.outcome != Outcome::Done {
            return Ok(motion);
        }
        let study = Study::new();
        let measure = |integrator: &Integrator, per_second: usize| {
            let (poses, seconds) = timed(|| study.poses(*integrator, per_second));
            let seconds = seconds / study.bodies().len() as f64;
            let Errors { rotation, position, blown_up, .. } = study.errors(&poses);
            Sample { steps: Study::SECONDS * per_second, position, rotation, blown_up, seconds }
        };
        let name = |integrator: &Integrator| integrator.name();
        let Some(curves) = curves(&Integrator::ALL, name, &[1, 2, 3, 5, 7, 10, 20, 50, 100], measure, progress) else {
            return Ok(without_charts(motion));
        };
        let among = |these: &[Integrator]| -> Vec<Curve> {
            let named = |curve: &&Curve| these.iter().any(|integrator| integrator.name() == curve.name);
            curves.iter().filter(named).cloned().collect()
        };
        let (paper, higher) = (among(&PAPER), among(&HIGHER));
        let [position, rotation] = [PoseError::Position, PoseError::Rotation];
        motion.charts.extend([
            comparison::error_by_steps("Position: 20 bodies that travel, 4 minutes", position, &paper),
            comparison::error_by_steps("Rotation of the same bodies", rotation, &paper),
            comparison::blown_up_by_steps("How many of the 20 blow up", &curves),
            comparison::error_by_cost("Position by cost", position, &paper),
            comparison::error_by_cost("Rotation by cost", rotation, &paper),
            comparison::error_by_steps("Position with variational steps of higher order, beside RK4", position, &higher),
            comparison::error_by_steps("Rotation with them", rotation, &higher),
            comparison::error_by_cost("Rotation with them by cost", rotation, &higher),
        ]);
        let order = |error, name| curves.first().map(|ours| ours.order_check(error, name, 2.0));
        motion.checks.extend(order(position, "order of the variational step in position, off 2"));
        motion.checks.extend(order(rotation, "order of the variational step, off 2"));
        Ok(motion)
    }
}

/// A car by sinusoids.
struct DrivenCar {
    system: CarInputs<Car>,
    figure: VehicleFigure,
}

impl Physics for DrivenCar {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let mut motion = self.system.run(&self.figure, progress)?;
        if motion.outcome != Outcome::Done {
            return Ok(motion);
        }
        let study = CarStudy::new(&self.system);
        let measure = |method: &CarMethod, per_second: usize| {
            let (poses, seconds) = timed(|| self.system.poses(*method, per_second));
            let seconds = seconds / self.system.inputs.len() as f64;
            let CarErrors { position, rotation, blown_up } = study.errors(&poses);
            Sample { steps: CarStudy::SECONDS * per_second, position, rotation, blown_up, seconds }
        };
        let name = |method: &CarMethod| method.name();
        let Some(curves) = curves(&CarMethod::ALL, name, &[1, 2, 5, 10, 20, 40, 80, 160], measure, progress) else {
            return Ok(without_charts(motion));
        };
        let [position, rotation] = [PoseError::Position, PoseError::Rotation];
        let by_steps = format!("{} drives of a minute: the variational step beats RK2, RK4 beats both", self.system.inputs.len());
        motion.charts.push(comparison::error_by_steps(&by_steps, position, &curves));
        motion.charts.push(comparison::error_by_steps("Rotation of the same cars", rotation, &curves));
        motion.charts.push(comparison::error_by_cost("By cost: RK4 wins below 10 cm", position, &curves));
        motion.checks.extend(curves.first().map(|ours| ours.order_check(position, "order of the variational step, off 2", 2.0)));
        Ok(motion)
    }
}

/// Each method with each number of steps a second; `None` if `progress` asks to stop.
fn curves<M>(
    methods: &[M],
    name: impl Fn(&M) -> &'static str,
    steps_per_second: &[usize],
    measure: impl Fn(&M, usize) -> Sample,
    progress: Progress,
) -> Option<Vec<Curve>> {
    let all = methods.len() * steps_per_second.len();
    let mut curves: Vec<Curve> = Vec::with_capacity(methods.len());
    for (i, method) in methods.iter().enumerate() {
        let mut points = Vec::with_capacity(steps_per_second.len());
        for (j, &per_second) in steps_per_second.iter().enumerate() {
            if progress(i * steps_per_second.len() + j + 1, all).is_break() {
                return None;
            }
            points.push(measure(method, per_second));
        }
        curves.push(Curve { name: name(method).into(), points });
    }
    Some(curves)
}

/// What it makes, and how long that takes at best: what is over soon is done again, since the first time may find the processor asleep.
fn timed<T>(make: impl Fn() -> T) -> (T, f64) {
    let once = || {
        let begun = Instant::now();
        let made = make();
        (made, begun.elapsed().as_secs_f64())
    };
    let (made, mut least) = once();
    let mut spent = least;
    for _ in 0..4 {
        if spent > ENOUGH {
            break;
        }
        let (_, again) = once();
        (least, spent) = (least.min(again), spent + again);
    }
    (made, least)
}

/// Seconds after which a time is not taken again.
const ENOUGH: f64 = 0.05;

fn without_charts(mut motion: Motion) -> Motion {
    motion.outcome = Outcome::Interrupted { frame: motion.frames() };
    motion
}
