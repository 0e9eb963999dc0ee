//! Curves that crawl over land: how they are laid out, and that the motion is the level one wherever the land is a plane.

use std::ops::ControlFlow;

use holonomy::lie::{Momentum, Pose};
use holonomy::medium::{HeightField, Hills, Laid, Stance};
use holonomy::models::Snake;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{Matrix3, UnitQuaternion, Vector3};
use holonomy::random::Random;
use holonomy::shape::{Clip, Playback, Topology, curve};
use holonomy::systems::shape_change::{Crawl, Drag, Freedom, Law, Pull, ShapeChange};

const DRAG: Drag = Drag { along: 0.1, across: 1.5 };

fn hills() -> HeightField {
    Hills { size: [12.0, 12.0], spacing: 0.2, count: 40, height: 0.5, width: 0.8, seed: 3 }.field().unwrap()
}

fn plane(slope: [f64; 2]) -> HeightField {
    HeightField::from_fn([60.0, 60.0], 0.5, |x, z| 0.3 + slope[0] * x + slope[1] * z).unwrap()
}

fn snake(fps: f64) -> Clip {
    Snake { length: 1.2, vertices: 41, waves: 1.5, amplitude: 0.9, period: 1.0 }.clip(fps).unwrap()
}

fn crawl(job: &Crawl, clip: &Clip) -> Motion {
    let motion = job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    for check in &motion.checks {
        assert!(check.pass(), "{check:?}");
    }
    motion
}

fn level(job: &ShapeChange, clip: &Clip) -> Motion {
    job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

fn turned(yaw: f64, place: [f64; 3]) -> Pose {
    Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::y() * yaw), translation: Vector3::from(place) }
}

/// World points of frame `k`.
fn points(motion: &Motion, k: usize) -> Vec<Vector3<f64>> {
    let track = &motion.tracks[0];
    track.shape.frame(k).iter().map(|point| track.poses[k].act(point)).collect()
}

#[test]
fn slope_and_bend_of_relief_are_derivatives() {
    let (land, mut random, h) = (hills(), Random(5), 1e-5);
    let mut worst = [0.0_f64; 4];
    for _ in 0..200 {
        let (x, z) = (5.0 * random.signed(), 5.0 * random.signed());
        let here = land.relief(x, z);
        let [left, right, front, back] = [land.relief(x - h, z), land.relief(x + h, z), land.relief(x, z - h), land.relief(x, z + h)];
        let slope = [(right.height - left.height) / (2.0 * h), (back.height - front.height) / (2.0 * h)];
        let bend = [
            (right.slope[0] - left.slope[0]) / (2.0 * h),
            (back.slope[0] - front.slope[0]) / (2.0 * h),
            (back.slope[1] - front.slope[1]) / (2.0 * h),
        ];
        let error = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        worst[0] = worst[0].max(error(&slope, &here.slope));
        worst[1] = worst[1].max(error(&bend, &here.bend));
        let way = Vector3::new(random.signed(), 0.0, random.signed());
        let ahead = land.relief(x + h * way.x, z + h * way.z).normal();
        let behind = land.relief(x - h * way.x, z - h * way.z).normal();
        worst[2] = worst[2].max(((ahead - behind) / (2.0 * h) - here.normal_rate(&way)).norm());
        // The two splines differ by 1/24 of the bend times the spacing squared, to leading order.
        let rounded = 0.2 * 0.2 / 24.0 * (here.bend[0] + here.bend[2]);
        worst[3] = worst[3].max((here.height - land.height(x, z) - rounded).abs());
    }
    assert!(worst[0] < 1e-9, "{worst:?}"); // measured 5e-11
    assert!(worst[1] < 1e-4, "{worst:?}"); // measured 6e-11; the bend has kinks between cells
    assert!(worst[2] < 1e-8, "{worst:?}"); // measured 2e-10
    assert!(worst[3] < 1e-3, "{worst:?}"); // measured 1.4e-4 m
}

