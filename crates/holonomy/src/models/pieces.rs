//! Meshes that the models of bodies in flow are put together from: lofted sheets, boxes, ellipsoids, tubes, and a weld.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::gait;
use super::rigid::sphere;

/// Vertices and faces.
pub(super) type Mesh = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// An open sheet through `rows` of points: all of one length, but for the first and the last, which may be a single point each. Its faces look
/// along (to the next row) × (to the next point of a row). Beside the mesh, the column of each face.
pub(super) fn loft(rows: &[Vec<Vector3<f64>>]) -> (Mesh, Vec<usize>) {
    let points: Vec<Vector3<f64>> = rows.iter().flatten().copied().collect();
    let (mut faces, mut columns, mut start) = (Vec::new(), Vec::new(), 0);
    for (k, pair) in rows.windows(2).enumerate() {
        let ([a, b], next) = ([pair[0].len(), pair[1].len()], start + pair[0].len());
        let at = |row: usize, length: usize, j: usize| (row + if length == 1 { 0 } else { j }) as u32;
        let cells = a.max(b).saturating_sub(1);
        for j in 0..cells {
            let [p, q] = [at(start, a, j), at(start, a, j + 1)];
            let [r, s] = [at(next, b, j), at(next, b, j + 1)];
            // Diagonals mirror each other about the middle, so that a symmetric sheet has a symmetric mesh.
            let split = if (2 * j < cells) == (2 * k < rows.len() - 1) { [[p, r, s], [p, s, q]] } else { [[p, r, q], [r, s, q]] };
            for face in split.into_iter().filter(|f| f[0] != f[1] && f[1] != f[2] && f[2] != f[0]) {
                faces.push(face);
                columns.push(j);
            }
        }
        start = next;
    }
    ((points, faces), columns)
}

/// An open sheet over the unit square, `cells` cells along u and v. It looks along ∂u × ∂v.
pub(super) fn sheet([m, n]: [usize; 2], place: impl Fn(f64, f64) -> Vector3<f64>) -> Mesh {
    let row = |i: usize| (0..=n).map(|j| place(i as f64 / m as f64, j as f64 / n as f64)).collect();
    loft(&(0..=m).map(row).collect::<Vec<_>>()).0
}

/// The box from −½ to ½ times `size` about `center`, in `cells` cells along each side. Closed, outwards.
pub(super) fn cuboid(size: [f64; 3], cells: [usize; 3], center: Vector3<f64>) -> Mesh {
    let (mut points, mut faces, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, cells[axis]] {
            let mut vertex = |i: usize, j: usize| {
                let mut at = [0; 3];
                (at[axis], at[u], at[v]) = (side, i, j);
                *known.entry(at).or_insert_with(|| {
                    points.push(center + Vector3::from_fn(|k, _| size[k] * (at[k] as f64 / cells[k] as f64 - 0.5)));
                    points.len() as u32 - 1
                })
            };
            for (i, j) in (0..cells[u]).flat_map(|i| (0..cells[v]).map(move |j| (i, j))) {
                let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                faces.extend(if side > 0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    (points, faces)
}

/// An ellipsoid of full axes `size` about `center`: an icosahedron split `splits` times. Closed, outwards.
pub(super) fn ellipsoid(size: [f64; 3], splits: usize, center: Vector3<f64>) -> Mesh {
    let (mut points, faces) = sphere(splits);
    points.iter_mut().for_each(|p| *p = center + p.component_mul(&(Vector3::from(size) * 0.5)));
    (points, faces)
}

/// Several meshes as one, where vertices at the same place become one vertex.
pub(super) fn welded(meshes: &[Mesh]) -> Mesh {
    let (mut points, mut faces, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    for (more, triangles) in meshes {
        let new: Vec<u32> = more
            .iter()
            .map(|p| {
                // Adding zero makes −0 the same as 0.
                let place: [u64; 3] = (p + Vector3::zeros()).map(f64::to_bits).into();
                *known.entry(place).or_insert_with(|| {
                    points.push(*p);
                    points.len() as u32 - 1
                })
            })
            .collect();
        faces.extend(triangles.iter().map(|face| face.map(|v| new[v as usize])));
    }
    (points, faces)
}

/// A closed tube between two tips: `place(i, [c, s])` gives the point of ring i = 1 … `rings`, from front to rear, at the angle of this cosine
/// and sine, counter-clockwise seen from the front. Faces as [`gait::tube_faces`] has them.
pub(super) fn tube(tips: [Vector3<f64>; 2], rings: usize, around: usize, place: impl Fn(usize, [f64; 2]) -> Vector3<f64>) -> Mesh {
    let mut points = vec![tips[0]];
    for i in 1..=rings {
        points.extend((0..around).map(|j| {
            let (c, s) = gait::around_ring(j, around);
            place(i, [c, s])
        }));
    }
    points.push(tips[1]);
    (points, gait::tube_faces(rings, around))
}

/// Several meshes side by side.
pub(super) fn joined(meshes: &[Mesh]) -> Mesh {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for (more, triangles) in meshes {
        let first = points.len() as u32;
        points.extend_from_slice(more);
        faces.extend(triangles.iter().map(|face| face.map(|v| v + first)));
    }
    (points, faces)
}

/// The mirror image in the plane x = 0, faces outwards again.
pub(super) fn mirror_image((points, faces): &Mesh) -> Mesh {
    let flip = |p: &Vector3<f64>| Vector3::new(-p.x, p.y, p.z);
    (points.iter().map(flip).collect(), faces.iter().map(|&[a, b, c]| [a, c, b]).collect())
}
