//! Shapes at the edge of what makes sense: each step is solved, as plain sums over its points show, or refused with a reason; never
//! silently wrong, never NaN, never a panic.

use std::ops::ControlFlow;

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::medium::{Metric, MetricFrame, Sample};
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{Matrix3, Vector3, Vector6};
use holonomy::shape::mass::lumped_masses;
use holonomy::shape::{Clip, MassRule, Playback, Topology};
use holonomy::systems::shape_change::{Law, ShapeChange};

use crate::random::{Random, octasphere};

/// Ways to be degenerate.
const KINDS: [&str; 14] = [
    "straight",
    "flat",
    "coincident",
    "hairpin",
    "one vertex",
    "two vertices",
    "zero-area faces",
    "doubled vertices",
    "nearly straight",
    "nearly coincident",
    "folded sheet",
    "jump",
    "turned over",
    "plain",
];

/// A shape of the kind and its topology, about 1 in size.
fn shape(kind: &str, random: &mut Random) -> (Topology, Vec<Vector3<f64>>) {
    let curve = |random: &mut Random| Topology::Curve { closed: random.unit() < 0.3 };
    let axis = random.vector();
    let n = 3 + (random.unit() * 8.0) as usize;
    let line: Vec<f64> = (0..n).map(|_| random.signed()).collect();
    match kind {
        "straight" => (curve(random), line.iter().map(|s| axis * *s).collect()),
        "flat" => {
            let faces = (0..n - 2).map(|i| [i as u32, i as u32 + 1, i as u32 + 2]).collect();
            (Topology::Surface { faces }, (0..n).map(|_| Vector3::new(random.signed(), random.signed(), 0.0)).collect())
        }
        "coincident" => (curve(random), vec![axis; n]),
        "hairpin" => (curve(random), (0..n).map(|i| if i % 2 == 0 { Vector3::zeros() } else { axis }).collect()),
        "one vertex" => (if random.unit() < 0.5 { Topology::Points } else { curve(random) }, vec![axis]),
        "two vertices" => (if random.unit() < 0.5 { Topology::Points } else { curve(random) }, vec![axis, random.vector()]),
        "zero-area faces" => {
            let faces = (0..n - 2).map(|i| [i as u32, i as u32 + 1, if random.unit() < 0.5 { i as u32 } else { i as u32 + 2 }]).collect();
            (Topology::Surface { faces }, line.iter().enumerate().map(|(i, s)| if i == 1 { random.vector() } else { axis * *s }).collect())
        }
        "doubled vertices" => (curve(random), random.walk(n).into_iter().flat_map(|p| [p, p]).collect()),
        "nearly straight" => {
            let width = 10_f64.powf(-12.0 * random.unit());
            (curve(random), line.iter().map(|s| axis * *s + random.vector() * width).collect())
        }
        "nearly coincident" => {
            let width = 10_f64.powf(-14.0 * random.unit());
            (Topology::Points, (0..n).map(|_| axis + random.vector() * width).collect())
        }
        "folded sheet" => {
            let faces = vec![[0, 1, 2], [0, 2, 1], [1, 2, 3]];
            (Topology::Surface { faces }, vec![Vector3::zeros(), axis, random.vector(), random.vector()])
        }
        _ => match (random.unit() * 3.0) as usize {
            0 => (curve(random), random.walk(n)),
            1 => (Topology::Points, random.walk(n)),
            _ => {
                let (points, faces) = octasphere();
                (Topology::Surface { faces }, points)
            }
        },
    }
}

/// Three frames: the shape, then twice changed by a little; or, for jumps, by everything.
fn case(kind: &str, random: &mut Random) -> Clip {
    let (topology, rest) = shape(kind, random);
    let scale = [1.0, 1.0, 1.0, 1.0, 1.0, 1e-3, 1e-6, 1e6, 1e-40, 1e40, 1e-120, 1e120][(random.unit() * 12.0) as usize];
    let offset = if random.unit() < 0.2 { random.vector() * (1e6 * scale) } else { Vector3::zeros() };
    let change = [0.0, 1e-9, 1e-3, 0.1][(random.unit() * 4.0) as usize];
    let turned = random.pose();
    let mut positions = Vec::new();
    for k in 0..3 {
        for p in &rest {
            let moved = match (kind, k) {
                ("jump", 1) => random.vector() * 3.0,
                ("turned over", 1) => turned.act(p),
                ("straight", _) => p * (1.0 + change * f64::from(k)),
                ("coincident", _) => *p,
                _ => p + random.vector() * (change * f64::from(k)),
            };
            positions.push(moved * scale + offset);
        }
    }
    Clip::new(topology, Playback::Once, 0.1, rest.len(), positions).unwrap()
}

