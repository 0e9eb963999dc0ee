//! Shape change beside its peers: steps per second at 36 to 100 000 vertices, one thread.
//!
//! The work of a case, in closed form, so that another program can do the same: place frames 1 … T (t = frame/60) of
//!
//! - `curve`: n points of an unstretchable snake of unit length, tangent angle 1.1 sin(2π (1.5 s − t)), head at the origin; ε = 1/20;
//! - `surface`: a grid over [−1, 1] × [−½, ½], z = ¼ |x| sin(2π (y − t)) + x²/10, two triangles per cell; ε = 1/4;
//!
//! such that the discrete momentum vanishes (Gross 2023, Algs. 1 and 2). Tangents, normals, lengths and areas are part of it; making the
//! shapes is not. `check_translation` is where the last shape ends.
//!
//! ```sh
//! cargo bench -p holonomy --bench shape_change                  # a table, beside the peers where they are found
//! cargo bench -p holonomy --bench shape_change -- shape_change  # JSON lines, the form in which the peers print
//! ```
//!
//! Peers: `shape_change.py` in the folder that HOLONOMY_PEERS names, run by the Python of the virtual environment that PEERS_VENV names
//! (it needs NumPy, SciPy and numba).

mod cases;
mod peers;
mod timing;

use cases::Case;
use peers::Peer;

/// The peers of the table: their names in what they print, and for people. The first is the paper's own method.
const PEERS: [(&str, &str); 4] = [
    ("scipy_newton_krylov", "SciPy Newton–Krylov"),
    ("numpy_newton_fd", "NumPy Newton"),
    ("numba_newton_fd", "numba Newton"),
    ("numba_newton_moments", "numba moments"),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.first().map(String::as_str) {
        None => table(),
        Some("shape_change") => Case::all().for_each(|case| println!("{}", case.measure().json())),
        Some(_) => {} // a program of the peers that has no counterpart here
    }
}

fn table() {
    let peers = peers::run("shape_change.py", "check_translation").unwrap_or_else(|why| {
        eprintln!("peers left out: {why}");
        Vec::new()
    });
    println!(
        "steps per second of processor time, one thread; `bound` reads each frame and finds its tangents or normals, and does nothing else\n"
    );
    let names: Vec<&str> = PEERS.iter().map(|(_, name)| *name).collect();
    println!(
        "| case | holonomy | ns per vertex and step | the same by `run`, ns | bound, ns | {} | over the best | ends apart |",
        names.join(" | ")
    );
    println!("|-|-:|-:|-:|-:|{}-:|-:|", "-:|".repeat(names.len()));
    for case in Case::all() {
        let found = case.measure();
        let beside: Vec<Option<&Peer>> = PEERS.iter().map(|(name, _)| Peer::named(&peers, case.kind.name(), case.vertices, name)).collect();
        let rates: Vec<String> = beside.iter().map(|peer| peer.map_or("–".into(), |peer| rate(peer.cpu))).collect();
        let best = beside.iter().flatten().max_by(|a, b| a.cpu.total_cmp(&b.cpu));
        let over = best.map_or("– | –".into(), |best| {
            format!("{:.1} × | {:.0e}", found.rate.cpu / best.cpu, (best.place - found.translation).norm())
        });
        println!(
            "| {} {} | {:.0} | {:.1} | {:.1} | {:.1} | {} | {over} |",
            case.kind.name(),
            case.vertices,
            found.rate.cpu,
            1e9 / (found.rate.cpu * case.vertices as f64),
            case.through_run(),
            case.bound(),
            rates.join(" | "),
        );
    }
}

fn rate(steps_per_second: f64) -> String {
    if steps_per_second < 100.0 { format!("{steps_per_second:.1}") } else { format!("{steps_per_second:.0}") }
}
