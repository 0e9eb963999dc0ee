//! What stands still around a motion: obstacles, land, goals. It is seen in results; what it does to bodies is for the system to say.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use crate::Error;
use crate::lie::Pose;

/// A thing that stands still, as triangles in world coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenery {
    /// Its name.
    pub name: String,
    /// What it is; decides its colour.
    pub kind: SceneryKind,
    /// Corners, metres, world.
    pub points: Vec<Vector3<f64>>,
    /// Corners of each triangle, counter-clockwise seen from outside (of ground: from above).
    pub faces: Vec<[u32; 3]>,
}

/// What a piece of scenery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneryKind {
    /// Something to keep clear of.
    Obstacle,
    /// Land, ramps, docks: what bodies go on or over.
    Ground,
    /// Where the motion should end; it is drawn so that what is behind and in it can be seen.
    Goal,
}

impl SceneryKind {
    /// All kinds.
    pub const ALL: [SceneryKind; 3] = [SceneryKind::Obstacle, SceneryKind::Ground, SceneryKind::Goal];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            SceneryKind::Obstacle => "obstacle",
            SceneryKind::Ground => "ground",
            SceneryKind::Goal => "goal",
        }
    }
}

/// Sides of what is round.
const SIDES: usize = 20;
/// Bands of a ball from pole to pole: it has 2 · 20 · (9 − 1) = 320 faces.
const BANDS: usize = 9;

impl Scenery {
    /// A piece of these triangles.
    ///
    /// # Errors
    /// No triangles, a corner that is not there, or a number that is not finite.
    pub fn mesh(name: &str, kind: SceneryKind, points: Vec<Vector3<f64>>, faces: Vec<[u32; 3]>) -> Result<Scenery, Error> {
        let scenery = Scenery { name: name.into(), kind, points, faces };
        scenery.validate()?;
        Ok(scenery)
    }

    /// A ball; the radius is in metres.
    pub fn sphere(name: &str, kind: SceneryKind, center: &Vector3<f64>, radius: f64) -> Scenery {
        let profile: Vec<[f64; 2]> = (0..=BANDS)
            .map(|k| {
                let (sin, cos) = (PI * k as f64 / BANDS as f64).sin_cos();
                [-radius * cos, radius * sin]
            })
            .collect();
        turned(name, kind, center, &Vector3::y(), &profile)
    }

    /// A box about the origin of `pose`, with these sides along its axes, metres.
    pub fn box_(name: &str, kind: SceneryKind, pose: &Pose, sides: &Vector3<f64>) -> Scenery {
        let sign = |bit: usize| if bit == 0 { -0.5 } else { 0.5 };
        let corner = |i: usize| pose.act(&Vector3::new(sign(i & 1), sign(i & 2), sign(i & 4)).component_mul(sides));
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Scenery { name: name.into(), kind, points: (0..8).map(corner).collect(), faces }
    }

    /// A cylinder from the first end to the second, closed; metres.
    pub fn cylinder(name: &str, kind: SceneryKind, ends: &[Vector3<f64>; 2], radius: f64) -> Scenery {
        let along = ends[1] - ends[0];
        let length = along.norm();
        turned(name, kind, &ends[0], &along, &[[0.0, 0.0], [0.0, radius], [length, radius], [length, 0.0]])
    }

    /// Land over the rectangle between two corners (x, z): `height` at `counts` places along x and z (2 or more), metres.
    ///
    /// ```
    /// use holonomy::medium::ground::Hills;
    /// use holonomy::motion::Scenery;
    ///
    /// let land = Hills::default().field()?;
    /// let seen = Scenery::height_field("hills", [[-5.0, -5.0], [5.0, 5.0]], [101, 101], |x, z| land.height(x, z));
    /// # assert_eq!(seen.faces.len(), 20_000);
    /// # Ok::<(), holonomy::Error>(())
    /// ```
    pub fn height_field(name: &str, corners: [[f64; 2]; 2], counts: [usize; 2], height: impl Fn(f64, f64) -> f64) -> Scenery {
        let [columns, rows] = counts.map(|count| count.max(2));
        let place = |axis: usize, k: usize, count: usize| {
            let [from, to] = [corners[0][axis], corners[1][axis]];
            from + (to - from) * k as f64 / (count - 1) as f64
        };
        let point = |i: usize| {
            let (x, z) = (place(0, i % columns, columns), place(1, i / columns, rows));
            Vector3::new(x, height(x, z), z)
        };
        let faces = (0..(rows - 1) * (columns - 1)).flat_map(|cell| {
            let (row, column) = (cell / (columns - 1), cell % (columns - 1));
            let first = row * columns + column;
            let [a, b, c, d] = [first, first + columns, first + columns + 1, first + 1].map(|v| v as u32);
            // The diagonal changes from cell to cell, so that slopes show no grain.
            if (row + column).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        });
        let faces = faces.collect();
        Scenery { name: name.into(), kind: SceneryKind::Ground, points: (0..rows * columns).map(point).collect(), faces }
    }

    /// Checks the triangles.
    ///
    /// # Errors
    /// No triangles, a corner that is not there, or a number that is not finite.
    pub fn validate(&self) -> Result<(), Error> {
        if self.faces.is_empty() {
            return Err(Error::Empty { what: "the triangles of a piece of scenery", fix: "give it at least one" });
        }
        let count = self.points.len();
        if let Some(&v) = self.faces.iter().flatten().find(|&&v| v as usize >= count) {
            return Error::unless(false, "corner of a triangle of scenery", f64::from(v), "less than the number of points");
        }
        let bad = self.points.iter().flat_map(|p| p.iter()).find(|x| !x.is_finite());
        bad.map_or(Ok(()), |&x| Error::unless(false, "coordinate of scenery", x, "a finite number of metres"))
    }

    /// Whether every coordinate is finite.
    pub fn is_finite(&self) -> bool {
        self.points.iter().all(|p| p.iter().all(|x| x.is_finite()))
    }
}

/// A surface turned about an axis, from its foot on: (along the axis, away from it) at each station, the first and the last on the axis.
fn turned(name: &str, kind: SceneryKind, foot: &Vector3<f64>, axis: &Vector3<f64>, profile: &[[f64; 2]]) -> Scenery {
    let axis = axis.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::y);
    let helper = if axis.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
    let side = axis.cross(&helper).normalize();
    let other = axis.cross(&side);
    let last = profile.len() - 1;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    let corner = |ring: usize, k: usize| match ring {
        0 => 0,
        ring if ring == last => (1 + (last - 1) * SIDES) as u32,
        ring => (1 + (ring - 1) * SIDES + k % SIDES) as u32,
    };
    for (ring, &[along, away]) in profile.iter().enumerate() {
        let poles = ring == 0 || ring == last;
        for k in 0..if poles { 1 } else { SIDES } {
            let (sin, cos) = (TAU * k as f64 / SIDES as f64).sin_cos();
            let away = if poles { 0.0 } else { away };
            points.push(foot + axis * along + (side * cos + other * sin) * away);
        }
        for k in (0..SIDES).filter(|_| ring > 0) {
            let [a, b, c, d] = [corner(ring - 1, k), corner(ring - 1, k + 1), corner(ring, k + 1), corner(ring, k)];
            if ring > 1 {
                faces.push([a, b, c]);
            }
            if ring < last {
                faces.push([a, c, d]);
            }
        }
    }
    Scenery { name: name.into(), kind, points, faces }
}
