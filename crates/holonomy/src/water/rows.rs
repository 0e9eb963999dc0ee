//! Loops over rows: ranges of them side by side on the threads there are, each range on the widest registers. Rows do not depend on how they are
//! divided, and a maximum not on its order, so that any number of threads gives the same bits.

use pulp::Simd;

/// Rows that a thread takes at once.
const RANGE: usize = 16;

/// Grids of fewer numbers than this stay on one thread: waking another costs more.
const LEAST_SHARED: usize = 1 << 14;

/// The largest values on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Fastest {
    /// |u| and |w|, m/s.
    pub speed: [f64; 2],
    /// Depth, metres.
    pub depth: f64,
}

/// The larger of each pair.
pub(super) fn larger(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}

/// Does `work` on ranges of rows of `size` numbers: it gets its first row, and the range. Returns the largest of what it returns.
pub(super) fn each_range(out: &mut [f64], size: usize, work: &(impl Fn(usize, &mut [f64]) -> [f64; 2] + Sync)) -> [f64; 2] {
    if out.len() < LEAST_SHARED || rayon::current_num_threads() == 1 {
        return work(0, out);
    }
    divided(0, out, size, work)
}

fn divided(first: usize, out: &mut [f64], size: usize, work: &(impl Fn(usize, &mut [f64]) -> [f64; 2] + Sync)) -> [f64; 2] {
    let rows = out.len() / size;
    if rows <= RANGE {
        return work(first, out);
    }
    let half = (rows / 2).next_multiple_of(RANGE);
    let (low, high) = out.split_at_mut(half * size);
    let (a, b) = rayon::join(|| divided(first, low, size, work), || divided(first + half, high, size, work));
    larger(a, b)
}

/// A row as vectors; its length is a multiple of theirs.
#[inline(always)]
pub(super) fn vectors<S: Simd>(row: &[f64]) -> &[S::f64s] {
    S::as_simd_f64s(row).0
}

#[inline(always)]
pub(super) fn vectors_mut<S: Simd>(row: &mut [f64]) -> &mut [S::f64s] {
    S::as_mut_simd_f64s(row).0
}

/// Several rows as vectors.
#[inline(always)]
pub(super) fn all<S: Simd, const N: usize>(rows: [&[f64]; N]) -> [&[S::f64s]; N] {
    rows.map(vectors::<S>)
}
