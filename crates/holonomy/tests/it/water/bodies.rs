//! Bodies in the water: what they displace, drag, and how they are pushed.

use holonomy::water::{Border, Borders, Coupling, Footprint, Rain, Water, WaterState};

use super::{cells, depth, fastest, pool, run};

fn block() -> Footprint {
    Footprint { center: [3.0, 2.0], heading: 0.0, half: [0.6, 0.3], bottom: 0.7, top: 1.3, velocity: [0.0; 2], turning: 0.0 }
}

fn couple(water: &Water, state: &mut WaterState, bodies: &[Footprint], duration: f64) {
    water.couple(state, bodies, Coupling::Displacing, duration).unwrap();
}

#[test]
fn a_body_at_rest_in_still_water_does_nothing() {
    let water = pool([60, 40], 0.1);
    let bodies = [Footprint { heading: 0.4, ..block() }, Footprint { center: [4.2, 2.1], bottom: -1.0, ..block() }];
    let mut state = water.start([0.0, 0.0], |x, _| 0.05 * x).unwrap();
    water.immerse(&mut state, &bodies).unwrap();
    for _ in 0..100 {
        couple(&water, &mut state, &bodies, 0.01);
        run(&water, &mut state, 1, 0.01);
        assert!(state.pushes().iter().all(|push| push.force.norm() == 0.0 && push.torque.norm() == 0.0));
    }
    // Measured: 0, exactly.
    assert_eq!(fastest(&state), 0.0);
    assert!(cells(&state).all(|cell| state.surface_of(cell) == Some(1.0)));
}

/// What is put in comes out at the sides: the level rises by what is displaced, over the whole pool (Archimedes).
#[test]
fn a_plunge_raises_the_level_by_its_volume() {
    let water = pool([40, 40], 0.1);
    let body = [Footprint { center: [2.0, 2.0], heading: 0.3, half: [0.5, 0.3], ..block() }];
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let volume = state.volume();
    couple(&water, &mut state, &body, 0.01);
    let squeezed: f64 = cells(&state).map(|cell| state.surface_of(cell).unwrap() - 1.0).sum::<f64>() * 0.01;
    // 1.0 × 0.6 × 0.3 m³. Measured: 0.18002, for how cells at its edge are covered.
    assert!((squeezed / 0.18 - 1.0).abs() < 0.03, "{squeezed}");
    for _ in 0..2000 {
        couple(&water, &mut state, &body, 0.02);
        run(&water, &mut state, 1, 0.02);
    }
    assert!((state.volume() / volume - 1.0).abs() < 1e-12);
    let mean = cells(&state).map(|cell| state.surface_of(cell).unwrap()).sum::<f64>() / 1600.0;
    // Measured: 3e-16.
    assert!((mean - 1.0 - squeezed / 16.0).abs() < 1e-12, "{mean}");
}

#[test]
fn swimmers_in_the_rain_keep_the_volume() {
    let water = pool([80, 50], 0.1);
    let mut state = water.start([0.0, 0.0], |x, _| 0.4 * (x - 5.5).max(0.0)).unwrap();
    let (rain, volume) = (Rain { drops: 50.0, volume: 1e-4, radius: 0.2, ..Rain::default() }, state.volume());
    let mut falling = rain.start().unwrap();
    for k in 0..3000 {
        let t = 0.01 * k as f64;
        let segment = |s: usize| {
            let phase = 3.0 * t - s as f64;
            Footprint {
                center: [3.0 + 2.0 * (0.5 * t).sin() + 0.3 * s as f64, 2.5 + 0.3 * phase.sin()],
                heading: 0.4 * phase.cos(),
                half: [0.15, 0.12],
                velocity: [(0.5 * t).cos(), 0.9 * phase.cos()],
                ..block()
            }
        };
        let bodies: Vec<Footprint> = (0..6).map(segment).collect();
        couple(&water, &mut state, &bodies, 0.01);
        rain.fall(&mut falling, &mut state, 0.01).unwrap();
        run(&water, &mut state, 1, 0.01);
    }
    // Measured: −2e-16.
    assert!((state.volume() / volume - 1.0).abs() < 1e-12, "{:e}", state.volume() / volume - 1.0);
    assert!(fastest(&state) > 0.05 && fastest(&state) < 5.0, "{}", fastest(&state));
    assert!(cells(&state).all(|cell| state.depth_of(cell).unwrap() >= 0.0));
    // All out of the water: the room is given back.
    couple(&water, &mut state, &[], 0.01);
    assert!((state.volume() / volume - 1.0).abs() < 1e-12);
    assert!(state.pushes().is_empty());
}

