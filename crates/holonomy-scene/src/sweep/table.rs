//! What a sweep came to: a row a point, as CSV (RFC 4180, numbers that read back to the same bits) and as JSON.
//!
//! Columns: the varied fields, then those of [`Row`], then what else the runs measured. How long a run took is not among them: it would differ from time to time.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::grid::Axis;
use crate::Error;
use crate::export::csv::quoted;
use crate::export::summary::{Summary, SummaryCheck, SummaryOutcome};

/// A finished (or stopped) sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of the scene.
    pub name: String,
    /// What was varied.
    pub axes: Vec<Axis>,
    /// Index of the point in the grid and what came of it, in the order of the grid. Points that were not finished are absent.
    pub rows: Vec<(usize, Row)>,
    /// Points that were asked for.
    pub asked: usize,
    /// Points that were run now, not found.
    pub ran: usize,
    /// What the user should know, such as kept rows that were not what was written.
    pub notes: Vec<String>,
}

/// What came of one point; of body 0, as in the [`Summary`]. A run that stopped early has the numbers of the frames it came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// Frames computed.
    pub frames: Option<usize>,
    /// Movement through the world, metres.
    pub displacement: Option<[f64; 3]>,
    /// Its length over the body's.
    pub displacement_body_lengths: Option<f64>,
    /// Net rotation, degrees, 0 to 180.
    pub rotation_deg: Option<f64>,
    /// Metres per second.
    pub mean_speed: Option<f64>,
    /// What else was measured of the run as a whole, by name and unit.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub figures: IndexMap<String, f64>,
    /// Newton iterations, summed over the run.
    pub newton_iterations: Option<usize>,
    /// The greatest value of a check over its tolerance: up to 1 is well. `None` if none is finite.
    pub largest_check_ratio: Option<f64>,
    /// Whether all frames were computed and every check passed.
    pub passed: bool,
    /// If not, why, on one line.
    pub error: Option<String>,
}

impl Row {
    /// Names of its columns.
    pub const COLUMNS: [&str; 11] = [
        "frames",
        "displacement_x [m]",
        "displacement_y [m]",
        "displacement_z [m]",
        "displacement_body_lengths",
        "rotation_deg",
        "mean_speed [m/s]",
        "newton_iterations",
        "largest_check_ratio",
        "passed",
        "error",
    ];

    /// The row of a run.
    pub fn new(summary: &Summary) -> Row {
        Row {
            frames: Some(summary.frames),
            displacement: Some(summary.displacement),
            displacement_body_lengths: summary.displacement_body_lengths,
            rotation_deg: Some(summary.rotation_deg),
            mean_speed: summary.mean_speed,
            figures: summary.bodies.first().map(|body| body.figures.clone()).unwrap_or_default(),
            newton_iterations: Some(summary.newton_iterations),
            largest_check_ratio: summary.checks.iter().filter_map(ratio).reduce(f64::max),
            passed: summary.succeeded(),
            error: problem(summary),
        }
    }

    /// The row of a run that could not be.
    pub fn failed(error: &Error) -> Row {
        Row { error: Some(one_line(&error.to_string())), ..Row::default() }
    }

    /// Cells as in [`Row::COLUMNS`].
    fn cells(&self) -> [String; 11] {
        let count = |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
        let [x, y, z] = [0, 1, 2].map(|i| number(self.displacement.and_then(|vector| vector.get(i).copied())));
        [
            count(self.frames),
            x,
            y,
            z,
            number(self.displacement_body_lengths),
            number(self.rotation_deg),
            number(self.mean_speed),
            count(self.newton_iterations),
            number(self.largest_check_ratio),
            self.passed.to_string(),
            self.error.clone().unwrap_or_default(),
        ]
    }
}

impl Table {
    /// How many rows did not pass.
    pub fn failed(&self) -> usize {
        self.rows.iter().filter(|(_, row)| !row.passed).count()
    }

    /// Whether every point that was asked for is there.
    pub fn complete(&self) -> bool {
        self.rows.len() == self.asked
    }

    /// What else was measured of runs as a whole, by name and unit: in any of the rows.
    pub fn figures(&self) -> IndexSet<&str> {
        self.rows.iter().flat_map(|(_, row)| row.figures.keys().map(String::as_str)).collect()
    }

