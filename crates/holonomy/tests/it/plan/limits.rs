//! What must hold all the way: limits, obstacles; and what cannot be.

use std::ops::ControlFlow;

use holonomy::Error;
use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::driven::{Figure, Moment};
use holonomy::lie::{Pose, Pose2, Twist};
use holonomy::medium::ground::{Ground, HeightField};
use holonomy::medium::obstacle::Obstacle;
use holonomy::motion::Outcome;
use holonomy::nalgebra::{UnitQuaternion, Vector2, Vector3};
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::plan::{Duration, Plan, Planned, Verdict};
use holonomy::systems::vehicle::Helicopter;

use super::mass::{InSpace, Mass};
use super::{boat, car, column, flown, go, helicopter, solved};

/// A mass that goes 10 m along z in 4 s, at the height 1 m.
fn across() -> Plan<InSpace, 6, 3> {
    let mut plan = Plan::new(Mass::UNIT, Mass::at_rest([0.0, 1.0, 0.0]), Mass::at_rest([0.0, 1.0, 10.0]), 4.0, 40);
    plan.cost.effort = vec![1.0; 3];
    plan.hull = vec![(Vector3::zeros(), 0.2), (Vector3::new(0.0, 0.0, 0.3), 0.1)];
    plan
}

/// Least distance of the hull from all obstacles, at the nodes.
fn clearance<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>, planned: &Planned<V::State, M>) -> f64 {
    let of = |state: &V::State| {
        let pose = plan.vehicle.pose(state);
        let ball = |(point, radius): &(Vector3<f64>, f64)| {
            plan.obstacles.iter().map(|obstacle| obstacle.distance(&pose.act(point)).value - radius).fold(f64::INFINITY, f64::min)
        };
        plan.hull.iter().map(ball).fold(f64::INFINITY, f64::min)
    };
    planned.states.iter().map(of).fold(f64::INFINITY, f64::min)
}

fn hill() -> Obstacle {
    let height = |x: f64, z: f64| 2.5 * (-(x * x + (z - 5.0).powi(2)) / 4.0).exp();
    Obstacle::Ground(Ground::HeightField(HeightField::from_fn([40.0, 40.0], 0.2, height).unwrap()))
}

#[test]
fn obstacles_are_kept_clear_of() {
    let turned = Pose { rotation: UnitQuaternion::from_euler_angles(0.2, 0.6, 0.1), translation: Vector3::new(0.3, 1.0, 5.0) };
    for (name, obstacle) in [
        ("ball", Obstacle::Sphere { center: Vector3::new(0.2, 0.8, 5.0), radius: 1.5 }),
        ("box", Obstacle::Box { pose: turned, half: Vector3::new(1.0, 2.0, 0.6) }),
        ("column", column(-0.3, -5.0, 1.2)),
        ("hill", hill()),
    ] {
        let mut plan = across();
        if name == "hill" {
            // How far hills are is known to first order: exactly, where they are touched.
            plan.hull = vec![(Vector3::zeros(), 0.0)];
        }
        let straight = solved(&plan);
        plan.obstacles = vec![obstacle];
        let touched = clearance(&plan, &straight);
        let planned = solved(&plan);
        let clear = clearance(&plan, &planned);
        println!("{name}: clearance {clear:.1e}, straight {touched:.2}; cost {:.4}, straight {:.4}", planned.cost, straight.cost);
        assert!(touched < -0.1, "{name} is not in the way: {touched}");
        assert!(clear >= -1e-8, "{name}: {clear:e}");
        assert!(clear < 0.1, "{name}: a way that costs least touches what is in the way, {clear}");
        assert!(planned.cost > straight.cost, "{name}");
    }
}

/// A tall column in the way is passed where it is nearer to the straight way, whichever side that is.
#[test]
fn the_better_side_is_found() {
    let mut costs = Vec::new();
    for aside in [0.5, -0.5] {
        let mut plan = across();
        // World x is `aside`: the column stands there, and the way goes along x = 0.
        plan.obstacles = vec![column(aside, -5.0, 1.2)];
        let planned = solved(&plan);
        let x = planned.states[20][0];
        println!("column at x = {aside}: passed at x = {x:.3}, cost {:.5}", planned.cost);
        assert!(x * aside < 0.0, "column at {aside} is passed at {x}");
        costs.push(planned.cost);
        // The other side, by a place to go through first, is dearer.
        plan.via = vec![Vector3::new(aside * 5.0, 1.0, 5.0)];
        let around = solved(&plan);
        println!("the other side: x = {:.3}, cost {:.5}", around.states[20][0], around.cost);
        assert!(around.states[20][0] * aside > 0.0 && around.cost > planned.cost);
    }
    assert!((costs[0] / costs[1] - 1.0).abs() < 1e-6, "mirror images cost the same: {costs:?}");
}

