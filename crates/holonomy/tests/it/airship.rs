//! The airship: a vehicle of the same surfaces and air as the zeppelin of flow.

use std::ops::ControlFlow;

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::craft::{Bend, Craft, Push};
use holonomy::integrate::piloted::Piloted;
use holonomy::lie::{Pose, Twist, Wrench};
use holonomy::medium::{AddedMass, FlowField, Fluid, FluidDensity, Fluids, SurfaceForce};
use holonomy::models::Zeppelin;
use holonomy::nalgebra::{Matrix6, SVector, Vector3, Vector6};
use holonomy::shape::{Between, Channel, Clip, Pieces, Playback, Topology};
use holonomy::systems::Flow;
use holonomy::systems::flow::Substance;
use holonomy::systems::vehicle::Airship;

use crate::meshes::below;
use crate::random::Random;

const AIR: Fluid = Fluid { density: 1.225, viscosity: 0.0 };

fn ship() -> Airship {
    Airship::of(&Zeppelin::default()).unwrap()
}

fn some_twist(random: &mut Random) -> Twist {
    Twist::new(random.vector() * 0.5, random.vector() * 4.0)
}

fn some_controls(ship: &Airship, random: &mut Random) -> SVector<f64, 4> {
    SVector::from_fn(|i, _| {
        let [low, high] = ship.controls()[i].range;
        low + (high - low) * random.unit()
    })
}

#[test]
fn it_floats_at_rest_and_rights_itself() {
    let ship = ship();
    assert_eq!(ship.validate(), Ok(()));
    let rest = |pose: &Pose| ship.push(pose, &Twist::zero(), &SVector::zeros(), 0.0).wrench;
    let weight = ship.mass * ship.gravity;
    // It floats in trim, the gondola below: its centre of buoyancy is straight above its centre of mass.
    below(Vector6::from(rest(&Pose::identity())).amax() / weight, 1e-9); // measured 4.8e-15
    let up = ship.center_of_buoyancy.y;
    assert!(up > 0.05, "{up}");
    for axis in [Vector3::z(), Vector3::x()] {
        let heeled = rest(&Pose::exp(&Twist::new(axis * 0.3, Vector3::zeros())));
        let righting = -weight * up * 0.3_f64.sin();
        below((heeled.angular - axis * righting).amax() / righting.abs(), 1e-9); // measured 5.0e-14
    }
}

/// Thrust drives it ahead, tilted engines lift it, the rudder turns it to its side while it flies, and so does the other propeller.
#[test]
fn it_obeys_its_pilot() {
    let ship = ship();
    let push = |controls: [f64; 4], speed: f64| {
        ship.push(&Pose::identity(), &Twist::new(Vector3::zeros(), Vector3::z() * speed), &SVector::from(controls), 0.0).wrench
    };
    assert!(push([10.0, 10.0, 0.0, 0.0], 0.0).linear.z > 19.9);
    assert!(push([10.0, 10.0, 0.5, 0.0], 0.0).linear.y > 9.0);
    assert!(push([10.0, 0.0, 0.0, 0.0], 0.0).angular.y > 1.0, "about +Y it turns left");
    assert!(push([0.0, 0.0, 0.0, 0.3], 4.0).angular.y > 1.0, "about +Y it turns left");
    below(push([0.0, 0.0, 0.0, 0.0], 4.0).angular.y.abs(), 1e-9); // measured 2.2e-14
    below(push([0.0, 0.0, 0.0, 0.3], 0.0).angular.y.abs(), 1e-12); // measured 0
}

