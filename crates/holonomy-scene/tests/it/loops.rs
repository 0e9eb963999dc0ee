//! Scenes that repeat without a seam.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::motion::Outcome;
use holonomy::nalgebra::Vector3;
use holonomy_scene::Error;
use holonomy_scene::export::page;
use holonomy_scene::job::{Finished, Job};
use holonomy_scene::picture::{BodiesInMotion, Drawn, Placing, Still, StillOptions};
use holonomy_scene::scene::Scene;

fn run(text: &str, until: usize) -> Result<Finished, Error> {
    let job = Job::prepare("test", Scene::from_toml(text, "test")?, Path::new(""))?;
    let mut calls = 0;
    job.run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| {
        calls += 1;
        if calls > until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

const FIVE: &str = "title = \"t\"\n[body.planets]\n[system.loop]\n[time]\nduration = \"2 s\"\nfps = 100\ncycles = 2\n[picture]\nwidth = 200\nheight = 140\n";

#[test]
fn planets_repeat_without_a_seam() {
    let finished = run(FIVE, usize::MAX).unwrap();
    let motion = &finished.motion;
    assert_eq!((&motion.outcome, motion.tracks.len(), motion.frames()), (&Outcome::Done, 5, 401));
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    for track in &motion.tracks {
        assert!((track.centers[0] - track.centers[200]).norm() < 1e-12 && (track.centers[37] - track.centers[237]).norm() < 1e-12);
    }
    assert!(motion.charts.iter().any(|chart| chart.title == "Loss"));
}

#[test]
fn what_is_stopped_is_kept_and_says_so() {
    let finished = run(FIVE, 8).unwrap();
    assert!(matches!(finished.motion.outcome, Outcome::Interrupted { .. }), "{:?}", finished.motion.outcome);
    assert!(finished.files.iter().all(|(name, _)| name.starts_with("test.partial")));
}

/// A small cloth that swings down from level, with what else is said of the loop.
fn swing(settings: &str) -> Finished {
    let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [3, 2]\nlie = \"level\"\nheld = \"top-edge\"\n";
    let rest = "[time]\nduration = \"0.8 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\n";
    run(&format!("{body}[system.loop]\nguess = \"forward\"\n{settings}\n{rest}"), usize::MAX).unwrap()
}

/// A picture can be put on cloth and ribbons: upright as they are, its corners at theirs.
#[test]
fn cloth_and_ribbons_have_texture_coordinates() {
    let corners = |glb: &[u8]| -> Vec<([f32; 3], [f32; 2])> {
        let file = gltf::Gltf::from_slice(glb).unwrap();
        let mesh = file.meshes().next().unwrap();
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| file.blob.as_deref());
        let places = reader.read_tex_coords(0).unwrap().into_f32();
        reader.read_positions().unwrap().zip(places).collect()
    };
    // A ball beside it has none.
    let cloth = swing("iterations = 1\nballs = [{ at = [0, -3, 0], radius = \"10 cm\" }]");
    let file = gltf::Gltf::from_slice(&cloth.files[0].1).unwrap();
    let textured = |mesh: &gltf::Mesh| mesh.primitives().all(|one| one.get(&gltf::Semantic::TexCoords(0)).is_some());
    assert_eq!(file.meshes().map(|mesh| textured(&mesh)).collect::<Vec<_>>(), [true, false]);
    let corners_of_cloth = corners(&cloth.files[0].1);
    assert_eq!(corners_of_cloth.len(), 12);
    for (place, [u, v]) in corners_of_cloth {
        // Level at first: 60 cm along x, held at its far edge, 40 cm towards -z, the picture's upper one.
        assert!((place[0] - 0.6 * u).abs() < 0.05, "{place:?} {u} {v}");
        assert!(v > 0.0 || (place[2] + 0.4).abs() < 1e-6, "{place:?} {u} {v}");
    }
    let ribbons = "title = \"t\"\n[body.ribbons]\ncount = 2\nsegments = 4\n[system.loop]\niterations = 1\nguess = \"forward\"\n";
    let rest = "[time]\nduration = \"0.4 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\n";
    let of_ribbons: Vec<_> =
        corners(&run(&format!("{ribbons}{rest}"), usize::MAX).unwrap().files[0].1).into_iter().map(|(_, uv)| uv).collect();
    let one = [1.0, 0.0].map(|v| [0.0, 0.25, 0.5, 0.75, 1.0].map(|u| [u, v])).concat();
    assert_eq!(of_ribbons, [one.clone(), one].concat());
}

#[test]
fn a_loop_is_as_lively_as_it_is_told_to_be() {
    let lively = |settings: &str| {
        let finished = swing(settings);
        let kinetic = finished.motion.tracks[0].series("kinetic_energy").unwrap();
        kinetic.iter().sum::<f64>() / kinetic.len() as f64
    };
    let ratio = lively("iterations = 100\nenergy = 1") / lively("iterations = 100\nenergy = 0.5");
    assert!((1.6..2.1).contains(&ratio), "{ratio}"); // 1.81: physics has its say
}

#[test]
fn a_cloth_comes_back_to_where_it_began() {
    let finished = swing("iterations = 40");
    let (motion, clip) = (&finished.motion, &finished.motion.tracks[0].shape);
    assert_eq!((motion.frames(), clip.frames(), clip.vertices()), (41, 40, 12));
    // Its far edge is held.
    assert!((0..40).all(|k| (8..12).all(|v| (clip.frame(k)[v] - clip.frame(0)[v]).norm() < 1e-12)));
    let swings = (0..40).map(|k| clip.frame(k)[0].y).fold(0.0, f64::min);
    assert!(swings < -0.2, "{swings}"); // it falls by up to 0.4 m
    let left = motion.checks.iter().find(|check| check.name.starts_with("loss")).unwrap();
    assert!(left.value < 0.1, "{left:?}"); // 0.050: so little time takes force
}

#[test]
fn what_cannot_loop_is_refused() {
    let refusal = |scene: &str| run(scene, usize::MAX).unwrap_err().to_string();
    let time = "[time]\nduration = \"1 s\"\nfps = 20\n";
    assert!(refusal(&format!("title = \"t\"\n[body.ellipsoid]\n[system.loop]\n{time}")).contains("not simulated"));
    let short = refusal("title = \"t\"\n[body.planets]\n[system.loop]\n[time]\nduration = \"0.1 s\"\nfps = 20\n");
    assert!(short.contains("frames"), "{short}");
    let open = refusal(&format!("title = \"t\"\n[body.cloth]\nheld = \"nowhere\"\n[system.loop]\ntravel = \"free\"\n{time}"));
    assert!(open.contains("rigid motion"), "{open}");
}

/// A flag that hangs down from its pole, folded: it passes through itself, unless it is told not to.
#[test]
fn a_flag_does_not_pass_through_itself() {
    let crossings = |thickness: &str| {
        let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [6, 4]\n";
        let system = "[system.loop]\nguess = \"forward\"\niterations = 5\nsettle = \"1 s\"\nwind = [0, 0, 0.3]\n";
        let rest = "[time]\nduration = \"0.2 s\"\nfps = 100\n[picture]\nwidth = 200\nheight = 140\n";
        let motion = run(&format!("{body}{system}self-contact = \"{thickness}\"\n{rest}"), usize::MAX).unwrap().motion;
        let check = motion.checks.iter().find(|check| check.name.starts_with("edges that pass")).unwrap();
        assert_eq!(motion.warnings.iter().any(|warning| warning.contains("passes through itself")), !check.pass());
        check.value
    };
    assert_eq!(crossings("20 mm"), 0.0);
    // As good as none.
    assert!(crossings("0.01 mm") > 5.0); // measured 18
}

#[test]
fn planets_do_not_touch_themselves() {
    let scene = FIVE.replace("[system.loop]", "[system.loop]\nself-contact = \"1 cm\"");
    assert!(run(&scene, usize::MAX).unwrap_err().to_string().contains("self-contact"));
}

/// A keyframe of the corner at the origin, which is free.
fn led(time: &str, radius: &str, hold: &str) -> String {
    format!(
        "[[system.loop.keyframes]]\ntime = \"{time}\"\npart = {{ at = [0, 0, 0], radius = \"{radius}\" }}\nshift = [0.1, -0.2, 0]\nhold = \"{hold}\"\n"
    )
}

#[test]
fn a_keyframe_leads_there() {
    let off = |settings: &str| {
        let finished = swing(&format!("iterations = 40\n{settings}"));
        (finished.motion.tracks[0].shape.frame(20)[0] - Vector3::new(0.1, -0.2, 0.0)).norm()
    };
    let [free, soft, hard] = ["free", "soft", "hard"].map(|hold| off(&led("0.4 s", "1 cm", hold)));
    assert!(hard < 1e-12 && soft < 0.2 * free && free > 0.1, "{free} {soft} {hard}");
}

#[test]
fn keyframes_that_cannot_be_are_refused() {
    let refusal = |key: &str| {
        let scene = FIVE.replace("[time]", &format!("{key}[time]"));
        run(&scene, usize::MAX).unwrap_err().to_string()
    };
    assert!(refusal(&led("2.5 s", "9 m", "hard")).contains("the loop takes 2 s"));
    assert!(refusal(&led("1 s", "1 mm", "hard")).contains("nothing of the body"));
}

/// A cube of 20 cm with one corner at the origin.
const CUBE: &str = "v 0 0 0\nv .2 0 0\nv .2 .2 0\nv 0 .2 0\nv 0 0 .2\nv .2 0 .2\nv .2 .2 .2\nv 0 .2 .2\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";

#[test]
fn a_mesh_from_a_file_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    std::fs::write(folder.path().join("open.obj"), CUBE.replace("f 1 2 6 5\n", "")).unwrap();
    let made = |file: &str, colors: &str| {
        let soft = "soft = { cell = \"7 cm\", held-below = \"1 cm\" }";
        let loops = "[system.loop]\niterations = 3\n[[system.loop.keyframes]]\ntime = \"0.1 s\"\nshift = [0.05, 0, 0]\n";
        let picture = format!("[time]\nduration = \"0.2 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\ncolors = \"{colors}\"\n");
        let text = format!("title = \"t\"\n[body.asset]\nfile = \"{file}\"\n{soft}\n{loops}{picture}");
        let job = Job::prepare("test", Scene::from_toml(&text, "test")?, folder.path())?;
        job.run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| ControlFlow::Continue(()))
    };
    let plain = made("cube.obj", "body").unwrap();
    let track = &plain.motion.tracks[0];
    let (shape, values) = (&track.shape, &track.of_vertices);
    assert_eq!(values.len(), shape.frames() * shape.vertices());
    let low: Vec<usize> = (0..shape.vertices()).filter(|&v| shape.frame(0)[v].y < 0.01).collect();
    assert!(low.iter().all(|&v| values[v] == 0.0 && shape.frame(5)[v] == shape.frame(0)[v]));
    // They are in the cube's lower side, of which sharp edges are lost.
    let (from, to) = holonomy::shape::bounds(low.iter().map(|&v| &shape.frame(0)[v])).unwrap();
    assert!(from.amin() > -0.01 && to.max() < 0.2 + 1e-9 && (to - from).x > 0.1 && low.len() < shape.vertices() / 2, "{from} {to}");
    assert!(values.iter().any(|&force| force > 0.0));
    let still = |finished: &Finished| finished.files.iter().find(|(name, _)| name.ends_with(".png")).unwrap().1.clone();
    assert_ne!(still(&plain), still(&made("cube.obj", "missing-force").unwrap()));
    let open = made("open.obj", "body").unwrap_err().to_string();
    assert!(open.contains("open.obj") && open.contains("close it"), "{open}");
}

