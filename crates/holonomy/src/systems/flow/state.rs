//! One frame at a time: the interactive form, which `run` loops over.

use nalgebra::{Matrix6, Vector3};

use super::body::Body;
use super::{Flow, Substeps};
use crate::Error;
use crate::integrate::variational::{Forecast, Inertia, State, Step, Variational};
use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::medium::contact::{Contact, Held, Moving};
use crate::medium::{self, FlowField, Fluids, Load, Secant, buoyancy};
use crate::shape::{Clip, Note, Playback, Topology};

/// A body on its way: where it is, how it moves, and the memory for its next step. Made by [`Flow::begin`].
#[derive(Debug, Clone)]
pub struct FlowState {
    pub(super) body: Body,
    contact: Contact,
    /// What the last steps teach about the next.
    secant: Secant,
    forecast: Forecast,
    last_step: f64,
    /// U: the steady part of the flow, m/s. The body is followed by one who is carried along by it, to whom the fluid is at rest: its added mass is
    /// then right (Galileo), and nothing else changes.
    stream: Vector3<f64>,
    /// The rest of the flow.
    gusts: FlowField,
    /// Pose and momentum, as seen from there.
    node: State,
    /// Velocity during the last step, body frame, as seen from there.
    twist: Twist,
    /// How drag changed with the twist in the last step.
    drag_by_twist: Matrix6<f64>,
    inertia: Inertia,
    time: f64,
    work: Work,
    /// Kinetic and potential energy at the start, and the largest kinetic energy so far, J.
    first_energy: f64,
    most_kinetic: f64,
}

/// Work done on the body since the start, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// By lift and drag.
    pub drag: f64,
    /// By weight.
    pub weight: f64,
    /// By buoyancy, and by the pressure of a flow that speeds up.
    pub buoyancy: f64,
    /// By thrust and the user's wrench.
    pub thrust: f64,
    /// By the ground: what impacts and friction took.
    pub ground: f64,
}

/// What came of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Where the shape now stands.
    pub pose: Pose,
    /// World position of its centre of mass, metres.
    pub center: Vector3<f64>,
    /// Velocity during the last step, body frame, about the body's origin.
    pub twist: Twist,
    /// Momentum of body and fluid, world frame about the world origin.
    pub momentum: Momentum,
    /// Kinetic energy of body and fluid, J.
    pub kinetic_energy: f64,
    /// Potential energy of weight and buoyancy, J.
    pub potential_energy: f64,
    /// Work since the start.
    pub work: Work,
    /// Reynolds number; infinite without viscosity.
    pub reynolds: f64,
    /// How far the lowest point is above the ground, metres; infinite without one.
    pub gap: f64,
    /// Steps taken.
    pub substeps: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest scaled residual of a step.
    pub residual: f64,
    /// Largest angle by which the body turned in one step, radians.
    pub turn: f64,
    /// How far friction on the ground was from Coulomb's law in the worst step, shares of the body's size ([`Contact::violation`]).
    pub violation: f64,
    /// Why it went wrong, if it did; the state is then of no further use.
    pub trouble: Option<Trouble>,
}

/// Why a body cannot go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trouble {
    /// No solution for a step, however short.
    Stalled {
        /// The shortest step tried, seconds.
        time_step: f64,
    },
    /// Energy grew, and nothing was there to give it.
    Energy {
        /// By how much, J.
        gained: f64,
        /// The face with the largest power, from 0.
        face: usize,
    },
    /// Too fast for what is modelled here.
    Speed {
        /// m/s.
        speed: f64,
    },
}

/// More steps than this in one frame do not happen by choice.
const MOST_SUBSTEPS: f64 = 1000.0;

/// A step shorter than this share of a frame is a sign that there is none.
const SHORTEST: f64 = 1e-6;

/// Turn in radians and travel in radii that a step stays within.
const SHORT: f64 = 0.2;

/// Share of its velocity that drag may take from a body within a step: beyond 2 the step of second order rings.
const STIFF: f64 = 0.7;

/// Energy gained without a source, as a share of the largest kinetic energy, beyond which a run is stopped: the integrator's own oscillation is below.
const ENERGY_SLACK: f64 = 0.05;

/// Beyond this, m/s, no fluid is incompressible.
const FASTEST: f64 = 1e4;

