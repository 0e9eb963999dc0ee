//! Plans: against closed forms, and against the equations they promise to hold to.

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::piloted::Piloted;
use holonomy::integrate::variational::{ForcePoint, Retraction};
use holonomy::lie::{Pose, Pose2, Twist};
use holonomy::nalgebra::{SVector, UnitQuaternion, Vector2, Vector3};
use holonomy::systems::plan::{Plan, Verdict};
use holonomy::systems::vehicle::{Helicopter, PlanarBoat};

fn go(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The peers' helicopter: 8 m ahead, 4 m to the left, 3 m up, a quarter turn to the left, from rest to rest in 3.5 s.
fn helicopter(intervals: usize) -> Plan<Piloted<Helicopter>, 12, 4> {
    let craft = Piloted::new(Helicopter::default()).unwrap().stepping(Retraction::Truncated, ForcePoint::Start);
    let goal = Pose { rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2), translation: Vector3::new(4.0, 3.0, 8.0) };
    let (start, goal) = (craft.at(&Pose::identity(), &Twist::zero()), craft.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(craft, start, goal, 3.5, intervals);
    plan.cost.effort = vec![1.0 / (9.81f64 * 9.81), 1.0, 10.0, 10.0];
    plan
}

#[test]
fn the_helicopter_arrives() {
    let planned = helicopter(64).solve(&mut go).unwrap();
    println!(
        "{:?} cost {} dynamics {:e} limits {:e} goal {:e} iterations {}",
        planned.verdict, planned.cost, planned.dynamics, planned.limits, planned.goal, planned.iterations
    );
    assert_eq!(planned.verdict, Verdict::Solved);
}

/// Worst departure of all derivatives of a step from central differences.
fn derivatives_hold<const N: usize, const M: usize, V: Controlled<N, M>>(
    vehicle: &V,
    state: &V::State,
    u: &SVector<f64, M>,
    h: f64,
) -> [f64; 2] {
    let by = 1e-5;
    let at = vehicle.linearise(state, u, 0.3, h).unwrap();
    let mut worst = [0.0f64; 2];
    let column = |plus: V::State, minus: V::State, by: f64| {
        (vehicle.difference(&at.next, &plus) - vehicle.difference(&at.next, &minus)) / (2.0 * by)
    };
    let unit = |i: usize| SVector::<f64, N>::from_fn(|j, _| if i == j { by } else { 0.0 });
    for i in 0..N {
        let step = |along: SVector<f64, N>| vehicle.step(&vehicle.moved(state, &along), u, 0.3, h).unwrap();
        worst[0] = worst[0].max((column(step(unit(i)), step(-unit(i)), by) - at.by_state.column(i)).amax());
    }
    for i in 0..M {
        let unit = SVector::<f64, M>::from_fn(|j, _| if i == j { by } else { 0.0 });
        let step = |along: SVector<f64, M>| vehicle.step(state, &(u + along), 0.3, h).unwrap();
        worst[0] = worst[0].max((column(step(unit), step(-unit), by) - at.by_controls.column(i)).amax());
    }
    let step = |by: f64| vehicle.step(state, u, 0.3, h + by).unwrap();
    worst[0] = worst[0].max((column(step(1e-6), step(-1e-6), 1e-6) - at.by_time_step).amax());
    let weights = SVector::<f64, N>::from_fn(|i, _| 0.7 - 0.13 * i as f64);
    let bent = vehicle.curvature(state, u, 0.3, h, &weights).unwrap();
    let differences = holonomy::integrate::controlled::curvature_by_differences(vehicle, state, u, 0.3, h, &weights).unwrap();
    worst[1] = (bent.xx - differences.xx).amax().max((bent.ux - differences.ux).amax()).max((bent.uu - differences.uu).amax());
    worst
}

#[test]
fn derivatives_of_a_pilots_step() {
    for retraction in [Retraction::Cayley, Retraction::Exponential, Retraction::Truncated] {
        for force_point in [ForcePoint::Start, ForcePoint::Middle, ForcePoint::End] {
            let craft = Piloted::new(Helicopter::default()).unwrap().stepping(retraction, force_point);
            let pose = Pose::exp(&Twist::new(Vector3::new(0.3, -0.5, 0.2), Vector3::new(1.0, 2.0, -0.5)));
            let state = craft.at(&pose, &Twist::new(Vector3::new(0.8, -0.6, 1.1), Vector3::new(2.0, 0.5, -1.0)));
            let worst = derivatives_hold(&craft, &state, &SVector::from([11.0, 0.4, 0.15, -0.1]), 0.08);
            println!("{retraction:?} {force_point:?} {worst:?}");
            assert!(worst[0] < 1e-7 && worst[1] < 1e-5, "{retraction:?} {force_point:?} {worst:?}");
        }
    }
}

/// The peers' boat: docking in a wind that is not the same everywhere.
fn boat(intervals: usize) -> Plan<PlanarBoat, 6, 2> {
    let boat = PlanarBoat::default();
    let goal = Pose2::from_angle_translation(FRAC_PI_2, Vector2::new(10.0, 6.0)).level(0.0);
    let (start, goal) = (boat.at(&Pose::identity(), &Twist::zero()), boat.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(boat, start, goal, 20.0, intervals);
    plan.cost.effort = vec![1.0, 1.0];
    plan
}

#[test]
fn zz_time() {
    for n in [64, 200] {
        let plan = helicopter(n);
        let begun = std::time::Instant::now();
        let planned = plan.solve(&mut go).unwrap();
        eprintln!("helicopter {n}: {:?} {:?} cost {} iterations {}", begun.elapsed(), planned.verdict, planned.cost, planned.iterations);
        let plan = boat(n);
        let begun = std::time::Instant::now();
        let planned = plan.solve(&mut go).unwrap();
        eprintln!("boat {n}: {:?} {:?} cost {} iterations {}", begun.elapsed(), planned.verdict, planned.cost, planned.iterations);
    }
}
