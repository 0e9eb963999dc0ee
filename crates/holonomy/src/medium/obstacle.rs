//! What is in the way: solids with the distance to them.

use nalgebra::{Matrix3, Vector3};

use super::SolidMesh;
use super::ground::Ground;
use crate::Error;
use crate::lie::Pose;
use crate::motion::{Scenery, SceneryKind};

/// A solid that a vehicle must not touch.
#[derive(Debug, Clone, PartialEq)]
pub enum Obstacle {
    /// A ball.
    Sphere {
        /// Its middle, metres.
        center: Vector3<f64>,
        /// Metres.
        radius: f64,
    },
    /// A box.
    Box {
        /// Where its middle is, and how it is turned.
        pose: Pose,
        /// Half its size along its own axes, metres.
        half: Vector3<f64>,
    },
    /// A round column with flat ends.
    Cylinder {
        /// The middle of one end, metres.
        from: Vector3<f64>,
        /// The middle of the other.
        to: Vector3<f64>,
        /// Metres.
        radius: f64,
    },
    /// All that is below a floor or hills.
    Ground(Ground),
    /// Anything with a closed surface.
    Mesh(SolidMesh),
}

/// How far a place is from an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// Metres; negative inside.
    pub value: f64,
    /// Its derivative by the place: the unit normal, or nearly so over hills.
    pub gradient: Vector3<f64>,
    /// Its second derivative, where the obstacle is round.
    pub bend: Matrix3<f64>,
}

impl Obstacle {
    /// Refuses sizes that are not positive and numbers that are not finite.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let finite = |place: &Vector3<f64>| {
            place.iter().try_for_each(|&x| Error::unless(x.is_finite(), "place of an obstacle", x, "a finite number of metres"))
        };
        let positive =
            |size: f64| Error::unless(size > 0.0 && size.is_finite(), "size of an obstacle", size, "a positive number of metres");
        match self {
            Obstacle::Sphere { center, radius } => finite(center).and_then(|()| positive(*radius)),
            Obstacle::Box { pose, half } => {
                finite(&pose.translation)?;
                half.iter().try_for_each(|&x| positive(x))
            }
            Obstacle::Cylinder { from, to, radius } => {
                finite(from)?;
                finite(to)?;
                positive((to - from).norm())?;
                positive(*radius)
            }
            Obstacle::Ground(ground) => ground.validate(),
            Obstacle::Mesh(_) => Ok(()),
        }
    }

    /// What is to be seen of it: of ground, what lies between two corners (x, z), metres.
    ///
    /// # Errors
    /// A mesh without triangles.
    pub fn scenery(&self, name: &str, kind: SceneryKind, corners: [[f64; 2]; 2]) -> Result<Scenery, Error> {
        Ok(match self {
            Obstacle::Mesh(mesh) => Scenery::mesh(name, kind, mesh.points().to_vec(), mesh.faces().to_vec())?,
            Obstacle::Sphere { center, radius } => Scenery::sphere(name, kind, center, *radius),
            Obstacle::Box { pose, half } => Scenery::box_(name, kind, pose, &(half * 2.0)),
            Obstacle::Cylinder { from, to, radius } => Scenery::cylinder(name, kind, &[*from, *to], *radius),
            Obstacle::Ground(ground) => {
                let counts = if matches!(ground, Ground::Flat { .. }) { [2, 2] } else { [LAND, LAND] };
                let seen = Scenery::height_field(name, corners, counts, |x, z| match ground {
                    Ground::Flat { height } => *height,
                    Ground::HeightField(field) => field.height(x, z),
                });
                Scenery { kind, ..seen }
            }
        })
    }

    /// The distance from `place` to the surface.
    pub fn distance(&self, place: &Vector3<f64>) -> Distance {
        match self {
            Obstacle::Sphere { center, radius } => {
                let (gradient, length) = direction(&(place - center));
                Distance { value: length - radius, gradient, bend: across(&gradient, length) }
            }
            Obstacle::Box { pose, half } => {
                let local = pose.inverse().act(place);
                let beyond = local.abs() - half;
                let sign = local.map(f64::signum);
                let (value, normal) = if beyond.max() <= 0.0 {
                    let axis = beyond.imax();
                    (beyond[axis], Vector3::from_fn(|i, _| if i == axis { sign[i] } else { 0.0 }))
                } else {
                    let out = beyond.map(|x| x.max(0.0));
                    (out.norm(), out.component_mul(&sign).normalize())
                };
                Distance { value, gradient: pose.rotation * normal, bend: Matrix3::zeros() }
            }
            Obstacle::Cylinder { from, to, radius } => {
                let (axis, length) = direction(&(to - from));
                let middle = place - (from + to) * 0.5;
                let along = axis.dot(&middle);
                let (out, distance) = direction(&(middle - axis * along));
                let (side, end) = (distance - radius, along.abs() - 0.5 * length);
                let cap = axis * along.signum();
                if side > 0.0 && end > 0.0 {
                    let value = side.hypot(end);
                    Distance { value, gradient: (out * side + cap * end) / value, bend: Matrix3::zeros() }
                } else if side >= end {
                    Distance { value: side, gradient: out, bend: across(&out, distance) - axis * axis.transpose() / distance.max(TINY) }
                } else {
                    Distance { value: end, gradient: cap, bend: Matrix3::zeros() }
                }
            }
            Obstacle::Ground(ground) => {
                let (value, normal) = ground.gap(place);
                // Over hills the gap is a distance to first order only, and its own slope differs from the normal where they bend: planners need the slope.
                let along = |axis: usize| {
                    let step = Vector3::from_fn(|i, _| if i == axis { SLOPE_STEP } else { 0.0 });
                    (ground.gap(&(place + step)).0 - ground.gap(&(place - step)).0) / (2.0 * SLOPE_STEP)
                };
                let gradient = match ground {
                    Ground::Flat { .. } => normal,
                    Ground::HeightField(_) => Vector3::new(along(0), normal.y, along(2)),
                };
                Distance { value, gradient, bend: Matrix3::zeros() }
            }
            Obstacle::Mesh(mesh) => {
                let (value, gradient) = mesh.distance(place);
                Distance { value, gradient, bend: Matrix3::zeros() }
            }
        }
    }
}

/// Places along each side of land that is drawn.
const LAND: usize = 120;

/// Step of the differences that find the slope of a gap over hills, metres.
const SLOPE_STEP: f64 = 1e-5;

/// A length that stands in for none, metres.
const TINY: f64 = 1e-9;

/// Direction and length; up, where there is none.
fn direction(vector: &Vector3<f64>) -> (Vector3<f64>, f64) {
    let length = vector.norm();
    (if length > TINY { vector / length } else { Vector3::y() }, length)
}

/// How a unit normal turns at that distance from the middle.
fn across(normal: &Vector3<f64>, length: f64) -> Matrix3<f64> {
    (Matrix3::identity() - normal * normal.transpose()) / length.max(TINY)
}
