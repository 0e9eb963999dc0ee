//! Contact of a body with the ground during one step of second-order dynamics: it pushes, it rubs, it never pulls and never throws back.
//!
//! The unknown is an impulse P that is given to the body at the start of the step, such that no point is below the ground at its end:
//!
//! ```text
//! step(M + P) has the twist Y,   gap_j(next(Y)) ≥ 0,   P = Σ_j a_j p_j + T_jᵀ f_j,   p_j ≥ 0,   p_j gap_j = 0,
//! |f_j| ≤ μ p_j,   f_j against the slip of point j, and as large as may be where it slips (Coulomb)
//! ```
//!
//! The gaps and the slip are those of the end of the step. The levers a_j and T_j are those of the body as it turns during the step, at the
//! latest moment at which the push does no work (`Aim`): a corner that stays where it is has its lever at the start, which is SHAKE; a
//! ball that rolls has it at the end, below its centre; a body that comes down has it where it comes to the ground, and stays there.
//! The normal impulses are a quadratic program (`solve::quadratic`) in the metric A = ∂(M + P)/∂Y, those of friction a projection on
//! discs; they take turns (staggered projections: Kaufman, Sueda, James and Pai 2008). Where they chase each other they are found together
//! (`friction`). What A leaves out of the true step is put right by solving the step again, each time for the whole impulse, so that pushes
//! stay pushes. How far the friction that was found is from Coulomb's law is told by [`Contact::violation`].

mod friction;

use nalgebra::{Matrix6, UnitQuaternion, Vector2, Vector3, Vector6};

use self::friction::{Friction, Lever};
use super::ground::Ground;
use crate::Error;
use crate::lie::{Momentum, Pose, Twist};
use crate::shape::bounds;
use crate::solve::quadratic::{Compliance, Inequality, Outcome};

/// A body during one step.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'a> {
    /// Where it is at the start of the step.
    pub pose: Pose,
    /// Its points at the start of the step, body frame, metres.
    pub before: &'a [Vector3<f64>],
    /// Its points at the end of the step, body frame, metres; the same as `before` for a rigid body.
    pub after: &'a [Vector3<f64>],
    /// A: how the momentum at the start of the step must change for the twist of the step to change; body frame at the start, order
    /// (angular, linear). Near enough is the inertia, less (1 − α) h times the derivative of drag by twist: half the step for forces that
    /// act in its middle. An approximation costs solutions of the step, not accuracy.
    pub effective: Matrix6<f64>,
    /// Its twist in the step before, body frame; at the very start, its velocity. It tells how pushes must act to do no work: a poor guess
    /// costs or gives energy of second order in the time step.
    pub twist: Twist,
    /// Duration of the step, seconds.
    pub time_step: f64,
}

/// What became of a step near the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Held {
    /// The ground was not touched.
    Free,
    /// The ground bore the body: [`Contact::impulse`], [`Contact::bearings`].
    Borne,
    /// No impulse was found that keeps all points up. A shorter step is likelier to succeed.
    Failed {
        /// How far the deepest point is below the ground, metres; infinite if a point or the ground is not finite.
        depth: f64,
    },
    /// The caller's step could not be solved.
    Stalled,
}

/// A point that bears the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bearing {
    /// Which of the body's points.
    pub vertex: usize,
    /// Where the impulse acts on the body at the start of the step, world, metres.
    pub place: Vector3<f64>,
    /// Unit normal of the ground, world.
    pub normal: Vector3<f64>,
    /// Impulse along the normal during the step, N s; not negative.
    pub push: f64,
    /// Impulse of friction during the step, across the normal, world, N s; not longer than the coefficient times `push`.
    pub rub: Vector3<f64>,
}

/// Contact of one body with the ground: its memory is used again from step to step.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    friction: f64,
    near: Vec<Near>,
    levers: Vec<Lever>,
    bearings: Vec<Bearing>,
    aim: Aim,
    /// Impulse of the normals and of friction, body frame at the start of the step.
    push: Momentum,
    rub: Momentum,
    /// Whether pushes and friction are found together in this step.
    together: bool,
    /// Whether friction stays as it is for the rest of this step.
    frozen: bool,
    violation: f64,
}

