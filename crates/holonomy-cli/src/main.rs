//! The `holonomy` program: runs scenes, moves your own clips, inspects assets.
//!
//! Exit code 0: done. 1: the run failed (did not converge, a check failed, interrupted, could not be written). 2: the input was wrong.

#[macro_use]
mod output;

mod args;
mod interrupt;
mod memory;
mod report;
mod serve;
mod verbs;

use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ErrorKind};
use serde_json::json;

/// The page that results are put into: that of `studio/`, or a plain one where the build found no npm (see build.rs).
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

fn main() -> ExitCode {
    memory::prepare();
    let code = match args::Arguments::try_parse() {
        Ok(arguments) => obey(arguments.verb),
        Err(mut usage) => {
            // Its advice to put an unknown option behind `--` would make a file name of it.
            if usage.kind() == ErrorKind::UnknownArgument && usage.get(ContextKind::SuggestedArg).is_none() {
                usage.remove(ContextKind::Suggested);
            }
            if usage.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
                output::document(&json!({ "error": usage.to_string() }).to_string());
            }
            let code = usage.exit_code(); // help and version are asked for, and no error
            output::usage(usage);
            u8::try_from(code).unwrap_or(2)
        }
    };
    match output::lost() {
        Some(error) => {
            // A reader that has seen enough (`| head`) knows; to others the output is lost.
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                tell!("error: cannot write to standard output: {error}");
            }
            ExitCode::from(code.max(1))
        }
        None => ExitCode::from(code),
    }
}

/// More threads than this, which `RAYON_NUM_THREADS` may ask for, are no faster and hardly stop.
const MOST_THREADS: usize = 256;

/// Starts the threads that all work is shared out to.
fn start_threads() -> anyhow::Result<()> {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse::<u64>().ok()).filter(|&count| count > 0);
    let count = asked.or_else(|| std::thread::available_parallelism().ok().map(|count| count.get() as u64)).unwrap_or(1);
    let count = usize::try_from(count).unwrap_or(MOST_THREADS).min(MOST_THREADS);
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global()
        .map_err(|error| anyhow::anyhow!("cannot start threads: {error}\n  fix: allow more of them, or set RAYON_NUM_THREADS=1"))
}

/// Does what was asked; the exit code.
fn obey(verb: args::Verb) -> u8 {
    let as_json = verb.wants_json();
    memory::say_it_in_json(as_json);
    match start_threads().and_then(|()| verbs::dispatch(verb)) {
        Ok(verbs::Ending::Done) => 0,
        Ok(verbs::Ending::Failed) => 1,
        Err(error) => {
            if as_json {
                output::document(&json!({ "error": error.to_string() }).to_string());
            }
            tell!("error: {error}");
            let of_the_result = error.downcast_ref().is_some_and(holonomy_scene::Error::is_of_the_result);
            if of_the_result { 1 } else { 2 }
        }
    }
}
