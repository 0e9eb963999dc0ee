//! The linear systems of physical loops, against dense matrices.

use holonomy::Error;
use holonomy::nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use holonomy::solve::blocks::BlockPattern;
use holonomy::solve::periodic::{Cycle, Kind, Rule, Solver, Stage};

use crate::random::Random;

const WAYS: [Kind; 3] = [Kind::Dense, Kind::Sparse, Kind::Iterative];

/// A chain of vertices with a few shortcuts, and a stage on it.
struct Case {
    cycle: Cycle,
    stiffness: Vec<Matrix3<f64>>,
    weights: Vec<f64>,
    damping: f64,
}

fn case(vertices: usize, frames: usize, rule: Rule, random: &mut Random) -> Case {
    let groups: Vec<[u32; 2]> = (0..vertices as u32).map(|i| [i, (i + 1) % vertices as u32]).collect();
    let pattern = BlockPattern::new(vertices, groups.iter().map(|group| &group[..]));
    let blocks = pattern.blocks();
    let turn = Rotation3::from_scaled_axis(Vector3::new(0.1, -0.2, 0.3)).into_inner();
    let masses = (0..vertices).map(|_| between(random, 0.5, 2.0)).collect();
    let fixed = (0..vertices * frames).map(|_| between(random, 0.0, 1.0) < 0.1).collect();
    let stiffness = (0..frames * blocks).map(|_| Matrix3::from_fn(|_, _| between(random, -8.0, 8.0))).collect();
    let weights = (0..vertices * frames).map(|_| if random.unit() < 0.3 { between(random, 0.0, 500.0) } else { 0.0 }).collect();
    let held = (0..vertices).map(|v| v == 3).collect();
    Case { cycle: Cycle { pattern, masses, frames, time_step: 0.1, rule, turn, fixed, held }, stiffness, weights, damping: 1e-3 }
}

impl Case {
    fn stage(&self) -> Stage<'_> {
        Stage { stiffness: &self.stiffness, positive: &self.stiffness, weights: &self.weights, damping: self.damping }
    }

    /// J, written down from the definition.
    fn jacobian(&self) -> DMatrix<f64> {
        let Cycle { pattern, masses, frames, time_step, rule, turn, .. } = &self.cycle;
        let (n, frames) = (masses.len(), *frames);
        let mut j = DMatrix::zeros(3 * n * frames, 3 * n * frames);
        let mut add = |row: usize, column: usize, block: Matrix3<f64>| {
            let mut view = j.fixed_view_mut::<3, 3>(3 * row, 3 * column);
            view += block;
        };
        for frame in 0..frames {
            let (before, after) = ((frame + frames - 1) % frames, (frame + 1) % frames);
            for i in 0..n {
                let o = masses[i] / time_step.powi(2);
                add(frame * n + i, before * n + i, turn.transpose() * o);
                add(frame * n + i, frame * n + i, Matrix3::identity() * (-2.0 * o));
                add(frame * n + i, after * n + i, turn * o);
                for place in pattern.row(i) {
                    let column = pattern.columns()[place] as usize;
                    match rule {
                        Rule::Symplectic => add(frame * n + i, frame * n + column, self.stiffness[frame * pattern.blocks() + place]),
                        Rule::Backward => add(frame * n + i, after * n + column, turn * self.stiffness[after * pattern.blocks() + place]),
                    }
                }
            }
        }
        j
    }

    /// A, with ones on the diagonal of what is prescribed.
    fn normal(&self) -> DMatrix<f64> {
        let Cycle { masses, time_step: h, .. } = &self.cycle;
        let n = masses.len();
        let j = self.jacobian();
        let scaled =
            DMatrix::from_fn(
                j.nrows(),
                j.ncols(),
                |r, c| if self.cycle.is_held(r / 3 % n) { 0.0 } else { j[(r, c)] * h / masses[r / 3 % n] },
            );
        let mut a = j.tr_mul(&scaled);
        for k in 0..a.nrows() {
            a[(k, k)] += self.weights[k / 3] + self.damping * masses[k / 3 % n] / h.powi(3);
        }
        for k in (0..a.nrows()).filter(|k| self.cycle.is_fixed(k / 3 / n, k / 3 % n)) {
            a.row_mut(k).fill(0.0);
            a.column_mut(k).fill(0.0);
            a[(k, k)] = 1.0;
        }
        a
    }
}

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

