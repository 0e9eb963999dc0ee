//! The one pass over the vertices of a time edge, several vertices at once.
//!
//! Per block of vertices and half of the edge: first the metric B and the force B e at each vertex, then, for each of the six entries
//! of B, its sums against 1, x and x xᵀ. Ten sums fit into the registers of any processor; all 146 would not.

use std::hint::black_box;

use nalgebra::{Matrix3, Vector3};
use pulp::{Arch, Simd, WithSimd};

use super::moments::Half;
use crate::medium::MetricFrame;
use crate::medium::frame::Block;
use crate::shape::lanes::{BLOCK, Vectors};

/// Moments of both halves about the two centres, and Σ (trace B + trace C) |x − p|².
pub(super) fn moments(old: &MetricFrame, new: &MetricFrame) -> (Half, Half, f64) {
    Arch::new().dispatch(Pass { old, new })
}

/// Σ w (p − c)(x − ĉ)ᵀ, weighted by the isotropic parts: what the best rotation is found from.
pub(super) fn fit(old: &MetricFrame, new: &MetricFrame) -> Matrix3<f64> {
    let (old_center, new_center) = (old.center(), new.center());
    let pairs = old.samples().zip(new.samples());
    pairs.map(|(a, b)| (a.point - old_center) * ((b.point - new_center) * (a.round + b.round)).transpose()).sum()
}

struct Pass<'a> {
    old: &'a MetricFrame,
    new: &'a MetricFrame,
}

/// What the sums of a half need at each vertex of a block.
struct Staged {
    /// x, from its centre.
    point: Vectors,
    /// B, packed.
    metric: [[f64; BLOCK]; 6],
    /// B e.
    force: Vectors,
}

/// The sums of a half, each as a vector of partial sums.
#[derive(Clone, Copy)]
struct Sums<V> {
    /// For each B_ab: Σ B_ab, Σ B_ab x, Σ B_ab x xᵀ packed.
    metric: [[V; 10]; 6],
    /// For each component of B e: Σ against x, and Σ.
    force: [[V; 4]; 3],
    /// Σ eᵀ B e.
    gap: V,
}

impl WithSimd for Pass<'_> {
    type Output = (Half, Half, f64);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let zero = simd.splat_f64s(0.0);
        let mut sums = [Sums { metric: [[zero; 10]; 6], force: [[zero; 4]; 3], gap: zero }; 2];
        let mut distance = zero;
        let empty = || Staged { point: [[0.0; BLOCK]; 3], metric: [[0.0; BLOCK]; 6], force: [[0.0; BLOCK]; 3] };
        let mut staged = [empty(), empty()];
        let (old_center, new_center) = (self.old.center(), self.new.center());
        for ((old, lanes), (new, _)) in self.old.blocks().zip(self.new.blocks()) {
            touch(old);
            touch(new);
            center(simd, &new.point, &new_center, lanes, &mut staged[0].point);
            center(simd, &old.point, &old_center, lanes, &mut staged[1].point);
            let [from_old, from_new] = &mut staged;
            distance = stage(simd, old, lanes, from_old, &from_new.point, &mut sums[0].gap, distance);
            distance = stage(simd, new, lanes, from_new, &from_old.point, &mut sums[1].gap, distance);
            for (staged, sums) in staged.iter().zip(&mut sums) {
                add(simd, staged, lanes, sums);
            }
        }
        (half(simd, &sums[0]), half(simd, &sums[1]), simd.reduce_sum_f64s(distance))
    }
}

#[inline(always)]
fn vectors<S: Simd>(values: &[f64; BLOCK], lanes: usize) -> &[S::f64s] {
    S::as_simd_f64s(&values[..lanes]).0
}

#[inline(always)]
fn three<S: Simd>([x, y, z]: &Vectors, lanes: usize) -> [&[S::f64s]; 3] {
    [vectors::<S>(x, lanes), vectors::<S>(y, lanes), vectors::<S>(z, lanes)]
}

#[inline(always)]
fn vectors_mut<S: Simd>(values: &mut [f64; BLOCK], lanes: usize) -> &mut [S::f64s] {
    S::as_mut_simd_f64s(&mut values[..lanes]).0
}

#[inline(always)]
fn center<S: Simd>(simd: S, points: &Vectors, center: &Vector3<f64>, lanes: usize, out: &mut Vectors) {
    for k in 0..3 {
        let c = simd.splat_f64s(center[k]);
        for (out, &x) in vectors_mut::<S>(&mut out[k], lanes).iter_mut().zip(vectors::<S>(&points[k], lanes)) {
            *out = simd.sub_f64s(x, c);
        }
    }
}

