//! Scenery and charts in results: the glTF and back, the pictures, the plots, the page.

use std::time::Duration;

use holonomy::lie::{Momentum, Pose};
use holonomy::motion::{Chart, ChartAxis, Motion, Scenery, SceneryKind, Stroke, Track};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Playback, Topology};
use holonomy_scene::asset::ClipOptions;
use holonomy_scene::asset::gltf::{GltfAsset, Target, WorldClip};
use holonomy_scene::export::page::{DATA, MODEL, PageContents, fill};
use holonomy_scene::export::summary::Summary;
use holonomy_scene::export::{ExportMeta, gltf};
use holonomy_scene::looks::Looks;
use holonomy_scene::picture::{AnimationOptions, Backdrop, BodiesInMotion, Drawn, Picture, Still, StillOptions, View, animate, still};
use holonomy_scene::plot;
use holonomy_scene::result::SavedResult;

/// A box that goes 4 m along +X at 0.6 m height, along a bow around x = 0.
fn crossing(scenery: Vec<Scenery>) -> Motion {
    let (frames, dt) = (81, 0.05);
    let cube = Scenery::box_("", SceneryKind::Obstacle, &Pose::identity(), &Vector3::new(0.5, 0.2, 0.3));
    let shape = Clip::new(Topology::Surface { faces: cube.faces }, Playback::Once, dt, 8, cube.points).unwrap();
    let pose = |k: usize| {
        let x = -2.0 + 0.05 * k as f64;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.3 * x);
        Pose { rotation: turn, translation: Vector3::new(x, 0.6, 0.3 * (x * 0.8).cos()) }
    };
    let poses: Vec<Pose> = (0..frames).map(pose).collect();
    let centers = poses.iter().map(|pose| pose.translation).collect();
    let track = Track::new("car", shape, poses, centers, vec![Momentum::zero(); frames - 1]);
    Motion { scenery, ..Motion::new(dt, vec![track]) }
}

/// Land with a canyon along X, two blocks beside the way and a goal at its end.
fn around() -> Vec<Scenery> {
    let land = |x: f64, z: f64| 0.5 * (1.0 - (-(z / 1.2).powi(4)).exp()) * (1.0 + 0.3 * (2.0 * x).sin()) - 0.05 * (3.0 * x).cos();
    let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5);
    let block = |name: &str, x: f64, z: f64| {
        let pose = Pose { rotation: turned, translation: Vector3::new(x, 0.45, z) };
        Scenery::box_(name, SceneryKind::Obstacle, &pose, &Vector3::new(0.4, 1.0, 0.4))
    };
    vec![
        Scenery::height_field("canyon", [[-3.5, -2.5], [3.5, 2.5]], [71, 51], land),
        block("left block", -0.3, 0.95),
        block("right block", 0.5, -0.55),
        Scenery::sphere("goal", SceneryKind::Goal, &Vector3::new(2.0, 0.6, -0.03), 0.45),
    ]
}

fn accuracy() -> Chart {
    let cost = [2.0, 4.0, 8.0, 16.0, 32.0];
    let line = |factor: f64, power: i32| cost.iter().map(|&c: &f64| [c * 1e-3, factor * c.powi(-power)]).collect::<Vec<_>>();
    Chart::new("accuracy against cost", ChartAxis::log("time per run", "s"), ChartAxis::log("error", "m"))
        .with("Lie-group integrator", line(0.02, 2), Stroke::Solid)
        .with("Runge-Kutta", line(0.5, 2), Stroke::Solid)
        .with("order 2", line(0.008, 2), Stroke::Dashed)
}

fn export(motion: &Motion) -> Vec<u8> {
    let looks = vec![Looks::default().into(); motion.tracks.len()];
    gltf::build(motion, &looks, &ExportMeta { scene: "crossing".into(), ..Default::default() }).unwrap().0
}