fn flat(x: &[Vector3<f64>]) -> DVector<f64> {
    DVector::from_iterator(3 * x.len(), x.iter().flat_map(|v| v.iter().copied()))
}

/// Each case of rule, frames and vertices.
fn cases() -> Vec<Case> {
    let mut random = Random(7);
    let mut cases = Vec::new();
    for rule in [Rule::Symplectic, Rule::Backward] {
        for frames in [3, 4, 5, 6, 9, 17] {
            for vertices in [1, 2, 5, 12] {
                cases.push(case(vertices, frames, rule, &mut random));
            }
        }
    }
    cases
}

#[test]
fn products_are_those_of_the_dense_matrices() {
    let mut random = Random(3);
    for case in cases() {
        let cycle = &case.cycle;
        let x: Vec<Vector3<f64>> = (0..cycle.len()).map(|_| Vector3::from_fn(|_, _| between(&mut random, -1.0, 1.0))).collect();
        let (mut y, mut z) = (x.clone(), x.clone());
        let j = case.jacobian();
        cycle.apply_jacobian(&case.stiffness, &x, &mut y);
        let expected = &j * flat(&x);
        assert!((flat(&y) - &expected).amax() < 1e-13 * expected.amax()); // 5e-16
        cycle.apply_transposed(&case.stiffness, &x, &mut y);
        let n = cycle.masses.len();
        let scaled = DVector::from_fn(3 * x.len(), |r, _| {
            if cycle.is_held(r / 3 % n) { 0.0 } else { x[r / 3][r % 3] * cycle.time_step / cycle.masses[r / 3 % n] }
        });
        let expected = j.tr_mul(&scaled);
        assert!((flat(&y) - &expected).amax() < 1e-13 * expected.amax()); // 5e-16
        cycle.multiply(&case.stage(), &x, &mut y, &mut z);
        let mut expected = case.normal() * flat(&x);
        (0..expected.len())
            .filter(|k| cycle.is_fixed(k / 3 / cycle.masses.len(), k / 3 % cycle.masses.len()))
            .for_each(|k| expected[k] = 0.0);
        assert!((flat(&z) - &expected).amax() < 1e-13 * expected.amax()); // 1e-15
    }
}

#[test]
fn every_way_solves_as_a_dense_matrix_does() {
    let mut random = Random(5);
    for case in cases() {
        let n = case.cycle.masses.len();
        let b: Vec<Vector3<f64>> = (0..case.cycle.len()).map(|_| random.vector()).collect();
        let mut right = flat(&b);
        (0..right.len()).filter(|k| case.cycle.is_fixed(k / 3 / n, k / 3 % n)).for_each(|k| right[k] = 0.0);
        let expected = case.normal().cholesky().unwrap().solve(&right);
        for kind in WAYS {
            let mut solver = Solver::with(&case.cycle, kind, usize::MAX).unwrap();
            solver.set_tolerance(1e-13, 4000);
            assert!(solver.factor(&case.stage()).unwrap());
            let mut x = b.clone();
            let report = solver.solve(&case.stage(), &mut x).unwrap();
            let error = (flat(&x) - &expected).amax() / expected.amax().max(1e-300);
            assert!(error < 1e-10 && report.residual < 1e-11, "{} {error:e} {report:?}", solver.describe()); // 8.3e-13
        }
    }
}

