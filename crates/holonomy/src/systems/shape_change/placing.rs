//! Placing one shape after another: the momentum equation, and the floor beneath it.
//!
//! The floor is horizontal and without friction: it only pushes, straight up (Gross 2023, Sec. 3.1.1, "a reaction force of contact").
//! Of the six ways a body can move, its points' heights see only three: rising, and turning about the two horizontal axes.
//! So whatever the number of contacts, the reaction has three numbers, and three contacts are enough to bear it:
//!
//! | here | meaning |
//! |---|---|
//! | s | (rise, turn about x, turn about z) of the body, to first order |
//! | a_j = (1, −z_j, x_j) | gap of point j grows by a_j · s; a unit push there is the reaction a_j |
//! | r = Σ λ_j a_j, λ ≥ 0 | the reaction: (force, torque about x, torque about z) |
//! | S | compliance: s = S r |
//!
//! The reaction is that of the quadratic program `min ½ sᵀ S⁻¹ s` with `gap_j + a_j · s ≥ 0` (`solve::quadratic`).

use nalgebra::{Matrix3, Matrix6, Quaternion, UnitQuaternion, Vector3, Vector6};

use super::state::{Sampled, ShapeChangeState, StepReport};
use super::{Freedom, ShapeChange};
use crate::integrate::momentum_match::{Level, TimeEdge};
use crate::lie::{Momentum, Pose, Twist};
use crate::medium::{Floor, MetricFrame};
use crate::solve::newton::{self, Solution};
use crate::solve::quadratic::{Compliance, Inequality};

/// Scaled residual at which a step counts as solved.
const SOLVER: newton::Settings = newton::Settings { tolerance: 1e-13, max_iterations: 60 };

/// A step whose residual stays above this has failed.
const ACCEPTABLE: f64 = 1e-10;

/// Share of the body's size by which a point may stay below the floor.
const LEVEL: f64 = 1e-11;

/// Corrections of the floor's reaction after which a step has failed. Each shrinks the error by about the step's share of the body's size.
const MOST_CORRECTIONS: usize = 60;

/// The time edges of one step, each with its own metric.
pub(super) struct Edges<'a> {
    old: &'a Sampled,
    new: &'a Sampled,
    /// Vertices of the new shape, metres.
    points: &'a [Vector3<f64>],
    /// The metric that is solved with: D, K, or K + κ D.
    solved: TimeEdge<'a>,
    /// K and D apart, where both are there.
    parts: Option<Parts<'a>>,
}

struct Parts<'a> {
    inertia: TimeEdge<'a>,
    drag: TimeEdge<'a>,
}

/// A placed shape.
pub(super) struct Placed {
    solution: Solution<Pose>,
    /// Where the new shape stands in the world.
    pub there: Pose,
    /// What floor or ground did, as part of the momentum −μ/2Δt that was solved for, times 2Δt: in the frame of the old shape.
    reaction: Momentum,
}

impl Placed {
    /// The motion from the old shape to the new one.
    pub(super) fn motion(&self) -> Pose {
        self.solution.state
    }
}

impl<'a> Edges<'a> {
    pub(super) fn new(state: &'a ShapeChangeState, points: &'a [Vector3<f64>]) -> Self {
        let (old, new) = (&state.old, &state.new);
        let edge = |of: fn(&Sampled) -> &MetricFrame| TimeEdge::new(of(old), of(new));
        let solved = edge(Sampled::metric);
        let parts = old.has_both().then(|| Parts { inertia: edge(|sampled| &sampled.inertia), drag: edge(|sampled| &sampled.drag) });
        Edges { old, new, points, solved, parts }
    }

    /// Root mean square distance of both shapes' points from their centre, metres.
    pub(super) fn size(&self) -> f64 {
        self.solved.size()
    }

    pub(super) fn inertial(&self) -> bool {
        !self.old.inertia.is_empty()
    }

