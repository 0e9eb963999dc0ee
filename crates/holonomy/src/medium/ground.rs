//! What bodies lie on: a flat floor, or hills.

use nalgebra::Vector3;

use crate::Error;
use crate::random::Random;

/// A horizontal floor, without friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Its height, metres above the world's origin.
    pub height: f64,
}

impl Floor {
    /// Checks the height.
    ///
    /// # Errors
    /// It is not finite.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless(self.height.is_finite(), "floor height", self.height, "a finite number of metres")
    }
}

/// What bodies lie on. All that is below it is solid.
#[derive(Debug, Clone, PartialEq)]
pub enum Ground {
    /// A horizontal plane.
    Flat {
        /// Its height, metres above the world's origin.
        height: f64,
    },
    /// Hills.
    HeightField(HeightField),
}

impl Ground {
    /// Checks the numbers.
    ///
    /// # Errors
    /// A height is not finite.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Ground::Flat { height } => Floor { height: *height }.validate(),
            // Checked as it was made.
            Ground::HeightField(_) => Ok(()),
        }
    }

    /// How far `place` is above the ground, metres along the normal, to first order; and the unit normal there, which points up and out.
    pub fn gap(&self, place: &Vector3<f64>) -> (f64, Vector3<f64>) {
        match self {
            Ground::Flat { height } => (place.y - height, Vector3::y()),
            Ground::HeightField(field) => {
                let (height, along_x, along_z) = field.sample(place.x, place.z);
                let normal = Vector3::new(-along_x, 1.0, -along_z).normalize();
                ((place.y - height) * normal.y, normal)
            }
        }
    }

    /// No point of the ground is higher than this, metres.
    pub fn highest(&self) -> f64 {
        match self {
            Ground::Flat { height } => *height,
            Ground::HeightField(field) => field.highest,
        }
    }
}

/// Hills as heights on a grid in the plane of x and z: their quadratic B-spline, whose slope is continuous.
///
/// The spline rounds off what is smaller than a cell, keeps planes, and never leaves the range of the heights. Outside of the grid it goes on
/// level.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    origin: [f64; 2],
    spacing: f64,
    counts: [usize; 2],
    heights: Vec<f64>,
    highest: f64,
}

/// Land at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relief {
    /// Metres.
    pub height: f64,
    /// Slope along x and z.
    pub slope: [f64; 2],
    /// Second derivatives along xx, xz and zz, 1/m.
    pub bend: [f64; 3],
}

impl Relief {
    /// The unit normal, which points up.
    pub fn normal(&self) -> Vector3<f64> {
        self.upright().normalize()
    }

    /// Across the land, with 1 upwards.
    pub fn upright(&self) -> Vector3<f64> {
        Vector3::new(-self.slope[0], 1.0, -self.slope[1])
    }

    /// How the unit normal changes along a way (only its x and z count), per metre of it.
    pub fn normal_rate(&self, way: &Vector3<f64>) -> Vector3<f64> {
        let [xx, xz, zz] = self.bend;
        let (upright, change) = (self.upright(), Vector3::new(-xx * way.x - xz * way.z, 0.0, -xz * way.x - zz * way.z));
        let length = upright.norm();
        let normal = upright / length;
        (change - normal * normal.dot(&change)) / length
    }
}

/// Round hills in random places.
#[derive(Debug, Clone, PartialEq)]
pub struct Hills {
    /// Sides of the land along x and z, centred at the origin, metres.
    pub size: [f64; 2],
    /// Distance between heights, metres.
    pub spacing: f64,
    /// How many hills.
    pub count: usize,
    /// Height of the highest, metres; the others have random shares of it. Where they overlap they add up.
    pub height: f64,
    /// Distance from a top to where the hill has e^(−½) of its height, metres: there it is steepest.
    pub width: f64,
    /// Which land it is.
    pub seed: u64,
}

impl Default for Hills {
    fn default() -> Self {
        Hills { size: [10.0, 10.0], spacing: 0.1, count: 20, height: 0.5, width: 0.8, seed: 1 }
    }
}

/// More heights than this are refused: they would not fit into memory.
const MOST_HEIGHTS: usize = 1 << 26;

