//! Motion from shape change: invariants, closed forms, orders (Gross 2023; math in docs/NOTATION.md and docs/ERRATA.md).

use std::ops::ControlFlow;

use holonomy::integrate::momentum_match::{discrete_momenta, energy, step};
use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::medium::{Metric, MetricFrame, Sample};
use holonomy::models::Snake;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{Matrix3, Vector3, Vector6};
use holonomy::shape::{Clip, MassRule, Playback, Topology};
use holonomy::solve::newton::Settings;
use holonomy::systems::shape_change::{Law, ShapeChange};

use crate::random::Random;
use crate::runs::orders;

const SETTINGS: Settings = Settings { tolerance: 1e-13, max_iterations: 60 };

fn system(law: Law) -> ShapeChange {
    ShapeChange::new(law)
}

fn run(law: Law, clip: &Clip) -> Motion {
    let motion = system(law).run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    assert!(motion.is_finite());
    motion
}

fn laws() -> [Law; 3] {
    [Law::anisotropic(0.1), Law::anisotropic(0.6), Law::from_rest()]
}

fn frame(clip: &Clip, k: usize, anisotropy: f64) -> MetricFrame {
    let mut frame = MetricFrame::default();
    Metric::anisotropic(anisotropy, MassRule::Natural).evaluate(clip, k, &mut frame).unwrap();
    frame
}

/// Largest distance between the same points placed by two poses.
fn apart(clip: &Clip, k: usize, a: &Pose, b: &Pose) -> f64 {
    clip.frame(k).iter().map(|p| (a.act(p) - b.act(p)).norm()).fold(0.0, f64::max)
}

/// The same metric frame, placed by `g`.
fn placed(frame: &MetricFrame, g: &Pose) -> MetricFrame {
    MetricFrame::from_samples(frame.samples().map(|s| Sample { point: g.act(&s.point), axis: g.rotation * s.axis, ..s }))
}

#[test]
fn momenta_are_the_derivative_of_the_energy() {
    // Decides the sign of Eq. 5: both cross products carry the minus. Derivative of E under a rigid motion of the first shape.
    let mut random = Random(1);
    for (name, clip) in random.clips() {
        let (old, new, g) = (
            frame(&clip, 0, 0.2),
            frame(&clip, 3, 0.2),
            Pose::exp(&Twist { angular: random.vector() * 0.2, linear: random.vector() * 0.2 }),
        );
        let mu = Vector6::from(discrete_momenta(&old, &new, &g));
        for i in 0..6 {
            let mut basis = [0.0; 6];
            basis[i] = 1e-6;
            let nudge = |sign: f64| {
                let xi = Twist {
                    angular: Vector3::new(basis[0], basis[1], basis[2]) * sign,
                    linear: Vector3::new(basis[3], basis[4], basis[5]) * sign,
                };
                energy(&placed(&old, &Pose::exp(&xi)), &new, &g)
            };
            let derivative = (nudge(1.0) - nudge(-1.0)) / 2e-6;
            assert!((derivative - mu[i]).abs() < 1e-6 * mu.norm().max(1.0), "{name} {i}: {derivative} {}", mu[i]); // measured 4e-11
        }
    }
}

#[test]
fn momenta_change_sign_when_time_runs_back() {
    let mut random = Random(2);
    for (name, clip) in random.clips() {
        let (old, new, g) = (frame(&clip, 0, 0.2), frame(&clip, 5, 0.2), random.pose());
        let there = discrete_momenta(&old, &new, &g);
        let back = g.momentum_to_world(&discrete_momenta(&new, &old, &g.inverse()));
        let error = Vector6::from(there + back).norm() / Vector6::from(there).norm();
        assert!(error < 1e-13, "{name}: {error}"); // measured 1.2e-15
    }
}

