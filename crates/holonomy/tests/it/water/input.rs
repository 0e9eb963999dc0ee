//! What is no water is refused; long steps are divided.

use holonomy::Error;
use holonomy::nalgebra::Vector3;
use holonomy::water::Water;

use super::{pool, run};

fn refused<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Parameter { .. }))
}

#[test]
fn bad_numbers_are_refused() {
    let good = pool([4, 4], 0.1);
    let flat = |_: f64, _: f64| 0.0;
    let bad = [
        Water { cells: [0, 4], ..good.clone() },
        Water { cells: [1 << 20, 1 << 20], ..good.clone() },
        Water { cell: 0.0, ..good.clone() },
        Water { cell: f64::NAN, ..good.clone() },
        Water { gravity: -1.0, ..good.clone() },
        Water { density: 0.0, ..good.clone() },
        Water { level: f64::INFINITY, ..good.clone() },
    ];
    for water in bad {
        assert!(refused(water.start([0.0, 0.0], flat)), "{water:?}");
    }
    assert!(refused(good.start([f64::NAN, 0.0], flat)));
    assert!(refused(good.start([0.0, 0.0], |_, _| f64::NAN)));
    assert!(refused(good.start([0.0, 0.0], |_, _| f64::NEG_INFINITY)));
}

#[test]
fn a_bad_state_is_not_set() {
    let water = pool([4, 4], 0.1);
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let before = state.clone();
    assert!(refused(state.set_surface(|x, _| if x > 0.2 { f64::NAN } else { 1.0 })));
    assert!(refused(state.set_depth(|x, _| 0.2 - x)));
    assert!(refused(state.set_velocity(|_, _| [0.0, f64::INFINITY])));
    assert!(state == before);
    assert!(refused(pool([4, 4], 0.2).step(&mut state, 0.01)));
    assert!(matches!(pool([5, 4], 0.1).step(&mut state, 0.01), Err(Error::Length { expected: 20, found: 16, .. })));
}

#[test]
fn long_steps_are_divided_and_too_long_ones_refused() {
    let water = pool([30, 30], 0.1);
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    for bad in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(refused(water.step(&mut state, bad)), "{bad}");
    }
    let stable = water.stable_step(&state);
    // Δx / √(2 g d).
    assert!((stable - 0.1 / (2.0 * 9.81_f64).sqrt()).abs() < 1e-15);
    let before = state.clone();
    assert!(refused(water.step(&mut state, 101.0 * stable)));
    assert!(state == before);
    state.set_surface(|x, _| 1.0 + 0.1 * x).unwrap();
    let stable = water.stable_step(&state);
    assert_eq!(water.step(&mut state, 0.9 * stable), Ok(1));
    assert_eq!(water.step(&mut state, 3.5 * water.stable_step(&before)), Ok(4 + 1));
    run(&water, &mut state, 50, 0.1);
    assert!(state.surface(1.5, 1.5).is_finite());
}

#[test]
fn the_water_at_a_place() {
    let water = pool([10, 10], 1.0);
    let slope = |x: f64, z: f64| 0.1 * x - 0.05 * z;
    let mut state = water.start([-5.0, -5.0], |x, z| if x > 4.0 && z > 4.0 { f64::INFINITY } else { slope(x, z) }).unwrap();
    state.set_surface(|x, z| 1.0 + 0.02 * x + 0.03 * z).unwrap();
    state.set_velocity(|x, z| [0.1 * x + z, x - 0.1 * z]).unwrap();
    let (x, z) = (1.3, -2.2);
    // Bilinear: exact for what is linear.
    assert!((state.surface(x, z) - (1.0 + 0.02 * x + 0.03 * z)).abs() < 1e-14);
    assert!((state.depth(x, z) - (1.0 + 0.02 * x + 0.03 * z - slope(x, z))).abs() < 1e-14);
    assert!((state.bottom(x, z) - slope(x, z)).abs() < 1e-14);
    let [u, w] = state.velocity(x, z);
    assert!((u - (0.1 * x + z)).abs() < 1e-14 && (w - (x - 0.1 * z)).abs() < 1e-14);
    for (y, under) in [(0.5, true), (0.97, false), (0.2, false)] {
        assert_eq!(state.is_under(&Vector3::new(x, y, z)), under, "{y}");
    }
    // Outside as at the edge; in the pillar there is nothing; no place is no trouble.
    assert_eq!(state.surface(-100.0, 0.0), state.surface(-4.5, 0.0));
    assert!(!state.is_under(&Vector3::new(4.6, 0.9, 4.6)));
    assert!(state.surface(f64::NAN, f64::INFINITY).is_finite());
    assert_eq!(state.depth_of([10, 0]), None);
}
