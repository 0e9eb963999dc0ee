//! Scalar functions of `q = |ω|²` in the exponential, its tangents and the logarithm.
//!
//! On so(3) and se(2) every power series in ad collapses to a quadratic polynomial whose coefficients depend on q only:
//! Rodrigues for exp, Iserles, Munthe-Kaas, Nørsett and Zanna (2000) for the tangent and its inverse. On se(3), where
//! ad(ω, v) is the first-order change of ω^ towards v, the same polynomial and its derivative along v give the blocks.
//!
//! The closed forms cancel near zero, so below `q = 1` each is summed as its Taylor series, to the last term that counts in
//! `f64`, without square root or trigonometry. Relative errors measured against 80 digits, |ω| from 1e-8 to 3.2: sin(t/2)/t 2e-16,
//! a 4e-16, b 1e-15, k 2e-15. The slopes lose more just above the switch (3e-14 for dexp, 1.5e-13 for dexp⁻¹), but they are small
//! there (under 4e-2 and 2e-3), so in the tangents nothing is seen of it.
//!
//! | symbol | here | is |
//! |---|---|---|
//! | t, q | `angle`, `squared_angle` | \|ω\| and \|ω\|² |
//! | a | [`dexp`]`.linear` | (1 - cos t)/t² |
//! | b | [`dexp`]`.quadratic` | (t - sin t)/t³ |
//! | k | [`dexp_inverse`]`.quadratic` | (1 - (t/2) cot(t/2))/t² |

/// Below this q the series are used; at 1 both ways are good to round-off.
const SERIES_BELOW: f64 = 1.0;

/// `f(ω^) = I + linear ω^ + quadratic ω^²`, with the derivatives of both coefficients by q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// Coefficient of ω^, 1/rad.
    pub linear: f64,
    /// Coefficient of ω^², 1/rad².
    pub quadratic: f64,
    /// d `linear` / dq.
    pub linear_slope: f64,
    /// d `quadratic` / dq.
    pub quadratic_slope: f64,
}

/// Coefficients of the right-trivialised tangent of exp: dexp(ω) = I + a ω^ + b ω^².
#[inline]
pub fn dexp(squared_angle: f64) -> Coefficients {
    let q = squared_angle;
    let (cos_half, sinc_half) = half_angle(q);
    let linear = 2.0 * sinc_half * sinc_half;
    let quadratic = dexp_quadratic(q, cos_half, sinc_half);
    let (linear_slope, quadratic_slope) = if q < SERIES_BELOW {
        (horner(&DEXP_LINEAR_SLOPE, q), horner(&DEXP_QUADRATIC_SLOPE, q))
    } else {
        ((cos_half * sinc_half - linear) / q, (linear - 3.0 * quadratic) / (2.0 * q))
    };
    Coefficients { linear, quadratic, linear_slope, quadratic_slope }
}

/// Coefficients of the inverse tangent: dexp⁻¹(ω) = I - ½ ω^ + k ω^². Singular at a full turn, |ω| = 2π.
#[inline]
pub fn dexp_inverse(squared_angle: f64) -> Coefficients {
    let q = squared_angle;
    let (quadratic, quadratic_slope) = if q < SERIES_BELOW {
        (horner(&INVERSE_QUADRATIC, q), horner(&INVERSE_QUADRATIC_SLOPE, q))
    } else {
        let half = 0.5 * q.sqrt();
        let (sin, cos) = half.sin_cos();
        let k = (1.0 - half * cos / sin) / q;
        (k, (0.125 / (sin * sin) - 0.125 * cos / (sin * half) - k) / q)
    };
    Coefficients { linear: -0.5, quadratic, linear_slope: 0.0, quadratic_slope }
}

/// (cos(t/2), sin(t/2)/t): the unit quaternion of exp(ω) is `(cos(t/2), sin(t/2)/t ω)`.
#[inline]
pub fn half_angle(squared_angle: f64) -> (f64, f64) {
    if squared_angle < SERIES_BELOW {
        let quarter = 0.25 * squared_angle;
        (horner(&COSINE, quarter), 0.5 * horner(&SINC, quarter))
    } else {
        let angle = squared_angle.sqrt();
        let (sin, cos) = (0.5 * angle).sin_cos();
        (cos, sin / angle)
    }
}

