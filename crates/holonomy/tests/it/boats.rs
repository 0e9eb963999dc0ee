//! A boat on water (Kobilarov 2009, Sec. 4.3.2): it floats at its line, rights itself, is braked and carried, and all derivatives are those of what pushes it.

use holonomy::Error;
use holonomy::integrate::craft::{Craft, Push};
use holonomy::lie::{Momentum, Pose, Twist, Wrench};
use holonomy::medium::buoyancy::Displaced;
use holonomy::models::vehicles::MotorBoat;
use holonomy::nalgebra::{Matrix6, SVector, Vector3, Vector6};
use holonomy::systems::vehicle::waves::Surface;
use holonomy::systems::vehicle::{Boat, Wave};

use crate::meshes::{below, cuboid};
use crate::random::Random;

const REST: SVector<f64, 2> = SVector::<f64, 2>::new(0.0, 0.0);

/// A box 4 m long and 1 m wide, 0.3 m of it under water and 0.5 m above.
fn barge() -> Boat {
    let (points, faces) = cuboid([1.0, 0.8, 4.0], [1, 1, 1]);
    Boat::floating(points.iter().map(|p| p + Vector3::y() * 0.1).collect(), faces)
}

fn at_sea() -> Boat {
    let waves = vec![
        Wave { amplitude: 0.1, length: 9.0, heading: 0.4, phase: 0.3 },
        Wave { amplitude: 0.06, length: 6.0, heading: -1.1, phase: 2.0 },
    ];
    let mut added = Random(7);
    let root = Matrix6::from_fn(|_, _| 4.0 * added.signed());
    Boat {
        waves,
        wind: Vector3::new(4.0, 0.5, -3.0),
        current: Vector3::new(0.4, 0.0, 0.7),
        added_mass: root * root.transpose(),
        ..Boat::default()
    }
}

fn push(boat: &Boat, pose: &Pose, twist: &Twist) -> Wrench {
    boat.push(pose, twist, &REST, 0.0).wrench
}

fn heel(axis: Vector3<f64>, height: f64) -> Pose {
    Pose { translation: Vector3::y() * height, ..Pose::exp(&Twist::new(axis, Vector3::zeros())) }
}

#[test]
fn boats_float_at_their_line() {
    for boat in [Boat::default(), barge()] {
        assert_eq!(boat.validate(), Ok(()));
        let weight = boat.mass * 9.81;
        below(Vector6::from(push(&boat, &Pose::identity(), &Twist::zero())).amax() / weight, 1e-14); // measured 4.7e-16
        // Deeper, it is pushed up; higher, it sinks back.
        for height in [-0.02, 0.02] {
            let found = push(&boat, &heel(Vector3::zeros(), height), &Twist::zero()).linear.y;
            assert!(found * height < 0.0, "{found}");
        }
    }
    below((barge().mass - 1200.0).abs(), 1e-9); // measured 2.3e-13
}

/// Righting torque of the box, by its metacentre: −m g (I/V + y_B − y_G) per angle, with I/V = width² / (12 draught) about Z and length² / (12 draught) about X.
#[test]
fn a_heeled_boat_rights_itself_by_its_metacentre() {
    let boat = barge();
    let slope = boat.push(&Pose::identity(), &Twist::zero(), &REST, 0.0).by_pose;
    for (axis, side) in [(2, 1.0_f64), (0, 4.0)] {
        let height = side * side / (12.0 * 0.3) - 0.15;
        let expected = -1200.0 * 9.81 * height;
        below((slope[(axis, axis)] / expected - 1.0).abs(), 1e-12); // measured 4.4e-16
    }
    // And up: the weight of the water of a layer.
    below((slope[(4, 4)] / (-1000.0 * 9.81 * 4.0) - 1.0).abs(), 1e-12); // measured 0
    // The real hull is stable as well, about both axes.
    let slope = Boat::default().push(&Pose::identity(), &Twist::zero(), &REST, 0.0).by_pose;
    assert!(slope[(0, 0)] < 0.0 && slope[(2, 2)] < 0.0 && slope[(4, 4)] < 0.0, "{slope}");
}

