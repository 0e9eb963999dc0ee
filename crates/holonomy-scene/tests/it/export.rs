//! What is written is what was computed: every kind of body is read back with the `gltf` crate, played, and compared.

use std::f64::consts::TAU;
use std::time::Duration;

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::motion::{Check, Matter, Motion, Outcome, Quantity, RESIDUAL, Track};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Bone, Clip, Joint, Playback, Rig, Topology};
use holonomy_scene::export::files::{OutputDir, write_atomically};
use holonomy_scene::export::gltf::build;
use holonomy_scene::export::summary::{Summary, SummaryOutcome};
use holonomy_scene::export::{ExportMeta, ExportReport, ShapeStorage, csv};
use holonomy_scene::looks::mesh::{MeshFrame, MovingMesh};
use holonomy_scene::looks::tube::Tube;
use holonomy_scene::looks::{Detail, Looks, Taper, body_size};
use holonomy_scene::picture::Drawn;
use holonomy_scene::result::SavedResult;
use proptest::prelude::*;

use crate::glb_reader::Played;

/// Sides of a tube's ring, for curves of up to 1000 vertices.
const SIDES: usize = 12;

fn motion(frames: usize, dt: f64) -> Motion {
    let pose = |k: usize| {
        let s = k as f64 * dt;
        let rotation = UnitQuaternion::from_euler_angles(0.3 * s, 2.0 * s, 0.2 * s.sin());
        // Alternating signs of the same rotations: the file must not show them.
        let rotation = if k.is_multiple_of(2) { rotation } else { UnitQuaternion::new_unchecked(-rotation.into_inner()) };
        Pose { rotation, translation: Vector3::new(0.5 * s, 0.1 * s.sin(), -0.2 * s) }
    };
    let twist = Twist { angular: Vector3::new(0.1, 0.2, 0.3), linear: Vector3::new(1.0 / 3.0, -2e-9, 5e20) };
    let momentum = Momentum { angular: Vector3::new(0.0, 1e-17, -1.5), linear: Vector3::new(0.1 + 0.2, 0.0, 2.0) };
    let poses: Vec<Pose> = (0..frames).map(pose).collect();
    let cycle_transform = poses.last().copied();
    let track = Track {
        name: "body".into(),
        shape: Clip::new(Topology::Points, Playback::Loop, 1.0, 1, vec![Vector3::zeros()]).unwrap(),
        centers: poses.iter().map(|pose| pose.translation).collect(),
        poses,
        twists: vec![twist; frames],
        momenta: vec![momentum; frames],
        wrenches: Vec::new(),
        figures: Vec::new(),
        series: vec![RESIDUAL.per_frame((0..frames).map(|k| 1e-12 / (k + 1) as f64).collect())],
        of_vertices: Vec::new(),
        matter: Matter::Body,
    };
    Motion {
        cycle_transform,
        checks: vec![Check { name: "residual", value: 1e-12, tolerance: 1e-9 }],
        steps: frames.saturating_sub(1),
        newton_iterations: 3 * frames,
        ..Motion::new(dt, vec![track])
    }
}

/// The same motion, of another body.
fn of(clip: &Clip, name: &str, motion: Motion) -> Motion {
    let tracks = vec![Track { name: name.into(), shape: clip.clone(), ..motion.tracks[0].clone() }];
    Motion { tracks, ..motion }
}

fn export(clip: &Clip, motion: &Motion, name: &str) -> (Played, ExportReport) {
    let parameters = serde_json::json!({ "medium": "sand", "anisotropy": 0.01 });
    let meta = ExportMeta { scene: format!("{name} scene"), parameters, ..ExportMeta::default() };
    let (glb, report) = build(&of(clip, name, motion.clone()), &[Looks::default().into()], &meta).unwrap();
    // Set to a folder to keep the files, e.g. to run the Khronos validator over them.
    if let Some(folder) = std::env::var_os("HOLONOMY_KEEP_EXPORTS") {
        write_atomically(&std::path::Path::new(&folder).join(format!("{name}.glb")), &glb).unwrap();
    }
    let played = Played::new(&glb);
    assert_eq!(played.times.len(), motion.frames());
    (played, report)
}

/// A planar travelling wave with `vertices` vertices, one loop of `frames` frames.
fn wave(frames: usize, vertices: usize) -> Clip {
    let at = |k: usize, i: usize| {
        let (u, phase) = (i as f64 / (vertices - 1) as f64, k as f64 / frames as f64);
        Vector3::new(u, 0.0, 0.1 * (0.3 + u) * (TAU * (1.5 * u - phase)).sin())
    };
    let positions = (0..frames).flat_map(|k| (0..vertices).map(move |i| at(k, i))).collect();
    Clip::new(Topology::Curve { closed: false }, Playback::Loop, 1.0 / 60.0, vertices, positions).unwrap()
}

/// An n × n sheet that flaps with a travelling bend, over `frames` frames, not a loop.
fn sheet(frames: usize, n: usize) -> Clip {
    let at = |k: usize, i: usize, j: usize| {
        let (x, z, s) = (i as f64 / (n - 1) as f64 - 0.5, j as f64 / (n - 1) as f64 - 0.5, k as f64 / 60.0);
        let bend = 1.2 * (3.0 * s - 2.0 * x.abs() - z).sin() * (1.0 + 0.3 * (0.7 * s).sin());
        Vector3::new(x * bend.cos(), x.abs() * bend.sin(), z + 0.05 * (5.0 * s + 6.0 * x).cos())
    };
    let positions = (0..frames).flat_map(|k| (0..n * n).map(move |v| at(k, v % n, v / n))).collect();
    let mut faces = vec![];
    for a in (0..n - 1).flat_map(|j| (0..n - 1).map(move |i| (j * n + i) as u32)) {
        let m = n as u32;
        faces.extend([[a, a + m, a + 1], [a + 1, a + m, a + m + 1]]);
    }
    Clip::new(Topology::Surface { faces }, Playback::Once, 1.0 / 60.0, n * n, positions).unwrap()
}

