//! From TOML text to a scene, or to an error a person can act on.
//!
//! serde says what is wrong and toml says at which bytes; the parsed tree turns the bytes into a name, such as
//! `anisotropy` in [system.shape-change], and the known names into a suggestion.

use std::ops::Range;

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use super::model::Scene;
use super::snippet;
use super::units::quoted;
use super::{bodies, body};
use crate::suggest::did_you_mean;

/// Reads a scene.
pub(super) fn parse(text: &str) -> Result<Scene, Diagnostic> {
    let tree = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let tree = tree.get_ref();
    if tree.is_empty() {
        let hint = "it needs `title`, [body.…] and [system.…]; `holonomy examples snake` prints one to start from";
        return Err(Diagnostic::new(0..0, "the scene is empty", hint));
    }
    let scene: Scene = toml::from_str(text).map_err(|error| match error.message() {
        "missing field `system`" if bodies::none(tree) => bodies::missing(),
        _ => misfit(tree, &error),
    })?;
    if let Ok(Json::Object(written)) = serde_json::to_value(&scene) {
        words_are_words(tree, &written)?;
    }
    bodies::check(tree, &scene)?;
    scene.system.settings().check(tree)?;
    body::check(tree, &scene)?;
    Ok(scene)
}

/// What is wrong, where, and what to do.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    /// Bytes of the text.
    span: Range<usize>,
    problem: String,
    /// May be empty.
    hint: String,
}

impl Diagnostic {
    pub(super) fn new(span: Range<usize>, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Diagnostic { span, problem: problem.into(), hint: hint.into() }
    }
    /// With the line of the file it is about.
    pub(super) fn in_file(&self, origin: &str, text: &str) -> String {
        snippet::render(origin, text, self.span.clone(), &self.problem, &self.hint)
    }
    /// About a setting `--set …`, which has no line.
    pub(super) fn in_setting(&self, setting: &str) -> String {
        let hint = if self.hint.is_empty() { String::new() } else { format!("\n  {}", self.hint) };
        format!("{setting}: {}{hint}", self.problem)
    }
}

/// The text is not TOML.
fn syntax(text: &str, error: &toml::de::Error) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let at = text.get(span.clone()).unwrap_or("");
    let rest = text.get(span.start..).unwrap_or("").lines().next().unwrap_or("").trim();
    let message = error.message();
    if message == "duplicate key" {
        return Diagnostic::new(span, format!("{} is there twice", name(at)), "remove one of the two");
    }
    if message.starts_with("string values must be quoted") || message.starts_with("invalid boolean") {
        let missing = rest.is_empty() || rest.starts_with('#');
        let hint = if missing { "a value must follow `=`" } else { "put text and numbers with a unit in quotes, such as \"12 cm\"" };
        return Diagnostic::new(span, if missing { "a value is missing" } else { "this is no TOML value" }, hint);
    }
    Diagnostic::new(span, format!("broken TOML: {message}"), "")
}

/// The TOML does not fit the model: serde's message, in this program's words.
fn misfit(tree: &DeTable, error: &toml::de::Error) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let message = error.message();
    let key = find(tree, &span, At::Key);
    let value = find(tree, &span, At::Value);
    let known = expected_names(message);
    let (problem, hint) = if message.starts_with("unknown field") {
        unknown_field(key, &known)
    } else if message.starts_with("unknown variant") {
        unknown_choice(key, value, &known)
    } else if let Some(field) = message.strip_prefix("missing field ") {
        (format!("missing field {field} {}", inside(value.map(|place| place.path).unwrap_or_default().as_slice())), missing_hint(field))
    } else if message.starts_with("wanted exactly 1 element") {
        one_kind(value)
    } else if message.ends_with("unit variant, expected newtype variant") {
        word_for_table(value)
    } else {
        wrong_value(value, message)
    };
    Diagnostic::new(span, problem, hint)
}