/// Each thruster's column is its place × e_z, then e_z: (c_y, −c_x, 0, 0, 0, 1). The right one turns the boat left.
#[test]
fn thrusters_push_at_their_places() {
    let boat = Boat::default();
    let columns = boat.push(&Pose::identity(), &Twist::zero(), &REST, 0.0).by_controls;
    for (i, place) in boat.thrusters.iter().enumerate() {
        let by_hand = Vector6::new(place.y, -place.x, 0.0, 0.0, 0.0, 1.0);
        assert_eq!(columns.column(i), by_hand);
    }
    assert!(columns[(1, 0)] > 0.0 && columns[(1, 1)] < 0.0, "the right thruster turns it left: {columns}");
}

/// What lies under water is what the cut of a plain mesh says, at any pose.
#[test]
fn buoyancy_is_that_of_the_hull_below_the_water() {
    let boat = Boat { damping: Vector3::zeros(), air_drag: Vector3::zeros(), ..Boat::default() };
    let mut random = Random(1);
    for _ in 0..50 {
        let pose = heel(random.vector(), 0.3 * random.signed());
        let gravity = Vector3::y() * -9.81;
        let displaced = Displaced::below(0.0, &pose, &boat.hull_points, &boat.hull_faces).buoyancy(1000.0, &gravity, &pose);
        let weight = Wrench::of_force_at(pose.rotation.inverse() * gravity * boat.mass, &boat.center_of_mass);
        below(Vector6::from(push(&boat, &pose, &Twist::zero()) - displaced - weight).amax() / (boat.mass * 9.81), 1e-13); // measured at most 2.7e-15
    }
}

/// E is the damping of all patches together: they are averaged (Eq. 15). Only the smoothing where a hull leaves the water is left over.
#[test]
fn patches_are_averaged() {
    for boat in [Boat { air_drag: Vector3::zeros(), ..Boat::default() }, Boat { air_drag: Vector3::zeros(), ..barge() }] {
        for (height, along) in [(0.0, Vector3::x()), (-0.1, Vector3::z()), (0.05, Vector3::y())] {
            let pose = heel(Vector3::zeros(), height);
            let force = push(&boat, &pose, &Twist::new(Vector3::zeros(), along * 0.7)) - push(&boat, &pose, &Twist::zero());
            let expected = -boat.damping.component_mul(&along) * 0.7;
            below((force.linear - expected).norm() / expected.norm(), 2e-5); // measured at most 1.5e-5
        }
    }
    // And the torque of turning, for the bottom and the sides of the box: −(1/A) ∫ |E^½ (ω × x)|² dA.
    let boat = Boat { air_drag: Vector3::zeros(), ..barge() };
    let turn = |axis: Vector3<f64>| {
        push(&boat, &Pose::identity(), &Twist::new(axis, Vector3::zeros())) - push(&boat, &Pose::identity(), &Twist::zero())
    };
    let e = boat.damping;
    // About Y: bottom 4 m², two sides of 1.2 m², two ends of 0.3 m².
    let (area, x2, z2) = (7.0, 4.0 / 12.0 + 2.4 * 0.25 + 0.6 / 12.0, 4.0 * 16.0 / 12.0 + 2.4 * 16.0 / 12.0 + 0.6 * 4.0);
    let expected = -(e.x * z2 + e.z * x2) / area;
    below((turn(Vector3::y()).angular.y / expected - 1.0).abs(), 2e-5); // measured 5.2e-6
}

