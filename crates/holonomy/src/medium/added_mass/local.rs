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

use nalgebra::Vector3;

use super::{FluidDensity, FluidInertia};
use crate::Error;
use crate::medium::SurfaceForce;
use crate::medium::surface_force::faces::{Faces, Measured, Shape, Sinks};
use crate::shape::lanes::{FOUR, Four, Loop, cross, dispatch, dot, minus, pack};
use crate::shape::pieces::{Hinge, Kind};
use crate::shape::{Note, Pieces, keep};

/// The model for one surface.
#[derive(Debug, Clone)]
pub(super) struct LocalState {
    pieces: Pieces,
    /// Group of each face: faces of a group share their depth.
    group_of_face: Vec<u32>,
    groups: Vec<Group>,
    faces: Faces,
    /// Unit normal of each face of this shape, zero without area; and its area, m².
    normals: Vec<[[f64; 4]; FOUR]>,
    /// ρ, or ρ δ, times the wet sides of each face, where it differs between them.
    weights: Vec<[f64; FOUR]>,
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
        LocalState::new(pieces, groups, 1)
    }

    /// A depth for each connected piece.
    pub fn by_piece(pieces: Pieces) -> LocalState {
        let (groups, count) = (pieces.piece_of_face.clone(), pieces.kinds.len());
        LocalState::new(pieces, groups, count)
    }

    fn new(pieces: Pieces, group_of_face: Vec<u32>, groups: usize) -> LocalState {
        let faces = Faces::new(&pieces.faces, |face| pieces.wet_sides(face as u32));
        let normals = vec![[[0.0; 4]; FOUR]; faces.blocks()];
        LocalState { pieces, group_of_face, groups: vec![Group::default(); groups], faces, normals, weights: Vec::new() }
    }

    /// Alg. 5 and Alg. 6 in one pass over the faces and one over the edges, and a second one over the faces where they have several depths. If
    /// `force` is given, it takes on the shape in the same pass.
    pub fn evaluate(
        &mut self,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        density: FluidDensity,
        force: Option<&mut SurfaceForce>,
        notes: &mut Vec<Note>,
    ) -> Result<FluidInertia, Error> {
        let shape = velocities.map_or(Shape::Rigid(points), |velocities| Shape::Moving(points, velocities));
        let measured = self.measure_faces(shape, density, force, notes)?;
        self.measure_edges(points);
        self.choose_depths(notes)?;
        let layer = match self.groups[..] {
            [whole] => measured.layer.scaled(density.scale() * whole.depth),
            _ => {
                let depth = |face: usize| self.groups[self.group_of_face[face] as usize].depth;
                weigh(&mut self.weights, self.faces.sides(), |face| density.at(face) * depth(face));
                self.faces.measure(shape, Sinks { normals: &mut self.normals, weights: &self.weights, ..Sinks::default() })?.layer
            }
        };
        Ok(FluidInertia { tensor: layer.tensor, momentum: layer.momentum, energy: layer.energy })
    }

    /// Normals and areas; and the sums for a layer of depth 1, in a fluid of density 1 where that is uniform.
    fn measure_faces(
        &mut self,
        shape: Shape,
        density: FluidDensity,
        force: Option<&mut SurfaceForce>,
        notes: &mut Vec<Note>,
    ) -> Result<Measured, Error> {
        let weights: &[_] = match density {
            FluidDensity::Uniform(_) => &[],
            FluidDensity::PerFace(densities) => {
                weigh(&mut self.weights, self.faces.sides(), |face| densities[face]);
                &self.weights
            }
        };
        let measured = match force {
            None => self.faces.measure(shape, Sinks { normals: &mut self.normals, weights, ..Sinks::default() })?,
            Some(force) => {
                force.check_faces(&self.faces)?;
                let sinks = Sinks { normals: &mut self.normals, weights, ..force.sinks(&shape) };
                let measured = self.faces.measure(shape, sinks)?;
                force.set_size(&measured);
                measured
            }
        };
        if measured.flat > 0 {
            keep(notes, Note::WithoutArea { faces: measured.flat });
        }
        self.groups.fill(Group::default());
        if let [whole] = &mut self.groups[..] {
            whole.area = measured.area;
        } else {
            let areas = self.normals.as_flattened().iter().zip(self.faces.sides().as_flattened());
            for (&group, (face, sides)) in self.group_of_face.iter().zip(areas) {
                self.groups[group as usize].area += sides * face[3];
            }
        }
        Ok(measured)
    }

    fn measure_edges(&mut self, points: &[Vector3<f64>]) {
        let LocalState { pieces, group_of_face, groups, normals, .. } = self;
        let normals = normals.as_flattened();
        dispatch(Edges { pieces, points, normals, groups, group_of_face });
        for border in pieces.borders.iter().filter(|border| !border.branching) {
            let length = (points[border.ends[1] as usize] - points[border.ends[0] as usize]).norm();
            groups[group_of_face[border.face as usize] as usize].curvature += PI * length;
        }
    }

    fn choose_depths(&mut self, notes: &mut Vec<Note>) -> Result<(), Error> {
        let whole: f64 = self.groups.iter().map(|group| group.area).sum();
        if whole <= 0.0 {
            return Err(Error::Degenerate { frame: 0, reason: "the surface has no area in a fluid; check its unit and its faces" });
        }
        for (part, group) in self.groups.iter_mut().enumerate().filter(|(_, group)| group.area > 0.0) {
            let least = (16.0 * PI * group.area).sqrt();
            // A mesh of a sphere is at equality, but for rounding.
            if group.curvature < least * (1.0 - 1e-9) {
                keep(notes, Note::DepthBounded { part });
            }
            group.depth = group.area / group.curvature.max(least);
        }
        Ok(())
    }
}

