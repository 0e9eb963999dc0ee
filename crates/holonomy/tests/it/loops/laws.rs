//! Small mechanical systems for loops.

use holonomy::integrate::force_law::{ForceLaw, Stiffness};
use holonomy::nalgebra::{Matrix3, Vector3};
use holonomy::solve::blocks::BlockPattern;

/// Springs between vertices, springs to fixed points, weight, and a quartic stiffening of the latter.
pub struct Springs {
    pub masses: Vec<f64>,
    pub pattern: BlockPattern,
    /// Vertices, stiffness, rest length.
    pub springs: Vec<([u32; 2], f64, f64)>,
    /// Of each vertex, towards the origin: k, and k₃ of −k₃|q|²q.
    pub tether: [f64; 2],
    pub gravity: Vector3<f64>,
    /// A force that has no potential, and turns: strength × axis × q.
    pub swirl: f64,
    /// Push along x: strength × cos(2π t / period).
    pub drive: [f64; 2],
}

impl Springs {
    pub fn new(masses: Vec<f64>, springs: Vec<([u32; 2], f64, f64)>) -> Self {
        let pattern = BlockPattern::new(masses.len(), springs.iter().map(|(ends, _, _)| ends.as_slice()));
        Springs { masses, pattern, springs, tether: [0.0; 2], gravity: Vector3::zeros(), swirl: 0.0, drive: [0.0, 1.0] }
    }

    /// One mass on a spring of no length.
    pub fn oscillator(mass: f64, stiffness: f64) -> Self {
        Springs { tether: [stiffness, 0.0], ..Springs::new(vec![mass], Vec::new()) }
    }

    /// Three masses in a row, tied to each other and, ever more stiffly, to the origin.
    pub fn chain() -> Self {
        let springs = vec![([0, 1], 7.0, 0.6), ([1, 2], 5.0, 0.5)];
        Springs { tether: [3.0, 4.0], ..Springs::new(vec![0.8, 1.1, 0.6], springs) }
    }
}

impl ForceLaw for Springs {
    fn masses(&self) -> &[f64] {
        &self.masses
    }
    fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }
    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        let push = self.drive[0] * (std::f64::consts::TAU * time / self.drive[1]).cos();
        for (i, f) in force.iter_mut().enumerate() {
            let [k, k3] = self.tether;
            *f = -q[i] * (k + k3 * q[i].norm_squared()) + self.gravity * self.masses[i] + Vector3::x() * push;
            *f += Vector3::z().cross(&q[i]) * self.swirl;
        }
        for &([i, j], k, rest) in &self.springs {
            let way = q[j as usize] - q[i as usize];
            let pull = way * (k * (1.0 - rest / way.norm()));
            force[i as usize] += pull;
            force[j as usize] -= pull;
        }
    }
    fn stiffness(&self, _: f64, q: &[Vector3<f64>], _: Stiffness, values: &mut [Matrix3<f64>]) {
        values.fill(Matrix3::zeros());
        let at = |i: u32, j: u32| self.pattern.find(i as usize, j as usize).unwrap();
        for (i, q) in q.iter().enumerate() {
            let [k, k3] = self.tether;
            values[at(i as u32, i as u32)] += Matrix3::identity() * (k + k3 * q.norm_squared()) + q * q.transpose() * (2.0 * k3)
                - Vector3::z().cross_matrix() * self.swirl;
        }
        for &([i, j], k, rest) in &self.springs {
            let way = q[j as usize] - q[i as usize];
            let length = way.norm();
            let along = way / length;
            let block = Matrix3::identity() * (k * (1.0 - rest / length)) + along * along.transpose() * (k * rest / length);
            values[at(i, i)] += block;
            values[at(j, j)] += block;
            values[at(i, j)] -= block;
            values[at(j, i)] -= block;
        }
    }
    fn energy(&self, _: f64, q: &[Vector3<f64>]) -> f64 {
        let [k, k3] = self.tether;
        let own: f64 = q
            .iter()
            .zip(&self.masses)
            .map(|(q, m)| {
                let squared = q.norm_squared();
                0.5 * k * squared + 0.25 * k3 * squared * squared - m * self.gravity.dot(q)
            })
            .sum();
        let springs = self.springs.iter().map(|&([i, j], k, rest)| 0.5 * k * ((q[j as usize] - q[i as usize]).norm() - rest).powi(2));
        own + springs.sum::<f64>()
    }
    fn is_conservative(&self) -> bool {
        self.swirl == 0.0
    }
}

/// Two numbers, one per vertex along x, with a stiffness that couples them and a cubic one.
pub struct Coupled {
    pub masses: Vec<f64>,
    pub pattern: BlockPattern,
    pub stiffness: [[f64; 2]; 2],
}

impl Coupled {
    pub fn new() -> Self {
        let pattern = BlockPattern::new(2, [[0, 1].as_slice()]);
        Coupled { masses: vec![0.63, 0.86], pattern, stiffness: [[1.9, 0.7], [0.7, 2.4]] }
    }
}

impl ForceLaw for Coupled {
    fn masses(&self) -> &[f64] {
        &self.masses
    }
    fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }
    fn force(&self, _: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        for (i, f) in force.iter_mut().enumerate() {
            let [a, b] = self.stiffness[i];
            *f = -(q[0] * a + q[1] * b) - q[i].component_mul(&q[i]).component_mul(&q[i]) * 0.7;
        }
    }
    fn stiffness(&self, _: f64, q: &[Vector3<f64>], _: Stiffness, values: &mut [Matrix3<f64>]) {
        for i in 0..2 {
            for j in 0..2 {
                values[2 * i + j] = Matrix3::identity() * self.stiffness[i][j];
            }
            values[3 * i] += Matrix3::from_diagonal(&(q[i].component_mul(&q[i]) * 2.1));
        }
    }
    fn energy(&self, _: f64, q: &[Vector3<f64>]) -> f64 {
        let coupled: f64 = (0..4).map(|k| 0.5 * self.stiffness[k / 2][k % 2] * q[k / 2].dot(&q[k % 2])).sum();
        coupled + q.iter().map(|q| 0.175 * q.map(|x| x.powi(4)).sum()).sum::<f64>()
    }
}
