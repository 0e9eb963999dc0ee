//! One thread gives what many give, and a step asks for no memory.

use holonomy::nalgebra::Vector3;
use holonomy::water::{Border, Borders, Coupling, Footprint, Rain, Ripple, Water, WaterState};

use super::{SCHEMES, run};
use crate::allocations;

fn after(threads: usize, water: &Water) -> WaterState {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut state = water.start([0.0, 0.0], |x, _| 0.03 * x).unwrap();
        state.set_surface(|x, z| 1.0 + 0.3 * (-((x - 6.0).powi(2) + (z - 9.0).powi(2))).exp()).unwrap();
        run(water, &mut state, 40, 0.02);
        state
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for scheme in SCHEMES {
        let borders = Borders { x: [Border::Absorbing, Border::Reflecting], z: [Border::Reflecting, Border::Absorbing] };
        let water = Water { cells: [150, 190], cell: 0.1, level: 1.0, borders, scheme, ..Water::default() };
        let one = after(1, &water);
        assert!(one == after(2, &water) && one == after(5, &water), "{scheme:?}");
    }
}

#[test]
fn a_step_asks_for_no_memory() {
    for scheme in SCHEMES {
        let water = Water { cells: [30, 20], cell: 0.1, level: 1.0, scheme, ..Water::default() };
        let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
        state.set_surface(|x, _| 1.0 + 0.1 * x).unwrap();
        run(&water, &mut state, 1, 0.01);
        assert_eq!(allocations::during(|| run(&water, &mut state, 10, 0.01)), 0, "{scheme:?}");
    }
}

/// Nor do bodies, legs, rain, and a grid that goes along.
#[test]
fn bodies_and_rain_ask_for_no_memory() {
    let water = Water { cells: [60, 40], cell: 0.1, level: 1.0, borders: Borders::all(Border::Absorbing), ..Water::default() };
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let rain = Rain { drops: 300.0, volume: 1e-4, radius: 0.2, ..Rain::default() };
    let mut falling = rain.start().unwrap();
    let mut time = 0.0;
    let mut update = |state: &mut WaterState| {
        let segment = |k: f64| Footprint {
            center: [2.0 + k + time, 2.0],
            heading: 0.2 * (k - time).cos(),
            half: [0.5, 0.25],
            bottom: 0.6,
            top: 1.2,
            velocity: [1.0, 0.0],
            turning: 0.2,
        };
        let leg = Ripple { place: Vector3::new(3.0, 0.5, 1.0), radius: 0.03, velocity: Vector3::new(1.0, -0.5, 0.3) };
        for way in [Coupling::Displacing, Coupling::Printed] {
            water.couple(state, &[segment(0.0), segment(1.0)], way, 0.01).unwrap();
            water.stir(state, &[leg], 0.01).unwrap();
            rain.fall(&mut falling, state, 0.01).unwrap();
            run(&water, state, 1, 0.01);
        }
        time += 0.02;
        water.shift(state, [1, 0], |_, _| 0.0).unwrap();
        water.shift(state, [-1, 0], |_, _| 0.0).unwrap();
    };
    // The first ones make room for the most cells that are covered.
    (0..20).for_each(|_| update(&mut state));
    let count = allocations::during(|| (0..5).for_each(|_| update(&mut state)));
    assert_eq!(count, 0);
}
