//! A body that touches itself: what comes near of its own surface is pushed apart.
//!
//! ```text
//! d    distance of a vertex and a triangle, or of two edges (of the surface, without a common vertex)
//! E    = ⅓ k (t − d)³ below the thickness t, else 0;   k = pressure · area / t²
//! ```
//!
//! Two continuous derivatives at d = t, as those of [`super::load::Contact`]. Which pairs there are is found once, from given shapes, by a grid; so the pattern of the stiffness is fixed, as
//! simulation and loops need it. What this keeps, and what not:
//!
//! - What starts apart stays apart, as long as pairs are found again before anything comes near that was not within reach, nothing moves by the thickness in a step, and
//!   nothing arrives with more than a small part of the energy by area that can be stored, ⅓ · pressure · thickness. There is no test on the way between two shapes: what goes faster or
//!   harder can pass through. (A test: cloth that arrives with 0.15 J/m² is stopped where that is 1.3 J/m², and passes at 0.13.)
//! - Distances have no sign. What has passed through is pushed on, not back: a tangle stays. [`Body::crossings`](super::body::Body::crossings) counts them, so that a run can say so.
//! - Distances have one continuous derivative where the nearest place passes from a face to an edge: forces do not jump there, stiffness does. Edges that become parallel fade out
//!   (by a mollifier as that of Li et al. 2020, "Incremental Potential Contact", which has a continuous derivative less), and leave the matter to their ends.
//! - Above an edge or a corner all triangles around it push, above the middle of a triangle only that one: the pressure is uneven from place to place. On average over two sheets that lie on
//!   each other it is near the one that was asked for (a test measures 0.96 to 1.13 times, and 0.7 to 1.9 where edges lie along edges).

mod crossing;
mod grid;
mod nearest;
mod pair;
mod search;

use nalgebra::Vector3;

use crate::Error;
pub(super) use crossing::crossings;
pub use nearest::distance;
pub use pair::Pair;
pub use search::Pairs;

/// How a body touches itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfContact {
    /// How near is touching, metres: about the thickness of a cloth with its fluff. Less than half an edge is a good choice; more than that is wasted on neighbours.
    pub thickness: f64,
    /// What pushes apart surfaces that are about to meet, Pa; a quarter of it at half the thickness.
    pub pressure: f64,
    /// Pairs that come as near as this in a given shape are looked after, metres.
    pub reach: f64,
}

/// Which parts of a surface are near each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Corners are the vertex, then those of the triangle.
    VertexTriangle,
    /// Corners are the ends of the one edge, then those of the other.
    EdgeEdge,
}

impl SelfContact {
    /// With a reach of three times the thickness.
    pub fn new(thickness: f64, pressure: f64) -> SelfContact {
        SelfContact { thickness, pressure, reach: 3.0 * thickness }
    }

    /// Refuses what is no thickness, pressure or reach.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = |name, x: f64| Error::unless(x.is_finite() && x > 0.0, name, x, "a positive number");
        positive("thickness of self-contact (m)", self.thickness)?;
        positive("pressure of self-contact (Pa)", self.pressure)?;
        let enough = self.reach.is_finite() && self.reach >= self.thickness;
        Error::unless(enough, "reach of self-contact (m)", self.reach, "finite, and no less than the thickness")
    }

    /// Each pair as an element, with its corners as vertices of the mesh.
    pub(super) fn elements(&self, rest: &[Vector3<f64>], faces: &[[u32; 3]], pairs: &Pairs) -> Vec<(Pair, [u32; 4])> {
        let shares = search::Shares::of(rest, faces);
        let at = |corners: &[u32; 4]| corners.map(|v| rest[v as usize]);
        let vertices = pairs.vertex_triangle.iter().map(|c| (Pair::vertex_triangle(self, shares.vertex(c[0])), *c));
        let edges = pairs.edge_edge.iter().map(|c| (Pair::edge_edge(self, shares.edge(c[0], c[1]) + shares.edge(c[2], c[3]), &at(c)), *c));
        vertices.chain(edges).collect()
    }
}
