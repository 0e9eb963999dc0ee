//! Pulls, drag with inertia, fluid carried along, and the floor (Gross 2023, Secs. 2.2.1, 3.1.1, 3.1.2): closed forms, orders, invariants.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::medium::Floor;
use holonomy::models::Snake;
use holonomy::motion::{Motion, Outcome, Screw};
use holonomy::nalgebra::{UnitQuaternion, Vector3, Vector6};
use holonomy::shape::surface::{enclosed_volume, volume_and_centroid};
use holonomy::shape::{Clip, MassRule, Playback, Topology};
use holonomy::systems::shape_change::{Buoyancy, Drag, Law, Pull, ShapeChange};

use crate::random::{Random, octasphere};
use crate::runs::run;

const G: f64 = 9.81;

fn refused(job: &ShapeChange, clip: &Clip) -> String {
    job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap_err().to_string()
}

/// A shape that does not change, for `steps` steps.
fn rigid(topology: Topology, shape: &[Vector3<f64>], dt: f64, steps: usize) -> Clip {
    Clip::new(topology, Playback::Once, dt, shape.len(), shape.repeat(steps + 1)).unwrap()
}

fn series<'a>(motion: &'a Motion, name: &str) -> &'a [f64] {
    motion.tracks[0].series(name).unwrap()
}

/// Five points of 0.3 kg, each with a drag of 2 N s/m: the body of docs/ERRATA.md, G3 to G5.
fn five_points() -> Vec<Vector3<f64>> {
    let mut random = Random(5);
    (0..5).map(|_| random.vector()).collect()
}

fn sinking(law: Law) -> ShapeChange {
    ShapeChange { mass: Some(1.5), masses: MassRule::Unit, pull: Pull::gravity(Vector3::new(0.0, -G, 0.0)), ..ShapeChange::new(law) }
}

fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|w| (w[0] / w[1]).log2()).collect()
}

#[test]
fn a_sinking_body_has_its_terminal_speed_at_once() {
    // m g / d = 0.3 · 9.81 / 2; as printed (Eq. 6) it would rise at half that speed (docs/ERRATA.md, G3).
    let clip = rigid(Topology::Points, &five_points(), 0.01, 50);
    let motion = run(&sinking(Law::LeastDissipation { drag: Drag::isotropic(2.0) }), &clip);
    let track = &motion.tracks[0];
    for w in track.centers.windows(2) {
        assert!(((w[1] - w[0]) / 0.01 - Vector3::new(0.0, -1.4715, 0.0)).norm() < 1e-11); // measured 1.5e-14
    }
    assert!(track.poses[50].rotation.angle() < 1e-12);
    // What is lost to drag is what gravity does: m g v.
    assert!((series(&motion, "dissipation")[7] - 1.5 * G * 1.4715).abs() < 1e-10);
    // That it does so at once is said, unless it is slow.
    let warned = |drag: f64| {
        let motion = run(&sinking(Law::LeastDissipation { drag: Drag::isotropic(drag) }), &clip);
        motion.warnings.iter().any(|warning| warning.contains("friction alone decides"))
    };
    assert!(warned(2.0) && !warned(20.0));
}

#[test]
fn drag_and_gravity_approach_the_exact_velocity_at_first_order() {
    // v(t) of m v' = m g − d v, started sideways (docs/ERRATA.md, G4 and G5; printed signs reach 8e2).
    let rate: f64 = 2.0 / 0.3;
    let error = |steps: usize| {
        let dt = 0.5 / steps as f64;
        let clip = rigid(Topology::Points, &five_points(), dt, steps);
        let law = Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(2.0) };
        let mut job = sinking(law);
        job.law = law.with_momentum(job.rigid_momentum(&clip, &Twist::new(Vector3::zeros(), Vector3::x())).unwrap());
        let motion = run(&job, &clip);
        let velocity = motion.tracks[0].momenta[steps].linear / 1.5;
        let left = (-rate * (0.5 - 0.5 * dt)).exp(); // the momentum of a step is that at its middle
        (velocity - Vector3::new(left, -G / rate * (1.0 - left), 0.0)).norm()
    };
    let errors: Vec<f64> = [25, 50, 100, 200, 400].map(error).to_vec();
    let orders = orders(&errors);
    assert!((orders[3] - 1.0).abs() < 0.03, "{errors:?} {orders:?}"); // measured 1.036, 1.020, 1.010, 1.005
    assert!(errors[0] < 0.05, "{errors:?}");
}