fn greatest_distance(a: &[Vector3<f64>], b: impl Iterator<Item = Vector3<f64>>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn ring_centers(positions: &[Vector3<f64>], rings: usize) -> Vec<Vector3<f64>> {
    positions.chunks(SIDES).take(rings).map(|ring| ring.iter().sum::<Vector3<f64>>() / SIDES as f64).collect()
}

#[test]
fn a_travelling_wave_over_four_cycles_is_where_it_should_be() {
    let (clip, motion) = (wave(60, 50), motion(241, 1.0 / 60.0));
    let (played, report) = export(&clip, &motion, "wave");
    let size = body_size(&clip);
    for k in 0..motion.frames() {
        let centers = ring_centers(&played.mesh("wave.shape", k).positions, clip.vertices());
        let placed = clip.frame(k).iter().map(|p| motion.tracks[0].poses[k].act(p));
        assert!(greatest_distance(&centers, placed) < 1e-5 * size, "frame {k}"); // measured 1.6e-6: the mean of a ring is better than its worst vertex
    }
    let ShapeStorage::PrincipalTargets { targets } = report.bodies[0].storage else { panic!("{report:?}") };
    assert!(targets <= 12, "{targets} targets"); // measured 11, instead of 59
    assert!(report.bodies[0].error < 1e-4); // measured 4.3e-5
}

/// A result drawn again has the colours it had.
#[test]
fn colours_read_back() {
    let (clip, motion) = (wave(60, 20), motion(61, 1.0 / 60.0));
    let looks = Looks { color: [0.62, 0.52, 0.22], ..Looks::default() };
    let (glb, _) = build(&of(&clip, "ochre", motion), &[looks.into()], &ExportMeta::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ochre.glb");
    write_atomically(&path, &glb).unwrap();
    let saved = SavedResult::open(&path).unwrap();
    let colors = saved.colors[0].clone().unwrap();
    assert_eq!(colors.len(), saved.motion.tracks[0].shape.vertices());
    assert!(colors.iter().all(|c| (0..3).all(|i| (c[i] - looks.color[i]).abs() < 1e-6))); // measured 6e-8
}

#[test]
fn the_file_says_how_it_was_made() {
    let (clip, motion) = (wave(60, 50), motion(61, 1.0 / 60.0));
    let (played, report) = export(&clip, &motion, "wave-meta");
    let animation = played.gltf.animations().next().unwrap();
    assert_eq!(animation.name(), Some("wave-meta scene"));
    let extras: serde_json::Value = serde_json::from_str(animation.extras().as_ref().unwrap().get()).unwrap();
    let said = &extras["holonomy"];
    assert_eq!(said["parameters"]["medium"], "sand");
    assert_eq!(said["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(said["cycle_transform"]["translation"][0].as_f64(), motion.cycle_transform.map(|t| t.translation.x));
    let matrix: Vec<f64> = serde_json::from_value(said["cycle_matrix"].clone()).unwrap();
    let cycle = motion.cycle_transform.unwrap();
    let placed = cycle.act(&Vector3::new(1.0, 2.0, 3.0));
    let by_matrix = |row: usize| matrix[row] + 2.0 * matrix[4 + row] + 3.0 * matrix[8 + row] + matrix[12 + row];
    assert!((0..3).all(|row| (by_matrix(row) - placed[row]).abs() < 1e-12) && matrix[15] == 1.0);
    let error = said["bodies"][0]["max_error_of_size"].as_f64().unwrap();
    assert!((error - report.bodies[0].error).abs() < 1e-15 && error > 0.0);
    let json = played.gltf.document.clone().into_json();
    assert_eq!(json.asset.generator.as_deref(), Some(concat!("Holonomy ", env!("CARGO_PKG_VERSION"))));
    // The default weights are those of the first key, and all keys are within 0 to 1.
    let defaults = json.meshes[0].weights.as_ref().unwrap();
    let keys = played.weights(&played.node("wave-meta.shape"));
    assert_eq!(defaults[..], keys[..defaults.len()]);
    assert!(keys.iter().all(|w| (0.0..=1.0).contains(w)));
}

#[test]
fn few_frames_get_a_target_each_and_repeats_get_none() {
    let clip = wave(8, 20);
    let (_, report) = export(&clip, &motion(17, 1.0 / 60.0), "few");
    assert_eq!(report.bodies[0].storage, ShapeStorage::FrameTargets { targets: 7 });
    assert!(report.bodies[0].error < 2e-7); // measured 5.6e-8
    // There and back again: frames 1 to 7 come twice.
    let order: Vec<usize> = (0..8).chain((1..7).rev()).collect();
    let positions = order.iter().flat_map(|&k| clip.frame(k).to_vec()).collect();
    let there_and_back = Clip::new(clip.topology().clone(), Playback::Loop, clip.dt(), 20, positions).unwrap();
    let (played, report) = export(&there_and_back, &motion(30, 1.0 / 60.0), "there-and-back");
    assert_eq!(report.bodies[0].storage, ShapeStorage::FrameTargets { targets: 7 });
    let seen = ring_centers(&played.mesh("there-and-back.shape", 29).positions, 20);
    let placed = there_and_back.frame(29).iter().map(|p| motion(30, 1.0 / 60.0).tracks[0].poses[29].act(p));
    assert!(greatest_distance(&seen, placed) < 1e-6); // measured 2.9e-8
}

#[test]
fn a_long_flapping_sheet_stays_small_and_right() {
    let (clip, motion) = (sheet(400, 16), motion(400, 1.0 / 60.0));
    let (played, report) = export(&clip, &motion, "sheet");
    let size = body_size(&clip);
    let mut lean = 0.0f64;
    for k in (0..400).step_by(7).chain([399]) {
        let seen = played.mesh("sheet.shape", k);
        let pose = motion.tracks[0].poses[k];
        assert!(greatest_distance(&seen.positions, clip.frame(k).iter().map(|p| pose.act(p))) < 1e-4 * size, "frame {k}");
        let Topology::Surface { faces } = clip.topology() else { unreachable!() };
        let mut normals = vec![Vector3::zeros(); clip.vertices()];
        for face in faces {
            let [a, b, c] = face.map(|v| clip.frame(k)[v as usize]);
            face.iter().for_each(|&v| normals[v as usize] += (b - a).cross(&(c - a)));
        }
        for (seen, n) in seen.normals.iter().zip(normals) {
            assert!((seen.norm() - 1.0).abs() < 1e-9);
            lean = lean.max(seen.angle(&(pose.rotation * n)).to_degrees());
        }
    }
    let ShapeStorage::PrincipalTargets { targets } = report.bodies[0].storage else { panic!("{report:?}") };
    assert!(targets < 40, "{targets} targets"); // measured 30, instead of 399
    assert!(report.bodies[0].error < 1e-4); // measured 4.4e-5
    assert!(lean < 3.0, "normals lean by {lean} degrees"); // measured 1.7
    assert!(played.gltf.materials().next().unwrap().double_sided());
}

#[test]
fn shapes_with_nothing_in_common_fall_back_to_a_target_a_frame() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let positions = (0..30 * 100).map(|_| Vector3::new(random(), random(), random())).collect();
    let clip = Clip::new(Topology::Points, Playback::Loop, 0.1, 100, positions).unwrap();
    let (played, report) = export(&clip, &motion(31, 0.1), "noise");
    assert_eq!(report.bodies[0].storage, ShapeStorage::FrameTargets { targets: 29 });
    assert!(report.bodies[0].error < 2e-7); // measured 3.7e-8
    let seen = played.mesh("noise.shape", 17).positions;
    let centers: Vec<_> = seen.chunks(42).map(|ball| ball.iter().sum::<Vector3<f64>>() / 42.0).collect();
    let pose = motion(31, 0.1).tracks[0].poses[17];
    assert!(greatest_distance(&centers, clip.frame(17).iter().map(|p| pose.act(p))) < 1e-6); // measured 6.3e-8
}

#[test]
fn thousands_of_points_are_written_as_bare_points() {
    let positions = (0..2 * 5000).map(|i| Vector3::new((i % 5000) as f64, (i / 5000) as f64, 0.0)).collect();
    let clip = Clip::new(Topology::Points, Playback::Loop, 0.1, 5000, positions).unwrap();
    let (played, _) = export(&clip, &motion(3, 0.1), "dust");
    let primitive = played.gltf.meshes().next().unwrap().primitives().next().unwrap();
    assert_eq!(primitive.mode(), gltf::mesh::Mode::Points);
    let pose = motion(3, 0.1).tracks[0].poses[1];
    let seen = played.mesh("dust.shape", 1).positions;
    assert!(greatest_distance(&seen, clip.frame(1).iter().map(|p| pose.act(p))) < 5e-4); // of 5000 m; measured 4e-6
}

/// Hips, knee, foot and a second branch, bending and stretching.
fn limbs(frames: usize, oriented: bool) -> Clip {
    let parents = [None, Some(0), Some(1), Some(0)];
    let joint = |(i, parent): (usize, &Option<usize>)| Joint { name: format!("joint{i}"), parent: *parent };
    let bone = |from, to| Bone { from, to, mass: 1.0, center: 0.5, gyration: 0.3, longitudinal_gyration: 0.0 };
    let rig = Rig { joints: parents.iter().enumerate().map(joint).collect(), bones: vec![bone(0, 1), bone(1, 2), bone(0, 3)], skin: None };
    let (mut positions, mut orientations) = (vec![], vec![]);
    for k in 0..frames {
        let phase = TAU * k as f64 / frames as f64;
        let hip = UnitQuaternion::from_euler_angles(0.8 * phase.sin(), phase, 0.0);
        let knee = hip * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1.2 + phase.cos());
        let root = Vector3::new(0.1 * phase.cos(), 1.0, 0.0);
        let mid = root + hip * Vector3::new(0.1, -0.5 - 0.05 * phase.sin(), 0.0);
        let foot = mid + knee * Vector3::new(0.0, -0.4, 0.0);
        positions.extend([root, mid, foot, root + hip * Vector3::new(-0.2, 0.4, 0.1)]);
        orientations.extend([hip, knee, knee, hip]);
    }
    let clip = Clip::new(Topology::Rig(rig), Playback::Loop, 0.02, 4, positions).unwrap();
    if oriented { clip.with_orientations(orientations).unwrap() } else { clip }
}

#[test]
fn rigs_become_joints_in_the_right_places() {
    for (oriented, name) in [(true, "oriented"), (false, "guessed")] {
        let (clip, motion) = (limbs(50, oriented), motion(151, 0.02));
        let (played, report) = export(&clip, &motion, name);
        assert_eq!(report.bodies[0].storage, ShapeStorage::Joints { joints: 4 });
        assert!(report.bodies[0].error < 2e-7); // measured 5.6e-8
        for k in 0..motion.frames() {
            let pose = motion.tracks[0].poses[k];
            let placed: Vec<_> = clip.frame(k).iter().map(|p| pose.act(p)).collect();
            for j in 0..4 {
                let seen = played.global(played.node(&format!("joint{j}")).index(), k);
                assert!((seen.translation - placed[j]).norm() < 1e-6, "frame {k}, joint {j}"); // measured 1.2e-7
                if let Some(orientations) = clip.frame_orientations(k) {
                    assert!(seen.rotation.angle_to(&(pose.rotation * orientations[j])) < 1e-6); // measured 1.2e-7
                }
            }
            // Bone 0 stretches: an octahedron, whose tips are its joints. The others are limbs, or octahedra where the turn is made up.
            let seen = played.mesh(&format!("{name}.shape"), k).positions;
            for j in [0, 1] {
                assert!(seen[..24].iter().any(|p| (p - placed[j]).norm() < 1e-6), "frame {k}: the octahedron ends at joint {j}");
            }
            // Something is drawn around every joint, and nothing far from all of them: a limb of 1 kg and 0.4 m has a radius of 27 mm.
            for (j, joint) in placed.iter().enumerate() {
                let nearest = seen.iter().map(|p| (p - joint).norm()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 0.03, "frame {k}, joint {j}: {nearest}"); // measured 0.027
            }
        }
    }
}

#[test]
fn guessed_orientations_follow_rigid_turns() {
    // A rigid turn of the whole rig by up to half a circle must give exactly that turn to every joint with two or more children.
    let rest = limbs(4, false);
    let Topology::Rig(rig) = rest.topology() else { unreachable!() };
    let turn = |k: usize| UnitQuaternion::from_euler_angles(0.2 * k as f64, 0.1 * k as f64, -0.15 * k as f64);
    let positions = (0..15).flat_map(|k| rest.frame(0).iter().map(move |p| turn(k) * p).collect::<Vec<_>>()).collect();
    let clip = Clip::new(Topology::Rig(rig.clone()), Playback::Once, 0.1, 4, positions).unwrap();
    let still = Pose::identity();
    let mut motion = motion(15, 0.1);
    motion.tracks[0].poses.fill(still);
    let (played, _) = export(&clip, &motion, "turned");
    for k in 0..15 {
        for j in 0..4 {
            let seen = played.global(played.node(&format!("joint{j}")).index(), k);
            let off = seen.rotation.angle_to(&turn(k));
            assert!(off < 1e-4, "frame {k}, joint {j}: {off}"); // measured 5.1e-5: the weight of turning little is 1e-6
        }
    }
}

/// A closed curve that deforms in space and whose frames carry real twist.
fn knot(frames: usize, n: usize) -> Clip {
    let at = |k: usize, i: usize| {
        let (a, phase) = (TAU * i as f64 / n as f64, TAU * k as f64 / frames as f64);
        let r = 2.0 + (1.0 + 0.2 * phase.sin()) * (3.0 * a + phase).cos();
        Vector3::new(r * (2.0 * a).cos(), r * (2.0 * a).sin(), (3.0 * a + phase).sin())
    };
    let positions = (0..frames).flat_map(|k| (0..n).map(move |i| at(k, i))).collect();
    Clip::new(Topology::Curve { closed: true }, Playback::Loop, 1.0 / 30.0, n, positions).unwrap()
}

#[test]
fn tubes_turn_steadily_in_time_and_close_up() {
    let clip = knot(60, 150);
    let tube = Tube::new(&clip, true, 0.1, Taper::Snake, Detail::File);
    let (n, sides) = (clip.vertices(), tube.sides());
    let frames: Vec<_> = (0..60).map(|k| tube.frame(k)).collect();
    for k in 0..60 {
        let (now, next) = (&frames[k], &frames[(k + 1) % 60]);
        for i in 0..n {
            let spoke = |f: &MeshFrame, i: usize| f.normals[i * sides];
            let in_time = spoke(now, i).angle(&spoke(next, i)).to_degrees();
            assert!(in_time < 12.0, "frame {k}, ring {i} turns by {in_time} degrees"); // measured 8.4
            let along = spoke(now, i).angle(&spoke(now, (i + 1) % n)).to_degrees();
            assert!(along < 12.0, "frame {k}, ring {i} to the next turns by {along} degrees"); // measured 8.2
        }
    }
}

/// The still cuts the tube finer, but it is the same tube.
#[test]
fn a_picture_shows_the_tube_that_the_file_holds() {
    let clip = wave(8, 50);
    let [file, picture] = [Detail::File, Detail::Picture].map(|detail| Tube::new(&clip, false, 0.02, Taper::Snake, detail));
    let rings = |tube: &Tube| -> Vec<(Vector3<f64>, f64)> {
        let frame = tube.frame(3);
        let rings = frame.positions.chunks(tube.sides()).map(|ring| {
            let center = ring.iter().sum::<Vector3<f64>>() / ring.len() as f64;
            (center, ring.iter().map(|p| (p - center).norm()).fold(0.0, f64::max))
        });
        rings.collect()
    };
    for (i, (coarse, fine)) in rings(&file).iter().zip(rings(&picture).iter().step_by(4)).take(50).enumerate() {
        assert!((coarse.0 - fine.0).norm() < 1e-12 && (coarse.0 - clip.frame(3)[i]).norm() < 1e-12); // measured 1e-16
        assert!((coarse.1 - fine.1).abs() < 0.02 * 0.02, "ring {i}: {} {}", coarse.1, fine.1);
    }
    let stands_for = picture.sources();
    assert_eq!(stands_for.len(), picture.frame(3).positions.len());
    assert_eq!((stands_for[0], stands_for[4 * 22 * 7], stands_for[stands_for.len() - 1]), (0, 7, 49));
}

/// Where a tube is thicker than its bend is wide, its inner side stops at the centre of the bend instead of turning inside out.
#[test]
fn a_thick_tube_keeps_its_rings_in_order_in_a_tight_bend() {
    let bend = |i: usize| Vector3::new((i as f64 * 0.1).sin(), 0.0, 1.0 - (i as f64 * 0.1).cos()) * 0.05;
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 1.0, 32, (0..32).map(bend).collect()).unwrap();
    for (detail, count) in [(Detail::File, 32), (Detail::Picture, 125)] {
        let tube = Tube::new(&clip, false, 0.08, Taper::Uniform, detail);
        let frame = tube.frame(0);
        let rings: Vec<_> = frame.positions.chunks(tube.sides()).collect();
        // The curve ends straight, so the rings there are round.
        for pair in rings[4..count - 4].windows(2) {
            for (p, q) in pair[0].iter().zip(pair[1]) {
                // Seen from the bend's axis every point goes on the same way round, or stands on the axis.
                let (a, b) = (p - Vector3::z() * 0.05, q - Vector3::z() * 0.05);
                assert!(b.cross(&a).y > -1e-9, "{detail:?}: {a:?} {b:?}");
            }
        }
    }
}

/// Signed volume by the divergence theorem: positive if the faces look outwards and the mesh is closed.
fn volume(positions: &[Vector3<f64>], faces: &[[u32; 3]]) -> f64 {
    faces.iter().map(|f| f.map(|v| positions[v as usize])).map(|[a, b, c]| a.cross(&b).dot(&c) / 6.0).sum()
}

#[test]
fn a_straight_tube_has_the_volume_of_its_cylinder_and_caps() {
    let points = (0..11).map(|i| Vector3::new(3.0, 1.0 + 0.1 * i as f64, -2.0)).collect();
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 1.0, 11, points).unwrap();
    let tube = Tube::new(&clip, false, 0.05, Taper::Uniform, Detail::File);
    let frame = tube.frame(0);
    // Twelve-sided prism, and two half ellipsoids 1.2 radii long seen as four twelve-sided slices each.
    let section = 6.0 * (TAU / 12.0).sin() * 0.05 * 0.05;
    let level = |s: usize| (s as f64 * TAU / 16.0).sin_cos();
    let slice = |s: usize| {
        let ((z0, r0), (z1, r1)) = (level(s), level(s + 1));
        (z1 - z0) * (r0 * r0 + r0 * r1 + r1 * r1) / 3.0
    };
    let caps = 2.0 * 1.2 * 0.05 * section * (0..4).map(slice).sum::<f64>();
    let expected = section * 1.0 + caps;
    assert!((volume(&frame.positions, tube.faces()) - expected).abs() < 1e-11 * expected); // measured 9e-13
    for (p, n) in frame.positions.iter().zip(&frame.normals) {
        let center = Vector3::new(3.0, p.y.clamp(1.0, 2.0), -2.0);
        assert!(n.dot(&(p - center)) > 0.0, "normals look outwards");
    }
}

