//! What vehicles are built from: turned solids, bars, blades, wheels.

use std::ops::Range;

use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::super::pieces::{self, Mesh};
use super::{Finish, MovingPart, VehicleModel};

/// A wheel: metres, and vertices around it (a multiple of 4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wheel {
    pub radius: f64,
    pub width: f64,
    pub around: usize,
}

impl VehicleModel {
    /// Adds a mesh of one finish and says which vertices are its own.
    pub(super) fn add(&mut self, mesh: Mesh, finish: Finish) -> Range<usize> {
        self.add_with(mesh, |_| finish)
    }

    /// Adds a mesh; `finish` is told the number of a face within it.
    pub(super) fn add_with(&mut self, (points, faces): Mesh, finish: impl Fn(usize) -> Finish) -> Range<usize> {
        let first = self.points.len();
        self.points.extend(points);
        self.finishes.extend((0..faces.len()).map(finish));
        self.faces.extend(faces.iter().map(|face| face.map(|v| v + first as u32)));
        first..self.points.len()
    }

    /// Adds a mesh; `finish` is told the middle of each face's longest side, which is the same for both halves of a rectangle.
    pub(super) fn add_by_place(&mut self, mesh: Mesh, finish: impl Fn(&Vector3<f64>) -> Finish) -> Range<usize> {
        let middle = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| mesh.0[v as usize]);
            let sides = [(a, b), (b, c), (c, a)];
            let length = |(p, q): &(Vector3<f64>, Vector3<f64>)| (p - q).norm_squared();
            let longest = sides.iter().fold(sides[0], |best, side| if length(side) > length(&best) { *side } else { best });
            (longest.0 + longest.1) * 0.5
        };
        let places: Vec<Vector3<f64>> = mesh.1.iter().map(middle).collect();
        self.add_with(mesh, |face| finish(&places[face]))
    }

    /// Opens a part: what is added until [`VehicleModel::end`] turns with it.
    pub(super) fn begin(&mut self, name: &'static str, parent: Option<usize>, point: Vector3<f64>, axis: Vector3<f64>) -> usize {
        let first = self.points.len();
        self.parts.push(MovingPart { name, parent, vertices: first..first, point, axis });
        self.parts.len() - 1
    }

    /// Closes a part.
    pub(super) fn end(&mut self, part: usize) {
        self.parts[part].vertices.end = self.points.len();
    }

    /// Adds a wheel that rolls forwards (along +X) about an axle at `center`, as a part that `parent` carries.
    pub(super) fn add_wheel(&mut self, name: &'static str, parent: Option<usize>, center: Vector3<f64>, wheel: Wheel) {
        let Wheel { radius, width, around } = wheel;
        let profile = wheel_profile(radius, width);
        let rings = profile.len();
        let mesh = lathe([0.3 * width, -0.3 * width], &profile, around);
        // Every third of the rim is painted, so that turning is seen.
        let finish = |face: usize| {
            let (sector, along) = (face / (2 * rings), face % (2 * rings));
            let rim = along < 3 || along + 3 >= 2 * rings;
            match (rim, sector % 4 < 2) {
                (true, true) => Finish::Metal,
                (true, false) => Finish::Accent,
                _ => Finish::Rubber,
            }
        };
        let part = self.begin(name, parent, center, -Vector3::z());
        self.add_with(shifted(mesh, center), finish);
        self.end(part);
    }
}

/// Radius and place along the axle, from one side to the other.
fn wheel_profile(radius: f64, width: f64) -> Vec<[f64; 2]> {
    let side = [[0.62, 0.36], [0.7, 0.5], [0.94, 0.46], [1.0, 0.3]];
    let mirrored = side.iter().rev().map(|[r, z]| [*r, -z]);
    side.iter().copied().chain(mirrored).map(|[r, z]| [r * radius, z * width]).collect()
}

/// A solid of revolution about +Z: pairs of radius and z, from the front tip to the rear tip, which lie on the axis.
pub(super) fn lathe(tips: [f64; 2], profile: &[[f64; 2]], around: usize) -> Mesh {
    let place = |i: usize, [c, s]: [f64; 2]| {
        let [r, z] = profile[i - 1];
        Vector3::new(r * c, r * s, z)
    };
    pieces::tube(tips.map(|z| Vector3::z() * z), profile.len(), around, place)
}

/// A round bar between two points.
pub(super) fn bar(from: Vector3<f64>, to: Vector3<f64>, radius: f64, around: usize) -> Mesh {
    tapered(from, to, [radius, radius], around)
}

