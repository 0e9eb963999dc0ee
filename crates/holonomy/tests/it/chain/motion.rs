//! Chains that move.

use std::f64::consts::TAU;

use holonomy::Error;
use holonomy::elastic::body::{Body, BodySettings};
use holonomy::elastic::chain::{Chain, ChainSettings, ChainState, Damping, Drive, Surroundings};
use holonomy::elastic::mesh::{Mesh, Split};
use holonomy::elastic::tetrahedron::SolidLaw;
use holonomy::integrate::force_law::{ForceLaw, Stiffness};
use holonomy::lie::{Pose, Twist, Wrench};
use holonomy::nalgebra::{DMatrix, UnitQuaternion, Vector3};

use super::{STEP, THESIS, settings, shaken, uneven};
use crate::elastic::body_stiffness;
use crate::meshes::below;

fn run(chain: &Chain, state: &mut ChainState, steps: usize, time_step: f64, surroundings: &Surroundings<'_>) {
    for _ in 0..steps {
        chain.step(state, time_step, surroundings).unwrap();
    }
}

/// Thrown, spinning and wobbling in a vacuum: both momenta to round-off, at any time step.
#[test]
fn momenta_are_kept() {
    for damping in [Damping::None, Damping::RotationFree(50.0)] {
        let chain = Chain::new(uneven(5, damping)).unwrap();
        for time_step in [1e-3, STEP] {
            let mut state = shaken(&chain, 0.1, 2);
            let before = chain.momentum(&state);
            run(&chain, &mut state, 1500, time_step, &Surroundings::VACUUM);
            let after = chain.momentum(&state);
            below((after.linear - before.linear).norm() / before.linear.norm(), 1e-12); // measured 1.3e-14
            below((after.angular - before.angular).norm() / before.angular.norm(), 1e-11); // measured 1.6e-14
        }
    }
}

/// Plain damping keeps linear momentum, and takes angular momentum.
#[test]
fn plain_damping_takes_angular_momentum() {
    let chain = Chain::new(settings(3, Damping::Plain(50.0))).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    chain.throw(&mut state, &Twist::new(Vector3::x() * 3.0, Vector3::y())).unwrap();
    let before = chain.momentum(&state);
    run(&chain, &mut state, 300, STEP, &Surroundings::VACUUM);
    let after = chain.momentum(&state);
    below((after.linear - before.linear).norm() / before.linear.norm(), 1e-12); // measured 3.8e-16
    assert!(after.angular.x < 0.5 * before.angular.x, "{}", after.angular.x / before.angular.x);
}

fn slope(errors: &[f64]) -> f64 {
    let n = errors.len() as f64;
    let middle = (n - 1.0) / 2.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (k, error) in errors.iter().enumerate() {
        above += (k as f64 - middle) * error.log2();
        below += (k as f64 - middle).powi(2);
    }
    -above / below
}

