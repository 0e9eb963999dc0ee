//! What the law suite stands on: samples with fixed seeds, distances, and independent references.

use holonomy::lie::{LieGroup, Pose, Pose2, Rotation};
use holonomy::nalgebra::{SMatrix, SVector, Vector2, Vector3};
use std::f64::consts::PI;

use crate::random::Random;

/// What the suite needs to know of a group beyond its laws.
pub trait Case<const N: usize>: LieGroup<N> {
    /// How many of the first components of a twist are angular.
    const ANGULAR: usize;
    /// The origin, then the unit points: where they go tells all of a motion.
    fn probes() -> Vec<Self::Point>;
    fn distance(a: &Self::Point, b: &Self::Point) -> f64;
    /// Largest entry of RᵀR - I.
    fn orthonormality_error(&self) -> f64;
}

macro_rules! case {
    ($group:ty, $n:literal, $angular:literal, $point:ident: $($axis:ident),+) => {
        impl Case<$n> for $group {
            const ANGULAR: usize = $angular;
            fn probes() -> Vec<Self::Point> {
                vec![$point::zeros(), $($point::$axis()),+]
            }
            fn distance(a: &Self::Point, b: &Self::Point) -> f64 {
                (a - b).norm()
            }
            fn orthonormality_error(&self) -> f64 {
                let rotation = self.rotation_matrix();
                (rotation.transpose() * rotation - SMatrix::identity()).abs().max()
            }
        }
    };
}
case!(Rotation, 3, 3, Vector3: x, y, z);
case!(Pose2, 3, 1, Vector2: x, y);
case!(Pose, 6, 3, Vector3: x, y, z);

/// Zero; near zero and near a half turn by 1e-3..1e-12, with linear parts as small as the angle and of size one; 100 at random.
pub fn samples<const N: usize, G: Case<N>>() -> Vec<G::Twist> {
    let mut random = Random(3);
    let mut samples = vec![G::Twist::from(SVector::zeros())];
    for small in (3..=12).map(|digits| 10.0_f64.powi(-digits)) {
        for (angle, linear) in [(small, small), (small, 1.0), (PI - small, small), (PI - small, 1.0)] {
            samples.push(twist_of_angle::<N, G>(&mut random, angle, linear));
        }
    }
    for _ in 0..100 {
        let angle = 0.5 * PI * (1.0 + random.signed());
        samples.push(twist_of_angle::<N, G>(&mut random, angle, 2.0));
    }
    samples
}

/// A twist in a random direction whose angular part has length `angle` and whose linear components are at most `linear`.
pub fn twist_of_angle<const N: usize, G: Case<N>>(random: &mut Random, angle: f64, linear: f64) -> G::Twist {
    let mut column = random.column::<N>() * linear;
    let mut angular = column.rows_mut(0, G::ANGULAR);
    angular *= angle / angular.norm();
    column.into()
}

pub fn angle<const N: usize, G: Case<N>>(twist: &G::Twist) -> f64 {
    let column: SVector<f64, N> = (*twist).into();
    column.rows(0, G::ANGULAR).norm()
}

/// The largest distance between the images of the probes.
pub fn gap<const N: usize, G: Case<N>>(a: &G, b: &G) -> f64 {
    G::probes().iter().map(|x| G::distance(&a.act(x), &b.act(x))).fold(0.0, f64::max)
}

/// Error relative to the exact twist, of the angular and the linear part each.
pub fn relative_gap<const N: usize, G: Case<N>>(twist: &G::Twist, exact: &G::Twist) -> f64 {
    let (error, exact): (SVector<f64, N>, SVector<f64, N>) = ((*twist - *exact).into(), (*exact).into());
    let part = |start: usize, length: usize| match exact.rows(start, length).norm() {
        0.0 => error.rows(start, length).norm(),
        size => error.rows(start, length).norm() / size,
    };
    part(0, G::ANGULAR).max(part(G::ANGULAR, N - G::ANGULAR))
}

pub fn unit<const N: usize>(i: usize) -> SVector<f64, N> {
    SVector::from_fn(|row, _| if row == i { 1.0 } else { 0.0 })
}

/// f'(0) by the central difference of tenth order: at step 1/32 truncation and round-off are both near 1e-14.
pub fn derivative<const N: usize>(f: impl Fn(f64) -> SVector<f64, N>) -> SVector<f64, N> {
    const STEP: f64 = 1.0 / 32.0;
    const WEIGHTS: [f64; 5] = [5.0 / 6.0, -5.0 / 21.0, 5.0 / 84.0, -5.0 / 504.0, 1.0 / 1260.0];
    let term = |(i, weight): (usize, f64)| (f((i + 1) as f64 * STEP) - f(-((i + 1) as f64) * STEP)) * (weight / STEP);
    WEIGHTS.into_iter().enumerate().map(term).sum()
}

/// Matrix exponential by Taylor series, scaled and squared; knows nothing of groups.
pub fn matrix_exp<const N: usize>(matrix: &SMatrix<f64, N, N>) -> SMatrix<f64, N, N> {
    const HALVINGS: i32 = 4;
    let small = matrix * 0.5_f64.powi(HALVINGS);
    let (mut sum, mut term) = (SMatrix::identity(), SMatrix::identity());
    for k in 1..=20 {
        term = term * small / k as f64;
        sum += term;
    }
    (0..HALVINGS).fold(sum, |power, _| power * power)
}

/// c2 and c4 of dexp⁻¹ = I - ½ ad + c2 ad² + c4 ad⁴.
pub fn bernoulli_coefficients(t: f64) -> (f64, f64) {
    let q = t * t;
    if t >= 0.5 {
        let versine = 2.0 * (0.5 * t).sin().powi(2);
        return (2.0 / q - (t + 3.0 * t.sin()) / (4.0 * t * versine), 1.0 / (q * q) - (t + t.sin()) / (4.0 * t * q * versine));
    }
    let c2 = [1.0 / 12.0, 0.0, -1.0 / 30240.0, -1.0 / 604800.0, -1.0 / 15966720.0, -691.0 / 326918592000.0, -1.0 / 14944849920.0];
    let c4 = [-1.0 / 720.0, -1.0 / 15120.0, -1.0 / 403200.0, -1.0 / 11975040.0, -691.0 / 261534873600.0, -1.0 / 12454041600.0];
    let sum = |series: &[f64]| series.iter().rev().fold(0.0, |sum, c| sum * q + c);
    (sum(&c2), sum(&c4))
}
