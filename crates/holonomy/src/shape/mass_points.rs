//! The mass of a body whose shape changes: a surface alone does not say how what it encloses moves, so the mass is put on points that do.
//!
//! Sheets, and masses that are given, sit on the vertices and stay as they are; the second moment of a sheet is then too large by the square of the
//! size of its faces. A solid piece is of one density in every shape, so its centre of
//! mass is the centroid of what it encloses; about that it has point masses that stay:
//!
//! - if it is seen whole from its centroid, 3/5 of each cone over a face at the corners of the face, and the rest at the centroid. A thin cone has 3/5 of
//!   the second moment that its base would have with all its mass, so the first shape has the right one but for the size of its faces, and
//!   keeps it where it is stretched or sheared as a whole;
//! - any other has all its mass at its vertices, by area: a slender body swings about as it should and rolls as if it were hollow.

use nalgebra::{Matrix3, Vector3};

use super::inertia::{Inertia, Material};
use super::pieces::{Kind, Pieces};
use super::point_sums;
use super::surface::{face_area_vector, volume_and_centroid};
use crate::Error;
use crate::lie::Momentum;

/// Point masses that move with a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct MassPoints {
    /// Of sheets and given masses: kg, one per vertex; empty if there are none.
    masses: Vec<f64>,
    solids: Vec<Solid>,
}

/// A closed piece of one density.
#[derive(Debug, Clone, PartialEq)]
struct Solid {
    /// kg, all of it.
    mass: f64,
    /// What of it is not at the centroid: vertices and their masses, kg.
    outer: Vec<(u32, f64)>,
    faces: Vec<[u32; 3]>,
}

/// What a body does by changing its shape.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MovingMass {
    /// Its moments in this shape.
    pub inertia: Inertia,
    /// μ_b: its momentum if its frame stood still.
    pub momentum: Momentum,
    /// Its kinetic energy if its frame stood still, J.
    pub energy: f64,
}

/// Share of a cone's mass that goes to its base.
const AT_THE_SURFACE: f64 = 0.6;

impl MassPoints {
    /// Masses of the vertices, kg.
    ///
    /// # Errors
    /// A mass is negative or not finite.
    pub fn given(masses: Vec<f64>) -> Result<MassPoints, Error> {
        masses.iter().try_for_each(|&mass| Error::unless_zero_or_more("vertex mass", mass))?;
        Ok(MassPoints { masses, solids: Vec::new() })
    }

    /// Of a body of several materials, from its first shape; face f is of `materials[labels[f]]`, closed parts look outwards.
    ///
    /// # Errors
    /// As for [`Inertia::of_parts`].
    pub fn of_parts(points: &[Vector3<f64>], faces: &[[u32; 3]], labels: &[u32], materials: &[Material]) -> Result<MassPoints, Error> {
        Inertia::of_parts(points, faces, labels, materials)?; // says what is wrong
        let mut body = MassPoints { masses: Vec::new(), solids: Vec::new() };
        for (label, material) in materials.iter().enumerate() {
            let part: Vec<[u32; 3]> = faces.iter().zip(labels).filter(|(_, l)| **l as usize == label).map(|(face, _)| *face).collect();
            match *material {
                _ if part.is_empty() => {}
                Material::Massless => {}
                Material::Shell { surface_density } => {
                    body.masses.resize(points.len(), 0.0);
                    by_area(points, &part, surface_density, &mut body.masses);
                }
                Material::Solid { density } => {
                    let pieces = Pieces::of(points, &part)?.0;
                    // A cavity is what is missing.
                    let signed = |kind: &Kind| if *kind == Kind::Cavity { -density } else { density };
                    let solids = pieces.by_piece().into_iter().zip(&pieces.kinds);
                    body.solids.extend(solids.map(|(faces, kind)| Solid::new(points, faces, signed(kind))));
                }
            }
        }
        Ok(body)
    }

