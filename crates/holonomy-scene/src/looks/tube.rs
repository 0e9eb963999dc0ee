//! A tube around a curve, so that it can be seen: rings of vertices around it, rounded ends, vertex 0 is the head.
//!
//! Every vertex of the curve is the centre of a ring, exactly; in a picture there are more rings between them, on a curve that rounds the
//! bends (Catmull and Rom 1974). The caps of an open curve reach past its ends by about the radius there.
//! Rings are placed by rotation-minimising frames: Wang, Jüttler, Zheng, Liu 2008, "Computation of rotation minimizing frames",
//! Table I (double reflection). They are also steady over time: the frame at vertex 0 turns from one clip frame to the next by the
//! smallest rotation, and what a loop of shapes has then turned about its tangent is spread evenly over the loop's frames;
//! likewise what a closed curve has turned when it closes is spread over its vertices.
//!
//! Symbols: t tangent, r the frame's first normal, s = t × r its second; roll: angle about t.

use std::borrow::Cow;
use std::f64::consts::{PI, TAU};

use holonomy::nalgebra::{UnitQuaternion, UnitVector3, Vector3};
use holonomy::shape::{Clip, Playback, curve::edge_count};

use super::mesh::{MeshFrame, MovingMesh};
use super::solids::any_perpendicular;
use super::{Detail, Taper};

/// Length of a cap as a multiple of the radius it closes.
const CAP_LENGTH: f64 = 1.2;
/// Edges that meet at a sharper turn than this (the cosine of 40 degrees) are a corner and no bend.
const CORNER_COS: f64 = 0.77;
/// A ring at a corner is stretched across it, so that both sides keep their thickness: at most this much, or hairpins would have spikes.
const LONGEST_MITRE: f64 = 1.35;

/// How finely a tube is cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// Vertices in a ring.
    pub sides: usize,
    /// Rings of a cap between the end ring and the pole.
    pub cap_rings: usize,
}

/// The tube of a curve clip.
///
/// Vertices `i * sides .. (i + 1) * sides` are ring i; then, for an open curve, the head's cap (rings outwards, then the pole) and the tail's.
#[derive(Debug)]
pub struct Tube<'a> {
    clip: &'a Clip,
    closed: bool,
    cut: Cut,
    /// Rings per edge of the curve.
    pieces: usize,
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
    pub fn new(clip: &'a Clip, closed: bool, radius: f64, taper: Taper, detail: Detail) -> Self {
        let n = clip.vertices();
        let closed = closed && n > 2;
        let (cut, pieces) = match detail {
            Detail::File => (Cut { sides: if n > 1000 { 8 } else { 12 }, cap_rings: 3 }, 1),
            Detail::Picture if n > 400 => (Cut { sides: 10, cap_rings: 3 }, 1),
            Detail::Picture => (Cut { sides: 22, cap_rings: 6 }, if n < 3 { 1 } else { (260 / n).clamp(1, 4) }),
        };
        let places = arc_lengths(&refined(clip.frame(0), closed, pieces));
        let taper = if closed { Taper::Uniform } else { taper };
        let radii: Vec<f64> = places.fractions.iter().map(|&u| radius * taper.at(u)).collect();
        let slopes = (0..radii.len()).map(|i| slope(&radii, &places, i)).collect();
        let faces = faces(radii.len(), closed, cut);
        let mut tube = Tube { clip, closed, cut, pieces, radii, slopes, heads: vec![], starts: vec![], closing: vec![], faces };
        tube.steady_over_time();
        tube
    }

    /// Number of vertices in a ring.
    pub fn sides(&self) -> usize {
        self.cut.sides
    }

    /// Chooses the normal at vertex 0 in every clip frame, and the closing roll of closed curves.
    fn steady_over_time(&mut self) {
        let frames = self.clip.frames();
        let head = |last: &mut Vector3<f64>, k: usize| {
            *last = head_tangent(self.clip.frame(k), self.closed, last);
            Some(*last)
        };
        self.heads = (0..frames).scan(Vector3::x(), head).collect();
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
            let roll = |last: &mut f64, k: usize| {
                *last = Curve::new(self.clip.frame(k), true, &self.heads[k]).closing_roll(&self.starts[k], *last);
                Some(*last)
            };
            self.closing = (0..frames).scan(0.0, roll).collect();
        }
    }
}

