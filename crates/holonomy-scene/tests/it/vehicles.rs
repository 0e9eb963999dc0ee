//! Scenes of vehicles: what they look like in files, and obstacles from files.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use holonomy::lie::Pose;
use holonomy::medium::obstacle::Obstacle;
use holonomy::motion::{Matter, Outcome};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy_scene::Error;
use holonomy_scene::export::page;
use holonomy_scene::job::{Finished, Job};
use holonomy_scene::scene::Scene;

fn run(text: &str, folder: &Path) -> Result<Finished, Error> {
    let job = Job::prepare("test", Scene::from_toml(text, "test")?, folder)?;
    job.run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| ControlFlow::Continue(()))
}

fn file<'a>(finished: &'a Finished, ending: &str) -> &'a [u8] {
    &finished.files.iter().find(|(name, _)| name.ends_with(ending)).unwrap().1
}

/// Paint, accent, glass, metal and rubber, each where it is: the mesh has as many colours as finishes.
#[test]
fn a_vehicle_has_the_colours_of_what_it_is_made_of() {
    let scene = "title = \"t\"\n[body.helicopter]\n[time]\nduration = \"0.1 s\"\n[system.vehicle]\n[picture]\nwidth = 200\nheight = 140\n";
    let finished = run(scene, Path::new("")).unwrap();
    let gltf = gltf::Gltf::from_slice(file(&finished, ".glb")).unwrap();
    let mesh = gltf.meshes().next().unwrap();
    let reader_of = mesh.primitives().next().unwrap();
    let reader = reader_of.reader(|_| gltf.blob.as_deref());
    let colors: Vec<[u8; 3]> = reader.read_colors(0).unwrap().into_rgb_u8().collect();
    assert_eq!(colors.len(), reader.read_positions().unwrap().count());
    let different: BTreeSet<[u8; 3]> = colors.into_iter().collect();
    assert_eq!(different.len(), 5, "{different:?}");
}

/// A box of this size along each side, its first `without` faces left out.
fn rock(size: f64, without: usize) -> String {
    let corner = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|bit| size * (bit as f64 - 0.5));
    let faces = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let points = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    points.chain(faces[without..].iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1))).collect()
}

const BOAT: &str = r#"
title = "Around a rock"
[body.planar-boat]
wind = [0, 0]
wind-gradient = [0, 0]
[time]
duration = "12 s"
fps = 10
[system.plan]
intervals = 40
goal = { at = [6, 0, 0] }
via = [[3, 0, -2]]
"#;

#[test]
fn a_plan_goes_around_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rock.obj"), rock(0.5, 0)).unwrap();
    let obstacle = "obstacles = [{ mesh = { file = \"rock.obj\", at = [3, 0, 0.2], turn = [0, \"30 deg\", 0], scale = 2 } }]\n";
    let finished = run(&format!("{BOAT}{obstacle}"), folder.path()).unwrap();
    assert_eq!(finished.motion.outcome, Outcome::Done);
    // Half the beam is 0.475 m, so no place of the middle is nearer than that to the box that the mesh is.
    let turn = Vector3::y() * 30_f64.to_radians();
    let pose = Pose { rotation: UnitQuaternion::from_scaled_axis(turn), translation: Vector3::new(3.0, 0.0, 0.2) };
    let block = Obstacle::Box { pose, half: Vector3::repeat(0.5) };
    let poses = &finished.motion.tracks[0].poses;
    let nearest = poses.iter().map(|pose| block.distance(&pose.translation).value).fold(f64::INFINITY, f64::min);
    assert!(nearest > 0.475, "{nearest}"); // 0.638: the balls around the boat are larger than it
    let seen = &finished.motion.scenery[0];
    assert_eq!((seen.name.as_str(), seen.faces.len()), ("obstacle 1", 12));
    // Others are told the name of the file, not the folder.
    let told = String::from_utf8_lossy(file(&finished, ".glb"));
    assert!(told.contains("rock.obj") && !told.contains(&*folder.path().to_string_lossy()));
    // With nothing in the way it goes straight.
    let straight = run(BOAT, folder.path()).unwrap();
    let aside = straight.motion.tracks[0].poses.iter().map(|pose| pose.translation.z.abs()).fold(0.0, f64::max);
    assert!(aside < 1e-9, "{aside}"); // 3.5e-13
}

