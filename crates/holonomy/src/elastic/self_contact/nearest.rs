//! Where two parts of a surface are nearest to each other.
//!
//! The vector between two places on them is r = Σ wₐ xₐ, with weights that depend linearly on how far along the parts the places are. Of the shortest one, d = |r|, and with these ways s to
//! slide that are not at their ends, changed so that the slides r_s = qᵢ are orthonormal (w_s = vᵢ):
//!
//! ```text
//! ∂d/∂xₐ      = wₐ n,   n = r/d                                                        sliding changes nothing, to first order
//! ∂²d/∂xₐ∂x_b = −Σ_slides (wₐ v_b q nᵀ + vₐ w_b n qᵀ + d vₐ v_b n nᵀ)  +  Σ_others wₐ w_b q qᵀ/d
//! ```

use nalgebra::{Matrix3, Vector3};

use super::Parts;

type Corners = [Vector3<f64>; 4];
type Weights = [f64; 4];

/// Nearest places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    pub weights: Weights,
    /// The weights' derivatives by the ways to slide; as many as there are.
    slides: [Option<Weights>; 2],
    /// r.
    between: Vector3<f64>,
}

/// Where the corners of a triangle, or two edges, are so much in line that they count as such: sine squared.
const IN_LINE: f64 = 1e-12;

/// How far apart the nearest places are, metres.
pub fn distance(parts: Parts, x: &[Vector3<f64>; 4]) -> f64 {
    Nearest::of(parts, x).distance()
}

pub(super) fn sum(weights: &Weights, x: &Corners) -> Vector3<f64> {
    x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2] + x[3] * weights[3]
}

impl Nearest {
    pub fn of(parts: Parts, x: &Corners) -> Nearest {
        match parts {
            Parts::VertexTriangle => {
                let inside = Nearest::inside([1.0, -1.0, 0.0, 0.0], [[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]], x);
                let inside = inside.filter(|near| near.weights[1..].iter().all(|w| *w <= 0.0));
                inside.unwrap_or_else(|| Nearest::least([(0, 1, 2), (0, 2, 3), (0, 3, 1)].map(|side| Nearest::of_edge(side, 1.0, x))))
            }
            Parts::EdgeEdge => {
                let inside = Nearest::inside([1.0, 0.0, -1.0, 0.0], [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]], x);
                let inside =
                    inside.filter(|near| near.weights[..2].iter().all(|w| *w >= 0.0) && near.weights[2..].iter().all(|w| *w <= 0.0));
                let ends = || {
                    let [a, b] = [(0, 2, 3), (1, 2, 3)].map(|end| Nearest::of_edge(end, 1.0, x));
                    let [c, d] = [(2, 0, 1), (3, 0, 1)].map(|end| Nearest::of_edge(end, -1.0, x));
                    Nearest::least([a, b, c, d])
                };
                inside.unwrap_or_else(ends)
            }
        }
    }

    pub fn distance(&self) -> f64 {
        self.between.norm()
    }

    /// From `from`, free to slide both ways, ends or not. None if these ways are in line.
    fn inside(from: Weights, ways: [Weights; 2], x: &Corners) -> Option<Nearest> {
        let (r, [a, b]) = (sum(&from, x), ways.map(|way| sum(&way, x)));
        let (aa, ab, bb) = (a.norm_squared(), a.dot(&b), b.norm_squared());
        let determinant = a.cross(&b).norm_squared();
        let (ra, rb) = (r.dot(&a), r.dot(&b));
        let across = determinant > IN_LINE * aa * bb;
        across.then(|| {
            let (s, t) = ((ab * rb - bb * ra) / determinant, (ab * ra - aa * rb) / determinant);
            let weights = [0, 1, 2, 3].map(|k| from[k] + s * ways[0][k] + t * ways[1][k]);
            Nearest::new(weights, ways.map(Some), x)
        })
    }

    /// Between a vertex and an edge; `sign` is that of the vertex's weight.
    fn of_edge((vertex, from, to): (usize, usize, usize), sign: f64, x: &Corners) -> Nearest {
        let edge = x[to] - x[from];
        let part = (x[vertex] - x[from]).dot(&edge) / edge.norm_squared();
        // An edge without length has but one place; so has what is not a number.
        let part = if part.is_finite() { part } else { 0.0 };
        let within = part > 0.0 && part < 1.0;
        let part = part.clamp(0.0, 1.0);
        let (mut weights, mut way) = ([0.0; 4], [0.0; 4]);
        (weights[vertex], weights[from], weights[to]) = (sign, -sign * (1.0 - part), -sign * part);
        (way[from], way[to]) = (sign, -sign);
        Nearest::new(weights, [within.then_some(way), None], x)
    }

    fn new(weights: Weights, slides: [Option<Weights>; 2], x: &Corners) -> Nearest {
        Nearest { weights, slides, between: sum(&weights, x) }
    }

    /// The first of the shortest.
    fn least<const N: usize>(found: [Nearest; N]) -> Nearest {
        found.into_iter().reduce(|a, b| if b.between.norm_squared() < a.between.norm_squared() { b } else { a }).unwrap_or(found[0])
    }

    /// n; none where the parts meet.
    pub fn normal(&self) -> Option<Vector3<f64>> {
        self.between.try_normalize(f64::MIN_POSITIVE)
    }

    /// Second derivatives of the distance by the corners.
    pub fn bend(&self, normal: &Vector3<f64>, x: &Corners) -> [[Matrix3<f64>; 4]; 4] {
        let (d, w) = (self.distance(), &self.weights);
        let mut blocks = [[Matrix3::zeros(); 4]; 4];
        for (q, slide) in self.axes(normal, x) {
            let (qq, qn, nn) = (q * q.transpose(), q * normal.transpose(), normal * normal.transpose());
            for (a, row) in blocks.iter_mut().enumerate() {
                for (b, block) in row.iter_mut().enumerate() {
                    *block += match &slide {
                        Some(v) => -(qn * (w[a] * v[b]) + qn.transpose() * (v[a] * w[b]) + nn * (d * v[a] * v[b])),
                        None => qq * (w[a] * w[b] / d),
                    };
                }
            }
        }
        blocks
    }

    /// Both q across the normal, with their v where they are ways to slide.
    fn axes(&self, normal: &Vector3<f64>, x: &Corners) -> [(Vector3<f64>, Option<Weights>); 2] {
        let across = |axis: &Vector3<f64>| normal.cross(axis).try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
        let Some(first) = self.slides[0] else {
            let p = across(&Vector3::ith(normal.iamin(), 1.0));
            return [(p, None), (across(&p), None)];
        };
        let a = sum(&first, x);
        let (p, v) = (a / a.norm(), first.map(|weight| weight / a.norm()));
        let Some(second) = self.slides[1] else { return [(p, Some(v)), (across(&p), None)] };
        let b = sum(&second, x);
        let along = b.dot(&p);
        let rest = b - p * along;
        let u = [0, 1, 2, 3].map(|k| (second[k] - along * v[k]) / rest.norm());
        [(p, Some(v)), (rest / rest.norm(), Some(u))]
    }
}