/// Where on a body that turns its points are pushed: each at the latest moment of the step at which that does no work.
///
/// The work of an impulse is its product with the mean of the velocities before and after. A corner below the centre has a velocity that
/// turns upwards as the body turns: pushed where it will be, it would be pushed along, and the body would gain energy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Aim {
    /// Mean of the twists before and after, body frame.
    mean: Twist,
    /// How far the body turns during the step, rotation vector, body frame.
    turn: Vector3<f64>,
    /// Centre of mass, body frame.
    center: Vector3<f64>,
}

/// A point that may touch the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Near {
    vertex: usize,
    /// Where it is pushed, body frame at the start of the step.
    point: Vector3<f64>,
    /// Normal of the ground, world.
    normal: Vector3<f64>,
    /// a: momentum of a unit impulse along the normal there.
    arm: Vector6<f64>,
    /// The least a · Y that keeps it up, m/s.
    bound: f64,
    /// Whether it bore in the last turn. Of many level points some three bear, and which is a matter of taste: those that did go on doing so,
    /// or else friction would have to begin anew.
    bore: bool,
}

/// Share of the body's size by which a point may stay below the ground, or a bearing one above.
const LEVEL: f64 = 1e-10;

/// Share of the body's size within which points are watched while an impulse is sought; the others are looked at after each solution.
const WATCHED: f64 = 0.05;

/// Solutions of the caller's step after which it has failed.
const MOST_SOLUTIONS: usize = 40;

/// Solutions after which pushes and friction are found together: those that do not need it come to an end in fewer.
const APART: usize = 6;

/// Solutions after which friction stays as it is, but for what its pushes do not bear.
const FROZEN: usize = 24;

/// Solutions after which it does so if it is nearly right: three points that stick while the body turns cannot all be still to the last digit, and
/// friction would wander for ever.
const WANDERS: usize = 8;

/// How many times the length that does not count is nearly right.
const NEARLY: f64 = 1e4;

/// Solutions after which the levers stay as they are.
const AIMED: usize = 4;

/// Share of an impulse that does not count.
const SHARE: f64 = 1e-8;

/// Turns of pushes and friction between two solutions.
const MOST_TURNS: usize = 12;

/// Turns after which pushes and friction are found together: those that agree by taking turns do so in fewer.
const MOST_TURNS_APART: usize = 6;

impl Contact {
    /// Contact with a coefficient of friction: 0 for none.
    ///
    /// # Errors
    /// It is negative or not finite.
    pub fn new(friction: f64) -> Result<Contact, Error> {
        Error::unless(friction.is_finite() && friction >= 0.0, "friction", friction, "a finite coefficient, 0 or more")?;
        let (near, levers, bearings) = (Vec::new(), Vec::new(), Vec::new());
        let (push, rub) = (Momentum::zero(), Momentum::zero());
        Ok(Contact { friction, near, levers, bearings, aim: Aim::default(), push, rub, together: false, frozen: false, violation: 0.0 })
    }

    /// Finds the impulse of the ground during a step. `solve` gives the twist of the step of a body whose momentum at its start has this
    /// impulse added, or `None` if it has no solution; it is called once if the body is far from the ground, and last with the impulse that
    /// is returned by [`impulse`](Contact::impulse). `next` gives the pose at the end of the step for a twist.
    ///
    /// # Errors
    /// The ground or the time step is not valid, or `before` and `after` differ in length.
    pub fn hold(
        &mut self,
        ground: &Ground,
        body: &Moving,
        next: impl Fn(&Twist) -> Pose,
        mut solve: impl FnMut(&Momentum) -> Option<Twist>,
    ) -> Result<Held, Error> {
        self.forget();
        body.validate()?;
        ground.validate()?;
        let Some(mut twist) = solve(&Momentum::zero()) else { return Ok(Held::Stalled) };
        let Some((center, radius)) = sphere(body.after) else { return Ok(Held::Free) };
        let there = next(&twist).act(&center);
        if there.y - radius > ground.highest() {
            return Ok(Held::Free);
        }
        let size = radius.max(body.gyration());
        let level = LEVEL * size + 16.0 * f64::EPSILON * there.norm();
        let failed = |depth: f64| Ok(Held::Failed { depth: if depth.is_finite() { depth } else { f64::INFINITY } });
        let mut compliance = None;
        for solution in 0..MOST_SOLUTIONS {
            if solution < AIMED {
                self.aim = Aim::new(body, &twist);
            }
            let depth = self.watch(ground, body, &next(&twist), WATCHED * size);
            if !depth.is_finite() {
                return failed(depth);
            }
            let there = next(&twist);
            let (lifted, slips) = (self.lifted(ground, body, &there), self.slips(body, &there));
            let off = depth.max(lifted).max(slips);
            self.together |= solution >= APART && self.friction > 0.0;
            self.frozen |= solution >= FROZEN || solution >= WANDERS && off <= NEARLY * level;
            if depth <= level && lifted <= level && self.is_borne() && (self.frozen || slips <= level) {
                self.violation = slips / size;
                return Ok(if self.levers.is_empty() { Held::Free } else { self.report(body) });
            }
            let Some(compliance) = *compliance.get_or_insert_with(|| Compliance::of_stiffness(&body.effective)) else {
                return failed(depth);
            };
            self.balance(ground, body, &next, &Model { compliance, twist, level, size });
            let Some(solved) = solve(&self.impulse()) else { return Ok(Held::Stalled) };
            twist = solved;
        }
        failed(self.watch(ground, body, &next(&twist), WATCHED * size))
    }