#[test]
fn a_snake_is_thick_at_the_head_and_thin_at_the_tail() {
    let clip = wave(2, 101);
    let tube = Tube::new(&clip, false, 0.02, Taper::Snake, Detail::File);
    let frame = tube.frame(0);
    let radius = |i: usize| (frame.positions[i * tube.sides()] - clip.frame(0)[i]).norm();
    let greatest = (0..101).map(radius).fold(0.0, f64::max);
    assert!((greatest - 0.02).abs() < 1e-4);
    assert!(radius(3) > radius(8) && radius(45) > radius(8), "a head, a neck, a body");
    assert!(radius(100) < 0.15 * greatest && (60..100).all(|i| radius(i) > radius(i + 1)), "a tail");
}

#[test]
fn odd_shapes_give_finite_files() {
    let curve = |closed, points: Vec<Vector3<f64>>| {
        let n = points.len();
        let later = points.iter().map(|p| p + Vector3::new(0.0, 0.1, 0.0));
        let positions = points.iter().copied().chain(later).collect();
        Clip::new(Topology::Curve { closed }, Playback::Loop, 0.1, n, positions).unwrap()
    };
    let (o, x, y) = (Vector3::zeros(), Vector3::x(), Vector3::y());
    let flat = Topology::Surface { faces: vec![[0, 1, 1], [0, 1, 2]] };
    let odd = [
        ("one-vertex", curve(false, vec![x])),
        ("two-vertices", curve(false, vec![o, x])),
        ("two-closed", curve(true, vec![o, y])),
        ("all-in-one-place", curve(false, vec![x; 5])),
        ("closed-in-one-place", curve(true, vec![x; 5])),
        ("repeated-vertices", curve(false, vec![o, o, x, x, x, x + y, x + y])),
        ("hairpin", curve(false, vec![o, x, o, x, 2.0 * x])),
        ("closed-hairpin", curve(true, vec![o, x, 2.0 * x, x])),
        ("flat-faces", Clip::new(flat, Playback::Once, 0.1, 3, vec![o, x, 2.0 * x]).unwrap()),
        ("no-faces", Clip::new(Topology::Surface { faces: vec![] }, Playback::Once, 0.1, 2, vec![o, x]).unwrap()),
        ("bones-without-length", Clip::new(limbs(1, false).topology().clone(), Playback::Once, 0.1, 4, vec![x; 4]).unwrap()),
        ("one-point", Clip::new(Topology::Points, Playback::Once, 0.1, 1, vec![x]).unwrap()),
    ];
    for (name, clip) in odd {
        for frames in [1, 5] {
            let (played, report) = export(&clip, &motion(frames, 0.1), &format!("{name}-{frames}"));
            let seen = played.mesh(&format!("{name}-{frames}.shape"), frames - 1);
            assert!(seen.positions.iter().chain(&seen.normals).all(|p| p.iter().all(|x| x.is_finite())), "{name}");
            assert!(report.bodies[0].error < 1e-6, "{name}: {report:?}"); // measured 5.7e-8
        }
    }
}

