//! The quadratic program: against all choices of active inequalities, Karush–Kuhn–Tucker conditions, and inequalities that hang on each other.

use holonomy::nalgebra::{DMatrix, DVector, Matrix3, Matrix6, SMatrix, SVector, Vector3};
use holonomy::solve::quadratic::{Compliance, Inequality, Minimum, Outcome};

use crate::allocations;
use crate::random::Random;

fn random_stiffness<const N: usize>(random: &mut Random) -> SMatrix<f64, N, N> {
    let root = SMatrix::<f64, N, N>::from_fn(|_, _| random.signed());
    root * root.transpose() + SMatrix::identity() * 0.05
}

fn random_rows<const N: usize>(random: &mut Random, count: usize) -> Vec<Inequality<N>> {
    let mut row = |_| Inequality { normal: SVector::from_fn(|_, _| random.signed()), bound: 0.7 * random.signed() };
    (0..count).map(&mut row).collect()
}

fn minimise<const N: usize>(stiffness: &SMatrix<f64, N, N>, free: &SVector<f64, N>, rows: &[Inequality<N>]) -> Minimum<N> {
    solve(&Compliance::of_stiffness(stiffness).unwrap(), free, rows, 1e-13)
}

fn solve<const N: usize>(compliance: &Compliance<N>, free: &SVector<f64, N>, rows: &[Inequality<N>], tolerance: f64) -> Minimum<N> {
    compliance.minimise(free, |x| {
        let short = rows.iter().enumerate().map(|(j, row)| (j, row.bound - row.normal.dot(x)));
        let (j, worst) = short.max_by(|a, b| a.1.is_nan().cmp(&b.1.is_nan()).then(a.1.total_cmp(&b.1)))?;
        // One that is not a number is violated.
        (worst.is_nan() || worst > tolerance).then(|| (j, rows[j]))
    })
}

/// The least value over all choices of at most N active inequalities that violate none; `None` if there is no such choice.
fn brute_force<const N: usize>(stiffness: &SMatrix<f64, N, N>, free: &SVector<f64, N>, rows: &[Inequality<N>]) -> Option<f64> {
    let inverse = stiffness.try_inverse().unwrap();
    let mut best = rows.iter().all(|row| row.normal.dot(free) >= row.bound).then_some(0.0);
    for mask in 1..1_u32 << rows.len() {
        let chosen: Vec<_> = (0..rows.len()).filter(|j| mask >> j & 1 == 1).map(|j| rows[j]).collect();
        if chosen.len() > N {
            continue;
        }
        let normal = DMatrix::from_fn(chosen.len(), N, |i, k| chosen[i].normal[k]);
        let rest = DVector::from_fn(chosen.len(), |i, _| chosen[i].bound - chosen[i].normal.dot(free));
        let full = DMatrix::from_fn(N, N, |i, k| inverse[(i, k)]);
        let Some(multipliers) = (&normal * &full * normal.transpose()).lu().solve(&rest) else { continue };
        let moved = full * normal.transpose() * multipliers;
        let x = free + SVector::<f64, N>::from_fn(|i, _| moved[i]);
        if rows.iter().all(|row| row.normal.dot(&x) >= row.bound - 1e-9) {
            let value = 0.5 * (x - free).dot(&(stiffness * (x - free)));
            best = Some(best.map_or(value, |least: f64| least.min(value)));
        }
    }
    best
}

/// Worst of: A (x − x₀) − Σ λ a, a violated inequality, an active one that does not hold with equality, a pull; and the least multiplier.
fn kkt<const N: usize>(stiffness: &SMatrix<f64, N, N>, free: &SVector<f64, N>, rows: &[Inequality<N>], found: &Minimum<N>) -> f64 {
    let push = found.push();
    let balance = (stiffness * (found.place - free) - push).norm() / push.norm().max(1.0);
    let violated = rows.iter().map(|row| row.bound - row.normal.dot(&found.place)).fold(0.0, f64::max);
    let loose = found.active().map(|a| (a.inequality.normal.dot(&found.place) - a.inequality.bound).abs()).fold(0.0, f64::max);
    assert!(found.active().all(|a| a.multiplier >= 0.0 && a.inequality == rows[a.index]));
    let size = found.place.norm().max(1.0);
    balance.max(violated / size).max(loose / size)
}

