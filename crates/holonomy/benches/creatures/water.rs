//! Updates per second of 200 × 200 cells, as `myriapod.py`: cells of 0.4 m, steps of 1/60 s, walls.

use std::f64::consts::PI;
use std::time::Instant;

use holonomy::water::{Border, Borders, Coupling, Footprint, Scheme, Water, WaterState};

use crate::{peer, processor_time};

const STEP: f64 = 1.0 / 60.0;

/// The peers' start: a hump in a slow whirl.
fn start(water: &Water) -> WaterState {
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).expect("the water is sound");
    state.set_surface(|x, z| 1.0 + 0.3 * (-((x - 30.0).powi(2) + (z - 40.0).powi(2)) / 20.0).exp()).expect("heights are finite");
    let whirl =
        |x: f64, z: f64| [0.5 * (PI * x / 80.0).sin() * (PI * z / 80.0).cos(), -0.5 * (PI * x / 80.0).cos() * (PI * z / 80.0).sin()];
    state.set_velocity(whirl).expect("velocities are finite");
    state
}

/// A swimmer of 18 segments, one behind the other.
fn swimmer(time: f64) -> Vec<Footprint> {
    let segment = |k: usize| Footprint {
        center: [30.0 + k as f64 + time, 40.0 + 0.4 * (k as f64 - 6.0 * time).sin()],
        heading: 0.3 * (k as f64 - 6.0 * time).cos(),
        half: [0.5, 0.5],
        bottom: 0.5,
        top: 1.5,
        velocity: [1.0, -2.4 * (k as f64 - 6.0 * time).cos()],
        turning: 0.0,
    };
    (0..18).map(segment).collect()
}

/// Updates per second of wall time and of processor time, over two seconds.
fn rate(threads: usize, mut update: impl FnMut() + Send) -> [f64; 2] {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { std::process::exit(1) };
    pool.install(|| {
        (0..100).for_each(|_| update());
        let (start, cpu) = (Instant::now(), processor_time());
        let mut count = 0.0;
        while start.elapsed().as_secs_f64() < 2.0 {
            (0..100).for_each(|_| update());
            count += 100.0;
        }
        [count / start.elapsed().as_secs_f64(), count / (processor_time() - cpu)]
    })
}

pub fn table() {
    println!("\nShallow water, 200 × 200 cells: updates per second (per second of processor time)");
    for name in ["numpy", "numba"] {
        if let Some(value) = peer(&format!("myriapod/water/{name}")) {
            println!("{name:<44}{:>8}{value:>10.0}", 1);
        }
    }
    for (name, scheme) in [("conserving", Scheme::Conserving), ("traced", Scheme::Traced), ("printed (u, w and d traced)", Scheme::Printed)]
    {
        for threads in [1, 2] {
            let water = Water { scheme, ..Water::default() };
            let mut state = start(&water);
            let [wall, cpu] = rate(threads, || assert_eq!(water.step(&mut state, STEP), Ok(1)));
            println!("{name:<44}{threads:>8}{wall:>10.0}{cpu:>10.0}");
        }
    }
    let water = Water { level: 1.0, borders: Borders::all(Border::Absorbing), ..Water::default() };
    let (mut state, mut time) = (start(&water), 0.0);
    let [wall, cpu] = rate(1, || {
        water.couple(&mut state, &swimmer(time), Coupling::Displacing, STEP).expect("footprints are sound");
        water.step(&mut state, STEP).expect("the step is sound");
        time += STEP / 100.0;
    });
    println!("{:<44}{:>8}{wall:>10.0}{cpu:>10.0}", "conserving, open borders, 18 segments swim", 1);
}
