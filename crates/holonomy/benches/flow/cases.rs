//! The cases: an ellipsoid in closed form, and the work that is timed.

use std::f64::consts::{PI, TAU};
use std::hint::black_box;
use std::time::Instant;

use holonomy::integrate::variational::{ForcePoint, Forecast, Inertia, Retraction, State, Step, Variational};
use holonomy::lie::{Pose, Twist, Wrench};
use holonomy::medium::{AddedMass, AddedMassState, FlowField, Fluid, FluidDensity, Fluids, Load, Secant, SurfaceForce};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{MassPoints, MovingMass, Pieces, Topology, surface};
use holonomy::systems::flow::{Flow, Stepping, Substance, Substeps};

use crate::timing::Rate;

const BODY: f64 = 1297.4;
const WATER: f64 = 998.0;
const TIME_STEP: f64 = 1.0 / 300.0;
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);
const SEMI_AXES: Vector3<f64> = Vector3::new(0.10, 0.05, 0.02);

const RULE: Variational = Variational { time_step: TIME_STEP, retraction: Retraction::Cayley, force_point: ForcePoint::Start };

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The shape changes.
    Full,
    Rigid,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Full => "full",
            Kind::Rigid => "rigid",
        }
    }
}

pub struct Case {
    pub kind: Kind,
    pub vertices: usize,
    pub faces: usize,
    steps: usize,
    /// The shapes at 0, h, 2h, …; one only for a rigid body.
    frames: Vec<Vec<Vector3<f64>>>,
    triangles: Vec<[u32; 3]>,
    masses: Vec<f64>,
    volume: f64,
}

/// What a case came to.
pub struct Measured {
    pub rate: Rate,
    /// Where the body ends, metres.
    pub position: Vector3<f64>,
    kind: Kind,
    vertices: usize,
    steps: usize,
    /// Newton steps, mean over the steps of time.
    pub newton: f64,
}

impl Case {
    /// All cases, made one at a time.
    pub fn all() -> impl Iterator<Item = Case> {
        let sizes = [(100, (25, 40)), (30, (80, 125)), (5, (250, 400))];
        [Kind::Full, Kind::Rigid].into_iter().flat_map(move |kind| sizes.map(|(steps, grid)| Case::new(kind, steps, grid)))
    }

    fn new(kind: Kind, steps: usize, grid: (usize, usize)) -> Case {
        let (rest, triangles) = ellipsoid(grid);
        let volume = surface::enclosed_volume(&rest, &triangles);
        let masses = vertex_masses(&rest, &triangles, BODY * volume);
        let frames = match kind {
            Kind::Full => (0..=steps).map(|k| undulating(&rest, k as f64 * TIME_STEP)).collect(),
            Kind::Rigid => vec![rest],
        };
        Case { kind, vertices: masses.len(), faces: triangles.len(), steps, frames, triangles, masses, volume }
    }

    pub fn measure(&self) -> Measured {
        let mut work = Work::new(self);
        let (state, newton) = work.run(self);
        let rate = Rate::of(self.steps, || {
            black_box(work.run(self));
        });
        let (kind, vertices, steps) = (self.kind, self.vertices, self.steps);
        Measured { rate, position: state.pose.translation, kind, vertices, steps, newton: newton as f64 / steps as f64 }
    }
}

impl Case {
    /// Milliseconds per step of [`Flow::step`], which also keeps account of energy and work, and finds what is displaced.
    pub fn through_flow(&self) -> f64 {
        let fluid = Fluid { density: WATER, viscosity: 0.0 };
        let mut job = Flow::new(Substance::Masses(self.masses.clone()), fluid);
        job.gravity = GRAVITY;
        job.start = start();
        job.stepping = Stepping { retraction: RULE.retraction, force_point: RULE.force_point, substeps: Substeps::Fixed(1) };
        let topology = Topology::Surface { faces: self.triangles.clone() };
        let begin = || match self.kind {
            Kind::Full => job.begin(&topology, &self.frames[0]).expect(SOUND),
            Kind::Rigid => job.begin_rigid(&topology, &self.frames[0]).expect(SOUND),
        };
        let first = begin();
        let mut state = first.clone();
        let rate = Rate::of(self.steps, || {
            state.clone_from(&first);
            for step in 0..self.steps {
                let next = (self.kind == Kind::Full).then_some(self.shapes(step).1);
                let _ = black_box(job.step(&mut state, next, TIME_STEP, &Wrench::zero()).expect(SOUND));
            }
        });
        1e3 / rate.cpu
    }
}

