//! Bodies in flow beside their peers: milliseconds per step at 1002 to 100 002 vertices, one thread.
//!
//! The work of a case, in closed form, so that another program can do the same: steps of 1/300 s of an ellipsoid that sinks in water.
//! Semi-axes 0.10, 0.05, 0.02 m; 1297.4 kg/m³ in 998 kg/m³; released at rest, turned by 0.5 rad about its x axis and then 0.3 rad about y.
//! Mass sits on the vertices, spread as the area is. Forces: lift and drag of Soliman 2024, Eq. 6; weight; buoyancy at the origin.
//!
//! - `full`: the shape undulates, y += 0.01 sin(2π (5 x − t)), so inertia, added mass and faces are found anew in each step;
//! - `rigid`: they are found once.
//!
//! `check_position` is where the body ends. It differs from that of the peers, which take the added mass of a face at its barycentre and the
//! shape at the start of a step: here the integral is exact, and the shape is that in the middle.
//!
//! ```sh
//! cargo bench -p holonomy --bench flow             # a table, beside the peers where they are found
//! cargo bench -p holonomy --bench flow -- parts    # where the time goes
//! cargo bench -p holonomy --bench flow -- threads  # two bodies at once, each on a thread of its own
//! cargo bench -p holonomy --bench flow -- flow     # JSON lines, the form in which the peers print
//! ```
//!
//! Peers: `flow.py` in the folder that HOLONOMY_PEERS names, run by the Python of the virtual environment that PEERS_VENV names (it needs
//! NumPy, SciPy and numba).

mod cases;
#[path = "../shape_change/peers.rs"]
mod peers;
#[path = "../shape_change/timing.rs"]
mod timing;

use cases::{Case, Parts};
use peers::Peer;

/// The peers of the table: their names in what they print, and for people.
const PEERS: [(&str, &str); 3] =
    [("numpy_fd", "NumPy, differences"), ("numpy_analytic", "NumPy, analytic"), ("numba_analytic", "numba, analytic")];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.first().map(String::as_str) {
        None => table(),
        Some("parts") => parts(),
        Some("threads") => threads(),
        Some("flow") => Case::all().for_each(|case| println!("{}", case.measure().json())),
        Some(_) => {} // a program of the peers that has no counterpart here
    }
}

fn table() {
    let peers = peers::run("flow.py", "check_position").unwrap_or_else(|why| {
        eprintln!("peers left out: {why}");
        Vec::new()
    });
    println!("milliseconds of processor time per step, one thread\n");
    let names: Vec<&str> = PEERS.iter().map(|(_, name)| *name).collect();
    println!(
        "| case | holonomy | ns per face and step | Newton steps | the same by `Flow::step` | {} | over the best | ends apart |",
        names.join(" | ")
    );
    println!("|-|-:|-:|-:|-:|{}-:|-:|", "-:|".repeat(names.len()));
    for case in Case::all() {
        let found = case.measure();
        let beside: Vec<Option<&Peer>> = PEERS.iter().map(|(name, _)| Peer::named(&peers, case.kind.name(), case.vertices, name)).collect();
        let times: Vec<String> = beside.iter().map(|peer| peer.map_or("–".into(), |peer| format!("{:.3}", peer.cpu))).collect();
        let best = beside.iter().flatten().min_by(|a, b| a.cpu.total_cmp(&b.cpu));
        let took = 1e3 / found.rate.cpu;
        let over = best.map_or("– | –".into(), |best| {
            let apart = (best.place - found.position).norm() / best.place.norm();
            format!("{:.1} × | {:.1} %", best.cpu / took, 100.0 * apart)
        });
        println!(
            "| {} {} | {took:.4} | {:.1} | {:.2} | {:.4} | {} | {over} |",
            case.kind.name(),
            case.vertices,
            1e6 * took / case.faces as f64,
            found.newton,
            case.through_flow(),
            times.join(" | "),
        );
    }
}

fn parts() {
    println!("nanoseconds of processor time per face\n");
    println!("| case | vertices | faces and edges | faces alone, for drag | wrench | wrench and derivative |\n|-|-:|-:|-:|-:|-:|");
    for case in Case::all() {
        let Parts { vertices, faces_and_edges, faces, wrench, derivative } = case.parts();
        let name = case.kind.name();
        println!("| {name} {} | {vertices:.2} | {faces_and_edges:.2} | {faces:.2} | {wrench:.2} | {derivative:.2} |", case.vertices);
    }
}

/// The engine has no threads of its own: bodies are what runs side by side.
fn threads() {
    println!("| case | steps per second | of two bodies on two threads | gain |\n|-|-:|-:|-:|");
    for case in Case::all() {
        let (one, two) = (case.together(1), case.together(2));
        println!("| {} {} | {one:.0} | {two:.0} | {:.2} × |", case.kind.name(), case.vertices, two / one);
    }
}
