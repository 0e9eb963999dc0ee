//! Moments of inertia for which the discrete Moser–Veselov step is of high order.
//!
//! That step goes along the exact orbit of the body whose moments it has, only at another pace: it keeps energy and momentum, and with
//! them every polynomial of both. So other moments, the same for a whole motion, set the pace right (Hairer and Vilmart 2006):
//!
//! ```text
//! 1/Ĩ = a/I + b,   a = 1 + h² a₃ + h⁴ a₅ + …,   b = h² b₃ + h⁴ b₅ + …
//! ```
//!
//! Each coefficient is a polynomial of |y|², 2T = Σ y²/I and the elementary symmetric polynomials s₁, s₂, s₃ of 1/I. They come from the
//! power series in h of the exact rotation and of the step, compared order by order in exact fractions;
//! `rigid_body::moments_are_modified_to_any_even_order_up_to_ten` decides.

use nalgebra::Vector3;

/// How far the moments are modified, by the order of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModifiedMoments {
    /// Not at all.
    Order2,
    /// By h².
    Order4,
    /// By h⁴.
    Order6,
    /// By h⁶.
    Order8,
    /// By h⁸.
    Order10,
}

/// Numerator, denominator, and the powers of |y|², 2T, s₁, s₂, s₃.
type Term = (i32, i32, [usize; 5]);

/// The highest of them.
const HIGHEST: usize = 4;

impl ModifiedMoments {
    /// 1/Ĩ for the moments I, the angular momentum y (body frame, kg m²/s) and steps of `time_step` seconds.
    pub fn inverse(self, moments: &Vector3<f64>, momentum: &Vector3<f64>, time_step: f64) -> Vector3<f64> {
        let e = moments.map(|moment| 1.0 / moment);
        let squared = momentum.component_mul(momentum) * (time_step * time_step);
        let values = [squared.sum(), squared.dot(&e), e.sum(), e.x * e.y + e.y * e.z + e.z * e.x, e.x * e.y * e.z];
        let powers = values.map(|value| {
            let mut powers = [1.0; HIGHEST + 1];
            (1..=HIGHEST).for_each(|i| powers[i] = powers[i - 1] * value);
            powers
        });
        let term = |(over, under, by): &Term| {
            f64::from(*over) / f64::from(*under) * powers.iter().zip(by).map(|(powers, &by)| powers[by]).product::<f64>()
        };
        // The smallest first.
        let sum = |orders: &[&[Term]]| orders.iter().rev().map(|terms| terms.iter().map(term).sum::<f64>()).sum::<f64>();
        let orders = match self {
            ModifiedMoments::Order2 => 0,
            ModifiedMoments::Order4 => 1,
            ModifiedMoments::Order6 => 2,
            ModifiedMoments::Order8 => 3,
            ModifiedMoments::Order10 => 4,
        };
        e * (1.0 + sum(&PACE[..orders])) + Vector3::repeat(sum(&SHIFT[..orders]))
    }
}