#[test]
fn nothing_that_is_not_finite_gets_out() {
    let clip = wave(4, 5);
    let meta = ExportMeta::default();
    let motion = |frames: usize, dt: f64| of(&clip, "snake", motion(frames, dt));
    let build = |motion: &Motion| build(motion, &[Looks::default().into()], &meta);
    let mut bad = motion(9, 0.1);
    bad.tracks[0].poses[7].translation.y = f64::NAN;
    let text = build(&bad).unwrap_err().to_string();
    assert!(text.contains("body snake, frame 7") && text.contains("NaN"), "{text}");
    assert!(csv::table(&bad, None).unwrap_err().to_string().contains("column y [m], frame 7"));

    let mut bad = motion(9, 0.1);
    bad.tracks[0].poses[8].translation.x = 1e39; // finite, but not in single precision
    assert!(build(&bad).unwrap_err().to_string().contains("not finite"));
    bad.tracks[0].poses[8].translation.x = f64::INFINITY;
    assert!(Summary::new(&bad, "s", "shape_change", Duration::ZERO).is_err());

    let mut bad = motion(9, 0.1);
    bad.cycle_transform = Some(Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(0.0, f64::NAN, 0.0) });
    assert!(build(&bad).is_err());
    assert!(Summary::new(&bad, "s", "shape_change", Duration::ZERO).is_err());

    let mut bad = motion(9, 0.1);
    bad.dt = f64::NAN;
    assert!(build(&bad).is_err());

    let huge = Clip::new(Topology::Points, Playback::Once, 0.1, 1, vec![Vector3::new(1e200, 0.0, 0.0)]).unwrap();
    assert!(build(&of(&huge, "huge", motion(1, 0.1))).unwrap_err().to_string().contains("1e200"));

    let lost = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(f64::NAN, 0.0, 0.0, 0.0));
    let rig = limbs(3, false).with_orientations(vec![lost; 12]).unwrap();
    assert!(build(&of(&rig, "rig", motion(3, 0.1))).is_err());
}