#[test]
fn drag_never_adds_energy_however_stiff() {
    // Explicit drag would need Δt·drag/mass < 2; here it is 1e-2 to 1e6.
    let mut random = Random(21);
    for (name, clip) in random.clips() {
        let still = rigid(clip.topology().clone(), clip.frame(0), 1e-2, 40);
        for stiffness in [1.0, 1e2, 1e4, 1e8] {
            let law = Law::InertiaAndDrag {
                momentum: Momentum::zero(),
                added_mass: 0.3,
                drag: Drag { along: 0.2 * stiffness, across: stiffness },
            };
            let job = ShapeChange::new(law);
            let momentum = job.rigid_momentum(&still, &Twist::new(random.vector() * 5.0, random.vector())).unwrap();
            let motion = run(&ShapeChange { law: law.with_momentum(momentum), ..job }, &still);
            let energy = series(&motion, "kinetic_energy");
            assert!(energy.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9)), "{name}, {stiffness}: {energy:?}");
            assert!(energy[40] < 0.97 * energy[1], "{name}, {stiffness}: it slows down");
        }
    }
}

#[test]
fn without_mass_inertia_and_drag_is_least_dissipation() {
    let clip = Snake::default().clip(60.0).unwrap();
    let drag = Drag::anisotropic(0.05);
    let slow = run(&ShapeChange::new(Law::LeastDissipation { drag }), &clip);
    let law = Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag };
    let light = run(&ShapeChange { mass: Some(1e-12), ..ShapeChange::new(law) }, &clip);
    for (a, b) in slow.tracks[0].poses.iter().zip(&light.tracks[0].poses) {
        assert!(Vector6::from((a.inverse() * *b).log()).norm() < 1e-10); // measured 2.7e-12
    }
}

#[test]
fn without_drag_inertia_and_drag_is_a_throw() {
    // The pull acts from the middle of a step to the middle of the next, so the parabola is met exactly, as by least action.
    let mut random = Random(22);
    let clip = random.clips().remove(0).1;
    let (spin, gravity) = (Twist::new(Vector3::new(0.3, 1.0, -0.2), Vector3::new(1.0, 4.0, 0.0)), Vector3::new(0.0, -G, 0.0));
    let law = Law::LeastAction { momentum: Momentum::zero(), gravity };
    let momentum = ShapeChange::new(law).rigid_momentum(&clip, &spin).unwrap();
    let thrown = run(&ShapeChange::new(law.with_momentum(momentum)), &clip);
    let law = Law::InertiaAndDrag { momentum, added_mass: 0.0, drag: Drag::isotropic(0.0) };
    let loaded = run(&ShapeChange { pull: Pull::gravity(gravity), ..ShapeChange::new(law) }, &clip);
    for (a, b) in thrown.tracks[0].poses.iter().zip(&loaded.tracks[0].poses) {
        assert!(Vector6::from((a.inverse() * *b).log()).norm() < 1e-12); // measured 4.3e-15
    }
}