    /// The table as CSV.
    pub fn to_csv(&self) -> String {
        let mut text = String::with_capacity(160 * (self.rows.len() + 1));
        let mut line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(|cell| quoted(&cell)).collect();
            text.push_str(&cells.join(","));
            text.push_str("\r\n");
        };
        let figures = self.figures();
        line(&mut self.axes.iter().map(column).chain(Row::COLUMNS.map(str::to_owned)).chain(figures.iter().map(|&name| name.to_owned())));
        for (index, row) in &self.rows {
            let measured = figures.iter().map(|&name| number(row.figures.get(name).copied()));
            line(&mut self.values(*index).into_iter().map(|(_, value)| value.to_owned()).chain(row.cells()).chain(measured));
        }
        text
    }

    /// The table as one JSON document.
    ///
    /// # Errors
    /// A row was made with a number that is not finite.
    pub fn to_json(&self) -> Result<String, Error> {
        let fail = |error: serde_json::Error| Error::export("the table", error.to_string(), "report this");
        let rows = self.rows.iter().map(|(index, row)| {
            let vary: Map<String, Value> =
                self.values(*index).into_iter().map(|(axis, value)| (axis.key.clone(), json_value(axis, value))).collect();
            let mut fields = Map::from_iter([("point".to_owned(), json!(index + 1)), ("vary".to_owned(), Value::Object(vary))]);
            if let Value::Object(row) = serde_json::to_value(row).map_err(fail)? {
                fields.extend(row);
            }
            Ok(Value::Object(fields))
        });
        let mut document = json!({
            "scene": self.name,
            "version": env!("CARGO_PKG_VERSION"),
            "points": self.asked,
            "finished": self.rows.len(),
            "failed": self.failed(),
            "rows": rows.collect::<Result<Vec<_>, Error>>()?,
        });
        if !self.notes.is_empty() {
            document["notes"] = json!(self.notes);
        }
        if let Some(economy) = self.economy() {
            let line = &economy.line;
            document["economy"] = json!({
                "speeds": line.speeds,
                "frequency": line.frequency,
                "phase_shift": line.phase_shift,
                "power_exponent": economy.exponent,
                "quadratic_fit": economy.quadratic_fit,
                "optima": economy.optima.iter().map(|best| json!({
                    "speed": best.speed,
                    "frequency": best.frequency,
                    "phase_shift": best.phase_shift,
                    "power": best.power,
                })).collect::<Vec<_>>(),
            });
        }
        serde_json::to_string_pretty(&document).map_err(fail)
    }

    /// The value of each varied field at a point.
    pub fn values(&self, index: usize) -> Vec<(&Axis, &str)> {
        super::grid::values(&self.axes, index)
    }
}

/// The shortest digits that read back to the same number, as Debug prints them.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:?}"))
}

/// The name of a varied field's column: as the user wrote it, in full where a result has that name.
fn column(axis: &Axis) -> String {
    let name = if Row::COLUMNS.contains(&axis.key.as_str()) { &axis.path } else { &axis.key };
    axis.unit.as_ref().map_or_else(|| name.clone(), |unit| format!("{name} [{unit}]"))
}

fn json_value(axis: &Axis, value: &str) -> Value {
    match (&axis.unit, value.parse::<f64>()) {
        (Some(unit), _) => Value::from(format!("{value} {unit}")),
        (None, Ok(number)) if number.is_finite() => Value::from(number),
        _ => Value::from(value),
    }
}

/// A check's value over its tolerance, if that says something.
fn ratio(check: &SummaryCheck) -> Option<f64> {
    let (value, tolerance) = (check.value?, check.tolerance?);
    let ratio = if value == 0.0 { 0.0 } else { value / tolerance };
    ratio.is_finite().then_some(ratio)
}

/// Why a run did not pass.
fn problem(summary: &Summary) -> Option<String> {
    let number = |value: Option<f64>| value.map_or("not finite".into(), |value| format!("{value:.2e}"));
    match &summary.outcome {
        SummaryOutcome::NotConverged { frame, residual, advice } => {
            Some(one_line(&format!("frame {frame} did not converge (residual {}): {advice}", number(*residual))))
        }
        SummaryOutcome::OutOfReach { reason } => Some(one_line(reason)),
        SummaryOutcome::Interrupted { frame } => Some(format!("stopped before frame {frame}")),
        SummaryOutcome::Done => {
            let failed = summary.checks.iter().find(|check| !check.pass)?;
            Some(format!("check failed: {}: {} (at most {})", failed.name, number(failed.value), number(failed.tolerance)))
        }
    }
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("; ")
}
