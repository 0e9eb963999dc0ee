//! One shape at a time: the same motion as a run, without allocation, and a state that survives bad steps.

use std::ops::ControlFlow;
use std::sync::Arc;

use holonomy::lie::{Momentum, Twist};
use holonomy::medium::Floor;
use holonomy::models::Cat;
use holonomy::nalgebra::{Vector3, Vector6};
use holonomy::shape::{Clip, JointTurns, MassRule, Shape, Topology};
use holonomy::systems::shape_change::{Drag, Freedom, Law, Pull, ShapeChange};

use crate::allocations;
use crate::random::Random;

/// Jobs of every law, some with all that can be added.
fn jobs(clip: &Clip) -> Vec<ShapeChange> {
    let drag = Drag::anisotropic(0.2);
    let laws = [
        Law::LeastDissipation { drag },
        Law::LeastAction { momentum: Momentum::zero(), gravity: Vector3::new(0.0, -9.81, 0.0) },
        Law::IdealFluid { momentum: Momentum::zero(), added_mass: 0.4 },
        Law::InertiaAndDrag { momentum: Momentum::zero(), added_mass: 0.4, drag },
    ];
    let mut jobs = Vec::new();
    for law in laws {
        let job = ShapeChange { start: Random(31).pose(), ..ShapeChange::new(law) };
        let spin = Twist::new(Vector3::new(0.2, 0.5, -0.3), Vector3::new(0.4, 1.0, 0.0));
        let momentum = job.rigid_momentum(clip, &spin).unwrap_or_default();
        jobs.push(ShapeChange { law: law.with_momentum(momentum), ..job.clone() });
        if matches!(law, Law::LeastDissipation { .. } | Law::InertiaAndDrag { .. }) {
            let low = clip.frame(0).iter().map(|p| job.start.act(p).y).fold(f64::INFINITY, f64::min);
            let pull = Pull { thrust: Momentum::new(Vector3::zeros(), Vector3::x() * 0.1), ..Pull::gravity(Vector3::new(0.0, -9.81, 0.0)) };
            jobs.push(ShapeChange { law: law.with_momentum(momentum), pull, freedom: Freedom::Level, ..job.clone() });
            let floor = Some(Floor { height: low - 0.1 });
            jobs.push(ShapeChange { law: law.with_momentum(momentum), pull, floor, masses: MassRule::Unit, mass: Some(0.7), ..job });
        }
    }
    jobs
}

fn frame<'a>(job: &'a ShapeChange, clip: &'a Clip, k: usize) -> Shape<'a> {
    clip.shape(k, &job.masses).unwrap()
}