impl HeightField {
    /// From heights, metres: `counts` of them along x and along z, x running faster, `spacing` metres apart, the first above `origin` (x, z).
    ///
    /// # Errors
    /// A number that is not finite, a spacing that is not positive, fewer than 2 heights along a side, or a list of another length.
    pub fn new(origin: [f64; 2], spacing: f64, counts: [usize; 2], heights: Vec<f64>) -> Result<HeightField, Error> {
        origin.iter().try_for_each(|&x| Error::unless(x.is_finite(), "origin of a height field", x, "a finite number of metres"))?;
        Error::unless(spacing.is_finite() && spacing > 0.0, "spacing of a height field", spacing, "greater than 0 metres")?;
        for count in counts {
            Error::unless(count >= 2, "count of heights along a side", count as f64, "2 or more")?;
        }
        let expected = counts[0].saturating_mul(counts[1]);
        Error::unless(expected <= MOST_HEIGHTS, "count of heights", expected as f64, "67 million or fewer: take a larger spacing")?;
        if heights.len() != expected {
            return Err(Error::Length { what: "heights of a height field", expected, found: heights.len() });
        }
        heights.iter().try_for_each(|&y| Error::unless(y.is_finite(), "height of the ground", y, "a finite number of metres"))?;
        let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(HeightField { origin, spacing, counts, heights, highest })
    }

    /// From a function of x and z, sampled over a rectangle of `size` metres centred at the origin.
    ///
    /// # Errors
    /// As [`new`](HeightField::new).
    pub fn from_fn(size: [f64; 2], spacing: f64, height: impl Fn(f64, f64) -> f64) -> Result<HeightField, Error> {
        Error::unless(spacing.is_finite() && spacing > 0.0, "spacing of a height field", spacing, "greater than 0 metres")?;
        for side in size {
            Error::unless(side.is_finite() && side > 0.0, "size of a height field", side, "greater than 0 metres")?;
        }
        // A share of a cell too much is round-off of the division.
        let counts = size.map(|side| (side / spacing - 1e-9).ceil().max(1.0) as usize + 1);
        let expected = counts[0].saturating_mul(counts[1]);
        Error::unless(expected <= MOST_HEIGHTS, "count of heights", expected as f64, "67 million or fewer: take a larger spacing")?;
        let origin = counts.map(|count| -0.5 * (count - 1) as f64 * spacing);
        let heights = (0..expected)
            .map(|k| height(origin[0] + (k % counts[0]) as f64 * spacing, origin[1] + (k / counts[0]) as f64 * spacing))
            .collect();
        HeightField::new(origin, spacing, counts, heights)
    }

    /// Height at a place, metres.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.sample(x, z).0
    }

    /// Height, slope and bend at a place, of the cubic B-spline of the same heights: its bend is continuous, as derivatives of a body that lies on the land
    /// ask for. It rounds off a little more than [`height`](HeightField::height), by 1/24 of the bend times the spacing squared, and keeps planes too.
    pub fn relief(&self, x: f64, z: f64) -> Relief {
        let across = CubicTaps::new((x - self.origin[0]) / self.spacing, self.counts[0]);
        let along = CubicTaps::new((z - self.origin[1]) / self.spacing, self.counts[1]);
        let (mut height, mut slope, mut bend) = (0.0, [0.0; 2], [0.0; 3]);
        for k in 0..4 {
            let row = along.nodes[k] * self.counts[0];
            let (mut value, mut first, mut second) = (0.0, 0.0, 0.0);
            for i in 0..4 {
                let node = self.heights[row + across.nodes[i]];
                value += across.weights[i] * node;
                first += across.slopes[i] * node;
                second += across.bends[i] * node;
            }
            height += along.weights[k] * value;
            slope[0] += along.weights[k] * first;
            slope[1] += along.slopes[k] * value;
            bend[0] += along.weights[k] * second;
            bend[1] += along.slopes[k] * first;
            bend[2] += along.bends[k] * value;
        }
        let cell = self.spacing;
        Relief { height, slope: slope.map(|slope| slope / cell), bend: bend.map(|bend| bend / (cell * cell)) }
    }

    /// Two corners (x, z) of the rectangle that has heights, metres. Outside it goes on level.
    pub fn corners(&self) -> [[f64; 2]; 2] {
        let far = |axis: usize| self.origin[axis] + (self.counts[axis] - 1) as f64 * self.spacing;
        [self.origin, [far(0), far(1)]]
    }

    /// Height, and slope along x and z.
    fn sample(&self, x: f64, z: f64) -> (f64, f64, f64) {
        let across = Taps::new((x - self.origin[0]) / self.spacing, self.counts[0]);
        let along = Taps::new((z - self.origin[1]) / self.spacing, self.counts[1]);
        let (mut height, mut along_x, mut along_z) = (0.0, 0.0, 0.0);
        for k in 0..3 {
            let row = along.nodes[k] * self.counts[0];
            let (mut value, mut slope) = (0.0, 0.0);
            for i in 0..3 {
                let node = self.heights[row + across.nodes[i]];
                value += across.weights[i] * node;
                slope += across.slopes[i] * node;
            }
            height += along.weights[k] * value;
            along_x += along.weights[k] * slope;
            along_z += along.slopes[k] * value;
        }
        (height, along_x / self.spacing, along_z / self.spacing)
    }
}

