//! Real swimmers and crawlers: shapes in, the way of the animal out, against what was recorded.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::shape_change::{Law, ShapeChange};

use holonomy_scene::plot::{LineStyle, Plot, PlotSeries, Scale};

use crate::bvh::data;
use crate::flights::write_picture;

/// A recorded midline: its shapes in place, and where each stood.
struct Recorded {
    clip: Clip,
    poses: Vec<Pose>,
}

impl Recorded {
    /// Takes `frames` of a plane curve (metres, world) apart: each shape is moved so that its centre is the origin and its first end lies along
    /// +X of it. Nothing of where it was is left in the clip.
    fn new(frames: &[Vec<Vector3<f64>>], dt: f64) -> Recorded {
        let pose = |frame: &Vec<Vector3<f64>>| {
            let center = frame.iter().sum::<Vector3<f64>>() / frame.len() as f64;
            let ahead = frame[0] - center;
            Pose { rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), ahead.y.atan2(ahead.x)), translation: center }
        };
        let poses: Vec<Pose> = frames.iter().map(pose).collect();
        let positions = frames.iter().zip(&poses).flat_map(|(frame, g)| frame.iter().map(|p| g.inverse().act(p))).collect();
        let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, dt, frames[0].len(), positions).unwrap();
        Recorded { clip, poses }
    }

    /// The record up to its middle frame, and from there.
    fn halves(&self) -> (Recorded, Recorded) {
        let world = |k: usize| self.clip.frame(k).iter().map(|p| self.poses[k].act(p)).collect();
        let frames: Vec<Vec<Vector3<f64>>> = (0..self.poses.len()).map(world).collect();
        let middle = frames.len() / 2;
        (Recorded::new(&frames[..=middle], self.clip.dt()), Recorded::new(&frames[middle..], self.clip.dt()))
    }

    /// The motion that least dissipation predicts from the shapes alone, starting where the animal started.
    fn predict(&self, anisotropy: f64) -> Motion {
        let job = ShapeChange { start: self.poses[0], ..ShapeChange::new(Law::anisotropic(anisotropy)) };
        let motion = job.run(&self.clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(motion.outcome, Outcome::Done);
        motion
    }

    /// The same record with `space` times as many points along the body and `time` times as many
    /// frames, by cubic splines through the recorded points.
    fn refined(&self, space: usize, time: usize) -> Recorded {
        let world = |k: usize| -> Vec<Vector3<f64>> { self.clip.frame(k).iter().map(|p| self.poses[k].act(p)).collect() };
        let bodies: Vec<Vec<Vector3<f64>>> = (0..self.poses.len()).map(|k| denser(&world(k), space)).collect();
        let of_point = |i: usize| denser(&bodies.iter().map(|body| body[i]).collect::<Vec<_>>(), time);
        let tracks: Vec<Vec<Vector3<f64>>> = (0..bodies[0].len()).map(of_point).collect();
        let frames: Vec<Vec<Vector3<f64>>> = (0..tracks[0].len()).map(|k| tracks.iter().map(|track| track[k]).collect()).collect();
        Recorded::new(&frames, self.clip.dt() / time as f64)
    }

    /// Middle of the body in each frame, as recorded.
    fn way(&self) -> Vec<Vector3<f64>> {
        self.poses.iter().map(|g| g.translation).collect()
    }
}

/// Middle of the body in each frame, as predicted.
fn way(motion: &Motion) -> Vec<Vector3<f64>> {
    motion.tracks[0].poses.iter().map(|g| g.translation).collect()
}

fn travel(way: &[Vector3<f64>]) -> Vector3<f64> {
    way[way.len() - 1] - way[0]
}

/// Root mean square distance between two ways at the same moments.
fn apart(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>() / a.len() as f64).sqrt()
}

/// The x between `low` and `high` at which `cost` is least (golden section).
fn least(low: f64, high: f64, cost: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5_f64.sqrt() - 1.0);
    let (mut low, mut high) = (low, high);
    let inner = |low: f64, high: f64| (high - golden * (high - low), low + golden * (high - low));
    let (mut a, mut b) = inner(low, high);
    let (mut at_a, mut at_b) = (cost(a), cost(b));
    while high - low > 1e-5 {
        if at_a < at_b {
            high = b;
            (b, at_b) = (a, at_a);
            a = inner(low, high).0;
            at_a = cost(a);
        } else {
            low = a;
            (a, at_a) = (b, at_b);
            b = inner(low, high).1;
            at_b = cost(b);
        }
    }
    0.5 * (low + high)
}

/// Rows of numbers of a CSV file; an empty field is NaN.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    lines.map(|l| l.split(',').map(|f| f.trim().parse().unwrap_or(f64::NAN)).collect()).collect()
}

