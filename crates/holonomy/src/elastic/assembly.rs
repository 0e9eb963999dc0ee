//! Sums over elements into the rows of forces and stiffness, side by side.
//!
//! Rows are cut into fixed chunks; each chunk evaluates all elements that have a corner in it, in their order, and keeps what falls on its own rows. Elements
//! on a seam are evaluated twice, but nothing is shared: no scratch, and the same bits for any number of threads.

use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use super::Element;
use crate::integrate::force_law::Stiffness;
use crate::solve::blocks::BlockPattern;

/// Rows in a chunk: enough that few elements lie on seams.
const CHUNK: usize = 512;

/// No row, or no block: of a vertex that is held, or in another chunk.
const NONE: u32 = u32::MAX;

/// Elements of one kind with the numbers of their corners: free vertices come first, those held after them.
#[derive(Debug, Clone)]
pub(super) struct Group<E, const K: usize> {
    pub elements: Vec<E>,
    pub corners: Vec<[u32; K]>,
    /// By chunk.
    parts: Vec<Vec<Part<K>>>,
}

/// An element as one chunk sees it.
#[derive(Debug, Clone, Copy)]
struct Part<const K: usize> {
    element: u32,
    /// Whether its energy is counted in this chunk.
    counts: bool,
    /// Rows of its corners, from the chunk's first.
    rows: [u32; K],
    /// Places of its blocks, from the chunk's first.
    places: [[u32; K]; K],
}

/// Rows and blocks of a chunk.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub index: usize,
    pub rows: Range<usize>,
    pub blocks: Range<usize>,
}

/// The chunks of a pattern.
pub(super) fn chunks(pattern: &BlockPattern) -> Vec<Chunk> {
    let rows = pattern.vertices();
    // As even as can be.
    let count = rows.div_ceil(CHUNK).max(1);
    let start = |index: usize| index * rows / count;
    let block = |row: usize| if row < rows { pattern.row(row).start } else { pattern.blocks() };
    (0..count)
        .map(|index| {
            let rows = start(index)..start(index + 1);
            Chunk { index, blocks: block(rows.start)..block(rows.end), rows }
        })
        .collect()
}

/// Does `work` for each chunk on its part of `out`, of which it has that many entries; the halves side by side.
pub(super) fn each_chunk<T: Send>(
    chunks: &[Chunk],
    out: &mut [T],
    entries: &(impl Fn(&Chunk) -> usize + Sync),
    work: &(impl Fn(&Chunk, &mut [T]) + Sync),
) {
    match chunks {
        [] => {}
        [chunk] => work(chunk, out),
        _ => {
            let (left, right) = chunks.split_at(chunks.len() / 2);
            let (out_left, out_right) = out.split_at_mut(left.iter().map(entries).sum());
            rayon::join(|| each_chunk(left, out_left, entries, work), || each_chunk(right, out_right, entries, work));
        }
    }
}

impl<E: Element<K>, const K: usize> Group<E, K> {
    /// Of elements whose corners are numbered free vertices first. Finds the places of their blocks in `pattern`, in which they are. Elements all of whose corners are held are
    /// in no chunk: they move nothing, and their energy is not counted.
    pub fn new(elements: Vec<E>, corners: Vec<[u32; K]>, pattern: &BlockPattern, chunks: &[Chunk]) -> Self {
        let mut parts = vec![Vec::new(); chunks.len()];
        for (element, corners) in corners.iter().enumerate() {
            let home = |v: u32| chunks.partition_point(|chunk| chunk.rows.end <= v as usize);
            let mut homes = corners.map(home);
            homes.sort_unstable();
            let mut counts = true;
            for k in 0..K {
                let index = homes[k];
                if index == chunks.len() || (k > 0 && homes[k - 1] == index) {
                    continue;
                }
                let chunk = &chunks[index];
                let row = |v: u32| if chunk.rows.contains(&(v as usize)) { v - chunk.rows.start as u32 } else { NONE };
                let place = |i: u32, j: u32| match pattern.find(i as usize, j as usize) {
                    Some(place) => (place - chunk.blocks.start) as u32,
                    None => NONE,
                };
                let rows = corners.map(row);
                let places = corners.map(|i| corners.map(|j| if row(i) == NONE { NONE } else { place(i, j) }));
                parts[index].push(Part { element: element as u32, counts, rows, places });
                counts = false;
            }
        }
        Group { elements, corners, parts }
    }

    /// The same in another pattern.
    pub fn placed(&self, pattern: &BlockPattern, chunks: &[Chunk]) -> Self
    where
        E: Clone,
    {
        Group::new(self.elements.clone(), self.corners.clone(), pattern, chunks)
    }

    /// The energy that is counted in a chunk.
    pub fn energy(&self, chunk: &Chunk, at: &impl Fn(u32) -> Vector3<f64>) -> f64 {
        let counted = self.parts[chunk.index].iter().filter(|part| part.counts);
        counted.map(|part| self.elements[part.element as usize].energy(&self.corners[part.element as usize].map(at))).sum()
    }

    /// Adds forces to the rows of a chunk.
    pub fn add_force(&self, chunk: &Chunk, at: &impl Fn(u32) -> Vector3<f64>, force: &mut [Vector3<f64>]) {
        for part in &self.parts[chunk.index] {
            let forces = self.elements[part.element as usize].force(&self.corners[part.element as usize].map(at));
            for (row, element_force) in part.rows.iter().zip(&forces) {
                if let Some(force) = force.get_mut(*row as usize) {
                    *force += element_force;
                }
            }
        }
    }

    /// Adds stiffness to the blocks of a chunk.
    pub fn add_stiffness(&self, chunk: &Chunk, at: &impl Fn(u32) -> Vector3<f64>, which: Stiffness, values: &mut [Matrix3<f64>]) {
        for part in &self.parts[chunk.index] {
            let blocks = self.elements[part.element as usize].stiffness(&self.corners[part.element as usize].map(at), which);
            for (places, blocks) in part.places.iter().zip(&blocks) {
                for (place, block) in places.iter().zip(blocks) {
                    if let Some(value) = values.get_mut(*place as usize) {
                        *value += block;
                    }
                }
            }
        }
    }
}
