//! Elastic and damping forces of four blocks at once: the fixed corotated law (Fang 2015, Eq. 3.1; Stomakhin et al. 2012) and Fang 2015, Eq. A.23.
//!
//! A tetrahedron has one edge along each axis of the grid (see [`grid`](super::grid)). At rest its edges are X = (x', 0, 0), (x_y, h_y, 0) and (x_z, 0, h_z), so
//! with the edges e and their leans s_y = x_y/h_y, s_z = x_z/h_z
//!
//! ```text
//! F = [f_x f_y f_z],   f_x = e_x/x',   f_y = e_y/h_y − s_y f_x,   f_z = e_z/h_z − s_z f_x
//! P = 2μ(F − R) + Λ(J − 1) cof F = F (α + β FᵀF) + γ cof F            R of stretch.rs
//!     β = 2μ/D,   α = 2μ − β(λ² − i₂),   γ = Λ(J − 1) − βλ
//! ∂W/∂e_x = (V/x') (P_x − s_y P_y − s_z P_z),   ∂W/∂e_y = (V/h_y) P_y,   ∂W/∂e_z = (V/h_z) P_z
//! ```
//!
//! which is V P Dm⁻ᵀ in one order of nodes and without a sign of det Dm; forces are minus that (ERRATA F1 to F4). P Fᵀ is symmetric whatever λ is, so no error of λ
//! makes a torque.
//!
//! Damping, with w the differences of velocity along the edges and E = [e_x e_y e_z], W likewise: the four nodes about their middle have
//! Σ r rᵀ = E G Eᵀ and Σ r×v from E G Wᵀ, where G = ¼ (3 2 1; 2 4 2; 1 2 3) in the order of the path. Less the rigid motion that is nearest to
//! it in the squares, the force along the edges is
//!
//! ```text
//! −γV (W − ω^ E) G,   (tr Q − Q) ω = Σ r×v,   Q = Σ r rᵀ;      plain damping: ω = 0
//! ```

use super::grid::{Grid, Tetrahedron};
use super::stretch::stretch_sum;
use super::{Lane, Three};
use crate::shape::lanes::{FOUR, Four, Loop, cross, dot, minus, scaled, three};

/// How a tetrahedron's rest shape enters, of four blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sizes {
    /// 1/h_y and 1/h_z, 1/m.
    pub inverse: [Lane; 2],
    /// V/x', V/(x' h_y) and V/(x' h_z) of unit x', with the sign of x': −h_y h_z/6, h_z/6, h_y/6.
    pub shares: [Lane; 3],
    /// γ V/4 of the initial shape, kg/s.
    pub damping: Lane,
}

/// The rest shape where muscles have changed it, of four blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest<'a> {
    /// 1/x' and |x'| of the lines along x.
    pub lines: &'a [[Lane; 2]],
    /// s_y and s_z of the edges along y and z.
    pub leans: [&'a [Lane]; 2],
}

/// What the law takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Law {
    /// 2μ and Λ, Pa.
    pub twice_shear: f64,
    pub bulk: f64,
}

/// Which damping: a type-level switch, so that none of it is paid for by who does not want it.
pub(super) const UNDAMPED: u8 = 0;
pub(super) const PLAIN: u8 = 1;
pub(super) const ROTATION_FREE: u8 = 2;

/// Four blocks whose forces are wanted.
pub(super) struct Forces<'a, const DAMPING: u8> {
    pub grid: &'a Grid,
    pub law: Law,
    pub sizes: &'a Sizes,
    pub rest: Rest<'a>,
    pub position: &'a [Three],
    pub velocity: &'a [Three],
    /// λ of the last step and of the one before; written anew.
    pub stretch: &'a mut [[Lane; 2]],
    /// Added to.
    pub force: &'a mut [Three],
}

impl<const DAMPING: u8> Loop for Forces<'_, DAMPING> {
    type Output = ();

    #[inline(always)]
    fn run<V: Four>(self, zero: V) {
        let Forces { grid, law, sizes, rest, position, velocity, stretch, force } = self;
        let [with_x, with_y, with_z] = &grid.tetrahedra;
        let constants = Constants::of(zero, &law, sizes);
        let third = with_x.len();
        let (stretch_x, others) = stretch.split_at_mut(third.min(stretch.len()));
        let (stretch_y, stretch_z) = others.split_at_mut(third.min(others.len()));
        let state = State { rest, position, velocity };
        run_class::<V, DAMPING, 0>(&constants, with_x, &state, stretch_x, force);
        run_class::<V, DAMPING, 1>(&constants, with_y, &state, stretch_y, force);
        run_class::<V, DAMPING, 2>(&constants, with_z, &state, stretch_z, force);
    }
}

struct State<'a> {
    rest: Rest<'a>,
    position: &'a [Three],
    velocity: &'a [Three],
}

struct Constants<V> {
    inverse: [V; 2],
    shares: [V; 3],
    damping: V,
    twice_shear: V,
    bulk: V,
}

