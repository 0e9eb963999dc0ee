//! One thread gives what many give, and a step asks for no memory.

use holonomy::water::{Border, Borders, Water, WaterState};

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