fn agrees_with_brute_force<const N: usize>(seed: u64) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut solved, mut infeasible) = (0, 0);
    for count in [1, 3, 6, 9] {
        for _ in 0..60 {
            let stiffness = random_stiffness::<N>(&mut random);
            let free = SVector::from_fn(|_, _| random.signed());
            let rows = random_rows(&mut random, count);
            let found = minimise(&stiffness, &free, &rows);
            let least = brute_force(&stiffness, &free, &rows);
            match found.outcome {
                Outcome::Solved => {
                    solved += 1;
                    let error = kkt(&stiffness, &free, &rows, &found);
                    assert!(error < 1e-12, "{N} {count} {error}"); // measured 2.5e-14
                    let value = 0.5 * (found.place - free).dot(&(stiffness * (found.place - free)));
                    let least = least.unwrap();
                    assert!((value - least).abs() <= 1e-9 * least.max(1e-3), "{N} {count} {value} {least}");
                }
                Outcome::Infeasible => {
                    infeasible += 1;
                    assert!(least.is_none(), "{N} {count} {least:?}");
                }
                Outcome::GaveUp => panic!("gave up: {N} {count}"),
            }
        }
    }
    (solved, infeasible)
}

#[test]
fn it_is_the_best_of_all_choices() {
    let counts = [
        agrees_with_brute_force::<1>(1),
        agrees_with_brute_force::<2>(2),
        agrees_with_brute_force::<3>(3),
        agrees_with_brute_force::<4>(4),
        agrees_with_brute_force::<5>(5),
        agrees_with_brute_force::<6>(6),
    ];
    // Both ends are there to be tested.
    let (solved, infeasible) = counts.iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    assert!(solved > 900 && infeasible > 100, "{solved} {infeasible}");
}

#[test]
fn units_do_not_matter() {
    let mut random = Random(7);
    for _ in 0..200 {
        let stiffness = random_stiffness::<6>(&mut random);
        let free = SVector::from_fn(|_, _| random.signed());
        // One point that satisfies all, so that there is a solution.
        let inside = SVector::<f64, 6>::from_fn(|_, _| random.signed());
        let mut rows = random_rows::<6>(&mut random, 40);
        rows.iter_mut().for_each(|row| row.bound = row.normal.dot(&inside) - 0.1 * random.unit());
        let plain = minimise(&stiffness, &free, &rows);
        assert_eq!(plain.outcome, Outcome::Solved);
        assert!(kkt(&stiffness, &free, &rows, &plain) < 1e-12); // measured 2.6e-15
        // x in other units, component by component, by factors up to 1e6 either way.
        let unit = SVector::<f64, 6>::from_fn(|_, _| 10_f64.powf(6.0 * random.signed()));
        let scaled = SMatrix::<f64, 6, 6>::from_fn(|i, k| stiffness[(i, k)] / (unit[i] * unit[k]));
        let other: Vec<_> = rows.iter().map(|row| Inequality { normal: row.normal.component_div(&unit), ..*row }).collect();
        let found = minimise(&scaled, &free.component_mul(&unit), &other);
        let error = (found.place.component_div(&unit) - plain.place).norm();
        assert!(error < 1e-11 * plain.place.norm().max(1.0), "{error}"); // measured 3.6e-15
    }
}

#[test]
fn copies_and_level_points_change_nothing() {
    let mut random = Random(8);
    for _ in 0..100 {
        let stiffness = random_stiffness::<6>(&mut random);
        let free = SVector::<f64, 6>::from_fn(|_, _| random.signed());
        // A flat face of 400 points on a floor, pushed 0.3 below it and tilted: normals (−z, 0, x, 0, 1, 0), of rank 3.
        let row = |x: f64, z: f64| Inequality { normal: SVector::<f64, 6>::new(-z, 0.0, x, 0.0, 1.0, 0.0), bound: 0.3 };
        let corners = [row(-1.0, -1.0), row(1.0, -1.0), row(1.0, 1.0), row(-1.0, 1.0)];
        let grid: Vec<_> = (0..400).map(|k| row((k % 20) as f64 / 9.5 - 1.0, (k / 20) as f64 / 9.5 - 1.0)).collect();
        let mut twice = grid.clone();
        twice.extend(grid.iter().map(|row| Inequality { normal: row.normal * 3.0, bound: row.bound * 3.0 }));
        let few = minimise(&stiffness, &free, &corners);
        for rows in [&grid, &twice] {
            let many = minimise(&stiffness, &free, rows);
            assert_eq!(many.outcome, Outcome::Solved);
            assert!(many.active().count() <= 3);
            assert!((many.place - few.place).norm() < 1e-12, "{}", (many.place - few.place).norm()); // measured 1.2e-15
            assert!(kkt(&stiffness, &free, rows, &many) < 1e-12);
        }
    }
}

