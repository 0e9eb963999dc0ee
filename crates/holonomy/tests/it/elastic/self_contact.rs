//! Bodies that touch themselves: derivatives, which pairs are found, and cloth that falls on itself.

use std::f64::consts::PI;
use std::slice;

use holonomy::elastic::Element;
use holonomy::elastic::body::{Body, BodySettings};
use holonomy::elastic::material::Material;
use holonomy::elastic::mesh::{Cells, Diagonals, Mesh};
use holonomy::elastic::path::Path;
use holonomy::elastic::self_contact::{Pair, Pairs, Parts, SelfContact, distance};
use holonomy::integrate::force_law::{ForceLaw, Stiffness};
use holonomy::integrate::implicit::{Scheme, Settings, Simulation, State};
use holonomy::lie::Pose;
use holonomy::nalgebra::{DMatrix, Matrix3, UnitQuaternion, Vector3};
use holonomy::random::Random;

use super::{Numbers, body_derivative_errors, body_stiffness, dense, derivative_errors, forces};
use crate::meshes::below;

const BOTH: [Parts; 2] = [Parts::VertexTriangle, Parts::EdgeEdge];

/// Far-reaching, so that all corners in a box of two metres touch.
const THICK: SelfContact = SelfContact { thickness: 4.0, pressure: 100.0, reach: 4.0 };

fn pair(parts: Parts, contact: &SelfContact, x: &[Vector3<f64>; 4]) -> Pair {
    match parts {
        Parts::VertexTriangle => Pair::vertex_triangle(contact, 0.3),
        Parts::EdgeEdge => Pair::edge_edge(contact, 0.3, x),
    }
}

/// Corners anywhere; every other pair of edges nearly parallel.
fn corners(parts: Parts, trial: usize, numbers: &mut Numbers) -> [Vector3<f64>; 4] {
    let mut x = [0; 4].map(|_| numbers.vector());
    if parts == Parts::EdgeEdge && trial.is_multiple_of(2) {
        x[3] = x[2] + (x[1] - x[0]) * (1.0 + 0.5 * numbers.next()) + numbers.vector() * 0.1;
    }
    x
}

/// The nearest of many places.
fn sampled(parts: Parts, x: &[Vector3<f64>; 4]) -> f64 {
    let n = 60;
    let mut least = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n {
            let (s, t) = (i as f64 / n as f64, j as f64 / n as f64);
            let between = match parts {
                Parts::VertexTriangle => x[0] - (x[1] * (1.0 - s) + (x[2] * (1.0 - t) + x[3] * t) * s),
                Parts::EdgeEdge => x[0] * (1.0 - s) + x[1] * s - x[2] * (1.0 - t) - x[3] * t,
            };
            least = least.min(between.norm());
        }
    }
    least
}

#[test]
fn distances_are_the_least() {
    let mut numbers = Numbers::new(1);
    let (mut shorter, mut longer) = (0.0_f64, 0.0_f64);
    for parts in BOTH {
        for trial in 0..300 {
            let x = corners(parts, trial, &mut numbers);
            let (found, sampled) = (distance(parts, &x), sampled(parts, &x));
            (shorter, longer) = (shorter.max(found - sampled), longer.max(sampled - found));
        }
    }
    below(shorter, 1e-14); // measured 0.0
    below(longer, 0.01); // measured 2.3e-3: samples are up to 0.06 apart
    let (o, x, y, z) = (Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z());
    let triangle = |p: Vector3<f64>| distance(Parts::VertexTriangle, &[p, o, x, y]);
    below((triangle(Vector3::new(0.2, 0.3, -0.7)) - 0.7).abs(), 1e-15);
    below((triangle(Vector3::new(0.5, -3.0, 4.0)) - 5.0).abs(), 1e-15);
    below((triangle(x * 4.0 + z * 4.0) - 5.0).abs(), 1e-15);
    below((distance(Parts::EdgeEdge, &[-x, x, z - y, z + y]) - 1.0).abs(), 1e-15);
    below((distance(Parts::EdgeEdge, &[o, x, x * 4.0 + z * 4.0, x * 9.0 + z * 4.0]) - 5.0).abs(), 1e-15);
}

