//! What creatures are made of and live in.
//!
//! ```sh
//! cargo bench -p holonomy --bench creatures            # all tables
//! cargo bench -p holonomy --bench creatures -- soft    # chains of rigid segments and soft blocks
//! cargo bench -p holonomy --bench creatures -- water   # shallow water
//! cargo bench -p holonomy --bench creatures -- whole   # creatures that walk
//! cargo bench -p holonomy --bench creatures -- grid    # strokes over frequency and phase shift
//! ```
//!
//! The peers' figures are in `peers.json` in the folder that HOLONOMY_PEERS names: those of `myriapod.py` there. Ours are by processor time, so that what else
//! runs on the machine counts little.

mod grid;
#[path = "../shape_change/peers.rs"]
#[allow(dead_code, reason = "these peers are read, not run")]
mod peers;
mod soft;
#[path = "../shape_change/timing.rs"]
mod timing;
mod water;
mod whole;

use std::path::{Path, PathBuf};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if wanted("soft") {
        soft::run();
    }
    if wanted("water") {
        water::table();
    }
    if wanted("whole") {
        whole::table();
    }
    if wanted("grid") {
        grid::table();
    }
}

/// Where the peers' figures are.
fn folder() -> PathBuf {
    std::env::var_os("HOLONOMY_PEERS").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench"), PathBuf::from)
}

/// The figure of a peer, by its name there.
fn peer(name: &str) -> Option<f64> {
    peers_named(name).first().map(|&(_, value)| value)
}

/// All figures of that name, each with its time step in seconds (zero where none is told).
fn peers_named(name: &str) -> Vec<(f64, f64)> {
    let text = std::fs::read_to_string(folder().join("peers.json")).unwrap_or_default();
    let number = |line, key| peers::field(line, key).and_then(|value| value.parse().ok());
    let is = |line: &&str| peers::field(line, "name").is_some_and(|found| found.trim_matches('"') == name);
    text.lines().filter(is).filter_map(|line| Some((number(line, "h").unwrap_or(0.0), number(line, "value")?))).collect()
}

/// Seconds that all threads have run (Linux, in hundredths; else zero).
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
