//! Files that are whole or not there: written to a temporary file in the same folder, flushed to the disk, then renamed.
//!
//! What killed runs left of temporary files is removed by the next one ([`OutputDir::open`]).

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::temporary::{file_in, remove_stale};
use crate::{Error, IoAction, words};

/// Writes `bytes` to `path` so that a crash leaves either the old file or the new one, never half of one. Makes missing folders.
///
/// # Errors
/// The folder cannot be made or written to, or the disk is full; the error names the path. Nothing is left behind.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(|e| Error::io(IoAction::Create, folder, e))?;
    rename(stage(path, bytes)?, path)?;
    flush_folder(folder);
    Ok(())
}

/// As [`write_atomically`], but without waiting for the disk: after a power cut the file may be empty. For what can be made again.
///
/// # Errors
/// The file cannot be written; its folder must be there.
pub fn write_quickly(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let fail = |e| Error::io(IoAction::Write, path, e);
    let mut file = file_in(folder_of(path)).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    rename(file, path)
}

/// The folder a run writes to, known to be writable before the run starts.
///
/// If opening it had to make folders and nothing was written in the end, they are removed again.
#[derive(Debug)]
pub struct OutputDir {
    path: PathBuf,
    /// Folders made by [`OutputDir::open`], outermost first; empty once something was written.
    made: Vec<PathBuf>,
}

impl OutputDir {
    /// Makes the folder if it is missing and checks that files can be written in it. Removes the
    /// temporary files that killed runs left there; those of runs that live stay.
    ///
    /// # Errors
    /// The folder cannot be made or written to; the error names it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let absent = |p: &&Path| !p.as_os_str().is_empty() && fs::symlink_metadata(p).is_err();
        let mut made: Vec<PathBuf> = path.ancestors().take_while(absent).map(Path::to_path_buf).collect();
        made.reverse();
        let dir = OutputDir { path: path.to_path_buf(), made };
        fs::create_dir_all(path).map_err(|e| Error::io(IoAction::Create, path, leads_nowhere(path).unwrap_or(e)))?;
        remove_stale(path);
        file_in(path).map_err(|e| Error::io(IoAction::WriteIn, path, e))?;
        Ok(dir)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the files of one run, given as (file name, contents), and returns their paths.
    ///
    /// All are written to temporary files and flushed first, then renamed one after another; so a full disk or a crash while
    /// writing leaves every old file as it was.
    ///
    /// # Errors
    /// A file cannot be written or put in place; the error names it.
    pub fn write_all<B: AsRef<[u8]>>(&mut self, files: &[(String, B)]) -> Result<Vec<PathBuf>, Error> {
        let mut staged = Vec::with_capacity(files.len());
        for (name, bytes) in files {
            let path = self.path.join(name);
            if path.is_dir() {
                return Err(Error::io(IoAction::Write, &path, ErrorKind::IsADirectory.into()));
            }
            staged.push((stage(&path, bytes.as_ref())?, path));
        }
        let mut written = Vec::with_capacity(files.len());
        for (temporary, path) in staged {
            rename(temporary, &path)?;
            self.made.clear();
            written.push(path);
        }
        flush_folder(&self.path);
        Ok(written)
    }

    /// Removes those of these files that are there.
    ///
    /// # Errors
    /// A file cannot be removed; the error names it.
    pub fn remove_all(&self, names: &[String]) -> Result<(), Error> {
        for path in names.iter().map(|name| self.path.join(name)) {
            match fs::remove_file(&path) {
                // A name that is too long for the system is that of no file.
                Err(e) if ![ErrorKind::NotFound, ErrorKind::InvalidFilename].contains(&e.kind()) => {
                    return Err(Error::io(IoAction::Remove, &path, e));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Drop for OutputDir {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // Removes empty folders only, and only those made here; failing to tidy up is no failure.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// What to say of a folder that cannot be made because a link on the way to it points at nothing.
fn leads_nowhere(path: &Path) -> Option<std::io::Error> {
    let is_link = |part: &&Path| fs::symlink_metadata(part).is_ok_and(|meta| meta.is_symlink()) && fs::metadata(part).is_err();
    let link = path.ancestors().find(is_link)?;
    let target = fs::read_link(link).unwrap_or_default();
    let (link, target) = (words::of_path(link), words::of_path(&target));
    let fix = "make the folder that it points at, remove the link, or give another folder";
    Some(std::io::Error::other(format!("{link} is a link to {target}, which is not there\n  fix: {fix}")))
}

fn stage(path: &Path, bytes: &[u8]) -> Result<NamedTempFile, Error> {
    let fail = |e| Error::io(IoAction::Write, path, e);
    let mut file = file_in(folder_of(path)).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    Ok(file)
}

fn rename(temporary: NamedTempFile, path: &Path) -> Result<(), Error> {
    temporary.persist(path).map(drop).map_err(|e| Error::io(IoAction::Write, path, e.error))
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the renames themselves durable, where the system can; the files are whole either way.
fn flush_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
