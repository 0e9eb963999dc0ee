//! The JSON summary of a run, written beside the result and printed by `--json`.
//!
//! No field can hold NaN or infinity: a quantity that has no value is `null`, and a result whose displacement is not finite is refused.

use std::time::Duration;

use holonomy::lie::Pose;
use holonomy::motion::{Chart, ChartAxis, ChartLine, ChartScale, Check, Motion, Outcome, Screw, Stroke, Track};
use holonomy::shape::{Clip, Playback};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::csv::column;
use crate::Error;

/// What a run came to. Displacement, rotation and speed are those of body 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The scene's name.
    pub scene: String,
    /// The system that ran: `"shape-change"`, ….
    pub system: String,
    /// The engine's version.
    pub version: String,
    /// How the run ended.
    pub outcome: SummaryOutcome,
    /// Frames computed.
    pub frames: usize,
    /// Seconds from one frame to the next.
    pub dt: f64,
    /// Seconds from the first frame to the last.
    pub duration: f64,
    /// For loops, seconds of one cycle; `null` for clips that do not loop, and for bodies that keep their shape.
    pub cycle_duration: Option<f64>,
    /// Vertices of body 0.
    pub vertices: usize,
    /// Seconds the run took.
    pub wall_s: f64,
    /// Steps solved per second of run time; the cycles of a loop after the first are carried along, not solved.
    pub steps_per_s: Option<f64>,
    /// Newton iterations, summed over the run.
    pub newton_iterations: usize,
    /// Movement of the body's centre (of mass or, where drag rules, of drag) through the world, metres, from frame 0 to the end of the last whole
    /// cycle (where the shape is that of frame 0 again); to the last frame if the clip does not loop or no cycle is whole.
    pub displacement: [f64; 3],
    /// Length of body 0, metres: of an open curve its arc length at frame 0, of all else the longest side of its bounding box at frame 0.
    pub body_length: f64,
    /// Length of the displacement over the body's length; `null` if the body has none.
    pub displacement_body_lengths: Option<f64>,
    /// Angle of the body's net rotation over the same frames, degrees, 0 to 180.
    pub rotation_deg: f64,
    /// Length of the displacement over the time it took, m/s; `null` if that is no time.
    pub mean_speed: Option<f64>,
    /// For loops, the rigid motion over one cycle, in world coordinates.
    pub cycle_transform: Option<Transform>,
    /// That motion as a screw; `null` where there is no such motion.
    pub screw: Option<SummaryScrew>,
    /// For loops, the way of the body's centre over the last whole cycle, in body lengths; `null` for clips that do not loop, and for bodies that keep their shape.
    pub body_lengths_per_cycle: Option<f64>,
    /// Power that would tow the mean shape at the mean velocity over the power lost to drag; `null` where no drag is, or something pulls.
    pub efficiency: Option<f64>,
    /// How far each body got, body 0 included.
    pub bodies: Vec<BodySummary>,
    /// What physics says must hold, measured on this run.
    pub checks: Vec<SummaryCheck>,
    /// Results that are not over time; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<SummaryChart>,
    /// How it was computed, and why so; left out where there was no choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// The files written, as paths.
    pub files: Vec<String>,
    /// SHA-256 of those of them that were made before this summary (all but the page, which holds
    /// it, and the summary's own file), by their paths, in hexadecimal digits: it tells whether
    /// files that stand together are of one run.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub sha256: IndexMap<String, String>,
}

/// What one body came to; the fields are as in [`Summary`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodySummary {
    /// The body's name.
    pub name: String,
    /// Its vertices.
    pub vertices: usize,
    /// Movement of its centre, metres.
    pub displacement: [f64; 3],
    /// Its length, metres.
    pub body_length: f64,
    /// Length of the displacement over that; `null` if the body has none.
    pub displacement_body_lengths: Option<f64>,
    /// Angle of its net rotation, degrees, 0 to 180.
    pub rotation_deg: f64,
    /// Length of the displacement over the time it took, m/s; `null` if that is no time.
    pub mean_speed: Option<f64>,
    /// What else was measured of its run as a whole, by name and unit: `"steady_speed [m/s]"`; left out if nothing was.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub figures: IndexMap<String, f64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum SummaryOutcome {
    /// All frames were computed.
    Done,
    /// Stopped on request.
    Interrupted {
        /// The first frame that is missing.
        frame: usize,
    },
    /// What was asked for cannot be had; what comes nearest is kept.
    OutOfReach {
        /// What, by how much, and what to do.
        reason: String,
    },
    /// The solver did not reach its tolerance.
    NotConverged {
        /// The first frame that is missing.
        frame: usize,
        /// Scaled residual reached; `null` if it is not finite.
        residual: Option<f64>,
        /// What to try.
        advice: String,
    },
}