    /// The moments of a shape, and what its change does, where its vertices move with `velocities`.
    pub fn evaluate(&self, points: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> MovingMass {
        let mut sum = point_sums::sum(&self.masses, points, velocities);
        self.solids.iter().for_each(|solid| sum.join(&solid.evaluate(points, velocities)));
        sum.inertia.second_moment.fill_lower_triangle_with_upper_triangle();
        sum
    }
}

impl Solid {
    /// From its first shape.
    fn new(points: &[Vector3<f64>], faces: Vec<[u32; 3]>, density: f64) -> Solid {
        let (volume, centroid) = volume_and_centroid(points, &faces);
        let cone = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| points[v as usize] - centroid);
            a.dot(&b.cross(&c)) / 6.0
        };
        let mut masses = vec![0.0; points.len()];
        if faces.iter().all(|face| cone(face) >= 0.0) {
            for face in &faces {
                let third = cone(face) * density * AT_THE_SURFACE / 3.0;
                face.iter().for_each(|&v| masses[v as usize] += third);
            }
        } else {
            let area: f64 = faces.iter().map(|&face| face_area_vector(points, face).norm()).sum();
            by_area(points, &faces, density * volume.abs() / area, &mut masses);
        }
        let outer = masses.iter().enumerate().filter(|(_, mass)| **mass != 0.0).map(|(v, mass)| (v as u32, *mass)).collect();
        Solid { mass: density * volume.abs(), outer, faces }
    }

    fn evaluate(&self, points: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> MovingMass {
        let mut sum = MovingMass::default();
        self.outer.iter().for_each(|&(v, mass)| sum.add(mass, &points[v as usize], &velocities[v as usize]));
        let (center, rate) = moving_centroid(points, velocities, &self.faces);
        // The points keep their arrangement; their centre is where the solid's is.
        let mass = sum.inertia.mass;
        if mass != 0.0 {
            sum.shift(&(center - sum.inertia.first_moment / mass), &(rate - sum.momentum.linear / mass));
        }
        sum.add(self.mass - mass, &center, &rate);
        sum
    }
}

impl MovingMass {
    #[inline]
    fn add(&mut self, mass: f64, x: &Vector3<f64>, u: &Vector3<f64>) {
        let (mx, mu) = (x * mass, u * mass);
        self.inertia.mass += mass;
        self.inertia.first_moment += mx;
        let second: &mut Matrix3<f64> = &mut self.inertia.second_moment;
        for j in 0..3 {
            for i in 0..=j {
                second[(i, j)] += mx[i] * x[j];
            }
        }
        self.momentum += Momentum::new(x.cross(&mu), mu);
        self.energy += 0.5 * mu.dot(u);
    }

    /// Moves all of it by `d`, and its velocity by `u`.
    fn shift(&mut self, d: &Vector3<f64>, u: &Vector3<f64>) {
        let (m, first, p) = (self.inertia.mass, self.inertia.first_moment, self.momentum.linear);
        self.inertia.first_moment += d * m;
        self.inertia.second_moment += first * d.transpose() + d * first.transpose() + d * d.transpose() * m;
        self.momentum += Momentum::new(d.cross(&p) + (first + d * m).cross(u), u * m);
        self.energy += p.dot(u) + 0.5 * m * u.norm_squared();
    }

    fn join(&mut self, other: &MovingMass) {
        self.inertia += other.inertia;
        self.momentum += other.momentum;
        self.energy += other.energy;
    }
}

fn by_area(points: &[Vector3<f64>], faces: &[[u32; 3]], per_area: f64, masses: &mut [f64]) {
    for &face in faces {
        let third = face_area_vector(points, face).norm() * per_area / 3.0;
        face.iter().for_each(|&v| masses[v as usize] += third);
    }
}

/// Centroid of what a closed surface encloses, and its velocity. Without volume, those of a vertex.
fn moving_centroid(points: &[Vector3<f64>], velocities: &[Vector3<f64>], faces: &[[u32; 3]]) -> (Vector3<f64>, Vector3<f64>) {
    let Some(&first) = faces.first().map(|face| &face[0]) else { return Default::default() };
    let (apex, apex_rate) = (points[first as usize], velocities[first as usize]);
    let (mut volume, mut growth, mut moment, mut rate) = (0.0, 0.0, Vector3::zeros(), Vector3::zeros());
    for face in faces {
        let [a, b, c] = face.map(|v| points[v as usize] - apex);
        let [ua, ub, uc] = face.map(|v| velocities[v as usize] - apex_rate);
        let (bc, sum) = (b.cross(&c), a + b + c);
        let part = a.dot(&bc);
        let part_rate = ua.dot(&bc) + ub.dot(&c.cross(&a)) + uc.dot(&a.cross(&b));
        volume += part;
        growth += part_rate;
        moment += sum * part;
        rate += sum * part_rate + (ua + ub + uc) * part;
    }
    if volume == 0.0 {
        return (apex, apex_rate);
    }
    let center = moment / (4.0 * volume);
    (apex + center, apex_rate + rate / (4.0 * volume) - center * (growth / volume))
}
