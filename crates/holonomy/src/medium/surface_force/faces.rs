//! One look at the faces of a shape, four at a time: what drag needs of each, and what the fluid that moves with them adds up to. Corners are
//! the costly part, found here and there in memory; so whoever needs both drag and added mass asks for both at once.
//!
//! | symbol | is |
//! |---|---|
//! | s, A, n, x̄ | wet sides, area, normal, barycentre of a face |
//! | x_a, u_a | corners, and their velocities in the shape's frame |
//! | q_a = x_a × n | linear over the face, as u·n is, so that `∫ab = A/12 (Σ a_i b_i + Σa_i Σb_i)` is exact for their products |

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::kernel::{Block, Lanes};
use crate::Error;
use crate::lie::Momentum;
use crate::shape::lanes::{FOUR, Four, Loop, accumulate, cross, dispatch, dot, minus, pack, plus, scaled};

/// The faces of a surface, in blocks of four; the last is filled up with faces without area.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Faces {
    corners: Vec<[[u32; 3]; FOUR]>,
    /// s; zero where a block is filled up.
    sides: Vec<Lanes>,
    len: usize,
    /// One more than the largest vertex named.
    vertices: usize,
}

/// The corners of a shape.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a> {
    /// At rest.
    Rigid(&'a [Vector3<f64>]),
    /// Points and their velocities, m/s.
    Moving(&'a [Vector3<f64>], &'a [Vector3<f64>]),
    /// Half way between two shapes, one time step, seconds, apart.
    Between(&'a [Vector3<f64>], &'a [Vector3<f64>], f64),
}

/// Where each block of faces is written; slices that are empty are passed over.
#[derive(Default)]
pub(crate) struct Sinks<'a> {
    pub blocks: &'a mut [Block],
    /// Velocity of the barycentres in the shape's frame, m/s.
    pub rates: &'a mut [[Lanes; 3]],
    /// Unit normal, zero without area, and area, m², of each face.
    pub normals: &'a mut [[[f64; 4]; FOUR]],
    /// Weight per area of each face in [`Measured::layer`].
    pub weights: &'a [Lanes],
}

/// What the faces come to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    /// Σ s A, m².
    pub area: f64,
    /// How many faces have no area.
    pub flat: usize,
    pub layer: Layer,
}

/// Inertia of a layer on the faces that moves along their normals: `Σ w ∫ a aᵀ dA`, `Σ w ∫ <u, n> a dA` with a(x) = (x × n, n), and ½ Σ w ∫ <u, n>² dA.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Layer {
    pub tensor: Matrix6<f64>,
    pub momentum: Momentum,
    pub energy: f64,
}

impl Layer {
    pub fn scaled(&self, factor: f64) -> Layer {
        Layer { tensor: self.tensor * factor, momentum: self.momentum * factor, energy: self.energy * factor }
    }
}

impl Faces {
    pub fn new(faces: &[[u32; 3]], sides: impl Fn(usize) -> f64) -> Faces {
        let mut blocks = Faces { corners: Vec::new(), sides: Vec::new(), len: faces.len(), vertices: 0 };
        blocks.vertices = faces.iter().flatten().max().map_or(0, |&largest| largest as usize + 1);
        for (b, block) in faces.chunks(FOUR).enumerate() {
            let filler = [block[0][0]; 3];
            blocks.corners.push(std::array::from_fn(|lane| block.get(lane).copied().unwrap_or(filler)));
            blocks.sides.push(std::array::from_fn(|lane| if lane < block.len() { sides(b * FOUR + lane) } else { 0.0 }));
        }
        blocks
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn blocks(&self) -> usize {
        self.corners.len()
    }

    /// s of each face.
    pub fn sides(&self) -> &[Lanes] {
        &self.sides
    }

    /// Looks at every face once.
    ///
    /// # Errors
    /// The lists of the shape have different lengths, or a face names a vertex that does not exist.
    pub fn measure(&self, shape: Shape, sinks: Sinks) -> Result<Measured, Error> {
        let (points, others, what) = match shape {
            Shape::Rigid(points) => (points, points, ""),
            Shape::Moving(points, velocities) => (points, velocities, "velocities of vertices"),
            Shape::Between(old, new, _) => (old, new, "vertices of the next shape"),
        };
        if points.len() != others.len() {
            return Err(Error::Length { what, expected: points.len(), found: others.len() });
        }
        let vertices = points.len();
        if vertices < self.vertices {
            let names = |face: &[u32; 3]| face.iter().find(|&&v| v as usize >= vertices).copied();
            let found = self.corners.as_flattened().iter().enumerate().find_map(|(index, face)| Some((index, names(face)?)));
            let (index, vertex) = found.unwrap_or_default();
            return Err(Error::VertexOutOfRange { what: "face", index, vertex: vertex as usize, vertices });
        }
        Ok(match shape {
            Shape::Rigid(points) => dispatch(Pass::<RIGID> { faces: self, points, others: points, rate: 0.0, sinks }),
            Shape::Moving(points, others) => dispatch(Pass::<MOVING> { faces: self, points, others, rate: 1.0, sinks }),
            Shape::Between(points, others, h) => dispatch(Pass::<BETWEEN> { faces: self, points, others, rate: 1.0 / h, sinks }),
        })
    }
}

/// The three kinds of [`Shape`].
const RIGID: u8 = 0;
const MOVING: u8 = 1;
const BETWEEN: u8 = 2;

struct Pass<'a, const SHAPE: u8> {
    faces: &'a Faces,
    points: &'a [Vector3<f64>],
    /// Velocities, or the points of the next shape.
    others: &'a [Vector3<f64>],
    rate: f64,
    sinks: Sinks<'a>,
}

