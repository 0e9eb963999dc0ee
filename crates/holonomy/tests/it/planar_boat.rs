//! A boat in the plane: its step is the paper's discrete equation to round-off, its derivatives are those of the step (Kobilarov 2009, Secs. 4.3.2 and 6).

use holonomy::Error;
use holonomy::integrate::controlled::{Controlled, Curvature};
use holonomy::lie::{Pose2, Twist, Twist2};
use holonomy::nalgebra::{Matrix2, SMatrix, SVector, Vector2, Vector3};
use holonomy::systems::vehicle::{PlanarBoat, PlanarBoatState};

use crate::meshes::below;
use crate::random::Random;

/// A boat and a wind without symmetries.
fn odd() -> PlanarBoat {
    PlanarBoat {
        thrusters: [Vector2::new(-1.0, -0.5), Vector2::new(-0.8, 0.3)],
        wind_gradient: Matrix2::new(0.2, -0.4, 0.3, 0.5),
        ..PlanarBoat::default()
    }
}

fn some_state(random: &mut Random) -> PlanarBoatState {
    let pose = Pose2::from_angle_translation(3.0 * random.signed(), Vector2::new(random.signed(), random.signed()) * 5.0);
    PlanarBoatState { pose, twist: Twist2::new(random.signed(), Vector2::new(random.signed(), random.signed()) * 2.0) }
}

/// The discrete equations in plain numbers, angle and all: what is left of them between two nodes. Wind (−1.5, 1 + 0.3 x).
fn residual(from: &PlanarBoatState, to: &PlanarBoatState, u: [f64; 2], h: f64) -> [f64; 6] {
    let (j, m, damping) = (4.0, [10.0, 14.0], [3.0, 4.0, 12.0]);
    let numbers = |s: &PlanarBoatState| {
        [s.pose.angle(), s.pose.translation.x, s.pose.translation.y, s.twist.angular, s.twist.linear.x, s.twist.linear.y]
    };
    let (x, xn) = (numbers(from), numbers(to));
    let (s, c) = x[0].sin_cos();
    let (wx, wy) = (-1.5, 1.0 + 0.3 * x[1]);
    let torque = 0.4 * (u[0] - u[1]) - damping[0] * x[3];
    let fx = u[0] + u[1] + c * wx + s * wy - damping[1] * x[4];
    let fy = -s * wx + c * wy - damping[2] * x[5];
    let truncated = |w: f64, vx: f64, vy: f64, sign: f64| {
        let (px, py) = (m[0] * vx, m[1] * vy);
        [j * w + 0.5 * sign * h * (vx * py - vy * px), px - 0.5 * sign * h * w * py, py + 0.5 * sign * h * w * px]
    };
    let (a, b) = (truncated(xn[3], xn[4], xn[5], 1.0), truncated(x[3], x[4], x[5], -1.0));
    let e = 0.5 * h * xn[3];
    let k = h / (1.0 + e * e);
    let (dx, dy) = (k * (xn[4] - e * xn[5]), k * (xn[5] + e * xn[4]));
    let turn = x[0] + 2.0 * e.atan() - xn[0];
    [
        turn.sin(),
        x[1] + c * dx - s * dy - xn[1],
        x[2] + s * dx + c * dy - xn[2],
        (a[0] - b[0] - h * torque) / j,
        (a[1] - b[1] - h * fx) / m[0],
        (a[2] - b[2] - h * fy) / m[1],
    ]
}

#[test]
fn the_step_is_the_discrete_equation() {
    let (boat, mut random) = (PlanarBoat::default(), Random(1));
    let mut worst: f64 = 0.0;
    for h in [0.02, 0.1, 0.3125] {
        for _ in 0..200 {
            let (state, u) = (some_state(&mut random), [15.0 * random.signed(), 15.0 * random.signed()]);
            let next = boat.step(&state, &SVector::from(u), 0.0, h).unwrap();
            worst = residual(&state, &next, u, h).iter().fold(worst, |worst, x| worst.max(x.abs()));
        }
    }
    below(worst, 1e-14); // measured 1.8e-15
}

/// Along a tangent of state and controls together.
fn along(boat: &PlanarBoat, state: &PlanarBoatState, z: &SVector<f64, 8>) -> PlanarBoatState {
    boat.moved(state, &z.fixed_rows::<6>(0).into_owned())
}