/// docs/ERRATA.md, F18: with velocities at faces, the normal part at the middle of a boundary cell is the body's, and the other is not touched.
#[test]
fn the_normal_velocity_is_that_of_the_body() {
    let water = pool([60, 40], 0.1);
    for heading in [0.0_f64, 0.5] {
        let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
        state.set_velocity(|_, _| [0.3, 0.2]).unwrap();
        // Half a cell wide: one row of boundary cells, or single ones.
        let body = Footprint { heading, half: [0.04, 0.04], center: [3.05, 2.05], velocity: [1.0, -0.5], bottom: 0.0, ..block() };
        water.couple(&mut state, &[body], Coupling::Printed, 0.01).unwrap();
        let [u, w] = state.velocities_of([30, 20]).unwrap().map(|[low, high]| 0.5 * (low + high));
        // The middle is on the middle of the body; the side of its width is as near as that of its length, and is taken.
        let normal = [heading.sin(), heading.cos()];
        let along = [heading.cos(), -heading.sin()];
        // Measured: 6e-17.
        assert!(((u - 1.0) * normal[0] + (w + 0.5) * normal[1]).abs() < 1e-15, "{u} {w}");
        assert!(((u - 0.3) * along[0] + (w - 0.2) * along[1]).abs() < 1e-15, "{u} {w}");
    }
}

/// The thesis's way: the surface inside is at the body's bottom, and volume is not kept.
#[test]
fn heights_as_printed_lose_volume() {
    let water = pool([60, 40], 0.1);
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let volume = state.volume();
    for k in 0..200 {
        let body = Footprint { center: [2.0 + 0.005 * k as f64, 2.0], velocity: [0.5, 0.0], ..block() };
        water.couple(&mut state, &[body], Coupling::Printed, 0.01).unwrap();
        assert!((state.surface(2.0 + 0.005 * k as f64, 2.0) - 0.7).abs() < 1e-12);
        run(&water, &mut state, 1, 0.01);
    }
    // Measured: 0.45 more water after two seconds. It runs into the hole, and the boundary cells are filled up again.
    assert!(state.volume() / volume - 1.0 > 0.1, "{:e}", state.volume() / volume - 1.0);
}

/// A body towed at 1 m/s for three seconds: the surface before and behind it, and the mean force along its way over the latter half.
fn tow(duration: f64) -> [f64; 3] {
    let water = Water { borders: Borders::all(Border::Absorbing), ..pool([100, 60], 0.1) };
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let place = |t: f64| Footprint { center: [3.0 + t, 3.0], velocity: [1.0, 0.0], ..block() };
    water.immerse(&mut state, &[place(0.0)]).unwrap();
    let steps = (3.0 / duration).round() as usize;
    let mut force = 0.0;
    for k in 1..=steps {
        couple(&water, &mut state, &[place(duration * k as f64)], duration);
        let push = state.pushes()[0];
        if k > steps / 2 {
            force += 2.0 * push.force.x / steps as f64;
        }
        // Mirror-symmetric about its way. Measured: 1e-9 at most.
        assert!(push.force.z.abs() < 1e-6 && push.torque.y.abs() < 1e-6, "{push:?}");
        run(&water, &mut state, 1, duration);
    }
    let nose = 3.0 + 3.0 + 0.6;
    [state.surface(nose + 0.2, 3.0) - 1.0, state.surface(nose - 1.4, 3.0) - 1.0, force]
}

