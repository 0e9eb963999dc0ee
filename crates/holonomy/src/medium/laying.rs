//! Curves laid out on land as a rope is: lengths stay, and so do the bends to the side. Bends up and down are what the land makes of them.
//!
//! The curve is given in the level plane. From one of its vertices, where a [`Stance`] says how it lies, edge follows edge:
//!
//! | here | meaning |
//! |---|---|
//! | p, n | a vertex's foot on the land, and the normal there |
//! | a, s = a × n | images of the level plane's +X and +Z: unit, along the land |
//! | d = (x a + z s)/ℓ | the direction of the level edge (x, z) of length ℓ |
//! | p′ = p + ℓ (cos φ d + sin φ n) | the next foot; φ is such that it lies on the land |
//! | a′ | a, turned as the normal turns from n to n′ and no more (parallel transport) |
//!
//! On a plane, however it slopes, this is a rigid placement. On land that bends one way only it is that of a sheet of paper with the curve drawn on it.
//! A vertex that is above the level plane stands as high above its foot, along the normal.

use nalgebra::{Matrix3, Vector3};

use super::ground::{HeightField, Relief};

/// How a level shape lies on land: where one of its points is, and how the shape is turned there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stance {
    /// On the land, metres.
    pub point: Vector3<f64>,
    /// Normal of the land, unit, upwards.
    pub normal: Vector3<f64>,
    /// Where the shape's +X points: unit, along the land.
    pub ahead: Vector3<f64>,
}

impl Stance {
    /// Above `x` and `z` metres, with the shape's +X along the direction which is that of the world's +X seen from above.
    pub fn new(land: &HeightField, x: f64, z: f64) -> Stance {
        let relief = land.relief(x, z);
        let ahead = Vector3::new(1.0, relief.slope[0], 0.0).normalize();
        Stance { point: Vector3::new(x, relief.height, z), normal: relief.normal(), ahead }
    }

    /// Where the shape's +Z points: unit, along the land.
    pub fn side(&self) -> Vector3<f64> {
        self.ahead.cross(&self.normal)
    }

    /// Moved along the land by (turn about the normal, radians; shift along +X and +Z of the shape, metres).
    pub fn moved(&self, land: &HeightField, step: &Vector3<f64>) -> Stance {
        let way = self.ahead * step.y + self.side() * step.z;
        let (x, z) = (self.point.x + way.x, self.point.z + way.z);
        let relief = land.relief(x, z);
        let normal = relief.normal();
        let ahead = carried(&self.normal, &normal, &self.ahead);
        let (sin, cos) = step.x.sin_cos();
        Stance { point: Vector3::new(x, relief.height, z), normal, ahead: (ahead * cos + normal.cross(&ahead) * sin).normalize() }
    }

    /// The motions of this stance (turn, shift along +X and +Z of the shape) as motions of another one nearby, row by row: seen in a plane between both.
    pub fn seen_from(&self, other: &Stance) -> Matrix3<f64> {
        let normal = (self.normal + other.normal).normalize();
        let axes = |stance: &Stance| {
            let ahead = carried(&stance.normal, &normal, &stance.ahead);
            [ahead, ahead.cross(&normal)]
        };
        let (mine, theirs) = (axes(self), axes(other));
        // A turn about my place is a turn about the other's, and a shift.
        let swing = normal.cross(&(other.point - self.point));
        let seen = |way: &Vector3<f64>| [theirs[0].dot(way), theirs[1].dot(way)];
        let ([a, b], [c, d], [e, f]) = (seen(&swing), seen(&mine[0]), seen(&mine[1]));
        Matrix3::new(1.0, a, b, 0.0, c, d, 0.0, e, f)
    }

    /// The turn of the shape about the vertical, seen from above, radians.
    pub fn heading(&self) -> f64 {
        (-self.ahead.z).atan2(self.ahead.x)
    }
}

/// A curve on land.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Laid {
    /// Its vertices, metres.
    pub points: Vec<Vector3<f64>>,
    /// How each vertex moves as its stance does: per radian of turn, and per metre along +X and +Z of the shape.
    pub rates: Vec<[Vector3<f64>; 3]>,
    /// Largest turn of the land's normal along an edge, radians.
    pub bend: f64,
}

impl Laid {
    /// Lays out an open curve. Its vertices are given in metres as (x, height above the land, z); number `held` stands at `stance`.
    ///
    /// `None` if the land is too steep or too sharp for an edge to reach it.
    pub fn new(land: &HeightField, curve: &[Vector3<f64>], held: usize, stance: &Stance) -> Option<Laid> {
        let first = Station::new(land, stance);
        let mut laid = Laid { points: vec![Vector3::zeros(); curve.len()], rates: vec![[Vector3::zeros(); 3]; curve.len()], bend: 0.0 };
        laid.put(held, curve[held].y, &first);
        let onwards: Vec<usize> = (held + 1..curve.len()).collect();
        let back: Vec<usize> = (0..held).rev().collect();
        for order in [onwards, back] {
            let (mut station, mut from) = (first, held);
            for to in order {
                let next = station.after(land, &(curve[to] - curve[from]))?;
                laid.bend = laid.bend.max(station.at.normal.angle(&next.at.normal));
                laid.put(to, curve[to].y, &next);
                (station, from) = (next, to);
            }
        }
        Some(laid)
    }

