//! Scenery and charts: what a motion carries beside its tracks.

use std::f64::consts::{PI, TAU};

use holonomy::lie::Pose;
use holonomy::motion::{Chart, ChartAxis, Motion, Scenery, SceneryKind, Stroke, Track};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Playback, Topology};

/// Volume inside the triangles: positive only if they face outwards, and the same from any origin only if they are closed.
fn volume(piece: &Scenery, origin: &Vector3<f64>) -> f64 {
    let at = |v: u32| piece.points[v as usize] - origin;
    piece.faces.iter().map(|&[a, b, c]| at(a).dot(&at(b).cross(&at(c))) / 6.0).sum()
}

#[test]
fn solids_are_closed_and_face_outwards() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -0.9, 0.3));
    let pose = Pose { rotation: turn, translation: Vector3::new(3.0, -2.0, 7.0) };
    let ends = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(2.0, 2.5, 1.0)];
    let kind = SceneryKind::Obstacle;
    // A prism of 20 sides in the circle, and the rings of a ball through the sphere.
    let section = 10.0 * (TAU / 20.0).sin();
    let cases = [
        (Scenery::box_("box", kind, &pose, &Vector3::new(2.0, 0.5, 3.0)), 3.0, 1e-12),
        (Scenery::cylinder("post", kind, &ends, 0.3), section * 0.09 * (ends[1] - ends[0]).norm(), 1e-12),
        (Scenery::cylinder("upright", kind, &[Vector3::zeros(), Vector3::y()], 1.0), section, 1e-12),
        // Cut by 20 sides and 9 bands: measured 4.6 % less than the ball.
        (Scenery::sphere("ball", kind, &pose.translation, 2.0), 4.0 / 3.0 * PI * 8.0, 0.06),
    ];
    for (piece, expected, tolerance) in cases {
        piece.validate().unwrap();
        for origin in [Vector3::zeros(), Vector3::new(-4.0, 9.0, 2.0)] {
            let got = volume(&piece, &origin);
            assert!((got / expected - 1.0).abs() < tolerance, "{}: {got} where {expected} is right", piece.name);
        }
    }
    let ball = Scenery::sphere("ball", kind, &pose.translation, 2.0);
    assert_eq!(ball.faces.len(), 320);
    assert!(ball.points.iter().all(|p| ((p - pose.translation).norm() - 2.0).abs() < 1e-12));
}

#[test]
fn land_is_where_its_height_says_and_faces_up() {
    let height = |x: f64, z: f64| 0.3 * x - 0.1 * z + 0.5;
    let land = Scenery::height_field("slope", [[-1.0, 2.0], [3.0, 5.0]], [9, 4], height);
    land.validate().unwrap();
    assert_eq!((land.points.len(), land.faces.len()), (36, 48));
    assert!(land.points.iter().all(|p| (p.y - height(p.x, p.z)).abs() < 1e-12));
    let up = |&[a, b, c]: &[u32; 3]| {
        let at = |v: u32| land.points[v as usize];
        (at(b) - at(a)).cross(&(at(c) - at(a))).y / 2.0
    };
    assert!(land.faces.iter().all(|face| up(face) > 0.0));
    // Seen from above the triangles fill the rectangle of 4 m by 3 m once.
    assert!((land.faces.iter().map(up).sum::<f64>() - 12.0).abs() < 1e-12);
}

#[test]
fn unsound_triangles_are_refused() {
    let corners = vec![Vector3::zeros(), Vector3::x(), Vector3::z()];
    let piece = |points: &[Vector3<f64>], faces: &[[u32; 3]]| Scenery::mesh("piece", SceneryKind::Goal, points.to_vec(), faces.to_vec());
    assert!(piece(&corners, &[[0, 2, 1]]).is_ok());
    assert!(piece(&corners, &[]).unwrap_err().to_string().contains("triangles"));
    assert!(piece(&corners, &[[0, 1, 3]]).unwrap_err().to_string().contains("corner"));
    assert!(piece(&[Vector3::zeros(), Vector3::x(), Vector3::repeat(f64::NAN)], &[[0, 1, 2]]).unwrap_err().to_string().contains("finite"));
}

fn motion(frames: usize) -> Motion {
    let shape = Clip::new(Topology::Points, Playback::Once, 0.5, 1, vec![Vector3::zeros()]).unwrap();
    let track = Track::new("body", shape, vec![Pose::identity(); frames], vec![Vector3::zeros(); frames], Vec::new());
    let ball = Scenery::sphere("ball", SceneryKind::Obstacle, &Vector3::x(), 0.2);
    let chart = Chart::new("error", ChartAxis::log("cost", "s"), ChartAxis::log("error", "m"));
    Motion {
        scenery: vec![ball],
        charts: vec![chart.with("measured", vec![[1.0, 0.1], [2.0, 0.025]], Stroke::Solid)],
        ..Motion::new(0.5, vec![track])
    }
}

#[test]
fn motions_keep_and_join_them() {
    let whole = motion(3);
    assert_eq!(whole.clone().first(2).scenery, whole.scenery);
    assert_eq!(whole.clone().first(2).charts, whole.charts);
    let mut other = motion(3);
    other.scenery.push(Scenery::sphere("goal", SceneryKind::Goal, &Vector3::y(), 0.1));
    let both = Motion::together(vec![("a".into(), whole.clone()), ("b".into(), other)]).unwrap();
    let names: Vec<&str> = both.scenery.iter().map(|piece| piece.name.as_str()).collect();
    assert_eq!(names, ["ball", "goal"], "what both have is there once");
    let titles: Vec<&str> = both.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["error of a", "error of b"]);
    assert!(both.is_finite());
    let mut bad = whole.clone();
    bad.scenery[0].points[4].z = f64::INFINITY;
    assert!(!bad.is_finite());
    let mut bad = whole;
    bad.charts[0].lines[0].points[1][1] = f64::NAN;
    assert!(!bad.is_finite());
}