/// A round bar between two points, of these radii at its ends.
pub(super) fn tapered(from: Vector3<f64>, to: Vector3<f64>, [start, end]: [f64; 2], around: usize) -> Mesh {
    let length = (to - from).norm();
    let mesh =
        lathe([length, 0.0], &[[0.85 * end, length], [end, length - 0.15 * end], [start, 0.15 * start], [0.85 * start, 0.0]], around);
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), &(to - from))
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    shifted(turned(mesh, &turn.to_rotation_matrix()), from)
}

/// A plate along +Z from z = `reach[0]` to `reach[1]`, of this chord (along X) at its root and tip and of this thickness, twisted about its length by `pitch` at 0.7 of it.
pub(super) fn blade(reach: [f64; 2], chords: [f64; 2], thickness: f64, pitch: f64) -> Mesh {
    let (mut points, faces) = pieces::cuboid([1.0, 1.0, 1.0], [2, 1, 6], Vector3::zeros());
    for p in &mut points {
        let share = p.z + 0.5;
        let z = reach[0] + (reach[1] - reach[0]) * share;
        let chord = chords[0] + (chords[1] - chords[0]) * share;
        // Thick in the middle, thin at both edges; the tip is rounded.
        let round = if share > 0.99 { 0.6 } else { 1.0 };
        let thick = thickness * if p.x.abs() < 0.25 { 1.0 } else { 0.3 };
        let angle = (0.7 * reach[1] * pitch.tan() / z.max(0.2 * reach[1])).atan();
        let flat = Vector3::new(p.x * chord * round, p.y * thick, 0.0);
        *p = Rotation3::from_axis_angle(&Vector3::z_axis(), angle) * flat + Vector3::z() * z;
    }
    (points, faces)
}

/// Blades like spokes about +Y, the first along +Z.
pub(super) fn rotor(count: usize, blade: &Mesh) -> Mesh {
    let all: Vec<Mesh> = (0..count)
        .map(|k| turned(blade.clone(), &Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::TAU * k as f64 / count as f64)))
        .collect();
    pieces::joined(&all)
}

/// A box of these sides about `center` whose top is narrower by these shares along X and Z.
pub(super) fn wedge(size: [f64; 3], cells: [usize; 3], center: Vector3<f64>, narrower: [f64; 2]) -> Mesh {
    let (mut points, faces) = pieces::cuboid(size, cells, Vector3::zeros());
    for p in &mut points {
        let up = p.y / size[1] + 0.5;
        p.x *= 1.0 - narrower[0] * up;
        p.z *= 1.0 - narrower[1] * up;
        *p += center;
    }
    (points, faces)
}

/// The mesh, moved.
pub(super) fn shifted((points, faces): Mesh, by: Vector3<f64>) -> Mesh {
    (points.iter().map(|p| p + by).collect(), faces)
}

/// The mesh, turned about the origin.
pub(super) fn turned((points, faces): Mesh, by: &Rotation3<f64>) -> Mesh {
    (points.iter().map(|p| by * p).collect(), faces)
}

/// A closed body along Z whose sections are rounded boxes: `section` gives half width, height of the bottom and of the top at the share 0 … 1 of the way from `ends[0]` in
/// front to `ends[1]`; `square` goes from 1, an ellipse, down to 0, a box.
pub(super) fn lofted(ends: [f64; 2], [rings, around]: [usize; 2], square: f64, section: impl Fn(f64) -> [f64; 3]) -> Mesh {
    let corner = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x.signum() * x.abs().powf(square) };
    let z = |share: f64| ends[0] + (ends[1] - ends[0]) * share;
    let place = |i: usize, [c, s]: [f64; 2]| {
        // Sections are closer together at both ends.
        let share = 0.5 - 0.5 * (std::f64::consts::PI * (i - 1) as f64 / (rings - 1) as f64).cos();
        let [half, low, high] = section(share);
        Vector3::new(half * corner(c), 0.5 * (low + high) + 0.5 * (high - low) * corner(s), z(share))
    };
    let tip = |share: f64| {
        let [_, low, high] = section(share);
        Vector3::new(0.0, 0.5 * (low + high), z(share))
    };
    pieces::tube([tip(0.0), tip(1.0)], rings, around, place)
}

/// From a nose along +Z to one along +X.
pub(super) fn on_wheels(mesh: Mesh) -> Mesh {
    turned(mesh, &Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2))
}

/// Smoothly from 0 at `from` to 1 at `to`.
pub(super) fn ease(x: f64, from: f64, to: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
