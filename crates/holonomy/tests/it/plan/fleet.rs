//! Every vehicle from anywhere to anywhere, with nothing in the way: each plan is solved, or says honestly that it is not.
//! What obstacles do to such rates is in docs/systems/plans.md, Limits.

use std::f64::consts::PI;

use holonomy::integrate::controlled::Controlled;
use holonomy::lie::{Pose, Pose2, Twist};
use holonomy::nalgebra::{UnitQuaternion, Vector2, Vector3};
use holonomy::systems::plan::{Plan, Verdict};
use holonomy::systems::vehicle::{Car, Helicopter, PlanarBoat, Quadrotor, Snakeboard, Trailer, Underwater};

use super::{flown, go, held, replayed};
use crate::random::Random;

const PAIRS: usize = 50;

/// How many of the plans are solved, valid, out of reach, unsolved.
type Tally = [usize; 4];

/// A place and heading in the air or the water.
fn anywhere(random: &mut Random, size: f64) -> Pose {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), PI * random.signed());
    Pose { rotation, translation: random.vector() * size }
}

/// The same in the plane.
fn on_the_ground(random: &mut Random, size: f64, turn: f64) -> Pose {
    Pose2::from_angle_translation(turn * random.signed(), Vector2::new(random.signed(), random.signed()) * size).level(0.0)
}

/// Plans between random places, from rest to rest; `work` is how many intervals they have, and most iterations.
fn tally<V: Controlled<N, M> + Copy, const N: usize, const M: usize>(
    name: &str,
    vehicle: V,
    seed: u64,
    [intervals, max_iterations]: [usize; 2],
    mut pair: impl FnMut(&mut Random) -> (Pose, Pose, f64),
) -> Tally {
    let (mut random, mut tally) = (Random(seed), [0; 4]);
    let (mut iterations, mut worst, mut most_off) = (0, 0.0f64, 0.0f64);
    for case in 0..PAIRS {
        let (from, to, seconds) = pair(&mut random);
        let (start, goal) = (vehicle.at(&from, &Twist::zero()), vehicle.at(&to, &Twist::zero()));
        let plan = Plan { max_iterations, ..Plan::new(vehicle, start, goal, seconds, intervals) };
        let planned = plan.solve(&mut go).unwrap();
        iterations += planned.iterations;
        let finite = |state: &V::State| vehicle.pose(state).is_finite() && vehicle.twist(state).is_finite();
        assert!(planned.states.iter().all(finite) && planned.controls.iter().all(|u| u.iter().all(|x| x.is_finite())), "{name} {case}");
        assert!(planned.cost.is_finite(), "{name} {case}: {}", planned.cost);
        match planned.verdict {
            Verdict::Solved | Verdict::Valid => {
                tally[usize::from(planned.verdict == Verdict::Valid)] += 1;
                let held = held(&plan, &planned);
                assert!(held <= 1e-8, "{name} {case} is solved but off by {held:e}");
                worst = worst.max(held);
                if planned.verdict == Verdict::Solved {
                    let end = replayed(&vehicle, &start, &planned);
                    most_off = most_off.max((vehicle.pose(&end).translation - to.translation).norm());
                    assert!(most_off <= 1e-8, "{name} {case} ends {most_off:e} m from its goal when driven");
                }
            }
            Verdict::OutOfReach { distance, angle, speed } => {
                tally[2] += 1;
                println!("{name} {case}: out of reach by {distance:.3} m, {angle:.3} rad, {speed:.3} m/s, off {:.1e}", planned.dynamics);
                assert!(planned.dynamics <= 1e-4 && planned.limits <= 1e-4, "{name} {case}: {:e}", planned.dynamics);
            }
            Verdict::Unsolved => {
                tally[3] += 1;
                let [dynamics, limits, goal] = [planned.dynamics, planned.limits, planned.goal];
                println!("{name} {case}: unsolved, off by {dynamics:.1e} {limits:.1e} {goal:.1e} after {}", planned.iterations);
            }
            Verdict::Interrupted => panic!("{name} {case}: nobody stopped it"),
        }
    }
    println!(
        "{name}: {tally:?} solved, valid, out of reach, unsolved; {iterations} iterations; off by {worst:.1e}, replayed {most_off:.1e} m"
    );
    tally
}

/// No way was missed: solved, or out of reach and said so; nearly all are within reach here, where
/// nothing is in the way.
fn all([solved, valid, out_of_reach, unsolved]: Tally) {
    assert!(unsolved == 0 && solved + valid + out_of_reach == PAIRS && solved >= 48, "{solved} {valid} {out_of_reach} {unsolved}"); // 50 of each vehicle
}

#[test]
fn helicopters() {
    all(tally("helicopter", flown(Helicopter::default()), 91, [32, 80], |random| {
        (anywhere(random, 4.0), anywhere(random, 4.0), 4.0 + 2.0 * random.unit())
    }));
}

#[test]
fn quadrotors() {
    all(tally("quadrotor", flown(Quadrotor::default()), 92, [32, 80], |random| {
        (anywhere(random, 4.0), anywhere(random, 4.0), 4.0 + 2.0 * random.unit())
    }));
}

#[test]
fn underwater_vehicles() {
    // It rolls to and fro by itself, 5 rad/s: steps of a seventh of a second follow that, half a second would not.
    all(tally("underwater", flown(Underwater::default()), 93, [120, 300], |random| {
        (anywhere(random, 4.0), anywhere(random, 4.0), 15.0 + 5.0 * random.unit())
    }));
}

#[test]
fn boats() {
    all(tally("boat", PlanarBoat::default(), 94, [32, 80], |random| {
        (on_the_ground(random, 6.0, PI), on_the_ground(random, 6.0, PI), 15.0 + 10.0 * random.unit())
    }));
}

#[test]
fn cars() {
    all(tally("car", Car::default(), 95, [32, 80], |random| {
        (on_the_ground(random, 6.0, PI), on_the_ground(random, 6.0, PI), 10.0 + 10.0 * random.unit())
    }));
}

#[test]
fn trailers() {
    all(tally("trailer", Trailer::default(), 96, [32, 80], |random| {
        (on_the_ground(random, 6.0, PI), on_the_ground(random, 6.0, PI), 15.0 + 10.0 * random.unit())
    }));
}

#[test]
fn snakeboards() {
    all(tally("snakeboard", Snakeboard::default(), 97, [64, 200], |random| {
        (on_the_ground(random, 1.0, 0.5), on_the_ground(random, 1.0, 0.5), 6.0 + 4.0 * random.unit())
    }));
}
