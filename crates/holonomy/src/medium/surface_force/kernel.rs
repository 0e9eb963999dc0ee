//! The loop over faces: four at a time, side by side in vector registers. The sums have one order on every processor.
//!
//! With the spread b = √(s A) n of a face, β = Gᵀ b = (x×b, b) and G = [−x^ | I]:
//!
//! ```text
//! f      = −(c |u| + e) (u·b) b − t A u              c, e, t: the constants of the fluid, without area
//! ∂F/∂Y  = −Σ β ηᵀ − Σ t A GᵀG,                      η = Gᵀ ((c |u| + e) b + c (u·b)/|u| u)
//! ```

use std::ops::{Add, AddAssign};

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use crate::lie::{Momentum, Twist, Wrench};
use crate::shape::lanes::{FOUR, Four, Loop, accumulate, add_scaled, cross, dispatch, dot, three};

/// One number for each of the faces worked on side by side.
pub(crate) type Lanes = [f64; FOUR];

/// Viscous drag along a face, and how much more there is across it, as shares of 3η/2a: the mean over a sphere is 1, the ratio 3 : 2.
const ALONG: f64 = 6.0 / 7.0;
const MORE_ACROSS: f64 = 3.0 / 7.0;

/// Some faces; x, y, z apart.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Block {
    /// Barycentres, metres.
    pub(crate) center: [Lanes; 3],
    /// √(s A) n, metres.
    pub(crate) spread: [Lanes; 3],
}

impl Block {
    pub(super) fn center(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.center[0][lane], self.center[1][lane], self.center[2][lane])
    }
}

/// What is asked of the faces.
pub(super) struct Question<'a> {
    pub blocks: &'a [Block],
    /// Of the body against the fluid.
    pub twist: Twist,
    /// Velocity of the faces beside that of the body, m/s; empty if there is none.
    pub drift: &'a [[Lanes; 3]],
    /// ½ρ, kg/m³, and 3η/2a, Pa s/m, where they are the same for all faces.
    pub fluid: [f64; 2],
    /// ρ and η by face where they differ; else empty.
    pub media: &'a [[Lanes; 2]],
    /// ½ and 3/2a: what they are multiplied with.
    pub factors: [f64; 2],
    /// Where the force on each face is written, N; empty if nobody asks.
    pub forces: &'a mut [Vector3<f64>],
}

/// What the faces come to.
pub(super) struct Answer {
    pub wrench: Wrench,
    /// ∂wrench/∂twist; zero unless asked for.
    pub by_twist: Matrix6<f64>,
}

impl Add for Answer {
    type Output = Answer;
    fn add(self, other: Answer) -> Answer {
        Answer { wrench: self.wrench + other.wrench, by_twist: self.by_twist + other.by_twist }
    }
}

impl Question<'_> {
    pub(super) fn answer<const DERIVATIVE: bool>(self) -> Answer {
        if self.media.is_empty() && self.fluid[1] == 0.0 {
            dispatch(Pass::<DERIVATIVE, false>(self))
        } else {
            dispatch(Pass::<DERIVATIVE, true>(self))
        }
    }
}

struct Pass<'a, const DERIVATIVE: bool, const VISCOUS: bool>(Question<'a>);

