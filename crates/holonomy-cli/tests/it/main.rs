//! The program from the outside: exit codes, files, words.

mod bad_input;
mod documents;
mod examples;
mod leftovers;
mod lost_output;
#[cfg(target_os = "linux")]
mod memory;
mod pages;
mod pictures;
mod program;
mod real_assets;
mod release;
mod server;
#[cfg(unix)]
mod stopped;
mod sweep;
mod terminal;
