//! `holonomy examples`, `holonomy schema`.

use anyhow::Result;
use holonomy_scene::examples::{ALL, find};
use holonomy_scene::scene::{self, Scene};

use super::Ending;

/// Lists the examples by system, or prints one.
pub fn show(name: Option<&str>) -> Result<Ending> {
    if let Some(name) = name {
        print!("{}", find(name)?.text);
        return Ok(Ending::Done);
    }
    let mut system = "";
    for example in ALL {
        if example.system != system {
            system = example.system;
            println!("{system}");
        }
        println!("  {:<18} {}", example.name, Scene::from_toml(example.text, example.name)?.title);
    }
    println!("\nRun one with `holonomy run NAME`; print its scene file with `holonomy examples NAME`.");
    Ok(Ending::Done)
}

/// Prints the JSON Schema of scene files.
pub fn schema() -> Result<Ending> {
    println!("{}", serde_json::to_string_pretty(&scene::schema())?);
    Ok(Ending::Done)
}
