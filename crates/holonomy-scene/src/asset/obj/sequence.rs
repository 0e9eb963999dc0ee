//! Which numbered OBJ files belong together: the same name before and after the number, in numeric order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{Error, IoAction};

/// The files of a clip.
#[derive(Debug, Clone)]
pub(super) struct Sequence {
    /// What the file names have in common, or the stem of a lone file.
    pub name: String,
    /// Number in the name and path, in increasing number; never empty.
    pub files: Vec<(usize, PathBuf)>,
    pub notes: Vec<String>,
}

/// The sequence that `path` stands for: a numbered file and its siblings, a `%04d` pattern, a folder with one sequence, or a lone file.
pub(super) fn find(path: &Path) -> Result<Sequence, Error> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if path.is_dir() {
        return in_folder(path);
    }
    if let Some((prefix, suffix)) = pattern(&name) {
        let files = numbered(parent(path), prefix, suffix)?;
        if files.is_empty() {
            return Err(Error::Choice(format!("{}: no file fits this pattern", path.display())));
        }
        return Sequence::of(prefix, files);
    }
    match split_number(&name) {
        Some((prefix, _, suffix)) if path.is_file() => {
            let files = numbered(parent(path), prefix, suffix)?;
            if files.len() > 1 { Sequence::of(prefix, files) } else { Ok(Sequence::single(path)) }
        }
        _ => Ok(Sequence::single(path)),
    }
}

impl Sequence {
    /// A lone file.
    pub fn single(path: &Path) -> Self {
        let name = path.file_stem().map_or_else(|| "clip".to_string(), |s| s.to_string_lossy().into_owned());
        Sequence { name, files: vec![(0, path.to_path_buf())], notes: Vec::new() }
    }

    fn of(prefix: &str, mut files: Vec<(usize, PathBuf)>) -> Result<Self, Error> {
        files.sort();
        let mut notes = Vec::new();
        for pair in files.windows(2) {
            let [(a, first), (b, second)] = pair else { continue };
            if a == b {
                return Err(Error::Choice(format!("{} and {} are both frame {a}; remove one", first.display(), second.display())));
            }
            if b - a > 1 && notes.is_empty() {
                let text = format!("frames are missing in the sequence, first between {a} and {b}: the rest is played without a gap");
                notes.push(text);
            }
        }
        let name = prefix.trim_end_matches(['_', '-', '.', ' ']);
        let name = if name.is_empty() { "clip" } else { name };
        Ok(Sequence { name: name.to_string(), files, notes })
    }
}

fn in_folder(folder: &Path) -> Result<Sequence, Error> {
    let mut groups: BTreeMap<(String, String), Vec<(usize, PathBuf)>> = BTreeMap::new();
    let mut lone = Vec::new();
    for (name, path) in list(folder)? {
        match split_number(&name) {
            Some((prefix, number, suffix)) => groups.entry((prefix.into(), suffix.into())).or_default().push((number, path)),
            None => lone.push(path),
        }
    }
    match (groups.len(), lone.as_slice()) {
        (1, []) => groups.into_iter().next().map_or_else(|| Err(nothing(folder)), |((prefix, _), files)| Sequence::of(&prefix, files)),
        (0, [one]) => Ok(Sequence::single(one)),
        (0, []) => Err(nothing(folder)),
        _ => {
            let mut names: Vec<String> = groups.into_iter().map(|((a, b), files)| format!("{a}*{b} ({} files)", files.len())).collect();
            names.extend(lone.iter().map(|p| p.file_name().unwrap_or_default().to_string_lossy().into_owned()));
            let (folder, names) = (folder.display(), names.join(", "));
            Err(Error::Choice(format!("{folder} holds several meshes: {names}; give one of the files")))
        }
    }
}

fn nothing(folder: &Path) -> Error {
    Error::Choice(format!("{}: no .obj file in this folder", folder.display()))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Names and paths of the OBJ files in a folder, by name.
fn list(folder: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| Error::io(IoAction::Read, folder, e))? {
        let entry = entry.map_err(|e| Error::io(IoAction::Read, folder, e))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.to_ascii_lowercase().ends_with(".obj") && entry.path().is_file() {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// Files called `prefix`, digits, `suffix`.
fn numbered(folder: &Path, prefix: &str, suffix: &str) -> Result<Vec<(usize, PathBuf)>, Error> {
    let number = |name: &str| digits(name.strip_prefix(prefix)?.strip_suffix(suffix)?);
    Ok(list(folder)?.into_iter().filter_map(|(name, path)| Some((number(&name)?, path))).collect())
}

/// `walk_0012.obj` as (`walk_`, 12, `.obj`).
fn split_number(name: &str) -> Option<(&str, usize, &str)> {
    let dot = name.rfind('.')?;
    let (stem, suffix) = name.split_at(dot);
    let prefix = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((prefix, digits(&stem[prefix.len()..])?, suffix))
}

/// `walk_%04d.obj` as (`walk_`, `.obj`).
fn pattern(name: &str) -> Option<(&str, &str)> {
    let (prefix, rest) = name.split_once('%')?;
    let suffix = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('d')?;
    Some((prefix, suffix))
}

fn digits(text: &str) -> Option<usize> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}
