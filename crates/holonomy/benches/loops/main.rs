//! Linear systems of physical loops beside their peers.
//!
//! ```sh
//! cargo bench -p holonomy --bench loops            # all tables
//! cargo bench -p holonomy --bench loops -- nbody   # five bodies; or -- normal (bar and flag), -- growth
//! ```
//!
//! Meshes and the peers' figures: `data/*.json` and `peers.json` in the folder that HOLONOMY_PEERS names; the figures are those of `cyclic.py` there, by
//! wall time on an idle machine. Ours are wall time, and processor time of all threads beside it.

mod bodies;
mod meshes;
#[path = "../shape_change/peers.rs"]
#[allow(dead_code, reason = "these peers are read, not run")]
mod peers;

use std::path::{Path, PathBuf};
use std::time::Instant;

use holonomy::nalgebra::Vector3;
use holonomy::solve::periodic::{Kind, Report, Solver};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if wanted("nbody") {
        bodies::table();
    }
    if wanted("normal") {
        normal();
    }
    if wanted("growth") {
        growth();
    }
}

/// Where the peers' meshes and figures are.
fn folder() -> PathBuf {
    std::env::var_os("HOLONOMY_PEERS").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench"), PathBuf::from)
}

/// A figure of a peer, by its name there, threads and key.
fn peer(name: &str, threads: usize, key: &str) -> Option<f64> {
    let text = std::fs::read_to_string(folder().join("peers.json")).ok()?;
    let is = |line: &&str| {
        peers::field(line, "name").is_some_and(|found| found.trim_matches('"') == name)
            && peers::field(line, "threads").is_some_and(|found| found == threads.to_string())
    };
    peers::field(text.lines().find(is)?, key)?.parse().ok()
}

/// One normal system of bar and flag, as in `cyclic.py`: 100 frames, backward rule.
fn normal() {
    println!("\nOne normal system, 100 frames: factor + solve, seconds (processor seconds)");
    println!("{:<22}{:>8}{:>30}{:>12}{:>9}{:>12}", "case", "threads", "way", "wall", "cpu", "residual");
    for name in ["bar", "flag", "flag, pole held"] {
        let Some(mesh) = meshes::Mesh::read(&folder(), name.split(',').next().unwrap_or(name)) else {
            println!("no mesh {name}; let HOLONOMY_PEERS name the folder that has data/");
            continue;
        };
        let case = mesh.case(100, name.contains("held"));
        for threads in [1, 2] {
            let short = name.split(',').next().unwrap_or(name);
            if let Some(factor) = peer(&format!("cyclic/{short}/cholmod_metis"), threads, "value") {
                let solve = peer(&format!("cyclic/{short}/cholmod_metis"), threads, "solve_s").unwrap_or(0.0);
                println!("{name:<22}{threads:>8}{:>30}{:>12.3}", "CHOLMOD, METIS", factor + solve);
            }
            for (kind, tolerance) in [(Kind::Sparse, 0.0), (Kind::Iterative, 1e-6), (Kind::Iterative, 1e-10)] {
                let run = case.run(kind, tolerance, threads);
                let way = format!("{kind:?} {} iterations", run.report.iterations);
                println!("{name:<22}{threads:>8}{way:>30}{:>12.3}{:>9.3}{:>12.1e}", run.wall, run.cpu, run.report.residual);
            }
        }
    }
}

/// Growth with vertices and with frames: a square cloth, its pole held, the way that is chosen.
fn growth() {
    println!("\nGrowth: cloth, one thread, to 1e-6");
    println!("{:>9}{:>8}{:>10}{:>9}{:>12}  way", "vertices", "frames", "wall", "cpu", "residual");
    for (side, frames) in [(4, 100), (8, 100), (16, 100), (32, 100), (45, 100), (8, 50), (8, 200), (8, 400), (16, 50), (16, 200)] {
        let case = meshes::Mesh::cloth(side).case(frames, true);
        match Solver::choose(&case.cycle, 8_000_000_000) {
            Err(error) => println!("{:>9}{frames:>8}  {error}", side * side),
            Ok(solver) => {
                let run = case.run(solver.kind(), 1e-6, 1);
                let (n, way) = (side * side, solver.describe());
                println!(
                    "{n:>9}{frames:>8}{:>10.3}{:>9.3}{:>12.1e}  {} iterations; {way}",
                    run.wall, run.cpu, run.report.residual, run.report.iterations
                );
            }
        }
    }
}

/// Times of one factorisation and solve.
struct Run {
    wall: f64,
    cpu: f64,
    report: Report,
}

impl meshes::Case {
    fn run(&self, kind: Kind, tolerance: f64, threads: usize) -> Run {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { std::process::exit(1) };
        pool.install(|| {
            let mut solver = Solver::with(&self.cycle, kind, usize::MAX).expect("the case is sound");
            solver.set_tolerance(tolerance, 2000);
            let mut x: Vec<Vector3<f64>> = (0..self.cycle.len()).map(|k| Vector3::from_fn(|i, _| ((3 * k + i) as f64).sin())).collect();
            let (start, cpu) = (Instant::now(), processor_time());
            assert!(solver.factor(&self.stage()).expect("the stage is sound"), "not positive definite");
            let report = solver.solve(&self.stage(), &mut x).expect("the right-hand side has its length");
            Run { wall: start.elapsed().as_secs_f64(), cpu: processor_time() - cpu, report }
        })
    }
}

/// Seconds that all threads have run, those that have ended too (Linux, in hundredths; else zero).
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
