//! Five bodies that attract each other, as in `cyclic.py`: Gauss and Newton's iteration with halved steps.

use std::time::Instant;

use holonomy::nalgebra::{Matrix3, Vector3};
use holonomy::solve::blocks::BlockPattern;
use holonomy::solve::periodic::{Cycle, Rule, Solver, Stage};

const BODIES: usize = 5;
const H: f64 = 0.01;
const EPSILON: f64 = 1e-2;

/// Forces of one frame, and −∂F/∂q.
fn force(q: &[Vector3<f64>], out: &mut [Vector3<f64>], stiffness: Option<&mut [Matrix3<f64>]>) {
    let mut blocks = [[Matrix3::zeros(); BODIES]; BODIES];
    for i in 0..BODIES {
        let mut sum = Vector3::zeros();
        for j in (0..BODIES).filter(|&j| j != i) {
            let d = q[j] - q[i];
            let square = d.norm_squared();
            let cube = 1.0 / (square * square.sqrt());
            sum += d * cube;
            let block = d * d.transpose() * (3.0 * cube / square) - Matrix3::identity() * cube;
            blocks[i][j] = block;
            blocks[i][i] -= block;
        }
        out[i] = sum;
    }
    if let Some(stiffness) = stiffness {
        stiffness.iter_mut().zip(blocks.as_flattened()).for_each(|(out, block)| *out = *block);
    }
}

struct Problem {
    cycle: Cycle,
    weights: Vec<f64>,
    start: Vec<Vector3<f64>>,
    stiffness: Vec<Matrix3<f64>>,
    forces: Vec<Vector3<f64>>,
    residual: Vec<Vector3<f64>>,
    step: Vec<Vector3<f64>>,
    moved: Vec<Vector3<f64>>,
}

impl Problem {
    fn new(frames: usize) -> Self {
        let n = BODIES;
        let all: Vec<u32> = (0..n as u32).collect();
        let mut q: Vec<Vector3<f64>> = Vec::new();
        let mut v: Vec<Vector3<f64>> = Vec::new();
        for i in 0..n {
            let a = std::f64::consts::TAU * i as f64 / n as f64;
            let r = 0.52;
            q.push(Vector3::new(a.cos(), a.sin(), 0.2 * (2.0 * a).sin()) * r);
            v.push(Vector3::new(-a.sin(), a.cos(), 0.3 * a.cos()) * (std::f64::consts::PI * r * (1.0 + 0.06 * (2.0 * a).cos())));
        }
        let mut start = q.clone();
        let mut forces = vec![Vector3::zeros(); n];
        for _ in 1..frames {
            force(&q, &mut forces, None);
            for i in 0..n {
                v[i] += forces[i] * H;
                q[i] += v[i] * H;
            }
            start.extend_from_slice(&q);
        }
        let mut weights = vec![0.0; frames * n];
        weights[..2 * n].fill(1.0 / (H.powi(3) * EPSILON));
        let pattern = BlockPattern::new(n, [&all[..]]);
        let (rule, turn) = (Rule::Symplectic, Matrix3::identity());
        let cycle = Cycle { pattern, masses: vec![1.0; n], frames, time_step: H, rule, turn, fixed: Vec::new(), held: Vec::new() };
        let zero = vec![Vector3::zeros(); frames * n];
        let stiffness = vec![Matrix3::zeros(); frames * n * n];
        Problem { cycle, weights, stiffness, forces: zero.clone(), residual: zero.clone(), step: zero.clone(), moved: zero, start }
    }

    /// Fills the residuals, and the stiffness if asked; the loss.
    fn loss(&mut self, q: &[Vector3<f64>], stiffness: bool) -> f64 {
        let (n, frames) = (BODIES, self.cycle.frames);
        for (j, q) in q.chunks_exact(n).enumerate() {
            let values = &mut self.stiffness[j * n * n..][..n * n];
            force(q, &mut self.forces[j * n..][..n], stiffness.then_some(values));
        }
        let mut sum = 0.0;
        for j in 0..frames {
            let (before, after) = ((j + frames - 1) % frames, (j + 1) % frames);
            for i in 0..n {
                let u = (q[before * n + i] - q[j * n + i] * 2.0 + q[after * n + i]) / (H * H) - self.forces[j * n + i];
                self.residual[j * n + i] = u;
                sum += 0.5 * H * u.norm_squared();
            }
        }
        sum + (0..2 * n).map(|k| 0.5 * self.weights[k] * (q[k] - self.start[k]).norm_squared()).sum::<f64>()
    }

    /// Iterations and the last loss.
    fn run(&mut self, solver: &mut Solver) -> (usize, f64) {
        let mut q = self.start.clone();
        let mut loss = self.loss(&q, true);
        for iteration in 1..=80 {
            self.loss(&q, true);
            let mut step = std::mem::take(&mut self.step);
            self.cycle.apply_transposed(&self.stiffness, &self.residual, &mut step);
            for k in 0..2 * BODIES {
                step[k] += (q[k] - self.start[k]) * self.weights[k];
            }
            let stage = Stage { stiffness: &self.stiffness, positive: &self.stiffness, weights: &self.weights, damping: 0.0 };
            assert!(solver.factor(&stage).expect("sound"), "not positive definite");
            solver.solve(&stage, &mut step).expect("sound");
            let mut moved = std::mem::take(&mut self.moved);
            let mut scale = 1.0;
            let mut next;
            loop {
                moved.iter_mut().zip(q.iter().zip(&step)).for_each(|(m, (q, d))| *m = q - d * scale);
                next = self.loss(&moved, false);
                if next < loss || scale < 1e-6 {
                    break;
                }
                scale *= 0.5;
            }
            let largest = step.iter().map(|d| d.amax()).fold(0.0, f64::max) * scale;
            if next < loss {
                q.copy_from_slice(&moved);
                loss = next;
            }
            (self.step, self.moved) = (step, moved);
            if scale < 1e-6 || largest < 1e-9 {
                return (iteration, loss);
            }
        }
        (80, loss)
    }
}

pub fn table() {
    println!("Five bodies, one thread: milliseconds per iteration of Gauss and Newton");
    for name in ["scipy_splu", "scipy_cholmod", "cholmod_direct"] {
        let name = format!("cyclic/nbody/{name}");
        if let Some([value, loss]) = super::peer(&name, 1, "value").zip(super::peer(&name, 1, "loss_last")).map(|(a, b)| [a, b]) {
            println!("{name:<30} 200 frames {:>8.3}  loss {loss:.6}", value * 1e3);
        }
    }
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    pool.install(|| {
        for frames in [50, 100, 200, 400, 800] {
            let mut problem = Problem::new(frames);
            let mut solver = Solver::choose(&problem.cycle, usize::MAX).expect("sound");
            let (mut walls, mut iterations_of_all) = (Vec::new(), 0);
            let cpu = super::processor_time();
            let mut result = (0, 0.0);
            for _ in 0..7 {
                let start = Instant::now();
                result = problem.run(&mut solver);
                walls.push(start.elapsed().as_secs_f64() * 1e3 / result.0 as f64);
                iterations_of_all += result.0;
            }
            walls.sort_by(f64::total_cmp);
            let cpu = (super::processor_time() - cpu) * 1e3 / iterations_of_all as f64;
            let (iterations, loss) = result;
            println!(
                "ours, {:<24} {frames} frames {:>8.3}  processor {:.3}, best {:.3}; loss {loss:.6} in {iterations}",
                solver.describe().split(':').next().unwrap_or(""),
                walls[3],
                cpu,
                walls[0]
            );
        }
    });
}
