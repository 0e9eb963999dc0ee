//! What acts from outside: contact, wind, and the paths of what is led.

use std::f64::consts::{PI, TAU};

use holonomy::elastic::load::{Contact, Touch, Wind};
use holonomy::elastic::path::Path;
use holonomy::integrate::force_law::Stiffness;
use holonomy::lie::Pose;
use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::{Numbers, derivative_errors};
use crate::meshes::below;

const AREA: f64 = 0.02;

fn contact(obstacle: Obstacle, path: Path) -> Contact {
    Contact { obstacle, path, margin: 0.01, depth: 0.05, pressure: 1000.0 }
}

fn turning() -> Path {
    Path::Rock { center: Vector3::new(0.1, 0.2, 0.0), axis: Vector3::new(1.0, 2.0, -1.0), angle: 0.7, period: 2.0, phase: 0.1 }
}

fn solids() -> Vec<Contact> {
    let pose = Pose { rotation: UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1), translation: Vector3::new(0.1, -0.2, 0.1) };
    vec![
        contact(Obstacle::Sphere { center: Vector3::new(0.1, 0.0, -0.1), radius: 0.8 }, Path::Still),
        contact(Obstacle::Sphere { center: Vector3::new(0.1, 0.0, -0.1), radius: 0.8 }, turning()),
        contact(Obstacle::Box { pose, half: Vector3::new(0.6, 0.8, 0.7) }, turning()),
        contact(Obstacle::Ground(Ground::Flat { height: 0.2 }), turning()),
        contact(Obstacle::Cylinder { from: Vector3::new(0.0, -1.0, 0.0), to: Vector3::new(0.2, 1.0, 0.1), radius: 0.6 }, Path::Still),
    ]
}

#[test]
fn forces_of_contact_are_derivatives() {
    let (mut numbers, time, h) = (Numbers::new(1), 0.3, 1e-6);
    for contact in solids() {
        let touch = Touch::at(&contact, time);
        let (mut touched, mut errors) = (0, (0.0_f64, 0.0_f64));
        for _ in 0..300 {
            let place = numbers.vector();
            let force = touch.force(&place, AREA);
            // Deep inside a box or a can the nearest side changes at a ridge; on the axis of what is round, everything does.
            if force.norm() > 4.0 * 1000.0 * AREA {
                continue;
            }
            touched += usize::from(force.norm() > 0.0);
            let moved = |axis: usize, by: f64| place + Vector3::ith(axis, by);
            let slope = Vector3::from_fn(|i, _| (touch.energy(&moved(i, h), AREA) - touch.energy(&moved(i, -h), AREA)) / (2.0 * h));
            let columns = [0, 1, 2].map(|i| (touch.force(&moved(i, h), AREA) - touch.force(&moved(i, -h), AREA)) / (2.0 * h));
            errors.0 = errors.0.max((slope + force).norm() / (1000.0 * AREA));
            let stiffness = touch.stiffness(&place, AREA, Stiffness::Exact);
            errors.1 = errors.1.max((Matrix3::from_columns(&columns) + stiffness).norm() / (1000.0 * AREA / 0.05));
            let projected = touch.stiffness(&place, AREA, Stiffness::Projected);
            assert!(projected.symmetric_eigenvalues().min() >= -1e-12 * projected.amax());
        }
        assert!(touched > 10, "{touched}");
        below(errors.0, 1e-6); // measured 3.8e-10
        below(errors.1, 1e-5); // measured 5.3e-10
    }
}

/// The pressure at the reference depth is the reference pressure.
#[test]
fn contact_has_its_pressure_at_its_depth() {
    let floor = contact(Obstacle::Ground(Ground::Flat { height: 0.0 }), Path::Still);
    let force = Touch::at(&floor, 0.0).force(&Vector3::new(0.3, -0.04, 0.2), AREA);
    below((force - Vector3::y() * (1000.0 * AREA)).norm(), 1e-12); // measured 0.0
    assert_eq!(Touch::at(&floor, 0.0).force(&Vector3::new(0.3, 0.011, 0.2), AREA), Vector3::zeros());
}

