//! Lines for the user: on standard output what was asked for, on standard error how it goes.
//!
//! Neither may end a run whose result is still to be written. What standard output loses is remembered, so that the program can fail in the end.
//!
//! All that is printed comes through here, and what a terminal would obey is made visible on the
//! way: names of clips, joints and files may hold anything.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::OnceLock;

use clap::error::ContextValue;
use holonomy_scene::words;

/// Prints a line of what was asked for. What cannot be written fails the program in the end.
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
    remember(print(&words::visible(&line.to_string())));
}

/// Prints a JSON document on standard output.
pub fn document(text: &str) {
    remember(print(&words::json(text)));
}

/// Prints a text that the program itself made for another one to read, as it is.
pub fn script(text: &str) {
    remember(print(text));
}

fn print(text: &str) -> io::Result<()> {
    if early::was_closed() {
        return Err(io::Error::other("it is closed"));
    }
    writeln!(io::stdout(), "{text}")
}

/// What [`tell!`] does.
pub fn line_about(line: Arguments) {
    let _ = writeln!(io::stderr(), "{}", words::visible(&line.to_string()));
}

/// Prints help, or what is wrong with the arguments, in which they are made visible as well.
pub fn usage(mut usage: clap::Error) {
    if !usage.use_stderr() && early::was_closed() {
        return remember(print(""));
    }
    let one_line = |text: &String| words::one_line(text).into_owned();
    let said: Vec<_> = usage.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in said {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(one_line(&text)),
            ContextValue::Strings(texts) => ContextValue::Strings(texts.iter().map(one_line).collect()),
            ContextValue::StyledStrs(texts) => {
                ContextValue::StyledStrs(texts.iter().map(|text| one_line(&text.to_string()).into()).collect())
            }
            other => other,
        };
        usage.insert(kind, value);
    }
    remember(usage.print());
}

/// Why some of standard output was lost, if it was.
pub fn lost() -> Option<&'static io::Error> {
    remember(io::stdout().flush());
    LOST.get()
}

/// Keeps the first failure to write to standard output.
fn remember(written: io::Result<()>) {
    if let Err(error) = written {
        let _ = LOST.set(error); // a later one says nothing new
    }
}

/// Whether standard output was closed when the program began. Before `main` the standard library
/// puts `/dev/null` in the place of what is closed, so that what is printed seems to arrive. Only
/// Linux lets us look before that.
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    pub fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    #[cfg(target_os = "linux")]
    extern "C" fn look() {
        use std::os::fd::AsFd;
        const EBADF: i32 = 9;
        let copy = std::io::stdout().as_fd().try_clone_to_owned();
        CLOSED.store(copy.is_err_and(|error| error.raw_os_error() == Some(EBADF)), Ordering::Relaxed);
    }

    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "only what stands in this section is run before `main`")]
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}
