//! Pictures: framing, ghosts, scale bar, rasteriser, files, and bad input.

use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Bone, Clip, Joint, Playback, Rig, Topology};
use holonomy_scene::Error;
use holonomy_scene::looks::{Looks, Taper};
use holonomy_scene::picture::raster::{Rect, Triangle, scan};
use holonomy_scene::picture::text::{Text, quantity, round_down};
use holonomy_scene::picture::{
    Animation, AnimationOptions, Backdrop, BodiesInMotion, CameraMode, Drawing, Drawn, Ghost, GhostCount, Labels, NumberedFrames,
    PathPoint, Picture, Placing, PosedMesh, Progress, SceneGeometry, Still, StillOptions, View, animate, ghosts, glyphs, still,
    still_unless_stopped,
};

use crate::random::Random;

type V = Vector3<f64>;

impl Random {
    /// A clip of each kind, some way off the origin.
    fn clips(&mut self) -> Vec<(&'static str, Clip)> {
        let bones =
            (0..5).map(|i| Bone { from: i, to: i + 1, mass: 1.0, center: 0.5, gyration: 0.3, longitudinal_gyration: 0.0 }).collect();
        let joints = (0..6_usize).map(|i| Joint { name: format!("j{i}"), parent: i.checked_sub(1) }).collect();
        let faces = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2], [3, 4, 5]];
        let kinds = [
            ("points", Topology::Points),
            ("curve", Topology::Curve { closed: false }),
            ("closed curve", Topology::Curve { closed: true }),
            ("surface", Topology::Surface { faces }),
            ("rig", Topology::Rig(Rig { joints, bones, skin: None })),
        ];
        let shapes: Vec<V> = (0..6 * 8).map(|_| self.vector()).collect();
        let clip = |topology| Clip::new(topology, Playback::Loop, 0.1, 6, shapes.clone()).unwrap();
        kinds.into_iter().map(|(name, topology)| (name, clip(topology))).collect()
    }
    /// A wandering motion.
    fn motion(&mut self, clip: &Clip, frames: usize) -> Motion {
        let (turn, go) = (self.vector(), self.vector() * 6.0);
        moving(clip, (0..frames).map(|k| Pose::exp(&Twist { angular: turn * (0.1 * k as f64), linear: go * (0.1 * k as f64) })).collect())
    }
}

fn moving(clip: &Clip, poses: Vec<Pose>) -> Motion {
    let (steps, centers) = (poses.len().saturating_sub(1), poses.iter().map(|pose| pose.translation).collect());
    Motion::new(clip.dt(), vec![Track::new("body", clip.clone(), poses, centers, vec![Momentum::zero(); steps])])
}

/// The middle of the body.
fn mean(motion: &Motion, k: usize) -> V {
    motion.tracks[0].poses[k].act(&motion.tracks[0].shape.centroid(k))
}

fn shifted(by: V) -> Pose {
    Pose { translation: by, ..Pose::identity() }
}

/// A wavy snake that crawls along +X.
fn snake() -> Motion {
    let wave = |k: usize| (0..30).map(move |i| V::new(i as f64 / 30.0, 0.0, 0.1 * (0.5 * i as f64 + 0.8 * k as f64).sin()));
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Loop, 0.1, 30, (0..8).flat_map(wave).collect()).unwrap();
    moving(&clip, (0..41).map(|k| shifted(V::new(0.1 * k as f64, 0.0, 0.0))).collect())
}

fn small() -> StillOptions {
    StillOptions { width: 240, height: 135, samples: 2, ..Default::default() }
}

fn plan(motion: &Motion, options: &StillOptions) -> Still {
    let drawn = Drawn::from(Looks { taper: Taper::Uniform, ..Looks::default() });
    Still::plan(&BodiesInMotion::new(motion, &[drawn]).unwrap(), options).unwrap()
}

fn colors(picture: &Picture) -> HashMap<[u8; 3], usize> {
    let mut count = HashMap::new();
    picture.pixels.chunks_exact(4).for_each(|p| *count.entry([p[0], p[1], p[2]]).or_default() += 1);
    count
}

#[test]
fn every_vertex_of_every_ghost_is_inside_the_margins() {
    let mut random = Random(1);
    for round in 0..3 {
        for (name, clip) in random.clips() {
            let motion = random.motion(&clip, 12);
            let orbit = View::Orbit { azimuth: 6.0 * random.unit(), elevation: 3.0 * random.unit() - 1.5 };
            for view in [View::Auto, View::Top, View::Front, View::Side, orbit] {
                for (width, height) in [(1280, 720), (300, 900), (64, 64)] {
                    let still = plan(&motion, &StillOptions { width, height, view, ..small() });
                    let (w, h) = (width as f64, height as f64);
                    let margin = 0.054 * w.min(h);
                    let mut nearest = f64::INFINITY;
                    for p in still.geometry.points() {
                        let [x, y, depth] = still.layout.camera.project(&p);
                        assert!(depth > 0.0);
                        nearest = nearest.min(x).min(y).min(w - x).min(h - y);
                    }
                    assert!(nearest >= margin, "{round} {name} {view:?} {width}x{height}: {nearest} px from the edge");
                    // Framed tightly: some point touches a margin (the widest: below, with room for labels).
                    assert!(nearest < 0.055 * w.min(h) + 4.0 * 12.5 + 1.0, "{round} {name} {view:?}: loose, {nearest}");
                    for label in &still.layout.labels {
                        let [x, y, lw, lh] = label.area;
                        assert!(x >= 0.0 && y >= 0.0 && x + lw <= w && y + lh <= h, "{name}: label {label:?} sticks out");
                    }
                }
            }
        }
    }
}

