//! Legs: forwards and backwards.

use std::f64::consts::FRAC_PI_2;

use holonomy::Error;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::leg::{Leg, LegAngles, Side};

use crate::meshes::below;
use crate::random::Random;

#[test]
fn angles_lead_to_the_tip_and_back() {
    let mut random = Random(1);
    let (mut place, mut angle, mut count) = (0.0_f64, 0.0_f64, 0);
    while count < 5000 {
        let leg = Leg::new([0.0; 3].map(|_| 0.3 + 1.2 * random.unit()), 1.2 * random.unit()).unwrap();
        let angles = LegAngles::new(random.signed(), -0.3 + 1.5 * random.unit(), 0.05 + 1.45 * random.unit());
        let tip = leg.tip(&angles);
        // A tip behind the body is that of another sweep.
        if tip.z <= 0.01 {
            continue;
        }
        let back = leg.angles(&tip).unwrap();
        place = place.max((leg.tip(&back) - tip).norm());
        angle = angle.max(back.apart(&angles));
        count += 1;
    }
    below(place, 1e-12); // measured 1.5e-14
    below(angle, 1e-12); // measured 1.3e-14
}

#[test]
fn joints_are_as_far_apart_as_links_are_long() {
    let mut random = Random(2);
    let (mut lengths, mut tips) = (0.0_f64, 0.0_f64);
    for _ in 0..500 {
        let leg = Leg::new([0.4, 0.7, 0.5], 0.4).unwrap();
        let angles = LegAngles::new(2.0 * random.signed(), random.signed(), random.signed());
        let joints = leg.joints(&angles);
        for k in 0..3 {
            lengths = lengths.max(((joints[k + 1] - joints[k]).norm() - leg.lengths()[k]).abs());
        }
        tips = tips.max((joints[3] - leg.tip(&angles)).norm());
        // All in the plane that the sweep turns.
        let across = Vector3::new(angles.sweep.cos(), 0.0, -angles.sweep.sin());
        tips = tips.max(joints.iter().map(|joint| joint.dot(&across).abs()).fold(0.0, f64::max));
    }
    below(lengths, 1e-14); // measured 2.2e-16
    below(tips, 1e-14); // measured 4.6e-16
}

/// Too far, too near, only with a knee bent upward, and no place at all.
#[test]
fn out_of_reach_is_told() {
    let leg = Leg::new([0.5, 0.6, 0.5], 0.3).unwrap();
    let [nearest, farthest] = leg.range();
    let at = |x: f64, y: f64, z: f64| leg.angles(&Vector3::new(x, y, z));
    assert!(at(0.0, 0.0, farthest * 1.0001).is_none());
    assert!(at(0.0, 0.0, nearest * 0.99).is_none());
    assert!(at(0.0, 0.0, 0.0).is_none());
    assert!(at(f64::NAN, 0.0, 0.5).is_none());
    // Stretched out it can only be with the knee bent up against the ankle.
    assert!(at(0.0, 0.0, farthest * 0.999_99).is_none());
    assert!(at(0.2, -0.3, 0.9).is_some_and(|angles| angles.knee > 0.0 && angles.sweep > 0.0));
}

#[test]
fn the_left_is_the_rights_mirror_image() {
    let leg = Leg::new([0.5, 0.6, 0.5], 0.3).unwrap();
    let tip = leg.tip(&LegAngles::new(0.3, 0.4, 1.0));
    let (left, right) = (Side::Left.mirrored(&tip), Side::Right.mirrored(&tip));
    assert_eq!((left.x, left.y, left.z), (right.x, right.y, -right.z));
    assert!(right.z > 0.0 && left.x > 0.0);
}

#[test]
fn legs_that_cannot_be_are_refused() {
    assert!(matches!(Leg::new([0.1, 0.0, 0.1], 0.1), Err(Error::Parameter { name: "length of a leg's link", .. })));
    assert!(matches!(Leg::new([0.1, f64::NAN, 0.1], 0.1), Err(Error::Parameter { .. })));
    assert!(matches!(Leg::new([0.1; 3], FRAC_PI_2 + 0.1), Err(Error::Parameter { name: "bend of a leg's ankle", .. })));
}
