//! A tube around a curve, so that it can be seen: one ring of vertices per curve vertex, rounded ends, vertex 0 is the head.
//!
//! The centre of ring i is vertex i of the curve, exactly; the caps of an open curve reach past its ends by about the radius there.
//! Rings are placed by rotation-minimising frames: Wang, Jüttler, Zheng, Liu 2008, "Computation of rotation minimizing frames",
//! Table I (double reflection). They are also steady over time: the frame at vertex 0 turns from one clip frame to the next by the
//! smallest rotation, and what a loop of shapes has then turned about its tangent is spread evenly over the loop's frames;
//! likewise what a closed curve has turned when it closes is spread over its vertices.
//!
//! Symbols: t tangent, r the frame's first normal, s = t × r its second; roll: angle about t.

use std::f64::consts::{PI, TAU};

use holonomy::nalgebra::{UnitQuaternion, UnitVector3, Vector3};
use holonomy::shape::{Clip, Playback};

use super::Taper;
use super::mesh::{MeshFrame, MovingMesh};
use super::solids::any_perpendicular;

/// Rings of a cap between the end ring and the pole.
const CAP_RINGS: usize = 3;
/// Length of a cap as a multiple of the radius it closes.
const CAP_LENGTH: f64 = 1.2;

/// The tube of a curve clip.
///
/// Vertices `i * sides .. (i + 1) * sides` are ring i; then, for an open curve, the head's cap (rings outwards, then the pole) and the tail's.
pub struct Tube<'a> {
    clip: &'a Clip,
    closed: bool,
    sides: usize,
    /// Radius of each ring, metres.
    radii: Vec<f64>,
    /// Growth of the radius along the curve, per ring: d radius / d arc length in clip frame 0.
    slopes: Vec<f64>,
    /// Per clip frame: the tangent at vertex 0.
    heads: Vec<Vector3<f64>>,
    /// Per clip frame: the first normal at vertex 0.
    starts: Vec<Vector3<f64>>,
    /// Per clip frame: roll that closes a closed curve, spread over its vertices, radians.
    closing: Vec<f64>,
    faces: Vec<[u32; 3]>,
}

impl<'a> Tube<'a> {
    /// A tube of the given greatest radius (metres) around a curve of at least two vertices; a closed curve of two counts as open.
    pub fn new(clip: &'a Clip, closed: bool, radius: f64, taper: Taper) -> Self {
        let n = clip.vertices();
        let closed = closed && n > 2;
        let sides = if n > 1000 { 8 } else { 12 };
        let places = arc_lengths(clip.frame(0));
        let taper = if closed { Taper::Uniform } else { taper };
        let radii: Vec<f64> = places.fractions.iter().map(|&u| radius * taper.at(u)).collect();
        let slopes = (0..n).map(|i| slope(&radii, &places, i)).collect();
        let faces = tube_faces(n, sides, closed);
        let mut tube = Tube { clip, closed, sides, radii, slopes, heads: vec![], starts: vec![], closing: vec![], faces };
        tube.steady_over_time();
        tube
    }

    /// Number of vertices in a ring.
    pub fn sides(&self) -> usize {
        self.sides
    }

    /// Chooses the normal at vertex 0 in every clip frame, and the closing roll of closed curves.
    fn steady_over_time(&mut self) {
        let frames = self.clip.frames();
        self.heads = (0..frames).scan(Vector3::x(), |last, k| Some(self.tangents_from(k, last)[0])).collect();
        let heads = &self.heads;
        let mut starts = vec![any_perpendicular(&heads[0])];
        for k in 1..frames {
            starts.push(carry(&starts[k - 1], &heads[k - 1], &heads[k]));
        }
        if self.clip.playback() == Playback::Loop && frames > 1 {
            let back = carry(&starts[frames - 1], &heads[frames - 1], &heads[0]);
            let turned = roll_between(&starts[0], &back, &heads[0]);
            for k in 0..frames {
                starts[k] = rolled(&starts[k], &heads[k], -turned * k as f64 / frames as f64);
            }
        }
        self.starts = starts;
        if self.closed {
            self.closing = (0..frames).scan(0.0, |last, k| Some(self.closing_roll(k, last))).collect();
        }
    }

