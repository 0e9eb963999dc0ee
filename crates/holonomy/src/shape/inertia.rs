//! Inertia of a body: mass, centre of mass and the 6×6 tensor K_b with momentum = K_b · twist (Soliman 2024, Sec. 3 and Algs. 3, 4).
//!
//! Three moments say it all, and they add up over the parts of a body: the mass `m = ∫ρ`, the first moment `m₁ = ∫ρ x` and the second
//! `C = ∫ρ x xᵀ`, about the origin of the shape's frame. In the order (angular, linear):
//!
//! ```text
//! K_b = [[ tr(C) I − C,  m₁^ ], [ −m₁^,  m I ]]          x^ y = x × y
//! point of mass m:           m,  m x,  m x xᵀ
//! triangle, per area:        A,  A x̄,  A/12 (Σ v vᵀ + 9 x̄ x̄ᵀ)                          (exact)
//! tetrahedron (0, a, b, c):  V,  V s/4,  V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),  s = a + b + c   (exact, V signed)
//! ```
//!
//! Soliman's `(ρ_b)_i` is a mass per vertex, not a density (docs/ERRATA.md, S8).

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::surface::{Connectivity, face_area_vector};
use crate::Error;
use crate::lie::Pose;

/// The moments of a mass distribution about the origin of the shape's frame. Sums of bodies are sums of these.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Inertia {
    /// m = ∫ρ, kg.
    pub mass: f64,
    /// m₁ = ∫ρ x, kg m.
    pub first_moment: Vector3<f64>,
    /// C = ∫ρ x xᵀ, kg m². Symmetric.
    pub second_moment: Matrix3<f64>,
}

/// What a body, or a labelled part of it, is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Material {
    /// Fills the volume that the faces enclose, kg/m³.
    Solid {
        /// Mass per volume.
        density: f64,
    },
    /// A thin skin: a leaf, a sheet of paper, a hull, kg/m².
    Shell {
        /// Mass per area.
        surface_density: f64,
    },
    /// Weighs nothing.
    Massless,
}

/// Principal moments and axes about the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrincipalAxes {
    /// Moments of inertia, kg m², ascending.
    pub moments: Vector3<f64>,
    /// Unit axes in the shape's frame, one a column, right-handed.
    pub axes: Matrix3<f64>,
}

impl Inertia {
    /// Of point masses, kg.
    ///
    /// # Errors
    /// There is not one mass per point, or one is negative or not finite.
    pub fn of_points(points: &[Vector3<f64>], masses: &[f64]) -> Result<Inertia, Error> {
        check_masses(points, masses)?;
        Ok(points.iter().zip(masses).map(|(x, &m)| Inertia { mass: m, first_moment: x * m, second_moment: x * x.transpose() * m }).sum())
    }

    /// Of a closed surface with outward faces, filled with `density`, kg/m³.
    ///
    /// # Errors
    /// The surface is open, inside out or encloses nothing; or the density is negative or not finite.
    pub fn of_solid(points: &[Vector3<f64>], faces: &[[u32; 3]], density: f64) -> Result<Inertia, Error> {
        Error::unless_zero_or_more("density", density)?;
        check_faces(points, faces)?;
        let unit = closed_moments(points, faces, 0)?;
        finite(unit.scaled(density))
    }

    /// Of a surface, open or closed, that weighs `surface_density`, kg/m².
    ///
    /// # Errors
    /// The density is negative or not finite, or a face names a vertex that is not there.
    pub fn of_shell(points: &[Vector3<f64>], faces: &[[u32; 3]], surface_density: f64) -> Result<Inertia, Error> {
        Error::unless_zero_or_more("surface density", surface_density)?;
        check_faces(points, faces)?;
        finite(faces.iter().map(|&face| triangle_moments(points, face)).sum::<Inertia>().scaled(surface_density))
    }