/// w of each face times its wet sides.
fn weigh(weights: &mut Vec<[f64; FOUR]>, sides: &[[f64; FOUR]], weight: impl Fn(usize) -> f64) {
    weights.clear();
    // What fills up the last block has no sides, and is no face.
    let of_lane = |face: usize, sides: f64| if sides > 0.0 { sides * weight(face) } else { 0.0 };
    weights.extend(sides.iter().enumerate().map(|(b, sides)| std::array::from_fn(|lane| of_lane(b * FOUR + lane, sides[lane]))));
}

/// The pass over the edges: adds α ℓ, half to the group of each face.
struct Edges<'a> {
    pieces: &'a Pieces,
    points: &'a [Vector3<f64>],
    normals: &'a [[f64; 4]],
    groups: &'a mut [Group],
    group_of_face: &'a [u32],
}

impl Loop for Edges<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Four>(self, zero: V) {
        let Edges { pieces, points, normals, groups, group_of_face } = self;
        let mut sum = zero;
        let (fours, rest) = pieces.hinges.as_chunks::<FOUR>();
        for hinges in fours {
            let bends = match four_bendings(zero, hinges, points, normals) {
                Some(bends) => bends,
                None => zero.with(hinges.map(|hinge| one_bending(&hinge, pieces, points, normals))),
            };
            if groups.len() == 1 {
                sum = sum + bends;
            } else {
                hinges.iter().zip(bends.array()).for_each(|(hinge, bend)| share(groups, group_of_face, hinge, bend));
            }
        }
        rest.iter().for_each(|hinge| share(groups, group_of_face, hinge, one_bending(hinge, pieces, points, normals)));
        if let [whole] = groups {
            whole.curvature += sum.total();
        }
    }
}

fn share(groups: &mut [Group], group_of_face: &[u32], hinge: &Hinge, bend: f64) {
    hinge.faces.iter().for_each(|&face| groups[group_of_face[face as usize] as usize].curvature += 0.5 * bend);
}

/// α ℓ of four edges, unless one of them is sharp or has a face without area. With s = e·(n₁×n₂) and c = n₁·n₂, tan(α/2) = s / ℓ(1 + c).
#[inline(always)]
fn four_bendings<V: Four>(zero: V, hinges: &[Hinge; FOUR], points: &[Vector3<f64>], normals: &[[f64; 4]]) -> Option<V> {
    let (one, other) = (normals_of(zero, hinges, normals, 0), normals_of(zero, hinges, normals, 1));
    let cosine = dot(&one, &other);
    let [a, b, c, d] = cosine.array();
    if !((a > SHARP) & (b > SHARP) & (c > SHARP) & (d > SHARP)) {
        return None;
    }
    let along = minus(&ends_of(zero, hinges, points, 1), &ends_of(zero, hinges, points, 0));
    let (squared, sine) = (dot(&along, &along), dot(&along, &cross(&one, &other)));
    let more = cosine + zero.splat(1.0);
    // An edge without length has no bend, and its s is zero.
    let inverse = zero.splat(1.0) / (squared * more * more).max(zero.splat(f64::MIN_POSITIVE));
    let bend = sine * squared * more * inverse;
    Some((bend + bend) * arctangent_share(zero, sine * sine * inverse))
}

