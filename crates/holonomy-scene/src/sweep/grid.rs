//! The points of a sweep: every combination of the values of its axes, the last axis fastest.
//!
//! An axis is written `anisotropy=0.02..1:8` (evenly spaced, both ends included), `anisotropy=0.02..1:8log` (by equal factors), with one unit
//! for both ends `length=0.5..2m:4`, or as a list `law=least-action,least-dissipation`. Steps of a range are rounded to 15 digits: they read
//! well, and are the same on machines whose logarithms differ in the last bit.

use crate::Error;
use crate::scene::Scene;
use crate::scene::diagnostics::shown;
use crate::scene::units;

/// Most points a sweep may have.
const MOST: usize = 1_000_000;

/// Most values of an axis that are tried before the sweep begins; one that does not fit in a longer axis is a row with its error.
const MOST_TRIED: usize = 1000;

const FORMS: &str = "write KEY=FROM..TO:COUNT (even steps), KEY=FROM..TO:COUNTlog (equal factors) or KEY=A,B,C, \
    such as anisotropy=0.02..1:8, length=0.5..2m:4 or law=least-action,least-dissipation";

/// All combinations of the values of some fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    axes: Vec<Axis>,
    points: usize,
}

/// One varied field.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The field as the user wrote it.
    pub key: String,
    /// The field's dotted path.
    pub path: String,
    /// Unit of all values, if they were given as a range with one.
    pub unit: Option<String>,
    /// Its values, in order, without the unit.
    pub values: Vec<String>,
    /// What the user typed, for messages.
    typed: String,
}

impl Grid {
    /// Reads the axes and tries each of their values on `scene`. `origin` says where the texts stand, such as `--vary`.
    ///
    /// # Errors
    /// As [`super::Sweep::new`].
    pub(super) fn new(scene: &Scene, texts: &[String], origin: &str) -> Result<Grid, Error> {
        if texts.is_empty() {
            return Err(Error::Choice(format!("nothing to vary: give --vary, or a table [sweep] in the scene\n  {FORMS}")));
        }
        let (mut axes, mut points, mut scene) = (Vec::<Axis>::new(), 1_usize, scene.clone());
        for text in texts {
            let axis = Axis::read(&scene, text, &shown(&format!("{origin} {text}")))?;
            let within = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            if let Some(other) = axes.iter().find(|other| within(&other.path, &axis.path) || within(&axis.path, &other.path)) {
                return Err(Error::Choice(format!("{}: `{}` is varied already, by {}", axis.typed, axis.path, other.typed)));
            }
            points = points.saturating_mul(axis.values.len());
            if points > MOST {
                let counts: Vec<String> = axes.iter().chain([&axis]).map(|axis| axis.values.len().to_string()).collect();
                let product = counts.join(" x ");
                return Err(Error::Choice(format!("{}: {product} is more than {MOST} points; lower a COUNT", axis.typed)));
            }
            // A misspelt value is told at once, not after an hour. The next axis is tried where this one begins.
            let last = axis.values.len().saturating_sub(1);
            for at in (0..last).step_by(1 + last / MOST_TRIED).chain([last]) {
                axis.apply(&scene, at)?;
            }
            scene = axis.apply(&scene, 0)?;
            axes.push(axis);
        }
        Ok(Grid { axes, points })
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The varied fields, the slowest first.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    pub(super) fn apply(&self, scene: &Scene, index: usize) -> Result<Scene, Error> {
        places(&self.axes, index).into_iter().try_fold(scene.clone(), |scene, (axis, at)| axis.apply(&scene, at))
    }
}

/// The value of each axis at a point.
pub(super) fn values(axes: &[Axis], index: usize) -> Vec<(&Axis, &str)> {
    places(axes, index).into_iter().map(|(axis, at)| (axis, axis.values.get(at).map_or("", String::as_str))).collect()
}

/// Which value of each axis a point has.
fn places(axes: &[Axis], index: usize) -> Vec<(&Axis, usize)> {
    let mut rest = index;
    let mut places: Vec<(&Axis, usize)> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        let count = axis.values.len().max(1);
        places.push((axis, rest % count));
        rest /= count;
    }
    places.reverse();
    places
}