#[test]
fn a_loop_says_how_it_was_solved_and_keeps_to_its_memory() {
    assert!(swing("iterations = 2").summary.method.unwrap().contains("MB: "));
    let refusal = run(&FIVE.replace("[system.loop]", "[system.loop]\nmemory = 0.0001"), usize::MAX).unwrap_err().to_string();
    assert!(refusal.contains("GB") && refusal.contains("allow more"), "{refusal}");
}

/// A fine cloth begins where the loop of a coarse one does, which is near to a loop of its own.
#[test]
fn a_coarse_loop_leads_to_a_fine_one() {
    let body = "title = \"t\"\n[body.cloth]\nsize = [0.9, 0.6]\ncells = [12, 8]\n";
    let system = "[system.loop]\nsettle = \"1 s\"\nwind = [4, 0, 1.5]\nstart = \"hard\"\nguess = \"forward\"\niterations = 6\n";
    let rest = "[time]\nduration = \"0.5 s\"\nfps = 100\n[picture]\nwidth = 200\nheight = 140\n";
    let first =
        |system: &str, body: &str| run(&format!("{body}{system}{rest}"), usize::MAX).unwrap().motion.tracks[0].shape.frame(0).to_vec();
    let fine = first(&system.replace("iterations", "levels = 1\niterations"), body);
    let coarse = first(system, &body.replace("[12, 8]", "[6, 4]"));
    for row in 0..=4 {
        for column in 0..=6 {
            let apart = (fine[2 * row * 13 + 2 * column] - coarse[row * 7 + column]).norm();
            assert!(apart < 1e-12, "{row} {column} {apart}");
        }
    }
}

