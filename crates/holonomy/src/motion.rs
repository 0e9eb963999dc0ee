//! The one result type: which shape each body has and where it is at each time, and what physics had to say about it.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::Error;
use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::shape::Clip;

mod chart;
mod scenery;

pub use chart::{Chart, ChartAxis, ChartLine, ChartScale, Stroke};
pub use scenery::{Scenery, SceneryKind};

/// What a run returns: a track per body, how it ended, and what was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Seconds from one frame to the next. Frame `k` is at time `k * dt`.
    pub dt: f64,
    /// One track per body; all have the same number of frames.
    pub tracks: Vec<Track>,
    /// What the tracks' momenta are.
    pub momentum_kind: MomentumKind,
    /// How the run ended.
    pub outcome: Outcome,
    /// What physics says must hold, measured on this run.
    pub checks: Vec<Check>,
    /// Steps that were solved; further cycles of a loop are carried along, not solved again.
    pub steps: usize,
    /// Newton iterations, summed over the run.
    pub newton_iterations: usize,
    /// For loops: the rigid motion of body 0 over one cycle (the holonomy), in world coordinates:
    /// the pose after any cycle is `cycle_transform * (pose one cycle before)`.
    pub cycle_transform: Option<Pose>,
    /// What the user should know about this result, such as a fallback that was taken.
    pub warnings: Vec<String>,
    /// How it was computed, and why so, where there was a choice.
    pub method: Option<String>,
    /// What stands still around the bodies.
    pub scenery: Vec<Scenery>,
    /// Results that are not over time.
    pub charts: Vec<Chart>,
}

/// One body over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// The body's name.
    pub name: String,
    /// Its shape over time: frame k shows `shape.frame(k)`, placed by `poses[k]`. What was given to the system, or what the system found.
    pub shape: Clip,
    /// World placement of the body's shape, one per frame.
    pub poses: Vec<Pose>,
    /// World position of the body's centre, metres, one per frame: its centre of mass or, where drag rules, of drag.
    pub centers: Vec<Vector3<f64>>,
    /// Body-frame velocity, one per frame: of the step that led to it.
    pub twists: Vec<Twist>,
    /// In the world frame, about the world origin, one per frame; what it is, [`Motion::momentum_kind`] says.
    pub momenta: Vec<Momentum>,
    /// What pushed it from outside, all together, mean over the step that led to each frame: torque about the world origin and force, world frame, N m and
    /// N. Empty where a system does not know.
    pub wrenches: Vec<Wrench>,
    /// What else was measured at each frame.
    pub series: Vec<Series>,
    /// What is said of the run as a whole.
    pub figures: Vec<Figure>,
    /// What was measured at each vertex, a row for each frame of the shape; empty where nothing was.
    pub of_vertices: Vec<f64>,
    /// What it is to the eye.
    pub matter: Matter,
}

/// What a track shows. Results are about bodies: what is around them is seen, but has no plots, path or ghosts, and no camera follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matter {
    /// A body.
    #[default]
    Body,
    /// The surface of water, which lets see what is below.
    Water,
    /// What is there to be eaten.
    Food,
    /// What creatures leave behind on the ground.
    Trail,
}

impl Matter {
    /// All kinds.
    pub const ALL: [Matter; 4] = [Matter::Body, Matter::Water, Matter::Food, Matter::Trail];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Matter::Body => "body",
            Matter::Water => "water",
            Matter::Food => "food",
            Matter::Trail => "trail",
        }
    }
}

/// What a metric makes of a velocity: with an inertia metric a momentum, with a dissipation metric the force that drag exerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MomentumKind {
    /// Momentum: kg m²/s, kg m/s.
    #[default]
    Momentum,
    /// Net drag: N m, N. Zero where the body is carried by nothing else.
    Drag,
}

/// A quantity that is measured at each frame, and how it is drawn; or once, of a run as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// Name, snake_case, as in the CSV header.
    pub name: &'static str,
    /// Unit, as in the CSV header; `""` if it has none.
    pub unit: &'static str,
    /// The plot that it shares with others, and how it is called there; `None` for a plot of its own.
    pub among: Option<(&'static str, &'static str)>,
    /// What its line is like.
    pub line: Line,
}

/// What the line of a quantity is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Line {
    /// Straight from value to value.
    #[default]
    Straight,
    /// The same, on a logarithmic scale.
    Logarithmic,
    /// Level until the next value: counts.
    Steps,
}

