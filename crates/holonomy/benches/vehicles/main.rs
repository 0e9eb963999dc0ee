//! Vehicles beside their peers, one thread.
//!
//! ```sh
//! cargo bench -p holonomy --bench vehicles           # tables, beside the peers where they are found
//! cargo bench -p holonomy --bench vehicles -- rigid  # JSON lines, the form in which the peers print; or -- optimal_control
//! cargo bench -p holonomy --bench vehicles -- plans  # the table of plans alone
//! ```
//!
//! Peers: `rigid.py` and `optimal_control.py` in the folder that HOLONOMY_PEERS names, run by the Python of the virtual environment that
//! PEERS_VENV names (it needs NumPy, numba, MuJoCo and CasADi).

#[path = "../shape_change/peers.rs"]
#[allow(dead_code, reason = "these peers do not print where a body ends")]
mod peers;
mod plans;
mod rigid;
#[path = "../shape_change/timing.rs"]
mod timing;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.first().map(String::as_str) {
        None => {
            rigid::table();
            plans::table();
        }
        Some("rigid") => rigid::lines(),
        Some("optimal_control") => plans::lines(),
        Some("plans") => plans::table(),
        Some(_) => {} // a program of the peers that has no counterpart here
    }
}