#[test]
fn ghosts_rise_in_time_from_the_first_frame_to_the_last() {
    let mut random = Random(2);
    for (name, clip) in random.clips() {
        for frames in [2, 3, 7, 100] {
            let motion = random.motion(&clip, frames);
            for count in [GhostCount::Auto, GhostCount::Exactly(2), GhostCount::Exactly(5), GhostCount::Exactly(100)] {
                let shown = plan(&motion, &StillOptions { ghosts: count, placing: Placing::World, ..small() }).layout.frames;
                assert!(shown.windows(2).all(|w| w[0] < w[1]), "{name}: {shown:?}");
                assert_eq!((shown[0], *shown.last().unwrap()), (0, frames - 1), "{name} {count:?}");
                if let GhostCount::Exactly(n) = count {
                    assert_eq!(shown.len(), n.min(frames), "{name}");
                }
            }
        }
    }
    assert_eq!(ghosts::spaced(10, 1), [10]);
    assert_eq!(ghosts::spaced(0, 5), [0]);
}

#[test]
fn more_ghosts_fit_a_longer_way() {
    let motion = snake();
    let count = |motion: &Motion| plan(motion, &StillOptions { placing: Placing::World, ..small() }).layout.frames.len();
    let clip = &motion.tracks[0].shape;
    let nowhere = moving(clip, vec![Pose::identity(); 9]);
    let near = moving(clip, (0..41).map(|k| shifted(V::new(0.02 * k as f64, 0.0, 0.0))).collect());
    let far = moving(clip, (0..41).map(|k| shifted(V::new(0.0, 0.0, 0.3 * k as f64))).collect());
    // 8 frames of a loop of 8: the last frame is the first shape again.
    assert_eq!(count(&nowhere), 1);
    assert_eq!(count(&near), 2);
    assert!((3..=6).contains(&count(&motion)), "{}", count(&motion)); // measured 5
    assert_eq!(count(&far), 8);
}

#[test]
fn ghosts_of_a_loop_differ_in_pose() {
    let clip = snake().tracks.remove(0).shape;
    // Four cycles of eight frames: five ghosts would fit, all in one pose.
    let motion = moving(&clip, (0..33).map(|k| shifted(V::new(0.125 * k as f64, 0.0, 0.0))).collect());
    let shown = |ghosts| plan(&motion, &StillOptions { placing: Placing::World, ghosts, ..small() }).layout.frames;
    assert_eq!(shown(GhostCount::Auto), [0, 11, 21, 32]);
    assert_eq!(shown(GhostCount::Exactly(5)), [0, 8, 16, 24, 32], "what is asked for is done");
}

/// A bent plate, its front at its first vertex, that flaps in `frames` frames.
fn flapping(frames: usize) -> Clip {
    let frame = |k: usize| {
        let lift = (2.0 * PI * k as f64 / frames as f64).sin();
        (0..21).flat_map(move |i| [-0.2, 0.2].map(|z| V::new(1.0 - 0.1 * i as f64, 0.01 * lift * (i * i) as f64 / 4.0, z)))
    };
    let faces = (0..20).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]]).collect();
    Clip::new(Topology::Surface { faces }, Playback::Loop, 0.1, 42, (0..frames).flat_map(frame).collect()).unwrap()
}

#[test]
fn a_loop_on_the_spot_is_shown_over_one_cycle() {
    for cycles in [1, 4] {
        let motion = moving(&flapping(20), (0..=20 * cycles).map(|k| shifted(V::x() * (0.004 * k as f64))).collect());
        let shown = |ghosts| plan(&motion, &StillOptions { ghosts, width: 640, height: 360, ..small() });
        assert_eq!(shown(GhostCount::Auto).layout.frames, [0, 4, 8, 12, 16]);
        let two = shown(GhostCount::Exactly(2));
        assert_eq!(two.layout.frames, [0, 10]);
        assert!(two.layout.labels.iter().any(|label| label.text.contains("one cycle")), "{:?}", two.layout.labels);
    }
    // It turns meanwhile, which one cycle would not show.
    let turning = |k: usize| Pose::exp(&Twist { angular: V::y() * (0.05 * k as f64), linear: V::zeros() });
    assert_eq!(plan(&moving(&flapping(20), (0..41).map(turning).collect()), &small()).layout.frames, [0, 10, 20, 30, 40]);
}

/// Time goes from left to right, and so do they.
#[test]
fn bodies_side_by_side_face_the_way_they_go() {
    for way in [V::x(), -V::x(), V::z(), -V::z()] {
        let turn = Pose {
            rotation: UnitQuaternion::rotation_between(&V::x(), &way).unwrap_or(UnitQuaternion::from_axis_angle(&V::y_axis(), PI)),
            ..Pose::identity()
        };
        let motion = moving(&flapping(20), (0..21).map(|k| shifted(way * (0.01 * k as f64)) * turn).collect());
        let right = plan(&motion, &small()).layout.camera.right;
        assert!(right.dot(&way) > 0.8, "{way:?}: {right:?}"); // measured 0.92
    }
}

#[test]
fn older_ghosts_are_fainter() {
    let motion = snake();
    let still = plan(&motion, &small());
    let presence: Vec<f64> = still.geometry.ghosts.iter().map(|g| g.presence).collect();
    assert!(presence.windows(2).all(|w| w[0] < w[1]) && *presence.last().unwrap() == 1.0, "{presence:?}");
}