#[test]
fn forces_are_derivatives() {
    let mut numbers = Numbers::new(2);
    for parts in BOTH {
        let mut worst = (0.0_f64, 0.0_f64);
        for trial in 0..1000 {
            let x = corners(parts, trial, &mut numbers);
            if distance(parts, &x) < 0.02 {
                continue;
            }
            let errors = derivative_errors(&pair(parts, &THICK, &x), &x, 1e-6);
            worst = (worst.0.max(errors.0), worst.1.max(errors.1));
        }
        below(worst.0, 1e-7); // measured 3.3e-9
        below(worst.1, 1e-6); // measured 5.0e-8
    }
}

#[test]
fn projected_stiffness_is_the_nearest_that_is_positive() {
    let mut numbers = Numbers::new(3);
    let lowest = |m: &DMatrix<f64>| m.clone().symmetric_eigenvalues().min() / m.amax();
    let (mut negative, mut differ) = (0.0_f64, 0.0_f64);
    for parts in BOTH {
        for trial in 0..500 {
            let x = corners(parts, trial, &mut numbers);
            let pair = pair(parts, &THICK, &x);
            let (exact, projected) = (dense(&pair.stiffness(&x, Stiffness::Exact)), dense(&pair.stiffness(&x, Stiffness::Projected)));
            negative = negative.max(-lowest(&projected));
            // Never less than the exact one.
            negative = negative.max(-(&projected - &exact).symmetric_eigenvalues().min() / exact.amax());
            // The nearest to it: what was taken away is orthogonal to what was left.
            differ = differ.max((projected.transpose() * (&projected - &exact)).trace().abs() / exact.norm_squared());
        }
    }
    below(negative, 1e-12); // measured 1.1e-14
    below(differ, 1e-12); // measured 3.8e-15
}

/// At the thickness energy, force and stiffness begin with the third, second and first power of the depth.
#[test]
fn touching_begins_smoothly() {
    let contact = SelfContact::new(0.1, 50.0);
    let (o, x, y, z) = (Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z());
    for parts in BOTH {
        let at = |d: f64| match parts {
            Parts::VertexTriangle => [Vector3::new(0.2, 0.3, d), o, x, y],
            Parts::EdgeEdge => [-x + z * d, x + z * d, -y, y],
        };
        let pair = pair(parts, &contact, &at(0.0));
        let share = if parts == Parts::VertexTriangle { 6.0 } else { 12.0 };
        let k = 0.3 / share * 50.0 / 0.01;
        let upper = |d: f64| {
            let (force, stiffness) = (pair.force(&at(d)), pair.stiffness(&at(d), Stiffness::Exact));
            let rows = if parts == Parts::VertexTriangle { 1 } else { 2 };
            let sum: f64 = (0..rows).flat_map(|a| (0..rows).map(move |b| (a, b))).map(|(a, b)| stiffness[a][b].m33).sum();
            (pair.energy(&at(d)), (0..rows).map(|a| force[a].z).sum::<f64>(), sum)
        };
        for depth in [1e-1, 1e-2, 1e-4, 1e-6] {
            // At no distance there is no direction: just above.
            let depth = f64::min(depth, 0.1 - 1e-6);
            let (energy, force, stiffness) = upper(0.1 - depth);
            below((energy / (k * depth.powi(3) / 3.0) - 1.0).abs(), 1e-8); // measured 3.0e-12
            below((force / (k * depth.powi(2)) - 1.0).abs(), 1e-8); // measured 2.0e-12
            below((stiffness / (2.0 * k * depth) - 1.0).abs(), 1e-8); // measured 1.0e-12
        }
        assert_eq!(upper(0.1), (0.0, 0.0, 0.0));
        assert_eq!(upper(0.2), (0.0, 0.0, 0.0));
        assert_eq!(upper(0.0), (0.0, 0.0, 0.0));
    }
}

