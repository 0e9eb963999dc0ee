//! Bodies in flow as one knows them: seeds and toys that spin, plates that flutter (Soliman 2024, Secs. 7.1 to 7.3).

use std::ops::ControlFlow;

use holonomy::lie::Pose;
use holonomy::medium::{Fluid, Ground, Hills};
use holonomy::models::{Assembly, Ellipsoid, MapleSeed, PaperCopter, Turtle, Zeppelin};
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::systems::Flow;
use holonomy::systems::flow::Substance;

const WATER: Fluid = Fluid { density: 998.0, viscosity: 0.0 };
const AIR: Fluid = Fluid { density: 1.225, viscosity: 0.0 };

fn made_of(body: &Assembly) -> Substance {
    Substance::Parts { labels: body.labels().to_vec(), materials: body.materials().to_vec() }
}

/// Falls in air for some seconds from rest, turned as told.
fn fall(body: &Assembly, seconds: usize, turn: [f64; 3]) -> Motion {
    let start = Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::from(turn)), translation: Vector3::zeros() };
    let job = Flow { start, steps: Some(60 * seconds), ..Flow::new(made_of(body), AIR) };
    let motion = job.run(&body.clip(60.0).unwrap(), &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    motion
}

fn series<'a>(motion: &'a Motion, name: &str) -> &'a [f64] {
    motion.tracks[0].series(name).unwrap()
}

/// Mean over the last second, and how far values stray from it, relative.
fn settled(values: &[f64]) -> (f64, f64) {
    let last = &values[values.len() - 60..];
    let mean = last.iter().sum::<f64>() / 60.0;
    (mean, last.iter().map(|x| (x / mean - 1.0).abs()).fold(0.0, f64::max))
}

/// However it is dropped, a maple seed ends up turning steadily and falling slowly. Samaras of maples fall at 0.8 to 1.4 m/s and turn at 70 to
/// 140 rad/s (Azuma and Yasuda 1989).
#[test]
fn a_maple_seed_autorotates() {
    let seed = MapleSeed { cells: [24, 8], ..MapleSeed::default() }.body().unwrap();
    for turn in [[0.3, 0.0, 0.3], [0.0, 0.0, 1.4], [0.0, 0.0, -1.2], [1.5, 0.3, 0.0], [3.0, 0.2, 0.1]] {
        let motion = fall(&seed, 4, turn);
        let (fall_speed, fall_stray) = settled(series(&motion, "fall_speed"));
        let (turn_rate, turn_stray) = settled(series(&motion, "turn_rate"));
        assert!(fall_stray < 1e-5 && turn_stray < 1e-5, "{fall_stray} {turn_stray}"); // measured 1e-6
        assert!((1.0..1.5).contains(&fall_speed) && (60.0..120.0).contains(&turn_rate), "{fall_speed} {turn_rate}"); // measured 1.34 m/s, 82 rad/s
    }
}

/// The paper copter spins up, and falls the slower for it.
#[test]
fn a_paper_copter_spins_up() {
    let motion = fall(&PaperCopter::default().body().unwrap(), 4, [0.2, 0.0, 0.2]);
    let (fall_speed, turn_rate) = (series(&motion, "fall_speed"), series(&motion, "turn_rate"));
    let fastest = fall_speed.iter().copied().fold(0.0, f64::max);
    assert!(turn_rate[24] < 0.3 * turn_rate[240] && (158.0..192.0).contains(&turn_rate[240]), "{} {}", turn_rate[24], turn_rate[240]); // measured 27 and 175 rad/s
    assert!((1.27..1.55).contains(&fall_speed[240]) && (1.87..2.29).contains(&fastest), "{} {fastest}", fall_speed[240]); // measured 1.41 and 2.08 m/s
    let up = motion.tracks[0].poses[240].rotation * Vector3::y();
    assert!(up.y > 0.99, "its clip hangs below its blades: {up}");
}

/// A turtle swims head first, and gets faster until drag holds its strokes.
#[test]
fn a_turtle_swims_head_first() {
    let turtle = Turtle::default();
    let clip = turtle.clip(60.0).unwrap();
    let job = Flow { steps: Some(6 * clip.frames()), ..Flow::new(made_of(&turtle.body().unwrap()), WATER) };
    let motion = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    let (track, stroke) = (&motion.tracks[0], 72);
    // Forwards along its own axis, in shell lengths per stroke.
    let along = |k: usize| (track.centers[k + stroke] - track.centers[k]).dot(&(track.poses[k].rotation * Vector3::z())) / turtle.length;
    let strokes: Vec<f64> = (0..5).map(|n| along(n * stroke)).collect();
    assert!(strokes.windows(2).all(|w| w[1] > 0.97 * w[0]) && strokes[4] > 1.5 * strokes[0], "{strokes:?}");
    assert!((0.58..0.71).contains(&strokes[4]), "{strokes:?}"); // measured 0.648
    assert!(track.centers.iter().all(|c| c.x.abs() < 1e-6), "its left is its right");
}

/// A zeppelin speeds up by its propellers, nose first, and turns to the side of its rudder.
#[test]
fn a_zeppelin_flies_and_turns() {
    let ship = Zeppelin { rudder: vec![(4.0, 0.0), (5.0, 0.5)], ..Zeppelin::default() };
    let body = ship.body().unwrap();
    let job = Flow { steps: Some(15 * 12), parts: ship.turning_parts().unwrap(), ..Flow::new(made_of(&body), AIR) };
    let motion = job.run(&body.clip(15.0).unwrap(), &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    let (speed, track) = (series(&motion, "speed"), &motion.tracks[0]);
    let nose = |k: usize| track.poses[k].rotation * Vector3::z();
    assert!(speed[15] < speed[30] && speed[30] < speed[60] && (2.25..2.75).contains(&speed[60]), "{}", speed[60]); // measured 2.48 m/s after 4 s
    assert!((3.45..4.21).contains(&speed[180]), "{}", speed[180]); // measured 3.83 m/s
    assert!((track.centers[60] - track.centers[30]).dot(&nose(45)) > 0.9 * (track.centers[60] - track.centers[30]).norm());
    assert!(nose(60).x.abs() < 1e-6 && nose(180).x > 0.2); // to its left, +X
}

/// Stones that sink in water come to lie on the bottom, flat or hilly: above it in every frame, with no energy from it.
#[test]
fn stones_come_to_lie_on_the_bottom() {
    let stone = Ellipsoid { size: [0.2, 0.08, 0.12], density: 2500.0 }.body().unwrap();
    let hills = Hills { size: [6.0, 6.0], height: 0.3, width: 0.5, ..Hills::default() }.field().unwrap();
    for ground in [Ground::Flat { height: -1.0 }, Ground::HeightField(hills)] {
        let start =
            Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.7, 0.2, 0.9)), translation: Vector3::new(0.1, 1.2, 0.2) };
        let job = Flow { ground: Some(ground), friction: 0.6, start, steps: Some(60 * 6), ..Flow::new(made_of(&stone), WATER) };
        let motion = job.run(&stone.clip(60.0).unwrap(), &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(motion.outcome, Outcome::Done);
        assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
        let speed = series(&motion, "speed");
        assert!(speed[20] > 0.5 && speed[360] < 1e-6, "{} {}", speed[20], speed[360]); // measured 1.1e-10 and 4.8e-11 at last
        let work = series(&motion, "work_of_ground");
        assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-3 * series(&motion, "kinetic_energy").iter().copied().fold(0.0, f64::max)));
    }
}
