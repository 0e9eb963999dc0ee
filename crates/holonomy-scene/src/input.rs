//! Files in: only regular ones, so that no device or pipe keeps us reading for ever.

use std::fs::File;
use std::io::{Error as IoError, ErrorKind, Read};
use std::path::Path;

use crate::suggest::did_you_mean;
use crate::{Error, IoAction, memory, words};

/// Opens a regular file, or says why it is none.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    length(path)?; // before it is opened: that of a pipe would wait for somebody to write to it
    File::open(path).map_err(|error| Error::io(IoAction::Read, path, error))
}

/// The bytes of a regular file. Reading and using them takes some `times` its length of memory, which must be free; `fix` is what to do if not.
pub(crate) fn bytes(path: &Path, times: u64, fix: &'static str) -> Result<Vec<u8>, Error> {
    let length = length(path)?;
    memory::ensure(length.saturating_mul(times), || words::of_path(path), fix)?;
    let mut bytes = Vec::new();
    open(path)?.take(length).read_to_end(&mut bytes).map_err(|error| Error::io(IoAction::Read, path, error))?;
    Ok(bytes)
}

pub(crate) fn length(path: &Path) -> Result<u64, Error> {
    let refused = |why| Err(Error::io(IoAction::Read, path, IoError::other(why)));
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => Ok(meta.len()),
        Ok(meta) if meta.is_dir() => refused("it is a folder"),
        Ok(_) => refused("it is not a regular file"),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::Choice(missing(path))),
        Err(error) => Err(Error::io(IoAction::Read, path, error)),
    }
}

/// Says that a file is not there, and which one beside it may have been meant.
fn missing(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort(); // a folder has no order of its own
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let near = did_you_mean(&wanted, names.iter().map(String::as_str));
    let hint = near.map_or_else(String::new, |name| format!("; did you mean `{}`?", words::of_path(&path.with_file_name(name))));
    format!("no such file: {}{hint}", words::of_path(path))
}
