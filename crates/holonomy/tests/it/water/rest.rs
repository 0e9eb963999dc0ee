//! Still water stays still, and none is lost.

use holonomy::nalgebra::Vector3;
use holonomy::water::{Border, Borders, Coupling, Drops, Footprint, Rain, Ripple, Scheme, Water};

use super::{SCHEMES, cells, depth, fastest, pool, run};

/// A bump under water, an island, a beach along one side, and a pillar; heights that are no round binary numbers.
fn land(x: f64, z: f64) -> f64 {
    let bump = 0.7 * (-((x - 1.5).powi(2) + (z - 1.1).powi(2)) / 0.2).exp();
    let island = 1.7 * (-((x - 3.3).powi(2) + (z - 2.2).powi(2)) / 0.1).exp();
    let beach = 0.9 * (x - 4.0).max(0.0);
    if (x - 0.7).hypot(z - 2.3) < 0.25 { f64::INFINITY } else { 0.1 + bump + island + beach }
}

#[test]
fn a_lake_over_a_bump_at_a_beach_stays_at_rest_exactly() {
    for scheme in SCHEMES {
        for border in [Border::Reflecting, Border::Absorbing] {
            let water = Water { cells: [61, 33], cell: 0.1, level: 1.03, borders: Borders::all(border), scheme, ..Water::default() };
            let mut state = water.start([0.0, 0.0], land).unwrap();
            let before = state.clone();
            let dry = cells(&state).filter(|&cell| state.depth_of(cell) == Some(0.0)).count();
            assert!(dry > 100, "{dry} dry cells");
            run(&water, &mut state, 300, 0.01);
            // Measured: 0 and 0, to the bit.
            assert_eq!(fastest(&state), 0.0, "{scheme:?} {border:?}");
            assert!(cells(&state).all(|cell| state.surface_of(cell) == before.surface_of(cell)), "{scheme:?} {border:?}");
        }
    }
}

/// docs/ERRATA.md, F13: with the depth in the pressure water at rest over a bump would move.
#[test]
fn it_is_the_surface_that_pushes_not_the_depth() {
    let water = Water { cells: [60, 4], cell: 0.1, level: 1.0, ..Water::default() };
    let bump = |x: f64, _| 0.4 * (-((x - 3.0) / 0.9).powi(2)).exp();
    let mut state = water.start([0.0, 0.0], bump).unwrap();
    // The depth that the bump leaves, over a level bottom, is no lake at rest.
    let mut hollow = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    hollow.set_depth(|x, z| 1.0 - bump(x, z)).unwrap();
    run(&water, &mut state, 1, 0.01);
    run(&water, &mut hollow, 1, 0.01);
    // Measured: 0 and 0.037 m/s.
    assert_eq!(fastest(&state), 0.0);
    assert!(fastest(&hollow) > 0.02, "{}", fastest(&hollow));
}

/// docs/ERRATA.md, F14.
#[test]
fn fluxes_keep_the_volume_and_the_printed_form_does_not() {
    let drift = |scheme: Scheme| {
        let water = Water { scheme, ..pool([200, 3], 0.1) };
        let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
        state.set_surface(|x, _| 1.0 + 0.3 * (-((x - 6.0) / 2.0).powi(2)).exp()).unwrap();
        let volume = state.volume();
        let mut worst: f64 = 0.0;
        for _ in 0..2000 {
            run(&water, &mut state, 1, 0.4 * 0.1 / 9.81_f64.sqrt());
            worst = worst.max((state.volume() / volume - 1.0).abs());
        }
        worst
    };
    // Measured: 1.4e-15 and 1.4e-15; 1.9e-2 as printed.
    assert!(drift(Scheme::Conserving) < 1e-13, "{:e}", drift(Scheme::Conserving));
    assert!(drift(Scheme::Traced) < 1e-13, "{:e}", drift(Scheme::Traced));
    assert!(drift(Scheme::Printed) > 1e-3, "{:e}", drift(Scheme::Printed));
}

