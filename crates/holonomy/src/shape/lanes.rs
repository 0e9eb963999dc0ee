//! Loops that run several points or faces at once on any processor: points taken in blocks, component by component; and [`Four`] numbers side
//! by side, with sums in the same order on every processor.

use std::ops::{Add, Div, Mul, Sub};

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

/// Numbers that [`Four`] holds.
pub(crate) const FOUR: usize = 4;

/// Four numbers side by side in vector registers. What is summed over a mesh is summed lane by lane, then the lanes in order: so a result differs
/// between processors only by whether [`Four::mul_add`] rounds once or twice.
///
/// A value is made from another one, which shows that the processor can.
pub(crate) trait Four: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Sized {
    fn with(self, values: [f64; FOUR]) -> Self;
    fn splat(self, value: f64) -> Self;
    fn array(self) -> [f64; FOUR];
    fn sqrt(self) -> Self;
    /// self · factor + term, rounded once where the processor can.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// self · factor − term, rounded once where the processor can.
    fn mul_sub(self, factor: Self, term: Self) -> Self;
    /// The larger ones; neither may be NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller ones; neither may be NaN.
    fn min(self, other: Self) -> Self;
    /// Whether one of them has the sign bit.
    fn any_negative(self) -> bool;

    /// The sum of the four, in order.
    #[inline(always)]
    fn total(self) -> f64 {
        let [a, b, c, d] = self.array();
        ((a + b) + c) + d
    }
}

/// A loop, written once for all processors. All it does with [`Four`] must be in `#[inline(always)]` functions, and not in closures: what is not
/// inlined is compiled for the least of processors, one call per operation.
pub(crate) trait Loop {
    type Output;
    fn run<V: Four>(self, zero: V) -> Self::Output;
}

/// Runs a loop on the widest registers there are.
#[inline]
pub(crate) fn dispatch<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(avx::In { simd, work });
    }
    work.run(Portable([0.0; FOUR]))
}

/// On any processor; the compiler finds what vectors it has.
#[derive(Clone, Copy)]
struct Portable([f64; FOUR]);

impl Portable {
    #[inline(always)]
    fn each(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Portable([of(a, e), of(b, f), of(c, g), of(d, h)])
    }
}

impl Four for Portable {
    #[inline(always)]
    fn with(self, values: [f64; FOUR]) -> Self {
        Portable(values)
    }
    #[inline(always)]
    fn splat(self, value: f64) -> Self {
        Portable([value; FOUR])
    }
    #[inline(always)]
    fn array(self) -> [f64; FOUR] {
        self.0
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(self, |a, _| a.sqrt())
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        self * factor - term
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.each(other, f64::max)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.each(other, f64::min)
    }
    #[inline(always)]
    fn any_negative(self) -> bool {
        self.0.iter().any(|x| x.is_sign_negative())
    }
}

macro_rules! operator {
    ($type:ident, $trait:ident, $name:ident, |$a:ident, $b:ident| $value:expr) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $value
            }
        }
    };
}

operator!(Portable, Add, add, |a, b| a.each(b, |x, y| x + y));
operator!(Portable, Sub, sub, |a, b| a.each(b, |x, y| x - y));
operator!(Portable, Mul, mul, |a, b| a.each(b, |x, y| x * y));
operator!(Portable, Div, div, |a, b| a.each(b, |x, y| x / y));

/// Four at a time, where the processor has AVX2.
#[cfg(target_arch = "x86_64")]
mod avx {
    use std::ops::{Add, Div, Mul, Sub};

    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, Simd, f64x4};

    use super::{FOUR, Four, Loop};

    /// The processor and the numbers.
    #[derive(Clone, Copy)]
    struct Avx(V3, f64x4);

    pub(super) struct In<L> {
        pub simd: V3,
        pub work: L,
    }

    impl<L: Loop> NullaryFnOnce for In<L> {
        type Output = L::Output;
        #[inline(always)]
        fn call(self) -> L::Output {
            self.work.run(Avx(self.simd, self.simd.splat_f64s(0.0)))
        }
    }

    impl Four for Avx {
        #[inline(always)]
        fn with(self, [a, b, c, d]: [f64; FOUR]) -> Self {
            Avx(self.0, f64x4(a, b, c, d))
        }
        #[inline(always)]
        fn splat(self, value: f64) -> Self {
            Avx(self.0, self.0.splat_f64s(value))
        }
        #[inline(always)]
        fn array(self) -> [f64; FOUR] {
            let f64x4(a, b, c, d) = self.1;
            [a, b, c, d]
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Avx(self.0, self.0.sqrt_f64s(self.1))
        }
        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            Avx(self.0, self.0.mul_add_f64x4(self.1, factor.1, term.1))
        }
        #[inline(always)]
        fn mul_sub(self, factor: Self, term: Self) -> Self {
            Avx(self.0, self.0.mul_sub_f64x4(self.1, factor.1, term.1))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Avx(self.0, self.0.max_f64s(self.1, other.1))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Avx(self.0, self.0.min_f64s(self.1, other.1))
        }
        #[inline(always)]
        fn any_negative(self) -> bool {
            self.0.avx._mm256_movemask_pd(pulp::cast(self.1)) != 0
        }
    }

    operator!(Avx, Add, add, |a, b| Avx(a.0, a.0.add_f64s(a.1, b.1)));
    operator!(Avx, Sub, sub, |a, b| Avx(a.0, a.0.sub_f64s(a.1, b.1)));
    operator!(Avx, Mul, mul, |a, b| Avx(a.0, a.0.mul_f64s(a.1, b.1)));
    operator!(Avx, Div, div, |a, b| Avx(a.0, a.0.div_f64s(a.1, b.1)));
}

#[inline(always)]
pub(crate) fn dot<V: Four>(a: &[V; 3], b: &[V; 3]) -> V {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// a × b.
#[inline(always)]
pub(crate) fn cross<V: Four>(a: &[V; 3], b: &[V; 3]) -> [V; 3] {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

/// a × b, and exactly zero if they are the same.
#[inline(always)]
pub(crate) fn cross_of_edges<V: Four>(a: &[V; 3], b: &[V; 3]) -> [V; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Adds factor · a.
#[inline(always)]
pub(crate) fn add_scaled<V: Four>(sums: &mut [V; 3], a: &[V; 3], factor: V) {
    for k in 0..3 {
        sums[k] = a[k].mul_add(factor, sums[k]);
    }
}

/// Four vectors, component by component.
#[inline(always)]
pub(crate) fn pack<V: Four>(zero: V, [p, q, r, s]: [&Vector3<f64>; FOUR]) -> [V; 3] {
    [zero.with([p.x, q.x, r.x, s.x]), zero.with([p.y, q.y, r.y, s.y]), zero.with([p.z, q.z, r.z, s.z])]
}

/// The same of vectors that are kept so.
#[inline(always)]
pub(crate) fn three<V: Four>(zero: V, lanes: &[[f64; FOUR]; 3]) -> [V; 3] {
    [zero.with(lanes[0]), zero.with(lanes[1]), zero.with(lanes[2])]
}

#[inline(always)]
pub(crate) fn plus<V: Four>(a: &[V; 3], b: &[V; 3]) -> [V; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn minus<V: Four>(a: &[V; 3], b: &[V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scaled<V: Four>(a: &[V; 3], factor: V) -> [V; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// Adds each term to its sum.
#[inline(always)]
pub(crate) fn accumulate<V: Four, const N: usize>(sums: &mut [V; N], terms: &[V; N]) {
    for i in 0..N {
        sums[i] = sums[i] + terms[i];
    }
}
