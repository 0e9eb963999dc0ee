//! Dense blocks: for few vertices, or where all act on all.
//!
//! Two adjacent frames are set aside as a border; the others are then a band of half width two blocks, without a wrap. The band is factored from first to
//! last, each column of blocks with the border's rows below it, and the border last. If the two frames are prescribed there is no border, and the loop is
//! cut. Work and memory are linear in the number of frames.
//!
//! A column of blocks is a panel, column-major: rows of the frame itself, of the next two, and of the two of the border. Blocks are padded to a multiple of
//! four rows, with ones on the diagonal.

use nalgebra::Vector3;
use pulp::Arch;

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
        Arch::new().dispatch(|| self.factored())
    }

    /// Puts the blocks of one frame where they belong.
    fn store(&mut self, cycle: &Cycle, frame: usize) {
        let n = cycle.masses.len();
        let place = self.place(cycle, frame);
        let blocks = std::mem::take(&mut self.blocks.own);
        for row in 0..n {
            let fixed = cycle.is_fixed(frame, row);
            for at in self.places.squared.row(row) {
                let column = self.places.squared.columns()[at] as usize;
                if column > row {
                    break;
                }
                let off = fixed || cycle.is_fixed(frame, column);
                for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                    let value = if !off { blocks[at][(a, b)] } else { f64::from(u8::from(row == column && a == b)) };
                    if let Some(entry) = self.entry(place, place, 3 * row + a, 3 * column + b) {
                        *entry = value;
                    }
                }
            }
        }
        self.blocks.own = blocks;
        for pad in 3 * n..self.size {
            if let Some(entry) = self.entry(place, place, pad, pad) {
                *entry = 1.0;
            }
        }
        for ahead in 0..2 {
            let then = (frame + ahead + 1) % cycle.frames;
            let other = self.place(cycle, then);
            let blocks = std::mem::take(&mut self.blocks.next[ahead]);
            for row in 0..n {
                for at in cycle.pattern.row(row) {
                    let column = cycle.pattern.columns()[at] as usize;
                    if cycle.is_fixed(frame, row) || cycle.is_fixed(then, column) {
                        continue;
                    }
                    for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                        let value = blocks[at][(a, b)];
                        // With fewer than five frames two blocks share a place, and add up.
                        if let Some(entry) = self.entry(place, other, 3 * row + a, 3 * column + b) {
                            *entry += value;
                        }
                    }
                }
            }
            self.blocks.next[ahead] = blocks;
        }
    }

    /// Where a frame stands in the order of elimination: the border is last.
    fn place(&self, cycle: &Cycle, frame: usize) -> usize {
        (frame + 2 * cycle.frames - self.first) % cycle.frames
    }

    /// The entry of the lower triangle that belongs to row `i` of block row `at` and column `j` of block column `to`.
    fn entry(&mut self, at: usize, to: usize, i: usize, j: usize) -> Option<&mut f64> {
        let (at, to, i, j) = if at >= to { (at, to, i, j) } else { (to, at, j, i) };
        let (size, height) = (self.size, 3 * self.size + self.border);
        let banded = self.panels.len() / (size * height);
        if to >= banded {
            if self.border == 0 {
                return None;
            }
            return self.corner.get_mut(((to - banded) * size + j) * self.border + (at - banded) * size + i);
        }
        let row = if at >= banded {
            if self.border == 0 {
                return None;
            }
            (3 + at - banded) * size + i
        } else {
            (at - to) * size + i
        };
        self.panels.get_mut((to * size + j) * height + row)
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
            good &= cholesky(panel, height, height, size, &diagonal);
            if border > 0 {
                subtract(&mut self.corner, border, &panel[3 * size..], &panel[3 * size..], height, [border, border, size]);
            }
        }
        if border > 0 {
            for (k, entry) in diagonal[..border].iter_mut().enumerate() {
                *entry = self.corner[k * border + k];
            }
            good &= cholesky(&mut self.corner, border, border, border, &diagonal);
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
        Arch::new().dispatch(|| self.solved());
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

/// L of the first `columns` rows and columns, in place, with the rows below solved for; false where a pivot is not positive beside its entry in `diagonal`.
#[inline(always)]
fn cholesky(panel: &mut [f64], height: usize, rows: usize, columns: usize, diagonal: &[f64]) -> bool {
    let mut good = true;
    for start in (0..columns).step_by(TILE) {
        let end = start + TILE;
        for k in start..end {
            let (left, right) = panel.split_at_mut((k + 1) * height);
            let column = &mut left[k * height..];
            let pivot = column[k];
            if !(pivot > diagonal[k] * TINY) {
                good = false;
            }
            let scale = 1.0 / pivot.abs().sqrt();
            column[k..rows].iter_mut().for_each(|x| *x *= scale);
            for (j, other) in (k + 1..end).zip(right.chunks_exact_mut(height)) {
                let factor = column[j];
                other[k + 1..rows].iter_mut().zip(&column[k + 1..rows]).for_each(|(x, l)| *x -= l * factor);
            }
        }
        if end < columns {
            let (left, right) = panel.split_at_mut(end * height);
            let left = &left[start * height + end..];
            subtract(&mut right[end..], height, left, left, height, [rows - end, columns - end, TILE]);
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
        if row < rows {
            tile::<TILE>(&mut c[column * c_height + row..], c_height, &a[row..], &b[column..], height, depth);
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
