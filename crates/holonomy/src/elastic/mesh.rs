//! Meshes of elastic bodies, and makers of simple ones: cloth, ribbons, bars and rings.

use std::collections::HashMap;
use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::Error;
use crate::lie::Pose;

/// A mesh of a body at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// Metres.
    pub points: Vec<Vector3<f64>>,
    /// What joins them.
    pub cells: Cells,
}

/// What a mesh is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cells {
    /// Triangles of a thin sheet, all facing the same way.
    Sheet(Vec<[u32; 3]>),
    /// Tetrahedra of a solid; the last three corners turn left as seen from the first.
    Solid(Vec<[u32; 4]>),
}

/// How the rectangles of a cloth are cut into triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Diagonals {
    /// All the same way: softer along one diagonal of the cloth than along the other.
    Regular,
    /// One way and the other in turn.
    #[default]
    Alternating,
}

/// How the boxes of a bar are cut into tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// A regular one within four corners, mirrored from box to box.
    Five,
    /// Around one diagonal, the same in all boxes (Kuhn).
    #[default]
    Six,
}

impl Mesh {
    /// A cloth in the plane of x and y, from the origin, facing z: `columns` × `rows` rectangles. Vertices go row by row.
    ///
    /// # Errors
    /// A size that is not positive; no columns or rows.
    pub fn cloth(width: f64, height: f64, columns: usize, rows: usize, diagonals: Diagonals) -> Result<Mesh, Error> {
        sizes(&[width, height])?;
        counts(&[columns, rows], 1)?;
        let at = |i: usize, j: usize| (j * (columns + 1) + i) as u32;
        let mut points = Vec::with_capacity((columns + 1) * (rows + 1));
        for j in 0..=rows {
            for i in 0..=columns {
                points.push(Vector3::new(width * i as f64 / columns as f64, height * j as f64 / rows as f64, 0.0));
            }
        }
        let mut faces = Vec::with_capacity(2 * columns * rows);
        for j in 0..rows {
            for i in 0..columns {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let turned = diagonals == Diagonals::Alternating && (i + j) % 2 == 1;
                faces.extend(if turned { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] });
            }
        }
        Ok(Mesh { points, cells: Cells::Sheet(faces) })
    }

    /// A ribbon along x, of that many segments, facing z: a cloth one rectangle wide. It bends as a beam if its segments are twice as long as wide, or longer
    /// (see [`super::hinge`]).
    ///
    /// # Errors
    /// A size that is not positive; no segments.
    pub fn ribbon(length: f64, width: f64, segments: usize) -> Result<Mesh, Error> {
        Mesh::cloth(length, width, segments, 1, Diagonals::Alternating)
    }

    /// A box from the origin with that many cells along x, y and z. Vertices go slice by slice along x, the first axis, so that the work is cut along a long one.
    ///
    /// # Errors
    /// A size that is not positive; no cells.
    pub fn bar(size: Vector3<f64>, cells: [usize; 3], split: Split) -> Result<Mesh, Error> {
        sizes(size.as_slice())?;
        counts(&cells, 1)?;
        let [nx, ny, nz] = cells;
        let at = |i: usize, j: usize, k: usize| ((i * (ny + 1) + j) * (nz + 1) + k) as u32;
        let (mut points, mut tetrahedra) = (Vec::new(), Vec::new());
        for i in 0..=nx {
            for j in 0..=ny {
                for k in 0..=nz {
                    let part = Vector3::new(i as f64 / nx as f64, j as f64 / ny as f64, k as f64 / nz as f64);
                    points.push(part.component_mul(&size));
                }
            }
        }
        for i in 0..nx {
            for j in 0..ny {
                for k in 0..nz {
                    // Bits of a corner's number are its steps along x, y, z.
                    let corner = |bits: usize| at(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2));
                    let mirrored = split == Split::Five && (i + j + k) % 2 == 1;
                    let table: &[[usize; 4]] = if split == Split::Six { &SIX } else { &FIVE };
                    tetrahedra.extend(table.iter().map(|t| {
                        if mirrored {
                            let [a, b, c, d] = t.map(|bits| corner(bits ^ 1));
                            [a, c, b, d]
                        } else {
                            t.map(corner)
                        }
                    }));
                }
            }
        }
        Ok(Mesh { points, cells: Cells::Solid(tetrahedra) })
    }

    /// A doughnut about the y axis through the origin. Its tube is filled by `rings` rings around its middle, the k-th with 4k vertices, `around` times.
    ///
    /// # Errors
    /// A size that is not positive, a tube as thick as its way round; fewer than three around, or no rings.
    pub fn doughnut(radius: f64, tube: f64, around: usize, rings: usize) -> Result<Mesh, Error> {
        sizes(&[radius, tube])?;
        Error::unless(tube < radius, "radius of a doughnut's tube", tube, "less than that of the doughnut")?;
        counts(&[around], 3)?;
        counts(&[rings], 1)?;
        let (disc, faces) = disc(rings);
        let mut points = Vec::with_capacity(disc.len() * around);
        for slice in 0..around {
            let (sin, cos) = (TAU * slice as f64 / around as f64).sin_cos();
            points.extend(disc.iter().map(|&[out, up]| {
                let away = radius + tube * out;
                Vector3::new(away * cos, tube * up, -away * sin)
            }));
        }
        let mut tetrahedra = Vec::with_capacity(3 * faces.len() * around);
        for slice in 0..around {
            let here = |v: usize| (slice * disc.len() + v) as u32;
            let there = |v: usize| ((slice + 1) % around * disc.len() + v) as u32;
            for face in &faces {
                // A prism; each of its sides is cut from the lower number here to the higher there, and so the neighbour cuts it too.
                let mut face = *face;
                face.sort_unstable();
                let [a, b, c] = face;
                for cell in
                    [[here(a), here(b), here(c), there(c)], [here(a), here(b), there(b), there(c)], [here(a), there(a), there(b), there(c)]]
                {
                    tetrahedra.push(right_way(&points, cell));
                }
            }
        }
        Ok(Mesh { points, cells: Cells::Solid(tetrahedra) })
    }

    /// Moved rigidly.
    #[must_use]
    pub fn moved(mut self, pose: &Pose) -> Mesh {
        self.points.iter_mut().for_each(|point| *point = pose.act(point));
        self
    }

    /// The triangles that are seen: those of a sheet, or the boundary of a solid, outwards.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        match &self.cells {
            Cells::Sheet(faces) => faces.clone(),
            Cells::Solid(cells) => {
                let sides = |&[a, b, c, d]: &[u32; 4]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]];
                let key = |mut face: [u32; 3]| {
                    face.sort_unstable();
                    face
                };
                let mut seen: HashMap<[u32; 3], u32> = HashMap::with_capacity(2 * cells.len());
                cells.iter().flat_map(sides).for_each(|face| *seen.entry(key(face)).or_default() += 1);
                cells.iter().flat_map(sides).filter(|&face| seen[&key(face)] == 1).collect()
            }
        }
    }

    /// Of a solid, m³; of a sheet, none.
    pub fn volume(&self) -> f64 {
        match &self.cells {
            Cells::Sheet(_) => 0.0,
            Cells::Solid(cells) => cells.iter().map(|&cell| six_volumes(&self.points, cell)).sum::<f64>() / 6.0,
        }
    }

    /// Refuses a mesh with no cells, with cells that name vertices which do not exist, or with places that are not finite.
    ///
    /// # Errors
    /// Which of these, and where.
    pub fn validate(&self) -> Result<(), Error> {
        let vertices = self.points.len();
        if let Some((vertex, point)) = self.points.iter().enumerate().find(|(_, p)| !p.iter().all(|x| x.is_finite())) {
            return Err(Error::NonFinitePosition { frame: 0, vertex, value: (*point).into() });
        }
        let (count, wrong) = match &self.cells {
            Cells::Sheet(faces) => (faces.len(), beyond(faces, vertices).map(|(k, v)| ("triangle", k, v))),
            Cells::Solid(cells) => (cells.len(), beyond(cells, vertices).map(|(k, v)| ("tetrahedron", k, v))),
        };
        if let Some((what, index, vertex)) = wrong {
            return Err(Error::VertexOutOfRange { what, index, vertex, vertices });
        }
        if count == 0 {
            return Err(Error::Empty { what: "the mesh of a body", fix: "give it triangles or tetrahedra" });
        }
        Ok(())
    }
}

