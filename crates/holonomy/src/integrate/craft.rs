//! Vehicles that are one rigid body, pushed by controls and by what is around them (Kobilarov 2009, Sec. 4): helicopters, boats, submarines.

use nalgebra::{Matrix6, SMatrix, SVector, Vector6};

use super::controlled::Control;
use crate::Error;
use crate::lie::{Pose, Twist, Wrench};

/// What pushes a craft, body frame, and how that changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push<const M: usize> {
    /// Torque about the body's origin and force, N m and N.
    pub wrench: Wrench,
    /// By a small motion of the body from where it is, body frame (angular, linear).
    pub by_pose: Matrix6<f64>,
    /// By the body's velocity, body frame.
    pub by_twist: Matrix6<f64>,
    /// By each control.
    pub by_controls: SMatrix<f64, 6, M>,
}

/// A rigid body with M controls: its inertia and what pushes it are all that is its own.
pub trait Craft<const M: usize>: Clone + Sync {
    /// K, its inertia about the body's origin, added mass and all: constant, symmetric, positive.
    fn inertia(&self) -> Matrix6<f64>;

    /// Its controls.
    fn controls(&self) -> [Control; M];

    /// Refuses parameters that make no sense.
    ///
    /// # Errors
    /// The parameter, its value, and what is accepted.
    fn validate(&self) -> Result<(), Error>;

    /// What pushes it: weight, thrust, drag, buoyancy, wind. With exact derivatives; [`Push::by_differences`] where nobody worked them out.
    fn push(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, M>, time: f64) -> Push<M>;

    /// Second derivatives of ⟨weights, wrench⟩, which make plans converge fast; by differences unless a craft knows better.
    fn bend(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, M>, time: f64, weights: &Twist) -> Bend<M> {
        Bend::by_differences(pose, twist, controls, weights, |pose, twist, controls| self.push(pose, twist, controls, time))
    }
}

/// Second derivatives of ⟨weights, wrench⟩ by small motions of the body, its velocity and the controls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bend<const M: usize> {
    /// By pose and pose, symmetric part.
    pub pose_pose: Matrix6<f64>,
    /// By velocity and pose.
    pub twist_pose: Matrix6<f64>,
    /// By velocity and velocity.
    pub twist_twist: Matrix6<f64>,
    /// By controls and pose.
    pub controls_pose: SMatrix<f64, M, 6>,
    /// By controls and velocity.
    pub controls_twist: SMatrix<f64, M, 6>,
    /// By controls and controls.
    pub controls_controls: SMatrix<f64, M, M>,
}

impl<const M: usize> Bend<M> {
    /// Of a wrench that changes at constant rates.
    pub fn none() -> Bend<M> {
        let (zero, by_controls) = (Matrix6::zeros(), SMatrix::zeros());
        Bend {
            pose_pose: zero,
            twist_pose: zero,
            twist_twist: zero,
            controls_pose: by_controls,
            controls_twist: by_controls,
            controls_controls: SMatrix::zeros(),
        }
    }

    /// By central differences of the first derivatives.
    pub fn by_differences(
        pose: &Pose,
        twist: &Twist,
        controls: &SVector<f64, M>,
        weights: &Twist,
        push: impl Fn(&Pose, &Twist, &SVector<f64, M>) -> Push<M>,
    ) -> Bend<M> {
        let weights = Vector6::from(*weights);
        let gradient = |pose: &Pose, twist: &Twist, controls: &SVector<f64, M>| {
            let at = push(pose, twist, controls);
            (at.by_pose.tr_mul(&weights), at.by_twist.tr_mul(&weights), at.by_controls.tr_mul(&weights))
        };
        let along = |i: usize, by: f64| Twist::from(Vector6::from_fn(|j, _| if i == j { by } else { 0.0 }));
        let half = 0.5 / DIFFERENCE;
        let mut bend: Bend<M> = Bend::none();
        for i in 0..6 {
            let moved = |by: f64| gradient(&(*pose * Pose::exp(&along(i, by))), twist, controls);
            let (plus, minus) = (moved(DIFFERENCE), moved(-DIFFERENCE));
            bend.pose_pose.set_column(i, &((plus.0 - minus.0) * half));
            bend.twist_pose.set_column(i, &((plus.1 - minus.1) * half));
            bend.controls_pose.set_column(i, &((plus.2 - minus.2) * half));
            let moved = |by: f64| gradient(pose, &(*twist + along(i, by)), controls);
            let (plus, minus) = (moved(DIFFERENCE), moved(-DIFFERENCE));
            bend.twist_twist.set_column(i, &((plus.1 - minus.1) * half));
            bend.controls_twist.set_column(i, &((plus.2 - minus.2) * half));
        }
        for i in 0..M {
            let moved = |by: f64| gradient(pose, twist, &(controls + SVector::from_fn(|j, _| if i == j { by } else { 0.0 })));
            bend.controls_controls.set_column(i, &((moved(DIFFERENCE).2 - moved(-DIFFERENCE).2) * half));
        }
        bend.pose_pose = (bend.pose_pose + bend.pose_pose.transpose()) * 0.5;
        bend
    }
}

impl<const M: usize> Push<M> {
    /// A wrench with its derivatives by central differences: right to about 1e-9 of its size.
    pub fn by_differences(
        pose: &Pose,
        twist: &Twist,
        controls: &SVector<f64, M>,
        wrench: impl Fn(&Pose, &Twist, &SVector<f64, M>) -> Wrench,
    ) -> Push<M> {
        let column = |plus: Wrench, minus: Wrench| Vector6::from((plus - minus) * (0.5 / DIFFERENCE));
        let along = |i: usize, by: f64| Twist::from(Vector6::from_fn(|j, _| if i == j { by } else { 0.0 }));
        let by_pose = Matrix6::from_columns(&std::array::from_fn::<_, 6, _>(|i| {
            let moved = |by: f64| wrench(&(*pose * Pose::exp(&along(i, by))), twist, controls);
            column(moved(DIFFERENCE), moved(-DIFFERENCE))
        }));
        let by_twist = Matrix6::from_columns(&std::array::from_fn::<_, 6, _>(|i| {
            let moved = |by: f64| wrench(pose, &(*twist + along(i, by)), controls);
            column(moved(DIFFERENCE), moved(-DIFFERENCE))
        }));
        let by_controls = SMatrix::from_columns(&std::array::from_fn::<_, M, _>(|i| {
            let moved = |by: f64| wrench(pose, twist, &(controls + SVector::from_fn(|j, _| if i == j { by } else { 0.0 })));
            column(moved(DIFFERENCE), moved(-DIFFERENCE))
        }));
        Push { wrench: wrench(pose, twist, controls), by_pose, by_twist, by_controls }
    }
}

/// Step of the differences.
const DIFFERENCE: f64 = 1e-5;
