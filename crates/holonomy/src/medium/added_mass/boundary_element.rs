//! Added mass from the potential flow around the body (Kirchhoff 1870), by Galerkin boundary elements.
//!
//! The fluid's velocity is ∇φ with `∂φ/∂n = g`, the normal velocity of the surface. What the fluid resists with is the map from g to −φ, which by
//! Green's formulas has the symmetric form (Sauter and Schwab 2011, Sec. 3.7)
//!
//! ```text
//! −φ = (V + (½ + K) W⁻¹ (½ + K')) g        so that     <g_i, −φ_j> = g_iᵀ V g_j + R_iᵀ W⁻¹ R_j,     R_i = (½ + K') g_i
//! V  single layer 1/(4πr),  K double layer,  K' its transpose,  <Wψ, φ> = ∬ curl ψ · curl φ /(4πr)
//! ```
//!
//! with six rigid motions and the change of shape for g. A sheet has fluid on both sides: there ψ is the jump of φ, zero on the rim, R = g and
//! V = K = 0. Only W is solved with. It is symmetric and positive, and so is the result; its error is the square of the potential's. The potential
//! is linear over triangles and g exact (linear over each); near pairs of triangles are integrated exactly on one side, far ones by three
//! points each. W⁻¹ is applied by conjugate gradients, which start from the last shape's solution.

use std::collections::HashMap;
use std::f64::consts::PI;

use nalgebra::{Matrix6, SMatrix, Vector3};

use super::conjugate_gradient::{self, COLUMNS, Row};
use super::panel::{COARSE, Panel, fine};
use super::{FluidDensity, FluidInertia, rim};
use crate::Error;
use crate::lie::Momentum;
use crate::shape::pieces::Kind;
use crate::shape::{Note, Pieces, keep};

/// More unknowns than this take more than a gigabyte.
const MOST_UNKNOWNS: usize = 12_000;

/// Two panels are far if their distance is above this many times the sum of their radii.
const FAR: f64 = 2.5;

/// The model for one surface.
#[derive(Debug, Clone)]
pub(super) struct BoundaryElementState {
    /// Corners of each wet face.
    faces: Vec<[u32; 3]>,
    /// Whether it is of a sheet.
    sheet: Vec<bool>,
    /// Unknowns at its corners: one per vertex and piece.
    unknowns: Vec<[u32; 3]>,
    /// Closed piece of each unknown, whose potential is free up to a constant; `None` on sheets.
    free: Vec<Option<u32>>,
    /// Unknowns on a rim, where there is no jump.
    rim: Vec<bool>,
    /// Edges of the rims: ends, and the wet face there.
    rims: Vec<([u32; 2], u32)>,
    /// Vertices, those of rims moved out.
    moved: Vec<Vector3<f64>>,
    /// W, by rows.
    matrix: Vec<f64>,
    /// W⁻¹ R of the last shape.
    solution: Vec<Row>,
}

/// A panel with the normal velocities of the seven motions.
struct Element {
    panel: Panel,
    sheet: bool,
    unknowns: [u32; 3],
    /// g at the corners.
    corner: [Row; 3],
    /// The coarse rule.
    points: [Sample; 3],
}

/// A point of the coarse rule on an element.
struct Sample {
    position: Vector3<f64>,
    /// A third of the area times g; zero on sheets, which have neither V nor K'.
    velocity: Row,
}

/// What the pass over all pairs gathers.
struct Gathered {
    /// g_iᵀ V g_j, times 4π.
    single: SMatrix<f64, COLUMNS, COLUMNS>,
    /// R.
    right: Vec<Row>,
    /// Area times solid angle of all closed faces, seen from each element.
    winding: Vec<f64>,
}

impl BoundaryElementState {
    /// Finds the unknowns.
    ///
    /// # Errors
    /// A part has no thickness or only one side, or there are too many vertices.
    pub fn new(pieces: Pieces, notes: &[Note]) -> Result<BoundaryElementState, Error> {
        refuse(&pieces, notes)?;
        let wet: Vec<usize> = (0..pieces.faces.len()).filter(|&f| pieces.kind(f as u32) != Kind::Cavity).collect();
        let mut index: HashMap<(u32, u32), u32> = HashMap::new();
        let mut free = Vec::new();
        let mut unknowns = Vec::with_capacity(wet.len());
        for &f in &wet {
            let part = pieces.piece_of_face[f];
            unknowns.push(pieces.faces[f].map(|v| {
                *index.entry((part, v)).or_insert_with(|| {
                    free.push((pieces.kinds[part as usize] == Kind::Closed).then_some(part));
                    free.len() as u32 - 1
                })
            }));
        }
        let n = free.len();
        let expected = "at most 12000; simplify the mesh, or use the local model";
        Error::unless(n <= MOST_UNKNOWNS, "number of vertices for boundary elements", n as f64, expected)?;
        let mut rim = vec![false; n];
        for border in &pieces.borders {
            let part = pieces.piece_of_face[border.face as usize];
            border.ends.iter().filter_map(|&v| index.get(&(part, v))).for_each(|&u| rim[u as usize] = true);
        }
        let position = |face: u32| wet.binary_search(&(face as usize)).ok().map(|f| f as u32);
        let rims = pieces.borders.iter().filter(|border| !border.branching);
        Ok(BoundaryElementState {
            rims: rims.filter_map(|border| Some((border.ends, position(border.face)?))).collect(),
            moved: Vec::new(),
            faces: wet.iter().map(|&f| pieces.faces[f]).collect(),
            sheet: wet.iter().map(|&f| pieces.kind(f as u32) == Kind::Sheet).collect(),
            unknowns,
            free,
            rim,
            matrix: vec![0.0; n * n],
            solution: vec![[0.0; COLUMNS]; n],
        })
    }

