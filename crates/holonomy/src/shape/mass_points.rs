//! The mass of a body whose shape changes: a surface alone does not say how what it encloses moves, so the mass is put on points that do.
//!
//! Each vertex has a mass that stays. A solid that is seen whole from its centroid has 3/5 of its mass there and 2/5 at the centre of its
//! vertices. A thin cone has 3/5 of the second moment that its base would have with all its mass, so mass, centre and second moment of the first
//! shape are right but for the size of its faces, and stay so where the shape is stretched or sheared as a whole. Any other solid has all its mass on its surface, by area: a slender body swings as it should
//! and rolls as if it were hollow.

use nalgebra::{Matrix3, Vector3};

use super::inertia::{Inertia, Material};
use super::pieces::Pieces;
use super::point_sums;
use super::surface::{face_area_vector, volume_and_centroid};
use crate::Error;
use crate::lie::Momentum;

/// Point masses that move with the vertices of a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct MassPoints {
    /// kg, one per vertex.
    masses: Vec<f64>,
    cores: Vec<Core>,
}

/// What is in the middle of a solid part: a mass at the mean of some vertices.
#[derive(Debug, Clone, PartialEq)]
struct Core {
    /// kg.
    mass: f64,
    /// Vertices and their shares of the mean.
    shares: Vec<(u32, f64)>,
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
        match masses.iter().find(|m| !(m.is_finite() && **m >= 0.0)) {
            Some(&value) => Err(Error::Parameter { name: "vertex mass", value, expected: "a finite number, zero or more" }),
            None => Ok(MassPoints { masses, cores: Vec::new() }),
        }
    }

    /// Of a body of several materials, from its first shape; face f is of `materials[labels[f]]`, closed parts look outwards.
    ///
    /// # Errors
    /// As for [`Inertia::of_parts`].
    pub fn of_parts(points: &[Vector3<f64>], faces: &[[u32; 3]], labels: &[u32], materials: &[Material]) -> Result<MassPoints, Error> {
        Inertia::of_parts(points, faces, labels, materials)?; // says what is wrong
        let mut body = MassPoints { masses: vec![0.0; points.len()], cores: Vec::new() };
        for (label, material) in materials.iter().enumerate() {
            let part: Vec<[u32; 3]> = faces.iter().zip(labels).filter(|(_, l)| **l as usize == label).map(|(face, _)| *face).collect();
            match *material {
                Material::Massless => {}
                Material::Shell { surface_density } => body.add_by_area(points, &part, surface_density),
                Material::Solid { .. } if part.is_empty() => {}
                Material::Solid { density } => body.add_solid(points, &part, density)?,
            }
        }
        Ok(body)
    }

    /// kg.
    pub fn total(&self) -> f64 {
        self.masses.iter().sum::<f64>() + self.cores.iter().map(|core| core.mass).sum::<f64>()
    }

    /// The moments of a shape, and what its change does, where its vertices move with `velocities`.
    pub fn evaluate(&self, points: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> MovingMass {
        let mut sum = point_sums::sum(&self.masses, points, velocities);
        for core in &self.cores {
            let mean = |of: &[Vector3<f64>]| core.shares.iter().map(|&(v, share)| of[v as usize] * share).sum::<Vector3<f64>>();
            sum.add(core.mass, &mean(points), &mean(velocities));
        }
        sum.inertia.second_moment.fill_lower_triangle_with_upper_triangle();
        sum
    }

    fn add_by_area(&mut self, points: &[Vector3<f64>], faces: &[[u32; 3]], per_area: f64) {
        for &face in faces {
            let third = face_area_vector(points, face).norm() * per_area / 3.0;
            face.iter().for_each(|&v| self.masses[v as usize] += third);
        }
    }

    fn add_solid(&mut self, points: &[Vector3<f64>], faces: &[[u32; 3]], density: f64) -> Result<(), Error> {
        let pieces = Pieces::of(points, faces)?.0.by_piece();
        for piece in pieces {
            let (volume, centroid) = volume_and_centroid(points, &piece);
            let cone = |face: &[u32; 3]| {
                let [a, b, c] = face.map(|v| points[v as usize] - centroid);
                a.dot(&b.cross(&c)) / 6.0
            };
            if volume > 0.0 && piece.iter().all(|face| cone(face) >= 0.0) {
                let mut shares = vec![0.0; points.len()];
                for face in &piece {
                    let third = cone(face) * density / 3.0;
                    face.iter().for_each(|&v| shares[v as usize] += third);
                }
                let total: f64 = shares.iter().sum();
                self.masses.iter_mut().zip(&shares).for_each(|(mass, share)| *mass += share * AT_THE_SURFACE);
                let shares = shares.iter().enumerate().filter(|(_, share)| **share > 0.0).map(|(v, share)| (v as u32, share / total));
                self.cores.push(Core { mass: total * (1.0 - AT_THE_SURFACE), shares: shares.collect() });
            } else {
                let area: f64 = piece.iter().map(|&face| face_area_vector(points, face).norm()).sum();
                self.add_by_area(points, &piece, density * volume.abs() / area);
            }
        }
        Ok(())
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
}
