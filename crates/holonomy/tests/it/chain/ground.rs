//! Boxes and chains that fall on the ground.

use std::f64::consts::TAU;

use holonomy::elastic::chain::ground::{GroundBody, GroundContact, ground_load};
use holonomy::elastic::chain::{Chain, ChainState, Damping, Surroundings};
use holonomy::lie::{Pose, Twist, Wrench};
use holonomy::nalgebra::{UnitQuaternion, Vector3};

use super::{STEP, settings};
use crate::meshes::below;

fn body(chain: &Chain, state: &ChainState, s: usize) -> GroundBody {
    let mass = chain.mass() / chain.segments() as f64;
    GroundBody { pose: chain.pose(state, s), twist: chain.twist(state, s), half_size: chain.settings().segments[s].size * 0.5, mass }
}

/// Over a plane through the origin.
fn run(chain: &Chain, state: &mut ChainState, count: usize, normal: Vector3<f64>, contact: &GroundContact) {
    let mut loads = vec![Wrench::default(); chain.segments()];
    for _ in 0..count {
        for (s, load) in loads.iter_mut().enumerate() {
            *load = ground_load(&body(chain, state, s), contact, |x| (x.dot(&normal), normal));
        }
        chain.step(state, STEP, &Surroundings { loads: &loads, ..Surroundings::AIR }).unwrap();
    }
}

/// On a plane that falls by an angle along z.
fn slope(angle: f64) -> (Vector3<f64>, Pose) {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle);
    let normal = turn * Vector3::y();
    (normal, Pose::from_rotation_translation(turn, normal * 0.5))
}

/// It lies g/ω² deep, whatever its mass.
#[test]
fn a_box_comes_to_lie() {
    let chain = Chain::new(settings(1, Damping::None)).unwrap();
    let mut state = chain
        .state(&Pose::from_rotation_translation(UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.2, 0.4)), Vector3::y() * 2.0))
        .unwrap();
    run(&chain, &mut state, 12_000, Vector3::y(), &GroundContact::default());
    let deep = 9.81 / (TAU * 60.0_f64).powi(2);
    let up = chain.pose(&state, 0).rotation.inverse() * Vector3::y();
    let half = chain.settings().segments[0].size.dot(&up.abs()) * 0.5;
    below((chain.pose(&state, 0).translation.y - half + deep).abs(), 1e-6); // measured 8.9e-17
    below(up.amax() - 1.0, 1e-9);
    below(1.0 - up.amax(), 1e-6); // measured 0
    below(chain.kinetic_energy(&state), 1e-8); // measured 1.9e-28
}

/// Coulomb: it holds below the angle of friction, but for a creep of g sin/(2ω), and slides above it with g (sin − μ cos).
#[test]
fn friction_holds_and_slides() {
    let chain = Chain::new(settings(1, Damping::None)).unwrap();
    let (angle, omega) = (0.3_f64, TAU * 60.0);
    let (normal, start) = slope(angle);
    let mut state = chain.state(&start).unwrap();
    run(&chain, &mut state, 3000, normal, &GroundContact::default());
    let speed = chain.twist(&state, 0).linear.norm();
    below((speed / (9.81 * angle.sin() / (2.0 * omega)) - 1.0).abs(), 1e-3); // measured 9.1e-12
    let mut state = chain.state(&start).unwrap();
    run(&chain, &mut state, 3000, normal, &GroundContact { friction: 0.1, ..GroundContact::default() });
    let expected = 9.81 * (angle.sin() - 0.1 * angle.cos());
    below((chain.twist(&state, 0).linear.norm() / expected - 1.0).abs(), 0.01); // measured 2.7e-15
}

/// The ground never pulls, and a box that is clear of it feels nothing.
#[test]
fn the_ground_never_pulls() {
    let chain = Chain::new(settings(1, Damping::None)).unwrap();
    let state = chain.state(&Pose::from_rotation_translation(UnitQuaternion::identity(), Vector3::y() * 0.499)).unwrap();
    let mut of = body(&chain, &state, 0);
    let above = |x: &Vector3<f64>| (x.y, Vector3::y());
    assert!(ground_load(&of, &GroundContact::default(), above).linear.y > 0.0);
    of.twist = Twist::new(Vector3::zeros(), Vector3::y() * 10.0);
    assert_eq!(ground_load(&of, &GroundContact::default(), above), Wrench::default());
    of.pose.translation.y = 0.6;
    of.twist = Twist::default();
    assert_eq!(ground_load(&of, &GroundContact::default(), above), Wrench::default());
    assert_eq!(ground_load(&of, &GroundContact::default(), |_| (f64::NAN, Vector3::y())), Wrench::default());
}

/// A whole chain that falls askew comes to lie, its blocks between its segments.
#[test]
fn a_chain_comes_to_lie() {
    let chain = Chain::new(settings(5, Damping::RotationFree(50.0))).unwrap();
    let start = Pose::from_rotation_translation(UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.0, 0.2)), Vector3::y() * 3.0);
    let mut state = chain.state(&start).unwrap();
    run(&chain, &mut state, 15_000, Vector3::y(), &GroundContact::default());
    below(chain.kinetic_energy(&state), 1e-3); // measured 1.9e-7
    for s in 0..5 {
        let pose = chain.pose(&state, s);
        let up = pose.rotation.inverse() * Vector3::y();
        below((pose.translation.y - chain.settings().segments[s].size.dot(&up.abs()) * 0.5).abs(), 0.02); // measured 9.1e-5
    }
}