#[test]
fn a_rod_in_an_ideal_fluid_swings_about_its_broad_side() {
    // Kirchhoff's equations in the plane: with ψ twice the angle from broadside, ψ'' = −ω² sin ψ, ω² = p² (1/m₁ − 1/m₂)/I; its period is 2π/(ω·agm(1, cos ψ₀/2)).
    let rod: Vec<Vector3<f64>> = (0..=10).map(|i| Vector3::x() * (i as f64 / 10.0 - 0.5)).collect();
    let (mass, added, push, tilt) = (0.7, 2.0, 3.0, 0.4_f64);
    let weight = |i: usize| if i == 0 || i == 10 { 0.05 } else { 0.1 };
    let turning: f64 = (0..=10).map(|i| weight(i) * (mass + added) * rod[i].x * rod[i].x).sum();
    let omega = push * ((1.0 / mass - 1.0 / (mass + added)) / turning).sqrt();
    let (mut a, mut b) = (1.0_f64, tilt.cos());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let period = TAU / (omega * a);
    let error = |steps: usize| {
        let clip = rigid(Topology::Curve { closed: false }, &rod, period / steps as f64, steps);
        let law = Law::IdealFluid { momentum: Momentum::new(Vector3::zeros(), Vector3::y() * push), added_mass: added };
        let start = Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::z() * tilt), translation: Vector3::zeros() };
        let motion = run(&ShapeChange { mass: Some(mass), start, ..ShapeChange::new(law) }, &clip);
        let poses = &motion.tracks[0].poses;
        assert!((poses[steps / 2].rotation.scaled_axis().z + tilt).abs() < 0.05, "half way it leans to the other side");
        // Momentum of rod and fluid from the poses alone: the mean of K = m I + β P at both ends of the step, times the velocity between them.
        let impulse = |k: usize| {
            let inertia = |v: &Vector3<f64>, pose: &Pose, i: usize| {
                let along = pose.rotation * Vector3::x();
                (v * (mass + added) - along * (added * along.dot(v))) * weight(i)
            };
            let part = |i: usize| {
                let v = (poses[k + 1].act(&rod[i]) - poses[k].act(&rod[i])) / clip.dt();
                (inertia(&v, &poses[k], i) + inertia(&v, &poses[k + 1], i)) * 0.5
            };
            (0..=10).map(part).sum::<Vector3<f64>>()
        };
        let gained = (0..steps).map(|k| (impulse(k) - Vector3::y() * push).norm() / push).fold(0.0, f64::max);
        assert!(gained < 1e-10, "{gained}"); // measured 3.3e-13
        poses[3 * steps / 4].rotation.scaled_axis().z.abs() // broadside again, at its fastest
    };
    let errors: Vec<f64> = [100, 200, 400, 800].map(error).to_vec();
    let orders = orders(&errors);
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.05), "{errors:?} {orders:?}"); // measured 1.999, 2.000, 2.000
}

#[test]
fn fluid_without_mass_is_no_fluid() {
    let mut random = Random(23);
    for (name, clip) in random.clips() {
        let job = ShapeChange::new(Law::from_rest());
        let momentum = job.rigid_momentum(&clip, &Twist::new(random.vector(), random.vector())).unwrap();
        let plain = run(&ShapeChange { law: job.law.with_momentum(momentum), ..job.clone() }, &clip);
        let fluid = run(&ShapeChange { law: Law::IdealFluid { momentum, added_mass: 1e-14 }, ..job }, &clip);
        let (a, b) = (plain.tracks[0].poses.last().unwrap(), fluid.tracks[0].poses.last().unwrap());
        assert!(Vector6::from((a.inverse() * *b).log()).norm() < 1e-10, "{name}");
    }
}

