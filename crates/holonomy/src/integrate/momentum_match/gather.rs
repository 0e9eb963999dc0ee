//! The one pass over the vertices of a time edge.

use nalgebra::{Matrix3, Vector3};

use super::moments::Half;
use crate::medium::MetricFrame;

/// Moments of both halves about the two centres, and Σ (trace B + trace C) |x − p|².
pub(super) fn moments(old: &MetricFrame, old_center: &Vector3<f64>, new: &MetricFrame, new_center: &Vector3<f64>) -> (Half, Half, f64) {
    let zero = Half {
        metric: [0.0; 6],
        first: [Vector3::zeros(); 6],
        second: [Matrix3::zeros(); 6],
        pull: Vector3::zeros(),
        pull_first: Matrix3::zeros(),
        gap: 0.0,
    };
    let (mut a, mut b, mut distance) = (zero, zero, 0.0);
    for j in 0..old.points.len().min(new.points.len()) {
        let (p, x) = (old.points[j] - old_center, new.points[j] - new_center);
        add(&mut a, x, x - p, old.axes[j], old.round[j], old.axial[j]);
        add(&mut b, p, p - x, new.axes[j], new.round[j], new.axial[j]);
        distance += (3.0 * (old.round[j] + new.round[j]) + old.axial[j] + new.axial[j]) * (x - p).norm_squared();
    }
    (a, b, distance)
}

fn add(half: &mut Half, x: Vector3<f64>, e: Vector3<f64>, u: Vector3<f64>, round: f64, axial: f64) {
    let m = Matrix3::identity() * round + u * u.transpose() * axial;
    for (k, v) in [m[(0, 0)], m[(0, 1)], m[(0, 2)], m[(1, 1)], m[(1, 2)], m[(2, 2)]].into_iter().enumerate() {
        half.metric[k] += v;
        half.first[k] += x * v;
        half.second[k] += x * (x * v).transpose();
    }
    let f = m * e;
    half.pull += f;
    half.pull_first += f * x.transpose();
    half.gap += f.dot(&e);
}

/// Σ w (p − c)(x − ĉ)ᵀ, weighted by the isotropic parts: what the best rotation is found from.
pub(super) fn fit(old: &MetricFrame, old_center: &Vector3<f64>, new: &MetricFrame, new_center: &Vector3<f64>) -> Matrix3<f64> {
    let term = |j: usize| (old.points[j] - old_center) * ((new.points[j] - new_center) * (old.round[j] + new.round[j])).transpose();
    (0..old.points.len().min(new.points.len())).map(term).sum()
}
