//! Stand-in for the periodic solver: dense.
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3, Vector3};

use crate::Error;
use crate::solve::blocks::BlockPattern;

/// Which force belongs to which acceleration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// That of the frame itself: symplectic Euler (Jia et al. 2023, Eq. 14).
    Symplectic,
    /// That of the next frame: backward Euler (Eq. 13).
    Backward,
}

pub struct Cycle {
    pub pattern: BlockPattern,
    pub masses: Vec<f64>,
    pub frames: usize,
    pub time_step: f64,
    pub rule: Rule,
    pub turn: Matrix3<f64>,
}

pub struct Stage<'a> {
    pub stiffness: &'a [Matrix3<f64>],
    pub weights: &'a [f64],
    pub fixed: &'a [bool],
    pub damping: f64,
}

pub struct Solver {
    cycle: Cycle,
    factor: Option<Cholesky<f64, Dyn>>,
    fixed: Vec<bool>,
}

impl Solver {
    pub fn choose(cycle: Cycle, fixed: &[bool], _memory_limit: usize) -> Result<Solver, Error> {
        Ok(Solver { cycle, factor: None, fixed: fixed.to_vec() })
    }

    pub fn factor(&mut self, stage: &Stage) -> bool {
        let c = &self.cycle;
        let (n, v) = (c.frames, c.masses.len());
        let size = 3 * n * v;
        let mut j = DMatrix::<f64>::zeros(size, size);
        let mut add = |row: usize, col: usize, m: Matrix3<f64>| {
            let mut view = j.fixed_view_mut::<3, 3>(3 * row, 3 * col);
            view += m;
        };
        for f in 0..n {
            let (next, last) = ((f + 1) % n, (f + n - 1) % n);
            for i in 0..v {
                let o = c.masses[i] / (c.time_step * c.time_step);
                add(f * v + i, next * v + i, c.turn * o);
                add(f * v + i, f * v + i, Matrix3::identity() * (-2.0 * o));
                add(f * v + i, last * v + i, c.turn.transpose() * o);
                let at = if c.rule == Rule::Symplectic { f } else { next };
                for place in c.pattern.row(i) {
                    let m = stage.stiffness[at * c.pattern.blocks() + place];
                    let m = if c.rule == Rule::Symplectic { m } else { c.turn * m };
                    add(f * v + i, at * v + c.pattern.columns()[place] as usize, m);
                }
            }
        }
        let mut scaled = j.clone();
        for row in 0..size {
            scaled.row_mut(row).scale_mut(c.time_step / c.masses[row / 3 % v]);
        }
        let mut a = j.transpose() * scaled;
        for place in 0..size {
            a[(place, place)] += stage.weights[place / 3] + stage.damping;
            if stage.fixed[place / 3] {
                a.row_mut(place).fill(0.0);
                a.column_mut(place).fill(0.0);
                a[(place, place)] = 1.0;
            }
        }
        self.factor = Cholesky::new(a);
        self.factor.is_some()
    }

    pub fn solve(&self, rhs: &mut [Vector3<f64>]) {
        let mut b = DVector::from_iterator(3 * rhs.len(), rhs.iter().flat_map(|v| v.iter().copied()));
        for (place, &fixed) in self.fixed.iter().enumerate() {
            if fixed {
                b.rows_mut(3 * place, 3).fill(0.0);
            }
        }
        if let Some(factor) = &self.factor {
            factor.solve_mut(&mut b);
        }
        for (out, b) in rhs.iter_mut().zip(b.as_slice().chunks(3)) {
            *out = Vector3::new(b[0], b[1], b[2]);
        }
    }
}