impl Flow {
    /// A body at [`Flow::start`] whose shape may change; `shape` is its first, metres.
    ///
    /// # Errors
    /// It is no surface, a parameter is out of range, a position is not finite, or there is no mass.
    pub fn begin(&self, topology: &Topology, shape: &[Vector3<f64>]) -> Result<FlowState, Error> {
        self.begin_shape(topology, shape, true)
    }

    /// A body that keeps its shape: its inertia is found once.
    ///
    /// # Errors
    /// As [`Flow::begin`].
    pub fn begin_rigid(&self, topology: &Topology, shape: &[Vector3<f64>]) -> Result<FlowState, Error> {
        self.begin_shape(topology, shape, false)
    }

    pub(super) fn begin_clip(&self, clip: &Clip) -> Result<FlowState, Error> {
        self.begin_shape(clip.topology(), clip.frame(0), clip.frames() > 1)
    }

    fn begin_shape(&self, topology: &Topology, shape: &[Vector3<f64>], changes: bool) -> Result<FlowState, Error> {
        self.validate()?;
        let Topology::Surface { faces } = topology else {
            let reason = "a body in a flow needs a surface that the fluid can push on; give a triangle mesh, not a curve, points or bones";
            return Err(Error::Degenerate { frame: 0, reason });
        };
        Clip::new(topology.clone(), Playback::Once, 1.0, shape.len(), shape.to_vec())?;
        let mut body = Body::new(self, shape, faces, changes)?;
        let (inertia, _) = body.inertia(&self.fluids, &self.start, &Twist::zero())?;
        let center = body.moving.inertia.center()?;
        if inertia.tensor.cholesky().is_none() {
            let reason = "the body has mass but no extent: nothing resists its turning; give it some size or more masses";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        let back = self.start.rotation.inverse();
        let angular = back * self.velocity.angular;
        let stream = self.flow.steady();
        let twist = Twist::new(angular, back * (self.velocity.linear - stream) - angular.cross(&center));
        let mut state = FlowState {
            body,
            contact: Contact::new(self.friction)?,
            secant: Secant::default(),
            forecast: Forecast::default(),
            last_step: 0.0,
            stream,
            gusts: self.flow.unsteady(),
            node: State::moving(self.start, &twist, &inertia),
            twist,
            drag_by_twist: Matrix6::zeros(),
            inertia,
            time: 0.0,
            work: Work::default(),
            first_energy: 0.0,
            most_kinetic: 0.0,
        };
        let report = self.report(&state);
        (state.first_energy, state.most_kinetic) = (report.kinetic_energy + report.potential_energy, report.kinetic_energy);
        if self.lift_and_drag {
            state.body.drag.immerse(&self.fluids, &state.gusts, &self.start, 0.0);
            state.drag_by_twist = state.body.drag.load(&twist).by_twist;
        }
        Ok(state)
    }

    /// Goes on by `dt` seconds, in which the shape becomes `shape` (`None`: stays as it is); `wrench` (world axes, torque about the centre of mass) acts
    /// meanwhile, beside the job's own thrust. Nothing is allocated, but by the boundary-element model.
    ///
    /// # Errors
    /// The shape has another number of vertices or is not finite, the body was begun as rigid, `dt` is not positive, or the wrench is not finite.
    pub fn step(&self, state: &mut FlowState, shape: Option<&[Vector3<f64>]>, dt: f64, wrench: &Wrench) -> Result<StepReport, Error> {
        if let Some(shape) = shape {
            if !state.body.changes() {
                return Err(Error::Degenerate {
                    frame: 0,
                    reason: "the body was begun as rigid; begin it with `begin` if its shape changes",
                });
            }
            if state.body.vertices() != shape.len() {
                return Err(Error::TopologyChanges { frame: 0, expected: state.body.vertices(), found: shape.len() });
            }
            if let Some(vertex) = shape.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
                return Err(Error::NonFinitePosition { frame: 0, vertex, value: shape[vertex].into() });
            }
        }
        if !(dt.is_finite() && dt > 0.0) {
            return Err(Error::Parameter { name: "time step", value: dt, expected: "a finite number of seconds, more than zero" });
        }
        if !wrench.is_finite() {
            return Err(Error::Parameter { name: "wrench", value: f64::NAN, expected: "finite numbers" });
        }
        self.advance(state, shape, dt, wrench, None)
    }