/// Symplectic Euler: poses converge with the first order of the step.
#[test]
fn motion_converges_with_the_first_order() {
    let chain = Chain::new(settings(3, Damping::RotationFree(50.0))).unwrap();
    let end = |steps: usize| {
        let mut state = shaken(&chain, 0.1, 4);
        run(&chain, &mut state, steps, 0.1 / steps as f64, &Surroundings::AIR);
        state
    };
    let places =
        |state: &ChainState| -> Vec<f64> { (0..3).flat_map(|s| chain.pose(state, s).act(&Vector3::repeat(0.4)).data.0[0]).collect() };
    let finest = places(&end(25600));
    let errors: Vec<f64> = [200, 400, 800, 1600, 3200]
        .map(|steps| places(&end(steps)).iter().zip(&finest).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
        .to_vec();
    let order = slope(&errors);
    assert!((0.9..1.3).contains(&order), "{order} {errors:?}"); // measured 1.07
}

/// Without damping energy swings about its value by an amount that falls with the step; with damping it only falls.
#[test]
fn energy_is_bounded_and_falls_with_damping() {
    let energy = |chain: &Chain, state: &ChainState| chain.kinetic_energy(state) + chain.elastic_energy(state);
    let chain = Chain::new(settings(4, Damping::None)).unwrap();
    let swing = |steps: usize| {
        let mut state = shaken(&chain, 0.05, 6);
        let start = energy(&chain, &state);
        let mut worst = 0.0_f64;
        for _ in 0..steps {
            chain.step(&mut state, 1.0 / steps as f64, &Surroundings::VACUUM).unwrap();
            worst = worst.max((energy(&chain, &state) / start - 1.0).abs());
        }
        worst
    };
    let swings = [3000, 6000, 12000].map(swing);
    below(swings[0], 0.1); // measured 4.9e-2
    let order = slope(&swings);
    assert!((0.8..1.3).contains(&order), "{order} {swings:?}"); // measured 0.96
    let chain = Chain::new(settings(4, Damping::RotationFree(50.0))).unwrap();
    let mut state = shaken(&chain, 0.05, 6);
    let start = energy(&chain, &state);
    run(&chain, &mut state, 300, STEP, &Surroundings::VACUUM);
    let after = energy(&chain, &state);
    run(&chain, &mut state, 2700, STEP, &Surroundings::VACUUM);
    assert!(energy(&chain, &state) < after && after < 0.9 * start, "{start} {after}");
}

/// Without soft blocks a segment is a free rigid body under gravity: a parabola, and steady spin about a principal axis.
#[test]
fn a_lone_segment_flies_as_a_rigid_body() {
    let chain = Chain::new(settings(1, Damping::None)).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    chain.set_twist(&mut state, 0, &Twist::new(Vector3::x() * 2.0, Vector3::new(1.0, 5.0, 0.0))).unwrap();
    run(&chain, &mut state, 3000, STEP, &Surroundings::AIR);
    let pose = chain.pose(&state, 0);
    // Symplectic Euler falls by ½ g t (t + Δt).
    let expected = Vector3::new(1.0, 5.0 - 0.5 * 9.81 * (1.0 + STEP), 0.0);
    below((pose.translation - expected).norm(), 1e-12); // measured 4.4e-14
    let turned = pose.rotation.angle_to(&UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 2.0));
    below(turned, 1e-6); // measured 1.5e-7
}

/// A wrench about the middle of a box, in world axes.
#[test]
fn loads_act_at_the_middle_of_the_box() {
    let chain = Chain::new(settings(2, Damping::None)).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    let loads = [Wrench::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.5, -0.4, 0.2)), Wrench::default()];
    let place = chain.pose(&state, 0).translation;
    chain.step(&mut state, STEP, &Surroundings { loads: &loads, ..Surroundings::VACUUM }).unwrap();
    let momentum = chain.momentum(&state);
    below((momentum.linear - loads[0].linear * STEP).norm(), 1e-15);
    below((momentum.angular - (loads[0].angular + place.cross(&loads[0].linear)) * STEP).norm(), 1e-15);
}

/// A carried segment goes where it is told, and keeps its velocity when it is let go.
#[test]
fn a_carried_segment_hands_over_its_velocity() {
    let chain = Chain::new(settings(2, Damping::RotationFree(50.0))).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    let twist = Twist::new(Vector3::new(0.3, 0.8, -0.2), Vector3::new(0.5, 0.1, 0.2));
    let increment = Pose::exp(&(twist * STEP));
    for s in 0..2 {
        // Both go as one rigid body: the second one's increment is that of the same motion.
        let offset = chain.pose(&state, s);
        chain.set_drive(&mut state, s, &Drive::Carried { increment: offset.inverse() * increment * offset }).unwrap();
    }
    run(&chain, &mut state, 600, STEP, &Surroundings::VACUUM);
    let (pose, expected) = (chain.pose(&state, 0), Pose::exp(&(twist * 0.2)));
    below((pose.translation - expected.translation).norm() + pose.rotation.angle_to(&expected.rotation), 1e-12); // measured 5.6e-14
    (0..2).for_each(|s| chain.set_drive(&mut state, s, &Drive::Free).unwrap());
    let world = |pose: &Pose| Twist::new(pose.rotation * twist.angular, pose.rotation * twist.linear);
    let before = chain.twist(&state, 0);
    below((before.linear - world(&pose).linear).norm() + (before.angular - world(&pose).angular).norm(), 1e-3); // measured 7.4e-5
    let held = chain.momentum(&state);
    run(&chain, &mut state, 1, STEP, &Surroundings::VACUUM);
    let after = chain.twist(&state, 0);
    below((after.linear - before.linear).norm() + (after.angular - before.angular).norm(), 2e-2); // measured 7.3e-4
    let moved = chain.momentum(&state);
    below((moved.angular - held.angular).norm() + (moved.linear - held.linear).norm(), 1e-13); // measured 9.4e-16
}