    fn put(&mut self, vertex: usize, height: f64, station: &Station) {
        self.points[vertex] = station.at.point + station.at.normal * height;
        self.rates[vertex] = station.rates.map(|rate| rate.point + rate.normal * height);
    }
}

/// A stance along the curve, and how it changes with that of the vertex which is held.
#[derive(Clone, Copy)]
struct Station {
    at: Stance,
    rates: [Stance; 3],
}

/// Share of an edge's length by which it may miss the land once it gets no nearer.
const ROUNDING: f64 = 1e-10;

/// Newton's steps for φ after which the land is out of reach.
const MOST_STEPS: usize = 40;

impl Station {
    fn new(land: &HeightField, stance: &Stance) -> Station {
        let relief = land.relief(stance.point.x, stance.point.z);
        let none = Vector3::zeros();
        let shift = |way: Vector3<f64>| {
            let normal = relief.normal_rate(&way);
            Stance { point: way, normal, ahead: stance.normal * -normal.dot(&stance.ahead) }
        };
        let turn = Stance { point: none, normal: none, ahead: stance.normal.cross(&stance.ahead) };
        Station { at: *stance, rates: [turn, shift(stance.ahead), shift(stance.side())] }
    }

    /// At the other end of a level edge.
    fn after(&self, land: &HeightField, edge: &Vector3<f64>) -> Option<Station> {
        let Stance { point, normal, ahead } = self.at;
        let length = edge.x.hypot(edge.z);
        if length == 0.0 {
            return Some(*self);
        }
        let (x, z) = (edge.x / length, edge.z / length);
        let way = ahead * x + self.at.side() * z;
        let (slant, relief) = reach(land, &point, &(way * length), &(normal * length))?;
        let (sin, cos) = slant.sin_cos();
        let next = point + (way * cos + normal * sin) * length;
        let next_normal = relief.normal();
        let at = Stance { point: next, normal: next_normal, ahead: carried(&normal, &next_normal, &ahead) };
        let (rise, upright) = (normal * cos - way * sin, relief.upright());
        let rates = self.rates.map(|rate| {
            let side = rate.ahead.cross(&normal) + ahead.cross(&rate.normal);
            let stiff = rate.point + ((rate.ahead * x + side * z) * cos + rate.normal * sin) * length;
            let moved = stiff - rise * (upright.dot(&stiff) / upright.dot(&rise));
            let turned = relief.normal_rate(&moved);
            Stance { point: moved, normal: turned, ahead: carried_rate(&self.at, rate, &next_normal, &turned) }
        });
        Some(Station { at, rates })
    }
}

/// The angle φ at which an edge from `point` ends on the land, and the land there; `way` and `up` are as long as the edge.
fn reach(land: &HeightField, point: &Vector3<f64>, way: &Vector3<f64>, up: &Vector3<f64>) -> Option<(f64, Relief)> {
    let (mut slant, mut last) = (0.0_f64, f64::INFINITY);
    for _ in 0..MOST_STEPS {
        let (sin, cos) = slant.sin_cos();
        let end = point + way * cos + up * sin;
        let relief = land.relief(end.x, end.z);
        let gap = end.y - relief.height;
        let rise = relief.upright().dot(&(up * cos - way * sin));
        // As near as rounding lets it come, which is that of the land's heights.
        if gap == 0.0 || (gap.abs() >= last && gap.abs() <= ROUNDING * way.norm()) {
            return Some((slant, relief));
        }
        last = gap.abs();
        slant -= gap / rise;
        if slant.is_nan() || slant.abs() >= 1.5 {
            return None;
        }
    }
    None
}

/// `along`, a vector across `from`, turned as the unit vector `from` is to become `to`, the shortest way.
fn carried(from: &Vector3<f64>, to: &Vector3<f64>, along: &Vector3<f64>) -> Vector3<f64> {
    along - (from + to) * (to.dot(along) / (1.0 + from.dot(to)))
}

/// How [`carried`] changes, for the direction of `at`.
fn carried_rate(at: &Stance, rate: Stance, to: &Vector3<f64>, to_rate: &Vector3<f64>) -> Vector3<f64> {
    let (over, under) = (to.dot(&at.ahead), 1.0 + at.normal.dot(to));
    let over_rate = to_rate.dot(&at.ahead) + to.dot(&rate.ahead);
    let under_rate = rate.normal.dot(to) + at.normal.dot(to_rate);
    let (share, share_rate) = (over / under, (over_rate - over / under * under_rate) / under);
    rate.ahead - (at.normal + to) * share_rate - (rate.normal + to_rate) * share
}
