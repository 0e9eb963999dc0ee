//! Polylines: edge lengths, unit tangents and the length each vertex stands for.

use nalgebra::Vector3;
use pulp::{Arch, Simd, WithSimd};

use super::lanes::{self, BLOCK, Buffer, Directions, Vectors};

/// Number of edges of a polyline with `vertices` vertices.
pub fn edge_count(vertices: usize, closed: bool) -> usize {
    if closed && vertices > 2 { vertices } else { vertices.saturating_sub(1) }
}

/// Length of each edge, metres; edge `i` runs from vertex `i` to the next.
pub fn edge_lengths(points: &[Vector3<f64>], closed: bool) -> Vec<f64> {
    (0..edge_count(points.len(), closed)).map(|i| edge(points, i).norm()).collect()
}

/// Length of the whole polyline, metres.
pub fn length(points: &[Vector3<f64>], closed: bool) -> f64 {
    (0..edge_count(points.len(), closed)).map(|i| edge(points, i).norm()).sum()
}

/// For each vertex, its unit tangent and half the length of its edges, metres.
///
/// The tangent is the normalised sum of the adjacent *unit* edge vectors (Gross 2023, Sec. 4). It is zero where that sum
/// vanishes: at a hairpin, or where all adjacent edges have no length.
pub fn tangents_and_lengths(points: &[Vector3<f64>], closed: bool, tangents: &mut [Vector3<f64>], lengths: &mut [f64]) {
    Arch::new().dispatch(IntoSlices { points, closed, tangents, lengths });
}

struct IntoSlices<'a> {
    points: &'a [Vector3<f64>],
    closed: bool,
    tangents: &'a mut [Vector3<f64>],
    lengths: &'a mut [f64],
}

impl WithSimd for IntoSlices<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (mut walk, mut buffer) = (Walk::new(self.points, self.closed), Buffer::new());
        let blocks = self.tangents.chunks_mut(BLOCK).zip(self.lengths.chunks_mut(BLOCK));
        for (b, (tangents, lengths)) in blocks.enumerate().take(self.points.len().div_ceil(BLOCK)) {
            walk.block(b, buffer.directions());
            buffer.unload(tangents, lengths);
        }
    }
}

/// Two unit vectors that cancel to less than this have no direction of their own.
const NO_DIRECTION: f64 = 1e-9;

/// Walks along a polyline, block by block.
pub(crate) struct Walk<'a> {
    points: &'a [Vector3<f64>],
    /// What comes after the last vertex: the first, or the last itself, at no distance.
    end: Vector3<f64>,
    /// The edge before the next block: its direction, and half its length.
    before: [f64; 4],
    /// The edges of a block, the one before it first: directions, and half the lengths.
    edges: [[f64; BLOCK + 1]; 4],
}

impl<'a> Walk<'a> {
    #[inline(always)]
    pub fn new(points: &'a [Vector3<f64>], closed: bool) -> Self {
        let joined = edge_count(points.len(), closed) == points.len();
        let (first, last) = (points.first().copied().unwrap_or_default(), points.last().copied().unwrap_or_default());
        let (end, before) = if joined { (first, direction((first - last).into())) } else { (last, [0.0; 4]) };
        Walk { points, end, before, edges: [[0.0; BLOCK + 1]; 4] }
    }

    /// Points, unit tangents and lengths of block `b`; the blocks must be taken in order.
    #[inline(always)]
    pub fn block(&mut self, b: usize, out: Directions) {
        let (len, start) = (self.points.len(), b * BLOCK);
        let (count, lanes) = (lanes::count(len, b), lanes::lanes(len, b));
        lanes::spread(&self.points[start..start + count], out.point);
        let next = self.points.get(start + count).copied().unwrap_or(self.end);
        for k in 0..3 {
            out.point[k][count..lanes].fill(next[k]);
        }
        self.measure(out.point, lanes, &next);
        let [ex, ey, ez, half] = &self.edges;
        for i in 0..lanes {
            let (x, y, z) = (ex[i] + ex[i + 1], ey[i] + ey[i + 1], ez[i] + ez[i + 1]);
            let sum = (x * x + y * y + z * z).sqrt();
            let inverse = if sum > NO_DIRECTION { 1.0 / sum } else { 0.0 };
            (out.axis[0][i], out.axis[1][i], out.axis[2][i]) = (x * inverse, y * inverse, z * inverse);
            out.weight[i] = half[i] + half[i + 1];
        }
        out.weight[count..lanes].fill(0.0);
        self.before = self.edges.map(|edge| edge[count]);
    }

    /// The edges from each point to the next.
    #[inline(always)]
    fn measure(&mut self, [x, y, z]: &Vectors, lanes: usize, next: &Vector3<f64>) {
        let [ex, ey, ez, half] = &mut self.edges;
        [ex[0], ey[0], ez[0], half[0]] = self.before;
        for i in 0..lanes - 1 {
            [ex[i + 1], ey[i + 1], ez[i + 1], half[i + 1]] = direction([x[i + 1] - x[i], y[i + 1] - y[i], z[i + 1] - z[i]]);
        }
        let last = lanes - 1;
        [ex[lanes], ey[lanes], ez[lanes], half[lanes]] = direction([next.x - x[last], next.y - y[last], next.z - z[last]]);
    }
}

/// Direction of an edge, zero if it has no length, and half its length.
#[inline(always)]
fn direction([x, y, z]: [f64; 3]) -> [f64; 4] {
    let length = (x * x + y * y + z * z).sqrt();
    let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
    [x * inverse, y * inverse, z * inverse, 0.5 * length]
}

fn edge(points: &[Vector3<f64>], i: usize) -> Vector3<f64> {
    points[(i + 1) % points.len()] - points[i]
}
