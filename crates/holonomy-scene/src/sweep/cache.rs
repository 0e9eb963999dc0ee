//! Rows kept from sweep to sweep: a file each, named by the SHA-256 of all that went into it.
//!
//! That is the engine's version, the scene with every field spelled out, and the contents of the files it reads. So two scenes of the same
//! name do not meet, and a changed asset is run again. Between two versions of the same number, remove the folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::table::Row;
use crate::asset::{Asset, RigMasses};
use crate::export::files::write_quickly;
use crate::inner::Inner;
use crate::scene::{Body, Scene};
use crate::{Error, input};

/// What the entries look like; another number makes them all new.
const FORMAT: &str = "holonomy sweep 2";

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
        let mut parts = vec![FORMAT.to_owned(), env!("CARGO_PKG_VERSION").to_owned(), scene.to_toml()?];
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

/// An entry that is there and whole.
pub(super) fn read(file: &Path) -> Option<Row> {
    let entry: Entry = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (entry.format == FORMAT).then_some(entry.row)
}

/// Keeps a row.
pub(super) fn write(file: &Path, row: &Row) -> Result<(), Error> {
    let entry = Entry { format: FORMAT.into(), version: env!("CARGO_PKG_VERSION").into(), row: row.clone() };
    let text = serde_json::to_string_pretty(&entry).map_err(|error| Error::export("a point's row", error.to_string(), "report this"))?;
    write_quickly(file, text.as_bytes())
}

#[derive(Serialize, Deserialize)]
struct Entry {
    format: String,
    version: String,
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

/// Each part with its length before it, so that no two lists of parts are the same bytes.
fn with_part(hash: Sha256, part: &[u8]) -> Sha256 {
    hash.chain_update((part.len() as u64).to_le_bytes()).chain_update(part)
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
