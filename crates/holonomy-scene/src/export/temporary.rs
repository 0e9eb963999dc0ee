//! Temporary files and folders that do not outlive their run for long.
//!
//! Each is locked (advisory, by the system) for as long as its run lives; the system gives the
//! lock back when the run ends, also by force. So one whose lock can be taken was left by a killed
//! run, and [`remove_stale`] removes it; one that a living run is writing stays. Where the file
//! system has no locks nothing is removed.
//!
//! No two runs meet between making and locking: who removes holds the lock while it does, and who
//! makes looks, once it has the lock, whether its file is still there, and makes another if not.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::{Builder, NamedTempFile, TempDir};

const PREFIX: &str = ".holonomy-";
const SUFFIX: &str = ".tmp";
/// The file in a temporary folder that is locked in its stead.
const LOCK: &str = "lock";
/// What a temporary folder may hold beside it; anything else in it is not ours and stays.
pub(crate) const KEPT: [&str; 2] = ["frame_", "old_"];
/// More tries than other runs can take away.
const TRIES: usize = 100;

/// Makes a temporary file in `folder`, with the permissions an ordinary new file has (the crate's
/// default is owner only).
///
/// # Errors
/// No file can be made there.
pub(crate) fn file_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    for _ in 0..TRIES {
        let file = builder.tempfile_in(folder)?;
        if is_held(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
    Err(taken_away())
}

/// A temporary folder, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    /// Dropped first: some systems remove no file that is open.
    _lock: File,
    folder: TempDir,
}

impl TemporaryFolder {
    /// Makes one in `around`.
    ///
    /// # Errors
    /// Nothing can be made there.
    pub(crate) fn in_folder(around: &Path) -> io::Result<TemporaryFolder> {
        for _ in 0..TRIES {
            let folder = Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(around)?;
            let path = folder.path().join(LOCK);
            match File::create_new(&path) {
                Ok(lock) if is_held(&lock, &path) => return Ok(TemporaryFolder { _lock: lock, folder }),
                // Taken for one that was left.
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(taken_away())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn taken_away() -> io::Error {
    io::Error::other("temporary files are removed as soon as they are made")
}

/// Locks a file that was just made. Whether nobody has removed it before.
fn is_held(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => fs::symlink_metadata(path).is_ok(),
        Err(TryLockError::WouldBlock) => false,
        // There are no locks here, so nobody removes anything.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Removes the temporary files and folders in `folder` that killed runs left. What cannot be
/// removed stays, without a word: it is in nobody's way.
pub(crate) fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if is_ours && kind.is_file() => {
                if let Some(_lock) = lock_of_the_dead(&path) {
                    let _ = fs::remove_file(&path);
                }
            }
            Ok(kind) if is_ours && kind.is_dir() => remove_stale_folder(&path),
            _ => {}
        }
    }
}

/// Removes a temporary folder if its run is dead; its lock last, so that what is interrupted can
/// be done again.
fn remove_stale_folder(path: &Path) {
    let lock = path.join(LOCK);
    if let Some(_held) = lock_of_the_dead(&lock) {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            if is_kept(&entry.file_name()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let _ = fs::remove_file(&lock);
    }
    let _ = fs::remove_dir(path); // only if it is empty, as one without a lock may be
}

fn is_kept(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| KEPT.iter().any(|kind| name.starts_with(kind)))
}

/// The lock of a file whose run no longer has it.
fn lock_of_the_dead(path: &Path) -> Option<File> {
    // Over a network some systems lock only what is open for writing.
    let file = File::options().write(true).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}
