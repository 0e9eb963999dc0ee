//! Following a plan in a world that is not as planned.

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::variational::State;
use holonomy::nalgebra::{SVector, Vector3};
use holonomy::systems::plan::{Plan, Planned};
use holonomy::systems::vehicle::{Helicopter, PlanarBoat, PlanarBoatState};

use super::{boat, flown, helicopter, solved};
use crate::random::Random;

/// Metres from the goal, of the planned controls alone and of the tracker, when `vehicle` is driven and `shake` disturbs it after each step.
fn ends<V: Controlled<N, M>, const N: usize, const M: usize>(
    plan: &Plan<V, N, M>,
    planned: &Planned<V::State, M>,
    weights: &SVector<f64, N>,
    vehicle: &V,
    shake: &mut dyn FnMut(usize, &mut V::State),
) -> [f64; 2] {
    let tracker = plan.tracker(planned, weights).unwrap();
    let goal = plan.vehicle.pose(&plan.goal.state).translation;
    [false, true].map(|tracked| {
        let (mut state, h) = (plan.start, planned.time_step);
        for (k, u) in planned.controls.iter().enumerate() {
            let u = if tracked { tracker.controls(vehicle, k, &state) } else { *u };
            for (control, u) in plan.vehicle.controls().iter().zip(u.iter()) {
                assert!(*u >= control.range[0] && *u <= control.range[1], "{} {u}", control.name);
            }
            state = vehicle.step(&state, &u, k as f64 * h, h).unwrap();
            shake(k, &mut state);
        }
        (vehicle.pose(&state).translation - goal).norm()
    })
}

/// The same gusts for both, whoever asks: a kick for each step.
fn gusts(count: usize, size: f64) -> Vec<Vector3<f64>> {
    let mut random = Random(81);
    (0..count).map(|_| random.vector() * size).collect()
}

#[test]
fn a_helicopter_keeps_to_its_plan() {
    let plan = helicopter(64);
    let planned = solved(&plan);
    let weights = SVector::from_fn(|i, _| if (3..6).contains(&i) { 100.0 } else { 1.0 });
    let kicks = gusts(64, 0.1);
    let mut gust = |k: usize, state: &mut State| state.momentum.linear += state.pose.rotation.inverse() * kicks[k];
    let [open, closed] = ends(&plan, &planned, &weights, &plan.vehicle, &mut gust);
    println!("gusts of up to 0.1 m/s in each of 64 steps: {open:.3} m off, tracked {closed:.4} m");
    assert!(10.0 * closed < open, "{open} {closed}");
    let heavy = flown(Helicopter { mass: 1.1, moments: Helicopter::default().moments * 1.1, ..Helicopter::default() });
    let [open, closed] = ends(&plan, &planned, &weights, &heavy, &mut |_, _| {});
    println!("a tenth heavier: {open:.3} m off, tracked {closed:.4} m");
    assert!(10.0 * closed < open, "{open} {closed}");
}

#[test]
fn a_boat_keeps_to_its_plan() {
    let plan = boat(64);
    let planned = solved(&plan);
    let weights = SVector::from([1e3, 1e3, 1e3, 10.0, 10.0, 10.0]);
    let kicks = gusts(64, 0.1);
    let mut gust = |k: usize, state: &mut PlanarBoatState| state.twist.linear += kicks[k].xz();
    let [open, closed] = ends(&plan, &planned, &weights, &plan.vehicle, &mut gust);
    println!("gusts of up to 0.1 m/s in each of 64 steps: {open:.3} m off, tracked {closed:.4} m");
    assert!(10.0 * closed < open, "{open} {closed}");
    let heavy = PlanarBoat { masses: PlanarBoat::default().masses.map(|mass| 1.1 * mass), moment: 4.4, ..PlanarBoat::default() };
    let [open, closed] = ends(&plan, &planned, &weights, &heavy, &mut |_, _| {});
    println!("a tenth heavier: {open:.3} m off, tracked {closed:.4} m");
    assert!(10.0 * closed < open, "{open} {closed}");
}

/// After the plan the goal is held, and come back to.
#[test]
fn a_helicopter_holds_its_goal() {
    let plan = helicopter(64);
    let planned = solved(&plan);
    let weights = SVector::from_fn(|i, _| if (3..6).contains(&i) { 100.0 } else { 1.0 });
    let tracker = plan.tracker(&planned, &weights).unwrap();
    let (mut state, h) = (plan.goal.state, planned.time_step);
    state.pose.translation += Vector3::new(0.06, -0.05, 0.06);
    let mut off = vec![(state.pose.translation - plan.goal.state.pose.translation).norm()];
    for k in 64..64 + (10.0 / h) as usize {
        state = plan.vehicle.step(&state, &tracker.controls(&plan.vehicle, k, &state), k as f64 * h, h).unwrap();
        off.push((state.pose.translation - plan.goal.state.pose.translation).norm());
    }
    println!("{:.3} m off, after 5 s {:.5} m, after 10 s {:.2e} m", off[0], off[off.len() / 2], off[off.len() - 1]);
    assert!(off[off.len() - 1] < 0.01 * off[0], "{off:?}");
}