impl MovingMesh for Tube<'_> {
    fn frame(&self, k: usize) -> MeshFrame {
        let points = refined(self.clip.frame(k), self.closed, self.pieces);
        let curve = Curve::new(&points, self.closed, &self.heads[k]);
        let roll = self.closing.get(k).map_or(0.0, |&roll| curve.closing_roll(&self.starts[k], roll));
        curve.sweep(Some(&self.starts[k]), roll, &self.radii, &self.slopes, self.cut)
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
    fn sources(&self) -> Vec<u32> {
        let (n, Cut { sides, cap_rings }) = (self.clip.vertices(), self.cut);
        let ring = |i: usize| ((i + self.pieces / 2) / self.pieces % n) as u32;
        let mut sources: Vec<u32> = (0..self.radii.len() * sides).map(|v| ring(v / sides)).collect();
        let caps = if self.closed { 0 } else { 2 * (cap_rings * sides + 1) };
        sources.extend((0..caps).map(|v| if v < caps / 2 { 0 } else { n as u32 - 1 }));
        sources
    }
}

/// A curve with its tangents.
pub(crate) struct Curve<'a> {
    points: &'a [Vector3<f64>],
    closed: bool,
    /// Unit directions of the edges.
    edges: Vec<Vector3<f64>>,
    /// Unit tangents at the points: the mean of the two edge directions.
    tangents: Vec<Vector3<f64>>,
}

impl<'a> Curve<'a> {
    /// At least two points; `otherwise` is the direction of a curve that has no length.
    pub fn new(points: &'a [Vector3<f64>], closed: bool, otherwise: &Vector3<f64>) -> Self {
        let n = points.len();
        let edges = edge_directions(points, closed, otherwise);
        let tangent = |i: usize| match (closed, i) {
            (false, 0) => edges[0],
            (false, i) if i == n - 1 => edges[n - 2],
            (_, i) => mean_direction(&edges[(i + edges.len() - 1) % edges.len()], &edges[i]),
        };
        let tangents = (0..n).map(tangent).collect();
        Curve { points, closed, edges, tangents }
    }

    /// Roll from the normal carried once around the closed curve back to the one it started with; of the possible turns the one nearest `last`.
    fn closing_roll(&self, start: &Vector3<f64>, last: f64) -> f64 {
        let (points, tangents) = (self.points, &self.tangents);
        let normals = minimal_normals(points, tangents, start);
        let n = points.len();
        let back = reflect_twice(&points[n - 1], &points[0], &tangents[n - 1], &tangents[0], &normals[n - 1]);
        let roll = -roll_between(&normals[0], &back, &tangents[0]);
        roll + TAU * ((last - roll) / TAU).round()
    }

    /// Rings of these radii (metres; `slopes`: how they grow along the curve) around the points, and caps at open ends. The first normal
    /// is at the first point, and `roll` is spread over the curve.
    pub fn sweep(&self, start: Option<&Vector3<f64>>, roll: f64, radii: &[f64], slopes: &[f64], cut: Cut) -> MeshFrame {
        let (points, tangents) = (self.points, &self.tangents);
        let n = points.len();
        let normals = minimal_normals(points, tangents, start.unwrap_or(&any_perpendicular(&tangents[0])));
        let spokes = |i: usize| {
            let first = rolled(&normals[i], &tangents[i], roll * i as f64 / n as f64);
            let second = tangents[i].cross(&first);
            let turn = move |j: usize| (TAU * j as f64 / cut.sides as f64).sin_cos();
            (0..cut.sides).map(turn).map(move |(sin, cos)| first * cos + second * sin)
        };
        let mut out = MeshFrame::default();
        for i in 0..n {
            let bend = self.bend(i, radii[i]);
            for spoke in spokes(i) {
                out.positions.push(points[i] + bend.stretched(&spoke) * radii[i]);
                out.normals.push((spoke - tangents[i] * slopes[i]).normalize());
            }
        }
        if !self.closed {
            for (i, outward) in [(0, -tangents[0]), (n - 1, tangents[n - 1])] {
                let spokes: Vec<_> = spokes(i).collect();
                cap(&mut out, &points[i], &outward, &spokes, radii[i], cut.cap_rings);
            }
        }
        out
    }

