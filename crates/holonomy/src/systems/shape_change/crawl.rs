//! Crawling over hills: a curve that lies on land changes its shape, and moves so that least is dissipated (Gross 2023, Sec. 2.1).
//!
//! The curve is laid out along the land ([`Laid`]), so it has three ways to move: a turn about the normal and two shifts, ξ. The next placement is where the
//! drag along each of the three balances the weight:
//!
//! | here | meaning |
//! |---|---|
//! | p, B and q, C | points and metric of the last placement and the next (Gross 2023, Eq. 1), which change with their ξ |
//! | d = q − p, E = ½ Σ dᵀ(B + C)d | the step, and its two-point energy (Eq. 4) |
//! | ½ (∂E/∂ξ_new − ∂E/∂ξ_old) = 2Δt Q | what is solved: the drag of the step along each way to move |
//! | Q | the weight along each way to move, mean of both ends |
//!
//! On a plane a motion of both ends costs nothing, so that ∂E/∂ξ_new = −∂E/∂ξ_old: this is the least of E, and Eq. 5 with the signs of docs/ERRATA.md G1 to G3.
//! On hills E also changes from place to place. The mean of both ends leaves that out to second order, and a stroke that is undone goes back where it came from.
//! B and C have the lengths of the curve as it was given, which laying it out keeps.

use std::ops::ControlFlow;
use std::sync::Arc;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::crawl_record::CrawlRecord;
use super::{Drag, Freedom, Law, Pull, ShapeChange};
use crate::Error;
use crate::lie::{Momentum, Pose};
use crate::medium::{HeightField, Laid, Metric, MetricFrame, Sample, Stance};
use crate::motion::{Motion, Outcome};
use crate::shape::{Clip, MassRule, Shape, Topology};

/// A job: an open curve crawls over land.
#[derive(Debug, Clone, PartialEq)]
pub struct Crawl {
    /// What the ground does to each part of the curve.
    pub drag: Drag,
    /// How drag and mass are spread over the curve.
    pub masses: MassRule,
    /// Mass of the whole body, kg; absent, the weights are kilograms.
    pub mass: Option<f64>,
    /// Acceleration of free fall, m/s², downwards. Without it slopes pull nothing.
    pub gravity: f64,
    /// What it lies on.
    pub land: HeightField,
    /// Where the first shape stands, seen from above. Its height, and heights of the shape, count from the land, along its normal.
    pub start: Pose,
    /// How many steps to take; absent, as many as the clip has.
    pub steps: Option<usize>,
}

/// A curve on its way over land. Made by [`Crawl::begin`].
#[derive(Debug, Clone)]
pub struct CrawlState {
    topology: Arc<Topology>,
    metric: Metric,
    /// Mass of each vertex, kg.
    masses: Vec<f64>,
    /// The vertex from which the curve is laid out: the middle one.
    held: usize,
    pub(super) placed: Placed,
    /// Memory for the metric of a shape.
    frame: MetricFrame,
}

/// One shape on the land.
#[derive(Debug, Clone, Default)]
pub(super) struct Placed {
    pub stance: Option<Stance>,
    /// The shape as given: x, height, z in the level plane, metres.
    pub curve: Vec<Vector3<f64>>,
    pub laid: Laid,
    /// Metric at each vertex, in the world.
    samples: Vec<Sample>,
    /// How the axis of each sample changes with the stance.
    axis_rates: Vec<[Vector3<f64>; 3]>,
    /// Q: the weight along each way to move, N m and N.
    weight: Vector3<f64>,
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrawlReport {
    /// Force of the body on the ground by drag, world frame about the world's origin: N m, N.
    pub drag: Momentum,
    /// Power lost to drag, W.
    pub dissipation: f64,
    /// Power of the weight, W.
    pub weight_power: f64,
    /// What the step would have cost if the shape had stayed where it was, W.
    pub in_place: f64,
    /// Turn about the normal, radians.
    pub turn: f64,
    /// Scaled residual of the three equations.
    pub residual: f64,
    /// Quasi-Newton iterations.
    pub iterations: usize,
    /// Whether the shape was placed; if not, the state is as before the step.
    pub converged: bool,
}

/// Scaled residual at which a step counts as solved, and one above which it has failed.
const SOLVED: f64 = 1e-13;
const ACCEPTABLE: f64 = 1e-10;

/// Iterations after which a step has failed.
const MOST_ITERATIONS: usize = 60;

impl Crawl {
    /// The job on this land: natural weights, no gravity, from the origin, once.
    pub fn new(land: HeightField, drag: Drag) -> Crawl {
        Crawl { drag, masses: MassRule::Natural, mass: None, gravity: 0.0, land, start: Pose::identity(), steps: None }
    }

