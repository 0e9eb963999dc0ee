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

use nalgebra::{UnitQuaternion, Vector3};

use super::crawl_record::CrawlRecord;
use super::crawl_step::Bodies;
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
    pub(super) metric: Metric,
    /// Mass of each vertex, kg.
    pub(super) masses: Vec<f64>,
    /// The vertex from which the curve is laid out: the middle one.
    pub(super) held: usize,
    pub(super) placed: Placed,
    /// Memory for the metric of a shape.
    pub(super) frame: MetricFrame,
}

/// One shape on the land.
#[derive(Debug, Clone, Default)]
pub(super) struct Placed {
    pub stance: Option<Stance>,
    /// The shape as given: x, height, z in the level plane, metres.
    pub curve: Vec<Vector3<f64>>,
    pub laid: Laid,
    /// Metric at each vertex, in the world.
    pub samples: Vec<Sample>,
    /// How the axis of each sample changes with the stance.
    pub axis_rates: Vec<[Vector3<f64>; 3]>,
    /// Q: the weight along each way to move, N m and N.
    pub weight: Vector3<f64>,
}

/// What came of a step.
#[must_use = "it tells whether the step was taken"]
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

fn not_converged(frame: usize, report: &CrawlReport, dt: f64) -> Outcome {
    let advice = format!(
        "the body could not be laid out on the land after this step; sample the clip at a higher rate (a time step below {:.2e} s), take gentler land, or \
         more drag for its weight",
        0.5 * dt
    );
    Outcome::NotConverged { frame, residual: report.residual, advice }
}
