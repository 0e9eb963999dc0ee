//! Obstacles: distances against closed forms, their derivatives against differences.

use std::f64::consts::PI;

use holonomy::Error;
use holonomy::lie::Pose;
use holonomy::medium::SolidMesh;
use holonomy::medium::ground::{Ground, HeightField};
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::meshes::{Mesh, below, both, cuboid, icosphere, inside_out, torus};

/// Places in the box from −reach to reach, the same ones every time: multiples of the roots of primes, modulo 1.
fn places(count: usize, reach: f64) -> impl Iterator<Item = Vector3<f64>> {
    let steps = [2.0_f64, 3.0, 5.0].map(f64::sqrt);
    (1..=count).map(move |k| Vector3::from_fn(|i, _| reach * (2.0 * (k as f64 * steps[i]).fract() - 1.0)))
}

fn solid((points, faces): Mesh) -> Obstacle {
    Obstacle::Mesh(SolidMesh::new(points, faces).unwrap())
}

fn pose() -> Pose {
    Pose { rotation: UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1), translation: Vector3::new(0.3, -0.2, 0.1) }
}

/// Greatest error of the gradient against central differences of the value.
fn gradient_error(obstacle: &Obstacle, places: impl Iterator<Item = Vector3<f64>>) -> f64 {
    let h = 1e-6;
    let error = |place: Vector3<f64>| {
        let value = |i: usize, by: f64| obstacle.distance(&(place + Vector3::ith(i, by))).value;
        let slope = Vector3::from_fn(|i, _| (value(i, h) - value(i, -h)) / (2.0 * h));
        (obstacle.distance(&place).gradient - slope).norm()
    };
    places.map(error).fold(0.0, f64::max)
}

/// Greatest error of the second derivative against central differences of the gradient.
fn bend_error(obstacle: &Obstacle, places: impl Iterator<Item = Vector3<f64>>) -> f64 {
    let h = 1e-5;
    let error = |place: Vector3<f64>| {
        let gradient = |i: usize, by: f64| obstacle.distance(&(place + Vector3::ith(i, by))).gradient;
        let columns = [0, 1, 2].map(|i| (gradient(i, h) - gradient(i, -h)) / (2.0 * h));
        (obstacle.distance(&place).bend - Matrix3::from_columns(&columns)).norm()
    };
    places.map(error).fold(0.0, f64::max)
}

#[test]
fn a_ball_is_round() {
    let center = Vector3::new(0.2, -0.1, 0.3);
    let ball = Obstacle::Sphere { center, radius: 0.5 };
    let far = |place: &Vector3<f64>| (place - center).norm() > 0.1;
    for place in places(200, 2.0) {
        below((ball.distance(&place).value - ((place - center).norm() - 0.5)).abs(), 1e-15); // measured 0
    }
    below(gradient_error(&ball, places(500, 2.0).filter(far)), 1e-8); // measured 4.5e-10
    below(bend_error(&ball, places(500, 2.0).filter(far)), 1e-7); // measured 4.3e-9
}

/// Before a face, an edge and a corner, and inside.
#[test]
fn a_box_has_faces_edges_and_corners() {
    let half = Vector3::new(0.5, 0.8, 0.3);
    let block = Obstacle::Box { pose: pose(), half };
    let at = |x, y, z| block.distance(&pose().act(&Vector3::new(x, y, z)));
    let is = |found: f64, expected: f64| below((found - expected).abs(), 1e-14); // measured 1.7e-16
    is(at(1.5, 0.2, 0.1).value, 1.0);
    is(at(0.8, -1.2, 0.1).value, 0.5);
    is(at(0.6, 1.0, -0.5).value, (0.01_f64 + 0.04 + 0.04).sqrt());
    is(at(0.1, 0.2, 0.25).value, -0.05);
    is((at(0.1, 0.2, -0.25).gradient - pose().rotation * -Vector3::z()).norm(), 0.0);
    below(gradient_error(&block, places(500, 2.0)), 1e-8); // measured 6.0e-10
}

