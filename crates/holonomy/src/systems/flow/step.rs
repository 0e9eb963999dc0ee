//! One frame at a time: the interactive form, which `run` loops over.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::body::{Body, Turning};
use super::state::{FlowState, Forces, StepReport};
use super::trouble::Trouble;
use super::{Flow, Substeps};
use crate::Error;
use crate::integrate::variational::{Advance, Forecast, Inertia, State, Step, Variational};
use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::medium::buoyancy::{self, Displaced};
use crate::medium::contact::{Held, Moving};
use crate::medium::{self, FlowField, FluidInertia, Fluids, Load, Secant};

/// More steps than this in one frame do not happen by choice.
const MOST_SUBSTEPS: f64 = 1000.0;

/// After so many steps of the integrator it is asked whether to stop.
const ASK: usize = 64;

/// A step shorter than this share of a frame is a sign that there is none.
const SHORTEST: f64 = 1e-6;

/// Turn that a step stays within, radians: what spins goes slow across its axis by a twelfth of the square, 8e-4.
const TURN: f64 = 0.1;

/// Turn of a part within a step, radians: its axis is carried along by the body.
const PART_TURN: f64 = 0.2;

/// Travel that a step stays within, radii.
const TRAVEL: f64 = 0.2;

/// Share of its velocity that drag may take from a body within a step: beyond 2 the step of second order rings.
const STIFF: f64 = 0.7;

/// Slip that friction should have prevented, body sizes in a step, beyond which friction is wrong.
pub(super) const COULOMB: f64 = 1e-4;

/// How often in a frame a step is cut short for that.
const MOST_SHORTENED: usize = 4;