impl<V: Four> Constants<V> {
    #[inline(always)]
    fn of(zero: V, law: &Law, sizes: &Sizes) -> Constants<V> {
        let [y, z] = sizes.inverse;
        let [a, b, c] = sizes.shares;
        Constants {
            inverse: [zero.with(y), zero.with(z)],
            shares: [zero.with(a), zero.with(b), zero.with(c)],
            damping: zero.with(sizes.damping),
            twice_shear: zero.splat(law.twice_shear),
            bulk: zero.splat(law.bulk),
        }
    }
}

/// The tetrahedra whose paths have the axis MIDDLE in the middle.
#[inline(always)]
fn run_class<V: Four, const DAMPING: u8, const MIDDLE: usize>(
    constants: &Constants<V>,
    tetrahedra: &[Tetrahedron],
    state: &State<'_>,
    stretch: &mut [[Lane; 2]],
    force: &mut [Three],
) {
    let zero = constants.bulk;
    for (tetrahedron, sums) in tetrahedra.iter().zip(stretch) {
        let edges = differences(zero, tetrahedron, state.position);
        let line = &state.rest.lines[tetrahedron.line as usize];
        let leans =
            [zero.with(state.rest.leans[0][tetrahedron.leans[0] as usize]), zero.with(state.rest.leans[1][tetrahedron.leans[1] as usize])];
        let shape = Shape { inverse: zero.with(line[0]), length: zero.with(line[1]), leans };
        // As if it went on as before.
        let (last, before) = (zero.with(sums[0]), zero.with(sums[1]));
        let (mut pull, found) = elastic(constants, &shape, &edges, last + (last - before));
        *sums = [found.array(), sums[0]];
        if DAMPING != UNDAMPED {
            let rates = differences(zero, tetrahedron, state.velocity);
            let brake = damping::<V, DAMPING, MIDDLE>(&edges, &rates);
            for axis in 0..3 {
                for k in 0..3 {
                    pull[axis][k] = brake[axis][k].mul_add(constants.damping, pull[axis][k]);
                }
            }
        }
        apply(tetrahedron, &pull, force);
    }
}

/// Along x, y and z: last node less first node.
#[inline(always)]
fn differences<V: Four>(zero: V, tetrahedron: &Tetrahedron, of: &[Three]) -> [[V; 3]; 3] {
    let [x, y, z] = &tetrahedron.edges;
    [difference(zero, x, of), difference(zero, y, of), difference(zero, z, of)]
}

#[inline(always)]
fn difference<V: Four>(zero: V, [first, last]: &[u32; 2], of: &[Three]) -> [V; 3] {
    minus(&three(zero, &of[*last as usize]), &three(zero, &of[*first as usize]))
}

/// Adds −∂W/∂e to the last node of each edge and takes it from the first.
#[inline(always)]
fn apply<V: Four>(tetrahedron: &Tetrahedron, pull: &[[V; 3]; 3], force: &mut [Three]) {
    for axis in 0..3 {
        let [first, last] = tetrahedron.edges[axis];
        for k in 0..3 {
            let at = &mut force[first as usize][k];
            *at = (pull[axis][k].with(*at) + pull[axis][k]).array();
        }
        for k in 0..3 {
            let at = &mut force[last as usize][k];
            *at = (pull[axis][k].with(*at) - pull[axis][k]).array();
        }
    }
}

/// The rest shape of one tetrahedron.
struct Shape<V> {
    inverse: V,
    length: V,
    leans: [V; 2],
}

/// ∂W/∂e of the three edges, and λ.
#[inline(always)]
fn elastic<V: Four>(constants: &Constants<V>, shape: &Shape<V>, edges: &[[V; 3]; 3], guess: V) -> ([[V; 3]; 3], V) {
    let [ex, ey, ez] = edges;
    let fx = scaled(ex, shape.inverse);
    let fy = less(&scaled(ey, constants.inverse[0]), &fx, shape.leans[0]);
    let fz = less(&scaled(ez, constants.inverse[1]), &fx, shape.leans[1]);
    let [xx, yy, zz] = [dot(&fx, &fx), dot(&fy, &fy), dot(&fz, &fz)];
    let [xy, xz, yz] = [dot(&fx, &fy), dot(&fx, &fz), dot(&fy, &fz)];
    let [cx, cy, cz] = [cross(&fy, &fz), cross(&fz, &fx), cross(&fx, &fy)];
    let (a, d) = (xx + yy + zz, dot(&fx, &cx));
    let b = dot(&cx, &cx) + dot(&cy, &cy) + dot(&cz, &cz);
    let (sum, denominator) = stretch_sum(guess, a, b, d);
    let beta = constants.twice_shear / denominator;
    // λ² − i₂ = ½(λ² + a).
    let alpha = constants.twice_shear - beta * (sum.mul_add(sum, a) * a.splat(0.5));
    let gamma = constants.bulk.mul_sub(d - a.splat(1.0), beta * sum);
    let (bxy, bxz, byz) = (beta * xy, beta * xz, beta * yz);
    let px = combine([&fx, &fy, &fz, &cx], [beta.mul_add(xx, alpha), bxy, bxz, gamma]);
    let py = combine([&fx, &fy, &fz, &cy], [bxy, beta.mul_add(yy, alpha), byz, gamma]);
    let pz = combine([&fx, &fy, &fz, &cz], [bxz, byz, beta.mul_add(zz, alpha), gamma]);
    let straight = less(&less(&px, &py, shape.leans[0]), &pz, shape.leans[1]);
    let [along, up, across] = constants.shares;
    ([scaled(&straight, along), scaled(&py, up * shape.length), scaled(&pz, across * shape.length)], sum)
}

