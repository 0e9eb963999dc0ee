//! One long block between two segments as a bar: against the theory of beams and of waves along a bar.

use std::f64::consts::PI;

use holonomy::elastic::chain::{Chain, ChainSettings, ChainState, Damping, Drive, Segment, Surroundings};
use holonomy::elastic::material::Material;
use holonomy::lie::{Pose, Wrench};
use holonomy::nalgebra::Vector3;

use crate::elastic::Numbers;
use crate::meshes::below;

/// A bar of 1 m by 0.1 m by 0.1 m that hangs on the head, which is held. Its other end is a thin light plate.
fn bar(cells: [usize; 3], poisson: f64) -> (Chain, ChainState) {
    let material = Material { density: 1000.0, young: 1e6, poisson, thickness: 1.0, bending: 1.0 };
    let plate = Segment { size: Vector3::new(1e-4, 0.1, 0.1), mass: 1e-3 };
    let even = ChainSettings::even(2, plate, Vector3::new(1.0, 0.1, 0.1));
    let chain = Chain::new(ChainSettings { material, cells, damping: Damping::None, ..even }).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    chain.set_drive(&mut state, 0, &Drive::Carried { increment: Pose::identity() }).unwrap();
    (chain, state)
}

/// Stops all motion.
fn halt(chain: &Chain, state: &mut ChainState) {
    let places: Vec<_> = chain.positions(state, 0).collect();
    for (n, place) in places.iter().enumerate() {
        chain.set_node(state, 0, n, place, &Vector3::zeros()).unwrap();
    }
    chain.set_twist(state, 1, &holonomy::lie::Twist::default()).unwrap();
}

/// How far the tip goes under a small load across, by beam theory's P L³/(3 E I): motion is stopped where its energy has a peak, until nothing moves.
fn deflection(n: usize) -> f64 {
    let (chain, mut state) = bar([10 * n, n, n], 0.3);
    let load = 1e-3;
    let loads = [Wrench::default(), Wrench::new(Vector3::zeros(), Vector3::y() * load)];
    let around = Surroundings { loads: &loads, ..Surroundings::VACUUM };
    // Well below the limit: to stop the fastest modes there feeds them.
    let time_step = 0.5 * chain.largest_step();
    let (mut before, mut tops, mut first) = (0.0, 0, 0.0);
    for _ in 0..60_000 {
        for _ in 0..20 {
            chain.step(&mut state, time_step, &around).unwrap();
        }
        let energy = chain.kinetic_energy(&state);
        if energy < before {
            first = f64::max(first, before);
            halt(&chain, &mut state);
            tops += 1;
            if before < 1e-4 * first || tops > 30 {
                break;
            }
            before = 0.0;
        } else {
            before = energy;
        }
    }
    chain.pose(&state, 1).translation.y / (load / (3.0 * 1e6 * 0.1_f64.powi(4) / 12.0))
}

/// As bars of tetrahedra do elsewhere in the engine (0.221, 0.508, 0.793 with a free end face): too stiff, less so the more cells there are.
#[test]
fn cantilevers_lock_and_converge() {
    let parts = [1, 2, 4].map(deflection);
    // Measured: 0.221, 0.502, 0.792.
    assert!(parts[0] < parts[1] && parts[1] < parts[2] && parts[2] < 1.02, "{parts:?}");
    assert!(1.0 - parts[2] < 0.5 * (1.0 - parts[1]), "{parts:?}");
    below((parts[1] - 0.508).abs(), 0.03);
}

/// Thousands of free nodes, whose highest modes lie close together: the limit that is found must not be above the true one.
#[test]
fn long_bars_are_stable_at_their_limit() {
    let (chain, mut state) = bar([30, 3, 3], 0.4);
    let mut random = Numbers::new(3);
    let places: Vec<_> = chain.positions(&state, 0).collect();
    for (n, place) in places.iter().enumerate() {
        chain.set_node(&mut state, 0, n, place, &(random.vector() * 1e-6)).unwrap();
    }
    let start = chain.kinetic_energy(&state);
    let mut highest = 0.0_f64;
    for _ in 0..1500 {
        chain.step(&mut state, chain.largest_step(), &Surroundings::VACUUM).unwrap();
        highest = highest.max(chain.kinetic_energy(&state) / start);
    }
    below(highest, 3.0); // measured 1.0
}

/// Held at one end, free at the other: ω = (π/2)√(E/ρ)/L, where nothing contracts across.
#[test]
fn a_bar_swings_along_itself_as_theory_says() {
    let (chain, mut state) = bar([10, 1, 1], 0.0);
    let speed = (1e6_f64 / 1000.0).sqrt();
    let places: Vec<_> = chain.positions(&state, 0).collect();
    let root = chain.pose(&state, 0).translation.x - 0.5e-4;
    for (n, place) in places.iter().enumerate() {
        let moved = place - Vector3::x() * (1e-3 * ((root - place.x) * PI / 2.0).sin());
        chain.set_node(&mut state, 0, n, &moved, &Vector3::zeros()).unwrap();
    }
    let rest = chain.pose(&state, 1);
    let moved = Pose::from_rotation_translation(rest.rotation, rest.translation - Vector3::x() * 1e-3);
    chain.set_pose(&mut state, 1, &moved).unwrap();
    let time_step = 0.02 * chain.largest_step();
    // A quarter of the period: until the end passes its place at rest.
    let mut steps = 0;
    while chain.pose(&state, 1).translation.x < rest.translation.x && steps < 100_000 {
        chain.step(&mut state, time_step, &Surroundings::VACUUM).unwrap();
        steps += 1;
    }
    let omega = PI / 2.0 / (steps as f64 * time_step);
    below((omega / (PI / 2.0 * speed) - 1.0).abs(), 0.01); // measured 1.9e-3
}
