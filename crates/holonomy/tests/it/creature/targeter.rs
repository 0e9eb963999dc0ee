//! The Follower and the Balancer.

use holonomy::lie::Pose;
use holonomy::medium::terrain::Nearest;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::systems::creature::targeter::Targeter;

use crate::meshes::below;
use crate::random::Random;

const TARGETER: Targeter = Targeter { follow_rate: 5.0, balance_rate: 5.0, turn_rate: 1.0 };

fn vector(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.signed())
}

/// Distance to the leader, height, and both axes come right from any pose, to round-off and without chatter.
#[test]
fn it_converges() {
    let mut random = Random(7);
    let mut worst = [0.0_f64; 4];
    for _ in 0..20 {
        let n = Vector3::new(0.2, 1.0, -0.1).normalize();
        let mut pose = Pose {
            rotation: UnitQuaternion::from_scaled_axis(vector(&mut random)),
            translation: Vector3::new(random.signed(), 1.5 + random.unit(), random.signed()),
        };
        let leader = pose.translation + Vector3::new(1.5 + random.unit(), 0.2 * random.signed(), random.signed());
        let height = n.dot(&leader);
        for _ in 0..4000 {
            pose = TARGETER.follow(&pose, &leader, 1.2, 0.005);
            let surface = Nearest { distance: n.dot(&pose.translation), normal: n };
            pose = TARGETER.balance(&pose, &surface, height, 0.005);
        }
        let link = leader - pose.translation;
        let axis = |v: Vector3<f64>| pose.rotation * v;
        let found = [
            link.norm() - 1.2,
            n.dot(&pose.translation) - height,
            1.0 - axis(Vector3::y()).dot(&n),
            1.0 - axis(Vector3::x()).dot(&link.normalize()),
        ];
        (0..4).for_each(|k| worst[k] = worst[k].max(found[k].abs()));
    }
    below(worst[0], 1e-13); // measured 4.9e-15
    below(worst[1], 1e-13); // measured 6.2e-15
    below(worst[2], 1e-13); // measured 1.1e-16
    below(worst[3], 1e-13); // measured 2.2e-16
}

/// The step towards the leader is the exact solution of its rate: two halves are one whole, and it does not depend on the unit of length.
#[test]
fn steps_are_exponential_and_towards_the_leader() {
    let start = Pose::identity();
    let leader = Vector3::new(2.0, 0.0, 0.0);
    let once = TARGETER.follow(&start, &leader, 0.5, 0.2);
    let twice = TARGETER.follow(&TARGETER.follow(&start, &leader, 0.5, 0.1), &leader, 0.5, 0.1);
    below((once.translation - twice.translation).norm(), 1e-14); // measured 1.1e-16
    below((once.translation.x - 1.5 * (1.0 - (-1.0_f64).exp())).abs(), 1e-14); // measured 0
    // Too near: away from it.
    assert!(TARGETER.follow(&start, &(leader * 0.1), 0.5, 0.2).translation.x < 0.0);
    let far = TARGETER.follow(&start, &(leader * 1000.0), 500.0, 0.2);
    below((far.translation.x / 1000.0 - once.translation.x).abs(), 1e-13); // measured 0
}

/// What is left of an angle is turned, not more.
#[test]
fn turns_end_at_their_goal() {
    let leader = Vector3::new(1.0, 0.0, -0.001);
    let turned = TARGETER.follow(&Pose::identity(), &leader, leader.norm(), 0.01);
    below((turned.rotation * Vector3::x() - leader.normalize()).norm(), 1e-15); // measured 0
    // To the left is about +y.
    assert!(turned.rotation.scaled_axis().y > 0.0);
    // Upside down it turns over at its rate.
    let down = Nearest { distance: 1.0, normal: -Vector3::y() };
    let over = TARGETER.balance(&Pose::identity(), &down, 1.0, 0.1);
    assert!(over.is_finite() && over.rotation.angle() > 0.09 && over.rotation.angle() < 0.15);
}

#[test]
fn nothing_makes_it_panic() {
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let _ = TARGETER.follow(&Pose::identity(), &Vector3::zeros(), 1.0, step);
        let _ = TARGETER.follow(&Pose::identity(), &Vector3::x(), 1.0, step);
        let _ = TARGETER.balance(&Pose::identity(), &Nearest { distance: f64::NAN, normal: Vector3::zeros() }, 1.0, step);
    }
    assert!(Targeter { turn_rate: 0.0, ..TARGETER }.validate().is_err());
    assert!(Targeter { follow_rate: f64::NAN, ..TARGETER }.validate().is_err());
}