#[test]
fn only_cloth_of_many_cells_is_made_coarser() {
    let refusal = |body: &str, levels: usize| {
        let scene = format!("title = \"t\"\n{body}\n[system.loop]\nlevels = {levels}\n[time]\nduration = \"1 s\"\nfps = 20\n");
        run(&scene, usize::MAX).unwrap_err().to_string()
    };
    for (body, levels) in [("[body.soft-bar]", 1), ("[body.planets]", 1), ("[body.cloth]\ncells = [14, 10]", 4)] {
        assert!(refusal(body, levels).contains("coarser"), "{body}");
    }
}

#[test]
fn what_is_swallowed_is_told() {
    let notes = |radius: &str| {
        let system = format!("[system.loop]\niterations = 1\nballs = [{{ at = [0, 0, 0], radius = \"{radius}\" }}]\n");
        let rest = "[time]\nduration = \"0.2 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\n";
        run(&format!("title = \"t\"\n[body.soft-bar]\ncells = [3, 1, 1]\n{system}{rest}"), usize::MAX).unwrap().motion.warnings.join("\n")
    };
    assert!(notes("2 m").contains("inside the ground or a ball"), "{}", notes("2 m"));
    assert!(!notes("5 cm").contains("inside"), "{}", notes("5 cm"));
}

