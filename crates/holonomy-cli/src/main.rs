//! The `holonomy` program: runs scenes, moves your own clips, inspects assets.
//!
//! Exit code 0: done. 1: the run failed (did not converge, a check failed, interrupted). 2: the input was wrong.

/// Prints a line. A reader that goes away (`| head`) is no failure.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

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
    let arguments = args::Arguments::parse();
    match verbs::dispatch(arguments.verb) {
        Ok(verbs::Ending::Done) => ExitCode::SUCCESS,
        Ok(verbs::Ending::Failed) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
