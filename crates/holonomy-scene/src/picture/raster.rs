//! Which samples a triangle covers: exact, in fixed point, with the top-left rule, so that triangles that share an edge
//! cover every sample along it once: no holes, nothing twice (Pineda 1988).
//!
//! Sample (i, j) stands at (i + ½, j + ½); x to the right, y down.

/// Fixed-point steps per sample.
const STEPS: f64 = 256.0;
/// Farthest a corner may lie from the origin, samples: keeps the edge functions inside an i64 with room to spare.
const FARTHEST: f64 = 4e6;

/// A triangle placed on the grid of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    x: [i64; 3],
    y: [i64; 3],
    /// A quantity that is linear over the picture (1/depth, or depth under parallel light): value at the origin and slopes.
    plane: [f64; 3],
}

/// Samples x0 ≤ x < x1, y0 ≤ y < y1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub x0: i64,
    /// First row.
    pub y0: i64,
    /// One past the last column.
    pub x1: i64,
    /// One past the last row.
    pub y1: i64,
}

impl Triangle {
    /// From three corners (x, y, quantity). `None` if it covers nothing: no area, not finite, or absurdly far off.
    pub fn new(corners: [[f64; 3]; 3]) -> Option<Triangle> {
        if !corners.iter().all(|c| c[0].abs() < FARTHEST && c[1].abs() < FARTHEST && c[2].is_finite()) {
            return None;
        }
        let mut x = corners.map(|c| snap(c[0]));
        let mut y = corners.map(|c| snap(c[1]));
        let mut value = corners.map(|c| c[2]);
        let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
        if area == 0 {
            return None;
        }
        if area < 0 {
            x.swap(1, 2);
            y.swap(1, 2);
            value.swap(1, 2);
        }
        Some(Triangle { x, y, plane: plane(&x, &y, &value, area.unsigned_abs() as f64) })
    }

    /// First and one past the last row with a sample that may be covered.
    pub fn rows(&self) -> (i64, i64) {
        let (low, high) = range(&self.y);
        (first_sample(low), first_sample(high) + 1)
    }
}

/// The nearest fixed-point position. Shifted to be positive first, since cutting off is much faster than rounding.
fn snap(position: f64) -> i64 {
    const SHIFT: f64 = (1_i64 << 31) as f64;
    (position * STEPS + (SHIFT + 0.5)) as i64 - (1 << 31)
}

/// Calls `emit(x, y, quantity)` for every sample inside `clip` that the triangle covers, row by row.
#[inline]
pub fn scan(triangle: &Triangle, clip: Rect, mut emit: impl FnMut(i64, i64, f32)) {
    let ((left, right), (top, bottom)) = (range(&triangle.x), range(&triangle.y));
    let (x0, x1) = (first_sample(left).max(clip.x0), (first_sample(right) + 1).min(clip.x1));
    let (y0, y1) = (first_sample(top).max(clip.y0), (first_sample(bottom) + 1).min(clip.y1));
    if x0 >= x1 || y0 >= y1 {
        return;
    }
    let edges = [0, 1, 2].map(|i| Edge::new(triangle, i, x0, y0));
    let [base, dx, dy] = triangle.plane;
    let mut row = edges.map(|e| e.start);
    let slender = x1 - x0 > WIDE;
    for y in y0..y1 {
        let start = base + dy * (y as f64 + 0.5);
        // Across a long thin triangle most samples of its box are outside: only those that it
        // covers are looked at.
        let (from, to) = if slender { covered(&row, &edges, x1 - x0) } else { (0, x1 - x0) };
        let mut e = [0, 1, 2].map(|i| row[i] + from * edges[i].step_x);
        for x in x0 + from..x0 + to {
            if (e[0] | e[1] | e[2]) >= 0 {
                emit(x, y, (start + dx * (x as f64 + 0.5)) as f32);
            }
            for i in 0..3 {
                e[i] += edges[i].step_x;
            }
        }
        for i in 0..3 {
            row[i] += edges[i].step_y;
        }
    }
}

/// Samples in a row of a triangle's box from which on it pays to find out first where the triangle
/// is.
const WIDE: i64 = 16;

/// Of `count` samples of a row, the first that is on the inner side of all edges, and one past the
/// last.
fn covered(row: &[i64; 3], edges: &[Edge; 3], count: i64) -> (i64, i64) {
    let (mut from, mut to) = (0, count);
    for (value, edge) in row.iter().zip(edges) {
        match edge.step_x {
            0 if *value < 0 => return (0, 0),
            0 => {}
            step if step > 0 => from = from.max((-value).div_euclid(step) + i64::from((-value).rem_euclid(step) != 0)),
            step => to = to.min(value.div_euclid(-step) + 1),
        }
    }
    (from.min(count), to.max(from.min(count)))
}

/// An edge function: zero or more on the inner side, with the top-left rule built in.
#[derive(Clone, Copy)]
struct Edge {
    start: i64,
    step_x: i64,
    step_y: i64,
}

impl Edge {
    fn new(t: &Triangle, i: usize, x0: i64, y0: i64) -> Edge {
        let j = (i + 1) % 3;
        let (dx, dy) = (t.x[j] - t.x[i], t.y[j] - t.y[i]);
        let steps = STEPS as i64;
        let (px, py) = (x0 * steps + steps / 2, y0 * steps + steps / 2);
        let top_left = dy < 0 || (dy == 0 && dx > 0);
        let start = dx * (py - t.y[i]) - dy * (px - t.x[i]) - i64::from(!top_left);
        Edge { start, step_x: -dy * steps, step_y: dx * steps }
    }
}

/// Value at the origin and slopes per sample of the plane through three corners.
fn plane(x: &[i64; 3], y: &[i64; 3], value: &[f64; 3], area: f64) -> [f64; 3] {
    let at = |v: i64| v as f64 / STEPS;
    let area = area / (STEPS * STEPS);
    let (x1, y1) = (at(x[1] - x[0]), at(y[1] - y[0]));
    let (x2, y2) = (at(x[2] - x[0]), at(y[2] - y[0]));
    let (v1, v2) = (value[1] - value[0], value[2] - value[0]);
    let (dx, dy) = ((v1 * y2 - v2 * y1) / area, (v2 * x1 - v1 * x2) / area);
    [value[0] - dx * at(x[0]) - dy * at(y[0]), dx, dy]
}

fn range(v: &[i64; 3]) -> (i64, i64) {
    (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]))
}

/// The first sample at or after a fixed-point position.
fn first_sample(position: i64) -> i64 {
    let steps = STEPS as i64;
    (position - steps / 2 + steps - 1).div_euclid(steps)
}