#[test]
fn a_body_that_turns_on_the_spot_is_shown_side_by_side() {
    let rod: Vec<V> = (0..10).map(|i| V::new(i as f64 / 9.0 - 0.5, 0.0, 0.0)).collect();
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 0.1, 10, rod).unwrap();
    let motion = moving(&clip, (0..31).map(|k| Pose::exp(&Twist { angular: V::z() * (0.1 * k as f64), linear: V::zeros() })).collect());
    let still = plan(&motion, &StillOptions { backdrop: Backdrop::None, ..small() });
    assert_eq!(still.layout.frames.len(), 5);
    assert!(still.geometry.paths.is_empty());
    let camera = still.layout.camera;
    let spans: Vec<(f64, f64)> = still
        .geometry
        .ghosts
        .iter()
        .map(|g| {
            let x: Vec<f64> = g.meshes.iter().flat_map(|m| &m.positions).map(|p| camera.project(p)[0]).collect();
            (x.iter().copied().fold(f64::INFINITY, f64::min), x.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        })
        .collect();
    assert!(spans.windows(2).all(|w| w[0].1 < w[1].0), "{spans:?}");
}

/// A cube that moves by less than its size would run through itself; by more, it is shown where it is.
#[test]
fn stout_bodies_do_not_run_through_each_other() {
    let corner = |i: usize| V::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let clip = Clip::new(Topology::Surface { faces }, Playback::Once, 0.1, 8, (0..8).map(corner).collect()).unwrap();
    let still = |step: f64| plan(&moving(&clip, (0..31).map(|k| shifted(V::x() * (step * k as f64))).collect()), &small());
    let (near, far) = (still(0.03), still(0.3));
    assert_eq!(near.layout.frames.len(), 5, "side by side");
    assert!(near.geometry.paths.is_empty());
    assert!(!far.geometry.paths.is_empty() && far.layout.frames.len() > 2);
    for still in [near, far] {
        let span = |ghost: &Ghost| {
            let along = ghost.meshes[0].positions.iter().map(|p| still.layout.camera.right.dot(p));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let spans: Vec<_> = still.geometry.ghosts.iter().map(span).collect();
        assert!(spans.windows(2).all(|pair| pair[0].1 < pair[1].0), "{spans:?}");
    }
}

/// Water of which nothing is known is above the swimmer.
#[test]
fn water_is_above_what_swims_in_it() {
    let still = plan(&snake(), &StillOptions { backdrop: Backdrop::Water { height: None }, ..small() });
    let top = still.geometry.points().iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    assert!(still.layout.floor.is_some_and(|floor| floor >= top));
}

#[test]
fn the_scale_bar_is_round_and_as_long_as_it_says() {
    let mut random = Random(3);
    for (name, clip) in random.clips() {
        for scale in [1e-6, 1e-2, 1.0, 300.0, 1e7] {
            let clip = clip.scaled(scale);
            for (view, backdrop) in [(View::Auto, Backdrop::default()), (View::Front, Backdrop::default()), (View::Top, Backdrop::None)] {
                let options = StillOptions { width: 1280, height: 720, view, backdrop, ..small() };
                let still = plan(&moving(&clip, vec![Pose::identity(); 3]), &options);
                let bar = &still.layout.scale_bar;
                let lead = bar.length / 10_f64.powf(bar.length.log10().floor() + 1e-12);
                assert!([1.0, 2.0, 5.0, 10.0].iter().any(|r| (lead - r).abs() < 1e-6), "{name}: {} is not round", bar.length);
                assert!(((bar.ends[1] - bar.ends[0]).norm() / bar.length - 1.0).abs() < 1e-9);
                for i in 0..2 {
                    let [x, y, _] = still.layout.camera.project(&bar.ends[i]);
                    let off = (x - bar.pixels[i][0]).hypot(y - bar.pixels[i][1]);
                    assert!(off < 1e-6, "{name} {view:?}: {off} px off"); // measured 3e-13
                    assert!(x > 0.0 && x < 1280.0 && y > 0.0 && y < 720.0);
                }
                if view == View::Auto {
                    let floor = still.layout.floor.unwrap();
                    assert!((bar.ends[0].y - floor).abs() < 1e-9 * scale, "{name}: the bar lies on the floor");
                }
                let pixels = bar.pixels[1][0] - bar.pixels[0][0];
                assert!((0.06..0.18).contains(&(pixels / 1280.0)), "{name}: {pixels} px");
            }
        }
    }
}

/// From wherever a body is seen, it is as large beside the bar as it is: the floor may be far
/// behind it.
#[test]
fn the_scale_bar_fits_the_body_from_above_and_from_below() {
    let rising = moving(&snake().tracks.remove(0).shape, (0..3).map(|k| shifted(V::new(0.0, 0.5 * k as f64, 0.0))).collect());
    let mut worst: f64 = 0.0;
    for elevation in [-80.0, -40.0, -20.0, -12.0, -11.0, -10.0, 0.0, 10.0, 20.0, 40.0, 80.0_f64] {
        let view = View::Orbit { azimuth: 0.35, elevation: elevation.to_radians() };
        let still = plan(&rising, &StillOptions { width: 1280, height: 720, view, ..small() });
        let (bar, camera) = (&still.layout.scale_bar, &still.layout.camera);
        let drawn = bar.pixels[1][0] - bar.pixels[0][0];
        let of_scene = bar.length * camera.pixels_per_metre(camera.distance);
        worst = worst.max((of_scene / drawn).ln().abs().exp());
    }
    assert!(worst < 1.5, "{worst}"); // measured 1.29, level with the floor
}

#[test]
fn quantities_are_written_briefly() {
    let cases = [
        (quantity(0.5, 0.5, "m"), "0.5 m"),
        (quantity(0.2, 0.2, "m"), "20 cm"),
        (quantity(0.005, 0.005, "m"), "5 mm"),
        (quantity(2000.0, 2000.0, "m"), "2 km"),
        (quantity(1.6000000001, 0.8, "s"), "1.6 s"),
        (quantity(0.0, 0.8, "s"), "0 s"),
        (quantity(0.00035, 1e-5, "s"), "350 \u{b5}s"),
        (quantity(2e-9, 2e-9, "m"), "2 nm"),
        (quantity(5e12, 5e12, "m"), "5\u{d7}10\u{b9}\u{b2} m"),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    for (value, expected) in [(0.99, 0.5), (1.0, 1.0), (4.99, 2.0), (5.0, 5.0), (0.0021, 0.002), (1e-300, 1e-300)] {
        assert!((round_down(value) / expected - 1.0).abs() < 1e-9, "{value}");
    }
}

#[test]
fn the_font_has_letters_digits_and_units() {
    let wanted = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(" .,:;!?-+=/()[]<>%_'\"#*~\u{b0}\u{b7}\u{d7}\u{b5}\u{2212}".chars());
    for c in wanted {
        let (width, strokes) = glyphs::glyph(c).unwrap_or_else(|| panic!("no glyph for {c:?}"));
        let text = Text::new(&c.to_string(), 10.0);
        assert!(c == ' ' || !text.strokes.is_empty(), "{c:?}: {strokes}");
        for s in &text.strokes {
            assert!(s[0].min(s[2]) > -2.0 && s[0].max(s[2]) < width + 2.0 && s[1].abs() < 12.0, "{c:?} strays: {s:?}");
        }
    }
}

#[test]
fn a_triangle_covers_exactly_the_samples_inside() {
    let clip = Rect { x0: -10, y0: -10, x1: 10, y1: 10 };
    let covered = |corners: [[f64; 2]; 3]| {
        let mut seen = Vec::new();
        if let Some(t) = Triangle::new(corners.map(|c| [c[0], c[1], c[0] + 10.0 * c[1]])) {
            scan(&t, clip, |x, y, value| {
                let expected = (x as f64 + 0.5) + 10.0 * (y as f64 + 0.5);
                assert!((value as f64 - expected).abs() < 1e-4, "the quantity is linear");
                seen.push((x, y));
            });
        }
        seen.sort_unstable();
        seen
    };
    // Legs of length 4 at the origin: the slanted edge passes through sample centres (3.5, 0.5) …, and is a bottom right edge: not covered.
    let corner = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
    let expected = vec![(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)];
    assert_eq!(covered(corner), expected);
    assert_eq!(covered([corner[0], corner[2], corner[1]]), expected, "either way round");
    // Its mirror image has that edge as a top left one: covered.
    let mirror = [[4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    assert_eq!(covered(mirror).len(), 10);
    // Top and left edges through sample centres belong to a square; bottom and right ones do not.
    let square = [covered([[0.5, 0.5], [2.5, 0.5], [2.5, 2.5]]), covered([[0.5, 0.5], [2.5, 2.5], [0.5, 2.5]])].concat();
    assert_eq!(square.len(), 4);
    assert!(covered([[1.0, 1.0], [5.0, 5.0], [3.0, 3.0]]).is_empty(), "no area");
    assert!(covered([[f64::NAN, 1.0], [5.0, 5.0], [3.0, 0.0]]).is_empty());
    assert!(covered([[1e30, 1.0], [5.0, 5.0], [3.0, 0.0]]).is_empty());
}

#[test]
fn triangles_that_share_edges_leave_no_hole_and_cover_nothing_twice() {
    let mut random = Random(4);
    for round in 0..20 {
        let n = 8;
        let size = 40.0;
        // A jittered grid over the square [0, 40]²; corners land on sample centres and pixel borders now and then.
        let point: Vec<[f64; 2]> = (0..=n)
            .flat_map(|j| (0..=n).map(move |i| (i, j)))
            .map(|(i, j)| {
                let mut jitter = |k: usize| if k == 0 || k == n { 0.0 } else { ((random.unit() - 0.5) * 4.0).round() / 2.0 };
                [i as f64 * size / n as f64 + jitter(i), j as f64 * size / n as f64 + jitter(j)]
            })
            .collect();
        let mut count = vec![0; 40 * 40];
        for j in 0..n {
            for i in 0..n {
                let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| point[j * (n + 1) + i]);
                let split = if random.unit() < 0.5 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [d, b, c]] };
                for corners in split {
                    if let Some(t) = Triangle::new(corners.map(|c| [c[0], c[1], 1.0])) {
                        scan(&t, Rect { x0: 0, y0: 0, x1: 40, y1: 40 }, |x, y, _| count[(y * 40 + x) as usize] += 1);
                    }
                }
            }
        }
        assert!(
            count.iter().all(|&n| n == 1),
            "round {round}: {} holes, {} twice",
            count.iter().filter(|&&n| n == 0).count(),
            count.iter().filter(|&&n| n > 1).count()
        );
    }
}

fn square(z: f64, half: f64, color: [f64; 3]) -> PosedMesh {
    let points = [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| V::new(x, y, z));
    PosedMesh::from_surface(&points, &[[0, 1, 2], [0, 2, 3]], color)
}

fn plain() -> StillOptions {
    StillOptions {
        view: View::Front,
        backdrop: Backdrop::None,
        labels: Labels::Hidden,
        width: 60,
        height: 60,
        samples: 2,
        ..Default::default()
    }
}

#[test]
fn what_is_nearer_hides_what_is_behind() {
    let (red, blue) = ([0.9, 0.1, 0.1], [0.1, 0.1, 0.9]);
    for meshes in [vec![square(0.5, 0.5, red), square(0.0, 1.0, blue)], vec![square(0.0, 1.0, blue), square(0.5, 0.5, red)]] {
        let geometry = SceneGeometry { ghosts: vec![Ghost { time: 0.0, presence: 1.0, meshes }], ..Default::default() };
        let picture = Still::of_geometry(geometry, &plain()).unwrap().draw();
        let pixel = |x: usize, y: usize| &picture.pixels[(y * 60 + x) * 4..][..3];
        assert!(pixel(30, 30)[0] > 2 * pixel(30, 30)[2], "red in the middle: {:?}", pixel(30, 30));
        assert!(pixel(8, 30)[2] > 2 * pixel(8, 30)[0], "blue around it: {:?}", pixel(8, 30));
        assert_eq!(pixel(0, 0), [246, 246, 245], "background in the corner");
    }
}

#[test]
fn every_kind_of_shape_is_drawn_on_every_backdrop() {
    let mut random = Random(5);
    for (name, clip) in random.clips() {
        let motion = random.motion(&clip, 10);
        for backdrop in [Backdrop::default(), Backdrop::Water { height: None }, Backdrop::None] {
            let picture = still(&motion, &[Drawn::default()], &StillOptions { backdrop, ..small() }).unwrap();
            assert_eq!(picture.pixels.len(), 240 * 135 * 4);
            let seen = colors(&picture);
            let bluish: usize = seen.iter().filter(|(c, _)| c[2] > c[0].saturating_add(40)).map(|(_, n)| n).sum();
            assert!(seen.len() > 60, "{name} {backdrop:?}: {} colours", seen.len());
            assert!(bluish > 30, "{name} {backdrop:?}: {bluish} pixels of the body's colour");
        }
    }
}

#[test]
fn a_body_throws_a_soft_shadow_on_the_ground() {
    let balls = vec![V::new(0.0, 1.0, 0.0), V::new(-4.0, 1.0, 0.0)];
    let ball = Clip::new(Topology::Points, Playback::Once, 0.1, 2, balls).unwrap();
    let motion = moving(&ball, vec![Pose::identity()]);
    let body = Drawn::from(Looks { thickness: Some(1.0), color: [0.965, 0.965, 0.96], ..Looks::default() });
    let options = StillOptions {
        backdrop: Backdrop::Ground { height: Some(0.0) },
        labels: Labels::Hidden,
        view: View::Orbit { azimuth: 0.0, elevation: 0.7 },
        ..small()
    };
    let frame = Still::plan(&BodiesInMotion::new(&motion, &[body]).unwrap(), &options).unwrap();
    let picture = frame.draw();
    let brightness = |x: f64, z: f64| {
        let [px, py, _] = frame.layout.camera.project(&V::new(x, 0.0, z));
        picture.pixels.get((py as usize * 240 + px as usize) * 4).copied().filter(|_| px > 0.0 && px < 240.0 && py > 0.0 && py < 135.0)
    };
    // The lamp stands to the left and front, so the shadow falls to the right and back; left of the ball the ground is open.
    let (shade, open) = (brightness(0.65, -0.2).unwrap(), brightness(-1.3, 0.0).unwrap());
    assert!(shade + 25 < open, "{shade} {open}"); // measured 188 and 227
}

#[test]
fn vertex_colours_carry_over_to_tubes_and_balls() {
    let line: Vec<V> = (0..20).map(|i| V::new(i as f64 * 0.05, 0.0, 0.0)).collect();
    let paint: Vec<[f64; 3]> = (0..20).map(|i| if i < 10 { [0.9, 0.1, 0.1] } else { [0.1, 0.7, 0.1] }).collect();
    for topology in [Topology::Points, Topology::Curve { closed: false }] {
        let clip = Clip::new(topology, Playback::Once, 0.1, 20, line.clone()).unwrap();
        let looks = Looks { thickness: Some(0.1), taper: Taper::Uniform, ..Looks::default() };
        let body = Drawn { looks, vertex_colors: Some(&paint), ..Drawn::default() };
        let picture = still(&moving(&clip, vec![Pose::identity()]), &[body], &StillOptions { view: View::Front, ..small() }).unwrap();
        let count = |i: usize, j: usize| {
            colors(&picture).iter().filter(|(c, _)| c[i] > 60 && c[i] > c[j].saturating_mul(2)).map(|(_, n)| n).sum::<usize>()
        };
        assert!(count(0, 1) > 200 && count(1, 0) > 200, "{} red, {} green", count(0, 1), count(1, 0));
    }
}

#[test]
fn the_same_bytes_every_time_and_for_any_number_of_threads() {
    let motion = snake();
    let draw =
        || still(&motion, &[Drawn::default()], &StillOptions { width: 320, height: 180, ..Default::default() }).unwrap().to_png().unwrap();
    let first = draw();
    assert_eq!(first, draw());
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(draw) == first, "{threads} threads");
    }
}