#[test]
fn a_curve_on_hills_keeps_its_lengths_and_its_rates_are_derivatives() {
    let (land, clip, mut random) = (hills(), snake(30.0), Random(7));
    let mut worst = [0.0_f64; 3];
    for _ in 0..40 {
        let stance = Stance::new(&land, 4.0 * random.signed(), 4.0 * random.signed());
        let stance = stance.moved(&land, &Vector3::new(3.0 * random.signed(), 0.0, 0.0));
        let shape: Vec<Vector3<f64>> = clip.frame(3).iter().map(|p| p + Vector3::y() * 0.05).collect();
        let laid = Laid::new(&land, clip.frame(3), 20, &stance).unwrap();
        for (given, found) in curve::edge_lengths(clip.frame(3), false).iter().zip(curve::edge_lengths(&laid.points, false)) {
            worst[0] = worst[0].max((given - found).abs());
        }
        let gap = |p: &Vector3<f64>| (p.y - land.relief(p.x, p.z).height).abs();
        worst[1] = laid.points.iter().map(gap).fold(worst[1], f64::max);
        // A raised curve, so that the normals count too.
        let raised = Laid::new(&land, &shape, 20, &stance).unwrap();
        for k in 0..3 {
            let h = 1e-6;
            let nudged = |sign: f64| {
                let mut step = Vector3::zeros();
                step[k] = sign * h;
                Laid::new(&land, &shape, 20, &stance.moved(&land, &step)).unwrap().points
            };
            for (j, (ahead, behind)) in nudged(1.0).iter().zip(nudged(-1.0)).enumerate() {
                worst[2] = worst[2].max(((ahead - behind) / (2.0 * h) - raised.rates[j][k]).norm());
            }
        }
    }
    assert!(worst[0] < 1e-14, "{worst:?}"); // measured 5e-16 m
    assert!(worst[1] < 1e-13, "{worst:?}"); // measured 2e-15 m
    assert!(worst[2] < 1e-4, "{worst:?}"); // measured 2e-9
}

/// Edges were refused that missed the land by no more than rounding of its heights: where it is near height 0, and edges are short.
#[test]
fn short_edges_find_the_land() {
    let land = HeightField::from_fn([8.0, 8.0], 0.1, |x, z| 0.5 * (1.7 * x).sin() * (1.3 * z).sin()).unwrap();
    let (fine, mut random) = (Snake { length: 0.2, vertices: 200, ..Snake::default() }.clip(4.0).unwrap(), Random(9));
    for _ in 0..200 {
        let stance = Stance::new(&land, 3.0 * random.signed(), 1e-3 * random.signed());
        assert!(Laid::new(&land, fine.frame(0), 100, &stance).is_some());
    }
}

/// On land that bends one way only, laying out is what rolling up a sheet of paper does.
#[test]
fn on_land_that_bends_one_way_the_curve_is_drawn_on_paper() {
    let land = HeightField::from_fn([12.0, 12.0], 0.02, |x, _| 0.3 * (1.3 * x).sin()).unwrap();
    // Arc length along x from where the curve is held.
    let arc = |x: f64| {
        let n = 4000;
        let rate = |x: f64| 1.0_f64.hypot(land.relief(x, 0.0).slope[0]);
        (0..n).map(|i| rate(0.4 + (x - 0.4) * (i as f64 + 0.5) / n as f64) * (x - 0.4) / n as f64).sum::<f64>()
    };
    let error = |vertices: usize| {
        let drawn = |i: usize| {
            let s = i as f64 / (vertices - 1) as f64 - 0.5;
            Vector3::new(1.6 * s, 0.0, 0.5 * (4.0 * s).sin())
        };
        let curve: Vec<Vector3<f64>> = (0..vertices).map(drawn).collect();
        let laid = Laid::new(&land, &curve, vertices / 2, &Stance::new(&land, 0.4, 0.1)).unwrap();
        let off = |(p, drawn): (&Vector3<f64>, &Vector3<f64>)| (arc(p.x) - drawn.x).hypot(p.z - 0.1 - drawn.z);
        laid.points.iter().zip(&curve).map(off).fold(0.0, f64::max)
    };
    let errors = [21, 41, 81, 161].map(error);
    // Measured 5.9e-5, 1.5e-5, 3.7e-6 and 9.4e-7 m: order 2.
    for pair in errors.windows(2) {
        assert!(((pair[0] / pair[1]).log2() - 2.0).abs() < 0.1, "{errors:?}");
    }
}