#[test]
fn one_step_meets_any_reachable_momentum() {
    let mut random = Random(3);
    for (name, clip) in random.clips() {
        let (old, new) = (frame(&clip, 0, 0.2), frame(&clip, 1, 0.2));
        let scale = old.trace();
        let target = Momentum { angular: random.vector() * (0.05 * scale), linear: random.vector() * (0.05 * scale) };
        let solution = step(&old, &new, &target, SETTINGS);
        assert!(solution.converged, "{name}: {solution:?}");
        assert!(solution.iterations <= 7, "{name}: {} iterations", solution.iterations);
        let error = Vector6::from(discrete_momenta(&old, &new, &solution.state) - target).norm() / scale;
        assert!(error < 1e-11, "{name}: {error}");
    }
}

#[test]
fn newton_converges_quadratically() {
    // The Jacobian accounts for the new metric turning with g: residuals must square, which a frozen metric's do not.
    let mut random = Random(4);
    for (name, clip) in random.clips() {
        let (old, new) = (frame(&clip, 0, 0.05), frame(&clip, 4, 0.05));
        let residuals: Vec<f64> =
            (0..8).map(|n| step(&old, &new, &Momentum::zero(), Settings { tolerance: 0.0, max_iterations: n }).residual).collect();
        for w in residuals.windows(2).filter(|w| w[0] < 1e-3 && w[0] > 1e-8) {
            assert!(w[1] < 1e3 * w[0] * w[0] + 1e-15, "{name}: {residuals:?}");
        }
        assert!(residuals[7] < 1e-14, "{name}: {residuals:?}"); // measured 5e-17
    }
}

#[test]
fn forwards_then_backwards_returns_to_the_start() {
    for seed in 10..20 {
        let mut random = Random(seed);
        for (name, clip) in random.clips() {
            for law in laws() {
                let there_and_back: Vec<_> =
                    (0..clip.frames()).chain((0..clip.frames() - 1).rev()).flat_map(|k| clip.frame(k).to_vec()).collect();
                let both = Clip::new(clip.topology().clone(), Playback::Once, clip.dt(), clip.vertices(), there_and_back).unwrap();
                let motion = run(law, &both);
                let end = motion.tracks[0].poses.last().unwrap();
                let error = apart(&clip, 0, end, &Pose::identity()) / clip.body_length();
                assert!(error < 1e-9, "{name}, {law:?}, seed {seed}: {error}"); // measured 2.4e-13
            }
        }
    }
}

#[test]
fn a_moved_input_gives_the_same_motion_moved() {
    for seed in 30..40 {
        let mut random = Random(seed);
        for (name, clip) in random.clips() {
            let pose = random.pose();
            let moved = clip.moved_by(&pose);
            for law in laws() {
                let (plain, other) = (run(law, &clip), run(law, &moved));
                for k in 0..plain.frames() {
                    let (expected, found) = (pose * plain.tracks[0].poses[k], other.tracks[0].poses[k] * pose);
                    let error = apart(&clip, k, &expected, &found) / clip.body_length();
                    assert!(error < 1e-12, "{name}, {law:?}, frame {k}, seed {seed}: {error}"); // measured 1.3e-13
                }
            }
        }
    }
}

#[test]
fn point_masses_at_rest_follow_procrustes() {
    // β = 0, μ = 0: the rotation is the weighted Procrustes rotation and the centre of mass stays (math: Kabsch).
    let mut random = Random(5);
    let rest = random.walk(9);
    let masses: Vec<f64> = rest.iter().map(|_| 0.5 + random.unit()).collect();
    let clip = random.wobble(Topology::Points, &rest, 8, 0.4);
    let mut frames = [MetricFrame::default(), MetricFrame::default()];
    let metric = Metric::isotropic(MassRule::Given(masses.clone()));
    metric.evaluate(&clip, 0, &mut frames[0]).unwrap();
    metric.evaluate(&clip, 2, &mut frames[1]).unwrap();
    let g = step(&frames[0], &frames[1], &Momentum::zero(), SETTINGS).state;
    let total: f64 = masses.iter().sum();
    let centre = |k: usize| clip.frame(k).iter().zip(&masses).map(|(p, m)| p * *m).sum::<Vector3<f64>>() / total;
    assert!((g.act(&centre(2)) - centre(0)).norm() < 1e-13);
    // Procrustes' condition: A Rᵀ is symmetric, A = Σ m (p − c)(p̂ − ĉ)ᵀ.
    let a: Matrix3<f64> = (0..9).map(|j| (clip.frame(0)[j] - centre(0)) * (clip.frame(2)[j] - centre(2)).transpose() * masses[j]).sum();
    let m = a * g.rotation.to_rotation_matrix().matrix().transpose();
    assert!((m - m.transpose()).norm() < 1e-12 * a.norm());
}

