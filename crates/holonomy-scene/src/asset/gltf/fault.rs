//! What is wrong inside a glTF document, before the file's name is known.

use std::path::Path;

use crate::Error;

/// The fix that fits most broken files.
pub(super) const REEXPORT: &str =
    "export the asset again from the tool that made it; https://github.khronos.org/glTF-Validator/ shows all its problems";

/// A problem at a place of the document (`"accessors[3]"`).
#[derive(Debug)]
pub(super) struct Fault {
    place: String,
    problem: String,
    fix: String,
}

impl Fault {
    /// A problem that only a new export mends.
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Fault { place: place.into(), problem: problem.into(), fix: REEXPORT.into() }
    }
    /// The same problem with a better fix.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }
    /// The error the user sees.
    pub fn at(self, path: &Path) -> Error {
        Error::malformed(path, self.place, self.problem, self.fix)
    }
}
