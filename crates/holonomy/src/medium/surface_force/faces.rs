//! One look at the faces of a shape, four at a time: what drag needs of each, and what the fluid that moves with them adds up to. Corners are
//! the costly part, found here and there in memory; so whoever needs both drag and added mass asks for both at once.
//!
//! | symbol | is |
//! |---|---|
//! | s, A, n, x̄ | wet sides, area, normal, barycentre of a face |
//! | x_a, u_a | corners, and their velocities in the shape's frame |
//! | x × n, u·n | linear over the face, so that `∫fg = A/12 (Σ f_i g_i + Σf_i Σg_i)` over the corners is exact for their products |

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::kernel::{Block, Lanes};
use crate::Error;
use crate::lie::Momentum;
use crate::shape::lanes::{FOUR, Four, Loop, cross, cross_of_edges, dispatch, dot, minus, pack, plus, scaled};

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
}

/// Where each block of faces is written; slices that are empty are passed over.
#[derive(Default)]
pub(crate) struct Sinks<'a> {
    pub blocks: &'a mut [Block],
    /// Velocity of the barycentres in the shape's frame, m/s.
    pub rates: &'a mut [[Lanes; 3]],
    /// Unit normal, zero without area, and area, m², of each face.
    pub normals: &'a mut [[[f64; 4]; FOUR]],
    /// w: weight per area of each face in [`Measured::layer`], if it is not s. The layer is found where normals are asked for.
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
        let (points, velocities) = match shape {
            Shape::Rigid(points) => (points, points),
            Shape::Moving(points, velocities) => (points, velocities),
        };
        if points.len() != velocities.len() {
            return Err(Error::Length { what: "velocities of vertices", expected: points.len(), found: velocities.len() });
        }
        let vertices = points.len();
        if vertices < self.vertices {
            let names = |face: &[u32; 3]| face.iter().find(|&&v| v as usize >= vertices).copied();
            let found = self.corners.as_flattened().iter().enumerate().find_map(|(index, face)| Some((index, names(face)?)));
            let (index, vertex) = found.unwrap_or_default();
            return Err(Error::VertexOutOfRange { what: "face", index, vertex: vertex as usize, vertices });
        }
        Ok(match shape {
            Shape::Rigid(points) => dispatch(Pass::<false> { faces: self, points, velocities: points, sinks }),
            Shape::Moving(points, velocities) => dispatch(Pass::<true> { faces: self, points, velocities, sinks }),
        })
    }
}

struct Pass<'a, const MOVING: bool> {
    faces: &'a Faces,
    points: &'a [Vector3<f64>],
    velocities: &'a [Vector3<f64>],
    sinks: Sinks<'a>,
}

impl<const MOVING: bool> Loop for Pass<'_, MOVING> {
    type Output = Measured;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> Measured {
        let Pass { faces, points, velocities, sinks } = self;
        // Of one length, so that one check serves both.
        let velocities = &velocities[..points.len().min(velocities.len())];
        let points = &points[..velocities.len()];
        let (half, third, tiny) = (zero.splat(0.5), zero.splat(1.0 / 3.0), zero.splat(f64::MIN_POSITIVE));
        let (mut area_sum, mut with_area, mut layer) = (zero, zero, LayerSums::new(zero));
        for (i, (corners, sides)) in faces.corners.iter().zip(&faces.sides).enumerate() {
            let [a, b, c] = gather(zero, points, corners);
            let (one, two) = (minus(&b, &a), minus(&c, &a));
            let double = cross_of_edges(&one, &two);
            let squared = dot(&double, &double);
            let length = squared.sqrt();
            // 1/|double|, and zero where there is no area.
            let inverse = length / squared.max(tiny);
            let (area, sides) = (length * half, zero.with(*sides));
            area_sum = sides.mul_add(area, area_sum);
            with_area = length.mul_add(inverse, with_area);
            let corner_sum = plus(&plus(&a, &b), &c);
            // √(s A) n = √(s / 2|double|) double
            let spread = scaled(&double, (sides * half * inverse).sqrt());
            if let Some(block) = sinks.blocks.get_mut(i) {
                put(&mut block.center, &scaled(&corner_sum, third));
                put(&mut block.spread, &spread);
            }
            let weighted = match sinks.weights.get(i) {
                Some(weights) => scaled(&double, (zero.with(*weights) * half * inverse).sqrt()),
                None => spread,
            };
            let mut q = [[zero; 3]; 3];
            if let Some(out) = sinks.normals.get_mut(i) {
                let normal = scaled(&double, inverse);
                let lanes = [normal[0].array(), normal[1].array(), normal[2].array(), area.array()];
                for face in 0..FOUR {
                    out[face] = [lanes[0][face], lanes[1][face], lanes[2][face], lanes[3][face]];
                }
                q = layer.modes(&weighted, &corner_sum, &one, &two);
                layer.add(&weighted, &q);
            }
            if MOVING {
                // Only now: all at once would not fit into the registers.
                let u = gather(zero, velocities, corners);
                if let Some(out) = sinks.rates.get_mut(i) {
                    put(out, &scaled(&plus(&plus(&u[0], &u[1]), &u[2]), third));
                }
                if !sinks.normals.is_empty() {
                    layer.add_motion(&weighted, &q, &u);
                }
            }
        }
        // Each face with area has added 1, but for rounding.
        let flat = faces.len.saturating_sub(with_area.total().round() as usize);
        Measured { area: area_sum.total(), flat, layer: layer.total() }
    }
}

