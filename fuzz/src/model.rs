//! Scenes that the examples are not: a few of their values changed, parts of one put into another; then run for a moment.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use holonomy::motion::{Motion, Track};
use holonomy_scene::Error;
use holonomy_scene::examples::ALL;
use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;
use toml::{Table, Value};

/// A run is stopped after this long: most faults show in the first steps.
const MOMENT: Duration = Duration::from_millis(600);
/// Changes of one scene.
const CHANGES: usize = 4;

pub fn run(bytes: &[u8]) -> Result<(), Error> {
    let mut choice = Choice(bytes);
    let scene = choice.scene()?;
    if std::env::var_os("HOLONOMY_FUZZ_SHOW").is_some() {
        eprintln!("{}", scene.to_toml()?);
    }
    let job = Job::prepare("fuzz", scene, Path::new("no folder"))?;
    let begun = Instant::now();
    let mut progress = |_: usize, _: usize| if begun.elapsed() > MOMENT { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let (motion, _) = job.solve(&mut progress)?;
    finite(&motion);
    Ok(())
}

/// Decisions, a byte each, 0 where they end.
struct Choice<'a>(&'a [u8]);

impl Choice<'_> {
    fn of(&mut self, count: usize) -> usize {
        let (first, rest) = self.0.split_first().map_or((0, &[][..]), |(&first, rest)| (first, rest));
        self.0 = rest;
        usize::from(first) % count.max(1)
    }

    fn scene(&mut self) -> Result<Scene, Error> {
        let mut table = self.example()?;
        for _ in 0..self.of(CHANGES + 1) {
            match self.of(4) {
                0 => self.graft(&mut table)?,
                _ => self.change(&mut table),
            }
        }
        Scene::from_toml(&table.to_string(), "fuzz.toml")
    }

    /// With every field spelled out.
    fn example(&mut self) -> Result<Table, Error> {
        let example = &ALL[self.of(ALL.len())];
        let written = Scene::from_toml(example.text, example.name)?.to_toml()?;
        Ok(written.parse().expect("what was written is TOML"))
    }

    /// A section of another example, in the place of its own or beside it.
    fn graft(&mut self, table: &mut Table) -> Result<(), Error> {
        let other = self.example()?;
        let keys: Vec<_> = other.keys().cloned().collect();
        let key = &keys[self.of(keys.len())];
        match (table.get_mut(key), &other[key]) {
            (Some(Value::Table(own)), Value::Table(others)) if self.of(2) == 0 => {
                let keys: Vec<_> = others.keys().cloned().collect();
                if let Some(key) = keys.get(self.of(keys.len())) {
                    own.insert(key.clone(), others[key].clone());
                }
            }
            (_, value) => {
                table.insert(key.clone(), value.clone());
            }
        }
        Ok(())
    }

    fn change(&mut self, table: &mut Table) {
        let mut leaves = Vec::new();
        table.iter_mut().for_each(|(_, value)| collect(value, &mut leaves));
        let which = self.of(256) * 256 + self.of(256);
        let count = leaves.len().max(1);
        let Some(leaf) = leaves.into_iter().nth(which % count) else { return };
        let number = match leaf {
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            _ => 1.0,
        };
        let changed = match self.of(12) {
            0 => 0.0,
            1 => -number,
            2 => 1e308,
            3 => 1e-308,
            4 => f64::NAN,
            5 => f64::INFINITY,
            6 => 1.0,
            7 => number + 1.0,
            8 => number * 1e6,
            9 => number * 1e-6,
            10 => number * (1.0 + self.of(256) as f64 / 64.0),
            _ => number * self.of(256) as f64 / 256.0,
        };
        *leaf = match leaf {
            Value::Integer(_) if changed.is_finite() => Value::Integer(changed as i64),
            _ => Value::Float(changed),
        };
    }
}

/// The numbers in it.
fn collect<'a>(value: &'a mut Value, leaves: &mut Vec<&'a mut Value>) {
    match value {
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| collect(value, leaves)),
        Value::Array(values) => values.iter_mut().for_each(|value| collect(value, leaves)),
        Value::Integer(_) | Value::Float(_) => leaves.push(value),
        _ => {}
    }
}

fn finite(motion: &Motion) {
    let all = |name: &str, track: &Track, values: &mut dyn Iterator<Item = f64>| {
        if let Some((i, value)) = values.enumerate().find(|(_, value)| !value.is_finite()) {
            panic!("{name} of {}: number {i} is {value}", track.name);
        }
    };
    for track in &motion.tracks {
        all(
            "poses",
            track,
            &mut track.poses.iter().flat_map(|p| p.translation.iter().chain(p.rotation.coords.iter()).copied().collect::<Vec<_>>()),
        );
        all("centers", track, &mut track.centers.iter().flat_map(|x| x.iter().copied().collect::<Vec<_>>()));
        for series in &track.series {
            all(series.quantity.name, track, &mut series.values.iter().copied());
        }
        all(
            "shape",
            track,
            &mut (0..track.shape.frames()).flat_map(|k| track.shape.frame(k).iter().flatten().copied().collect::<Vec<_>>()),
        );
    }
}
