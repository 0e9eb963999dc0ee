//! Dense blocks: for few vertices, or where all act on all.
//!
//! Two adjacent frames are set aside as a border; the others are then a band of half width two blocks, without a wrap. The band is factored from first to
//! last, each column of blocks with the border's rows below it, and the border last. If the two frames are prescribed there is no border, and the loop is
//! cut. Work and memory are linear in the number of frames.
//!
//! A column of blocks is a panel, column-major: rows of the frame itself, of the next two, and of the two of the border. Blocks are padded to a multiple of
//! four rows, with ones on the diagonal.

use nalgebra::{Matrix3, Vector3};
use pulp::{Arch, Simd, WithSimd};

use super::normal::{FrameBlocks, Places};
use super::{Cycle, Stage};

/// Rows and columns that kernels work on at a time.
const TILE: usize = 4;
/// A pivot smaller than this part of its diagonal entry is taken as zero.
const TINY: f64 = 1e-14;

/// A = LLᵀ in dense blocks.
#[derive(Debug)]
pub(super) struct Band {
    places: Places,
    blocks: FrameBlocks,
    /// Padded size of a block.
    size: usize,
    /// The frame after the border.
    first: usize,
    /// Rows of the border: two blocks, or none.
    border: usize,
    /// Panels one after another.
    panels: Vec<f64>,
    /// The border's own block.
    corner: Vec<f64>,
    diagonal: Vec<f64>,
    x: Vec<f64>,
}

impl Band {
    /// Bytes that a cycle needs.
    pub fn bytes(cycle: &Cycle) -> usize {
        let size = (3 * cycle.masses.len()).next_multiple_of(TILE);
        8usize.saturating_mul(size).saturating_mul(size).saturating_mul(5 * cycle.frames + 4)
    }

    pub fn new(cycle: &Cycle) -> Self {
        let (n, frames) = (cycle.masses.len(), cycle.frames);
        let size = (3 * n).next_multiple_of(TILE);
        let all_fixed = |frame: usize| (0..n).all(|v| cycle.is_fixed(frame % frames, v));
        let cut = (0..frames).find(|&k| all_fixed(k) && all_fixed(k + 1));
        let border = if cut.is_some() { 0 } else { 2 * size };
        let places = Places::new(&cycle.pattern);
        let blocks = places.blocks(&cycle.pattern);
        Band {
            places,
            blocks,
            size,
            first: cut.unwrap_or(0) + 2,
            border,
            panels: vec![0.0; (frames - 2) * size * (3 * size + border)],
            corner: vec![0.0; border * border],
            diagonal: vec![0.0; 3 * n],
            x: vec![0.0; frames * size],
        }
    }

    /// Factors A; false if it is not positive definite.
    pub fn factor(&mut self, cycle: &Cycle, stage: &Stage) -> bool {
        self.panels.fill(0.0);
        self.corner.fill(0.0);
        for frame in 0..cycle.frames {
            self.places.fill(cycle, stage, frame, &mut self.blocks);
            self.store(cycle, frame);
        }
        // The same sums with the widest registers that the machine has.
        Arch::new().dispatch(Factoring(self))
    }

    /// Puts the blocks of one frame where they belong.
    #[inline(always)]
    fn store(&mut self, cycle: &Cycle, frame: usize) {
        let (n, free) = (cycle.masses.len(), cycle.fixed.is_empty() && cycle.held.is_empty());
        let place = self.place(cycle, frame);
        if let Some(to) = self.target(place, place) {
            for row in 0..n {
                for at in self.places.squared.row(row) {
                    let column = self.places.squared.columns()[at] as usize;
                    if column > row {
                        break;
                    }
                    if free || !(cycle.is_fixed(frame, row) || cycle.is_fixed(frame, column)) {
                        to.add([&mut self.panels, &mut self.corner], row, column, &self.blocks.own[at]);
                    } else if row == column {
                        to.add([&mut self.panels, &mut self.corner], row, row, &Matrix3::identity());
                    }
                }
            }
            to.pad([&mut self.panels, &mut self.corner], 3 * n..self.size);
        }
        for ahead in 0..2 {
            let then = (frame + ahead + 1) % cycle.frames;
            // With fewer than five frames two blocks share a place, and add up.
            let Some(to) = self.target(place, self.place(cycle, then)) else { continue };
            for row in 0..n {
                for at in cycle.pattern.row(row) {
                    let column = cycle.pattern.columns()[at] as usize;
                    if free || !(cycle.is_fixed(frame, row) || cycle.is_fixed(then, column)) {
                        to.add([&mut self.panels, &mut self.corner], row, column, &self.blocks.next[ahead][at]);
                    }
                }
            }
        }
    }

    /// Where a frame stands in the order of elimination: the border is last.
    fn place(&self, cycle: &Cycle, frame: usize) -> usize {
        (frame + 2 * cycle.frames - self.first) % cycle.frames
    }