#[test]
fn a_rigid_body_turns_no_further_than_momentum_lets_it() {
    // Planar body: I sin θ = Δt l, so a step with Δt·ω > 1 has no solution and must say so (docs/ERRATA.md).
    let square = [Vector3::x(), Vector3::y(), -Vector3::x(), -Vector3::y()];
    let clip = Clip::new(Topology::Points, Playback::Loop, 1.0, 4, square.repeat(2)).unwrap();
    let shape = frame(&clip, 0, 1.0);
    for turn in [0.1_f64, 0.5, 0.9, 0.99] {
        let target = Momentum { angular: Vector3::z() * (-8.0 * turn), linear: Vector3::zeros() };
        let solution = step(&shape, &shape, &target, SETTINGS);
        assert!(solution.converged);
        assert!((solution.state.rotation.angle() - turn.asin()).abs() < 1e-9);
    }
    let target = Momentum { angular: Vector3::z() * (-8.0 * 1.01), linear: Vector3::zeros() };
    assert!(!step(&shape, &shape, &target, SETTINGS).converged);
}

#[test]
fn a_straight_curve_does_not_spin_about_itself() {
    let line = |stretch: f64| (0..7).map(move |i| Vector3::x() * (stretch * (i as f64 - 3.0) / 3.0));
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 0.1, 7, line(1.0).chain(line(1.3)).collect()).unwrap();
    for anisotropy in [0.0, 0.2, 1.0] {
        let target = Momentum { angular: Vector3::y() * 0.05, linear: Vector3::y() * 0.1 };
        let solution = step(&frame(&clip, 0, anisotropy), &frame(&clip, 1, anisotropy), &target, SETTINGS);
        assert!(solution.converged, "{anisotropy}: {solution:?}");
        assert!(solution.state.rotation.scaled_axis().x.abs() < 1e-12);
    }
}

/// Two arms of unequal length hinged at a point, opened by the angle `open`.
fn scallop(open: f64) -> Vec<Vector3<f64>> {
    let arm = |length: f64, side: f64, from: usize| {
        (from..6).map(move |i| Vector3::new(open.cos(), side * open.sin(), 0.0) * (length * i as f64 / 5.0))
    };
    arm(1.0, 1.0, 0).collect::<Vec<_>>().into_iter().rev().chain(arm(1.4, -1.0, 1)).collect()
}

#[test]
fn a_scallop_gets_nowhere() {
    let positions = (0..20).flat_map(|k| scallop(0.3 + 0.5 * (1.0 - (std::f64::consts::TAU * k as f64 / 20.0).cos()))).collect();
    let clip = Clip::new(Topology::Curve { closed: false }, Playback::Loop, 0.05, 11, positions).unwrap();
    let motion = run(Law::anisotropic(0.3), &clip);
    let half = motion.tracks[0].poses[10];
    assert!(half.translation.norm() + half.rotation.angle() > 0.1); // measured 0.97: it does move meanwhile
    let net = motion.cycle_transform.unwrap();
    assert!(net.translation.norm() + net.rotation.angle() < 1e-10); // measured 7e-15
}