#[inline(always)]
fn ends_of<V: Four>(zero: V, hinges: &[Hinge; FOUR], points: &[Vector3<f64>], which: usize) -> [V; 3] {
    let [a, b, c, d] = [hinges[0].ends[which], hinges[1].ends[which], hinges[2].ends[which], hinges[3].ends[which]];
    pack(zero, [&points[a as usize], &points[b as usize], &points[c as usize], &points[d as usize]])
}

#[inline(always)]
fn normals_of<V: Four>(zero: V, hinges: &[Hinge; FOUR], normals: &[[f64; 4]], which: usize) -> [V; 3] {
    let [a, b, c, d] = [hinges[0].faces[which], hinges[1].faces[which], hinges[2].faces[which], hinges[3].faces[which]];
    let [a, b, c, d] = [&normals[a as usize], &normals[b as usize], &normals[c as usize], &normals[d as usize]];
    [zero.with([a[0], b[0], c[0], d[0]]), zero.with([a[1], b[1], c[1], d[1]]), zero.with([a[2], b[2], c[2], d[2]])]
}

/// Edges whose α has a smaller cosine are taken one by one: 0.66 is the largest tan(α/2) that [`arctangent_share`] is made for.
const SHARP: f64 = 0.4;

/// atan(x)/x by q = x² below 0.66²: to rounding (Moshier 1989, Cephes).
#[inline(always)]
fn arctangent_share<V: Four>(zero: V, q: V) -> V {
    let above = zero.splat(-8.750_608_600_031_904e-1).mul_add(q, zero.splat(-1.615_753_718_733_365e1));
    let above = above.mul_add(q, zero.splat(-7.500_855_792_314_705e1));
    let above = above.mul_add(q, zero.splat(-1.228_866_684_490_136_2e2));
    let above = above.mul_add(q, zero.splat(-6.485_021_904_942_025e1));
    let below = q + zero.splat(2.485_846_490_142_306_3e1);
    let below = below.mul_add(q, zero.splat(1.650_270_098_316_988_5e2));
    let below = below.mul_add(q, zero.splat(4.328_810_604_912_902_7e2));
    let below = below.mul_add(q, zero.splat(4.853_903_996_359_137e2));
    let below = below.mul_add(q, zero.splat(1.945_506_571_482_614e2));
    zero.splat(1.0) + q * above / below
}

/// α ℓ of any edge.
fn one_bending(hinge: &Hinge, pieces: &Pieces, points: &[Vector3<f64>], normals: &[[f64; 4]]) -> f64 {
    let along = points[hinge.ends[1] as usize] - points[hinge.ends[0] as usize];
    let [one, other] = hinge.faces.map(|face| &normals[face as usize]);
    match (one[3] > 0.0, other[3] > 0.0) {
        (true, true) => bending(&along, &Vector3::from_row_slice(&one[..3]), &Vector3::from_row_slice(&other[..3])),
        // The rim of two layers without thickness has faces without area: a quarter turn onto them, and one off again.
        (true, false) | (false, true) if pieces.kind(hinge.faces[0]) == Kind::Flat => 0.5 * PI * along.norm(),
        _ => 0.0,
    }
}

fn bending(along: &Vector3<f64>, one: &Vector3<f64>, other: &Vector3<f64>) -> f64 {
    let length = along.norm();
    let cosine = one.dot(other);
    if length == 0.0 {
        return 0.0;
    }
    let sine = along.dot(&one.cross(other)) / length;
    let folded = cosine < 0.0 && sine.abs() < FOLDED;
    length * if folded { PI } else { sine.atan2(cosine) }
}

/// Two faces this near to lying on each other, radians, are folded outwards.
const FOLDED: f64 = 1e-9;
