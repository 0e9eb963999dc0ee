//! In which order to eliminate: nested dissection of space and time.
//!
//! A piece of the loop, some frames of some vertices, falls in two when a separator is taken out: two whole frames of it (residuals reach two frames far),
//! or, in all its frames, vertices that part its mesh (where A_ii has neighbours of neighbours). The smaller of the two is taken and ordered last, and so on
//! in both halves (George 1973).

use std::collections::VecDeque;

use super::{BlockPattern, Cycle};

/// Pieces of no more vertices than this are not parted further.
const LEAF: usize = 4;

/// A piece of the mesh, and how it is parted.
struct Part {
    vertices: Vec<u32>,
    /// What parts it, and the indices of its two halves; none for a leaf.
    cut: Option<(Vec<u32>, [usize; 2])>,
}

/// All unknown (frame, vertex) of a cycle, in the order of elimination. What is prescribed is left out.
pub(super) fn space_time(cycle: &Cycle, squared: &BlockPattern) -> Vec<[u32; 2]> {
    let n = squared.vertices();
    let free: Vec<u32> = (0..n).filter(|&v| (0..cycle.frames).any(|k| !cycle.is_fixed(k, v))).map(|v| v as u32).collect();
    let parts = parts(squared, free);
    let mut order = Order { cycle, parts: &parts, out: Vec::with_capacity(cycle.len()) };
    let whole = &parts[0];
    let space = whole.cut.as_ref().map_or(usize::MAX, |(cut, _)| cut.len() * cycle.frames);
    if cycle.frames < 6 || space < 4 * whole.vertices.len() {
        order.ring(0);
    } else {
        // A ring needs two cuts. They are put where frames are prescribed, if any are.
        let count = |k: usize| (0..2).map(|d| (0..n).filter(|&v| !cycle.is_fixed((k + d) % cycle.frames, v)).count()).sum::<usize>();
        let first = (0..cycle.frames).min_by_key(|&k| count(k)).unwrap_or(0);
        let half = cycle.frames / 2;
        order.piece(first + 2, half - 2, 0);
        order.piece(first + half + 2, cycle.frames - half - 2, 0);
        order.emit(first + half, 2, &whole.vertices);
        order.emit(first, 2, &whole.vertices);
    }
    order.out
}

/// The vertices of a mesh alone, in the order of elimination, for matrices of its pattern.
pub(super) fn space(pattern: &BlockPattern) -> Vec<u32> {
    fn visit(parts: &[Part], at: usize, out: &mut Vec<u32>) {
        match &parts[at].cut {
            None => out.extend(&parts[at].vertices),
            Some((cut, halves)) => {
                halves.iter().for_each(|&half| visit(parts, half, out));
                out.extend(cut);
            }
        }
    }
    let mut out = Vec::with_capacity(pattern.vertices());
    visit(&parts(pattern, (0..pattern.vertices() as u32).collect()), 0, &mut out);
    out
}

struct Order<'a> {
    cycle: &'a Cycle,
    parts: &'a [Part],
    out: Vec<[u32; 2]>,
}