/// a − factor · b.
#[inline(always)]
fn less<V: Four>(a: &[V; 3], b: &[V; 3], factor: V) -> [V; 3] {
    [a[0] - b[0] * factor, a[1] - b[1] * factor, a[2] - b[2] * factor]
}

#[inline(always)]
fn combine<V: Four>([a, b, c, d]: [&[V; 3]; 4], [p, q, r, s]: [V; 4]) -> [V; 3] {
    let mut sum = *a;
    for k in 0..3 {
        sum[k] = d[k].mul_add(s, c[k].mul_add(r, b[k].mul_add(q, a[k] * p)));
    }
    sum
}

/// (W − ω^ E) 4G.
#[inline(always)]
fn damping<V: Four, const DAMPING: u8, const MIDDLE: usize>(edges: &[[V; 3]; 3], rates: &[[V; 3]; 3]) -> [[V; 3]; 3] {
    if DAMPING == PLAIN {
        return weighed::<V, MIDDLE>(rates);
    }
    let arms = weighed::<V, MIDDLE>(edges);
    let spin = spin(&arms, edges, rates);
    let mut rest = *rates;
    for axis in 0..3 {
        rest[axis] = minus(&rates[axis], &cross(&spin, &edges[axis]));
    }
    weighed::<V, MIDDLE>(&rest)
}

/// E 4G: with s the sum of all and of the middle once more, s + 2e at the ends of the path and 2s in the middle.
#[inline(always)]
fn weighed<V: Four, const MIDDLE: usize>(e: &[[V; 3]; 3]) -> [[V; 3]; 3] {
    let mut out = *e;
    for k in 0..3 {
        let sum = (e[0][k] + e[1][k]) + (e[2][k] + e[MIDDLE][k]);
        for axis in 0..3 {
            out[axis][k] = sum + if axis == MIDDLE { sum } else { e[axis][k] + e[axis][k] };
        }
    }
    out
}

/// Component k of three vectors.
#[inline(always)]
fn column<V: Four>(m: &[[V; 3]; 3], k: usize) -> [V; 3] {
    [m[0][k], m[1][k], m[2][k]]
}

/// ω, all four nodes' moments times four.
#[inline(always)]
fn spin<V: Four>(arms: &[[V; 3]; 3], edges: &[[V; 3]; 3], rates: &[[V; 3]; 3]) -> [V; 3] {
    let (ax, ay, az) = (column(arms, 0), column(arms, 1), column(arms, 2));
    let (ex, ey, ez) = (column(edges, 0), column(edges, 1), column(edges, 2));
    let (wx, wy, wz) = (column(rates, 0), column(rates, 1), column(rates, 2));
    let (xx, yy, zz) = (dot(&ax, &ex), dot(&ay, &ey), dot(&az, &ez));
    let (xy, xz, yz) = (dot(&ax, &ey), dot(&ax, &ez), dot(&ay, &ez));
    let moment = [dot(&ay, &wz) - dot(&az, &wy), dot(&az, &wx) - dot(&ax, &wz), dot(&ax, &wy) - dot(&ay, &wx)];
    // tr Q − Q, its adjugate and determinant; a needle of no thickness has none, and then turns about its axis as it likes.
    let (p, q, r) = (yy + zz, xx + zz, xx + yy);
    let (pp, qq, rr) = (q.mul_sub(r, yz * yz), p.mul_sub(r, xz * xz), p.mul_sub(q, xy * xy));
    let (pq, pr, qr) = (xz.mul_add(yz, xy * r), xy.mul_add(yz, xz * q), xy.mul_add(xz, yz * p));
    let size = p + q + r;
    let least = (size * size).mul_add(size * p.splat(NEEDLE), p.splat(1e-280));
    let scale = p.splat(1.0) / (p * pp - xy * pq - xz * pr).max(least);
    let turned = [dot(&[pp, pq, pr], &moment), dot(&[pq, qq, qr], &moment), dot(&[pr, qr, rr], &moment)];
    scaled(&turned, scale)
}

/// Determinant of the moments, in parts of the cube of their sum, below which an element is a needle.
const NEEDLE: f64 = 1e-13;

/// How many blocks are worked on at once.
pub(super) const LANES: usize = FOUR;
