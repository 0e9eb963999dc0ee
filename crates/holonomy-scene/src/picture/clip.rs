//! Cuts off what lies far beside or behind the camera, so that large triangles can be drawn (Sutherland and Hodgman 1974).

use super::scene::Prepared;

/// A corner on its way: position, normal, colour.
type Corner = [[f32; 3]; 3];

/// How far in front of a plane a point is. The planes: a little before the eye, and four beside the view, well out of it.
const PLANES: [fn(&[f32; 3]) -> f32; 5] =
    [|p| -p[2] - 0.04, |p| -1.5 * p[2] - p[0], |p| -1.5 * p[2] + p[0], |p| -1.5 * p[2] - p[1], |p| -1.5 * p[2] + p[1]];

/// Cuts the triangles from number `first` on, all of one part; those that lie wholly in front of the camera stay as they are.
pub fn to_view(scene: &mut Prepared, first: usize) {
    let Some(&part) = scene.part_of.get(first) else { return };
    let triangles = scene.triangles.split_off(first);
    for triangle in triangles {
        let corners = triangle.map(|v| scene.position[v as usize]);
        if corners.iter().all(|p| PLANES.iter().all(|plane| plane(p) >= 0.0)) {
            scene.triangles.push(triangle);
            continue;
        }
        let whole = triangle.map(|v| v as usize).map(|v| [scene.position[v], scene.normal[v], scene.albedo[v]]);
        let kept = PLANES.iter().fold(whole.to_vec(), |polygon, plane| cut(&polygon, plane));
        let base = scene.position.len() as u32;
        for [position, normal, albedo] in &kept {
            scene.position.push(*position);
            scene.normal.push(*normal);
            scene.albedo.push(*albedo);
        }
        scene.triangles.extend((2..kept.len() as u32).map(|k| [base, base + k - 1, base + k]));
    }
    scene.part_of.resize(scene.triangles.len(), part);
}

/// The part of a polygon that is in front of a plane.
fn cut(polygon: &[Corner], plane: &fn(&[f32; 3]) -> f32) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, here) in polygon.iter().enumerate() {
        let next = &polygon[(i + 1) % polygon.len()];
        let (a, b) = (plane(&here[0]), plane(&next[0]));
        if a >= 0.0 {
            kept.push(*here);
        }
        if (a >= 0.0) != (b >= 0.0) {
            let share = a / (a - b);
            kept.push([0, 1, 2].map(|k| [0, 1, 2].map(|c| here[k][c] + (next[k][c] - here[k][c]) * share)));
        }
    }
    kept
}