    /// For t = 1 … T, lay the next shape out where its drag balances its weight. `progress` is told (step, steps) before each step and may ask to stop.
    ///
    /// # Errors
    /// The clip is no open curve, or a parameter is out of range. Not converging is an [`Outcome`].
    pub fn run(&self, clip: &Clip, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        self.shape_change().validate(clip)?;
        let steps = self.steps.unwrap_or(clip.steps());
        let mut state = self.begin(&clip.shape(0, &self.masses)?)?;
        let mut record = CrawlRecord::new(self, &state);
        let outcome = Outcome::of_steps(steps, progress, |t| {
            let report = self.step(&mut state, &clip.shape(t, &self.masses)?, clip.dt())?;
            if !report.converged {
                return Ok(Some(not_converged(t, &report, clip.dt())));
            }
            record.push(self, &state, report);
            Ok(None)
        })?;
        record.finish(self, &state, clip, outcome)
    }

    /// A curve that lies where [`Crawl::start`] says.
    ///
    /// # Errors
    /// A parameter is out of range, the shape is no open curve or not sound, or the land is too steep for it.
    pub fn begin(&self, shape: &Shape) -> Result<CrawlState, Error> {
        if !matches!(**shape.topology, Topology::Curve { closed: false }) {
            let reason =
                "on hills only an open curve can be laid out with all its lengths; give a snake or another curve, or leave the land out";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        shape.validate()?;
        let physics = self.shape_change().physics(shape)?;
        Error::unless_zero_or_more("gravity", self.gravity)?;
        Error::unless(self.start.is_finite(), "start", f64::NAN, "a finite pose")?;
        let Some(metric) = physics.drag else { return Err(NO_DRAG) };
        let held = shape.points.len() / 2;
        let mut state = CrawlState {
            topology: Arc::clone(shape.topology),
            metric,
            masses: physics.masses,
            held,
            placed: Placed::default(),
            frame: MetricFrame::default(),
        };
        let curve = self.level(shape.points);
        let start = self.start.translation;
        let stance = Stance::new(&self.land, start.x + curve[held].x, start.z + curve[held].z);
        state.metric.evaluate_shape(shape, &mut state.frame)?;
        let bodies = Bodies { crawl: self, state: &state, curve: &curve };
        state.placed = bodies.place(&stance).ok_or(TOO_STEEP)?;
        Ok(state)
    }

    /// Lays out the next `shape`, `dt` seconds after the last.
    ///
    /// # Errors
    /// The shape is not sound or not one of the same body; `dt` is not positive.
    pub fn step(&self, state: &mut CrawlState, shape: &Shape, dt: f64) -> Result<CrawlReport, Error> {
        shape.validate_like(&state.topology, state.masses.len())?;
        Error::unless(dt > 0.0 && dt.is_finite(), "dt", dt, "a positive number of seconds")?;
        state.metric.evaluate_shape(shape, &mut state.frame)?;
        let curve = self.level(shape.points);
        let Some((placed, report)) = (Bodies { crawl: self, state, curve: &curve }).solve(dt) else { return Ok(CrawlReport::FAILED) };
        if report.converged {
            state.placed = placed;
        }
        Ok(report)
    }

    /// What the start says of tilt and height belongs to the shape: a point's x, height above the land and z, metres.
    fn level(&self, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let rise = Vector3::y() * self.start.translation.y;
        points.iter().map(|point| self.start.rotation * point + rise).collect()
    }

    /// The job that has the same metric and masses.
    fn shape_change(&self) -> ShapeChange {
        ShapeChange {
            masses: self.masses.clone(),
            mass: self.mass,
            pull: Pull::gravity(Vector3::y() * -self.gravity),
            freedom: Freedom::Level,
            steps: self.steps,
            ..ShapeChange::new(Law::LeastDissipation { drag: self.drag })
        }
    }

    /// The pose under which results show a shape: upright, and on level land the one that places the shape as it was given.
    pub(super) fn pose(&self, placed: &Placed, held: usize) -> Pose {
        let Some(stance) = placed.stance else { return self.start };
        let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * stance.heading());
        let foot = turn * Vector3::new(placed.curve[held].x, 0.0, placed.curve[held].z);
        let height = Vector3::y() * self.start.translation.y;
        Pose { rotation: turn * self.start.rotation, translation: stance.point - foot + height }
    }
}

const NO_DRAG: Error =
    Error::Degenerate { frame: 0, reason: "the ground does not resist at all, so nothing says where the body goes; give it drag" };

const TOO_STEEP: Error = Error::Degenerate {
    frame: 0,
    reason: "the land is too steep or too sharp where the body starts; start elsewhere, take gentler land, or a curve of more vertices",
};

impl Placed {
    /// Without what only the next step needs.
    pub(super) fn slim(&self) -> Placed {
        let laid = Laid { points: self.laid.points.clone(), rates: Vec::new(), bend: self.laid.bend };
        Placed { stance: self.stance, curve: self.curve.clone(), laid, ..Placed::default() }
    }
}

impl CrawlState {
    /// Where the vertices are, metres.
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.placed.laid.points
    }

