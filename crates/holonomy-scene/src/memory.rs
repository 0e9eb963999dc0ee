//! Refuses what would not fit in memory, before it is tried.

use crate::Error;

/// Fails if `needed` bytes are more than the system has free.
pub(crate) fn ensure(needed: u64, what: impl FnOnce() -> String, fix: &'static str) -> Result<(), Error> {
    match available() {
        Some(available) if needed > available => Err(Error::TooLarge { what: what(), needed, available, fix }),
        _ => Ok(()),
    }
}

/// Bytes that can be had without swapping; `None` where the system does not say.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