/// a₃, a₅, a₇, a₉.
const PACE: [&[Term]; 4] = [
    &[(1, 12, [1, 0, 0, 1, 0]), (-1, 6, [0, 1, 1, 0, 0])],
    &[
        (1, 120, [2, 0, 0, 2, 0]),
        (-1, 40, [2, 0, 1, 0, 1]),
        (-1, 120, [1, 1, 1, 1, 0]),
        (1, 30, [1, 1, 0, 0, 1]),
        (1, 120, [0, 2, 2, 0, 0]),
        (-1, 240, [0, 2, 0, 1, 0]),
    ],
    &[
        (17, 20160, [3, 0, 0, 3, 0]),
        (-11, 3360, [3, 0, 1, 1, 1]),
        (5, 1008, [3, 0, 0, 0, 2]),
        (-1, 560, [2, 1, 1, 2, 0]),
        (11, 1680, [2, 1, 2, 0, 1]),
        (-1, 672, [2, 1, 0, 1, 1]),
        (1, 3360, [1, 2, 2, 1, 0]),
        (41, 20160, [1, 2, 0, 2, 0]),
        (-53, 5040, [1, 2, 1, 0, 1]),
        (-1, 5040, [0, 3, 3, 0, 0]),
        (1, 5040, [0, 3, 1, 1, 0]),
        (1, 280, [0, 3, 0, 0, 1]),
    ],
    &[
        (31, 362880, [4, 0, 0, 4, 0]),
        (-19, 40320, [4, 0, 1, 2, 1]),
        (1, 1920, [4, 0, 2, 0, 2]),
        (97, 241920, [4, 0, 0, 1, 2]),
        (-11, 51840, [3, 1, 1, 3, 0]),
        (17, 20160, [3, 1, 2, 1, 1]),
        (47, 120960, [3, 1, 0, 2, 1]),
        (-47, 15120, [3, 1, 1, 0, 2]),
        (13, 60480, [2, 2, 2, 2, 0]),
        (1, 40320, [2, 2, 0, 3, 0]),
        (-17, 20160, [2, 2, 3, 0, 1]),
        (1, 4032, [2, 2, 1, 1, 1]),
        (53, 20160, [2, 2, 0, 0, 2]),
        (-1, 181440, [1, 3, 3, 1, 0]),
        (-11, 30240, [1, 3, 1, 2, 0]),
        (23, 15120, [1, 3, 2, 0, 1]),
        (-23, 20160, [1, 3, 0, 1, 1]),
        (1, 362880, [0, 4, 4, 0, 0]),
        (-1, 241920, [0, 4, 2, 1, 0]),
        (17, 80640, [0, 4, 0, 2, 0]),
        (-3, 4480, [0, 4, 1, 0, 1]),
    ],
];

/// b₃, b₅, b₇, b₉.
const SHIFT: [&[Term]; 4] = [
    &[(-1, 6, [1, 0, 0, 0, 1]), (1, 12, [0, 1, 0, 1, 0])],
    &[
        (-1, 240, [2, 0, 0, 1, 1]),
        (-1, 240, [1, 1, 0, 2, 0]),
        (1, 30, [1, 1, 1, 0, 1]),
        (-1, 240, [0, 2, 1, 1, 0]),
        (-1, 40, [0, 2, 0, 0, 1]),
    ],
    &[
        (-19, 20160, [3, 0, 0, 2, 1]),
        (1, 280, [3, 0, 1, 0, 2]),
        (1, 10080, [2, 1, 0, 3, 0]),
        (-1, 10080, [2, 1, 1, 1, 1]),
        (-11, 1260, [2, 1, 0, 0, 2]),
        (13, 20160, [1, 2, 1, 2, 0]),
        (-1, 315, [1, 2, 2, 0, 1]),
        (11, 2016, [1, 2, 0, 1, 1]),
        (1, 10080, [0, 3, 2, 1, 0]),
        (-13, 10080, [0, 3, 0, 2, 0]),
        (1, 336, [0, 3, 1, 0, 1]),
    ],
    &[
        (-61, 725760, [4, 0, 0, 3, 1]),
        (3, 8960, [4, 0, 1, 1, 2]),
        (-61, 72576, [4, 0, 0, 0, 3]),
        (-1, 725760, [3, 1, 0, 4, 0]),
        (37, 120960, [3, 1, 1, 2, 1]),
        (-1, 840, [3, 1, 2, 0, 2]),
        (19, 20160, [3, 1, 0, 1, 2]),
        (-1, 24192, [2, 2, 1, 3, 0]),
        (19, 120960, [2, 2, 2, 1, 1]),
        (-19, 17280, [2, 2, 0, 2, 1]),
        (89, 30240, [2, 2, 1, 0, 2]),
        (-1, 24192, [1, 3, 2, 2, 0]),
        (97, 362880, [1, 3, 0, 3, 0]),
        (1, 5670, [1, 3, 3, 0, 1]),
        (-23, 30240, [1, 3, 1, 1, 1]),
        (-1, 560, [1, 3, 0, 0, 2]),
        (-1, 725760, [0, 4, 3, 1, 0]),
        (-1, 120960, [0, 4, 1, 2, 0]),
        (-1, 5760, [0, 4, 2, 0, 1]),
        (17, 26880, [0, 4, 0, 1, 1]),
    ],
];
