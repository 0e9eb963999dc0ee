//! Meshes whose integrals have closed forms.

use std::collections::HashMap;
use std::f64::consts::TAU;

use holonomy::nalgebra::Vector3;

/// Asserts that `found` is below `bound`; run with `--nocapture` to see the value measured.
#[track_caller]
pub fn below(found: f64, bound: f64) {
    let place = std::panic::Location::caller();
    println!("{}:{}: {found:.2e} < {bound:e}", place.file(), place.line());
    assert!(found < bound, "{found:e} is not below {bound:e}");
}

pub type Mesh = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// Unit sphere: an icosahedron, each face split in four `level` times. 20 · 4^level faces.
pub fn icosphere(level: usize) -> Mesh {
    let t = (1.0 + 5f64.sqrt()) / 2.0;
    let corners = [(-1., t, 0.), (1., t, 0.), (-1., -t, 0.), (1., -t, 0.), (0., -1., t), (0., 1., t)];
    let more = [(0., -1., -t), (0., 1., -t), (t, 0., -1.), (t, 0., 1.), (-t, 0., -1.), (-t, 0., 1.)];
    let mut points: Vec<Vector3<f64>> = corners.iter().chain(&more).map(|&(x, y, z)| Vector3::new(x, y, z).normalize()).collect();
    let mut faces: Vec<[u32; 3]> = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ]
    .to_vec();
    for _ in 0..level {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32, points: &mut Vec<Vector3<f64>>| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                points.push((points[a as usize] + points[b as usize]).normalize());
                points.len() as u32 - 1
            })
        };
        let split = |&[a, b, c]: &[u32; 3]| {
            let (ab, bc, ca) = (middle(a, b, &mut points), middle(b, c, &mut points), middle(c, a, &mut points));
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        };
        faces = faces.iter().flat_map(split).collect();
    }
    (points, faces)
}

/// Ellipsoid with the given semi-axes.
pub fn ellipsoid(axes: [f64; 3], level: usize) -> Mesh {
    let (points, faces) = icosphere(level);
    (points.iter().map(|p| p.component_mul(&Vector3::from(axes))).collect(), faces)
}

