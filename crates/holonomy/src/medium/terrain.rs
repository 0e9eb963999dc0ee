//! What is walked on: plains, hills, things that lie on them, and closed surfaces all over.
//!
//! Fang 2015, Sec. 6.1 asks three things of a terrain: whether a place is inside, its height above the surface, and the normal of the surface there. Here they are one
//! answer, [`Nearest`]. Up is wherever the normal points: on a closed surface a walker may hang upside down.
//!
//! Meshes are asked through a tree of boxes with pseudo-normals (`SolidMesh`), in place of the thesis' hash table and ray; docs/ERRATA.md, F21 and F22.

use nalgebra::Vector3;

use super::SolidMesh;
use super::ground::{Ground, HeightField};
use super::obstacle::Obstacle;
use crate::Error;

/// Something to walk on.
#[derive(Debug, Clone, PartialEq)]
pub struct Terrain {
    parts: Vec<Part>,
    blend: f64,
}

/// The surface as seen from a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// From the place to the surface, metres; negative inside. Over hills it is so to first order.
    pub distance: f64,
    /// Unit vector out of the surface.
    pub normal: Vector3<f64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Ground(Ground),
    Solid(Obstacle),
    Mesh(SmoothMesh),
}

/// A mesh, with a normal that does not jump from face to face.
#[derive(Debug, Clone, PartialEq)]
struct SmoothMesh {
    solid: SolidMesh,
    /// Per vertex: those of the faces around it, weighted by their angles there.
    normals: Vec<Vector3<f64>>,
}

/// How many steps a foot takes to the surface at most. Over hills each divides what is left by their steepness times it.
const STEPS_TO_SURFACE: usize = 60;

impl Terrain {
    /// A horizontal plane, metres above the world's origin.
    pub fn flat(height: f64) -> Terrain {
        Terrain { parts: vec![Part::Ground(Ground::Flat { height })], blend: 0.0 }
    }

    /// Hills.
    pub fn hills(field: HeightField) -> Terrain {
        Terrain { parts: vec![Part::Ground(Ground::HeightField(field))], blend: 0.0 }
    }

    /// Ground, and solids that lie on it or in it. Within `blend` metres of where two surfaces meet, the normal goes from one to the other; distances stay exact.
    ///
    /// # Errors
    /// A solid that is none, or a blend that is negative or not finite.
    pub fn with_solids(ground: Ground, solids: Vec<Obstacle>, blend: f64) -> Result<Terrain, Error> {
        ground.validate()?;
        Error::unless_zero_or_more("blend of a terrain", blend)?;
        solids.iter().try_for_each(Obstacle::validate)?;
        let part = |solid| match solid {
            Obstacle::Mesh(mesh) => Part::Mesh(SmoothMesh::new(mesh)),
            other => Part::Solid(other),
        };
        let parts = std::iter::once(Part::Ground(ground)).chain(solids.into_iter().map(part)).collect();
        Ok(Terrain { parts, blend })
    }

    /// A closed surface, walked all over.
    pub fn mesh(solid: SolidMesh) -> Terrain {
        Terrain { parts: vec![Part::Mesh(SmoothMesh::new(solid))], blend: 0.0 }
    }

    /// A solid, walked all over: a ball, a column, a box.
    ///
    /// # Errors
    /// It is none.
    pub fn solid(solid: Obstacle) -> Result<Terrain, Error> {
        solid.validate()?;
        Ok(match solid {
            Obstacle::Mesh(mesh) => Terrain::mesh(mesh),
            other => Terrain { parts: vec![Part::Solid(other)], blend: 0.0 },
        })
    }

    /// Hills from the grey values of a picture: `counts` of them along x and z, x running faster, `spacing` metres apart and centred at the origin; a value of 1 is `height`
    /// metres high.
    ///
    /// # Errors
    /// As [`HeightField::new`].
    pub fn from_grey(values: &[f64], counts: [usize; 2], spacing: f64, height: f64) -> Result<Terrain, Error> {
        let origin = counts.map(|count| -0.5 * count.saturating_sub(1) as f64 * spacing);
        HeightField::new(origin, spacing, counts, values.iter().map(|value| value * height).collect()).map(Terrain::hills)
    }

    /// Refuses a plane at no height.
    ///
    /// # Errors
    /// The height is not finite.
    pub fn validate(&self) -> Result<(), Error> {
        self.parts.iter().try_for_each(|part| match part {
            Part::Ground(ground) => ground.validate(),
            Part::Solid(solid) => solid.validate(),
            Part::Mesh(_) => Ok(()),
        })
    }

