//! Skins of rigs, water and food: in the file, read back, and in pictures.

use holonomy::lie::{Momentum, Pose};
use holonomy::models::myriapod::{Anatomy, Coat, Myriapod, Posture, Segment};
use holonomy::motion::{Matter, Motion, Scenery, SceneryKind, Track};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Playback, Rig, Skin, Topology};
use holonomy_scene::asset::gltf::Target;
use holonomy_scene::export::files::write_atomically;
use holonomy_scene::export::gltf::build;
use holonomy_scene::export::summary::Summary;
use holonomy_scene::export::{ExportMeta, ShapeStorage, csv};
use holonomy_scene::looks::Looks;
use holonomy_scene::picture::{
    AnimationOptions, BodiesInMotion, Drawn, GhostCount, PathPoint, PropKind, Still, StillOptions, View, animate, still,
};
use holonomy_scene::plot::of_motion;
use holonomy_scene::result::SavedResult;

use crate::glb_reader::Played;

type V = Vector3<f64>;

const FRAMES: usize = 21;
const DT: f64 = 0.05;

/// An animal of six segments that bends to one side in time `t`.
fn posture(t: f64) -> Posture {
    let (mut at, mut heading, mut posture) = (V::zeros(), 0.0_f64, Posture::default());
    for i in 0..6 {
        let pose = Pose { rotation: UnitQuaternion::from_axis_angle(&V::y_axis(), heading), translation: at };
        posture.segments.push(pose);
        let leg = |side: f64| {
            [[0.0, 0.0, 0.09], [0.02, 0.06, 0.18], [0.02 + 0.1 * t, 0.0, 0.26], [0.02 + 0.1 * t, -0.14, 0.3]]
                .map(|[x, y, z]| pose.act(&V::new(x, y, side * z)))
        };
        posture.legs.extend((i > 0).then(|| [leg(-1.0), leg(1.0)]));
        if i == 0 {
            posture.antennae =
                [-1.0, 1.0].map(|side| (0..4).map(|k| pose.act(&V::new(0.08 + 0.04 * k as f64, 0.02, 0.03 * side))).collect()).into();
        }
        heading += 0.3 * t;
        at -= pose.rotation * V::x() * 0.22;
    }
    posture
}

fn animal() -> Myriapod {
    let segment = |i: usize| Segment { half_size: V::new(0.09, 0.06, 0.1), has_legs: i > 0 };
    let anatomy =
        Anatomy { segments: (0..6).map(segment).collect(), leg_radius: 0.02, antenna_radius: 0.015, tail_radius: 0.02, rest: posture(0.0) };
    Myriapod::new(anatomy, Coat::Scolopendra).unwrap()
}

/// It creeps along +X; the first frame is not the posture at rest.
fn creature() -> Track {
    let postures: Vec<Posture> = (0..FRAMES).map(|k| posture(0.2 + 0.04 * k as f64)).collect();
    let clip = animal().clip(Playback::Once, DT, &postures).unwrap();
    let poses: Vec<Pose> = (0..FRAMES).map(|k| Pose { translation: V::new(0.08 * k as f64, 0.15, 0.0), ..Pose::identity() }).collect();
    let centers = poses.iter().enumerate().map(|(k, pose)| pose.act(&clip.centroid(k))).collect();
    Track::new("creature", clip, poses, centers, vec![Momentum::zero(); FRAMES - 1])
}

fn standing(name: &str, matter: Matter, faces: Vec<[u32; 3]>, frames: Vec<Vec<V>>) -> Track {
    let vertices = frames[0].len();
    let clip = Clip::new(Topology::Surface { faces }, Playback::Once, DT, vertices, frames.concat()).unwrap();
    let still = vec![Pose::identity(); FRAMES];
    Track { matter, ..Track::new(name, clip, still, vec![V::zeros(); FRAMES], vec![Momentum::zero(); FRAMES - 1]) }
}

/// A pool with a travelling wave, `height` above the ground; far larger than the creature's way.
fn water(height: f64) -> Track {
    let grid = Scenery::height_field("", [[-9.0, -9.0], [9.0, 9.0]], [40, 40], |_, _| 0.0);
    let frame = |k: usize| grid.points.iter().map(|p| V::new(p.x, height + 0.03 * (2.0 * p.x - 0.5 * k as f64).sin(), p.z)).collect();
    standing("water", Matter::Water, grid.faces.clone(), (0..FRAMES).map(frame).collect())
}

