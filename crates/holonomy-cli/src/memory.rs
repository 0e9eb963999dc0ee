//! What the program does when memory runs out in spite of all estimates.
//!
//! Rust would abort: exit code 134, a stack trace, and no JSON document although one was asked for.
//! Here the allocator itself says what happened, in both ways, and ends the program with exit code
//! 1. It allocates nothing for that.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[global_allocator]
static MEMORY: OrTheEnd = OrTheEnd;

/// The system's allocator; where it has nothing left, the program ends.
struct OrTheEnd;

#[expect(unsafe_code, reason = "an allocator can only be written so; it hands every call on to the system's, unchanged")]
// SAFETY: all calls are handed on unchanged to the system's allocator, which keeps the contract;
// what it returns is passed back, and where that is null nothing returns at all.
unsafe impl GlobalAlloc for OrTheEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `alloc`, so from the system.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as `alloc`.
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the memory came from `alloc`, so from the system, and the caller keeps the
        // contract of `realloc`.
        had(unsafe { System.realloc(memory, layout, size) }, size)
    }
}

/// The memory that was asked for, if there was any.
fn had(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() { end(bytes) } else { memory }
}

/// Standard output and standard error, as copies that no lock guards: whoever holds the lock may be
/// the one whose memory ran out.
static STREAMS: OnceLock<[Option<File>; 2]> = OnceLock::new();
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Gets ready to speak without any memory.
pub fn prepare() {
    STREAMS.get_or_init(streams);
}

/// Whether standard output is to be one JSON document.
pub fn say_it_in_json(as_json: bool) {
    AS_JSON.store(as_json, Ordering::Relaxed);
}

#[cfg(unix)]
fn streams() -> [Option<File>; 2] {
    use std::os::fd::{AsFd, BorrowedFd};
    let copy = |stream: BorrowedFd| stream.try_clone_to_owned().ok().map(File::from);
    [copy(std::io::stdout().as_fd()), copy(std::io::stderr().as_fd())]
}

#[cfg(windows)]
fn streams() -> [Option<File>; 2] {
    use std::os::windows::io::{AsHandle, BorrowedHandle};
    let copy = |stream: BorrowedHandle| stream.try_clone_to_owned().ok().map(File::from);
    [copy(std::io::stdout().as_handle()), copy(std::io::stderr().as_handle())]
}

#[cfg(not(any(unix, windows)))]
fn streams() -> [Option<File>; 2] {
    [None, None]
}

const FIX: &str = "make it smaller, or run it where there is more";

/// Says that `bytes` more could not be had, and ends the program.
fn end(bytes: usize) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is at it, and takes this one along. It cannot be the same one, unless the
        // words below need memory after all.
        std::thread::sleep(Duration::from_secs(5));
        std::process::abort();
    }
    if let Some([out, about]) = STREAMS.get() {
        if let Some(out) = out.as_ref().filter(|_| AS_JSON.load(Ordering::Relaxed)) {
            say(out, format_args!("{{\"error\":\"out of memory: {bytes} bytes more could not be had\\n  fix: {FIX}\"}}\n"));
        }
        if let Some(about) = about {
            say(about, format_args!("error: out of memory: {bytes} bytes more could not be had\n  fix: {FIX}\n"));
        }
    }
    std::process::exit(1)
}

/// Writes in one go what fits into a line on the stack.
fn say(mut stream: &File, words: std::fmt::Arguments) {
    let mut line = [0; 256];
    let mut rest = line.as_mut_slice();
    let _ = rest.write_fmt(words); // what does not fit is left out
    let left = rest.len();
    let _ = stream.write_all(&line[..line.len() - left]); // there is nowhere to complain
}
