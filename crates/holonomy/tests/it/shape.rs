//! Curves, surfaces, masses and clips against closed forms.

use std::f64::consts::{PI, TAU};

use holonomy::Error;
use holonomy::nalgebra::Vector3;
use holonomy::shape::mass::lumped_masses;
use holonomy::shape::surface::{Connectivity, enclosed_volume, face_areas, face_normals, normals_and_areas};
use holonomy::shape::{Clip, MassRule, Playback, Topology, curve};

use crate::random::{Random, octasphere};

/// A box with sides a, b, c, outward triangles.
fn cuboid(a: f64, b: f64, c: f64) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let points = (0..8).map(|i| Vector3::new(a * (i & 1) as f64, b * (i >> 1 & 1) as f64, c * (i >> 2) as f64)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect())
}

#[test]
fn circle_has_its_length_and_tangents() {
    let n = 400;
    let circle: Vec<_> = (0..n).map(|i| (TAU * i as f64 / n as f64).sin_cos()).map(|(s, c)| Vector3::new(c, s, 0.0)).collect();
    let chord = 2.0 * n as f64 * (PI / n as f64).sin();
    assert!((curve::length(&circle, true) - chord).abs() < 1e-12);
    let (mut t, mut l) = (vec![Vector3::zeros(); n], vec![0.0; n]);
    curve::tangents_and_lengths(&circle, true, &mut t, &mut l);
    for i in 0..n {
        assert!(t[i].dot(&circle[i]).abs() < 1e-12 && (t[i].norm() - 1.0).abs() < 1e-12);
        assert!((l[i] - chord / n as f64).abs() < 1e-12);
    }
}

#[test]
fn box_has_its_area_volume_and_edges() {
    let (a, b, c) = (1.0, 2.0, 3.0);
    let (points, faces) = cuboid(a, b, c);
    assert!((face_areas(&points, &faces).iter().sum::<f64>() - 2.0 * (a * b + b * c + c * a)).abs() < 1e-12);
    assert!((enclosed_volume(&points, &faces) - a * b * c).abs() < 1e-12);
    let mesh = Connectivity::of(&faces);
    assert!(mesh.watertight());
    assert_eq!((mesh.edges.len(), mesh.components), (18, 1));
    // Σ α ℓ over the edges of a box is 2π (a+b+c): four edges of each length at a right angle.
    let total: f64 = mesh
        .dihedral_angles(&points, &faces)
        .iter()
        .zip(&mesh.edges)
        .map(|(angle, e)| angle * (points[e.vertices.0 as usize] - points[e.vertices.1 as usize]).norm())
        .sum();
    assert!((total - TAU * (a + b + c)).abs() < 1e-12);
}

#[test]
fn borders_parts_and_flipped_faces_are_known() {
    let (_, faces) = cuboid(1.0, 1.0, 1.0);
    let open = Connectivity::of(&faces[2..]);
    assert_eq!((open.border_edges, open.watertight()), (4, false));
    let mut flipped = faces.clone();
    flipped[0].swap(0, 1);
    assert_eq!(Connectivity::of(&flipped).irregular_edges, 3);
    let two: Vec<_> = faces.iter().copied().chain(faces.iter().map(|f| f.map(|v| v + 8))).collect();
    assert_eq!(Connectivity::of(&two).components, 2);
    assert!(!Connectivity::of(&[]).watertight());
}

#[test]
fn sphere_normals_point_out_and_areas_add_up() {
    let (points, faces) = octasphere();
    let (mut n, mut a) = (vec![Vector3::zeros(); points.len()], vec![0.0; points.len()]);
    normals_and_areas(&points, &faces, &mut n, &mut a);
    assert!(n.iter().zip(&points).all(|(n, p)| n.dot(p) > 0.99));
    assert!((a.iter().sum::<f64>() - face_areas(&points, &faces).iter().sum::<f64>()).abs() < 1e-12);
    assert!(face_normals(&points, &[[0, 0, 1]])[0] == Vector3::zeros());
}

