//! The laws of the groups, each written once and run for SO(3), SE(2) and SE(3) at the identity, near it, near a half turn and at
//! random, with fixed seeds. Beside each bound stand the errors measured, in the order SO(3), SE(2), SE(3).

mod closed_forms;
mod properties;
mod support;

use crate::random::Random;
use holonomy::lie::{LieAlgebra, Pose, Pose2, Rotation};
use holonomy::nalgebra::{SMatrix, SVector, Vector2, Vector3};
use support::{Case, derivative, gap, matrix_exp, samples, unit};

/// Runs each law for the three groups and holds the worst error of all samples against the bound.
macro_rules! laws {
    ($($law:ident <= $bound:literal)+) => { $(
        #[test]
        fn $law() {
            let worst = [worst::<3, Rotation>(laws::$law), worst::<3, Pose2>(laws::$law), worst::<6, Pose>(laws::$law)];
            println!("{}: {:.1e} {:.1e} {:.1e}", stringify!($law), worst[0], worst[1], worst[2]);
            assert!(worst.iter().all(|error| *error <= $bound), "{worst:?} exceeds {}", $bound);
        }
    )+ };
}

laws! {
    associativity <= 6e-15 // 1.2e-15, 1.4e-15, 2.3e-15
    identity_and_inverse <= 7e-15 // 1.1e-15, 6.8e-16, 2.5e-15
    action_is_a_homomorphism <= 4e-15 // 1.0e-15, 9.2e-16, 1.5e-15
    log_undoes_exp <= 2e-15 // 2.5e-16, 4.3e-16, 5.5e-16
    exp_undoes_log <= 5e-15 // 1.0e-15, 1.4e-15, 1.9e-15
    cay_inv_undoes_cay <= 2e-15 // 1.8e-16, 3.6e-16, 4.6e-16
    cay_undoes_cay_inv <= 7e-16 // 1.8e-16, 1.9e-16, 2.7e-16
    minus_is_inverse <= 3e-15 // 0.0, 8.0e-16, 1.2e-15
    tangent_turns_into_that_of_minus <= 4e-15 // 8.9e-16, 6.7e-16, 1.3e-15
    adjoint_of_exp_is_exp_of_ad <= 2e-14 // 2.8e-15, 3.6e-15, 5.1e-15
    adjoint_is_a_homomorphism <= 5e-15 // 1.3e-15, 4.4e-16, 1.8e-15
    adjoint_is_conjugation <= 2e-14 // 1.8e-15, 1.0e-15, 4.3e-15
    ad_is_the_derivative_of_adjoint <= 3e-14 // 6.1e-15, 1.1e-14, 9.8e-15
    bracket_is_a_lie_bracket <= 2e-14 // 3.6e-15, 3.6e-15, 4.4e-15
    dexp_is_the_derivative_of_exp <= 1e-13 // 1.5e-14, 2.1e-14, 4.1e-14
    dcay_is_the_derivative_of_cay <= 8e-14 // 8.2e-15, 2.2e-14, 3.1e-14
    dccsk_is_the_derivative_of_ccsk <= 1e-13 // 1.4e-14, 2.4e-14, 4.0e-14
    tangents_and_inverses <= 3e-15 // 4.4e-16, 3.5e-16, 8.9e-16
    dexp_inv_is_the_bernoulli_series <= 8e-15 // 5.6e-16, 1.6e-15, 3.2e-15
    frames_of_momenta <= 9e-15 // 3.6e-15, 1.3e-15, 2.7e-15
    matrices_and_transposes <= 3e-15 // 4.4e-16, 8.9e-16, 8.9e-16
    ccsk_is_the_product <= 5e-15 // 4.6e-16, 1.0e-15, 2.0e-15
    derivative_of_the_dual_tangent <= 3e-15 // 4.4e-16, 8.9e-16, 6.7e-16
}