/// A closed tetrahedron that shrinks, with a colour for each face.
#[test]
fn faces_have_colours_of_their_own() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let positions = [1.0, 0.5].iter().flat_map(|s| points.map(|p| p * *s)).collect();
    let clip = Clip::new(Topology::Surface { faces }, Playback::Once, 0.1, 4, positions).unwrap();
    let colors = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 0.9]];
    let motion = of(&clip, "die", motion(2, 0.1));
    let drawn = Drawn { face_colors: Some(&colors), ..Drawn::default() };
    let (glb, report) = build(&motion, &[drawn], &ExportMeta::default()).unwrap();
    assert!(report.bodies[0].error < 1e-7); // measured 0
    let file = gltf::Gltf::from_slice(&glb).unwrap();
    let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| file.blob.as_deref());
    let stored: Vec<[f32; 3]> = reader.read_colors(0).unwrap().into_rgb_f32().collect();
    let corners: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    // All corners of a face have its colour, in linear light: 0.2 is 0.0331, 0.9 is 0.7874 (IEC 61966-2-1).
    let expected = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.033_105, 0.033_105, 0.787_412]];
    for (face, color) in corners.chunks(3).zip(expected) {
        for &v in face {
            assert!((0..3).all(|i| (stored[v as usize][i] - color[i]).abs() < 1e-5), "{:?}", stored[v as usize]);
        }
    }
    // White under the colours, and one-sided: the doubled vertices leave no border.
    let material = primitive.material();
    assert_eq!(material.pbr_metallic_roughness().base_color_factor(), [1.0; 4]);
    assert!(!material.double_sided());
    // One colour too few, and one that is none.
    let refused = |colors: &[[f64; 3]]| {
        build(&motion, &[Drawn { face_colors: Some(colors), ..drawn }], &ExportMeta::default()).unwrap_err().to_string()
    };
    assert!(refused(&colors[1..]).contains("3 colours of faces, but it has 4 faces"));
    assert!(refused(&[[f64::NAN; 3]; 4]).contains("face 0"));
}