#[test]
fn volume_and_centroid_are_those_of_the_solid() {
    // Two boxes' worth: a box from 0 to (1, 2, 3), far from home.
    let corners: Vec<Vector3<f64>> = boxed(Vector3::new(1.0, 2.0, 3.0)).iter().map(|p| p + Vector3::new(1e3, 0.0, 0.0)).collect();
    let (volume, centroid) = volume_and_centroid(&corners, &BOX_FACES);
    assert!((volume - 6.0).abs() < 1e-9 && (volume - enclosed_volume(&corners, &BOX_FACES)).abs() < 1e-9);
    assert!((centroid - Vector3::new(1e3, 0.0, 0.0)).norm() < 1e-9);
    let tetrahedron = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let (volume, centroid) = volume_and_centroid(&tetrahedron, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    assert!((volume - 1.0 / 6.0).abs() < 1e-15 && (centroid - Vector3::repeat(0.25)).norm() < 1e-15);
}

#[test]
fn a_ball_rises_at_the_speed_of_its_buoyancy() {
    let (points, faces) = octasphere();
    let volume = enclosed_volume(&points, &faces);
    let clip = rigid(Topology::Surface { faces }, &points, 0.01, 20);
    let mut job = ShapeChange { mass: Some(2.0), ..ShapeChange::new(Law::LeastDissipation { drag: Drag::isotropic(3.0) }) };
    job.pull = Pull { buoyancy: Buoyancy::Enclosed { fluid_density: 1.2 }, ..Pull::gravity(Vector3::new(0.0, -G, 0.0)) };
    let area: f64 = holonomy::shape::surface::face_areas(
        &points,
        match clip.topology() {
            Topology::Surface { faces } => faces,
            _ => unreachable!(),
        },
    )
    .iter()
    .sum();
    let speed = (1.2 * volume - 2.0) * G / (3.0 * area);
    let motion = run(&job, &clip);
    assert!((motion.tracks[0].centers[20].y - motion.tracks[0].centers[0].y - speed * 0.2).abs() < 1e-12);
    // Neutral: nothing moves. The same by a given displaced mass.
    job.pull.buoyancy = Buoyancy::Displaced { mass: 2.0 };
    assert!((run(&job, &clip).tracks[0].centers[20] - motion.tracks[0].centers[0]).norm() < 1e-12);
}

#[test]
fn a_ballasted_body_rights_itself() {
    // Heavy at the bottom: it turns until the centre of mass is under the centroid of what it displaces.
    let (points, faces) = octasphere();
    let masses: Vec<f64> = points.iter().map(|p| if p.y < -0.5 { 1.0 } else { 0.1 }).collect();
    let clip = rigid(Topology::Surface { faces }, &points, 0.05, 600);
    let tilted = Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::new(1.1, 0.3, -0.8)), translation: Vector3::zeros() };
    for law in [
        Law::LeastDissipation { drag: Drag::isotropic(1.0) },
        Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(1.0) },
    ] {
        let job = ShapeChange {
            masses: MassRule::Given(masses.clone()),
            start: tilted,
            pull: Pull { buoyancy: Buoyancy::Enclosed { fluid_density: 1.0 }, ..Pull::gravity(Vector3::new(0.0, -1.0, 0.0)) },
            ..ShapeChange::new(law)
        };
        let motion = run(&job, &clip);
        let up = motion.tracks[0].poses[600].rotation * Vector3::y();
        assert!(up.y > 1.0 - 1e-10, "{law:?}: {up}"); // measured 3.5e-13
    }
}

#[test]
fn wrenches_act_in_the_world_or_turn_with_the_body() {
    let square: Vec<Vector3<f64>> = vec![Vector3::x(), Vector3::y(), -Vector3::x(), -Vector3::y()];
    let clip = rigid(Topology::Points, &square, 1e-3, 1000);
    let mut job = ShapeChange::new(Law::LeastDissipation { drag: Drag::isotropic(0.5) });
    job.start = Random(24).pose();
    // Drag 4 × 0.5 = 2 N s/m: a push of 3 N in the world moves it at 1.5 m/s, wherever it looks.
    job.pull.push = Momentum::new(Vector3::zeros(), Vector3::new(0.0, 0.0, 3.0));
    let centers = &run(&job, &clip).tracks[0].centers;
    assert!((centers[1000] - centers[0] - Vector3::new(0.0, 0.0, 1.5)).norm() < 1e-11);
    // A thrust along its own x, and a torque about its own z: a circle with radius v/ω. Resistance to turning 4 × 0.5 = 2 N m s.
    job.pull.push = Momentum::zero();
    job.pull.thrust = Momentum::new(Vector3::z() * (2.0 * TAU), Vector3::x() * 2.0);
    let centers = &run(&job, &clip).tracks[0].centers;
    assert!((centers[1000] - centers[0]).norm() < 1e-4, "{}", (centers[1000] - centers[0]).norm()); // measured 6.6e-6
    let far = centers.iter().map(|c| (c - centers[0]).norm()).fold(0.0, f64::max);
    assert!((far - 2.0 / TAU).abs() < 1e-3, "{far}");
}

const BOX_FACES: [[u32; 3]; 12] =
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]];

