//! The `holonomy` program: runs scenes, moves your own clips, inspects assets.
//!
//! Exit code 0: done. 1: the run failed (did not converge, a check failed, interrupted). 2: the input was wrong.

mod args;
mod interrupt;
mod report;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    match verbs::dispatch(arguments.verb) {
        Ok(verbs::Ending::Done) => ExitCode::SUCCESS,
        Ok(verbs::Ending::Failed) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