    /// The edge with K, if there is inertia.
    fn inertia(&self) -> Option<&TimeEdge<'a>> {
        self.parts.as_ref().map(|parts| &parts.inertia).or(self.inertial().then_some(&self.solved))
    }

    /// The edge with D, if there is drag.
    fn drag(&self) -> Option<&TimeEdge<'a>> {
        self.parts.as_ref().map(|parts| &parts.drag).or((!self.inertial()).then_some(&self.solved))
    }

    /// Finds g with DiscreteMomenta(γ_{t−1}, g(γ̂_t)) = `target` − reaction of floor or ground.
    pub(super) fn place(&self, job: &ShapeChange, pose: &Pose, target: &Momentum) -> Placed {
        if job.freedom == Freedom::Level {
            return self.place_level(pose, target);
        }
        let solution = self.solved.step(target, SOLVER);
        let free = Placed { there: *pose * solution.state, solution, reaction: Momentum::zero() };
        match &job.floor {
            Some(floor) if free.solution.residual <= ACCEPTABLE => self.place_above(floor, pose, target, free),
            _ => free,
        }
    }

    fn place_level(&self, pose: &Pose, target: &Momentum) -> Placed {
        let level = Level::of(pose);
        let solution = self.solved.step_level(level, target, SOLVER);
        let g = &solution.state;
        let miss = *target - self.solved.discrete_momenta(g);
        // About the body's own place, so that it does not matter how far that is.
        let turn = Pose { rotation: pose.rotation * g.rotation * pose.rotation.inverse(), translation: pose.rotation * g.translation };
        let moved = self::level(&turn);
        let there = Pose { rotation: (moved * *pose).rotation, translation: pose.translation + moved.translation };
        Placed { there, solution, reaction: miss - level.free(&miss) }
    }

    /// Corrects the reaction until no point is below the floor: the compliance that says how far a reaction lifts is that of the old shape.
    fn place_above(&self, floor: &Floor, pose: &Pose, target: &Momentum, mut placed: Placed) -> Placed {
        let level = LEVEL * self.size();
        let metric = self.old.metric();
        let center = metric.center();
        let center_world = pose.act(&center);
        let mut compliance = None;
        let mut held = Vector3::zeros();
        for _ in 0..MOST_CORRECTIONS {
            let there = placed.there;
            let place = |point: &Vector3<f64>| there.act(point);
            let gap = |point: &Vector3<f64>| place(point).y - floor.height;
            let lowest = self.points.iter().map(gap).fold(f64::INFINITY, f64::min);
            // Nothing below, and nothing held up that is above.
            if lowest >= -level && (held == Vector3::zeros() || lowest <= level) && placed.solution.residual <= ACCEPTABLE {
                return placed;
            }
            let Some(lift) = *compliance.get_or_insert_with(|| Compliance::of_inverse(&lift_per_reaction(metric, &center, pose))) else {
                break;
            };
            let without = lift.apply(&held);
            // a · (s − without) + gap ≥ 0: how far each is short of that, and a.
            let short = |point: &Vector3<f64>, s: &Vector3<f64>| {
                let place = place(point);
                let arm = Vector3::new(1.0, center_world.z - place.z, place.x - center_world.x);
                (arm.dot(&(without - s)) - (place.y - floor.height), arm)
            };
            let reaction = lift.minimise(&Vector3::zeros(), |s| {
                let worst = self.points.iter().enumerate().map(|(j, point)| (j, short(point, s)));
                let (j, (depth, normal)) = worst.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
                (depth > 0.1 * level).then(|| (j, Inequality { normal, bound: depth + normal.dot(s) }))
            });
            held = reaction.push();
            placed.reaction = in_old_frame(&held, &center, pose);
            placed.solution = self.solved.step(&(*target - placed.reaction), SOLVER);
            placed.there = *pose * placed.solution.state;
        }
        placed.solution.residual = f64::INFINITY;
        placed
    }

    /// What the step came to. `physical` is the momentum that was asked for, without the floor; `kick` is κ.
    pub(super) fn report(&self, placed: &Placed, pose: &Pose, physical: Momentum, dt: f64, kick: f64) -> StepReport {
        let (g, there) = (&placed.solution.state, placed.there);
        let rate = 1.0 / (dt * dt);
        let held = placed.reaction * (0.5 / dt);
        let dissipation = self.drag().map_or(0.0, |edge| edge.energy(g) * rate);
        let kinetic = |g: &Pose| self.inertia().map(|edge| 0.5 * edge.energy(g) * rate);
        let here = Pose::identity();
        let in_place = kinetic(&here).or_else(|| Some(self.drag()?.energy(&here) * rate)).unwrap_or(0.0);
        let momentum = match (self.inertial(), self.drag()) {
            // J_t = J_{t−1} + κ (ϱ − drag) + what the floor gave.
            (true, Some(edge)) => physical + held + edge.discrete_momenta(g) * (0.5 * kick / dt),
            (true, None) => physical + held,
            (false, _) => self.solved.discrete_momenta(g) * (-0.5 / dt),
        };
        let force = pose.rotation * held.linear;
        StepReport {
            pose: there,
            center: there.act(&self.new.center()),
            momentum: pose.momentum_to_world(&momentum),
            dissipation,
            kinetic_energy: kinetic(g).unwrap_or(0.0),
            in_place,
            floor_force: if self.inertial() { force.y / kick } else { force.y },
            turn: g.rotation.angle(),
            stir: self.solved.stir(g),
            residual: placed.solution.residual,
            iterations: placed.solution.iterations,
            converged: placed.solution.residual <= ACCEPTABLE && there.is_finite(),
        }
    }
}