fn law(clip: &Clip, masses: &MassRule, random: &mut Random) -> Law {
    match (random.unit() * 5.0) as usize {
        0 => Law::anisotropic(0.0),
        1 => Law::anisotropic(1e-6),
        2 => Law::anisotropic(random.unit()),
        3 => Law::from_rest(),
        _ => {
            // A slow spin and drift, as large as the body is.
            let velocity = Twist { angular: random.vector(), linear: random.vector() * clip.size() };
            let job = ShapeChange { masses: masses.clone(), ..ShapeChange::new(Law::from_rest()) };
            let momentum = job.rigid_momentum(clip, &velocity).unwrap_or_else(|_| Momentum::zero());
            Law::LeastAction { momentum, gravity: Vector3::zeros() }
        }
    }
}

/// Mostly what suits the shape; else masses of any size, some of them zero.
fn given(clip: &Clip, random: &mut Random) -> MassRule {
    if random.unit() < 0.8 {
        return MassRule::Natural;
    }
    let size = 10_f64.powf(290.0 * random.signed());
    MassRule::Given((0..clip.vertices()).map(|_| if random.unit() < 0.3 { 0.0 } else { size * random.unit() }).collect())
}

fn metric(job: &ShapeChange, clip: &Clip) -> Metric {
    match job.law {
        Law::LeastDissipation { drag } => Metric::anisotropic(drag.along, job.masses.clone()),
        _ => Metric::isotropic(MassRule::Given(lumped_masses(&job.masses, clip.topology(), clip.frame(0)).unwrap())),
    }
}

/// Gross 2023, Eq. 5 (docs/ERRATA.md, G1) by plain sums, scaled as a share of the whole body moving by its own radius (that of both shapes): how far the step that `g`
/// makes misses `target`. Lengths and masses are divided by their sizes first, so that no product leaves the range of f64.
fn miss(old: &MetricFrame, new: &MetricFrame, g: &Pose, target: &Momentum) -> f64 {
    let (old, new): (Vec<Sample>, Vec<Sample>) = (old.samples().collect(), new.samples().collect());
    let n = old.len();
    let heaviest = old.iter().chain(&new).flat_map(|s| [s.round, s.axial]).fold(0.0, |a: f64, b| a.max(b.abs()));
    let (middle, new_middle) = (old[0].point, new[0].point); // exactly zero distances for coincident points, which a mean would not give
    let arms = || old.iter().map(|s| s.point - middle).chain(new.iter().map(|s| s.point - new_middle));
    let widest = arms().map(|arm| arm.amax()).fold(0.0, f64::max);
    let size = if widest > 0.0 { widest } else { 1.0 };
    let block =
        |sample: &Sample, u: Vector3<f64>| Matrix3::identity() * (sample.round / heaviest) + u * u.transpose() * (sample.axial / heaviest);
    let spread = arms().map(|arm| (arm / size).norm_squared()).sum::<f64>() / (2 * n) as f64;
    let (mut torque, mut force, mut weight) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    for (before, after) in old.iter().zip(&new) {
        let (p, q) = ((before.point - middle) / size, (g.act(&after.point) - middle) / size);
        let (b, c) = (block(before, before.axis), block(after, g.rotation * after.axis));
        torque -= q.cross(&(b * (q - p))) + p.cross(&(c * (q - p)));
        force -= (b + c) * (q - p);
        weight += 0.5 * (b.trace() + c.trace());
    }
    let radius = if spread > 0.0 { spread.sqrt() } else { 1.0 };
    force -= target.linear / heaviest / size;
    torque -= (target.angular / heaviest / size - middle.cross(&(target.linear / heaviest / size))) / size;
    (torque.norm_squared() / (radius * radius) + force.norm_squared()).sqrt() / (weight * radius)
}

