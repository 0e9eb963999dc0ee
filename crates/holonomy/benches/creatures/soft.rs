//! Chains of rigid segments and soft blocks: steps a second by processor time.
//!
//! The first case is `fem` of the peers' `myriapod.py`: 17 unit cubes whose end faces are prescribed, plain damping. There x points back and z up, so their (X, Y, Z) is (−x, z, y) here.

use std::f64::consts::TAU;

use holonomy::elastic::chain::{
    CarriedWater, Chain, ChainSettings, ChainState, Damping, Drive, Hydrodynamics, Muscles, Segment, Surroundings, Water, WaterForce,
};
use holonomy::elastic::material::Material;
use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::{UnitQuaternion, Vector3};

use crate::timing::Rate;

const STEP: f64 = 1.0 / 3000.0;

/// Of the peer's numba_simd_polar, on one thread of an idle machine.
const PEER: f64 = 52_740.6;

/// Where its node 13 of cube 8 is after 300 steps.
const CHECK: [f64; 3] = [12.5021, 0.341619, 0.49951];

pub fn run() {
    println!("\nChains of rigid segments and soft blocks, steps of 1/3000 s, one thread, processor time");
    println!("{:<44}{:>12}{:>12}{:>10}", "case", "steps/s", "µs a step", "of peer");
    peer_case();
    for count in [18, 58] {
        free_case(count);
        swimming_case(count, "water", Hydrodynamics::default());
        let more = Hydrodynamics { force: WaterForce::LiftAndDrag, added_mass: CarriedWater::Local };
        swimming_case(count, "water, lift and drag, added mass", more);
    }
}

fn line(name: &str, rate: &Rate, peer: Option<f64>) {
    let of_peer = peer.map_or(String::new(), |peer| format!("{:.2}", rate.cpu / peer));
    println!("{name:<44}{:>12.0}{:>12.2}{of_peer:>10}", rate.cpu, 1e6 / rate.cpu);
}

fn settings(count: usize, damping: Damping) -> ChainSettings {
    let material = Material { density: 1.0, young: 4000.0, poisson: 0.4, thickness: 1.0, bending: 1.0 };
    let segment = Segment { size: Vector3::new(0.5, 1.0, 1.0), mass: 0.5 };
    ChainSettings { material, damping, ..ChainSettings::even(count, segment, Vector3::repeat(1.0)) }
}

/// Pose of the peer's segment s.
fn driven(s: usize, time: f64) -> Pose {
    let phase = TAU * (2.0 * time - s as f64 / 6.0);
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.3 * phase.sin());
    Pose::from_rotation_translation(rotation, Vector3::new(0.25 - 1.5 * s as f64, 0.5, 0.5 + 0.2 * phase.sin()))
}

fn peer_start(chain: &Chain) -> ChainState {
    let mut state = chain.state(&driven(0, 0.0)).expect("a finite pose");
    // Free nodes start at the initial shape, as there.
    for b in 0..17 {
        for n in 9..18 {
            let (j, k) = (n / 3 % 3, n % 3);
            let place = Vector3::new(-1.5 * b as f64 - 0.5, 0.5 * j as f64, 0.5 * k as f64);
            chain.set_node(&mut state, b, n, &place, &Vector3::zeros()).expect("a node");
        }
    }
    for s in 0..18 {
        chain.set_pose(&mut state, s, &driven(s, 0.0)).expect("a segment");
    }
    state
}

fn peer_steps(chain: &Chain, state: &mut ChainState, steps: usize) {
    let mut before: [Pose; 18] = std::array::from_fn(|s| driven(s, 0.0));
    for n in 1..=steps {
        for (s, before) in before.iter_mut().enumerate() {
            let next = driven(s, n as f64 * STEP);
            chain.set_drive(state, s, &Drive::Carried { increment: before.inverse() * next }).expect("a segment");
            *before = next;
        }
        chain.step(state, STEP, &Surroundings::AIR).expect("a stable step");
    }
}

fn peer_case() {
    let chain = Chain::new(settings(18, Damping::Plain(50.0))).expect("a chain");
    let start = peer_start(&chain);
    let mut state = start.clone();
    peer_steps(&chain, &mut state, 300);
    let found = chain.positions(&state, 8).nth(13).expect("a node");
    let rate = Rate::of(3000, || peer_steps(&chain, &mut start.clone(), 3000));
    line("17 cubes, faces prescribed, plain damping", &rate, Some(PEER));
    println!("  node 13 of cube 8 after 300 steps: ({:.6}, {:.6}, {:.6}), peer {CHECK:?}", -found.x, found.z, found.y);
}

fn free_case(count: usize) {
    for (name, damping) in [("rotation-free damping", Damping::RotationFree(50.0)), ("undamped", Damping::None)] {
        let chain = Chain::new(settings(count, damping)).expect("a chain");
        let mut start = chain.state(&Pose::identity()).expect("a finite pose");
        chain.throw(&mut start, &Twist::new(Vector3::new(1.0, 0.2, 0.1), Vector3::zeros())).expect("a finite velocity");
        let rate = Rate::of(2000, || {
            let mut state = start.clone();
            (0..2000).for_each(|_| chain.step(&mut state, STEP, &Surroundings::AIR).expect("a stable step"));
        });
        line(&format!("{count} segments free, gravity, {name}"), &rate, None);
    }
}

/// Muscles that change in every step, and water.
fn swimming_case(count: usize, name: &str, dynamics: Hydrodynamics) {
    let chain = Chain::new(settings(count, Damping::RotationFree(50.0))).expect("a chain");
    let start = chain.state(&Pose::identity()).expect("a finite pose");
    let levels = vec![10.0; count];
    let around = Surroundings { water: Some(Water { density: 1.0, levels: &levels, dynamics, ..Water::default() }), ..Surroundings::AIR };
    let rate = Rate::of(2000, || {
        let mut state = start.clone();
        for n in 0..2000 {
            for b in 0..count - 1 {
                // 0.7 Hz, 0.18π between neighbours.
                let phase = TAU * 0.5 * (0.7 * n as f64 * STEP - 0.09 * b as f64);
                let (sin, cos) = phase.sin_cos();
                let muscles = Muscles { left: 1.0 - 0.3 * sin.abs(), right: 1.0 - 0.3 * cos.abs(), ..Muscles::rest(1.0) };
                chain.set_muscles(&mut state, b, &muscles).expect("a block");
            }
            chain.step(&mut state, STEP, &around).expect("a stable step");
        }
    });
    line(&format!("{count} segments free, muscles and {name}"), &rate, None);
}