impl Quantity {
    /// With a plot of its own.
    pub const fn new(name: &'static str, unit: &'static str) -> Quantity {
        Quantity { name, unit, among: None, line: Line::Straight }
    }

    /// As part of a `plot`, where it is called `label`.
    pub const fn among(self, plot: &'static str, label: &'static str) -> Quantity {
        Quantity { among: Some((plot, label)), ..self }
    }

    /// With another line.
    pub const fn line(self, line: Line) -> Quantity {
        Quantity { line, ..self }
    }

    /// One value for the run as a whole.
    pub fn figure(self, value: f64) -> Figure {
        Figure { quantity: self, value }
    }

    /// A series from a value per frame.
    pub fn per_frame(self, values: Vec<f64>) -> Series {
        Series { quantity: self, values }
    }

    /// A series from a value per step: each frame has that of the step that led to it.
    pub fn per_step(self, steps: Vec<f64>) -> Series {
        Series { quantity: self, values: per_frame(steps, 0.0) }
    }
}

/// Speed of the centre.
pub const SPEED: Quantity = Quantity::new("speed", "m/s");
/// Energy of motion.
pub const KINETIC_ENERGY: Quantity = Quantity::new("kinetic_energy", "J").among("energy", "kinetic");
/// How well the equations of a step were solved, scaled.
pub const RESIDUAL: Quantity = Quantity::new("residual", "").line(Line::Logarithmic);
/// Iterations that took.
pub const ITERATIONS: Quantity = Quantity::new("iterations", "").line(Line::Steps);

/// A quantity over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it is.
    pub quantity: Quantity,
    /// One value per frame.
    pub values: Vec<f64>,
}

/// A quantity of a run as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// What it is.
    pub quantity: Quantity,
    /// Its value.
    pub value: f64,
}

/// How a run ended. Frames before the end are kept in every case.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// All frames were computed.
    Done,
    /// The caller asked to stop before `frame`.
    Interrupted {
        /// The first frame that is missing.
        frame: usize,
    },
    /// What was asked for cannot be had; all frames are there, of what comes nearest.
    OutOfReach {
        /// What, by how much, and what to do.
        reason: String,
    },
    /// The solver did not reach its tolerance at `frame`.
    NotConverged {
        /// The first frame that is missing.
        frame: usize,
        /// Scaled residual reached.
        residual: f64,
        /// What to try.
        advice: String,
    },
}

impl Outcome {
    /// Takes steps 1 to `steps`: tells `progress` (step, steps) before each, and ends where that asks to stop or a step gives an outcome.
    ///
    /// # Errors
    /// Those of a step.
    pub fn of_steps(
        steps: usize,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
        mut step: impl FnMut(usize) -> Result<Option<Outcome>, Error>,
    ) -> Result<Outcome, Error> {
        Outcome::of_long_steps(steps, progress, |t, _| step(t))
    }

    /// As [`Outcome::of_steps`], of steps that may take long: a step can ask in its midst whether to stop, and is then interrupted.
    pub(crate) fn of_long_steps(
        steps: usize,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
        mut step: impl FnMut(usize, &mut dyn FnMut() -> ControlFlow<()>) -> Result<Option<Outcome>, Error>,
    ) -> Result<Outcome, Error> {
        for t in 1..=steps {
            if progress(t, steps) == ControlFlow::Break(()) {
                return Ok(Outcome::Interrupted { frame: t });
            }
            if let Some(end) = step(t, &mut || progress(t, steps)).map_err(|error| error.in_frame(t))? {
                return Ok(end);
            }
        }
        Ok(Outcome::Done)
    }
}

/// A statement physics makes about a run, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What is measured.
    pub name: &'static str,
    /// The measured value.
    pub value: f64,
    /// The largest value that passes.
    pub tolerance: f64,
}

impl Check {
    /// Whether the value is within tolerance; NaN never is.
    pub fn pass(&self) -> bool {
        self.value <= self.tolerance
    }
}

impl Motion {
    /// A motion of these tracks, done, of which nothing else is said.
    pub fn new(dt: f64, tracks: Vec<Track>) -> Motion {
        Motion {
            dt,
            tracks,
            momentum_kind: MomentumKind::default(),
            outcome: Outcome::Done,
            checks: Vec::new(),
            steps: 0,
            newton_iterations: 0,
            cycle_transform: None,
            warnings: Vec::new(),
            method: None,
            scenery: Vec::new(),
            charts: Vec::new(),
        }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.tracks.first().map_or(0, |track| track.poses.len())
    }

