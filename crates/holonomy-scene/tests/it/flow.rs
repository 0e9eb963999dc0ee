//! Bodies in flow as a scene asks for them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use holonomy::models::Ellipsoid;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::Vector3;
use holonomy_scene::job::Job;
use holonomy_scene::plot;
use holonomy_scene::scene::Scene;

/// A scene with one body and these settings of flow, for a second.
fn scene(body: &str, flow: &str, more: &str) -> String {
    format!("title = 't'\n[body.{body}\n[system.flow]\n{flow}\n[time]\nduration = '1 s'\n{more}\n")
}

fn job(text: &str) -> Result<Job, String> {
    let scene = Scene::from_toml(text, "f.toml").map_err(|error| error.to_string())?;
    Job::prepare("t", scene, Path::new("")).map_err(|error| error.to_string())
}

fn run(text: &str) -> Result<Motion, String> {
    Ok(job(text)?.solve(&mut |_, _| ControlFlow::Continue(())).map_err(|error| error.to_string())?.0)
}

fn done(text: &str) -> Motion {
    let motion = run(text).unwrap_or_else(|error| panic!("{error}\n---\n{text}"));
    assert_eq!(motion.outcome, Outcome::Done, "{text}");
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}\n{text}", motion.checks);
    motion
}

fn fallen(motion: &Motion) -> f64 {
    let centers = &motion.tracks[0].centers;
    centers[0].y - centers[centers.len() - 1].y
}

const BALL: &str = "ellipsoid]\nsize = [0.1, 0.1, 0.1]\ndensity = 1996";

/// In an ideal fluid a sphere carries half of what it displaces: of twice the fluid's density it falls at 0.4 g.
#[test]
fn a_sphere_falls_as_its_added_mass_says() {
    let vacuum = fallen(&done(&scene(BALL, "fluid = 'vacuum'", "")));
    assert!((vacuum - 0.5 * 9.81).abs() < 1e-9, "{vacuum}");
    let ideal = fallen(&done(&scene(BALL, "lift-and-drag = false", "")));
    assert!((ideal / (0.2 * 9.81) - 1.0).abs() < 0.01, "{ideal}"); // a polyhedron is no sphere
    let real = fallen(&done(&scene(BALL, "", "")));
    assert!(real < 0.9 * ideal, "{real} {ideal}");
    let thick = fallen(&done(&scene(BALL, "viscous-drag = true\nviscosity = 20", "")));
    assert!(thick < 0.9 * real, "{thick} {real}");
    // Another density and another gravity.
    assert!(fallen(&done(&scene(BALL, "density = 1996", ""))).abs() < 1e-9);
    assert_eq!(fallen(&done(&scene(BALL, "gravity = 0", ""))), 0.0);
}