/// The corners of a box with these sides, centred; vertex number bits are z, y, x from the lowest.
fn boxed(sides: Vector3<f64>) -> Vec<Vector3<f64>> {
    let side = |i: usize, bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
    (0..8).map(|i| Vector3::new(side(i, 2), side(i, 1), side(i, 0)).component_mul(&sides)).collect()
}

/// Height of the lowest point over the floor at 0, over all frames.
fn lowest(clip: &Clip, motion: &Motion) -> f64 {
    let poses = motion.tracks[0].poses.iter().enumerate();
    poses.flat_map(|(k, pose)| clip.frame(k).iter().map(move |p| pose.act(p).y)).fold(f64::INFINITY, f64::min)
}

fn onto_floor(law: Law, seed: u64) -> ShapeChange {
    let mut random = Random(seed);
    let start = Pose { translation: Vector3::new(random.signed(), 3.0, random.signed()), ..random.pose() };
    ShapeChange {
        floor: Some(Floor { height: 0.0 }),
        mass: Some(8.0),
        start,
        pull: Pull::gravity(Vector3::new(0.0, -G, 0.0)),
        ..ShapeChange::new(law)
    }
}

#[test]
fn a_box_sinks_to_the_floor_and_lies_there() {
    let shape = boxed(Vector3::new(0.6, 0.4, 1.0));
    for (law, steps) in [
        (Law::LeastDissipation { drag: Drag::isotropic(5.0) }, 1200),
        (Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(0.5) }, 2400),
    ] {
        let clip = rigid(Topology::Points, &shape, 1.0 / 60.0, steps);
        for seed in 0..8 {
            let motion = run(&onto_floor(law, seed), &clip);
            assert!(lowest(&clip, &motion) > -1e-9, "{law:?} {seed}: {}", lowest(&clip, &motion)); // measured -1.2e-11
            let force = series(&motion, "floor_force");
            assert!(force.iter().all(|&force| force > -1e-9), "the floor never pulls");
            assert!((force[steps] / (8.0 * G) - 1.0).abs() < 1e-9, "{law:?} {seed}: {}", force[steps]); // measured 2.6e-14
            let last = &motion.tracks[0].poses[steps];
            let level = shape.iter().filter(|p| last.act(p).y < 1e-9).count();
            assert_eq!(level, 4, "{law:?} {seed}: it lies on a face");
            assert!(series(&motion, "speed")[steps] < 1e-9);
        }
    }
}

#[test]
fn a_fall_onto_the_floor_never_gains_energy() {
    let shape = boxed(Vector3::new(0.6, 0.4, 1.0));
    let clip = rigid(Topology::Points, &shape, 1.0 / 120.0, 600);
    for seed in 10..16 {
        let law = Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(0.0) };
        let mut job = onto_floor(law, seed);
        let spin = Twist::new(Random(seed).vector() * 3.0, Vector3::new(1.0, 0.0, 0.5));
        job.law = law.with_momentum(job.rigid_momentum(&clip, &spin).unwrap());
        let motion = run(&job, &clip);
        assert!(lowest(&clip, &motion) > -1e-9, "{seed}");
        // Kinetic energy lives between frames: with the height there, the sum falls or stays, but for the second-order error of a free fall.
        let kinetic = series(&motion, "kinetic_energy");
        let centers = &motion.tracks[0].centers;
        let total: Vec<f64> = (1..centers.len()).map(|k| kinetic[k] + 8.0 * G * 0.5 * (centers[k].y + centers[k - 1].y)).collect();
        let gain = total.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max) / total[0];
        assert!(gain < 1e-3, "{seed}: {gain}"); // measured 5.8e-5
        assert!(total[total.len() - 1] < total[0]);
    }
}

