//! Vehicles to look at: closed, right way out, of the right size, and their parts turn as told.

use holonomy::Error;
use holonomy::lie::{Pose, Twist};
use holonomy::medium::FlowField;
use holonomy::medium::surface_force::{Fluid, Fluids, Sides, SurfaceForce};
use holonomy::models::vehicles::*;
use holonomy::nalgebra::{Rotation3, Unit, Vector3};
use holonomy::shape::bounds;
use holonomy::shape::surface::{Connectivity, enclosed_volume};

use crate::meshes::below;

fn everything() -> Vec<(&'static str, VehicleModel)> {
    let trailer = Some(TrailerBody::default());
    [
        ("helicopter", HelicopterBody::default().model()),
        ("quadrotor", QuadrotorBody::default().model()),
        ("underwater", UnderwaterBody::default().model()),
        ("boat", MotorBoat::default().model()),
        ("car", CarBody::default().model()),
        ("trailer", CarBody { trailer, ..CarBody::default() }.model()),
        ("snakeboard", SnakeboardBody::default().model()),
    ]
    .map(|(name, model)| (name, model.unwrap()))
    .to_vec()
}

fn middle(points: &[Vector3<f64>]) -> Vector3<f64> {
    points.iter().sum::<Vector3<f64>>() / points.len() as f64
}

fn placed(model: &VehicleModel, angles: &[f64]) -> Vec<Vector3<f64>> {
    let mut out = vec![Vector3::zeros(); model.points.len()];
    model.place(angles, &mut out).unwrap();
    out
}

/// All angles zero but for some parts.
fn angles(model: &VehicleModel, some: &[(&str, f64)]) -> Vec<f64> {
    let mut angles = vec![0.0; model.parts.len()];
    for (name, angle) in some {
        angles[model.part(name).unwrap()] = *angle;
    }
    angles
}

#[test]
fn surfaces_are_closed_and_face_outwards() {
    for (name, model) in everything() {
        println!("{name}: {} vertices, {} faces, {} parts", model.points.len(), model.faces.len(), model.parts.len());
        assert!((300..=1500).contains(&model.points.len()), "{name}: {}", model.points.len());
        assert_eq!(model.finishes.len(), model.faces.len());
        assert!(model.points.iter().all(|p| p.iter().all(|x| x.is_finite())), "{name}");
        assert!(Connectivity::of(&model.faces).watertight(), "{name}");
    }
}

/// Each connected piece encloses a positive volume: none is inside out.
#[test]
fn no_piece_is_inside_out() {
    for (name, model) in everything() {
        // Vertices joined by faces share a root.
        let mut root: Vec<usize> = (0..model.points.len()).collect();
        let find = |root: &Vec<usize>, mut v: usize| {
            while root[v] != v {
                v = root[v];
            }
            v
        };
        for face in &model.faces {
            let [a, b, c] = face.map(|v| find(&root, v as usize));
            let least = a.min(b).min(c);
            (root[a], root[b], root[c]) = (least, least, least);
        }
        let mut pieces = std::collections::BTreeMap::<usize, Vec<[u32; 3]>>::new();
        for face in &model.faces {
            pieces.entry(find(&root, face[0] as usize)).or_default().push(*face);
        }
        for (first, faces) in pieces {
            let volume = enclosed_volume(&model.points, &faces);
            assert!(volume > 0.0, "{name}: the piece at vertex {first}, {:?}, has the volume {volume}", model.points[first]);
        }
    }
}

#[test]
fn models_stand_where_they_should() {
    for (name, model) in everything() {
        let (low, high) = bounds(&model.points).unwrap();
        let wheeled = ["car", "trailer", "snakeboard"].contains(&name);
        // Left and right are alike in size.
        let sides = if wheeled { (low.z, high.z) } else { (low.x, high.x) };
        if name != "helicopter" {
            below((sides.0 + sides.1).abs() / (sides.1 - sides.0), 0.03); // measured 0.013
        }
        if wheeled {
            below(low.y.abs(), 1e-12); // measured 0
        }
    }
    // Sizes are those of the physics.
    let model = HelicopterBody::default().model().unwrap();
    assert_eq!(model.parts[model.part("rotor").unwrap()].point, Vector3::y() * 0.15);
    assert_eq!(model.parts[model.part("tail-rotor").unwrap()].point.z, -0.6);
    let car = CarBody::default().model().unwrap();
    assert_eq!(car.parts[car.part("left-steering").unwrap()].point, Vector3::new(1.0, 0.14, -0.3));
}

