//! The snakeboard: its twin by the general step, multipliers, what no force from outside can do (Kobilarov 2009, Sec. 5.2.2).

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::nonholonomic::{Map, Rule, State};
use holonomy::lie::{Pose2, Twist, Twist2};
use holonomy::nalgebra::{SVector, Vector2, Vector3};
use holonomy::systems::vehicle::{Snakeboard, SnakeboardState};

use crate::nonholonomic::{SNAKEBOARD, derivative_errors, expected_order, orders, snakeboard_by_multipliers, snakeboard_start, torques};
use crate::random::Random;

const POINTS: [f64; 3] = [0.0, 0.5, 1.0];

fn controls(rotor: f64, steering: f64) -> SVector<f64, 2> {
    SVector::<f64, 2>::new(rotor, steering)
}

/// Its mass and measures are those of the plain one.
fn board(point: f64) -> Snakeboard {
    Snakeboard { point, steering_limit: 1.5, ..Snakeboard::default() }
}

fn start() -> SnakeboardState {
    let [steering, rotor_rate, steering_rate, speed] = snakeboard_start();
    SnakeboardState { pose: Pose2::identity(), rotor: 0.0, steering, rotor_rate, steering_rate, speed }
}

#[test]
fn the_general_step_is_its_twin() {
    let mut random = Random(4);
    for point in POINTS {
        let (board, rule) = (board(point), Rule { point, map: Map::ExponentialTruncated });
        let mut state = start();
        let coupling = board.rotor_inertia / (board.mass * board.half_length.powi(2));
        let mut general = State {
            pose: state.pose,
            joints: [0.0, state.steering],
            rates: [state.rotor_rate, state.steering_rate],
            along: [state.speed + coupling * state.steering.sin() * state.rotor_rate],
        };
        for k in 0..200 {
            let u = controls(random.signed(), 0.05 * random.signed() - 0.3 * state.steering - 0.1 * state.steering_rate);
            state = board.step(&state, &u, 0.0, 0.02).unwrap();
            general = rule.step(&SNAKEBOARD, &general, &[u[0], u[1]], 0.02).unwrap();
            let apart = Vector3::from((general.pose.inverse() * state.pose).log()).norm();
            let joints = (general.joints[0] - state.rotor).abs() + (general.joints[1] - state.steering).abs();
            let rates = (general.rates[0] - state.rotor_rate).abs() + (general.rates[1] - state.steering_rate).abs();
            let speed = (general.along[0] - coupling * state.steering.sin() * state.rotor_rate - state.speed).abs();
            // Measured: 4e-14 after 200 steps.
            assert!(apart + joints + rates + speed < 1e-12, "{point} {k}: {apart} {joints} {rates} {speed}");
        }
    }
}

fn ride(board: &Snakeboard, steps: usize, duration: f64) -> (SnakeboardState, f64) {
    let (h, mut state, mut work) = (duration / steps as f64, start(), 0.0);
    for k in 0..steps {
        let [rotor, steering] = torques((k as f64 + 0.5) * h);
        let next = board.step(&state, &controls(rotor, steering), 0.0, h).unwrap();
        work += rotor * (next.rotor - state.rotor) + steering * (next.steering - state.steering);
        state = next;
    }
    (state, work)
}

#[test]
fn it_follows_its_multipliers() {
    let (q, v) = snakeboard_by_multipliers(&SNAKEBOARD, 4.0);
    // Inertias that the reference does not have.
    let faults = [Snakeboard { rotor_inertia: 0.3, ..board(0.5) }, Snakeboard { wheel_inertia: 0.04, ..board(0.5) }];
    let off = |board: &Snakeboard, steps: usize| {
        let (s, _) = ride(board, steps, 4.0);
        let place = (s.pose.translation - Vector2::new(q[3], q[4])).norm() + (s.pose.angle() - q[2]).sin().abs();
        let rates = (Vector2::new(s.rotor_rate, s.steering_rate) - Vector2::new(v[0], v[1])).norm();
        place + (s.rotor - q[0]).abs() + (s.steering - q[1]).abs() + rates
    };
    for point in POINTS {
        let errors: Vec<f64> = [80, 160, 320, 640].map(|steps| off(&board(point), steps)).into();
        let measured = orders(&errors);
        // Measured at 640 steps: 1.2e-4 for α = ½, else 1.3e-2 and 2.2e-2; orders 2.00, and 1.00 to 1.04.
        assert!(measured.iter().all(|o| (o - expected_order(point)).abs() < 0.15), "{point}: {errors:?} {measured:?}");
    }
    // Measured: 1.8 and 6.4.
    assert!(faults.iter().all(|fault| off(fault, 640) > 0.1));
}

#[test]
fn torques_do_the_work() {
    let before = board(0.5).kinetic_energy(&start());
    let off = |steps: usize| {
        let (end, work) = ride(&board(0.5), steps, 4.0);
        assert!(work > 0.4);
        (board(0.5).kinetic_energy(&end) - before - work).abs()
    };
    let errors: Vec<f64> = [80, 160, 320, 640].map(off).into();
    let measured = orders(&errors);
    // Measured: 3.5e-7 of 0.483 J at 640 steps, orders 2.00.
    assert!(errors[3] < 1e-6 && measured.iter().all(|o| (o - 2.0).abs() < 0.15), "{errors:?} {measured:?}");
}