    /// Solves for the flow.
    pub fn evaluate(
        &mut self,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        density: FluidDensity,
        notes: &mut Vec<Note>,
    ) -> Result<FluidInertia, Error> {
        let density = uniform(density)?;
        // Rotations about the middle of the body, not a far origin: nothing cancels.
        let center = middle(points, &self.faces);
        rim::move_out(points, &self.faces, &self.rims, &mut self.moved);
        let elements = self.elements(points, velocities, &center, notes);
        if elements.is_empty() {
            return Err(Error::Degenerate { frame: 0, reason: "the surface has no area in a fluid; check its unit and its faces" });
        }
        let Gathered { single, right, winding } = self.gather(&elements);
        let buried = elements.iter().zip(&winding).filter(|(element, winding)| element.buried(**winding)).count();
        if buried > 0 {
            keep(notes, Note::Overlap { faces: buried });
        }
        let residual = conjugate_gradient::solve(&self.matrix, &right, &self.free, &self.rim, &mut self.solution);
        if residual > UNSOLVED {
            keep(notes, Note::Unsolved { residual });
        }
        let mut energy = single / (4.0 * PI);
        for (r, x) in right.iter().zip(&self.solution) {
            energy += SMatrix::<f64, COLUMNS, 1>::from(*r) * SMatrix::<f64, COLUMNS, 1>::from(*x).transpose();
        }
        Ok(at_origin(&((energy + energy.transpose()) * (0.5 * density)), &center))
    }

    fn elements(
        &self,
        points: &[Vector3<f64>],
        velocities: Option<&[Vector3<f64>]>,
        center: &Vector3<f64>,
        notes: &mut Vec<Note>,
    ) -> Vec<Element> {
        let element = |f: usize| {
            let face = self.faces[f];
            let panel = Panel::new(face.map(|v| self.moved[v as usize]))?;
            let n = panel.normal;
            let corner = std::array::from_fn(|a| {
                // Where the vertex is, not where a rim was moved to: a rigid motion and the same change of shape must agree.
                let spin = (points[face[a] as usize] - center).cross(&n);
                let change = velocities.map_or(0.0, |velocities| velocities[face[a] as usize].dot(&n));
                [spin.x, spin.y, spin.z, n.x, n.y, n.z, change, 0.0]
            });
            let weight = if self.sheet[f] { 0.0 } else { panel.area / 3.0 };
            let sample = |hats| Sample { position: panel.at(&hats), velocity: interpolate(&corner, &hats).map(|g| g * weight) };
            Some(Element { points: COARSE.map(sample), panel, sheet: self.sheet[f], unknowns: self.unknowns[f], corner })
        };
        let elements: Vec<Element> = (0..self.faces.len()).filter_map(element).collect();
        if elements.len() < self.faces.len() {
            keep(notes, Note::WithoutArea { faces: self.faces.len() - elements.len() });
        }
        elements
    }