#[test]
fn png_files_hold_the_pixels() {
    let motion = snake();
    let picture = still(&motion, &[Drawn::default()], &small()).unwrap();
    let decode = |file: Vec<u8>| {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (240, 135, png::ColorType::Rgb));
        bytes
    };
    let rgb: Vec<u8> = picture.pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    assert!(decode(picture.to_png().unwrap()) == rgb);
    let (whole, small) = (picture.to_png().unwrap(), picture.to_small_png().unwrap());
    assert!(small.len() < whole.len(), "{} {}", small.len(), whole.len());
    let off = decode(small).iter().zip(&rgb).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
    assert!(off < 15, "{off}"); // measured 7
}

fn on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn short_animation(motion: &Motion, camera: CameraMode) -> Animation<'_> {
    animation_at(2.0, motion, camera)
}

fn animation_at(fps: f64, motion: &Motion, camera: CameraMode) -> Animation<'_> {
    let picture = StillOptions { width: 200, height: 112, samples: 1, ..Default::default() };
    animate(motion, &[Drawn::default()], &AnimationOptions { picture, fps, speed: None, camera }).unwrap()
}

#[test]
fn apng_plays_back_to_the_frames_drawn() {
    let motion = snake();
    let animation = short_animation(&motion, CameraMode::Fixed);
    assert_eq!(animation.len(), 8); // 4 s at 2 a second; after them the shape is as at first
    let mut reader = png::Decoder::new(std::io::Cursor::new(animation.to_apng(&mut on).unwrap().unwrap())).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 8);
    let mut canvas = vec![0; 200 * 112 * 3];
    for i in 0..8 {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let at = *reader.info().frame_control().unwrap();
        assert_eq!((at.delay_num, at.delay_den), (500, 1000));
        for row in 0..info.height as usize {
            let (w, to) = (info.width as usize * 3, ((row + at.y_offset as usize) * 200 + at.x_offset as usize) * 3);
            canvas[to..to + w].copy_from_slice(&bytes[row * w..(row + 1) * w]);
        }
        let drawn: Vec<u8> = animation.frame(i).pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        assert!(canvas == drawn, "frame {i}");
    }
}

