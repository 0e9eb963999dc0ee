//! Which times a stroboscopic picture shows.

use std::collections::HashMap;

use holonomy::nalgebra::Vector3;
use rayon::prelude::*;

use super::mesh::PosedMesh;
use super::raster::{Rect, Triangle, scan};
use super::still::mean;
use super::subject::Subject;

/// How many times the body is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GhostCount {
    /// As many as overlap little in the picture.
    #[default]
    Auto,
    /// This many, 1 to 100, or as many as there are frames.
    Exactly(usize),
}

/// Most ghosts that may be asked for.
pub const MOST_GHOSTS: u32 = 100;

/// Most ghosts that `Auto` shows.
const MOST: usize = 8;
/// Largest share of the covered picture that may be covered twice. Slender bodies may cross; of two stout ones, one would end in a stump
/// inside the other.
const OVERLAP: f64 = 0.22;
const STOUT_OVERLAP: f64 = 0.04;
/// Overlap above which two ghosts look the same, so that one is enough.
const SAME: f64 = 0.98;
/// Share of a loop that lies between two poses which look alike.
const SAME_POSE: f64 = 0.08;
/// How far points may be from their places after a cycle, beside the distance of the farthest from the middle.
const SAME_SHAPE: f64 = 0.05;
/// Cells by which silhouettes are widened, so that ghosts keep apart and loose points count as one body.
const WIDER: i64 = 2;
/// Cells along the longer side of the coarse picture in which overlap is measured.
const CELLS: f64 = 160.0;

/// Frames to show, in order, evenly spread in time; the first and the last frame are among them. Of a loop, neighbours show different
/// poses if any choice that overlaps little has them. One ghost, asked for or enough
/// because nothing moves, is the last. And whether they overlap little, or were asked for.
///
/// `right` and `up` are the camera's axes, in which overlap is measured.
pub fn frames(subject: &dyn Subject, count: GhostCount, right: &Vector3<f64>, up: &Vector3<f64>) -> (Vec<usize>, bool) {
    let last = subject.frames().saturating_sub(1);
    match count {
        GhostCount::Exactly(n) => (spaced(last, n), true),
        GhostCount::Auto => {
            // A body with a surface of its own reaches no farther than its points.
            let most_overlap = if subject.reach() > 0.0 { OVERLAP } else { STOUT_OVERLAP };
            let candidates: Vec<Vec<usize>> = (2..=MOST.min(last + 1)).rev().map(|n| spaced(last, n)).collect();
            let mut seen = Silhouettes::new(subject, &candidates, right, up);
            let mut clear = candidates.iter().filter(|frames| seen.overlap(frames) <= most_overlap);
            let most = clear.next();
            let varied = most.filter(|frames| varied(frames, subject)).or_else(|| clear.find(|frames| varied(frames, subject)));
            let ends = spaced(last, 2);
            match varied.or(most) {
                Some(frames) => (frames.clone(), true),
                None if ends.len() < 2 || seen.overlap(&ends) > SAME => (vec![last], true),
                None => (ends, false),
            }
        }
    }
}

/// Frames between the poses of two frames of a loop.
fn cycle_distance(one: usize, other: usize, period: usize) -> usize {
    let ahead = one.abs_diff(other) % period;
    ahead.min(period - ahead)
}

/// Whether neighbours show the body in clearly different poses, as far as that can be told: those of a loop may all fall on one.
fn varied(frames: &[usize], subject: &dyn Subject) -> bool {
    let Some(period) = subject.period() else { return true };
    let apart = |pair: &[usize]| cycle_distance(pair[0], pair[1], period) as f64 > SAME_POSE * period as f64;
    frames.windows(2).all(apart)
}

/// `n` frames for a row of bodies side by side: over one cycle, if the subject looks after it as it did before (wherever it is then), else over all of the
/// motion. And whether they are over one cycle.
pub fn in_a_row(subject: &dyn Subject, n: usize) -> (Vec<usize>, bool) {
    let last = subject.frames().saturating_sub(1);
    match subject.period().filter(|&period| period >= n.max(2) && period <= last) {
        Some(period) if n > 1 && same_shape(&subject.points(0), &subject.points(period)) => {
            ((0..n).map(|i| i * period / n).collect(), true)
        }
        _ => (spaced(last, n), false),
    }
}