/// The worst error of a law over all samples, with three more random twists and a momentum at hand.
fn worst<const N: usize, G: Case<N>>(law: impl Fn(&Given<N, G>) -> f64) -> f64 {
    let mut random = Random(7);
    let errors = samples::<N, G>().into_iter().map(|xi| {
        let mut twist = || G::Twist::from(random.column::<N>() * 2.0);
        let (eta, zeta) = (twist(), twist());
        law(&Given { xi, eta, zeta, mu: G::Momentum::from(random.column::<N>()), point: G::probes()[1] })
    });
    errors.fold(0.0, |worst: f64, error| if error.is_nan() { f64::NAN } else { worst.max(error) })
}

/// What a law may use: a twist of the sample, two of size 2 at random, a momentum and a point.
struct Given<const N: usize, G: Case<N>> {
    xi: G::Twist,
    eta: G::Twist,
    zeta: G::Twist,
    mu: G::Momentum,
    point: G::Point,
}

/// Each law returns its error: absolute, or relative where it says so.
mod laws {
    use super::*;

    type Matrix<const N: usize> = SMatrix<f64, N, N>;
    type Column<const N: usize> = SVector<f64, N>;

    pub fn associativity<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (a, b, c) = (G::exp(&given.xi), G::exp(&given.eta), G::exp(&given.zeta));
        gap(&((a * b) * c), &(a * (b * c)))
    }

    pub fn identity_and_inverse<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (one, g) = (G::identity(), G::exp(&given.xi));
        let neutral = gap(&(one * g), &g).max(gap(&(g * one), &g));
        neutral.max(gap(&(g * g.inverse()), &one)).max(gap(&(g.inverse() * g), &one))
    }

    pub fn action_is_a_homomorphism<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (a, b) = (G::exp(&given.xi), G::exp(&given.eta));
        G::distance(&(a * b).act(&given.point), &a.act(&b.act(&given.point)))
    }

    /// Relative, for the angular and the linear part each: exact near zero means to all digits.
    pub fn log_undoes_exp<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        support::relative_gap::<N, G>(&G::exp(&given.xi).log(), &given.xi)
    }

    pub fn exp_undoes_log<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let g = G::exp(&given.xi) * G::exp(&given.eta);
        gap(&G::exp(&g.log()), &g)
    }

    /// Relative, for the angular and the linear part each.
    pub fn cay_inv_undoes_cay<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        G::cay(&given.xi).cay_inv().map_or(f64::NAN, |back| support::relative_gap::<N, G>(&back, &given.xi))
    }

    /// Relative to the twist, which is 4e12 long at π - 1e-12.
    pub fn cay_undoes_cay_inv<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let g = G::exp(&given.xi);
        g.cay_inv().map_or(f64::NAN, |xi| gap(&G::cay(&xi), &g) / (1.0 + xi.into().norm()))
    }

    pub fn minus_is_inverse<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let exp = gap(&G::exp(&-given.xi), &G::exp(&given.xi).inverse());
        exp.max(gap(&G::cay(&-given.xi), &G::cay(&given.xi).inverse()))
    }

    /// C(ξ) Ad(τ(ξ)) = C(-ξ): the identity behind all exact momentum conservation.
    pub fn tangent_turns_into_that_of_minus<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (xi, minus) = (given.xi, -given.xi);
        let exp = (xi.dexp_inv() * G::exp(&xi).adjoint() - minus.dexp_inv()).abs().max();
        exp.max((xi.dcay_inv() * G::cay(&xi).adjoint() - minus.dcay_inv()).abs().max())
    }

    pub fn adjoint_of_exp_is_exp_of_ad<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        (G::exp(&given.xi).adjoint() - matrix_exp(&given.xi.ad())).abs().max()
    }

    pub fn adjoint_is_a_homomorphism<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (a, b) = (G::exp(&given.xi), G::exp(&given.eta));
        let product = ((a * b).adjoint() - a.adjoint() * b.adjoint()).abs().max();
        let applied: Column<N> = a.adjoint_apply(&given.eta).into();
        product.max((applied - a.adjoint() * given.eta.into()).abs().max())
    }

    /// g exp(η) g⁻¹ = exp(Ad(g) η).
    pub fn adjoint_is_conjugation<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let g = G::exp(&given.xi);
        gap(&(g * G::exp(&given.eta) * g.inverse()), &G::exp(&g.adjoint_apply(&given.eta)))
    }

    pub fn ad_is_the_derivative_of_adjoint<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let xi = given.xi * 0.25; // slow enough for the difference formula
        let rate = derivative(|h| G::exp(&(xi * h)).adjoint_apply(&given.eta).into());
        (rate - xi.ad() * given.eta.into()).abs().max()
    }

    /// Antisymmetry, Jacobi's identity, and the bracket as ad applied.
    pub fn bracket_is_a_lie_bracket<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (x, y, z) = (&given.xi, &given.eta, &given.zeta);
        let jacobi: Column<N> = (x.bracket(&y.bracket(z)) + y.bracket(&z.bracket(x)) + z.bracket(&x.bracket(y))).into();
        let antisymmetry: Column<N> = (x.bracket(y) + y.bracket(x)).into();
        let applied: Column<N> = x.bracket(y).into();
        jacobi.abs().max().max(antisymmetry.abs().max()).max((applied - x.ad() * (*y).into()).abs().max())
    }

    fn tangent_error<const N: usize, G: Case<N>>(xi: &G::Twist, tau: impl Fn(&G::Twist) -> G, tangent: Matrix<N>) -> f64 {
        let back = tau(xi).inverse();
        let column = |i| derivative(|h| (tau(&(*xi + G::Twist::from(unit::<N>(i) * h))) * back).log().into());
        (0..N).map(|i| (column(i) - tangent.column(i)).abs().max()).fold(0.0, f64::max)
    }

    pub fn dexp_is_the_derivative_of_exp<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        tangent_error::<N, G>(&given.xi, G::exp, given.xi.dexp())
    }

    pub fn dcay_is_the_derivative_of_cay<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        tangent_error::<N, G>(&given.xi, G::cay, given.xi.dcay())
    }

    pub fn dccsk_is_the_derivative_of_ccsk<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        tangent_error::<N, G>(&given.xi, G::ccsk, given.xi.dccsk())
    }

    /// dτ dτ⁻¹ = I; for ccsk away from gimbal lock.
    pub fn tangents_and_inverses<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let error = |product: Matrix<N>| (product - Matrix::identity()).abs().max();
        let xi = given.xi;
        let safe = xi * 0.3;
        let ccsk = safe.dccsk_inv().map_or(f64::NAN, |inverse| error(safe.dccsk() * inverse));
        error(xi.dexp() * xi.dexp_inv()).max(error(xi.dcay() * xi.dcay_inv())).max(ccsk)
    }

    /// I - ½ ad + c2 ad² + c4 ad⁴, the closed form in powers of ad, and below 0.5 its series.
    pub fn dexp_inv_is_the_bernoulli_series<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let ad = given.xi.ad();
        let angle = support::angle::<N, G>(&given.xi);
        let (c2, c4) = support::bernoulli_coefficients(angle);
        let squared = ad * ad;
        let reference = Matrix::identity() - ad * 0.5 + squared * c2 + squared * squared * c4;
        (given.xi.dexp_inv() - reference).abs().max()
    }

    /// <Ad(g)ᵀ μ, ξ> = <μ, Ad(g) ξ>, and the two frames undo each other.
    pub fn frames_of_momenta<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let g = G::exp(&given.xi);
        let dual = given.eta.pair(&g.momentum_to_body(&given.mu)) - g.adjoint_apply(&given.eta).pair(&given.mu);
        let invariant = g.adjoint_apply(&given.eta).pair(&g.momentum_to_world(&given.mu)) - given.eta.pair(&given.mu);
        let there_and_back: Column<N> = (g.momentum_to_body(&g.momentum_to_world(&given.mu)) - given.mu).into();
        dual.abs().max(invariant.abs()).max(there_and_back.abs().max())
    }

    /// Every tangent applied to a twist is its matrix, and every dual the transpose.
    pub fn matrices_and_transposes<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let (xi, eta, mu) = (&given.xi, &given.eta, &given.mu);
        let applied = |twist: G::Twist, matrix: Matrix<N>| (twist.into() - matrix * (*eta).into()).abs().max();
        let error = |dual: G::Momentum, matrix: Matrix<N>| (dual.into() - matrix.transpose() * (*mu).into()).abs().max();
        [
            applied(xi.dexp_apply(eta), xi.dexp()),
            applied(xi.dexp_inv_apply(eta), xi.dexp_inv()),
            applied(xi.dcay_apply(eta), xi.dcay()),
            applied(xi.dcay_inv_apply(eta), xi.dcay_inv()),
            error(xi.ad_dual(mu), xi.ad()),
            error(xi.dexp_dual(mu), xi.dexp()),
            error(xi.dexp_inv_dual(mu), xi.dexp_inv()),
            error(xi.dcay_dual(mu), xi.dcay()),
            error(xi.dcay_inv_dual(mu), xi.dcay_inv()),
        ]
        .into_iter()
        .fold(0.0, f64::max)
    }

    /// ccsk is the product of exponentials; column i of its tangent is Ad of the factors before i, applied to eᵢ.
    pub fn ccsk_is_the_product<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let coordinates: Column<N> = given.xi.into();
        let tangent = given.xi.dccsk();
        let (mut product, mut error) = (G::identity(), 0.0_f64);
        for i in 0..N {
            let column: Column<N> = product.adjoint_apply(&G::Twist::from(unit::<N>(i))).into();
            error = error.max((column - tangent.column(i)).abs().max());
            product = product * G::exp(&G::Twist::from(unit::<N>(i) * coordinates[i]));
        }
        error.max(gap(&G::ccsk(&given.xi), &product))
    }

    /// dcay⁻¹(ξ)ᵀ μ is quadratic in ξ: the central difference is exact, whatever the step.
    pub fn derivative_of_the_dual_tangent<const N: usize, G: Case<N>>(given: &Given<N, G>) -> f64 {
        let jacobian = given.xi.dcay_inv_dual_jacobian(&given.mu);
        let value = |i, h| -> Column<N> { (given.xi + G::Twist::from(unit::<N>(i) * h)).dcay_inv_dual(&given.mu).into() };
        (0..N).map(|i| ((value(i, 1.0) - value(i, -1.0)) * 0.5 - jacobian.column(i)).abs().max()).fold(0.0, f64::max)
    }
}

