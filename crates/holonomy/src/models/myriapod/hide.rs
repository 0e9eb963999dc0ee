//! A skin in the making: closed tubes and open sheets, whose corners follow joints.

use nalgebra::Vector3;

use super::coat::Finish;
use crate::lie::Pose;
use crate::shape::{Influence, Skin};

/// A ring of a tube.
pub(super) struct Ring {
    /// Its corners, right-handed about the way from the first ring to the last.
    pub points: Vec<Vector3<f64>>,
    /// What they follow.
    pub follows: Influence,
}

/// A tapered, swollen or pointed bar: radius along its way.
pub(super) struct Spindle {
    /// Where it begins and ends, metres.
    pub ends: [Vector3<f64>; 2],
    /// Its stations: share of the way, which may lie beyond both ends, and radius, metres. The first and the last are points.
    pub stations: Vec<[f64; 2]>,
    /// Corners around it.
    pub sides: usize,
    /// What it follows.
    pub follows: Influence,
}

impl Spindle {
    /// An egg between two places.
    pub fn egg(ends: [Vector3<f64>; 2], radius: f64, [rings, sides]: [usize; 2], joint: usize) -> Spindle {
        let station = |k: usize| {
            let (sin, cos) = (std::f64::consts::PI * k as f64 / (rings + 1) as f64).sin_cos();
            [0.5 - 0.5 * cos, radius * sin]
        };
        Spindle { ends, stations: (0..rings + 2).map(station).collect(), sides, follows: Influence::of(joint) }
    }
}

/// Adds to a skin.
pub(super) struct Hide(pub Skin);

impl Hide {
    fn push(&mut self, points: &[Vector3<f64>], follows: Influence) -> u32 {
        let first = self.0.points.len() as u32;
        self.0.points.extend_from_slice(points);
        self.0.influences.resize(self.0.points.len(), follows);
        first
    }

    fn face(&mut self, face: [u32; 3], finish: Finish) {
        self.0.faces.push(face);
        self.0.finishes.push(finish as u8);
    }

    /// A closed tube through rings of as many corners each, between two tips; `finish` is told the band, of which the first and the last are the
    /// tips'.
    pub fn tube(&mut self, tips: [Vector3<f64>; 2], rings: &[Ring], finish: impl Fn(usize) -> Finish) {
        let (Some(first), Some(last)) = (rings.first(), rings.last()) else { return };
        let sides = first.points.len() as u32;
        let (start, end) = (self.push(&tips[..1], first.follows), self.push(&tips[1..], last.follows));
        let starts: Vec<u32> = rings.iter().map(|ring| self.push(&ring.points, ring.follows)).collect();
        for k in 0..sides {
            let next = (k + 1) % sides;
            self.face([start, starts[0] + next, starts[0] + k], finish(0));
            for (band, pair) in starts.windows(2).enumerate() {
                let [a, b, c, d] = [pair[0] + k, pair[0] + next, pair[1] + k, pair[1] + next];
                self.face([a, b, c], finish(band + 1));
                self.face([b, d, c], finish(band + 1));
            }
            let rim = starts[starts.len() - 1];
            self.face([rim + k, rim + next, end], finish(rings.len()));
        }
    }

    /// A round bar.
    pub fn spindle(&mut self, spindle: &Spindle, finish: impl Fn(usize) -> Finish) {
        let [from, to] = spindle.ends;
        let along = to - from;
        let Some(direction) = along.try_normalize(f64::MIN_POSITIVE) else { return };
        let helper = if direction.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
        let u = (helper - direction * direction.dot(&helper)).normalize();
        let v = direction.cross(&u);
        let ring = |&[share, radius]: &[f64; 2]| {
            let corner = |k: usize| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / spindle.sides as f64).sin_cos();
                from + along * share + (u * cos + v * sin) * radius
            };
            Ring { points: (0..spindle.sides).map(corner).collect(), follows: spindle.follows }
        };
        let stations = &spindle.stations;
        let tips = [stations[0], stations[stations.len() - 1]].map(|[share, _]| from + along * share);
        self.tube(tips, &stations[1..stations.len() - 1].iter().map(ring).collect::<Vec<_>>(), finish);
    }

    /// An open sheet on one joint: rows from front to rear, each from the left over the back to the right; `finish` is told row and column of a
    /// cell.
    pub fn sheet(&mut self, rows: &[Vec<Vector3<f64>>], joint: usize, finish: impl Fn(usize, usize) -> Finish) {
        let starts: Vec<u32> = rows.iter().map(|row| self.push(row, Influence::of(joint))).collect();
        let columns = rows.first().map_or(0, Vec::len).saturating_sub(1);
        for (row, pair) in starts.windows(2).enumerate() {
            for column in 0..columns {
                let [a, b] = [pair[0], pair[1]].map(|start| start + column as u32);
                // Diagonals mirror each other, so that left and right look alike.
                let faces = if 2 * column < columns { [[a, b, a + 1], [a + 1, b, b + 1]] } else { [[a, b, b + 1], [a, b + 1, a + 1]] };
                faces.into_iter().for_each(|face| self.face(face, finish(row, column)));
            }
        }
    }
}

/// A section across a body at x of `at`: half height and half width, at the angle from the top towards the right; `square` as in
/// [`Cut`](super::coat::Cut).
pub(super) fn section(at: &Pose, x: f64, [height, width]: [f64; 2], angle: f64, square: f64) -> Vector3<f64> {
    let (sin, cos) = angle.sin_cos();
    let corner = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x.signum() * x.abs().powf(square) };
    at.act(&Vector3::new(x, height * corner(cos), width * corner(sin)))
}

/// A whole section with `count` corners, right-handed about −x.
pub(super) fn ring(at: &Pose, x: f64, size: [f64; 2], count: usize, square: f64) -> Vec<Vector3<f64>> {
    (0..count).map(|k| section(at, x, size, -std::f64::consts::TAU * k as f64 / count as f64, square)).collect()
}
