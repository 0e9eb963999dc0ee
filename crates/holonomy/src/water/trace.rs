//! New velocities by tracing back (Fang 2015, Eqs. B.22, B.25 to B.27): water comes to a place from where it was a step ago, and brings its velocity.
//!
//! The midpoint rule, x_p = x − Δt v(x − ½ Δt v(x)): printed is x_m − ½ Δt v(x_m), which is of first order only (docs/ERRATA.md, F15). The stable step keeps
//! the trace within one cell, so that bilinear interpolation always takes the same nine neighbours of its own kind, or four of the other, with weights
//! max(a, 0), 1 − |a| and max(−a, 0): no search, and whole rows at once.

use pulp::{Arch, Simd, WithSimd};

use super::grid::{FIELDS, Grid, Kept, SOLID};
use super::momentum::{Beside, parts};
use super::rows::{all, each_range, larger, vectors_mut};
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
            let x = |i: isize, j: isize| &faces[grid.face_row(Kept::AlongX, i, j)];
            let z = |i: isize, j: isize| &faces[grid.face_row(Kept::AlongZ, i, j)];
            let (out_x, out_z, flux_x, flux_z) = parts(&grid, block);
            if (j as usize) < grid.cells[1] {
                let row = Row {
                    beside: Beside { behind: cells(-1, j), ahead: cells(0, j), numbers },
                    own: [-1, 0, 1].map(|side| [x(-1, j + side), x(0, j + side), x(1, j + side)]),
                    other: [[z(-1, j), z(0, j)], [z(-1, j + 1), z(0, j + 1)]],
                };
                fastest[0] = f64::max(fastest[0], row.run(simd, out_x, flux_x));
            }
            let row = Row {
                beside: Beside { behind: cells(0, j - 1), ahead: cells(0, j), numbers },
                own: [-1, 0, 1].map(|side| [z(side, j - 1), z(side, j), z(side, j + 1)]),
                other: [[x(0, j - 1), x(0, j)], [x(1, j - 1), x(1, j)]],
            };
            fastest = larger(fastest, [0.0, row.run(simd, out_z, flux_z)]);
        }
        fastest
    }
}

