//! What each verb does.

mod added_mass;
mod examples;
mod gallery;
mod inspect;
mod render;
mod run;
mod sweep;
mod view;

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Arguments, Verb};

/// How a verb ended.
pub enum Ending {
    /// As asked.
    Done,
    /// The run did not converge, was stopped, or a check failed.
    Failed,
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
            say!("{}", String::from_utf8_lossy(&script));
            Ok(Ending::Done)
        }
    }
}
