//! The bodies of a scene: `[body.KIND]` for one, a `[[bodies]]` entry each for several.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use super::body::Body;
use super::diagnostics::Diagnostic;
use super::model::Scene;
use super::quantity::{Speed, TurnRate};
use super::start::{self, Place, Start, Turn};

/// One of several bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OneOfBodies {
    /// Its name in the results: no dots, and each only once. If absent, its kind, numbered where that is taken.
    pub name: Option<String>,
    /// Where the origin of its first shape is put, such as `[0, "1 m", 0]`. If absent, where an asset recorded it, else the world's origin.
    pub at: Option<Place>,
    /// How its first shape is turned, as in `start`. If absent, as an asset recorded it, else not at all.
    pub turn: Option<Turn>,
    /// Velocity of its centre of mass at the start, m/s, for physics with inertia. Default: `[0, 0, 0]`.
    #[serde(default = "start::still")]
    pub velocity: [Speed; 3],
    /// Angular velocity about its centre of mass at the start, rad/s, world axes, for physics with inertia. Default: `[0, 0, 0]`.
    #[serde(default = "start::still_turn")]
    pub angular_velocity: [TurnRate; 3],
    /// The body and how its shape changes: `[bodies.body.KIND]`.
    pub body: Body,
}

/// A body of a scene, whichever way it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedBody<'a> {
    /// Its name in the results; `body` if it is the only one.
    pub name: String,
    /// Where it starts.
    pub start: Start,
    /// What it is.
    pub body: &'a Body,
}

impl Scene {
    /// All bodies, in order, each with a name of its own.
    pub fn named_bodies(&self) -> Vec<NamedBody<'_>> {
        let one = self.body.iter().map(|body| NamedBody { name: "body".into(), start: self.start, body });
        let mut named: Vec<NamedBody> = one.collect();
        let mut taken: Vec<String> = self.bodies.iter().filter_map(|entry| entry.name.clone()).collect();
        for OneOfBodies { name, at, turn, velocity, angular_velocity, body } in &self.bodies {
            let name = name.clone().unwrap_or_else(|| {
                let kind = body.kind();
                let numbered = (2..).map(|n| format!("{kind}-{n}"));
                let free = std::iter::once(kind.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(kind);
                taken.push(free.clone());
                free
            });
            let start = Start { at: *at, turn: *turn, velocity: *velocity, angular_velocity: *angular_velocity };
            named.push(NamedBody { name, start, body });
        }
        named
    }

    /// All bodies, in order, to change them.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        self.body.iter_mut().chain(self.bodies.iter_mut().map(|entry| &mut entry.body))
    }
}

impl Body {
    /// Its kind, as in the scene file.
    pub fn kind(&self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(table)) => table.keys().next().cloned().unwrap_or_default(),
            _ => String::new(),
        }
    }
}

/// What serde cannot say: one way of giving bodies, names that tell them apart.
pub(super) fn check(tree: &DeTable, scene: &Scene) -> Result<(), Diagnostic> {
    let key = |name: &str| tree.iter().find(|(key, _)| key.get_ref() == name).map_or(0..0, |(key, _)| key.span());
    match (&scene.body, scene.bodies.is_empty(), scene.start == Start::default()) {
        (None, true, _) if tree.contains_key("bodies") => {
            return Err(Diagnostic::new(key("bodies"), "`bodies` is empty", "give it an entry [[bodies]] for each body, or use [body.…]"));
        }
        (None, true, _) => return Err(missing()),
        (Some(_), false, _) => {
            let hint = "move [body.…] into an entry of its own: [[bodies]], then [bodies.body.…]";
            return Err(Diagnostic::new(key("bodies"), "a scene has either `body` or `bodies`, this one has both", hint));
        }
        (None, false, false) => {
            let hint = "give each of [[bodies]] its own `at`, `turn`, `velocity` and `angular-velocity`";
            return Err(Diagnostic::new(key("start"), "[start] is for a scene with one body", hint));
        }
        _ => {}
    }
    let given: Vec<Option<&str>> = scene.bodies.iter().map(|entry| entry.name.as_deref()).collect();
    for (i, name) in given.iter().enumerate().filter_map(|(i, name)| Some((i, (*name)?))) {
        let refuse = |problem: String, hint| Err(Diagnostic::new(name_span(tree, i), problem, hint));
        if name.trim().is_empty() || name.chars().count() > 40 || name.contains(|c: char| c == '.' || c.is_control()) {
            return refuse("`name` in [bodies]: not a name for a body".into(), "give 1 to 40 letters, digits, spaces or dashes; no dots");
        }
        if given[..i].contains(&Some(name)) {
            return refuse(format!("two bodies are called \"{name}\""), "give each its own name");
        }
    }
    Ok(())
}

/// Whether the file names no body at all.
pub(super) fn none(tree: &DeTable) -> bool {
    !tree.contains_key("body") && !tree.contains_key("bodies")
}

/// There is no body.
pub(super) fn missing() -> Diagnostic {
    let hint = "add a table such as [body.snake], or [body.asset] for a file; for several bodies, [[bodies]]";
    Diagnostic::new(0..0, "missing field `body` at the top level", hint)
}

/// Where the name of entry `index` stands.
fn name_span(tree: &DeTable, index: usize) -> Range<usize> {
    let entry = tree.get("bodies").and_then(|bodies| bodies.get_ref().as_array()).and_then(|entries| entries.get(index));
    let name = entry.and_then(|entry| entry.get_ref().as_table()).and_then(|entry: &DeTable| entry.get("name"));
    name.map_or(0..0, |name: &toml::Spanned<DeValue>| name.span())
}
