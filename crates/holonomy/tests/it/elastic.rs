//! Elastic bodies: derivatives, invariants, closed forms of beams and plates, and motion forward in time.

mod beams;
mod bodies;
mod elements;
mod forward;
mod loads;
mod meshes;
mod self_contact;

use holonomy::elastic::Element;
use holonomy::integrate::force_law::{ForceLaw, Stiffness};
use holonomy::nalgebra::{DMatrix, Matrix3, UnitQuaternion, Vector3};

/// Numbers from −1 to 1, the same ones every time.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        // xorshift64*.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(self.vector() * 3.0)
    }
}

/// Blocks as one matrix.
pub fn dense<const K: usize>(blocks: &[[Matrix3<f64>; K]; K]) -> DMatrix<f64> {
    DMatrix::from_fn(3 * K, 3 * K, |i, j| blocks[i / 3][j / 3][(i % 3, j % 3)])
}

/// Greatest errors of force and stiffness against central differences of energy and force, in parts of the largest entries.
pub fn derivative_errors<const K: usize>(element: &impl Element<K>, x: &[Vector3<f64>; K], step: f64) -> (f64, f64) {
    let moved = |v: usize, axis: usize, by: f64| {
        let mut x = *x;
        x[v][axis] += by;
        x
    };
    let (force, stiffness) = (element.force(x), dense(&element.stiffness(x, Stiffness::Exact)));
    let largest = force.iter().map(|f| f.amax()).fold(1e-300, f64::max);
    let mut errors = (0.0_f64, 0.0_f64);
    for v in 0..K {
        for axis in 0..3 {
            let (ahead, behind) = (moved(v, axis, step), moved(v, axis, -step));
            let slope = (element.energy(&ahead) - element.energy(&behind)) / (2.0 * step);
            errors.0 = errors.0.max((slope + force[v][axis]).abs() / largest);
            let (ahead, behind) = (element.force(&ahead), element.force(&behind));
            for w in 0..K {
                for other in 0..3 {
                    let slope = (ahead[w][other] - behind[w][other]) / (2.0 * step);
                    errors.1 = errors.1.max((slope + stiffness[(3 * w + other, 3 * v + axis)]).abs() / stiffness.amax());
                }
            }
        }
    }
    errors
}

/// The stiffness of a body as one matrix.
pub fn body_stiffness(law: &impl ForceLaw, time: f64, q: &[Vector3<f64>], which: Stiffness) -> DMatrix<f64> {
    let pattern = law.pattern();
    let mut values = vec![Matrix3::zeros(); pattern.blocks()];
    law.stiffness(time, q, which, &mut values);
    let mut all = DMatrix::zeros(3 * q.len(), 3 * q.len());
    for i in 0..q.len() {
        for place in pattern.row(i) {
            all.fixed_view_mut::<3, 3>(3 * i, 3 * pattern.columns()[place] as usize).copy_from(&values[place]);
        }
    }
    all
}

pub fn forces(law: &impl ForceLaw, time: f64, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut force = vec![Vector3::repeat(f64::NAN); q.len()];
    law.force(time, q, &mut force);
    force
}

/// The same of a whole body.
pub fn body_derivative_errors(law: &impl ForceLaw, time: f64, q: &[Vector3<f64>], step: f64) -> (f64, f64) {
    let stiffness = body_stiffness(law, time, q, Stiffness::Exact);
    let force = forces(law, time, q);
    let largest = force.iter().map(|f| f.amax()).fold(1e-300, f64::max);
    let mut errors = (0.0_f64, 0.0_f64);
    let mut moved = q.to_vec();
    for v in 0..q.len() {
        for axis in 0..3 {
            moved[v][axis] = q[v][axis] + step;
            let (energy, ahead) = (law.energy(time, &moved), forces(law, time, &moved));
            moved[v][axis] = q[v][axis] - step;
            let slope = (energy - law.energy(time, &moved)) / (2.0 * step);
            let behind = forces(law, time, &moved);
            moved[v][axis] = q[v][axis];
            errors.0 = errors.0.max((slope + force[v][axis]).abs() / largest);
            for w in 0..q.len() {
                for other in 0..3 {
                    let slope = (ahead[w][other] - behind[w][other]) / (2.0 * step);
                    errors.1 = errors.1.max((slope + stiffness[(3 * w + other, 3 * v + axis)]).abs() / stiffness.amax());
                }
            }
        }
    }
    errors
}
