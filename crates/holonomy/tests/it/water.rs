//! Shallow water: rest, volume, waves, bores, borders, rain, bodies in it.

mod bodies;
mod borders;
mod dam_break;
mod input;
mod rest;
mod shift_and_rain;
mod threads;
mod wake;
mod waves;

use holonomy::water::{Scheme, Water, WaterState};

const SCHEMES: [Scheme; 3] = [Scheme::Conserving, Scheme::Traced, Scheme::Printed];

/// Cells of the state.
fn cells(state: &WaterState) -> impl Iterator<Item = [usize; 2]> + use<> {
    let [nx, nz] = state.cells();
    (0..nz).flat_map(move |j| (0..nx).map(move |i| [i, j]))
}

fn depth(state: &WaterState, i: usize, j: usize) -> f64 {
    state.depth_of([i, j]).unwrap()
}

/// Greatest speed through a face.
fn fastest(state: &WaterState) -> f64 {
    let speeds = cells(state).flat_map(|cell| state.velocities_of(cell).unwrap().into_iter().flatten().map(f64::abs));
    speeds.fold(0.0, f64::max)
}

fn run(water: &Water, state: &mut WaterState, steps: usize, duration: f64) {
    for _ in 0..steps {
        water.step(state, duration).unwrap();
    }
}

/// A pool without a bottom of its own: one metre deep.
fn pool(cells: [usize; 2], cell: f64) -> Water {
    Water { cells, cell, level: 1.0, ..Water::default() }
}
