//! Where a surface passes through itself.

use nalgebra::Vector3;

use super::grid::{Bounds, each_meeting};
use super::search::edges_of;

/// Heights above a plane below so many units of round-off are none.
const NOISE: f64 = 32.0 * f64::EPSILON;

/// Returns how many edges pass through a triangle with which they have no vertex in common. An edge
/// that only touches a triangle, or lies in its plane, does not count. Faces name places that exist.
pub(in crate::elastic) fn crossings(places: &[Vector3<f64>], faces: &[[u32; 3]]) -> usize {
    let edges = edges_of(faces);
    let lines: Vec<Bounds> = edges.iter().map(|e| Bounds::around(&e.map(|v| places[v as usize]), 0.0)).collect();
    let triangles: Vec<Bounds> = faces.iter().map(|f| Bounds::around(&f.map(|v| places[v as usize]), 0.0)).collect();
    let mut through = vec![false; edges.len()];
    each_meeting(&lines, &triangles, &mut |i, j| {
        let (edge, face) = (edges[i as usize], faces[j as usize]);
        let apart = !face.contains(&edge[0]) && !face.contains(&edge[1]);
        if apart && !through[i as usize] {
            through[i as usize] = crosses(&edge.map(|v| places[v as usize]), &face.map(|v| places[v as usize]));
        }
    });
    through.iter().filter(|&&through| through).count()
}

/// Returns whether both ends are on different sides of the triangle, by more than round-off of
/// their places, and the line between them passes all sides of the triangle the same way round. A
/// line through a side counts, so that what passes between two triangles passes through both.
fn crosses([p, q]: &[Vector3<f64>; 2], [a, b, c]: &[Vector3<f64>; 3]) -> bool {
    let side = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>| (b - a).cross(&(c - a)).dot(&(d - a));
    let height = [side(a, b, c, p), side(a, b, c, q)];
    let far = [p, q, a, b, c].iter().fold(0.0_f64, |most, x| most.max(x.amax()));
    let wide = [p, q, b, c].iter().fold(0.0_f64, |most, x| most.max((*x - a).norm_squared()));
    let noise = NOISE * far * wide;
    let apart = height[0] > noise && height[1] < -noise || height[0] < -noise && height[1] > noise;
    if !apart {
        return false;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|&x| x >= 0.0) || around.iter().all(|&x| x <= 0.0)
}