#[test]
fn a_mesh_that_is_no_solid_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("open.obj"), rock(1.0, 1)).unwrap();
    let refused = |name: &str| {
        let obstacle = format!("obstacles = [{{ mesh = {{ file = \"{name}\" }} }}]\n");
        run(&format!("{BOAT}{obstacle}"), folder.path()).unwrap_err().to_string()
    };
    let open = refused("open.obj");
    assert!(open.contains("open.obj") && open.contains("hole"), "{open}");
    assert!(refused("none.obj").contains("none.obj"));
}

/// Driven or on a plan, a boat makes waves: those of a driven one too, between walls and in open water, and round a rock that stands in the water.
#[test]
fn boats_make_waves() {
    let grid = "size = [\"12 m\", \"8 m\"]\ncell = \"20 cm\"\ndepth = \"50 cm\"\nat = [3, 0, 0]\n";
    let driven = "title = \"t\"\n[body.boat]\n[start]\nat = [3, 0, -3]\n[time]\nduration = \"2 s\"\nfps = 10\n[system.vehicle]\ncontrols = { right = [[0, 80]], left = [[0, 80]] }\n";
    let rock = "[[system.plan.obstacles]]\nsphere = { at = [3, 0, 0.2], radius = \"40 cm\" }\n";
    for (scene, checks) in [
        (format!("{driven}[system.vehicle.waves]\n{grid}"), 2),
        (format!("{driven}[system.vehicle.waves]\n{grid}sides = \"open\"\n"), 1),
        (format!("{BOAT}[system.plan.waves]\n{grid}{rock}"), 2),
    ] {
        let motion = run(&scene, Path::new("")).unwrap().motion;
        let water = motion.tracks.iter().find(|track| track.matter == Matter::Water).unwrap();
        assert_eq!(water.poses.len(), motion.tracks[0].poses.len());
        let rise = water.shape.frame(water.poses.len() - 1).iter().map(|point| point.y.abs()).fold(0.0, f64::max);
        assert!((0.001..0.3).contains(&rise), "{rise}");
        let of_water = motion.checks.iter().filter(|check| check.name.contains("water"));
        assert_eq!(of_water.clone().count(), checks, "{:?}", motion.checks);
        assert!(of_water.clone().all(|check| check.pass()), "{:?}", motion.checks);
    }
    let flying = format!("{driven}[system.vehicle.waves]\n{grid}").replace("at = [3, 0, -3]", "at = [3, 5, -3]");
    assert!(run(&flying, Path::new("")).unwrap_err().to_string().contains("under water"));
    // A hull over millions of tiny cells filled the memory.
    let tiny = format!("{driven}[system.vehicle.waves]\nsize = [1e-6, 1e-6]\ncell = 1e-9\ndepth = 1e-9\nat = [3, 0, -3]\n");
    assert!(run(&tiny, Path::new("")).unwrap_err().to_string().contains("take larger cells"));
}

/// One zeppelin for flow, for driving and for plans.
#[test]
fn a_zeppelin_flows_and_is_driven() {
    let time = "[time]\nduration = \"1 s\"\nfps = 10\n[picture]\nwidth = 200\nheight = 140\n";
    for system in ["[system.flow]\nfluid = \"air\"\n", "[system.vehicle]\ncontrols = { right = [[0, 15]], left = [[0, 15]] }\n"] {
        let finished = run(&format!("title = \"t\"\n[body.zeppelin]\n{system}{time}"), Path::new("")).unwrap();
        let track = &finished.motion.tracks[0];
        let ahead = track.poses[10].translation.z;
        assert!((0.01..1.0).contains(&ahead), "{ahead}");
        assert_eq!(track.shape.vertices(), 3164);
    }
}