    /// As [`Flow::step`]; `frame` is that of the cycle from which the step starts, if there is a cycle.
    pub(super) fn advance(
        &self,
        state: &mut FlowState,
        shape: Option<&[Vector3<f64>]>,
        dt: f64,
        wrench: &Wrench,
        frame: Option<usize>,
    ) -> Result<StepReport, Error> {
        state.body.aim_for(shape);
        state.body.look_ahead(state.time, dt, frame, &self.fluids)?;
        let (mut taken, mut step) = (Taken::default(), dt / self.substeps(state, dt));
        let mut done = 0.0;
        while dt - done > 1e-12 * dt {
            let rest = dt - done;
            let h = rest / (rest / step - 1e-9).ceil().max(1.0);
            state.body.take(done / dt, ((done + h) / dt).min(1.0), state.time, h)?;
            match self.substep(state, h, wrench, &mut taken)? {
                None => done += h,
                Some(shorter) if shorter > SHORTEST * dt => step = shorter,
                Some(time_step) => {
                    let trouble = Some(Trouble::Stalled { time_step });
                    return Ok(StepReport { trouble, residual: taken.stalled, ..self.report(state) });
                }
            }
        }
        state.body.arrive();
        let report = self.report(state);
        let Taken { substeps, iterations, residual, turn, violation, .. } = taken;
        state.most_kinetic = state.most_kinetic.max(report.kinetic_energy);
        let trouble = self.trouble(state, &report);
        Ok(StepReport { substeps, iterations, residual, turn, violation, trouble, ..report })
    }