fn figure(finished: &Finished, name: &str) -> Option<f64> {
    finished.summary.bodies[0].figures.get(name).copied()
}

/// A flag is loosely held and free to cross itself; the run counts it and says so, but does not fail.
#[test]
fn a_flag_that_crosses_itself_says_so() {
    let flag = |wind: &str| {
        let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [6, 4]\n";
        let system = format!("[system.loop]\nguess = \"forward\"\niterations = 5\n{wind}\n");
        let rest = "[time]\nduration = \"0.2 s\"\nfps = 100\n[picture]\nwidth = 200\nheight = 140\n";
        run(&format!("{body}{system}{rest}"), usize::MAX).unwrap()
    };
    let folded = flag("settle = \"1 s\"\nwind = [0, 0, 0.3]");
    let frames = figure(&folded, "crossing_frames").unwrap();
    let edges = figure(&folded, "crossing_edges_max").unwrap();
    assert!(frames >= 10.0 && edges >= 3.0, "{frames} {edges}");
    let said = format!("{frames} of 20 frames cross themselves, at most {edges} edges");
    assert!(folded.summary.warnings.iter().any(|w| w.contains(&said)), "{said}: {:?}", folded.summary.warnings);
    assert!(folded.summary.checks.iter().all(|check| !check.name.contains("edges")));
    let flat = flag("wind = [0, 0, 0.3]");
    assert_eq!((figure(&flat, "crossing_frames"), figure(&flat, "crossing_edges_max")), (Some(0.0), Some(0.0)));
    assert!(!flat.summary.warnings.iter().any(|warning| warning.contains("cross")));
}

