//! Purcell's scallop: two stiff arms and one hinge. Whatever it does, it does backwards again, and so gets nowhere where friction rules.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector3;

use super::gait;
use crate::Error;
use crate::shape::{Clip, Topology};

/// Two arms hinged at the front, opening and closing on the plane y = 0, as one loop. The hinge points along +Z, the arms behind it.
///
/// The second half of the loop shows the frames of the first half, bit for bit, in reverse: the stroke is exactly reciprocal (Purcell
/// 1977).
#[derive(Debug, Clone, PartialEq)]
pub struct Scallop {
    /// Length of each arm, left (+X) and right, metres.
    pub arms: [f64; 2],
    /// Vertices on each arm, the hinge not counted.
    pub vertices: usize,
    /// Angle of each arm to −Z when closed, radians.
    pub closed: f64,
    /// Angle of each arm to −Z when open, radians.
    pub open: f64,
    /// Seconds to open and close.
    pub period: f64,
}

impl Default for Scallop {
    fn default() -> Self {
        Scallop { arms: [0.5, 0.5], vertices: 12, closed: 10_f64.to_radians(), open: 75_f64.to_radians(), period: 1.0 }
    }
}

impl Scallop {
    /// The gait, sampled at about `fps` frames per second, an even number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        let vertices = self.vertices.saturating_mul(2).saturating_add(1);
        reciprocal(Topology::Curve { closed: false }, vertices, [self.period, fps, 0.5], |out| {
            self.shape(self.closed + (self.open - self.closed) * out)
        })
    }

    fn shape(&self, angle: f64) -> Vec<Vector3<f64>> {
        let arm = |side: f64, length: f64, i: usize| {
            Vector3::new(side * angle.sin(), 0.0, -angle.cos()) * (length * i as f64 / self.vertices as f64)
        };
        let [left, right] = self.arms;
        gait::centred(
            (0..=self.vertices).rev().map(|i| arm(1.0, left, i)).chain((1..=self.vertices).map(|i| arm(-1.0, right, i))).collect(),
        )
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("left arm", self.arms[0])?;
        gait::positive("right arm", self.arms[1])?;
        gait::finite("closed", self.closed)?;
        gait::finite("open", self.open)?;
        Error::unless(self.vertices >= 1, "vertices", self.vertices as f64, "at least 1 on each arm")
    }
}

/// A scallop with two ribbed shells, as a surface that is closed along the hinge and open at the rim. The hinge lies along X and is in
/// front, at +Z; the shells swing up and down behind it.
///
/// Whatever the timing, it closes through the same shapes as it opened. If `closing` is a half, the second half of the loop shows the
/// frames of the first half, bit for bit, in reverse.
#[derive(Debug, Clone, PartialEq)]
pub struct Shells {
    /// From the hinge to the rim, metres.
    pub length: f64,
    /// Rows of vertices from the hinge to the rim.
    pub rows: usize,
    /// Ribs on each shell.
    pub ribs: usize,
    /// Angle of each shell to −Z when closed, radians.
    pub closed: f64,
    /// Angle of each shell to −Z when open, radians.
    pub open: f64,
    /// Share of the period in which it closes; it opens in the rest.
    pub closing: f64,
    /// Seconds to open and close.
    pub period: f64,
}

impl Default for Shells {
    fn default() -> Self {
        Shells { length: 0.08, rows: 10, ribs: 11, closed: 2_f64.to_radians(), open: 40_f64.to_radians(), closing: 0.5, period: 1.0 }
    }
}

/// Columns of vertices on each rib.
const COLUMNS: usize = 6;

