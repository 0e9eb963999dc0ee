//! Muscles bend blocks to the side they shorten.

use holonomy::elastic::chain::{Chain, Damping, Muscles, Surroundings};
use holonomy::lie::Pose;
use holonomy::nalgebra::Vector3;

use super::{STEP, settings};
use crate::meshes::below;

/// Where the head points in the frame of the tail, once the chain has come to rest; and how far it is from it.
fn at_rest(muscles: &Muscles) -> (Vector3<f64>, f64) {
    let chain = Chain::new(settings(2, Damping::RotationFree(50.0))).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    chain.set_muscles(&mut state, 0, muscles).unwrap();
    for _ in 0..4500 {
        chain.step(&mut state, STEP, &Surroundings::VACUUM).unwrap();
    }
    below(chain.kinetic_energy(&state), 1e-9);
    let between = chain.pose(&state, 1).inverse() * chain.pose(&state, 0);
    (between.rotation * Vector3::x(), between.translation.norm())
}

/// ERRATA F7: +z is the animal's right. The end faces of the rest shape lean by half of the difference over the width each.
#[test]
fn shortening_a_side_bends_towards_it() {
    let rest = Muscles::rest(1.0);
    let expected = 2.0 * (0.5 * 0.2_f64).atan();
    let (left, _) = at_rest(&Muscles { left: 0.8, ..rest });
    below((-left.z / expected.sin() - 1.0).abs(), 0.02); // measured 4.2e-3
    let (right, _) = at_rest(&Muscles { right: 0.8, ..rest });
    below((right.z / expected.sin() - 1.0).abs(), 0.02); // measured 4.2e-3
    let (up, _) = at_rest(&Muscles { top: 0.8, ..rest });
    below((up.y / expected.sin() - 1.0).abs(), 0.02); // measured 4.2e-3
    let (down, _) = at_rest(&Muscles { bottom: 0.8, ..rest });
    below((-down.y / expected.sin() - 1.0).abs(), 0.02); // measured 4.2e-3
    for (heading, other) in [(left, left.y), (right, right.y), (up, up.z), (down, down.z)] {
        assert!(heading.x > 0.9);
        below(other.abs(), 0.01); // measured 1.0e-4
    }
}

/// As a worm: all sides alike, it stays straight and is as long as they say.
#[test]
fn a_worm_stays_straight() {
    for length in [0.8, 1.2] {
        let (heading, distance) = at_rest(&Muscles { left: length, right: length, ..Muscles::rest(1.0) });
        below((distance - 0.5 - length).abs(), 1e-4); // measured 3.5e-12
        below((heading - Vector3::x()).norm(), 1e-6); // measured 4.0e-16
    }
}

#[test]
fn muscles_have_lengths() {
    let chain = Chain::new(settings(2, Damping::None)).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(chain.set_muscles(&mut state, 0, &Muscles { top: bad, ..Muscles::rest(1.0) }).is_err());
    }
    assert!(chain.set_muscles(&mut state, 1, &Muscles::rest(1.0)).is_err());
    // A rest shape of no length is too stiff for any step.
    chain.set_muscles(&mut state, 0, &Muscles { left: 1e-9, right: 1e-9, ..Muscles::rest(1.0) }).unwrap();
    assert!(chain.step(&mut state, STEP, &Surroundings::AIR).is_err());
    chain.set_muscles(&mut state, 0, &Muscles::rest(1.0)).unwrap();
    chain.step(&mut state, STEP, &Surroundings::AIR).unwrap();
}