impl<const SHAPE: u8> Loop for Pass<'_, SHAPE> {
    type Output = Measured;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> Measured {
        let Pass { faces, points, others, rate, sinks } = self;
        let (half, third, tiny) = (zero.splat(0.5), zero.splat(1.0 / 3.0), zero.splat(f64::MIN_POSITIVE));
        let rate = zero.splat(rate);
        let (mut area_sum, mut with_area, mut layer) = (zero, zero, LayerSums::new(zero));
        for (i, (corners, sides)) in faces.corners.iter().zip(&faces.sides).enumerate() {
            let [mut a, mut b, mut c] = gather(zero, points, corners);
            let mut u = [[zero; 3]; 3];
            if SHAPE == MOVING {
                u = gather(zero, others, corners);
            }
            if SHAPE == BETWEEN {
                let [next_a, next_b, next_c] = gather(zero, others, corners);
                u = [scaled(&minus(&next_a, &a), rate), scaled(&minus(&next_b, &b), rate), scaled(&minus(&next_c, &c), rate)];
                [a, b, c] = [scaled(&plus(&a, &next_a), half), scaled(&plus(&b, &next_b), half), scaled(&plus(&c, &next_c), half)];
            }
            let double = cross(&minus(&b, &a), &minus(&c, &a));
            let squared = dot(&double, &double);
            let length = squared.sqrt();
            // 1/|double|, and zero where there is no area.
            let inverse = length / squared.max(tiny);
            let (area, sides) = (length * half, zero.with(*sides));
            area_sum = area_sum + sides * area;
            with_area = with_area + length * inverse;
            if let Some(block) = sinks.blocks.get_mut(i) {
                put(&mut block.center, &scaled(&plus(&plus(&a, &b), &c), third));
                // √(s A) n = √(s / 2|double|) double
                put(&mut block.spread, &scaled(&double, (sides * half * inverse).sqrt()));
            }
            if SHAPE != RIGID
                && let Some(out) = sinks.rates.get_mut(i)
            {
                put(out, &scaled(&plus(&plus(&u[0], &u[1]), &u[2]), third));
            }
            if let Some(out) = sinks.normals.get_mut(i) {
                let normal = scaled(&double, inverse);
                let lanes = [normal[0].array(), normal[1].array(), normal[2].array(), area.array()];
                for face in 0..FOUR {
                    out[face] = [lanes[0][face], lanes[1][face], lanes[2][face], lanes[3][face]];
                }
                if let Some(weights) = sinks.weights.get(i) {
                    let weight = zero.with(*weights) * area;
                    layer.add(weight, &normal, &[a, b, c]);
                    if SHAPE != RIGID {
                        layer.add_motion(weight, &normal, &[a, b, c], &u);
                    }
                }
            }
        }
        // Each face with area has added 1, but for rounding.
        let flat = faces.len.saturating_sub(with_area.total().round() as usize);
        Measured { area: area_sum.total(), flat, layer: layer.total() }
    }
}

/// [`Layer`] lane by lane; of the symmetric blocks the upper triangles, by rows.
struct LayerSums<V> {
    rotation: [V; 6],
    coupling: [V; 9],
    translation: [V; 6],
    momentum: [V; 6],
    energy: V,
    twelfth: V,
    third: V,
}