/// Forces have no jump where the nearest place passes from a face to its edges and corners, or edges become parallel.
#[test]
fn forces_do_not_jump() {
    let mut numbers = Numbers::new(4);
    for parts in BOTH {
        let mut worst = [0.0_f64; 2];
        for trial in 0..100 {
            let (from, to) = (corners(parts, trial, &mut numbers), corners(parts, 1, &mut numbers));
            let mut to = [to[0], from[1], from[2], from[3]];
            if parts == Parts::EdgeEdge && trial.is_multiple_of(2) {
                // Through where they are parallel.
                let middle = (from[1] - from[0]) * 0.8;
                to = [from[0], from[1], from[2], from[2] + middle * 2.0 - (from[3] - from[2])];
            }
            let pair = pair(parts, &THICK, &from);
            let at = |s: f64| [0, 1, 2, 3].map(|k| from[k] * (1.0 - s) + to[k] * s);
            // Where parts pass through each other, what is up turns to down.
            if (0..=1000).any(|k| distance(parts, &at(k as f64 / 1000.0)) < 0.1) {
                continue;
            }
            for (worst, steps) in worst.iter_mut().zip([10_000, 40_000]) {
                let mut last = pair.force(&at(0.0));
                for k in 1..=steps {
                    let now = pair.force(&at(k as f64 / steps as f64));
                    *worst = now.iter().zip(&last).map(|(a, b)| (a - b).norm()).fold(*worst, f64::max);
                    last = now;
                }
            }
        }
        below(worst[1] / worst[0], 0.3); // measured 0.25: a quarter of the way, a quarter of the change
    }
}

/// A crumpled cloth: its vertices anywhere near a sphere.
fn crumpled(seed: u64, columns: usize, rows: usize) -> (Mesh, Vec<Vec<Vector3<f64>>>) {
    let mesh = Mesh::cloth(1.0, 1.0, columns, rows, Diagonals::Alternating).unwrap();
    let mut numbers = Numbers::new(seed);
    let frames = (0..3).map(|_| mesh.points.iter().map(|p| p * 0.5 + numbers.vector() * 0.15).collect()).collect();
    (mesh, frames)
}

/// The mesh and itself again beside it, as two pieces.
fn doubled(mesh: &Mesh, by: Vector3<f64>) -> Mesh {
    let mut points = mesh.points.clone();
    points.extend(mesh.points.iter().map(|p| p + by));
    let mut faces = mesh.surface();
    let more: Vec<[u32; 3]> = faces.iter().map(|f| f.map(|v| v + mesh.points.len() as u32)).collect();
    faces.extend(more);
    Mesh { points, cells: Cells::Sheet(faces) }
}

/// All pairs against all, by the rule that the documentation states.
fn brute_force(contact: &SelfContact, mesh: &Mesh, frames: &[Vec<Vector3<f64>>], piece: impl Fn(u32) -> u32) -> Pairs {
    let faces = mesh.surface();
    let mut edges: Vec<[u32; 2]> =
        faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let near = |parts, corners: [u32; 4]| {
        let rest = distance(parts, &corners.map(|v| mesh.points[v as usize]));
        frames.iter().any(|places| {
            let now = distance(parts, &corners.map(|v| places[v as usize]));
            let other = piece(corners[0]) != piece(corners[3]);
            now <= contact.reach && (other || (rest > 2.0 * contact.thickness && now < 0.5 * rest))
        })
    };
    let mut pairs = Pairs::default();
    for v in 0..mesh.points.len() as u32 {
        for &[a, b, c] in &faces {
            if ![a, b, c].contains(&v) && near(Parts::VertexTriangle, [v, a, b, c]) {
                pairs.vertex_triangle.push([v, a, b, c]);
            }
        }
    }
    for (i, &[a, b]) in edges.iter().enumerate() {
        for &[c, d] in &edges[i + 1..] {
            if a != c && a != d && b != c && b != d && near(Parts::EdgeEdge, [a, b, c, d]) {
                pairs.edge_edge.push([a, b, c, d]);
            }
        }
    }
    pairs.vertex_triangle.sort_unstable();
    pairs.edge_edge.sort_unstable();
    pairs
}

