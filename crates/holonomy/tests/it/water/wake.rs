//! Wakes of bodies whose way is known.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use holonomy::lie::Pose;
use holonomy::models::vehicles::MotorBoat;
use holonomy::motion::Matter;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::surface::enclosed_volume;
use holonomy::water::{Border, Borders, Hull, Wake, WakeState, Water};

use super::{cells, fastest};

const DEPTH: f64 = 0.1;

fn at(x: f64, z: f64, heading: f64) -> Pose {
    Pose { rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), heading), translation: Vector3::new(x, 0.0, z) }
}

/// Open water, 20 m × 16 m, and a plate that is immersed by a thousandth of the depth: higher waves would be faster, and their wedge wider.
fn open_sea(cell: f64) -> Wake {
    let water = Water {
        cells: [20.0, 16.0].map(|side: f64| (side / cell).round() as usize),
        cell,
        borders: Borders::all(Border::Absorbing),
        ..Water::default()
    };
    Wake { water, middle: [10.0, 0.0], hull: Hull::cuboid([0.4, 0.4, 0.1], -0.001 * DEPTH), points: 40 }
}

/// The water behind a body that has gone straight from x = 1 m to x = 18 m.
fn straight(wake: &Wake, speed: f64) -> WakeState {
    let mut state = wake.begin(&at(1.0, 0.0, 0.0), |_, _| -DEPTH).unwrap();
    let steps = (17.0 / speed / 0.02).round();
    let place = |k: f64| at(1.0 + 17.0 * k / steps, 0.0, 0.0);
    for k in 0..steps as usize {
        wake.step(&mut state, &place(k as f64), &place(k as f64 + 1.0), 17.0 / speed / steps).unwrap();
    }
    state
}

/// The angle between the body's way and the line behind its crest where the water is at its level, on one side (1) or the other (−1), radians. Between crest and trough, that line stays where
/// it is while the grid smooths them out.
fn half_angle(state: &WakeState, side: f64) -> f64 {
    let cell = state.sea.cell_size();
    let (mut n, mut sz, mut sx, mut szz, mut szx) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut z = 1.2;
    while z < 4.2 {
        let height = |x: f64| state.sea.surface(x, side * z);
        let xs = (0..((17.8 - 4.0) / cell) as usize).map(|i| 4.0 + cell * i as f64);
        let mut x = xs.max_by(|a, b| height(*a).total_cmp(&height(*b))).unwrap();
        while height(x - cell) > 0.0 {
            x -= cell;
        }
        let (behind, ahead) = (height(x - cell), height(x));
        x -= cell * ahead / (ahead - behind);
        (n, sz, sx, szz, szx) = (n + 1.0, sz + z, sx + x, szz + z * z, szx + z * x);
        z += cell;
    }
    let slope = (n * szx - sz * sx) / (n * szz - sz * sz);
    (-1.0 / slope).atan()
}

/// Faster than its waves, c = √(g d), a body drags a wedge whose half angle is asin(c/v).
#[test]
fn a_fast_body_drags_a_wedge_with_the_angle_of_mach() {
    let waves = (9.81 * DEPTH).sqrt();
    for speed in [1.5, 2.5] {
        let state = straight(&open_sea(0.05), speed);
        let expected = (waves / speed).asin();
        let found = [1.0, -1.0].map(|side| half_angle(&state, side));
        for angle in found {
            // Measured: 40.98° on both sides for 41.32°, 23.11° and 23.06° for 23.34°.
            assert!((angle / expected - 1.0).abs() < 0.02, "at {speed} m/s: {} for {}°", angle.to_degrees(), expected.to_degrees());
        }
        // Nothing knows yet that it comes.
        let ahead = cells(&state.sea).filter(|[i, _]| *i as f64 * 0.05 > 19.5).map(|cell| state.sea.surface_of(cell).unwrap().abs());
        let ahead = ahead.fold(0.0, f64::max);
        assert!(ahead < 1e-20, "{ahead:e}"); // measured 2e-45 and 3e-71 m
    }
    // Slower than its waves it is announced.
    let state = straight(&open_sea(0.1), 0.5);
    assert!(state.sea.surface(19.5, 0.0) > 1e-6); // measured 4.0e-6 m, of 1e-4 m that it is immersed
}