impl<V: Four> LayerSums<V> {
    #[inline(always)]
    fn new(zero: V) -> LayerSums<V> {
        let (twelfth, third) = (zero.splat(1.0 / 12.0), zero.splat(1.0 / 3.0));
        LayerSums { rotation: [zero; 6], coupling: [zero; 9], translation: [zero; 6], momentum: [zero; 6], energy: zero, twelfth, third }
    }

    /// Faces of a rigid shape: `weight` is w A.
    #[inline(always)]
    fn add(&mut self, weight: V, n: &[V; 3], x: &[[V; 3]; 3]) {
        let q = [cross(&x[0], n), cross(&x[1], n), cross(&x[2], n)];
        let s = plus(&plus(&q[0], &q[1]), &q[2]);
        let [p, r] = [weight * self.twelfth, weight * self.third];
        for (sum, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
            let product = q[0][i] * q[0][j] + q[1][i] * q[1][j] + q[2][i] * q[2][j] + s[i] * s[j];
            self.rotation[sum] = self.rotation[sum] + p * product;
        }
        let [wx, wy, wz] = scaled(n, weight);
        accumulate(&mut self.translation, &[wx * n[0], wx * n[1], wx * n[2], wy * n[1], wy * n[2], wz * n[2]]);
        let [rx, ry, rz] = scaled(n, r);
        let terms = [s[0] * rx, s[0] * ry, s[0] * rz, s[1] * rx, s[1] * ry, s[1] * rz, s[2] * rx, s[2] * ry, s[2] * rz];
        accumulate(&mut self.coupling, &terms);
    }

    /// What the velocities `u` of their corners add.
    #[inline(always)]
    fn add_motion(&mut self, weight: V, n: &[V; 3], x: &[[V; 3]; 3], u: &[[V; 3]; 3]) {
        let u = [dot(&u[0], n), dot(&u[1], n), dot(&u[2], n)];
        let sum = u[0] + u[1] + u[2];
        let [p, r] = [weight * self.twelfth, weight * self.third];
        let moment = plus(&plus(&scaled(&x[0], u[0] + sum), &scaled(&x[1], u[1] + sum)), &scaled(&x[2], u[2] + sum));
        let angular = scaled(&cross(&moment, n), p);
        let linear = scaled(n, r * sum);
        accumulate(&mut self.momentum, &[angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]]);
        // Twice the energy.
        self.energy = self.energy + p * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + sum * sum);
    }

    #[inline(always)]
    fn total(&self) -> Layer {
        let whole = |[xx, xy, xz, yy, yz, zz]: [f64; 6]| Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let coupling = Matrix3::from_row_slice(&self.coupling.map(V::total));
        let mut tensor = Matrix6::zeros();
        tensor.fixed_view_mut::<3, 3>(0, 0).copy_from(&whole(self.rotation.map(V::total)));
        tensor.fixed_view_mut::<3, 3>(0, 3).copy_from(&coupling);
        tensor.fixed_view_mut::<3, 3>(3, 0).copy_from(&coupling.transpose());
        tensor.fixed_view_mut::<3, 3>(3, 3).copy_from(&whole(self.translation.map(V::total)));
        let [lx, ly, lz, px, py, pz] = self.momentum.map(V::total);
        let momentum = Momentum::new(Vector3::new(lx, ly, lz), Vector3::new(px, py, pz));
        Layer { tensor, momentum, energy: 0.5 * self.energy.total() }
    }
}

/// The corners of four faces.
#[inline(always)]
fn gather<V: Four>(zero: V, points: &[Vector3<f64>], faces: &[[u32; 3]; FOUR]) -> [[V; 3]; 3] {
    [corner(zero, points, faces, 0), corner(zero, points, faces, 1), corner(zero, points, faces, 2)]
}

#[inline(always)]
fn corner<V: Four>(zero: V, points: &[Vector3<f64>], faces: &[[u32; 3]; FOUR], c: usize) -> [V; 3] {
    let [p, q, r, s] = [faces[0][c] as usize, faces[1][c] as usize, faces[2][c] as usize, faces[3][c] as usize];
    pack(zero, [&points[p], &points[q], &points[r], &points[s]])
}

#[inline(always)]
fn put<V: Four>(lanes: &mut [Lanes; 3], vectors: &[V; 3]) {
    for k in 0..3 {
        lanes[k] = vectors[k].array();
    }
}