#[test]
fn a_helicopter_flies_around_a_tower_and_over_a_hill() {
    for (name, obstacle) in [("column", column(2.0, -4.0, 1.0)), ("hill", hill())] {
        let mut plan = helicopter(40);
        plan.duration = Duration::Fixed(5.0);
        plan.start = plan.vehicle.at(&Pose { translation: Vector3::new(0.0, 1.0, 0.0), ..Pose::identity() }, &Twist::zero());
        plan.hull = vec![(Vector3::zeros(), 0.5)];
        plan.obstacles = vec![obstacle];
        let planned = solved(&plan);
        println!("{name}: clearance {:.1e}, cost {:.4}, {} iterations", clearance(&plan, &planned), planned.cost, planned.iterations);
        assert!(clearance(&plan, &planned) >= -1e-8);
    }
}

#[test]
fn limits_hold() {
    // Speed: 10 m in 4 s needs 2.5 m/s at least, and 3.75 m/s where effort is least.
    let mut plan = across();
    let fastest = |planned: &Planned<_, 3>| planned.states.iter().map(|s| plan.vehicle.twist(s).linear.norm()).fold(0.0, f64::max);
    assert!(fastest(&solved(&plan)) > 3.7);
    let mut slow = plan.clone();
    slow.limits.speed = Some(3.0);
    let speed = fastest(&solved(&slow));
    println!("speed {speed}");
    assert!(speed <= 3.0 + 1e-8 && speed > 2.99, "{speed}");

    // Controls: tighter than those of the vehicle.
    plan.limits.controls = vec![[-0.1, 0.1], [-0.1, 0.1], [-3.0, 3.0]];
    let pushed = solved(&plan).controls.iter().map(|u| u.z.abs()).fold(0.0, f64::max);
    println!("force {pushed}");
    assert!(pushed <= 3.0 + 1e-8 && pushed > 2.999, "{pushed}");

    // A joint: the car's steering.
    let mut car = car(40);
    car.obstacles.clear();
    let turned = |planned: &Planned<_, 2>, car: &Plan<_, 5, 2>| planned.states.iter().map(|s| steering(car, s).abs()).fold(0.0, f64::max);
    let free = turned(&solved(&car), &car);
    car.limits.joints = vec![[-0.5 * free, 0.5 * free]];
    let bounded = turned(&solved(&car), &car);
    println!("steering {free} rad, then {bounded} rad");
    assert!(bounded <= 0.5 * free + 1e-8 && bounded > 0.49 * free);

    // A room: who starts sideways strays, as far as he may.
    let mut plan = across();
    plan.start[3] = 2.0;
    let aside = |planned: &Planned<_, 3>| planned.states.iter().map(|s| place(&plan, s).x).fold(0.0, f64::max);
    let open = aside(&solved(&plan));
    let far = Vector3::repeat(f64::INFINITY);
    let mut narrow = plan.clone();
    narrow.limits.region = Some([-far, Vector3::new(0.8 * open, f64::INFINITY, f64::INFINITY)]);
    let kept = aside(&solved(&narrow));
    println!("aside {open} m, then {kept} m");
    assert!(open > 0.5 && kept <= 0.8 * open + 1e-8 && kept > 0.79 * open, "{open} {kept}");
}

fn steering<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>, state: &V::State) -> f64 {
    plan.vehicle.joints(state)[0]
}

fn place<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>, state: &V::State) -> Vector3<f64> {
    plan.vehicle.pose(state).translation
}

/// Metres from node to node.
fn way<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>, planned: &Planned<V::State, M>) -> f64 {
    planned.states.windows(2).map(|pair| (place(plan, &pair[1]) - place(plan, &pair[0])).norm()).sum()
}

