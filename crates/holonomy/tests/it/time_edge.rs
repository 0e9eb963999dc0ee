//! The moments of a time edge against plain sums over the vertices; degenerate shapes; memory.

use holonomy::integrate::momentum_match::{TimeEdge, discrete_momenta, energy};
use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::medium::{Metric, MetricFrame};
use holonomy::nalgebra::{Matrix6, Vector3, Vector6};
use holonomy::shape::{Clip, MassRule, Playback, Topology, curve, surface};
use holonomy::solve::newton::Settings;

use crate::allocations;
use crate::random::{Random, octasphere};

const SETTINGS: Settings = Settings { tolerance: 1e-13, max_iterations: 60 };

fn frame(clip: &Clip, k: usize, anisotropy: f64) -> MetricFrame {
    let mut frame = MetricFrame::default();
    Metric::anisotropic(anisotropy, MassRule::Natural).evaluate(clip, k, &mut frame).unwrap();
    frame
}

/// Clips of every kind, and of sizes around those of the blocks in which they are summed.
fn clips(random: &mut Random) -> Vec<(String, Clip)> {
    let mut clips: Vec<_> = random.clips().into_iter().map(|(name, clip)| (name.to_owned(), clip)).collect();
    for n in [1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200] {
        let rest = random.walk(n);
        for closed in [false, true] {
            if n > 1 {
                clips.push((format!("{n} on a curve, {closed}"), random.wobble(Topology::Curve { closed }, &rest, 16, 0.2)));
            }
        }
        clips.push((format!("{n} points"), random.wobble(Topology::Points, &rest, 16, 0.2)));
    }
    clips
}

/// Mean square distance of the samples from their centre, weighted as the centre is.
fn squared_radius(frame: &MetricFrame) -> f64 {
    let part = |s: holonomy::medium::Sample| (3.0 * s.round + s.axial) * (s.point - frame.center()).norm_squared();
    frame.samples().map(part).sum::<f64>() / frame.trace()
}

#[test]
fn moments_give_what_plain_sums_give() {
    for seed in 50..55 {
        let mut random = Random(seed);
        for (name, clip) in clips(&mut random) {
            for size in [0.0, 1e-6, 0.3, 2.0] {
                let g = Pose::exp(&Twist { angular: random.vector() * size, linear: random.vector() * size });
                let (old, new) = (frame(&clip, 0, 0.2), frame(&clip, 3, 0.2));
                let edge = TimeEdge::new(&old, &new);
                let (mu, plain) = (edge.discrete_momenta(&g), discrete_momenta(&old, &new, &g));
                let reach = 1.0 + old.center().norm() + squared_radius(&old).sqrt() + size;
                let error = Vector6::from(mu - plain).norm() / (old.trace() * reach * reach);
                assert!(error < 1e-14, "momenta, {name}, {size}: {error}"); // measured 2e-16
                let (moments, plain) = (edge.energy(&g), energy(&old, &new, &g));
                let error = (moments - plain).abs() / plain.max(f64::MIN_POSITIVE);
                assert!(error < 1e-12, "energy, {name}, {size}: {error}"); // measured 2e-14
            }
        }
    }
}

#[test]
fn the_energy_of_a_tiny_step_keeps_its_digits() {
    // The shapes differ by 1e-9 of their size, so E is 1e-18 of what it is summed from: only differences may enter the sums.
    let mut random = Random(60);
    let rest = random.walk(40);
    let arms: Vec<_> = rest.iter().map(|_| random.vector() * 1e-9).collect();
    let positions = rest.iter().copied().chain(rest.iter().zip(&arms).map(|(p, a)| p + a)).collect();
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 0.1, 40, positions).unwrap();
    let (old, new) = (frame(&clip, 0, 0.1), frame(&clip, 1, 0.1));
    for g in [Pose::identity(), TimeEdge::new(&old, &new).step(&Momentum::zero(), SETTINGS).state] {
        let (moments, plain) = (TimeEdge::new(&old, &new).energy(&g), energy(&old, &new, &g));
        assert!((moments / plain - 1.0).abs() < 1e-5, "{moments} {plain}"); // the points themselves have 7 digits here; measured 2e-7
    }
    let still = TimeEdge::new(&old, &old);
    assert_eq!(still.energy(&Pose::identity()), 0.0);
    assert_eq!(still.step(&Momentum::zero(), SETTINGS).state, Pose::identity());
}

/// ∂μ/∂ξ under g ← exp(ξ) g by central differences of the plain sums.
fn differences(old: &MetricFrame, new: &MetricFrame, g: &Pose) -> Matrix6<f64> {
    let mut jacobian = Matrix6::zeros();
    for k in 0..6 {
        let nudged = |h: f64| {
            let mut xi = Vector6::zeros();
            xi[k] = h;
            let twist = Twist { angular: xi.fixed_rows::<3>(0).into(), linear: xi.fixed_rows::<3>(3).into() };
            Vector6::from(discrete_momenta(old, new, &(Pose::exp(&twist) * *g)))
        };
        jacobian.set_column(k, &((nudged(1e-5) - nudged(-1e-5)) / 2e-5));
    }
    jacobian
}