/// t,frame,point,x_mm,y_mm; empty frames left out.
fn lamprey() -> Option<Recorded> {
    let rows = rows(&data("biology")?.join("lamprey_midline.csv"));
    let frames: Vec<Vec<Vector3<f64>>> = rows
        .chunk_by(|a, b| a[1] == b[1])
        .map(|frame| frame.iter().map(|r| Vector3::new(r[3], r[4], 0.0) * 1e-3).collect())
        .filter(|frame: &Vec<Vector3<f64>>| frame.iter().all(|p| p.iter().all(|x| x.is_finite())))
        .collect();
    assert_eq!((frames.len(), frames[0].len()), (78, 20));
    Some(Recorded::new(&frames, 0.02))
}

/// The points `factor` times as dense along a natural cubic spline through them.
fn denser(knots: &[Vector3<f64>], factor: usize) -> Vec<Vector3<f64>> {
    let n = knots.len();
    // Second differences of the spline: zero at the ends, and m₋ + 4 m + m₊ = 6 (y₋ − 2 y + y₊)
    // between them.
    let (mut bend, mut pivot) = (vec![Vector3::zeros(); n], vec![0.0; n]);
    for i in 1..n - 1 {
        pivot[i] = 1.0 / (4.0 - pivot[i - 1]);
        bend[i] = (6.0 * (knots[i - 1] - 2.0 * knots[i] + knots[i + 1]) - bend[i - 1]) * pivot[i];
    }
    for i in (1..n - 1).rev() {
        bend[i] = bend[i] - pivot[i] * bend[i + 1];
    }
    let at = |i: usize, x: f64| {
        let cubic = |x: f64| (x * x * x - x) / 6.0;
        let y = 1.0 - x;
        y * knots[i] + x * knots[i + 1] + cubic(y) * bend[i] + cubic(x) * bend[i + 1]
    };
    let inner = (0..n - 1).flat_map(|i| (0..factor).map(move |k| at(i, k as f64 / factor as f64)));
    inner.chain([knots[n - 1]]).collect()
}

/// The anisotropy whose predicted way is nearest to the recorded one.
fn fitted(recorded: &Recorded) -> f64 {
    let actual = recorded.way();
    least(0.0, 1.0, |anisotropy| apart(&way(&recorded.predict(anisotropy)), &actual))
}

#[test]
fn a_lamprey_swims_as_far_as_recorded() {
    let Some(recorded) = lamprey() else { return };
    // The shapes are taken as they are, without smoothing.
    let anisotropy = fitted(&recorded);
    let motion = recorded.predict(anisotropy);
    let (actual, predicted) = (recorded.way(), way(&motion));
    let off = travel(&predicted).norm() / travel(&actual).norm() - 1.0;
    let aside = travel(&predicted).angle(&travel(&actual)).to_degrees();
    let path = apart(&predicted, &actual) / recorded.clip.body_length();
    println!(
        "lamprey: anisotropy {anisotropy:.4}; travel {:.1} mm recorded, {:.1} mm predicted ({:+.2} %), {aside:.1} deg aside; \
         path {:.1} mm rms apart, {:.1} % of the body",
        1e3 * travel(&actual).norm(),
        1e3 * travel(&predicted).norm(),
        100.0 * off,
        1e3 * apart(&predicted, &actual),
        100.0 * path
    );
    assert!(off.abs() < 0.05, "{off}"); // measured 0.0038
    assert!(aside < 10.0 && path < 0.25, "{aside} {path}"); // measured 4.6 and 0.17
    assert!((0.01..0.1).contains(&anisotropy), "{anisotropy}"); // measured 0.0286
    write_picture("lamprey.svg", &plots(&recorded, &actual, &predicted));

    // Fitted to the first half alone, it says how far the second half goes.
    let (first, second) = recorded.halves();
    let anisotropy = fitted(&first);
    let (actual, predicted) = (travel(&second.way()).norm(), travel(&way(&second.predict(anisotropy))).norm());
    println!(
        "lamprey: anisotropy {anisotropy:.4} from the first half; second half {:.1} mm recorded, {:.1} mm predicted ({:+.1} %)",
        1e3 * actual,
        1e3 * predicted,
        100.0 * (predicted / actual - 1.0)
    );
    assert!((predicted / actual - 1.0).abs() < 0.1, "{predicted} {actual}"); // measured 0.031
}

