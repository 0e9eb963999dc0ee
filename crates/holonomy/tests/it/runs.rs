//! Runs of shape change that several tests make.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::{Vector3, Vector6};
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::shape_change::ShapeChange;

/// The motion of a run that ends well and passes its own checks.
pub fn run(job: &ShapeChange, clip: &Clip) -> Motion {
    let motion = job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    assert!(motion.is_finite());
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    motion
}

/// Orders at which the last pose of a winding snake converges as the frame time is halved. `edge` is its body's edge where it is turned by the first
/// number, at the second's share of its length and the third's time.
pub fn orders(edge: impl Fn(f64, f64, f64) -> Vector3<f64>, run: impl Fn(&Clip) -> Motion) -> Vec<f64> {
    let edge = &edge;
    let shape = |t: f64| {
        let mut p = Vector3::zeros();
        (0..24).map(move |i| {
            let s = i as f64 / 23.0;
            p += edge(1.2 * (TAU * (s - t) + 0.3).sin() + 0.5 * s * (TAU * t).sin(), s, t) / 24.0;
            p
        })
    };
    let ends = [10, 20, 40, 80, 160].map(|frames| {
        let positions = (0..=frames).flat_map(|k| shape(0.8 * k as f64 / frames as f64)).collect();
        let clip = Clip::new(Topology::Curve { closed: false }, Playback::Once, 0.8 / frames as f64, 24, positions).unwrap();
        *run(&clip).tracks[0].poses.last().unwrap()
    });
    let gaps: Vec<f64> = ends.windows(2).map(|w| Vector6::from((w[0].inverse() * w[1]).log()).norm()).collect();
    gaps.windows(2).map(|w| (w[0] / w[1]).log2()).collect()
}