    /// The height of ground that is the same everywhere, metres: a horizontal plane on which nothing lies.
    pub fn level(&self) -> Option<f64> {
        match self.parts.as_slice() {
            [Part::Ground(Ground::Flat { height })] => Some(*height),
            _ => None,
        }
    }

    /// Whether a place is inside of what is solid.
    pub fn inside(&self, place: &Vector3<f64>) -> bool {
        self.contact(place).distance < 0.0
    }

    /// Height above the surface, and a normal that does not jump: what a body balances by.
    pub fn nearest(&self, place: &Vector3<f64>) -> Nearest {
        match self.parts.as_slice() {
            [only] => only.smooth(place),
            _ if self.blend == 0.0 => self.least(|part| part.smooth(place)),
            _ => self.blended(place),
        }
    }

    /// Height above the surface, and the normal of the part of it that is nearest: what a foot stands on.
    pub fn contact(&self, place: &Vector3<f64>) -> Nearest {
        self.least(|part| part.exact(place))
    }

    /// The place on the surface near to this one, metres.
    pub fn foothold(&self, place: &Vector3<f64>) -> Vector3<f64> {
        let mut foot = *place;
        for _ in 0..STEPS_TO_SURFACE {
            let near = self.contact(&foot);
            foot -= near.normal * near.distance;
            if near.distance.abs() < 1e-15 {
                break;
            }
        }
        foot
    }

    fn least(&self, ask: impl Fn(&Part) -> Nearest) -> Nearest {
        let none = Nearest { distance: f64::INFINITY, normal: Vector3::y() };
        self.parts.iter().map(ask).fold(none, |best, found| if found.distance < best.distance { found } else { best })
    }

    /// Normals weighted by e to the power of minus how much farther than the nearest their surfaces are, in units of the blend.
    fn blended(&self, place: &Vector3<f64>) -> Nearest {
        let best = self.least(|part| part.smooth(place));
        let sum: Vector3<f64> = self
            .parts
            .iter()
            .map(|part| part.smooth(place))
            .map(|found| found.normal * ((best.distance - found.distance) / self.blend).exp())
            .sum();
        Nearest { distance: best.distance, normal: sum.try_normalize(1e-6).unwrap_or(best.normal) }
    }
}

impl Part {
    fn exact(&self, place: &Vector3<f64>) -> Nearest {
        match self {
            Part::Ground(ground) => {
                let (distance, normal) = ground.gap(place);
                Nearest { distance, normal }
            }
            Part::Solid(solid) => {
                let found = solid.distance(place);
                Nearest { distance: found.value, normal: found.gradient }
            }
            Part::Mesh(mesh) => {
                let (distance, normal) = mesh.solid.distance(place);
                Nearest { distance, normal }
            }
        }
    }

    fn smooth(&self, place: &Vector3<f64>) -> Nearest {
        match self {
            Part::Mesh(mesh) => mesh.nearest(place),
            other => other.exact(place),
        }
    }
}

impl SmoothMesh {
    fn new(solid: SolidMesh) -> SmoothMesh {
        let points = solid.points();
        let mut normals = vec![Vector3::zeros(); points.len()];
        for face in solid.faces() {
            let corner = face.map(|v| points[v as usize]);
            for k in 0..3 {
                let (a, b) = (corner[(k + 1) % 3] - corner[k], corner[(k + 2) % 3] - corner[k]);
                let across = a.cross(&b);
                normals[face[k] as usize] += across.try_normalize(0.0).unwrap_or_default() * across.norm().atan2(a.dot(&b));
            }
        }
        normals.iter_mut().for_each(|normal| *normal = normal.try_normalize(0.0).unwrap_or_default());
        SmoothMesh { solid, normals }
    }

    /// The distance is exact; the normal is between those of the corners of the nearest face.
    fn nearest(&self, place: &Vector3<f64>) -> Nearest {
        let (distance, face, shares) = self.solid.nearest(place);
        let corners = self.solid.faces().get(face as usize).copied().unwrap_or_default();
        let sum: Vector3<f64> = (0..3).filter_map(|k| self.normals.get(corners[k] as usize).map(|normal| normal * shares[k])).sum();
        let normal = sum.try_normalize(1e-9).unwrap_or_else(|| self.solid.distance(place).1);
        Nearest { distance, normal }
    }
}