#[test]
fn a_column_has_a_side_ends_and_rims() {
    let (from, to) = (pose().act(&(-Vector3::y())), pose().act(&Vector3::y()));
    let column = Obstacle::Cylinder { from, to, radius: 0.4 };
    let at = |x, y, z| column.distance(&pose().act(&Vector3::new(x, y, z)));
    let is = |found: f64, expected: f64| below((found - expected).abs(), 1e-14); // measured 3.3e-16
    is(at(0.6, 0.3, 0.8).value, 0.6);
    is(at(0.1, 1.7, 0.1).value, 0.7);
    is(at(0.7, -1.4, 0.0).value, 0.5);
    is(at(0.0, 0.3, -0.3).value, -0.1);
    is(at(0.1, 0.95, 0.0).value, -0.05);
    let radius = |local: &Vector3<f64>| local.x.hypot(local.z);
    let away = |place: &Vector3<f64>| radius(&pose().inverse().act(place)) > 0.05;
    below(gradient_error(&column, places(500, 2.0).filter(away)), 1e-8); // measured 5.4e-10
    let beside = |place: &Vector3<f64>| {
        let local = pose().inverse().act(place);
        local.y.abs() < 0.99 && radius(&local) > 0.4
    };
    assert!(places(500, 2.0).filter(beside).count() > 50);
    below(bend_error(&column, places(500, 2.0).filter(beside)), 1e-7); // measured 7.7e-10
}

/// Above a slope the distance is exact; on hills, its derivative is that on the ground.
#[test]
fn ground_is_below() {
    let flat = Obstacle::Ground(Ground::Flat { height: 0.25 });
    assert_eq!(flat.distance(&Vector3::new(3.0, 1.0, -2.0)).value, 0.75);
    let field = |height: &dyn Fn(f64, f64) -> f64| {
        let spacing = 0.1;
        let at = |i: usize| (i as f64 - 30.0) * spacing;
        let heights = (0..61).flat_map(|k| (0..61).map(move |i| (at(i), at(k)))).map(|(x, z)| height(x, z)).collect();
        HeightField::new([-3.0, -3.0], spacing, [61, 61], heights).unwrap()
    };
    let slope = Obstacle::Ground(Ground::HeightField(field(&|x, _| 0.75 * x)));
    below((slope.distance(&Vector3::new(0.4, 1.3, 0.2)).value - 0.8).abs(), 1e-12); // measured 1.1e-16
    below(gradient_error(&slope, places(100, 2.0)), 1e-8); // measured 6.2e-10
    let hills = field(&|x, z| 0.3 * (2.0 * x).sin() * z.cos());
    let on = places(200, 2.0).map(|p| Vector3::new(p.x, hills.height(p.x, p.z), p.z)).collect::<Vec<_>>();
    below(gradient_error(&Obstacle::Ground(Ground::HeightField(hills)), on.into_iter()), 1e-6); // measured 1.3e-10
}

/// No distance is off by more than the mesh is from the sphere.
#[test]
fn a_ball_of_triangles_is_a_ball() {
    let (points, faces) = icosphere(4);
    let middle = |face: &[u32; 3]| face.iter().map(|&v| points[v as usize]).sum::<Vector3<f64>>() / 3.0;
    let mesh_error = faces.iter().map(|face| 1.0 - middle(face).norm()).fold(0.0, f64::max);
    below(mesh_error, 3e-3); // measured 1.14e-3
    let ball = solid((points, faces));
    let mut inside = 0;
    for place in places(2000, 1.5) {
        let found = ball.distance(&place);
        let off = found.value - (place.norm() - 1.0);
        assert!(off.abs() <= 1.001 * mesh_error, "{place}: {off}");
        inside += usize::from(found.value < 0.0);
    }
    assert!((300..1200).contains(&inside), "{inside}");
    below(gradient_error(&ball, places(500, 1.5)), 1e-8); // measured 2.2e-10
}

/// A torus is not convex: many places are nearest to an edge that is seen from both its faces.
#[test]
fn a_ring_of_triangles_is_a_ring() {
    let (large, small, around, along) = (1.0, 0.4, 48, 96);
    let ring = solid(torus(large, small, around, along));
    // Sides of the polygons, around and along, lie this much within their circles.
    let mesh_error = small * (1.0 - (PI / around as f64).cos()) + (large + small) * (1.0 - (PI / along as f64).cos());
    for place in places(2000, 1.5) {
        let expected = (place.x.hypot(place.y) - large).hypot(place.z) - small;
        let off = ring.distance(&place).value - expected;
        assert!(off.abs() <= mesh_error, "{place}: {off} {mesh_error}");
    }
    below(gradient_error(&ring, places(500, 1.5)), 1e-8); // measured 2.3e-10
}