/// The flag and the ribbons that are shipped, after few iterations.
#[test]
fn the_flag_and_the_ribbons_cross_themselves() {
    for (name, least) in [("loop-flag", 20.0), ("loop-ribbons", 60.0)] {
        let settings = [("iterations".into(), "3".into()), ("guess".into(), "forward".into())];
        let scene = Scene::with_overrides(holonomy_scene::examples::find(name).unwrap().text, name, &settings).unwrap();
        let motion = Job::prepare(name, scene, Path::new("")).unwrap().solve(&mut |_, _| ControlFlow::Continue(())).unwrap().0;
        let figures = &motion.tracks[0].figures;
        let crossing = figures.iter().find(|figure| figure.quantity.name == "crossing_frames").unwrap().value;
        assert!(crossing >= least, "{name}: {crossing} of 100 frames");
        assert!(motion.warnings.iter().any(|warning| warning.contains("of 100 frames cross themselves")), "{name}");
    }
}

/// A doughnut that must be back before it can fall and rise: in the air its centre does not fall
/// freely, and the run says so. What weighs nothing floats freely.
#[test]
fn flight_that_is_no_free_fall_is_reported() {
    let doughnut = |settings: &str, seconds: f64| {
        let body =
            "title = \"t\"\n[body.doughnut]\nstiffness = 8\naround = 10\nrings = 1\n[start]\nat = [0, 0.42, 0]\nvelocity = [0, -1, 0]\n";
        let system = format!("[system.loop]\nguess = \"forward\"\n{settings}\n");
        let rest = format!("[time]\nduration = \"{seconds} s\"\nfps = 100\n[picture]\nwidth = 200\nheight = 140\n");
        run(&format!("{body}{system}{rest}"), usize::MAX).unwrap()
    };
    let bounces = doughnut("ground = 0\niterations = 10", 0.6);
    let [frames, rms, most] =
        ["flight_frames", "flight_error_rms [m/s^2]", "flight_error_max [m/s^2]"].map(|name| figure(&bounces, name).unwrap());
    assert!(frames > 10.0 && rms > 1.0 && most >= rms, "{frames} {rms} {most}");
    let said = bounces.summary.warnings.iter().find(|warning| warning.contains("does not fall freely")).unwrap();
    assert!(said.contains(&format!("{rms:.2} m/s^2 rms")) && said.contains("instead of -9.81"), "{said}");
    let floats = doughnut("gravity = 0\niterations = 5\ntravel = \"free\"", 0.2);
    assert!(figure(&floats, "flight_error_max [m/s^2]").unwrap() < 0.01);
    assert!(!floats.summary.warnings.iter().any(|warning| warning.contains("fall freely")));
    assert_eq!(figure(&swing("iterations = 1"), "flight_frames"), None);
}

#[test]
fn every_loop_reports_its_hidden_force() {
    let said = |finished: &Finished| finished.summary.warnings.iter().find(|w| w.starts_with("hidden force: ")).unwrap().clone();
    let (planets, cloth) = (run(FIVE, usize::MAX).unwrap(), swing("iterations = 40"));
    assert!(figure(&planets, "missing_force_rms").unwrap() < 0.1 && !said(&planets).contains("hand"), "{}", said(&planets));
    let share = figure(&cloth, "missing_force_rms").unwrap();
    assert!(share > 0.1 && said(&cloth).contains(&format!("{share:.2} of all acceleration")), "{}", said(&cloth));
    assert!(said(&cloth).contains("a hand that is not in the physics"));
    assert!(figure(&cloth, "missing_acceleration_rms [m/s^2]").unwrap() > 0.5);
}