#[test]
fn the_grid_finds_what_brute_force_finds() {
    for (seed, thickness, reach) in [(1, 0.01, 0.02), (2, 0.02, 0.06), (3, 0.05, 0.2)] {
        let contact = SelfContact { thickness, pressure: 1.0, reach };
        let (mesh, frames) = crumpled(seed, 9, 7);
        let found = Pairs::find(&contact, &mesh.points, &mesh.surface(), &frames).unwrap();
        assert_eq!(found, brute_force(&contact, &mesh, &frames, |_| 0));
        assert!(found.vertex_triangle.len() > 20 && found.edge_edge.len() > 20, "{}", found.len());

        let two = doubled(&mesh, Vector3::z() * 0.005);
        let found = Pairs::find(&contact, &two.points, &two.surface(), slice::from_ref(&two.points)).unwrap();
        assert_eq!(found, brute_force(&contact, &two, slice::from_ref(&two.points), |v| v / mesh.points.len() as u32));
        assert!(found.len() > 100);
        // One piece at rest is near none of its own.
        assert!(Pairs::find(&contact, &mesh.points, &mesh.surface(), slice::from_ref(&mesh.points)).unwrap().is_empty());
    }
}

#[test]
fn crossings_are_counted() {
    let mut all = 0;
    for seed in 1..4 {
        let (mesh, frames) = crumpled(seed, 9, 7);
        let body = Body::new(BodySettings::new(mesh.clone(), Material::COTTON)).unwrap();
        for places in &frames {
            let mut count = 0;
            let faces = mesh.surface();
            let mut edges: Vec<[u32; 2]> =
                faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
            edges.sort_unstable();
            edges.dedup();
            for &[p, q] in &edges {
                let mut through = false;
                for &[a, b, c] in &faces {
                    let at = |v: u32| places[v as usize];
                    // p + r (q − p) = a + s (b − a) + t (c − a).
                    let matrix = Matrix3::from_columns(&[at(p) - at(q), at(b) - at(a), at(c) - at(a)]);
                    let apart = ![a, b, c].contains(&p) && ![a, b, c].contains(&q);
                    let Some(inverse) = matrix.try_inverse().filter(|_| apart) else { continue };
                    let [r, s, t] = (inverse * (at(p) - at(a))).into();
                    through |= r > 0.0 && r < 1.0 && s > 0.0 && t > 0.0 && s + t < 1.0;
                }
                count += usize::from(through);
            }
            assert_eq!(body.crossings(0.0, places), count);
            all += count;
        }
        assert_eq!(body.crossings(0.0, &mesh.points), 0);
    }
    assert!(all > 500, "{all}");
}

/// Two sheets of 4 by 4 cells with sides of 1 m as one body, the second one moved by `pose`.
fn two_sheets(pose: &Pose) -> Body {
    let mut both = Mesh::cloth(1.0, 1.0, 4, 4, Diagonals::Alternating).unwrap();
    let other = both.clone().moved(pose);
    let count = both.points.len() as u32;
    both.points.extend(&other.points);
    if let (Cells::Sheet(faces), Cells::Sheet(more)) = (&mut both.cells, other.cells) {
        faces.extend(more.iter().map(|face| face.map(|v| v + count)));
    }
    Body::new(BodySettings::new(both, Material::COTTON)).unwrap()
}

/// Edges of sheets in one tilted plane were counted, by round-off: in each of these 200 poses.
#[test]
fn sheets_that_cross_are_counted_and_flat_ones_are_not() {
    let moved = |turn: Vector3<f64>, shift: Vector3<f64>| {
        let body = two_sheets(&Pose::from_rotation_translation(UnitQuaternion::from_scaled_axis(turn), shift));
        (body.crossings(0.0, &body.rest()), body)
    };
    let quarter = Vector3::y() * std::f64::consts::FRAC_PI_2;
    // Upright across the middle of the other, along a line of its mesh: its five edges that run
    // across pass through, all of them through vertices or edges of the other.
    let (across, _) = moved(quarter, Vector3::new(0.5, 0.0, 0.375));
    assert!(across >= 9, "{across}"); // 9; 8 where a line through a side did not count
    // The same, between the lines.
    let (between, _) = moved(quarter, Vector3::new(0.4, 0.03, 0.37));
    assert!(between >= 5, "{between}"); // 16
    // Parallel; and upright with its edge 1 um short of the other.
    assert_eq!(moved(Vector3::zeros(), Vector3::z() * 1e-3).0, 0);
    assert_eq!(moved(quarter, Vector3::new(0.5, 0.0, -1e-6)).0, 0);
    // In one plane, turned in it and any way in space: nothing passes through anything.
    let (_, body) = moved(Vector3::z() * 0.3, Vector3::new(0.2, 0.1, 0.0));
    let mut random = Random(7);
    for _ in 0..200 {
        let turn = Vector3::from_fn(|_, _| 3.0 * random.signed());
        let shift = Vector3::from_fn(|_, _| 10.0 * random.signed());
        let pose = Pose::from_rotation_translation(UnitQuaternion::from_scaled_axis(turn), shift);
        let places: Vec<_> = body.rest().iter().map(|place| pose.act(place)).collect();
        assert_eq!(body.crossings(0.0, &places), 0, "{turn} {shift}");
    }
}