/// Where a corner of the hull passes through the water within the step of the differences, they see a kink; that is rare.
#[test]
fn derivatives_of_a_boat_are_exact() {
    let mut random = Random(3);
    for boat in [Boat::default(), barge(), at_sea()] {
        let mut errors = Vec::new();
        for _ in 0..60 {
            let pose = Pose { translation: random.vector().component_mul(&Vector3::new(5.0, 0.3, 5.0)), ..heel(random.vector(), 0.0) };
            let twist = Twist::new(random.vector(), random.vector() * 3.0);
            let (controls, time) = (random.column::<2>() * boat.most_thrust, 10.0 * random.unit());
            let push = boat.push(&pose, &twist, &controls, time);
            let near =
                Push::by_differences(&pose, &twist, &controls, |pose, twist, controls| boat.push(pose, twist, controls, time).wrench);
            let scale = near.by_pose.amax().max(near.by_twist.amax());
            let error = (push.by_pose - near.by_pose).amax().max((push.by_twist - near.by_twist).amax());
            errors.push(error.max((push.by_controls - near.by_controls).amax()) / scale);
        }
        errors.sort_by(f64::total_cmp);
        below(errors[54], 1e-8); // measured at most 8.7e-10
        below(errors[59], 1e-5); // measured at most 5.8e-7
    }
}

/// In still water and air whatever moves is braked.
#[test]
fn water_and_air_take_energy_from_a_boat() {
    let boat = Boat { gravity: 0.0, ..Boat::default() };
    let mut random = Random(4);
    for _ in 0..100 {
        let (pose, twist) = (heel(random.vector(), 0.2 * random.signed()), Twist::new(random.vector(), random.vector() * 3.0));
        let power = push(&boat, &pose, &twist).pair(&twist);
        assert!(power < 0.0, "{power}");
    }
}

/// Linear waves: the surface moves as its water does, falls where it is driven down, and is of one pressure.
#[test]
fn the_surface_of_waves_is_consistent() {
    let (sea, mut random, d) = (at_sea(), Random(5), 1e-5);
    for _ in 0..20 {
        let (place, time) = (random.vector() * 8.0, 5.0 * random.unit());
        let at = |place: &Vector3<f64>, time: f64| Surface::at(place, time, &sea.waves, &sea.current, 9.81);
        let here = at(&place, time);
        // Carried along by the current, ∂η/∂t is the vertical velocity and ∂u/∂t the acceleration.
        let (before, after) = (at(&(place - sea.current * d), time - d), at(&(place + sea.current * d), time + d));
        below(((after.height - before.height) / (2.0 * d) - here.velocity.y).abs(), 1e-9); // measured at most 7.9e-11
        below(((after.velocity - before.velocity) / (2.0 * d) - here.acceleration).norm(), 1e-8); // measured at most 2.0e-10
        // The surface is level for who is accelerated with the water: level acceleration is −g ∇η.
        let level = Vector3::new(here.acceleration.x, 0.0, here.acceleration.z);
        below((level + here.slope * 9.81).norm(), 1e-13); // measured at most 2.5e-16
        for along in [Vector3::x(), Vector3::z()] {
            let (before, after) = (at(&(place - along * d), time), at(&(place + along * d), time));
            below(((after.height - before.height) / (2.0 * d) - here.slope.dot(&along)).abs(), 1e-9); // measured at most 9.9e-12
            below(((after.slope - before.slope) / (2.0 * d) - here.bend * along).norm(), 1e-9); // measured at most 6.3e-12
            below(((after.velocity - before.velocity) / (2.0 * d) - here.velocity_gradient * along).norm(), 1e-9); // measured at most 3.2e-11
            below(((after.acceleration - before.acceleration) / (2.0 * d) - here.acceleration_gradient * along).norm(), 1e-9); // measured at most 8.7e-11
        }
    }
}

/// Poses of a boat left alone, by small steps: velocities first, then places.
fn left_alone(boat: &Boat, seconds: f64, h: f64) -> Vec<(f64, Pose)> {
    let inverse = boat.inertia().try_inverse().unwrap();
    let (mut pose, mut twist, mut time, mut poses) = (Pose::identity(), Twist::zero(), 0.0, Vec::new());
    while time < seconds {
        let momentum = Momentum::from(boat.inertia() * Vector6::from(twist));
        let pushed = boat.push(&pose, &twist, &REST, time);
        // Linearly implicit in the velocity, for damping is stiff.
        let rate = Vector6::from(twist.ad_dual(&momentum) + pushed.wrench);
        let solve = (boat.inertia() - pushed.by_twist * h).try_inverse().unwrap_or(inverse);
        twist += Twist::from(solve * rate * h);
        pose = pose * Pose::cay(&(twist * h));
        time += h;
        poses.push((time, pose));
    }
    poses
}