    /// One pass over all pairs of elements: fills W, and gathers V and R.
    fn gather(&mut self, elements: &[Element]) -> Gathered {
        let n = self.free.len();
        self.matrix.fill(0.0);
        let mut gathered = Gathered { single: SMatrix::zeros(), right: vec![[0.0; COLUMNS]; n], winding: vec![0.0; elements.len()] };
        let mut curls = vec![Vector3::zeros(); n];
        let rule = fine();
        for source in elements {
            self.own(source, &mut gathered.right);
            curls.fill(Vector3::zeros());
            let mut far = FarSums::default();
            for (seen_from, winding) in elements.iter().zip(&mut gathered.winding) {
                let gap = (seen_from.panel.centroid - source.panel.centroid).norm_squared();
                let reach = FAR * (seen_from.panel.radius + source.panel.radius);
                let (mean, angle) = match gap > reach * reach {
                    true => far.add(source, seen_from),
                    false => NearPair { source, seen_from }.add(&rule, &mut gathered.single, &mut gathered.right),
                };
                *winding += if source.sheet { 0.0 } else { angle * seen_from.panel.area };
                for (&u, edge) in seen_from.unknowns.iter().zip(&seen_from.panel.opposite) {
                    curls[u as usize] += edge * mean;
                }
            }
            far.finish(source, &mut gathered);
            for (&u, edge) in source.unknowns.iter().zip(&source.panel.opposite) {
                let row = &mut self.matrix[u as usize * n..][..n];
                let edge = edge / (16.0 * PI);
                row.iter_mut().zip(&curls).for_each(|(entry, curl)| *entry += edge.dot(curl));
            }
        }
        self.symmetrise();
        gathered
    }

    /// The part of R that a face has from itself: ½ g, or g on a sheet.
    fn own(&self, element: &Element, right: &mut [Row]) {
        let weight = element.panel.area / 12.0 * if element.sheet { 1.0 } else { 0.5 };
        for (a, &u) in element.unknowns.iter().enumerate() {
            let row = &mut right[u as usize];
            for j in 0..COLUMNS {
                let sum = element.corner[0][j] + element.corner[1][j] + element.corner[2][j];
                row[j] += weight * (element.corner[a][j] + sum);
            }
        }
    }

    fn symmetrise(&mut self) {
        let n = self.free.len();
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (self.matrix[i * n + j] + self.matrix[j * n + i]);
                (self.matrix[i * n + j], self.matrix[j * n + i]) = (mean, mean);
            }
        }
    }
}

impl Element {
    /// Whether it lies inside the body, where closed faces fill the whole sphere of view instead of half of it.
    fn buried(&self, winding: f64) -> bool {
        !self.sheet && (winding / (4.0 * PI * self.panel.area) + 0.5).abs() > 0.25
    }

    /// Adds `share · sum · λ_a` to the rows of its corners.
    #[inline]
    fn spread(&self, hats: &[f64; 3], sum: &Row, share: f64, right: &mut [Row]) {
        for (hat, &u) in hats.iter().zip(&self.unknowns) {
            let row = &mut right[u as usize];
            (0..COLUMNS).for_each(|j| row[j] += hat * share * sum[j]);
        }
    }
}

/// What one source has to do with all elements far from it, at the three points of the coarse rule on either.
#[derive(Default)]
struct FarSums {
    /// Σ g/r and Σ g ∂/∂n(1/r) at the source's points.
    single: [Row; 3],
    double: [Row; 3],
}

impl FarSums {
    /// Returns the mean of 1/r over both, and the mean solid angle of the source.
    #[inline]
    fn add(&mut self, source: &Element, seen_from: &Element) -> (f64, f64) {
        let (mut mean, mut angle) = (0.0, 0.0);
        for (p, point) in source.points.iter().enumerate() {
            for other in &seen_from.points {
                let between = other.position - point.position;
                let inverse = 1.0 / between.norm();
                let dipole = between.dot(&source.panel.normal) * inverse * inverse * inverse;
                mean += inverse;
                angle += dipole;
                for j in 0..COLUMNS {
                    self.single[p][j] += inverse * other.velocity[j];
                    self.double[p][j] += dipole * other.velocity[j];
                }
            }
        }
        (mean / 9.0, angle / 9.0 * source.panel.area)
    }

    fn finish(&self, source: &Element, gathered: &mut Gathered) {
        for p in 0..3 {
            add_products(&mut gathered.single, &self.single[p], &source.points[p].velocity);
            source.spread(&COARSE[p], &self.double[p], source.panel.area / (12.0 * PI), &mut gathered.right);
        }
    }
}

/// Two elements close to each other: exact over the source; on the other one seven points, after splitting it while it is the larger one.
struct NearPair<'a> {
    source: &'a Element,
    seen_from: &'a Element,
}

/// A triangle within an element: hat function values at its corners, and its share of the area.
type Part = ([[f64; 3]; 3], f64);