    /// Of a body of several materials: face f is of `materials[labels[f]]`. The faces of a solid material must close by themselves.
    ///
    /// # Errors
    /// As for [`of_solid`](Inertia::of_solid), naming the label; or a label has no material.
    pub fn of_parts(points: &[Vector3<f64>], faces: &[[u32; 3]], labels: &[u32], materials: &[Material]) -> Result<Inertia, Error> {
        if labels.len() != faces.len() {
            return Err(Error::Length { what: "labels of faces", expected: faces.len(), found: labels.len() });
        }
        if let Some(&label) = labels.iter().find(|&&label| label as usize >= materials.len()) {
            return Err(Error::Parameter { name: "label of a face", value: label.into(), expected: "below the number of materials" });
        }
        check_faces(points, faces)?;
        let part = |(label, &material): (usize, &Material)| {
            let chosen: Vec<[u32; 3]> = faces.iter().zip(labels).filter(|(_, l)| **l as usize == label).map(|(f, _)| *f).collect();
            match material {
                _ if chosen.is_empty() => Ok(Inertia::default()),
                Material::Massless => Ok(Inertia::default()),
                Material::Shell { surface_density } => Inertia::of_shell(points, &chosen, surface_density),
                Material::Solid { density } => {
                    Error::unless_zero_or_more("density", density)?;
                    finite(closed_moments(points, &chosen, label)?.scaled(density))
                }
            }
        };
        materials.iter().enumerate().map(part).sum()
    }

    /// K_b: twist (angular, linear) to momentum, in the shape's frame about its origin. kg m², kg m, kg.
    pub fn matrix(&self) -> Matrix6<f64> {
        let mut tensor = Matrix6::zeros();
        let coupling = self.first_moment.cross_matrix();
        tensor.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotational(&self.second_moment));
        tensor.fixed_view_mut::<3, 3>(0, 3).copy_from(&coupling);
        tensor.fixed_view_mut::<3, 3>(3, 0).copy_from(&-coupling);
        tensor.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * self.mass));
        tensor
    }

    /// Centre of mass, metres.
    ///
    /// # Errors
    /// There is no mass.
    pub fn center(&self) -> Result<Vector3<f64>, Error> {
        Error::unless(self.mass > 0.0, "mass of the body", self.mass, "above zero; give it a density or masses")?;
        Ok(self.first_moment / self.mass)
    }

    /// Principal moments and axes about the centre of mass.
    ///
    /// # Errors
    /// There is no mass.
    pub fn principal_axes(&self) -> Result<PrincipalAxes, Error> {
        let center = self.center()?;
        let eigen = rotational(&(self.second_moment - center * center.transpose() * self.mass)).symmetric_eigen();
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
        let [one, two] = [order[0], order[1]].map(|i| eigen.eigenvectors.column(i).into_owned());
        // A rod or a point has moments of zero, which rounding may make negative.
        let moments = Vector3::from(order.map(|i| eigen.eigenvalues[i].max(0.0)));
        Ok(PrincipalAxes { moments, axes: Matrix3::from_columns(&[one, two, one.cross(&two)]) })
    }

    /// Of the same body, moved by `pose`.
    pub fn moved(&self, pose: &Pose) -> Inertia {
        let (r, b) = (pose.rotation_matrix(), pose.translation);
        let turned = r * self.first_moment;
        let crossed = turned * b.transpose();
        Inertia {
            mass: self.mass,
            first_moment: turned + b * self.mass,
            second_moment: r * self.second_moment * r.transpose() + crossed + crossed.transpose() + b * b.transpose() * self.mass,
        }
    }

    fn scaled(&self, factor: f64) -> Inertia {
        Inertia { mass: self.mass * factor, first_moment: self.first_moment * factor, second_moment: self.second_moment * factor }
    }
}