#[test]
fn what_does_not_fit_together_is_named() {
    let clip = wave(4, 5);
    let refused = |frames: usize, dt: f64, looks: &[Looks]| {
        let bodies: Vec<Drawn> = looks.iter().map(|&looks| looks.into()).collect();
        build(&of(&clip, "snake", motion(frames, dt)), &bodies, &ExportMeta::default()).unwrap_err().to_string()
    };
    let usual = Looks::default();
    assert!(build(&Motion::new(0.1, Vec::new()), &[], &ExportMeta::default()).unwrap_err().to_string().contains("no bodies"));
    assert!(refused(2, 0.1, &[]).contains("the looks of 0"));
    assert!(refused(0, 0.1, &[usual]).contains("no frames"));
    assert!(refused(2, 0.1, &[Looks { thickness: Some(-0.1), ..usual }]).contains("-0.1"));
    assert!(refused(3, 1e-60, &[usual]).contains("same time"));
}

#[test]
fn several_bodies_share_a_file() {
    let (snake, diver, dust) = (wave(20, 10), limbs(20, true), knot(40, 30));
    let mut motion = motion(41, 0.05);
    let named = [("body", &snake), ("diver, \"second\"", &diver), ("knot", &dust)];
    motion.tracks = named.iter().map(|(name, clip)| of(clip, name, motion.clone()).tracks.remove(0)).collect();
    motion.tracks[1].poses.iter_mut().for_each(|p| p.translation.x += 3.0);
    let (glb, report) =
        build(&motion, &[0, 1, 2].map(|i| Looks::of_body(i).into()), &ExportMeta { scene: "three".into(), ..ExportMeta::default() })
            .unwrap();
    if let Some(folder) = std::env::var_os("HOLONOMY_KEEP_EXPORTS") {
        write_atomically(&std::path::Path::new(&folder).join("three.glb"), &glb).unwrap();
    }
    let played = Played::new(&glb);
    assert_eq!((report.bodies.len(), played.gltf.animations().count(), played.gltf.skins().count()), (3, 1, 1));
    let pose = motion.tracks[1].poses[33];
    let seen = played.global(played.node("joint2").index(), 33).translation;
    assert!((seen - pose.act(&diver.frame(33)[2])).norm() < 1e-6); // measured 7.8e-8
    let header = csv::table(&motion, None).unwrap().lines().next().unwrap().to_string();
    assert!(header.contains(",body.qw,") && header.contains("\"diver, \"\"second\"\".x [m]\""), "{header}");
}

