//! Forces from outside: gravity on the body's masses, buoyancy of what it displaces, wrenches of the user (Gross 2023, Sec. 3.1.1).

use nalgebra::Vector3;

use crate::Error;
use crate::lie::{Momentum, Pose};
use crate::shape::{Topology, surface};

/// What pulls and pushes the body, beside the medium's own resistance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// Acceleration of free fall, m/s², world frame. It pulls the body's masses, and lifts them by the fluid they displace.
    pub gravity: Vector3<f64>,
    /// The displaced fluid.
    pub buoyancy: Buoyancy,
    /// Constant wrench (torque about the centre of mass, N m; force, N) in the world's axes.
    pub push: Momentum,
    /// Constant wrench (torque about the centre of mass, N m; force, N) in the axes of the shape: it turns with the body.
    pub thrust: Momentum,
}

/// The fluid that the body displaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Buoyancy {
    /// None.
    None,
    /// What a closed surface encloses, exactly; its lift acts at the centroid of the enclosed volume.
    Enclosed {
        /// kg/m³.
        fluid_density: f64,
    },
    /// A given mass of fluid, whose lift acts at the centre of mass.
    Displaced {
        /// kg.
        mass: f64,
    },
}

impl Pull {
    /// Nothing pulls.
    pub fn none() -> Pull {
        Pull { gravity: Vector3::zeros(), buoyancy: Buoyancy::None, push: Momentum::zero(), thrust: Momentum::zero() }
    }

    /// Gravity alone, m/s², world frame.
    pub fn gravity(gravity: Vector3<f64>) -> Pull {
        Pull { gravity, ..Pull::none() }
    }

    /// Checks the numbers, and that a surface which is to displace fluid is closed.
    ///
    /// # Errors
    /// A number is not finite, a density or mass is negative, or the body encloses nothing.
    pub fn validate(&self, topology: &Topology, shape: &[Vector3<f64>]) -> Result<(), Error> {
        let vectors = [self.gravity, self.push.angular, self.push.linear, self.thrust.angular, self.thrust.linear];
        vectors.iter().flatten().try_for_each(|&x| Error::unless(x.is_finite(), "gravity or wrench", x, "finite numbers"))?;
        match self.buoyancy {
            Buoyancy::None => Ok(()),
            Buoyancy::Displaced { mass } => Error::unless_zero_or_more("displaced mass", mass),
            Buoyancy::Enclosed { fluid_density } => {
                Error::unless_zero_or_more("fluid density", fluid_density)?;
                closed(topology, shape)
            }
        }
    }

    /// ϱ: the wrench on a body of `mass` with its centre of mass at `center` (shape's frame), standing at `pose`; about the origin of the shape's
    /// frame and in its axes. `wrench` is added to [`Pull::push`].
    pub(super) fn wrench_body(&self, body: &Weighed, pose: &Pose, wrench: &Momentum) -> Momentum {
        let back = pose.rotation.inverse();
        let (push, fall) = (self.push + *wrench, back * self.gravity);
        let torque = back * push.angular + self.thrust.angular;
        let at_center = back * push.linear + self.thrust.linear + fall * (body.mass - body.displaced_at_center);
        let mut total = Momentum::of_force_at(at_center, &body.center);
        total.angular += torque;
        total + Momentum::of_force_at(fall * -body.enclosed, &body.enclosed_center)
    }
}

/// A shape's mass and displaced fluid, in its own frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weighed {
    /// kg.
    pub mass: f64,
    /// Centre of mass, metres.
    pub center: Vector3<f64>,
    /// Displaced fluid that lifts at the centre of mass, kg.
    pub displaced_at_center: f64,
    /// Displaced fluid that lifts at `enclosed_center`, kg.
    pub enclosed: f64,
    /// Centroid of the enclosed volume, metres.
    pub enclosed_center: Vector3<f64>,
}

impl Weighed {
    /// Weighs `shape`, whose vertices have the given masses (kg); a rig has its own, times `bone_scale`.
    pub(super) fn new(topology: &Topology, shape: &[Vector3<f64>], masses: &[f64], bone_scale: f64, buoyancy: Buoyancy) -> Weighed {
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        let mut add = |m: f64, at: Vector3<f64>| {
            mass += m;
            moment += at * m;
        };
        match topology {
            Topology::Rig(rig) => rig.bones.iter().for_each(|bone| {
                add(bone.mass * bone_scale, shape[bone.from].lerp(&shape[bone.to], bone.center));
            }),
            _ => masses.iter().zip(shape).for_each(|(&m, &at)| add(m, at)),
        }
        let center = if mass > 0.0 { moment / mass } else { shape.iter().sum::<Vector3<f64>>() / shape.len().max(1) as f64 };
        let mut weighed = Weighed { mass, center, ..Weighed::default() };
        match (buoyancy, topology) {
            (Buoyancy::Displaced { mass }, _) => weighed.displaced_at_center = mass,
            (Buoyancy::Enclosed { fluid_density }, Topology::Surface { faces }) => {
                let (volume, centroid) = surface::volume_and_centroid(shape, faces);
                (weighed.enclosed, weighed.enclosed_center) = (volume * fluid_density, centroid);
            }
            _ => {}
        }
        weighed
    }
}

fn closed(topology: &Topology, shape: &[Vector3<f64>]) -> Result<(), Error> {
    let open = "buoyancy from the fluid's density needs a closed surface, and this body has none; give the displaced mass instead";
    let Topology::Surface { faces } = topology else { return Err(Error::Degenerate { frame: 0, reason: open }) };
    if !surface::Connectivity::of(faces).watertight() {
        return Err(Error::Degenerate { frame: 0, reason: open });
    }
    if surface::enclosed_volume(shape, faces) <= 0.0 {
        let reason = "the surface is inside out, so it encloses no volume; turn its faces over, or give the displaced mass instead";
        return Err(Error::Degenerate { frame: 0, reason });
    }
    Ok(())
}