/// Moments per density of what a closed surface encloses. Tetrahedra stand on a vertex of the mesh, so that nothing cancels far from home.
fn closed_moments(points: &[Vector3<f64>], faces: &[[u32; 3]], part: usize) -> Result<Inertia, Error> {
    if !Connectivity::of(faces).watertight() {
        let reason = "a solid needs a closed surface with faces that all run the same way round; close its \
             holes, or give it a mass or a surface density instead";
        return Err(Error::Surface { part, reason });
    }
    let Some(&apex) = faces.first().and_then(|face| points.get(face[0] as usize)) else { return Ok(Inertia::default()) };
    let local: Inertia = faces.iter().map(|face| tetrahedron_moments(face.map(|v| points[v as usize] - apex))).sum();
    let area: f64 = faces.iter().map(|&face| face_area_vector(points, face).norm()).sum();
    if local.mass.abs() <= NO_THICKNESS * area * area.sqrt() {
        return Err(Error::Surface {
            part,
            reason: "the surface encloses no volume; give it a mass or a surface density, or some thickness",
        });
    }
    if local.mass < 0.0 {
        return Err(Error::Surface { part, reason: "the surface is inside out; turn its faces round" });
    }
    Ok(local.moved(&Pose { translation: apex, ..Pose::identity() }))
}

/// Less volume than this, in units of area^1.5, is none: a square sheet a millionth as thick as it is wide.
pub(crate) const NO_THICKNESS: f64 = 3e-7;

fn tetrahedron_moments([a, b, c]: [Vector3<f64>; 3]) -> Inertia {
    let volume = a.dot(&b.cross(&c)) / 6.0;
    let s = a + b + c;
    let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
    Inertia { mass: volume, first_moment: s * (volume / 4.0), second_moment: squares * (volume / 20.0) }
}

fn triangle_moments(points: &[Vector3<f64>], face: [u32; 3]) -> Inertia {
    let area = face_area_vector(points, face).norm();
    let [a, b, c] = face.map(|v| points[v as usize]);
    let s = a + b + c;
    let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
    Inertia { mass: area, first_moment: s * (area / 3.0), second_moment: squares * (area / 12.0) }
}

fn rotational(second_moment: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * second_moment.trace() - second_moment
}

fn check_masses(points: &[Vector3<f64>], masses: &[f64]) -> Result<(), Error> {
    if masses.len() != points.len() {
        return Err(Error::Length { what: "vertex masses", expected: points.len(), found: masses.len() });
    }
    check_points(points)?;
    masses.iter().try_for_each(|&mass| Error::unless_zero_or_more("vertex mass", mass))
}

fn check_faces(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Result<(), Error> {
    let vertices = points.len();
    let names = |(index, face): (usize, &[u32; 3])| {
        face.iter().find(|&&v| v as usize >= vertices).map(|&vertex| Error::VertexOutOfRange {
            what: "face",
            index,
            vertex: vertex as usize,
            vertices,
        })
    };
    match faces.iter().enumerate().find_map(names) {
        Some(error) => Err(error),
        None => check_points(points),
    }
}

fn check_points(points: &[Vector3<f64>]) -> Result<(), Error> {
    match points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(vertex) => Err(Error::NonFinitePosition { frame: 0, vertex, value: points[vertex].into() }),
        None => Ok(()),
    }
}

/// Refuses moments that overflowed.
fn finite(inertia: Inertia) -> Result<Inertia, Error> {
    let mut moments = inertia.second_moment.iter().chain(&inertia.first_moment).chain([&inertia.mass]);
    moments.try_for_each(|&x| Error::unless(x.is_finite(), "moment of inertia", x, "finite; check the unit of the shape"))?;
    Ok(inertia)
}

impl AddAssign for Inertia {
    fn add_assign(&mut self, other: Inertia) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.second_moment += other.second_moment;
    }
}

impl Add for Inertia {
    type Output = Inertia;
    fn add(mut self, other: Inertia) -> Inertia {
        self += other;
        self
    }
}

impl Sum for Inertia {
    fn sum<I: Iterator<Item = Inertia>>(parts: I) -> Inertia {
        parts.fold(Inertia::default(), Add::add)
    }
}