#[test]
fn a_wriggling_body_stays_above_the_floor() {
    let mut random = Random(25);
    for (name, clip) in random.clips() {
        let frames = (clip.duration() * 120.0).round() as usize + usize::from(clip.playback() == Playback::Once);
        let clip = clip.resampled(clip.playback(), 1.0 / 120.0, frames).unwrap();
        for law in [
            Law::LeastDissipation { drag: Drag::anisotropic(0.3) },
            Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.1, drag: Drag::anisotropic(0.3) },
        ] {
            let mut job = onto_floor(law, 3);
            job.start.translation.y = 12.0;
            job.steps = Some(20 * clip.frames());
            job.mass = Some(3.0);
            if let Topology::Rig(rig) = clip.topology() {
                // As heavy bones, so much drag: short ones would fall too fast for these frames.
                job.masses = MassRule::Given(rig.bones.iter().map(|bone| bone.mass).collect());
            }
            let motion = run(&job, &clip);
            let low = lowest(&clip, &motion);
            assert!(low > -1e-9 * clip.body_length() && low < 1e-6, "{name} {law:?}: {low}"); // measured -3.9e-11
        }
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let clip = Snake::default().clip(30.0).unwrap();
    let n = clip.vertices() * clip.frames();
    let inertial = [
        Law::from_rest(),
        Law::IdealFluid { momentum: Momentum::zero(), added_mass: 1.0 },
        Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::anisotropic(0.1) },
    ];
    for law in inertial {
        let job = ShapeChange { masses: MassRule::Given(vec![1.0; n]), ..ShapeChange::new(law) };
        assert!(refused(&job, &clip).contains("do not keep momentum"), "{law:?}");
    }
    let drag = ShapeChange::new(Law::anisotropic(0.1));
    run(&ShapeChange { masses: MassRule::Given(vec![1.0; n]), ..drag.clone() }, &clip);
    let nan = MassRule::Given(vec![f64::NAN; clip.vertices()]);
    assert!(refused(&ShapeChange { masses: nan, ..drag.clone() }, &clip).contains("vertex mass is NaN"));
    let zero = MassRule::Given(vec![0.0; clip.vertices()]);
    assert!(refused(&ShapeChange { masses: zero.clone(), ..drag.clone() }, &clip).contains("no length, area or mass"));
    assert!(refused(&ShapeChange { masses: zero, ..ShapeChange::new(Law::from_rest()) }, &clip).contains("no length, area or mass"));
    let none = ShapeChange::new(Law::LeastDissipation { drag: Drag::isotropic(0.0) });
    assert!(refused(&none, &clip).contains("drag along and across the body is 0"));
    assert!(refused(&ShapeChange { mass: Some(-1.0), ..drag.clone() }, &clip).contains("mass of the body is -1"));
    let floor = Some(Floor { height: 1.0 });
    assert!(refused(&ShapeChange { floor, ..drag.clone() }, &clip).contains("lowest point over the floor is -1"));
    assert!(refused(&ShapeChange { floor: Some(Floor { height: f64::NAN }), ..drag.clone() }, &clip).contains("floor height is NaN"));
    let pull = Pull::gravity(Vector3::new(0.0, -1.0, 0.0));
    assert!(refused(&ShapeChange { pull, ..ShapeChange::new(Law::from_rest()) }, &clip).contains("keep their momentum"));
    assert!(refused(&ShapeChange { floor, ..ShapeChange::new(Law::from_rest()) }, &clip).contains("keep their momentum"));
    let wet = Pull { buoyancy: Buoyancy::Enclosed { fluid_density: 1e3 }, ..pull };
    assert!(refused(&ShapeChange { pull: wet, ..drag.clone() }, &clip).contains("needs a closed surface"));
    let (points, faces) = octasphere();
    let inside_out = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let ball = rigid(Topology::Surface { faces: inside_out }, &points, 0.1, 2);
    assert!(refused(&ShapeChange { pull: wet, ..drag.clone() }, &ball).contains("inside out"));
    let bad = Pull { push: Momentum::new(Vector3::zeros(), Vector3::repeat(f64::INFINITY)), ..pull };
    assert!(refused(&ShapeChange { pull: bad, ..drag.clone() }, &clip).contains("wrench is inf"));
    let error = drag.rigid_momentum(&clip, &Twist::zero()).unwrap_err().to_string();
    assert!(error.contains("has no momentum"), "{error}");
}