impl Flow {
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
        let report = self.advance(state, shape, dt, wrench, None, &mut || ControlFlow::Continue(()))?;
        Ok(report.unwrap_or_else(|| self.report(state)))
    }

    /// As [`Flow::step`]; `frame` is that of the cycle from which the step starts, if there is a cycle. `None` where `asked` says to stop.
    pub(super) fn advance(
        &self,
        state: &mut FlowState,
        shape: Option<&[Vector3<f64>]>,
        dt: f64,
        wrench: &Wrench,
        frame: Option<usize>,
        asked: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<StepReport>, Error> {
        state.impulses = Forces::default();
        state.body.aim_for(shape);
        state.body.look_ahead(state.time, dt, frame, &self.fluids)?;
        let (mut taken, mut step) = (Taken::default(), dt / self.substeps(state, dt));
        let (mut done, mut tries) = (0.0, 0_usize);
        while dt - done > 1e-12 * dt {
            tries += 1;
            if tries.is_multiple_of(ASK) && asked().is_break() {
                return Ok(None);
            }
            let rest = dt - done;
            let h = rest / (rest / step - 1e-9).ceil().max(1.0);
            state.body.take(done / dt, ((done + h) / dt).min(1.0), state.time, h)?;
            match self.substep(state, h, wrench, &mut taken)? {
                None => done += h,
                Some(shorter) if shorter > SHORTEST * dt => step = shorter,
                Some(time_step) => {
                    let trouble = Some(Trouble::Stalled { time_step });
                    return Ok(Some(StepReport { trouble, residual: taken.stalled, ..self.report(state) }));
                }
            }
        }
        state.body.arrive();
        let mut forces = Forces::default();
        forces.add(&state.impulses, 1.0 / dt);
        let Taken { substeps, iterations, residual, turn, violation, .. } = taken;
        state.most_kinetic = state.most_kinetic.max(state.kinetic_scale());
        let report = StepReport { forces, substeps, iterations, residual, turn, violation, ..self.report(state) };
        Ok(Some(StepReport { trouble: self.trouble(state, &report), ..report }))
    }

    /// One step of the integrator; or, if there is no solution, a shorter step to try.
    fn substep(&self, state: &mut FlowState, h: f64, wrench: &Wrench, taken: &mut Taken) -> Result<Option<f64>, Error> {
        if (state.last_step - h).abs() > 1e-9 * h {
            state.forecast = Forecast::default();
        }
        let was = state.body.fluid;
        let stage = self.stage(state, h, wrench)?;
        let (mut step, drag) = self.solve(state, &stage)?;
        if state.contact.violation() > COULOMB && taken.shortened < MOST_SHORTENED {
            // Over a shorter step friction may find its way.
            taken.shortened += 1;
            step = Step::Stalled { residual: state.contact.violation(), time_step: 0.5 * h };
        }
        let advance = match step {
            Step::Advanced(advance) => advance,
            Step::Stalled { residual, time_step } => {
                taken.stalled = residual;
                if matches!(self.fluids, Fluids::Layered { .. }) {
                    state.body.take_back(was);
                }
                return Ok(Some(time_step));
            }
        };
        taken.substeps += 1;
        taken.iterations += advance.iterations;
        taken.residual = taken.residual.max(advance.residual);
        taken.violation = taken.violation.max(state.contact.violation());
        taken.turn = taken.turn.max(h * advance.twist.angular.norm()).max(h * state.body.part_rate(state.time, h));
        self.account(state, &stage, &advance, &drag.wrench);
        state.before = State { momentum: stage.node.momentum + state.contact.impulse(), ..stage.node };
        (state.node, state.twist, state.inertia, state.drag_by_twist) = (advance.state, advance.twist, stage.inertia, drag.by_twist);
        state.time += h;
        state.last_step = h;
        state.forecast.learn(&advance.gain);
        Ok(None)
    }

    /// What changes little within a step, taken where the body will be, to first order, when forces act.
    fn stage(&self, state: &mut FlowState, h: f64, wrench: &Wrench) -> Result<Stage, Error> {
        let solver = Variational { time_step: h, retraction: self.stepping.retraction, force_point: self.stepping.force_point };
        let mid = state.time + 0.5 * h;
        let near = state.carried(solver.force_pose(&state.node, &state.inertia), mid);
        // The velocity at the node, midway between the last middle and this one, is that with which faces leave the water or enter it.
        let between = state.inertia.twist(&state.node.momentum).unwrap_or(state.twist);
        let (inertia, left_behind) = state.body.inertia(&self.fluids, &near, &between)?;
        let node = State { momentum: state.node.momentum - left_behind, ..state.node };
        let halfway = state.carried(solver.force_pose(&node, &inertia), mid);
        state.body.immerse(&self.fluids, &state.gusts, &halfway, mid);
        let moments = state.body.moving.inertia;
        let center = moments.first_moment / moments.mass;
        let uniform = self.flow.uniform().is_some();
        let streams = if uniform { None } else { Some(self.streams(state, &halfway, &center, mid)?) };
        let body = &state.body;
        // Displaced whether or not it has weight.
        let volumes = || body.displaced(body.middle(), &self.fluids, &Vector3::y(), &halfway);
        let surge = match uniform {
            true => Wrench::zero(),
            false => medium::surge(&self.flow, &volumes(), &body.fluid.tensor, &center, &halfway, mid),
        };
        let outside = Outside {
            gravity: self.gravity,
            displaced: body.displaced(body.middle(), &self.fluids, &self.gravity, &halfway),
            mass: moments.mass,
            center,
            surge,
            thrust: self.thrust,
            push: *wrench,
        };
        Ok(Stage { solver, node, left_behind, inertia, streams, turning: body.turning, outside })
    }

    /// The fluid that moves along in each layer, and how that layer flows where the body is, beside the stream that carries all of it.
    fn streams(
        &self,
        state: &mut FlowState,
        pose: &Pose,
        center: &Vector3<f64>,
        time: f64,
    ) -> Result<[(FluidInertia, Vector3<f64>); 2], Error> {
        let [lower, upper] = state.body.fluid_in_layers(&self.fluids)?;
        let stream = |flow: &FlowField| pose.rotation.inverse() * flow.velocity(&pose.act(center), time);
        let flows = match self.fluids {
            Fluids::One(_) => [&state.gusts; 2],
            Fluids::Layered { .. } => [true, false].map(|lower| state.gusts.layer(lower)),
        };
        Ok([(lower, stream(flows[0])), (upper, stream(flows[1]))])
    }

    /// The step that has a solution, on the ground if there is one; and lift and drag in it.
    fn solve(&self, state: &mut FlowState, stage: &Stage) -> Result<(Step, Load), Error> {
        let h = stage.solver.time_step;
        let (stream, expected) = (state.stream, state.forecast.gain());
        let (placed, then) = (state.carried(stage.node.pose, state.time), state.time + h);
        let FlowState { body, contact, secant, .. } = state;
        let mut asked = (Twist::zero(), Load::none());
        let mut attempt = |impulse: &Momentum| self.attempt((&*body, &mut *secant), stage, &(expected, *impulse), &mut asked);
        let step = match &self.ground {
            None => attempt(&Momentum::zero()),
            Some(ground) => {
                let mut step = Step::Stalled { residual: f64::INFINITY, time_step: 0.5 * h };
                let (before, after) = body.ends();
                let effective = stage.inertia.tensor - state.drag_by_twist * (stage.solver.force_point.share_before() * h);
                // The ground does not move along: to it the body has the stream's velocity too.
                let along = Twist::new(Vector3::zeros(), placed.rotation.inverse() * stream);
                let moving = Moving { pose: placed, before, after, effective, twist: state.twist + along, time_step: h };
                let next = |twist: &Twist| {
                    let pose = stage.node.pose * stage.solver.retraction.pose(&((*twist - along) * h));
                    Pose { translation: pose.translation + stream * then, ..pose }
                };
                let held = contact.hold(ground, &moving, next, |impulse| {
                    step = attempt(impulse);
                    if let Step::Advanced(advance) = &step { Some(advance.twist + along) } else { None }
                })?;
                if let Held::Failed { depth } = held { Step::Stalled { residual: depth, time_step: 0.5 * h } } else { step }
            }
        };
        let drag = match step {
            Step::Advanced(advance) if self.lift_and_drag && asked.0 != advance.twist => {
                Load { wrench: body.drag.wrench(&advance.twist), ..asked.1 }
            }
            _ => asked.1,
        };
        Ok((step, drag))
    }

    /// A step whose gain is about what is expected, with an impulse at its start; `asked` is where lift and drag were last asked for, and what they were.
    fn attempt(
        &self,
        (body, secant): (&Body, &mut Secant),
        stage: &Stage,
        (expected, impulse): &(Momentum, Momentum),
        asked: &mut (Twist, Load),
    ) -> Step {
        let pushed = State { momentum: stage.node.momentum + *impulse, ..stage.node };
        let mut solve = |secant: &mut Secant| {
            let mut drag = secant.on(&body.drag);
            stage.solver.step_expecting(expected, &pushed, &stage.inertia, |pose, twist| {
                let drag = if self.lift_and_drag { drag.load(twist) } else { Load::none() };
                *asked = (*twist, drag);
                drag + stage.of_fluid(twist) + Load::from(stage.outside.at(pose).into_iter().sum::<Wrench>())
            })
        };
        match solve(secant) {
            Step::Stalled { .. } => {
                // What was learnt may have led astray.
                *secant = Secant::default();
                solve(secant)
            }
            step => step,
        }
    }

    /// Work and impulses of a step: each force where it acts, whose points move with the body and with its change of shape.
    fn account(&self, state: &mut FlowState, stage: &Stage, advance: &Advance, drag: &Wrench) {
        let (h, node, inertia, outside) = (stage.solver.time_step, &stage.node, &stage.inertia, &stage.outside);
        let half = stage.solver.retraction.pose(&(advance.twist * (0.5 * h)));
        let halfway = state.carried(node.pose * half, state.time + 0.5 * h);
        let placed = state.carried(node.pose, state.time);
        let [weight, buoyancy, thrust, surge] = outside.at(&halfway);
        let turning = stage.turning.map_or(Wrench::zero(), |turning| turning.load(&advance.twist).wrench);
        let drag = &(*drag + surge + stage.of_fluid(&advance.twist).wrench - turning);
        let pushed = state.contact.impulse();
        let arrived = state.arrived - stage.left_behind;
        let end = |h: f64| {
            let carried = stage.solver.retraction.tangent_inv_dual(&(advance.twist * h), &inertia.momentum(&advance.twist));
            carried - (*drag + turning + weight + buoyancy + thrust) * (0.5 * h)
        };
        let departs = end(h);
        state.arrived = end(-h);
        let impulses = Forces {
            drag: halfway.momentum_to_world(&(*drag + turning)),
            buoyancy: halfway.momentum_to_world(&buoyancy),
            weight: halfway.momentum_to_world(&weight),
            thrust: halfway.momentum_to_world(&thrust),
            ground: placed.momentum_to_world(&pushed) * (1.0 / h),
        };
        state.impulses.add(&impulses, h);
        let along = |pose: &Pose| Twist::new(Vector3::zeros(), pose.rotation.inverse() * state.stream);
        let moved = (advance.twist + along(&halfway)) * h;
        let center_rate = state.body.moving.momentum.linear / outside.mass;
        let own_push = (halfway.rotation.inverse() * outside.push.linear).dot(&center_rate);
        state.work.thrust += thrust.pair(&moved) + own_push * h;
        state.work.drag += drag.pair(&moved);
        state.work.surface += turning.pair(&moved);
        if self.lift_and_drag {
            state.work.drag += state.body.power_of_drag(&advance.twist) * h;
        }
        if pushed != Momentum::zero() {
            // A push at one moment: with the mean of the velocities before and after it.
            let twist = |momentum: Momentum| inertia.twist(&momentum).unwrap_or_default();
            let mean = (twist(arrived) + twist(departs)) * 0.5 + along(&placed);
            let bearings = state.contact.bearings().iter();
            let shifted = bearings.map(|b| (placed.rotation.inverse() * (b.normal * b.push + b.rub)).dot(&state.body.rate(b.vertex)));
            state.work.ground += pushed.pair(&mean) + shifted.sum::<f64>();
        }
        if !state.body.changes() && *inertia != state.inertia {
            state.work.surface += inertia.energy(&node.momentum) - state.inertia.energy(&state.node.momentum);
        }
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
        let (turning, part) = (state.twist.angular.norm(), state.body.part_rate(state.time, dt));
        let quickest = [turning / TURN, part / PART_TURN, speed / (TRAVEL * radius), state.drag_rate() / STIFF];
        (dt * quickest.into_iter().fold(0.0, f64::max)).ceil().clamp(1.0, MOST_SUBSTEPS)
    }
}