/// A sheet of `side`² vertices of stiff springs along the axes, soft ones across, which vary over the loop.
fn sheet(side: usize, frames: usize, rule: Rule, stiff: f64) -> Case {
    let mut pairs = Vec::new();
    for i in 0..side {
        for j in 0..side {
            let v = (i * side + j) as u32;
            if j + 1 < side {
                pairs.push([v, v + 1]);
            }
            if i + 1 < side {
                pairs.push([v, v + side as u32]);
            }
        }
    }
    let n = side * side;
    let pattern = BlockPattern::new(n, pairs.iter().map(|pair| &pair[..]));
    let mut stiffness = vec![Matrix3::zeros(); frames * pattern.blocks()];
    for (frame, values) in stiffness.chunks_exact_mut(pattern.blocks()).enumerate() {
        let angle = std::f64::consts::TAU * frame as f64 / frames as f64;
        for &[i, j] in &pairs {
            let along = if j == i + 1 { Vector3::new(0.2 * angle.sin(), 1.0, 0.1) } else { Vector3::new(1.0, 0.3 * angle.cos(), 0.0) };
            let block = (along * along.transpose() + Matrix3::identity() * 0.1) * stiff;
            let (i, j) = (i as usize, j as usize);
            for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                values[pattern.find(a, b).unwrap()] += block * sign;
            }
        }
    }
    let h: f64 = 0.1;
    let mut weights = vec![0.0; n * frames];
    weights[..2 * n].fill(1.0 / (1e-2 * h.powi(3)));
    let held = (0..n).map(|v| v == 0).collect();
    let cycle = Cycle { pattern, masses: vec![1.0; n], frames, time_step: h, rule, turn: Matrix3::identity(), fixed: Vec::new(), held };
    Case { cycle, stiffness, weights, damping: 0.0 }
}

#[test]
fn the_ways_agree_on_a_sheet_soft_or_stiff() {
    // (ω h)² is at most 0.8 and 80: explicit steps, and steps that would explode.
    for (rule, stiff) in [(Rule::Backward, 10.0), (Rule::Backward, 1e3), (Rule::Symplectic, 10.0), (Rule::Symplectic, 1e3)] {
        let case = sheet(6, 20, rule, stiff);
        let mut found = Vec::new();
        // Where explicit steps explode, conjugate gradients are slow: such loops are left to factorisations.
        let iterates = rule == Rule::Backward || stiff < 100.0;
        for kind in WAYS.into_iter().filter(|&kind| iterates || kind != Kind::Iterative) {
            let mut solver = Solver::with(&case.cycle, kind, usize::MAX).unwrap();
            solver.set_tolerance(1e-12, 4000);
            assert!(solver.factor(&case.stage()).unwrap());
            let mut x: Vec<Vector3<f64>> = (0..case.cycle.len()).map(|k| Vector3::from_fn(|i, _| ((3 * k + i) as f64).sin())).collect();
            let report = solver.solve(&case.stage(), &mut x).unwrap();
            assert!(report.residual < 1e-11, "{rule:?} {stiff} {kind:?} {report:?}");
            found.push(flat(&x));
        }
        let size = found[0].amax();
        for other in &found[1..] {
            let error = (other - &found[0]).amax() / size;
            assert!(error < 1e-8, "{rule:?} {stiff} {error:e}"); // 3.6e-12
        }
    }
}

/// A damped simulation all around the loop is as good as the matrix itself, however many frames and vertices there are, and without anything that holds the loop.
#[test]
fn damped_steps_need_few_iterations_at_any_size() {
    for (side, frames) in [(6, 20), (6, 80), (16, 20)] {
        let mut case = sheet(side, frames, Rule::Backward, 1e3);
        case.weights.clear();
        case.cycle.fixed.clear();
        case.damping = 0.05;
        let mut solver = Solver::with(&case.cycle, Kind::Iterative, usize::MAX).unwrap();
        solver.set_tolerance(1e-6, 100);
        assert!(solver.factor(&case.stage()).unwrap());
        let mut x: Vec<Vector3<f64>> = (0..case.cycle.len()).map(|k| Vector3::from_fn(|i, _| ((3 * k + i) as f64).sin())).collect();
        let report = solver.solve(&case.stage(), &mut x).unwrap();
        assert!(report.residual < 1e-6 && report.iterations < 40, "{side} {frames}: {report:?}"); // 30, 12, 29
    }
}