/// The record has 20 points and 50 frames a second. What that leaves out makes two errors, which
/// nearly cancel.
#[test]
fn the_fit_of_the_lamprey_converges_in_space_and_time() {
    let Some(recorded) = lamprey() else { return };
    let fit = |space, time| {
        let finer = recorded.refined(space, time);
        let anisotropy = fitted(&finer);
        let way_of = |anisotropy: f64| travel(&way(&finer.predict(anisotropy))).norm();
        let off = |way: f64| 100.0 * (way / travel(&finer.way()).norm() - 1.0);
        let (best, as_recorded) = (off(way_of(anisotropy)), off(way_of(0.0286)));
        println!("lamprey, {space} x points, {time} x frames: {anisotropy:.4}, travel {best:+.2} %; with 0.0286 {as_recorded:+.2} %");
        anisotropy
    };
    let [_, _, space] = [2, 4, 8].map(|n| fit(n, 1));
    let [_, _, time] = [2, 4, 8].map(|n| fit(1, n));
    let [a, b, c, d] = [1, 2, 4, 8].map(|n| fit(n, n));
    // Measured: 0.0286, 0.0301, 0.0304, 0.0304; more points alone 0.0241, 0.0227, 0.0224, more
    // frames alone 0.0344, 0.0359, 0.0363.
    assert!((a - 0.0286).abs() < 1e-4 && (d - 0.0304).abs() < 2e-4, "{a} {d}");
    assert!((d - c).abs() < 2e-4 && (c - b).abs() < 5e-4, "it converges: {a} {b} {c} {d}");
    assert!((space - 0.0224).abs() < 2e-4 && (time - 0.0363).abs() < 2e-4, "{space} {time}");
}

/// Progress along the recorded way and aside from it, over time.
fn plots(recorded: &Recorded, actual: &[Vector3<f64>], predicted: &[Vector3<f64>]) -> Vec<Plot> {
    let ahead = travel(actual).normalize();
    let aside = Vector3::z().cross(&ahead);
    let plot = |title: &str, direction: Vector3<f64>| Plot {
        title: title.into(),
        unit: "mm".into(),
        x_label: "time".into(),
        x_unit: "s".into(),
        x: (0..actual.len()).map(|k| k as f64 * recorded.clip.dt()).collect(),
        scale: Scale::Linear,
        series: [("recorded", actual, LineStyle::Solid), ("predicted", predicted, LineStyle::Dashed)]
            .map(|(name, way, style)| {
                let values = way.iter().map(|p| 1e3 * (p - actual[0]).dot(&direction)).collect();
                PlotSeries { name: name.into(), values, style }
            })
            .to_vec(),
    };
    vec![plot("lamprey, progress of its middle", ahead), plot("lamprey, its middle aside", aside)]
}

/// Pieces that each rod of the worm is cut into, so that the corners between rods weigh little.
const PIECES: usize = 8;

/// t,xc,yc,th0,…: absolute angles of 25 rods of 0.04 mm, and the centre of mass in mm.
fn worm() -> Option<Recorded> {
    let rows = rows(&data("biology")?.join("elegansbot_delta-turn_track.csv"));
    let frame = |row: &Vec<f64>| -> Vec<Vector3<f64>> {
        let mut points = vec![Vector3::zeros()];
        for angle in &row[3..] {
            let piece = Vector3::new(angle.cos(), angle.sin(), 0.0) * (4e-5 / PIECES as f64);
            (0..PIECES).for_each(|_| points.push(points[points.len() - 1] + piece));
        }
        let middle = points.windows(2).map(|w| 0.5 * (w[0] + w[1])).sum::<Vector3<f64>>() / (points.len() - 1) as f64;
        let center = Vector3::new(row[1], row[2], 0.0) * 1e-3;
        points.iter().map(|p| p - middle + center).collect()
    };
    let frames: Vec<_> = rows.iter().map(frame).collect();
    assert_eq!((frames.len(), frames[0].len()), (300, 25 * PIECES + 1));
    Some(Recorded::new(&frames, rows[1][0] - rows[0][0]))
}

#[test]
fn a_worm_crawls_as_a_simulator_of_worms_says() {
    // C. elegans on agar in ElegansBot (Chung et al. 2024): drag across over along is 40, nothing is fitted.
    let Some(recorded) = worm() else { return };
    let (actual, predicted) = (recorded.way(), way(&recorded.predict(1.0 / 40.0)));
    let off = travel(&predicted).norm() / travel(&actual).norm() - 1.0;
    let path = apart(&predicted, &actual) / recorded.clip.body_length();
    println!(
        "worm: travel {:.4} mm simulated, {:.4} mm predicted ({:+.2} %); path {:.2} % of the body rms apart",
        1e3 * travel(&actual).norm(),
        1e3 * travel(&predicted).norm(),
        100.0 * off,
        100.0 * path
    );
    assert!(off.abs() < 0.04 && path < 0.04, "{off} {path}"); // measured -0.012 and 0.015
}
