//! Vehicles beside their peers, one thread.
//!
//! ```sh
//! cargo bench -p holonomy --bench vehicles           # tables, beside the peers where they are found
//! cargo bench -p holonomy --bench vehicles -- rigid  # JSON lines, the form in which the peers print
//! ```
//!
//! Peers: `rigid.py` in the folder that HOLONOMY_PEERS names, run by the Python of the virtual environment that PEERS_VENV names (it
//! needs NumPy, numba and MuJoCo).

#[path = "../shape_change/peers.rs"]
#[allow(dead_code, reason = "these peers do not print where a body ends")]
mod peers;
mod rigid;
#[path = "../shape_change/timing.rs"]
mod timing;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.first().map(String::as_str) {
        None => rigid::table(),
        Some("rigid") => rigid::lines(),
        Some(_) => {} // a program of the peers that has no counterpart here
    }
}