#[test]
fn distance_and_steering_can_be_dear() {
    let mut boat = boat(40);
    let strayed = way(&boat, &solved(&boat));
    boat.cost.distance = 500.0;
    let direct = way(&boat, &solved(&boat));
    println!("the boat goes {strayed:.3} m, {direct:.3} m where distance is dear");
    assert!(direct < 0.99 * strayed);

    let mut car = car(40);
    let effort = |planned: &Planned<_, 2>, car: &Plan<_, 5, 2>| -> f64 {
        planned.states.iter().map(|state| steering(car, state).powi(2)).sum::<f64>() * planned.time_step
    };
    let loose = effort(&solved(&car), &car);
    car.cost.joints = vec![20.0];
    let stiff = effort(&solved(&car), &car);
    println!("the car's steering, squared, over time: {loose:.4}, {stiff:.4} where it is dear");
    assert!(stiff < 0.95 * loose);
}

#[test]
fn what_is_out_of_reach_comes_as_near_as_it_can() {
    let craft = flown(Helicopter::default());
    let goal = Pose { translation: Vector3::new(0.0, 0.0, 1000.0), ..Pose::identity() };
    let plan = Plan::new(craft, craft.at(&Pose::identity(), &Twist::zero()), craft.at(&goal, &Twist::zero()), 1.0, 32);
    let planned = plan.solve(&mut go).unwrap();
    println!("1 km in 1 s: {:?}, dynamics {:.1e}, limits {:.1e}", planned.verdict, planned.dynamics, planned.limits);
    let Verdict::OutOfReach { distance, .. } = planned.verdict else { panic!("{:?}", planned.verdict) };
    let last = planned.states.last().unwrap();
    assert!((distance - (last.pose.translation - goal.translation).norm()).abs() < 1e-9);
    assert!(distance > 980.0 && distance < 1000.0, "{distance}"); // 999.6
    assert!(planned.dynamics <= 1e-5 && planned.limits <= 1e-8, "{:e} {:e}", planned.dynamics, planned.limits); // 2e-7, 0
    assert!(planned.states.iter().all(|state| state.pose.is_finite()));

    // In closed form: full ahead all the time brings a mass ½ a T² nearer, where only its place counts.
    let mass = InSpace { mass: 1.0, most_force: 2.0 };
    let mut plan = Plan::new(mass, Mass::at_rest([0.0; 3]), Mass::at_rest([0.0, 0.0, 100.0]), 3.0, 30);
    plan.goal.fixed = [true, true, true, false, false, false];
    let planned = plan.solve(&mut go).unwrap();
    println!("100 m in 3 s at 2 m/s²: {:?}", planned.verdict);
    let Verdict::OutOfReach { distance, .. } = planned.verdict else { panic!("{:?}", planned.verdict) };
    assert!((distance - 91.0).abs() < 0.01, "{distance}");

    // The message does not claim that there is no way: three guesses cannot know.
    let Outcome::OutOfReach { reason } = plan.run(&Dot, 1, &mut go).unwrap().outcome else { panic!("it was found") };
    println!("{reason}");
    for words in ["from the plan's first guesses", "does not show that there is none", "`via`", "more time", "intervals"] {
        assert!(reason.contains(words), "{words} is missing: {reason}");
    }
}

/// Looks like a point.
struct Dot;

impl Figure for Dot {
    fn shape(&self, _: &[Moment], _: f64) -> Result<Clip, Error> {
        Clip::new(Topology::Points, Playback::Loop, 0.1, 1, vec![Vector3::zeros()])
    }
}