/// What is the same for every attempt at a step.
struct Stage {
    solver: Variational,
    /// Pose and momentum at its start, without what stays behind in fluid that the body has left.
    node: State,
    left_behind: Momentum,
    inertia: Inertia,
    /// Where the flow is not the same everywhere: the fluid that moves along in each layer, and its flow, body frame.
    streams: Option<[(FluidInertia, Vector3<f64>); 2]>,
    turning: Option<Turning>,
    outside: Outside,
}

impl Stage {
    /// What the fluid that moves along pushes, beside what is in the inertia.
    fn of_fluid(&self, twist: &Twist) -> Load {
        let carried = self.streams.iter().flatten().map(|(fluid, stream)| medium::carried(fluid, stream, twist));
        carried.chain(self.turning.iter().map(|turning| turning.load(twist))).fold(Load::none(), |sum, load| sum + load)
    }
}

/// What pushes the body besides lift and drag: it changes with the pose only.
struct Outside {
    gravity: Vector3<f64>,
    /// Of each fluid, with its density, kg/m³.
    displaced: [(f64, Displaced); 2],
    mass: f64,
    /// Of mass, body frame.
    center: Vector3<f64>,
    /// By the pressure that speeds the fluid up, body frame.
    surge: Wrench,
    /// Fixed to the body's frame; and the user's, world axes, about the centre of mass.
    thrust: Wrench,
    push: Wrench,
}