/// Whether points differ by little more than where they are.
fn same_shape(one: &[Vector3<f64>], other: &[Vector3<f64>]) -> bool {
    let (from, to) = (mean(one), mean(other));
    let size = one.iter().map(|p| (p - from).norm()).fold(0.0, f64::max);
    one.iter().zip(other).all(|(p, q)| ((q - to) - (p - from)).norm() <= SAME_SHAPE * size)
}

/// `n` frames evenly spread over 0 … last.
pub fn spaced(last: usize, n: usize) -> Vec<usize> {
    if n <= 1 || last == 0 {
        return vec![last];
    }
    spaced_freely(last, n.min(last + 1))
}

/// `n` frames evenly spread over 0 … last; a frame may come more than once.
pub fn spaced_freely(last: usize, n: usize) -> Vec<usize> {
    if n <= 1 {
        return vec![last];
    }
    (0..n).map(|i| (i * last * 2 + (n - 1)) / (2 * (n - 1))).collect()
}

/// Coarse silhouettes of the subject at the frames that may be shown.
struct Silhouettes {
    masks: HashMap<usize, Vec<u32>>,
    counts: HashMap<u32, u32>,
}

impl Silhouettes {
    fn new(subject: &dyn Subject, candidates: &[Vec<usize>], right: &Vector3<f64>, up: &Vector3<f64>) -> Self {
        let mut needed: Vec<usize> = candidates.iter().flatten().copied().collect();
        needed.sort_unstable();
        needed.dedup();
        let flat: Vec<(usize, Vec<PosedMesh>)> = needed.par_iter().map(|&k| (k, subject.meshes(k))).collect();
        let spot = |p: &Vector3<f64>| [right.dot(p), up.dot(p)];
        let all = || flat.iter().flat_map(|(_, meshes)| meshes).flat_map(|m| &m.positions).map(spot);
        let low = all().fold([f64::INFINITY; 2], |l, p| [l[0].min(p[0]), l[1].min(p[1])]);
        let high = all().fold([f64::NEG_INFINITY; 2], |h, p| [h[0].max(p[0]), h[1].max(p[1])]);
        let span = (high[0] - low[0]).max(high[1] - low[1]);
        let scale = if span > 0.0 && span.is_finite() { CELLS / span } else { 0.0 };
        let place = |p: &Vector3<f64>| [(right.dot(p) - low[0]) * scale, (up.dot(p) - low[1]) * scale, 0.0];
        let masks = flat.par_iter().map(|(k, meshes)| (*k, mask(meshes, place))).collect();
        Silhouettes { masks, counts: HashMap::new() }
    }

    /// Share of the cells covered by any of these frames that more than one covers.
    fn overlap(&mut self, frames: &[usize]) -> f64 {
        self.counts.clear();
        for cell in frames.iter().filter_map(|k| self.masks.get(k)).flatten() {
            *self.counts.entry(*cell).or_default() += 1;
        }
        let twice = self.counts.values().filter(|&&n| n > 1).count();
        twice as f64 / self.counts.len().max(1) as f64
    }
}

/// The cells that the meshes cover, each once.
fn mask(meshes: &[PosedMesh], place: impl Fn(&Vector3<f64>) -> [f64; 3]) -> Vec<u32> {
    let side = CELLS as i64 + 2;
    let clip = Rect { x0: 0, y0: 0, x1: side, y1: side };
    let mut cells = Vec::new();
    for mesh in meshes {
        for t in &mesh.triangles {
            let corners = t.map(|v| place(&mesh.positions[v as usize]));
            if let Some(triangle) = Triangle::new(corners) {
                scan(&triangle, clip, |x, y, _| cells.push((y * side + x) as u32));
            }
        }
    }
    cells.sort_unstable();
    cells.dedup();
    let mut wide: Vec<u32> = Vec::with_capacity(cells.len() * 3);
    for cell in cells.iter().map(|&c| i64::from(c)) {
        let (x, y) = (cell % side, cell / side);
        for row in (y - WIDER).max(0)..=(y + WIDER).min(side - 1) {
            wide.extend(((x - WIDER).max(0)..=(x + WIDER).min(side - 1)).map(|column| (row * side + column) as u32));
        }
    }
    wide.sort_unstable();
    wide.dedup();
    wide
}