#[test]
fn contradictions_and_bad_numbers_are_told() {
    let free = Vector3::zeros();
    let row = |x: f64, bound: f64| Inequality { normal: Vector3::new(x, 0.0, 0.0), bound };
    let outcome = |rows: &[Inequality<3>]| minimise(&Matrix3::identity(), &free, rows).outcome;
    assert_eq!(outcome(&[row(1.0, 1.0), row(-1.0, 1.0)]), Outcome::Infeasible);
    assert_eq!(outcome(&[row(0.0, 1.0)]), Outcome::Infeasible);
    assert_eq!(outcome(&[row(1.0, f64::INFINITY)]), Outcome::Infeasible);
    assert_eq!(outcome(&[row(f64::NAN, 1.0), row(1.0, 1.0)]), Outcome::Infeasible);
    assert_eq!(outcome(&[]), Outcome::Solved);
    assert!(Compliance::of_stiffness(&Matrix3::from_diagonal(&Vector3::new(1.0, 0.0, 1.0))).is_none());
    assert!(Compliance::of_stiffness(&Matrix3::repeat(f64::NAN)).is_none());
    assert!(Compliance::of_stiffness(&Matrix3::repeat(1.0)).is_none());
    assert!(Compliance::of_inverse(&-Matrix3::identity()).is_none());
}

#[test]
fn where_nothing_gives_nothing_moves() {
    // A compliance of rank 2: x has none along (1, 1, 1).
    let across = Matrix3::identity() - Matrix3::repeat(1.0 / 3.0);
    let compliance = Compliance::of_inverse(&across).unwrap();
    let held = |normal| solve(&compliance, &Vector3::zeros(), &[Inequality { normal, bound: 1.0 }], 1e-13);
    let moved = held(Vector3::x());
    assert_eq!(moved.outcome, Outcome::Solved);
    assert!((moved.place - Vector3::new(1.0, -0.5, -0.5)).norm() < 1e-14);
    assert_eq!(held(Vector3::repeat(1.0)).outcome, Outcome::Infeasible);
}

#[test]
fn the_reaction_of_a_floor_is_that_of_gauss_and_seidel() {
    // Against projected Gauss–Seidel over all points, which is slow and simple.
    let mut random = Random(26);
    for _ in 0..200 {
        let root = Matrix3::from_fn(|_, _| random.signed());
        let compliance = root * root.transpose() + Matrix3::identity() * 0.1;
        let mut point = |_| Inequality { bound: random.signed() * 0.5, normal: Vector3::new(1.0, random.signed(), random.signed()) };
        let points: Vec<_> = (0..12).map(&mut point).collect();
        let found = solve(&Compliance::of_inverse(&compliance).unwrap(), &Vector3::zeros(), &points, 1e-13).push();
        let mut push = [0.0; 12];
        let mut held = Vector3::zeros();
        for _ in 0..20_000 {
            for (point, push) in points.iter().zip(&mut push) {
                let short = point.bound - point.normal.dot(&(compliance * held));
                let next = f64::max(0.0, *push + short / point.normal.dot(&(compliance * point.normal)));
                held += point.normal * (next - *push);
                *push = next;
            }
        }
        assert!((found - held).norm() < 1e-10 * held.norm().max(1.0), "{found} {held}"); // measured 2e-15
    }
}

#[test]
fn nothing_is_allocated() {
    let mut random = Random(9);
    let rows = random_rows::<6>(&mut random, 50);
    let stiffness: Matrix6<f64> = random_stiffness(&mut random);
    let made = allocations::during(|| {
        std::hint::black_box(minimise(&stiffness, &SVector::zeros(), &rows));
    });
    assert_eq!(made, 0);
}