/// What is wrong, as the error says it.
fn refusal<V: Controlled<N, M>, const N: usize, const M: usize>(plan: &Plan<V, N, M>) -> String {
    let error: Error = plan.solve(&mut go).unwrap_err();
    println!("{error}");
    error.to_string()
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let of = |change: fn(&mut Plan<InSpace, 6, 3>)| {
        let mut plan = across();
        change(&mut plan);
        refusal(&plan)
    };
    let ball = |z: f64| Obstacle::Sphere { center: Vector3::new(0.0, 1.0, z), radius: 1.0 };
    let mut inside = across();
    inside.obstacles = vec![ball(0.5)];
    assert!(refusal(&inside).contains("start"));
    inside.obstacles = vec![ball(9.5)];
    assert!(refusal(&inside).contains("goal"));
    assert!(of(|plan| plan.limits.controls = vec![[1.0, -1.0]]).contains("control"));
    assert!(of(|plan| plan.limits.region = Some([Vector3::repeat(2.0), Vector3::repeat(20.0)])).contains("start"));
    assert!(of(|plan| plan.limits.region = Some([Vector3::repeat(-5.0), Vector3::repeat(5.0)])).contains("goal"));
    assert!(of(|plan| plan.vehicle.mass = 0.0).contains("mass"));
    assert!(of(|plan| plan.vehicle.mass = f64::NAN).contains("mass"));
    for intervals in [0, 1] {
        let mut plan = across();
        plan.intervals = intervals;
        assert!(refusal(&plan).contains("intervals"));
    }
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut plan = across();
        plan.duration = Duration::Fixed(seconds);
        assert!(refusal(&plan).contains("duration"));
    }
    assert!(of(|plan| plan.duration = Duration::Free { least: 3.0, most: 2.0 }).contains("duration"));
    assert!(of(|plan| plan.cost.effort = vec![1.0, -1.0, 1.0]).contains("weight"));
    assert!(of(|plan| plan.cost.effort = vec![f64::NAN; 3]).contains("weight"));
    assert!(of(|plan| plan.cost.effort.clear()).contains("weight"));
    assert!(of(|plan| plan.cost.time = -1.0).contains("weight"));
    assert!(of(|plan| plan.cost.distance = f64::NAN).contains("weight"));
    assert!(of(|plan| plan.limits.speed = Some(-1.0)).contains("speed"));
    assert!(of(|plan| plan.limits.speed = Some(f64::NAN)).contains("speed"));
    assert!(of(|plan| plan.tolerance = 0.0).contains("tolerance"));
    assert!(of(|plan| plan.tolerance = f64::NAN).contains("tolerance"));
    assert!(of(|plan| plan.start[1] = f64::NAN).contains("start"));
    assert!(of(|plan| plan.goal.state[4] = f64::NAN).contains("goal"));
    assert!(of(|plan| plan.hull[0].1 = -1.0).contains("hull"));
    assert!(of(|plan| plan.obstacles = vec![Obstacle::Sphere { center: Vector3::zeros(), radius: f64::NAN }]).contains("obstacle"));
    assert!(of(|plan| plan.via = vec![Vector3::new(f64::NAN, 0.0, 0.0)]).contains("go through"));
    assert!(of(|plan| plan.limits.region = Some([Vector3::repeat(f64::NAN), Vector3::repeat(5.0)])).contains("region"));
    let mut car = car(16);
    car.limits.joints = vec![[0.5, 0.4]];
    assert!(refusal(&car).contains("joint"));
    car.limits.joints = vec![[0.1, 0.4]];
    assert!(refusal(&car).contains("start"));
    let heavy = Helicopter { mass: 0.0, ..Helicopter::default() };
    assert!(holonomy::integrate::piloted::Piloted::new(heavy).unwrap_err().to_string().contains("mass"));
}

#[test]
fn what_is_stopped_is_kept() {
    let plan = helicopter(64);
    for most in [0, 1, 3, 10, 20] {
        let mut calls = 0;
        let planned = plan
            .solve(&mut |_, _| {
                calls += 1;
                if calls > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        println!("stopped after {most}: {:?} after {} iterations, cost {:.4}", planned.verdict, planned.iterations, planned.cost);
        assert_eq!(planned.verdict, Verdict::Interrupted);
        assert!(planned.iterations <= most && planned.cost.is_finite());
        assert!(planned.states.iter().all(|state| state.pose.is_finite() && state.momentum.angular.iter().all(|x| x.is_finite())));
        assert!(planned.controls.iter().all(|u| u.iter().all(|x| x.is_finite())));
        assert_eq!(planned.states.len(), planned.controls.len() + 1);
    }
}

#[test]
fn the_goal_may_leave_something_open() {
    // Where the boat ends is asked for, its heading and speed are not: that can only be cheaper.
    let mut plan = boat(40);
    let all = solved(&plan);
    plan.goal.fixed = [false, true, true, false, false, false];
    let place_only = plan.solve(&mut go).unwrap();
    println!("cost {:.3}, of the place alone {:.3}, {:?}", all.cost, place_only.cost, place_only.verdict);
    assert_eq!(place_only.verdict, Verdict::Solved);
    assert!(place_only.cost < all.cost);
    let end = Pose2::from_angle_translation(0.0, Vector2::new(10.0, 6.0)).level(0.0).translation;
    let off = (place(&plan, place_only.states.last().unwrap()) - end).norm();
    println!("off by {off:e}");
}