/// Crushed flat, and turned inside out: it comes back.
#[test]
fn crushed_blocks_recover() {
    for (crush, seed) in [(0.0, 1), (-0.6, 2)] {
        let chain = Chain::new(settings(3, Damping::RotationFree(50.0))).unwrap();
        let mut state = chain.state(&Pose::identity()).unwrap();
        let mut random = crate::elastic::Numbers::new(seed);
        for b in 0..2 {
            let places: Vec<_> = chain.positions(&state, b).collect();
            let middle: Vector3<f64> = places.iter().sum::<Vector3<f64>>() / places.len() as f64;
            for (n, place) in places.iter().enumerate() {
                let moved = Vector3::new(middle.x + random.next() * 0.4, place.y * crush, place.z);
                chain.set_node(&mut state, b, n, &moved, &Vector3::zeros()).unwrap();
            }
        }
        let start = chain.elastic_energy(&state);
        run(&chain, &mut state, 9000, STEP, &Surroundings::VACUUM);
        below(chain.elastic_energy(&state) / start, 1e-6); // measured 9.3e-10
        let middle = chain.positions(&state, 0).nth(13).unwrap();
        let rest = chain.pose(&state, 0).act(&Vector3::new(-0.75, 0.0, 0.0));
        below((middle - rest).norm(), 1e-3); // measured 3.0e-5
    }
}

/// 2/ω of the free cube, less two per cent; ω by the stiffness of the engine's other solids, densely. 3.5e-3 s on the thesis's cube.
#[test]
fn the_largest_step_is_stable() {
    let chain = Chain::new(settings(3, Damping::None)).unwrap();
    let limit = chain.largest_step();
    let mut solid = BodySettings::new(Mesh::bar(Vector3::repeat(1.0), [2, 2, 2], Split::Six).unwrap(), THESIS);
    solid.solid = SolidLaw::FixedCorotated;
    solid.loads.gravity = Vector3::zeros();
    let solid = Body::new(solid).unwrap();
    let stiffness = body_stiffness(&solid, 0.0, &solid.rest(), Stiffness::Exact);
    let root = |i: usize| solid.masses()[i / 3].sqrt();
    let scaled = DMatrix::from_fn(stiffness.nrows(), stiffness.ncols(), |i, j| stiffness[(i, j)] / (root(i) * root(j)));
    let expected = 2.0 / scaled.symmetric_eigenvalues().max().sqrt();
    below((expected / 3.5e-3 - 1.0).abs(), 0.01); // measured 4.4e-3
    below((limit / (0.98 * expected) - 1.0).abs(), 1e-6); // measured 1.5e-15
    let mut state = shaken(&chain, 1e-4, 1);
    let start = chain.kinetic_energy(&state);
    run(&chain, &mut state, 2000, limit, &Surroundings::VACUUM);
    assert!(chain.kinetic_energy(&state) < 50.0 * start);
    let refused = chain.step(&mut state, 1.001 * limit, &Surroundings::VACUUM);
    assert_eq!(refused, Err(Error::TimeStep { given: 1.001 * limit, largest: limit }));
    // Damping takes its part: (√(c² + 4ω²) − c)/ω² with c = 4 · 50 1/s.
    let damped = Chain::new(settings(3, Damping::RotationFree(50.0))).unwrap().largest_step();
    let omega = 2.0 / expected;
    below((damped / (0.98 * ((4e4 + 4.0 * omega * omega).sqrt() - 200.0) / (omega * omega)) - 1.0).abs(), 1e-6); // measured 1.1e-15
}

