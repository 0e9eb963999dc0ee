//! Rows kept from sweep to sweep: a file each, named by the SHA-256 of all that went into it.
//!
//! That is the program itself, the scene with every field spelled out, and the contents of the
//! files it reads. So two scenes of the same name do not meet, and a changed asset is run again.
//! The program counts by the SHA-256 of its own file: that is cheap (a fraction of a second), and
//! covers its sources, those of all it is built from, the compiler and its options, any of which
//! may change the last bits of a row. A program built anew from the same sources may so run points
//! again; it never takes rows of another build for its own.
//!
//! An entry bears the SHA-256 of its row and of the name it stands under. One that was damaged,
//! edited or put under another name is run again. That guards against accidents: who sets out to
//! deceive can compute the hash anew.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::table::Row;
use crate::asset::{Asset, RigMasses};
use crate::digest::{self, hexadecimal, with_part};
use crate::export::files::write_quickly;
use crate::inner::Inner;
use crate::scene::{Body, Scene};
use crate::{Error, input};

/// What the entries look like; another number makes them all new.
const FORMAT: &str = "holonomy sweep 3";
/// Entries are some thousand bytes; what is larger is none.
const LARGEST: u64 = 1 << 24;

/// The SHA-256 of the program's own file; `None` if that cannot be read.
pub(super) fn build() -> Option<&'static str> {
    static BUILD: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        // Linux knows the running program's file even when another was put in its place.
        let file = File::open("/proc/self/exe").or_else(|_| std::env::current_exe().and_then(File::open));
        digest::of_reader(file.ok()?).ok()
    };
    BUILD.get_or_init(read).as_deref()
}

/// The contents of the files that scenes read, each looked at once.
#[derive(Default)]
pub(super) struct Inputs {
    seen: Mutex<HashMap<PathBuf, String>>,
}

impl Inputs {
    /// The name of a scene's entry; `within` are the scenes that it is within.
    ///
    /// # Errors
    /// A file of the scene cannot be read.
    pub(super) fn key(&self, scene: &Scene, folder: &Path, within: &[String]) -> Result<String, Error> {
        let build = build().unwrap_or_default().to_owned();
        let mut parts = vec![FORMAT.to_owned(), env!("CARGO_PKG_VERSION").to_owned(), build, scene.to_toml()?];
        for named in scene.named_bodies() {
            if let Body::Scene(from) = named.body {
                let inner = Inner::open(from, folder, within)?;
                parts.push(self.key(&inner.scene, &inner.folder, &inner.within)?);
            }
            let Body::Asset(asset) = named.body else { continue };
            parts.push(self.digest(asset.path(folder), asset_contents)?);
            if let RigMasses::File(file) = asset.clip_options(folder).masses {
                parts.push(self.digest(file, file_contents)?);
            }
        }
        for file in scene.system.clone().files_mut() {
            parts.push(self.digest(folder.join(file), around_contents)?);
        }
        Ok(hexadecimal(parts.iter().fold(Sha256::new(), |hash, part| with_part(hash, part.as_bytes()))))
    }

    fn digest(&self, path: PathBuf, contents: fn(&Path, Sha256) -> Result<Sha256, Error>) -> Result<String, Error> {
        // Held while reading: the threads that want the same file wait for it.
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = seen.get(&path) {
            return Ok(known.clone());
        }
        let digest = hexadecimal(contents(&path, Sha256::new())?);
        seen.insert(path, digest.clone());
        Ok(digest)
    }
}

/// What stands in an entry's place.
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A row as it was written.
    Row(Box<Row>),
    /// Something else: why it is not taken.
    Unusable(String),
}

/// Looks for the entry of this name in `folder`.
pub(super) fn read(folder: &Path, key: &str) -> Found {
    let file = file(folder, key);
    let meta = match std::fs::metadata(&file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing,
        Err(error) => return Found::Unusable(error.to_string()),
    };
    if !meta.is_file() {
        return Found::Unusable(format!("it is {}", if meta.is_dir() { "a folder" } else { "no regular file" }));
    }
    if meta.len() > LARGEST {
        return Found::Unusable(format!("it has {} bytes", meta.len()));
    }
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => return Found::Unusable(error.to_string()),
    };
    let entry: Option<Entry> = serde_json::from_slice(&bytes).ok();
    match entry {
        Some(entry) if entry.format == FORMAT && hash(key, &entry.row).is_ok_and(|hash| hash == entry.sha256) => {
            Found::Row(Box::new(entry.row))
        }
        Some(_) => Found::Unusable("its row is not the one that was written: it was edited, or is that of another point".into()),
        None => Found::Unusable("it is not whole, or no row".into()),
    }
}

/// Keeps a row.
pub(super) fn write(folder: &Path, key: &str, row: &Row) -> Result<(), Error> {
    let sha256 = hash(key, row).map_err(unwritable)?;
    let entry = Entry { format: FORMAT.into(), version: env!("CARGO_PKG_VERSION").into(), sha256, row: row.clone() };
    write_quickly(&file(folder, key), serde_json::to_string_pretty(&entry).map_err(unwritable)?.as_bytes())
}

/// Where the entry of this name is.
pub(super) fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.json"))
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::export("a point's row", error.to_string(), "report this")
}

/// The hash of a row and the name it stands under. Numbers are written with the shortest digits
/// that read back to the same bits, so a row that was read has the hash of the one that was
/// written.
fn hash(key: &str, row: &Row) -> serde_json::Result<String> {
    let parts = [FORMAT.to_owned(), key.to_owned(), serde_json::to_string(row)?];
    Ok(hexadecimal(parts.iter().fold(Sha256::new(), |hash, part| with_part(hash, part.as_bytes()))))
}

#[derive(Serialize, Deserialize)]
struct Entry {
    format: String,
    version: String,
    /// Of the row and its name.
    sha256: String,
    row: Row,
}

/// All files that make up an asset: glTF with its buffers, every mesh of a sequence.
fn asset_contents(path: &Path, hash: Sha256) -> Result<Sha256, Error> {
    Ok(Asset::open(path)?.parts(path)?.iter().fold(hash, |hash, part| with_part(hash, part)))
}

/// What surroundings are read from: a mesh with all its files, or the one file of a picture.
fn around_contents(path: &Path, hash: Sha256) -> Result<Sha256, Error> {
    match Asset::open(path) {
        Ok(asset) => Ok(asset.parts(path)?.iter().fold(hash, |hash, part| with_part(hash, part))),
        Err(_) => file_contents(path, hash),
    }
}

/// A file's name and contents.
fn file_contents(path: &Path, hash: Sha256) -> Result<Sha256, Error> {
    let bytes = input::bytes(path, 1, "give smaller files")?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(with_part(with_part(hash, name.as_bytes()), &bytes))
}