/// Two balls, of which one is eaten half-way.
fn food() -> Track {
    let balls = [0.6, 1.6].map(|x| Scenery::sphere("", SceneryKind::Obstacle, &V::new(x, 0.1, 0.5), 0.08));
    let count = balls[0].points.len() as u32;
    let faces = balls.iter().zip([0, count]).flat_map(|(ball, first)| ball.faces.iter().map(move |face| face.map(|v| v + first))).collect();
    let frame = |k: usize| {
        let eaten = balls[0].points.iter().map(|p| if k > FRAMES / 2 { V::new(0.6, 0.1, 0.5) } else { *p });
        eaten.chain(balls[1].points.iter().copied()).collect()
    };
    standing("food", Matter::Food, faces, (0..FRAMES).map(frame).collect())
}

fn motion(tracks: Vec<Track>) -> Motion {
    Motion::new(DT, tracks)
}

fn drawn(motion: &Motion) -> Vec<Drawn<'static>> {
    (0..motion.tracks.len()).map(|i| Looks::of_body(i).into()).collect()
}

fn skin_of(track: &Track) -> &Skin {
    let Topology::Rig(Rig { skin: Some(skin), .. }) = track.shape.topology() else { panic!("no skin") };
    skin
}

/// Where the corners of the skin are in the world.
fn placed(track: &Track, k: usize) -> Vec<V> {
    let turns = track.shape.frame_orientations(k).unwrap();
    let joints = track.shape.frame(k).iter().zip(turns).map(|(&translation, &rotation)| track.poses[k] * Pose { rotation, translation });
    skin_of(track).posed(&joints.collect::<Vec<_>>())
}

/// Largest distance from one of `points` to the nearest of `others`.
fn farthest(points: &[V], others: &[V]) -> f64 {
    let nearest = |p: &V| others.iter().map(|q| (p - q).norm_squared()).fold(f64::INFINITY, f64::min).sqrt();
    points.iter().map(nearest).fold(0.0, f64::max)
}