/// b = (t - sin t)/t³, given what [`half_angle`] returned: sin t/t = 2 cos(t/2) sin(t/2)/t.
#[inline]
pub fn dexp_quadratic(squared_angle: f64, cos_half: f64, sinc_half: f64) -> f64 {
    if squared_angle < SERIES_BELOW { horner(&DEXP_QUADRATIC, squared_angle) } else { (1.0 - 2.0 * cos_half * sinc_half) / squared_angle }
}

/// k = (1 - (t/2) cot(t/2))/t² from (t/2) cot(t/2), which a logarithm knows without trigonometry.
#[inline]
pub fn inverse_quadratic(squared_angle: f64, half_cotangent: f64) -> f64 {
    if squared_angle < SERIES_BELOW { horner(&INVERSE_QUADRATIC, squared_angle) } else { (1.0 - half_cotangent) / squared_angle }
}

/// k'' by q, from k and k'. Below q = 1, where its closed form cancels, the series: off by less than 5e-10 of 7e-5.
pub fn inverse_quadratic_bend(squared_angle: f64, k: f64, slope: f64) -> f64 {
    let q = squared_angle;
    if q < 1.0 {
        1.0 / 15_120.0 + q * (1.0 / 201_600.0 + q * (1.0 / 3_991_680.0 + q * (691.0 / 65_383_718_400.0)))
    } else {
        (k * k - 5.0 * slope + 2.0 * q * k * slope) / (2.0 * q)
    }
}

/// c₀ + c₁ q + c₂ q² + …
#[inline]
fn horner<const TERMS: usize>(coefficients: &[f64; TERMS], q: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * q + c)
}

/// cos √x = Σ (-x)ⁿ/(2n)!
const COSINE: [f64; 8] =
    [1.0, -1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0, -1.0 / 87_178_291_200.0];

/// sin √x / √x = Σ (-x)ⁿ/(2n+1)!
const SINC: [f64; 8] =
    [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5_040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0, 1.0 / 6_227_020_800.0, -1.0 / 1_307_674_368_000.0];

/// b = Σ (-q)ⁿ/(2n+3)!
const DEXP_QUADRATIC: [f64; 9] = [
    1.0 / 6.0,
    -1.0 / 120.0,
    1.0 / 5_040.0,
    -1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    -1.0 / 6_227_020_800.0,
    1.0 / 1_307_674_368_000.0,
    -1.0 / 355_687_428_096_000.0,
    1.0 / 121_645_100_408_832_000.0,
];

/// da/dq, a = Σ (-q)ⁿ/(2n+2)!
const DEXP_LINEAR_SLOPE: [f64; 9] = [
    -1.0 / 24.0,
    1.0 / 360.0,
    -1.0 / 13_440.0,
    1.0 / 907_200.0,
    -1.0 / 95_800_320.0,
    1.0 / 14_529_715_200.0,
    -1.0 / 2_988_969_984_000.0,
    1.0 / 800_296_713_216_000.0,
    -1.0 / 270_322_445_352_960_000.0,
];

/// db/dq.
const DEXP_QUADRATIC_SLOPE: [f64; 9] = [
    -1.0 / 120.0,
    1.0 / 2_520.0,
    -1.0 / 120_960.0,
    1.0 / 9_979_200.0,
    -1.0 / 1_245_404_160.0,
    1.0 / 217_945_728_000.0,
    -1.0 / 50_812_489_728_000.0,
    1.0 / 15_205_637_551_104_000.0,
    -1.0 / 5_676_771_352_412_160_000.0,
];

/// k = Σ |B₂ₙ|/(2n)! qⁿ⁻¹, n ≥ 1, with the Bernoulli numbers B.
const INVERSE_QUADRATIC: [f64; 11] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3_617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    174_611.0 / 802_857_662_698_291_200_000.0,
    77_683.0 / 14_101_100_039_391_805_440_000.0,
];

/// dk/dq, one term further than k itself.
const INVERSE_QUADRATIC_SLOPE: [f64; 11] = [
    1.0 / 720.0,
    2.0 / 30_240.0,
    3.0 / 1_209_600.0,
    4.0 / 47_900_160.0,
    5.0 * 691.0 / 1_307_674_368_000.0,
    6.0 / 74_724_249_600.0,
    7.0 * 3_617.0 / 10_670_622_842_880_000.0,
    8.0 * 43_867.0 / 5_109_094_217_170_944_000.0,
    9.0 * 174_611.0 / 802_857_662_698_291_200_000.0,
    10.0 * 77_683.0 / 14_101_100_039_391_805_440_000.0,
    11.0 * 236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];
