//! Lumped masses: how much of the body each vertex stands for.

use nalgebra::Vector3;

use super::clip::{Clip, Topology};
use super::{curve, surface};
use crate::Error;

/// How the mass (or, in a viscous medium, the drag) is spread over the vertices.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MassRule {
    /// What suits the shape: a curve by length, a surface by area, a rig by its bones, points by unit.
    #[default]
    Natural,
    /// Half the length of the adjacent edges of a curve.
    Length,
    /// A third of the area of the adjacent faces of a surface.
    Area,
    /// The share of the enclosed volume under each vertex, as seen from the centroid. Closed surfaces only.
    Volume,
    /// One for every vertex.
    Unit,
    /// Given: one per vertex, or frames × vertices for weights that change over time.
    Given(Vec<f64>),
}

impl MassRule {
    /// The rule for a clip made by [`Clip::resampled`] from `clip`: masses given for each frame are mixed as its positions are.
    pub fn resampled(&self, clip: &Clip, dt: f64, frames: usize) -> MassRule {
        let n = clip.vertices();
        match self {
            MassRule::Given(given) if clip.frames() > 1 && given.len() == n * clip.frames() => {
                let row = |k: usize| &given[clip.stored_frame(k) * n..][..n];
                let mix = |k: usize| {
                    let (before, share) = clip.between(k as f64 * dt);
                    row(before).iter().zip(row(before + 1)).map(move |(a, b)| a + (b - a) * share)
                };
                MassRule::Given((0..frames).flat_map(mix).collect())
            }
            other => other.clone(),
        }
    }
}

/// Mass of each vertex of one frame.
///
/// # Errors
/// The rule does not fit the topology, a face or bone names a vertex that is not there, or the rule gives a vertex a negative or non-finite mass.
pub fn lumped_masses(rule: &MassRule, topology: &Topology, points: &[Vector3<f64>]) -> Result<Vec<f64>, Error> {
    let n = points.len();
    let beyond = |(what, index, vertex): (&'static str, usize, usize)| Error::VertexOutOfRange { what, index, vertex, vertices: n };
    match topology {
        Topology::Surface { faces } => {
            let first = |(index, face): (usize, &[u32; 3])| Some(("face", index, *face.iter().find(|&&v| v as usize >= n)? as usize));
            faces.iter().enumerate().find_map(first).map_or(Ok(()), |found| Err(beyond(found)))?;
        }
        Topology::Rig(rig) => {
            let bone = rig.bones.iter().enumerate().find(|(_, bone)| bone.from.max(bone.to) >= n);
            bone.map_or(Ok(()), |(index, bone)| Err(beyond(("bone", index, bone.from.max(bone.to)))))?;
        }
        Topology::Points | Topology::Curve { .. } => {}
    }
    let mut axis = vec![Vector3::zeros(); n];
    let mut masses = vec![0.0; n];
    match (rule, topology) {
        (MassRule::Length | MassRule::Natural, Topology::Curve { closed }) => {
            curve::tangents_and_lengths(points, *closed, &mut axis, &mut masses);
        }
        (MassRule::Area | MassRule::Natural, Topology::Surface { faces }) => {
            surface::normals_and_areas(points, faces, &mut axis, &mut masses);
        }
        (MassRule::Volume, Topology::Surface { faces }) => masses = cone_volumes(points, faces)?,
        (MassRule::Natural, Topology::Rig(rig)) => {
            for bone in &rig.bones {
                masses[bone.from] += bone.mass * (1.0 - bone.center);
                masses[bone.to] += bone.mass * bone.center;
            }
        }
        (MassRule::Unit, _) | (MassRule::Natural, Topology::Points) => masses.fill(1.0),
        (MassRule::Given(given), _) => {
            if given.len() != n {
                return Err(Error::Length { what: "vertex masses", expected: n, found: given.len() });
            }
            masses.clone_from(given);
        }
        (MassRule::Length, _) => return Err(misfit("masses by length need a curve; use area, unit or given masses")),
        (MassRule::Area, _) => return Err(misfit("masses by area need a surface; use length, unit or given masses")),
        (MassRule::Volume, _) => return Err(misfit("masses by volume need a closed surface; use length, unit or given masses")),
    }
    masses.iter().try_for_each(|&mass| Error::unless_zero_or_more("vertex mass", mass))?;
    Ok(masses)
}

/// The given masses of frame `k` of `clip`: the same in all frames, or its own.
///
/// # Errors
/// There are neither as many as vertices nor as many as frames × vertices.
pub fn given_in_frame<'a>(given: &'a [f64], clip: &Clip, k: usize) -> Result<&'a [f64], Error> {
    let n = clip.vertices();
    match given.len() {
        found if found == n => Ok(given),
        found if found == n * clip.frames() => Ok(&given[clip.stored_frame(k) * n..][..n]),
        found => Err(Error::Length { what: "vertex masses", expected: n, found }),
    }
}

fn misfit(reason: &'static str) -> Error {
    Error::Degenerate { frame: 0, reason }
}

fn cone_volumes(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Result<Vec<f64>, Error> {
    if !surface::Connectivity::of(faces).watertight() {
        return Err(misfit("masses by volume need a closed surface, and this one has borders; use area"));
    }
    let centroid = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let mut masses = vec![0.0; points.len()];
    for face in faces {
        let [a, b, c] = face.map(|v| points[v as usize] - centroid);
        let third = a.dot(&b.cross(&c)) / 18.0;
        face.iter().for_each(|&v| masses[v as usize] += third);
    }
    if masses.iter().any(|&m| m < 0.0) {
        return Err(misfit("masses by volume: part of the surface faces its own centroid (inside out, or far from convex); use area"));
    }
    Ok(masses)
}