#[test]
fn a_spin_too_fast_for_the_step_names_a_shorter_one() {
    // A planar body needs Δt·ω < 1 (docs/ERRATA.md, G7).
    let square = vec![Vector3::x(), Vector3::y(), -Vector3::x(), -Vector3::y()];
    let clip = rigid(Topology::Points, &square, 0.1, 5);
    let job = ShapeChange::new(Law::from_rest());
    for (rate, fits) in [(9.0, true), (12.0, false)] {
        let momentum = job.rigid_momentum(&clip, &Twist::new(Vector3::z() * rate, Vector3::zeros())).unwrap();
        let motion =
            ShapeChange { law: job.law.with_momentum(momentum), ..job.clone() }.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
        match &motion.outcome {
            Outcome::Done => assert!(fits),
            Outcome::NotConverged { frame, advice, .. } => {
                assert!(!fits && *frame == 1 && motion.frames() == 1);
                assert!(advice.contains("time step below 4.17e-2 s"), "{advice}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn points_on_a_line_move_with_a_warning_and_points_in_one_place_are_refused() {
    let line: Vec<Vector3<f64>> = (0..5).map(|i| Vector3::new(1.0, 2.0, -1.0) * i as f64).collect();
    let point = vec![Vector3::new(0.3, 0.4, 0.5); 4];
    for law in [
        Law::LeastDissipation { drag: Drag::isotropic(1.0) },
        Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(1.0) },
    ] {
        let job = ShapeChange { pull: Pull::gravity(Vector3::new(0.0, -1.0, 0.0)), ..ShapeChange::new(law) };
        let motion = run(&job, &rigid(Topology::Points, &line, 0.1, 10));
        assert!(motion.tracks[0].centers[10].y < motion.tracks[0].centers[0].y - 0.3);
        assert!(motion.warnings.iter().any(|warning| warning.contains("lies on a line")), "{:?}", motion.warnings);
        assert!(refused(&job, &rigid(Topology::Points, &point, 0.1, 10)).contains("in one place"));
    }
}

#[test]
fn a_shape_that_jumps_is_named() {
    let clip = Snake::default().clip(30.0).unwrap();
    let mut positions: Vec<Vector3<f64>> = (0..clip.frames()).flat_map(|k| clip.frame(k).to_vec()).collect();
    let (from, n) = (12 * clip.vertices(), clip.vertices());
    positions[from..from + n].copy_from_slice(&Random(27).walk(n).iter().map(|p| p * 0.1).collect::<Vec<_>>()); // another shape altogether
    let jumpy = Clip::new(clip.topology().clone(), Playback::Once, clip.dt(), n, positions).unwrap();
    let motion = ShapeChange::new(Law::anisotropic(0.05)).run(&jumpy, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert!(motion.is_finite());
    match motion.outcome {
        Outcome::Done => assert!(motion.warnings.iter().any(|warning| warning.contains("jumps at frame 12")), "{:?}", motion.warnings),
        Outcome::NotConverged { frame, advice, .. } => assert!(frame == 12 && advice.contains("jumps"), "{advice}"),
        other => panic!("{other:?}"),
    }
    assert!(!run(&ShapeChange::new(Law::anisotropic(0.05)), &clip).warnings.iter().any(|warning| warning.contains("jumps")));
}

/// `waves` waves of slope `slope` that travel along +x in one second over `frames` frames; open, one metre to a wave.
fn travelling_wave(waves: usize, slope: f64, frames: usize) -> Clip {
    let n = 40 * waves;
    let shape = |phase: f64| {
        (0..=n).map(move |i| {
            let x = i as f64 / 40.0;
            Vector3::new(x, slope / TAU * (TAU * (x - phase)).sin(), 0.0)
        })
    };
    let positions = (0..frames).flat_map(|k| shape(k as f64 / frames as f64)).collect();
    Clip::new(Topology::Curve { closed: false }, Playback::Loop, 1.0 / frames as f64, n + 1, positions).unwrap()
}

#[test]
fn a_small_wave_has_the_efficiency_of_resistive_force_theory() {
    // To leading order U/V = s² (1/ε − 1)/2 with slope s, lost ½ s² V², towed ε U² per length: η = ½ s² (1 − ε)²/ε.
    let (slope, ratio) = (0.05, 0.5);
    let clip = travelling_wave(20, slope, 40);
    let expected = 0.5 * slope * slope * (1.0 - ratio) * (1.0 - ratio) / ratio;
    for across in [1.0, 7.0] {
        let job = ShapeChange {
            steps: Some(2 * clip.frames()),
            ..ShapeChange::new(Law::LeastDissipation { drag: Drag { along: ratio * across, across } })
        };
        let motion = run(&job, &clip);
        let efficiency = job.efficiency(&clip, &motion).unwrap().unwrap();
        assert!((efficiency / expected - 1.0).abs() < 0.03, "{efficiency} against {expected}"); // measured -2.0 %
    }
    let free = ShapeChange::new(Law::from_rest());
    assert_eq!(free.efficiency(&clip, &run(&free, &clip)).unwrap(), None);
    assert!(free.thrust(&clip, &run(&free, &clip).tracks[0]).unwrap_err().to_string().contains("no drag"));
}

#[test]
fn thrust_and_drag_balance_without_a_load() {
    for (name, clip) in Random(28).clips() {
        let job = ShapeChange { steps: Some(2 * clip.frames()), ..ShapeChange::new(Law::anisotropic(0.2)) };
        let motion = run(&job, &clip);
        let thrust = job.thrust(&clip, &motion.tracks[0]).unwrap();
        assert_eq!(thrust.len(), motion.frames() * clip.vertices());
        for frame in thrust.chunks(clip.vertices()) {
            let (sum, size): (f64, f64) = (frame.iter().sum(), frame.iter().map(|x| x.abs()).sum());
            assert!(sum.abs() < 1e-10 * size.max(1e-3), "{name}: {sum} of {size}"); // measured 4.2e-14
        }
        assert!(thrust.iter().any(|&x| x > 0.0) && thrust.iter().any(|&x| x < 0.0), "{name}");
        assert_eq!(thrust[..clip.vertices()], thrust[clip.vertices()..2 * clip.vertices()]);
    }
    // A body that sinks is only dragged, in all by its weight.
    let clip = rigid(Topology::Points, &five_points(), 0.01, 20);
    let job = sinking(Law::LeastDissipation { drag: Drag::isotropic(2.0) });
    for frame in job.thrust(&clip, &run(&job, &clip).tracks[0]).unwrap().chunks(5) {
        assert!(frame.iter().all(|&x| x < 0.0) && (frame.iter().sum::<f64>() + 1.5 * G).abs() < 1e-10);
    }
}

#[test]
fn effort_in_place_is_what_the_shape_change_costs_there() {
    let clip = Snake::default().clip(30.0).unwrap();
    let motion = run(&ShapeChange::new(Law::anisotropic(0.05)), &clip);
    let (moved, held) = (series(&motion, "dissipation"), series(&motion, "dissipation_in_place"));
    assert!(moved.iter().zip(held).all(|(moved, held)| moved <= held), "moving costs least");
    assert!(moved[5] < 0.5 * held[5], "{} {}", moved[5], held[5]);
}

#[test]
fn a_screw_is_its_motion() {
    let mut random = Random(29);
    for _ in 0..200 {
        let pose = random.pose();
        let screw = Screw::of(&pose);
        let x = random.vector();
        let turn = UnitQuaternion::from_scaled_axis(screw.direction * screw.angle);
        let moved = screw.point + turn * (x - screw.point) + screw.direction * screw.advance;
        assert!((moved - pose.act(&x)).norm() < 1e-12, "{screw:?}"); // measured 1.8e-15
        assert!(screw.point.dot(&screw.direction).abs() < 1e-10);
        assert!((screw.pitch().unwrap() - screw.advance * TAU / screw.angle).abs() < 1e-12);
    }
    let straight = Screw::of(&Pose { translation: Vector3::new(0.0, 3.0, 4.0), ..Pose::identity() });
    assert_eq!((straight.angle, straight.advance, straight.pitch()), (0.0, 5.0, None));
    assert!((straight.direction - Vector3::new(0.0, 0.6, 0.8)).norm() < 1e-15);
    assert_eq!(Screw::of(&Pose::identity()).advance, 0.0);
}