    /// Where the block of block row `at` and block column `to` is kept, or its transpose; none if it is prescribed.
    fn target(&self, at: usize, to: usize) -> Option<Target> {
        let flip = at < to;
        let (at, to) = (at.max(to), at.min(to));
        let (size, height) = (self.size, 3 * self.size + self.border);
        let banded = self.panels.len() / (size * height);
        if at >= banded && self.border == 0 {
            None
        } else if to >= banded {
            let start = (to - banded) * size * self.border + (at - banded) * size;
            Some(Target { corner: true, start, stride: self.border, flip })
        } else {
            let below = if at >= banded { 3 + at - banded } else { at - to };
            Some(Target { corner: false, start: to * size * height + below * size, stride: height, flip })
        }
    }

    #[inline(always)]
    fn factored(&mut self) -> bool {
        let (size, border) = (self.size, self.border);
        let height = 3 * size + border;
        let mut diagonal = std::mem::take(&mut self.diagonal);
        diagonal.resize(size.max(border), 0.0);
        let mut good = true;
        for at in 0..self.panels.len() / (size * height) {
            let (done, rest) = self.panels.split_at_mut(at * size * height);
            let panel = &mut rest[..size * height];
            for (k, entry) in diagonal[..size].iter_mut().enumerate() {
                *entry = panel[k * height + k];
            }
            if at >= 1 {
                let before = &done[(at - 1) * size * height..];
                // Rows of the frame itself and of the next stand one block lower in the panel before.
                subtract(panel, height, &before[size..], &before[size..], height, [2 * size, size, size]);
                subtract(&mut panel[3 * size..], height, &before[3 * size..], &before[size..], height, [border, size, size]);
            }
            if at >= 2 {
                let before = &done[(at - 2) * size * height..(at - 1) * size * height];
                subtract(panel, height, &before[2 * size..], &before[2 * size..], height, [size, size, size]);
                subtract(&mut panel[3 * size..], height, &before[3 * size..], &before[2 * size..], height, [border, size, size]);
            }
            good &= cholesky(panel, height, size, &diagonal);
            if border > 0 {
                subtract(&mut self.corner, border, &panel[3 * size..], &panel[3 * size..], height, [border, border, size]);
            }
        }
        if border > 0 {
            for (k, entry) in diagonal[..border].iter_mut().enumerate() {
                *entry = self.corner[k * border + k];
            }
            good &= cholesky(&mut self.corner, border, border, &diagonal);
        }
        self.diagonal = diagonal;
        good
    }

    /// Solves in place.
    pub fn solve(&mut self, cycle: &Cycle, rhs: &mut [Vector3<f64>]) {
        let (n, size) = (cycle.masses.len(), self.size);
        self.x.fill(0.0);
        for (frame, rhs) in rhs.chunks_exact(n).enumerate() {
            let place = self.place(cycle, frame);
            for (k, v) in rhs.iter().enumerate().filter(|(k, _)| !cycle.is_fixed(frame, *k)) {
                self.x[place * size + 3 * k..][..3].copy_from_slice(v.as_slice());
            }
        }
        Arch::new().dispatch(Solving(self));
        for (frame, rhs) in rhs.chunks_exact_mut(n).enumerate() {
            let place = self.place(cycle, frame);
            for (k, v) in rhs.iter_mut().enumerate() {
                *v = Vector3::from_column_slice(&self.x[place * size + 3 * k..][..3]);
            }
        }
    }

    #[inline(always)]
    fn solved(&mut self) {
        let (size, border) = (self.size, self.border);
        let height = 3 * size + border;
        let banded = self.panels.len() / (size * height);
        let x = &mut self.x;
        for (at, panel) in self.panels.chunks_exact(size * height).enumerate() {
            // Rows in the band below; the last panels have fewer.
            let below = (3 * size).min((banded - at) * size);
            for (k, column) in panel.chunks_exact(height).enumerate() {
                let value = x[at * size + k] / column[k];
                x[at * size + k] = value;
                let rows = &mut x[at * size + k + 1..at * size + below];
                rows.iter_mut().zip(&column[k + 1..below]).for_each(|(x, l)| *x -= l * value);
                let rows = &mut x[banded * size..][..border];
                rows.iter_mut().zip(&column[3 * size..]).for_each(|(x, l)| *x -= l * value);
            }
        }
        for (k, column) in self.corner.chunks_exact(border.max(1)).enumerate() {
            let x = &mut x[banded * size..];
            x[k] /= column[k];
            let value = x[k];
            x[k + 1..].iter_mut().zip(&column[k + 1..]).for_each(|(x, l)| *x -= l * value);
        }
        for (k, column) in self.corner.chunks_exact(border.max(1)).enumerate().rev() {
            let x = &mut x[banded * size..];
            let sum: f64 = x[k + 1..].iter().zip(&column[k + 1..]).map(|(x, l)| x * l).sum();
            x[k] = (x[k] - sum) / column[k];
        }
        for (at, panel) in self.panels.chunks_exact(size * height).enumerate().rev() {
            let below = (3 * size).min((banded - at) * size);
            for (k, column) in panel.chunks_exact(height).enumerate().rev() {
                let near: f64 = x[at * size + k + 1..at * size + below].iter().zip(&column[k + 1..below]).map(|(x, l)| x * l).sum();
                let far: f64 = x[banded * size..][..border].iter().zip(&column[3 * size..]).map(|(x, l)| x * l).sum();
                x[at * size + k] = (x[at * size + k] - near - far) / column[k];
            }
        }
    }
}

