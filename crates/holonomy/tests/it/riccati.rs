//! Newton's equations of optimal control, stage by stage: against the same equations in one dense matrix.

use holonomy::nalgebra::{DMatrix, DVector, SMatrix, SVector};
use holonomy::solve::riccati::{End, Failure, Riccati, Stage};

use crate::random::Random;

const N: usize = 4;
const M: usize = 2;
const STAGES: usize = 6;

fn matrix<const R: usize, const C: usize>(random: &mut Random, size: f64) -> SMatrix<f64, R, C> {
    SMatrix::from_fn(|_, _| size * random.signed())
}

/// Positive, with eigenvalues of 0.3 and more.
fn positive<const R: usize>(random: &mut Random) -> SMatrix<f64, R, R> {
    let root = matrix::<R, R>(random, 1.0);
    root * root.transpose() + SMatrix::identity() * 0.3
}

/// All blocks full, so that none can be left out or transposed unseen.
fn stages(random: &mut Random) -> Vec<Stage<N, M>> {
    let mut stage = || Stage {
        a: SMatrix::identity() + matrix(random, 0.5),
        b: matrix(random, 1.0),
        by_time: matrix(random, 1.0),
        gap: matrix(random, 1.0),
        xx: positive(random),
        ux: matrix(random, 0.1),
        uu: positive(random),
        x: matrix(random, 1.0),
        u: matrix(random, 1.0),
        xt: matrix(random, 0.3),
        ut: matrix(random, 0.3),
    };
    (0..STAGES).map(|_| stage()).collect()
}

fn end(random: &mut Random, fixed: [bool; N], free: bool) -> End<N> {
    End {
        xx: positive(random),
        x: matrix(random, 1.0),
        constraint: SMatrix::identity() + matrix(random, 0.3),
        miss: matrix(random, 1.0),
        fixed,
        time: free.then_some([40.0, random.signed()]),
    }
}

/// The same by one matrix: x₁ … x_N, u₀ …, t, the multipliers of nodes 1 …, ν, of which those that do not count are zero. Where t is given its row says t = 0.
fn dense(stages: &[Stage<N, M>], end: &End<N>, rounder: f64) -> DVector<f64> {
    let count = stages.len();
    let (u, t, multiplier, nu) = (count * N, count * (N + M), count * (N + M) + 1, count * (2 * N + M) + 1);
    let size = nu + N;
    let mut upper = DMatrix::<f64>::zeros(size, size);
    let mut right = DVector::<f64>::zeros(size);
    for (k, stage) in stages.iter().enumerate() {
        let (own_u, ahead) = (u + k * M, multiplier + k * N);
        let round = |i: usize, j: usize| if i == j { rounder } else { 0.0 };
        for i in 0..M {
            for j in 0..M {
                upper[(own_u + i, own_u + j)] = stage.uu[(i, j)] + round(i, j);
            }
            upper[(own_u + i, t)] = stage.ut[i];
            upper[(t, own_u + i)] = stage.ut[i];
            right[own_u + i] = -stage.u[i];
        }
        if let Some(own_x) = k.checked_sub(1).map(|before| before * N) {
            for i in 0..N {
                for j in 0..N {
                    upper[(own_x + i, own_x + j)] = stage.xx[(i, j)] + round(i, j);
                    upper[(ahead + j, own_x + i)] = stage.a[(j, i)];
                    upper[(own_x + i, ahead + j)] = stage.a[(j, i)];
                }
                for j in 0..M {
                    upper[(own_x + i, own_u + j)] = stage.ux[(j, i)];
                    upper[(own_u + j, own_x + i)] = stage.ux[(j, i)];
                }
                upper[(own_x + i, t)] = stage.xt[i];
                upper[(t, own_x + i)] = stage.xt[i];
                right[own_x + i] = -stage.x[i];
            }
        }
        for i in 0..N {
            for j in 0..M {
                upper[(ahead + i, own_u + j)] = stage.b[(i, j)];
                upper[(own_u + j, ahead + i)] = stage.b[(i, j)];
            }
            upper[(ahead + i, t)] = stage.by_time[i];
            upper[(t, ahead + i)] = stage.by_time[i];
            upper[(ahead + i, k * N + i)] = -1.0;
            upper[(k * N + i, ahead + i)] = -1.0;
            right[ahead + i] = -stage.gap[i];
        }
    }
    let last = (count - 1) * N;
    for i in 0..N {
        for j in 0..N {
            upper[(last + i, last + j)] += end.xx[(i, j)] + if i == j { rounder } else { 0.0 };
        }
        right[last + i] = -end.x[i];
        if end.fixed[i] {
            for j in 0..N {
                upper[(nu + i, last + j)] = end.constraint[(i, j)];
                upper[(last + j, nu + i)] = end.constraint[(i, j)];
            }
            right[nu + i] = end.miss[i];
        } else {
            upper[(nu + i, nu + i)] = 1.0;
        }
    }
    match end.time {
        Some([weight, slope]) => (upper[(t, t)], right[t]) = (weight, -slope),
        None => {
            upper.row_mut(t).fill(0.0);
            (upper[(t, t)], right[t]) = (1.0, 0.0);
        }
    }
    upper.lu().solve(&right).unwrap()
}