/// What a row of faces, of one kind, is computed from. Along: the direction of its own velocity.
struct Row<'a> {
    beside: Beside<'a>,
    /// Own velocities, by side, then along.
    own: [[&'a [f64]; 3]; 3],
    /// The other velocity at the four faces around, by side, then along.
    other: [[&'a [f64]; 2]; 2],
}

impl Row<'_> {
    /// Velocities and fluxes; returns the fastest.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, out: &mut [f64], flux: &mut [f64]) -> f64 {
        let (mul, max) = (|a, b| simd.mul_f64s(a, b), |a, b| simd.max_f64s(a, b));
        let beside = self.beside.vectors(simd);
        let (out, flux) = (vectors_mut::<S>(out), vectors_mut::<S>(flux));
        let n = out.len();
        let flux = &mut flux[..n];
        let own = self.own.map(|side| all::<S, 3>(side).map(|row| &row[..n]));
        let other = self.other.map(|side| all::<S, 2>(side).map(|row| &row[..n]));
        let (quarter, ratio) = (simd.splat_f64s(0.25), simd.splat_f64s(self.beside.numbers.ratio));
        let half = simd.splat_f64s(0.5 * self.beside.numbers.ratio);
        let mut fastest = simd.splat_f64s(0.0);
        for m in 0..n {
            let nine = [three(own[0], m), three(own[1], m), three(own[2], m)];
            let four = [two(other[0], m), two(other[1], m)];
            let across = mul(quarter, simd.add_f64s(simd.add_f64s(four[0][0], four[0][1]), simd.add_f64s(four[1][0], four[1][1])));
            let middle = [mul(half, nine[1][1]), mul(half, across)];
            let back = [mul(ratio, of_nine(simd, &nine, middle)), mul(ratio, of_four(simd, &four, middle))];
            let (velocity, through) = beside.pair(simd, m).finish(simd, &beside, of_nine(simd, &nine, back));
            fastest = max(fastest, simd.abs_f64s(velocity));
            (out[m], flux[m]) = (velocity, through);
        }
        simd.reduce_max_f64s(fastest)
    }
}

// Not by closures: those are not inlined here, and each operation would be a call.
#[inline(always)]
fn two<V: Copy>(rows: [&[V]; 2], m: usize) -> [V; 2] {
    [rows[0][m], rows[1][m]]
}

#[inline(always)]
fn three<V: Copy>(rows: [&[V]; 3], m: usize) -> [V; 3] {
    [rows[0][m], rows[1][m], rows[2][m]]
}

/// Weights of the values behind, here and ahead, `back` cells behind.
#[inline(always)]
fn weights<S: Simd>(simd: S, back: S::f64s) -> [S::f64s; 3] {
    let zero = simd.splat_f64s(0.0);
    let behind = simd.max_f64s(back, zero);
    let ahead = simd.max_f64s(simd.sub_f64s(zero, back), zero);
    [behind, simd.sub_f64s(simd.sub_f64s(simd.splat_f64s(1.0), behind), ahead), ahead]
}

#[inline(always)]
fn weighted<S: Simd>(simd: S, values: [S::f64s; 3], weights: [S::f64s; 3]) -> S::f64s {
    simd.mul_add_e_f64s(values[0], weights[0], simd.mul_add_e_f64s(values[2], weights[2], simd.mul_f64s(values[1], weights[1])))
}

/// Of its own kind, `back` cells behind: along, and to the first side.
#[inline(always)]
fn of_nine<S: Simd>(simd: S, nine: &[[S::f64s; 3]; 3], back: [S::f64s; 2]) -> S::f64s {
    let along = weights(simd, back[0]);
    let sides = [weighted(simd, nine[0], along), weighted(simd, nine[1], along), weighted(simd, nine[2], along)];
    weighted(simd, sides, weights(simd, back[1]))
}

/// Between two values half a cell behind and ahead.
#[inline(always)]
fn between<S: Simd>(simd: S, values: [S::f64s; 2], back: S::f64s) -> S::f64s {
    let share = simd.sub_f64s(simd.splat_f64s(0.5), back);
    simd.mul_add_e_f64s(share, simd.sub_f64s(values[1], values[0]), values[0])
}

/// Of the other kind.
#[inline(always)]
fn of_four<S: Simd>(simd: S, four: &[[S::f64s; 2]; 2], back: [S::f64s; 2]) -> S::f64s {
    between(simd, [between(simd, four[0], back[0]), between(simd, four[1], back[0])], back[1])
}

/// Of a velocity that is kept half a cell behind and ahead, at three sides.
#[inline(always)]
fn of_six<S: Simd>(simd: S, six: [[S::f64s; 2]; 3], back: [S::f64s; 2]) -> S::f64s {
    let sides = [between(simd, six[0], back[0]), between(simd, six[1], back[0]), between(simd, six[2], back[0])];
    weighted(simd, sides, weights(simd, back[1]))
}

/// Depths traced back: h* = h + (d* − d), so that a still surface is not touched.
pub(super) fn depth(state: &mut WaterState, numbers: Numbers) {
    spread_depths(state);
    let WaterState { grid, surface, depths, faces, .. } = state;
    let rows = &mut surface[grid.stride..grid.stride * (grid.cells[1] + 1)];
    each_range(rows, grid.stride, &|first, out| Arch::new().dispatch(Depths { grid: *grid, depths, faces, numbers, first, out }));
}

/// The depths of all cells; what is solid or outside has that of its neighbours, as if mirrored.
fn spread_depths(state: &mut WaterState) {
    let WaterState { grid, surface, floor, depths, solids, .. } = state;
    depths.resize(grid.len(), 0.0);
    depths.iter_mut().zip(surface.iter().zip(floor.iter())).for_each(|(depth, (surface, floor))| *depth = surface - floor);
    for &place in solids.iter() {
        let around = [place - 1, place + 1, place - grid.stride, place + grid.stride];
        let open = around.into_iter().filter(|&beside| floor[beside] < SOLID);
        let (sum, count) = open.fold((0.0, 0.0), |(sum, count), beside| (sum + depths[beside], count + 1.0));
        depths[place] = if count > 0.0 { sum / count } else { 0.0 };
    }
    let [nx, nz] = grid.cells.map(|n| n as isize);
    for j in 0..nz {
        depths[grid.at(-1, j)] = depths[grid.at(0, j)];
        depths[grid.at(nx, j)] = depths[grid.at(nx - 1, j)];
    }
    let stride = grid.stride;
    depths.copy_within(stride..2 * stride, 0);
    depths.copy_within(nz as usize * stride..(nz as usize + 1) * stride, (nz as usize + 1) * stride);
}

struct Depths<'a> {
    grid: Grid,
    depths: &'a [f64],
    faces: &'a [f64],
    numbers: Numbers,
    first: usize,
    out: &'a mut [f64],
}

impl WithSimd for Depths<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
        let Depths { grid, depths, faces, numbers, first, out } = self;
        let mul = |a, b| simd.mul_f64s(a, b);
        let (ratio, quarter) = (simd.splat_f64s(numbers.ratio), simd.splat_f64s(0.25 * numbers.ratio));
        for (j, row) in (first as isize..).zip(out.chunks_exact_mut(grid.stride)) {
            let x = |i: isize, j: isize| &faces[grid.face_row(Kept::AlongX, i, j)];
            let z = |i: isize, j: isize| &faces[grid.face_row(Kept::AlongZ, i, j)];
            let row = vectors_mut::<S>(&mut row[grid.columns()]);
            let n = row.len();
            let sides = [-1, 0, 1];
            let along = sides.map(|side| all::<S, 2>([x(0, j + side), x(1, j + side)]).map(|row| &row[..n]));
            let across = sides.map(|side| all::<S, 2>([z(side, j), z(side, j + 1)]).map(|row| &row[..n]));
            let nine = sides.map(|side| all::<S, 3>([-1, 0, 1].map(|i| &depths[grid.row(i, j + side)])).map(|row| &row[..n]));
            for m in 0..n {
                let middle = [
                    mul(quarter, simd.add_f64s(along[1][0][m], along[1][1][m])),
                    mul(quarter, simd.add_f64s(across[1][0][m], across[1][1][m])),
                ];
                let u = of_six(simd, [two(along[0], m), two(along[1], m), two(along[2], m)], middle);
                let w = of_six(simd, [two(across[0], m), two(across[1], m), two(across[2], m)], [middle[1], middle[0]]);
                let nine = [three(nine[0], m), three(nine[1], m), three(nine[2], m)];
                let there = of_nine(simd, &nine, [mul(ratio, u), mul(ratio, w)]);
                row[m] = simd.add_f64s(row[m], simd.sub_f64s(there, nine[1][1]));
            }
        }
        [0.0; 2]
    }
}