#[test]
fn on_level_land_it_is_the_level_motion() {
    let clip = snake(60.0);
    let (start, steps) = (turned(0.7, [1.0, 0.0, -2.0]), Some(2 * clip.frames()));
    let land = plane([0.0, 0.0]);
    let flat =
        level(&ShapeChange { start, steps, freedom: Freedom::Level, ..ShapeChange::new(Law::LeastDissipation { drag: DRAG }) }, &clip);
    let motion = crawl(&Crawl { start, steps, gravity: 9.81, ..Crawl::new(land, DRAG) }, &clip);
    let mut worst = 0.0_f64;
    for (k, pose) in flat.tracks[0].poses.iter().enumerate() {
        let found = motion.tracks[0].poses[k];
        let (turn, shift) = (found.rotation.angle_to(&pose.rotation), found.translation - pose.translation - Vector3::y() * 0.3);
        worst = worst.max(turn).max(shift.norm());
        let shape = motion.tracks[0].shape.frame(k).iter().zip(clip.frame(k)).map(|(a, b)| (a - b).norm());
        worst = shape.fold(worst, f64::max);
    }
    assert!(worst < 1e-12, "{worst}"); // measured 9e-15 (m and rad)
    assert!(motion.newton_iterations <= 6 * motion.steps); // measured 5 a step
    assert!((motion.tracks[0].centers[60] - motion.tracks[0].centers[0]).norm() > 0.2, "it does get on");
}

/// Turns the level plane at height 0 to the plane of this land, with the origin going to the land above it.
fn tilt(land: &HeightField) -> Pose {
    let stance = Stance::new(land, 0.0, 0.0);
    let matrix = Matrix3::from_columns(&[stance.ahead, stance.normal, stance.side()]);
    let rotation = UnitQuaternion::from_matrix(&matrix);
    Pose { rotation, translation: stance.point }
}

#[test]
fn on_a_slope_it_is_the_level_motion_on_the_tilted_plane_with_a_pull_along_it() {
    let clip = snake(60.0);
    let land = plane([0.3, -0.2]);
    let to_land = tilt(&land);
    for gravity in [0.0, 0.8] {
        let steps = Some(clip.frames());
        // Weights are lengths, so the mass is the length in kilograms.
        let force = to_land.rotation.inverse() * Vector3::new(0.0, -1.2 * gravity, 0.0);
        let pull = Pull { push: Momentum { angular: Vector3::zeros(), linear: force }, ..Pull::none() };
        // The curve is held at its middle, which is where both start.
        let held = clip.frame(0)[20];
        let start = Pose { translation: -held, ..Pose::identity() };
        let law = Law::LeastDissipation { drag: DRAG };
        let flat = level(&ShapeChange { start, steps, pull, freedom: Freedom::Level, ..ShapeChange::new(law) }, &clip);
        let motion = crawl(&Crawl { start, steps, gravity, ..Crawl::new(land.clone(), DRAG) }, &clip);
        let mut worst = 0.0_f64;
        for k in 0..=clip.frames() {
            for (found, expected) in points(&motion, k).iter().zip(points(&flat, k)) {
                worst = worst.max((found - to_land.act(&expected)).norm());
            }
        }
        assert!(worst < 1e-12, "{worst}"); // measured 3e-15 without weight, 7e-14 m with it
    }
}

