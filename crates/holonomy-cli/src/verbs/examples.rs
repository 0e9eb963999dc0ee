//! `holonomy examples`, `holonomy schema`.

use anyhow::{Result, anyhow};
use holonomy_scene::examples::{ALL, Example};
use holonomy_scene::scene::{self, Scene};
use holonomy_scene::suggest::did_you_mean;
use serde_json::{Value, json};

use super::{Ending, gallery};
use crate::args::Examples;
use crate::output;

/// Lists examples by system, prints one, or makes a gallery of them.
pub fn show(args: &Examples) -> Result<Ending> {
    let shown = ALL.iter().map(Shown::read).collect::<Result<Vec<_>>>()?;
    let exact = args.words.as_slice().first().filter(|_| args.words.len() == 1);
    let exact = exact.and_then(|name| shown.iter().position(|one| one.example.name == name.as_str()));
    let (chosen, others) = match exact {
        Some(place) => {
            let name = shown[place].example.name;
            shown.into_iter().partition(|one| one.example.name == name)
        }
        None => matching(shown, &args.words)?,
    };
    if let Some(folder) = &args.gallery {
        return gallery::make(&chosen, &others, folder, args);
    }
    let chosen = chosen.as_slice();
    match chosen {
        _ if args.json => {
            let list: Vec<Value> = chosen.iter().map(|one| one.to_json(exact.is_some())).collect();
            output::document(&format!("{:#}", json!({ "examples": list })));
        }
        [one] if exact.is_some() => say!("{}", one.example.text.trim_end()),
        _ => list(chosen),
    }
    Ok(Ending::Done)
}

/// An example and its scene.
pub(super) struct Shown {
    pub example: &'static Example,
    pub scene: Scene,
}

impl Shown {
    fn read(example: &'static Example) -> Result<Shown> {
        Ok(Shown { example, scene: Scene::from_toml(example.text, example.name)? })
    }

    pub fn description(&self) -> &str {
        self.scene.description.as_deref().unwrap_or_default().trim()
    }

    /// All that is said of it, in small letters.
    fn words(&self) -> String {
        let Example { name, system, .. } = self.example;
        format!("{name} {system} {} {}", self.scene.title, self.description()).to_lowercase()
    }

    fn to_json(&self, with_text: bool) -> Value {
        let Example { name, system, text } = self.example;
        let mut json = json!({ "name": name, "system": system, "title": self.scene.title, "description": self.description() });
        if with_text {
            json["scene"] = (*text).into();
        }
        json
    }
}

/// Those that all `words` are said of, and the others.
fn matching(shown: Vec<Shown>, words: &[String]) -> Result<(Vec<Shown>, Vec<Shown>)> {
    let sought: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let (found, others): (Vec<Shown>, Vec<Shown>) = shown.into_iter().partition(|one| {
        let said = one.words();
        sought.iter().all(|word| if is_system(word) { one.example.system == word } else { said.contains(word) })
    });
    if !found.is_empty() {
        return Ok((found, others));
    }
    let all: Vec<String> = others.iter().map(Shown::words).collect();
    let names = others.iter().map(|one| one.example.name);
    let known = names.chain(all.iter().flat_map(|said| said.split(|letter: char| !letter.is_alphanumeric() && letter != '-')));
    let typed = sought.iter().find(|word| !all.iter().any(|said| said.contains(word.as_str())));
    let near = typed.and_then(|word| did_you_mean(word, known));
    let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(anyhow!("no example has `{}` in its name, title or description{near}\n  `holonomy examples` lists all", words.join(" ")))
}

/// The name of a system stands for its examples, and for no others that speak of a plan or a loop.
fn is_system(word: &str) -> bool {
    ALL.iter().any(|example| example.system == word)
}

fn list(chosen: &[Shown]) {
    let width = chosen.iter().map(|one| one.example.name.len()).max().unwrap_or(0);
    for group in chosen.chunk_by(|a, b| a.example.system == b.example.system) {
        say!("{}", group[0].example.system);
        group.iter().for_each(|one| say!("  {:<width$}  {}", one.example.name, one.scene.title));
    }
    say!(
        "\nRun one with `holonomy run NAME`; print its scene file with `holonomy examples NAME`; look for one with `holonomy examples WORD`."
    );
}

/// Prints the JSON Schema of scene files.
pub fn schema() -> Result<Ending> {
    output::document(&serde_json::to_string_pretty(&scene::schema())?);
    Ok(Ending::Done)
}