impl Order<'_> {
    fn emit(&mut self, start: usize, length: usize, vertices: &[u32]) {
        for frame in (start..start + length).map(|k| k % self.cycle.frames) {
            let free = vertices.iter().filter(|&&v| !self.cycle.is_fixed(frame, v as usize));
            self.out.extend(free.map(|&v| [frame as u32, v]));
        }
    }

    /// All frames of a part.
    fn ring(&mut self, part: usize) {
        let parts = self.parts;
        let frames = self.cycle.frames;
        match &parts[part].cut {
            Some((cut, halves)) if frames < 6 || cut.len() * frames < 4 * parts[part].vertices.len() => {
                halves.iter().for_each(|&half| self.ring(half));
                self.emit(0, frames, cut);
            }
            _ if frames >= 6 => {
                let half = frames / 2;
                self.piece(2, half - 2, part);
                self.piece(half + 2, frames - half - 2, part);
                self.emit(half, 2, &parts[part].vertices);
                self.emit(0, 2, &parts[part].vertices);
            }
            _ => self.emit(0, frames, &parts[part].vertices),
        }
    }

    /// Some frames of a part.
    fn piece(&mut self, start: usize, length: usize, part: usize) {
        let parts = self.parts;
        let vertices = &parts[part].vertices;
        let in_time = if length >= 4 { 2 * vertices.len() } else { usize::MAX };
        let in_space = parts[part].cut.as_ref().map_or(usize::MAX, |(cut, _)| cut.len() * length);
        if vertices.is_empty() || length == 0 {
        } else if in_time == usize::MAX && in_space == usize::MAX {
            self.emit(start, length, vertices);
        } else if in_time <= in_space {
            let half = (length - 2) / 2;
            self.piece(start, half, part);
            self.piece(start + half + 2, length - half - 2, part);
            self.emit(start + half, 2, vertices);
        } else if let Some((cut, halves)) = &parts[part].cut {
            halves.iter().for_each(|&half| self.piece(start, length, half));
            self.emit(start, length, cut);
        }
    }
}

/// Parts a mesh in two again and again. The first part is the whole.
fn parts(pattern: &BlockPattern, vertices: Vec<u32>) -> Vec<Part> {
    let n = pattern.vertices();
    let mut cutter = Cutter { pattern, side: vec![OUTSIDE; n], field: vec![0.0; n], smooth: vec![0.0; n], queue: VecDeque::new() };
    let mut parts = vec![Part { vertices, cut: None }];
    let mut at = 0;
    while at < parts.len() {
        if parts[at].vertices.len() > LEAF
            && let Some([cut, one, other]) = cutter.cut(&parts[at].vertices)
        {
            let next = parts.len();
            parts[at].cut = Some((cut, [next, next + 1]));
            parts.push(Part { vertices: one, cut: None });
            parts.push(Part { vertices: other, cut: None });
        }
        at += 1;
    }
    parts
}

const OUTSIDE: u8 = 0;
const INSIDE: u8 = 1;
const NEAR: u8 = 2;
const FAR: u8 = 3;
/// Times a field is averaged over neighbours before it is cut along.
const SMOOTHINGS: usize = 60;

/// Cuts parts of a mesh along the level lines of fields that grow from one end to the other.
struct Cutter<'a> {
    pattern: &'a BlockPattern,
    side: Vec<u8>,
    field: Vec<f64>,
    smooth: Vec<f64>,
    queue: VecDeque<u32>,
}