#[test]
fn masses_follow_their_rule() {
    let (points, faces) = cuboid(1.0, 2.0, 3.0);
    let surface = Topology::Surface { faces: faces.clone() };
    let total = |rule: MassRule| lumped_masses(&rule, &surface, &points).map(|m| m.iter().sum::<f64>());
    assert!((total(MassRule::Area).unwrap() - 22.0).abs() < 1e-12);
    assert!((total(MassRule::Volume).unwrap() - 6.0).abs() < 1e-12);
    assert_eq!(total(MassRule::Unit).unwrap(), 8.0);
    assert!(total(MassRule::Length).is_err());
    assert!(total(MassRule::Given(vec![1.0; 7])).is_err());
    assert!(total(MassRule::Given(vec![-1.0; 8])).is_err());
    assert!(total(MassRule::Given(vec![f64::NAN; 8])).is_err());
    let open = Topology::Surface { faces: faces[1..].to_vec() };
    assert!(lumped_masses(&MassRule::Volume, &open, &points).unwrap_err().to_string().contains("borders"));
}

#[test]
fn clips_name_what_is_wrong_with_them() {
    let p = |x: f64| Vector3::new(x, 0.0, 0.0);
    let clip = |vertices, positions| Clip::new(Topology::Points, Playback::Once, 0.1, vertices, positions);
    assert!(matches!(clip(0, vec![]), Err(Error::Empty { .. })));
    assert!(matches!(clip(2, vec![]), Err(Error::Empty { .. })));
    assert!(matches!(clip(2, vec![p(0.0); 3]), Err(Error::TopologyChanges { frame: 1, expected: 2, found: 1 })));
    let error = clip(2, vec![p(0.0), p(0.0), p(0.0), p(f64::NAN)]).unwrap_err();
    assert!(error.to_string().starts_with("frame 1, vertex 1"), "{error}");
    let face = Topology::Surface { faces: vec![[0, 1, 9]] };
    assert!(matches!(Clip::new(face, Playback::Once, 0.1, 3, vec![p(0.0); 3]), Err(Error::VertexOutOfRange { vertex: 9, .. })));
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Clip::new(Topology::Points, Playback::Once, dt, 1, vec![p(0.0)]), Err(Error::Parameter { .. })));
    }
}

#[test]
fn resampling_keeps_the_ends_and_the_loop() {
    let line = |playback| Clip::new(Topology::Points, playback, 0.5, 1, (0..5).map(|i| Vector3::x() * i as f64).collect()).unwrap();
    let once = line(Playback::Once).resampled(Playback::Once, 0.2, 13).unwrap();
    assert_eq!(once.frames(), 13);
    for k in 0..13 {
        assert!((once.frame(k)[0].x - (0.4 * k as f64).min(4.0)).abs() < 1e-12); // it stays at its end
    }
    let looped = line(Playback::Loop).resampled(Playback::Loop, 0.25, 10).unwrap();
    assert_eq!((looped.frames(), looped.duration()), (10, 2.5));
    assert_eq!(looped.frame(9)[0].x, 2.0); // half way from the last frame back to the first
    assert_eq!(line(Playback::Loop).resampled(Playback::Once, 0.5, 7).unwrap().frame(6)[0].x, 1.0); // once around and on
    assert!(line(Playback::Once).resampled(Playback::Once, f64::NAN, 3).is_err());
    assert!(line(Playback::Once).resampled(Playback::Once, 0.1, 0).is_err());
}

#[test]
fn reversing_twice_changes_nothing() {
    for (_, clip) in Random(9).clips() {
        assert_eq!(clip.reversed().reversed(), clip);
        assert_eq!(clip.reversed().frame(0), clip.frame(0));
        assert_eq!(clip.reversed().frame(1), clip.frame(clip.frames() - 1));
    }
}