fn start() -> Pose {
    let turn = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
    Pose { rotation: turn(Vector3::y_axis(), 0.3) * turn(Vector3::x_axis(), 0.5), translation: Vector3::zeros() }
}

/// All memory of a body: a step makes none.
struct Work {
    added_mass: AddedMassState,
    drag: SurfaceForce,
    masses: MassPoints,
    middle: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    body: MovingMass,
    secant: Secant,
}

impl Work {
    fn new(case: &Case) -> Work {
        let rest = &case.frames[0];
        let (pieces, _) = Pieces::of(rest, &case.triangles).expect(SOUND);
        let added_mass = AddedMass::Local.prepare(rest, &case.triangles).expect(SOUND);
        let masses = MassPoints::given(case.masses.clone()).expect(SOUND);
        let (middle, velocities) = (rest.clone(), vec![Vector3::zeros(); rest.len()]);
        let drag = SurfaceForce::of_pieces(&pieces);
        Work { added_mass, drag, masses, middle, velocities, body: MovingMass::default(), secant: Secant::default() }
    }

    /// All steps from rest; where the body ends, and how many Newton steps it took.
    fn run(&mut self, case: &Case) -> (State, usize) {
        let mut inertia = self.inertia(case, 0);
        let mut state = State::moving(start(), &Twist::default(), &inertia);
        let (mut forecast, mut iterations) = (Forecast::default(), 0);
        for step in 0..case.steps {
            if step > 0 && case.kind == Kind::Full {
                inertia = self.inertia(case, step);
            }
            self.drag.immerse(&Fluids::One(Fluid { density: WATER, viscosity: 0.0 }), &FlowField::Still, &state.pose, 0.0);
            let gravity = state.pose.rotation.inverse() * GRAVITY;
            let body = self.body.inertia;
            let weight = Load::from(Wrench::new(body.first_moment.cross(&gravity), gravity * (body.mass - WATER * case.volume)));
            let mut drag = self.secant.on(&self.drag);
            let Step::Advanced(advance) = RULE.step_expecting(&forecast.gain(), &state, &inertia, |_, twist| weight + drag.load(twist))
            else {
                panic!("the step stalled");
            };
            forecast.learn(&advance.gain);
            (state, iterations) = (advance.state, iterations + advance.iterations);
        }
        (state, iterations)
    }

    /// Inertia of body and fluid in a step.
    fn inertia(&mut self, case: &Case, step: usize) -> Inertia {
        self.move_points(case, step);
        let velocities = (case.kind == Kind::Full).then_some(&self.velocities[..]);
        let fluid = self.added_mass.evaluate_with(&mut self.drag, &self.middle, velocities, FluidDensity::Uniform(WATER)).expect(SOUND);
        Inertia { tensor: self.body.inertia.matrix() + fluid.tensor, shape_momentum: self.body.momentum + fluid.momentum }
    }

    /// The middle shape of a step and its velocities, and the body's own moments.
    fn move_points(&mut self, case: &Case, step: usize) {
        let (old, new) = case.shapes(step);
        let rate = 1.0 / TIME_STEP;
        for (((old, new), middle), velocity) in old.iter().zip(new).zip(&mut self.middle).zip(&mut self.velocities) {
            (*middle, *velocity) = ((old + new) * 0.5, (new - old) * rate);
        }
        self.body = self.masses.evaluate(&self.middle, &self.velocities);
    }
}

const SOUND: &str = "the ellipsoid is sound";

/// Nanoseconds per face of each part of a step.
pub struct Parts {
    pub vertices: f64,
    pub faces_and_edges: f64,
    /// Faces alone, for drag.
    pub faces: f64,
    pub wrench: f64,
    pub derivative: f64,
}

impl Case {
    /// The shapes at both ends of a step.
    fn shapes(&self, step: usize) -> (&[Vector3<f64>], &[Vector3<f64>]) {
        match self.kind {
            Kind::Full => (&self.frames[step], &self.frames[step + 1]),
            Kind::Rigid => (&self.frames[0], &self.frames[0]),
        }
    }

