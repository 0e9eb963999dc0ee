//! Properties over twists of any size, from a fixed seed.

use holonomy::lie::{Momentum, Pose, Pose2, Rotation, Twist, Twist2};
use holonomy::nalgebra::{Vector2, Vector3, Vector6};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn fixed_seed() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(2023), failure_persistence: None, cases: 500, ..ProptestConfig::default() }
}

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn twist(size: f64) -> impl Strategy<Value = Twist> {
    (vector(size), vector(size)).prop_map(|(angular, linear)| Twist::new(angular, linear))
}

proptest! {
    #![proptest_config(fixed_seed())]

    /// Many turns are folded back into the shortest twist, which leads to the same place.
    #[test]
    fn log_of_many_turns_is_short(twist in twist(20.0)) {
        let pose = Pose::exp(&twist);
        let short = pose.log();
        let again = Pose::exp(&short);
        prop_assert!(short.angular.norm() <= std::f64::consts::PI);
        prop_assert!((again.act(&Vector3::x()) - pose.act(&Vector3::x())).norm() < 1e-13);
        prop_assert!((again.translation - pose.translation).norm() < 1e-13);
    }

    /// Rigid: no distance changes.
    #[test]
    fn distances_stay(first in twist(20.0), second in twist(20.0), x in vector(10.0), y in vector(10.0)) {
        let pose = Pose::exp(&first) * Pose::cay(&second) * Pose::ccsk(&first).inverse();
        let distance = (pose.act(&x) - pose.act(&y)).norm();
        prop_assert!((distance - (x - y).norm()).abs() < 1e-13);
    }

    /// The power of a wrench does not depend on the frame it is written in.
    #[test]
    fn power_is_frame_independent(place in twist(5.0), twist in twist(5.0), wrench in twist(5.0)) {
        let pose = Pose::exp(&place);
        let wrench = Momentum::new(wrench.angular, wrench.linear);
        let there = pose.momentum_to_world(&wrench).pair(&pose.adjoint_apply(&twist));
        prop_assert!((there - wrench.pair(&twist)).abs() < 1e-12);
    }

    /// Half a step and half a step is a step: exp((s + t) ξ) = exp(s ξ) exp(t ξ).
    #[test]
    fn exponential_is_a_one_parameter_group(twist in twist(5.0), s in -1.0..1.0, t in -1.0..1.0) {
        let (whole, parts) = (Pose::exp(&(twist * (s + t))), Pose::exp(&(twist * s)) * Pose::exp(&(t * twist)));
        prop_assert!((whole.translation - parts.translation).norm() < 1e-13);
        prop_assert!(whole.rotation.angle_to(&parts.rotation) < 1e-13);
    }

    /// No input, NaN and infinite included, makes a map panic; what comes out is orthonormal or not finite, so that callers can tell.
    #[test]
    fn nothing_panics(column in prop::array::uniform6(prop::num::f64::ANY)) {
        let twist = Twist::from(Vector6::from(column));
        let planar = Twist2::new(column[0], Vector2::new(column[1], column[2]));
        let maps = [Pose::exp(&twist), Pose::cay(&twist), Pose::ccsk(&twist)];
        for pose in maps {
            let _ = (pose.log(), pose.cay_inv(), pose * pose, Rotation(pose.rotation).log());
            prop_assert!(twist.is_finite() || !pose.is_finite());
            prop_assert!(!pose.is_finite() || (pose.rotation.norm() - 1.0).abs() < 1e-15);
        }
        for pose in [Pose2::exp(&planar), Pose2::cay(&planar), Pose2::ccsk(&planar)] {
            let _ = (pose.log(), pose.cay_inv(), pose * pose);
            prop_assert!(planar.is_finite() || !pose.is_finite());
            prop_assert!(!pose.is_finite() || (pose.rotation.norm() - 1.0).abs() < 1e-15);
        }
        let _ = (twist.dexp(), twist.dexp_inv(), twist.dcay(), twist.dcay_inv(), twist.dccsk(), twist.dccsk_inv());
    }
}
