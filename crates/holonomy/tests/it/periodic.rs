//! The linear systems of physical loops, against dense matrices.

use holonomy::nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use holonomy::solve::blocks::BlockPattern;
use holonomy::solve::periodic::{Cycle, Kind, Rule, Solver, Stage};

use crate::random::Random;

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
    let stiffness = (0..frames * blocks).map(|_| Matrix3::from_fn(|_, _| between(random, -40.0, 40.0))).collect();
    let weights = (0..vertices * frames).map(|_| if random.unit() < 0.3 { between(random, 0.0, 500.0) } else { 0.0 }).collect();
    Case { cycle: Cycle { pattern, masses, frames, time_step: 0.1, rule, turn, fixed }, stiffness, weights, damping: 1e-3 }
}

impl Case {
    fn stage(&self) -> Stage<'_> {
        Stage { stiffness: &self.stiffness, weights: &self.weights, damping: self.damping }
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
        let scaled = DMatrix::from_fn(j.nrows(), j.ncols(), |r, c| j[(r, c)] * h / masses[r / 3 % n]);
        let mut a = j.tr_mul(&scaled);
        for k in 0..a.nrows() {
            a[(k, k)] += self.weights[k / 3] + self.damping * masses[k / 3 % n] / h.powi(3);
        }
        for k in (0..a.nrows()).filter(|k| self.cycle.fixed[k / 3]) {
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
        let scaled = DVector::from_fn(3 * x.len(), |r, _| x[r / 3][r % 3] * cycle.time_step / cycle.masses[r / 3 % n]);
        let expected = j.tr_mul(&scaled);
        assert!((flat(&y) - &expected).amax() < 1e-13 * expected.amax()); // 5e-16
        cycle.multiply(&case.stage(), &x, &mut y, &mut z);
        let mut expected = case.normal() * flat(&x);
        (0..expected.len()).filter(|k| cycle.fixed[k / 3]).for_each(|k| expected[k] = 0.0);
        assert!((flat(&z) - &expected).amax() < 1e-13 * expected.amax()); // 1e-15
    }
}

#[test]
fn every_way_solves_as_a_dense_matrix_does() {
    let mut random = Random(5);
    for case in cases() {
        for kind in [Kind::Dense] {
            let mut solver = Solver::with(&case.cycle, kind, usize::MAX).unwrap();
            assert!(solver.factor(&case.stage()).unwrap());
            let b: Vec<Vector3<f64>> = (0..case.cycle.len()).map(|_| Vector3::from_fn(|_, _| between(&mut random, -1.0, 1.0))).collect();
            let mut x = b.clone();
            let report = solver.solve(&case.stage(), &mut x).unwrap();
            let mut right = flat(&b);
            (0..right.len()).filter(|k| case.cycle.fixed[k / 3]).for_each(|k| right[k] = 0.0);
            let expected = case.normal().cholesky().unwrap().solve(&right);
            let error = (flat(&x) - &expected).amax() / expected.amax();
            assert!(error < 1e-10 && report.residual < 1e-10, "{kind:?} {error:e} {report:?}");
        }
    }
}
