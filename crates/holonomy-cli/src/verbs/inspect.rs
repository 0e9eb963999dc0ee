//! `holonomy inspect`: what is in an asset.

use anyhow::Result;
use holonomy_scene::asset::Asset;
use holonomy_scene::words;
use serde_json::Value;

use super::{Ending, added_mass};
use crate::args::Inspect;

/// Describes an asset: a line a fact, notes last.
pub fn asset(args: &Inspect) -> Result<Ending> {
    super::named_in_unicode(&args.asset)?;
    let asset = Asset::open(&args.asset)?;
    let mut facts = asset.describe()?;
    let models = if args.added_mass { Some(added_mass::compare(&args.asset.display().to_string(), &asset)?) } else { None };
    if args.json {
        if let (Some(facts), Some(models)) = (facts.as_object_mut(), &models) {
            facts.insert("added_mass".into(), added_mass::json(models));
        }
        crate::output::document(&serde_json::to_string_pretty(&facts)?);
        return Ok(Ending::Done);
    }
    say!("{}", words::of_path(&args.asset));
    for (name, value) in facts.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::Array(items) if items.is_empty() => {}
            Value::Array(items) if items.iter().all(|item| item.is_object() || name == "notes") => {
                items.iter().for_each(|item| row(singular(name), &line(item)));
            }
            // Joints come as (name, parent).
            Value::Array(items) if items.iter().all(Value::is_array) => {
                let names: Vec<_> = items.iter().map(|item| line(&item[0])).collect();
                row(&spaced(name), &format!("{}: {}", names.len(), names.join(", ")));
            }
            _ => row(&spaced(name), &line(value)),
        }
    }
    if let Some(models) = &models {
        added_mass::print(models);
    }
    Ok(Ending::Done)
}

fn row(name: &str, text: &str) {
    say!("  {name:<18} {}", words::one_line(text));
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

/// `clips` heads a list; each of its lines is a `clip`.
fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

/// A value on one line: numbers short, what is zero or absent left out of lists of facts.
fn line(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => short(float),
            _ => number.to_string(),
        },
        Value::Array(items) => {
            items.iter().map(line).collect::<Vec<_>>().join(if items.iter().all(Value::is_number) { " x " } else { ", " })
        }
        Value::Object(fields) => {
            let told = fields.iter().filter(|(_, value)| !value.is_null() && value.as_u64() != Some(0));
            told.map(|(name, value)| if name == "name" { line(value) } else { format!("{} {}", spaced(name), line(value)) })
                .collect::<Vec<_>>()
                .join(", ")
        }
        Value::Null => "none".into(),
    }
}

/// Four significant digits.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let digits = if value == 0.0 { 0 } else { (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize };
        return format!("{value:.digits$}");
    }
    format!("{value:.3e}")
}