fn unknown_field(key: Option<Place>, known: &[&str]) -> (String, String) {
    let (field, table) = key.as_ref().and_then(|place| place.path.split_last()).unwrap_or((&"?", &[]));
    let hint = suggestion(field, known).unwrap_or_else(|| format!("fields here: {}", known.join(", ")));
    (format!("unknown field {} {}", name(field), inside(table)), hint)
}

fn unknown_choice(key: Option<Place>, value: Option<Place>, known: &[&str]) -> (String, String) {
    // A choice stands as a table's name, `[body.snaek]`, or as a value, `law = "least-acton"`.
    let as_key = key.as_ref().and_then(|place| place.path.split_last());
    let as_value = value.as_ref().and_then(|place| Some((place.value.as_str()?, place.path.as_slice())));
    let (choice, path) = as_value.or(as_key.map(|(last, path)| (*last, path))).unwrap_or(("?", &[]));
    let hint = suggestion(choice, known).unwrap_or_else(|| format!("choices: {}", known.join(", ")));
    (format!("unknown choice {} for {}", name(choice), named(path)), hint)
}

/// A kind that has fields of its own, given as a bare word.
fn word_for_table(value: Option<Place>) -> (String, String) {
    let Some(place) = value else { return ("expected a table, found text".into(), String::new()) };
    let (path, kind) = (place.path.join("."), place.value.as_str().unwrap_or("…"));
    let hint = match place.path.as_slice() {
        [_] => format!("write it as a table: [{path}.{kind}]"),
        path => format!("write {} = {{ {kind} = … }}", path.last().unwrap_or(&"…")),
    };
    (format!("{}: expected a table, found {}", named(&place.path), describe(place.value)), hint)
}

fn one_kind(value: Option<Place>) -> (String, String) {
    let Some(place) = value else { return ("expected exactly one kind".into(), String::new()) };
    let path = place.path.join(".");
    let kinds: Vec<String> = place.value.as_table().into_iter().flat_map(|table| table.keys()).map(|key| name(key.get_ref())).collect();
    match kinds.as_slice() {
        [] => (format!("[{path}] is empty"), format!("name its kind: [{path}.…]")),
        kinds => (format!("{} has {} kinds: {}", name(&path), kinds.len(), kinds.join(", ")), "keep one of them".into()),
    }
}

/// `expected X, found Y`, whether serde said it or one of our quantities did (then a hint may follow on a second line).
fn wrong_value(value: Option<Place>, message: &str) -> (String, String) {
    let place = value.as_ref().map(|place| format!("{}: ", named(&place.path))).unwrap_or_default();
    let found = value.as_ref().map_or_else(String::new, |place| describe(place.value));
    let invalid = ["invalid type: ", "invalid value: ", "invalid length "].iter().any(|start| message.starts_with(start));
    let said = match message.rsplit_once(", expected ") {
        Some((_, expected)) if invalid => format!("expected {}, found {found}", plain_words(expected)),
        _ if message == "wanted string or table" => {
            let choice_of_tables = value.as_ref().and_then(|place| place.path.last()).is_some_and(|name| ["body", "system"].contains(name));
            format!("expected {}, found {found}", if choice_of_tables { "a table" } else { "a word in quotes" })
        }
        _ if message.ends_with("number overflowed") => format!("the number {found} is too large"),
        _ => message.to_owned(),
    };
    let (problem, hint) = said.split_once('\n').unwrap_or((&said, ""));
    (format!("{place}{problem}"), hint.to_owned())
}

fn plain_words(expected: &str) -> &str {
    match expected {
        "path string" => "a path in quotes",
        "a string" => "text in quotes",
        "a sequence" => "an array",
        other => other,
    }
}

fn missing_hint(field: &str) -> String {
    match field {
        "`title`" => "begin with: title = \"…\"".into(),
        "`body`" => "add its kind, a table such as [bodies.body.snake]".into(),
        "`system`" => "add a table [system.shape-change] or [system.flow]".into(),
        field => format!("add {} = …", field.trim_matches('`')),
    }
}

