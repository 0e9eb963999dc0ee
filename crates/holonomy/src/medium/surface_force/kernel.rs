//! The loop over faces: four at a time, side by side in vector registers. The sums have one order on every machine.
//!
//! With the spread b = √(s A) n of a face, β = Gᵀ b = (x×b, b) and G = [−x^ | I]:
//!
//! ```text
//! f      = −(c |u| + e) (u·b) b − t A u              c, e, t: the constants of the fluid, without area
//! ∂F/∂Y  = −Σ β ηᵀ − Σ t A GᵀG,                      η = Gᵀ ((c |u| + e) b + c (u·b)/|u| u)
//! ```

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use wide::f64x4;

use crate::lie::{Momentum, Twist, Wrench};

/// Faces worked on side by side.
pub(super) const LANES: usize = 4;

/// One number for each of them.
pub(super) type Lanes = [f64; LANES];

/// Viscous drag along a face, and how much more there is across it, as shares of 3η/2a: the mean over a sphere is 1, the ratio 3 : 2.
const ALONG: f64 = 6.0 / 7.0;
const MORE_ACROSS: f64 = 3.0 / 7.0;

/// Some faces; x, y, z apart.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Block {
    /// Barycentres, metres.
    pub(super) center: [Lanes; 3],
    /// √(s A) n, metres.
    pub(super) spread: [Lanes; 3],
}

impl Block {
    pub(super) fn center(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.center[0][lane], self.center[1][lane], self.center[2][lane])
    }
}

/// What the loop adds up, lane by lane.
pub(super) struct Sums {
    /// Torque, force.
    wrench: [f64x4; 6],
    /// Σ β ηᵀ by rows.
    directed: [[f64x4; 6]; 6],
    /// Σ t A, Σ t A x, and Σ t A x xᵀ: xx, yy, zz, xy, xz, yz.
    round: [f64x4; 10],
}

impl Sums {
    pub(super) fn wrench(&self) -> Wrench {
        Momentum::from(Vector6::from_fn(|i, _| total(&self.wrench[i])))
    }

    pub(super) fn by_twist(&self) -> Matrix6<f64> {
        let directed = Matrix6::from_fn(|i, j| total(&self.directed[i][j]));
        let [w, x, y, z, xx, yy, zz, xy, xz, yz] = self.round.each_ref().map(total);
        // GᵀG = [[−x^ x^, x^], [−x^, I]]
        let angular = Matrix3::new(yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy);
        let hat = Vector3::new(x, y, z).cross_matrix();
        let mut round = Matrix6::zeros();
        round.fixed_view_mut::<3, 3>(0, 0).copy_from(&angular);
        round.fixed_view_mut::<3, 3>(0, 3).copy_from(&hat);
        round.fixed_view_mut::<3, 3>(3, 0).copy_from(&-hat);
        round.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * w));
        -(directed + round)
    }
}

fn total(lanes: &f64x4) -> f64 {
    lanes.to_array().iter().sum()
}

/// Sums over all faces. `local` gives each block its drift, density and viscosity, the last two with their factors; `each` gets its forces.
#[inline(always)]
pub(super) fn sum<const DERIVATIVE: bool, const VISCOUS: bool>(
    blocks: &[Block],
    twist: &Twist,
    local: impl Fn(usize) -> ([Lanes; 3], Lanes, Lanes),
    mut each: impl FnMut(usize, &[Lanes; 3]),
) -> Sums {
    let zero = f64x4::ZERO;
    let mut sums = Sums { wrench: [zero; 6], directed: [[zero; 6]; 6], round: [zero; 10] };
    let [w, v] = [twist.angular, twist.linear].map(|vector| <[f64; 3]>::from(vector).map(f64x4::splat));
    for (i, block) in blocks.iter().enumerate() {
        let (drift, density, viscosity) = local(i);
        let (drift, density, viscosity) = (drift.map(f64x4::from), f64x4::from(density), f64x4::from(viscosity));
        let (x, b) = (block.center.map(f64x4::from), block.spread.map(f64x4::from));
        let turned = cross(&w, &x);
        let u = [0, 1, 2].map(|j| turned[j] + v[j] + drift[j]);
        let through = dot(&u, &b);
        let speed = dot(&u, &u).sqrt();
        let across = if VISCOUS { density * speed + viscosity * f64x4::splat(MORE_ACROSS) } else { density * speed };
        let push = across * through;
        let mut force = b.map(|b| -(push * b));
        if VISCOUS {
            let along = viscosity * f64x4::splat(ALONG) * dot(&b, &b);
            force = [0, 1, 2].map(|j| force[j] - along * u[j]);
            if DERIVATIVE {
                let [px, py, pz] = x.map(|x| along * x);
                add(&mut sums.round, &[along, px, py, pz, px * x[0], py * x[1], pz * x[2], px * x[1], px * x[2], py * x[2]]);
            }
        }
        add(&mut sums.wrench, &wrench_at(&x, &force));
        if DERIVATIVE {
            // Where u is zero so is u·b, and the quotient with it.
            let turn = density * through / speed.fast_max(f64x4::splat(f64::MIN_POSITIVE));
            let eta = wrench_at(&x, &[0, 1, 2].map(|j| across * b[j] + turn * u[j]));
            for (row, beta) in sums.directed.iter_mut().zip(&wrench_at(&x, &b)) {
                row.iter_mut().zip(&eta).for_each(|(sum, eta)| *sum += *beta * *eta);
            }
        }
        each(i, &force.map(f64x4::to_array));
    }
    sums
}

#[inline(always)]
fn add<const N: usize>(sums: &mut [f64x4; N], terms: &[f64x4; N]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += *term);
}

#[inline(always)]
fn dot(a: &[f64x4; 3], b: &[f64x4; 3]) -> f64x4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: &[f64x4; 3], b: &[f64x4; 3]) -> [f64x4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// (x × f, f).
#[inline(always)]
fn wrench_at(x: &[f64x4; 3], f: &[f64x4; 3]) -> [f64x4; 6] {
    let [torque_x, torque_y, torque_z] = cross(x, f);
    [torque_x, torque_y, torque_z, f[0], f[1], f[2]]
}