#[test]
fn a_body_that_stands_makes_no_waves() {
    let wake = Wake { hull: Hull::cuboid([0.8, 0.3, 0.3], -0.05), ..open_sea(0.1) };
    let pose = at(7.13, 0.41, 0.6);
    let mut state = wake.begin(&pose, |x, _| -DEPTH + 0.001 * x).unwrap();
    for _ in 0..50 {
        wake.step(&mut state, &pose, &pose, 0.05).unwrap();
    }
    // Measured: 0, exactly.
    assert_eq!(fastest(&state.sea), 0.0);
    assert!(cells(&state.sea).all(|cell| state.sea.surface_of(cell) == Some(0.0)));
}

/// A boat that circles between walls, round a pillar.
fn circling(depth: f64) -> holonomy::water::Waked {
    let boat = MotorBoat::default().model().unwrap();
    let hull = Hull::below(&boat.points, &boat.faces, 0.0).unwrap();
    let water = Water { cells: [100, 100], cell: 0.1, ..Water::default() };
    let wake = Wake { water, middle: [0.0, 0.0], hull, points: 30 };
    // Nose along +Z.
    let way: Vec<Pose> = (0..80).map(|k| 0.04 * k as f64).map(|a| at(3.0 * a.sin(), 3.0 * a.cos(), a + 0.5 * PI)).collect();
    let bottom = |x: f64, z: f64| if x.hypot(z) < 0.7 { f64::INFINITY } else { -depth };
    wake.follow(&way, 0.05, bottom, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_circling_boat_keeps_the_water_and_runs_aground_where_it_is_too_shallow() {
    let seen = circling(0.5);
    assert_eq!(seen.checks.len(), 2);
    // Measured: 0.26 of the depth, and 2.9e-16 of the water.
    assert!(seen.checks.iter().all(|check| check.pass()) && seen.warnings.is_empty());
    assert_eq!((seen.track.matter, seen.track.poses.len()), (Matter::Water, 80));
    let rise = seen.track.shape.frame(79).iter().map(|point| point.y.abs()).fold(0.0, f64::max);
    assert!((0.05..0.5).contains(&rise), "{rise}"); // measured 0.19 m
    let aground = circling(0.1);
    assert!(aground.checks.iter().any(|check| !check.pass()), "{:?}", aground.checks);
}

#[test]
fn who_leaves_the_water_is_told() {
    let wake = open_sea(0.2);
    let seen = wake
        .follow(&[at(19.0, 0.0, 0.0), at(19.9, 0.0, 0.0), at(21.0, 0.0, 0.0)], 0.5, |_, _| -DEPTH, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(seen.unwrap().warnings.len(), 1);
    let stopped = wake.follow(&[at(9.0, 0.0, 0.0), at(10.0, 0.0, 0.0)], 0.5, |_, _| -DEPTH, &mut |_, _| ControlFlow::Break(())).unwrap();
    assert_eq!((stopped.warnings.len(), stopped.track.poses.len()), (1, 2));
    assert!(wake.follow(&[], 0.5, |_, _| -DEPTH, &mut |_, _| ControlFlow::Continue(())).is_err());
    assert!(wake.follow(&[at(f64::NAN, 0.0, 0.0)], 0.5, |_, _| -DEPTH, &mut |_, _| ControlFlow::Continue(())).is_err());
}

/// Boxes displace what the body does.
#[test]
fn a_hull_has_the_volume_of_what_is_under_water() {
    let (points, faces) = crate::meshes::ellipsoid([1.5, 0.3, 0.5], 4);
    let hull = Hull::below(&points, &faces, 0.0).unwrap();
    let half = 0.5 * enclosed_volume(&points, &faces);
    // Measured: off by 2.6e-5.
    assert!((hull.volume(0.0) / half - 1.0).abs() < 0.01);
    assert!(Hull::below(&points, &faces, -0.31).is_err());
}
