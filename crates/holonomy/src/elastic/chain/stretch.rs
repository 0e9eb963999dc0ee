//! λ = σ₁ + σ₂ + σ₃, the sum of the signed stretches of a deformation F: all that its polar decomposition F = R S needs.
//!
//! With a = |F|² = Σσᵢ², b = |cof F|² = Σ(σᵢσⱼ)², d = det F = σ₁σ₂σ₃ and i₂ = σ₁σ₂ + σ₂σ₃ + σ₃σ₁:
//!
//! ```text
//! λ² = a + 2 i₂ and i₂² = b + 2 d λ,   so   f(λ) = (λ² − a)² − 8 d λ − 4 b = 0
//! R = [(λ² − i₂) F − F FᵀF + λ cof F]/D,   D = λ i₂ − d = (σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁) = f'(λ)/8
//! ```
//!
//! The first line squares the definition of λ and then that of i₂. The second, in the principal axes: the first entry of the bracket is
//! σ₁(σ₂² + σ₃² + i₂) + λσ₂σ₃ = D, and so are the others, so the bracket is D U Vᵀ.
//!
//! The other roots are σ₁ − σ₂ − σ₃ and its likes, so λ is the largest one, the inverted F included (there the smallest stretch is the
//! negative one). Beyond it f is convex, so Newton's method from √(3a) ≥ λ falls onto it. A root is the largest one if f' > 0 and
//! 3λ² > a: the roots sum to nothing and their squares to 4a, so of three positive ones the third is √(a/3) at most.

use crate::shape::lanes::{FOUR, Four};

/// Error of λ, in parts of it, with which an iteration ends.
const PART: f64 = 1e-13;

/// Newton steps from a good guess: two or three are taken.
const FEW: usize = 6;

/// Steps from above: where two stretches add up to nothing the root is double, and each step only halves the error.
const MANY: usize = 60;

/// D is kept above this part of a λ. There the rotation jumps; the force that is found in its stead is bounded.
const LEAST: f64 = 1e-8;

/// Below any D: an element that is gathered in one point has no direction to push in.
const NOTHING: f64 = 1e-60;

/// λ and D.
#[inline(always)]
pub(super) fn stretch_sum<V: Four>(guess: V, a: V, b: V, d: V) -> (V, V) {
    let (three, eight, part) = (a.splat(3.0), a.splat(8.0), a.splat(PART));
    let four_b = b * a.splat(4.0);
    let mut sum = guess;
    for _ in 0..FEW {
        let square = sum * sum;
        let excess = square - a;
        // f' = 8 D and f'' = 4 (3λ² − a).
        let denominator = sum.mul_sub(excess * a.splat(0.5), d);
        let value = excess.mul_sub(excess, (d * eight).mul_add(sum, four_b));
        let change = value / (denominator * eight);
        let curved = three.mul_sub(square, a);
        // Newton leaves change² f''/(2f').
        let enough = (part * sum * denominator).mul_sub(a.splat(4.0), change * change * curved);
        sum = sum - change;
        if !enough.min(curved).min(denominator).any_negative() {
            return (sum, with_denominator(sum, a, d));
        }
    }
    let (a4, b4, d4) = (a.array(), b.array(), d.array());
    let mut found = [0.0; FOUR];
    for i in 0..FOUR {
        found[i] = from_above(a4[i], b4[i], d4[i]);
    }
    let sum = guess.with(found);
    (sum, with_denominator(sum, a, d))
}

/// D, kept off zero.
#[inline(always)]
fn with_denominator<V: Four>(sum: V, a: V, d: V) -> V {
    let half_excess = sum.mul_sub(sum, a) * a.splat(0.5);
    sum.mul_sub(half_excess, d).max((a * sum).mul_add(a.splat(LEAST), a.splat(NOTHING)))
}

/// λ without a guess.
#[cold]
#[inline(never)]
pub(super) fn from_above(a: f64, b: f64, d: f64) -> f64 {
    let mut sum = (3.0 * a).sqrt();
    for _ in 0..MANY {
        let excess = sum * sum - a;
        let slope = 4.0 * sum * excess - 8.0 * d;
        let change = (excess * excess - 8.0 * d * sum - 4.0 * b) / slope;
        // Round-off, or a double root, or no size at all.
        if !(slope > 0.0 && change > 0.0) {
            break;
        }
        sum -= change;
        if change <= 1e-16 * sum {
            break;
        }
    }
    sum
}
