//! The loop over faces: a few at a time, side by side, so that the compiler can use vector instructions.
//!
//! With the spread b = √A n of a face, β = Gᵀ b = (x×b, b) and G = [−x^ | I]:
//!
//! ```text
//! f      = −(c |u| + e) (u·b) b − t A u              c, e, t: the constants of the fluid, without area
//! ∂F/∂Y  = −Σ β ηᵀ − Σ t A GᵀG,                      η = Gᵀ ((c |u| + e) b + c (u·b)/|u| u)
//! ```

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

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
    /// √A n, metres.
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
    wrench: [Lanes; 6],
    /// Σ β ηᵀ by rows.
    directed: [[Lanes; 6]; 6],
    /// Σ t A, Σ t A x, and Σ t A x xᵀ: xx, yy, zz, xy, xz, yz.
    round: [Lanes; 10],
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

fn total(lanes: &Lanes) -> f64 {
    lanes.iter().sum()
}

/// Sums over all faces. `local` gives each block its drift, density and viscosity, the last two with their factors; `each` gets its forces.
#[inline(always)]
pub(super) fn sum<const DERIVATIVE: bool, const VISCOUS: bool>(
    blocks: &[Block],
    twist: &Twist,
    local: impl Fn(usize) -> ([Lanes; 3], Lanes, Lanes),
    mut each: impl FnMut(usize, &[Lanes; 3]),
) -> Sums {
    let mut sums = Sums { wrench: [[0.0; LANES]; 6], directed: [[[0.0; LANES]; 6]; 6], round: [[0.0; LANES]; 10] };
    let ([wx, wy, wz], [vx, vy, vz]): ([f64; 3], [f64; 3]) = (twist.angular.into(), twist.linear.into());
    for (i, block) in blocks.iter().enumerate() {
        let (drift, density, viscosity) = local(i);
        let mut force = [[0.0; LANES]; 3];
        let mut terms = [[0.0; LANES]; 6];
        let (mut normal, mut eta) = ([[0.0; LANES]; 6], [[0.0; LANES]; 6]);
        let mut round = [[0.0; LANES]; 10];
        for k in 0..LANES {
            let [x, y, z] = block.center.map(|lanes| lanes[k]);
            let [bx, by, bz] = block.spread.map(|lanes| lanes[k]);
            let ux = wy * z - wz * y + vx + drift[0][k];
            let uy = wz * x - wx * z + vy + drift[1][k];
            let uz = wx * y - wy * x + vz + drift[2][k];
            let through = ux * bx + uy * by + uz * bz;
            let speed = (ux * ux + uy * uy + uz * uz).sqrt();
            let mut across = density[k] * speed;
            if VISCOUS {
                across += viscosity[k] * MORE_ACROSS;
            }
            let push = -across * through;
            let (mut fx, mut fy, mut fz) = (push * bx, push * by, push * bz);
            if VISCOUS {
                let along = viscosity[k] * ALONG * (bx * bx + by * by + bz * bz);
                (fx, fy, fz) = (fx - along * ux, fy - along * uy, fz - along * uz);
                if DERIVATIVE {
                    let (px, py, pz) = (along * x, along * y, along * z);
                    let moments = [along, px, py, pz, px * x, py * y, pz * z, px * y, px * z, py * z];
                    (0..10).for_each(|j| round[j][k] = moments[j]);
                }
            }
            let wrench = [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz];
            (0..6).for_each(|j| terms[j][k] = wrench[j]);
            (0..3).for_each(|j| force[j][k] = wrench[3 + j]);
            if DERIVATIVE {
                // Where u is zero so is u·b, and the quotient with it.
                let turn = density[k] * through / speed.max(f64::MIN_POSITIVE);
                let (dx, dy, dz) = (across * bx + turn * ux, across * by + turn * uy, across * bz + turn * uz);
                let beta = [y * bz - z * by, z * bx - x * bz, x * by - y * bx, bx, by, bz];
                let along = [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx, dx, dy, dz];
                (0..6).for_each(|j| (normal[j][k], eta[j][k]) = (beta[j], along[j]));
            }
        }
        add(&mut sums.wrench, &terms);
        if DERIVATIVE {
            for (row, beta) in sums.directed.iter_mut().zip(&normal) {
                for (sum, eta) in row.iter_mut().zip(&eta) {
                    (0..LANES).for_each(|k| sum[k] += beta[k] * eta[k]);
                }
            }
            if VISCOUS {
                add(&mut sums.round, &round);
            }
        }
        each(i, &force);
    }
    sums
}

#[inline(always)]
fn add<const N: usize>(sums: &mut [Lanes; N], terms: &[Lanes; N]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        (0..LANES).for_each(|k| sum[k] += term[k]);
    }
}