/// Bad input is refused, and nothing that is not finite leaves.
#[test]
fn bad_input_is_refused() {
    let good = || settings(3, Damping::RotationFree(50.0));
    let refused = |change: &dyn Fn(&mut ChainSettings)| {
        let mut settings = good();
        change(&mut settings);
        assert!(Chain::new(settings).is_err());
    };
    refused(&|s| s.segments.clear());
    refused(&|s| s.blocks.clear());
    refused(&|s| s.blocks[0].x = 0.0);
    refused(&|s| s.segments[1].size.y = f64::NAN);
    refused(&|s| s.segments[1].mass = 0.0);
    refused(&|s| s.material.young = 0.0);
    refused(&|s| s.material.poisson = 0.5);
    refused(&|s| s.material.density = -1.0);
    refused(&|s| s.cells = [2, 0, 2]);
    refused(&|s| s.cells = [usize::MAX, 2, 2]);
    refused(&|s| s.cells = [1 << 30, 2, 2]);
    refused(&|s| s.damping = Damping::Plain(-1.0));
    refused(&|s| s.patches = 0);
    let chain = Chain::new(good()).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    for time_step in [0.0, -1.0, f64::NAN, 1.0] {
        assert!(chain.step(&mut state, time_step, &Surroundings::AIR).is_err());
    }
    let loads = [Wrench::new(Vector3::repeat(f64::NAN), Vector3::zeros()); 3];
    assert!(chain.step(&mut state, STEP, &Surroundings { loads: &loads, ..Surroundings::AIR }).is_err());
    assert!(chain.step(&mut state, STEP, &Surroundings { loads: &loads[..2], ..Surroundings::AIR }).is_err());
    let loads = [Wrench::new(Vector3::repeat(1e12), Vector3::zeros()); 3];
    assert!(chain.step(&mut state, STEP, &Surroundings { loads: &loads, ..Surroundings::AIR }).is_err());
    assert!(chain.set_twist(&mut state, 7, &Twist::default()).is_err());
    assert!(chain.set_node(&mut state, 0, 99, &Vector3::zeros(), &Vector3::zeros()).is_err());
}

#[test]
fn steps_do_not_allocate() {
    let chain = Chain::new(settings(18, Damping::RotationFree(50.0))).unwrap();
    let mut state = shaken(&chain, 0.05, 1);
    chain.step(&mut state, STEP, &Surroundings::AIR).unwrap();
    assert_eq!(crate::allocations::during(|| run(&chain, &mut state, 10, STEP, &Surroundings::AIR)), 0);
}

/// Seventeen cubes whose end faces follow given waves, beside an independent program in NumPy (A.7 by singular values, implicit plain damping). Damping
/// is explicit here, so both differ by the first order of the step.
#[test]
fn driven_cubes_are_where_another_program_has_them() {
    let pose = |s: usize, time: f64| {
        let phase = TAU * (2.0 * time - s as f64 / 6.0);
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.3 * phase.sin());
        Pose::from_rotation_translation(rotation, Vector3::new(0.25 - 1.5 * s as f64, 0.5, 0.5 + 0.2 * phase.sin()))
    };
    let chain = Chain::new(settings(18, Damping::Plain(50.0))).unwrap();
    let after = |finer: usize| {
        let time_step = STEP / finer as f64;
        let mut state = chain.state(&Pose::from_rotation_translation(UnitQuaternion::identity(), Vector3::new(0.25, 0.5, 0.5))).unwrap();
        (0..18).for_each(|s| chain.set_pose(&mut state, s, &pose(s, 0.0)).unwrap());
        for n in 0..300 * finer {
            for s in 0..18 {
                let increment = pose(s, n as f64 * time_step).inverse() * pose(s, (n + 1) as f64 * time_step);
                chain.set_drive(&mut state, s, &Drive::Carried { increment }).unwrap();
            }
            chain.step(&mut state, time_step, &Surroundings::AIR).unwrap();
        }
        chain.positions(&state, 8).nth(13).unwrap()
    };
    // Its frame has x back and z up.
    let there = Vector3::new(-12.5021, 0.49951, 0.341619);
    let (coarse, fine) = ((after(1) - there).norm(), (after(8) - there).norm());
    below(coarse, 5e-4); // measured 3.3e-4
    // What is left is its own error, which is on the other side.
    below(fine, 2e-4); // measured 1.6e-4
}
