//! What the models share: clips sampled from a gait, parameters checked, chains of fixed length, closed tubes.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::Error;
use crate::shape::{Clip, Playback, Topology};

/// Most positions a model makes (1.2 GB): beyond it the parameters are a slip of the pen.
const MOST_POSITIONS: f64 = 5e7;

/// A loop of `shape` over phase 0 to 1, at about `fps` frames per second, a whole number of them per period.
pub(super) fn cycle(
    topology: Topology,
    vertices: usize,
    [period, fps]: [f64; 2],
    shape: impl Fn(f64) -> Vec<Vector3<f64>>,
) -> Result<Clip, Error> {
    let frames = cycle_frames(period, fps, vertices)?;
    let positions = (0..frames).flat_map(|k| shape(k as f64 / frames as f64)).collect();
    Clip::new(topology, Playback::Loop, period / frames as f64, vertices, positions)
}

/// A clip of `shape` over the fraction 0 to 1 of `duration`, both ends included, at about `fps` frames per second; it ends.
pub(super) fn sequence(
    topology: Topology,
    vertices: usize,
    [duration, fps]: [f64; 2],
    shape: impl Fn(f64) -> Vec<Vector3<f64>>,
) -> Result<Clip, Error> {
    let steps = sequence_steps(duration, fps, vertices)?;
    let positions = (0..=steps).flat_map(|k| shape(k as f64 / steps as f64)).collect();
    Clip::new(topology, Playback::Once, duration / steps as f64, vertices, positions)
}

/// Frames of a loop of `period` seconds.
pub(super) fn cycle_frames(period: f64, fps: f64, vertices: usize) -> Result<usize, Error> {
    positive("period", period)?;
    affordable(period, fps, vertices)?;
    Ok((period * fps).round().max(2.0) as usize)
}

/// Steps between the frames of a clip of `duration` seconds.
pub(super) fn sequence_steps(duration: f64, fps: f64, vertices: usize) -> Result<usize, Error> {
    positive("duration", duration)?;
    affordable(duration, fps, vertices)?;
    Ok((duration * fps).round().max(1.0) as usize)
}

fn affordable(seconds: f64, fps: f64, vertices: usize) -> Result<(), Error> {
    positive("fps", fps)?;
    let positions = (seconds * fps).max(2.0) * vertices as f64;
    let expected = "at most fifty million; ask for fewer vertices, a lower fps or a shorter time";
    Error::unless(positions <= MOST_POSITIONS, "number of frames times vertices", positions, expected)
}

/// Refuses what is not above zero.
pub(super) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    Error::unless(value > 0.0 && value.is_finite(), name, value, "a positive number")
}

/// Refuses NaN and infinity.
pub(super) fn finite(name: &'static str, value: f64) -> Result<(), Error> {
    Error::unless(value.is_finite(), name, value, "a finite number")
}

/// Refuses what is not above zero and below `limit`, which `expected` says in words.
pub(super) fn below(name: &'static str, value: f64, limit: f64, expected: &'static str) -> Result<(), Error> {
    Error::unless(value > 0.0 && value < limit, name, value, expected)
}

/// Vertices from the head backwards whose edges have exactly `length / edges` each; `direction(s)` is the unit vector of the edge at the
/// fraction s of the length, from its rear to its front end.
pub(super) fn chain(length: f64, edges: usize, direction: impl Fn(f64) -> Vector3<f64>) -> Vec<Vector3<f64>> {
    let mut tip = Vector3::zeros();
    let edge = length / edges as f64;
    let backwards = (0..edges).map(|i| {
        tip -= direction((i as f64 + 0.5) / edges as f64) * edge;
        tip
    });
    centred(std::iter::once(Vector3::zeros()).chain(backwards).collect())
}

/// The unit vector on the ground plane, `turn` radians from +Z towards +X.
pub(super) fn heading(turn: f64) -> Vector3<f64> {
    Vector3::new(turn.sin(), 0.0, turn.cos())
}

/// The points, moved so that their mean is the origin.
pub(super) fn centred(mut points: Vec<Vector3<f64>>) -> Vec<Vector3<f64>> {
    let centre = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    points.iter_mut().for_each(|p| *p -= centre);
    points
}

/// From 0 to 1 as x does, with no velocity or acceleration at the ends; constant outside.
pub(super) fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (10.0 + x * (6.0 * x - 15.0))
}

/// Faces of a closed tube: vertex 0 is its front tip, then `rings` rings of `around` vertices from
/// front to rear, then the rear tip. Rings run counter-clockwise seen from the front; faces look
/// outwards. They come strip by strip, from tip to tip.
///
/// Neighbouring strips are split along diagonals that mirror each other. Split all alike they
/// would be handed, and with them the mean normals at the vertices: a body that is the same left
/// and right would roll. An even `around` makes the faces their own mirror image in s = 0, a
/// multiple of 4 in c = 0 too. Else one strip lies astride the plane, where no diagonal is its own
/// image: there they alternate from ring to ring.
pub(super) fn tube_faces(rings: usize, around: usize) -> Vec<[u32; 3]> {
    split_tube(rings, around, |ring, strip| split_from_first(ring, strip, around))
}

/// The same tube with all diagonals alike: for bodies that are the same after a turn, and not in a
/// mirror.
pub(super) fn handed_tube_faces(rings: usize, around: usize) -> Vec<[u32; 3]> {
    split_tube(rings, around, |_, _| true)
}

/// Faces of a closed tube; `from_first` chooses the diagonal behind a ring in a strip.
fn split_tube(rings: usize, around: usize, from_first: impl Fn(usize, usize) -> bool) -> Vec<[u32; 3]> {
    let at = |ring: usize, j: usize| (1 + ring * around + j % around) as u32;
    let rear = (1 + rings * around) as u32;
    let mut faces = Vec::with_capacity(2 * rings * around);
    for j in 0..around {
        faces.push([0, at(0, j), at(0, j + 1)]);
        for ring in 1..rings {
            let (a, b, c, d) = (at(ring - 1, j), at(ring - 1, j + 1), at(ring, j), at(ring, j + 1));
            let split = if from_first(ring, j) { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] };
            faces.extend(split);
        }
        faces.push([rear, at(rings - 1, j + 1), at(rings - 1, j)]);
    }
    faces
}

/// Whether the quadrilateral of strip `j` behind ring `ring` of a tube is split along the diagonal
/// from its rear vertex at `j` to its front one at `j + 1`, or along the other.
fn split_from_first(ring: usize, j: usize, around: usize) -> bool {
    // The strip and its image in a mirror: the first of both has the say, and the other the
    // opposite.
    let fold = |strip: usize, strips: usize| (strip.min(strips - 1 - strip), 2 * strip + 1 > strips, 2 * strip + 1 == strips);
    let (upper, below, astride) = fold(j, around);
    let (quarter, beside, on_top) = if around.is_multiple_of(2) { fold(upper, around / 2) } else { (upper, false, false) };
    let own = if astride || on_top { ring } else { quarter };
    own.is_multiple_of(2) ^ below ^ beside
}

/// Vertices of such a tube.
pub(super) fn tube_vertices(rings: usize, around: usize) -> usize {
    rings.saturating_mul(around).saturating_add(2)
}

/// Cosine and sine of the angle of vertex `j` of a ring of `around`.
pub(super) fn around_ring(j: usize, around: usize) -> (f64, f64) {
    let (s, c) = (TAU * j as f64 / around as f64).sin_cos();
    (c, s)
}
