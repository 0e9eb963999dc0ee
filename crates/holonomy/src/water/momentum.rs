//! New velocities, with momentum kept: Stelling and Duinmeijer 2003, "A staggered conservative scheme for every Froude number in rapidly varied
//! shallow water flows", Int. J. Numer. Meth. Fluids 43, in two dimensions.
//!
//! The momentum d̄ u of the two half cells beside a face, d̄ the mean of their depths, is carried by the fluxes q that made these depths, each with the
//! velocity from where it comes. Written for the velocity, what flows in mixes:
//!
//! ```text
//! u* = u + Σ k q_in (u_in − u) / d̄        over the four sides, q_in the inflow there: mean of two fluxes of the last step; k = Δt/Δx
//! u⁺ = u* − g k (h_ahead − h_behind)       and the flux  q⁺ = u⁺ · (h upwind − bottom of the face)
//! ```
//!
//! Over a level bottom, d̄⁺u⁺ summed over all faces then changes only by what passes the borders. Where more flows in than there is water, at the
//! front of a flood, the velocity becomes the mean of what comes.

use pulp::{Arch, Simd, WithSimd};

use super::grid::{FIELDS, Grid, Kept};
use super::rows::{all, each_range, larger, vectors, vectors_mut};
use super::{Numbers, WaterState};

/// Velocities and fluxes into `next`; returns the fastest of each.
pub(super) fn velocities(state: &mut WaterState, numbers: Numbers) -> [f64; 2] {
    let WaterState { grid, surface, floor, faces, next, .. } = state;
    let size = FIELDS * grid.stride;
    let out = &mut next[size..size * (grid.cells[1] + 2)];
    each_range(out, size, &|first, out| Arch::new().dispatch(Pass { grid: *grid, surface, floor, faces, numbers, first, out }))
}

struct Pass<'a> {
    grid: Grid,
    surface: &'a [f64],
    floor: &'a [f64],
    faces: &'a [f64],
    numbers: Numbers,
    first: usize,
    out: &'a mut [f64],
}

impl WithSimd for Pass<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
        let Pass { grid, surface, floor, faces, numbers, first, out } = self;
        let mut fastest = [0.0; 2];
        for (j, block) in (first as isize..).zip(out.chunks_exact_mut(FIELDS * grid.stride)) {
            let cells = |i: isize, j: isize| [&surface[grid.row(i, j)], &floor[grid.row(i, j)]];
            let kept = |kept: Kept, i: isize, j: isize| &faces[grid.face_row(kept, i, j)];
            let (out_x, out_z, flux_x, flux_z) = parts(&grid, block);
            if (j as usize) < grid.cells[1] {
                let (own, flux, cross) = (Kept::AlongX, Kept::FluxX, Kept::FluxZ);
                let row = Row {
                    beside: Beside { behind: cells(-1, j), ahead: cells(0, j), numbers },
                    own: [kept(own, 0, j), kept(own, -1, j), kept(own, 1, j), kept(own, 0, j - 1), kept(own, 0, j + 1)],
                    flux: [kept(flux, -1, j), kept(flux, 0, j), kept(flux, 1, j)],
                    cross: [kept(cross, -1, j), kept(cross, 0, j), kept(cross, -1, j + 1), kept(cross, 0, j + 1)],
                };
                fastest[0] = f64::max(fastest[0], row.run(simd, out_x, flux_x));
            }
            let (own, flux, cross) = (Kept::AlongZ, Kept::FluxZ, Kept::FluxX);
            let row = Row {
                beside: Beside { behind: cells(0, j - 1), ahead: cells(0, j), numbers },
                own: [kept(own, 0, j), kept(own, 0, j - 1), kept(own, 0, j + 1), kept(own, -1, j), kept(own, 1, j)],
                flux: [kept(flux, 0, j - 1), kept(flux, 0, j), kept(flux, 0, j + 1)],
                cross: [kept(cross, 0, j - 1), kept(cross, 0, j), kept(cross, 1, j - 1), kept(cross, 1, j)],
            };
            fastest = larger(fastest, [0.0, row.run(simd, out_z, flux_z)]);
        }
        fastest
    }
}

/// The four rows of a block of faces: u, w and their fluxes.
#[inline(always)]
pub(super) fn parts<'a>(grid: &Grid, block: &'a mut [f64]) -> (&'a mut [f64], &'a mut [f64], &'a mut [f64], &'a mut [f64]) {
    let (along_x, rest) = block.split_at_mut(grid.stride);
    let (along_z, rest) = rest.split_at_mut(grid.stride);
    let (flux_x, flux_z) = rest.split_at_mut(grid.stride);
    let columns = grid.columns();
    (&mut along_x[columns.clone()], &mut along_z[columns.clone()], &mut flux_x[columns.clone()], &mut flux_z[columns])
}