/// Ten million compositions of a small screw: the pose stays orthonormal, and ends where the exponential of the whole says.
fn long_product<const N: usize, G: Case<N>>() -> (f64, f64) {
    const STEPS: usize = 10_000_000;
    // 4000.3 rad and as many metres: many turns, and a step of a size that integrators take.
    let whole = support::twist_of_angle::<N, G>(&mut Random(11), 4000.3, 1000.0);
    let step = G::exp(&(whole * (1.0 / STEPS as f64)));
    let mut pose = G::identity();
    for _ in 0..STEPS {
        pose = pose * step;
    }
    (pose.orthonormality_error(), gap(&pose, &G::exp(&whole)))
}

#[test]
fn ten_million_compositions_stay_orthonormal() {
    let results = [long_product::<3, Rotation>(), long_product::<3, Pose2>(), long_product::<6, Pose>()];
    println!("(orthonormality, drift): {results:?}");
    assert!(results.iter().all(|(orthonormality, _)| *orthonormality < 1e-15)); // 2.2e-16, 0, 2.2e-16
    assert!(results.iter().all(|(_, drift)| *drift < 1e-8)); // 1.2e-11, 4.9e-14, 3.3e-9 m at the end of a kilometre
}

/// The plane lies in the world as its own motions say: level(g h) x = level(g) level(h) x.
#[test]
fn the_plane_lies_level_in_the_world() {
    let (g, h) = (Pose2::from_angle_translation(0.7, Vector2::new(2.0, -1.0)), Pose2::from_angle_translation(-2.9, Vector2::new(0.3, 0.4)));
    let at = |p: Vector2<f64>| Vector3::new(p.x, 0.0, -p.y);
    let p = Vector2::new(-1.5, 0.25);
    assert!(((g * h).level(0.0).act(&at(p)) - at((g * h).act(&p))).norm() < 1e-15); // measured 5e-16
    assert!(((g * h).level(0.0).act(&at(p)) - g.level(0.0).act(&h.level(0.0).act(&at(p)))).norm() < 2e-15); // measured 9e-16
    assert_eq!(g.level(3.0).translation.y, 3.0);
}
