//! `--set KEY=VALUE`: one field of a scene replaced.
//!
//! The keys are those of the scene written out with all its defaults, so a field the file does not mention can be set too.

use serde_json::Value as Json;

use super::diagnostics::{parse, shown};
use super::model::Scene;
use crate::Error;
use crate::suggest::did_you_mean;

impl Scene {
    /// The scene with one field replaced.
    ///
    /// `key` is a dotted path such as `system.shape-change.anisotropy`, or any end of one that fits only once, such as `anisotropy`.
    /// `value` is TOML; what is not is taken as text, so `80cm` needs no quotes. A table replaces the whole table.
    ///
    /// # Errors
    /// [`Error::Scene`] about `--set key=value`: no such key, several such keys, or a value that does not fit.
    pub fn with_override(&self, key: &str, value: &str) -> Result<Scene, Error> {
        self.overridden(key, value, &shown(&format!("--set {key}={value}")))
    }

    /// [`Scene::with_override`] for a setting that the user typed as `setting`.
    pub(crate) fn overridden(&self, key: &str, value: &str, setting: &str) -> Result<Scene, Error> {
        let path = self.full_key(key, setting)?;
        let base = toml::Table::try_from(self).map_err(|error| Error::Scene(format!("{setting}: {error}")))?;
        let with = |value: toml::Value| {
            let mut table = base.clone();
            insert(&mut table, &path, value);
            parse(&table.to_string())
        };
        let as_text = || with(toml::Value::String(value.to_owned()));
        let scene = match value.trim().parse::<toml::Value>() {
            // A title may look like a number; if text does not fit either, the first complaint is the one to show.
            Ok(value) => with(value).or_else(|problem| as_text().map_err(|_| problem)),
            Err(_) => as_text(),
        };
        scene.map_err(|problem| Error::Scene(problem.in_setting(setting)))
    }

    /// The one field that `key` stands for, as a dotted path from the top.
    pub(crate) fn full_key(&self, key: &str, setting: &str) -> Result<String, Error> {
        resolve(&self.keys(), key.trim(), setting)
    }

    /// Dotted paths of all fields that can be set in this scene, tables before what is in them.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        // None is null in JSON, so that absent fields are there too; TOML would leave them out.
        collect(&serde_json::to_value(self).unwrap_or_default(), "", &mut keys);
        keys
    }
}

/// Splits `KEY=VALUE` as given after `--set`.
///
/// # Errors
/// There is no `=`, or nothing before it.
pub fn split_setting(argument: &str) -> Result<(String, String), Error> {
    match argument.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err(Error::Scene(format!("--set {argument}: expected KEY=VALUE, such as anisotropy=0.3"))),
    }
}

fn collect(value: &Json, path: &str, keys: &mut Vec<String>) {
    let within = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let inner: Vec<(String, &Json)> = match value {
        Json::Object(fields) => fields.iter().map(|(name, inner)| (within(name), inner)).collect(),
        // Entries of a list of tables go by their number, from 0; a list of numbers is one field.
        Json::Array(list) => {
            list.iter().enumerate().filter(|(_, inner)| inner.is_object()).map(|(i, inner)| (within(&i.to_string()), inner)).collect()
        }
        _ => return,
    };
    for (path, inner) in inner {
        keys.push(path.clone());
        collect(inner, &path, keys);
    }
}

/// The one path that is `key` or ends in it.
fn resolve(keys: &[String], key: &str, setting: &str) -> Result<String, Error> {
    if keys.iter().any(|path| path == key) {
        return Ok(key.to_owned());
    }
    let matching: Vec<&String> = keys.iter().filter(|path| ends(path).any(|end| end == key)).collect();
    match matching.as_slice() {
        [path] => Ok((*path).clone()),
        [] => {
            let all = || keys.iter().flat_map(|path| ends(path));
            let near = did_you_mean(key, all()).or_else(|| did_you_mean(ends(key).last()?, all()));
            let is_table = |path: &str| keys.iter().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')));
            let fields = || keys.iter().map(String::as_str).filter(|path| !is_table(path)).collect::<Vec<_>>().join(", ");
            let hint = near.map_or_else(|| format!("\n  fields: {}", fields()), |near| format!("; did you mean `{near}`?"));
            Err(Error::Scene(format!("{setting}: this scene has no field `{}`{hint}", shown(key))))
        }
        several => {
            let list: String = several.iter().map(|path| format!("\n  {path}")).collect();
            Err(Error::Scene(format!("{setting}: `{key}` fits several fields; write one in full:{list}")))
        }
    }
}

/// `a.b.c`, `b.c` and `c`.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |end| end.split_once('.').map(|(_, rest)| rest))
}

fn insert(table: &mut toml::Table, path: &str, value: toml::Value) {
    let Some((first, rest)) = path.split_once('.') else {
        table.insert(path.to_owned(), value);
        return;
    };
    match table.get_mut(first) {
        Some(toml::Value::Table(inner)) => insert(inner, rest, value),
        Some(toml::Value::Array(entries)) => {
            let (index, rest) = rest.split_once('.').unwrap_or((rest, ""));
            match index.parse::<usize>().ok().and_then(|index| entries.get_mut(index)) {
                Some(toml::Value::Table(inner)) if !rest.is_empty() => insert(inner, rest, value),
                Some(entry) => *entry = value,
                None => {}
            }
        }
        _ => {}
    }
}