    /// World position of the centre of drag, metres.
    pub fn center(&self) -> Vector3<f64> {
        let trace = |sample: &Sample| 3.0 * sample.round + sample.axial;
        let samples = &self.placed.samples;
        samples.iter().map(|sample| sample.point * trace(sample)).sum::<Vector3<f64>>() / samples.iter().map(trace).sum::<f64>()
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Mass of each vertex, kg.
    pub(super) fn masses(&self) -> &[f64] {
        &self.masses
    }

    pub(super) fn metric(&self) -> &Metric {
        &self.metric
    }
}

impl CrawlReport {
    /// No placement was found at all.
    const FAILED: CrawlReport = CrawlReport {
        drag: Momentum { angular: Vector3::new(0.0, 0.0, 0.0), linear: Vector3::new(0.0, 0.0, 0.0) },
        dissipation: 0.0,
        weight_power: 0.0,
        in_place: 0.0,
        turn: 0.0,
        residual: f64::INFINITY,
        iterations: 0,
        converged: false,
    };
}

/// The body in the last placement, and its next shape.
struct Bodies<'a> {
    crawl: &'a Crawl,
    state: &'a CrawlState,
    curve: &'a [Vector3<f64>],
}

/// E of a step with its derivatives by the stance of the new shape and of the old, and Σ ∂dᵀ(B + C)∂d, all by (turn, shift, shift).
struct Cost {
    energy: f64,
    by_new: Vector3<f64>,
    by_old: Vector3<f64>,
    stiffness: Matrix3<f64>,
}