fn saved(motion: &Motion) -> SavedResult {
    let (glb, _) = build(motion, &drawn(motion), &ExportMeta { scene: "scene".into(), ..ExportMeta::default() }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("creature.glb");
    write_atomically(&path, &glb).unwrap();
    SavedResult::open(&path).unwrap()
}

#[test]
fn for_engines_that_ask_for_one_a_root_bone_carries_the_motion() {
    let motion = motion(vec![creature()]);
    let of = |target| build(&motion, &drawn(&motion), &ExportMeta { target, ..ExportMeta::default() }).unwrap();
    let (plain, plain_report) = of(Target::Node);
    let before = Played::new(&plain);
    assert_eq!(plain_report.bodies[0].node, "creature");
    for target in [Target::Unreal, Target::Godot] {
        let (glb, report) = of(target);
        let after = Played::new(&glb);
        assert_eq!((report.bodies[0].node.as_str(), report.warnings.len()), ("root", 0));
        let skin = after.gltf.skins().next().unwrap();
        let names = |played: &Played| -> Vec<String> {
            played.gltf.skins().next().unwrap().joints().map(|joint| joint.name().unwrap().into()).collect()
        };
        assert_eq!(names(&after), [names(&before), vec!["root".into()]].concat(), "the others keep their numbers");
        let binds = skin.reader(|_| after.gltf.blob.as_deref()).read_inverse_bind_matrices().unwrap().count();
        assert_eq!(binds, names(&after).len());
        for k in [0, 7, FRAMES - 1] {
            assert_eq!(after.global(after.node("root").index(), k), before.global(before.node("creature").index(), k));
            assert_eq!(after.mesh("creature.shape", k).positions, before.mesh("creature.shape", k).positions);
        }
    }
}

#[test]
fn root_bones_of_several_bodies_are_told_apart_and_bodies_without_bones_have_none() {
    let other = Track { name: "other".into(), ..creature() };
    let motion = motion(vec![creature(), other, Track { name: "rock".into(), matter: Matter::Body, ..food() }, water(0.0)]);
    let (_, report) = build(&motion, &drawn(&motion), &ExportMeta { target: Target::Godot, ..ExportMeta::default() }).unwrap();
    let nodes: Vec<&str> = report.bodies.iter().map(|body| body.node.as_str()).collect();
    assert_eq!(nodes, ["creature.root", "other.root", "rock", "water"]);
    let said = report.warnings.join("\n");
    assert!(said.contains("the bone `other.root`") && said.contains("rock has no skeleton"), "{said}");
    assert!(!said.contains("water has no skeleton"), "{said}");
}

#[test]
fn a_skin_is_in_the_file_as_it_is_in_the_engine() {
    let motion = motion(vec![creature()]);
    let (glb, report) = build(&motion, &drawn(&motion), &ExportMeta::default()).unwrap();
    if let Some(folder) = std::env::var_os("HOLONOMY_KEEP_EXPORTS") {
        write_atomically(&std::path::Path::new(&folder).join("creature.glb"), &glb).unwrap();
    }
    let played = Played::new(&glb);
    assert!(matches!(report.bodies[0].storage, ShapeStorage::Joints { joints } if joints == motion.tracks[0].shape.vertices()));
    for k in [0, 7, FRAMES - 1] {
        let (found, expected) = (played.mesh("creature.shape", k).positions, placed(&motion.tracks[0], k));
        // Corners on creases and between colours are there twice.
        assert!(found.len() >= expected.len());
        let off = farthest(&expected, &found).max(farthest(&found, &expected));
        assert!(off < 1e-6, "frame {k}: {off} m"); // measured 1.3e-7, of a body of 1.4 m
    }
}

#[test]
fn colours_of_a_skin_read_back() {
    let motion = motion(vec![creature()]);
    let saved = saved(&motion);
    let palette = &skin_of(&motion.tracks[0]).palette;
    let colors = saved.colors[0].as_ref().unwrap();
    let like = |a: &[f64; 3], b: &[f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-6);
    assert!(colors.iter().all(|color| palette.iter().any(|of| like(color, of))));
    for wanted in [0, 1, 2, 4, 5] {
        let count = colors.iter().filter(|color| like(color, &palette[wanted])).count();
        assert!(count > 50, "colour {wanted}: {count} vertices"); // least measured: 106, of the eyes
    }
}

#[test]
fn water_and_food_read_back_as_tracks_of_their_own() {
    let motion = motion(vec![creature(), water(0.2), food()]);
    let saved = saved(&motion);
    let matters: Vec<Matter> = saved.motion.tracks.iter().map(|track| track.matter).collect();
    assert_eq!(matters, [Matter::Body, Matter::Water, Matter::Food]);
    let heights = |k: usize| {
        let track = &saved.motion.tracks[1];
        track.shape.frame(k).iter().map(|p| track.poses[k].act(p).y).fold(f64::NEG_INFINITY, f64::max)
    };
    // Waves of 3 cm, 0.2 m up; stored within 4e-4 of the pool's 25 m.
    assert!((heights(3) - 0.23).abs() < 0.01, "{}", heights(3)); // measured 0.229995
    assert_eq!(saved.motion.tracks[1].shape.vertices(), 1600);
    // An eaten ball is gone: half of the food's points are in one place.
    let (food, last) = (&saved.motion.tracks[2], FRAMES - 1);
    let gone = food.shape.frame(last).iter().filter(|p| (food.poses[last].act(p) - V::new(0.6, 0.1, 0.5)).norm() < 1e-6).count();
    assert_eq!(2 * gone, food.shape.vertices());
}

fn small() -> StillOptions {
    StillOptions { width: 480, height: 270, samples: 2, ghosts: GhostCount::Exactly(3), path: PathPoint::None, ..Default::default() }
}

#[test]
fn water_and_food_are_shown_once_and_the_camera_goes_by_the_creature() {
    let (alone, all) = (motion(vec![creature()]), motion(vec![creature(), water(0.05), food()]));
    let plan = |motion: &Motion| Still::plan(&BodiesInMotion::new(motion, &drawn(motion)).unwrap(), &small()).unwrap();
    let (alone, all) = (plan(&alone), plan(&all));
    assert_eq!(all.geometry.ghosts.iter().map(|ghost| ghost.meshes.len()).collect::<Vec<_>>(), [1, 1, 1]);
    let kinds: Vec<PropKind> = all.geometry.scenery.iter().map(|prop| prop.kind).collect();
    assert_eq!(kinds, [PropKind::Water, PropKind::Food]);
    // The pool is 18 m wide, the creature's way some 3 m: the camera stands as near as without it, give or take the food.
    let nearer = all.layout.camera.distance / alone.layout.camera.distance;
    assert!(nearer < 1.4, "{nearer}"); // measured 1
    // The last frame's food: one ball.
    let food = &all.geometry.scenery[1].mesh;
    let gone = food.positions.iter().filter(|p| (*p - V::new(0.6, 0.1, 0.5)).norm() < 1e-9).count();
    assert!(gone > 0 && gone < food.positions.len());
}

#[test]
fn what_is_below_water_is_seen_through_it() {
    let view = View::Orbit { azimuth: 0.3, elevation: 0.8 };
    let bed = Scenery::height_field("bed", [[-9.0, -9.0], [9.0, 9.0]], [10, 10], |_, _| -0.2);
    let seen = |tracks: Vec<Track>| {
        let motion = Motion { scenery: vec![bed.clone()], ..motion(tracks) };
        let picture = still(&motion, &drawn(&motion), &StillOptions { view, ghosts: GhostCount::Exactly(1), ..small() }).unwrap();
        picture.pixels.chunks(4).map(|p| [0, 1, 2].map(|k| f64::from(p[k]))).collect::<Vec<[f64; 3]>>()
    };
    // The bed is sand, which is warm: the deeper the water, the less of it is seen.
    let warmth = |pixels: &[[f64; 3]]| pixels.iter().map(|[r, _, b]| r - b).sum::<f64>() / pixels.len() as f64;
    let heights = [-0.15, 0.35, 0.7];
    let [damp, shallow, deep] = heights.map(|height| warmth(&seen(vec![creature(), water(height)])));
    let dry = warmth(&seen(vec![creature()]));
    assert!(dry > damp + 5.0 && damp > shallow + 5.0 && shallow > deep + 5.0, "{dry} {damp} {shallow} {deep}"); // measured 51, 22, −37, −47
    // The creature is dark on it: still seen a hand below the surface.
    let dark = |pixels: &[[f64; 3]]| {
        let lightness = |[r, g, b]: &[f64; 3]| r + g + b;
        let mean = pixels.iter().map(lightness).sum::<f64>() / pixels.len() as f64;
        pixels.iter().filter(|pixel| lightness(pixel) < 0.85 * mean).count()
    };
    let (above, below) = (dark(&seen(vec![creature()])), dark(&seen(vec![creature(), water(0.35)])));
    assert!(2 * below > above && above > 3000, "{above} {below}"); // measured 30 824, 17 920
}

#[test]
fn ripples_show_and_the_animation_has_them() {
    let all = motion(vec![creature(), water(0.05)]);
    let options =
        AnimationOptions { picture: StillOptions { labels: holonomy_scene::picture::Labels::Hidden, ..small() }, ..Default::default() };
    let animation = animate(&all, &drawn(&all), &options).unwrap();
    // Lightness along the top row, where only water is: it varies, and not as in the next frame.
    let row = |i: usize| animation.frame(i).pixels.chunks(4).take(480).map(|p| f64::from(p[1])).collect::<Vec<f64>>();
    let (first, later) = (row(0), row(3));
    let spread = first.iter().copied().fold(0.0, f64::max) - first.iter().copied().fold(255.0, f64::min);
    assert!(spread > 6.0, "{spread}"); // measured 9, with slopes of 3.4 degrees
    let changed = first.iter().zip(&later).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(changed > 4.0, "{changed}"); // measured 6
}

#[test]
fn tables_and_plots_are_about_bodies() {
    let all = motion(vec![creature(), water(0.2), food()]);
    let alone = motion(vec![creature()]);
    assert_eq!(csv::table(&all, None).unwrap(), csv::table(&alone, None).unwrap());
    assert_eq!(of_motion(&all), of_motion(&alone));
    let summary = Summary::new(&all, "pool", "creature", std::time::Duration::from_secs(1)).unwrap();
    assert_eq!(summary.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(), ["creature"]);
    // Water alone is what a motion of water is about.
    assert_eq!(motion(vec![water(0.2)]).bodies(), [0]);
}