/// Around the diagonal from corner 0 to corner 7.
pub(super) const SIX: [[usize; 4]; 6] = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// The regular one last.
const FIVE: [[usize; 4]; 5] = [[1, 3, 0, 5], [2, 0, 3, 6], [4, 6, 5, 0], [7, 5, 6, 3], [0, 3, 6, 5]];

/// The first vertex beyond the last, and where it is named.
fn beyond<const K: usize>(cells: &[[u32; K]], vertices: usize) -> Option<(usize, usize)> {
    let first = |(k, cell): (usize, &[u32; K])| cell.iter().find(|&&v| v as usize >= vertices).map(|&v| (k, v as usize));
    cells.iter().enumerate().find_map(first)
}

/// Six times the volume of a tetrahedron, m³.
pub(super) fn six_volumes(points: &[Vector3<f64>], cell: [u32; 4]) -> f64 {
    let [a, b, c, d] = cell.map(|v| points[v as usize]);
    (b - a).cross(&(c - a)).dot(&(d - a))
}

/// With its corners in the order that has a positive volume.
fn right_way(points: &[Vector3<f64>], cell: [u32; 4]) -> [u32; 4] {
    let [a, b, c, d] = cell;
    if six_volumes(points, cell) < 0.0 { [a, c, b, d] } else { cell }
}