#[test]
fn a_moving_body_makes_a_bow_wave_and_is_held_back() {
    let [before, behind, force] = tow(0.01);
    // Measured: 18 mm before, −26 mm behind and −239 N; with steps of half the length 18 mm, −22 mm and −242 N.
    assert!(before > 0.005 && behind < -0.005, "{before} {behind}");
    assert!(force < -1.0, "{force}");
    let halved = tow(0.005);
    assert!((halved[2] / force - 1.0).abs() < 0.1 && (halved[0] / before - 1.0).abs() < 0.1, "{halved:?}");
}

/// docs/ERRATA.md, F12: pressure grows with the depth below the surface, ρ g (h − y). Water higher by δ all over lifts what floats by ρ g δ A, and what is under
/// water not at all.
#[test]
fn higher_water_lifts_by_its_pressure() {
    let water = pool([60, 40], 0.1);
    let bodies = [block(), Footprint { center: [1.0, 3.0], bottom: 0.2, top: 0.5, ..block() }];
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    water.immerse(&mut state, &bodies).unwrap();
    state.set_surface(|_, _| 1.05).unwrap();
    couple(&water, &mut state, &bodies, 0.01);
    let [floating, sunk] = [state.pushes()[0], state.pushes()[1]];
    // 1000 × 9.81 × 0.05 × 1.2 × 0.6 N. Measured: to 2e-15 of it.
    assert!((floating.force.y / (1000.0 * 9.81 * 0.05 * 1.2 * 0.6) - 1.0).abs() < 1e-10, "{}", floating.force.y);
    assert!(floating.force.x.abs() + floating.force.z.abs() + floating.torque.norm() < 1e-9, "{floating:?}");
    assert!(sunk.force.norm() < 1e-9, "{sunk:?}");
    // A surface that slopes down along x pushes along x, with the weight of the displaced water: ρ g V δ.
    state.set_surface(|x, _| 1.0 - 0.01 * x).unwrap();
    couple(&water, &mut state, &bodies, 0.01);
    let expected = 1000.0 * 9.81 * 0.01 * 1.2 * 0.6;
    for (push, draught) in state.pushes().iter().zip([0.3, 0.3]) {
        assert!((push.force.x / (expected * draught) - 1.0).abs() < 1e-10 && push.force.z.abs() < 1e-9, "{push:?}");
    }
    // It lifts the end of low x: a turn about −z. −ρ g δ ∫ x² dA.
    let turn = -1000.0 * 9.81 * 0.01 * 0.6 * 1.2_f64.powi(3) / 12.0;
    // Measured: −8.417 of −8.476, as the cells are many but not infinitely many.
    let from_side = -state.pushes()[0].force.x * state_arm();
    assert!((state.pushes()[0].torque.z - from_side - turn).abs() < 0.01 * turn.abs(), "{} {turn}", state.pushes()[0].torque.z);
}

/// Height of where sideways forces act on the block, over its middle: half way down to 0.7 from the level at 1.
fn state_arm() -> f64 {
    0.85 - 1.0
}

/// docs/ERRATA.md, F10: accelerations are those of g, whatever the water weighs; pushes are not.
#[test]
fn heavy_water_moves_like_light_water() {
    let after = |density: f64| {
        let water = Water { density, ..pool([60, 40], 0.1) };
        let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
        for k in 0..50 {
            let body = Footprint { center: [2.0 + 0.01 * k as f64, 2.0], velocity: [1.0, 0.0], ..block() };
            couple(&water, &mut state, &[body], 0.01);
            run(&water, &mut state, 1, 0.01);
        }
        state
    };
    let (light, heavy) = (after(1.0), after(1000.0));
    assert!(cells(&light).all(|cell| light.surface_of(cell) == heavy.surface_of(cell)));
    let ratio = heavy.pushes()[0].force.x / light.pushes()[0].force.x;
    assert!((ratio - 1000.0).abs() < 1e-9, "{ratio}");
}

