//! The points that stand for a bone have its mass, centre and inertia, and turn with its joint.

use std::ops::ControlFlow;

use holonomy::lie::{Momentum, Twist};
use holonomy::medium::{Metric, MetricFrame, Sample};
use holonomy::nalgebra::{Matrix3, UnitQuaternion, Vector3};
use holonomy::shape::{Bone, Clip, Joint, MassRule, Playback, Rig, Topology};
use holonomy::systems::shape_change::{Drag, Law, ShapeChange};

use crate::random::Random;

fn joints(n: usize) -> Vec<Joint> {
    (0..n).map(|i| Joint { name: format!("j{i}"), parent: i.checked_sub(1) }).collect()
}

fn rig_clip(bones: Vec<Bone>, dt: f64, joints_per_frame: usize, positions: Vec<Vector3<f64>>) -> Clip {
    let rig = Rig { joints: joints(joints_per_frame), bones, skin: None };
    Clip::new(Topology::Rig(rig), Playback::Once, dt, joints_per_frame, positions).unwrap()
}

fn sampled(clip: &Clip, k: usize) -> MetricFrame {
    let mut frame = MetricFrame::default();
    Metric::isotropic(MassRule::Natural).evaluate(clip, k, &mut frame).unwrap();
    frame
}

/// Σ m (|r|² I − r rᵀ) about `center`.
fn inertia(frame: &MetricFrame, center: &Vector3<f64>) -> Matrix3<f64> {
    let part = |sample: Sample| {
        let r = sample.point - center;
        (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * sample.round
    };
    frame.samples().map(part).sum()
}

#[test]
fn the_points_of_a_bone_have_its_inertia_exactly() {
    let mut random = Random(41);
    for case in 0..200 {
        let gyration = 0.05 + 0.6 * random.unit();
        // From a thin rod to a flat disc, which has √2 times the transverse radius.
        let longitudinal_gyration = std::f64::consts::SQRT_2 * gyration * [0.0, 1.0, random.unit()][case % 3];
        let bone = Bone { from: 0, to: 1, mass: 0.1 + random.unit(), center: random.unit(), gyration, longitudinal_gyration };
        let (from, to) = (random.vector(), random.vector());
        let turns: Vec<UnitQuaternion<f64>> = (0..4).map(|_| random.pose().rotation).collect();
        let turn = turns[2] * turns[0].inverse();
        let moved = |p: Vector3<f64>| turn * p + Vector3::new(3.0, -1.0, 2.0);
        let clip = rig_clip(vec![bone], 0.1, 2, vec![from, to, moved(from), moved(to)]).with_orientations(turns).unwrap();
        let (length, axis) = ((to - from).norm(), (to - from).normalize());
        let center = from + (to - from) * bone.center;
        let across = Matrix3::identity() - axis * axis.transpose();
        let (t, l) = (bone.gyration * length, bone.longitudinal_gyration * length);
        let expected = (across * (t * t) + axis * axis.transpose() * (l * l)) * bone.mass;
        let frame = sampled(&clip, 0);
        assert!((frame.samples().map(|sample| sample.round).sum::<f64>() - bone.mass).abs() < 1e-15);
        assert!((frame.center() - center).norm() < 1e-14);
        let found = inertia(&frame, &center);
        assert!((found - expected).norm() < 1e-13 * expected.norm(), "{case}: {found} {expected}"); // measured 1.2e-15
        // The bone moves with its joint, and so does each point.
        for (p, q) in frame.samples().zip(sampled(&clip, 1).samples()) {
            assert!((moved(p.point) - q.point).norm() < 1e-13, "{case}"); // measured 2e-15
        }
    }
}

/// One upright bone that does not change: in its own frame nothing moves.
fn pole(longitudinal_gyration: f64, frames: usize, twist: impl Fn(usize) -> f64) -> Clip {
    let bone = Bone { from: 0, to: 1, mass: 2.0, center: 0.5, gyration: 0.3, longitudinal_gyration };
    let about_y = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let turns = (0..frames).flat_map(|k| [about_y(twist(k)), UnitQuaternion::identity()]).collect();
    rig_clip(vec![bone], 0.01, 2, [Vector3::zeros(), Vector3::y()].repeat(frames)).with_orientations(turns).unwrap()
}

fn at_rest() -> ShapeChange {
    ShapeChange::new(Law::from_rest())
}

#[test]
fn an_upright_bone_keeps_its_spin() {
    // L = m l² ω about its own length; the discrete step obeys sin θ = ω Δt.
    let (clip, spin) = (pole(0.1, 51, |_| 0.0), 3.0);
    let mut job = at_rest();
    let momentum = job.rigid_momentum(&clip, &Twist { angular: Vector3::y() * spin, linear: Vector3::zeros() }).unwrap();
    assert!((momentum.angular.y - 2.0 * 0.01 * spin).abs() < 1e-15, "{momentum:?}");
    job.law = Law::LeastAction { momentum, gravity: Vector3::zeros() };
    let motion = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let turned = motion.tracks[0].poses.last().unwrap().rotation.scaled_axis();
    let expected = Vector3::y() * (50.0 * (spin * clip.dt()).asin());
    assert!((turned - expected).norm() < 1e-10, "{turned} against {expected}"); // measured 1.5e-11
}

#[test]
fn a_bone_that_twists_in_its_frame_turns_the_frame_back() {
    // From rest the momentum stays zero: what the joint turns, the frame turns back. Without thickness nothing is there to turn.
    let twist = |k: usize| 0.02 * k as f64;
    let turned =
        |clip: &Clip| at_rest().run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap().tracks[0].poses[50].rotation.scaled_axis();
    let back = turned(&pole(0.1, 51, twist));
    assert!((back + Vector3::y() * twist(50)).norm() < 1e-10, "{back}"); // measured 1.5e-15
    assert!(turned(&pole(0.0, 51, twist)).norm() < 1e-12);
}

#[test]
fn without_joint_orientations_a_bone_has_no_inertia_about_its_length() {
    let bone = Bone { from: 0, to: 1, mass: 2.0, center: 0.5, gyration: 0.3, longitudinal_gyration: 0.2 };
    let clip = rig_clip(vec![bone], 0.1, 2, vec![Vector3::zeros(), Vector3::y(), Vector3::zeros(), Vector3::y()]);
    let frame = sampled(&clip, 0);
    let found = inertia(&frame, &frame.center());
    let expected = Matrix3::from_diagonal(&Vector3::new(0.18, 0.0, 0.18));
    assert!((found - expected).norm() < 1e-15, "{found}");
}

#[test]
fn bones_that_no_body_has_are_refused() {
    for (gyration, longitudinal_gyration, words) in [(0.3, 0.43, "√2"), (0.3, -0.1, "zero or more"), (0.3, f64::NAN, "zero or more")] {
        let bone = Bone { from: 0, to: 1, mass: 1.0, center: 0.5, gyration, longitudinal_gyration };
        let rig = Rig { joints: joints(2), bones: vec![bone], skin: None };
        let refused = Clip::new(Topology::Rig(rig), Playback::Once, 0.1, 2, vec![Vector3::zeros(), Vector3::y()]).unwrap_err().to_string();
        assert!(refused.contains("longitudinal bone gyration") && refused.contains(words), "{refused}");
    }
}

/// Three bones of a swimmer, the outer ones turned by `fold`, with these masses.
fn folding(masses: [f64; 3], lengths: [f64; 3]) -> Clip {
    let bone = |i: usize| Bone { from: i, to: i + 1, mass: masses[i], center: 0.4, gyration: 0.3, longitudinal_gyration: 0.1 };
    let shape = |k: usize| {
        let phase = std::f64::consts::TAU * k as f64 / 40.0;
        let turns = [0.6 * phase.sin(), 0.0, 0.6 * phase.cos()];
        let mut points = vec![Vector3::zeros()];
        for (length, turn) in lengths.iter().zip(turns) {
            points.push(points[points.len() - 1] + Vector3::new(turn.cos(), turn.sin(), 0.0) * *length);
        }
        points
    };
    let rig = Rig { joints: joints(4), bones: (0..3).map(bone).collect(), skin: None };
    Clip::new(Topology::Rig(rig), Playback::Loop, 0.025, 4, (0..40).flat_map(shape).collect()).unwrap()
}

fn swim(clip: &Clip, masses: MassRule) -> Result<Vector3<f64>, holonomy::Error> {
    let job = ShapeChange { masses, ..ShapeChange::new(Law::anisotropic(0.5)) };
    let motion = job.run(clip, &mut |_, _| ControlFlow::Continue(()))?;
    Ok(motion.tracks[0].centers[40] - motion.tracks[0].centers[0])
}

#[test]
fn the_drag_of_a_bone_goes_by_its_length_and_not_by_its_mass() {
    // With drag by mass, a head a hundred times as heavy took another way.
    let light = swim(&folding([1.0; 3], [1.0, 1.5, 0.5]), MassRule::Natural).unwrap();
    let heavy = swim(&folding([100.0, 1.0, 3.0], [1.0, 1.5, 0.5]), MassRule::Natural).unwrap();
    println!("a cycle of drag: {} m, with a heavy head {} m", light.norm(), heavy.norm());
    assert!(light.norm() > 0.01 && (light - heavy).norm() < 1e-12, "{light} {heavy}");
    // The rule is obeyed: by length is what is natural, one for each bone is another, and so are
    // weights given.
    let clip = folding([1.0; 3], [1.0, 1.5, 0.5]);
    let by = |rule| swim(&clip, rule).unwrap();
    assert_eq!(by(MassRule::Length), light);
    assert!((by(MassRule::Unit) - light).norm() > 1e-3, "{}", by(MassRule::Unit));
    assert!((by(MassRule::Given(vec![2.0; 3])) - by(MassRule::Unit)).norm() < 1e-12);
    // The middle of a bone's drag and its moments are those of a line: curves of 40 edges a bone
    // go the same way.
    let fine = |k: usize| {
        let joints = clip.frame(k).to_vec();
        (0..=120)
            .map(move |i| joints[(i / 40).min(2)].lerp(&joints[(i / 40).min(2) + 1], if i == 120 { 1.0 } else { (i % 40) as f64 / 40.0 }))
    };
    let curve = Clip::new(Topology::Curve { closed: false }, Playback::Loop, 0.025, 121, (0..40).flat_map(fine).collect()).unwrap();
    let off = (by(MassRule::Length) - swim(&curve, MassRule::Natural).unwrap()).norm() / light.norm();
    println!("against a curve with corners: {off:e}");
    assert!(off < 0.03, "{off}"); // measured 0.0076, of the tangents at the corners
    for rule in [MassRule::Area, MassRule::Volume, MassRule::Given(vec![1.0; 2])] {
        let refused = swim(&clip, rule).unwrap_err().to_string();
        assert!(refused.contains("weights"), "{refused}");
    }
}

#[test]
fn weights_on_a_rig_without_drag_are_refused() {
    let job = ShapeChange { masses: MassRule::Unit, ..at_rest() };
    let refused = job.run(&folding([1.0; 3], [1.0; 3]), &mut |_, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("inertia goes by the masses of the bones"), "{refused}");
}

#[test]
fn a_rod_coasts_by_its_mass_and_its_length() {
    // m dv/dt = -c L v, whatever way the mass is spread; here all of it is near one end.
    let (mass, length, drag, dt) = (2.0, 1.5, 0.8, 0.01);
    let bone = Bone { from: 0, to: 1, mass, center: 0.5, gyration: 0.3, longitudinal_gyration: 0.1 };
    let places = [Vector3::zeros(), Vector3::y() * length].repeat(101);
    let clip = rig_clip(vec![bone], dt, 2, places);
    let law = Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(drag) };
    let mut job = ShapeChange::new(law);
    let momentum = job.rigid_momentum(&clip, &Twist { angular: Vector3::zeros(), linear: Vector3::x() }).unwrap();
    job.law = law.with_momentum(momentum);
    let motion = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let far = motion.tracks[0].centers[100].x - motion.tracks[0].centers[0].x;
    let rate = drag * length / mass;
    let expected = (1.0 - (-rate * 100.0 * dt).exp()) / rate;
    println!("coasts {far} m, {expected} m in closed form");
    assert!((far / expected - 1.0).abs() < 0.01, "{far} against {expected}"); // measured 8.0e-4
}