/// The largest miss of a motion's steps.
fn worst_miss(job: &ShapeChange, clip: &Clip, motion: &Motion) -> f64 {
    let metric = metric(job, clip);
    let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
    let momentum = if let Law::LeastAction { momentum, .. } = job.law { momentum } else { Momentum::zero() };
    let poses = &motion.tracks[0].poses;
    let misses = (1..poses.len()).map(|k| {
        metric.evaluate(clip, k - 1, &mut old).unwrap();
        metric.evaluate(clip, k, &mut new).unwrap();
        let target = poses[k - 1].momentum_to_body(&momentum) * (-2.0 * clip.dt());
        miss(&old, &new, &(poses[k - 1].inverse() * poses[k]), &target)
    });
    misses.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) })
}

/// How far from the origin the points are, in sizes of the smallest frame that has a size: what round-off in a pose is multiplied by.
fn remoteness(clip: &Clip) -> f64 {
    let far = (0..clip.frames()).flat_map(|k| clip.frame(k)).map(|p| p.amax()).fold(0.0, f64::max);
    let size = |k: usize| clip.frame(k).iter().map(|p| (p - clip.frame(k)[0]).amax()).fold(0.0, f64::max);
    let smallest = (0..clip.frames()).map(size).filter(|&s| s > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { far / smallest } else { far }
}

#[test]
fn every_step_is_solved_or_refused_with_a_reason() {
    let mut random = Random(2023);
    let (mut solved, mut refused, mut unsolved, mut worst) = (0, 0, 0, 0.0_f64);
    for number in 0..3000 {
        let kind = KINDS[number % KINDS.len()];
        let clip = case(kind, &mut random);
        let masses = given(&clip, &mut random);
        let job = ShapeChange { law: law(&clip, &masses, &mut random), masses: masses.clone(), ..ShapeChange::new(Law::from_rest()) };
        let name = || format!("case {number}, {kind}, {:?}, size {:e}, {:?}", job.law, clip.size(), job.masses);
        match job.run(&clip, &mut |_, _| ControlFlow::Continue(())) {
            Err(error) => {
                assert!(!error.to_string().is_empty(), "{}", name());
                refused += 1;
            }
            Ok(motion) => {
                assert!(motion.is_finite(), "{}", name());
                match &motion.outcome {
                    Outcome::Done => solved += 1,
                    Outcome::NotConverged { residual, advice, .. } => {
                        assert!(*residual > 1e-10 && !advice.is_empty(), "{}", name());
                        unsolved += 1;
                    }
                    other => panic!("{}: {other:?}", name()),
                }
                // Whatever frames there are, are right.
                let (miss, round_off) = (worst_miss(&job, &clip, &motion), f64::EPSILON * remoteness(&clip));
                assert!(miss <= 1e-10 + 64.0 * round_off, "{}: misses by {miss:e}", name());
                worst = worst.max(miss / (1e-10 + 64.0 * round_off));
            }
        }
    }
    println!("{solved} solved, {unsolved} not converged, {refused} refused; worst miss {worst:.2} of what is allowed");
    // Measured 1964, 148 and 888; most refusals are sizes of 1e±120 m and coincident points, which have no length.
    assert!(solved > 1500 && unsolved < 400, "{solved} solved, {unsolved} not converged, {refused} refused");
}

#[test]
fn a_straight_body_never_spins_about_itself() {
    let mut random = Random(77);
    for case in 0..200 {
        let axis = random.vector().normalize();
        let n = 2 + case % 9;
        let places: Vec<f64> = (0..n).map(|i| i as f64 + 0.8 * random.unit()).collect();
        let stretched: Vec<f64> = places.iter().map(|s| s * (1.0 + 0.2 * random.unit())).collect();
        let positions = [&places, &stretched, &places].into_iter().flatten().map(|s| axis * *s).collect();
        let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 0.1, n, positions).unwrap();
        let anisotropy = [0.0, 0.05, 1.0][case % 3];
        let job = ShapeChange::new(Law::anisotropic(anisotropy));
        let motion = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(motion.outcome, Outcome::Done);
        for pose in &motion.tracks[0].poses {
            assert!(pose.rotation.scaled_axis().norm() < 1e-12, "{case}: {pose:?}"); // measured 1.3e-14
        }
        assert!(Vector6::from(motion.tracks[0].momenta[1]).norm() < 1e-9); // measured 4.1e-13
    }
}