    /// One step of the integrator; or, if there is no solution, a shorter step to try.
    fn substep(&self, state: &mut FlowState, h: f64, wrench: &Wrench, taken: &mut Taken) -> Result<Option<f64>, Error> {
        let solver = Variational { time_step: h, retraction: self.stepping.retraction, force_point: self.stepping.force_point };
        let carried = |pose: Pose, time: f64| Pose { translation: pose.translation + state.stream * time, ..pose };
        let (now, mid, then) = (state.time, state.time + 0.5 * h, state.time + h);
        let near = carried(solver.force_pose(&state.node, &state.inertia), mid);
        let was = state.body.fluid;
        let (inertia, left_behind) = state.body.inertia(&self.fluids, &near, &state.twist)?;
        let node = State { momentum: state.node.momentum - left_behind, ..state.node };
        // What changes little within the step is taken where the body will be, to first order, when forces act.
        let halfway = carried(solver.force_pose(&node, &inertia), mid);
        let placed = carried(node.pose, now);
        let stream = state.stream;
        if (state.last_step - h).abs() > 1e-9 * h {
            state.forecast = Forecast::default();
        }
        let expected = state.forecast.gain();
        let FlowState { body, contact, secant, .. } = state;
        body.drag.immerse(&self.fluids, &state.gusts, &halfway, mid);
        let displaced = body.displaced(body.middle(), &self.fluids, &self.gravity, &halfway);
        let moments = body.moving.inertia;
        let center = moments.first_moment / moments.mass;
        // Whether or not it has weight.
        let volumes = || body.displaced(body.middle(), &self.fluids, &Vector3::y(), &halfway);
        let surge = if self.flow.uniform().is_some() {
            Wrench::zero()
        } else {
            medium::surge(&self.flow, &volumes(), &body.fluid.tensor, &center, &halfway, mid)
        };
        let others = |pose: &Pose| {
            let lift =
                displaced.iter().map(|(density, displaced)| displaced.buoyancy(*density, &self.gravity, pose)).sum::<Wrench>() + surge;
            let back = pose.rotation.inverse();
            let pushed = Wrench::of_force_at(back * wrench.linear, &center) + Wrench::new(back * wrench.angular, Vector3::zeros());
            [buoyancy::weight(moments.mass, &center, &self.gravity, pose), lift, self.thrust + pushed]
        };
        let mut last = (Twist::zero(), Load::from(Wrench::zero()));
        let mut solve = |impulse: &Momentum| {
            let pushed = State { momentum: node.momentum + *impulse, ..node };
            let mut attempt = |secant: &mut Secant| {
                let mut drag = secant.on(&body.drag);
                solver.step_expecting(&expected, &pushed, &inertia, |pose, twist| {
                    let drag = if self.lift_and_drag { drag.load(twist) } else { Load::none(pose, twist) };
                    last = (*twist, drag);
                    drag + Load::from(others(pose).into_iter().sum::<Wrench>())
                })
            };
            match attempt(secant) {
                Step::Stalled { .. } => {
                    // What was learnt may have led astray.
                    *secant = Secant::default();
                    attempt(secant)
                }
                step => step,
            }
        };
        let step = match &self.ground {
            None => solve(&Momentum::zero()),
            Some(ground) => {
                let mut step = Step::Stalled { residual: f64::INFINITY, time_step: 0.5 * h };
                let (before, after) = body.ends();
                let effective = inertia.tensor - state.drag_by_twist * (solver.force_point.share_before() * h);
                // The ground does not move along: to it the body has the stream's velocity too.
                let along = Twist::new(Vector3::zeros(), node.pose.rotation.inverse() * stream);
                let moving = Moving { pose: placed, before, after, effective, twist: state.twist + along, time_step: h };
                let next = |twist: &Twist| {
                    let pose = node.pose * solver.retraction.pose(&((*twist - along) * h));
                    Pose { translation: pose.translation + stream * then, ..pose }
                };
                let held = contact.hold(ground, &moving, next, |impulse| {
                    step = solve(impulse);
                    if let Step::Advanced(advance) = &step { Some(advance.twist + along) } else { None }
                })?;
                if let Held::Failed { depth } = held { Step::Stalled { residual: depth, time_step: 0.5 * h } } else { step }
            }
        };
        let advance = match step {
            Step::Advanced(advance) => advance,
            Step::Stalled { residual, time_step } => {
                taken.stalled = residual;
                if matches!(self.fluids, Fluids::Layered { .. }) {
                    body.take_back(was);
                }
                return Ok(Some(time_step));
            }
        };
        let along = Twist::new(Vector3::zeros(), halfway.rotation.inverse() * stream);
        state.work.ground += 0.5 * contact.impulse().pair(&(advance.twist + state.twist + along * 2.0));
        let drag = if last.0 == advance.twist || !self.lift_and_drag {
            last.1
        } else {
            Load { wrench: body.drag.wrench(&advance.twist), ..last.1 }
        };
        let moved = (advance.twist + along) * h;
        let [weight, lift, thrust] = others(&halfway).map(|wrench| wrench.pair(&moved));
        state.work.drag += drag.wrench.pair(&moved);
        state.work.weight += weight;
        state.work.buoyancy += lift;
        state.work.thrust += thrust;
        (state.node, state.twist, state.inertia, state.drag_by_twist) = (advance.state, advance.twist, inertia, drag.by_twist);
        state.time += h;
        state.last_step = h;
        state.forecast.learn(&advance.gain);
        taken.substeps += 1;
        taken.iterations += advance.iterations;
        taken.residual = taken.residual.max(advance.residual);
        taken.violation = taken.violation.max(state.contact.violation());
        taken.turn = taken.turn.max(h * advance.twist.angular.norm()).max(h * state.body.part_rate(state.time, h));
        Ok(None)
    }

    /// Into how many steps to cut `dt`.
    fn substeps(&self, state: &FlowState, dt: f64) -> f64 {
        if let Substeps::Fixed(count) = self.stepping.substeps {
            return count.max(1) as f64;
        }
        let moments = state.body.moving.inertia;
        let (center, radius) = (moments.first_moment / moments.mass, state.radius());
        // Free fall within the frame is known beforehand.
        let speed = state.twist.velocity_at(&center).norm() + 0.5 * dt * self.gravity.norm();
        let turning = state.twist.angular.norm().max(state.body.part_rate(state.time, dt));
        let quickest = [turning / SHORT, speed / (SHORT * radius), state.drag_rate() / STIFF];
        (dt * quickest.into_iter().fold(0.0, f64::max)).ceil().clamp(1.0, MOST_SUBSTEPS)
    }