/// Waves that run up a beach and around an island: depths stay positive, volume stays, all is finite.
#[test]
fn waves_on_a_beach_keep_their_volume() {
    for scheme in [Scheme::Conserving, Scheme::Traced] {
        let water = Water { cells: [61, 33], cell: 0.1, level: 1.03, scheme, ..Water::default() };
        let mut state = water.start([0.0, 0.0], land).unwrap();
        state.set_surface(|x, _| 1.03 + 0.5 * (-x * x).exp()).unwrap();
        let (volume, dry) =
            (state.volume(), |state: &holonomy::water::WaterState| cells(state).filter(|&cell| state.depth_of(cell) == Some(0.0)).count());
        let (at_first, mut least) = (dry(&state), usize::MAX);
        for _ in 0..2000 {
            run(&water, &mut state, 1, 1.0 / 60.0);
            least = least.min(dry(&state));
            assert!(cells(&state).filter_map(|cell| state.depth_of(cell)).all(|d| (0.0..2.0).contains(&d)));
        }
        // Measured: 2e-16; of 379 dry cells 144 stay dry, or 210; 0.75 m/s in the end, or 0.20.
        assert!((state.volume() / volume - 1.0).abs() < 1e-12, "{scheme:?}: {:e}", state.volume() / volume - 1.0);
        assert!(least < at_first, "the beach was flooded: {least} of {at_first} dry");
        assert!(fastest(&state) < 1.0, "{scheme:?}: {} m/s in the end", fastest(&state));
    }
}

/// A pool drained into a hole: thin water everywhere, and none of it negative.
#[test]
fn a_thin_film_never_becomes_negative() {
    let water = Water { cells: [40, 40], cell: 0.1, level: 0.0, ..Water::default() };
    let mut state = water.start([0.0, 0.0], |x, z| 0.5 * (x - 2.0).hypot(z - 2.0)).unwrap();
    state.set_depth(|x, z| 0.05 * (2.0 + (37.0 * x).sin() * (53.0 * z).cos())).unwrap();
    let volume = state.volume();
    run(&water, &mut state, 1000, 1.0 / 60.0);
    assert!(cells(&state).all(|[i, j]| depth(&state, i, j) >= 0.0));
    // Measured: 2e-15.
    assert!((state.volume() / volume - 1.0).abs() < 1e-12, "{:e}", state.volume() / volume - 1.0);
}

/// All at once, and badly: bodies that jump, lie on the beach or in the pillar, cloudbursts, wild legs, long steps. The budget of the volume holds, no depth
/// is negative, and all is finite.
#[test]
fn nothing_upsets_the_water() {
    let mut random = 5_u64;
    let mut unit = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 11) as f64 / (1_u64 << 53) as f64
    };
    for scheme in [Scheme::Conserving, Scheme::Traced] {
        let water = Water { cells: [61, 33], cell: 0.1, level: 1.03, scheme, ..Water::default() };
        let mut state = water.start([0.0, 0.0], land).unwrap();
        let rain = Rain { drops: 100.0, volume: 1e-3, radius: 0.15, kind: Drops::Adding, seed: 3 };
        let (mut falling, volume) = (rain.start().unwrap(), state.volume());
        for _ in 0..400 {
            let duration = 0.001 + 0.05 * unit() * unit();
            let mut body = || Footprint {
                center: [7.0 * unit() - 0.5, 4.0 * unit() - 0.5],
                heading: 7.0 * unit(),
                half: [unit(), 0.4 * unit()],
                bottom: 1.5 * unit() - 0.3,
                top: 1.4 + unit(),
                velocity: [6.0 * unit() - 3.0, 6.0 * unit() - 3.0],
                turning: 4.0 * unit() - 2.0,
            };
            let bodies = [body(), body(), body()];
            water.couple(&mut state, &bodies, Coupling::Displacing, duration).unwrap();
            let leg = Ripple {
                place: Vector3::new(6.0 * unit(), 0.9, 3.0 * unit()),
                radius: 0.1 * unit(),
                velocity: Vector3::new(9.0 * unit(), 4.0 - 8.0 * unit(), -9.0 * unit()),
            };
            water.stir(&mut state, &[leg], duration).unwrap();
            rain.fall(&mut falling, &mut state, duration).unwrap();
            run(&water, &mut state, 1, duration);
            assert!(cells(&state).filter_map(|cell| state.depth_of(cell)).all(|d| (0.0..10.0).contains(&d)), "{scheme:?}");
            assert!(fastest(&state) < 50.0, "{scheme:?}: {}", fastest(&state));
        }
        // Measured: 2e-16, with 0.54 m³ of rain.
        assert!(
            ((state.volume() - falling.added) / volume - 1.0).abs() < 1e-12,
            "{scheme:?}: {:e}",
            (state.volume() - falling.added) / volume - 1.0
        );
    }
}