/// A small boat on long waves goes up and down with them, and keeps level with their surface.
#[test]
fn waves_carry_a_small_boat_up_and_down() {
    let wave = Wave { amplitude: 0.3, length: 40.0, heading: 0.5, phase: 1.0 };
    let boat = Boat { waves: vec![wave], ..Boat::default() };
    let poses = left_alone(&boat, 30.0, 0.005);
    let late = poses.iter().filter(|(time, _)| *time > 15.0);
    let (mut apart, mut highest, mut lowest, mut tilt): (f64, f64, f64, f64) = (0.0, 0.0, 0.0, 0.0);
    for (time, pose) in late {
        let surface = Surface::at(&pose.translation, *time, &boat.waves, &boat.current, 9.81);
        let up = (Vector3::y() - surface.slope).normalize();
        apart = apart.max((pose.translation.y - surface.height).abs());
        tilt = tilt.max((pose.rotation * Vector3::y()).angle(&up));
        highest = highest.max(pose.translation.y);
        lowest = lowest.min(pose.translation.y);
    }
    println!("{apart} {highest} {lowest} {tilt}");
    assert!((0.28..0.32).contains(&highest) && (-0.32..-0.28).contains(&lowest), "{lowest} {highest}"); // measured −0.3005 and 0.2996
    assert!(apart < 0.02 && tilt < 0.02, "{apart} {tilt}"); // measured 5.2e-4 m and 2.1e-3 rad
}

/// With a steady current and no wind it ends up at the current's velocity.
#[test]
fn a_current_carries_a_boat() {
    let current = Vector3::new(0.5, 0.0, 0.3);
    let boat = Boat { current, air_drag: Vector3::zeros(), ..Boat::default() };
    let poses = left_alone(&boat, 60.0, 0.005);
    let [from, to] = [poses[poses.len() - 201], poses[poses.len() - 1]];
    let velocity = (to.1.translation - from.1.translation) / (to.0 - from.0);
    below((velocity - current).norm(), 1e-4); // measured 2.1e-6
}

#[test]
fn boats_that_make_no_sense_are_refused() {
    let refused = |boat: Boat| match boat.validate() {
        Err(Error::Parameter { name, .. }) => name,
        Err(Error::Surface { .. }) => "surface",
        Err(Error::VertexOutOfRange { .. }) => "vertex",
        other => panic!("{other:?}"),
    };
    let boat = Boat::default;
    assert_eq!(refused(Boat { mass: 0.0, ..boat() }), "mass of the boat");
    assert_eq!(refused(Boat { mass: f64::NAN, ..boat() }), "mass of the boat");
    assert_eq!(refused(Boat { damping: Vector3::new(1.0, -1.0, 1.0), ..boat() }), "damping of the boat");
    let steep = Wave { amplitude: 1.0, length: 4.0, heading: 0.0, phase: 0.0 };
    assert_eq!(refused(Boat { waves: vec![steep], ..boat() }), "amplitude of a wave over its length");
    assert_eq!(refused(Boat { waves: vec![Wave { length: 0.0, ..steep }], ..boat() }), "length of a wave");
    assert_eq!(refused(Boat { hull_faces: vec![[0, 1, 2]], ..boat() }), "surface");
    assert_eq!(refused(Boat { hull_faces: vec![[0, 1, 9999]], ..boat() }), "vertex");
    let (points, faces) = MotorBoat::default().hull(7, 12);
    let inside_out = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(refused(Boat { hull_points: points, hull_faces: inside_out, ..boat() }), "volume of the hull");
}