#[test]
fn the_snake_goes_head_first_and_not_sideways() {
    let clip = Snake::default().clip(60.0).unwrap();
    let motion = run(Law::anisotropic(0.05), &clip);
    let travel = motion.cycle_transform.unwrap().translation;
    assert!(travel.z > 0.2, "{travel}"); // head looks along +Z; measured 0.438 body lengths per cycle
    assert!(travel.y.abs() < 1e-12);
    assert!(travel.x.abs() < 0.15 * travel.z, "{travel}");
    // Isotropic drag moves nothing on average but a little: no anisotropy, no slithering.
    let slip = run(Law::anisotropic(1.0), &clip).cycle_transform.unwrap().translation;
    assert!(slip.norm() < 1e-3 * travel.norm(), "{slip}");
}

#[test]
fn halving_the_frame_time_converges_at_second_order() {
    let orders = orders(|turn, _, _| Vector3::new(turn.cos(), turn.sin(), 0.0), |clip| run(Law::anisotropic(0.05), clip));
    assert!((orders[2] - 2.0).abs() < 0.1, "{orders:?}"); // measured 1.88, 1.96, 1.99
}

#[test]
fn further_cycles_are_the_first_carried_along() {
    let clip = Snake::default().clip(30.0).unwrap();
    let mut job = system(Law::anisotropic(0.05));
    job.steps = Some(5 * clip.frames());
    job.start = Random(7).pose();
    let motion = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let poses = &motion.tracks[0].poses;
    assert_eq!(poses.len(), 5 * clip.frames() + 1);
    assert_eq!(motion.tracks[0].series[0].values.len(), poses.len());
    let carry = motion.cycle_transform.unwrap();
    for k in 0..4 * clip.frames() {
        assert_eq!(carry * poses[k], poses[k + clip.frames()]); // exactly
    }
}

#[test]
fn an_interrupted_run_keeps_its_frames() {
    let clip = Snake::default().clip(30.0).unwrap();
    let stop_at_ten = &mut |k: usize, _| if k < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let motion = system(Law::from_rest()).run(&clip, stop_at_ten).unwrap();
    assert_eq!(motion.outcome, Outcome::Interrupted { frame: 10 });
    assert_eq!(motion.frames(), 10);
    assert!(motion.cycle_transform.is_none());
}

#[test]
fn bad_jobs_are_refused_in_words() {
    let clip = Snake::default().clip(30.0).unwrap();
    let refused = |job: &ShapeChange, clip: &Clip| job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused(&system(Law::anisotropic(-0.5)), &clip).contains("drag along or across the body is -0.5"));
    assert!(refused(&system(Law::anisotropic(f64::NAN)), &clip).contains("drag along or across the body is NaN"));
    assert!(refused(&ShapeChange { steps: Some(0), ..system(Law::from_rest()) }, &clip).contains("steps"));
    let one = Clip::new(Topology::Points, Playback::Once, 0.1, 1, vec![Vector3::zeros()]).unwrap();
    assert!(refused(&system(Law::from_rest()), &one).contains("at least 2"));
    let point = Clip::new(Topology::Curve { closed: false }, Playback::Once, 0.1, 3, vec![Vector3::x(); 6]).unwrap();
    assert!(refused(&system(Law::from_rest()), &point).contains("no length"));
    let unfit = ShapeChange { masses: MassRule::Area, ..system(Law::from_rest()) };
    assert!(refused(&unfit, &clip).contains("by area need a surface"));
}

#[test]
fn momenta_are_minus_two_dt_times_the_physical_ones() {
    // Point masses that move as a rigid body for a short time: l = Σ m p × v, p = Σ m v (docs/ERRATA.md, G2).
    let mut random = Random(11);
    let rest = random.walk(9);
    let (dt, spin, drift) = (1e-5, random.vector(), random.vector());
    let velocity = |p: &Vector3<f64>| spin.cross(p) + drift;
    let positions = rest.iter().copied().chain(rest.iter().map(|p| p + velocity(p) * dt)).collect();
    let clip = Clip::new(Topology::Points, Playback::Once, dt, rest.len(), positions).unwrap();
    let mu = discrete_momenta(&frame(&clip, 0, 1.0), &frame(&clip, 1, 1.0), &Pose::identity());
    let physical = Momentum { angular: rest.iter().map(|p| p.cross(&velocity(p))).sum(), linear: rest.iter().map(velocity).sum() };
    let error = Vector6::from(mu - physical * (-2.0 * dt)).norm() / Vector6::from(mu).norm();
    assert!(error < 1e-11, "{error}"); // measured 2.8e-12
}