#[test]
fn twisting_and_steering_in_turn_speed_it_up_from_rest() {
    // The wheels follow the rotor's twist by a quarter of its period; nothing but the ground's wheels holds on to anything.
    let board = Snakeboard::default();
    let run = |sign: f64, phase: f64| {
        let (h, rate, mut state) = (0.01, 3.0_f64, board.at(&Pose2::identity().level(0.0), &Twist::zero()));
        for k in 0..2000 {
            let t = k as f64 * h;
            let wanted = sign * 0.5 * (rate * t + phase).sin();
            let steering = 0.04 * (rate * rate * (wanted - state.steering) * 4.0 - 4.0 * rate * state.steering_rate);
            state = board.step(&state, &controls(0.8 * (rate * t).sin(), steering), 0.0, h).unwrap();
        }
        state.speed
    };
    let forward = run(1.0, 0.5);
    // Measured: −4.04, which is 2.4 m/s forward; turned feet go the other way by as much (0), straight feet nowhere (0).
    assert!(forward < -3.0, "{forward}");
    assert!((forward + run(-1.0, 0.5)).abs() < 1e-10);
    assert!(run(0.0, 0.0).abs() < 1e-14);
}

#[test]
fn a_rotor_that_turns_evenly_leaves_the_speed_alone() {
    // Feet still, no torque: λ, ψ' and the circle stay.
    let state = SnakeboardState { steering_rate: 0.0, ..start() };
    let mut now = state;
    for _ in 0..200 {
        now = board(0.5).step(&now, &controls(0.0, 0.0), 0.0, 0.03).unwrap();
    }
    // Measured: 3e-16 and 2e-15.
    assert!((now.speed - state.speed).abs() < 1e-13 && (now.rotor_rate - state.rotor_rate).abs() < 1e-13);
    let turn = 6.0 * state.speed * state.steering.sin();
    let expected = Pose2::exp(&Twist2::new(turn, Vector2::new(-6.0 * state.speed * 0.6 * state.steering.cos(), 0.0)));
    assert!((now.pose.translation - expected.translation).norm() < 1e-12);
}

#[test]
fn wheels_do_not_slip() {
    let mut random = Random(22);
    let (board, mut state) = (Snakeboard::default(), start());
    for _ in 0..500 {
        let next = board.step(&state, &controls(random.signed(), 0.05 * random.signed() - 0.1 * state.steering), 0.0, 0.02).unwrap();
        let moved = (state.pose.inverse() * next.pose).log();
        let middle = 0.5 * (state.steering + next.steering);
        // Each pair of wheels, at ±l, moves along itself.
        for side in [1.0, -1.0] {
            let at = Vector2::new(-side * board.half_length, 0.0);
            let velocity = moved.linear + Vector2::new(-at.y, at.x) * moved.angular;
            let across = Vector2::new(-(side * middle).sin(), (side * middle).cos());
            // Measured: 1e-15.
            assert!(velocity.dot(&across).abs() < 1e-14);
        }
        state = next;
    }
}

#[test]
fn every_derivative_is_exact() {
    let mut random = Random(79);
    let (mut first, mut second) = (0.0_f64, 0.0_f64);
    for i in 0..30 {
        let board = board(POINTS[i % 3]);
        // One in five runs into the stop.
        let steering = if i % 5 == 0 { 1.48 } else { random.signed() };
        let state = SnakeboardState {
            pose: Pose2::exp(&Twist2::from(random.column::<3>())),
            rotor: random.signed(),
            steering,
            rotor_rate: 2.0 * random.signed(),
            steering_rate: if i % 5 == 0 { 2.0 } else { random.signed() },
            speed: 2.0 * random.signed(),
        };
        let (a, b) = derivative_errors(&board, &state, &(random.column::<2>() * 0.1), 0.08, &random.column());
        (first, second) = (first.max(a), second.max(b));
    }
    // Measured: 3e-10 and 3e-8, what the differences are good for.
    assert!(first < 2e-9 && second < 2e-7, "{first} {second}");
}

#[test]
fn its_feet_stop_at_their_limit() {
    let board = Snakeboard::default();
    let mut state = SnakeboardState { steering: 1.1, steering_rate: 3.0, ..start() };
    for _ in 0..5 {
        state = board.step(&state, &controls(0.5, 0.3), 0.0, 0.05).unwrap();
        assert!(state.steering == board.steering_limit && state.steering_rate == 0.0);
    }
    let back = board.step(&state, &controls(0.0, -0.3), 0.0, 0.05).unwrap();
    assert!(back.steering < board.steering_limit);
}

#[test]
fn it_stands_on_level_ground() {
    let board = Snakeboard::default();
    let pose = Pose2::from_angle_translation(-0.4, Vector2::new(1.0, 2.0)).level(0.0);
    let state = board.at(&pose, &Twist::new(Vector3::new(0.1, 2.0, 0.0), Vector3::new(1.2, 0.0, 0.3)));
    assert!((board.twist(&state).linear - Vector3::new(1.2, 0.0, 0.0)).norm() < 1e-15);
    assert!((board.pose(&state).translation - pose.translation).norm() < 1e-15);
    assert!((board.kinetic_energy(&state) - 0.5 * 2.0 * 1.44).abs() < 1e-14);
    // Momentum along the nose, which world momentum turns with it.
    assert!((pose.rotation.inverse() * board.momentum(&state).linear - Vector3::new(2.4, 0.0, 0.0)).norm() < 1e-14);
    assert!(board.validate().is_ok() && Snakeboard { rotor_inertia: 0.8, ..board }.validate().is_err());
    assert!(Snakeboard { steering_limit: 1.6, ..board }.validate().is_err());
}