impl Cutter<'_> {
    /// What parts these vertices, and the halves; none if they cannot be parted.
    fn cut(&mut self, vertices: &[u32]) -> Option<[Vec<u32>; 3]> {
        let (far, reached) = self.distances(vertices, vertices[0]);
        if reached < vertices.len() {
            // What does not hang together needs no separator.
            let (one, other) = vertices.iter().partition(|&&v| self.field[v as usize] >= 0.0);
            self.leave(vertices);
            return Some([Vec::new(), one, other]);
        }
        let (end, _) = self.distances(vertices, far);
        let mut best = None;
        self.try_field(vertices, &mut best);
        let first: Vec<f64> = vertices.iter().map(|&v| self.field[v as usize]).collect();
        self.distances(vertices, end);
        self.try_field(vertices, &mut best);
        for (&v, first) in vertices.iter().zip(&first) {
            self.field[v as usize] -= first;
        }
        self.try_field(vertices, &mut best);
        for _ in 0..SMOOTHINGS {
            self.average(vertices);
        }
        self.try_field(vertices, &mut best);
        self.leave(vertices);
        best.map(|(_, halves)| halves)
    }

    fn leave(&mut self, vertices: &[u32]) {
        vertices.iter().for_each(|&v| self.side[v as usize] = OUTSIDE);
    }

    fn neighbours(&self, v: u32) -> impl Iterator<Item = usize> {
        self.pattern.columns()[self.pattern.row(v as usize)].iter().map(|&w| w as usize).filter(|&w| self.side[w] != OUTSIDE)
    }

    /// Makes the field the distance from a vertex, -1 where it is not reached; the last vertex reached, and how many were.
    fn distances(&mut self, vertices: &[u32], start: u32) -> (u32, usize) {
        for &v in vertices {
            self.side[v as usize] = INSIDE;
            self.field[v as usize] = -1.0;
        }
        self.field[start as usize] = 0.0;
        self.queue.clear();
        self.queue.push_back(start);
        let (mut last, mut reached) = (start, 0);
        while let Some(v) = self.queue.pop_front() {
            (last, reached) = (v, reached + 1);
            for &w in &self.pattern.columns()[self.pattern.row(v as usize)] {
                if self.side[w as usize] != OUTSIDE && self.field[w as usize] < 0.0 {
                    self.field[w as usize] = self.field[v as usize] + 1.0;
                    self.queue.push_back(w);
                }
            }
        }
        (last, reached)
    }

    /// Replaces the field by its mean over neighbours, less the mean of all: what varies slowest remains (the second eigenvector, after Fiedler 1973).
    fn average(&mut self, vertices: &[u32]) {
        for &v in vertices {
            let (mut sum, mut count) = (0.0, 0.0);
            for w in self.neighbours(v) {
                (sum, count) = (sum + self.field[w], count + 1.0);
            }
            self.smooth[v as usize] = sum / count;
        }
        let mean = vertices.iter().map(|&v| self.smooth[v as usize]).sum::<f64>() / vertices.len() as f64;
        let size = vertices.iter().map(|&v| (self.smooth[v as usize] - mean).abs()).fold(1e-300, f64::max);
        vertices.iter().for_each(|&v| self.field[v as usize] = (self.smooth[v as usize] - mean) / size);
    }

    /// Cuts along some level lines of the field near the middle, and keeps what is best so far.
    fn try_field(&mut self, vertices: &[u32], best: &mut Option<(f64, [Vec<u32>; 3])>) {
        let mut sorted = vertices.to_vec();
        sorted.sort_by(|&a, &b| self.field[a as usize].total_cmp(&self.field[b as usize]).then(a.cmp(&b)));
        for percent in [35, 40, 45, 50, 55, 60, 65] {
            let middle = (sorted.len() * percent / 100).clamp(1, sorted.len() - 1);
            for (k, &v) in sorted.iter().enumerate() {
                self.side[v as usize] = if k < middle { NEAR } else { FAR };
            }
            for from in [NEAR, FAR] {
                let halves = self.halves(&sorted, from);
                let cost = cost(&halves);
                if cost.is_finite() && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    *best = Some((cost, halves));
                }
            }
        }
    }

    /// The vertices of one side that touch the other part the two.
    fn halves(&self, vertices: &[u32], from: u8) -> [Vec<u32>; 3] {
        let mut out = [Vec::new(), Vec::new(), Vec::new()];
        for &v in vertices {
            let side = self.side[v as usize];
            let cuts = side == from && self.neighbours(v).any(|w| self.side[w] != side);
            out[if cuts { 0 } else { usize::from(side - INSIDE) }].push(v);
        }
        out
    }
}

/// How bad a separator is: its size, and how unequal the halves are.
fn cost([cut, one, other]: &[Vec<u32>; 3]) -> f64 {
    let (small, large) = (one.len().min(other.len()) as f64, one.len().max(other.len()) as f64);
    if small == 0.0 {
        return f64::INFINITY;
    }
    cut.len() as f64 * (1.0 + ((large - small) / (large + small)).powi(2) * 2.0) + 1e-3 * (large - small)
}
