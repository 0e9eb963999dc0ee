//! Plans: against closed forms, against other people's solver, and against the equations they promise to hold to.

mod fleet;
mod limits;
mod mass;
mod own;
mod tracking;

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::piloted::Piloted;
use holonomy::integrate::variational::{ForcePoint, Retraction};
use holonomy::lie::{Pose, Pose2, Twist};
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::{SVector, UnitQuaternion, Vector2, Vector3};
use holonomy::systems::plan::{Duration, Plan, Planned, Verdict};
use holonomy::systems::vehicle::{Car, Helicopter, PlanarBoat, Underwater};

use mass::{Mass, OnALine};

pub fn go(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A craft as plans step it: as the paper's.
pub fn flown<C: holonomy::integrate::craft::Craft<M>, const M: usize>(craft: C) -> Piloted<C> {
    Piloted::new(craft).unwrap().stepping(Retraction::Truncated, ForcePoint::Start)
}

/// The peers' helicopter: 8 m ahead, 4 m to the left, 3 m up, a quarter turn to the left, from rest to rest in 3.5 s.
pub fn helicopter(intervals: usize) -> Plan<Piloted<Helicopter>, 12, 4> {
    let craft = flown(Helicopter::default());
    let goal = Pose { rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2), translation: Vector3::new(4.0, 3.0, 8.0) };
    let (start, goal) = (craft.at(&Pose::identity(), &Twist::zero()), craft.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(craft, start, goal, 3.5, intervals);
    plan.cost.effort = vec![1.0 / (9.81f64 * 9.81), 1.0, 10.0, 10.0];
    plan
}

/// The peers' boat: docking in a wind that is not the same everywhere.
pub fn boat(intervals: usize) -> Plan<PlanarBoat, 6, 2> {
    let boat = PlanarBoat::default();
    let goal = Pose2::from_angle_translation(FRAC_PI_2, Vector2::new(10.0, 6.0)).level(0.0);
    let (start, goal) = (boat.at(&Pose::identity(), &Twist::zero()), boat.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(boat, start, goal, 20.0, intervals);
    plan.cost.effort = vec![1.0, 1.0];
    plan
}

/// A round column that stands in the plane, as tall as need be.
pub fn column(x: f64, y: f64, radius: f64) -> Obstacle {
    Obstacle::Cylinder { from: Vector3::new(x, -50.0, -y), to: Vector3::new(x, 50.0, -y), radius }
}

/// The peers' car: parking beside two columns, the steering bounded.
pub fn car(intervals: usize) -> Plan<Car, 5, 2> {
    // The peers take the steering at the end of a step.
    let car = Car { point: 1.0, ..Car::default() };
    let goal = Pose2::from_angle_translation(0.0, Vector2::new(10.0, 3.0)).level(0.0);
    let (start, goal) = (car.at(&Pose::identity(), &Twist::zero()), car.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(car, start, goal, 10.0, intervals);
    plan.cost.effort = vec![1.0, 1.0];
    plan.limits.joints = vec![[-1f64.atan(), 1f64.atan()]];
    plan.obstacles = vec![column(3.5, 0.4, 0.9), column(6.8, 2.4, 0.9)];
    plan
}

/// Holds a plan to what it promises, by the vehicle's own step: gaps, controls, goal. What the worst of these is.
pub fn held<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>, planned: &Planned<V::State, M>) -> f64 {
    let h = planned.time_step;
    let mut worst = plan.vehicle.difference(&plan.start, &planned.states[0]).amax();
    for (k, u) in planned.controls.iter().enumerate() {
        let next = plan.vehicle.step(&planned.states[k], u, k as f64 * h, h).unwrap();
        worst = worst.max(plan.vehicle.difference(&planned.states[k + 1], &next).amax());
        for (i, control) in plan.vehicle.controls().iter().enumerate() {
            let [low, high] = plan.limits.controls.get(i).copied().unwrap_or(control.range);
            worst = worst.max(low - u[i]).max(u[i] - high);
        }
    }
    for state in &planned.states {
        let pose = plan.vehicle.pose(state);
        for (obstacle, (point, radius)) in plan.obstacles.iter().flat_map(|obstacle| plan.hull.iter().map(move |ball| (obstacle, ball))) {
            worst = worst.max(radius - obstacle.distance(&pose.act(point)).value);
        }
    }
    let miss = plan.vehicle.difference(&plan.goal.state, planned.states.last().unwrap());
    (0..N).filter(|&i| plan.goal.fixed[i]).map(|i| miss[i].abs()).fold(worst, f64::max)
}

/// Where the planned controls lead, without anything else of the plan.
pub fn replayed<V: Controlled<N, M>, const N: usize, const M: usize>(
    vehicle: &V,
    start: &V::State,
    planned: &Planned<V::State, M>,
) -> V::State {
    let h = planned.time_step;
    planned.controls.iter().enumerate().fold(*start, |state, (k, u)| vehicle.step(&state, u, k as f64 * h, h).unwrap())
}

pub fn solved<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>) -> Planned<V::State, M> {
    let planned = plan.solve(&mut go).unwrap();
    assert_eq!(planned.verdict, Verdict::Solved, "off by {:e} {:e} {:e}", planned.dynamics, planned.limits, planned.goal);
    let held = held(plan, &planned);
    assert!(held <= 1e-8, "a plan that calls itself solved is off by {held:e}");
    planned
}

/// A unit mass along a line, from rest to rest over a metre in a second, at the cost ½ force².
fn line(intervals: usize) -> Plan<OnALine, 2, 1> {
    let mut plan = Plan::new(Mass::UNIT, Mass::at_rest([0.0]), Mass::at_rest([1.0]), 1.0, intervals);
    plan.cost.effort = vec![0.5];
    plan
}

/// With forces that are constant in each of n intervals, u = c ((n−1)/2 − k) and c such that Σ h² u (n−k−½) = 1: the cost ½ h Σ u² is 6n²/(n²−1).
#[test]
fn a_mass_on_a_line_has_the_known_cost() {
    let mut errors = Vec::new();
    // From 48 intervals on the plan is a coarse one made finer.
    for n in [4, 8, 16, 64, 200] {
        let planned = solved(&line(n));
        let square = (n * n) as f64;
        let off = planned.cost - 6.0 * square / (square - 1.0);
        println!("{n} intervals: cost {:.12}, off by {off:.1e} in {} iterations", planned.cost, planned.iterations);
        assert!(off.abs() < 1e-9, "{n}: {off:e}");
        let slope = 12.0 * square / (square - 1.0);
        for (k, u) in planned.controls.iter().enumerate() {
            let expected = slope * ((n as f64 - 1.0) / 2.0 - k as f64) / n as f64;
            assert!((u[0] - expected).abs() < 1e-7, "{n} {k}: {} is not {expected}", u[0]);
        }
        errors.push(planned.cost - 6.0);
    }
    for pair in errors[..3].windows(2) {
        let order = (pair[0] / pair[1]).log2();
        println!("order {order:.3}");
        assert!((order - 2.0).abs() < 0.1, "{order}"); // 2.07, 2.02
    }
}

/// The peer is CasADi with IPOPT, given the same discrete equations (its figures are to six digits). Its helicopter is the same plan. From its one first guess its
/// boat and its car end in worse local optima. Ours of the boat hold in its equations to 4e-15, and started there it stays (233.608311, 244.785420); from a guess with a
/// bow its car finds ours (0.815903 with 64 intervals). Nor are ours the least of all: a boat that turns by −270° costs 235.654 and 233.094.
#[test]
fn costs_are_no_more_than_the_peers() {
    let mut rows = Vec::new();
    for (n, peers) in [(64, [0.56419, 260.987, 1.721]), (200, [0.56118, 265.046, 1.731])] {
        let (helicopter, boat, car) = (solved(&helicopter(n)), solved(&boat(n)), solved(&car(n)));
        for (name, cost, iterations, peer) in [
            ("helicopter", helicopter.cost, helicopter.iterations, peers[0]),
            ("boat", boat.cost, boat.iterations, peers[1]),
            ("car", car.cost, car.iterations, peers[2]),
        ] {
            println!("{name}, {n} intervals: {cost:.6} in {iterations} iterations, peer {peer}");
            rows.push((name, n, cost, peer));
        }
    }
    for (name, n, cost, peer) in rows {
        assert!(cost <= 1.01 * peer, "{name}, {n}: {cost} where the peer found {peer}");
        // The same plan, so the same cost: the peer's is told to five digits.
        assert!(name != "helicopter" || (cost - peer).abs() < 1e-5, "{name}, {n}: {cost} where the peer found {peer}");
    }
}

#[test]
fn the_planned_controls_lead_to_the_planned_end() {
    let (helicopter, boat, car) = (helicopter(64), boat(64), car(64));
    let (flown, sailed, driven) = (solved(&helicopter), solved(&boat), solved(&car));
    let ends = [
        helicopter.vehicle.difference(&helicopter.goal.state, &replayed(&helicopter.vehicle, &helicopter.start, &flown)).amax(),
        boat.vehicle.difference(&boat.goal.state, &replayed(&boat.vehicle, &boat.start, &sailed)).amax(),
        car.vehicle.difference(&car.goal.state, &replayed(&car.vehicle, &car.start, &driven)).amax(),
    ];
    println!("helicopter, boat and car end off by {ends:?} when driven by the planned controls");
    assert!(ends.iter().all(|&off| off < 1e-8), "{ends:?}");
}

/// Least time over d metres with at most the acceleration a is 2√(d/a): full ahead, then full back. With an even number of intervals this is one of the plans.
#[test]
fn a_mass_in_a_hurry_goes_full_ahead_and_full_back() {
    let (distance, most) = (3.0f64, 0.75);
    let mass = OnALine { mass: 1.0, most_force: most };
    let mut plan = Plan::new(mass, Mass::at_rest([0.0]), Mass::at_rest([distance]), 1.0, 40);
    plan.duration = Duration::Free { least: 0.5, most: 30.0 };
    plan.cost.time = 1.0;
    let least = 2.0 * (distance / most).sqrt();
    let mut before = f64::INFINITY;
    for (effort, within) in [(1.0, 0.6), (1e-2, 0.03), (1e-4, 1e-3)] {
        plan.cost.effort = vec![effort];
        let seconds = solved(&plan).time_step * 40.0;
        println!("effort {effort}: {seconds:.6} s, at least {least}");
        assert!(seconds >= least - 1e-7 && seconds < before && seconds / least - 1.0 < within, "{effort}: {seconds}");
        before = seconds;
    }
}

#[test]
fn free_time_ends_at_its_bounds() {
    let mut plan = line(24);
    plan.duration = Duration::Free { least: 0.8, most: 5.0 };
    // Effort alone: the longer the cheaper.
    let slow = solved(&plan);
    println!("effort alone: {} s", 24.0 * slow.time_step);
    assert!((24.0 * slow.time_step - 5.0).abs() < 1e-5, "{}", 24.0 * slow.time_step);
    // Effort falls as 1/T³, 6 at one second: with 18 per second T is 1 s but for 1/n² of it; with far more it is at its bound.
    plan.cost.time = 18.0;
    let weighed = solved(&plan);
    let expected = (576f64 / 575.0).powf(0.25);
    println!("18 per second: {} s, expected {expected}", 24.0 * weighed.time_step);
    assert!((24.0 * weighed.time_step - expected).abs() < 1e-6);
    plan.cost.time = 1e3;
    let fast = solved(&plan);
    println!("1000 per second: {} s", 24.0 * fast.time_step);
    assert!((24.0 * fast.time_step - 0.8).abs() < 1e-6);
}

#[test]
fn a_helicopter_in_a_hurry_is_there_before() {
    let mut plan = helicopter(40);
    plan.duration = Duration::Free { least: 1.0, most: 8.0 };
    plan.cost.time = 1.0;
    let free = solved(&plan);
    plan.duration = Duration::Fixed(3.5);
    let fixed = solved(&plan);
    println!("{} s at {}, {} s at {}", 40.0 * free.time_step, free.cost, 3.5, fixed.cost);
    assert!(free.time_step < fixed.time_step && free.cost < fixed.cost);
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

#[test]
fn derivatives_of_a_torpedos_step() {
    // Its inertia is not diagonal, and it weighs 33 kg.
    let craft = flown(Underwater::default());
    let pose = Pose::exp(&Twist::new(Vector3::new(0.3, -0.5, 0.2), Vector3::new(1.0, 2.0, -0.5)));
    for speed in [1.0, 1e-2, 0.0] {
        let twist = Twist::new(Vector3::new(0.2, -0.3, 0.1), Vector3::new(0.2, 0.1, 1.0)) * speed;
        let worst = derivatives_hold(&craft, &craft.at(&pose, &twist), &SVector::from([11.0, 0.4, 1.5, -0.1, 2.0]), 0.5);
        println!("at {speed} of its speed {worst:?}");
        assert!(worst[0] < 1e-6 && worst[1] < 1e-4, "{speed} {worst:?}");
    }
}