impl NearPair<'_> {
    /// Adds to V and R; returns the mean of 1/r over both, and the mean solid angle of the source.
    fn add(&self, rule: &[(f64, [f64; 3]); 7], single: &mut SMatrix<f64, COLUMNS, COLUMNS>, right: &mut [Row]) -> (f64, f64) {
        let depth = (self.seen_from.panel.radius / (1.5 * self.source.panel.radius)).log2().ceil().clamp(0.0, 3.0) as usize;
        let (mut mean, mut angle) = (0.0, 0.0);
        for_each_part(([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1.0), depth, &mut |(corners, share): Part| {
            for (weight, hats) in rule {
                let hats: [f64; 3] = std::array::from_fn(|k| (0..3).map(|a| hats[a] * corners[a][k]).sum());
                let (potential, seen) = self.add_point(&hats, weight * share, single, right);
                mean += weight * share * potential;
                angle += weight * share * seen;
            }
        });
        (mean / self.source.panel.area, angle)
    }

    /// One point of the other element, with its share of the area; returns ∫1/r and the solid angle of the source.
    fn add_point(&self, hats: &[f64; 3], share: f64, single: &mut SMatrix<f64, COLUMNS, COLUMNS>, right: &mut [Row]) -> (f64, f64) {
        let NearPair { source, seen_from } = self;
        let layers = source.panel.layers(&seen_from.panel.at(hats));
        let own = std::ptr::eq(*source, *seen_from);
        if !seen_from.sheet {
            let velocity = interpolate(&seen_from.corner, hats).map(|g| g * share * seen_from.panel.area);
            if !own {
                source.spread(&layers.double, &velocity, 1.0 / (4.0 * PI), right);
            }
            if !source.sheet {
                add_products(single, &velocity, &interpolate(&source.corner, &layers.single));
            }
        }
        (layers.single.iter().sum(), if own { 0.0 } else { layers.double.iter().sum() })
    }
}

/// Splits a triangle in four, `depth` times, and hands out the parts.
fn for_each_part((corners, share): Part, depth: usize, visit: &mut impl FnMut(Part)) {
    if depth == 0 {
        return visit((corners, share));
    }
    let middle = |a: usize, b: usize| std::array::from_fn(|k| 0.5 * (corners[a][k] + corners[b][k]));
    let [m, n, o]: [[f64; 3]; 3] = [middle(0, 1), middle(1, 2), middle(2, 0)];
    for part in [[corners[0], m, o], [corners[1], n, m], [corners[2], o, n], [m, n, o]] {
        for_each_part((part, 0.25 * share), depth - 1, visit);
    }
}

#[inline]
fn interpolate(corner: &[Row; 3], hats: &[f64; 3]) -> Row {
    std::array::from_fn(|j| corner[0][j] * hats[0] + corner[1][j] * hats[1] + corner[2][j] * hats[2])
}

#[inline]
fn add_products(sum: &mut SMatrix<f64, COLUMNS, COLUMNS>, left: &Row, right: &Row) {
    for j in 0..COLUMNS {
        for i in 0..COLUMNS {
            sum[(i, j)] += left[i] * right[j];
        }
    }
}

/// Beyond this relative residual the result is not to be trusted.
const UNSOLVED: f64 = 1e-6;

fn refuse(pieces: &Pieces, notes: &[Note]) -> Result<(), Error> {
    if let Some(part) = pieces.kinds.iter().position(|&kind| kind == Kind::Flat) {
        let reason = "it has no thickness; give one layer of faces (an open sheet), or some thickness, or use the local model";
        return Err(Error::Surface { part, reason });
    }
    match notes.iter().find_map(|note| if let Note::OneSided { part } = note { Some(*part) } else { None }) {
        Some(part) => Err(Error::Surface { part, reason: "it has only one side, as a Möbius strip; cut it open, or use the local model" }),
        None => Ok(()),
    }
}

fn uniform(density: FluidDensity) -> Result<f64, Error> {
    match density {
        FluidDensity::Uniform(density) => Ok(density),
        FluidDensity::PerFace(densities) => match densities.iter().find(|density| **density != densities[0]) {
            None => Ok(densities.first().copied().unwrap_or(0.0)),
            Some(&value) => Err(Error::Parameter {
                name: "density of the fluid at a face",
                value,
                expected: "the same at all faces for boundary elements; use the local model at a water surface",
            }),
        },
    }
}

/// Mean of the corners of the faces.
fn middle(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Vector3<f64> {
    let sum: Vector3<f64> = faces.iter().flatten().map(|&v| points[v as usize]).sum();
    sum / (3 * faces.len()).max(1) as f64
}

/// From rotations about `center` to rotations about the origin: `Y_center = (ω, v + ω × c)`.
fn at_origin(energy: &SMatrix<f64, COLUMNS, COLUMNS>, center: &Vector3<f64>) -> FluidInertia {
    let mut shift = Matrix6::identity();
    shift.fixed_view_mut::<3, 3>(3, 0).copy_from(&-center.cross_matrix());
    let tensor = shift.transpose() * energy.fixed_view::<6, 6>(0, 0) * shift;
    let momentum = shift.transpose() * energy.fixed_view::<6, 1>(0, 6);
    FluidInertia { tensor: (tensor + tensor.transpose()) * 0.5, momentum: Momentum::from(momentum), energy: 0.5 * energy[(6, 6)] }
}