    /// Roll from the normal carried once around the closed curve back to the one it started with; of the possible turns the one nearest `last`.
    fn closing_roll(&self, k: usize, last: &mut f64) -> f64 {
        let (points, tangents) = (self.clip.frame(k), self.tangents(k));
        let normals = minimal_normals(points, &tangents, self.starts[k]);
        let n = points.len();
        let back = reflect_twice(&points[n - 1], &points[0], &tangents[n - 1], &tangents[0], &normals[n - 1]);
        let roll = -roll_between(&self.starts[k], &back, &tangents[0]);
        *last = roll + TAU * ((*last - roll) / TAU).round();
        *last
    }

    fn tangents(&self, k: usize) -> Vec<Vector3<f64>> {
        self.tangents_from(k, &mut self.heads[k].clone())
    }

    /// Unit tangents: the mean of the two edge directions. Edges without length take the direction of the edge before (or `last`).
    fn tangents_from(&self, k: usize, last: &mut Vector3<f64>) -> Vec<Vector3<f64>> {
        let points = self.clip.frame(k);
        let n = points.len();
        let edges = edge_directions(points, self.closed, last);
        let tangent = |i: usize| match (self.closed, i) {
            (false, 0) => edges[0],
            (false, i) if i == n - 1 => edges[n - 2],
            (_, i) => {
                let (before, after) = (edges[(i + edges.len() - 1) % edges.len()], edges[i]);
                (before + after).try_normalize(1e-6).unwrap_or(after)
            }
        };
        let tangents: Vec<_> = (0..n).map(tangent).collect();
        *last = tangents[0];
        tangents
    }

    fn cap(&self, out: &mut MeshFrame, ring: usize, outward: &Vector3<f64>, center: &Vector3<f64>, spokes: &[Vector3<f64>]) {
        let radius = self.radii[ring];
        for step in 1..=CAP_RINGS {
            let (sin, cos) = (step as f64 / (CAP_RINGS + 1) as f64 * PI / 2.0).sin_cos();
            for spoke in spokes {
                out.positions.push(center + (spoke * cos + outward * (CAP_LENGTH * sin)) * radius);
                out.normals.push((spoke * cos + outward * (sin / CAP_LENGTH)).normalize());
            }
        }
        out.positions.push(center + outward * (CAP_LENGTH * radius));
        out.normals.push(*outward);
    }
}

impl MovingMesh for Tube<'_> {
    fn frame(&self, k: usize) -> MeshFrame {
        let (points, tangents) = (self.clip.frame(k), self.tangents(k));
        let n = points.len();
        let mut normals = minimal_normals(points, &tangents, self.starts[k]);
        if let Some(closing) = self.closing.get(k) {
            for i in 0..n {
                normals[i] = rolled(&normals[i], &tangents[i], closing * i as f64 / n as f64);
            }
        }
        let spokes = |i: usize| -> Vec<Vector3<f64>> {
            let second = tangents[i].cross(&normals[i]);
            (0..self.sides)
                .map(|j| (TAU * j as f64 / self.sides as f64).sin_cos())
                .map(|(sin, cos)| normals[i] * cos + second * sin)
                .collect()
        };
        let mut out = MeshFrame::default();
        for i in 0..n {
            for spoke in spokes(i) {
                out.positions.push(points[i] + spoke * self.radii[i]);
                out.normals.push((spoke - tangents[i] * self.slopes[i]).normalize());
            }
        }
        if !self.closed {
            self.cap(&mut out, 0, &-tangents[0], &points[0], &spokes(0));
            self.cap(&mut out, n - 1, &tangents[n - 1], &points[n - 1], &spokes(n - 1));
        }
        out
    }
    fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }
    fn normals_change(&self) -> bool {
        true
    }
    fn is_open(&self) -> bool {
        false
    }
}

