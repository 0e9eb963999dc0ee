//! The `holonomy` program: runs scenes, moves your own clips, inspects assets.
//!
//! Exit code 0: done. 1: the run failed (did not converge, a check failed, interrupted). 2: the input was wrong.

#[macro_use]
mod output;

mod args;
mod interrupt;
mod report;
mod serve;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

/// The page that results are put into: that of `studio/`, or a plain one where the build found no npm (see build.rs).
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

fn main() -> ExitCode {
    let code = match args::Arguments::try_parse() {
        Ok(arguments) => obey(arguments.verb),
        Err(usage) => {
            output::remember(usage.print()); // help and version are asked for, and no error
            u8::try_from(usage.exit_code()).unwrap_or(2)
        }
    };
    match output::lost() {
        Some(error) => {
            tell!("error: cannot write to standard output: {error}");
            ExitCode::from(code.max(1))
        }
        None => ExitCode::from(code),
    }
}

/// Does what was asked; the exit code.
fn obey(verb: args::Verb) -> u8 {
    match verbs::dispatch(verb) {
        Ok(verbs::Ending::Done) => 0,
        Ok(verbs::Ending::Failed) => 1,
        Err(error) => {
            tell!("error: {error}");
            2
        }
    }
}
