//! Bodies that keep to the ground: height and tilt stay, and the three ways that are left obey the law.

use std::ops::ControlFlow;

use holonomy::integrate::momentum_match::{Level, TimeEdge, discrete_momenta};
use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::medium::{Floor, Metric, MetricFrame};
use holonomy::models::Snake;
use holonomy::nalgebra::{UnitQuaternion, Vector3, Vector6};
use holonomy::shape::{Clip, MassRule, Playback, Topology};
use holonomy::solve::newton::Settings;
use holonomy::systems::shape_change::{Drag, Freedom, Law, Pull, ShapeChange};

use crate::random::Random;
use crate::runs::{orders, run};

fn level(law: Law) -> ShapeChange {
    ShapeChange { freedom: Freedom::Level, ..ShapeChange::new(law) }
}

fn laws() -> [Law; 2] {
    let drag = Drag::anisotropic(0.1);
    [Law::LeastDissipation { drag }, Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.2, drag }]
}

fn upright(yaw: f64, place: Vector3<f64>) -> Pose {
    Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::y() * yaw), translation: place }
}

#[test]
fn a_flat_stroke_moves_as_it_would_in_full_freedom() {
    let clip = Snake::default().clip(60.0).unwrap();
    for law in laws() {
        let start = upright(0.7, Vector3::new(1.0, 2.0, -3.0));
        let steps = Some(3 * clip.frames());
        let free = run(&ShapeChange { start, steps, ..ShapeChange::new(law) }, &clip);
        let kept = run(&ShapeChange { start, steps, ..level(law) }, &clip);
        for (a, b) in free.tracks[0].poses.iter().zip(&kept.tracks[0].poses) {
            let error = Vector6::from((a.inverse() * *b).log()).norm();
            assert!(error < 1e-11, "{law:?}: {error}"); // measured 1.5e-14
        }
        assert!((kept.tracks[0].centers[clip.frames()] - kept.tracks[0].centers[0]).norm() > 0.05, "it does get on");
    }
}

#[test]
fn any_shape_keeps_its_height_and_its_tilt() {
    let mut random = Random(41);
    for (name, clip) in random.clips() {
        for law in laws() {
            let steps = Some(3 * clip.frames());
            let start = upright(0.7, random.vector());
            let motion = run(&ShapeChange { start, steps, ..level(law) }, &clip);
            for pose in &motion.tracks[0].poses {
                assert_eq!(pose.translation.y, start.translation.y, "{name}");
                assert_eq!((pose.rotation.i, pose.rotation.k), (0.0, 0.0), "{name}");
            }
            if let Law::LeastDissipation { .. } = law {
                let carry = motion.cycle_transform.unwrap();
                assert_eq!((carry.translation.y, carry.rotation.i, carry.rotation.k), (0.0, 0.0, 0.0), "{name}");
                // It would not have stayed level by itself.
                let free = run(&ShapeChange { start, steps, ..ShapeChange::new(law) }, &clip);
                let tilt = free.tracks[0].poses.iter().map(|pose| (pose.rotation * Vector3::y() - Vector3::y()).norm()).fold(0.0, f64::max);
                assert!(tilt > 1e-2, "{name}: {tilt}");
            }
            // A start that leans goes on leaning the same way, to round-off.
            let leaning = random.pose();
            let up = leaning.rotation.inverse() * Vector3::y();
            for pose in &run(&ShapeChange { start: leaning, steps, ..level(law) }, &clip).tracks[0].poses {
                assert_eq!(pose.translation.y, leaning.translation.y, "{name}");
                assert!((pose.rotation * up - Vector3::y()).norm() < 1e-13, "{name}");
            }
        }
    }
}

#[test]
fn what_is_left_to_the_motion_is_in_balance() {
    // Net drag from the poses alone: no force along the ground and no torque about the vertical, while the ground does bear something.
    let mut random = Random(42);
    for (name, clip) in random.clips() {
        let job = ShapeChange { start: random.pose(), ..level(Law::anisotropic(0.1)) };
        let motion = run(&job, &clip);
        // Drag of a rig is by length, whatever its bones weigh.
        let rig = matches!(clip.topology(), Topology::Rig(_));
        let metric = Metric::anisotropic(0.1, if rig { MassRule::Length } else { MassRule::Natural });
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        let mut borne = 0.0_f64;
        for (k, pair) in motion.tracks[0].poses.windows(2).enumerate() {
            metric.evaluate(&clip, k, &mut old).unwrap();
            metric.evaluate(&clip, k + 1, &mut new).unwrap();
            let drag = pair[0].momentum_to_world(&discrete_momenta(&old, &new, &(pair[0].inverse() * pair[1])));
            let left = drag.linear.x.abs() + drag.linear.z.abs() + drag.angular.y.abs();
            assert!(left < 1e-11 * old.trace(), "{name} {k}: {left}"); // measured 3.3e-13
            borne = borne.max(drag.linear.y.abs() + drag.angular.x.abs() + drag.angular.z.abs());
        }
        assert!(borne > 1e-4, "{name}: {borne}"); // measured 1.1 and more
        let series = |name: &str| motion.tracks[0].series(name).unwrap();
        assert!(series("dissipation").iter().zip(series("dissipation_in_place")).all(|(moved, held)| *moved <= held * (1.0 + 1e-12)));
    }
}