impl Outside {
    /// Weight, buoyancy, thrust and surge, body frame.
    fn at(&self, pose: &Pose) -> [Wrench; 4] {
        let lift = self.displaced.iter().map(|(density, displaced)| displaced.buoyancy(*density, &self.gravity, pose)).sum();
        let back = pose.rotation.inverse();
        let pushed = Wrench::of_force_at(back * self.push.linear, &self.center) + Wrench::new(back * self.push.angular, Vector3::zeros());
        [buoyancy::weight(self.mass, &self.center, &self.gravity, pose), lift, self.thrust + pushed, self.surge]
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
    /// Steps cut short because friction broke Coulomb's law.
    shortened: usize,
    /// Residual of the last attempt that had no solution.
    stalled: f64,
}

impl FlowState {
    /// A pose as seen by one who is carried along, as seen from the bank at `time`.
    fn carried(&self, pose: Pose, time: f64) -> Pose {
        Pose { translation: pose.translation + self.stream * time, ..pose }
    }

    /// About how fast drag takes the body's velocity, 1/s: norm of K⁻¹ ∂F/∂Y.
    fn drag_rate(&self) -> f64 {
        let Some(factor) = self.inertia.tensor.cholesky() else { return 0.0 };
        let lower = factor.l();
        let half = lower.solve_lower_triangular(&self.drag_by_twist).unwrap_or_default();
        lower.solve_lower_triangular(&half.transpose()).map_or(0.0, |rate| rate.norm())
    }
}