    /// Steps per second of `bodies` bodies, each on a thread of its own, by the shortest wall time.
    pub fn together(&self, bodies: usize) -> f64 {
        let mut all: Vec<Work> = (0..bodies).map(|_| Work::new(self)).collect();
        let runs = 1 + 20_000_000 / (self.faces * self.steps * 40);
        let once = |all: &mut Vec<Work>| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for work in all.iter_mut() {
                    scope.spawn(|| {
                        (0..runs).for_each(|_| {
                            black_box(work.run(self));
                        })
                    });
                }
            });
            start.elapsed().as_secs_f64()
        };
        let shortest = (0..10).map(|_| once(&mut all)).fold(f64::INFINITY, f64::min);
        (bodies * runs * self.steps) as f64 / shortest
    }

    pub fn parts(&self) -> Parts {
        let mut work = Work::new(self);
        let time = |rate: Rate| 1e9 / rate.cpu;
        let vertices = time(Rate::of(self.faces, || work.move_points(self, 0)));
        let Work { added_mass, drag, middle, velocities, .. } = &mut work;
        let velocities = (self.kind == Kind::Full).then_some(&velocities[..]);
        let faces_and_edges = time(Rate::of(self.faces, || {
            black_box(added_mass.evaluate_with(drag, middle, velocities, FluidDensity::Uniform(WATER)).expect(SOUND));
        }));
        let faces = time(Rate::of(self.faces, || match velocities {
            Some(velocities) => drag.set_shape_with_velocities(middle, velocities).expect(SOUND),
            None => drag.set_shape(middle).expect(SOUND),
        }));
        drag.immerse(&Fluids::One(Fluid { density: WATER, viscosity: 0.0 }), &FlowField::Still, &Pose::identity(), 0.0);
        let twist = Twist::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.3, 0.2, 0.1));
        let wrench = time(Rate::of(self.faces, || {
            black_box(drag.wrench(black_box(&twist)));
        }));
        let derivative = time(Rate::of(self.faces, || {
            black_box(drag.load(black_box(&twist)));
        }));
        Parts { vertices, faces_and_edges, faces, wrench, derivative }
    }
}

impl Measured {
    pub fn json(&self) -> String {
        let [x, y, z]: [f64; 3] = self.position.into();
        format!(
            "{{\"name\": \"flow/{}/holonomy\", \"size\": {}, \"metric\": \"ms_per_step\", {}, \"steps\": {}, \"newton_per_step\": {:.3}, \
             \"check_position\": [{x:e}, {y:e}, {z:e}], \"threads\": 1}}",
            self.kind.name(),
            self.vertices,
            self.rate.json_cost(),
            self.steps,
            self.newton,
        )
    }
}

/// A sphere of `rows` circles of latitude and two poles along x, scaled.
fn ellipsoid((rows, columns): (usize, usize)) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let point = |i: usize, j: usize| {
        let (latitude, longitude) = (PI * (i + 1) as f64 / (rows + 1) as f64, TAU * j as f64 / columns as f64);
        Vector3::new(latitude.cos(), latitude.sin() * longitude.cos(), latitude.sin() * longitude.sin())
    };
    let rings = (0..rows).flat_map(|i| (0..columns).map(move |j| point(i, j)));
    let points = rings.chain([Vector3::x(), -Vector3::x()]).map(|p| p.component_mul(&SEMI_AXES)).collect();
    let at = |i: usize, j: usize| (i * columns + j % columns) as u32;
    let [first, last] = [rows * columns, rows * columns + 1].map(|v| v as u32);
    let mut faces: Vec<[u32; 3]> = (0..columns).map(|j| [first, at(0, j), at(0, j + 1)]).collect();
    for i in 0..rows - 1 {
        faces.extend((0..columns).map(|j| [at(i, j), at(i + 1, j), at(i + 1, j + 1)]));
        faces.extend((0..columns).map(|j| [at(i, j), at(i + 1, j + 1), at(i, j + 1)]));
    }
    faces.extend((0..columns).map(|j| [last, at(rows - 1, j + 1), at(rows - 1, j)]));
    (points, faces)
}

fn undulating(rest: &[Vector3<f64>], time: f64) -> Vec<Vector3<f64>> {
    rest.iter().map(|p| p + Vector3::y() * (0.01 * (TAU * (5.0 * p.x - time)).sin())).collect()
}

/// The mass of the whole, spread as the area is.
fn vertex_masses(points: &[Vector3<f64>], faces: &[[u32; 3]], mass: f64) -> Vec<f64> {
    let (mut normals, mut areas) = (vec![Vector3::zeros(); points.len()], vec![0.0; points.len()]);
    surface::normals_and_areas(points, faces, &mut normals, &mut areas);
    let total: f64 = areas.iter().sum();
    areas.iter().map(|area| mass * area / total).collect()
}