#[test]
fn a_box_of_triangles_is_a_box() {
    let half = Vector3::new(0.5, 0.8, 0.3);
    let (points, faces) = cuboid((half * 2.0).into(), [3, 4, 2]);
    let mesh = solid((points.iter().map(|p| pose().act(p)).collect(), faces));
    let block = Obstacle::Box { pose: pose(), half };
    let (mut value, mut gradient) = (0.0_f64, 0.0_f64);
    for place in places(2000, 1.5) {
        let (a, b) = (mesh.distance(&place), block.distance(&place));
        value = value.max((a.value - b.value).abs());
        // Where two faces are as near as each other, either will do.
        let local = pose().inverse().act(&place);
        let mut beyond: Vec<f64> = (local.abs() - half).iter().copied().collect();
        beyond.sort_by(f64::total_cmp);
        if b.value > 0.0 || beyond[2] - beyond[1] > 1e-6 {
            gradient = gradient.max((a.gradient - b.gradient).norm());
        }
    }
    below(value, 1e-14); // measured 8.9e-16
    below(gradient, 1e-12); // measured 9.8e-14
}

/// Corners, middles of edges and of faces.
#[test]
fn places_on_the_surface_are_on_it() {
    let (points, faces) = torus(1.0, 0.4, 12, 24);
    let ring = solid((points.clone(), faces.clone()));
    let (mut value, mut unit, mut beside, mut normals) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for face in faces {
        let [a, b, c] = face.map(|v| points[v as usize]);
        let (middle, normal) = ((a + b + c) / 3.0, (b - a).cross(&(c - a)).normalize());
        for place in [a, (a + b) * 0.5, middle] {
            let found = ring.distance(&place);
            value = value.max(found.value.abs());
            unit = unit.max((found.gradient.norm() - 1.0).abs());
        }
        for off in [1e-9, -1e-9] {
            let found = ring.distance(&(middle + normal * off));
            beside = beside.max((found.value - off).abs());
            normals = normals.max((found.gradient - normal).norm());
        }
    }
    below(value, 1e-14); // measured 0
    below(unit, 1e-14); // measured 2.2e-16
    below(beside, 1e-14); // measured 3.4e-16
    below(normals, 1e-5); // measured 1.9e-7
    // What is nowhere is no reason to stop.
    assert!(ring.distance(&Vector3::repeat(f64::NAN)).value.is_nan());
}

/// Faces that share no vertices, and faces that look inwards, are the same solid.
#[test]
fn meshes_are_put_right() {
    let (points, faces) = cuboid([1.0, 2.0, 3.0], [1, 1, 1]);
    let apart = faces.iter().flat_map(|face| face.map(|v| points[v as usize])).collect();
    let triples = (0..faces.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let turned = inside_out((points.clone(), faces.clone()));
    let plain = solid((points, faces));
    for other in [solid((apart, triples)), solid(turned)] {
        assert!(other.validate().is_ok());
        for place in places(200, 3.0) {
            below((other.distance(&place).value - plain.distance(&place).value).abs(), 1e-15); // measured 0
        }
    }
    // Two pieces are one obstacle.
    let far = |(points, faces): Mesh| (points.iter().map(|p| p + Vector3::x() * 5.0).collect(), faces);
    let two = solid(both(cuboid([1.0; 3], [1, 1, 1]), far(cuboid([1.0; 3], [1, 1, 1]))));
    assert_eq!(two.distance(&(Vector3::x() * 4.0)).value, 0.5);
    assert_eq!(two.distance(&(Vector3::x() * 5.0)).value, -0.5);
}

#[test]
fn what_is_no_solid_is_refused() {
    let (points, faces) = cuboid([1.0; 3], [1, 1, 1]);
    let refused = |points: &[Vector3<f64>], faces: &[[u32; 3]]| SolidMesh::new(points.to_vec(), faces.to_vec()).unwrap_err();
    let reason = |points: &[Vector3<f64>], faces: &[[u32; 3]]| refused(points, faces).to_string();
    assert!(matches!(refused(&points, &[]), Error::Empty { .. }));
    assert!(matches!(refused(&points, &[[0, 1, 99]]), Error::VertexOutOfRange { vertex: 99, .. }));
    let mut bad = points.clone();
    bad[3].y = f64::INFINITY;
    assert!(matches!(refused(&bad, &faces), Error::NonFinitePosition { vertex: 3, .. }));
    assert!(reason(&points, &faces[1..]).contains("hole"));
    let mut mixed = faces.clone();
    mixed[0].swap(1, 2);
    assert!(reason(&points, &mixed).contains("look different ways"));
    // A sheet that is closed by its own back.
    assert!(reason(&points, &[[0, 1, 2], [0, 2, 1]]).contains("no volume"));
    let flat: Vec<Vector3<f64>> = points.iter().map(|p| Vector3::new(p.x, p.y, 0.0)).collect();
    assert!(reason(&flat, &faces).contains("no area"));
    assert!(reason(&[Vector3::zeros(); 8], &faces).contains("no area"));
}