#[test]
fn gif_plays_back_to_nearly_the_frames_drawn() {
    let motion = snake();
    let animation = short_animation(&motion, CameraMode::Follow);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let file = animation.to_gif(&mut on).unwrap().unwrap();
    let mut decoder = options.read_info(file.as_slice()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (200, 112));
    let mut canvas = vec![0; 200 * 112 * 4];
    let mut frames = 0;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 50);
        for (i, p) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] == 255) {
            let (x, y) = (frame.left as usize + i % frame.width as usize, frame.top as usize + i / frame.width as usize);
            canvas[(y * 200 + x) * 4..][..4].copy_from_slice(p);
        }
        let drawn = animation.frame(frames).pixels;
        let off = canvas.iter().zip(&drawn).map(|(a, b)| a.abs_diff(*b) as u64).sum::<u64>() as f64 / drawn.len() as f64;
        assert!(off < 1.0, "frame {frames}: mean difference {off}"); // measured 0.38
        frames += 1;
    }
    assert_eq!(frames, animation.len());
}

#[test]
fn the_animation_keeps_its_subject_in_view() {
    let motion = snake();
    for camera in [CameraMode::Fixed, CameraMode::Follow] {
        let animation = short_animation(&motion, camera);
        for (i, k) in (0..8).map(|i| (i, i * 5)) {
            for p in motion.tracks[0].shape.frame(k) {
                let [x, y, _] = animation.camera(i).project(&motion.tracks[0].poses[k].act(p));
                assert!(x > 5.0 && x < 195.0 && y > 5.0 && y < 107.0, "{camera:?} frame {i}: {x} {y}");
            }
        }
        let moved = (animation.camera(7).eye - animation.camera(0).eye).norm();
        let expected = if camera == CameraMode::Follow { 3.5 } else { 0.0 };
        assert!((moved - expected).abs() < 0.1, "{camera:?}: {moved}");
    }
}