/// Wind on a face is coefficient · area · (n·w) n, whichever way the face looks; and its stiffness is its derivative.
#[test]
fn wind_pushes_along_the_normal() {
    let wind = Wind { velocity: Vector3::new(1.0, 2.0, 3.0), coefficient: 0.5 };
    let face = [Vector3::zeros(), Vector3::x() * 2.0, Vector3::y()];
    for face in [face, [face[0], face[2], face[1]]] {
        let force: Vector3<f64> = holonomy::elastic::Element::force(&wind, &face).iter().sum();
        below((force - Vector3::z() * (0.5 * 1.0 * 3.0)).norm(), 1e-15); // measured 0.0
    }
    let mut numbers = Numbers::new(2);
    let mut worst = 0.0_f64;
    for _ in 0..200 {
        let face = [numbers.vector(), numbers.vector(), numbers.vector()];
        if (face[1] - face[0]).cross(&(face[2] - face[0])).norm() > 0.05 {
            worst = worst.max(derivative_errors(&wind, &face, 1e-6).1);
        }
    }
    below(worst, 1e-7); // measured 3.7e-10
}

#[test]
fn paths_come_round() {
    let offsets = (0..8).map(|k| Vector3::new((TAU * k as f64 / 8.0).cos(), 0.0, (TAU * k as f64 / 8.0).sin())).collect();
    let table = Path::Table { offsets, period: 2.0 };
    let circle = Path::Circle { center: Vector3::new(0.0, 0.0, 1.0), axis: Vector3::y() * 3.0, period: 2.0, turns: 2.0, phase: 0.0 };
    let swing = Path::Swing { reach: Vector3::new(0.0, 0.1, 0.0), period: 2.0, phase: PI / 2.0 };
    for path in [&table, &circle, &swing, &turning()] {
        path.validate().unwrap();
        for time in [0.0, 0.3, 1.9] {
            let (here, later) = (path.pose(time), path.pose(time + 2.0));
            below((here.act(&Vector3::x()) - later.act(&Vector3::x())).norm(), 1e-14); // measured 3.0e-15
        }
    }
    // Twice round: a quarter of a turn after an eighth of the period.
    below((circle.pose(0.25).act(&Vector3::zeros()) - Vector3::new(-1.0, 0.0, 1.0)).norm(), 1e-15); // measured 2.2e-16
    below((swing.pose(0.0).translation.y - 0.1).abs(), 1e-15); // measured 0.0
    // The table passes through its entries with a continuous velocity, near the circle that it was taken from.
    let at = |time: f64| table.pose(time).translation;
    below((at(0.5) - Vector3::z()).norm(), 1e-14); // measured 6.1e-17
    let h = 1e-6;
    below(((at(0.5 + h) - at(0.5)) / h - (at(0.5) - at(0.5 - h)) / h).norm(), 1e-4); // measured 1.2e-5
    below((at(0.625).norm() - 1.0).abs(), 0.02); // measured 8.5e-3
}

#[test]
fn unsound_paths_and_contacts_are_refused() {
    let circle = |axis, period| Path::Circle { center: Vector3::zeros(), axis, period, turns: 1.0, phase: 0.0 };
    assert!(circle(Vector3::zeros(), 1.0).validate().is_err());
    assert!(circle(Vector3::y(), -1.0).validate().is_err());
    assert!(circle(Vector3::y(), f64::NAN).validate().is_err());
    assert!(Path::Table { offsets: Vec::new(), period: 1.0 }.validate().is_err());
    let floor = contact(Obstacle::Ground(Ground::Flat { height: 0.0 }), Path::Still);
    assert!(Contact { depth: 0.0, ..floor.clone() }.validate().is_err());
    assert!(Contact { pressure: f64::INFINITY, ..floor.clone() }.validate().is_err());
    assert!(Contact { obstacle: Obstacle::Sphere { center: Vector3::zeros(), radius: -1.0 }, ..floor }.validate().is_err());
}
