//! What of a body is under water, as upright boxes one behind the other: the outline that it has for the water.

use nalgebra::Vector3;

use super::Footprint;
use crate::Error;
use crate::lie::{Pose, Twist};
use crate::shape::bounds;

/// The part of a rigid body that is under water, cut across its length into boxes.
///
/// Each box is as wide as its slice is at the waterline, and as deep as that slice is on average: so the volume that it displaces is that of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// Direction of its length, body frame.
    along: Vector3<f64>,
    boxes: Vec<Slice>,
}

/// A box of a hull.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slice {
    /// Middle of its underside, body frame, metres.
    keel: Vector3<f64>,
    /// Half its length and half its width, metres.
    half: [f64; 2],
    /// From its underside to its top, metres.
    height: f64,
}

/// Columns of a slice along its length and across, in each of which the depth is found.
const COLUMNS: [usize; 2] = [4, 24];

impl Hull {
    /// A box of this length (along +X), width and height, metres, whose underside's middle is at the height `bottom` in the body frame.
    pub fn cuboid(size: [f64; 3], bottom: f64) -> Hull {
        let [length, width, height] = size;
        let keel = Vector3::new(0.0, bottom, 0.0);
        Hull { along: Vector3::x(), boxes: vec![Slice { keel, half: [0.5 * length, 0.5 * width], height }] }
    }

    /// What of a surface of triangles, body frame, lies below the height `level`, metres. Its length is along X or Z, whichever is longer.
    ///
    /// # Errors
    /// Nothing of it is below that height.
    pub fn below(points: &[Vector3<f64>], faces: &[[u32; 3]], level: f64) -> Result<Hull, Error> {
        let dry = || Error::Empty { what: "what is under water of the body", fix: "put it lower, or raise the water" };
        let (low, high) = bounds(points).ok_or_else(dry)?;
        let size = high - low;
        let axes = if size.x >= size.z { [0, 2] } else { [2, 0] };
        let [length, width] = axes.map(|axis| size[axis]);
        // About half as long as wide: so the bow is a wedge, and few sides lie between boxes.
        let count = (2.0 * length / width.max(1e-9)).round().clamp(3.0, 12.0) as usize;
        let steps = [length / (count * COLUMNS[0]) as f64, width / COLUMNS[1] as f64];
        let columns = Columns { points, faces, level, axes, corner: axes.map(|axis| low[axis]), steps };
        let boxes: Vec<Slice> = (0..count).filter_map(|index| columns.slice(index, high.y)).collect();
        if boxes.is_empty() {
            return Err(dry());
        }
        Ok(Hull { along: Vector3::ith(axes[0], 1.0), boxes })
    }

    /// Volume below the height `level` of the body frame, m³.
    pub fn volume(&self, level: f64) -> f64 {
        let of = |slice: &Slice| 4.0 * slice.half[0] * slice.half[1] * (level - slice.keel.y).clamp(0.0, slice.height);
        self.boxes.iter().map(of).sum()
    }

    /// Its footprints where the body has this pose and this velocity, body frame. Boxes stay upright: a body that leans is taken as one that does not.
    pub fn footprints(&self, pose: &Pose, twist: &Twist) -> Vec<Footprint> {
        let ahead = pose.rotation * self.along;
        let turning = (pose.rotation * twist.angular).y;
        let footprint = |slice: &Slice| {
            let keel = pose.act(&slice.keel);
            let velocity = pose.rotation * twist.velocity_at(&slice.keel);
            Footprint {
                center: [keel.x, keel.z],
                heading: (-ahead.z).atan2(ahead.x),
                half: slice.half,
                bottom: keel.y,
                top: keel.y + slice.height,
                velocity: [velocity.x, velocity.z],
                turning,
            }
        };
        self.boxes.iter().map(footprint).collect()
    }
}

/// Upright columns through a surface, in rows along its length and across.
struct Columns<'a> {
    points: &'a [Vector3<f64>],
    faces: &'a [[u32; 3]],
    level: f64,
    /// Along and across.
    axes: [usize; 2],
    /// Where the columns begin, metres.
    corner: [f64; 2],
    /// From column to column, metres.
    steps: [f64; 2],
}

impl Columns<'_> {
    /// So many columns from the corner, at the height `y`.
    fn place(&self, along: f64, across: f64, y: f64) -> Vector3<f64> {
        let mut place = Vector3::new(0.0, y, 0.0);
        place[self.axes[0]] = self.corner[0] + along * self.steps[0];
        place[self.axes[1]] = self.corner[1] + across * self.steps[1];
        place
    }

    /// The box of one slice, up to the height `top`; none where it is dry.
    fn slice(&self, index: usize, top: f64) -> Option<Slice> {
        let [long, wide] = COLUMNS;
        let (mut sum, mut wet) = (0.0, [wide, 0]);
        for (i, k) in (0..long).flat_map(|i| (0..wide).map(move |k| (index * long + i, k))) {
            let depth =
                self.level - lowest(self.points, self.faces, &self.place(i as f64 + 0.5, k as f64 + 0.5, self.level)).min(self.level);
            if depth > 0.0 {
                (sum, wet) = (sum + depth, [wet[0].min(k), wet[1].max(k + 1)]);
            }
        }
        if sum == 0.0 {
            return None;
        }
        let across = wet[1] - wet[0];
        let draught = sum / (across * long) as f64;
        let keel = self.place((index * long) as f64 + 0.5 * long as f64, 0.5 * (wet[0] + wet[1]) as f64, self.level - draught);
        let half = [0.5 * long as f64 * self.steps[0], 0.5 * across as f64 * self.steps[1]];
        Some(Slice { keel, half, height: (top - keel.y).max(draught) })
    }
}

/// Height of the lowest triangle over or under a place, metres; infinite where there is none.
fn lowest(points: &[Vector3<f64>], faces: &[[u32; 3]], place: &Vector3<f64>) -> f64 {
    let height = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|vertex| points[vertex as usize] - place);
        let area = |p: &Vector3<f64>, q: &Vector3<f64>| p.x * q.z - p.z * q.x;
        let shares = [area(&b, &c), area(&c, &a), area(&a, &b)];
        let whole: f64 = shares.iter().sum();
        let inside = whole != 0.0 && shares.iter().all(|share| share * whole >= 0.0);
        inside.then(|| place.y + (shares[0] * a.y + shares[1] * b.y + shares[2] * c.y) / whole)
    };
    faces.iter().filter_map(height).fold(f64::INFINITY, f64::min)
}