impl Bodies<'_> {
    /// Quasi-Newton from where the shape is in place: the first slope of the equations is that of Gauss and Newton, later ones learn from the steps
    /// (Broyden).
    fn solve(&self, dt: f64) -> Option<(Placed, CrawlReport)> {
        let old = &self.state.placed;
        let stance = old.stance?;
        let shift = self.curve[self.state.held] - old.curve[self.state.held];
        let mut at = self.place(&stance.moved(&self.crawl.land, &Vector3::new(0.0, shift.x, shift.z)))?;
        let mut cost = cost(old, &at);
        let in_place = cost.energy;
        let (radius, scale) = self.scales();
        let unit = Vector3::new(1.0, radius, radius);
        let miss = |cost: &Cost, at: &Placed| imbalance(cost, old, at, dt).component_mul(&unit) / (radius * scale);
        let mut residual = miss(&cost, &at);
        let mut slope = Matrix3::from_fn(|i, k| cost.stiffness[(i, k)] * unit[i] * unit[k] / (radius * scale));
        let mut iterations = 0;
        while residual.norm() > SOLVED && iterations < MOST_ITERATIONS {
            let mut step = slope.lu().solve(&-residual)?;
            step /= step.norm().max(1.0);
            let (next, there, left) = loop {
                let next = at.stance.and_then(|stance| self.place(&stance.moved(&self.crawl.land, &step.component_mul(&unit))));
                if let Some(next) = next {
                    let there = self::cost(old, &next);
                    let left = miss(&there, &next);
                    if left.norm() < residual.norm() {
                        break (Some(next), there, left);
                    }
                }
                step *= 0.5;
                if step.norm() < 1e-14 {
                    break (None, self::cost(old, &at), residual);
                }
            };
            let Some(next) = next else { break };
            slope += (left - residual - slope * step) * step.transpose() / step.norm_squared();
            (at, cost, residual) = (next, there, left);
            iterations += 1;
        }
        let residual = residual.norm();
        Some((at.clone(), self.report(&at, &cost, in_place, Ended { dt, residual, iterations })))
    }

    /// Root mean square distance of the points from their mean, metres; and Σ trace B times that.
    fn scales(&self) -> (f64, f64) {
        let samples = &self.state.placed.samples;
        let mean = samples.iter().map(|sample| sample.point).sum::<Vector3<f64>>() / samples.len() as f64;
        let spread = samples.iter().map(|sample| (sample.point - mean).norm_squared()).sum::<f64>() / samples.len() as f64;
        let radius = if spread > 0.0 { spread.sqrt() } else { 1.0 };
        (radius, radius * samples.iter().map(|sample| 3.0 * sample.round + sample.axial).sum::<f64>())
    }

    /// The shape laid out from `stance`.
    fn place(&self, stance: &Stance) -> Option<Placed> {
        let laid = Laid::new(&self.crawl.land, self.curve, self.state.held, stance)?;
        let (axes, axis_rates) = axes(&laid);
        let given = self.state.frame.samples();
        let samples = given.zip(laid.points.iter().zip(&axes)).map(|(given, (&point, &axis))| Sample { point, axis, ..given }).collect();
        let fall = |k: usize| laid.rates.iter().zip(&self.state.masses).map(|(rates, mass)| -mass * self.crawl.gravity * rates[k].y).sum();
        let weight = Vector3::new(fall(0), fall(1), fall(2));
        Some(Placed { stance: Some(*stance), curve: self.curve.to_vec(), laid, samples, axis_rates, weight })
    }

    fn report(&self, at: &Placed, cost: &Cost, in_place: f64, ended: Ended) -> CrawlReport {
        let old = &self.state.placed;
        let Ended { dt, residual, iterations } = ended;
        let mut drag = Momentum::zero();
        let mut fallen = 0.0;
        for (j, (a, b)) in old.samples.iter().zip(&at.samples).enumerate() {
            let d = b.point - a.point;
            let (before, after) = (a.times(&d), b.times(&d));
            drag.linear += (before + after) * (0.5 / dt);
            drag.angular += (b.point.cross(&before) + a.point.cross(&after)) * (0.5 / dt);
            fallen -= self.state.masses[j] * d.y;
        }
        let turn = old.stance.zip(at.stance).map_or(0.0, |(old, new)| new.heading() - old.heading());
        let rate = 1.0 / (dt * dt);
        CrawlReport {
            drag,
            dissipation: cost.energy * rate,
            weight_power: self.crawl.gravity * fallen / dt,
            in_place: in_place * rate,
            turn: turn.sin().atan2(turn.cos()),
            residual,
            iterations,
            converged: residual <= ACCEPTABLE,
        }
    }
}

/// How a step ended.
struct Ended {
    dt: f64,
    residual: f64,
    iterations: usize,
}