    /// Of the nearest edge at or before this one that has any: a doubled point is no bend.
    fn edge_length(&self, edge: usize) -> f64 {
        let n = self.points.len();
        let length = |e: usize| (self.points[(e + 1) % n] - self.points[e]).norm();
        (0..=edge).rev().chain((edge + 1..self.edges.len()).rev()).find(|&e| edge_direction(self.points, e).is_some()).map_or(0.0, length)
    }

    /// How the ring at point `i`, of this radius in metres, must give way to the bend there.
    fn bend(&self, i: usize, radius: f64) -> Bend {
        let edges = self.edges.len();
        if !self.closed && (i == 0 || i == edges) {
            return Bend::default();
        }
        let (before, after) = ((i + edges - 1) % edges, i);
        let Some(inward) = (self.edges[after] - self.edges[before]).try_normalize(1e-9) else { return Bend::default() };
        // Half the turn at this point.
        let cos = 0.5 * (self.edges[after] + self.edges[before]).norm();
        let mitre = (1.0 / cos.max(1e-3)).min(LONGEST_MITRE);
        if 2.0 * cos * cos - 1.0 < CORNER_COS {
            return Bend { inward, mitre, inner: f64::INFINITY };
        }
        // Rings of neighbouring points meet where the bend has its centre; the tube must not go past it.
        let center = 0.5 * self.edge_length(before).min(self.edge_length(after)) * cos / (1.0 - cos * cos).max(0.0).sqrt().max(1e-9);
        Bend { inward, mitre, inner: 0.95 * center / radius }
    }
}

/// How a ring gives way to a bend; a straight curve has none.
#[derive(Default)]
struct Bend {
    /// Unit vector towards the centre of the bend; zero if there is none.
    inward: Vector3<f64>,
    /// How much the ring is stretched across the bend.
    mitre: f64,
    /// How far it may reach inwards, in radii.
    inner: f64,
}

impl Bend {
    fn stretched(&self, spoke: &Vector3<f64>) -> Vector3<f64> {
        let along = self.inward.dot(spoke);
        if along == 0.0 { *spoke } else { spoke + self.inward * ((along * self.mitre).min(self.inner) - along) }
    }
}

/// A rounded end: rings outwards, then the pole.
fn cap(out: &mut MeshFrame, center: &Vector3<f64>, outward: &Vector3<f64>, spokes: &[Vector3<f64>], radius: f64, rings: usize) {
    for step in 1..=rings {
        let (sin, cos) = (step as f64 / (rings + 1) as f64 * PI / 2.0).sin_cos();
        for spoke in spokes {
            out.positions.push(center + (spoke * cos + outward * (CAP_LENGTH * sin)) * radius);
            out.normals.push((spoke * cos + outward * (sin / CAP_LENGTH)).normalize());
        }
    }
    out.positions.push(center + outward * (CAP_LENGTH * radius));
    out.normals.push(*outward);
}