    /// The impulse of the ground in the last step, N m s and N s, in the body frame at its start: to be added to the momentum there.
    pub fn impulse(&self) -> Momentum {
        self.push + self.rub
    }

    /// The points that bore the body in the last step.
    pub fn bearings(&self) -> &[Bearing] {
        &self.bearings
    }

    /// How far the friction of the last step was from Coulomb's law: what a point slipped that friction within its cone would have prevented, as a
    /// share of the body's size.
    pub fn violation(&self) -> f64 {
        self.violation
    }

    fn forget(&mut self) {
        self.near.clear();
        self.levers.clear();
        self.bearings.clear();
        (self.push, self.rub) = (Momentum::zero(), Momentum::zero());
        (self.together, self.frozen, self.violation) = (false, false, 0.0);
    }

    /// Collects the points less than `margin` above the ground, and returns the depth of the deepest one below it: negative if all are above.
    fn watch(&mut self, ground: &Ground, body: &Moving, pose: &Pose, margin: f64) -> f64 {
        self.near.clear();
        let mut lowest = f64::INFINITY;
        for (vertex, point) in body.after.iter().enumerate() {
            let (gap, _) = ground.gap(&pose.act(point));
            // A gap that is no number is the worst of all.
            lowest = if gap.is_nan() { f64::NEG_INFINITY } else { lowest.min(gap) };
            if gap < margin {
                let normal = ground.gap(&body.pose.act(&body.before[vertex])).1;
                let point = self.aim.point(point, &(body.pose.rotation.inverse() * normal));
                self.near.push(Near { vertex, point, normal, arm: body.lever(&point, &normal), bound: f64::NEG_INFINITY, bore: false });
            }
            if lowest == f64::NEG_INFINITY {
                break;
            }
        }
        -lowest
    }

    /// How far a point that is pushed up is above the ground, metres.
    fn lifted(&self, ground: &Ground, body: &Moving, pose: &Pose) -> f64 {
        let pushed = self.levers.iter().filter(|lever| lever.push > 0.0);
        pushed.map(|lever| ground.gap(&pose.act(&body.after[lever.near.vertex])).0).fold(0.0, f64::max)
    }

    /// Whether friction is that of the points that bear, and no more than they bear.
    fn is_borne(&self) -> bool {
        let total = Vector6::from(self.rub);
        let within = |lever: &Lever| lever.rub.norm() <= self.friction * lever.push * (1.0 + SHARE);
        (self.rubbing() - total).norm() <= SHARE * total.norm() && self.levers.iter().all(within)
    }

    /// How far friction is from Coulomb's law, metres of slip.
    fn slips(&self, body: &Moving, pose: &Pose) -> f64 {
        self.levers.iter().map(|lever| lever.violation(body, pose, self.friction)).fold(0.0, f64::max)
    }