/// The force of springs between neighbours whose length grows with their cube: −∂F/∂q is not constant.
fn force(q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let n = q.len();
    (0..n)
        .map(|i| {
            let pull = |j: usize| (q[j] - q[i]) * (3.0 + 5.0 * (q[j] - q[i]).norm_squared());
            let drag = Vector3::new(0.0, 0.0, 2.0).cross(&q[(i + 1) % n]); // not symmetric
            pull((i + 1) % n) + pull((i + n - 1) % n) + drag
        })
        .collect()
}

#[test]
fn the_jacobian_is_the_derivative_of_the_residual() {
    let mut random = Random(11);
    let (n, frames, h) = (4, 5, 0.1);
    for rule in [Rule::Symplectic, Rule::Backward] {
        let mut case = case(n, frames, rule, &mut random);
        let (turn, masses) = (case.cycle.turn, case.cycle.masses.clone());
        let residual = |q: &[Vector3<f64>]| -> Vec<Vector3<f64>> {
            let frame = |k: usize| &q[k % frames * n..][..n];
            let mut u = Vec::new();
            for j in 0..frames {
                let f = match rule {
                    Rule::Symplectic => force(frame(j)),
                    Rule::Backward => force(frame(j + 1)).into_iter().map(|f| turn * f).collect(),
                };
                for i in 0..n {
                    let inertia = turn.transpose() * frame(j + frames - 1)[i] - frame(j)[i] * 2.0 + turn * frame(j + 1)[i];
                    u.push(inertia * masses[i] / (h * h) - f[i]);
                }
            }
            u
        };
        let q: Vec<Vector3<f64>> = (0..n * frames).map(|_| random.vector()).collect();
        let d: Vec<Vector3<f64>> = (0..n * frames).map(|_| random.vector()).collect();
        // H by differences as well, block by block.
        for frame in 0..frames {
            for i in 0..n {
                for place in case.cycle.pattern.row(i) {
                    let w = case.cycle.pattern.columns()[place] as usize;
                    case.stiffness[frame * case.cycle.pattern.blocks() + place] = Matrix3::from_fn(|a, b| {
                        let at = |by: f64| {
                            let mut moved = q[frame * n..][..n].to_vec();
                            moved[w][b] += by;
                            force(&moved)[i][a]
                        };
                        -(at(1e-5) - at(-1e-5)) / 2e-5
                    });
                }
            }
        }
        let mut product = d.clone();
        case.cycle.apply_jacobian(&case.stiffness, &d, &mut product);
        let moved = |by: f64| residual(&q.iter().zip(&d).map(|(q, d)| q + d * by).collect::<Vec<_>>());
        let (more, less) = (moved(1e-5), moved(-1e-5));
        let error = (0..n * frames).map(|k| ((more[k] - less[k]) / 2e-5 - product[k]).amax()).fold(0.0, f64::max);
        assert!(error < 1e-6, "{error:e}"); // 7.3e-9
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let case = sheet(7, 24, Rule::Backward, 300.0);
    for kind in WAYS {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut solver = Solver::with(&case.cycle, kind, usize::MAX).unwrap();
                assert!(solver.factor(&case.stage()).unwrap());
                let mut x: Vec<Vector3<f64>> = (0..case.cycle.len()).map(|k| Vector3::from_fn(|i, _| ((3 * k + i) as f64).sin())).collect();
                solver.solve(&case.stage(), &mut x).unwrap();
                x
            })
        };
        let one = run(1);
        [2, 3, 7].into_iter().for_each(|threads| assert!(run(threads) == one, "{kind:?} {threads}"));
    }
}