/// A curve with `pieces` edges for each one given, rounded in its bends (Catmull and Rom 1974); corners stay corners.
fn refined(points: &[Vector3<f64>], closed: bool, pieces: usize) -> Cow<'_, [Vector3<f64>]> {
    if pieces <= 1 {
        return Cow::Borrowed(points);
    }
    let n = points.len() as isize;
    let at = |i: isize| points[if closed { i.rem_euclid(n) } else { i.clamp(0, n - 1) } as usize];
    let corner = |i: isize| {
        let (a, b) = (at(i) - at(i - 1), at(i + 1) - at(i));
        a.dot(&b) < CORNER_COS * (a.norm() * b.norm())
    };
    let mut fine = Vec::with_capacity(points.len() * pieces + 1);
    for i in 0..edge_count(points.len(), closed) as isize {
        let (p, q) = (at(i), at(i + 1));
        let smooth = !corner(i) && !corner(i + 1);
        let (start, end) = ((q - at(i - 1)) * 0.5, (at(i + 2) - p) * 0.5);
        for k in 0..pieces {
            let t = k as f64 / pieces as f64;
            let (t2, t3) = (t * t, t * t * t);
            let curve = p * (2.0 * t3 - 3.0 * t2 + 1.0) + start * (t3 - 2.0 * t2 + t) + q * (3.0 * t2 - 2.0 * t3) + end * (t3 - t2);
            fine.push(if smooth { curve } else { p.lerp(&q, t) });
        }
    }
    if !closed {
        fine.push(points[points.len() - 1]);
    }
    Cow::Owned(fine)
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

/// Triangles between neighbouring rings, and the caps.
pub(crate) fn faces(rings: usize, closed: bool, Cut { sides, cap_rings }: Cut) -> Vec<[u32; 3]> {
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
    let cap = cap_rings * sides + 1;
    let (head, tail) = (first(rings), first(rings) + cap as u32);
    let ring_of = |cap: u32, step: usize| cap + (step * sides) as u32;
    for step in 0..cap_rings {
        band(ring_of(head, step), if step == 0 { 0 } else { ring_of(head, step - 1) });
        band(if step == 0 { first(rings - 1) } else { ring_of(tail, step - 1) }, ring_of(tail, step));
    }
    for j in 0..sides as u32 {
        let next = (j + 1) % sides as u32;
        let (head_ring, tail_ring) = (ring_of(head, cap_rings - 1), ring_of(tail, cap_rings - 1));
        faces.push([ring_of(head, cap_rings), head_ring + next, head_ring + j]);
        faces.push([ring_of(tail, cap_rings), tail_ring + j, tail_ring + next]);
    }
    faces
}

/// The direction of edge `i`, if it has any length.
fn edge_direction(points: &[Vector3<f64>], i: usize) -> Option<Vector3<f64>> {
    (points[(i + 1) % points.len()] - points[i]).try_normalize(1e-12 * points[i].norm().max(1e-150))
}

/// Unit edge directions; an edge without length takes that of the one before it (the first ones, that of the first with length, or `last`).
fn edge_directions(points: &[Vector3<f64>], closed: bool, last: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let count = edge_count(points.len(), closed);
    let mut current = (0..count).find_map(|i| edge_direction(points, i)).unwrap_or(*last);
    let mut next = |i: usize| {
        current = edge_direction(points, i).unwrap_or(current);
        current
    };
    (0..count).map(&mut next).collect()
}

/// The tangent at the first point, as [`Curve::new`] has it.
fn head_tangent(points: &[Vector3<f64>], closed: bool, last: &Vector3<f64>) -> Vector3<f64> {
    let direction = |i: usize| edge_direction(points, i);
    let count = edge_count(points.len(), closed);
    let first = (0..count).find_map(direction).unwrap_or(*last);
    if closed { mean_direction(&(0..count).rev().find_map(direction).unwrap_or(*last), &first) } else { first }
}

fn mean_direction(before: &Vector3<f64>, after: &Vector3<f64>) -> Vector3<f64> {
    (before + after).try_normalize(1e-6).unwrap_or(*after)
}

/// Normals along the curve that turn as little as possible about it, from `start` at vertex 0.
fn minimal_normals(points: &[Vector3<f64>], tangents: &[Vector3<f64>], start: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let mut normals = vec![square_to(start, &tangents[0])];
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
