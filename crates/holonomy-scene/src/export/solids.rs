//! Small solids that make points, joints and bones visible: balls and octahedra, with unit normals, counter-clockwise seen from outside.

use std::collections::HashMap;

use holonomy::nalgebra::Vector3;

/// A solid: corner positions, unit normals, triangles.
#[derive(Debug, Clone, Default)]
pub(super) struct Solid {
    pub positions: Vec<Vector3<f64>>,
    pub normals: Vec<Vector3<f64>>,
    pub faces: Vec<[u32; 3]>,
}

/// A unit ball at the origin: an icosahedron (12 corners) whose triangles are split in four `splits` times (42, 162, …).
pub(super) fn ball(splits: usize) -> Solid {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners: Vec<Vector3<f64>> = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        for corner in [Vector3::new(0.0, a, b), Vector3::new(a, b, 0.0), Vector3::new(b, 0.0, a)] {
            corners.push(corner.normalize());
        }
    }
    let mut faces = icosahedron_faces(&corners);
    for _ in 0..splits {
        faces = split(&mut corners, &faces);
    }
    Solid { normals: corners.clone(), positions: corners, faces }
}

/// The twenty triples of mutually adjacent corners, turned outwards. Adjacent corners of the unit icosahedron are 1.05 apart, others over 1.7.
fn icosahedron_faces(corners: &[Vector3<f64>]) -> Vec<[u32; 3]> {
    let near = |a: usize, b: usize| (corners[a] - corners[b]).norm() < 1.2;
    let mut faces = Vec::new();
    for a in 0..corners.len() {
        for b in a + 1..corners.len() {
            for c in b + 1..corners.len() {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = corners[a].cross(&corners[b]).dot(&corners[c]) > 0.0;
                    faces.push(if outward { [a as u32, b as u32, c as u32] } else { [a as u32, c as u32, b as u32] });
                }
            }
        }
    }
    faces
}

fn split(corners: &mut Vec<Vector3<f64>>, faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            corners.push((corners[a as usize] + corners[b as usize]).normalize());
            corners.len() as u32 - 1
        })
    };
    let mut out = Vec::with_capacity(faces.len() * 4);
    for &[a, b, c] in faces {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        out.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    out
}

/// An octahedral bone from `from` to `to`, flat-shaded, its waist near `from`; and for each corner whether it is the tip at `to`.
/// `None` if the bone has no length.
pub(super) fn bone(from: &Vector3<f64>, to: &Vector3<f64>) -> Option<(Solid, Vec<bool>)> {
    let along = to - from;
    let length = along.norm();
    let direction = along.try_normalize(f64::MIN_POSITIVE)?;
    let side = any_perpendicular(&direction);
    let other = direction.cross(&side);
    let center = from + along * 0.12;
    let waist: Vec<Vector3<f64>> = [side, other, -side, -other].iter().map(|d| center + d * (0.09 * length)).collect();
    let (mut solid, mut tips) = (Solid::default(), Vec::new());
    for i in 0..4 {
        let (a, b) = (waist[i], waist[(i + 1) % 4]);
        for (triangle, tip) in [([a, b, *to], true), ([b, a, *from], false)] {
            let normal = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0])).try_normalize(f64::MIN_POSITIVE)?;
            let first = solid.positions.len() as u32;
            solid.faces.push([first, first + 1, first + 2]);
            solid.positions.extend(triangle);
            solid.normals.extend([normal; 3]);
            tips.extend([false, false, tip]);
        }
    }
    Some((solid, tips))
}

/// A unit vector at right angles to a unit vector: the part of +Y (or of +X, if that is nearly along) at right angles to it.
pub(super) fn any_perpendicular(direction: &Vector3<f64>) -> Vector3<f64> {
    let up = if direction.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
    (up - direction * direction.dot(&up)).normalize()
}