#[test]
fn the_table_reads_back_to_the_same_numbers() {
    let mut motion = motion(12, 1.0 / 3.0);
    motion.tracks[0].series[0].values[4] = f64::NAN;
    motion.tracks[0].series.push(Quantity::new("energy", "J").per_frame(vec![1.0; 12]));
    let recorded = vec![Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(0.1, 0.7, 1e-300) }; 5];
    let text = csv::table(&motion, Some(&recorded)).unwrap();
    let rows: Vec<Vec<&str>> = text.split_terminator("\r\n").map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name} not in {:?}", rows[0]));
    assert_eq!(rows[0][..8], ["t [s]", "x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz"]);
    assert_eq!((rows.len(), rows[0][rows[0].len() - 1]), (13, "recorded_qz"));
    assert!(rows.iter().all(|row| row.len() == rows[0].len()) && !text.contains("NaN"));
    for (k, row) in rows[1..].iter().enumerate() {
        let number = |name: &str| row[column(name)].parse::<f64>().ok();
        let (pose, twist, momentum) = (motion.tracks[0].poses[k], motion.tracks[0].twists[k], motion.tracks[0].momenta[k]);
        assert_eq!(number("t [s]"), Some(k as f64 * motion.dt));
        assert_eq!(number("z [m]"), Some(pose.translation.z));
        assert_eq!(number("qy").map(f64::abs), Some(pose.rotation.j.abs()));
        assert_eq!(number("vz [m/s]"), Some(twist.linear.z));
        assert_eq!(number("angular_momentum_y [kg m^2/s]"), Some(momentum.angular.y));
        assert_eq!(number("momentum_x [kg m/s]"), Some(momentum.linear.x));
        assert_eq!(number("residual"), (k != 4).then_some(motion.tracks[0].series[0].values[k]));
        assert_eq!(number("energy [J]"), Some(1.0));
        assert_eq!(number("recorded_z [m]"), (k < 5).then_some(1e-300));
    }
}

/// Equal but for the last digit of a number, which serde_json's reader does not promise.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| (a - b).abs() <= 1e-15 * a.abs()),
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Object(a), Object(b)) => a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b))),
        _ => a == b,
    }
}

