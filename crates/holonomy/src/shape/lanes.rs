//! Points taken in blocks, component by component, so that a loop over them runs several at once on any processor.

use nalgebra::Vector3;

/// Points in a block.
pub(crate) const BLOCK: usize = 64;

/// Points that a loop over a block takes at once, at most: the widest vectors of any processor.
pub(crate) const STRIDE: usize = 8;

/// Up to [`BLOCK`] vectors, component by component.
pub(crate) type Vectors = [[f64; BLOCK]; 3];

/// Where the points of a block, their directions (tangents or normals) and weights (lengths or areas) are written.
pub(crate) struct Directions<'a> {
    pub point: &'a mut Vectors,
    pub axis: &'a mut Vectors,
    pub weight: &'a mut [f64; BLOCK],
}

/// How many of `len` points are in block `b`.
#[inline(always)]
pub(crate) fn count(len: usize, b: usize) -> usize {
    len.saturating_sub(b * BLOCK).min(BLOCK)
}

/// The same, rounded up to what loops run over.
#[inline(always)]
pub(crate) fn lanes(len: usize, b: usize) -> usize {
    count(len, b).next_multiple_of(STRIDE)
}

/// Copies `points` into the first lanes; the others keep what they hold.
#[inline(always)]
pub(crate) fn spread(points: &[Vector3<f64>], out: &mut Vectors) {
    let [x, y, z] = out;
    for (((p, x), y), z) in points.iter().zip(x).zip(y).zip(z) {
        (*x, *y, *z) = (p.x, p.y, p.z);
    }
}

/// One block of directions, on its way into slices.
pub(crate) struct Buffer {
    point: Vectors,
    axis: Vectors,
    weight: [f64; BLOCK],
}

impl Buffer {
    #[inline(always)]
    pub fn new() -> Self {
        Buffer { point: [[0.0; BLOCK]; 3], axis: [[0.0; BLOCK]; 3], weight: [0.0; BLOCK] }
    }

    #[inline(always)]
    pub fn directions(&mut self) -> Directions<'_> {
        Directions { point: &mut self.point, axis: &mut self.axis, weight: &mut self.weight }
    }

    /// Hands directions and weights on, as many as the slices hold.
    #[inline(always)]
    pub fn unload(&self, axes: &mut [Vector3<f64>], weights: &mut [f64]) {
        let [x, y, z] = &self.axis;
        for (((axis, x), y), z) in axes.iter_mut().zip(x).zip(y).zip(z) {
            *axis = Vector3::new(*x, *y, *z);
        }
        weights.iter_mut().zip(&self.weight).for_each(|(out, weight)| *out = *weight);
    }
}