/// However it rises and sinks, the body keeps its size in the picture, and so does the bar.
#[test]
fn the_scale_bar_of_a_following_camera_stays_as_it_is() {
    let clip = snake().tracks.remove(0).shape;
    let motion = moving(&clip, (0..41).map(|k| shifted(V::new(0.1 * k as f64, 0.05 * k as f64, 0.0))).collect());
    let animation = short_animation(&motion, CameraMode::Follow);
    let bars: Vec<_> = (0..animation.len()).map(|i| animation.scale_bar(i)).collect();
    let length = |i: usize| bars[i].pixels[1][0] - bars[i].pixels[0][0];
    for (i, bar) in bars.iter().enumerate() {
        assert_eq!(bar.length, bars[0].length);
        assert!((length(i) - length(0)).abs() < 1e-9, "{} {}", length(i), length(0));
        // As long beside the body as it says.
        let camera = animation.camera(i);
        let middle = mean(&motion, i * 5);
        let [from, to] = [middle, middle + camera.right * bar.length].map(|p| camera.project(&p)[0]);
        assert!(((to - from) / length(i) - 1.0).abs() < 0.1, "{} {}", to - from, length(i));
    }
}

#[test]
fn frames_for_a_video_are_numbered_files() {
    let motion = snake();
    let folder = tempfile::tempdir().unwrap();
    let animation = animation_at(2.5, &motion, CameraMode::Fixed); // ten frames, eight of them drawn at once
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    };
    // Stopped half way: nothing is there, not even the frames that were drawn.
    let mut told = Vec::new();
    let mut stop = |frame: usize, frames: usize| {
        told.push((frame, frames));
        if frame > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(write_frames(&animation, folder.path(), &mut stop).unwrap(), Drawing::Stopped);
    assert_eq!(animation.to_gif(&mut stop).unwrap(), None);
    assert_eq!(animation.to_apng(&mut stop).unwrap(), None);
    let asked = [(0, 10), (8, 10)];
    assert_eq!(told, [&asked[..], &[(0, 10)], &asked, &asked].concat(), "of a GIF also before its colours are chosen");
    assert_eq!(names(), Vec::<String>::new());
    // Of an earlier, longer film no frame is left; what is no frame of ours stays.
    for other in ["frame_00010.png", "frame_00011.png", "frame_00009.png", "frame_12.png", "notes.txt"] {
        std::fs::write(folder.path().join(other), "old").unwrap();
    }
    assert_eq!(write_frames(&animation, folder.path(), &mut on).unwrap(), Drawing::Done);
    let mut expected: Vec<String> = (0..10).map(|i| format!("frame_{i:05}.png")).collect();
    expected.extend(["frame_12.png".into(), "notes.txt".into()]);
    assert_eq!(names(), expected);
    assert_eq!(std::fs::read(folder.path().join("frame_00009.png")).unwrap(), animation.frame(9).to_png().unwrap());
    // Not there yet: it is made, and what is around it stays as it was.
    let mut at_once = |_: usize, _: usize| ControlFlow::Break(());
    assert_eq!(write_frames(&animation, &folder.path().join("not/there"), &mut at_once).unwrap(), Drawing::Stopped);
    assert_eq!(names(), expected);
    assert_eq!(write_frames(&animation, &folder.path().join("not/there"), &mut on).unwrap(), Drawing::Done);
    assert!(folder.path().join("not/there/frame_00009.png").is_file());
    assert_eq!(names().len(), expected.len() + 1);
}

