//! Where a surface passes through itself.

use nalgebra::Vector3;

use super::grid::{Bounds, each_meeting};
use super::search::edges_of;

/// How many times an edge passes through a triangle with which it has no vertex in common. What just touches does not count. Faces name places that exist.
pub(in crate::elastic) fn crossings(places: &[Vector3<f64>], faces: &[[u32; 3]]) -> usize {
    let edges = edges_of(faces);
    let lines: Vec<Bounds> = edges.iter().map(|e| Bounds::around(&e.map(|v| places[v as usize]), 0.0)).collect();
    let triangles: Vec<Bounds> = faces.iter().map(|f| Bounds::around(&f.map(|v| places[v as usize]), 0.0)).collect();
    let mut count = 0;
    each_meeting(&lines, &triangles, &mut |i, j| {
        let (edge, face) = (edges[i as usize], faces[j as usize]);
        let apart = !face.contains(&edge[0]) && !face.contains(&edge[1]);
        count += usize::from(apart && crosses(&edge.map(|v| places[v as usize]), &face.map(|v| places[v as usize])));
    });
    count
}

/// Both ends are on different sides of the triangle, and it passes all its sides the same way round.
fn crosses([p, q]: &[Vector3<f64>; 2], [a, b, c]: &[Vector3<f64>; 3]) -> bool {
    let side = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>| (b - a).cross(&(c - a)).dot(&(d - a));
    if side(a, b, c, p) * side(a, b, c, q) >= 0.0 {
        return false;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|&x| x > 0.0) || around.iter().all(|&x| x < 0.0)
}