/// Crumpled, with some vertices held, and pairs that touch.
fn touching(seed: u64, hold: bool) -> (Body, Body, Vec<Vector3<f64>>) {
    let (mesh, frames) = crumpled(seed, 5, 4);
    let mut settings = BodySettings::new(mesh, Material { young: 1e3, ..Material::COTTON });
    if hold {
        settings.hold([0, 7, 13], &Path::Still);
    }
    let body = Body::new(settings).unwrap();
    let contact = SelfContact { thickness: 0.06, pressure: 1e3, reach: 0.15 };
    let q = body.free(&frames[0]);
    let all = body.placed(0.0, &q);
    let with = body.with_self_contact(&contact, &[all]).unwrap();
    (body, with, q)
}

#[test]
fn a_body_that_touches_itself_has_the_right_derivatives() {
    for hold in [false, true] {
        let (body, with, q) = touching(5, hold);
        assert!(with.pairs() > 100 && body.pairs() == 0, "{}", with.pairs());
        assert!(with.energy(0.0, &q) > body.energy(0.0, &q));
        let errors = body_derivative_errors(&with, 0.0, &q, 1e-7);
        below(errors.0, 1e-7); // measured 4.3e-10
        below(errors.1, 1e-6); // measured 2.2e-8
        let difference = body_stiffness(&with, 0.0, &q, Stiffness::Projected) - body_stiffness(&body, 0.0, &q, Stiffness::Projected);
        below(-difference.clone().symmetric_eigenvalues().min() / difference.amax(), 1e-12); // measured 6.7e-17
    }
}

#[test]
fn what_touches_itself_keeps_its_momentum() {
    let (body, with, q) = touching(6, false);
    let pushes: Vec<Vector3<f64>> = forces(&with, 0.0, &q).iter().zip(forces(&body, 0.0, &q)).map(|(a, b)| a - b).collect();
    let size: f64 = pushes.iter().map(|f| f.norm()).sum();
    assert!(size > 1.0, "{size}");
    below(pushes.iter().sum::<Vector3<f64>>().norm() / size, 1e-14); // measured 9.9e-17
    below(q.iter().zip(&pushes).map(|(x, f)| x.cross(f)).sum::<Vector3<f64>>().norm() / size, 1e-14); // measured 9.9e-17
}

/// Nothing near, nothing changed: to the bit.
#[test]
fn what_does_not_touch_itself_is_as_before() {
    let (body, _, q) = touching(7, true);
    let with = body.with_self_contact(&SelfContact::new(1e-6, 1.0), &[body.placed(0.0, &body.rest())]).unwrap();
    assert_eq!((with.pairs(), with.pattern()), (0, body.pattern()));
    assert_eq!(forces(&with, 0.0, &q), forces(&body, 0.0, &q));
    assert_eq!(with.energy(0.0, &q), body.energy(0.0, &q));
}

/// A cloth of several chunks, on one thread and on three.
#[test]
fn threads_do_not_change_a_bit() {
    let (mesh, frames) = crumpled(10, 40, 30);
    let body = Body::new(BodySettings::new(mesh, Material::COTTON)).unwrap();
    let with = body.with_self_contact(&SelfContact { thickness: 0.01, pressure: 1e3, reach: 0.02 }, &frames).unwrap();
    let q = body.free(&frames[0]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut values = vec![Matrix3::zeros(); with.pattern().blocks()];
            with.stiffness(0.0, &q, Stiffness::Exact, &mut values);
            (with.energy(0.0, &q), forces(&with, 0.0, &q), values)
        })
    };
    assert_eq!(on(1), on(3));
}