#[test]
fn a_loop_that_nothing_holds_needs_damping() {
    // A free particle may move anywhere: the factor says so, or the solution shows it.
    for rule in [Rule::Symplectic, Rule::Backward] {
        let pattern = BlockPattern::new(1, []);
        let (masses, turn) = (vec![1.0], Matrix3::identity());
        let cycle = Cycle { pattern, masses, frames: 8, time_step: 0.1, rule, turn, fixed: Vec::new(), held: Vec::new() };
        let stiffness = vec![Matrix3::zeros(); 8];
        for kind in [Kind::Dense, Kind::Sparse] {
            let mut solver = Solver::with(&cycle, kind, usize::MAX).unwrap();
            assert!(!solver.factor(&Stage { stiffness: &stiffness, positive: &stiffness, weights: &[], damping: 0.0 }).unwrap());
        }
        for kind in WAYS {
            let mut solver = Solver::with(&cycle, kind, usize::MAX).unwrap();
            let stage = Stage { stiffness: &stiffness, positive: &stiffness, weights: &[], damping: 1e-6 };
            assert!(solver.factor(&stage).unwrap());
            let mut x = vec![Vector3::new(1.0, 2.0, 3.0); 8];
            let report = solver.solve(&stage, &mut x).unwrap();
            // The same force in all frames meets the damping alone: λ M/h³ = 1e-3.
            assert!(x.iter().all(|x| (x - Vector3::new(1e3, 2e3, 3e3)).amax() < 1e-2), "{kind:?} {report:?} {:?}", x[0]);
        }
    }
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let case = sheet(4, 8, Rule::Backward, 10.0);
    for kind in WAYS {
        let need = Solver::with(&case.cycle, kind, usize::MAX).unwrap().bytes();
        let error = Solver::with(&case.cycle, kind, need - 1).unwrap_err();
        assert!(matches!(error, Error::Memory { needed, allowed, .. } if needed == need && allowed == need - 1), "{error}");
        assert!(Solver::with(&case.cycle, kind, need).is_ok());
    }
    assert!(Solver::choose(&case.cycle, 1000).is_err());
    let mut two = case.cycle.clone();
    two.frames = 2;
    assert!(matches!(Solver::choose(&two, usize::MAX), Err(Error::Parameter { name: "frames of the loop", .. })));
    let mut light = case.cycle.clone();
    light.masses[2] = 0.0;
    assert!(matches!(Solver::choose(&light, usize::MAX), Err(Error::Parameter { name: "mass", .. })));
    let mut bent = case.cycle.clone();
    bent.turn[(0, 0)] = 1.5;
    assert!(Solver::choose(&bent, usize::MAX).is_err());
    let mut solver = Solver::choose(&case.cycle, usize::MAX).unwrap();
    let mut wild = case.stiffness.clone();
    wild[5][(1, 1)] = f64::NAN;
    assert!(solver.factor(&Stage { stiffness: &wild, positive: &wild, weights: &[], damping: 0.0 }).is_err());
    assert!(solver.factor(&Stage { stiffness: &case.stiffness[1..], positive: &case.stiffness, weights: &[], damping: 0.0 }).is_err());
    assert!(solver.solve(&case.stage(), &mut [Vector3::zeros()]).is_err());
}

#[test]
fn the_way_follows_size_and_memory() {
    let few = case(5, 50, Rule::Symplectic, &mut Random(1)).cycle;
    assert_eq!(Solver::choose(&few, usize::MAX).unwrap().kind(), Kind::Dense);
    let middle = sheet(5, 12, Rule::Backward, 10.0).cycle;
    let solver = Solver::choose(&middle, usize::MAX).unwrap();
    assert_eq!(solver.kind(), Kind::Sparse);
    // A factor that does not fit gives way to conjugate gradients, which need less.
    assert_eq!(Solver::choose(&middle, solver.bytes() - 1).unwrap().kind(), Kind::Iterative);
    assert!(solver.describe().starts_with("sparse factorisation"));
    let large = sheet(20, 40, Rule::Backward, 10.0).cycle;
    assert_eq!(Solver::choose(&large, usize::MAX).unwrap().kind(), Kind::Iterative);
}