/// toml takes `{ least-action = {} }` for the word "least-action"; the format does not.
fn words_are_words(tree: &DeTable, written: &serde_json::Map<String, Json>) -> Result<(), Diagnostic> {
    for (key, value) in tree.iter() {
        match (value.get_ref(), written.get(key.get_ref().as_ref())) {
            (DeValue::Table(inner), Some(Json::Object(written))) => words_are_words(inner, written)?,
            (DeValue::Array(entries), Some(Json::Array(written))) => {
                for (entry, written) in entries.iter().zip(written) {
                    if let (DeValue::Table(inner), Json::Object(written)) = (entry.get_ref(), written) {
                        words_are_words(inner, written)?;
                    }
                }
            }
            (DeValue::Table(_), Some(Json::String(word))) => {
                let problem = format!("{}: expected a word in quotes, found a table", name(key.get_ref()));
                return Err(Diagnostic::new(value.span(), problem, format!("write {} = \"{word}\"", key.get_ref())));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where the key at `path` stands; numbers lead into arrays. Nowhere, if it is not written.
pub(super) fn key_span(tree: &DeTable, path: &[&str]) -> Range<usize> {
    let Some((first, rest)) = path.split_first() else { return 0..0 };
    let Some((key, value)) = tree.iter().find(|(key, _)| key.get_ref() == first) else { return 0..0 };
    match (rest, value.get_ref()) {
        ([], _) => key.span(),
        (rest, DeValue::Table(inner)) => key_span(inner, rest),
        ([index, rest @ ..], DeValue::Array(entries)) => {
            match index.parse().ok().and_then(|index: usize| entries.get(index)).map(toml::Spanned::get_ref) {
                Some(DeValue::Table(inner)) => key_span(inner, rest),
                _ => 0..0,
            }
        }
        _ => 0..0,
    }
}

/// A key or value of the tree.
struct Place<'tree> {
    /// Names from the top level down.
    path: Vec<&'tree str>,
    value: &'tree DeValue<'tree>,
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    Key,
    Value,
}

/// The key or value that stands at exactly `span`. What is inside an array goes by the array's name.
fn find<'tree>(table: &'tree DeTable<'tree>, span: &Range<usize>, at: At) -> Option<Place<'tree>> {
    table.iter().find_map(|(key, value)| {
        let here = if at == At::Key { key.span() } else { value.span() };
        let mut place = match value.get_ref() {
            found if here == *span => Place { path: Vec::new(), value: found },
            DeValue::Table(inner) => find(inner, span, at)?,
            DeValue::Array(items) => items.iter().find_map(|item| match item.get_ref() {
                found if at == At::Value && item.span() == *span => Some(Place { path: Vec::new(), value: found }),
                DeValue::Table(inner) => find(inner, span, at),
                _ => None,
            })?,
            _ => return None,
        };
        place.path.insert(0, key.get_ref().as_ref());
        Some(place)
    })
}

/// `anisotropy` in [system.shape-change]
fn named(path: &[&str]) -> String {
    match path.split_last() {
        Some((last, [])) => name(last),
        Some((last, table)) => format!("{} {}", name(last), inside(table)),
        None => "the scene".into(),
    }
}

fn inside(table: &[&str]) -> String {
    if table.is_empty() { "at the top level".into() } else { format!("in [{}]", shown(&table.join("."))) }
}

fn name(text: &str) -> String {
    format!("`{}`", shown(text))
}

/// On one line and not too long, whatever the file holds.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if short.len() < text.len() && text.chars().count() > 60 { short + "…" } else { short }
}

fn describe(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(number) => shown(number.as_str()),
        DeValue::Float(number) => shown(number.as_str()),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(items) => format!("an array of {}", items.len()),
        DeValue::Table(_) => "a table".into(),
    }
}

/// The names serde says it knows: "…, expected one of `a`, `b`".
fn expected_names(message: &str) -> Vec<&str> {
    let list = message.rsplit_once(", expected ").map_or("", |(_, list)| list);
    list.split('`').skip(1).step_by(2).collect()
}

fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    did_you_mean(word, known.iter().copied()).map(|near| format!("did you mean `{near}`?"))
}