    /// The places of the tracks that the motion is about: its bodies; where there are none, all of them.
    pub fn bodies(&self) -> Vec<usize> {
        let bodies: Vec<usize> = (0..self.tracks.len()).filter(|&i| self.tracks[i].matter == Matter::Body).collect();
        if bodies.is_empty() { (0..self.tracks.len()).collect() } else { bodies }
    }

    /// The motion of one cycle played `cycles` times: every further cycle is the one before, carried along by the cycle's transform.
    ///
    /// Right for laws that do not depend on where the body is. A motion without a cycle stays as it is.
    pub fn repeated(mut self, cycles: usize) -> Motion {
        let (Some(carry), steps) = (self.cycle_transform, self.frames().saturating_sub(1)) else { return self };
        for _ in 1..cycles {
            for track in &mut self.tracks {
                let from = track.poses.len().saturating_sub(steps);
                for k in from..track.poses.len() {
                    track.poses.push(carry * track.poses[k]);
                    track.centers.push(carry.act(&track.centers[k]));
                    track.twists.push(track.twists[k]);
                    track.momenta.push(carry.momentum_to_world(&track.momenta[k]));
                    if let Some(wrench) = track.wrenches.get(k) {
                        track.wrenches.push(carry.momentum_to_world(wrench));
                    }
                }
                track.series.iter_mut().for_each(|series| series.values.extend_from_within(from..));
            }
        }
        self
    }

    /// The first `frames` frames of the motion.
    pub fn first(mut self, frames: usize) -> Motion {
        for track in &mut self.tracks {
            track.poses.truncate(frames);
            track.centers.truncate(frames);
            track.twists.truncate(frames);
            track.momenta.truncate(frames);
            track.wrenches.truncate(frames);
            track.series.iter_mut().for_each(|series| series.values.truncate(frames));
        }
        self
    }

    /// The motions of bodies that do not feel each other, computed by the same law, as one: a track each, under its name.
    ///
    /// It is as long as the shortest, and ends as that one did. Of checks the worst is kept. The cycle is that of body 0. Scenery that
    /// several of them have is there once; each keeps its charts.
    ///
    /// # Errors
    /// No bodies, or frame times that differ.
    pub fn together(bodies: Vec<(String, Motion)>) -> Result<Motion, Error> {
        let frames = bodies.iter().map(|(_, motion)| motion.frames()).min().unwrap_or(0);
        let mut bodies = bodies.into_iter();
        let Some((name, mut all)) = bodies.next() else {
            return Err(Error::Empty { what: "the list of bodies", fix: "give it at least one" });
        };
        let end = |motion: &Motion| match motion.outcome {
            Outcome::NotConverged { frame, .. } => (frame, 0),
            Outcome::Interrupted { frame } => (frame, 1),
            Outcome::OutOfReach { .. } => (usize::MAX, 1),
            Outcome::Done => (usize::MAX, 2),
        };
        all = all.first(frames);
        all.tracks.iter_mut().for_each(|track| track.name.clone_from(&name));
        all.warnings.iter_mut().for_each(|warning| *warning = format!("{name}: {warning}"));
        all.charts.iter_mut().for_each(|chart| chart.title = format!("{} of {name}", chart.title));
        for (name, motion) in bodies {
            Error::unless(motion.dt == all.dt, "frame time of a body", motion.dt, "that of the first body")?;
            if end(&motion) < end(&all) {
                all.outcome.clone_from(&motion.outcome);
            }
            let motion = motion.first(frames);
            all.tracks.extend(motion.tracks.into_iter().map(|track| Track { name: name.clone(), ..track }));
            all.warnings.extend(motion.warnings.iter().map(|warning| format!("{name}: {warning}")));
            motion.checks.into_iter().for_each(|check| all.add_check(check));
            all.charts.extend(motion.charts.into_iter().map(|chart| Chart { title: format!("{} of {name}", chart.title), ..chart }));
            for piece in motion.scenery {
                if !all.scenery.contains(&piece) {
                    all.scenery.push(piece);
                }
            }
            all.steps += motion.steps;
            all.newton_iterations += motion.newton_iterations;
        }
        Ok(all)
    }

    fn add_check(&mut self, other: Check) {
        let excess = |check: &Check| if check.value.is_nan() { f64::INFINITY } else { check.value - check.tolerance };
        match self.checks.iter_mut().find(|check| check.name == other.name) {
            Some(check) if excess(&other) > excess(check) => *check = other,
            Some(_) => {}
            None => self.checks.push(other),
        }
    }