impl Shells {
    /// The gait, sampled at about `fps` frames per second, an even number of them per period.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        self.validate()?;
        reciprocal(Topology::Surface { faces: self.faces() }, self.vertices(), [self.period, fps, self.closing], |out| {
            self.shape(self.closed + (self.open - self.closed) * out)
        })
    }

    /// Vertices of the surface.
    pub fn vertices(&self) -> usize {
        self.hinge_vertices().saturating_add(self.columns().saturating_sub(2).saturating_mul(self.rows).saturating_mul(2))
    }

    fn columns(&self) -> usize {
        self.ribs.saturating_mul(COLUMNS).saturating_add(1)
    }

    /// Both shells share the middle of the hinge and its two sides, the outermost columns.
    fn hinge_vertices(&self) -> usize {
        self.rows.saturating_mul(2).saturating_add(1)
    }

    /// The number of the vertex at `row` (0 the middle of the hinge) and `column` of the upper (0) or lower (1) shell.
    fn at(&self, shell: usize, row: usize, column: usize) -> u32 {
        let last = self.columns() - 1;
        let number = match (row, column) {
            (0, _) => 0,
            (row, 0) => row,
            (row, column) if column == last => self.rows + row,
            (row, column) => self.hinge_vertices() + (shell * self.rows + row - 1) * (last - 1) + column - 1,
        };
        number as u32
    }

    fn faces(&self) -> Vec<[u32; 3]> {
        let mut faces = Vec::new();
        for (shell, row, column) in (0..2).flat_map(|s| (0..self.rows).flat_map(move |r| (1..self.columns()).map(move |c| (s, r, c)))) {
            let [a, b] = [column - 1, column].map(|c| self.at(shell, row, c));
            let [c, d] = [column - 1, column].map(|c| self.at(shell, row + 1, c));
            let pair = match (row, 2 * column < self.columns()) {
                (0, _) => vec![[a, d, c]],
                // The left half mirrors the right one.
                (_, true) => vec![[a, b, c], [b, d, c]],
                (_, false) => vec![[a, b, d], [a, d, c]],
            };
            // Both shells face outwards.
            faces.extend(pair.into_iter().map(|[a, b, c]| if shell == 0 { [a, b, c] } else { [a, c, b] }));
        }
        faces
    }

    fn shape(&self, angle: f64) -> Vec<Vector3<f64>> {
        let mut points = vec![Vector3::zeros(); self.vertices()];
        for shell in 0..2 {
            let side = 1.0 - 2.0 * shell as f64;
            for (row, column) in (1..=self.rows).flat_map(|r| (0..self.columns()).map(move |c| (r, c))) {
                let [x, back, bulge] = self.on_shell(row as f64 / self.rows as f64, column);
                let up = side * (back * angle.sin() + bulge * angle.cos());
                points[self.at(shell, row, column) as usize] = Vector3::new(x, up, bulge * angle.sin() - back * angle.cos());
            }
        }
        gait::centred(points)
    }

    /// Across, backwards and outwards, metres: the point of a shell at the fraction `out` of the way from the hinge to its rim.
    fn on_shell(&self, out: f64, column: usize) -> [f64; 3] {
        let turn = FRAC_PI_2 * (2.0 * column as f64 / (self.columns() - 1) as f64 - 1.0);
        let (sin, cos) = if column == 0 || column + 1 == self.columns() { (turn.signum(), 0.0) } else { turn.sin_cos() };
        // Two ears along the hinge, then a round fan.
        let fan = gait::smooth((FRAC_PI_2 - turn.abs()) / 0.9);
        let rib = (2.0 * self.ribs as f64 * turn).cos() * fan;
        let reach = self.length * (0.26 + 0.74 * fan) * (1.0 + 0.012 * rib);
        let dome = 0.75 * out * (1.0 - out) + 0.03 * out * rib;
        [reach * out * sin, reach * out * cos, self.length * dome * fan]
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        for (name, angle) in [("closed", self.closed), ("open", self.open)] {
            Error::unless((0.0..=FRAC_PI_2).contains(&angle), name, angle, "between 0 and 90 degrees, in radians")?;
        }
        gait::below("closing", self.closing, 1.0, "between 0 and 1: a share of the period")?;
        Error::unless((2..=1000).contains(&self.rows), "rows", self.rows as f64, "from 2 to 1000")?;
        Error::unless((1..=1000).contains(&self.ribs), "ribs", self.ribs as f64, "from 1 to 1000")
    }
}

/// A loop out and back through the same shapes, back in the share `closing` of the period; `shape` is told how far out it is, 0 to 1.
/// If that share is a half, the frames of the second half are those of the first, bit for bit, in reverse.
fn reciprocal(
    topology: Topology,
    vertices: usize,
    [period, fps, closing]: [f64; 3],
    shape: impl Fn(f64) -> Vec<Vector3<f64>>,
) -> Result<Clip, Error> {
    let frames = gait::cycle_frames(period, fps, vertices)?.next_multiple_of(2);
    let opening = ((1.0 - closing) * frames as f64).round().clamp(1.0, frames as f64 - 1.0) as usize;
    gait::cycle(topology, vertices, [period, frames as f64 / period], |phase| {
        // The phase of a frame and of its mirror image may differ by round-off: count frames instead.
        let k = (phase * frames as f64).round() as usize;
        let way = if k <= opening { k as f64 / opening as f64 } else { (frames - k) as f64 / (frames - opening) as f64 };
        shape(0.5 * (1.0 - (PI * way).cos()))
    })
}