/// Sheets that lie on each other, shifted and turned: on average they push with the pressure that was asked for.
#[test]
fn the_pressure_is_about_right() {
    let contact = SelfContact { thickness: 0.01, pressure: 100.0, reach: 0.02 };
    let mut numbers = Numbers::new(8);
    let (mut least, mut most, mut mean) = (f64::INFINITY, 0.0_f64, 0.0);
    for trial in 0..40_usize {
        let sheet = Mesh::cloth(1.0, 1.0, 20, 20, Diagonals::Alternating).unwrap();
        let two = doubled(&sheet, Vector3::new(2.0, 0.0, 0.0));
        let body = Body::new(BodySettings::new(two.clone(), Material::COTTON)).unwrap();
        let n = sheet.points.len();
        // The second, larger about the first.
        let turn = if trial.is_multiple_of(4) { 0.0 } else { PI * numbers.next() };
        let (sin, cos) = turn.sin_cos();
        let shift = numbers.vector() * 0.05;
        let depth = [0.3, 0.6][trial % 2] * 0.01;
        let place = |(i, p): (usize, &Vector3<f64>)| {
            if i < n {
                return *p;
            }
            let p = sheet.points[i - n] - Vector3::new(0.5, 0.5, 0.0);
            Vector3::new(0.5 + cos * p.x - sin * p.y + shift.x, 0.5 + sin * p.x + cos * p.y + shift.y, 0.01 - depth)
        };
        let places: Vec<Vector3<f64>> = two.points.iter().enumerate().map(place).collect();
        let with = body.with_self_contact(&contact, slice::from_ref(&places)).unwrap();
        let (ours, others) = (forces(&with, 0.0, &places), forces(&body, 0.0, &places));
        // Only the middle, which the other covers wherever it is turned to.
        let middle = |i: &usize| (places[*i].xy() - Vector3::new(0.5, 0.5, 0.0).xy()).amax() < 0.226;
        let push: f64 = (n..2 * n).filter(middle).map(|i| ours[i].z - others[i].z).sum();
        let area: f64 = (n..2 * n).filter(middle).count() as f64 * 0.05 * 0.05;
        let ratio = push / area / (100.0 * (depth / 0.01).powi(2));
        (least, most, mean) = (least.min(ratio), most.max(ratio), mean + ratio / 40.0);
    }
    below((mean - 1.0).abs(), 0.1); // measured 4.2e-2
    // Turned, 0.96 to 1.13; where edges lie along edges, 0.72 to 1.85.
    assert!(least > 0.6 && most < 2.0, "{least} {most}");
}

/// A strip of cloth, one half held level, the other folded back above it and let go.
struct Fall {
    crossings: usize,
    /// The most that a vertex moves in a step, metres.
    fastest: f64,
    /// Steps that were not solved to their end.
    failed: usize,
    iterations: usize,
    /// How high the end lies at last, metres.
    height: f64,
}