#[test]
fn the_metric_turns_with_the_shape_even_where_it_has_no_tangent() {
    // A hairpin, a doubled point and a lone vertex: P is a multiple of I there, so B(g p) = R B(p) Rᵀ still holds (docs/ERRATA.md, G8).
    let x = Vector3::x();
    let shapes = [
        (Topology::Curve { closed: false }, vec![Vector3::zeros(), x, Vector3::zeros(), x * 2.0, x * 2.0, Vector3::y()]),
        (Topology::Surface { faces: vec![[0, 1, 2]] }, vec![Vector3::zeros(), x, Vector3::y(), Vector3::z()]),
    ];
    for (topology, points) in shapes {
        let clip = Clip::new(topology, Playback::Once, 1.0, points.len(), points).unwrap();
        let pose = Random(12).pose();
        let (plain, moved) = (frame(&clip, 0, 0.2), frame(&clip.moved_by(&pose), 0, 0.2));
        let block = |s: &Sample| Matrix3::identity() * s.round + s.axis * s.axis.transpose() * s.axial;
        for (plain, moved) in plain.samples().zip(moved.samples()) {
            let r = pose.rotation_matrix();
            assert!((block(&moved) - r * block(&plain) * r.transpose()).norm() < 1e-13);
        }
        assert!(plain.samples().any(|s| s.axis == Vector3::zeros()), "the shape has a vertex without a direction");
    }
}

/// Kilograms of [`top`].
const MASS_OF_TOP: f64 = 6.0;

/// Six masses on the axes with principal moments of inertia 1, 2, 3, standing still in their own frame.
fn top(dt: f64) -> Clip {
    let moments = [1.0, 2.0, 3.0];
    let arm = |axis: usize| (0.25 * (moments.iter().sum::<f64>() - 2.0 * moments[axis])).sqrt();
    // I_x = 2 (b² + c²) = 1 and so on, with masses of 1: a² = (I_y + I_z − I_x)/4.
    let [a, b, c] = [0, 1, 2].map(arm);
    let shape = [Vector3::x() * a, Vector3::x() * -a, Vector3::y() * b, Vector3::y() * -b, Vector3::z() * c, Vector3::z() * -c];
    Clip::new(Topology::Points, Playback::Loop, dt, 6, shape.repeat(2)).unwrap()
}

fn spun(clip: &Clip, velocity: Twist, cycles: usize, gravity: Vector3<f64>) -> Motion {
    let mut job = ShapeChange { steps: Some(cycles * clip.frames()), ..system(Law::from_rest()) };
    let momentum = job.rigid_momentum(clip, &velocity).unwrap();
    job.law = Law::LeastAction { momentum, gravity };
    let motion = job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    motion
}