#[test]
fn derivatives_are_those_of_the_step() {
    let (boat, mut random) = (odd(), Random(2));
    let (mut worst, d): (f64, f64) = (0.0, 1e-5);
    for _ in 0..50 {
        let (state, u, h) = (some_state(&mut random), random.column::<2>() * 10.0, 0.05 + 0.3 * random.unit());
        let at = boat.linearise(&state, &u, 0.0, h).unwrap();
        assert_eq!(Some(at.next), boat.step(&state, &u, 0.0, h));
        let apart = |plus: Option<PlanarBoatState>, minus: Option<PlanarBoatState>| {
            (boat.difference(&at.next, &plus.unwrap()) - boat.difference(&at.next, &minus.unwrap())) / (2.0 * d)
        };
        for i in 0..6 {
            let tangent = SVector::<f64, 6>::from_fn(|k, _| if k == i { d } else { 0.0 });
            let step = |z: &SVector<f64, 6>| boat.step(&boat.moved(&state, z), &u, 0.0, h);
            worst = worst.max((apart(step(&tangent), step(&-tangent)) - at.by_state.column(i)).amax());
        }
        for i in 0..2 {
            let push = SVector::<f64, 2>::from_fn(|k, _| if k == i { d } else { 0.0 });
            let step = |by: SVector<f64, 2>| boat.step(&state, &(u + by), 0.0, h);
            worst = worst.max((apart(step(push), step(-push)) - at.by_controls.column(i)).amax());
        }
        let step = |h: f64| boat.step(&state, &u, 0.0, h);
        worst = worst.max((apart(step(h + d), step(h - d)) - at.by_time_step).amax());
    }
    below(worst, 1e-8); // measured 5.9e-10
}

/// Against second differences of the step itself, along random directions of state and controls.
#[test]
fn curvature_is_that_of_the_step() {
    let (boat, mut random) = (odd(), Random(3));
    let (mut worst, d): (f64, f64) = (0.0, 1e-3);
    for _ in 0..50 {
        let (state, u, h) = (some_state(&mut random), random.column::<2>() * 10.0, 0.05 + 0.3 * random.unit());
        let (weights, z) = (random.column::<6>(), random.column::<8>());
        let next = boat.step(&state, &u, 0.0, h).unwrap();
        let Curvature { xx, ux, uu } = boat.curvature(&state, &u, 0.0, h, &weights).unwrap();
        let value = |t: f64| {
            let to = boat.step(&along(&boat, &state, &(z * t)), &(u + z.fixed_rows::<2>(6) * t), 0.0, h).unwrap();
            weights.dot(&boat.difference(&next, &to))
        };
        // Fourth order.
        let second = (-value(2.0 * d) + 16.0 * value(d) + 16.0 * value(-d) - value(-2.0 * d)) / (12.0 * d * d);
        let (x, v) = (z.fixed_rows::<6>(0), z.fixed_rows::<2>(6));
        let found = x.dot(&(xx * x)) + 2.0 * v.dot(&(ux * x)) + v.dot(&(uu * v));
        worst = worst.max((found - second).abs());
        worst = worst.max((xx - xx.transpose()).amax());
    }
    below(worst, 1e-7); // measured 2.9e-9
}

/// What the trait finds by differences of first derivatives is the same.
#[test]
fn curvature_agrees_with_differences_of_first_derivatives() {
    let (boat, mut random) = (odd(), Random(4));
    let mut worst: f64 = 0.0;
    for _ in 0..20 {
        let (state, u, weights) = (some_state(&mut random), random.column::<2>() * 10.0, random.column::<6>());
        let d = 1e-5;
        let gradient = |state: &PlanarBoatState| boat.linearise(state, &u, 0.0, 0.2).unwrap().by_state.tr_mul(&weights);
        let mut by_differences = SMatrix::<f64, 6, 6>::zeros();
        for i in 0..6 {
            let tangent = SVector::<f64, 6>::from_fn(|k, _| if k == i { d } else { 0.0 });
            let column = (gradient(&boat.moved(&state, &tangent)) - gradient(&boat.moved(&state, &-tangent))) / (2.0 * d);
            by_differences.set_column(i, &column);
        }
        let symmetric = (by_differences + by_differences.transpose()) * 0.5;
        worst = worst.max((boat.curvature(&state, &u, 0.0, 0.2, &weights).unwrap().xx - symmetric).amax());
    }
    below(worst, 1e-8); // measured 1.8e-11
}