#[test]
fn first_and_second_derivatives_are_exact() {
    let ship = Airship { wind: Vector3::new(3.0, -1.0, 2.0), ..ship() };
    let mut random = Random(21);
    let (mut first, mut second): (f64, f64) = (0.0, 0.0);
    for _ in 0..12 {
        let (pose, twist, controls) = (random.pose(), some_twist(&mut random), some_controls(&ship, &mut random));
        let wrench = |pose: &Pose, twist: &Twist, controls: &SVector<f64, 4>| ship.push(pose, twist, controls, 0.0).wrench;
        let (push, near) = (ship.push(&pose, &twist, &controls, 0.0), Push::by_differences(&pose, &twist, &controls, wrench));
        let scale = near.by_pose.amax().max(near.by_twist.amax()).max(near.by_controls.amax());
        let apart = |a: Matrix6<f64>, b: Matrix6<f64>| (a - b).amax() / scale;
        first = first.max(apart(push.by_pose, near.by_pose)).max(apart(push.by_twist, near.by_twist));
        first = first.max((push.by_controls - near.by_controls).amax() / scale);
        // Along any line, what the second derivatives say is what the wrench does.
        let weights = some_twist(&mut random);
        let Bend { pose_pose, twist_pose, twist_twist, controls_pose, controls_twist, controls_controls } =
            ship.bend(&pose, &twist, &controls, 0.0, &weights);
        let (a, b) = (Vector6::from(some_twist(&mut random)) * 0.2, Vector6::from(some_twist(&mut random)) * 0.2);
        let c = SVector::<f64, 4>::from_fn(|_, _| random.unit() - 0.5);
        let said = a.dot(&(pose_pose * a))
            + b.dot(&(twist_twist * b))
            + c.dot(&(controls_controls * c))
            + 2.0 * (b.dot(&(twist_pose * a)) + c.dot(&(controls_pose * a)) + c.dot(&(controls_twist * b)));
        let along =
            |s: f64| weights.pair(&wrench(&(pose * Pose::exp(&Twist::from(a * s))), &(twist + Twist::from(b * s)), &(controls + c * s)));
        let h = 1e-3;
        let done = (along(h) - 2.0 * along(0.0) + along(-h)) / (h * h);
        let size =
            twist_twist.amax() * b.norm_squared() + pose_pose.amax() * a.norm_squared() + controls_controls.amax() * c.norm_squared();
        second = second.max((said - done).abs() / size);
    }
    below(first, 1e-9); // measured 2.0e-10
    below(second, 1e-8); // measured 2.6e-9
}

/// Who drifts with a steady wind notices nothing of it.
#[test]
fn a_steady_wind_only_carries_it() {
    let wind = Vector3::new(2.0, -0.5, 3.0);
    let (still, carried) = (ship(), Airship { wind, ..ship() });
    let inverse = Craft::inertia(&still).try_inverse().unwrap();
    let mut random = Random(22);
    for _ in 0..10 {
        let (pose, seen, controls) = (random.pose(), some_twist(&mut random), some_controls(&still, &mut random));
        let stream = pose.rotation.inverse() * wind;
        let twist = Twist::new(seen.angular, seen.linear + stream);
        let acceleration = |craft: &Airship, twist: &Twist| {
            let momentum = Wrench::from(Craft::inertia(craft) * Vector6::from(*twist));
            inverse * Vector6::from(twist.ad_dual(&momentum) + craft.push(&pose, twist, &controls, 0.0).wrench)
        };
        let turning = Vector6::from(Twist::new(Vector3::zeros(), -seen.angular.cross(&stream)));
        let (alone, drifting) = (acceleration(&still, &seen), acceleration(&carried, &twist));
        below((drifting - turning - alone).amax() / alone.amax(), 1e-12); // measured at most 5.3e-16
    }
}

/// Air takes energy, however it moves and wherever the rudder is.
#[test]
fn air_takes_energy() {
    let (ship, mut random) = (ship(), Random(23));
    for _ in 0..100 {
        let (twist, angle) = (some_twist(&mut random), random.unit() - 0.5);
        assert!(ship.air_load(&twist, angle).0.wrench.pair(&twist) < 0.0);
    }
}

/// The faces of flow's body without its propellers, and the labels of its parts.
fn without_propellers(zeppelin: &Zeppelin) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>, Vec<u32>) {
    let body = zeppelin.body().unwrap();
    let kept: Vec<usize> = (0..body.faces().len()).filter(|&face| body.labels()[face] < 5).collect();
    // Propellers come last, so that vertices keep their numbers.
    let faces: Vec<[u32; 3]> = kept.iter().map(|&face| body.faces()[face]).collect();
    let used = faces.iter().flatten().max().unwrap() + 1;
    (body.points()[..used as usize].to_vec(), faces, kept.iter().map(|&face| body.labels()[face]).collect())
}