#[test]
fn one_newton_step_is_the_step_of_the_differentiated_sums() {
    // Newton starts centre on centre, at g₀. A target close to μ(g₀) asks for a step so small that its second order is nothing, while the
    // shapes are far enough apart for every term of the Jacobian to count.
    let mut random = Random(61);
    for (name, clip) in random.clips() {
        let (old, new) = (frame(&clip, 0, 0.3), frame(&clip, 1, 0.3));
        let start = Pose { translation: old.center() - new.center(), ..Pose::identity() };
        let change = Momentum { angular: random.vector(), linear: random.vector() } * (1e-6 * old.trace());
        let target = discrete_momenta(&old, &new, &start) + change;
        let once = Settings { tolerance: 0.0, max_iterations: 1 };
        let found = TimeEdge::new(&old, &new).step(&target, once).state;
        let expected = differences(&old, &new, &start).lu().solve(&Vector6::from(change)).unwrap();
        let error = (Vector6::from((found * start.inverse()).log()) - expected).norm() / expected.norm();
        assert!(error < 1e-5, "{name}: {error}"); // measured 6e-7
    }
}

#[test]
fn a_half_turn_between_frames_is_found() {
    // Far apart shapes: Newton alone would stay where all forces cancel, the best fit is needed.
    let mut random = Random(62);
    for angle in [0.4, 1.0, 2.0, 3.0, std::f64::consts::PI] {
        for (name, clip) in random.clips() {
            let turn = Pose::exp(&Twist { angular: random.vector().normalize() * angle, linear: random.vector() });
            let (old, new) = (frame(&clip, 0, 0.3), frame(&clip.moved_by(&turn), 0, 0.3));
            let solution = TimeEdge::new(&old, &new).step(&Momentum::zero(), SETTINGS);
            let gap = Vector6::from((turn * solution.state).log()).norm();
            assert!(solution.converged && gap < 1e-12, "{name}, {angle}: {gap}"); // measured 3e-14
        }
    }
}

#[test]
fn degenerate_shapes_have_a_finite_step_that_leaves_free_turns_alone() {
    let (x, y, o) = (Vector3::x(), Vector3::y(), Vector3::zeros());
    let open = Topology::Curve { closed: false };
    let face = Topology::Surface { faces: vec![[0, 1, 2], [0, 2, 3]] };
    let shapes: Vec<(&str, Topology, Vec<Vector3<f64>>)> = vec![
        ("straight", open.clone(), (0..5).map(|i| x * i as f64).collect()),
        ("straight, askew", open.clone(), (0..70).map(|i| Vector3::new(0.3, -0.5, 0.9) * i as f64).collect()),
        ("flat", face, vec![o, x, x + y, y]),
        ("coincident points", Topology::Points, vec![x; 5]),
        ("coincident but one", open.clone(), vec![x, x, x, x + y]),
        ("hairpin", open.clone(), vec![o, x, o, x]),
        ("single vertex", Topology::Points, vec![y]),
        ("two points", open, vec![o, x]),
    ];
    for (name, topology, shape) in shapes {
        for offset in [o, Vector3::new(1e6, -2e6, 3e6)] {
            for anisotropy in [0.0, 0.1, 1.0] {
                let push = Vector3::new(0.01, 0.02, -0.01);
                let grown = shape.iter().map(|p| p * 1.01 + push + offset);
                let positions = shape.iter().map(|p| p + offset).chain(grown).collect();
                let clip = Clip::new(topology.clone(), Playback::Once, 0.1, shape.len(), positions).unwrap();
                let (old, new) = (frame(&clip, 0, anisotropy), frame(&clip, 1, anisotropy));
                let solution = TimeEdge::new(&old, &new).step(&Momentum::zero(), SETTINGS);
                assert!(solution.state.is_finite() && solution.residual < 1e-12, "{name} {anisotropy}: {solution:?}"); // measured 9e-16
                // Growth turns nothing; what the equations leave free stays: measured 5e-13.
                assert!(solution.state.rotation.angle() < 1e-10, "{name} {anisotropy}: {solution:?}");
            }
        }
    }
}