impl Hills {
    /// The land: a sum of Gaussians.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn field(&self) -> Result<HeightField, Error> {
        Error::unless(self.height.is_finite(), "height of the hills", self.height, "a finite number of metres")?;
        Error::unless(self.width.is_finite() && self.width > 0.0, "width of the hills", self.width, "greater than 0 metres")?;
        Error::unless(self.count <= 10_000, "count of hills", self.count as f64, "10000 or fewer")?;
        let mut random = Random(self.seed);
        let tops: Vec<[f64; 3]> = (0..self.count)
            .map(|i| {
                let place = self.size.map(|side| side * (random.unit() - 0.5));
                // The first is the highest.
                let share = if i == 0 { 1.0 } else { 0.3 + 0.7 * random.unit() };
                [place[0], place[1], share * self.height]
            })
            .collect();
        HeightField::from_fn(self.size, self.spacing, |x, z| {
            let hill = |top: &[f64; 3]| {
                let away = ((x - top[0]).powi(2) + (z - top[1]).powi(2)) / (self.width * self.width);
                top[2] * (-0.5 * away).exp()
            };
            tops.iter().map(hill).sum()
        })
    }
}

/// Three nodes along one side, and how the quadratic B-spline and its slope weigh them.
struct Taps {
    nodes: [usize; 3],
    weights: [f64; 3],
    slopes: [f64; 3],
}

impl Taps {
    /// At a place, in cells from the first of `count` nodes.
    fn new(cells: f64, count: usize) -> Taps {
        // Two cells outside all is level already.
        let cells = cells.clamp(-2.0, count as f64 + 1.0);
        let nearest = cells.round();
        let f = cells - nearest;
        let node = |step: f64| (nearest + step).clamp(0.0, (count - 1) as f64) as usize;
        Taps {
            nodes: [node(-1.0), node(0.0), node(1.0)],
            weights: [0.5 * (0.5 - f).powi(2), 0.75 - f * f, 0.5 * (0.5 + f).powi(2)],
            slopes: [f - 0.5, -2.0 * f, f + 0.5],
        }
    }
}

/// Four nodes along one side, and how the cubic B-spline, its slope and its bend weigh them.
struct CubicTaps {
    nodes: [usize; 4],
    weights: [f64; 4],
    slopes: [f64; 4],
    bends: [f64; 4],
}

impl CubicTaps {
    /// At a place, in cells from the first of `count` nodes.
    fn new(cells: f64, count: usize) -> CubicTaps {
        // Two cells outside all is level already.
        let cells = cells.clamp(-2.0, count as f64 + 1.0);
        let before = cells.floor();
        let f = cells - before;
        let rest = 1.0 - f;
        let node = |step: f64| (before + step).clamp(0.0, (count - 1) as f64) as usize;
        CubicTaps {
            nodes: [node(-1.0), node(0.0), node(1.0), node(2.0)],
            weights: [
                rest.powi(3) / 6.0,
                (3.0 * f.powi(3) - 6.0 * f * f + 4.0) / 6.0,
                (3.0 * rest.powi(3) - 6.0 * rest * rest + 4.0) / 6.0,
                f.powi(3) / 6.0,
            ],
            slopes: [-0.5 * rest * rest, 0.5 * (3.0 * f * f - 4.0 * f), -0.5 * (3.0 * rest * rest - 4.0 * rest), 0.5 * f * f],
            bends: [rest, 3.0 * f - 2.0, 3.0 * rest - 2.0, f],
        }
    }
}