/// Metric and forces of a half; returns `distance` + Σ trace B |e|².
#[inline(always)]
fn stage<S: Simd>(
    simd: S,
    block: &Block,
    lanes: usize,
    out: &mut Staged,
    fixed: &Vectors,
    gap: &mut S::f64s,
    distance: S::f64s,
) -> S::f64s {
    let (fma, mul) = (|a, b, c| simd.mul_add_e_f64s(a, b, c), |a, b| simd.mul_f64s(a, b));
    let [x, y, z] = three::<S>(&out.point, lanes);
    let [px, py, pz] = three::<S>(fixed, lanes);
    let [ux, uy, uz] = three::<S>(&block.axis, lanes);
    let (round, axial) = (vectors::<S>(&block.round, lanes), vectors::<S>(&block.axial, lanes));
    let [m00, m01, m02, m11, m12, m22] = &mut out.metric;
    let (m00, m01, m02) = (vectors_mut::<S>(m00, lanes), vectors_mut::<S>(m01, lanes), vectors_mut::<S>(m02, lanes));
    let (m11, m12, m22) = (vectors_mut::<S>(m11, lanes), vectors_mut::<S>(m12, lanes), vectors_mut::<S>(m22, lanes));
    let [fx, fy, fz] = &mut out.force;
    let (fx, fy, fz) = (vectors_mut::<S>(fx, lanes), vectors_mut::<S>(fy, lanes), vectors_mut::<S>(fz, lanes));
    let (mut gaps, mut distance) = (*gap, distance);
    for i in 0..round.len() {
        let (u, r) = ([ux[i], uy[i], uz[i]], round[i]);
        let (vx, vy, vz) = (mul(u[0], axial[i]), mul(u[1], axial[i]), mul(u[2], axial[i]));
        let b = [fma(vx, u[0], r), mul(vx, u[1]), mul(vx, u[2]), fma(vy, u[1], r), mul(vy, u[2]), fma(vz, u[2], r)];
        let e = [simd.sub_f64s(x[i], px[i]), simd.sub_f64s(y[i], py[i]), simd.sub_f64s(z[i], pz[i])];
        let row = |b: [S::f64s; 3]| fma(b[0], e[0], fma(b[1], e[1], mul(b[2], e[2])));
        let f = [row([b[0], b[1], b[2]]), row([b[1], b[3], b[4]]), row([b[2], b[4], b[5]])];
        gaps = fma(f[0], e[0], fma(f[1], e[1], fma(f[2], e[2], gaps)));
        let squared = fma(e[0], e[0], fma(e[1], e[1], mul(e[2], e[2])));
        distance = fma(simd.add_f64s(b[0], simd.add_f64s(b[3], b[5])), squared, distance);
        [m00[i], m01[i], m02[i], m11[i], m12[i], m22[i]] = b;
        [fx[i], fy[i], fz[i]] = f;
    }
    *gap = gaps;
    distance
}

/// Adds a block to the sums.
#[inline(always)]
fn add<S: Simd>(simd: S, staged: &Staged, lanes: usize, sums: &mut Sums<S::f64s>) {
    let [x, y, z] = three::<S>(&staged.point, lanes);
    for (b, sums) in staged.metric.iter().zip(&mut sums.metric) {
        let b = vectors::<S>(b, lanes);
        let (y, z) = (&y[..x.len()], &z[..x.len()]);
        let b = &b[..x.len()];
        let mut s = *sums;
        for i in 0..x.len() {
            let (x, y, z) = (x[i], y[i], z[i]);
            let (bx, by, bz) = (simd.mul_f64s(b[i], x), simd.mul_f64s(b[i], y), simd.mul_f64s(b[i], z));
            s[0] = simd.add_f64s(s[0], b[i]);
            s[1] = simd.add_f64s(s[1], bx);
            s[2] = simd.add_f64s(s[2], by);
            s[3] = simd.add_f64s(s[3], bz);
            s[4] = simd.mul_add_e_f64s(bx, x, s[4]);
            s[5] = simd.mul_add_e_f64s(bx, y, s[5]);
            s[6] = simd.mul_add_e_f64s(bx, z, s[6]);
            s[7] = simd.mul_add_e_f64s(by, y, s[7]);
            s[8] = simd.mul_add_e_f64s(by, z, s[8]);
            s[9] = simd.mul_add_e_f64s(bz, z, s[9]);
        }
        *sums = s;
    }
    let [fx, fy, fz] = three::<S>(&staged.force, lanes);
    let mut s = sums.force;
    for i in 0..x.len() {
        let forces = [fx[i], fy[i], fz[i]];
        for a in 0..3 {
            s[a][0] = simd.mul_add_e_f64s(forces[a], x[i], s[a][0]);
            s[a][1] = simd.mul_add_e_f64s(forces[a], y[i], s[a][1]);
            s[a][2] = simd.mul_add_e_f64s(forces[a], z[i], s[a][2]);
            s[a][3] = simd.add_f64s(s[a][3], forces[a]);
        }
    }
    sums.force = s;
}

#[inline(always)]
fn half<S: Simd>(simd: S, sums: &Sums<S::f64s>) -> Half {
    let mut half = Half { metric: [[[0.0; 4]; 4]; 6], pull: [[0.0; 4]; 3], gap: simd.reduce_sum_f64s(sums.gap) };
    // Where each sum stands in Σ B_ab x̃ x̃ᵀ.
    const PLACES: [(usize, usize); 10] = [(3, 3), (0, 3), (1, 3), (2, 3), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    for ab in 0..6 {
        for s in 0..10 {
            let (k, l) = PLACES[s];
            let sum = simd.reduce_sum_f64s(sums.metric[ab][s]);
            (half.metric[ab][k][l], half.metric[ab][l][k]) = (sum, sum);
        }
    }
    for a in 0..3 {
        for k in 0..4 {
            half.pull[a][k] = simd.reduce_sum_f64s(sums.force[a][k]);
        }
    }
    half
}

/// Reads one value per cache line of a block, from end to end: the processor fetches one long stream ahead, but not the many short ones
/// of the sums. At 100 000 vertices this halves the time of the pass.
#[inline(always)]
fn touch(block: &Block) {
    let ([x, y, z], [ux, uy, uz]) = (&block.point, &block.axis);
    let mut sums = [0.0; BLOCK / LINE];
    for values in [x, y, z, ux, uy, uz, &block.round, &block.axial] {
        for (sum, value) in sums.iter_mut().zip(values.iter().step_by(LINE)) {
            *sum += value;
        }
    }
    black_box(sums);
}

/// Numbers in a cache line.
const LINE: usize = 8;