#[test]
fn bodies_start_with_the_velocity_they_are_given() {
    let thrown = done(&scene(BALL, "fluid = 'vacuum'\ngravity = 0", "[start]\nvelocity = [1, 2, 3]\nangular-velocity = [0, 0, 0.5]"));
    let track = &thrown.tracks[0];
    let way = track.centers[track.centers.len() - 1] - track.centers[0];
    assert!((way - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-6, "{way}"); // measured 2e-7
    let turned = track.poses[track.poses.len() - 1].rotation.scaled_axis();
    assert!((turned.z - 0.5).abs() < 2e-3 && turned.xy().norm() < 2e-3, "{turned}"); // measured 7e-4, 1e-3: steps of second order
}

#[test]
fn thrust_wind_whirl_and_gusts_move_what_floats() {
    let float = "ellipsoid]\nsize = [0.1, 0.1, 0.1]\ndensity = 998";
    let way = |flow: &str| {
        let motion = done(&scene(float, flow, "[start]\nat = ['1 m', 0, 0]"));
        let centers = &motion.tracks[0].centers;
        centers[centers.len() - 1] - centers[0]
    };
    assert!(way("").norm() < 1e-9);
    let pushed = way("thrust = [0, 0, 1]");
    assert!(pushed.z > 0.1 && pushed.xy().norm() < 1e-6, "{pushed}");
    let blown = way("wind = [1, 0, 0]");
    assert!(blown.x > 0.05 && blown.yz().norm() < 1e-3, "{blown}");
    // The whirl about Y carries what is at +X towards −Z; wind grows with the height, and is zero at the body's.
    let whirled = way("vortex = { circulation = 10 }");
    assert!(whirled.z < -0.05, "{whirled}");
    assert!(way("shear = { rate = [1, 0], height = -1 }").x > 0.05 && way("shear = { rate = [1, 0] }").x.abs() < 1e-3);
    let gust = "gusts = { speed = 1, size = '50 cm', seed = 2 }";
    assert!(way(gust).norm() > 0.01 && way(gust) == way(gust) && way(gust) != way(&gust.replace("seed = 2", "seed = 3")));
}

#[test]
fn a_surface_floats_what_is_light_and_a_floor_holds_what_is_heavy() {
    let light = "ellipsoid]\nsize = [0.1, 0.1, 0.1]\ndensity = 499";
    let floating = done(&scene(light, "water = 0", "[start]\nat = [0, '10 cm', 0]").replace("1 s", "6 s"));
    let y = floating.tracks[0].centers[floating.tracks[0].centers.len() - 1].y;
    assert!(y.abs() < 0.02, "half of it is below: {y}");
    // The wind is that of the air, the current that of the water.
    let way = |flow: &str| {
        let centers = &done(&scene(light, &format!("water = 0\n{flow}"), "").replace("1 s", "6 s")).tracks[0].centers;
        centers[centers.len() - 1] - centers[0]
    };
    let (blown, carried) = (way("wind = [5, 0, 0]"), way("current = [1, 0, 0]"));
    assert!(blown.x > 0.1 && blown.x < 1.5, "{blown}");
    assert!(carried.x > 3.0 && carried.x < 6.0, "{carried}");
    // It goes round, so that the way counts, not where it ends.
    let whirled = |y: f64| {
        let flow = format!("water = 0\nvortex = {{ circulation = 10, at = [-0.5, {y}, 0] }}");
        let centers = &done(&scene(light, &flow, "").replace("1 s", "6 s")).tracks[0].centers;
        centers.windows(2).map(|w| (w[1] - w[0]).norm()).sum::<f64>()
    };
    let (in_water, in_air) = (whirled(-1.0), whirled(1.0));
    assert!(in_water > 3.0 * in_air, "{in_water} {in_air}");
    let lying = done(&scene(BALL, "ground = -0.5", "").replace("1 s", "4 s"));
    let y = lying.tracks[0].centers[lying.tracks[0].centers.len() - 1].y;
    assert!((y + 0.45).abs() < 1e-3, "{y}");
}

#[test]
fn contradictions_are_shown_with_their_line() {
    for (text, problem, hint) in [
        (scene(BALL, "fluid = 'vacuum'\nwater = 0", ""), "f.toml:7:1: `water` in [system.flow] is the height", "fluid = \"water\""),
        (scene(BALL, "fluid = 'vacuum'\ndensity = 3", ""), "f.toml:7:1: a vacuum has no `density`", "leave it out"),
        (scene(BALL, "current = [1, 0, 0]", ""), "f.toml:6:1: `current` in [system.flow] is that of water below a surface", "use `wind`"),
        (scene(BALL, "water = 0\ncurrent = [1, 1, 0]", ""), "f.toml:7:1: `current` in [system.flow] flows through", "[x, 0, z]"),
        (scene(BALL, "fluid = 'wather'", ""), "f.toml:6:9: unknown choice `wather` for `fluid`", "did you mean `water`?"),
        (scene(BALL, "density = -3", ""), "f.toml:6:11: `density` in [system.flow]: expected a density from 0 kg/m3", ""),
        (scene("ellipsoid]\ndensity = -3", "", ""), "f.toml:3:11: `density` in [body.ellipsoid]: expected a density above 0 kg/m3", ""),
        (
            scene("asset]\nfile = 'x'\ndensity = 3\nmass = '2 kg'", "", ""),
            "f.toml:5:1: `density` and `mass` both say how heavy the body is",
            "keep one",
        ),
        (scene(BALL, "added-mass = 3", ""), "`added-mass` in [system.flow]: expected a word in quotes", ""),
        (scene(BALL, "gusts = { sped = 3 }", ""), "unknown field `sped` in [system.flow.gusts]", "did you mean `speed`?"),
    ] {
        let error = job(&text).map(|_| ()).unwrap_err();
        assert!(error.contains(problem) && error.contains(hint), "{error}\n---\n{text}");
    }
    // A curve is no surface, and the engine says so.
    let error = run(&scene("snake]", "", "")).unwrap_err();
    assert!(error.contains("needs a surface"), "{error}");
}

#[test]
fn plots_show_how_it_falls_and_where_the_energy_is() {
    let motion = done(&scene(BALL, "", ""));
    let titles: Vec<String> = plot::motion_plots(&motion).into_iter().map(|plot| plot.title).collect();
    assert_eq!(titles[..3], ["speed", "fall speed", "turn rate"]);
    for title in ["energy", "work"] {
        assert_eq!(titles.iter().filter(|other| *other == title).count(), 1, "{titles:?}");
    }
    assert!(!titles.iter().any(|title| title.contains("work of") || title.contains("kinetic")), "{titles:?}");
}

/// What nobody weighed is as heavy as the water it displaces; in air it is as heavy as water, and that is said.
#[test]
fn assets_float_in_water_unless_they_are_weighed() {
    let folder = std::env::temp_dir().join(format!("holonomy-flow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
    let sides = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\n";
    std::fs::write(folder.join("closed.obj"), format!("{cube}{sides}f 2 4 8 6\n")).unwrap();
    std::fs::write(folder.join("open.obj"), format!("{cube}{sides}")).unwrap();
    let text = |file: &str, more: &str, flow: &str| {
        let path: PathBuf = folder.join(file);
        scene(&format!("asset]\nfile = '{}'\nunit = 'm'\n{more}", path.display()), flow, "")
    };
    let floats = done(&text("closed.obj", "", ""));
    assert!(fallen(&floats).abs() < 1e-9 && !floats.warnings.iter().any(|note| note.contains("heavy")), "{:?}", floats.warnings);
    for more in ["density = 2000", "surface-density = 400", "mass = '2 t'"] {
        assert!(fallen(&done(&text("closed.obj", more, ""))) > 0.3, "{more}");
    }
    let falls = done(&text("closed.obj", "", "fluid = 'air'"));
    assert!(fallen(&falls) > 4.0 && falls.warnings.iter().any(|note| note.contains("1000 kg/m³")), "{:?}", falls.warnings);
    let sinks = done(&text("open.obj", "", ""));
    assert!(fallen(&sinks) > 0.3 && sinks.warnings.iter().any(|note| note.contains("not closed")), "{:?}", sinks.warnings);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A mesh of few faces loses what brakes its turning, and a box with thick walls and no lid holds
/// off its walls only: both are told. A mesh of many faces is no news.
#[test]
fn meshes_that_do_less_than_they_seem_to_are_told() {
    let folder = std::env::temp_dir().join(format!("holonomy-meshes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Eight corners of a box, as z, y, x count up.
    let corners = |low: [f64; 3], high: [f64; 3]| -> String {
        let at = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] });
        (0..8).map(at).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect()
    };
    let bottom_and_sides = |first: usize, inwards: bool| -> String {
        let quads = [[1, 2, 6, 5], [1, 5, 7, 3], [2, 4, 8, 6], [1, 3, 4, 2], [5, 6, 8, 7]];
        let line = |quad: [usize; 4]| {
            let [a, b, c, d] = quad.map(|v| v + first);
            if inwards { format!("f {d} {c} {b} {a}\n") } else { format!("f {a} {b} {c} {d}\n") }
        };
        quads.map(line).concat()
    };
    let outer = corners([0.0; 3], [0.3, 0.3, 1.3]);
    let rod = format!("{outer}{}f 3 7 8 4\n", bottom_and_sides(0, false));
    let (inner, rim) = (corners([0.02, 0.02, 0.02], [0.28, 0.3, 1.28]), "f 3 7 15 11\nf 7 8 16 15\nf 8 4 12 16\nf 4 3 11 12\n");
    let trough = format!("{outer}{inner}{}{}{rim}", bottom_and_sides(0, false), bottom_and_sides(8, true));
    let ball = Ellipsoid { size: [0.3, 0.3, 1.3], density: 998.0 }.body().unwrap();
    let vertices: String = ball.points().iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
    let faces: String = ball.faces().iter().map(|f| format!("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1)).collect();
    let notes = |name: &str, mesh: &str| {
        let path = folder.join(name);
        std::fs::write(&path, mesh).unwrap();
        done(&scene(&format!("asset]\nfile = '{}'\nunit = 'm'", path.display()), "", "")).warnings.join("\n")
    };
    let (rod, trough, ball) = (notes("rod.obj", &rod), notes("trough.obj", &trough), notes("ball.obj", &format!("{vertices}{faces}")));
    assert!(rod.contains("its faces are large") && !rod.contains("full of water"), "{rod}");
    assert!(trough.contains("full of water") && !trough.contains("not closed"), "{trough}");
    assert!(!ball.contains("faces are large") && !ball.contains("full of water"), "{ball}");
    std::fs::remove_dir_all(folder).unwrap();
}