#[test]
fn the_summary_is_finite_and_reads_back() {
    let clip = wave(60, 50);
    let mut motion = motion(150, 1.0 / 60.0); // two whole cycles end at frame 120
    motion.checks.push(Check { name: "lost", value: f64::NAN, tolerance: 1.0 });
    motion.checks.push(Check { name: "free", value: 3.0, tolerance: f64::INFINITY });
    motion.outcome = Outcome::NotConverged { frame: 150, residual: f64::NAN, advice: "halve dt".into() };
    let mut summary = Summary::new(&of(&clip, "snake", motion.clone()), "snake", "shape_change", Duration::from_millis(500)).unwrap();
    summary.files.push("out/snake.glb".into());
    let text = summary.to_json().unwrap();
    let back = serde_json::to_value(serde_json::from_str::<Summary>(&text).unwrap()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(same(&back, &json), "{back} {json}");
    assert!(text.contains(&summary.displacement[2].to_string()), "shortest digits that read back");
    let keys = "scene system frames dt duration cycle_duration vertices wall_s steps_per_s newton_iterations displacement rotation_deg mean_speed cycle_transform \
                checks outcome warnings body_length displacement_body_lengths files version";
    assert!(keys.split_whitespace().all(|key| json.get(key).is_some()), "{text}");
    assert_eq!(summary.steps_per_s, Some(298.0));
    assert_eq!((summary.duration, summary.cycle_duration), (149.0 / 60.0, Some(1.0)));
    let centers = &motion.tracks[0].centers;
    let moved = centers[120] - centers[0];
    assert!((Vector3::from(summary.displacement) - moved).norm() < 1e-14);
    assert!((summary.mean_speed.unwrap() - moved.norm() / 2.0).abs() < 1e-14);
    let angle = UnitQuaternion::from_euler_angles(0.6, 4.0, 0.2 * 2f64.sin()).angle().to_degrees();
    assert!((summary.rotation_deg - angle).abs() < 1e-9, "{} {angle}", summary.rotation_deg);
    assert_eq!((summary.checks[1].value, summary.checks[1].pass), (None, false));
    assert_eq!((summary.checks[2].tolerance, summary.checks[2].pass), (None, true));
    assert_eq!(summary.outcome, SummaryOutcome::NotConverged { frame: 150, residual: None, advice: "halve dt".into() });

    summary.wall_s = f64::NAN;
    assert!(summary.to_json().is_err());
    let one = Clip::new(Topology::Points, Playback::Once, 0.1, 1, vec![Vector3::zeros()]).unwrap();
    let still = Summary::new(&of(&one, "dot", self::motion(1, 0.1)), "dot", "shape_change", Duration::ZERO).unwrap();
    assert_eq!((still.mean_speed, still.displacement_body_lengths, still.steps_per_s), (None, None, None));
    assert_eq!((still.duration, still.cycle_duration), (0.0, None));
}

#[test]
fn files_are_whole_or_not_there() {
    let base = tempfile::tempdir().unwrap();
    let names = |folder: &std::path::Path| -> Vec<_> { std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect() };
    let target = base.path().join("new/deep/a.csv");
    write_atomically(&target, b"old").unwrap();
    write_atomically(&target, b"new").unwrap();
    assert_eq!((std::fs::read(&target).unwrap(), names(target.parent().unwrap()).len()), (b"new".to_vec(), 1));

    // A folder whose parent is a file cannot be made, whoever asks.
    let blocked = target.join("under-a-file");
    for text in [write_atomically(&blocked.join("b"), b"x").unwrap_err().to_string(), OutputDir::open(&blocked).unwrap_err().to_string()] {
        assert!(text.contains("under-a-file"), "{text}");
    }
    assert!(OutputDir::open(std::path::Path::new("/proc/holonomy-test")).is_err() || !cfg!(target_os = "linux"));

    // Nothing written: the folders made on the way go again. Something written: they stay.
    let out = base.path().join("p/q");
    drop(OutputDir::open(&out).unwrap());
    assert!(!base.path().join("p").exists());
    let mut dir = OutputDir::open(&out).unwrap();
    let written = dir.write_all(&[("a.glb".into(), "A"), ("a.json".into(), "B")]).unwrap();
    drop(dir);
    assert_eq!((written.len(), names(&out).len(), std::fs::read_to_string(out.join("a.json")).unwrap()), (2, 2, "B".into()));

    // What is not there is removed already.
    let dir = OutputDir::open(&out).unwrap();
    dir.remove_all(&["a.json".into(), "gone.csv".into()]).unwrap();
    assert_eq!(names(&out), ["a.glb"]);

    // The second of two files cannot be written: the first stays as it was, and no temporary file is left.
    std::fs::create_dir(out.join("taken")).unwrap();
    let failed = OutputDir::open(&out).unwrap().write_all(&[("a.glb".into(), "C"), ("taken".into(), "D")]);
    assert!(failed.unwrap_err().to_string().contains("taken"));
    assert_eq!((std::fs::read_to_string(out.join("a.glb")).unwrap(), names(&out).len()), ("A".into(), 2));
}

#[test]
fn a_doubled_corner_is_no_bend() {
    let corners = [(1, -2, 2), (0, 0, -2), (1, -2, 1), (1, -2, 1)].map(|(x, y, z)| Vector3::new(x.into(), y.into(), z.into()));
    for (closed, turn) in [(true, 0), (true, 1), (true, 2), (true, 3), (false, 0), (false, 2)] {
        let positions: Vec<Vector3<f64>> = (0..4).map(|i| corners[(i + turn) % 4]).collect();
        let clip = Clip::new(Topology::Curve { closed }, Playback::Once, 0.1, 4, positions).unwrap();
        let frame = Tube::new(&clip, closed, 0.1, Taper::Snake, Detail::File).frame(0);
        let off = greatest_distance(&ring_centers(&frame.positions, 4), clip.frame(0).iter().copied());
        assert!(off < 1e-14, "{closed} {turn}: {off:e}"); // an edge without length is not a bend of no radius
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whatever the curve does (random corners, repeats, hairpins), rings are centred on it and normals are unit.
    #[test]
    fn rings_are_centred_on_any_curve(
        corners in prop::collection::vec((-2i8..3, -2i8..3, -2i8..3), 2..12), frames in 1usize..4, closed: bool, looped: bool,
    ) {
        let n = corners.len();
        let at = |k: usize, i: usize| { let (x, y, z) = corners[(i * (k + 1)) % n]; Vector3::new(x.into(), y.into(), z.into()) };
        let positions = (0..frames).flat_map(|k| (0..n).map(move |i| (k, i))).map(|(k, i)| at(k, i)).collect();
        let playback = if looped { Playback::Loop } else { Playback::Once };
        let clip = Clip::new(Topology::Curve { closed }, playback, 0.1, n, positions).unwrap();
        let tube = Tube::new(&clip, closed, 0.1, Taper::Snake, Detail::File);
        for k in 0..frames {
            let frame = tube.frame(k);
            let centers = ring_centers(&frame.positions, n);
            prop_assert!(greatest_distance(&centers, clip.frame(k).iter().copied()) < 1e-14); // measured 8e-16
            prop_assert!(frame.normals.iter().all(|n| (n.norm() - 1.0).abs() < 1e-12));
            prop_assert!(tube.faces().iter().flatten().all(|&v| (v as usize) < frame.positions.len()));
        }
    }
}
