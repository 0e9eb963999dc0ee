//! Lines for the user: on standard output what was asked for, on standard error how it goes.
//!
//! Neither may end a run whose result is still to be written. What standard output loses is remembered, so that the program can fail in the end.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

/// Prints a line of what was asked for. A reader that goes away (`| head`) is no failure; a full disk is, in the end.
macro_rules! say {
    ($($argument:tt)*) => { $crate::output::line_out(format_args!($($argument)*)) };
}

/// Prints a line about how it goes, if it can be printed.
macro_rules! tell {
    ($($argument:tt)*) => { $crate::output::line_about(format_args!($($argument)*)) };
}

static LOST: OnceLock<io::Error> = OnceLock::new();

/// What [`say!`] does.
pub fn line_out(line: Arguments) {
    remember(writeln!(io::stdout(), "{line}"));
}

/// What [`tell!`] does.
pub fn line_about(line: Arguments) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Why some of standard output was lost, if it was and somebody would have read it.
pub fn lost() -> Option<&'static io::Error> {
    remember(io::stdout().flush());
    LOST.get()
}

/// Keeps the first failure to write to standard output.
pub fn remember(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error); // a later one says nothing new
    }
}