    /// Where the body is now.
    pub(super) fn report(&self, state: &FlowState) -> StepReport {
        let (twist, pose, body) = (state.twist, state.pose(), &state.body);
        let momentum = state.inertia.momentum(&twist);
        let shape = state.inertia.shape_momentum.pair(&twist);
        let moments = body.moving.inertia;
        // What the body has by being carried along.
        let along = pose.rotation.inverse() * state.stream;
        let own = twist.linear * moments.mass + twist.angular.cross(&moments.first_moment) + body.moving.momentum.linear;
        let carried = own.dot(&along) + 0.5 * moments.mass * along.norm_squared();
        let kinetic_energy = 0.5 * (momentum.pair(&twist) + shape) + body.moving.energy + body.fluid.energy + carried;
        let center = pose.act(&body.center());
        let level = if let Fluids::Layered { level, .. } = self.fluids { level } else { 0.0 };
        let surface = Vector3::y() * level;
        let lifted = |(density, displaced): &(f64, buoyancy::Displaced)| {
            density * self.gravity.dot(&(pose.rotation * displaced.moment + (pose.translation - surface) * displaced.volume))
        };
        let displaced: f64 = body.displaced(body.ends().1, &self.fluids, &self.gravity, &pose).iter().map(lifted).sum();
        let potential_energy = displaced - body.moving.inertia.mass * self.gravity.dot(&center);
        let fluid = match self.fluids {
            Fluids::One(fluid) => fluid,
            Fluids::Layered { level, below, above } => {
                if center.y < level {
                    below
                } else {
                    above
                }
            }
        };
        StepReport {
            pose,
            center,
            twist: state.twist(),
            momentum: state.momentum(),
            kinetic_energy,
            potential_energy,
            work: state.work,
            reynolds: body.drag.reynolds(&twist, &fluid),
            gap: self
                .ground
                .as_ref()
                .map_or(f64::INFINITY, |ground| body.ends().1.iter().map(|p| ground.gap(&pose.act(p)).0).fold(f64::INFINITY, f64::min)),
            substeps: 0,
            iterations: 0,
            residual: 0.0,
            turn: 0.0,
            violation: 0.0,
            trouble: None,
        }
    }

    /// Energy too small to be seen, J: it lifts the body by a millionth of its radius. What floats at rest has little else.
    pub(super) fn unseen(&self, state: &FlowState) -> f64 {
        1e-6 * state.mass() * self.gravity.norm() * state.radius()
    }

    /// Whether anything is wrong with what came out.
    fn trouble(&self, state: &FlowState, report: &StepReport) -> Option<Trouble> {
        let speed = report.twist.linear.norm();
        if speed.is_nan() || speed > FASTEST {
            return Some(Trouble::Speed { speed });
        }
        let alone = !state.body.changes() && self.flow.uniform() == Some(Vector3::zeros());
        let gained = report.kinetic_energy + report.potential_energy - report.work.thrust - state.first_energy;
        let rounding = 1e-9 * state.mass() * self.gravity.norm() * report.center.norm();
        if !alone || gained <= ENERGY_SLACK * state.most_kinetic + rounding + self.unseen(state) {
            return None;
        }
        let mut forces = Vec::new();
        state.body.drag.face_forces(&report.twist, &mut forces);
        let power = |f: usize| {
            let face = state.body.faces()[f];
            let center = face.iter().map(|&v| state.body.shape()[v as usize]).sum::<Vector3<f64>>() / 3.0;
            forces[f].dot(&report.twist.velocity_at(&center))
        };
        let face = (0..forces.len()).max_by(|&a, &b| power(a).total_cmp(&power(b))).unwrap_or(0);
        Some(Trouble::Energy { gained, face })
    }

