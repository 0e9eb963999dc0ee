//! What can go wrong between files and the engine. Every variant names the file, the place, the value and the fix.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::words;

/// A bad input, an unusable file, or a result that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", words::of_path(path))]
    Io {
        /// What it was asked for.
        action: IoAction,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It was stopped before there was anything to keep.
    #[error("stopped while {name} was run, which makes a body of the scene; nothing was written")]
    Stopped {
        /// The scene within the scene.
        name: String,
    },
    /// It was stopped before there was an answer.
    #[error("stopped before {what} was there; nothing was written")]
    Interrupted {
        /// What it was to find.
        what: String,
    },
    /// The file is not what it should be.
    #[error("{}: {}: {}\n  fix: {fix}", words::of_path(path), words::one_line(place), words::one_line(problem))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where in it: `"line 12"`, `"accessors[3]"`, `"MOTION, frame 7"`.
        place: String,
        /// What is wrong, with the offending value.
        problem: String,
        /// What to do about it.
        fix: String,
    },
    /// The scene file does not fit the model; the text shows the line with a caret.
    #[error("{0}")]
    Scene(String),
    /// The engine refused what the file held.
    #[error("{}: {source}", words::of_path(path))]
    Engine {
        /// The file (or the scene) it came from.
        path: PathBuf,
        /// What the engine said.
        source: holonomy::Error,
    },
    /// The user asked for something that is not there, such as an unknown clip name.
    #[error("{0}")]
    Choice(String),
    /// A result that must not be written, such as one that holds NaN.
    #[error("cannot export {what}: {problem}\n  fix: {fix}")]
    Export {
        /// The part of the result: `"body snake, frame 7"`.
        what: String,
        /// What is wrong, with the offending value.
        problem: String,
        /// What to do about it.
        fix: &'static str,
    },
    /// The job would not fit in memory.
    #[error("{what} needs {} of memory and {} can be had; {fix}", bytes(*needed), bytes(*available))]
    TooLarge {
        /// What is too large.
        what: String,
        /// Bytes it would take.
        needed: u64,
        /// Bytes that can be had.
        available: u64,
        /// How to make it smaller.
        fix: &'static str,
    },
}

impl Error {
    /// A malformed file, in words.
    pub fn malformed(path: &Path, place: impl Into<String>, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Error::Malformed { path: path.to_path_buf(), place: place.into(), problem: problem.into(), fix: fix.into() }
    }
    /// A result that cannot be written, in words.
    pub fn export(what: impl Into<String>, problem: impl Into<String>, fix: &'static str) -> Self {
        Error::Export { what: what.into(), problem: problem.into(), fix }
    }
    /// Whether the input was right, and it is the result that could not be had: the motion broke down, is not finite, was stopped, or the disk is full.
    pub fn is_of_the_result(&self) -> bool {
        let broke_down = matches!(self, Error::Engine { source: holonomy::Error::BrokeDown { .. }, .. });
        let of_files = matches!(self, Error::Io { action: IoAction::Write | IoAction::Remove, .. });
        broke_down || of_files || matches!(self, Error::Export { .. } | Error::Stopped { .. } | Error::Interrupted { .. })
    }
    /// An operating-system error with the file it was about.
    pub fn io(action: IoAction, path: &Path, source: std::io::Error) -> Self {
        Error::Io { action, path: path.to_path_buf(), source }
    }
}

/// An amount of memory.
fn bytes(count: u64) -> String {
    match count as f64 {
        many if many >= 1e9 => format!("{:.1} GB", many / 1e9),
        few => format!("{:.0} MB", few / 1e6),
    }
}

/// What the operating system is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoAction {
    /// To read a file, or what is in a folder.
    Read,
    /// To make the folder for results.
    Create,
    /// To take files in the folder for results, before there are any.
    WriteIn,
    /// To write a file of the result.
    Write,
    /// To remove a file whose place the result takes.
    Remove,
}

impl fmt::Display for IoAction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            IoAction::Read => "read",
            IoAction::Create => "create",
            IoAction::WriteIn => "write in",
            IoAction::Write => "write",
            IoAction::Remove => "remove",
        })
    }
}