#[test]
fn parts_lie_within_what_carries_them() {
    for (name, model) in everything() {
        for (i, part) in model.parts.iter().enumerate() {
            below((part.axis.norm() - 1.0).abs(), 1e-15); // measured 0
            assert!(!part.vertices.is_empty() && part.vertices.end <= model.points.len(), "{name} {}", part.name);
            if let Some(parent) = part.parent {
                let carrier = &model.parts[parent];
                assert!(parent < i && carrier.vertices.start <= part.vertices.start && part.vertices.end <= carrier.vertices.end);
            }
            assert_eq!(model.part(part.name), Some(i), "names are not used twice");
        }
        below(placed(&model, &angles(&model, &[])).iter().zip(&model.points).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max), 1e-15); // measured 0
    }
}

/// A part that turns keeps its form and the points of its axis; nothing else moves.
#[test]
fn one_part_turns_and_all_else_stays() {
    for (name, model) in everything() {
        for part in &model.parts {
            let frame = placed(&model, &angles(&model, &[(part.name, 0.7)]));
            let turn = Rotation3::from_axis_angle(&Unit::new_normalize(part.axis), 0.7);
            for (v, (now, rest)) in frame.iter().zip(&model.points).enumerate() {
                let expected = if part.vertices.contains(&v) { part.point + turn * (rest - part.point) } else { *rest };
                assert!((now - expected).norm() < 1e-14, "{name} {} {v}", part.name); // measured 5e-16
            }
        }
    }
}

/// A wheel that is steered rolls about the axle as it has been steered.
#[test]
fn a_front_wheel_steers_and_rolls() {
    let model = CarBody::default().model().unwrap();
    let frame = placed(&model, &angles(&model, &[("left-steering", 0.4), ("front-left-wheel", 1.1)]));
    let wheel = &model.parts[model.part("front-left-wheel").unwrap()];
    let steer = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.4);
    let axle = Unit::new_normalize(steer * -Vector3::z());
    let both = Rotation3::from_axis_angle(&axle, 1.1) * steer;
    for v in wheel.vertices.clone() {
        assert!((frame[v] - wheel.point - both * (model.points[v] - wheel.point)).norm() < 1e-14);
    }
    // Rolling forwards, the lowest point goes back; steering to the left (−Z), the front of the wheel goes left.
    let rim = wheel.vertices.clone().min_by(|&a, &b| model.points[a].y.total_cmp(&model.points[b].y)).unwrap();
    let rolled = placed(&model, &angles(&model, &[("front-left-wheel", 0.1)]));
    assert!(rolled[rim].x < model.points[rim].x - 0.01, "{}", rolled[rim]);
    let front = wheel.vertices.clone().max_by(|&a, &b| model.points[a].x.total_cmp(&model.points[b].x)).unwrap();
    let steered = placed(&model, &angles(&model, &[("left-steering", 0.2)]));
    assert!(steered[front].z < model.points[front].z - 0.01, "{}", steered[front]);
}

/// A trailer turns about its hitch, wheels and all.
#[test]
fn a_trailer_follows_its_hitch() {
    let trailer = TrailerBody { hitch: 0.4, length: 1.0 };
    let model = CarBody { trailer: Some(trailer), ..CarBody::default() }.model().unwrap();
    let part = &model.parts[model.part("trailer").unwrap()];
    assert_eq!(part.point, Vector3::new(-0.4, 0.14, 0.0));
    let frame = placed(&model, &angles(&model, &[("trailer", 0.5), ("trailer-left-wheel", 2.0)]));
    for (name, side) in [("trailer-left-wheel", -0.3), ("trailer-right-wheel", 0.3)] {
        let wheel = &model.parts[model.part(name).unwrap()];
        let axle = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.5) * Vector3::new(-1.0, 0.0, side) + part.point;
        below((middle(&frame[wheel.vertices.clone()]) - axle).norm(), 1e-14); // measured 5.0e-16
    }
}