#[test]
fn halving_the_frame_time_converges_at_second_order() {
    // A snake whose body also lifts off the ground in a wave.
    let edge = |turn: f64, s: f64, t: f64| Vector3::new(turn.cos(), 0.4 * (7.0 * s - 5.0 * t).sin(), turn.sin());
    let orders = orders(edge, |clip| run(&level(Law::anisotropic(0.05)), clip));
    assert!((orders[2] - 2.0).abs() < 0.1, "{orders:?}"); // measured 1.87, 1.96, 1.99
}

#[test]
fn the_ground_bears_the_weight_of_what_glides_on_it() {
    // Without drag: the centre goes straight on, the turn per step is that of a planar body, I sin θ = Δt l (docs/ERRATA.md, G7), and the ground pushes m g.
    let shape = Random(5).walk(5);
    let (dt, steps, mass) = (0.01, 200, 1.5);
    let clip = Clip::new(Topology::Points, Playback::Once, dt, 5, shape.repeat(steps + 1)).unwrap();
    let law = Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.0, drag: Drag::isotropic(0.0) };
    let mut job = ShapeChange { mass: Some(mass), pull: Pull::gravity(Vector3::new(0.0, -9.81, 0.0)), ..level(law) };
    let velocity = Twist::new(Vector3::y() * 2.0, Vector3::new(0.3, 0.0, -0.4));
    job.law = law.with_momentum(job.rigid_momentum(&clip, &velocity).unwrap());
    let motion = run(&job, &clip);
    let track = &motion.tracks[0];
    assert!((track.centers[steps] - track.centers[0] - velocity.linear * (dt * steps as f64)).norm() < 1e-11);
    for k in 1..=steps {
        let turn = (track.poses[k - 1].rotation.inverse() * track.poses[k].rotation).scaled_axis();
        assert!((turn - Vector3::y() * (2.0 * dt).asin()).norm() < 1e-12, "{turn}");
        assert!((track.series("floor_force").unwrap()[k] - mass * 9.81).abs() < 1e-9);
    }
}

#[test]
fn a_shape_that_turned_far_in_one_step_is_turned_back() {
    let clip = Random(43).clips().remove(0).1;
    let up = Random(44).vector().normalize();
    let turned = Pose { rotation: UnitQuaternion::from_scaled_axis(up * 2.5), translation: Vector3::new(3.0, -1.0, 2.0) };
    let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
    let metric = Metric::isotropic(MassRule::Natural);
    metric.evaluate(&clip, 0, &mut old).unwrap();
    metric.evaluate(&clip.moved_by(&turned), 0, &mut new).unwrap();
    let settings = Settings { tolerance: 1e-13, max_iterations: 60 };
    let solution = TimeEdge::new(&old, &new).step_level(Level { up }, &Momentum::zero(), settings);
    assert!(solution.converged, "{solution:?}");
    // All but the rise, which is not the motion's to undo.
    let left = solution.state * turned;
    assert!(left.rotation.angle() < 1e-12 && (left.translation - up * up.dot(&turned.translation)).norm() < 1e-11, "{left:?}");
}

#[test]
fn what_cannot_keep_level_is_refused_in_words() {
    let clip = Snake::default().clip(30.0).unwrap();
    let refused = |job: ShapeChange| job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap_err().to_string();
    for law in [Law::from_rest(), Law::IdealFluid { momentum: Momentum::zero(), added_mass: 1.0 }] {
        assert!(refused(level(law)).contains("nothing holds their bodies level"));
    }
    let floor = Some(Floor { height: -1.0 });
    assert!(refused(ShapeChange { floor, ..level(Law::anisotropic(0.1)) }).contains("a floor has nothing to do"));
    // A straight body turns about itself in full freedom, with a warning; on the ground it cannot.
    let line: Vec<Vector3<f64>> = (0..5).map(|i| Vector3::x() * i as f64).collect();
    let straight = Clip::new(Topology::Points, Playback::Once, 0.1, 5, line.repeat(3)).unwrap();
    let warned = |job: &ShapeChange| run(job, &straight).warnings.iter().any(|warning| warning.contains("lies on a line"));
    assert!(warned(&ShapeChange::new(Law::anisotropic(0.1))) && !warned(&level(Law::anisotropic(0.1))));
}
