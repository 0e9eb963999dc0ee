//! Ctrl-C: the first asks the run to stop and keep what is done, the second stops at once.

use std::ops::ControlFlow;
use std::panic;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once};

static ASKED: AtomicBool = AtomicBool::new(false);
/// Held while files are written. In it, the folder of those that are not complete, if there is one.
static WRITING: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Starts to listen, once. Where no handler can be set, Ctrl-C ends the program, which leaves no
/// half files either.
pub fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        // The crate panics if the system refuses one handler and then does not take back another:
        // that is no reason to end.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let set = panic::catch_unwind(|| ctrlc::set_handler(hear));
        panic::set_hook(hook);
        if !matches!(set, Ok(Ok(()))) {
            tell!("Ctrl-C cannot be caught here: it ends the program at once, and keeps nothing");
        }
    });
}

fn hear() {
    if ASKED.swap(true, Ordering::SeqCst) {
        let nothing_is_half_written = writing();
        if let Some(folder) = &*nothing_is_half_written {
            let _ = std::fs::remove_dir_all(folder); // it may be gone already
        }
        std::process::exit(130);
    }
    tell!("stopping (again to stop at once)");
}

/// Until it is dropped, Ctrl-C waits: for the short time in which folders are made and files written. A folder that is put into it is removed when
/// the program is stopped at once.
pub fn writing() -> MutexGuard<'static, Option<PathBuf>> {
    WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What a computation is to do that asks.
pub fn flow() -> ControlFlow<()> {
    if asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Whether the user asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