    /// Pushes and friction, until neither changes, for a body whose twist changes with the impulse as A says: in turn; or, if that goes on
    /// and on, together.
    fn balance(&mut self, ground: &Ground, body: &Moving, next: impl Fn(&Twist) -> Pose, model: &Model) {
        let free = Vector6::from(model.twist) - model.compliance.apply(&self.impulse().into());
        let mut twist = Vector6::from(model.twist);
        for turn in 0..MOST_TURNS {
            let pose = next(&twist.into());
            for near in &mut self.near {
                let (gap, _) = ground.gap(&pose.act(&body.after[near.vertex]));
                near.bound = near.arm.dot(&twist) - gap / body.time_step;
                near.bore = self.levers.iter().any(|lever| lever.near.vertex == near.vertex);
            }
            self.together |= turn >= MOST_TURNS_APART && self.friction > 0.0;
            let found = if self.together {
                Some(self.bear_together(body, &pose, model, &free, &twist))
            } else {
                self.bear_in_turn(body, &pose, model, &free)
            };
            let Some(found) = found else { break };
            let change = Twist::from(found - twist) * body.time_step;
            twist = found;
            if change.angular.norm() * model.size + change.linear.norm() <= 0.1 * model.level {
                break;
            }
        }
    }

    /// Friction for the pushes so far, then pushes for it; and the twist with them, `None` if there are no such pushes.
    fn bear_in_turn(&mut self, body: &Moving, pose: &Pose, model: &Model, free: &Vector6<f64>) -> Option<Vector6<f64>> {
        let compliance = &model.compliance;
        if self.friction > 0.0 {
            for lever in &mut self.levers {
                lever.rub = lever.rub.cap_magnitude(self.friction * lever.push);
                lever.look(body, pose);
            }
            // Points that no longer bear have let go of their friction.
            let let_go = self.rubbing() - Vector6::from(self.rub);
            friction::rub_against_slip(&mut self.levers, self.friction, compliance.apply(&let_go));
            self.rub = self.rubbing().into();
        }
        let near = &self.near;
        let pushed = compliance.minimise(&(free + compliance.apply(&self.rub.into())), |twist| {
            let worst = worst(near, twist, model.mind(body))?;
            Some((worst, Inequality { normal: near[worst].arm, bound: near[worst].bound }))
        });
        self.push = pushed.push().into();
        let mut bear = [None; 6];
        for (slot, active) in bear.iter_mut().zip(pushed.active()) {
            *slot = Some(Lever::new(body, &near[active.index], compliance, (active.multiplier, self.had(active.index).1)));
        }
        self.levers.clear();
        self.levers.extend(bear.into_iter().flatten());
        (pushed.outcome == Outcome::Solved).then_some(pushed.place)
    }

    /// Pushes and friction together, of the points that bore and of whatever else would sink; and the twist with them.
    fn bear_together(&mut self, body: &Moving, pose: &Pose, model: &Model, free: &Vector6<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
        let compliance = &model.compliance;
        for k in (0..self.levers.len()).rev() {
            match self.near.iter().position(|near| near.vertex == self.levers[k].near.vertex) {
                Some(index) => self.levers[k] = Lever::new(body, &self.near[index], compliance, self.had(index)),
                None => drop(self.levers.swap_remove(k)),
            }
        }
        let friction = if self.frozen { Friction::Frozen(self.friction) } else { Friction::Free(self.friction) };
        let mut found = *twist;
        for _ in 0..=self.near.len() {
            self.levers.iter_mut().for_each(|lever| lever.look(body, pose));
            let before = free + compliance.apply(&(self.pushing() + self.rubbing()));
            found = twist + friction::bear_together(&mut self.levers, friction, twist, before - twist);
            let Some(worst) = worst(&self.near, &found, model.mind(body)) else { break };
            if self.levers.iter().any(|lever| lever.near.vertex == self.near[worst].vertex) {
                break;
            }
            self.levers.push(Lever::new(body, &self.near[worst], compliance, (0.0, Vector2::zeros())));
        }
        self.levers.retain(|lever| lever.push > 0.0);
        (self.push, self.rub) = (self.pushing().into(), self.rubbing().into());
        found
    }

    /// The push and the friction that a watched point had as a bearing one.
    fn had(&self, index: usize) -> (f64, Vector2<f64>) {
        let lever = self.levers.iter().find(|lever| lever.near.vertex == self.near[index].vertex);
        lever.map_or((0.0, Vector2::zeros()), |lever| (lever.push, lever.rub))
    }