fn document(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn scenery_is_a_node_that_nothing_moves_and_comes_back() {
    let motion = crossing(around());
    let glb = export(&motion);
    let document = document(&glb);
    let nodes = document["nodes"].as_array().unwrap();
    let kinds: Vec<(usize, &str)> =
        nodes.iter().enumerate().filter_map(|(i, node)| Some((i, node.pointer("/extras/holonomy/scenery")?.as_str()?))).collect();
    assert_eq!(kinds.iter().map(|(_, kind)| *kind).collect::<Vec<_>>(), ["ground", "obstacle", "obstacle", "goal"]);
    let channels = document["animations"][0]["channels"].as_array().unwrap();
    let moved: Vec<u64> = channels.iter().map(|channel| channel["target"]["node"].as_u64().unwrap()).collect();
    assert!(!moved.is_empty() && kinds.iter().all(|(i, _)| !moved.contains(&(*i as u64))));
    let material = |node: usize| {
        let mesh = nodes[node]["mesh"].as_u64().unwrap() as usize;
        &document["materials"][document["meshes"][mesh]["primitives"][0]["material"].as_u64().unwrap() as usize]
    };
    assert_eq!(material(kinds[3].0)["alphaMode"], "BLEND");
    assert!(material(kinds[3].0)["pbrMetallicRoughness"]["baseColorFactor"][3].as_f64().unwrap() < 0.6);
    assert!(material(kinds[1].0).get("alphaMode").is_none());
    assert_eq!(material(kinds[0].0)["doubleSided"], true, "land is open");
    assert_eq!(material(kinds[1].0)["doubleSided"], false, "a block is closed");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crossing.glb");
    std::fs::write(&path, &glb).unwrap();
    let saved = SavedResult::open(&path).unwrap();
    assert_eq!(saved.motion.tracks[0].shape.vertices(), 8, "only the box is a body");
    assert_eq!(saved.motion.scenery.len(), 4);
    for (piece, read) in motion.scenery.iter().zip(&saved.motion.scenery) {
        assert_eq!((&piece.name, piece.kind, piece.faces.len()), (&read.name, read.kind, read.faces.len()));
        assert_eq!(piece.points.len(), read.points.len(), "corners are welded again");
        let corners = |s: &Scenery| s.faces.iter().map(|f| f.map(|v| s.points[v as usize])).collect::<Vec<_>>();
        let off = corners(piece).as_flattened().iter().zip(corners(read).as_flattened()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{}: {off} m", piece.name); // measured: 2e-7, single precision
    }
}

#[test]
fn scenery_is_added_to_an_asset_that_is_patched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("asset.glb");
    std::fs::write(&path, export(&crossing(Vec::new()))).unwrap();
    let asset = GltfAsset::open(&path).unwrap();
    // A file in centimetres: what is 1 m away in the world is 100 units away in it.
    let options = ClipOptions { unit: Some(0.01), still: true, ..Default::default() };
    let sampled = asset.sample(&options).unwrap();
    let pieces = around();
    let world = WorldClip {
        sampled: &sampled,
        options: &options,
        poses: &vec![Pose::identity(); sampled.clip.frames()],
        target: Target::default(),
        cycle_transform: None,
        parameters: serde_json::Value::Null,
        scenery: &pieces,
    };
    let patched = asset.with_world_motion(&world).unwrap();
    let result = folder.path().join("moved.glb");
    std::fs::write(&result, &patched.glb).unwrap();
    let moved = GltfAsset::open(&result).unwrap();
    assert_eq!(moved.sample(&options).unwrap().clip.vertices(), 8, "only the box is a body");
    let saved = moved.scenery(0.01).unwrap();
    assert_eq!(saved.len(), 4);
    for (piece, read) in pieces.iter().zip(&saved) {
        assert_eq!((&piece.name, piece.kind, piece.faces.len()), (&read.name, read.kind, read.faces.len()));
        let reach = |s: &Scenery| s.points.iter().map(|p| p.norm()).fold(0.0, f64::max);
        assert!((reach(piece) / reach(read) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn unsound_scenery_is_refused_by_name() {
    let mut motion = crossing(around());
    motion.scenery[1].points[0].x = f64::NAN;
    let error = gltf::build(&motion, &[Looks::default().into()], &ExportMeta::default()).unwrap_err().to_string();
    assert!(error.contains("left block"), "{error}");
    assert!(still(&motion, &[Drawn::default()], &small()).is_err());
}

fn small() -> StillOptions {
    StillOptions { width: 480, height: 270, samples: 2, ..Default::default() }
}

/// Pixels that differ clearly.
fn differing(a: &Picture, b: &Picture) -> usize {
    let apart = |(p, q): (&[u8], &[u8])| p.iter().zip(q).any(|(a, b)| a.abs_diff(*b) > 24);
    a.pixels.chunks(4).zip(b.pixels.chunks(4)).filter(|pair| apart(*pair)).count()
}

#[test]
fn what_is_near_is_in_view_and_what_is_far_does_not_shrink_the_motion() {
    let framed = |scenery: Vec<Scenery>| {
        let motion = crossing(scenery);
        Still::plan(&BodiesInMotion::new(&motion, &[Drawn::default()]).unwrap(), &small()).unwrap()
    };
    let alone = framed(Vec::new()).layout.camera;
    let kind = SceneryKind::Obstacle;
    let near = Scenery::sphere("near", kind, &Vector3::new(0.0, 0.6, -1.0), 0.3);
    let camera = framed(vec![near.clone()]).layout.camera;
    for p in &near.points {
        let [x, y, _] = camera.project(p);
        assert!((0.0..480.0).contains(&x) && (0.0..270.0).contains(&y), "{x}, {y}");
    }
    let far = Scenery::sphere("far", kind, &Vector3::new(300.0, 0.6, 0.0), 5.0);
    assert_eq!(framed(vec![far]).layout.camera.distance, alone.distance);
    let wall = Scenery::box_(
        "wall",
        kind,
        &Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(0.0, 0.0, -2.0) },
        &Vector3::new(1000.0, 500.0, 1.0),
    );
    let beside = framed(vec![wall]).layout.camera.distance / alone.distance;
    assert!(beside < 1.4, "{beside}"); // measured: 1.15
}

#[test]
fn scenery_does_not_hide_the_motion_where_another_view_shows_it() {
    // Walls on both sides, as high as the way is wide.
    let wall = |z: f64| {
        let pose = Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(0.0, 1.0, z) };
        Scenery::box_("wall", SceneryKind::Obstacle, &pose, &Vector3::new(8.0, 2.0, 0.2))
    };
    let motion = crossing(vec![wall(1.2), wall(-1.2)]);
    let options = small();
    let seen = still(&motion, &[Drawn::default()], &options).unwrap();
    let blue = |picture: &Picture| picture.pixels.chunks(4).filter(|p| p[2] > p[0].saturating_add(25)).count();
    let level = StillOptions { view: View::Front, ..options };
    assert_eq!(blue(&still(&motion, &[Drawn::default()], &level).unwrap()), 0, "from the front the wall hides it");
    assert!(blue(&seen) > 1500, "{}", blue(&seen)); // measured: 4118
}

#[test]
fn flat_ground_gives_way_to_land_and_scenery_throws_shadows() {
    let plan = |scenery: Vec<Scenery>, backdrop| {
        let motion = crossing(scenery);
        Still::plan(&BodiesInMotion::new(&motion, &[Drawn::default()]).unwrap(), &StillOptions { backdrop, ..small() }).unwrap()
    };
    let ground = Backdrop::Ground { height: None };
    assert_eq!(plan(around(), ground).layout.floor, None);
    assert!(plan(around(), Backdrop::Water { height: Some(0.1) }).layout.floor.is_some());
    // Blocks stand on the ground: it is as low as they.
    let blocks: Vec<Scenery> = around().into_iter().filter(|piece| piece.kind == SceneryKind::Obstacle).collect();
    let floor = plan(blocks.clone(), ground).layout.floor.unwrap();
    assert!((floor + 0.05).abs() < 1e-9, "{floor}");
    let ramp = Scenery::height_field("ramp", [[0.0, 0.0], [1.0, 1.0]], [2, 2], |x, _| 0.2 * x);
    assert_eq!(plan(vec![ramp], Backdrop::Ground { height: Some(0.0) }).layout.floor, Some(0.0), "a ramp stands on the ground");
}

#[test]
fn obstacles_throw_shadows_and_goals_do_not() {
    let balloon = |kind| Scenery::sphere("balloon", kind, &Vector3::new(0.0, 1.6, 0.3), 0.4);
    let darker = |kind: SceneryKind| {
        let motion = crossing(vec![balloon(kind)]);
        let options = StillOptions { backdrop: Backdrop::Ground { height: Some(0.0) }, ..small() };
        let with = Still::plan(&BodiesInMotion::new(&motion, &[Drawn::default()]).unwrap(), &options).unwrap();
        let mut without = with.clone();
        without.geometry.scenery.clear();
        // Only beside the balloon itself.
        let seen: Vec<[f64; 3]> = balloon(kind).points.iter().map(|p| with.layout.camera.project(p)).collect();
        let edge = |i: usize, f: fn(f64, f64) -> f64| seen.iter().map(|p| p[i]).reduce(f).unwrap();
        let beside = |k: usize| {
            let (x, y) = ((k % 480) as f64, (k / 480) as f64);
            x < edge(0, f64::min) - 3.0 || x > edge(0, f64::max) + 3.0 || y < edge(1, f64::min) - 3.0 || y > edge(1, f64::max) + 3.0
        };
        let (with, without) = (with.draw(), without.draw());
        let pixels = with.pixels.chunks(4).zip(without.pixels.chunks(4)).enumerate();
        pixels.filter(|(k, (a, b))| beside(*k) && a[1] + 8 < b[1]).count()
    };
    let (solid, veil) = (darker(SceneryKind::Obstacle), darker(SceneryKind::Goal));
    assert!(solid > 2000 && veil == 0, "{solid}, {veil}"); // measured: 4260 of 129 600 pixels, and none
}

#[test]
fn a_goal_lets_through_what_is_in_it() {
    let goal = vec![Scenery::sphere("goal", SceneryKind::Goal, &Vector3::new(0.0, 0.6, 0.3), 0.6)];
    let solid = vec![Scenery { kind: SceneryKind::Obstacle, ..goal[0].clone() }];
    let options = StillOptions { view: View::Front, ..small() };
    let draw = |scenery: Vec<Scenery>| still(&crossing(scenery), &[Drawn::default()], &options).unwrap();
    let (through, opaque) = (draw(goal), draw(solid));
    let blue = |picture: &Picture| picture.pixels.chunks(4).filter(|p| p[2] > p[0].saturating_add(18)).count();
    assert!(blue(&through) > blue(&opaque) + 1000, "{} against {}", blue(&through), blue(&opaque)); // measured: 7470, 5538
}

#[test]
fn the_animation_shows_the_same_scenery() {
    let options =
        AnimationOptions { picture: StillOptions { width: 320, height: 180, samples: 2, ..Default::default() }, ..Default::default() };
    let (with, without) = (crossing(around()), crossing(Vec::new()));
    let first = |motion: &Motion| animate(motion, &[Drawn::default()], &options).unwrap().frame(0);
    assert!(differing(&first(&with), &first(&without)) > 20_000); // measured: 54 711 of 57 600 pixels
}

#[test]
fn charts_are_drawn_below_the_plots() {
    let motion = Motion { charts: vec![accuracy()], ..crossing(Vec::new()) };
    let (text, bare) = (plot::of_motion(&motion), plot::of_motion(&crossing(Vec::new())));
    for part in ["accuracy against cost: error (m)", "time per run (s)", "Lie-group integrator", "10⁻³", "10⁻⁵", "stroke-dasharray=\"7 4\""]
    {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf"));
    let height = |svg: &str| svg.split("viewBox=\"0 0 760 ").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap();
    assert!(height(&text) > height(&bare) + 250.0);
    // Numbers that a logarithmic axis cannot show leave a gap.
    let mut odd = motion.clone();
    odd.charts[0].lines[0].points[2][1] = -1.0;
    odd.charts[0].lines[1].points[0][0] = f64::NAN;
    let text = plot::of_motion(&odd);
    assert!(!text.contains("NaN") && !text.contains("inf"));
    let empty = Chart { lines: Vec::new(), ..accuracy() };
    assert!(plot::of_motion(&Motion { charts: vec![empty], ..motion }).contains("no values"));
}

#[test]
fn page_and_summary_get_charts() {
    let motion = Motion { charts: vec![accuracy()], ..crossing(around()) };
    let summary = Summary::new(&motion, "crossing", "test", Duration::from_secs(1)).unwrap();
    let glb = export(&motion);
    let contents = PageContents {
        title: "Crossing",
        scene_toml: "",
        clip: "crossing",
        nodes: &["car"],
        motion: &motion,
        summary: &summary,
        glb: &glb,
        water: None,
        unit: 1.0,
    };
    let page = fill(&format!("{DATA}{MODEL}"), &contents).unwrap();
    let data = page.split('>').nth(1).unwrap().split('<').next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let chart = &data["summary"]["charts"][0];
    assert_eq!((chart["title"].as_str(), chart["x"]["scale"].as_str()), (Some("accuracy against cost"), Some("logarithmic")));
    assert_eq!(chart["lines"][2]["dashed"], true);
    assert_eq!(chart["lines"][0]["points"][1], serde_json::json!([0.004, 0.00125]));
}