    /// Whether every number in the motion is finite.
    pub fn is_finite(&self) -> bool {
        let around = self.scenery.iter().all(Scenery::is_finite) && self.charts.iter().all(Chart::is_finite);
        around
            && self.tracks.iter().all(|track| {
                track.poses.iter().all(Pose::is_finite)
                    && track.centers.iter().all(|center| center.iter().all(|x| x.is_finite()))
                    && track.twists.iter().all(Twist::is_finite)
                    && track.momenta.iter().chain(&track.wrenches).all(Momentum::is_finite)
                    && track.series.iter().all(|series| series.values.iter().all(|x| x.is_finite()))
                    && track.of_vertices.iter().chain(track.figures.iter().map(|figure| &figure.value)).all(|x| x.is_finite())
            })
    }
}

/// A rigid motion as a screw (Chasles): a turn about an axis and a shift along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screw {
    /// The point of the axis nearest to the origin, metres; the origin for a motion without turn.
    pub point: Vector3<f64>,
    /// Direction of the axis, unit: the turn is right-handed about it. Without turn, the direction of the shift; +Y if nothing moves.
    pub direction: Vector3<f64>,
    /// Turn, radians, 0 to π.
    pub angle: f64,
    /// Shift along the direction, metres; negative for a left-handed screw.
    pub advance: f64,
}

impl Screw {
    /// The screw of a rigid motion.
    pub fn of(motion: &Pose) -> Screw {
        let (turn, shift) = (motion.rotation.scaled_axis(), motion.translation);
        let angle = turn.norm();
        if angle < NO_TURN {
            let direction = shift.try_normalize(0.0).unwrap_or_else(Vector3::y);
            return Screw { point: Vector3::zeros(), direction, angle: 0.0, advance: shift.norm() };
        }
        let direction = turn / angle;
        let advance = direction.dot(&shift);
        let across = shift - direction * advance;
        Screw { point: (across + direction.cross(&across) / (0.5 * angle).tan()) * 0.5, direction, angle, advance }
    }

    /// Shift per whole turn, metres; `None` without turn.
    pub fn pitch(&self) -> Option<f64> {
        (self.angle > 0.0).then(|| self.advance * std::f64::consts::TAU / self.angle)
    }
}

/// A turn by less than this, radians, has no axis that could be told from round-off.
const NO_TURN: f64 = 1e-9;

impl Track {
    /// A track from shape and poses, the centre at each, and the momentum of each step between them. Its one series is the speed.
    pub fn new(name: &str, shape: Clip, poses: Vec<Pose>, centers: Vec<Vector3<f64>>, step_momenta: Vec<Momentum>) -> Track {
        let rate = 1.0 / shape.dt();
        let step_twists: Vec<Twist> = poses.windows(2).map(|w| (w[0].inverse() * w[1]).log() * rate).collect();
        let twists = per_frame(step_twists, Twist::zero());
        let speed = SPEED.per_step(centers.windows(2).map(|w| (w[1] - w[0]).norm() * rate).collect());
        let (momenta, wrenches) = (per_frame(step_momenta, Momentum::zero()), Vec::new());
        Track {
            name: name.into(),
            shape,
            twists,
            momenta,
            wrenches,
            centers,
            poses,
            series: vec![speed],
            figures: Vec::new(),
            of_vertices: Vec::new(),
            matter: Matter::Body,
        }
    }

    /// What is around bodies, such as water: it changes its shape in the world's own frame.
    pub fn around(name: &str, matter: Matter, shape: Clip, frames: usize) -> Track {
        let center = shape.centroid(0);
        let momenta = vec![Momentum::zero(); frames.saturating_sub(1)];
        let track = Track::new(name, shape, vec![Pose::identity(); frames], vec![center; frames], momenta);
        Track { matter, ..track }
    }

    /// The values of the quantity of that name, if it was measured.
    pub fn series(&self, name: &str) -> Option<&[f64]> {
        self.series.iter().find(|series| series.quantity.name == name).map(|series| series.values.as_slice())
    }
}

/// From a value per step to one per frame: each frame has the value of the step that led to it, the first frame that of the step to come.
pub(crate) fn per_frame<T: Copy>(steps: Vec<T>, none: T) -> Vec<T> {
    let first = steps.first().copied().unwrap_or(none);
    std::iter::once(first).chain(steps).collect()
}