/// A motion along the ground without its round-off: not a bit of rise or tilt is left.
pub(super) fn level(motion: &Pose) -> Pose {
    let (turn, shift) = (motion.rotation, motion.translation);
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(turn.w, 0.0, turn.j, 0.0));
    Pose { rotation, translation: Vector3::new(shift.x, 0.0, shift.z) }
}

/// The wrench of the reaction (force, torque about x, torque about z) at `center`, in the frame of the old shape.
fn in_old_frame(held: &Vector3<f64>, center: &Vector3<f64>, pose: &Pose) -> Momentum {
    let back = pose.rotation.inverse();
    let force = back * Vector3::new(0.0, held.x, 0.0);
    let torque = back * Vector3::new(held.y, 0.0, held.z);
    Momentum { angular: torque + center.cross(&force), linear: force }
}

/// How a reaction (force, torque about x, torque about z) lifts and tips the body: world axes, about `center` of the shape's frame.
fn lift_per_reaction(metric: &MetricFrame, center: &Vector3<f64>, pose: &Pose) -> Matrix3<f64> {
    let inverse = inverse_resistance(metric, center) * 0.5; // B + C ≈ 2 B
    let turn = pose.rotation_matrix();
    let mut both = Matrix6::zeros();
    both.fixed_view_mut::<3, 3>(0, 0).copy_from(&turn);
    both.fixed_view_mut::<3, 3>(3, 3).copy_from(&turn);
    let world = both * inverse * both.transpose();
    let seen = [4, 0, 2]; // rise; turns about x and z
    Matrix3::from_fn(|i, k| world[(seen[i], seen[k])])
}

/// Eigenvalues below this share of the largest are motions that the metric does not see.
const FREE: f64 = 1e-10;

/// (Σ Gᵀ B G)⁻¹ about `center`: from a momentum or wrench to the twist of the rigid body; zero for motions that the metric does not see.
pub(super) fn inverse_resistance(metric: &MetricFrame, center: &Vector3<f64>) -> Matrix6<f64> {
    let (scaled, radius) = scaled_resistance(metric, center);
    let eigen = scaled.symmetric_eigen();
    let cut = FREE * eigen.eigenvalues.max();
    let inverse = eigen.eigenvalues.map(|value| if value > cut { 1.0 / value } else { 0.0 });
    let scaled = eigen.eigenvectors * Matrix6::from_diagonal(&inverse) * eigen.eigenvectors.transpose();
    let unit = Vector6::new(radius, radius, radius, 1.0, 1.0, 1.0);
    Matrix6::from_fn(|i, k| scaled[(i, k)] / (unit[i] * unit[k]))
}

/// Σ Gᵀ B G about `center`, with turns measured in radii; and that radius, metres.
fn scaled_resistance(metric: &MetricFrame, center: &Vector3<f64>) -> (Matrix6<f64>, f64) {
    let n = metric.len().max(1) as f64;
    let mean_square = metric.samples().map(|sample| (sample.point - center).norm_squared()).sum::<f64>() / n;
    let radius = if mean_square > 0.0 { mean_square.sqrt() } else { 1.0 };
    let mut sum = Matrix6::zeros();
    for sample in metric.samples() {
        let hat = ((sample.point - center) / radius).cross_matrix();
        let block = sample.matrix();
        let pushed = hat * block;
        sum.fixed_view_mut::<3, 3>(0, 0).zip_apply(&(pushed * hat), |to, x| *to -= x);
        sum.fixed_view_mut::<3, 3>(0, 3).zip_apply(&pushed, |to, x| *to += x);
        sum.fixed_view_mut::<3, 3>(3, 3).zip_apply(&block, |to, x| *to += x);
    }
    let coupling = sum.fixed_view::<3, 3>(0, 3).transpose();
    sum.fixed_view_mut::<3, 3>(3, 0).copy_from(&coupling);
    (sum, radius)
}

impl Sampled {
    /// The twist of the rigid body that has this momentum, in the shape's frame about its origin.
    pub(super) fn twist_of(&self, momentum: &Momentum) -> Twist {
        let metric = self.metric();
        let center = metric.center();
        let about = Momentum { angular: momentum.angular - center.cross(&momentum.linear), linear: momentum.linear };
        let twist = Twist::from(inverse_resistance(metric, &center) * Vector6::from(about));
        Twist { angular: twist.angular, linear: twist.linear - twist.angular.cross(&center) }
    }

    /// Whether some motion that is open to the body meets no resistance: a straight line may spin about itself, a point may turn.
    pub(super) fn has_free_motions(&self, level: Option<Level>) -> bool {
        let metric = self.metric();
        let resistance = scaled_resistance(metric, &metric.center()).0;
        let values = level.map_or(resistance, |level| level.restrict(&resistance, resistance.trace())).symmetric_eigenvalues();
        values.min() <= FREE * values.max()
    }
}