#[test]
fn stepping_is_running() {
    // The cat's joints tell how its bones are turned.
    let cat = Cat::default().clip(30.0).unwrap();
    for (name, clip) in Random(30).clips().into_iter().chain([("cat", cat)]) {
        for job in jobs(&clip) {
            let motion = job.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
            let mut state = job.begin(&frame(&job, &clip, 0)).unwrap();
            for k in 1..motion.frames() {
                let report = job.step(&mut state, &frame(&job, &clip, k), clip.dt(), &Momentum::zero()).unwrap();
                assert!(report.converged);
                let (expected, momentum) = (motion.tracks[0].poses[k], motion.tracks[0].momenta[k]);
                // Equal, but for the closing of a loop and the order of sums in free fall.
                let error = Vector6::from((expected.inverse() * report.pose).log()).norm();
                assert!(error < 1e-12, "{name} {:?} {k}: {error}", job.law); // measured 8.3e-16
                assert!(Vector6::from(report.momentum - momentum).norm() < 1e-11 * (1.0 + Vector6::from(momentum).norm()), "{name} {k}");
                assert_eq!(report.pose, state.pose());
                assert!((state.time() - k as f64 * clip.dt()).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn a_step_allocates_nothing() {
    for (name, clip) in Random(32).clips() {
        for job in jobs(&clip) {
            let mut state = job.begin(&frame(&job, &clip, 0)).unwrap();
            let mut step = |k: usize| job.step(&mut state, &frame(&job, &clip, k), clip.dt(), &Momentum::zero()).unwrap().converged;
            assert!(step(1));
            let mut converged = false;
            let made = allocations::during(|| converged = (2..40).all(&mut step));
            assert!(converged && made == 0, "{name} {:?}: {made} allocations in 38 steps", job.law);
        }
    }
}

#[test]
fn a_bad_step_leaves_the_state_alone() {
    let (_, clip) = Random(33).clips().remove(2);
    let job = jobs(&clip).pop().unwrap();
    let mut state = job.begin(&frame(&job, &clip, 0)).unwrap();
    let _ = job.step(&mut state, &frame(&job, &clip, 1), clip.dt(), &Momentum::zero()).unwrap();
    let (pose, momentum, time) = (state.pose(), state.momentum(), state.time());
    let none = Momentum::zero();
    let mut refused = |shape: Shape, dt: f64, wrench: &Momentum| job.step(&mut state, &shape, dt, wrench).unwrap_err().to_string();
    let sound = frame(&job, &clip, 2);
    assert!(refused(Shape { points: &clip.frame(2)[1..], ..sound }, 0.1, &none).contains("vertices"));
    assert!(refused(sound, 0.0, &none).contains("dt is 0"));
    assert!(refused(sound, f64::NAN, &none).contains("dt is NaN"));
    assert!(refused(sound, 0.1, &Momentum::new(Vector3::repeat(f64::NAN), Vector3::zeros())).contains("wrench"));
    for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let mut broken = clip.frame(2).to_vec();
        broken[3].y = value;
        assert!(refused(Shape { points: &broken, ..sound }, 0.1, &none).contains("vertex 3"));
    }
    // Faces that lead nowhere, and joints that are not there.
    let other = Arc::new(Topology::Surface { faces: vec![[0, 1, 99]] });
    assert!(refused(Shape { topology: &other, ..sound }, 0.1, &none).contains("hang together in another way"));
    let short = JointTurns { first_points: clip.frame(0), first: &[], now: &[] };
    assert!(refused(Shape { joints: Some(short), ..sound }, 0.1, &none).contains("joint orientations"));
    assert!(job.begin(&Shape::new(&other, clip.frame(0))).unwrap_err().to_string().contains("99"));
    assert!(job.begin(&Shape::new(&other, &[])).is_err());
    // The same faces in another place are the same.
    let copy = Arc::new(clip.topology().clone());
    assert_eq!((state.pose(), state.momentum(), state.time()), (pose, momentum, time));
    assert!(job.step(&mut state, &Shape { topology: &copy, ..sound }, clip.dt(), &none).unwrap().converged);
    assert!(state.time() > time);
}

#[test]
fn a_step_that_does_not_converge_can_be_tried_again_shorter() {
    let square = [Vector3::x(), Vector3::y(), -Vector3::x(), -Vector3::y()];
    let momentum = Momentum::new(Vector3::z() * 4.0 * 12.0, Vector3::zeros());
    let job = ShapeChange::new(Law::from_rest().with_momentum(momentum));
    let topology = Arc::new(Topology::Points);
    let square = Shape::new(&topology, &square);
    let mut state = job.begin(&square).unwrap();
    let start = state.pose();
    assert!(!job.step(&mut state, &square, 0.1, &Momentum::zero()).unwrap().converged);
    assert_eq!((state.pose(), state.time()), (start, 0.0));
    let report = job.step(&mut state, &square, 0.05, &Momentum::zero()).unwrap();
    assert!(report.converged && (report.turn - (0.05_f64 * 12.0).asin()).abs() < 1e-9);
}

#[test]
fn uneven_steps_lead_to_the_same_place() {
    // A free body: the centre goes straight on, whatever the steps.
    let (_, clip) = Random(34).clips().remove(3);
    let job = ShapeChange::new(Law::from_rest());
    let spin = Twist::new(Vector3::new(0.2, 0.5, -0.3), Vector3::new(0.4, 1.0, 0.0));
    let law = job.law.with_momentum(job.rigid_momentum(&clip, &spin).unwrap());
    let job = ShapeChange { law, ..job };
    let mut state = job.begin(&frame(&job, &clip, 0)).unwrap();
    let from = state.center();
    for k in 0..50 {
        let dt = if k % 3 == 0 { 0.01 } else { 0.03 };
        let _ = job.step(&mut state, &frame(&job, &clip, 0), dt, &Momentum::zero()).unwrap();
    }
    assert!((state.center() - from - spin.linear * state.time()).norm() < 1e-11);
    // A push of one second gives the momentum it should: force × time, but for half a step at each end, where momenta live.
    let force = Vector3::new(0.0, 0.0, 2.0);
    let before = state.momentum().linear;
    let t = state.time();
    for _ in 0..100 {
        let _ = job.step(&mut state, &frame(&job, &clip, 0), 0.01, &Momentum::new(Vector3::zeros(), force)).unwrap();
    }
    let gained = state.momentum().linear - before;
    assert!((gained - force * (state.time() - t + 0.5 * (0.03 - 0.01))).norm() < 1e-9, "{gained}");
}