/// A body that turns about +Y drags the water around the same way: from z to x.
#[test]
fn a_turning_body_turns_the_water() {
    let water = pool([60, 60], 0.1);
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let mut impulse = 0.0;
    for k in 0..100 {
        let body = Footprint { center: [3.0, 3.0], half: [1.0, 0.3], heading: 0.01 * k as f64, turning: 1.0, bottom: 0.0, ..block() };
        if k == 0 {
            water.immerse(&mut state, &[body]).unwrap();
        }
        couple(&water, &mut state, &[body], 0.01);
        impulse += state.pushes()[0].torque.y * 0.01;
        run(&water, &mut state, 1, 0.01);
    }
    let turn = |radius: f64| {
        let around = (0..100).map(|k| {
            let (sin, cos) = (0.0628318 * k as f64).sin_cos();
            let [u, w] = state.velocity(3.0 + radius * cos, 3.0 + radius * sin);
            u * sin - w * cos
        });
        around.sum::<f64>() / 100.0
    };
    // Measured: 0.61 and 0.40 m/s, and −276 N m s.
    assert!(turn(0.7) > 0.1 && turn(1.0) > 0.1, "{} {}", turn(0.7), turn(1.0));
    assert!(impulse < -50.0, "{impulse}");
}

/// What the body gets, the water loses: momentum, before the waves come to the walls.
#[test]
fn water_and_body_share_their_momentum() {
    let water = pool([120, 60], 0.1);
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let place = |t: f64| Footprint { center: [6.0 + 0.5 * t, 3.0], heading: 0.3, velocity: [0.5, 0.0], bottom: 0.4, ..block() };
    water.immerse(&mut state, &[place(0.0)]).unwrap();
    let mut given = [0.0; 2];
    for k in 0..80 {
        couple(&water, &mut state, &[place(0.01 * k as f64)], 0.01);
        given[0] -= state.pushes()[0].force.x * 0.01;
        given[1] -= state.pushes()[0].force.z * 0.01;
        run(&water, &mut state, 1, 0.01);
    }
    let mut momentum = 0.0;
    for [i, j] in cells(&state).filter(|[i, _]| *i > 0) {
        momentum += 0.5 * (depth(&state, i - 1, j) + depth(&state, i, j)) * state.velocities_of([i, j]).unwrap()[0][0] * 10.0;
    }
    // Measured: 193.97 and 193.67 kg m/s.
    assert!((momentum / given[0] - 1.0).abs() < 0.02, "{momentum} {given:?}");
}

#[test]
fn bad_footprints_are_refused() {
    let water = pool([10, 10], 0.1);
    let mut state = water.start([0.0, 0.0], |_, _| 0.0).unwrap();
    let bad = [
        Footprint { center: [f64::NAN, 0.0], ..block() },
        Footprint { half: [-1.0, 0.1], ..block() },
        Footprint { top: 0.0, ..block() },
        Footprint { turning: f64::INFINITY, ..block() },
    ];
    for body in bad {
        assert!(water.couple(&mut state, &[body], Coupling::Displacing, 0.01).is_err(), "{body:?}");
    }
    assert!(water.couple(&mut state, &[block()], Coupling::Displacing, 0.0).is_err());
    // Far away, huge, or of no size at all: no trouble.
    let odd = [
        Footprint { center: [1e8, -1e8], ..block() },
        Footprint { half: [1e6, 1e6], ..block() },
        Footprint { half: [0.0, 0.0], ..block() },
    ];
    water.couple(&mut state, &odd, Coupling::Displacing, 0.01).unwrap();
    run(&water, &mut state, 10, 0.01);
}