/// Lift and drag of the vehicle's few faces, beside that of flow's many.
#[test]
fn it_has_the_lift_and_drag_of_flows_zeppelin() {
    let (ship, (points, faces, _)) = (ship(), without_propellers(&Zeppelin::default()));
    let mut fine = SurfaceForce::of_pieces(&Pieces::of(&points, &faces).unwrap().0);
    fine.set_shape(&points).unwrap();
    fine.immerse(&Fluids::One(AIR), &FlowField::Still, &Pose::identity(), 0.0);
    let (mut random, mut worst): (_, f64) = (Random(24), 0.0);
    for _ in 0..40 {
        // As it flies: ahead, with some slip and turning.
        let twist = Twist::new(random.vector() * 0.1, Vector3::z() * 5.0 + random.vector());
        let (few, many) = (ship.air_load(&twist, 0.0).0.wrench, fine.wrench(&twist));
        // Torques by the half length of the hull.
        let size = |w: &Wrench| w.linear.norm() + w.angular.norm() / 6.0;
        worst = worst.max(size(&(few - many)) / size(&many));
    }
    below(worst, 0.03); // measured 1.6e-2
    let ahead = Twist::new(Vector3::zeros(), Vector3::z() * 5.0);
    let (few, many) = (ship.air_load(&ahead, 0.0).0.wrench.linear.z, fine.wrench(&ahead).linear.z);
    below((few / many - 1.0).abs(), 0.03); // measured 1.8e-2: 38.1 N for 38.8 N
}

/// Added mass of the vehicle's hull, beside that of flow's finer hull by the same method.
#[test]
fn it_carries_the_air_that_its_hull_moves() {
    let ship = ship();
    let body = Zeppelin::default().body().unwrap();
    let hull = body.part(0);
    let used = *hull.iter().flatten().max().unwrap() as usize + 1;
    let points = &body.points()[..used];
    let air = FluidDensity::Uniform(AIR.density);
    let fine = AddedMass::BoundaryElement.prepare(points, &hull).unwrap().evaluate(points, None, air).unwrap().tensor;
    below((ship.added_mass - fine).amax() / fine.amax(), 0.04); // measured 2.5e-2
    for axis in 3..6 {
        below((ship.added_mass[(axis, axis)] / fine[(axis, axis)] - 1.0).abs(), 0.05); // measured 2.2e-2, 2.2e-2, 3.3e-2: 34.5 kg across, 2.5 kg along
    }
}

/// The twin: pushed alike, with the rudder laid alike, the vehicle and flow's body fly the same way.
#[test]
fn it_flies_as_flows_zeppelin_does() {
    let zeppelin = Zeppelin::default();
    let (ship, (points, faces, labels)) = (ship(), without_propellers(&zeppelin));
    let (seconds, fps, thrust, rudder) = (12, 15, 9.0, 0.35);
    // Flow.
    let body = zeppelin.body().unwrap();
    let mut parts = zeppelin.turning_parts().unwrap();
    parts.truncate(1);
    parts[0].angle = Channel::keys(vec![(0.0, rudder)], Between::Smooth).unwrap();
    let push = ship.propellers.iter().fold(Wrench::zero(), |sum, place| sum + Wrench::of_force_at(Vector3::z() * thrust, place));
    let clip = Clip::new(Topology::Surface { faces }, Playback::Loop, 1.0 / fps as f64, points.len(), points).unwrap();
    let substance = Substance::Parts { labels, materials: body.materials()[..5].to_vec() };
    let flow = Flow { steps: Some(seconds * fps), parts, thrust: push, ..Flow::new(substance, AIR) };
    let motion = flow.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    // The vehicle.
    let craft = Piloted::new(ship).unwrap();
    let mut state = craft.at(&Pose::identity(), &Twist::zero());
    let (h, controls) = (0.5 / fps as f64, SVector::from([thrust, thrust, 0.0, rudder]));
    let mut worst: f64 = 0.0;
    for k in 0..2 * seconds * fps {
        state = craft.step(&state, &controls, h * k as f64, h).unwrap();
        if k % 2 == 1 {
            worst = worst.max((craft.pose(&state).translation - motion.tracks[0].poses[k.div_ceil(2)].translation).norm());
        }
    }
    let (one, other) = (craft.pose(&state), motion.tracks[0].poses[seconds * fps]);
    let way = other.translation.norm();
    assert!(way > 15.0 && other.rotation.angle() > 0.2); // measured 22.8 m, 0.25 rad
    below(worst / way, 0.03); // measured 1.4e-2, 0.31 m
    below(one.rotation.angle_to(&other.rotation), 0.05); // measured 2.0e-2
}