/// The equations of motion, for which the step stands: angle, place, rate, velocity.
fn flow(x: &SVector<f64, 6>, u: [f64; 2]) -> SVector<f64, 6> {
    let (s, c) = x[0].sin_cos();
    let (wx, wy) = (-1.5, 1.0 + 0.3 * x[1]);
    let torque = 0.4 * (u[0] - u[1]) - 3.0 * x[3];
    let fx = u[0] + u[1] + c * wx + s * wy - 4.0 * x[4];
    let fy = -s * wx + c * wy - 12.0 * x[5];
    SVector::from([
        x[3],
        c * x[4] - s * x[5],
        s * x[4] + c * x[5],
        (-4.0 * x[4] * x[5] + torque) / 4.0,
        (14.0 * x[3] * x[5] + fx) / 10.0,
        (-10.0 * x[3] * x[4] + fy) / 14.0,
    ])
}

/// Damping at the velocity before makes the order one. The slope of four halvings, against Runge and Kutta with small steps.
#[test]
fn the_order_is_one() {
    let (boat, duration) = (PlanarBoat::default(), 4.0);
    let thrust = |time: f64| [6.0 + 4.0 * (1.3 * time).sin(), 6.0 - 5.0 * (0.9 * time).sin()];
    let mut x = SVector::<f64, 6>::zeros();
    let (fine, h) = (8000, duration / 8000.0);
    for k in 0..fine {
        let time = k as f64 * h;
        let k1 = flow(&x, thrust(time));
        let k2 = flow(&(x + k1 * (0.5 * h)), thrust(time + 0.5 * h));
        let k3 = flow(&(x + k2 * (0.5 * h)), thrust(time + 0.5 * h));
        let k4 = flow(&(x + k3 * h), thrust(time + h));
        x += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
    }
    let error = |steps: usize| {
        let h = duration / steps as f64;
        let mut state = PlanarBoatState { pose: Pose2::identity(), twist: Twist2::zero() };
        for k in 0..steps {
            state = boat.step(&state, &SVector::from(thrust(k as f64 * h)), 0.0, h).unwrap();
        }
        (state.pose.translation - Vector2::new(x[1], x[2])).norm() + (state.pose.angle() - x[0]).sin().abs()
    };
    let errors = [80, 160, 320, 640, 1280].map(error);
    let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
    println!("{errors:?} {orders:?}");
    assert!(orders.iter().all(|order| (0.9..1.15).contains(order)), "{orders:?}"); // measured 1.010 to 1.001
}

#[test]
fn states_and_places_are_those_of_the_world() {
    let (boat, mut random) = (odd(), Random(5));
    for _ in 0..20 {
        let state = some_state(&mut random);
        let (pose, twist) = (boat.pose(&state), boat.twist(&state));
        below(boat.difference(&state, &boat.at(&pose, &twist)).norm(), 1e-14); // measured at most 1e-15
        let point = random.vector();
        let place = boat.place(&state, &point);
        below((place.position - pose.act(&point)).norm(), 1e-14); // measured at most 1e-15
        let tangent = random.column::<6>();
        let at = |t: f64| boat.place(&boat.moved(&state, &(tangent * t)), &point).position;
        below(((at(1e-5) - at(-1e-5)) / 2e-5 - place.by_state * tangent).norm(), 1e-8); // measured at most 4e-11
        let velocity = twist.velocity_at(&point);
        let z = SVector::<f64, 6>::from([state.twist.angular, state.twist.linear.x, state.twist.linear.y, 0.0, 0.0, 0.0]);
        below((place.by_state * z - pose.rotation * velocity).norm(), 1e-14); // measured at most 1e-15
        // Twice the energy is momentum times velocity, in whatever frame.
        let world: Twist = pose.adjoint_apply(&twist);
        below((boat.momentum(&state).pair(&world) - 2.0 * boat.kinetic_energy(&state)).abs(), 1e-12); // measured at most 1.5e-14
    }
}

#[test]
fn boats_that_make_no_sense_are_refused() {
    let boat = PlanarBoat::default();
    assert_eq!(boat.validate(), Ok(()));
    let refused = |boat: PlanarBoat| match boat.validate() {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(PlanarBoat { masses: [0.0, 14.0], ..boat }), "mass of the boat");
    assert_eq!(refused(PlanarBoat { moment: f64::NAN, ..boat }), "moment of inertia of the boat");
    assert_eq!(refused(PlanarBoat { damping: [3.0, -1.0, 1.0], ..boat }), "damping of the boat");
    assert_eq!(refused(PlanarBoat { wind: Vector2::new(f64::INFINITY, 0.0), ..boat }), "wind");
    // Numbers that are not finite have no next state.
    let state = PlanarBoatState { pose: Pose2::identity(), twist: Twist2::zero() };
    assert_eq!(boat.step(&state, &SVector::from([f64::NAN, 0.0]), 0.0, 0.1), None);
    assert_eq!(Vector3::<f64>::zeros(), boat.momentum(&state).linear);
}
