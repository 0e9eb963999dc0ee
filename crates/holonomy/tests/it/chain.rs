//! Chains of rigid segments and soft blocks (Fang 2015): forces, momenta, muscles, water, ground.

mod beams;
mod carried_water;
mod floating;
mod forces;
mod ground;
mod impulses;
mod motion;
mod muscles;
mod water;

use holonomy::elastic::chain::{Chain, ChainSettings, ChainState, Damping, Segment};
use holonomy::elastic::material::Material;
use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::Vector3;

use crate::elastic::Numbers;

/// The thesis's material: ρ = 1, E = 4000, ν = 0.4.
pub const THESIS: Material = Material { density: 1.0, young: 4000.0, poisson: 0.4, thickness: 1.0, bending: 1.0 };

pub const STEP: f64 = 1.0 / 3000.0;

/// Boxes of half the length and the mass of water of density 1, and unit cubes between them.
pub fn settings(count: usize, damping: Damping) -> ChainSettings {
    let segment = Segment { size: Vector3::new(0.5, 1.0, 1.0), mass: 0.5 };
    ChainSettings { material: THESIS, damping, ..ChainSettings::even(count, segment, Vector3::repeat(1.0)) }
}

/// The same with blocks and boxes of all sizes.
pub fn uneven(count: usize, damping: Damping) -> ChainSettings {
    let mut settings = settings(count, damping);
    for (b, size) in settings.blocks.iter_mut().enumerate() {
        *size = Vector3::new(0.9 + 0.03 * (b % 5) as f64, 0.8 + 0.05 * (b % 3) as f64, 1.1 - 0.04 * (b % 4) as f64);
    }
    for (s, segment) in settings.segments.iter_mut().enumerate() {
        segment.mass = 0.4 + 0.02 * (s % 7) as f64;
        segment.size.y = 0.9 + 0.03 * (s % 4) as f64;
    }
    settings
}

/// Shaken: all segments and free nodes moved and thrown by random amounts.
pub fn shaken(chain: &Chain, amount: f64, seed: u64) -> ChainState {
    let mut random = Numbers::new(seed);
    let mut state = chain.state(&Pose::identity()).unwrap();
    for s in 0..chain.segments() {
        let pose = chain.pose(&state, s) * Pose::exp(&Twist::new(random.vector() * amount, random.vector() * amount));
        chain.set_pose(&mut state, s, &pose).unwrap();
        chain.set_twist(&mut state, s, &Twist::new(random.vector(), random.vector())).unwrap();
    }
    for b in 0..chain.segments() - 1 {
        let places: Vec<_> = chain.positions(&state, b).collect();
        for (n, place) in places.iter().enumerate() {
            chain.set_node(&mut state, b, n, &(place + random.vector() * amount), &random.vector()).unwrap();
        }
    }
    state
}
