//! Which boxes meet which, by a grid of cells as large as the largest of them.

use nalgebra::Vector3;

/// A box along the axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Bounds {
    /// Around these places and so much more.
    pub fn around<const K: usize>(places: &[Vector3<f64>; K], more: f64) -> Bounds {
        let first = Bounds { low: places[0], high: places[0] };
        let all = places.iter().fold(first, |b, p| Bounds { low: b.low.inf(p), high: b.high.sup(p) });
        Bounds { low: all.low.add_scalar(-more), high: all.high.add_scalar(more) }
    }

    fn meets(&self, other: &Bounds) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

type Cell = [i64; 3];

/// The number of the last cell along an axis.
const FARTHEST: i64 = 1 << 40;

/// Tells of each pair (i, j) of boxes of `first` and `second` that meet, once, those of each i together. Each box is in few cells, as no box is larger than a cell; a pair that shares more than
/// one is told of in that of its common corner.
pub(super) fn each_meeting(first: &[Bounds], second: &[Bounds], tell: &mut impl FnMut(u32, u32)) {
    let size = first.iter().chain(second).map(|b| (b.high - b.low).max()).fold(0.0, f64::max);
    let origin = first.iter().chain(second).map(|b| b.low).reduce(|a, b| a.inf(&b)).unwrap_or_default();
    // Beyond, neighbours are no longer told apart surely; what is so far away shares a cell.
    let cell = |p: &Vector3<f64>| [0, 1, 2].map(|k| (((p[k] - origin[k]) / size.max(f64::MIN_POSITIVE)) as i64).min(FARTHEST));
    let ends = |b: &Bounds| (cell(&b.low), cell(&b.high));

    let mut filled: Vec<(Cell, u32)> = Vec::with_capacity(4 * second.len());
    for (j, bounds) in second.iter().enumerate() {
        each_cell(ends(bounds), &mut |cell| filled.push((cell, j as u32)));
    }
    filled.sort_unstable();
    for (i, bounds) in first.iter().enumerate() {
        let (low, high) = ends(bounds);
        each_cell((low, high), &mut |cell| {
            let start = filled.partition_point(|entry| entry.0 < cell);
            for &(_, j) in filled[start..].iter().take_while(|entry| entry.0 == cell) {
                let other = &second[j as usize];
                let (other_low, _) = ends(other);
                if bounds.meets(other) && (0..3).all(|k| cell[k] == low[k].max(other_low[k])) {
                    tell(i as u32, j);
                }
            }
        });
    }
}

fn each_cell((low, high): (Cell, Cell), tell: &mut impl FnMut(Cell)) {
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                tell([x, y, z]);
            }
        }
    }
}