#[test]
fn the_top_flips_with_the_period_of_the_closed_form() {
    // Dzhanibekov: I = (1, 2, 3), ω₀ = (0.01, 1, 0.01), T = 4 K(m)/p = 39.10573419728772 (Jacobi elliptic functions).
    let period = 39.105_734_197_287_72;
    let spin = Twist { angular: Vector3::new(0.01, 1.0, 0.01), linear: Vector3::zeros() };
    let error = |steps: usize| {
        let dt = period / steps as f64;
        let motion = spun(&top(dt), spin, steps / 2 + 1, Vector3::zeros());
        assert!(motion.checks.iter().all(|c| c.pass()), "{:?}", motion.checks);
        let energy = motion.tracks[0].series("kinetic_energy").unwrap();
        let drift = energy.iter().map(|e| (e / energy[0] - 1.0).abs()).fold(0.0, f64::max);
        assert!(drift < 1e-9, "discrete kinetic energy drifts by {drift}"); // measured 5e-11
        // Body velocity from the mean of the steps on both sides: after a whole period it is back, after half of one it is reversed.
        let poses = &motion.tracks[0].poses;
        let body_velocity = |k: usize| {
            let step = |a: usize, b: usize| (poses[a].rotation.inverse() * poses[b].rotation).scaled_axis() / dt;
            (step(k - 1, k) + step(k, k + 1)) * 0.5
        };
        assert!(body_velocity(steps / 2).y < -0.9, "it has flipped");
        (body_velocity(steps + 1) - body_velocity(1)).norm()
    };
    let errors: Vec<f64> = [1000, 2000, 4000].map(error).to_vec(); // measured 1.7e-4, 4.3e-5, 1.1e-5
    let orders: Vec<f64> = errors.windows(2).map(|w| (w[0] / w[1]).log2()).collect();
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{errors:?} {orders:?}");
}

#[test]
fn spin_converges_at_second_order_to_the_rigid_body() {
    // Against a run with a far smaller step.
    let spin = Twist { angular: Vector3::new(0.3, 1.0, -0.2), linear: Vector3::new(0.1, 0.0, 0.2) };
    let end = |steps: usize| *spun(&top(4.0 / steps as f64), spin, steps / 2, Vector3::zeros()).tracks[0].poses.last().unwrap();
    let exact = end(25_600);
    let errors: Vec<f64> = [100, 200, 400, 800].map(|n| Vector6::from((exact.inverse() * end(n)).log()).norm()).to_vec();
    let orders: Vec<f64> = errors.windows(2).map(|w| (w[0] / w[1]).log2()).collect();
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?}"); // measured 2.00, 2.00, 2.00
    let drift = exact.translation - spin.linear * 4.0;
    assert!(drift.norm() < 1e-10, "the centre goes straight on: {drift}");
}

#[test]
fn a_thrown_body_falls_along_the_parabola_and_turns_as_without_gravity() {
    let (spin, gravity) =
        (Twist { angular: Vector3::new(0.3, 1.0, -0.2), linear: Vector3::new(1.0, 4.0, 0.0) }, Vector3::new(0.0, -9.81, 0.0));
    let (free, thrown) = (spun(&top(0.01), spin, 40, Vector3::zeros()), spun(&top(0.01), spin, 40, gravity));
    for (k, (a, b)) in free.tracks[0].poses.iter().zip(&thrown.tracks[0].poses).enumerate() {
        let t = k as f64 * 0.01;
        assert_eq!(a.rotation, b.rotation);
        let expected = spin.linear * t + gravity * (0.5 * t * t);
        assert!((thrown.tracks[0].centers[k] - expected).norm() < 1e-11);
        if k > 0 {
            // Momentum is that of the step, as twists and speed are.
            let (centers, momentum) = (&thrown.tracks[0].centers, thrown.tracks[0].momenta[k].linear);
            assert!(((centers[k] - centers[k - 1]) * (MASS_OF_TOP / 0.01) - momentum).norm() < 1e-9); // measured 2.6e-13
        }
    }
    // Recorded and taken apart again: the momentum that went in comes out.
    let job = system(Law::from_rest());
    let clip = top(0.01);
    let found = job.recorded_momentum(&clip, &thrown.tracks[0].poses, &gravity).unwrap();
    let given = job.rigid_momentum(&clip, &spin).unwrap();
    let error = Vector6::from(found - given).norm() / Vector6::from(given).norm();
    assert!(error < 1e-10, "{error}"); // measured 5e-16
}

#[test]
fn given_masses_are_checked() {
    let clip = Snake::default().clip(30.0).unwrap();
    for (masses, word) in [(vec![1.0; 59], "59"), (vec![-1.0; 60], "-1"), (vec![f64::NAN; 60], "NaN")] {
        for law in laws() {
            let job = ShapeChange { masses: MassRule::Given(masses.clone()), ..system(law) };
            let error = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