impl Axis {
    fn read(scene: &Scene, text: &str, typed: &str) -> Result<Axis, Error> {
        let wrong = |problem: &str| Error::Choice(format!("{typed}: {problem}\n  {FORMS}"));
        let (key, values) = text.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(wrong(if key.is_empty() { "no field before `=`" } else { "no values after `=`" }));
        }
        let path = scene.full_key(key, typed)?;
        if let Some((from, to)) = values.rsplit_once('-')
            && from.parse::<f64>().is_ok()
            && to.parse::<f64>().is_ok()
        {
            return Err(wrong(&format!("a range is written with dots and a count: {key}={from}..{to}:COUNT")));
        }
        // Text with dots of its own, such as ../other.glb, is no range.
        let (values, unit) = match values.split_once("..").filter(|_| !values.contains(['/', '\\', '"', '\''])) {
            Some((from, rest)) => range(from, rest).map_err(|problem| wrong(&problem))?,
            None => (list(values).map_err(wrong)?, None),
        };
        Ok(Axis { key: key.into(), path, unit, values, typed: typed.into() })
    }

    /// The scene with this field at value `at`.
    fn apply(&self, scene: &Scene, at: usize) -> Result<Scene, Error> {
        let value = self.values.get(at).map_or("", String::as_str);
        let value = self.unit.as_ref().map_or_else(|| value.to_owned(), |unit| format!("{value} {unit}"));
        scene.overridden(&self.path, &value, &format!("{} at {}", self.typed, shown(&value)))
    }
}

/// `FROM..TO:COUNT`, of which `rest` is what follows the dots: the values and their unit.
fn range(from: &str, rest: &str) -> Result<(Vec<String>, Option<String>), String> {
    let (to, count) = rest.rsplit_once(':').ok_or("a range needs a COUNT, after a colon")?;
    let ((from, from_unit), (to, unit)) = (number(from)?, number(to)?);
    if !from_unit.is_empty() && from_unit != unit {
        return Err(format!("the ends have different units, `{}` and `{}`; give both in one", shown(from_unit), shown(unit)));
    }
    let count = count.trim();
    let (count, logarithmic) = count.strip_suffix("log").map_or((count, false), |count| (count.trim_end(), true));
    let count = match count.parse::<usize>() {
        Ok(0) => return Err("COUNT 0 is no point at all".into()),
        Ok(1) if from != to => return Err("COUNT 1 is too few for a range with two ends; give 2 or more, or one value".into()),
        Ok(count) if count > MOST => return Err(format!("COUNT {count} is more than {MOST}")),
        Ok(count) => count,
        Err(_) => return Err(format!("COUNT `{}` is no whole number", shown(count))),
    };
    if logarithmic && !(from > 0.0 && to > 0.0) {
        return Err(format!("equal factors need both ends above 0, found {from} and {to}"));
    }
    let values: Vec<f64> = (0..count).map(|k| step(from, to, k, count, logarithmic)).collect();
    if values.iter().any(|value| !value.is_finite()) {
        return Err("the ends are too far apart for numbers to hold".into());
    }
    Ok((values.into_iter().map(plain).collect(), Some(unit.to_owned()).filter(|unit| !unit.is_empty())))
}

/// A number and the unit after it.
fn number(text: &str) -> Result<(f64, &str), String> {
    let (digits, unit) = units::split(text);
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((value, unit)),
        _ => Err(format!("`{}` is no number", shown(text.trim()))),
    }
}

/// Value k of a range of `count`; the ends exactly as given.
fn step(from: f64, to: f64, k: usize, count: usize, logarithmic: bool) -> f64 {
    if k == 0 || k + 1 == count {
        return if k == 0 { from } else { to };
    }
    let part = k as f64 / (count - 1) as f64;
    let value = if logarithmic { (from.ln() + (to.ln() - from.ln()) * part).exp() } else { from * (1.0 - part) + to * part };
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// Shortest digits; a whole number has no point, for fields that want one.
fn plain(value: f64) -> String {
    if value == 0.0 || (1e-5..1e15).contains(&value.abs()) { format!("{}", value + 0.0) } else { format!("{value:e}") }
}

/// Values between commas, but for commas inside brackets or quotes.
fn list(text: &str) -> Result<Vec<String>, &'static str> {
    let (mut items, mut depth, mut quote) = (vec![String::new()], 0_i32, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(item) = items.last_mut() {
            item.push(letter);
        }
    }
    let items: Vec<String> = items.into_iter().map(|item| item.trim().to_owned()).collect();
    match items.len() {
        _ if items.iter().any(String::is_empty) => Err("a value is missing beside a comma"),
        count if count > MOST => Err("too many values"),
        _ => Ok(items),
    }
}

/// Every `of`-th point, beginning with point number `number` (from 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// All points.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Reads `I/N`, such as `2/4`.
    ///
    /// # Errors
    /// It is not that, or I is not from 1 to N.
    pub fn read(text: &str) -> Result<Shard, Error> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.trim().parse().ok()?, of.trim().parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => Ok(Shard { number, of }),
            _ => Err(Error::Choice(format!("--shard {}: expected I/N with I from 1 to N, such as 2/4", shown(text)))),
        }
    }

    /// Name of its table: `NAME.sweep.csv`, or `NAME.sweep.2of4.csv` for a part.
    pub fn file_name(self, name: &str) -> String {
        if self == Shard::WHOLE { format!("{name}.sweep.csv") } else { format!("{name}.sweep.{}of{}.csv", self.number, self.of) }
    }

    pub(super) fn indices(self, points: usize) -> impl Iterator<Item = usize> {
        (self.number - 1..points).step_by(self.of)
    }
}