/// In steps of 4 ms; pairs are found again every other one.
fn fall(contact: Option<SelfContact>) -> Fall {
    let (step, refresh) = (0.004, 2);
    let (columns, rows, length, radius) = (16, 6, 0.4, 0.03);
    let mesh = Mesh::cloth(length, 0.15, columns, rows, Diagonals::Alternating).unwrap();
    let folded = |p: &Vector3<f64>| {
        // Across a line that is askew, so that edges do not lie on edges.
        let (sin, cos) = 0.1_f64.sin_cos();
        let (along, aside) = (cos * p.x + sin * p.y - 0.2, cos * p.y - sin * p.x);
        let bend = PI * radius;
        if along < 0.0 {
            Vector3::new(along, 0.0, -aside)
        } else if along < bend {
            let (sin, cos) = (along / radius).sin_cos();
            Vector3::new(radius * sin, radius * (1.0 - cos), -aside)
        } else {
            Vector3::new(bend - along, 2.0 * radius, -aside)
        }
    };
    let start: Vec<Vector3<f64>> = mesh.points.iter().map(folded).collect();
    let mut settings = BodySettings::new(mesh, Material::COTTON);
    let held: Vec<u32> = (0..start.len() as u32).filter(|&v| start[v as usize].y == 0.0).collect();
    settings.hold(held, &Path::Still);
    for hold in &mut settings.holds {
        hold.place = start[hold.vertex as usize];
    }
    let body = Body::new(settings).unwrap();
    let q = body.free(&start);
    let mut state = State { time: 0.0, velocity: vec![Vector3::zeros(); q.len()], q };
    let mut fall = Fall { crossings: 0, fastest: 0.0, failed: 0, iterations: 0, height: 0.0 };
    for _ in 0..60 / refresh {
        let with = contact.map(|contact| body.with_self_contact(&contact, &[body.placed(state.time, &state.q)]).unwrap());
        let law = with.as_ref().unwrap_or(&body);
        let mut simulation = Simulation::new(law, Settings::default()).unwrap();
        for _ in 0..refresh {
            let report = simulation.step(&mut state, step, Scheme::BackwardEuler).unwrap();
            fall.failed += usize::from(!report.converged);
            fall.iterations += report.iterations;
            fall.fastest = fall.fastest.max(state.velocity.iter().map(|v| v.norm() * step).fold(0.0, f64::max));
            fall.crossings = fall.crossings.max(body.crossings(state.time, &state.q));
        }
    }
    fall.height = body.placed(state.time, &state.q)[columns].y;
    fall
}

#[test]
fn a_cloth_that_falls_on_itself_does_not_pass_through() {
    let landed = fall(Some(SelfContact::new(0.008, 500.0)));
    assert_eq!((landed.crossings, landed.failed), (0, 0));
    below(landed.fastest, 0.008); // measured 5.4e-3: less than the thickness
    assert!((0.002..0.012).contains(&landed.height), "{}", landed.height); // measured 5.3e-3
    assert!(landed.iterations < 600, "{}", landed.iterations); // measured 270, in 60 steps
    let through = fall(None);
    assert!(through.crossings > 10 && through.height < -0.1, "{} {}", through.crossings, through.height); // measured 28, −0.17
}

/// What is said of the limits is so: it arrives with ½ · 0.15 kg/m² · (1.4 m/s)² = 0.15 J/m², here and there more. ⅓ · pressure · thickness is 1.3 J/m² above, and as little as 0.13 here.
#[test]
fn a_cloth_that_is_too_soft_is_passed_through() {
    let through = fall(Some(SelfContact::new(0.008, 50.0)));
    assert!(through.crossings > 5, "{}", through.crossings); // measured 21
}

#[test]
fn what_cannot_be_touched_is_refused() {
    let (body, _, q) = touching(9, false);
    let good = SelfContact::new(0.01, 1.0);
    let refused = |contact: SelfContact, frame: Vec<Vector3<f64>>| body.with_self_contact(&contact, &[frame]).is_err();
    assert!(!refused(good, q.clone()));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(SelfContact { thickness: bad, ..good }, q.clone()));
        assert!(refused(SelfContact { pressure: bad, ..good }, q.clone()));
        assert!(refused(SelfContact { reach: bad, ..good }, q.clone()));
    }
    assert!(refused(SelfContact { reach: 0.005, ..good }, q.clone()));
    assert!(refused(good, q[1..].to_vec()));
    let mut broken = q.clone();
    broken[3].y = f64::NAN;
    assert!(refused(good, broken));
    assert!(Pairs::find(&good, &q, &[[0, 1, 99]], &[]).is_err());
    // Far apart, or all in one place.
    let mut far = q.clone();
    far[3] = Vector3::repeat(1e300);
    assert!(!refused(good, far));
    let one = vec![Vector3::repeat(0.3); q.len()];
    let with = body.with_self_contact(&good, slice::from_ref(&one)).unwrap();
    assert!(forces(&with, 0.0, &one).iter().all(|f| f.iter().all(|x| x.is_finite())));
    assert!(body_stiffness(&with, 0.0, &one, Stiffness::Projected).iter().all(|x| x.is_finite()));
    assert_eq!(body.crossings(0.0, &one), 0);
}