/// A rigid motion: first rotate, then translate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Metres.
    pub translation: [f64; 3],
    /// Unit quaternion, order x, y, z, w as in glTF.
    pub rotation: [f64; 4],
}

/// A rigid motion as a turn about an axis and a shift along it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryScrew {
    /// The point of the axis nearest to the world's origin, metres.
    pub point: [f64; 3],
    /// Direction of the axis, unit.
    pub direction: [f64; 3],
    /// Turn about it, degrees, 0 to 180.
    pub angle_deg: f64,
    /// Shift along it, metres.
    pub advance: f64,
    /// Shift per whole turn, metres; `null` without turn.
    pub pitch: Option<f64>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryCheck {
    /// What is measured.
    pub name: String,
    /// The measured value; `null` if it is not finite, which never passes.
    pub value: Option<f64>,
    /// The largest value that passes; `null` for no bound.
    pub tolerance: Option<f64>,
    /// Whether it passes.
    pub pass: bool,
}

/// A chart: lines through points (x, y).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryChart {
    /// What it shows.
    pub title: String,
    /// The axis to the right.
    pub x: SummaryAxis,
    /// The axis up.
    pub y: SummaryAxis,
    /// The lines.
    pub lines: Vec<SummaryLine>,
}

/// An axis of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryAxis {
    /// What is measured along it.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// `"linear"` or `"logarithmic"`.
    pub scale: String,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryLine {
    /// Its name.
    pub name: String,
    /// Its points (x, y); a number that is not finite is `null`.
    pub points: Vec<[Option<f64>; 2]>,
    /// Whether it is what others are compared with, and so drawn dashed.
    pub dashed: bool,
    /// Whether each pair of points is one thick level bar; left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bars: bool,
}

impl Summary {
    /// The summary of a motion. `files`, `sha256` and `efficiency` are left empty.
    ///
    /// # Errors
    /// No frames, no bodies, or a pose that is not finite.
    pub fn new(motion: &Motion, scene: &str, system: &str, wall: Duration) -> Result<Summary, Error> {
        let about = motion.bodies();
        let bodies = about.iter().map(|&i| BodySummary::new(&motion.tracks[i], motion.dt));
        let bodies = bodies.collect::<Result<Vec<_>, Error>>()?;
        let (Some(first), Some(track)) = (bodies.first(), about.first().map(|&i| &motion.tracks[i])) else {
            return Err(Error::export("the summary", "the motion has no bodies", "give it at least one"));
        };
        let &BodySummary { vertices, displacement, body_length, displacement_body_lengths, rotation_deg, mean_speed, .. } = first;
        Ok(Summary {
            scene: scene.into(),
            system: system.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            outcome: outcome(&motion.outcome),
            frames: motion.frames(),
            dt: motion.dt,
            duration: motion.dt * motion.frames().saturating_sub(1) as f64,
            cycle_duration: cycle(&track.shape).map(|frames| motion.dt * frames as f64),
            vertices,
            wall_s: wall.as_secs_f64(),
            steps_per_s: finite(motion.steps as f64 / wall.as_secs_f64()),
            newton_iterations: motion.newton_iterations,
            displacement,
            body_length,
            displacement_body_lengths,
            rotation_deg,
            mean_speed,
            cycle_transform: motion.cycle_transform.as_ref().map(transform).transpose()?,
            screw: motion.cycle_transform.as_ref().map(screw),
            body_lengths_per_cycle: per_cycle(track),
            efficiency: None,
            bodies,
            checks: motion.checks.iter().map(check).collect(),
            charts: motion.charts.iter().map(chart).collect(),
            method: motion.method.clone(),
            warnings: motion.warnings.clone(),
            files: Vec::new(),
            sha256: IndexMap::new(),
        })
    }

    /// Whether all frames were computed and every check passed.
    pub fn succeeded(&self) -> bool {
        self.outcome == SummaryOutcome::Done && self.checks.iter().all(|check| check.pass)
    }

    /// The summary as indented JSON.
    ///
    /// # Errors
    /// A public field was set to a number that is not finite.
    pub fn to_json(&self) -> Result<String, Error> {
        let of_body = |body: &BodySummary| [body.body_length, body.rotation_deg].into_iter().chain(body.displacement);
        let numbers = [self.dt, self.duration, self.wall_s, self.body_length, self.rotation_deg].into_iter().chain(self.displacement);
        let numbers = numbers.chain(self.bodies.iter().flat_map(of_body));
        if let Some(bad) = numbers.into_iter().find(|x| !x.is_finite()) {
            return Err(Error::export("the summary", format!("one of its numbers is {bad}"), "give finite numbers"));
        }
        serde_json::to_string_pretty(self).map_err(|e| Error::export("the summary", e.to_string(), "report this"))
    }
}