    /// Checks the numbers.
    fn validate(&self) -> Result<(), Error> {
        let fluids = match self.fluids {
            Fluids::One(fluid) => [fluid; 2],
            Fluids::Layered { level, below, above } => {
                accept(level.is_finite(), "level of the surface", level, "a finite number of metres")?;
                let aslant = self.gravity.x.hypot(self.gravity.z);
                accept(aslant == 0.0, "gravity along the surface", aslant, "0 where one fluid lies on another")?;
                [below, above]
            }
        };
        for fluid in fluids {
            let sound = |x: f64| x.is_finite() && x >= 0.0;
            accept(sound(fluid.density), "density of the fluid", fluid.density, "a finite number of kg/m³, zero or more")?;
            accept(sound(fluid.viscosity), "viscosity of the fluid", fluid.viscosity, "a finite number of Pa s, zero or more")?;
        }
        self.flow.validate()?;
        let vectors = [("gravity", self.gravity), ("place of the start", self.start.translation)];
        let twists = [("velocity at the start", self.velocity.linear), ("angular velocity at the start", self.velocity.angular)];
        let thrust = [("thrust", self.thrust.linear), ("torque of the thrust", self.thrust.angular)];
        for (name, vector) in vectors.into_iter().chain(twists).chain(thrust) {
            vector.iter().try_for_each(|&x| accept(x.is_finite(), name, x, "a finite number"))?;
        }
        match self.stepping.substeps {
            Substeps::Fixed(0) => accept(false, "substeps", 0.0, "1 or more"),
            _ => Ok(()),
        }
    }
}

/// Steps taken within a frame.
#[derive(Default)]
struct Taken {
    substeps: usize,
    iterations: usize,
    residual: f64,
    turn: f64,
    violation: f64,
    /// Residual of the last attempt that had no solution.
    stalled: f64,
}

impl FlowState {
    /// Where the body is.
    pub fn pose(&self) -> Pose {
        Pose { translation: self.node.pose.translation + self.stream * self.time, ..self.node.pose }
    }

    /// Its velocity during the last step, body frame.
    pub fn twist(&self) -> Twist {
        self.twist + Twist::new(Vector3::zeros(), self.node.pose.rotation.inverse() * self.stream)
    }

    /// Momentum of body and fluid, world frame about the world origin. Forces change it, and fluid that is left behind at a surface; nothing else.
    pub fn momentum(&self) -> Momentum {
        let pose = self.pose();
        let carried = Momentum::of_force_at(self.stream * self.mass(), &pose.act(&self.body.center()));
        pose.momentum_to_world(&self.node.momentum) + carried
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Mass of the body, kg.
    pub fn mass(&self) -> f64 {
        self.body.moving.inertia.mass
    }

    /// K_f, the added mass in the present shape, body frame, order (angular, linear).
    pub fn added_mass(&self) -> Matrix6<f64> {
        self.body.fluid.tensor
    }

    /// The force of the fluid on each face, N, body frame, in the order of the faces; were there lift and drag.
    pub fn face_forces(&self, out: &mut Vec<Vector3<f64>>) {
        self.body.drag.face_forces(&self.twist, out);
    }

    /// What was decided or mended about the surface, for the user to know.
    pub fn notes(&self) -> Vec<Note> {
        self.body.notes()
    }

    /// Radius of gyration of the body, metres: root mean square distance from its centre of mass.
    pub(super) fn radius(&self) -> f64 {
        let moments = self.body.moving.inertia;
        let center = moments.first_moment / moments.mass;
        (moments.second_moment.trace() / moments.mass - center.norm_squared()).max(0.0).sqrt()
    }

    /// About how fast drag takes the body's velocity, 1/s: norm of K⁻¹ ∂F/∂Y.
    fn drag_rate(&self) -> f64 {
        let Some(factor) = self.inertia.tensor.cholesky() else { return 0.0 };
        let lower = factor.l();
        let half = lower.solve_lower_triangular(&self.drag_by_twist).unwrap_or_default();
        lower.solve_lower_triangular(&half.transpose()).map_or(0.0, |rate| rate.norm())
    }
}

impl Trouble {
    /// What to tell the user.
    pub(super) fn advice(&self, frame: usize, dt: f64) -> String {
        match self {
            Trouble::Stalled { time_step } => format!(
                "no step was found even after {time_step:.1e} s: the shape may jump, or a force be beyond all measure; look at frame {frame}, or \
                 ask for more frames per second than {:.0}",
                1.0 / dt
            ),
            Trouble::Energy { gained, face } => format!(
                "the body gained {gained:.3e} J that nothing gave it, most at face {face}: the steps are too long for it; ask for more substeps, or \
                 for more frames per second than {:.0}",
                1.0 / dt
            ),
            Trouble::Speed { speed } => {
                format!("the body moves at {speed:.3e} m/s, faster than this model holds: check densities, masses, sizes and thrust")
            }
        }
    }
}

fn accept(good: bool, name: &'static str, value: f64, expected: &'static str) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::Parameter { name, value, expected }) }
}