    /// Momentum of the pushes of all bearing points.
    fn pushing(&self) -> Vector6<f64> {
        self.levers.iter().map(|lever| lever.near.arm * lever.push).sum()
    }

    /// Momentum of the friction of all bearing points.
    fn rubbing(&self) -> Vector6<f64> {
        self.levers.iter().map(Lever::rubbing).sum()
    }

    fn report(&mut self, body: &Moving) -> Held {
        self.bearings.extend(self.levers.iter().map(|lever| Bearing {
            vertex: lever.near.vertex,
            place: body.pose.act(&lever.near.point),
            normal: lever.near.normal,
            push: lever.push,
            rub: lever.tangents[0] * lever.rub.x + lever.tangents[1] * lever.rub.y,
        }));
        Held::Borne
    }
}

/// How the body answers to an impulse, where the step was last solved.
struct Model {
    compliance: Compliance<6>,
    twist: Twist,
    /// Lengths that do not count, metres.
    level: f64,
    /// Of the body, metres.
    size: f64,
}

impl Model {
    /// How fast a point may sink, m/s.
    fn mind(&self, body: &Moving) -> f64 {
        0.1 * self.level / body.time_step
    }
}

/// Which of the points sinks fastest at a twist, by more than `mind`; of those that bore, if one does.
fn worst(near: &[Near], twist: &Vector6<f64>, mind: f64) -> Option<usize> {
    let short = |k: usize| near[k].bound - near[k].arm.dot(twist);
    let violated = (0..near.len()).filter(|&k| short(k) > mind);
    violated.max_by(|&i, &k| near[i].bore.cmp(&near[k].bore).then(short(i).total_cmp(&short(k))))
}

impl Moving<'_> {
    fn validate(&self) -> Result<(), Error> {
        Error::unless(self.time_step.is_finite() && self.time_step > 0.0, "time step", self.time_step, "greater than 0 seconds")?;
        if self.before.len() != self.after.len() {
            return Err(Error::Length { what: "points at the start of a step", expected: self.after.len(), found: self.before.len() });
        }
        Ok(())
    }

    /// Radius of gyration of A, metres: the size of a body that is a single point.
    fn gyration(&self) -> f64 {
        let third = |first: usize| (first..first + 3).map(|i| self.effective[(i, i)]).sum::<f64>();
        (third(0) / third(3)).sqrt()
    }

    /// Momentum of a unit impulse along `direction` (world) at a point of the body frame, at the start of the step.
    fn lever(&self, point: &Vector3<f64>, direction: &Vector3<f64>) -> Vector6<f64> {
        Momentum::of_force_at(self.pose.rotation.inverse() * direction, point).into()
    }

    /// Centre of mass of A, body frame: its upper right block is m c^. With the inertia of a fluid, the mean over all directions.
    fn center(&self) -> Vector3<f64> {
        let block = self.effective.fixed_view::<3, 3>(0, 3);
        let mass = (3..6).map(|i| self.effective[(i, i)]).sum::<f64>() / 3.0;
        let moment = Vector3::new(block[(2, 1)] - block[(1, 2)], block[(0, 2)] - block[(2, 0)], block[(1, 0)] - block[(0, 1)]) * 0.5;
        if mass > 0.0 { moment / mass } else { Vector3::zeros() }
    }
}

impl Aim {
    fn new(body: &Moving, twist: &Twist) -> Aim {
        Aim { mean: (body.twist + *twist) * 0.5, turn: twist.angular * body.time_step, center: body.center() }
    }

    /// Where a point is pushed along `normal` (both body frame).
    fn point(&self, point: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let arm = point - self.center;
        let at = |moment: f64| self.center + UnitQuaternion::from_scaled_axis(self.turn * moment) * arm;
        let rise = |point: &Vector3<f64>| normal.dot(&self.mean.velocity_at(point));
        let (start, end) = (rise(point), rise(&at(1.0)));
        if end <= 0.0 {
            at(1.0)
        } else if start >= 0.0 {
            *point
        } else {
            at(start / (start - end))
        }
    }
}

/// A sphere around the points, centre and radius: that of their box. `None` if there are none.
fn sphere(points: &[Vector3<f64>]) -> Option<(Vector3<f64>, f64)> {
    bounds(points).map(|(low, high)| ((low + high) * 0.5, (high - low).norm() * 0.5))
}