/// The unit disc: rings of 4k vertices around the middle, and its triangles.
fn disc(rings: usize) -> (Vec<[f64; 2]>, Vec<[usize; 3]>) {
    let mut points = vec![[0.0, 0.0]];
    for k in 1..=rings {
        for i in 0..4 * k {
            let (sin, cos) = (TAU * i as f64 / (4 * k) as f64).sin_cos();
            points.push([cos * k as f64 / rings as f64, sin * k as f64 / rings as f64]);
        }
    }
    // Before ring k there are the middle and rings of 4, 8, … vertices.
    let at = |k: usize, i: usize| if k == 0 { 0 } else { 1 + 2 * k * (k - 1) + i % (4 * k) };
    let mut faces = Vec::new();
    for k in 0..rings {
        for quarter in 0..4 {
            let (inner, outer) = (|i: usize| at(k, quarter * k + i), |i: usize| at(k + 1, quarter * (k + 1) + i));
            faces.extend((0..=k).map(|i| [inner(i), outer(i), outer(i + 1)]));
            faces.extend((0..k).map(|i| [inner(i), outer(i + 1), inner(i + 1)]));
        }
    }
    (points, faces)
}

fn sizes(sizes: &[f64]) -> Result<(), Error> {
    let good = |&size: &f64| Error::unless(size.is_finite() && size > 0.0, "size of a mesh", size, "a positive number of metres");
    sizes.iter().try_for_each(good)
}

/// Most cells along a side: what a million of millions would need is not asked of any machine.
const MOST: usize = 10_000;

fn counts(counts: &[usize], least: usize) -> Result<(), Error> {
    let good = |&count: &usize| {
        Error::unless(
            (least..=MOST).contains(&count),
            "number of cells of a mesh",
            count as f64,
            "at least 1 (3 around a ring), and at most 10 000",
        )
    };
    counts.iter().try_for_each(good)
}
