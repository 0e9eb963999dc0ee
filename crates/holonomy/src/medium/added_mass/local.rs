//! Added mass from the surface alone (Soliman 2024, Sec. 4.2, Algs. 5 and 6): fluid to the depth δ moves with the surface's normal velocity.
//!
//! ```text
//! δ   = Σ A / Σ α ℓ              A face area, α dihedral angle (positive where convex), ℓ edge length
//! K_f = δ Σ_f ρ ∫ a aᵀ dA,       μ_f = δ Σ_f ρ ∫ <γ', n> a dA,      a(x) = (x × n, n)
//! ```
//!
//! The integrals are exact, `∫_T x xᵀ = A/12 (Σ v vᵀ + 9 x̄ x̄ᵀ)`, where the paper takes barycentres (docs/ERRATA.md, S15). A sheet counts as
//! closed, with two sides: inner angles cancel and each edge of its rim has α = π (S16). Two faces folded onto each other have α = +π.
//! By Minkowski's inequality a convex body has Σαℓ ≥ √(16πA); what has less is not convex, and gets the depth at equality (S17).

use std::f64::consts::PI;

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::{FluidDensity, FluidInertia};
use crate::Error;
use crate::lie::Momentum;
use crate::shape::pieces::Kind;
use crate::shape::surface::face_area_vector;
use crate::shape::{Note, Pieces, keep};

/// The model for one surface.
#[derive(Debug, Clone)]
pub(super) struct LocalState {
    pieces: Pieces,
    /// Group of each face: faces of a group share their depth.
    group_of_face: Vec<u32>,
    /// How many sides of each face are wet: 0, 1 or 2.
    sides: Vec<f64>,
    bound: Bound,
    groups: Vec<Group>,
    /// Unit normal of each face of this shape, zero without area; and its area, m².
    normals: Vec<(Vector3<f64>, f64)>,
}

/// What the depth of a group is bounded by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// The sphere of the group's own area: it is a body.
    OwnArea,
    /// The sphere of the whole body's area: it is a patch of one.
    WholeArea,
}

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    /// Wet area, m².
    area: f64,
    /// Σ α ℓ, m.
    curvature: f64,
    /// δ, m.
    depth: f64,
}

impl LocalState {
    /// One depth for all.
    pub fn whole(pieces: Pieces) -> LocalState {
        let groups = vec![0; pieces.faces.len()];
        LocalState::new(pieces, groups, 1, Bound::OwnArea)
    }

    /// A depth for each connected piece.
    pub fn by_piece(pieces: Pieces) -> LocalState {
        let (groups, count) = (pieces.piece_of_face.clone(), pieces.kinds.len());
        LocalState::new(pieces, groups, count, Bound::OwnArea)
    }

    /// A depth for each label.
    ///
    /// # Errors
    /// There is not one label per face, or one is out of all proportion.
    pub fn by_label(pieces: Pieces, labels: &[u32]) -> Result<LocalState, Error> {
        let faces = pieces.faces.len();
        if labels.len() != faces {
            return Err(Error::Length { what: "labels of faces", expected: faces, found: labels.len() });
        }
        match labels.iter().max() {
            Some(&last) if last as usize >= faces => Err(Error::Parameter {
                name: "label of a face",
                value: last.into(),
                expected: "below the number of faces; count labels from 0",
            }),
            last => Ok(LocalState::new(pieces, labels.to_vec(), last.map_or(0, |&last| last as usize + 1), Bound::WholeArea)),
        }
    }

    fn new(pieces: Pieces, group_of_face: Vec<u32>, groups: usize, bound: Bound) -> LocalState {
        let faces = pieces.faces.len();
        let (sides, normals) = ((0..faces as u32).map(|face| pieces.wet_sides(face)).collect(), vec![(Vector3::zeros(), 0.0); faces]);
        LocalState { pieces, group_of_face, sides, bound, groups: vec![Group::default(); groups], normals }
    }

    /// Alg. 5 and Alg. 6 in one pass over the faces and one over the edges.
    pub fn evaluate(
        &mut self,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        density: FluidDensity,
        notes: &mut Vec<Note>,
    ) -> Result<FluidInertia, Error> {
        self.measure_faces(points, notes);
        self.measure_edges(points);
        self.choose_depths(notes)?;
        let mut sums = Sums::default();
        for (f, face) in self.pieces.faces.iter().enumerate() {
            let (normal, area) = self.normals[f];
            let weight = density.at(f) * self.sides[f] * self.groups[self.group_of_face[f] as usize].depth * area;
            sums.add(weight, &normal, face.map(|v| points[v as usize]));
            if let Some(velocities) = velocities {
                sums.add_motion(weight, &normal, face.map(|v| points[v as usize]), face.map(|v| velocities[v as usize]));
            }
        }
        Ok(sums.fluid_inertia())
    }

    fn measure_faces(&mut self, points: &[Vector3<f64>], notes: &mut Vec<Note>) {
        self.groups.fill(Group::default());
        let mut flat = 0;
        for (f, &face) in self.pieces.faces.iter().enumerate() {
            let vector = face_area_vector(points, face);
            let area = vector.norm();
            flat += usize::from(area == 0.0);
            self.normals[f] = (if area > 0.0 { vector / area } else { Vector3::zeros() }, area);
            self.groups[self.group_of_face[f] as usize].area += self.sides[f] * area;
        }
        if flat > 0 {
            keep(notes, Note::WithoutArea { faces: flat });
        }
    }

