//! `holonomy examples`, `holonomy schema`.

use anyhow::Result;
use holonomy_scene::examples::{ALL, find};
use holonomy_scene::scene::{self, Scene};

use super::Ending;

/// Lists the examples by system, or prints one.
pub fn show(name: Option<&str>) -> Result<Ending> {
    if let Some(name) = name {
        say!("{}", find(name)?.text.trim_end());
        return Ok(Ending::Done);
    }
    let mut system = "";
    for example in ALL {
        if example.system != system {
            system = example.system;
            say!("{system}");
        }
        say!("  {:<18} {}", example.name, Scene::from_toml(example.text, example.name)?.title);
    }
    say!("\nRun one with `holonomy run NAME`; print its scene file with `holonomy examples NAME`.");
    Ok(Ending::Done)
}

/// Prints the JSON Schema of scene files.
pub fn schema() -> Result<Ending> {
    say!("{}", serde_json::to_string_pretty(&scene::schema())?);
    Ok(Ending::Done)
}