/// What is compiled for each kind of registers.
struct Factoring<'a>(&'a mut Band);

impl WithSimd for Factoring<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        self.0.factored()
    }
}

/// The same, for solves.
struct Solving<'a>(&'a mut Band);

impl WithSimd for Solving<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.solved();
    }
}

/// Where a block is kept: in the panels or in the corner, from `start`, its columns `stride` apart; transposed if `flip`.
struct Target {
    corner: bool,
    start: usize,
    stride: usize,
    flip: bool,
}

impl Target {
    /// Adds the 3 × 3 block of two vertices.
    #[inline(always)]
    fn add(&self, [panels, corner]: [&mut [f64]; 2], row: usize, column: usize, block: &Matrix3<f64>) {
        let memory = if self.corner { corner } else { panels };
        let (row, column) = if self.flip { (column, row) } else { (row, column) };
        for b in 0..3 {
            let to = &mut memory[self.start + (3 * column + b) * self.stride + 3 * row..][..3];
            for (a, to) in to.iter_mut().enumerate() {
                *to += if self.flip { block[(b, a)] } else { block[(a, b)] };
            }
        }
    }

    /// Ones on the diagonal.
    fn pad(&self, [panels, corner]: [&mut [f64]; 2], range: std::ops::Range<usize>) {
        let memory = if self.corner { corner } else { panels };
        range.for_each(|k| memory[self.start + k * self.stride + k] = 1.0);
    }
}

/// L of the first `columns` rows and columns, in place, with the rows below solved for; false where a pivot is not positive beside its entry in `diagonal`.
#[inline(always)]
fn cholesky(panel: &mut [f64], height: usize, columns: usize, diagonal: &[f64]) -> bool {
    let mut good = true;
    for start in (0..columns).step_by(TILE) {
        let (left, right) = panel.split_at_mut(start * height);
        if start > 0 {
            subtract(&mut right[start..], height, &left[start..], &left[start..], height, [height - start, TILE, start]);
        }
        for k in start..start + TILE {
            let (here, after) = right[(k - start) * height..].split_at_mut(height);
            let pivot = here[k];
            good &= pivot > diagonal[k] * TINY;
            let scale = 1.0 / pivot.abs().sqrt();
            here[k..].iter_mut().for_each(|x| *x *= scale);
            for (j, other) in (k + 1..start + TILE).zip(after.chunks_exact_mut(height)) {
                let factor = here[j];
                other[start..].iter_mut().zip(&here[start..]).for_each(|(x, l)| *x -= l * factor);
            }
        }
    }
    good
}

/// c −= a bᵀ, where `sizes` are the rows of a, the rows of b, and the columns of both: multiples of [`TILE`].
#[inline(always)]
fn subtract(c: &mut [f64], c_height: usize, a: &[f64], b: &[f64], height: usize, sizes: [usize; 3]) {
    let [rows, columns, depth] = sizes;
    for column in (0..columns).step_by(TILE) {
        let mut row = 0;
        while row + 2 * TILE <= rows {
            tile::<{ 2 * TILE }>(&mut c[column * c_height + row..], c_height, &a[row..], &b[column..], height, depth);
            row += 2 * TILE;
        }
        while row < rows {
            tile::<TILE>(&mut c[column * c_height + row..], c_height, &a[row..], &b[column..], height, depth);
            row += TILE;
        }
    }
}

/// R rows and [`TILE`] columns of [`subtract`].
#[inline(always)]
fn tile<const R: usize>(c: &mut [f64], c_height: usize, a: &[f64], b: &[f64], height: usize, depth: usize) {
    let mut sums = [[0.0; R]; TILE];
    for k in 0..depth {
        let (a, b) = (&a[k * height..][..R], &b[k * height..][..TILE]);
        for (sums, b) in sums.iter_mut().zip(b) {
            for (sum, a) in sums.iter_mut().zip(a) {
                *sum += a * b;
            }
        }
    }
    for (j, sums) in sums.iter().enumerate() {
        for (c, sum) in c[j * c_height..][..R].iter_mut().zip(sums) {
            *c -= sum;
        }
    }
}
