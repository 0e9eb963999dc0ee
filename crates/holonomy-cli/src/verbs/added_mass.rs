//! `holonomy inspect --added-mass`: the three models side by side.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use holonomy::medium::added_mass::{AddedMass, FluidDensity};
use holonomy::nalgebra::{Matrix3, Matrix6, Vector3};
use holonomy::shape::Inertia;
use holonomy_scene::asset::Asset;
use holonomy_scene::{Error, memory};
use serde_json::{Value, json};

use super::inspect::short;
use crate::interrupt;

/// Water, kg/m³.
const DENSITY: f64 = 1000.0;

/// The added mass of a surface about its centre, by each model.
pub struct Comparison {
    /// Mean of the surface, metres, about which rotations are taken.
    center: Vector3<f64>,
    models: Vec<Answer>,
}

struct Answer {
    name: &'static str,
    /// Angular, linear; or why there is none.
    tensor: Result<Matrix6<f64>, String>,
    notes: Vec<String>,
}

/// How long to wait until it is looked again whether the user asked to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// Computes them for the first shape of `asset`, called `name`. Of a large one that takes minutes,
/// so that Ctrl-C is heard meanwhile.
pub fn compare(name: &str, asset: &Asset) -> Result<Comparison> {
    let (points, faces) = asset.surface()?;
    memory::ensure_added_mass(name, points.len())?;
    interrupt::listen();
    let (send, receive) = mpsc::channel();
    // A thread whose answer is not needed any more ends with the program.
    let begun = std::thread::Builder::new().spawn(move || send.send(of_surface(&points, &faces)));
    begun.map_err(|error| anyhow!("cannot start a thread: {error}\n  fix: allow more of them"))?;
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(comparison) => return comparison,
            Err(RecvTimeoutError::Timeout) if interrupt::asked() => {
                return Err(Error::Interrupted { what: format!("the added mass of {name}") }.into());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("{name}: the added mass was not found: an error of the program")),
        }
    }
}

fn of_surface(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Result<Comparison> {
    let center = Inertia::of_shell(points, faces, 1.0)?.center()?;
    let points: Vec<_> = points.iter().map(|p| p - center).collect();
    let models = [("local", AddedMass::Local), ("parts", AddedMass::Parts), ("boundary element", AddedMass::BoundaryElement)];
    let answer = |(name, model): (&'static str, AddedMass)| {
        let mut notes = Vec::new();
        let tensor = model.prepare(&points, faces).and_then(|mut state| {
            let fluid = state.evaluate(&points, None, FluidDensity::Uniform(DENSITY))?;
            notes = state.notes().iter().map(ToString::to_string).collect();
            Ok(fluid.tensor)
        });
        Answer { name, tensor: tensor.map_err(|error| error.to_string()), notes }
    };
    Ok(Comparison { center, models: models.into_iter().map(answer).collect() })
}

/// As JSON: tensors by rows, order (angular, linear).
pub fn json(comparison: &Comparison) -> Value {
    let model = |answer: &Answer| {
        let numbers = answer.tensor.as_ref().ok().map(|tensor| {
            let rows: Vec<Vec<f64>> = tensor.row_iter().map(|row| row.iter().copied().collect()).collect();
            json!({ "tensor": rows, "principal_translation": principal(tensor, 3), "principal_rotation": principal(tensor, 0) })
        });
        let mut value = numbers.unwrap_or_else(|| json!({ "error": answer.tensor.as_ref().err() }));
        value["notes"] = json!(answer.notes);
        (answer.name.replace(' ', "_"), value)
    };
    let mut document = serde_json::Map::from_iter([
        ("fluid_density".to_owned(), json!(DENSITY)),
        ("center".to_owned(), json!([comparison.center.x, comparison.center.y, comparison.center.z])),
    ]);
    document.extend(comparison.models.iter().map(model));
    Value::Object(document)
}

/// As a table: a line a direction, a column a model.
pub fn print(comparison: &Comparison) {
    let c = &comparison.center;
    say!("  added mass in water of {DENSITY} kg/m3, rotations about the centre ({}, {}, {})", short(c.x), short(c.y), short(c.z));
    line("", |answer| answer.name.to_owned(), comparison);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        number(&format!("along {name}, kg"), |tensor| tensor[(3 + axis, 3 + axis)], comparison);
    }
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        number(&format!("about {name}, kg m2"), |tensor| tensor[(axis, axis)], comparison);
    }
    for k in 0..3 {
        number(&format!("principal {}, kg", k + 1), |tensor| principal(tensor, 3)[k], comparison);
    }
    for k in 0..3 {
        number(&format!("principal {}, kg m2", k + 1), |tensor| principal(tensor, 0)[k], comparison);
    }
    let mut said: Vec<&String> = Vec::new();
    for answer in &comparison.models {
        if let Err(error) = &answer.tensor {
            say!("  {:<18} not computed: {error}", answer.name);
        }
        for note in &answer.notes {
            if !said.contains(&note) {
                say!("  {:<18} {note}", "note");
                said.push(note);
            }
        }
    }
}

fn number(name: &str, value: impl Fn(&Matrix6<f64>) -> f64, comparison: &Comparison) {
    let text = |answer: &Answer| answer.tensor.as_ref().map_or_else(|_| "-".to_owned(), |tensor| short(value(tensor)));
    line(name, text, comparison);
}

fn line(name: &str, text: impl Fn(&Answer) -> String, comparison: &Comparison) {
    let columns: Vec<String> = comparison.models.iter().map(|answer| format!("{:>18}", text(answer))).collect();
    say!("  {name:<18}{}", columns.concat());
}

/// Eigenvalues of the block that begins at `first`, ascending.
fn principal(tensor: &Matrix6<f64>, first: usize) -> [f64; 3] {
    let block: Matrix3<f64> = tensor.fixed_view::<3, 3>(first, first).into();
    let mut values: [f64; 3] = block.symmetric_eigenvalues().into();
    values.sort_by(f64::total_cmp);
    // What is zero, as a sheet's along itself, may be less by rounding.
    values.map(|value| value.max(0.0))
}