/// What a row of faces, of one kind, is computed from.
struct Row<'a> {
    beside: Beside<'a>,
    /// Velocity here, behind, ahead (along itself), and to both sides.
    own: [&'a [f64]; 5],
    /// Flux behind, here and ahead.
    flux: [&'a [f64]; 3],
    /// Fluxes across: behind and ahead at the first side, then at the other.
    cross: [&'a [f64]; 4],
}

impl Row<'_> {
    /// Velocities and fluxes; returns the fastest.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, out: &mut [f64], flux: &mut [f64]) -> f64 {
        let (add, sub, max) = (|a, b| simd.add_f64s(a, b), |a, b| simd.sub_f64s(a, b), |a, b| simd.max_f64s(a, b));
        let fma = |a, b, c| simd.mul_add_e_f64s(a, b, c);
        let beside = self.beside.vectors(simd);
        let [here, behind, ahead, left, right] = all::<S, 5>(self.own);
        let [q0, q1, q2] = all::<S, 3>(self.flux);
        let [c0, c1, c2, c3] = all::<S, 4>(self.cross);
        let (zero, tiny) = (simd.splat_f64s(0.0), simd.splat_f64s(f64::MIN_POSITIVE));
        // The means of two, and k, are divided out: of Σ k ½(q + q) / ½(d + d) stays Σ (q + q) / ((d + d) / k).
        let inverse = simd.splat_f64s(1.0 / self.beside.numbers.ratio);
        let (out, flux) = (vectors_mut::<S>(out), vectors_mut::<S>(flux));
        let mut fastest = zero;
        let n = out.len();
        let (here, behind, ahead, left, right) = (&here[..n], &behind[..n], &ahead[..n], &left[..n], &right[..n]);
        let (q0, q1, q2, c0, c1, c2, c3) = (&q0[..n], &q1[..n], &q2[..n], &c0[..n], &c1[..n], &c2[..n], &c3[..n]);
        let flux = &mut flux[..n];
        for m in 0..n {
            let u = here[m];
            let (from_behind, from_ahead) = (max(add(q0[m], q1[m]), zero), max(sub(zero, add(q1[m], q2[m])), zero));
            let (from_left, from_right) = (max(add(c0[m], c1[m]), zero), max(sub(zero, add(c2[m], c3[m])), zero));
            let mixed = fma(from_behind, sub(behind[m], u), simd.mul_f64s(from_ahead, sub(ahead[m], u)));
            let mixed = add(mixed, fma(from_left, sub(left[m], u), simd.mul_f64s(from_right, sub(right[m], u))));
            let inflow = add(add(from_behind, from_ahead), add(from_left, from_right));
            let pair = beside.pair(simd, m);
            let room = max(max(simd.mul_f64s(pair.depths, inverse), inflow), tiny);
            let (velocity, through) = pair.finish(simd, &beside, add(u, simd.div_f64s(mixed, room)));
            fastest = max(fastest, simd.abs_f64s(velocity));
            (out[m], flux[m]) = (velocity, through);
        }
        simd.reduce_max_f64s(fastest)
    }
}

/// Surface and floor of the cells behind and ahead of each face of a row.
pub(super) struct Beside<'a> {
    pub behind: [&'a [f64]; 2],
    pub ahead: [&'a [f64]; 2],
    pub numbers: Numbers,
}

/// The same as vectors.
pub(super) struct BesideVectors<'a, S: Simd> {
    heights: [&'a [S::f64s]; 4],
    pull: S::f64s,
    dry: S::f64s,
}

/// A face between two cells.
pub(super) struct Pair<S: Simd> {
    /// Floor of the face, the higher of both.
    floor: S::f64s,
    /// What stands behind and ahead, or the floor if nothing does.
    behind: S::f64s,
    ahead: S::f64s,
    /// Sum of both depths.
    pub depths: S::f64s,
}

impl<'a> Beside<'a> {
    #[inline(always)]
    pub fn vectors<S: Simd>(&self, simd: S) -> BesideVectors<'a, S> {
        let n = vectors::<S>(self.behind[0]).len();
        BesideVectors {
            heights: all::<S, 4>([self.behind[0], self.behind[1], self.ahead[0], self.ahead[1]]).map(|row| &row[..n]),
            pull: simd.splat_f64s(self.numbers.pull),
            dry: simd.splat_f64s(self.numbers.dry),
        }
    }
}

impl<S: Simd> BesideVectors<'_, S> {
    #[inline(always)]
    pub fn pair(&self, simd: S, m: usize) -> Pair<S> {
        let [h0, b0, h1, b1] = [self.heights[0][m], self.heights[1][m], self.heights[2][m], self.heights[3][m]];
        let floor = simd.max_f64s(b0, b1);
        Pair {
            floor,
            behind: simd.max_f64s(h0, floor),
            ahead: simd.max_f64s(h1, floor),
            depths: simd.add_f64s(simd.sub_f64s(h0, b0), simd.sub_f64s(h1, b1)),
        }
    }
}

impl<S: Simd> Pair<S> {
    /// Pressure on what was carried here (Fang 2015, Eq. B.23), no flow where there is no water, and the flux upwind.
    #[inline(always)]
    pub fn finish(&self, simd: S, beside: &BesideVectors<'_, S>, carried: S::f64s) -> (S::f64s, S::f64s) {
        let zero = simd.splat_f64s(0.0);
        let slope = simd.sub_f64s(self.behind, self.ahead);
        let pushed = simd.mul_add_e_f64s(beside.pull, slope, carried);
        let over = simd.sub_f64s(simd.max_f64s(self.behind, self.ahead), self.floor);
        let velocity = simd.select_f64s(simd.greater_than_f64s(over, beside.dry), pushed, zero);
        let upwind = simd.select_f64s(simd.greater_than_f64s(velocity, zero), self.behind, self.ahead);
        (velocity, simd.mul_f64s(velocity, simd.sub_f64s(upwind, self.floor)))
    }
}
