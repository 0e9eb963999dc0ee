//! Ctrl-C: the first asks the run to stop and keep what is done, the second stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Starts to listen. Without it (no handler could be set) Ctrl-C ends the program, which leaves no half files either.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        tell!("stopping (again to stop at once)");
    });
}

/// Whether the user asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