#[test]
fn a_filled_mesh_says_what_it_replaces_and_an_open_one_that_it_is_no_cloth() {
    let folder = tempfile::tempdir().unwrap();
    for frame in 1..4 {
        let moved = CUBE.replace("v 0 .2 .2", &format!("v 0 .2 .2{frame}"));
        std::fs::write(folder.path().join(format!("cube_{frame:04}.obj")), moved).unwrap();
    }
    std::fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    std::fs::write(folder.path().join("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").unwrap();
    let made = |file: &str, soft: &str| {
        let rest = "[time]\nduration = \"0.1 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\n";
        let text = format!("title = \"t\"\n[body.asset]\nfile = \"{file}\"\n{soft}\n[system.loop]\niterations = 1\n{rest}");
        Job::prepare("test", Scene::from_toml(&text, "test")?, folder.path())?
            .run(&format!("{}{}", page::DATA, page::MODEL), &mut |_, _| ControlFlow::Continue(()))
    };
    let soft = "soft = { cell = \"7 cm\" }";
    let notes = |file: &str| made(file, soft).unwrap().summary.warnings.join("\n");
    let still = notes("cube.obj");
    assert!(still.contains("in place of the file's 8") && !still.contains("discards the animation"), "{still}");
    let moving = notes("cube_0001.obj");
    assert!(moving.contains("discards the animation of the file (3 frames)"), "{moving}");
    for refusal in [made("sheet.obj", soft).unwrap_err().to_string(), made("sheet.obj", "").unwrap_err().to_string()] {
        assert!(refusal.contains("cloth"), "{refusal}");
    }
    let refusal = made("sheet.obj", soft).unwrap_err().to_string();
    assert!(refusal.contains("sheet.obj") && refusal.contains("cannot be simulated as cloth yet"), "{refusal}");
}

/// Fast projection stopped after 20 iterations, whatever was asked.
#[test]
fn a_guess_is_closed_as_long_as_it_is_asked_to_be() {
    let projected = |count: usize| {
        let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [3, 2]\nlie = \"level\"\nheld = \"top-edge\"\n";
        let system = format!("[system.loop]\nguess = \"fast-projection\"\nguess-iterations = {count}\niterations = 1\n");
        let rest = "[time]\nduration = \"0.8 s\"\nfps = 50\n[picture]\nwidth = 200\nheight = 140\n";
        run(&format!("{body}{system}{rest}"), usize::MAX).unwrap().motion.tracks[0].shape.frame(30).to_vec()
    };
    assert_ne!(projected(1), projected(20));
    assert_ne!(projected(20), projected(40));
}

/// What repeats in place was shown with the path of its centre, drawn through its middle.
#[test]
fn no_path_is_drawn_through_a_flag() {
    let body = "title = \"t\"\n[body.cloth]\nsize = [0.6, 0.4]\ncells = [6, 4]\n";
    let system = "[system.loop]\nguess = \"forward\"\nsettle = \"1 s\"\nwind = [4, 0, 1.5]\niterations = 1\n";
    let rest = "[time]\nduration = \"0.2 s\"\nfps = 100\n[picture]\nwidth = 200\nheight = 140\n";
    let flag = run(&format!("{body}{system}{rest}"), usize::MAX).unwrap();
    let planets = run(FIVE, usize::MAX).unwrap();
    let paths = |finished: &Finished| {
        let options = StillOptions { width: 200, height: 140, placing: Placing::World, ..StillOptions::default() };
        let looks = vec![Drawn::default(); finished.motion.tracks.len()];
        Still::plan(&BodiesInMotion::new(&finished.motion, &looks).unwrap(), &options).unwrap().geometry.paths.len()
    };
    assert_eq!((paths(&flag), paths(&planets)), (0, 5));
}