/// Rotors that turn the way their part says push the way they should: up, or forwards.
#[test]
fn rotors_push_the_right_way() {
    let push = |model: &VehicleModel, name: &str| {
        let part = &model.parts[model.part(name).unwrap()];
        let faces = model.faces.iter().filter(|face| face.iter().all(|&v| part.vertices.contains(&(v as usize)))).copied().collect();
        let mut force = SurfaceForce::new(faces, Sides::One);
        force.set_shape(&model.points).unwrap();
        force.immerse(&Fluids::One(Fluid { density: 1.2, viscosity: 0.0 }), &FlowField::Still, &Pose::identity(), 0.0);
        force.wrench(&Twist::new(part.axis * 100.0, part.point.cross(&part.axis) * 100.0)).linear
    };
    let helicopter = HelicopterBody::default().model().unwrap();
    let lift = push(&helicopter, "rotor");
    assert!(lift.y > 0.0 && lift.y > 10.0 * lift.x.hypot(lift.z), "{lift}");
    assert!(push(&helicopter, "tail-rotor").x < 0.0);
    let quadrotor = QuadrotorBody::default().model().unwrap();
    for part in &quadrotor.parts {
        let lift = push(&quadrotor, part.name);
        assert!(lift.y > 0.0 && lift.y > 10.0 * lift.x.hypot(lift.z), "{}: {lift}", part.name);
    }
    assert!(push(&UnderwaterBody::default().model().unwrap(), "propeller").z > 0.0);
    let boat = MotorBoat::default().model().unwrap();
    assert!(push(&boat, "right-propeller").z > 0.0 && push(&boat, "left-propeller").z > 0.0);
}

/// The coarse hull of the physics is that of the picture: what lies within is nearly the same.
#[test]
fn the_hull_of_physics_is_the_twin_of_that_of_the_picture() {
    let boat = MotorBoat::default();
    let [coarse, fine] = [boat.hull(7, 12), boat.hull(18, 24)];
    assert_eq!(coarse.1.len(), 168);
    let volume = |(points, faces): &(Vec<Vector3<f64>>, Vec<[u32; 3]>)| enclosed_volume(points, faces);
    below((volume(&coarse) / volume(&fine) - 1.0).abs(), 0.08); // measured 0.047
    for (points, faces) in [&coarse, &fine] {
        assert!(Connectivity::of(faces).watertight());
        assert!(points.iter().all(|p| p.y > -boat.draught - 1e-12 && p.x.abs() <= 0.5 * boat.beam + 1e-12));
    }
}

#[test]
fn shapes_over_time_come_from_angles() {
    let model = QuadrotorBody::default().model().unwrap();
    let spin: Vec<Vec<f64>> = (0..5).map(|k| vec![0.3 * k as f64; 4]).collect();
    let clip = model.over_time(0.01, &spin).unwrap();
    assert_eq!((clip.frames(), clip.vertices()), (5, model.points.len()));
    assert_eq!(clip.frame(3), placed(&model, &spin[3]));
    assert_eq!(model.clip(60.0).unwrap().frame(0), model.points);
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = CarBody::default().model().unwrap();
    let mut out = vec![Vector3::zeros(); model.points.len()];
    assert!(matches!(model.place(&[0.0], &mut out), Err(Error::Length { .. })));
    assert!(matches!(model.place(&vec![0.0; model.parts.len()], &mut out[1..]), Err(Error::Length { .. })));
    assert!(matches!(model.place(&vec![f64::NAN; model.parts.len()], &mut out), Err(Error::Parameter { .. })));
    let mut wrong = model.clone();
    wrong.parts[0].parent = Some(3);
    assert!(matches!(wrong.place(&vec![0.0; model.parts.len()], &mut out), Err(Error::Parameter { .. })));
    wrong.parts[0].parent = None;
    wrong.parts[0].vertices = 0..99_999;
    assert!(matches!(wrong.place(&vec![0.0; model.parts.len()], &mut out), Err(Error::VertexOutOfRange { .. })));
    assert!(CarBody { wheelbase: f64::NAN, ..CarBody::default() }.model().is_err());
    assert!(CarBody { wheel_radius: 0.6, ..CarBody::default() }.model().is_err());
    assert!(CarBody { trailer: Some(TrailerBody { length: 0.0, ..TrailerBody::default() }), ..CarBody::default() }.model().is_err());
    assert!(HelicopterBody { tail_length: -1.0, ..HelicopterBody::default() }.model().is_err());
    assert!(QuadrotorBody { arm: 0.0 }.model().is_err());
    assert!(UnderwaterBody { tail: 3.0, ..UnderwaterBody::default() }.model().is_err());
    assert!(SnakeboardBody { rider_height: f64::INFINITY, ..SnakeboardBody::default() }.model().is_err());
    assert!(MotorBoat { beam: 0.0, ..MotorBoat::default() }.model().is_err());
}
