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

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.first().map(String::as_str) {
        None => table(),
        Some("shape_change") => Case::all().for_each(|case| println!("{}", case.measure().json())),
        Some(_) => {} // a program of the peers that has no counterpart here
    }
}

fn table() {
    let peers = peers::run().unwrap_or_else(|why| {
        eprintln!("peers left out: {why}");
        Vec::new()
    });
    println!(
        "steps per second of processor time, one thread; `bound` reads each frame and finds its tangents or normals, and does nothing else\n"
    );
    println!("| case | holonomy | ns per vertex and step | bound, ns | over bound | fastest peer | | over peer | ends apart |");
    println!("|-|-:|-:|-:|-:|-|-:|-:|-:|");
    for case in Case::all() {
        let (found, bound) = (case.measure(), case.bound());
        let nanoseconds = 1e9 / (found.rate.cpu * case.vertices as f64);
        let beside = match Peer::fastest(&peers, &case) {
            Some(peer) => {
                format!("{} | {:.0} | {:.1} × | {:.0e}", peer.name, peer.cpu, found.rate.cpu / peer.cpu, peer.apart(&found.translation))
            }
            None => "– | – | – | –".into(),
        };
        println!(
            "| {} {} | {:.0} | {:.1} | {:.1} | {:.2} × | {beside} |",
            case.kind.name(),
            case.vertices,
            found.rate.cpu,
            nanoseconds,
            bound,
            nanoseconds / bound
        );
    }
}