/// Where the vertices lie along the curve.
struct ArcLengths {
    /// From the first vertex, metres.
    lengths: Vec<f64>,
    /// As fractions of the whole, 0 to 1; of the vertex count if the curve has no length.
    fractions: Vec<f64>,
}

fn arc_lengths(points: &[Vector3<f64>]) -> ArcLengths {
    let mut lengths = vec![0.0];
    for pair in points.windows(2) {
        lengths.push(lengths[lengths.len() - 1] + (pair[1] - pair[0]).norm());
    }
    let (whole, n) = (lengths[lengths.len() - 1], points.len());
    let fractions =
        lengths.iter().enumerate().map(|(i, s)| if whole > 0.0 { s / whole } else { i as f64 / (n.max(2) - 1) as f64 }).collect();
    ArcLengths { lengths, fractions }
}

/// d radius / d arc length at vertex i by differences, kept within a slope of 1.
fn slope(radii: &[f64], places: &ArcLengths, i: usize) -> f64 {
    let (a, b) = (i.saturating_sub(1), (i + 1).min(radii.len() - 1));
    let run = places.lengths[b] - places.lengths[a];
    if run > 0.0 { ((radii[b] - radii[a]) / run).clamp(-1.0, 1.0) } else { 0.0 }
}

impl Taper {
    /// Radius at the fraction `u` of the length from vertex 0, as a share of the greatest radius.
    pub(crate) fn at(self, u: f64) -> f64 {
        match self {
            Taper::Uniform => 1.0,
            Taper::Snake => snake_profile(u),
            Taper::Tadpole => tadpole_profile(u),
        }
    }
}

/// Radius of a snake at the fraction `u` of its length from the head, as a fraction of its greatest radius.
fn snake_profile(u: f64) -> f64 {
    const KNOTS: [(f64, f64); 7] = [(0.0, 0.72), (0.035, 0.95), (0.085, 0.72), (0.22, 0.92), (0.42, 1.0), (0.6, 0.9), (1.0, 0.1)];
    for pair in KNOTS.windows(2) {
        let ((u0, r0), (u1, r1)) = (pair[0], pair[1]);
        if u <= u1 {
            let x = ((u - u0) / (u1 - u0)).clamp(0.0, 1.0);
            // Smooth steps between the knots; the tail thins out evenly.
            let step = if u1 == 1.0 { x } else { x * x * (3.0 - 2.0 * x) };
            return r0 + (r1 - r0) * step;
        }
    }
    KNOTS[KNOTS.len() - 1].1
}

/// Radius of a tadpole or sperm cell at the fraction `u` of its length from the head, as a fraction of its greatest radius.
fn tadpole_profile(u: f64) -> f64 {
    // The end's cap is the front of the head, half an ellipse its rear.
    let head = 1.0 - (u / 0.1).powi(2);
    head.max(0.0).sqrt().max(0.2 - 0.13 * u)
}

/// Triangles between neighbouring rings, and the caps.
fn tube_faces(rings: usize, sides: usize, closed: bool) -> Vec<[u32; 3]> {
    let mut faces = Vec::new();
    let mut band = |a: u32, b: u32| {
        for j in 0..sides as u32 {
            let next = (j + 1) % sides as u32;
            faces.extend([[a + j, a + next, b + next], [a + j, b + next, b + j]]);
        }
    };
    let first = |ring: usize| (ring * sides) as u32;
    (1..rings).for_each(|i| band(first(i - 1), first(i)));
    if closed {
        band(first(rings - 1), 0);
        return faces;
    }
    let cap = CAP_RINGS * sides + 1;
    let (head, tail) = (first(rings), first(rings) + cap as u32);
    let ring_of = |cap: u32, step: usize| cap + (step * sides) as u32;
    for step in 0..CAP_RINGS {
        band(ring_of(head, step), if step == 0 { 0 } else { ring_of(head, step - 1) });
        band(if step == 0 { first(rings - 1) } else { ring_of(tail, step - 1) }, ring_of(tail, step));
    }
    for j in 0..sides as u32 {
        let next = (j + 1) % sides as u32;
        let (head_ring, tail_ring) = (ring_of(head, CAP_RINGS - 1), ring_of(tail, CAP_RINGS - 1));
        faces.push([ring_of(head, CAP_RINGS), head_ring + next, head_ring + j]);
        faces.push([ring_of(tail, CAP_RINGS), tail_ring + j, tail_ring + next]);
    }
    faces
}