    fn measure_edges(&mut self, points: &[Vector3<f64>]) {
        for hinge in &self.pieces.hinges {
            let [one, other] = hinge.faces.map(|f| f as usize);
            let along = points[hinge.ends[1] as usize] - points[hinge.ends[0] as usize];
            let half = match (self.normals[one].1 > 0.0, self.normals[other].1 > 0.0) {
                (true, true) => 0.5 * bending(&along, &self.normals[one].0, &self.normals[other].0),
                // The rim of two layers without thickness has faces without area: a quarter turn onto them, and one off again.
                (false, false) => 0.0,
                _ => {
                    if self.pieces.kind(hinge.faces[0]) == Kind::Flat {
                        0.25 * PI * along.norm()
                    } else {
                        0.0
                    }
                }
            };
            self.groups[self.group_of_face[one] as usize].curvature += half;
            self.groups[self.group_of_face[other] as usize].curvature += half;
        }
        for border in self.pieces.borders.iter().filter(|border| !border.branching) {
            let length = (points[border.ends[1] as usize] - points[border.ends[0] as usize]).norm();
            self.groups[self.group_of_face[border.face as usize] as usize].curvature += PI * length;
        }
    }

    fn choose_depths(&mut self, notes: &mut Vec<Note>) -> Result<(), Error> {
        let whole: f64 = self.groups.iter().map(|group| group.area).sum();
        if whole <= 0.0 {
            return Err(Error::Degenerate { frame: 0, reason: "the surface has no area in a fluid; check its unit and its faces" });
        }
        for (part, group) in self.groups.iter_mut().enumerate().filter(|(_, group)| group.area > 0.0) {
            let area = if self.bound == Bound::OwnArea { group.area } else { whole };
            let least = group.area * (16.0 * PI / area).sqrt();
            // A mesh of a sphere is at equality, but for rounding.
            if group.curvature < least * (1.0 - 1e-9) {
                keep(notes, Note::DepthBounded { part });
            }
            group.depth = group.area / group.curvature.max(least);
        }
        Ok(())
    }
}

/// α ℓ of an edge.
#[inline]
fn bending(along: &Vector3<f64>, one: &Vector3<f64>, other: &Vector3<f64>) -> f64 {
    let length = along.norm();
    let cosine = one.dot(other);
    if length == 0.0 {
        return 0.0;
    }
    let sine = along.dot(&one.cross(other)) / length;
    let folded = cosine < 0.0 && sine.abs() < FOLDED;
    length * if folded { PI } else { angle(sine, cosine) }
}

/// The angle with the given sine and cosine: a series in tan(α/2), exact to rounding, for the small angles of a fine mesh.
#[inline]
fn angle(sine: f64, cosine: f64) -> f64 {
    let half = sine / (1.0 + cosine);
    if cosine < 0.0 || half.abs() > 0.1 {
        return sine.atan2(cosine);
    }
    let q = half * half;
    let tail = q * (1.0 / 3.0 - q * (1.0 / 5.0 - q * (1.0 / 7.0 - q * (1.0 / 9.0 - q * (1.0 / 11.0 - q * (1.0 / 13.0 - q / 15.0))))));
    2.0 * half * (1.0 - tail)
}

/// Two faces this near to lying on each other, radians, are folded outwards.
const FOLDED: f64 = 1e-9;

/// Sums over faces; of the symmetric blocks of K_f the upper triangles.
#[derive(Default)]
struct Sums {
    rotation: Matrix3<f64>,
    coupling: Matrix3<f64>,
    translation: Matrix3<f64>,
    momentum: Momentum,
    energy: f64,
}

impl Sums {
    /// One face of a rigid shape: `weight` is ρ δ A.
    #[inline]
    fn add(&mut self, weight: f64, n: &Vector3<f64>, x: [Vector3<f64>; 3]) {
        // x × n is linear over the face, so that the rule for products is exact.
        let q = x.map(|x| x.cross(n));
        let s = q[0] + q[1] + q[2];
        let [p, r] = [weight / 12.0, weight / 3.0];
        for j in 0..3 {
            for i in 0..=j {
                self.rotation[(i, j)] += p * (q[0][i] * q[0][j] + q[1][i] * q[1][j] + q[2][i] * q[2][j] + s[i] * s[j]);
                self.translation[(i, j)] += weight * n[i] * n[j];
            }
        }
        self.coupling += s * (n * r).transpose();
    }

    /// What its vertices' velocities `u` add.
    #[inline]
    fn add_motion(&mut self, weight: f64, n: &Vector3<f64>, x: [Vector3<f64>; 3], u: [Vector3<f64>; 3]) {
        let u = u.map(|u| u.dot(n));
        let sum = u[0] + u[1] + u[2];
        let moment = x[0] * (u[0] + sum) + x[1] * (u[1] + sum) + x[2] * (u[2] + sum);
        self.momentum += Momentum::new(moment.cross(n) * (weight / 12.0), n * (weight / 3.0 * sum));
        self.energy += weight / 24.0 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + sum * sum);
    }

    fn fluid_inertia(self) -> FluidInertia {
        let mut tensor = Matrix6::zeros();
        tensor.fixed_view_mut::<3, 3>(0, 0).copy_from(&whole(&self.rotation));
        tensor.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.coupling);
        tensor.fixed_view_mut::<3, 3>(3, 0).copy_from(&self.coupling.transpose());
        tensor.fixed_view_mut::<3, 3>(3, 3).copy_from(&whole(&self.translation));
        FluidInertia { tensor, momentum: self.momentum, energy: self.energy }
    }
}

/// The symmetric matrix with the given upper triangle.
fn whole(upper: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| upper[(i.min(j), i.max(j))])
}