/// Box with the given sides, centred, `cells` cells along each.
pub fn cuboid(sides: [f64; 3], cells: [usize; 3]) -> Mesh {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    let mut index = HashMap::new();
    let mut vertex = |key: [usize; 3]| {
        *index.entry(key).or_insert_with(|| {
            points.push(Vector3::from_fn(|k, _| sides[k] * (key[k] as f64 / cells[k] as f64 - 0.5)));
            points.len() as u32 - 1
        })
    };
    for k in 0..3 {
        let (u, v) = ((k + 1) % 3, (k + 2) % 3);
        for (i, j, end) in (0..cells[u]).flat_map(|i| (0..cells[v]).flat_map(move |j| [(i, j, false), (i, j, true)])) {
            let mut at = |di: usize, dj: usize| {
                let mut key = [0; 3];
                (key[u], key[v], key[k]) = (i + di, j + dj, if end { cells[k] } else { 0 });
                vertex(key)
            };
            let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            faces.extend(if end { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    (points, faces)
}

/// Closed cylinder along z with flat ends of one fan each.
pub fn cylinder(radius: f64, length: f64, around: usize) -> Mesh {
    let ring = |z: f64| {
        (0..around).map(move |j| (TAU * j as f64 / around as f64).sin_cos()).map(move |(s, c)| Vector3::new(radius * c, radius * s, z))
    };
    let mut points: Vec<_> = ring(-length / 2.0).chain(ring(length / 2.0)).collect();
    points.extend([Vector3::z() * (-length / 2.0), Vector3::z() * (length / 2.0)]);
    let n = around as u32;
    let sides = |j: u32| {
        let k = (j + 1) % n;
        [[j, k, n + j], [k, n + k, n + j], [2 * n, k, j], [2 * n + 1, n + j, n + k]]
    };
    (points, (0..n).flat_map(sides).collect())
}

/// Plate in the plane z = 0, centred; cells crowd towards the rim as cosines, or are even.
pub fn plate([a, b]: [f64; 2], [m, n]: [usize; 2], spacing: Spacing) -> Mesh {
    let at = |i: usize, cells: usize| match spacing {
        Spacing::Even => i as f64 / cells as f64 - 0.5,
        Spacing::Cosine => -0.5 * (0.5 * TAU * i as f64 / cells as f64).cos(),
    };
    let points = (0..=n).flat_map(|j| (0..=m).map(move |i| Vector3::new(a * at(i, m), b * at(j, n), 0.0))).collect();
    let corner = |i: usize, j: usize| (j * (m + 1) + i) as u32;
    let cells = (0..n).flat_map(|j| (0..m).map(move |i| (i, j)));
    let split = |(i, j): (usize, usize)| {
        let [p, q, r, s] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        // Diagonals are mirrored about the middle, so that the mesh has the symmetries of the plate.
        if (2 * i < m) == (2 * j < n) { [[p, q, r], [p, r, s]] } else { [[p, q, s], [q, r, s]] }
    };
    (points, cells.flat_map(split).collect())
}

/// How the vertices of a plate are spaced.
#[derive(Clone, Copy, PartialEq)]
pub enum Spacing {
    Even,
    Cosine,
}

/// Disc of radius 1 in the plane z = 0, of `rings` rings that crowd towards the rim as cosines, of 6, 12, 18, … vertices.
pub fn disc(rings: usize) -> Mesh {
    let mut points = vec![Vector3::zeros()];
    for i in 1..=rings {
        let radius = (0.25 * TAU * i as f64 / rings as f64).sin();
        let angle = |j: usize| TAU * j as f64 / (6 * i) as f64;
        points.extend((0..6 * i).map(|j| Vector3::new(radius * angle(j).cos(), radius * angle(j).sin(), 0.0)));
    }
    let at = |i: usize, j: usize| if i == 0 { 0 } else { (1 + 3 * i * (i - 1) + j % (6 * i)) as u32 };
    let mut faces = Vec::new();
    for (i, sector) in (1..=rings).flat_map(|i| (0..6).map(move |sector| (i, sector))) {
        for k in 0..i {
            faces.push([at(i - 1, sector * (i - 1) + k), at(i, sector * i + k), at(i, sector * i + k + 1)]);
            if k + 1 < i {
                faces.push([at(i - 1, sector * (i - 1) + k), at(i, sector * i + k + 1), at(i - 1, sector * (i - 1) + k + 1)]);
            }
        }
    }
    (points, faces)
}

/// Torus about z.
pub fn torus(large: f64, small: f64, around: usize, along: usize) -> Mesh {
    let point = |i: usize, j: usize| {
        let ((su, cu), (sv, cv)) = ((TAU * i as f64 / along as f64).sin_cos(), (TAU * j as f64 / around as f64).sin_cos());
        Vector3::new((large + small * cv) * cu, (large + small * cv) * su, small * sv)
    };
    let points = (0..along).flat_map(|i| (0..around).map(move |j| point(i, j))).collect();
    let at = |i: usize, j: usize| (i % along * around + j % around) as u32;
    let cells = (0..along).flat_map(|i| (0..around).map(move |j| (i, j)));
    (points, cells.flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]).collect())
}

/// Two meshes as one.
pub fn both((mut points, mut faces): Mesh, (more, other): Mesh) -> Mesh {
    let first = points.len() as u32;
    points.extend(more);
    faces.extend(other.iter().map(|face| face.map(|v| v + first)));
    (points, faces)
}

/// The faces turned round.
pub fn inside_out((points, faces): Mesh) -> Mesh {
    (points, faces.iter().map(|&[a, b, c]| [a, c, b]).collect())
}

/// The shape half way between two that are `time_step` seconds apart, and its velocity.
pub fn between(old: &[Vector3<f64>], new: &[Vector3<f64>], time_step: f64) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
    old.iter().zip(new).map(|(a, b)| ((a + b) * 0.5, (b - a) / time_step)).unzip()
}
