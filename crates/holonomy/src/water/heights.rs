//! New heights from new velocities: by fluxes, which keeps the volume (docs/ERRATA.md, F14), or as printed.

use pulp::{Arch, Simd, WithSimd};

use super::grid::{Grid, Kept};
use super::rows::{all, each_range, vectors_mut};
use super::{Numbers, WaterState};

/// h⁺ = h − k (differences of the fluxes); returns the greatest depth.
pub(super) fn by_fluxes(state: &mut WaterState, numbers: Numbers) -> f64 {
    let WaterState { grid, surface, floor, faces, .. } = state;
    rows(grid, surface, &|first, out| Arch::new().dispatch(ByFluxes(Pass { grid: *grid, floor, faces, numbers, first, out })))
}

/// d⁺ = d* − d* k (differences of the velocities): Fang 2015, Eq. B.24, of the depth (docs/ERRATA.md, F13). Returns the greatest depth.
pub(super) fn by_divergence(state: &mut WaterState, numbers: Numbers) -> f64 {
    let WaterState { grid, surface, floor, faces, .. } = state;
    rows(grid, surface, &|first, out| Arch::new().dispatch(ByDivergence(Pass { grid: *grid, floor, faces, numbers, first, out })))
}

fn rows(grid: &Grid, surface: &mut [f64], work: &(impl Fn(usize, &mut [f64]) -> [f64; 2] + Sync)) -> f64 {
    each_range(&mut surface[grid.stride..grid.stride * (grid.cells[1] + 1)], grid.stride, work)[0]
}

struct Pass<'a> {
    grid: Grid,
    floor: &'a [f64],
    faces: &'a [f64],
    numbers: Numbers,
    first: usize,
    out: &'a mut [f64],
}

struct ByFluxes<'a>(Pass<'a>);

struct ByDivergence<'a>(Pass<'a>);

impl WithSimd for ByFluxes<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
        self.0.run(simd, [Kept::FluxX, Kept::FluxZ], |ratio, gain, surface, _| simd.mul_add_e_f64s(ratio, gain, surface))
    }
}

impl WithSimd for ByDivergence<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
        self.0.run(simd, [Kept::AlongX, Kept::AlongZ], |ratio, gain, surface, depth| {
            simd.mul_add_e_f64s(simd.mul_f64s(ratio, depth), gain, surface)
        })
    }
}

impl Pass<'_> {
    /// `update` of ratio, what comes in less what goes out, surface and depth.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S, kept: [Kept; 2], update: impl Fn(S::f64s, S::f64s, S::f64s, S::f64s) -> S::f64s) -> [f64; 2] {
        let Pass { grid, floor, faces, numbers, first, out } = self;
        let ratio = simd.splat_f64s(numbers.ratio);
        let mut deepest = simd.splat_f64s(0.0);
        for (j, row) in (first as isize..).zip(out.chunks_exact_mut(grid.stride)) {
            let face = |kept: Kept, i: isize, j: isize| &faces[grid.face_row(kept, i, j)];
            let [left, right] = all::<S, 2>([face(kept[0], 0, j), face(kept[0], 1, j)]);
            let [near, far] = all::<S, 2>([face(kept[1], 0, j), face(kept[1], 0, j + 1)]);
            let [floor] = all::<S, 1>([&floor[grid.row(0, j)]]);
            let row = vectors_mut::<S>(&mut row[grid.columns()]);
            let n = row.len();
            let (left, right, near, far, floor) = (&left[..n], &right[..n], &near[..n], &far[..n], &floor[..n]);
            for m in 0..n {
                let gain = simd.add_f64s(simd.sub_f64s(left[m], right[m]), simd.sub_f64s(near[m], far[m]));
                // Not below the floor, which round-off might be.
                let height = simd.max_f64s(update(ratio, gain, row[m], simd.sub_f64s(row[m], floor[m])), floor[m]);
                deepest = simd.max_f64s(deepest, simd.sub_f64s(height, floor[m]));
                row[m] = height;
            }
        }
        [simd.reduce_max_f64s(deepest), 0.0]
    }
}

/// Where more would flow out of a cell than there is in it, all its outflow is made smaller alike, so that no depth becomes negative. Velocities stay.
pub(super) fn limit_outflow(state: &mut WaterState, numbers: Numbers) {
    let WaterState { grid, surface, floor, next, .. } = state;
    for (i, j) in grid.all() {
        let faces = [(Kept::FluxX, i, j, -1.0), (Kept::FluxX, i + 1, j, 1.0), (Kept::FluxZ, i, j, -1.0), (Kept::FluxZ, i, j + 1, 1.0)];
        let sides = faces.map(|(kept, i, j, sign)| (grid.face(kept, i, j), sign));
        let out: f64 = sides.iter().map(|&(place, sign)| (sign * next[place]).max(0.0)).sum::<f64>() * numbers.ratio;
        let depth = surface[grid.at(i, j)] - floor[grid.at(i, j)];
        if out > depth {
            // An outflow of this cell is an inflow of its neighbour, so that each flux is made smaller once at most.
            for (place, sign) in sides {
                if sign * next[place] > 0.0 {
                    next[place] *= depth / out;
                }
            }
        }
    }
}