impl BodySummary {
    fn new(track: &Track, dt: f64) -> Result<BodySummary, Error> {
        let clip = &track.shape;
        let last = clip.whole_cycles_end(track.poses.len());
        let (Some(start), Some(end)) = (track.poses.first(), track.poses.get(last)) else {
            return Err(Error::export("the summary", "the motion has no frames", "let it run for at least one frame"));
        };
        let center = |k: usize| track.centers.get(k).copied().unwrap_or_default();
        let displacement = center(last) - center(0);
        let distance = displacement.norm();
        if !(distance.is_finite() && end.is_finite() && start.is_finite() && dt.is_finite()) {
            let problem = format!("{} ends at {end:?}", track.name);
            return Err(Error::export(format!("the summary, frame {last}"), problem, "the run diverged; use a smaller time step"));
        }
        let body_length = clip.body_length();
        Ok(BodySummary {
            name: track.name.clone(),
            vertices: clip.vertices(),
            displacement: displacement.into(),
            body_length,
            displacement_body_lengths: finite(distance / body_length),
            rotation_deg: start.rotation.angle_to(&end.rotation).to_degrees(),
            mean_speed: finite(distance / (last as f64 * dt)),
            figures: track.figures.iter().filter(|figure| figure.value.is_finite()).map(|f| (column(&f.quantity), f.value)).collect(),
        })
    }
}

/// Frames of a cycle of a clip that loops.
fn cycle(clip: &Clip) -> Option<usize> {
    (clip.playback() == Playback::Loop && clip.frames() > 1).then(|| clip.frames())
}

/// The way of the centre over the last whole cycle of a loop, in body lengths.
fn per_cycle(track: &Track) -> Option<f64> {
    let clip = &track.shape;
    let last = clip.whole_cycles_end(track.poses.len());
    let before = last.checked_sub(cycle(clip)?)?;
    finite((track.centers.get(last)? - track.centers.get(before)?).norm() / clip.body_length())
}

fn outcome(outcome: &Outcome) -> SummaryOutcome {
    match outcome {
        Outcome::Done => SummaryOutcome::Done,
        Outcome::Interrupted { frame } => SummaryOutcome::Interrupted { frame: *frame },
        Outcome::OutOfReach { reason } => SummaryOutcome::OutOfReach { reason: reason.clone() },
        Outcome::NotConverged { frame, residual, advice } => {
            SummaryOutcome::NotConverged { frame: *frame, residual: finite(*residual), advice: advice.clone() }
        }
    }
}

fn transform(pose: &Pose) -> Result<Transform, Error> {
    let (t, q) = (pose.translation, pose.rotation.coords);
    if t.iter().chain(q.iter()).all(|x| x.is_finite()) {
        return Ok(Transform { translation: t.into(), rotation: q.into() });
    }
    Err(Error::export("the summary", format!("the transform per cycle is {pose:?}"), "the run diverged; use a smaller time step"))
}

fn screw(motion: &Pose) -> SummaryScrew {
    let Screw { point, direction, angle, advance } = Screw::of(motion);
    let pitch = Screw::of(motion).pitch().and_then(finite);
    SummaryScrew { point: point.into(), direction: direction.into(), angle_deg: angle.to_degrees(), advance, pitch }
}

fn check(check: &Check) -> SummaryCheck {
    SummaryCheck {
        name: check.name.into(),
        value: finite(check.value),
        tolerance: finite(check.tolerance),
        pass: check.pass() && check.value.is_finite(),
    }
}

fn chart(chart: &Chart) -> SummaryChart {
    let axis = |axis: &ChartAxis| {
        let scale = match axis.scale {
            ChartScale::Linear => "linear",
            ChartScale::Log => "logarithmic",
        };
        SummaryAxis { name: axis.name.clone(), unit: axis.unit.clone(), scale: scale.into() }
    };
    let line = |line: &ChartLine| SummaryLine {
        name: line.name.clone(),
        points: line.points.iter().map(|point| point.map(finite)).collect(),
        dashed: line.stroke == Stroke::Dashed,
        bars: line.stroke == Stroke::Bars,
    };
    SummaryChart { title: chart.title.clone(), x: axis(&chart.x), y: axis(&chart.y), lines: chart.lines.iter().map(line).collect() }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
