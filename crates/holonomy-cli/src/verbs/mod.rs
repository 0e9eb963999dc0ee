//! What each verb does.

mod added_mass;
mod examples;
mod gallery;
mod inspect;
mod render;
mod run;
mod sweep;
mod view;

use std::path::Path;

use anyhow::{Result, anyhow};
use clap::CommandFactory;
use holonomy_scene::words;

use crate::args::{Arguments, Verb};

/// How a verb ended.
pub enum Ending {
    /// As asked.
    Done,
    /// The run did not converge, was stopped, or a check failed.
    Failed,
}

/// Makes sure that the name of an input file is text: results are called after it, and scenes and
/// tables name it. What folders it lies in are called does not matter.
fn named_in_unicode(path: &Path) -> Result<()> {
    match path.file_name() {
        Some(name) if name.to_str().is_none() => {
            Err(anyhow!("{}: the name of this file is not Unicode (UTF-8)\n  fix: rename it", words::of_path(path)))
        }
        _ => Ok(()),
    }
}

/// Does what was asked.
pub fn dispatch(verb: Verb) -> Result<Ending> {
    match verb {
        Verb::Run(args) => run::scene(&args),
        Verb::Move(args) => run::asset(&args),
        Verb::Sweep(args) => sweep::grid(&args),
        Verb::Render(args) => render::result(&args),
        Verb::View(args) => view::result(&args),
        Verb::Inspect(args) => inspect::asset(&args),
        Verb::Examples(args) => examples::show(&args),
        Verb::Schema => examples::schema(),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "holonomy", &mut script);
            crate::output::script(&String::from_utf8_lossy(&script));
            Ok(Ending::Done)
        }
    }
}
