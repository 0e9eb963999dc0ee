//! Small solids that make points, joints and bones visible: balls, tapered limbs and octahedra, with unit normals, counter-clockwise seen
//! from outside.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use holonomy::lie::Pose;
use holonomy::nalgebra::Vector3;

/// A solid: corner positions, unit normals, triangles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solid {
    pub positions: Vec<Vector3<f64>>,
    pub normals: Vec<Vector3<f64>>,
    pub faces: Vec<[u32; 3]>,
}

impl Solid {
    /// Adds `other`, `scale` times as large and moved to `center`.
    pub fn append(&mut self, other: &Solid, scale: f64, center: &Vector3<f64>) {
        let first = self.positions.len() as u32;
        self.positions.extend(other.positions.iter().map(|p| p * scale + center));
        self.normals.extend(&other.normals);
        self.faces.extend(other.faces.iter().map(|f| f.map(|v| v + first)));
    }
}

/// How finely a round solid is cut.
#[derive(Clone, Copy)]
struct Cut {
    /// Corners around.
    sides: usize,
    /// Rings from the pole of a round end to its rim.
    rings: usize,
}

const LIMB: Cut = Cut { sides: 18, rings: 5 };
/// Heads and what is on them run into each other at a small angle, where coarse ones would leave a ragged edge.
const HEAD: Cut = Cut { sides: 40, rings: 10 };

/// A limb with round ends, of `radii[0]` metres at the origin of `at` and `radii[1]` at `length` metres along its +Y: the hull of two balls.
/// `across` widens it along the X and the Z of `at`.
pub(super) fn limb(at: &Pose, length: f64, radii: [f64; 2], across: [f64; 2]) -> Solid {
    capsule(at, length, radii, across, LIMB)
}

/// An ellipsoid about the origin of `at`, with these half axes along its X, Y and Z, metres.
pub(super) fn ellipsoid(at: &Pose, [x, y, z]: [f64; 3]) -> Solid {
    capsule(at, 0.0, [y, y], [x / y, z / y], HEAD)
}

fn capsule(at: &Pose, length: f64, radii: [f64; 2], across: [f64; 2], cut: Cut) -> Solid {
    let round = |foot: f64, radius: f64, from: f64, to: f64| {
        let latitudes = (0..=cut.rings).map(move |i| from + (to - from) * i as f64 / cut.rings as f64);
        latitudes.map(move |latitude| (foot + radius * latitude.sin(), radius * latitude.cos(), latitude))
    };
    let [near, far] = radii;
    // If one ball holds the other it is the whole hull; else the straight part touches both at the same latitude.
    let stations: Vec<(f64, f64, f64)> = if length <= (near - far).abs() {
        let (foot, radius) = if near >= far { (0.0, near) } else { (length, far) };
        round(foot, radius, -FRAC_PI_2, 0.0).chain(round(foot, radius, 0.0, FRAC_PI_2).skip(1)).collect()
    } else {
        let rim = ((near - far) / length).asin();
        round(0.0, near, -FRAC_PI_2, rim).chain(round(length, far, rim, FRAC_PI_2)).collect()
    };
    turned(at, &stations, across, cut.sides)
}

/// A surface turned about the +Y of `at`: at each station the place along it, the radius and the latitude of the normal; from pole to pole.
fn turned(at: &Pose, stations: &[(f64, f64, f64)], across: [f64; 2], sides: usize) -> Solid {
    let mut solid = Solid::default();
    let last = stations.len() - 1;
    for (i, &(along, radius, latitude)) in stations.iter().enumerate() {
        let corners = if i == 0 || i == last { 1 } else { sides };
        for k in 0..corners {
            let (sin, cos) = (TAU * k as f64 / sides as f64).sin_cos();
            let radius = if corners == 1 { 0.0 } else { radius };
            let place = Vector3::new(across[0] * radius * sin, along, across[1] * radius * cos);
            let (rise, out) = latitude.sin_cos();
            let out = if corners == 1 { 0.0 } else { out };
            let normal = Vector3::new(out * sin / across[0], rise, out * cos / across[1]).normalize();
            solid.positions.push(at.act(&place));
            solid.normals.push(at.rotation * normal);
        }
        let start = |ring: usize| if ring == 0 { 0 } else { 1 + (ring - 1) * sides };
        for k in (0..sides).filter(|_| i > 0) {
            let [a, b] = [k, (k + 1) % sides];
            let corner = |ring: usize, k: usize| (start(ring) + if ring == 0 || ring == last { 0 } else { k }) as u32;
            if i > 1 {
                solid.faces.push([corner(i - 1, a), corner(i - 1, b), corner(i, b)]);
            }
            if i < last {
                solid.faces.push([corner(i - 1, a), corner(i, b), corner(i, a)]);
            }
        }
    }
    solid
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