/// The solution in the order of [`dense`].
fn column(riccati: &Riccati<N, M>) -> DVector<f64> {
    let steps = &riccati.steps;
    let mut all: Vec<f64> = steps.x[1..].iter().flat_map(|x| x.iter().copied()).collect();
    all.extend(steps.u.iter().flat_map(|u| u.iter().copied()));
    all.push(steps.t);
    all.extend(steps.multipliers[1..].iter().flat_map(|x| x.iter().copied()));
    all.extend(steps.end.iter());
    DVector::from_vec(all)
}

#[test]
fn it_is_the_dense_solution() {
    let mut random = Random(71);
    let mut worst = 0.0f64;
    // One workspace for all: nothing may be left over from the problem before.
    let mut riccati = Riccati::new(STAGES);
    for case in 0..40 {
        for fixed in [[true; N], [true, false, true, false], [false, false, true, false], [false; N]] {
            for free in [false, true] {
                for rounder in [0.0, 0.7] {
                    let (stages, end) = (stages(&mut random), end(&mut random, fixed, free));
                    riccati.solve(&stages, &end, rounder).unwrap();
                    let (found, expected) = (column(&riccati), dense(&stages, &end, rounder));
                    let error = (&found - &expected).amax() / expected.amax().max(1.0);
                    assert!(error < 1e-9, "case {case}, {fixed:?}, free {free}, rounder {rounder}: {error:e}");
                    assert!(free || riccati.steps.t == 0.0);
                    worst = worst.max(error);
                }
            }
        }
    }
    println!("Riccati recursion against dense LU, 640 problems: {worst:.1e}");
    assert!(worst > 0.0, "two ways to one solution agree to the last bit: they are one way");
}

#[test]
fn what_has_no_least_cost_is_reported() {
    let mut random = Random(72);
    let mut riccati = Riccati::new(STAGES);
    let (mut curved, goal) = (stages(&mut random), end(&mut random, [true; N], true));
    // More of this control is ever better, and it does nothing else.
    curved[3].uu = SMatrix::from_diagonal(&SVector::from([1.0, -1.0]));
    curved[3].b.column_mut(1).fill(0.0);
    assert_eq!(riccati.solve(&curved, &goal, 0.0), Err(Failure::Unbounded(3)));
    // Round enough, it has one.
    assert_eq!(riccati.solve(&curved, &goal, 2.0), Ok(()));
    let (stages, mut goal) = (stages(&mut random), end(&mut random, [true; N], true));
    goal.time = Some([-1e3, 0.0]);
    assert_eq!(riccati.solve(&stages, &goal, 0.0), Err(Failure::Unbounded(0)));
}

#[test]
fn what_cannot_be_reached_is_reported() {
    let mut random = Random(73);
    let mut riccati = Riccati::new(STAGES);
    let (mut idle, goal) = (stages(&mut random), end(&mut random, [true; N], false));
    idle.iter_mut().for_each(|stage| stage.b = SMatrix::zeros());
    assert_eq!(riccati.solve(&idle, &goal, 0.0), Err(Failure::Unreachable));
    // Without a goal there is nothing to reach.
    let none = End { fixed: [false; N], ..goal };
    assert_eq!(riccati.solve(&idle, &none, 0.0), Ok(()));
    assert!((column(&riccati) - dense(&idle, &none, 0.0)).amax() < 1e-9);
}

#[test]
fn what_is_not_finite_is_reported() {
    let mut random = Random(74);
    let mut riccati = Riccati::new(STAGES);
    let (mut broken, goal) = (stages(&mut random), end(&mut random, [true; N], false));
    broken[2].gap[1] = f64::NAN;
    assert!(riccati.solve(&broken, &goal, 0.0).is_err());
    // And leaves nothing behind.
    let sound = stages(&mut random);
    riccati.solve(&sound, &goal, 0.0).unwrap();
    assert!((column(&riccati) - dense(&sound, &goal, 0.0)).amax() < 1e-7);
}
