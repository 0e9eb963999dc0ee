//! The peers: other people's way to do the same work, in Python, run right beside.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use holonomy::nalgebra::Vector3;

/// One line that a peer printed.
pub struct Peer {
    name: String,
    /// Its figure, by processor time, in its own unit.
    pub cpu: f64,
    case: String,
    vertices: usize,
    /// Where the body ended, metres, to six digits.
    pub place: Vector3<f64>,
}

/// Runs the peers of `program` and reads what they print; `place` is their key for where the body ended.
pub fn run(program: &str, place: &str) -> Result<Vec<Peer>, String> {
    lines(program, |line| Peer::read(line, place))
}

/// Runs the peers of `program` and reads the lines that they print.
pub fn lines<T>(program: &str, read: impl FnMut(&str) -> Option<T>) -> Result<Vec<T>, String> {
    let folder = std::env::var_os("HOLONOMY_PEERS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench"), PathBuf::from);
    let program = folder.join(program);
    if !program.is_file() {
        return Err(format!("no {}; let HOLONOMY_PEERS name the folder that has it", program.display()));
    }
    let python = std::env::var_os("PEERS_VENV").map_or_else(|| "python3".into(), |venv| Path::new(&venv).join("bin/python"));
    let output = Command::new(&python)
        .arg(&program)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NUMBA_CACHE_DIR", std::env::temp_dir().join("holonomy-numba-cache"))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", python.display()))?;
    let found: Vec<T> = String::from_utf8_lossy(&output.stdout).lines().filter_map(read).collect();
    if found.is_empty() {
        return Err(format!("{} printed nothing; let PEERS_VENV name an environment with what it imports", program.display()));
    }
    Ok(found)
}

impl Peer {
    fn read(line: &str, key: &str) -> Option<Peer> {
        let mut path = field(line, "name")?.trim_matches('"').split('/').skip(1);
        let (case, name) = (path.next()?.to_owned(), path.next()?.to_owned());
        let place: Vec<f64> = field(line, key)?.split(',').filter_map(|x| x.trim().parse().ok()).collect();
        let place = Vector3::from_row_slice(place.get(..3)?);
        Some(Peer { name, cpu: field(line, "cpu")?.parse().ok()?, case, vertices: field(line, "size")?.parse().ok()?, place })
    }

    /// The one of that name at a case with that many vertices.
    pub fn named<'a>(peers: &'a [Peer], case: &str, vertices: usize, name: &str) -> Option<&'a Peer> {
        peers.iter().find(|peer| peer.name == name && peer.case == case && peer.vertices == vertices)
    }
}

/// The value of `key` in a line of flat JSON, without the brackets of a list.
pub fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{key}\": "))?;
    let rest = rest.trim_start_matches('[');
    let list = line.contains(&format!("\"{key}\": ["));
    rest.split(if list { [']', ']'] } else { [',', '}'] }).next()
}