impl<const DERIVATIVE: bool, const VISCOUS: bool> Loop for Pass<'_, DERIVATIVE, VISCOUS> {
    type Output = Answer;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> Answer {
        let Question { blocks, twist, drift, fluid, media, factors, forces } = self.0;
        // Apart, so that the few sums of a wrench stay in registers.
        let (mut wrench, mut directed, mut round) = ([zero; 6], [[zero; 6]; 6], [zero; 10]);
        let [w, v] = [twist.angular, twist.linear].map(|vector| <[f64; 3]>::from(vector).map(|x| zero.splat(x)));
        let (fluid, factors) = (fluid.map(|x| zero.splat(x)), factors.map(|x| zero.splat(x)));
        let (more_across, along_share) = (zero.splat(MORE_ACROSS), zero.splat(ALONG));
        for (i, block) in blocks.iter().enumerate() {
            let (x, b) = (three(zero, &block.center), three(zero, &block.spread));
            let [density, viscosity] = match media.get(i) {
                Some([density, viscosity]) if VISCOUS => [zero.with(*density) * factors[0], zero.with(*viscosity) * factors[1]],
                _ => fluid,
            };
            // ω × x + v
            let mut u =
                [w[1].mul_add(x[2], v[0] - w[2] * x[1]), w[2].mul_add(x[0], v[1] - w[0] * x[2]), w[0].mul_add(x[1], v[2] - w[1] * x[0])];
            if let Some(drift) = drift.get(i) {
                accumulate(&mut u, &three(zero, drift));
            }
            let through = dot(&u, &b);
            let speed = dot(&u, &u).sqrt();
            let mut across = density * speed;
            if VISCOUS {
                across = viscosity.mul_add(more_across, across);
            }
            let push = across * through;
            // Minus the force.
            let mut drag = [push * b[0], push * b[1], push * b[2]];
            if VISCOUS {
                let along = viscosity * along_share * dot(&b, &b);
                add_scaled(&mut drag, &u, along);
                if DERIVATIVE {
                    let [px, py, pz] = [along * x[0], along * x[1], along * x[2]];
                    let (squares, products) = ([px * x[0], py * x[1], pz * x[2]], [px * x[1], px * x[2], py * x[2]]);
                    let terms = [along, px, py, pz, squares[0], squares[1], squares[2], products[0], products[1], products[2]];
                    accumulate(&mut round, &terms);
                }
            }
            accumulate(&mut wrench, &wrench_at(&x, &drag));
            if DERIVATIVE {
                // Where u is zero so is u·b, and the quotient with it.
                let turn = density * through / speed.max(zero.splat(f64::MIN_POSITIVE));
                let mut eta = [across * b[0], across * b[1], across * b[2]];
                add_scaled(&mut eta, &u, turn);
                let eta = wrench_at(&x, &eta);
                let beta = wrench_at(&x, &b);
                for row in 0..6 {
                    for column in 0..6 {
                        directed[row][column] = beta[row].mul_add(eta[column], directed[row][column]);
                    }
                }
            }
            if !forces.is_empty() {
                let drag = drag.map(V::array);
                let of_block = forces.iter_mut().skip(i * FOUR).take(FOUR);
                of_block.enumerate().for_each(|(lane, force)| *force = -Vector3::from(drag.map(|lanes| lanes[lane])));
            }
        }
        let wrench = totals(&wrench);
        let by_twist = if DERIVATIVE { derivative(&directed.map(|row| totals(&row)), &totals(&round)) } else { Matrix6::zeros() };
        Answer { wrench: Momentum::from(-Vector6::from(wrench)), by_twist }
    }
}

#[inline(always)]
fn totals<V: Four, const N: usize>(sums: &[V; N]) -> [f64; N] {
    let mut totals = [0.0; N];
    for i in 0..N {
        totals[i] = sums[i].total();
    }
    totals
}

/// ∂F/∂Y from Σ β ηᵀ by rows, and from Σ t A, Σ t A x, Σ t A x xᵀ (xx, yy, zz, xy, xz, yz).
fn derivative(directed: &[[f64; 6]; 6], [w, x, y, z, xx, yy, zz, xy, xz, yz]: &[f64; 10]) -> Matrix6<f64> {
    // GᵀG = [[−x^ x^, x^], [−x^, I]]
    let angular = Matrix3::new(yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy);
    let hat = Vector3::new(*x, *y, *z).cross_matrix();
    let mut sum = Matrix6::from_fn(|i, j| directed[i][j]);
    let mut add = |row, column, block: Matrix3<f64>| sum.fixed_view_mut::<3, 3>(row, column).add_assign(&block);
    add(0, 0, angular);
    add(0, 3, hat);
    add(3, 0, -hat);
    add(3, 3, Matrix3::identity() * *w);
    -sum
}

/// (x × f, f).
#[inline(always)]
fn wrench_at<V: Four>(x: &[V; 3], f: &[V; 3]) -> [V; 6] {
    let [torque_x, torque_y, torque_z] = cross(x, f);
    [torque_x, torque_y, torque_z, f[0], f[1], f[2]]
}