/// [`Layer`] lane by lane, with b = √(w A) n; of symmetric blocks the upper triangles, by rows.
///
/// With the sum f₀ = f_1 + f_2 + f_3 of a linear function over the corners, and f₁ = √⅛ (f_2 + f_3 − 2 f_1), f₂ = √⅜ (f_2 − f_3), the rule
/// for products reads `∫fg = A/9 (f₀g₀ + f₁g₁ + f₂g₂)`.
struct LayerSums<V> {
    rotation: [V; 6],
    coupling: [V; 9],
    translation: [V; 6],
    momentum: [V; 6],
    energy: V,
    /// √⅛ and √⅜.
    shares: [V; 2],
}

impl<V: Four> LayerSums<V> {
    #[inline(always)]
    fn new(zero: V) -> LayerSums<V> {
        let shares = [zero.splat(0.125_f64.sqrt()), zero.splat(0.375_f64.sqrt())];
        LayerSums { rotation: [zero; 6], coupling: [zero; 9], translation: [zero; 6], momentum: [zero; 6], energy: zero, shares }
    }

    /// x × b in three modes, from the sum of the corners and the edges from the first of them.
    #[inline(always)]
    fn modes(&self, b: &[V; 3], sum: &[V; 3], one: &[V; 3], two: &[V; 3]) -> [[V; 3]; 3] {
        let (wide, across) = (scaled(&plus(one, two), self.shares[0]), scaled(&minus(one, two), self.shares[1]));
        [cross(sum, b), cross(&wide, b), cross(&across, b)]
    }

    /// Faces of a rigid shape, with `q` of [`LayerSums::modes`].
    #[inline(always)]
    fn add(&mut self, b: &[V; 3], q: &[[V; 3]; 3]) {
        for (sum, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
            let products = q[2][i].mul_add(q[2][j], q[1][i] * q[1][j]);
            self.rotation[sum] = self.rotation[sum] + q[0][i].mul_add(q[0][j], products);
            self.translation[sum] = b[i].mul_add(b[j], self.translation[sum]);
        }
        for i in 0..3 {
            for j in 0..3 {
                self.coupling[3 * i + j] = q[0][i].mul_add(b[j], self.coupling[3 * i + j]);
            }
        }
    }

    /// What the velocities `u` of their corners add.
    #[inline(always)]
    fn add_motion(&mut self, b: &[V; 3], q: &[[V; 3]; 3], u: &[[V; 3]; 3]) {
        let u = [dot(&u[0], b), dot(&u[1], b), dot(&u[2], b)];
        let (one, two) = (u[1] - u[0], u[2] - u[0]);
        let u = [u[0] + u[1] + u[2], (one + two) * self.shares[0], (one - two) * self.shares[1]];
        for k in 0..3 {
            let products = q[2][k].mul_add(u[2], q[1][k] * u[1]);
            self.momentum[k] = self.momentum[k] + q[0][k].mul_add(u[0], products);
            self.momentum[3 + k] = b[k].mul_add(u[0], self.momentum[3 + k]);
        }
        self.energy = self.energy + dot(&u, &u);
    }

    #[inline(always)]
    fn total(&self) -> Layer {
        let (third, ninth) = (1.0 / 3.0, 1.0 / 9.0);
        let whole = |[xx, xy, xz, yy, yz, zz]: [f64; 6]| Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let coupling = Matrix3::from_row_slice(&self.coupling.map(V::total)) * third;
        let mut tensor = Matrix6::zeros();
        tensor.fixed_view_mut::<3, 3>(0, 0).copy_from(&(whole(self.rotation.map(V::total)) * ninth));
        tensor.fixed_view_mut::<3, 3>(0, 3).copy_from(&coupling);
        tensor.fixed_view_mut::<3, 3>(3, 0).copy_from(&coupling.transpose());
        tensor.fixed_view_mut::<3, 3>(3, 3).copy_from(&whole(self.translation.map(V::total)));
        let [lx, ly, lz, px, py, pz] = self.momentum.map(V::total);
        let momentum = Momentum::new(Vector3::new(lx, ly, lz) * ninth, Vector3::new(px, py, pz) * third);
        Layer { tensor, momentum, energy: 0.5 * ninth * self.energy.total() }
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