/// Unit edge directions; an edge without length takes that of the one before it (the first ones, that of the first with length, or `last`).
fn edge_directions(points: &[Vector3<f64>], closed: bool, last: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let n = points.len();
    let count = if closed { n } else { n - 1 };
    let direction = |i: usize| (points[(i + 1) % n] - points[i]).try_normalize(1e-12 * points[i].norm().max(1e-150));
    let mut current = (0..count).find_map(direction).unwrap_or(*last);
    (0..count)
        .map(|i| {
            current = direction(i).unwrap_or(current);
            current
        })
        .collect()
}

/// Normals along the curve that turn as little as possible about it, from `start` at vertex 0.
fn minimal_normals(points: &[Vector3<f64>], tangents: &[Vector3<f64>], start: Vector3<f64>) -> Vec<Vector3<f64>> {
    let mut normals = vec![square_to(&start, &tangents[0])];
    for i in 1..points.len() {
        normals.push(reflect_twice(&points[i - 1], &points[i], &tangents[i - 1], &tangents[i], &normals[i - 1]));
    }
    normals
}

/// Wang et al. 2008, Table I: reflects (t0, r0) in the plane midway between x0 and x1, then in the one that takes the result's tangent to t1.
fn reflect_twice(x0: &Vector3<f64>, x1: &Vector3<f64>, t0: &Vector3<f64>, t1: &Vector3<f64>, r0: &Vector3<f64>) -> Vector3<f64> {
    let reflect = |v: &Vector3<f64>, mirror: &Vector3<f64>| v - mirror * (2.0 * mirror.dot(v));
    let (mut r, mut t) = (*r0, *t0);
    if let Some(mirror) = (x1 - x0).try_normalize(1e-150) {
        (r, t) = (reflect(&r, &mirror), reflect(&t, &mirror));
        if let Some(mirror) = (t1 - t).try_normalize(1e-12) {
            r = reflect(&r, &mirror);
        }
    } else {
        r = carry(&r, &t, t1);
    }
    square_to(&r, t1)
}

/// `normal` turned by the smallest rotation that takes one tangent to the other.
fn carry(normal: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let turn = UnitQuaternion::rotation_between(from, to).unwrap_or_else(UnitQuaternion::identity);
    square_to(&(turn * normal), to)
}

/// The unit vector nearest `normal` at right angles to `tangent`: takes out rounding, and gives something when there is nothing.
fn square_to(normal: &Vector3<f64>, tangent: &Vector3<f64>) -> Vector3<f64> {
    (normal - tangent * tangent.dot(normal)).try_normalize(1e-6).unwrap_or_else(|| any_perpendicular(tangent))
}

/// Angle about `axis` from `a` to `b`, radians.
fn roll_between(a: &Vector3<f64>, b: &Vector3<f64>, axis: &Vector3<f64>) -> f64 {
    a.cross(b).dot(axis).atan2(a.dot(b))
}

fn rolled(normal: &Vector3<f64>, axis: &Vector3<f64>, angle: f64) -> Vector3<f64> {
    UnitQuaternion::from_axis_angle(&UnitVector3::new_unchecked(*axis), angle) * normal
}