fn write_frames(animation: &Animation, folder: &Path, progress: &mut Progress) -> Result<Drawing, Error> {
    let mut frames = NumberedFrames::begin(folder)?;
    let drawing = animation.each_png(progress, |png| frames.add(png))?;
    if drawing == Drawing::Done {
        frames.put_in_place()?;
    }
    Ok(drawing)
}

/// That of a wrong input was the exit code.
#[test]
fn a_picture_that_cannot_be_encoded_is_a_result_that_cannot_be_had() {
    let torn = Picture { width: 20, height: 20, pixels: vec![0; 400] };
    for refused in [torn.to_png().unwrap_err(), torn.to_small_png().unwrap_err()] {
        assert!(refused.is_of_the_result() && refused.to_string().contains("PNG"), "{refused}");
    }
}

#[test]
fn odd_scenes_are_drawn_all_the_same() {
    let still_at = |points: Vec<V>, poses: Vec<Pose>, options: StillOptions| {
        let clip = Clip::new(Topology::Points, Playback::Once, 0.1, points.len(), points).unwrap();
        let motion = moving(&clip, poses);
        let still = plan(&motion, &options);
        for p in still.geometry.points() {
            let [x, y, depth] = still.layout.camera.project(&p);
            assert!(depth > 0.0 && x >= 0.0 && y >= 0.0 && x <= options.width as f64 && y <= options.height as f64, "{x} {y} {depth}");
        }
        let picture = still.draw();
        assert!(colors(&picture).len() > 8, "{} colours", colors(&picture).len());
    };
    let two = vec![V::zeros(), V::new(1.0, 0.0, 0.0)];
    let here = || vec![Pose::identity()];
    still_at(vec![V::zeros()], here(), small()); // one vertex, one frame
    still_at(vec![V::zeros()], vec![Pose::identity(); 20], small()); // goes nowhere
    still_at(vec![V::repeat(1e9)], here(), small()); // far from home
    for size in [1e-12, 1e-6, 1e6, 1e30, 1e120] {
        still_at(two.iter().map(|p| p * size).collect(), vec![Pose::identity(), shifted(V::new(0.0, size, size))], small());
    }
    for elevation in [1.6, -1.6, 0.0, -0.4] {
        still_at(two.clone(), vec![Pose::identity(); 2], StillOptions { view: View::Orbit { azimuth: 1.0, elevation }, ..small() });
    }
    still_at(two.clone(), here(), StillOptions { view: View::Top, ..small() });
    for (width, height) in [(16, 16), (16, 500), (500, 16), (17, 16)] {
        still_at(two.clone(), here(), StillOptions { width, height, ..small() });
    }
    for path in [PathPoint::Vertex(1), PathPoint::Vertex(99), PathPoint::None] {
        still_at(two.clone(), (0..9).map(|k| shifted(V::new(0.0, 0.0, k as f64))).collect(), StillOptions { path, ..small() });
    }
}

#[test]
fn degenerate_curves_and_faces_are_drawn_all_the_same() {
    let same = vec![V::zeros(); 4];
    let hairpin = vec![V::zeros(), V::x(), V::zeros(), V::x()];
    for points in [same, hairpin, vec![V::x(); 1]] {
        for closed in [false, true] {
            let clip = Clip::new(Topology::Curve { closed }, Playback::Once, 0.1, points.len(), points.clone()).unwrap();
            plan(&moving(&clip, vec![Pose::identity()]), &small()).draw();
        }
        let faces = vec![[0, 0, 0]];
        let clip = Clip::new(Topology::Surface { faces }, Playback::Once, 0.1, points.len(), points).unwrap();
        plan(&moving(&clip, vec![Pose::identity()]), &small()).draw();
    }
}