/// E of the step from `old` to `new`.
fn cost(old: &Placed, new: &Placed) -> Cost {
    let mut cost = Cost { energy: 0.0, by_new: Vector3::zeros(), by_old: Vector3::zeros(), stiffness: Matrix3::zeros() };
    for (j, (a, b)) in old.samples.iter().zip(&new.samples).enumerate() {
        let (d, round) = (b.point - a.point, a.round + b.round);
        let (along_old, along_new) = (a.axis.dot(&d), b.axis.dot(&d));
        cost.energy += 0.5 * (round * d.norm_squared() + a.axial * along_old * along_old + b.axial * along_new * along_new);
        let (rates, back) = (&new.laid.rates[j], &old.laid.rates[j]);
        // Of along_old and along_new, as the new shape moves.
        let of_old: [f64; 3] = rates.map(|rate| a.axis.dot(&rate));
        let of_new: [f64; 3] = std::array::from_fn(|k| b.axis.dot(&rates[k]) + new.axis_rates[j][k].dot(&d));
        for k in 0..3 {
            cost.by_new[k] += round * d.dot(&rates[k]) + a.axial * along_old * of_old[k] + b.axial * along_new * of_new[k];
            let turned = old.axis_rates[j][k].dot(&d) - a.axis.dot(&back[k]);
            cost.by_old[k] += a.axial * along_old * turned - round * d.dot(&back[k]) - b.axial * along_new * b.axis.dot(&back[k]);
            for l in 0..3 {
                let axial = a.axial * of_old[k] * of_old[l] + b.axial * of_new[k] * of_new[l];
                cost.stiffness[(k, l)] += round * rates[k].dot(&rates[l]) + axial;
            }
        }
    }
    cost
}

/// Drag less weight along each way to move, times 2Δt: the mean of both ends.
fn imbalance(cost: &Cost, old: &Placed, new: &Placed, dt: f64) -> Vector3<f64> {
    let (at_new, at_old) = (cost.by_new - new.weight * (2.0 * dt), -cost.by_old - old.weight * (2.0 * dt));
    match (&old.stance, &new.stance) {
        (Some(before), Some(after)) => (at_new + after.seen_from(before) * at_old) * 0.5,
        _ => at_new,
    }
}

/// Two unit vectors that cancel to less than this have no direction of their own.
const NO_DIRECTION: f64 = 1e-9;

/// Unit tangents at the vertices, the normalised sums of the adjacent edges' directions (Gross 2023, Sec. 4), and how they change with the stance.
fn axes(laid: &Laid) -> (Vec<Vector3<f64>>, Vec<[Vector3<f64>; 3]>) {
    let none = [Vector3::zeros(); 4];
    // The direction of an edge, then its rates.
    let edge = |i: usize| {
        let way = laid.points[i + 1] - laid.points[i];
        let length = way.norm();
        if length == 0.0 {
            return none;
        }
        let along = way / length;
        let rate = |k: usize| across(&along, &((laid.rates[i + 1][k] - laid.rates[i][k]) / length));
        [along, rate(0), rate(1), rate(2)]
    };
    let edges: Vec<[Vector3<f64>; 4]> = (0..laid.points.len().saturating_sub(1)).map(edge).collect();
    let at = |i: Option<usize>| i.and_then(|i| edges.get(i)).copied().unwrap_or(none);
    (0..laid.points.len())
        .map(|j| {
            let (before, after) = (at(j.checked_sub(1)), at(Some(j)));
            let sum = before[0] + after[0];
            let length = sum.norm();
            if length <= NO_DIRECTION {
                return (Vector3::zeros(), [Vector3::zeros(); 3]);
            }
            let axis = sum / length;
            (axis, std::array::from_fn(|k| across(&axis, &((before[k + 1] + after[k + 1]) / length))))
        })
        .unzip()
}

/// The part of `vector` across a unit axis.
fn across(axis: &Vector3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
    vector - axis * axis.dot(vector)
}

fn not_converged(frame: usize, report: &CrawlReport, dt: f64) -> Outcome {
    let advice = format!(
        "the body could not be laid out on the land after this step; sample the clip at a higher rate (a time step below {:.2e} s), take gentler land, or \
         more drag for its weight",
        0.5 * dt
    );
    Outcome::NotConverged { frame, residual: report.residual, advice }
}
