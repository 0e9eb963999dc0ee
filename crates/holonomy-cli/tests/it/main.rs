//! The program from the outside: exit codes, files, words.

mod bad_input;
mod documents;
mod examples;
mod lost_output;
#[cfg(target_os = "linux")]
mod memory;
mod pictures;
mod program;
mod real_assets;
mod release;
#[cfg(unix)]
mod stopped;
mod sweep;