#[test]
fn a_body_far_from_the_origin_moves_as_at_home() {
    let mut random = Random(63);
    let far = Vector3::new(1e6, -1e6, 1e6);
    for (name, clip) in random.clips() {
        let away = clip.moved_by(&Pose { translation: far, ..Pose::identity() });
        let step = |clip: &Clip| TimeEdge::new(&frame(clip, 0, 0.1), &frame(clip, 1, 0.1)).step(&Momentum::zero(), SETTINGS);
        let (home, there) = (step(&clip), step(&away));
        assert!(there.converged && there.residual < 1e-13, "{name}: {there:?}");
        let apart = home.state.rotation.angle_to(&there.state.rotation);
        assert!(apart < 1e-8, "{name}: {apart}"); // the points have 1e-10 left; measured 2e-10
        let moved = |p: &Vector3<f64>| there.state.act(&(p + far)) - far - home.state.act(p);
        let error = clip.frame(1).iter().map(|p| moved(p).norm()).fold(0.0, f64::max);
        assert!(error < 1e-8, "{name}: {error}"); // measured 2e-10
    }
}

/// The tangents of the definition, vertex by vertex.
fn plain_tangents(points: &[Vector3<f64>], closed: bool) -> Vec<(Vector3<f64>, f64)> {
    let n = points.len();
    let edge = |i: usize| points[(i + 1) % n] - points[i % n];
    let vertex = |j: usize| {
        let before = (j > 0 || (closed && n > 2)).then(|| edge(j + n - 1));
        let after = (j + 1 < n || (closed && n > 2)).then(|| edge(j));
        let edges: Vec<_> = before.into_iter().chain(after).collect();
        let sum: Vector3<f64> = edges.iter().filter_map(|e| e.try_normalize(0.0)).sum();
        let tangent = if sum.norm() > 1e-9 { sum.normalize() } else { Vector3::zeros() };
        (tangent, edges.iter().map(|e| 0.5 * e.norm()).sum())
    };
    (0..n).map(vertex).collect()
}

#[test]
fn tangents_and_lengths_are_those_of_the_definition() {
    let mut random = Random(64);
    for n in [1, 2, 3, 7, 8, 9, 62, 63, 64, 65, 66, 127, 128, 129, 300] {
        let mut points = random.walk(n);
        if n > 66 {
            points[64] = points[63]; // an edge without length across the border of two blocks
            points[40] = points[38]; // a hairpin
        }
        for closed in [false, true] {
            let (mut tangents, mut lengths) = (vec![Vector3::x(); n], vec![7.0; n]);
            curve::tangents_and_lengths(&points, closed, &mut tangents, &mut lengths);
            for (j, (tangent, length)) in plain_tangents(&points, closed).into_iter().enumerate() {
                assert!((tangents[j] - tangent).norm() < 1e-14, "{n} {closed} {j}"); // measured 1e-15
                assert!((lengths[j] - length).abs() < 1e-14 * (1.0 + length), "{n} {closed} {j}");
            }
        }
    }
}

#[test]
fn normals_and_areas_are_those_of_the_definition() {
    let (mut points, mut faces) = octasphere();
    for _ in 0..4 {
        let from = points.len() as u32;
        let more: Vec<_> = points.iter().take(18).map(|p| p * 1.7 + Vector3::new(from as f64, 0.3, 0.1)).collect();
        points.extend(more);
        let shifted: Vec<_> = faces.iter().take(32).map(|f| f.map(|v| v + from)).collect();
        faces.extend(shifted);
    }
    points.push(Vector3::z()); // a vertex without faces
    let n = points.len();
    let (mut normals, mut areas) = (vec![Vector3::x(); n], vec![7.0; n]);
    surface::normals_and_areas(&points, &faces, &mut normals, &mut areas);
    for j in 0..n {
        let mine = faces.iter().filter(|f| f.contains(&(j as u32))).map(|&f| surface::face_area_vector(&points, f));
        let (sum, area) = mine.fold((Vector3::zeros(), 0.0), |(n, a), f| (n + f, a + f.norm() / 3.0));
        let normal = sum.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        assert!((normals[j] - normal).norm() < 1e-14 && (areas[j] - area).abs() < 1e-14 * (1.0 + area), "{j}"); // measured 1e-16
    }
    assert_eq!((normals[n - 1], areas[n - 1]), (Vector3::zeros(), 0.0));
}

#[test]
fn stepping_allocates_nothing_after_the_first_step() {
    let mut random = Random(65);
    for (name, clip) in clips(&mut random) {
        let metric = Metric::anisotropic(0.2, MassRule::Natural);
        let (mut old, mut new) = (frame(&clip, 0, 0.2), frame(&clip, 1, 0.2));
        let allocations = allocations::during(|| {
            for k in 2..clip.frames() {
                std::mem::swap(&mut old, &mut new);
                metric.evaluate(&clip, k, &mut new).unwrap();
                let edge = TimeEdge::new(&old, &new);
                let step = edge.step(&Momentum::zero(), SETTINGS).state;
                std::hint::black_box((edge.energy(&step), edge.discrete_momenta(&step)));
            }
        });
        assert_eq!(allocations, 0, "{name}");
    }
}