#[test]
fn bad_input_is_refused_in_words() {
    let motion = snake();
    let body = Drawn::default();
    let message = |bodies: &[Drawn], motion: &Motion, options: &StillOptions| still(motion, bodies, options).unwrap_err().to_string();
    let options = small();
    assert!(message(&[], &Motion::new(0.1, Vec::new()), &options).contains("no bodies"));
    assert!(message(&[], &motion, &options).contains("1 tracks, but 0"));
    let thin = Looks { thickness: Some(-1.0), ..Looks::default() };
    assert!(message(&[thin.into()], &motion, &options).contains("thickness is -1"));
    assert!(message(&[Drawn { vertex_colors: Some(&[[0.0; 3]; 31]), ..body }], &motion, &options).contains("31 vertex colours"));
    assert!(message(&[Drawn { vertex_colors: Some(&[[f64::NAN; 3]; 30]), ..body }], &motion, &options).contains("not finite"));
    assert!(message(&[body], &moving(&motion.tracks[0].shape, Vec::new()), &options).contains("no frames"));
    let mut broken = motion.clone();
    broken.tracks[0].poses[7].translation.y = f64::NAN;
    assert!(message(&[body], &broken, &options).contains("frame 7"));
    broken.tracks[0].poses[7].translation.y = f64::INFINITY;
    assert!(message(&[body], &broken, &options).contains("frame 7"));
    for (width, height) in [(0, 135), (15, 135), (135, 15), (8193, 135), (u32::MAX, 135)] {
        let said = message(&[body], &motion, &StillOptions { width, height, ..small() });
        assert!(said.contains(&format!("{width} × {height}")) && said.contains("16 to 8192"), "{said}");
    }
    for count in [0, 101, usize::MAX] {
        let said = message(&[body], &motion, &StillOptions { ghosts: GhostCount::Exactly(count), ..small() });
        assert!(said.contains(&count.to_string()) && said.contains("1 to 100"), "{said}");
    }
    assert!(message(&[body], &motion, &StillOptions { samples: 0, ..small() }).contains("samples"));
    let view = View::Orbit { azimuth: f64::NAN, elevation: 0.0 };
    assert!(message(&[body], &motion, &StillOptions { view, ..small() }).contains("azimuth"));
    let height = Some(f64::NAN);
    assert!(message(&[body], &motion, &StillOptions { backdrop: Backdrop::Ground { height }, ..small() }).contains("height"));
    for (fps, speed, word) in [(0.0, None, "fps"), (f64::NAN, None, "fps"), (20.0, Some(0.0), "speed"), (20.0, Some(1e-9), "faster")] {
        let refused = animate(&motion, &[body], &AnimationOptions { fps, speed, ..Default::default() }).err().unwrap().to_string();
        assert!(refused.contains(word), "{refused}");
    }
    let nan = PosedMesh { positions: vec![V::repeat(f64::NAN); 4], ..square(0.0, 1.0, [0.5; 3]) };
    let loose = PosedMesh { triangles: vec![[0, 1, 9]], ..square(0.0, 1.0, [0.5; 3]) };
    for mesh in [nan, loose] {
        let geometry = SceneGeometry { ghosts: vec![Ghost { time: 0.0, presence: 1.0, meshes: vec![mesh] }], ..Default::default() };
        assert!(Still::of_geometry(geometry, &plain()).is_err());
    }
    assert!(Still::of_geometry(SceneGeometry::default(), &plain()).is_err());
}

/// A disc, of one polygon as OBJ readers cut it: all triangles meet in one corner, and most are
/// thin.
fn disc(sides: u32) -> Clip {
    let rim = (0..sides).map(|i| f64::from(i) / f64::from(sides) * 2.0 * PI).map(|a| V::new(a.cos(), 0.0, a.sin()));
    let faces = (1..sides - 1).map(|i| [0, i, i + 1]).collect();
    Clip::new(Topology::Surface { faces }, Playback::Loop, 0.1, sides as usize, rim.collect()).unwrap()
}

/// A request to stop was not heard until the picture was there: for a polygon of 100 000 corners
/// that took over 90 s.
#[test]
fn a_picture_of_much_is_not_drawn_on_once_that_is_not_wanted() {
    let sides = 20_000;
    let motion = moving(&disc(sides), vec![Pose::identity(), shifted(V::new(5.0, 0.0, 0.0))]);
    let draw = |goes_on: &(dyn Fn() -> bool + Sync)| still_unless_stopped(&motion, &[Drawn::default()], &small(), goes_on).unwrap();
    let asked = AtomicUsize::new(0);
    let whole = draw(&|| asked.fetch_add(1, Ordering::SeqCst) < usize::MAX);
    assert_eq!(whole.unwrap(), still(&motion, &[Drawn::default()], &small()).unwrap());
    let all = asked.into_inner();
    // Each of 40 lights looks at all triangles of both ghosts, and asks before every 1024 of them.
    assert!(all > 40 * 2 * sides as usize / 1024, "asked {all} times");
    for last in [1, 2, 10, all / 4, all / 2, all - 1] {
        let asked = AtomicUsize::new(0);
        let drawn = draw(&|| asked.fetch_add(1, Ordering::SeqCst) + 1 < last);
        assert!(drawn.is_none(), "stopped at question {last} of {all}");
        let asked = asked.into_inner();
        // Threads that had not heard of it yet.
        assert!(asked <= last + rayon::current_num_threads(), "{asked} questions after the answer to {last} was no");
    }
}

/// All samples of the box around a triangle were looked at: of a sliver across the picture a
/// million, for some hundreds that it covers.
#[test]
fn slivers_cover_the_same_samples_as_when_each_is_looked_at() {
    let mut random = Random(7);
    let clip = Rect { x0: 3, y0: 2, x1: 101, y1: 90 };
    let (mut wide, mut covered) = (0, 0);
    for i in 0..400 {
        let mut corner = || [random.range(-20.0, 120.0), random.range(-20.0, 120.0), random.range(0.0, 1.0)];
        let [a, b, mut c] = [corner(), corner(), corner()];
        if i % 2 == 0 {
            c = [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]) + 0.004 * c[k]); // a sliver
        }
        let Some(triangle) = Triangle::new([a, b, c]) else { continue };
        let mut found = Vec::new();
        scan(&triangle, clip, |x, y, value| found.push((x, y, value.to_bits())));
        // In boxes one sample wide nothing is left out.
        let mut each = Vec::new();
        for y in clip.y0..clip.y1 {
            for x in clip.x0..clip.x1 {
                scan(&triangle, Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 }, |x, y, value| each.push((x, y, value.to_bits())));
            }
        }
        assert!(found == each, "{a:?} {b:?} {c:?}: {} samples, {} looked at one by one", found.len(), each.len());
        wide += usize::from((a[0] - b[0]).abs() > 16.0);
        covered += found.len();
    }
    assert!(wide > 250 && covered > 50_000, "{wide} {covered}");
}