#[test]
fn a_rod_slides_down_as_fast_as_its_drag_lets_it() {
    // Along the slope and across it: v = m g sin α / (drag · length).
    let land = plane([-0.5, 0.0]);
    let (length, vertices) = (0.8, 9);
    let sin = 0.5 / 1.25_f64.sqrt();
    for (yaw, drag) in [(0.0, DRAG.along), (std::f64::consts::FRAC_PI_2, DRAG.across)] {
        let rod: Vec<Vector3<f64>> = (0..vertices).map(|i| Vector3::x() * (length * (i as f64 / 8.0 - 0.5))).collect();
        let clip = Clip::new(Topology::Curve { closed: false }, Playback::Loop, 0.05, vertices, rod).unwrap();
        let job = Crawl { gravity: 0.5, mass: Some(0.3), start: turned(yaw, [0.0; 3]), steps: Some(20), ..Crawl::new(land.clone(), DRAG) };
        let motion = crawl(&job, &clip);
        let way = motion.tracks[0].centers[20] - motion.tracks[0].centers[0];
        let speed = 0.3 * 0.5 * sin / (drag * length);
        let expected = Vector3::new(1.0, -0.5, 0.0).normalize() * speed;
        assert!((way - expected).norm() < 1e-10 * speed); // measured 5e-15
        // All that the weight gives is lost to drag.
        let (lost, given) = (motion.tracks[0].series("dissipation").unwrap(), motion.tracks[0].series("weight_power").unwrap());
        assert!((lost[5] - given[5]).abs() < 1e-10 * given[5]);
    }
}

#[test]
fn a_stroke_that_is_undone_goes_back_on_hills_too() {
    let (clip, land) = (snake(60.0), hills());
    let there: Vec<Vector3<f64>> = (0..=20).flat_map(|k| clip.frame(k).to_vec()).collect();
    let back = (0..20).rev().flat_map(|k| clip.frame(k).to_vec());
    let out_and_back: Vec<Vector3<f64>> = there.into_iter().chain(back).collect();
    let clip = Clip::new(clip.topology().clone(), Playback::Once, clip.dt(), clip.vertices(), out_and_back).unwrap();
    let motion = crawl(&Crawl { start: turned(0.3, [0.5, 0.0, -0.4]), ..Crawl::new(land, DRAG) }, &clip);
    let gone = points(&motion, 0).iter().zip(points(&motion, 20)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let left = points(&motion, 0).iter().zip(points(&motion, 40)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(gone > 0.05);
    assert!(left < 1e-11, "{left}"); // measured 5e-14 m
}

#[test]
fn on_hills_steps_are_of_second_order() {
    // Spline kinks are between fine cells.
    let land = HeightField::from_fn([12.0, 12.0], 0.05, |x, z| 0.3 * (1.1 * x).sin() * (0.9 * z + 0.4).cos()).unwrap();
    for gravity in [0.0, 0.3] {
        let end = |fps: f64| {
            let clip = snake(fps);
            let job = Crawl { gravity, start: turned(0.3, [0.5, 0.0, -0.4]), ..Crawl::new(land.clone(), DRAG) };
            points(&crawl(&job, &clip), clip.frames())
        };
        let ends = [20.0, 40.0, 80.0, 160.0, 320.0].map(end);
        let apart = |a: &[Vector3<f64>], b: &[Vector3<f64>]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let errors: Vec<f64> = ends.windows(2).map(|pair| apart(&pair[0], &pair[1])).collect();
        let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.15), "{orders:?}"); // measured 1.98 to 2.00
    }
}

#[test]
fn what_cannot_lie_on_hills_is_refused() {
    let job = Crawl::new(hills(), DRAG);
    let closed =
        Clip::new(Topology::Curve { closed: true }, Playback::Loop, 0.1, 3, vec![Vector3::x(), Vector3::y(), Vector3::z()]).unwrap();
    let error = job.run(&closed, &mut |_, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.contains("open curve"), "{error}");
    let none = Crawl::new(hills(), Drag { along: 0.0, across: 0.0 });
    assert!(none.run(&snake(30.0), &mut |_, _| ControlFlow::Continue(())).is_err());
    // A cliff that an edge cannot reach across is an outcome, with a reason.
    let cliff = HeightField::from_fn([8.0, 8.0], 0.02, |x, _| if x > 0.8 { 30.0 } else { 0.0 }).unwrap();
    let start = turned(std::f64::consts::FRAC_PI_2, [0.0; 3]);
    match (Crawl { start, steps: Some(400), ..Crawl::new(cliff, DRAG) }).run(&snake(30.0), &mut |_, _| ControlFlow::Continue(())) {
        Ok(motion) => assert!(motion.outcome != Outcome::Done || motion.checks.iter().any(|check| !check.pass()), "{:?}", motion.checks),
        Err(error) => assert!(error.to_string().contains("steep"), "{error}"),
    }
}
