//! Polylines: edge lengths, unit tangents and the length each vertex stands for.

use nalgebra::Vector3;

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
    tangents.fill(Vector3::zeros());
    lengths.fill(0.0);
    let n = points.len();
    for i in 0..edge_count(n, closed) {
        let j = if i + 1 == n { 0 } else { i + 1 };
        let d = points[j] - points[i];
        let l = d.norm();
        if l > 0.0 {
            let t = d / l;
            tangents[i] += t;
            tangents[j] += t;
            lengths[i] += 0.5 * l;
            lengths[j] += 0.5 * l;
        }
    }
    tangents.iter_mut().for_each(normalise_or_zero);
}

/// Two unit vectors that cancel to less than this have no direction of their own.
const NO_DIRECTION: f64 = 1e-9;

fn normalise_or_zero(t: &mut Vector3<f64>) {
    let l = t.norm();
    *t = if l > NO_DIRECTION { *t / l } else { Vector3::zeros() };
}

fn edge(points: &[Vector3<f64>], i: usize) -> Vector3<f64> {
    points[(i + 1) % points.len()] - points[i]
}
